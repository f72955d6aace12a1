//! Places as cells: which symbols a place may be, and under which conditions.
//!
//! Memory that is read at another type than it has, or across the borders of its scalars, is refused and not guessed:
//! the congruences of [`analysis::points_to`] show that it cannot happen elsewhere.

use std::collections::BTreeMap;

use analysis::points_to::{Pointee, Targets};
use logic::{Symbol, Term};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use program::semantics::Integers;
use program::{CompareOp, ExprId, ExprKind, IntType, OpenEnd, Place, Root, Scalar, Type, VariableKind};
use task::Reason;

use super::expression::{Encoded, Encoder, product, sum};
use super::memory::{MemoryCell, SymbolicMemory, layout_of, positions};
use super::vocabulary::{Bounds, Shape};

/// The cells that a place of scalar type may be.
pub struct CellAccess {
    /// One of them it is, where it exists.
    pub candidates: Vec<CandidateCell>,
    /// When it exists.
    pub defined: Term,
    /// Its type.
    pub scalar: Scalar,
}

/// A cell that a place may be.
pub struct CandidateCell {
    /// When it is this one.
    pub condition: Term,
    /// The symbol.
    pub symbol: Symbol,
    /// Which element, if the symbol is an array.
    pub index: Option<Term>,
    /// Its type.
    pub scalar: Scalar,
    /// What is known of its value.
    pub bounds: Bounds,
}

/// Where a place lies.
pub struct PlaceSpot {
    /// The address, if the place is reached through a pointer.
    address: Option<Term>,
    /// Bytes from the beginning of the variable otherwise.
    offset: Term,
    /// When addresses and indices are defined, and indices inside of their arrays.
    defined: Term,
    targets: Targets,
    /// Whether it lies inside its object if indices are inside of their arrays.
    is_inside: bool,
    /// Its size in bytes.
    width: u64,
}

/// Objects of more scalars than this are not copied at once.
const MOST_COPIED_SCALARS: usize = 64;

impl Encoder<'_, '_> {
    fn memory(&self) -> &SymbolicMemory {
        &self.vocabulary.memory
    }

    /// The cells that a place of scalar type may be.
    pub fn access(&self, place: &Place, for_writing: bool) -> Result<CellAccess, Reason> {
        let program = self.vocabulary.program();
        let terms = self.vocabulary.terms;
        let Some(scalar) = program.types.as_scalar(place.ty) else {
            return self.refuse("an object as a whole");
        };
        if let Root::Variable(variable) = place.root
            && !(for_writing && self.is_literal(Pointee::Variable(variable)))
            && let Ok(shape) = self.vocabulary.shape(variable, self.span)
        {
            let one = |index: Option<Term>, defined: Term, scalar: Scalar| {
                let symbol = self.vocabulary.symbol(variable, self.span)?;
                let bounds = self.vocabulary.bounds(variable);
                let candidate = CandidateCell { condition: terms.truth(true), symbol, index, scalar, bounds };
                Ok(CellAccess { candidates: vec![candidate], defined, scalar })
            };
            match (&shape, place.path.as_slice()) {
                (Shape::Scalar(scalar), []) => return one(None, terms.truth(true), *scalar),
                (Shape::Array { element, length }, [program::Selector::Index(index)]) => {
                    let index = self.encode(*index)?;
                    let inside = Bounds::between(BigInt::zero(), BigInt::from(*length) - 1);
                    let defined = terms.and([index.defined, inside.hold_for(terms, index.term)]);
                    let scale = self.vocabulary.scale(variable, *element);
                    let index = terms.multiply(terms.integer(scale), index.term);
                    return one(Some(index), defined, *element);
                }
                _ => {}
            }
        }
        let spot = self.spot(place)?;
        self.cells_at(&spot, 0, scalar, for_writing)
    }

    /// Whether an object is a literal, which cannot be written.
    pub fn is_literal(&self, object: Pointee) -> bool {
        match object {
            Pointee::Variable(variable) => {
                matches!(self.vocabulary.program().variables[variable].kind, VariableKind::Literal { .. })
            }
            Pointee::Heap(_) => false,
        }
    }

