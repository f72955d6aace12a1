//! The interpreter: a state, the source of choices, and reading and writing places in memory.
//!
//! What an edge does is in [`step`](super::step), calls are in [`call`](super::call), threads in
//! [`threads`](super::threads). Nothing here knows which states are observed.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use foundation::Span;
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use crate::cfa::{EdgeId, FunctionId, InputSource, Operand};
use crate::expr::Place;
use crate::model::{Initial, Program, VariableId, VariableKind};
use crate::semantics::arithmetic::{fits, wrap};
use crate::semantics::choices::{Answer, Choices, Question};
use crate::semantics::config::{Integers, Semantics};
use crate::semantics::describe::{qualified_name_of, type_text, value_text};
use crate::semantics::evaluate::{Environment, TargetBits, convert, evaluate, resolve};
use crate::semantics::event::Event;
use crate::semantics::layout::{Leaf, leaves, type_of_width};
use crate::semantics::light::Light;
use crate::semantics::memory::{Extent, Read, sweep_value};
use crate::semantics::object::{Content, ObjectCell};
use crate::semantics::state::{State, object_in};
use crate::semantics::stop::{Stop, UndefinedBehaviour};
use crate::semantics::value::{ObjectId, Pointer, Value};
use crate::types::{FloatType, IntType, Scalar, TypeId};

/// A program that runs.
pub struct Interpreter<'a> {
    /// The program.
    pub program: &'a Program,
    /// What it means.
    pub semantics: Semantics,
    /// Its state.
    pub state: State,
    /// What happened since somebody last took these away.
    pub events: Vec<Event>,
    /// How many choices were made.
    pub choices_made: u64,
    /// The thread that runs, or ran last.
    pub running: u32,
    /// The edge that is taken, or was taken last.
    pub edge: Option<EdgeId>,
    /// Whether reads are among what is noted as having happened. They are many, and not everybody wants to know them.
    pub notes_reads: bool,
    /// Whether variables are looked up as atoms do and not as the running activation does.
    pub(super) for_atoms: bool,
    choices: &'a mut dyn Choices,
    /// The functions that a number may be the address of, once somebody has asked.
    pointed_to: OnceCell<Vec<FunctionId>>,
}

/// What is written, passed or returned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Contents {
    /// A scalar of a type.
    Scalar(Scalar, Value),
    /// The cells of an array or record, and how many bits it has.
    Cells(Vec<(u64, ObjectCell)>, u64),
}

impl Contents {
    /// Makes pointers to objects dangling.
    pub fn sweep(&mut self, dead: &BTreeSet<ObjectId>) {
        match self {
            Contents::Scalar(_, value) => sweep_value(value, dead),
            Contents::Cells(cells, _) => {
                for (_, cell) in cells {
                    if let Content::Scalar(_, value) = &mut cell.content {
                        sweep_value(value, dead);
                    }
                }
            }
        }
    }
}

/// What an access reaches.
enum ReachedMemory {
    Memory(Extent),
    Register(u64),
}

/// Numbers below this are what the null pointer becomes when an offset is added to it.
const NULL_PAGE_BYTES: u64 = 4096;

/// Larger offsets in bytes are not looked at as such in bits.
const LARGEST_OFFSET_BYTES: i64 = 1 << 56;

impl<'a> Interpreter<'a> {
    /// A program whose globals exist but are not initialised yet, and which has no thread.
    pub fn new(program: &'a Program, semantics: Semantics, choices: &'a mut dyn Choices) -> Self {
        let state = State::before_initialisation(program, semantics.integers);
        Self {
            program,
            semantics,
            state,
            events: Vec::new(),
            choices_made: 0,
            running: 0,
            edge: None,
            notes_reads: true,
            for_atoms: false,
            choices,
            pointed_to: OnceCell::new(),
        }
    }

    /// Gives the globals their initial values.
    pub fn initialise(&mut self) -> Result<(), Stop> {
        let program = self.program;
        for (id, variable) in program.variables.iter() {
            let (VariableKind::Global { initial, .. } | VariableKind::Literal { initial }) = &variable.kind else {
                continue;
            };
            let Initial::Values(items) = initial else { continue };
            for item in items {
                let value = evaluate(self, item.value)?;
                let (offset_bits, width_bits) = (item.offset_bits, item.width_bits);
                let extent = Extent { object: ObjectId::Global(id), offset_bits, width_bits };
                self.write(extent, program.exprs.ty(item.value), value)?;
            }
        }
        self.events.clear();
        Ok(())
    }

