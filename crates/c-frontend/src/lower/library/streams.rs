//! Functions of the C library that read and print. What a program prints is no effect that a property sees, but it is evaluated;
//! what it reads is input.

use foundation::Span;
use program::{BinaryOp as ModelBinary, CompareOp, ExprKind as ModelKind, InputSource, Op, Operand, Scalar};

use super::super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::{ExprId, ExprKind};
use crate::types::{IntKind, Qual};

impl Lowering<'_> {
    /// Arguments are evaluated; the result is arbitrary.
    pub(super) fn harmless(&mut self, name: String, result: Qual, arguments: &[ExprId], span: Span) -> Lower<Lowered> {
        let strings = self.printed_strings(&name, arguments, span)?;
        for (argument, at) in arguments.iter().zip(0..) {
            match strings.contains(&at) {
                true => self.print_string(&name, *argument, span)?,
                false => self.discard(*argument)?,
            }
        }
        self.errno_may_change(span)?;
        if self.unevaluated > 0 || !self.types.is_scalar(result.ty) {
            return Ok(self.placeholder(result, span));
        }
        let variable = self.result_variable(result, None, span)?;
        let target = self.variable_place(variable);
        self.emit(Op::Input { target, source: InputSource::External(name) }, span)?;
        Ok(self.result_value(variable, result, None, span))
    }

    /// Which arguments of a function that prints are strings. `%n` is the one conversion by which such a function writes
    /// through a pointer: it is refused where the format is at hand.
    fn printed_strings(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Lower<Vec<usize>> {
        let position = match name {
            "puts" | "fputs" | "perror" => return Ok(vec![0]),
            "printf" => 0,
            "fprintf" | "dprintf" | "syslog" => 1,
            "vprintf" | "vfprintf" => usize::MAX,
            _ => return Ok(Vec::new()),
        };
        let Some(format) = arguments.get(position).and_then(|format| self.literal_text(*format)) else {
            self.assume_everywhere(
                format!("a format of `{name}` that is no literal has no `%n`, and what it prints is valid"),
                span,
            );
            return Ok(Vec::new());
        };
        let mut strings = Vec::new();
        let mut next = position + 1;
        let mut conversions = format.split('%').skip(1);
        while let Some(conversion) = conversions.next() {
            if conversion.is_empty() {
                // `%%` is a percent sign.
                conversions.next();
                continue;
            }
            let is_kind = |c: char| c.is_ascii_alphabetic() && !"hlqjztL".contains(c);
            let (flags, kind) = conversion.split_at(conversion.find(is_kind).unwrap_or(conversion.len()));
            next += flags.matches('*').count();
            match kind.chars().next() {
                Some('n') => {
                    let span = self.ast.exprs[arguments[position]].span;
                    return self.unsupported("unsupported-format", "the conversion `%n`, which writes, is", span, "");
                }
                // A precision may be less than one, and wide characters are none.
                Some('s') if !flags.contains(['.', 'l', '$']) => strings.push(next),
                _ => {}
            }
            next += 1;
        }
        Ok(strings)
    }

    /// Looks at the first character of a string that is printed, as printing does.
    fn print_string(&mut self, name: &str, argument: ExprId, span: Span) -> Lower<()> {
        if self.literal_text(argument).is_some() {
            return Ok(());
        }
        let pointer = self.scalar(argument)?;
        if self.types.pointee(pointer.ty.ty).is_none() || self.unevaluated > 0 {
            return self.carry_out(&pointer.into(), span);
        }
        let ty = self.types.int(IntKind::Char);
        let model = self.types.model_type(ty.ty, &mut self.program.types);
        let value = self.load(program::Place::pointer(pointer.value, model));
        self.carry_out_operand(Operand::Scalar(value), span)?;
        self.assume_everywhere(format!("a string that `{name}` prints ends inside of its object"), span);
        Ok(())
    }

    /// The characters of a string literal.
    pub(super) fn literal_text(&self, expr: ExprId) -> Option<String> {
        match &self.ast.exprs[expr].kind {
            ExprKind::String { units, .. } => {
                Some(units.iter().map(|&unit| char::from_u32(unit).unwrap_or('?')).collect())
            }
            _ => None,
        }
    }

    /// A character as an `unsigned char`, or -1 for the end of the input.
    pub(super) fn character_input(&mut self, name: &str, span: Span) -> Lower<Lowered> {
        self.errno_may_change(span)?;
        let ty = self.types.int(IntKind::Int);
        let value = self.input(ty, None, InputSource::External(name.to_owned()), span)?;
        let int = self.types.int_type(ty.ty).expect("int");
        let exprs = &mut self.program.exprs;
        let (end, zero, most) = (exprs.int(-1, int), exprs.int(0, int), exprs.int(255, int));
        let is_character = exprs.intern(ModelKind::Compare(CompareOp::GreaterEqual, value, zero), Scalar::Bool);
        let character = exprs.intern(ModelKind::Binary(ModelBinary::BitAnd, value, most), Scalar::Int(int));
        let value = exprs.intern(ModelKind::If(is_character, character, end), Scalar::Int(int));
        Ok(Lowered { value: Denoted::Scalar(value), ty, bit_width: None, span })
    }
}
