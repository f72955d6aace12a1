//! Memory: objects with lifetimes, and reading and writing them at a type.
//!
//! When the lifetime of an object ends, all pointers to it become [`Pointer::Dangling`] (C11 6.2.4p2). The number of an
//! object's address is fixed when something first asks for it, by first fit, so that it depends on nothing else.
//!
//! Under machine integers memory is bits, little end first: any cell can be read at any type. Under ideal integers a
//! cell can be read only at its own kind and width, since an unbounded integer has no bits to take apart; zeros can be
//! read at any type. Choosing what is not chosen yet is the caller's matter.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{Hash, Hasher};

use foundation::Id;
use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use crate::cfa::FunctionId;
use crate::model::VariableId;
use crate::semantics::arithmetic::wrap;
use crate::semantics::config::Integers;
use crate::semantics::light::Light;
use crate::semantics::object::{Content, Object, ObjectCell};
use crate::semantics::stop::{Stop, UndefinedBehaviour};
use crate::semantics::value::{ObjectId, Pointer, Value};
use crate::types::{DataModel, FloatType, IntType, Scalar};

/// Some bits of an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Extent {
    /// The object.
    pub object: ObjectId,
    /// Where they begin.
    pub offset_bits: u64,
    /// How many they are.
    pub width_bits: u64,
}

impl Extent {
    /// The bit after the last one.
    pub fn end(self) -> u64 {
        self.offset_bits + self.width_bits
    }
}

/// What reading found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Read {
    /// A value.
    Value(Value),
    /// These bits, as offset and width, must be chosen first.
    Unchosen(Vec<(u64, u64)>),
}

/// The objects of a state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Memory {
    /// The objects of globals and literals, in ascending order. Most accesses are to these.
    globals: Vec<(VariableId, Object)>,
    /// All other objects.
    others: BTreeMap<ObjectId, Object>,
    integers: Integers,
    pointer_bits: u16,
    functions: u64,
    changes: Changes,
}

/// How often memory may have changed. It is no part of what memory is: equal contents are equal.
#[derive(Clone, Copy, Debug, Default)]
struct Changes(u64);

impl PartialEq for Changes {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Changes {}

impl Hash for Changes {
    fn hash<H: Hasher>(&self, _: &mut H) {}
}

const FIRST_FUNCTION: u64 = 0x1000;
const FUNCTION_STRIDE: u64 = 16;
const ALIGNMENT: u64 = 16;

impl Memory {
    /// Memory without objects, for a program with so many functions.
    pub fn new(integers: Integers, data_model: DataModel, functions: usize) -> Self {
        let pointer_bits = data_model.pointer_bits();
        let (globals, others, functions) = (Vec::new(), BTreeMap::new(), functions as u64);
        Self { globals, others, integers, pointer_bits, functions, changes: Changes::default() }
    }

    /// A number that is another one after each change, in the life of one memory.
    pub fn changes(&self) -> u64 {
        self.changes.0
    }

    /// Begins the lifetime of an object.
    pub fn create(&mut self, id: ObjectId, object: Object) {
        self.changes.0 += 1;
        let ObjectId::Global(variable) = id else {
            self.others.insert(id, object);
            return;
        };
        match self.position(variable) {
            Ok(at) => self.globals[at].1 = object,
            Err(at) => self.globals.insert(at, (variable, object)),
        }
    }

    /// The smallest unused name of a heap object.
    pub fn unused_heap(&self) -> ObjectId {
        let mut number = 0;
        for id in self.others.range(ObjectId::Heap(0)..).map(|(id, _)| *id) {
            if id != ObjectId::Heap(number) {
                break;
            }
            number += 1;
        }
        ObjectId::Heap(number)
    }

    /// An object, if it lives.
    #[inline]
    pub fn object(&self, id: ObjectId) -> Option<&Object> {
        match id {
            ObjectId::Global(variable) => self.position(variable).ok().map(|at| &self.globals[at].1),
            _ => self.others.get(&id),
        }
    }

    /// All live objects.
    pub fn objects(&self) -> impl Iterator<Item = (ObjectId, &Object)> {
        let globals = self.globals.iter().map(|(variable, object)| (ObjectId::Global(*variable), object));
        globals.chain(self.others.iter().map(|(&id, object)| (id, object)))
    }