    /// The contents of an operand.
    pub fn evaluate_operand(&mut self, operand: &Operand) -> Result<Contents, Stop> {
        match operand {
            Operand::Scalar(expr) => Ok(Contents::Scalar(self.program.exprs.ty(*expr), evaluate(self, *expr)?)),
            Operand::Aggregate(place) => {
                let target = resolve(self, place)?;
                match self.reach(&target)? {
                    ReachedMemory::Register(_) => {
                        Err(Stop::unsupported("reads an aggregate through a constant address"))
                    }
                    ReachedMemory::Memory(extent) => {
                        self.note_read(extent);
                        if self.has_gaps(extent) {
                            self.choose_parts(extent, leaves(&self.program.types, place.ty)?, &uninitialised)?;
                        }
                        Ok(Contents::Cells(self.state.memory.take(extent)?, extent.width_bits))
                    }
                }
            }
        }
    }

    /// Writes contents to a target. Writes to device registers are ignored.
    pub fn store(&mut self, target: &TargetBits, contents: Contents) -> Result<(), Stop> {
        let Some(extent) = self.writable(target)? else { return Ok(()) };
        match contents {
            Contents::Scalar(ty, value) => self.write(extent, ty, value),
            Contents::Cells(cells, width_bits) => {
                debug_assert_eq!(width_bits, extent.width_bits, "an aggregate is written to one of its type");
                self.events.push(Event::Write(extent));
                self.state.memory.put(extent, cells)
            }
        }
    }

    /// Writes a scalar to a variable, converted to its type.
    pub fn store_variable(&mut self, variable: VariableId, value: Value) -> Result<(), Stop> {
        let ty = self.program.types.as_scalar(self.program.variables[variable].ty).expect("a scalar variable");
        let value = convert(self, value, ty)?;
        let target = self.whole(variable)?;
        self.store(&target, Contents::Scalar(ty, value))
    }

    /// Makes a variable hold what is not chosen yet.
    pub fn forget_variable(&mut self, variable: VariableId) -> Result<(), Stop> {
        let target = self.whole(variable)?;
        let Some(extent) = self.writable(&target)? else { return Ok(()) };
        self.events.push(Event::Write(extent));
        self.state.memory.put(extent, Vec::new())
    }

    /// Writes inputs to all parts of a place.
    pub fn input(&mut self, place: &Place, source: &InputSource) -> Result<(), Stop> {
        let target = resolve(self, place)?;
        let Some(extent) = self.writable(&target)? else { return Ok(()) };
        self.input_extent(extent, place.ty, source)
    }

    /// Writes inputs to all parts of an extent of this type.
    pub fn input_extent(&mut self, extent: Extent, ty: TypeId, source: &InputSource) -> Result<(), Stop> {
        self.events.push(Event::Write(extent));
        self.state.memory.put(extent, Vec::new())?;
        let parts = match self.program.types.as_scalar(ty) {
            Some(scalar) => vec![Leaf { offset_bits: 0, width_bits: extent.width_bits, scalar }],
            None => leaves(&self.program.types, ty)?,
        };
        self.choose_parts(extent, parts, &|_, _, ty| Question::Input { source: source.clone(), ty })
    }

    /// The target that is a whole variable.
    pub fn whole(&mut self, variable: VariableId) -> Result<TargetBits, Stop> {
        resolve(self, &Place::variable(variable, self.program.variables[variable].ty))
    }

    /// The bytes at an address, which must lie in one object; none for device registers.
    pub fn bytes_at(&mut self, pointer: Pointer, count: u64) -> Result<Option<Extent>, Stop> {
        let target = TargetBits { pointer, bit: 0, width_bits: count * 8, out_of_bounds: false };
        Ok(match self.reach(&target)? {
            ReachedMemory::Memory(extent) => Some(extent),
            ReachedMemory::Register(_) => None,
        })
    }

    /// The same, for writing.
    pub fn writable_bytes_at(&mut self, pointer: Pointer, count: u64) -> Result<Option<Extent>, Stop> {
        self.writable(&TargetBits { pointer, bit: 0, width_bits: count * 8, out_of_bounds: false })
    }

