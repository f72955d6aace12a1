//! Where pointers lead: for every expression and every object, the objects whose addresses it may hold, and at which
//! offsets (inclusion-based and insensitive to the order of steps: L. O. Andersen, "Program analysis and specialization
//! for the C programming language", 1994, chapter 4).
//!
//! Objects are variables and the places where heap objects are made. What an object holds is one set, whatever its
//! parts. Offsets are kept as congruences (P. Granger, 1989): finitely many exact ones, else `r + k·m`. An offset that
//! wraps around the address space keeps its remainder only by powers of two.
//!
//! It is for programs whose calls are inlined and that have no threads; what a call passes to a body is not followed.

use std::collections::{BTreeMap, BTreeSet};

use foundation::Id;
use foundation::collections::HashMap;
use num_traits::ToPrimitive;
use program::{
    Allocation, Constant, EdgeId, ExprId, ExprKind, Initial, Op, Operand, Place, Program, Root, Scalar, Selector, Type,
    TypeId, VariableId, VariableKind,
};

/// What an address may lie in.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Pointee {
    /// A variable.
    Variable(VariableId),
    /// The heap objects that an edge makes.
    Heap(EdgeId),
}

/// Offsets in bytes: one, or all with a remainder.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Offsets {
    /// What they may differ by multiples of; 0 for a single one.
    pub modulus: u64,
    /// The single one, or the remainder.
    pub remainder: i128,
}

impl Offsets {
    /// A single offset.
    pub fn exact(offset: i128) -> Self {
        Self { modulus: 0, remainder: offset }
    }

    fn new(modulus: u64, remainder: i128) -> Self {
        let remainder = if modulus == 0 { remainder } else { remainder.rem_euclid(i128::from(modulus)) };
        Self { modulus, remainder }
    }

    /// All of them, so many bytes further.
    fn shifted(self, bytes: i128) -> Self {
        match self.remainder.checked_add(bytes) {
            Some(moved) if moved.unsigned_abs() < 1 << 100 => Self::new(self.modulus, moved),
            _ => Self::new(1, 0),
        }
    }

    /// All of them, any multiple of a stride further.
    fn spread(self, stride: u64) -> Self {
        Self::new(gcd(self.modulus, stride), self.remainder)
    }

    fn join(self, other: Self) -> Self {
        let between = u64::try_from((self.remainder - other.remainder).unsigned_abs()).unwrap_or(1);
        Self::new(gcd(gcd(self.modulus, other.modulus), between), self.remainder)
    }

    /// Whether an offset is one of them.
    pub fn contains(self, offset: u64) -> bool {
        if self.modulus == 0 {
            return self.remainder == i128::from(offset);
        }
        (i128::from(offset) - self.remainder).rem_euclid(i128::from(self.modulus)) == 0
    }

    fn covers(self, other: Self) -> bool {
        self == other || self.modulus != 0 && self.join(other) == self
    }
}

fn gcd(mut one: u64, mut two: u64) -> u64 {
    while two != 0 {
        (one, two) = (two, one % two);
    }
    one
}

/// More single offsets in one object than this become a remainder.
const MOST_OFFSETS: usize = 6;

/// Where an address may lead.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Targets {
    /// Into these objects, at these offsets.
    pub objects: BTreeMap<Pointee, Vec<Offsets>>,
    /// Whether it may be null or a number that is no object's address.
    pub numbers: bool,
    /// Whether it may be the address of a device register or function.
    pub others: bool,
}

impl Targets {
    fn at(object: Pointee) -> Self {
        Self { objects: BTreeMap::from([(object, vec![Offsets::exact(0)])]), ..Self::default() }
    }

    fn number() -> Self {
        Self { numbers: true, ..Self::default() }
    }

    fn other() -> Self {
        Self { others: true, ..Self::default() }
    }

    fn mapped(&self, by: impl Fn(Offsets) -> Offsets) -> Self {
        let mut mapped = Self { numbers: self.numbers, others: self.others, ..Self::default() };
        for (&object, offsets) in &self.objects {
            for &offsets in offsets {
                mapped.insert(object, by(offsets), 1);
            }
        }
        mapped
    }

    /// `wrap` is what a remainder must divide to survive wrapping around the address space; 0 where nothing wraps.
    fn insert(&mut self, object: Pointee, offsets: Offsets, wrap: u64) -> bool {
        let known = self.objects.entry(object).or_default();
        if known.iter().any(|known| known.covers(offsets)) {
            return false;
        }
        known.retain(|known| !offsets.covers(*known));
        known.push(offsets);
        if known.len() > MOST_OFFSETS {
            let mut all = known.iter().copied().reduce(Offsets::join).expect("there are some");
            if wrap != 1 {
                all = all.spread(wrap);
            }
            *known = vec![all];
        }
        true
    }

