//! Memory as symbols: which objects pointers reach, where their addresses lie, and of which cells they are made.
//!
//! An object is made of scalars at byte offsets, its *slots*. A slot outside of arrays is a cell of its own; all slots of
//! one type inside of arrays are one array in logic, whose index is the offset in bytes, so that an address needs no
//! division to become an index. The slots of a variable are those of its type; a heap object has those at which it is
//! accessed. Unions and bit-fields have none: their parts overlap.
//!
//! Addresses are numbers: those of objects are negative and so far apart that no offset leads from one to another, null
//! is 0, and numbers that are no object's address are positive.

use std::collections::{BTreeMap, BTreeSet};

use analysis::PointsTo;
use analysis::points_to::{Offsets, Pointee, Targets};
use foundation::Id;
use foundation::collections::{HashMap, HashSet};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive};
use program::passes::Prepared;
use program::semantics::Integers;
use program::{
    Constant, EdgeId, ExprId, ExprKind, Op, Place, Program, Root, Scalar, Type, TypeId, VariableId, VariableKind,
};

/// Objects of more scalars than this are not encoded.
const MOST_SLOTS: usize = 1 << 10;

/// Objects of more bytes than this are not encoded.
const LARGEST_OBJECT_BYTES: u64 = 1 << 16;

/// The bases of two objects differ by at least two to this power.
const APART_BITS: u32 = 66;

/// A scalar in an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScalarSlot {
    /// Its type.
    pub scalar: Scalar,
    /// Whether it is one of many in an array.
    pub many: bool,
}

/// Of which scalars an object is made.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ObjectLayout {
    /// Its size in bytes.
    pub size: u64,
    /// The scalars, by their offset in bytes.
    pub slots: BTreeMap<u64, ScalarSlot>,
}

/// What one symbol stands for in an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum MemoryCell {
    /// The scalar at an offset.
    One(u64),
    /// All scalars of a type inside of arrays.
    Many(Scalar),
    /// Whether a heap object lives.
    Alive,
}

impl ObjectLayout {
    /// The cells, with the type of their scalars.
    pub fn cells(&self) -> BTreeMap<MemoryCell, Scalar> {
        self.slots.iter().map(|(&offset, slot)| (slot.cell(offset), slot.scalar)).collect()
    }

    /// The offsets of the slots of a cell.
    pub fn offsets(&self, cell: MemoryCell) -> impl Iterator<Item = u64> + '_ {
        self.slots.iter().filter(move |(offset, slot)| slot.cell(**offset) == cell).map(|(&offset, _)| offset)
    }
}

impl ScalarSlot {
    /// The cell that a slot at an offset belongs to.
    pub fn cell(self, offset: u64) -> MemoryCell {
        if self.many { MemoryCell::Many(self.scalar) } else { MemoryCell::One(offset) }
    }
}

/// The objects of a program.
pub struct SymbolicMemory {
    points_to: PointsTo,
    layouts: HashMap<Pointee, ObjectLayout>,
    /// The variables that are accessed through a pointer.
    reached: HashSet<VariableId>,
    freed: HashSet<Pointee>,
    has_arithmetic: bool,
    variables: usize,
    pointer_bits: u16,
}

