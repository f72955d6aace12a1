//! Reading and writing cells.

use std::collections::BTreeMap;

use logic::{Sort, Symbol, Term};
use num_bigint::BigInt;
use program::{Scalar, VariableKind};

use super::evaluation::{Encoded, Evaluation};
use super::number::{self, Number};
use super::place::{PlaceStart, ResolvedPlace, Within};
use super::vocabulary::Tracked;
use super::{CellName, Encoding, ObjectName};

/// Positions that are not evenly spaced are told apart up to so many.
const MOST_UNEVEN_POSITIONS: usize = 16;

/// What is written.
#[derive(Clone, Debug)]
pub(super) enum WrittenValue {
    /// A scalar.
    Scalar(Scalar, Number),
    /// Something that is not looked at.
    Anything,
}

/// The new values of symbols.
pub(super) type Updates = BTreeMap<Symbol, Term>;

impl Encoding<'_> {
    /// The symbol that says whether a heap object lives.
    pub(super) fn alive(&self, object: ObjectName) -> Option<Symbol> {
        self.cells_of(object).find(|tracked| matches!(tracked.cell, CellName::Alive(_))).map(|tracked| tracked.symbol)
    }

    /// The number of an object's address.
    pub(super) fn base(&self, object: ObjectName) -> Option<&BigInt> {
        self.addresses.placed.iter().find(|placed| placed.object == object).map(|placed| &placed.base)
    }
}

impl Tracked {
    /// The first of many offsets and their distance, where that is the same.
    fn progression(&self, width: u64) -> Option<(u64, u64)> {
        let first = *self.positions.first()?;
        let step = self.positions.get(1).map_or(width, |second| second - first);
        let is_even = self.positions.windows(2).all(|pair| pair[1] - pair[0] == step);
        is_even.then_some((first, step))
    }

    /// The positions that some bits have a bit in common with.
    pub(super) fn overlapped(&self, width: u64, start_bit: u64, end_bit: u64) -> impl Iterator<Item = u64> + '_ {
        let from = self.positions.partition_point(|at| (at + width) * 8 <= start_bit);
        self.positions[from..].iter().copied().take_while(move |at| at * 8 < end_bit)
    }
}

impl Evaluation<'_, '_> {
    /// The scalar in some bytes of an object. In every state in which `defined` holds they lie in it.
    pub(super) fn read(&mut self, object: ObjectName, within: &Within, scalar: Scalar, defined: Term) -> Number {
        let (encoding, terms) = (self.encoding, self.terms());
        let mut cases: Vec<(Term, Number)> = Vec::new();
        // A scalar may be a cell of its own and an element of an array too. Both hold the same; what is known of it is said of
        // the cell.
        let is_one = |tracked: &&Tracked| matches!(tracked.cell, CellName::One { .. });
        let (ones, others): (Vec<&Tracked>, Vec<&Tracked>) = encoding.cells_of(object).partition(is_one);
        for tracked in ones.into_iter().chain(others) {
            let value = terms.variable(tracked.symbol);
            match tracked.cell {
                CellName::One { offset, scalar: held, .. } if self.fits(held, scalar, within) => {
                    let (byte, bit) = (offset / 8, offset % 8);
                    if bit != within.bit || within.candidates(byte, byte + 1).next().is_none() {
                        continue;
                    }
                    let here = self.is_at(within, byte);
                    let value = self.typed(value, held);
                    let value = self.reread(&value, held, scalar);
                    cases.push((here, value));
                }
                CellName::Many { scalar: held, unit, .. } if within.bit == 0 && self.fits(held, scalar, within) => {
                    let here = self.is_position(tracked, within);
                    if terms.as_truth(here) == Some(false) {
                        continue;
                    }
                    let element = terms.select(value, terms.div(within.term, terms.integer(unit)));
                    let range = encoding.range_of(held, element);
                    self.facts.push(terms.implies(terms.and([defined, here]), range));
                    let element = self.typed(element, held);
                    let value = self.reread(&element, held, scalar);
                    cases.push((here, value));
                }
                _ => {}
            }
            if cases.last().is_some_and(|(here, _)| terms.as_truth(*here) == Some(true)) {
                break;
            }
        }
        let is_total = cases.last().is_some_and(|(here, _)| terms.as_truth(*here) == Some(true));
        let mut value = match is_total {
            true => cases.pop().expect("just seen").1,
            false => self.anything(scalar).value,
        };
        while let Some((here, case)) = cases.pop() {
            value = number::choose(terms, here, &case, &value);
        }
        value
    }

