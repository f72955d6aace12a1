//! A dead variable may be overwritten at any time, and nothing that follows changes.

use std::collections::BTreeSet;

use analysis::Liveness;
use program::semantics::interpreter::Interpreter;
use program::semantics::layout::{leaves, type_of_width};
use program::semantics::memory::Extent;
use program::semantics::object::Object;
use program::semantics::{ObjectId, ObserveMode, Pointer, Value};
use program::{IntType, LocationId, Scalar, VariableId, VariableKind};

use crate::driver::{drive, seeded};
use crate::generator::Style;
use crate::subject::{Subject, for_many};

/// Overwrites all parts of the objects of dead variables, as far as the running thread sees them; how many.
fn overwrite_dead(interpreter: &mut Interpreter<'_>, liveness: &Liveness, location: LocationId, salt: u64) -> usize {
    let program = interpreter.program;
    let (depth, _) = interpreter.state.innermost(interpreter.running).expect("an activation");
    let live = liveness.at(location);
    let running = interpreter.running;
    let is_dead = |object: &ObjectId| {
        let own = match object {
            ObjectId::Global(variable) => Some(*variable),
            ObjectId::Local { thread, depth: at, variable } => {
                (*thread == running && *at == depth).then_some(*variable)
            }
            ObjectId::Heap(_) => None,
        };
        let written = |id: &VariableId| !matches!(program.variables[*id].kind, VariableKind::Literal { .. });
        own.filter(written).filter(|variable| !live.contains(*variable)).is_some()
    };
    let dead: BTreeSet<ObjectId> = interpreter.state.memory.objects().map(|(id, _)| id).filter(is_dead).collect();
    for &object in &dead {
        let variable = object.variable().expect("an object of a variable");
        let ty = program.variables[variable].ty;
        // Parts of unions overlap, so the object is made anew.
        interpreter.state.memory.create(object, Object::unchosen(program.types.size_bits(ty).div_ceil(8)));
        for (number, leaf) in leaves(&program.types, ty).expect("small").into_iter().enumerate() {
            let noise = (salt >> (number % 8)) % 5;
            let value = match type_of_width(leaf.scalar, leaf.width_bits) {
                Scalar::Bool => Value::Bool(noise % 2 == 1),
                Scalar::Int(IntType { bits: 1, signed: true }) => Value::int(-((noise % 2) as i64)),
                Scalar::Int(IntType { bits: 1..=2, .. }) => Value::int(noise % 2),
                Scalar::Int(_) => Value::int(noise),
                Scalar::Float(_) => Value::float(noise as f64),
                Scalar::Pointer => Value::Pointer(if noise == 0 { Pointer::Null } else { Pointer::Invalid(noise) }),
            };
            let extent = Extent { object, offset_bits: leaf.offset_bits, width_bits: leaf.width_bits };
            interpreter.state.memory.write(extent, leaf.scalar, value).expect("it lies in the object");
        }
    }
    dead.len()
}

fn check(style: Style, programs: u64) {
    let (mut overwritten, mut steps) = (0, 0);
    for_many(style, programs, 3, &mut |subject: &Subject, integers, seeds| {
        let liveness = Liveness::new(&subject.program, &subject.observed());
        for (number, &seed) in seeds.iter().enumerate() {
            let observe = [ObserveMode::Statement, ObserveMode::Change][number % 2];
            let run = |look: &mut dyn FnMut(&mut Interpreter<'_>, LocationId)| {
                drive(subject, integers, observe, 120, &mut seeded(seed), look)
            };
            let (plain, asked) = run(&mut |_, _| {});
            let mut salt = seed;
            let (disturbed, asked_too) = run(&mut |interpreter, location| {
                salt = salt.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                overwritten += overwrite_dead(interpreter, &liveness, location, salt >> 33);
            });
            steps += plain.edges.len();
            assert_eq!(disturbed, plain, "dead variables are read\n{}", subject.text);
            assert_eq!(asked, asked_too, "dead variables are asked for\n{}", subject.text);
        }
    });
    assert!(overwritten > steps / 4, "{overwritten} variables overwritten in {steps} steps");
}

#[test]
fn dead_variables_do_not_matter() {
    check(Style::Sequential, 25);
}

#[test]
fn also_with_threads() {
    check(Style::Threads, 12);
}
