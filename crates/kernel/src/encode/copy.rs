//! Copies of structures, unions and arrays: every cell of the target gets what the source holds at the same offset.
//!
//! An assignment chooses what is not chosen yet of the scalars of the type that is assigned, and copies what is chosen. Bytes
//! between the scalars need not be: then each side chooses its own later, whatever the types of the two objects are. A copy of
//! bytes chooses the scalars of the variable that it copies from, and all bytes of an object on the heap.

use logic::Term;
use program::semantics::layout::leaves;
use program::{Program, Scalar, TypeId, Types};

use super::evaluation::Evaluation;
use super::initial::scalar_at;
use super::memory::{Updates, WrittenValue};
use super::place::{PlaceStart, ResolvedPlace, Within};
use super::{CellName, ObjectName};

/// More elements than this are not copied one by one.
pub(super) const MOST_COPIES: usize = 64;

/// The most pairs of places that an aggregate is copied between, if they are computed.
const MOST_PLACES: usize = 64;

/// The bits of something that is copied which are chosen then.
pub(super) struct ChosenBits {
    /// As intervals that do not touch, in order.
    parts: Vec<(u64, u64)>,
    /// At which of these bits what is copied begins.
    start: u64,
}

impl ChosenBits {
    /// What a copy of bytes chooses that begins at a bit of an object.
    pub fn of_bytes(program: &Program, (object, start): (ObjectName, u64)) -> Self {
        match object {
            ObjectName::Variable(variable) => {
                Self { start, ..Self::of_type(&program.types, program.variables[variable].ty) }
            }
            ObjectName::Heap(_) => Self { parts: vec![(0, u64::MAX)], start },
        }
    }

    /// Those of the scalars of a type.
    fn of_type(types: &Types, ty: TypeId) -> Self {
        let mut parts: Vec<(u64, u64)> = leaves(types, ty).map_or_else(
            |_| Vec::new(),
            |leaves| leaves.iter().map(|leaf| (leaf.offset_bits, leaf.offset_bits + leaf.width_bits)).collect(),
        );
        parts.sort_unstable();
        let mut joined: Vec<(u64, u64)> = Vec::with_capacity(parts.len());
        for (start, end) in parts {
            match joined.last_mut() {
                Some(last) if start <= last.1 => last.1 = last.1.max(end),
                _ => joined.push((start, end)),
            }
        }
        Self { parts: joined, start: 0 }
    }

    /// Whether so many bits of what is copied, from one on, are among them.
    fn cover(&self, first: u64, count: u64) -> bool {
        let first = self.start + first;
        let before = self.parts.partition_point(|&(start, _)| start <= first);
        before > 0 && first + count <= self.parts[before - 1].1
    }
}

impl Evaluation<'_, '_> {
    /// Copies an aggregate; yields when writing it is undefined.
    pub(super) fn write_copy(
        &mut self,
        target: &ResolvedPlace,
        source: &ResolvedPlace,
        ty: TypeId,
        updates: &mut Updates,
    ) -> Term {
        let terms = self.terms();
        let chosen = ChosenBits::of_type(&self.program().types, ty);
        if let (PlaceStart::Object(to), PlaceStart::Object(from)) = (target.start, source.start) {
            let ((target_within, undefined), (source_within, _)) = (self.within(target, to), self.within(source, from));
            if let (Some(to_within), Some(from_within)) = (target_within, source_within)
                && let (Some(to_byte), Some(from_byte)) = (to_within.constant(), from_within.constant())
                && !self.is_literal(to)
            {
                self.copy((to, to_byte * 8), (from, from_byte * 8), target.width, &chosen, updates);
                return undefined;
            }
        }
        self.encoding.note("an aggregate that is copied to or from a computed place", self.span);
        let before = updates.clone();
        let undefined = self.write(target, &WrittenValue::Anything, updates);
        let (targets, sources) = (self.places_of(target), self.places_of(source));
        if targets.len() * sources.len() > MOST_PLACES {
            return undefined;
        }
        // Anything may have been written, but where both places are known it is what was there.
        for &(to, to_byte, to_here) in &targets {
            if self.is_literal(to) {
                continue;
            }
            for &(from, from_byte, from_here) in &sources {
                let mut exact = before.clone();
                self.copy((to, to_byte * 8), (from, from_byte * 8), target.width, &chosen, &mut exact);
                let changed = exact.into_iter().filter(|(symbol, value)| before.get(symbol) != Some(value));
                for (symbol, value) in changed {
                    self.update(symbol, value, terms.and([to_here, from_here]), updates);
                }
            }
        }
        undefined
    }