    /// Follows a later state of the same memory, in which these extents were written since. Pointers to what has died
    /// since are not made dangling.
    pub fn follow(&mut self, later: &Memory, written: &BTreeSet<Extent>) {
        let dead: BTreeSet<ObjectId> = self.others.keys().filter(|id| later.object(**id).is_none()).copied().collect();
        self.remove(&dead);
        for extent in written {
            let Some(now) = later.object(extent.object) else { continue };
            match self.object_mut(extent.object) {
                Some(object) if object.size == now.size => object.copy_cells(now, extent.offset_bits, extent.end()),
                _ => self.create(extent.object, now.clone()),
            }
        }
    }

    /// Ends the lifetimes of objects, without looking for pointers to them.
    pub fn remove(&mut self, dead: &BTreeSet<ObjectId>) {
        self.changes.0 += 1;
        for id in dead {
            match *id {
                ObjectId::Global(variable) => {
                    let _ = self.position(variable).map(|at| self.globals.remove(at));
                }
                _ => {
                    self.others.remove(id);
                }
            }
        }
    }

    /// Makes all pointers to objects dangling.
    pub fn sweep(&mut self, dead: &BTreeSet<ObjectId>) {
        self.changes.0 += 1;
        let globals = self.globals.iter_mut().map(|(_, object)| object);
        for value in globals.chain(self.others.values_mut()).flat_map(Object::values_mut) {
            sweep_value(value, dead);
        }
    }

    /// The scalar that lies in an extent as one cell of this type, if one does: what [`Memory::read`] yields then.
    #[inline]
    pub fn held(&self, extent: Extent, ty: Scalar) -> Option<Light> {
        let cell = self.object(extent.object)?.cell_at(extent.offset_bits)?;
        match &cell.content {
            _ if cell.width != extent.width_bits => None,
            Content::Zero => Some(Light::zero(ty)),
            Content::Scalar(stored, value) if *stored == ty => Some(Light::of(value)),
            _ => None,
        }
    }

    /// Reads a scalar. The extent must lie in its object.
    pub fn read(&mut self, extent: Extent, ty: Scalar) -> Result<Read, Stop> {
        let Extent { object: id, offset_bits: start, width_bits } = extent;
        let object = self.object(id).ok_or(UndefinedBehaviour::DanglingAccess)?;
        if let Some(cell) = object.cell_at(start).filter(|cell| cell.width == width_bits)
            && let Some(value) = self.read_cell(cell, ty)
        {
            return Ok(Read::Value(value));
        }
        let pieces: Vec<(u64, ObjectCell)> =
            object.overlapping(start, extent.end()).map(|(offset, cell)| (offset, cell.clone())).collect();
        let gaps = object.gaps(start, extent.end());
        if gaps.is_empty() && pieces.iter().all(|(_, cell)| cell.content == Content::Zero) {
            return Ok(Read::Value(Value::zero(ty)));
        }
        if pieces.is_empty() {
            return Ok(Read::Unchosen(gaps));
        }
        if self.integers == Integers::Ideal {
            return Err(Stop::unsupported("reads memory at another type under ideal integers"));
        }
        if !gaps.is_empty() {
            return Ok(Read::Unchosen(gaps));
        }
        let mut bits = BigInt::zero();
        for (offset, cell) in pieces {
            let all = self.bits_of(&cell)?.ok_or(UndefinedBehaviour::DanglingUsed)?;
            if offset >= start { bits |= all << (offset - start) } else { bits |= all >> (start - offset) }
        }
        let bits = wrap(&bits, unsigned(width_bits));
        self.value_of_bits(bits, width_bits, ty).map(Read::Value)
    }

