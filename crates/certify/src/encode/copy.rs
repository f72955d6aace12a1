//! Copies of structures, unions and arrays: every cell of the target gets what the source holds at the same offset.

use logic::Term;
use program::Scalar;

use super::evaluation::Evaluation;
use super::initial::scalar_at;
use super::memory::{Updates, Written};
use super::place::{Resolved, Start, Within};
use super::{Cell, Object};

/// More elements than this are not copied one by one.
pub(super) const MOST_COPIES: usize = 64;

/// The most pairs of places that an aggregate is copied between, if they are computed.
const MOST_PLACES: usize = 64;

impl Evaluation<'_, '_> {
    /// Copies an aggregate; yields when writing it is undefined.
    pub(super) fn write_copy(&mut self, target: &Resolved, source: &Resolved, updates: &mut Updates) -> Term {
        let terms = self.terms();
        if let (Start::Object(to), Start::Object(from)) = (target.start, source.start) {
            let ((target_within, undefined), (source_within, _)) = (self.within(target, to), self.within(source, from));
            if let (Some(to_within), Some(from_within)) = (target_within, source_within)
                && let (Some(to_byte), Some(from_byte)) = (to_within.constant(), from_within.constant())
                && !self.is_literal(to)
            {
                self.copy((to, to_byte * 8), (from, from_byte * 8), target.width, updates);
                return undefined;
            }
        }
        self.encoding.note("an aggregate that is copied to or from a computed place", self.span);
        let before = updates.clone();
        let undefined = self.write(target, &Written::Anything, updates);
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
                self.copy((to, to_byte * 8), (from, from_byte * 8), target.width, &mut exact);
                let changed = exact.into_iter().filter(|(symbol, value)| before.get(symbol) != Some(value));
                for (symbol, value) in changed {
                    self.update(symbol, value, terms.and([to_here, from_here]), updates);
                }
            }
        }
        undefined
    }

    /// Places that a computed one may be, as objects with whole bytes of an offset, and when it is.
    fn places_of(&mut self, resolved: &Resolved) -> Vec<(Object, u64, Term)> {
        let (encoding, terms) = (self.encoding, self.terms());
        let (address, bytes) = match resolved.start {
            Start::Object(object) => {
                let at = self.within(resolved, object).0.and_then(|within| within.constant());
                return at.map(|at| (object, at, terms.truth(true))).into_iter().collect();
            }
            Start::Address(address) => (self.displace(address, &resolved.bytes, false).0, resolved.width / 8),
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

    /// Copies so many bits from one object to another, both at fixed offsets in bits.
    pub(super) fn copy(&mut self, to: (Object, u64), from: (Object, u64), width: u64, updates: &mut Updates) {
        let (encoding, terms) = (self.encoding, self.terms());
        let always = terms.truth(true);
        for tracked in encoding.cells_of(to.0) {
            match tracked.cell {
                Cell::One { offset, scalar, .. } => {
                    let bits = encoding.bits(scalar);
                    if offset >= to.1 + width || offset + bits <= to.1 {
                        continue;
                    }
                    let value = if offset >= to.1 && offset + bits <= to.1 + width {
                        self.read_bits(from.0, from.1 + (offset - to.1), scalar)
                    } else {
                        self.anything(scalar).value.term
                    };
                    self.update(tracked.symbol, value, always, updates);
                }
                Cell::Many { scalar, unit, .. } => {
                    let bytes = encoding.bits(scalar) / 8;
                    let touched: Vec<u64> = tracked.overlapped(bytes, to.1, to.1 + width).collect();
                    if touched.is_empty() {
                        continue;
                    }
                    let twin = encoding.cells_of(from.0).find(|other| {
                        matches!(other.cell, Cell::Many { scalar: held, unit: by, .. } if held == scalar && by == unit)
                            && other.positions == tracked.positions
                    });
                    if let Some(twin) = twin.filter(|_| touched == tracked.positions && to.1 == from.1) {
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
                        let is_whole = position * 8 >= to.1 && (position + bytes) * 8 <= to.1 + width;
                        let element = match is_whole {
                            true => self.read_bits(from.0, from.1 + (position * 8 - to.1), scalar),
                            false => self.anything(scalar).value.term,
                        };
                        array = terms.store(array, terms.integer(position / unit), element);
                    }
                    self.update(tracked.symbol, array, always, updates);
                }
                Cell::Alive(_) => {}
            }
        }
    }

    fn read_bits(&mut self, object: Object, offset_bits: u64, scalar: Scalar) -> Term {
        let terms = self.terms();
        let width = self.encoding.bits(scalar);
        // Bits that belong to no scalar are not copied.
        if let Object::Variable(variable) = object {
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
