//! A toy language: `by 2 modulo 6` counts by two from zero on and for ever. Its atoms compare `n` with a number: `n = 4`,
//! `n < 6`.

use semper::foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};
use semper::program::front_end::{FrontEnd, Options, Translated};
use semper::program::{
    Atom, BinaryOp, CompareOp, ExprId, ExprKind, Function, FunctionId, Initial, IntType, Observe, Op, Operand, Place,
    Program, Scalar, Variable, VariableId, VariableKind,
};

const INT: IntType = IntType::signed(32);

/// The front end.
#[derive(Debug)]
pub struct Counting;

impl FrontEnd for Counting {
    fn language(&self) -> &'static str {
        "counting"
    }

    fn reads(&self, file: &str) -> bool {
        file.ends_with(".count")
    }

    fn translate(
        &self,
        units: &[SourceId],
        sources: &mut SourceMap,
        options: &Options,
        diagnostics: &mut Diagnostics,
    ) -> Option<Box<dyn Translated>> {
        let [unit] = *units else { return None };
        let text = sources.text(unit);
        let span = Span { source: unit, start: 0, end: text.len() as u32 };
        let words: Vec<&str> = text.split_whitespace().collect();
        let numbers = match words[..] {
            ["by", by, "modulo", modulo] => by.parse().ok().zip(modulo.parse().ok()),
            _ => None,
        };
        let Some((by, modulo)) = numbers else {
            diagnostics.push(Diagnostic::error("counting-syntax", "`by NUMBER modulo NUMBER` is expected").at(span));
            return None;
        };
        let mut program = Program::new(options.data_model);
        let ty = program.types.scalar(Scalar::Int(INT));
        let kind = VariableKind::Global { initial: Initial::Values(Vec::new()), declared_in: None };
        let n = program.variables.push(Variable { name: "n".into(), kind, ty, address_taken: false, span });
        let main = program.functions.push(Function::new(&options.entry, span));
        let location = program.add_location(main);
        (program.functions[main].entry, program.entry) = (Some(location), Some(main));
        let place = Place::variable(n, ty);
        let value = program.exprs.intern(ExprKind::Load(place.clone()), Scalar::Int(INT));
        let [by, modulo] = [by, modulo].map(|number: i32| program.exprs.int(number, INT));
        let sum = program.exprs.intern(ExprKind::Binary(BinaryOp::Add, value, by), Scalar::Int(INT));
        let next = program.exprs.intern(ExprKind::Binary(BinaryOp::Remainder, sum, modulo), Scalar::Int(INT));
        let op = Op::Assign { target: place, value: Operand::Scalar(next) };
        program.add_edge(location, location, op, span, Observe::Statement);
        Some(Box::new(Counter { program, n, value }))
    }
}

struct Counter {
    program: Program,
    n: VariableId,
    value: ExprId,
}

impl Translated for Counter {
    fn program(&self) -> &Program {
        &self.program
    }

    fn into_program(self: Box<Self>) -> Program {
        self.program
    }

    fn atom(&mut self, span: Span, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<Atom> {
        let words: Vec<&str> = sources.snippet_text(span).split_whitespace().collect();
        let read = match words[..] {
            ["n", "=", number] => Some(CompareOp::Equal).zip(number.parse::<i32>().ok()),
            ["n", "<", number] => Some(CompareOp::Less).zip(number.parse::<i32>().ok()),
            _ => None,
        };
        let Some((comparison, number)) = read else {
            diagnostics.push(Diagnostic::error("counting-atom", "`n = NUMBER` or `n < NUMBER` is expected").at(span));
            return None;
        };
        let number = self.program.exprs.int(number, INT);
        let value = self.program.exprs.intern(ExprKind::Compare(comparison, self.value, number), Scalar::Bool);
        Some(Atom::State { value, active: Vec::new(), reads: vec![self.n] })
    }

    fn function(&self, name: &str, _: Option<Span>) -> Result<FunctionId, Box<Diagnostic>> {
        let unknown = || Box::new(Diagnostic::error("counting-function", format!("there is no function `{name}`")));
        self.program.function_named(name).ok_or_else(unknown)
    }

    fn type_of(&self, _: VariableId) -> Option<String> {
        Some("number".to_owned())
    }
}
