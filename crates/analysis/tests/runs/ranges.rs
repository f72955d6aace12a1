//! A variable never holds a value outside of its range.

use analysis::{Domains, Initialised, Liveness, Ranges};
use foundation::Id;
use num_bigint::BigInt;
use program::semantics::choices::{Answer, Question};
use program::semantics::interpreter::Interpreter;
use program::semantics::memory::Extent;
use program::semantics::{ObserveMode, Value};
use program::{Place, Program, Root, Selector, Type, TypeId, VariableId};

use crate::driver::{Source, drive, seeded};
use crate::generator::Style;
use crate::subject::{Subject, for_many};

/// All scalar parts of a variable: as places, with offset and width.
fn parts(program: &mut Program, variable: VariableId) -> Vec<(Place, u64, u64)> {
    let ty = program.variables[variable].ty;
    let mut found = Vec::new();
    let mut open: Vec<(Vec<Selector>, TypeId, u64, Option<u16>)> = vec![(Vec::new(), ty, 0, None)];
    while let Some((path, ty, offset, bits)) = open.pop() {
        match program.types.get(ty).clone() {
            Type::Scalar(_) => {
                let width = bits.map_or_else(|| program.types.size_bits(ty), u64::from);
                found.push((Place { root: Root::Variable(variable), path, ty }, offset, width));
            }
            Type::Array { element, length } => {
                for index in 0..length {
                    let at = program.exprs.int(index, program::IntType::signed(32));
                    let path = path.iter().cloned().chain([Selector::Index(at)]).collect();
                    open.push((path, element, offset + index * program.types.size_bits(element), None));
                }
            }
            Type::Record(record) => {
                for (number, field) in record.fields.iter().enumerate() {
                    let path = path.iter().cloned().chain([Selector::Field(number as u32)]).collect();
                    open.push((path, field.ty, offset + field.offset_bits, field.bit_width));
                }
            }
            Type::Opaque => {}
        }
    }
    found
}

/// Checks what all variables hold now; how many were checked against a range.
fn look(interpreter: &Interpreter<'_>, places: &[Vec<(Place, u64, u64)>], ranges: &Ranges, text: &str) -> usize {
    let program = interpreter.program;
    let mut checked = 0;
    for (object, _) in interpreter.state.memory.objects() {
        let Some(variable) = object.variable() else { continue };
        for (place, offset_bits, width_bits) in &places[variable.index()] {
            let Some(values) = ranges.of_place(program, place) else { continue };
            let extent = Extent { object, offset_bits: *offset_bits, width_bits: *width_bits };
            let ty = program.types.as_scalar(place.ty).expect("a scalar");
            let number = match interpreter.state.memory.peek(extent, ty) {
                Some(Value::Int(number)) => number,
                Some(Value::Bool(truth)) => BigInt::from(u8::from(truth)),
                _ => continue,
            };
            checked += 1;
            let name = &program.variables[variable].name;
            assert!(values.contains_big(&number), "{name} is {number}, not in {values}\n{text}");
        }
    }
    checked
}

fn check(style: Style, programs: u64) {
    let (mut checked, mut small, mut all) = (0, 0, 0);
    for_many(style, programs, 4, &mut |subject: &Subject, integers, seeds| {
        let program = &subject.program;
        let observed = subject.observed();
        let liveness = Liveness::new(program, &observed);
        let initialised = Initialised::new(program, &observed, &liveness);
        let domains = Domains::new(program, &subject.expressions(), integers);
        let free = Ranges::new(program, integers, &liveness, &initialised, None);
        let chosen = Ranges::new(program, integers, &liveness, &initialised, Some(&domains));
        let mut scratch = program.clone();
        let places: Vec<_> = program.variables.ids().map(|variable| parts(&mut scratch, variable)).collect();
        for variable in program.variables.ids() {
            all += usize::from(free.of(program, variable).is_some());
            small += usize::from(free.of(program, variable).is_some_and(|values| values.explicit().is_some()));
        }
        for &seed in seeds {
            drive(subject, integers, ObserveMode::Statement, 150, &mut seeded(seed), &mut |interpreter, _| {
                checked += look(interpreter, &places, &free, &subject.text);
            });
            let mut answers = seeded(seed);
            let mut number = seed as usize;
            let mut representative = |source: Source, question: &Question| {
                let listed = match source {
                    Source::Edge(edge) => domains.of(edge).ok(),
                    Source::Variable(variable) => domains.of_uninitialised(variable).ok(),
                    Source::Other => None,
                };
                number += 7;
                match listed {
                    Some(listed) => Answer::Value(Value::Int(listed[number % listed.len()].clone())),
                    None => answers(source, question),
                }
            };
            drive(subject, integers, ObserveMode::Statement, 150, &mut representative, &mut |interpreter, _| {
                checked += look(interpreter, &places, &chosen, &subject.text);
            });
        }
    });
    assert!(checked > 10_000, "{checked} values were checked");
    assert!(small > all / 20, "{small} of {all} ranges are small");
}

#[test]
fn no_value_is_outside_its_range() {
    check(Style::Sequential, 20);
}

#[test]
fn also_with_threads() {
    check(Style::Threads, 10);
}