    /// Where a place lies.
    pub fn spot(&self, place: &Place) -> Result<PlaceSpot, Reason> {
        let (program, terms) = (self.vocabulary.program(), self.vocabulary.terms);
        let address = match place.root {
            Root::Variable(_) => None,
            Root::Pointer { address, .. } => Some(self.address(address)?),
        };
        let position = self.position(place)?;
        if position.is_open_ended && !position.is_small(self.memory()) {
            return self.refuse("an array that may go on behind its end");
        }
        let mut defined = vec![position.bytes.defined, position.inside];
        let number = address.map(|address| {
            defined.push(address.defined);
            terms.add([address.term, position.bytes.term])
        });
        Ok(PlaceSpot {
            is_inside: number.is_none() && !position.is_open_ended,
            address: number,
            offset: position.bytes.term,
            defined: terms.and(defined),
            targets: self.memory().points_to().of_place(program, place),
            width: program.types.size_bits(place.ty) / 8,
        })
    }

    /// The cells of a scalar that lies so many bytes behind the beginning of a place.
    pub fn cells_at(
        &self,
        spot: &PlaceSpot,
        further: u64,
        scalar: Scalar,
        for_writing: bool,
    ) -> Result<CellAccess, Reason> {
        let (program, terms) = (self.vocabulary.program(), self.vocabulary.terms);
        if spot.targets.others {
            return self.refuse("memory at a fixed address");
        }
        let mut candidates = Vec::new();
        for (&object, offsets) in &spot.targets.objects {
            if for_writing && self.is_literal(object) {
                continue;
            }
            let Some(layout) = self.memory().layout(object) else {
                return self.refuse(match object {
                    Pointee::Variable(_) => "memory whose parts cannot be told apart",
                    Pointee::Heap(_) => "memory on the heap without a bound",
                });
            };
            let positions = positions(layout, offsets, spot.width);
            let mut ranges: BTreeMap<MemoryCell, (Scalar, u64, u64)> = BTreeMap::new();
            for &position in &positions {
                let Some(slot) = layout.slots.get(&(position + further)).filter(|slot| fits(slot.scalar, scalar))
                else {
                    return self.refuse("memory that is accessed at another type");
                };
                let range = ranges.entry(slot.cell(position + further)).or_insert((slot.scalar, position, position));
                range.2 = position;
            }
            let base = if spot.address.is_some() { self.memory().base(object) } else { BigInt::zero() };
            let number = spot.address.unwrap_or(spot.offset);
            let (is_only, is_freed) = (ranges.len() == 1, self.memory().is_freed(object));
            for (cell, (scalar, first, last)) in ranges {
                let is_foreign = |at: &u64| layout.slots[&(at + further)].cell(at + further) != cell;
                if positions.range(first..=last).any(is_foreign) {
                    return self.refuse("memory whose parts lie between one another");
                }
                let bounds = Bounds::between(&base + first, &base + last);
                let mut condition = match (is_only && spot.is_inside, first == last) {
                    (true, _) => terms.truth(true),
                    (false, true) => terms.equal(number, terms.integer(&base + first)),
                    (false, false) => bounds.hold_for(terms, number),
                };
                if is_freed && matches!(object, Pointee::Heap(_)) {
                    condition = terms.and([condition, self.is_alive(object)?]);
                }
                let index = matches!(cell, MemoryCell::Many(_)).then(|| match (object, first == last) {
                    (_, false) => terms.add([number, terms.integer(BigInt::from(further) - &base)]),
                    (Pointee::Variable(variable), true) => {
                        let width = program.types.scalar_bits(scalar) / 8;
                        let is_counted = self.vocabulary.scale(variable, scalar) == 1;
                        terms.integer(if is_counted { (first + further) / width } else { first + further })
                    }
                    (Pointee::Heap(_), true) => terms.integer(first + further),
                });
                candidates.push(CandidateCell {
                    condition,
                    symbol: self.vocabulary.cell_symbol(object, cell, self.span)?,
                    index,
                    scalar,
                    bounds: self.vocabulary.cell_bounds(object, scalar),
                });
            }
        }
        let exists = terms.or(candidates.iter().map(|candidate| candidate.condition));
        Ok(CellAccess { candidates, defined: terms.and([spot.defined, exists]), scalar })
    }

