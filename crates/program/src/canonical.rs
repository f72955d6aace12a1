//! The whole of a program as text: two programs with the same text have the same variables, functions, locations and edges, by the
//! same numbers, and do the same. Evidence names the program that it speaks of by a hash of this text.
//!
//! What is not in it: where something stands in which file, what people call it, and expressions and types that nothing uses; these
//! and their numbers depend on what else was read. The text is made of what `Debug` derives, so that no field of an operation can be
//! forgotten, and it is not meant to be read back.

use std::fmt::Write;

use foundation::Id;
use foundation::collections::HashMap;

use crate::cfa::{Edge, Function};
use crate::expr::ExprId;
use crate::model::{Program, Variable};
use crate::types::TypeId;

/// The text of a program.
pub fn text(program: &Program) -> String {
    let mut writer = Writer::default();
    writer.line(&format!("program for {} from {:?}", program.types.data_model(), program.entry));
    for (id, Variable { name, kind, ty, address_taken, span: _ }) in program.variables.iter() {
        writer.line(&format!("{id:?} {name:?} {kind:?} {ty:?} {address_taken}"));
    }
    for (id, function) in program.functions.iter() {
        let Function { name, parameters, result, variadic, entry, locals, atomic, library, span: _ } = function;
        let flags = [variadic, atomic, library];
        writer.line(&format!("{id:?} {name:?} {parameters:?} {result:?} {entry:?} {locals:?} {flags:?}"));
    }
    for (id, location) in program.locations.iter() {
        writer.line(&format!("{id:?} {:?} {:?}", location.function, location.out));
    }
    for (id, Edge { from, to, op, span: _, observe }) in program.edges.iter() {
        writer.line(&format!("{id:?} {from:?} {to:?} {observe:?} {op:?}"));
    }
    // What expressions and types are made of is met on the way, and has its line further down.
    let mut done = 0;
    while let Some(&part) = writer.met.get(done) {
        match part {
            CanonicalPart::Expression(number) => {
                let expr = program.exprs.get(ExprId::from_index(number));
                writer.line(&format!("expression {done}: {expr:?}"));
            }
            CanonicalPart::Type(number) => {
                let ty = program.types.get(TypeId::from_index(number));
                writer.line(&format!("type {done}: {ty:?}"));
            }
        }
        done += 1;
    }
    writer.text
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum CanonicalPart {
    Expression(usize),
    Type(usize),
}

#[derive(Default)]
struct Writer {
    text: String,
    /// Expressions and types in the order in which they are met, which is how they are numbered.
    met: Vec<CanonicalPart>,
    numbers: HashMap<CanonicalPart, usize>,
}

impl Writer {
    /// Writes a line with new numbers for expressions and types.
    fn line(&mut self, line: &str) {
        let mut rest = line;
        while let Some((at, end, part)) = next_part(rest) {
            let met = &mut self.met;
            let number = *self.numbers.entry(part).or_insert_with(|| {
                met.push(part);
                met.len() - 1
            });
            let _ = write!(self.text, "{}#{number}", &rest[..at]);
            rest = &rest[end..];
        }
        self.text.push_str(rest);
        self.text.push('\n');
    }
}

/// The first id of an expression or a type in a text: where it begins and ends, and what it is.
fn next_part(text: &str) -> Option<(usize, usize, CanonicalPart)> {
    let (expression, ty) = ("ExprId#", "TypeId#");
    let found = [expression, ty].into_iter().filter_map(|mark| Some((text.find(mark)?, mark)));
    let (at, mark) = found.min()?;
    let digits = &text[at + mark.len()..];
    let digits = &digits[..digits.bytes().take_while(u8::is_ascii_digit).count()];
    let number = digits.parse().unwrap_or_default();
    let part = if mark == expression { CanonicalPart::Expression(number) } else { CanonicalPart::Type(number) };
    Some((at, at + mark.len() + digits.len(), part))
}