    /// Chooses what an extent holds where it is not chosen yet: at the types of the object's scalars where the object
    /// is a variable, else by bytes. Padding stays as it is, since no copy of it can be relied on (C11 6.2.6.1p6).
    pub fn choose_extent(&mut self, extent: Extent) -> Result<(), Stop> {
        let object = self.state.memory.object(extent.object).ok_or(UndefinedBehaviour::DanglingAccess)?;
        let gaps = object.gaps(extent.offset_bits, extent.end());
        if gaps.is_empty() {
            return Ok(());
        }
        if let Some(variable) = extent.object.variable() {
            let whole = Extent { offset_bits: 0, width_bits: object.size * 8, ..extent };
            let mut parts = leaves(&self.program.types, self.program.variables[variable].ty)?;
            parts.retain(|leaf| {
                leaf.offset_bits < extent.end() && extent.offset_bits < leaf.offset_bits + leaf.width_bits
            });
            return self.choose_parts(whole, parts, &uninitialised);
        }
        let bytes = gaps.into_iter().flat_map(|(offset, width)| {
            (0..width.div_ceil(8)).map(move |byte| Leaf {
                offset_bits: offset + byte * 8 - extent.offset_bits,
                width_bits: (width - byte * 8).min(8),
                scalar: Scalar::Int(IntType::unsigned(8)),
            })
        });
        self.choose_parts(extent, bytes.collect(), &uninitialised)
    }

    /// Asks a question whose answer is an index.
    pub fn ask_index(&mut self, question: &Question, alternatives: usize) -> Result<usize, Stop> {
        match self.ask(question)? {
            Answer::Index(index) if index < alternatives => Ok(index),
            other => Err(Stop::UnfitChoice(format!("{other:?} is not one of {alternatives} alternatives"))),
        }
    }

    /// Asks a question whose answer is a value of a type.
    pub fn ask_value(&mut self, question: &Question, ty: Scalar) -> Result<Value, Stop> {
        let Answer::Value(value) = self.ask(question)? else {
            return Err(Stop::UnfitChoice(format!("the answer for `{}` is not a value", question.name())));
        };
        let one = || BigInt::from(1);
        let fitting = match (&value, ty) {
            (Value::Bool(_), Scalar::Bool) | (Value::Float(_), Scalar::Float(FloatType::F64)) => Some(value.clone()),
            (Value::Int(number), Scalar::Bool) if number.is_zero() || *number == one() => {
                Some(Value::Bool(!number.is_zero()))
            }
            (Value::Int(number), Scalar::Int(ty)) if fits(number, ty) => Some(value.clone()),
            (Value::Int(_), Scalar::Float(_)) | (Value::Float(_), Scalar::Float(FloatType::F32)) => {
                Some(convert(self, value.clone(), ty)?)
            }
            (Value::Pointer(_), Scalar::Pointer) => Some(value.clone()),
            (Value::Int(number), Scalar::Pointer) if fits(number, self.program.types.pointer_int(false)) => {
                // What comes from outside is the address of nothing in the program.
                let number = number.to_u64().expect("of a pointer's width");
                Some(Value::Pointer(if number == 0 { Pointer::Null } else { Pointer::Invalid(number) }))
            }
            _ => None,
        };
        fitting.ok_or_else(|| {
            let text = value_text(self.program, &value);
            Stop::UnfitChoice(format!("`{text}` does not fit `{}`, which is {}", question.name(), type_text(ty)))
        })
    }

    /// Where the last answer was written, if it was written by somebody.
    pub fn answer_written(&self) -> Option<Span> {
        self.choices.written()
    }

    /// Whether some bits of an extent are not chosen yet.
    fn has_gaps(&self, extent: Extent) -> bool {
        let object = self.state.memory.object(extent.object);
        object.is_some_and(|object| !object.gaps(extent.offset_bits, extent.end()).is_empty())
    }

    fn ask(&mut self, question: &Question) -> Result<Answer, Stop> {
        self.choices_made += 1;
        match self.choices.choose(question) {
            Answer::Exhausted => Err(Stop::NoMoreChoices),
            Answer::Unfit(reason) => Err(Stop::UnfitChoice(reason)),
            answer => Ok(answer),
        }
    }