    /// What the cells hold.
    pub fn value(&self, access: &CellAccess) -> Encoded {
        let terms = self.vocabulary.terms;
        let mut value: Option<Encoded> = None;
        for candidate in access.candidates.iter().rev() {
            let whole = terms.variable(candidate.symbol);
            let term = candidate.index.map_or(whole, |index| terms.select(whole, index));
            let held = Encoded { term, defined: access.defined, bounds: candidate.bounds.clone() };
            let held = self.converted(held, candidate.scalar, access.scalar);
            value = Some(match value {
                None => held,
                Some(other) => Encoded {
                    term: terms.ite(candidate.condition, held.term, other.term),
                    defined: access.defined,
                    bounds: held.bounds.join(other.bounds),
                },
            });
        }
        // Where there is no cell, access is undefined.
        value.unwrap_or_else(|| {
            let term = if access.scalar == Scalar::Bool { terms.truth(false) } else { terms.integer(0) };
            Encoded { term, defined: terms.truth(false), bounds: Bounds::default() }
        })
    }

    /// Writes a value to the cells, after what was written already.
    pub fn write(&self, updates: &mut BTreeMap<Symbol, Term>, access: &CellAccess, value: Term) {
        let terms = self.vocabulary.terms;
        for candidate in &access.candidates {
            let now = updates.get(&candidate.symbol).copied().unwrap_or_else(|| terms.variable(candidate.symbol));
            let bounds = match access.scalar {
                Scalar::Int(ty) if self.vocabulary.is_machine() => Bounds::of_type(ty),
                _ => Bounds::default(),
            };
            let value = Encoded { term: value, defined: access.defined, bounds };
            let value = self.converted(value, access.scalar, candidate.scalar).term;
            let is_only = access.candidates.len() == 1;
            let chosen = |old: Term| if is_only { value } else { terms.ite(candidate.condition, value, old) };
            let new = match candidate.index {
                None => chosen(now),
                Some(index) => terms.store(now, index, chosen(terms.select(now, index))),
            };
            updates.insert(candidate.symbol, new);
        }
    }

    /// Copies an object, scalar by scalar; when that is defined.
    pub fn copy(&self, updates: &mut BTreeMap<Symbol, Term>, target: &Place, source: &Place) -> Result<Term, Reason> {
        let (program, terms) = (self.vocabulary.program(), self.vocabulary.terms);
        let layout = layout_of(program, target.ty).filter(|layout| layout.slots.len() <= MOST_COPIED_SCALARS);
        let Some(layout) = layout.filter(|_| target.ty == source.ty) else {
            return self.refuse("an assignment of a large object, or of one whose parts cannot be told apart");
        };
        let (target, source) = (self.spot(target)?, self.spot(source)?);
        let mut defined = vec![target.defined, source.defined];
        for (&offset, slot) in &layout.slots {
            let value = self.value(&self.cells_at(&source, offset, slot.scalar, false)?);
            let cells = self.cells_at(&target, offset, slot.scalar, true)?;
            defined.extend([value.defined, cells.defined]);
            self.write(updates, &cells, value.term);
        }
        Ok(terms.and(defined))
    }

    /// The address of a place.
    pub fn address_of(&self, place: &Place) -> Result<Encoded, Reason> {
        let terms = self.vocabulary.terms;
        if !self.vocabulary.addresses_are_apart() {
            return self.refuse("the address of an object where there are addresses that are numbers");
        }
        let (base, targets) = match place.root {
            Root::Variable(variable) => {
                let object = Pointee::Variable(variable);
                let number = self.memory().base(object);
                let base = Encoded {
                    term: terms.integer(number.clone()),
                    defined: terms.truth(true),
                    bounds: Bounds::between(number.clone(), number),
                };
                let whole = Place::variable(variable, self.vocabulary.program().variables[variable].ty);
                (base, self.memory().points_to().of_place(self.vocabulary.program(), &whole))
            }
            Root::Pointer { address, .. } => (self.encode(address)?, self.memory().points_to().of(address).clone()),
        };
        if place.path.is_empty() {
            return Ok(base);
        }
        let position = self.position(place)?.bytes;
        let dangling = self.dangling(&targets, base.term)?;
        let stays = terms.or([terms.equal(position.term, terms.integer(0)), terms.not(dangling)]);
        let moved = self.moved(&targets, base, position, false)?;
        Ok(Encoded { defined: terms.and([moved.defined, stays]), ..moved })
    }