    fn include(&mut self, other: &Targets, wrap: u64) -> bool {
        let mut grew = !self.numbers && other.numbers || !self.others && other.others;
        self.numbers |= other.numbers;
        self.others |= other.others;
        for (&object, offsets) in &other.objects {
            for &offsets in offsets {
                grew |= self.insert(object, offsets, wrap);
            }
        }
        grew
    }
}

/// Where the pointers of a program lead.
#[derive(Clone, Debug, Default)]
pub struct PointsTo {
    exprs: Vec<Targets>,
    contents: HashMap<Pointee, Targets>,
    wrap: u64,
}

impl PointsTo {
    /// The analysis of a program; `wraps` tells whether addresses wrap around, `is_definite` which variables are always
    /// set before they are read.
    pub fn new(program: &Program, wraps: bool, is_definite: &dyn Fn(VariableId) -> bool) -> Self {
        let wrap = match (wraps, program.types.pointer_int(false).bits) {
            (false, _) => 0,
            (true, bits) => 1u64 << (bits - 1).min(63),
        };
        let mut all = Self { exprs: vec![Targets::default(); program.exprs.len()], contents: HashMap::default(), wrap };
        let is_given = |variable: &program::Variable| {
            matches!(&variable.kind, VariableKind::Global { initial: Initial::Values(items), .. }
                if items.len() == 1 && program.types.as_scalar(variable.ty) == Some(Scalar::Pointer))
        };
        for (id, variable) in program.variables.iter() {
            let is_set = program.owner(id).is_some() && is_definite(id);
            let numbers = !is_set && !is_given(variable);
            all.contents.insert(Pointee::Variable(id), Targets { numbers, ..Targets::default() });
        }
        loop {
            all.evaluate(program);
            let mut grew = false;
            for (id, variable) in program.variables.iter() {
                if let VariableKind::Global { initial: Initial::Values(items), .. } = &variable.kind {
                    for item in items.iter().filter(|item| program.exprs.ty(item.value) == Scalar::Pointer) {
                        let held = all.exprs[item.value.index()].clone();
                        grew |= all.put(Pointee::Variable(id), &held);
                    }
                }
            }
            for edge in program.edges.ids() {
                grew |= all.follow(program, edge);
            }
            if !grew {
                return all;
            }
        }
    }

    /// Where an expression of pointer type may lead.
    pub fn of(&self, expr: ExprId) -> &Targets {
        &self.exprs[expr.index()]
    }

    /// What an object may hold in any part.
    pub fn contents(&self, object: Pointee) -> Option<&Targets> {
        self.contents.get(&object)
    }