impl SymbolicMemory {
    /// The objects of a program.
    pub fn new(prepared: &Prepared, is_definite: &dyn Fn(VariableId) -> bool) -> Self {
        let program = &prepared.program;
        let wraps = prepared.semantics.integers == Integers::Machine;
        let points_to = PointsTo::new(program, wraps, is_definite);
        let mut memory = Self {
            points_to,
            layouts: HashMap::default(),
            reached: HashSet::default(),
            freed: HashSet::default(),
            has_arithmetic: false,
            variables: program.variables.len(),
            pointer_bits: program.types.pointer_int(false).bits,
        };
        for (id, variable) in program.variables.iter() {
            if let Some(layout) = layout_of(program, variable.ty) {
                memory.layouts.insert(Pointee::Variable(id), layout);
            }
        }
        let accesses = PointerAccesses::of(prepared);
        memory.has_arithmetic = accesses.has_arithmetic;
        let mut on_heap: BTreeMap<Pointee, Vec<(Offsets, TypeId)>> = BTreeMap::new();
        for place in &accesses.places {
            for (object, offsets) in memory.points_to.of_place(program, place).objects {
                match object {
                    Pointee::Variable(variable) => _ = memory.reached.insert(variable),
                    Pointee::Heap(_) => {
                        on_heap.entry(object).or_default().extend(offsets.into_iter().map(|at| (at, place.ty)));
                    }
                }
            }
        }
        for (edge, data) in program.edges.iter() {
            match &data.op {
                Op::Allocate { size, .. } => {
                    let object = Pointee::Heap(edge);
                    let accesses = on_heap.remove(&object).unwrap_or_default();
                    let layout = size_of(program, *size).and_then(|size| heap_layout(program, size, &accesses));
                    if let Some(layout) = layout.filter(|_| !is_on_cycle(program, edge)) {
                        memory.layouts.insert(object, layout);
                    }
                }
                Op::Free(address) => memory.freed.extend(memory.points_to.of(*address).objects.keys()),
                _ => {}
            }
        }
        memory
    }

    /// Where pointers lead.
    pub fn points_to(&self) -> &PointsTo {
        &self.points_to
    }

    /// Of which scalars an object is made, unless its parts cannot be told apart.
    pub fn layout(&self, object: Pointee) -> Option<&ObjectLayout> {
        self.layouts.get(&object)
    }

    /// Whether a variable is accessed through a pointer.
    pub fn is_reached(&self, variable: VariableId) -> bool {
        self.reached.contains(&variable)
    }

    /// Whether a heap object may be freed.
    pub fn is_freed(&self, object: Pointee) -> bool {
        self.freed.contains(&object)
    }

    /// The number of an object's address. Where addresses are only compared, they need not be far apart.
    pub fn base(&self, object: Pointee) -> BigInt {
        let number = match object {
            Pointee::Variable(variable) => variable.index(),
            Pointee::Heap(edge) => self.variables + edge.index(),
        };
        -BigInt::from(number + 1) << APART_BITS
    }

    /// The smallest and largest numbers of addresses that are counted from an object's beginning.
    pub fn reach(&self, object: Pointee) -> (BigInt, BigInt) {
        let half = BigInt::one() << (self.pointer_bits - 1);
        let base = self.base(object);
        if self.has_arithmetic { (&base - &half, base + half - 1) } else { (base.clone(), base) }
    }

    /// Addresses that are moved by at most this from an address of one object lead to no other.
    pub fn small_move(&self) -> BigInt {
        BigInt::one() << (self.pointer_bits - 2)
    }

    /// Whether everything that a pointer holds is an exact offset that is small, or no object's address.
    pub fn is_exact(targets: &Targets) -> bool {
        let small = |offsets: &Offsets| offsets.modulus == 0 && offsets.remainder.unsigned_abs() < 1 << 24;
        targets.objects.values().flatten().all(small)
    }
}

/// The offsets at which something of a width may lie in an object.
pub fn positions(layout: &ObjectLayout, offsets: &[Offsets], width: u64) -> BTreeSet<u64> {
    let Some(last) = layout.size.checked_sub(width) else { return BTreeSet::new() };
    let mut found = BTreeSet::new();
    for offsets in offsets {
        if offsets.modulus == 0 {
            found.extend(u64::try_from(offsets.remainder).ok().filter(|&at| at <= last));
        } else if let Ok(first) = usize::try_from(offsets.remainder) {
            let step = usize::try_from(offsets.modulus).unwrap_or(usize::MAX);
            found.extend((first as u64..=last).step_by(step));
        }
    }
    found
}

/// Of which scalars an object of a type is made.
pub fn layout_of(program: &Program, ty: TypeId) -> Option<ObjectLayout> {
    let size = program.types.size_bits(ty);
    if size == 0 || !size.is_multiple_of(8) || size / 8 > LARGEST_OBJECT_BYTES {
        return None;
    }
    let mut layout = ObjectLayout { size: size / 8, slots: BTreeMap::new() };
    collect(program, ty, 0, false, &mut layout.slots).then_some(layout)
}

