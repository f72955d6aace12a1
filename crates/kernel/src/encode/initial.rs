//! Where the program starts: what the interpreter finds after static initialisation.

use num_bigint::BigInt;
use program::semantics::interpreter::Interpreter;
use program::semantics::layout::type_of_width;
use program::semantics::memory::Extent;
use program::semantics::value::Pointer;
use program::semantics::{ObjectId, SeededChoices, Value};
use program::{Scalar, Type, TypeId, VariableId};

use super::evaluation::Evaluation;
use super::memory::Updates;
use super::now::{LiveHeap, Now};
use super::number::Number;
use super::{CellName, Encoding, Exit, ObjectName, Transition};

/// The elements of longer arrays are arbitrary at the start.
const MOST_ELEMENTS: usize = 1 << 12;

impl Encoding<'_> {
    /// The step from anything to the states in which the program may start.
    pub fn initial(&self) -> Transition {
        let (terms, program, root) = (self.terms, self.program(), self.prepared.root());
        let mut choices = SeededChoices::new(0);
        let mut interpreter = Interpreter::new(program, self.prepared.semantics, &mut choices);
        let span = program.functions[root].span;
        let is_known = interpreter.start(root).is_ok();
        if !is_known {
            self.note("the state at the start", span);
        }
        let now = Now { interpreter: &interpreter, heap: &LiveHeap::new() };
        let mut evaluation = Evaluation::new(self, self.prepared.start(), span);
        let mut updates = Updates::new();
        for tracked in &self.cells {
            let name = terms.name(tracked.symbol);
            let term = match tracked.cell {
                CellName::Alive(_) => terms.truth(false),
                CellName::One { object: ObjectName::Heap(_), scalar, .. } => evaluation.anything(scalar).value.term,
                CellName::Many { object: ObjectName::Heap(_), .. } => evaluation.any_array(tracked.symbol),
                CellName::One { scalar, .. } if !is_known => evaluation.anything(scalar).value.term,
                CellName::Many { .. } if !is_known => evaluation.any_array(tracked.symbol),
                CellName::One { object: ObjectName::Variable(variable), offset, scalar } => {
                    let object = ObjectId::of_variable(program, variable);
                    match self.value_now(&now, &mut evaluation, object, offset, scalar) {
                        InitialContent::Value(value) => value.term,
                        InitialContent::Unchosen => evaluation.at_first(&name, variable, offset, scalar).term,
                        InitialContent::Nothing => evaluation.anything(scalar).value.term,
                    }
                }
                CellName::Many { object: ObjectName::Variable(variable), scalar, unit } => {
                    let mut elements = Vec::new();
                    for &position in tracked.positions.iter().take(MOST_ELEMENTS) {
                        let object = ObjectId::of_variable(program, variable);
                        let found = self.value_now(&now, &mut evaluation, object, position * 8, scalar);
                        if let InitialContent::Value(value) = found {
                            elements.push((position / unit, value.term));
                        }
                    }
                    if tracked.positions.len() > MOST_ELEMENTS {
                        self.note("the start of a long array", program.variables[variable].span);
                    }
                    evaluation.array_of(&name, terms.sort_of_symbol(tracked.symbol), elements)
                }
            };
            updates.insert(tracked.symbol, term);
        }
        let passages = evaluation.finish(terms.truth(false), updates, Exit::Passes);
        passages.into_iter().next().map_or_else(|| Transition::skip(terms), |passage| passage.step)
    }

    pub(super) fn value_now(
        &self,
        now: &Now<'_, '_>,
        evaluation: &mut Evaluation<'_, '_>,
        object: ObjectId,
        offset_bits: u64,
        scalar: Scalar,
    ) -> InitialContent {
        let width_bits = self.bits(scalar);
        let memory = &now.interpreter.state.memory;
        let Some(contents) = memory.object(object) else { return InitialContent::Nothing };
        if contents.gaps(offset_bits, offset_bits + width_bits) == [(offset_bits, width_bits)] {
            return InitialContent::Unchosen;
        }
        let terms = self.terms;
        match memory.peek(Extent { object, offset_bits, width_bits }, scalar) {
            Some(Value::Int(value)) => InitialContent::Value(Number::constant(terms, value)),
            Some(Value::Bool(value)) => InitialContent::Value(Number::unbounded(terms.truth(value))),
            Some(Value::Pointer(pointer)) => match self.number_now(pointer, now) {
                Some(number) => InitialContent::Value(Number::constant(terms, number)),
                None => InitialContent::Value(Number::unbounded(evaluation.somewhere_beyond())),
            },
            Some(Value::Float(_)) | None => InitialContent::Nothing,
        }
    }

    /// The number of an address; none for an object without a declared one.
    fn number_now(&self, pointer: Pointer, now: &Now<'_, '_>) -> Option<BigInt> {
        match pointer {
            Pointer::Object { object, offset } => {
                let allocated =
                    || now.heap.iter().find(|(_, id)| **id == object).map(|(edge, _)| ObjectName::Heap(*edge));
                let name = object.variable().map(ObjectName::Variable).or_else(allocated)?;
                Some(self.base(name)? + offset)
            }
            Pointer::Null => Some(BigInt::from(0)),
            Pointer::Register(number) | Pointer::Invalid(number) => Some(number.into()),
            Pointer::Function(_) => {
                let number = now.interpreter.state.memory.clone().number_of(pointer).ok()?;
                Some(number.into())
            }
            Pointer::Dangling => None,
        }
    }
}

/// What a cell holds at the start.
pub(super) enum InitialContent {
    Value(Number),
    /// It is not chosen yet.
    Unchosen,
    /// It cannot be read.
    Nothing,
}

impl Evaluation<'_, '_> {
    /// What a part of a variable holds when its lifetime begins. Where integers are ideal, it may be asked for at another
    /// signedness, if it can be read in more than one way.
    pub(super) fn at_first(&mut self, name: &str, variable: VariableId, offset: u64, scalar: Scalar) -> Number {
        let program = self.program();
        let data = &program.variables[variable];
        let is_plain = !data.address_taken && scalar_at(&program.types, data.ty, offset) == Some(scalar);
        if is_plain { self.input(name, scalar) } else { self.unchosen(name, scalar) }
    }
}

/// The only scalar of a type at an offset; none where there is a union.
pub(super) fn scalar_at(types: &program::Types, mut ty: TypeId, mut offset: u64) -> Option<Scalar> {
    loop {
        match types.get(ty) {
            Type::Scalar(scalar) => return (offset == 0).then_some(*scalar),
            Type::Array { element, .. } => {
                offset = offset.checked_rem(types.size_bits(*element))?;
                ty = *element;
            }
            Type::Record(record) if !record.is_union => {
                let field = record.fields.iter().rev().find(|field| field.offset_bits <= offset)?;
                offset -= field.offset_bits;
                if let Some(width) = field.bit_width {
                    let scalar = types.as_scalar(field.ty).filter(|_| offset == 0)?;
                    return Some(type_of_width(scalar, u64::from(width)));
                }
                ty = field.ty;
            }
            _ => return None,
        }
    }
}