    /// The objects that may hold the address of a part of an object.
    pub fn holders(&self, of: Pointee) -> impl Iterator<Item = Pointee> + '_ {
        self.contents.iter().filter(move |(_, held)| held.objects.contains_key(&of)).map(|(&holder, _)| holder)
    }

    /// Where a place may lie, when it is accessed: an offset that has wrapped lies in no object.
    pub fn of_place(&self, program: &Program, place: &Place) -> Targets {
        let (mut targets, mut ty) = match place.root {
            Root::Variable(variable) => (Targets::at(Pointee::Variable(variable)), program.variables[variable].ty),
            Root::Pointer { address, pointee } => (self.accessed(program, address), pointee),
        };
        for step in &place.path {
            match (step, program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) => {
                    let field = &record.fields[*number as usize];
                    let bytes = i128::from(field.offset_bits / 8);
                    targets = targets.mapped(|offsets| offsets.shifted(bytes));
                    ty = field.ty;
                }
                (Selector::Index(index), Type::Array { element, .. }) => {
                    targets = moved(program, &targets, *index, program.types.size_bits(*element) / 8);
                    ty = *element;
                }
                _ => return Targets::other(),
            }
        }
        targets
    }

    fn accessed(&self, program: &Program, address: ExprId) -> Targets {
        match program.exprs.get(address).kind {
            ExprKind::PointerAdd { base, index, stride } => moved(program, self.of(base), index, stride),
            _ => self.of(address).clone(),
        }
    }

    /// Operands come before what they are operands of.
    fn evaluate(&mut self, program: &Program) {
        for index in 0..program.exprs.len() {
            let expr = program.exprs.get(ExprId::from_index(index));
            if expr.ty != Scalar::Pointer {
                continue;
            }
            let wrapped = |targets: Targets| targets.mapped(|offsets| self.wrapped(offsets));
            let targets = match &expr.kind {
                ExprKind::Constant(Constant::Address(_)) | ExprKind::FunctionAddress(_) => Targets::other(),
                ExprKind::Constant(_) => Targets::number(),
                ExprKind::Load(place) => self.held_in(program, place),
                ExprKind::AddressOf(place) => wrapped(self.of_place(program, place)),
                ExprKind::If(_, then, otherwise) => {
                    let mut both = self.of(*then).clone();
                    both.include(self.of(*otherwise), self.wrap);
                    both
                }
                ExprKind::PointerAdd { base, index, stride } => {
                    wrapped(moved(program, self.of(*base), *index, *stride))
                }
                ExprKind::Cast(operand) if program.exprs.ty(*operand) == Scalar::Pointer => self.of(*operand).clone(),
                // A number is no address of an object unless one was made a number.
                _ => Targets::number(),
            };
            self.exprs[index] = targets;
        }
    }

    fn wrapped(&self, offsets: Offsets) -> Offsets {
        let is_small = offsets.modulus == 0 && offsets.remainder.unsigned_abs() < u128::from(self.wrap / 2);
        if is_small || self.wrap == 0 { offsets } else { offsets.spread(self.wrap) }
    }

    fn held_in(&self, program: &Program, place: &Place) -> Targets {
        let holders = self.of_place(program, place);
        let mut held = Targets { others: holders.others, ..Targets::default() };
        for object in holders.objects.keys() {
            if let Some(contents) = self.contents.get(object) {
                held.include(contents, self.wrap);
            }
        }
        held
    }

    fn put(&mut self, object: Pointee, held: &Targets) -> bool {
        let wrap = self.wrap;
        self.contents.entry(object).or_default().include(held, wrap)
    }

    fn put_into(&mut self, targets: &Targets, held: &Targets) -> bool {
        let mut grew = false;
        for &object in targets.objects.keys() {
            grew |= self.put(object, held);
        }
        grew
    }

    fn follow(&mut self, program: &Program, edge: EdgeId) -> bool {
        let has_pointers =
            |ty: TypeId| !matches!(program.types.as_scalar(ty), Some(scalar) if scalar != Scalar::Pointer);
        match &program.edges[edge].op {
            Op::Assign { target, value } if has_pointers(target.ty) => {
                let held = match value {
                    Operand::Scalar(value) => self.of(*value).clone(),
                    Operand::Aggregate(source) => self.held_in(program, source),
                };
                self.put_into(&self.of_place(program, target), &held)
            }
            Op::Input { target, .. } if has_pointers(target.ty) => {
                self.put_into(&self.of_place(program, target), &Targets::number())
            }
            Op::Call { result: Some(result), .. } => self.put(Pointee::Variable(*result), &Targets::number()),
            Op::Join { result, .. } => self.put(Pointee::Variable(*result), &Targets::other()),
            Op::Allocate { target, contents, .. } => {
                let heap = Pointee::Heap(edge);
                let mut address = Targets::at(heap);
                address.numbers = true;
                let mut grew = self.put(Pointee::Variable(*target), &address);
                grew |= self.put(heap, &Targets::number());
                if let Allocation::Resized(old) = contents {
                    for object in self.of(*old).objects.keys().copied().collect::<Vec<_>>() {
                        let held = self.contents.get(&object).cloned().unwrap_or_default();
                        grew |= self.put(heap, &held);
                    }
                }
                grew
            }
            Op::CopyBytes { target, source, .. } => {
                let mut grew = false;
                for object in self.of(*source).objects.keys().copied().collect::<Vec<_>>() {
                    let held = self.contents.get(&object).cloned().unwrap_or_default();
                    grew |= self.put_into(&self.of(*target).clone(), &held);
                }
                grew
            }
            Op::Havoc { address, .. } => {
                // Anything may be written to what is reached, directly or further on.
                let mut open: Vec<Pointee> = self.of(*address).objects.keys().copied().collect();
                let mut seen = BTreeSet::new();
                let mut grew = false;
                while let Some(object) = open.pop() {
                    if seen.insert(object) {
                        open.extend(self.contents.get(&object).into_iter().flat_map(|held| held.objects.keys()));
                        grew |= self.put(object, &Targets::number());
                    }
                }
                grew
            }
            Op::SetBytes { target, .. } => self.put_into(&self.of(*target).clone(), &Targets::number()),
            _ => false,
        }
    }
}

/// So many strides further.
fn moved(program: &Program, targets: &Targets, index: ExprId, stride: u64) -> Targets {
    match &program.exprs.get(index).kind {
        ExprKind::Constant(Constant::Int(index)) => {
            let bytes = index.to_i64().map(|index| i128::from(index) * i128::from(stride));
            targets.mapped(|offsets| bytes.map_or(Offsets::new(1, 0), |bytes| offsets.shifted(bytes)))
        }
        _ => targets.mapped(|offsets| offsets.spread(stride)),
    }
}