    /// `base + index · stride`.
    pub fn pointer_add(&self, base: ExprId, index: ExprId, stride: u64, is_accessed: bool) -> Result<Encoded, Reason> {
        let terms = self.vocabulary.terms;
        let targets = self.memory().points_to().of(base);
        let base = self.encode(base)?;
        let dangling = self.dangling(targets, base.term)?;
        let bytes = self.scaled(self.index(index)?, stride);
        let moved = self.moved(targets, base, bytes, is_accessed)?;
        Ok(Encoded { defined: terms.and([moved.defined, terms.not(dangling)]), ..moved })
    }

    /// An address that is accessed right away: if it leaves the address space, it lies in no object.
    fn address(&self, expr: ExprId) -> Result<Encoded, Reason> {
        match self.vocabulary.program().exprs.get(expr).kind {
            ExprKind::PointerAdd { base, index, stride } => self.pointer_add(base, index, stride, true),
            _ => self.encode(expr),
        }
    }

    /// The term of an expression that is an integer or a truth value, as an integer.
    fn index(&self, expr: ExprId) -> Result<Encoded, Reason> {
        let terms = self.vocabulary.terms;
        let index = self.encode(expr)?;
        Ok(match terms.sort(index.term) {
            logic::Sort::Bool => Encoded {
                term: terms.ite(index.term, terms.integer(1), terms.integer(0)),
                bounds: Bounds::between(BigInt::zero(), BigInt::one()),
                ..index
            },
            _ => index,
        })
    }

    fn scaled(&self, index: Encoded, stride: u64) -> Encoded {
        let terms = self.vocabulary.terms;
        let stride = BigInt::from(stride);
        Encoded {
            bounds: product(&index.bounds, &Bounds::between(stride.clone(), stride.clone())),
            term: terms.multiply(terms.integer(stride), index.term),
            defined: index.defined,
        }
    }

    /// An address so many bytes further.
    fn moved(&self, targets: &Targets, base: Encoded, bytes: Encoded, is_accessed: bool) -> Result<Encoded, Reason> {
        let (program, terms) = (self.vocabulary.program(), self.vocabulary.terms);
        if targets.others {
            return self.refuse("arithmetic on the address of a register or function");
        }
        let memory = self.memory();
        let small = memory.small_move();
        let is_small = (bytes.bounds.low.as_ref()).is_some_and(|low| *low >= -&small)
            && bytes.bounds.high.as_ref().is_some_and(|high| *high <= small);
        let term = terms.add([base.term, bytes.term]);
        let defined = terms.and([base.defined, bytes.defined]);
        let plain = Encoded { term, defined, bounds: sum(&base.bounds, &bytes.bounds) };
        let is_exact = is_small && SymbolicMemory::is_exact(targets);
        if is_exact && !targets.numbers || is_accessed && is_small {
            return Ok(plain);
        }
        let is_ideal = self.vocabulary.prepared.semantics.integers == Integers::Ideal;
        if is_ideal && is_accessed && targets.objects.len() == 1 && !targets.numbers {
            return Ok(plain);
        }
        let all = Bounds::of_type(program.types.pointer_int(false));
        let within = |object: Pointee, term: Term| {
            let (low, high) = memory.reach(object);
            Bounds::between(low, high).hold_for(terms, term)
        };
        if is_ideal {
            let mut ways = Vec::new();
            for &object in targets.objects.keys() {
                let was = if is_small { terms.truth(true) } else { within(object, base.term) };
                ways.push(terms.and([was, within(object, term)]));
            }
            if targets.numbers {
                let was = if is_small { terms.truth(true) } else { all.hold_for(terms, base.term) };
                ways.push(terms.and([was, all.hold_for(terms, term)]));
            }
            return Ok(Encoded { defined: terms.and([defined, terms.or(ways)]), ..plain });
        }
        // A machine's addresses wrap around, each object's for itself.
        let number =
            self.remainder(program.types.pointer_int(false), Encoded { bounds: Bounds::default(), ..plain.clone() });
        let mut moved = targets.numbers.then_some(number.term);
        for &object in targets.objects.keys() {
            let start = terms.integer(memory.base(object));
            let offset = Encoded { term: terms.subtract(term, start), defined, bounds: Bounds::default() };
            let wrapped = match is_exact {
                true => term,
                false => terms.add([self.remainder(program.types.pointer_int(true), offset).term, start]),
            };
            moved = Some(match moved {
                None => wrapped,
                Some(other) => terms.ite(within(object, base.term), wrapped, other),
            });
        }
        Ok(Encoded { term: moved.unwrap_or(term), defined, bounds: Bounds::default() })
    }