    /// The scalar at an address.
    pub(super) fn read_at(&mut self, address: Term, bit: u64, width: u64, scalar: Scalar) -> Encoded {
        let (encoding, terms) = (self.encoding, self.terms());
        let besides = |others: Option<Number>, when: Term, read: Number| match others {
            Some(others) => Some(number::choose(terms, when, &read, &others)),
            None => Some(read),
        };
        let mut value = None;
        let mut fine = Vec::new();
        let mut registers = Vec::new();
        for (object, within, hit) in self.hits(address, bit, width) {
            let read = self.read(object, &within, scalar, hit);
            value = besides(value, hit, read);
            fine.push(hit);
        }
        let plain = self.is_plain(address);
        if encoding.addresses.has_registers && terms.as_truth(plain) != Some(false) {
            let before = self.asked.len();
            let read = self.input("register", scalar);
            registers.push(self.asked[before]);
            self.asked.truncate(before);
            value = besides(value, plain, read);
            fine.push(terms.and([plain, self.maybe()]));
        }
        let strange = self.strange(address);
        if terms.as_truth(strange) != Some(false) {
            let read = self.anything(scalar).value;
            value = besides(value, self.is_beyond(address), read);
            fine.push(strange);
        }
        let value = value.unwrap_or_else(|| self.anything(scalar).value);
        Encoded { value, undefined: terms.not(terms.or(fine)), registers }
    }

    /// The objects with a declared address that an access may hit, and when it does.
    pub(super) fn hits(&mut self, address: Term, bit: u64, width: u64) -> Vec<(ObjectName, Within, Term)> {
        let (encoding, terms) = (self.encoding, self.terms());
        let mut hits = Vec::new();
        for placed in &encoding.addresses.placed {
            let Some(last) = placed.size.checked_sub((bit + width).div_ceil(8)) else { continue };
            let here = encoding.between(&placed.base, address, &(&placed.base + last));
            if terms.as_truth(here) == Some(false) {
                continue;
            }
            let lives = self.lives(placed.object);
            let hit = terms.and([here, lives]);
            if terms.as_truth(hit) == Some(false) {
                continue;
            }
            let term = terms.subtract(address, terms.integer(placed.base.clone()));
            let within = match terms.as_integer(term).and_then(|offset| u64::try_from(&*offset).ok()) {
                Some(offset) => Within { term, low: offset, high: offset, step: 1, residue: 0, bit, width },
                None => {
                    let (step, residue) = self.congruence(term);
                    Within { term, low: 0, high: last, step, residue, bit, width }
                }
            };
            hits.push((placed.object, within, hit));
        }
        hits
    }

    /// A number and a remainder such that a term has this remainder by the number.
    fn congruence(&self, term: Term) -> (u64, u64) {
        let linear = self.terms().linear(term);
        let divisor = linear.content();
        match u64::try_from(&divisor) {
            Ok(step) if step > 0 => {
                let residue = ((linear.constant() % &divisor) + &divisor) % &divisor;
                (step, u64::try_from(&residue).expect("below the divisor"))
            }
            _ => (1, 0),
        }
    }

    /// When an address may be that of an object without a declared one.
    pub(super) fn strange(&mut self, address: Term) -> Term {
        let terms = self.terms();
        let beyond = self.is_beyond(address);
        if !self.encoding.addresses.has_strangers || terms.as_truth(beyond) == Some(false) {
            return terms.truth(false);
        }
        terms.and([beyond, self.maybe()])
    }

    /// Writes to a place; yields when that is undefined.
    pub(super) fn write(&mut self, resolved: &ResolvedPlace, written: &WrittenValue, updates: &mut Updates) -> Term {
        let terms = self.terms();
        match resolved.start {
            PlaceStart::Object(object) => {
                let (within, undefined) = self.within(resolved, object);
                if self.is_literal(object) {
                    return terms.truth(true);
                }
                if let Some(within) = within {
                    self.write_object(object, &within, written, terms.truth(true), updates);
                }
                undefined
            }
            PlaceStart::Address(address) => {
                let (address, partly) = self.displace(address, &resolved.bytes, false);
                let undefined = self.write_at(address, resolved.bit, resolved.width, written, updates);
                terms.or([resolved.undefined, resolved.outside, partly, undefined])
            }
        }
    }

    /// Writes to an address; yields when that is undefined.
    pub(super) fn write_at(
        &mut self,
        address: Term,
        bit: u64,
        width: u64,
        written: &WrittenValue,
        updates: &mut Updates,
    ) -> Term {
        let (encoding, terms) = (self.encoding, self.terms());
        let mut fine = Vec::new();
        for (object, within, hit) in self.hits(address, bit, width) {
            if self.is_literal(object) {
                continue;
            }
            self.write_object(object, &within, written, hit, updates);
            fine.push(hit);
        }
        let plain = self.is_plain(address);
        if encoding.addresses.has_registers && terms.as_truth(plain) != Some(false) {
            fine.push(terms.and([plain, self.maybe()]));
        }
        let strange = self.strange(address);
        if terms.as_truth(strange) != Some(false) {
            self.forget_strangers(strange, updates);
            fine.push(strange);
        }
        terms.not(terms.or(fine))
    }