    /// Chooses those bits of the parts of an extent that are not chosen yet.
    pub(super) fn choose_parts(
        &mut self,
        extent: Extent,
        parts: Vec<Leaf>,
        question: &dyn Fn(&Self, Extent, Scalar) -> Question,
    ) -> Result<(), Stop> {
        for leaf in parts {
            let start = extent.offset_bits + leaf.offset_bits;
            let object = self.state.memory.object(extent.object).ok_or(UndefinedBehaviour::DanglingAccess)?;
            let gaps = object.gaps(start, start + leaf.width_bits);
            if gaps == [(start, leaf.width_bits)] {
                self.choose_part(
                    Extent { offset_bits: start, width_bits: leaf.width_bits, ..extent },
                    leaf.scalar,
                    question,
                )?;
            } else if self.semantics.integers == Integers::Machine {
                for (offset_bits, width_bits) in gaps {
                    let bits = Scalar::Int(IntType::unsigned(width_bits as u16));
                    self.choose_part(Extent { offset_bits, width_bits, ..extent }, bits, question)?;
                }
            }
        }
        Ok(())
    }

    fn choose_part(
        &mut self,
        part: Extent,
        scalar: Scalar,
        question: &dyn Fn(&Self, Extent, Scalar) -> Question,
    ) -> Result<(), Stop> {
        let bits = self.program.types.scalar_bits(scalar);
        // Part of a pointer or floating-point number, where only that part lies in what is chosen.
        let whole = matches!(scalar, Scalar::Int(_) | Scalar::Bool) || part.width_bits == bits;
        let scalar = if whole { scalar } else { Scalar::Int(IntType::unsigned(part.width_bits as u16)) };
        let ty = type_of_width(scalar, part.width_bits);
        let asked = question(self, part, ty);
        let value = self.ask_value(&asked, ty)?;
        self.state.memory.write(part, scalar, value)
    }

    /// Notes that memory was read.
    #[inline]
    pub(super) fn note_read(&mut self, extent: Extent) {
        if self.notes_reads {
            self.events.push(Event::Read(extent));
        }
    }

    fn read(&mut self, extent: Extent, ty: Scalar) -> Result<Value, Stop> {
        self.note_read(extent);
        loop {
            match self.state.memory.read(extent, ty)? {
                Read::Value(value) => return Ok(value),
                Read::Unchosen(_) => {
                    let whole = Leaf { offset_bits: 0, width_bits: extent.width_bits, scalar: ty };
                    self.choose_parts(extent, vec![whole], &uninitialised)?;
                }
            }
        }
    }

    /// Writes a scalar, cut to the width of the extent if that is a machine's bit-field.
    fn write(&mut self, extent: Extent, ty: Scalar, value: Value) -> Result<(), Stop> {
        let value = match (value, type_of_width(ty, extent.width_bits)) {
            (Value::Int(value), Scalar::Int(narrow))
                if self.semantics.integers == Integers::Machine && !fits(&value, narrow) =>
            {
                Value::Int(wrap(&value, narrow))
            }
            (value, _) => value,
        };
        self.events.push(Event::Write(extent));
        self.state.memory.write(extent, ty, value)
    }

    /// The extent that is to be written; none for device registers.
    fn writable(&mut self, target: &TargetBits) -> Result<Option<Extent>, Stop> {
        let ReachedMemory::Memory(extent) = self.reach(target)? else { return Ok(None) };
        let kind = extent.object.variable().map(|variable| &self.program.variables[variable].kind);
        if matches!(kind, Some(VariableKind::Literal { .. })) && extent.width_bits > 0 {
            return Err(UndefinedBehaviour::LiteralWritten.into());
        }
        Ok(Some(extent))
    }