    /// When an address is that of an object on the heap that was freed.
    pub fn dangling(&self, targets: &Targets, address: Term) -> Result<Term, Reason> {
        let terms = self.vocabulary.terms;
        let mut ways = Vec::new();
        for &object in targets.objects.keys() {
            if matches!(object, Pointee::Heap(_)) && self.memory().is_freed(object) {
                let (low, high) = self.memory().reach(object);
                let is_there = Bounds::between(low, high).hold_for(terms, address);
                ways.push(terms.and([is_there, terms.not(self.is_alive(object)?)]));
            }
        }
        Ok(terms.or(ways))
    }

    /// Whether a heap object lives.
    pub fn is_alive(&self, object: Pointee) -> Result<Term, Reason> {
        let symbol = self.vocabulary.cell_symbol(object, MemoryCell::Alive, self.span)?;
        Ok(self.vocabulary.terms.variable(symbol))
    }

    /// When two addresses may be compared.
    pub fn comparable(&self, op: CompareOp, left: (ExprId, Term), right: (ExprId, Term)) -> Result<Term, Reason> {
        let terms = self.vocabulary.terms;
        let points_to = self.memory().points_to();
        let dangle = [left, right].map(|(expr, term)| self.dangling(points_to.of(expr), term));
        let [one, two] = dangle;
        let live = terms.and([terms.not(one?), terms.not(two?)]);
        if matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            return Ok(live);
        }
        Ok(terms.and([live, self.related(left, right)?]))
    }

    /// When two addresses lie in one object, or are both numbers.
    fn related(&self, left: (ExprId, Term), right: (ExprId, Term)) -> Result<Term, Reason> {
        let terms = self.vocabulary.terms;
        let points_to = self.memory().points_to();
        let (one, two) = (points_to.of(left.0), points_to.of(right.0));
        if one.others || two.others {
            return self.refuse("an order of addresses of registers or functions");
        }
        let alone = |targets: &Targets| targets.objects.len() == 1 && !targets.numbers;
        let mut ways = Vec::new();
        for &object in one.objects.keys().filter(|object| two.objects.contains_key(object)) {
            let (low, high) = self.memory().reach(object);
            let bounds = Bounds::between(low, high);
            let inside = |targets: &Targets, term: Term| {
                if alone(targets) { terms.truth(true) } else { bounds.hold_for(terms, term) }
            };
            ways.push(terms.and([inside(one, left.1), inside(two, right.1)]));
        }
        if one.numbers && two.numbers {
            let is_number = |term: Term| terms.less_equal(terms.integer(0), term);
            ways.push(terms.and([is_number(left.1), is_number(right.1)]));
        }
        Ok(terms.or(ways))
    }

    /// `(left − right) / stride`.
    pub fn pointer_difference(&self, left: ExprId, right: ExprId, stride: u64, ty: IntType) -> Result<Encoded, Reason> {
        let terms = self.vocabulary.terms;
        let (one, two) = (self.encode(left)?, self.encode(right)?);
        let (left, right) = ((left, one.term), (right, two.term));
        let comparable = self.comparable(CompareOp::Less, left, right)?;
        let bytes = terms.subtract(one.term, two.term);
        let most = ((BigInt::one() << self.vocabulary.program().types.pointer_int(false).bits) - 1) / stride;
        let stride = terms.integer(stride);
        let is_multiple = terms.equal(terms.modulo(bytes, stride), terms.integer(0));
        let value = Encoded {
            term: terms.div(bytes, stride),
            defined: terms.and([one.defined, two.defined, comparable, is_multiple]),
            bounds: Bounds::between(-&most, most),
        };
        Ok(self.wrapped(ty, value))
    }

    /// A value at another type of the same width.
    fn converted(&self, value: Encoded, from: Scalar, to: Scalar) -> Encoded {
        match (from, to) {
            (Scalar::Int(from), Scalar::Int(to)) if from != to => self.wrapped(to, value),
            _ => value,
        }
    }

    /// How many bytes a place lies behind its root.
    fn position(&self, place: &Place) -> Result<ByteOffset, Reason> {
        let (program, terms) = (self.vocabulary.program(), self.vocabulary.terms);
        let mut ty = match place.root {
            Root::Variable(variable) => program.variables[variable].ty,
            Root::Pointer { pointee, .. } => pointee,
        };
        let mut open_end = OpenEnd::new(&place.root);
        let zero = BigInt::zero();
        let mut bytes = Encoded {
            term: terms.integer(0),
            defined: terms.truth(true),
            bounds: Bounds::between(zero.clone(), zero.clone()),
        };
        let mut inside = Vec::new();
        let mut is_open_ended = false;
        for step in &place.path {
            match (step, program.types.get(ty)) {
                (program::Selector::Field(number), Type::Record(record)) => {
                    let field = &record.fields[*number as usize];
                    if field.bit_width.is_some() {
                        return self.refuse("a bit-field");
                    }
                    open_end.field(record, *number);
                    let offset = BigInt::from(field.offset_bits / 8);
                    bytes.bounds = sum(&bytes.bounds, &Bounds::between(offset.clone(), offset.clone()));
                    bytes.term = terms.add([bytes.term, terms.integer(offset)]);
                    ty = field.ty;
                }
                (program::Selector::Index(index), &Type::Array { element, length }) => {
                    let index = self.index(*index)?;
                    let further = self.scaled(index.clone(), program.types.size_bits(element) / 8);
                    if open_end.index(length) {
                        is_open_ended = true;
                    } else {
                        let bounds = Bounds::between(zero.clone(), BigInt::from(length) - 1);
                        inside.push(bounds.hold_for(terms, index.term));
                    }
                    bytes = Encoded {
                        term: terms.add([bytes.term, further.term]),
                        defined: terms.and([bytes.defined, further.defined]),
                        bounds: sum(&bytes.bounds, &further.bounds),
                    };
                    ty = element;
                }
                _ => return self.refuse("a part of an object in memory"),
            }
        }
        Ok(ByteOffset { bytes, inside: terms.and(inside), is_open_ended })
    }
}

/// How many bytes a place lies behind its root.
struct ByteOffset {
    bytes: Encoded,
    /// When all indices are inside of their arrays.
    inside: Term,
    /// Whether there is an array that may go on behind its end.
    is_open_ended: bool,
}

impl ByteOffset {
    fn is_small(&self, memory: &SymbolicMemory) -> bool {
        let small = memory.small_move();
        let fits = |bound: &Option<BigInt>| bound.as_ref().is_some_and(|bound| bound.abs() <= small);
        fits(&self.bytes.bounds.low) && fits(&self.bytes.bounds.high)
    }
}

/// Whether what was written at one type can be read at another without looking at its bits.
fn fits(one: Scalar, two: Scalar) -> bool {
    match (one, two) {
        (Scalar::Int(one), Scalar::Int(two)) => one.bits == two.bits,
        (one, two) => one == two,
    }
}
