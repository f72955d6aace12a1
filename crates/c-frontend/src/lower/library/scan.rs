//! `scanf`: what its format says is read as input (7.21.6.2). A conversion that is not made leaves its object alone, and so do those
//! behind it.

use foundation::Span;
use num_bigint::BigInt;
use program::{
    CompareOp, ExprId as ModelExpr, ExprKind as ModelKind, InputSource, IntType, Observe, Op, Operand, Place, Reach,
    Scalar,
};

use super::super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::ExprId;
use crate::types::{CType, IntKind, Qual};

/// What a conversion reads and stores.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum ConversionKind {
    /// A number that is written to a base, or to one that it says itself, in so many bits.
    Integer { base: Option<u32>, bits: u64 },
    /// A floating-point number of so many bits.
    Floating { bits: u64 },
    /// One character.
    Character,
    /// Several characters, with or without an end.
    String,
    /// Anything, as the pointer says, and at a character a string: the format is not known.
    Anything,
}

/// A conversion that stores something.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Conversion {
    kind: ConversionKind,
    /// How many characters are read at most.
    width: Option<u32>,
}

/// Numbers of more characters than this are not looked at: no type is so wide.
const MOST_DIGITS: u32 = 40;

impl Lowering<'_> {
    /// A call of `scanf`.
    pub(super) fn scan(&mut self, declared: Qual, arguments: &[ExprId], span: Span) -> Lower<Lowered> {
        self.errno_may_change(span)?;
        let Some((format, arguments)) = arguments.split_first() else {
            return self.error("argument-count", "`scanf` needs a format", span);
        };
        let conversions = match self.literal_text(*format) {
            Some(text) => match self.conversions(&text) {
                Ok(conversions) => conversions,
                Err(what) => {
                    let span = self.ast.exprs[*format].span;
                    return self.unsupported(
                        "unsupported-format",
                        &format!("{what} in a format of `scanf` is"),
                        span,
                        "",
                    );
                }
            },
            None => {
                let text = "a format of `scanf` that is no literal stores what each of its pointers points to";
                self.assume_everywhere(text.to_owned(), span);
                vec![Conversion { kind: ConversionKind::Anything, width: None }; arguments.len()]
            }
        };
        if arguments.len() < conversions.len() {
            let (needed, given) = (conversions.len() + 1, arguments.len() + 1);
            let text = format!("`scanf` needs {needed} arguments for this format: {given} given");
            return self.error("argument-count", text, span);
        }
        let mut stores = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            match conversions.get(at) {
                Some(conversion) => stores.push((*conversion, self.scanned(*conversion, *argument)?)),
                None => self.discard(*argument)?,
            }
        }
        let ty = if self.types.is_integer(declared.ty) { declared } else { self.types.int(IntKind::Int) };
        let count = self.input(ty, None, InputSource::External("scanf".to_owned()), span)?;
        let Scalar::Int(int) = self.program.exprs.ty(count) else { unreachable!("it is an integer") };
        if self.unevaluated == 0 {
            self.store_scanned(count, int, &stores, span)?;
        }
        let value = self.within(count, int, BigInt::from(-1), BigInt::from(stores.len()));
        Ok(Lowered { value: Denoted::Scalar(value), ty, bit_width: None, span })
    }

    /// Stores what was read, as far as conversions were made: as many as `count` says, or all.
    fn store_scanned(
        &mut self,
        count: ModelExpr,
        int: IntType,
        stores: &[(Conversion, (ModelExpr, Qual))],
        span: Span,
    ) -> Lower<()> {
        let end = self.new_location();
        for (at, (conversion, (pointer, to))) in stores.iter().enumerate() {
            let needed = self.program.exprs.int(at as u64 + 1, int);
            let is_made =
                self.program.exprs.intern(ModelKind::Compare(CompareOp::GreaterEqual, count, needed), Scalar::Bool);
            let store = self.new_location();
            self.branch_on(is_made, (store, Observe::No), (end, Observe::No), span);
            self.go_on_at(store);
            self.store_one(*conversion, *pointer, *to, span)?;
        }
        self.jump(end, span);
        self.go_on_at(end);
        Ok(())
    }

    fn store_one(&mut self, conversion: Conversion, pointer: ModelExpr, to: Qual, span: Span) -> Lower<()> {
        let source = InputSource::External("scanf".to_owned());
        let model = self.types.model_type(to.ty, &mut self.program.types);
        let is_character = self.types.size_bits(to.ty) == Some(8);
        if conversion.kind == ConversionKind::String || conversion.kind == ConversionKind::Anything && is_character {
            self.assume_everywhere("a string that `scanf` stores fits into its array".to_owned(), span);
            let reach =
                Reach { element: model, written: true, pointers: Vec::new(), again: Vec::new(), is_cut_short: false };
            return self.emit(Op::Havoc { address: pointer, reach, source }, span);
        }
        let target = Place::pointer(pointer, model);
        let bounds = match (conversion, self.types.int_type(to.ty)) {
            (Conversion { kind: ConversionKind::Integer { base, .. }, width: Some(width) }, Some(int)) => {
                written_in(base, width, int).map(|bounds| (bounds, int))
            }
            _ => None,
        };
        let Some(((least, most), int)) = bounds else { return self.emit(Op::Input { target, source }, span) };
        let value = self.input(to, None, source, span)?;
        // An unsigned type has what begins with a minus at its end.
        let value = match int.signed {
            true => self.within(value, int, least, most),
            false => {
                let last: BigInt = (BigInt::from(1) << int.bits) - 1;
                let negated = (least <= last).then(|| self.within(value, int, least, last));
                let most = self.program.exprs.int(most, int);
                let negated = negated.unwrap_or(most);
                let is_few = ModelKind::Compare(CompareOp::LessEqual, value, most);
                let is_few = self.program.exprs.intern(is_few, Scalar::Bool);
                self.program.exprs.intern(ModelKind::If(is_few, value, negated), Scalar::Int(int))
            }
        };
        self.emit(Op::Assign { target, value: Operand::Scalar(value) }, span)
    }

    /// A value, or the end of a range which it lies beyond: no run is blocked, and every value of the range is possible.
    fn within(&mut self, value: ModelExpr, int: IntType, least: BigInt, most: BigInt) -> ModelExpr {
        let exprs = &mut self.program.exprs;
        let (least, most) = (exprs.int(least, int), exprs.int(most, int));
        let is_enough = exprs.intern(ModelKind::Compare(CompareOp::GreaterEqual, value, least), Scalar::Bool);
        let is_few = exprs.intern(ModelKind::Compare(CompareOp::LessEqual, value, most), Scalar::Bool);
        let raised = exprs.intern(ModelKind::If(is_enough, value, least), Scalar::Int(int));
        exprs.intern(ModelKind::If(is_few, raised, most), Scalar::Int(int))
    }

    /// Where a conversion stores, and what lies there. The pointer is evaluated before anything is stored.
    fn scanned(&mut self, conversion: Conversion, argument: ExprId) -> Lower<(ModelExpr, Qual)> {
        let pointer = self.scalar(argument)?;
        let pointee = self.types.pointee(pointer.ty.ty).filter(|to| self.types.is_scalar(to.ty));
        let Some(to) = pointee else {
            return self.error("wrong-argument", "`scanf` stores through pointers to numbers only", pointer.span);
        };
        let (bits, is_integer) = (self.types.size_bits(to.ty), self.types.is_integer(to.ty));
        let (fits, what) = match conversion.kind {
            ConversionKind::Integer { bits: wanted, .. } => {
                (is_integer && bits == Some(wanted), format!("an integer of {wanted} bits"))
            }
            ConversionKind::Floating { bits: wanted } => (
                self.types.is_floating(to.ty) && bits == Some(wanted),
                format!("a floating-point number of {wanted} bits"),
            ),
            ConversionKind::Character | ConversionKind::String => {
                (is_integer && bits == Some(8), "characters".to_owned())
            }
            ConversionKind::Anything => (true, String::new()),
        };
        if !fits {
            let text = format!("`scanf` stores {what} here, and this points to `{}`", self.describe(to));
            return self.error("wrong-argument", text, pointer.span);
        }
        Ok((self.keep(pointer.value, pointer.span)?, to))
    }

    /// The conversions of a format that store something, or what is not supported.
    fn conversions(&mut self, format: &str) -> Result<Vec<Conversion>, String> {
        let mut found = Vec::new();
        let mut rest = format;
        while let Some((_, after)) = rest.split_once('%') {
            let is_kept = !after.starts_with('*');
            let after = after.strip_prefix('*').unwrap_or(after);
            let digits = after.find(|c: char| !c.is_ascii_digit()).unwrap_or(after.len());
            let (width, after) = after.split_at(digits);
            let letters = after.find(|c: char| !"hljztLq".contains(c)).unwrap_or(after.len());
            let (length, after) = after.split_at(letters);
            let Some(letter) = after.chars().next() else { return Err("a `%` at the end".to_owned()) };
            rest = &after[letter.len_utf8()..];
            if letter == '%' {
                continue;
            }
            let width = match width {
                "" => None,
                // So many characters hold every number.
                digits => Some(digits.parse().unwrap_or(MOST_DIGITS)),
            };
            let refused = || format!("the conversion `%{length}{letter}`");
            let kind = match letter {
                'd' | 'i' | 'u' | 'o' | 'x' | 'X' => {
                    let base = match letter {
                        'i' => None,
                        'o' => Some(8),
                        'x' | 'X' => Some(16),
                        _ => Some(10),
                    };
                    ConversionKind::Integer { base, bits: self.bits_of(length).ok_or_else(refused)? }
                }
                'a' | 'e' | 'f' | 'g' | 'A' | 'E' | 'F' | 'G' => {
                    let ty = match length {
                        "" => CType::Float,
                        "l" => CType::Double,
                        _ => return Err(refused()),
                    };
                    let ty = self.types.intern(ty);
                    ConversionKind::Floating { bits: self.types.size_bits(ty).ok_or_else(refused)? }
                }
                'c' if length.is_empty() && width.is_none_or(|width| width == 1) => ConversionKind::Character,
                'c' | 's' if length.is_empty() => ConversionKind::String,
                '[' if length.is_empty() => {
                    // A `]` at the beginning belongs to the set.
                    let inner = rest.strip_prefix('^').unwrap_or(rest);
                    let inner = inner.strip_prefix(']').unwrap_or(inner);
                    let Some((_, behind)) = inner.split_once(']') else { return Err("a `[` without a `]`".to_owned()) };
                    rest = behind;
                    ConversionKind::String
                }
                _ => return Err(refused()),
            };
            if width == Some(0) {
                return Err("a width of zero".to_owned());
            }
            if is_kept {
                found.push(Conversion { kind, width });
            }
        }
        Ok(found)
    }

    /// How wide an integer is that is stored with a length modifier.
    fn bits_of(&mut self, length: &str) -> Option<u64> {
        let kind = match length {
            "hh" => IntKind::Char,
            "h" => IntKind::Short,
            "" => IntKind::Int,
            "l" => IntKind::Long,
            "ll" | "j" => IntKind::LongLong,
            "z" | "t" => self.types.size_kind(),
            _ => return None,
        };
        let ty = self.types.int(kind);
        self.types.int_type(ty.ty).map(|int| u64::from(int.bits))
    }
}

/// The least and the largest number that so many characters can mean, the first of which may be a sign; none where these
/// are no less than the type has. In an unsigned type, what has a minus counts from the end.
fn written_in(base: Option<u32>, width: u32, int: IntType) -> Option<(BigInt, BigInt)> {
    let largest = |digits: u32| -> BigInt {
        let below = match base {
            Some(base) => BigInt::from(base).pow(digits),
            None => BigInt::from(10).pow(digits).max(BigInt::from(16).pow(digits.saturating_sub(2))),
        };
        below - 1
    };
    let width = width.min(MOST_DIGITS);
    let (most, negated) = (largest(width), largest(width - 1));
    let values = BigInt::from(1) << int.bits;
    match int.signed {
        true => (&most * 2 < values).then(|| (-negated, most)),
        false => (&most + &negated < values).then(|| (values - negated, most)),
    }
}