    /// Makes the cells of all objects that a pointer may reach without their having an address arbitrary.
    pub(super) fn forget_strangers(&mut self, when: Term, updates: &mut Updates) {
        let encoding = self.encoding;
        let objects: Vec<ObjectName> = encoding.of_object.keys().copied().collect();
        for object in objects {
            let is_reached = match object {
                ObjectName::Variable(variable) => self.program().variables[variable].address_taken,
                ObjectName::Heap(_) => true,
            };
            if is_reached && encoding.base(object).is_none() {
                self.forget(object, when, updates);
            }
        }
    }

    /// Makes all cells of an object arbitrary, but not whether it lives.
    pub(super) fn forget(&mut self, object: ObjectName, when: Term, updates: &mut Updates) {
        let encoding = self.encoding;
        for tracked in encoding.cells_of(object) {
            let term = match tracked.cell {
                CellName::One { scalar, .. } => self.anything(scalar).value.term,
                CellName::Many { .. } => self.any_array(tracked.symbol),
                CellName::Alive(_) => continue,
            };
            self.update(tracked.symbol, term, when, updates);
        }
    }

    pub(super) fn any_array(&mut self, symbol: Symbol) -> Term {
        self.arbitrary(&self.terms().name(symbol), self.terms().sort_of_symbol(symbol))
    }

    pub(super) fn update(&self, symbol: Symbol, new: Term, when: Term, updates: &mut Updates) {
        let terms = self.terms();
        let old = updates.get(&symbol).copied().unwrap_or_else(|| terms.variable(symbol));
        updates.insert(symbol, terms.ite(when, new, old));
    }

    pub(super) fn is_literal(&self, object: ObjectName) -> bool {
        match object {
            ObjectName::Variable(id) => matches!(self.program().variables[id].kind, VariableKind::Literal { .. }),
            ObjectName::Heap(_) => false,
        }
    }

    /// Writes to some bytes of an object.
    pub(super) fn write_object(
        &mut self,
        object: ObjectName,
        within: &Within,
        written: &WrittenValue,
        when: Term,
        updates: &mut Updates,
    ) {
        let encoding = self.encoding;
        for tracked in encoding.cells_of(object) {
            // What was written before in the same step is there already.
            let old = updates.get(&tracked.symbol).copied().unwrap_or_else(|| self.terms().variable(tracked.symbol));
            let new = match tracked.cell {
                CellName::One { offset, scalar, .. } => self.written_one(old, offset, scalar, within, written),
                CellName::Many { scalar, unit, .. } => self.written_many(tracked, old, (scalar, unit), within, written),
                CellName::Alive(_) => None,
            };
            if let Some(new) = new {
                self.update(tracked.symbol, new, when, updates);
            }
        }
    }

    /// The new value of a cell; none where it is not touched.
    fn written_one(
        &mut self,
        old: Term,
        offset: u64,
        held: Scalar,
        within: &Within,
        written: &WrittenValue,
    ) -> Option<Term> {
        let (terms, bits) = (self.terms(), self.encoding.bits(held));
        // The bytes at which the written bits have one in common with the cell.
        let first = (offset + 1).saturating_sub(within.bit + within.width).div_ceil(8);
        let end = (offset + bits).saturating_sub(within.bit).div_ceil(8);
        let mut overlapping: Vec<u64> = within.candidates(first, end).collect();
        let exact = match written {
            WrittenValue::Scalar(scalar, value) if offset % 8 == within.bit && self.fits(held, *scalar, within) => {
                let at = offset / 8;
                let possible = overlapping.contains(&at);
                overlapping.retain(|&other| other != at);
                possible.then(|| (at, self.reread(value, *scalar, held).term))
            }
            _ => None,
        };
        if overlapping.is_empty() && exact.is_none() {
            return None;
        }
        let mut new = old;
        if let (Some(first), Some(last)) = (overlapping.first(), overlapping.last()) {
            let any = self.anything(held).value.term;
            let here = match within.constant() {
                Some(_) => terms.truth(true),
                None => self.encoding.between(&BigInt::from(*first), within.term, &BigInt::from(*last)),
            };
            new = terms.ite(here, any, new);
        }
        if let Some((at, value)) = exact {
            let here = self.is_at(within, at);
            new = terms.ite(here, value, new);
        }
        Some(new)
    }