    /// Reads a scalar without changing anything; none where something must be chosen first, where an address has no
    /// number yet, and where it cannot be read.
    pub fn peek(&self, extent: Extent, ty: Scalar) -> Option<Value> {
        let Extent { object, offset_bits: start, width_bits } = extent;
        let object = self.object(object)?;
        if let Some(cell) = object.cell_at(start).filter(|cell| cell.width == width_bits)
            && let Some(value) = self.read_cell(cell, ty)
        {
            return Some(value);
        }
        if !object.gaps(start, extent.end()).is_empty() {
            return None;
        }
        let mut pieces = object.overlapping(start, extent.end());
        if pieces.all(|(_, cell)| cell.content == Content::Zero) {
            return Some(Value::zero(ty));
        }
        if self.integers == Integers::Ideal {
            return None;
        }
        let mut bits = BigInt::zero();
        for (offset, cell) in object.overlapping(start, extent.end()) {
            let all = self.known_bits(cell)?;
            if offset >= start { bits |= all << (offset - start) } else { bits |= all >> (start - offset) }
        }
        self.value_of_bits(wrap(&bits, unsigned(width_bits)), width_bits, ty).ok()
    }

    /// Writes a scalar: one cell. The extent must lie in its object.
    pub fn write(&mut self, extent: Extent, ty: Scalar, value: Value) -> Result<(), Stop> {
        let content = Content::Scalar(ty, value);
        let cell = self.object_mut(extent.object).and_then(|object| object.cell_at_mut(extent.offset_bits));
        if let Some(cell) = cell.filter(|cell| cell.width == extent.width_bits) {
            cell.content = content;
            return Ok(());
        }
        self.put(extent, vec![(0, ObjectCell { width: extent.width_bits, content })])
    }

    /// Makes an extent hold these cells, at offsets from its beginning, and elsewhere what is not chosen yet.
    pub fn put(&mut self, extent: Extent, cells: Vec<(u64, ObjectCell)>) -> Result<(), Stop> {
        if extent.width_bits == 0 {
            return Ok(());
        }
        self.split(extent.object, extent.offset_bits)?;
        self.split(extent.object, extent.end())?;
        let object = self.object_mut(extent.object).ok_or(UndefinedBehaviour::DanglingAccess)?;
        object.clear(extent.offset_bits, extent.end());
        for (offset, cell) in cells {
            object.insert(extent.offset_bits + offset, cell);
        }
        Ok(())
    }

    /// The cells of an extent, cut at its borders, at offsets from its beginning. Bits not chosen yet are left out.
    pub fn take(&mut self, extent: Extent) -> Result<Vec<(u64, ObjectCell)>, Stop> {
        let object = self.object(extent.object).ok_or(UndefinedBehaviour::DanglingAccess)?;
        let overlapping: Vec<(u64, ObjectCell)> =
            object.overlapping(extent.offset_bits, extent.end()).map(|(offset, cell)| (offset, cell.clone())).collect();
        let mut taken = Vec::new();
        for (offset, cell) in overlapping {
            let from = extent.offset_bits.max(offset);
            let to = extent.end().min(offset + cell.width);
            if let Some(part) = self.part(&cell, from - offset, to - from)? {
                taken.push((from - extent.offset_bits, part));
            }
        }
        Ok(taken)
    }

    /// An object that is to be changed, if it lives.
    fn object_mut(&mut self, id: ObjectId) -> Option<&mut Object> {
        self.changes.0 += 1;
        match id {
            ObjectId::Global(variable) => self.position(variable).ok().map(|at| &mut self.globals[at].1),
            _ => self.others.get_mut(&id),
        }
    }

    /// Where the object of a global is, or would be. Programs that declare their globals first number them without
    /// gaps, so that it is worth a guess.
    #[inline]
    fn position(&self, variable: VariableId) -> Result<usize, usize> {
        match self.globals.get(variable.index()) {
            Some((guessed, _)) if *guessed == variable => Ok(variable.index()),
            _ => self.globals.binary_search_by_key(&variable, |(other, _)| *other),
        }
    }

    /// The number of the address of an object's part or of a function.
    pub fn number_of(&mut self, pointer: Pointer) -> Result<u64, Stop> {
        if let Pointer::Object { object, .. } = pointer {
            self.object_number(object)?;
        }
        self.known_number(pointer).ok_or(UndefinedBehaviour::DanglingUsed.into())
    }

