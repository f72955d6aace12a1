//! The state at the start: what static initialisation leaves, as the interpreter finds it.

use analysis::points_to::Pointee;
use foundation::collections::HashSet;
use logic::Term;
use num_bigint::BigInt;
use program::semantics::interpreter::Interpreter;
use program::semantics::memory::Extent;
use program::semantics::value::Pointer;
use program::semantics::{ObjectId, SeededChoices, Value};
use program::{Initial, Scalar, VariableId, VariableKind};
use task::Reason;

use super::edge::{AskedValue, Contents, Exit, Passage};
use super::memory::MemoryCell;
use super::step::Transition;
use super::vocabulary::{Shape, Vocabulary};

/// Arrays of more elements than this are not encoded.
const LONGEST_ARRAY_ELEMENTS: u64 = 1 << 10;

/// The step that leads from anything to the states in which the program may start, over all variables that have a
/// symbol by now.
pub fn encode(vocabulary: &Vocabulary<'_>) -> Result<Passage, Reason> {
    let (terms, program) = (vocabulary.terms, vocabulary.program());
    let mut choices = SeededChoices::new(0);
    let mut interpreter = Interpreter::new(program, vocabulary.prepared.semantics, &mut choices);
    let started = program.entry.map(|entry| interpreter.start(entry));
    if !matches!(started, Some(Ok(()))) {
        return Err(Reason::Incomplete("the program cannot be started".to_owned()));
    }
    let mut step = Transition::skip(terms);
    let (mut asked, mut contents) = (Vec::new(), Vec::new());
    let mut guards: Vec<Term> = Vec::new();
    let start = vocabulary.prepared.start();
    // The state at the start is observed too, before any edge is taken.
    let mut looked_at = HashSet::default();
    for atom in vocabulary.prepared.atoms_at(start).iter().flatten() {
        analysis::expressions::variables_read(program, atom.value, &mut |variable| _ = looked_at.insert(variable));
    }
    let value_at = |variable: VariableId, offset_bits: u64, scalar: Scalar| {
        let width_bits = program.types.scalar_bits(scalar);
        let extent = Extent { object: ObjectId::Global(variable), offset_bits, width_bits };
        match interpreter.state.memory.peek(extent, scalar)? {
            Value::Int(value) => Some(terms.integer(value)),
            Value::Bool(value) => Some(terms.truth(value)),
            Value::Pointer(pointer) => address(vocabulary, pointer).map(|number| terms.integer(number)),
            Value::Float(_) => None,
        }
    };
    let unknown = |variable: VariableId| {
        let data = &program.variables[variable];
        Reason::unsupported(format!("`{}`, whose value at the start is not known", data.name), Some(data.span))
    };
    for (variable, symbol) in vocabulary.named() {
        let data = &program.variables[variable];
        let shape = vocabulary.shape(variable, data.span)?;
        let element =
            |index: u64, scalar: Scalar| value_at(variable, index * program.types.scalar_bits(scalar), scalar);
        let unknown = || unknown(variable);
        match (&data.kind, shape) {
            (VariableKind::Global { initial: Initial::Arbitrary, .. }, Shape::Scalar(scalar)) => {
                let (input, range) = vocabulary.arbitrary(&data.name, scalar);
                guards.push(range);
                step.updates.insert(symbol, terms.variable(input));
                step.inputs.insert(input);
                asked.push(AskedValue { symbol: input, scalar, uninitialised: Some(variable) });
            }
            (VariableKind::Global { .. } | VariableKind::Literal { .. }, Shape::Scalar(scalar)) => {
                step.updates.insert(symbol, element(0, scalar).ok_or_else(unknown)?);
            }
            (VariableKind::Global { .. } | VariableKind::Literal { .. }, Shape::Array { element: scalar, length }) => {
                if length > LONGEST_ARRAY_ELEMENTS {
                    let what = format!("`{}`, an array of {length} elements", data.name);
                    return Err(Reason::unsupported(what, Some(data.span)));
                }
                // Outside its bounds an array is never read, so that its symbol may hold anything there.
                let contents = terms.symbol(&data.name, terms.sort_of_symbol(symbol));
                for index in 0..length {
                    let value = element(index, scalar).ok_or_else(unknown)?;
                    let scale = vocabulary.scale(variable, scalar);
                    let read = terms.select(terms.variable(contents), terms.integer(index * scale));
                    guards.push(terms.equal(read, value));
                }
                step.updates.insert(symbol, terms.variable(contents));
                step.inputs.insert(contents);
            }
            (_, Shape::Scalar(scalar)) => {
                let matters = vocabulary.is_live(start, variable) || looked_at.contains(&variable);
                if matters && !vocabulary.is_set_before_read(variable) {
                    let (input, range) = vocabulary.arbitrary(&data.name, scalar);
                    guards.push(range);
                    step.updates.insert(symbol, terms.variable(input));
                    step.inputs.insert(input);
                    asked.push(AskedValue { symbol: input, scalar, uninitialised: Some(variable) });
                }
            }
            // It holds anything.
            (_, Shape::Array { .. }) => {}
        }
    }
    for (object, cell, symbol) in vocabulary.cells() {
        let Some(layout) = vocabulary.memory.layout(object) else { continue };
        let variable = match object {
            Pointee::Heap(_) => {
                if cell == MemoryCell::Alive {
                    step.updates.insert(symbol, terms.truth(false));
                }
                continue;
            }
            Pointee::Variable(variable) => variable,
        };
        let is_given = match &program.variables[variable].kind {
            VariableKind::Global { initial, .. } => *initial != Initial::Arbitrary,
            VariableKind::Literal { .. } => true,
            _ => false,
        };
        match cell {
            MemoryCell::One(offset) => {
                let scalar = layout.slots[&offset].scalar;
                let value = if is_given {
                    value_at(variable, offset * 8, scalar).ok_or_else(|| unknown(variable))?
                } else {
                    let (input, range) = vocabulary.arbitrary(&terms.name(symbol), scalar);
                    guards.push(range);
                    step.inputs.insert(input);
                    contents.push(Contents { object, cell, symbol: input, stride: 1 });
                    terms.variable(input)
                };
                step.updates.insert(symbol, value);
            }
            MemoryCell::Many(scalar) if is_given => {
                let contents = terms.symbol(&terms.name(symbol), terms.sort_of_symbol(symbol));
                for offset in layout.offsets(cell) {
                    let value = value_at(variable, offset * 8, scalar).ok_or_else(|| unknown(variable))?;
                    let read = terms.select(terms.variable(contents), terms.integer(offset));
                    guards.push(terms.equal(read, value));
                }
                step.updates.insert(symbol, terms.variable(contents));
                step.inputs.insert(contents);
            }
            MemoryCell::Many(_) | MemoryCell::Alive => {}
        }
    }
    step.guard = terms.and(guards);
    Ok(Passage { step, exit: Exit::Passes, asked, contents })
}

/// The number of an address at the start: see [`expression`](super::expression).
fn address(vocabulary: &Vocabulary<'_>, pointer: Pointer) -> Option<BigInt> {
    match pointer {
        Pointer::Null => Some(BigInt::from(0)),
        Pointer::Register(number) | Pointer::Invalid(number) => Some(BigInt::from(number)),
        Pointer::Object { object: ObjectId::Global(variable), offset } => {
            Some(vocabulary.memory.base(Pointee::Variable(variable)) + offset)
        }
        _ => None,
    }
}