    /// Places that a computed one may be, as objects with whole bytes of an offset, and when it is.
    fn places_of(&mut self, resolved: &ResolvedPlace) -> Vec<(ObjectName, u64, Term)> {
        let (encoding, terms) = (self.encoding, self.terms());
        let (address, bytes) = match resolved.start {
            PlaceStart::Object(object) => {
                let at = self.within(resolved, object).0.and_then(|within| within.constant());
                return at.map(|at| (object, at, terms.truth(true))).into_iter().collect();
            }
            PlaceStart::Address(address) => (self.displace(address, &resolved.bytes, false).0, resolved.width / 8),
        };
        let mut places = Vec::new();
        for (object, _, hit) in self.hits(address, resolved.bit, resolved.width) {
            let Some(placed) = encoding.addresses.placed.iter().find(|placed| placed.object == object) else {
                continue;
            };
            // One after the other, as in an array.
            for at in (0..=placed.size.saturating_sub(bytes)).step_by(bytes.max(1) as usize).take(MOST_PLACES) {
                let here = terms.equal(address, terms.integer(&placed.base + at));
                places.push((object, at, terms.and([hit, here])));
            }
        }
        places
    }

    /// Copies so many bits from one object to another, both at fixed offsets in bits, of which these are chosen.
    pub(super) fn copy(
        &mut self,
        to: (ObjectName, u64),
        from: (ObjectName, u64),
        width: u64,
        chosen: &ChosenBits,
        updates: &mut Updates,
    ) {
        let (encoding, terms) = (self.encoding, self.terms());
        let always = terms.truth(true);
        let is_copied =
            |start: u64, bits: u64| start >= to.1 && start + bits <= to.1 + width && chosen.cover(start - to.1, bits);
        for tracked in encoding.cells_of(to.0) {
            match tracked.cell {
                CellName::One { offset, scalar, .. } => {
                    let bits = encoding.bits(scalar);
                    if offset >= to.1 + width || offset + bits <= to.1 {
                        continue;
                    }
                    let value = if is_copied(offset, bits) {
                        self.read_bits(from.0, from.1 + (offset - to.1), scalar)
                    } else {
                        self.anything(scalar).value.term
                    };
                    self.update(tracked.symbol, value, always, updates);
                }
                CellName::Many { scalar, unit, .. } => {
                    let bytes = encoding.bits(scalar) / 8;
                    let touched: Vec<u64> = tracked.overlapped(bytes, to.1, to.1 + width).collect();
                    if touched.is_empty() {
                        continue;
                    }
                    let twin = encoding.cells_of(from.0).find(|other| {
                        matches!(other.cell, CellName::Many { scalar: held, unit: by, .. } if held == scalar && by == unit)
                            && other.positions == tracked.positions
                    });
                    let is_whole = |position: &u64| is_copied(position * 8, bytes * 8);
                    let is_all = touched == tracked.positions && to.1 == from.1 && touched.iter().all(is_whole);
                    if let Some(twin) = twin.filter(|_| is_all) {
                        self.update(tracked.symbol, terms.variable(twin.symbol), always, updates);
                        continue;
                    }
                    if touched.len() > MOST_COPIES {
                        let any = self.any_array(tracked.symbol);
                        self.update(tracked.symbol, any, always, updates);
                        continue;
                    }
                    let mut array = terms.variable(tracked.symbol);
                    for position in touched {
                        let element = match is_whole(&position) {
                            true => self.read_bits(from.0, from.1 + (position * 8 - to.1), scalar),
                            false => self.anything(scalar).value.term,
                        };
                        array = terms.store(array, terms.integer(position / unit), element);
                    }
                    self.update(tracked.symbol, array, always, updates);
                }
                CellName::Alive(_) => {}
            }
        }
    }

    fn read_bits(&mut self, object: ObjectName, offset_bits: u64, scalar: Scalar) -> Term {
        let terms = self.terms();
        let width = self.encoding.bits(scalar);
        // What is read as another scalar than the variable has there may be anything.
        if let ObjectName::Variable(variable) = object {
            let program = self.program();
            let there = scalar_at(&program.types, program.variables[variable].ty, offset_bits);
            if there.is_none_or(|there| self.encoding.bits(there) != width) {
                return self.anything(scalar).value.term;
            }
        }
        let within = Within::at(terms.integer(offset_bits / 8), offset_bits, width);
        self.read(object, &within, scalar, terms.truth(true)).term
    }
}