    /// The number of an address, where it is fixed already; none for a dangling one.
    fn known_number(&self, pointer: Pointer) -> Option<u64> {
        match pointer {
            Pointer::Null => Some(0),
            Pointer::Register(number) | Pointer::Invalid(number) => Some(number),
            Pointer::Dangling => None,
            Pointer::Function(function) => Some(FIRST_FUNCTION + FUNCTION_STRIDE * function.index() as u64),
            Pointer::Object { object, offset } => {
                let number = BigInt::from(self.object(object)?.number?) + offset;
                Some(wrap(&number, IntType::unsigned(self.pointer_bits)).to_u64().expect("of a pointer's width"))
            }
        }
    }

    /// The address with a number: of the object that lies there or ends there, of a function, or of nothing.
    pub fn pointer_at(&self, number: u64) -> Pointer {
        if number == 0 {
            return Pointer::Null;
        }
        let after_functions = FIRST_FUNCTION + FUNCTION_STRIDE * self.functions;
        if (FIRST_FUNCTION..after_functions).contains(&number) && number.is_multiple_of(FUNCTION_STRIDE) {
            let index = (number - FIRST_FUNCTION) / FUNCTION_STRIDE;
            return Pointer::Function(FunctionId::from_index(index as usize));
        }
        for (object, contents) in self.objects() {
            if let Some(start) = contents.number.filter(|&start| start <= number && number <= start + contents.size) {
                return Pointer::Object { object, offset: (number - start) as i64 };
            }
        }
        Pointer::Invalid(number)
    }

    /// A number for the address of an object: the first multiple of the alignment in its region from which on it, and
    /// the byte after it, collide with no other object.
    fn object_number(&mut self, id: ObjectId) -> Result<u64, Stop> {
        let object = self.object(id).ok_or(UndefinedBehaviour::DanglingUsed)?;
        if let Some(number) = object.number {
            return Ok(number);
        }
        let size = object.size;
        let mut taken: Vec<(u64, u64)> =
            self.objects().filter_map(|(_, object)| Some((object.number?, object.size))).collect();
        taken.sort_unstable();
        let mut number: u64 = match id {
            ObjectId::Global(_) => 0x1000_0000,
            ObjectId::Heap(_) => 0x4000_0000,
            ObjectId::Local { .. } => 0x8000_0000,
        };
        for (other, other_size) in taken {
            if number <= other + other_size && other <= number + size {
                number = (other + other_size + 1).next_multiple_of(ALIGNMENT);
            }
        }
        if self.pointer_bits < 64 && number + size >= 1 << self.pointer_bits {
            return Err(Stop::unsupported("objects do not fit the address space"));
        }
        self.object_mut(id).expect("it lives").number = Some(number);
        Ok(number)
    }

    /// Sees to it that no cell has bits on both sides of an offset.
    fn split(&mut self, id: ObjectId, at: u64) -> Result<(), Stop> {
        let object = self.object(id).ok_or(UndefinedBehaviour::DanglingAccess)?;
        let straddling = object.overlapping(at, at + 1).next().filter(|&(offset, _)| offset < at);
        let Some((offset, cell)) = straddling.map(|(offset, cell)| (offset, cell.clone())) else { return Ok(()) };
        let left = self.part(&cell, 0, at - offset)?;
        let right = self.part(&cell, at - offset, offset + cell.width - at)?;
        let object = self.object_mut(id).expect("it lives");
        object.clear(offset, offset + cell.width);
        for (offset, part) in [(offset, left), (at, right)] {
            if let Some(part) = part {
                object.insert_split(offset, part);
            }
        }
        Ok(())
    }

    /// Some bits of a cell as a cell; none where they are arbitrary, as those of a dangling pointer are.
    fn part(&mut self, cell: &ObjectCell, from: u64, width: u64) -> Result<Option<ObjectCell>, Stop> {
        let content = match &cell.content {
            _ if width == cell.width => cell.content.clone(),
            Content::Zero => Content::Zero,
            Content::Unreadable => Content::Unreadable,
            Content::Scalar(..) if self.integers == Integers::Ideal => Content::Unreadable,
            Content::Scalar(..) => match self.bits_of(cell)? {
                None => return Ok(None),
                Some(bits) => {
                    let part = unsigned(width);
                    Content::Scalar(Scalar::Int(part), Value::Int(wrap(&(bits >> from), part)))
                }
            },
        };
        Ok(Some(ObjectCell { width, content }))
    }