fn collect(program: &Program, ty: TypeId, offset: u64, many: bool, slots: &mut BTreeMap<u64, ScalarSlot>) -> bool {
    match program.types.get(ty) {
        Type::Scalar(Scalar::Float(_)) | Type::Opaque => false,
        Type::Scalar(scalar) => {
            slots.insert(offset, ScalarSlot { scalar: *scalar, many });
            slots.len() <= MOST_SLOTS
        }
        Type::Array { element, length } => {
            let stride = program.types.size_bits(*element) / 8;
            stride > 0 && (0..*length).all(|index| collect(program, *element, offset + index * stride, true, slots))
        }
        Type::Record(record) => {
            !record.is_union
                && (record.fields.iter()).all(|field| {
                    field.bit_width.is_none() && collect(program, field.ty, offset + field.offset_bits / 8, many, slots)
                })
        }
    }
}

/// The scalars of a heap object: those at which it is accessed, if no two of them overlap.
fn heap_layout(program: &Program, size: u64, accesses: &[(Offsets, TypeId)]) -> Option<ObjectLayout> {
    if size > LARGEST_OBJECT_BYTES {
        return None;
    }
    let mut layout = ObjectLayout { size, slots: BTreeMap::new() };
    for &(offsets, ty) in accesses {
        let part = layout_of(program, ty)?;
        for position in positions(&layout, &[offsets], part.size) {
            for (&offset, &ScalarSlot { scalar, many }) in &part.slots {
                let slot = ScalarSlot { scalar, many: many || offsets.modulus != 0 };
                let known = layout.slots.entry(position + offset).or_insert(slot);
                if known.scalar != slot.scalar {
                    return None;
                }
                known.many |= slot.many;
                if layout.slots.len() > MOST_SLOTS {
                    return None;
                }
            }
        }
    }
    let ends = layout.slots.iter().map(|(&at, slot)| at + program.types.scalar_bits(slot.scalar) / 8);
    let overlaps = ends.zip(layout.slots.keys().skip(1)).any(|(end, &next)| end > next);
    (!overlaps).then_some(layout)
}

fn size_of(program: &Program, size: ExprId) -> Option<u64> {
    match &program.exprs.get(size).kind {
        ExprKind::Constant(Constant::Int(size)) => size.to_u64(),
        _ => None,
    }
}

/// Whether an edge can be taken more than once.
fn is_on_cycle(program: &Program, edge: EdgeId) -> bool {
    let mut seen = HashSet::default();
    let mut open = vec![program.edges[edge].to];
    while let Some(location) = open.pop() {
        if location == program.edges[edge].from {
            return true;
        }
        if seen.insert(location) {
            open.extend(program.locations[location].out.iter().map(|&edge| program.edges[edge].to));
        }
    }
    false
}

/// Where memory is accessed through pointers.
#[derive(Default)]
struct PointerAccesses {
    places: Vec<Place>,
    has_arithmetic: bool,
}

impl PointerAccesses {
    fn of(prepared: &Prepared) -> Self {
        let program = &prepared.program;
        let mut found = Self::default();
        let mut open: Vec<ExprId> = prepared.atoms.expressions().collect();
        for variable in program.variables.values() {
            if let VariableKind::Global { initial: program::Initial::Values(items), .. } = &variable.kind {
                open.extend(items.iter().map(|item| item.value));
            }
        }
        for edge in program.edges.values() {
            open.extend(edge.op.expressions());
            found.places.extend(edge.op.places().filter(|place| is_pointed(place)).cloned());
            found.has_arithmetic |= matches!(edge.op, Op::Allocate { .. } | Op::Free(_));
        }
        for expr in program.exprs.below(open) {
            match &program.exprs.get(expr).kind {
                ExprKind::Load(place) if is_pointed(place) => found.places.push(place.clone()),
                ExprKind::AddressOf(place) => found.has_arithmetic |= !place.path.is_empty() || is_pointed(place),
                ExprKind::PointerAdd { .. } | ExprKind::PointerDifference { .. } => found.has_arithmetic = true,
                _ => {}
            }
        }
        found.has_arithmetic |= !found.places.is_empty();
        found
    }
}

fn is_pointed(place: &Place) -> bool {
    matches!(place.root, Root::Pointer { .. })
}