    /// The new value of an array; none where it is not touched.
    fn written_many(
        &mut self,
        tracked: &Tracked,
        array: Term,
        (held, unit): (Scalar, u64),
        within: &Within,
        written: &WrittenValue,
    ) -> Option<Term> {
        let (terms, bytes) = (self.terms(), self.encoding.bits(held) / 8);
        let index = |at: u64| terms.integer(at / unit);
        let exact = match written {
            WrittenValue::Scalar(scalar, value) if within.bit == 0 && self.fits(held, *scalar, within) => {
                Some(self.reread(value, *scalar, held).term)
            }
            _ => None,
        };
        if let Some(at) = within.constant() {
            let start = at * 8 + within.bit;
            let touched: Vec<u64> = tracked.overlapped(bytes, start, start + within.width).collect();
            if touched.is_empty() {
                return None;
            }
            if touched.len() > MOST_UNEVEN_POSITIONS {
                return Some(self.any_array(tracked.symbol));
            }
            let mut new = array;
            for position in touched {
                let element = match exact {
                    Some(value) if position == at => value,
                    _ => self.anything(held).value.term,
                };
                new = terms.store(new, index(position), element);
            }
            return Some(new);
        }
        let is_touched = |at: u64| {
            let start = at * 8 + within.bit;
            tracked.overlapped(bytes, start, start + within.width).next().is_some()
        };
        if !within.candidates(within.low, within.high + 1).any(is_touched) {
            return None;
        }
        let here = self.is_position(tracked, within);
        let stored = exact.map(|value| terms.store(array, terms.div(within.term, terms.integer(unit)), value));
        if let Some(stored) = stored.filter(|_| terms.as_truth(here) == Some(true)) {
            return Some(stored);
        }
        // Elsewhere the elements in which the first and the last byte lie are touched, and none else if it is short.
        let needed = (within.bit + within.width).div_ceil(8);
        let otherwise = match tracked.progression(bytes) {
            Some((first, step)) if needed <= step && first.is_multiple_of(unit) && step.is_multiple_of(unit) => {
                let element_at = |byte: Term| {
                    let number = terms.div(terms.subtract(byte, terms.integer(first)), terms.integer(step));
                    terms.add([terms.integer(first / unit), terms.scale(BigInt::from(step / unit), number)])
                };
                let last = terms.add([within.term, terms.integer(needed.max(1) - 1)]);
                let (one, two) = (self.anything(held).value.term, self.anything(held).value.term);
                terms.store(terms.store(array, element_at(within.term), one), element_at(last), two)
            }
            _ => self.any_array(tracked.symbol),
        };
        Some(match stored {
            Some(stored) => terms.ite(here, stored, otherwise),
            None => otherwise,
        })
    }

    /// Whether some bytes begin at a byte, which is one of those where they may.
    fn is_at(&self, within: &Within, byte: u64) -> Term {
        let terms = self.terms();
        within.constant().map_or_else(|| terms.equal(within.term, terms.integer(byte)), |_| terms.truth(true))
    }

    /// Whether some bytes are exactly those of one of many scalars.
    fn is_position(&self, tracked: &Tracked, within: &Within) -> Term {
        let terms = self.terms();
        let is_one = |at: u64| tracked.positions.binary_search(&at).is_ok();
        let mut candidates = within.candidates(within.low, within.high + 1);
        if within.step > 1 || within.low == within.high {
            if candidates.all(is_one) {
                return terms.truth(true);
            }
            if !within.candidates(within.low, within.high + 1).any(is_one) {
                return terms.truth(false);
            }
        }
        let Some(&last) = tracked.positions.last() else { return terms.truth(false) };
        match tracked.progression(within.width / 8) {
            Some((first, step)) => {
                let distance = terms.subtract(within.term, terms.integer(first));
                let even = terms.equal(terms.modulo(distance, terms.integer(step)), terms.integer(0));
                terms.and([even, self.encoding.between(&first.into(), within.term, &last.into())])
            }
            None if tracked.positions.len() <= MOST_UNEVEN_POSITIONS => {
                terms.or(tracked.positions.iter().map(|&at| terms.equal(within.term, terms.integer(at))))
            }
            None => terms.truth(false),
        }
    }

    /// Whether a cell of a type holds what is read or written at another, in so many bits.
    fn fits(&self, held: Scalar, other: Scalar, within: &Within) -> bool {
        let is_same = match (held, other) {
            (Scalar::Int(held), Scalar::Int(other)) => held.bits == other.bits,
            (held, other) => held == other,
        };
        is_same && self.encoding.bits(held) == within.width
    }

    /// The value of a cell, read at a type of the same width.
    fn reread(&self, value: &Number, from: Scalar, to: Scalar) -> Number {
        match (from, to) {
            (Scalar::Int(_), Scalar::Int(to)) => self.ranged(value, to),
            _ => value.clone(),
        }
    }

    /// An array of values that are given at some positions.
    pub(super) fn array_of(&mut self, name: &str, sort: Sort, elements: Vec<(u64, Term)>) -> Term {
        let terms = self.terms();
        let array = self.arbitrary(name, sort);
        for (index, element) in elements {
            self.facts.push(terms.equal(terms.select(array, terms.integer(index)), element));
        }
        array
    }
}