    /// The value of a cell that has the width which is read, if it can be read without looking at its bits.
    fn read_cell(&self, cell: &ObjectCell, ty: Scalar) -> Option<Value> {
        match (&cell.content, ty) {
            (Content::Zero, _) => Some(Value::zero(ty)),
            (Content::Scalar(stored, value), _) if *stored == ty => Some(value.clone()),
            (Content::Scalar(_, Value::Int(value)), Scalar::Int(ty)) => Some(Value::Int(match self.integers {
                Integers::Machine => wrap(value, IntType { bits: unsigned(cell.width).bits, signed: ty.signed }),
                Integers::Ideal => value.clone(),
            })),
            _ => None,
        }
    }

    /// The bits of a cell as a number that is not negative; none for a dangling pointer, which has no bits any more.
    fn bits_of(&mut self, cell: &ObjectCell) -> Result<Option<BigInt>, Stop> {
        if let Content::Scalar(_, Value::Pointer(Pointer::Object { object, .. })) = &cell.content {
            self.object_number(*object)?;
        }
        Ok(self.known_bits(cell))
    }

    /// The same, and none for an address whose number is not fixed yet.
    fn known_bits(&self, cell: &ObjectCell) -> Option<BigInt> {
        let Content::Scalar(ty, value) = &cell.content else { return Some(BigInt::zero()) };
        Some(match value {
            Value::Bool(value) => BigInt::from(u8::from(*value)),
            Value::Int(value) => wrap(value, unsigned(cell.width)),
            Value::Float(bits) if *ty == Scalar::Float(FloatType::F32) => BigInt::from(narrow_bits(*bits)),
            Value::Float(bits) => BigInt::from(*bits),
            Value::Pointer(pointer) => BigInt::from(self.known_number(*pointer)?),
        })
    }

    fn value_of_bits(&self, bits: BigInt, width: u64, ty: Scalar) -> Result<Value, Stop> {
        let word = || bits.to_u64().expect("at most 64 bits");
        Ok(match ty {
            Scalar::Bool => Value::Bool(!bits.is_zero()),
            Scalar::Int(ty) => Value::Int(wrap(&bits, IntType { bits: unsigned(width).bits, signed: ty.signed })),
            Scalar::Float(FloatType::F32) => Value::Float(widen_bits(word() as u32)),
            Scalar::Float(FloatType::F64) => Value::Float(word()),
            Scalar::Pointer => Value::Pointer(self.pointer_at(word())),
        })
    }
}

/// Makes a value dangling if it points to one of these objects.
pub fn sweep_value(value: &mut Value, dead: &BTreeSet<ObjectId>) {
    if let Value::Pointer(Pointer::Object { object, .. }) = value
        && dead.contains(object)
    {
        *value = Value::Pointer(Pointer::Dangling);
    }
}

fn unsigned(width: u64) -> IntType {
    IntType::unsigned(u16::try_from(width).expect("the width of a scalar"))
}

const SINGLE_EXPONENT: u32 = 0x7f80_0000;
const DOUBLE_EXPONENT: u64 = 0x7ff0_0000_0000_0000;

/// The bits of a single as a double's. Unlike the conversion by the processor this keeps the payload of a NaN, quiet or
/// not, so that bits that are only copied do not change.
fn widen_bits(bits: u32) -> u64 {
    let single = f32::from_bits(bits);
    if !single.is_nan() {
        return f64::from(single).to_bits();
    }
    let sign = u64::from(bits >> 31) << 63;
    sign | DOUBLE_EXPONENT | u64::from(bits & !(1 << 31) & !SINGLE_EXPONENT) << 29
}

fn narrow_bits(bits: u64) -> u32 {
    let double = f64::from_bits(bits);
    if !double.is_nan() {
        return (double as f32).to_bits();
    }
    let payload = ((bits >> 29) as u32) & !SINGLE_EXPONENT & !(1 << 31);
    // A NaN whose payload lies in the lower bits only must not become an infinity.
    ((bits >> 63) as u32) << 31 | SINGLE_EXPONENT | if payload == 0 { 1 << 22 } else { payload }
}