    /// What an access to a target reaches.
    fn reach(&self, target: &TargetBits) -> Result<ReachedMemory, Stop> {
        let undefined = |kind: UndefinedBehaviour| Err(Stop::Undefined(kind));
        let (object, offset) = match target.pointer {
            Pointer::Object { object, offset } => (object, offset),
            Pointer::Register(address) => return Ok(ReachedMemory::Register(address)),
            Pointer::Null => return undefined(UndefinedBehaviour::NullAccess),
            Pointer::Invalid(number) if number < NULL_PAGE_BYTES => return undefined(UndefinedBehaviour::NullAccess),
            Pointer::Invalid(_) => return undefined(UndefinedBehaviour::InvalidAccess),
            Pointer::Dangling => return undefined(UndefinedBehaviour::DanglingAccess),
            Pointer::Function(_) => return undefined(UndefinedBehaviour::FunctionAccess),
        };
        let Some(contents) = self.state.memory.object(object) else {
            return undefined(UndefinedBehaviour::DanglingAccess);
        };
        let start = i128::from(offset) * 8 + i128::from(target.bit);
        let end = start + i128::from(target.width_bits);
        if target.out_of_bounds || start < 0 || end > i128::from(contents.size) * 8 {
            return undefined(UndefinedBehaviour::OutOfBounds);
        }
        Ok(ReachedMemory::Memory(Extent { object, offset_bits: start as u64, width_bits: target.width_bits }))
    }
}

/// The question for a part that is not initialised.
fn uninitialised(interpreter: &Interpreter<'_>, part: Extent, ty: Scalar) -> Question {
    Question::Uninitialised { part, what: qualified_name_of(interpreter.program, part), ty }
}

impl<'a> Environment<'a> for Interpreter<'a> {
    fn program(&self) -> &'a Program {
        self.program
    }

    fn integers(&self) -> Integers {
        self.semantics.integers
    }

    #[inline]
    fn object_of(&mut self, variable: VariableId) -> Result<ObjectId, Stop> {
        let Some(owner) = self.program.owner(variable) else { return Ok(ObjectId::Global(variable)) };
        let (thread, depth) = if self.for_atoms {
            self.activation_for_atoms(owner).ok_or(UndefinedBehaviour::DanglingAccess)?
        } else {
            let innermost = self.state.innermost(self.running).map(|(depth, _)| depth);
            (self.running, innermost.ok_or(UndefinedBehaviour::DanglingAccess)?)
        };
        Ok(object_in(self.program, variable, thread, depth))
    }

    fn load(&mut self, target: &TargetBits, ty: Scalar) -> Result<Value, Stop> {
        match self.reach(target)? {
            ReachedMemory::Memory(extent) => self.read(extent, ty),
            ReachedMemory::Register(address) => {
                let ty = type_of_width(ty, target.width_bits);
                self.ask_value(&Question::Register { address, ty }, ty)
            }
        }
    }

    fn load_light(&mut self, target: &TargetBits, ty: Scalar) -> Result<Light, Stop> {
        // Where a cell lies in a target exactly, the target lies in the object.
        if let Pointer::Object { object, offset: offset @ 0..=LARGEST_OFFSET_BYTES } = target.pointer
            && !target.out_of_bounds
        {
            let offset_bits = offset as u64 * 8 + u64::from(target.bit);
            let extent = Extent { object, offset_bits, width_bits: target.width_bits };
            if let Some(value) = self.state.memory.held(extent, ty) {
                self.note_read(extent);
                return Ok(value);
            }
        }
        self.load(target, ty).map(Light::from)
    }

    fn load_variable(&mut self, variable: VariableId, place: &Place, ty: Scalar) -> Result<Light, Stop> {
        let object = self.object_of(variable)?;
        let extent = Extent { object, offset_bits: 0, width_bits: self.program.types.size_bits(place.ty) };
        if let Some(value) = self.state.memory.held(extent, ty) {
            self.note_read(extent);
            return Ok(value);
        }
        let target = resolve(self, place)?;
        self.load(&target, ty).map(Light::from)
    }

    fn number_of(&mut self, pointer: Pointer) -> Result<u64, Stop> {
        self.state.memory.number_of(pointer)
    }

    fn pointer_at(&mut self, number: u64) -> Result<Pointer, Stop> {
        Ok(match self.state.memory.pointer_at(number) {
            Pointer::Function(function) => {
                let pointed_to = self.pointed_to.get_or_init(|| self.program.functions_pointed_to());
                if pointed_to.contains(&function) { Pointer::Function(function) } else { Pointer::Invalid(number) }
            }
            pointer => pointer,
        })
    }

    fn overflowed(&mut self) {
        self.events.push(Event::Overflow);
    }
}
