//! Addresses as numbers. See the head of the [folder](super) for which number an address has.
//!
//! The numbers that belong to an object with a declared address are its *region*: offsets are signed numbers of a
//! pointer's width, also those that lie outside the object. When an object dies, the interpreter makes all pointers to it
//! dangling, so that using one is undefined. Here pointers to a local variable become any number beyond then, so that
//! those of its next lifetime can be told apart; pointers to a heap object keep their number, since it lives only once.

use logic::Term;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use program::{CompareOp, Scalar, VariableId};

use super::evaluation::Evaluation;
use super::memory::Updates;
use super::number::{self, Number};
use super::vocabulary::Placed;
use super::{CellName, ObjectName};
use program::lifetimes::Life;

impl Evaluation<'_, '_> {
    fn space(&self) -> BigInt {
        BigInt::one() << self.program().types.data_model().pointer_bits()
    }

    fn is_in_region(&self, placed: &Placed, address: Term) -> Term {
        let half = self.space() >> 1;
        self.encoding.between(&(&placed.base - &half), address, &(&placed.base + &half - 1))
    }

    /// Whether an address is a machine's own number: null, a function, a device register, or nothing's.
    pub(super) fn is_plain(&self, address: Term) -> Term {
        self.encoding.between(&BigInt::zero(), address, &(self.space() - 1))
    }

    /// Whether an address is one of an object without a declared address.
    pub(super) fn is_beyond(&self, address: Term) -> Term {
        let terms = self.terms();
        terms.greater_equal(address, terms.integer(self.encoding.addresses.beyond.clone()))
    }

    /// When an object with a declared address can be accessed through pointers to it.
    pub(super) fn lives(&mut self, object: ObjectName) -> Term {
        let (encoding, terms) = (self.encoding, self.terms());
        match object {
            ObjectName::Variable(variable) => match encoding.lifetimes.at(encoding.prepared, variable, self.location) {
                Life::Alive => terms.truth(true),
                Life::Dead => terms.truth(false),
                Life::Unknown => {
                    encoding.note("whether a pointer to a local variable is still valid", self.span);
                    self.maybe()
                }
            },
            ObjectName::Heap(allocation) if !encoding.lifetimes.is_freed(allocation) => terms.truth(true),
            ObjectName::Heap(_) => match encoding.alive(object) {
                Some(symbol) => terms.variable(symbol),
                None => self.maybe(),
            },
        }
    }

    /// The lifetime of a variable ends: pointers to it become dangling.
    pub(super) fn sweep(&mut self, variable: VariableId, updates: &mut Updates) {
        let (encoding, terms) = (self.encoding, self.terms());
        let mut placed = encoding.addresses.placed.iter();
        let Some(placed) = placed.find(|placed| placed.object == ObjectName::Variable(variable)) else { return };
        for tracked in &encoding.cells {
            match tracked.cell {
                CellName::One { scalar: Scalar::Pointer, .. } => {
                    let here = self.is_in_region(placed, terms.variable(tracked.symbol));
                    let dangling = self.somewhere_beyond();
                    self.update(tracked.symbol, dangling, here, updates);
                }
                CellName::Many { scalar: Scalar::Pointer, .. } => {
                    encoding.note("which pointers in an array point to a variable that dies", self.span);
                    let any = self.any_array(tracked.symbol);
                    updates.insert(tracked.symbol, any);
                }
                _ => {}
            }
        }
    }

    /// An address of an object that is not declared, or of none any more.
    pub(super) fn somewhere_beyond(&mut self) -> Term {
        let value = self.anything(Scalar::Pointer).value.term;
        let beyond = self.is_beyond(value);
        self.facts.push(beyond);
        value
    }

    /// When an address is that of an object which has died.
    pub(super) fn dangling(&mut self, address: Term) -> Term {
        let (encoding, terms) = (self.encoding, self.terms());
        let mut cases = Vec::new();
        for placed in &encoding.addresses.placed {
            let here = self.is_in_region(placed, address);
            if terms.as_truth(here) == Some(false) {
                continue;
            }
            let lives = self.lives(placed.object);
            cases.push(terms.and([here, terms.not(lives)]));
        }
        let beyond = self.is_beyond(address);
        if encoding.addresses.has_mortal_strangers && terms.as_truth(beyond) != Some(false) {
            let died = self.maybe();
            cases.push(terms.and([beyond, died]));
        }
        terms.or(cases)
    }

    /// The address so many bytes further, and when that is undefined. Without a `check` it is only computed by the way,
    /// for an access that is undefined for a dangling pointer anyway.
    pub(super) fn displace(&mut self, address: Term, bytes: &Number, check: bool) -> (Term, Term) {
        let (encoding, terms) = (self.encoding, self.terms());
        let dangling = if check { self.dangling(address) } else { terms.truth(false) };
        if bytes.value().is_some_and(Zero::is_zero) {
            return (address, dangling);
        }
        let moved = terms.add([address, bytes.term]);
        // If one cannot come from one region to another, it is enough to see that one is in some region.
        let gap = &encoding.addresses.gap;
        let is_short = bytes.is_within(&-gap, gap);
        let mut same = Vec::new();
        let stays = |before: Term, after: Term| if is_short { after } else { terms.and([before, after]) };
        for placed in &encoding.addresses.placed {
            same.push(stays(self.is_in_region(placed, address), self.is_in_region(placed, moved)));
        }
        same.push(stays(self.is_plain(address), self.is_plain(moved)));
        let beyond = terms.and([self.is_beyond(address), self.is_beyond(moved)]);
        let exact = terms.or(same);
        if !encoding.is_machine() {
            // Leaving the address space is undefined. Of an object that is not declared it is not known where it lies.
            let left = terms.not(terms.or([exact, beyond]));
            let unclear = match encoding.addresses.has_strangers && terms.as_truth(beyond) != Some(false) {
                true => terms.and([self.is_beyond(address), self.maybe()]),
                false => terms.truth(false),
            };
            return (moved, terms.or([dangling, left, unclear]));
        }
        if terms.as_truth(exact) == Some(true) {
            return (moved, dangling);
        }
        let wrapped = self.anything(Scalar::Pointer).value.term;
        if encoding.addresses.has_strangers {
            // Where an undeclared object lies is not known, but it is not left.
            self.facts.push(terms.implies(self.is_beyond(address), self.is_beyond(wrapped)));
        }
        (terms.ite(exact, moved, wrapped), dangling)
    }

    pub(super) fn compare_pointers(&mut self, op: CompareOp, left: Term, right: Term) -> (Term, Term) {
        let terms = self.terms();
        let mut undefined = vec![self.dangling(left), self.dangling(right)];
        if matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            let mut equal = terms.equal(left, right);
            // An object's address may have any number, but not that of null.
            let number = |term: Term| terms.and([self.is_plain(term), terms.distinct(term, terms.integer(0))]);
            let object = |term: Term| terms.not(self.is_plain(term));
            let mixed = terms.or([terms.and([number(left), object(right)]), terms.and([object(left), number(right)])]);
            if terms.as_truth(mixed) != Some(false) {
                let either = self.maybe();
                equal = terms.ite(mixed, either, equal);
            }
            let truth = if op == CompareOp::Equal { equal } else { terms.not(equal) };
            return (truth, terms.or(undefined));
        }
        undefined.push(self.unrelated(left, right));
        (self.compare_numbers(op, left, right), terms.or(undefined))
    }

    /// When two addresses do not lie in one object, and are not both numbers.
    fn unrelated(&mut self, left: Term, right: Term) -> Term {
        let (encoding, terms) = (self.encoding, self.terms());
        let mut same: Vec<Term> = (encoding.addresses.placed.iter())
            .map(|placed| terms.and([self.is_in_region(placed, left), self.is_in_region(placed, right)]))
            .collect();
        let mut plain = terms.and([self.is_plain(left), self.is_plain(right)]);
        if encoding.addresses.has_functions && terms.as_truth(plain) != Some(false) {
            plain = terms.and([plain, self.maybe()]);
        }
        same.push(plain);
        if encoding.addresses.has_strangers {
            let beyond = terms.and([self.is_beyond(left), self.is_beyond(right)]);
            let together = self.maybe();
            same.push(terms.and([beyond, together]));
        }
        terms.not(terms.or(same))
    }

    pub(super) fn difference(&mut self, left: Term, right: Term, stride: u64, ty: Scalar) -> (Number, Term) {
        let terms = self.terms();
        let Scalar::Int(ty) = ty else { return (self.anything(ty).value, self.maybe()) };
        let space = self.space();
        let bytes = Number { term: terms.subtract(left, right), low: Some(-&space), high: Some(space) };
        let stride = terms.integer(stride.max(1));
        let undefined = [
            self.dangling(left),
            self.dangling(right),
            self.unrelated(left, right),
            terms.distinct(terms.modulo(bytes.term, stride), terms.integer(0)),
        ];
        let quotient = Number { term: terms.div(bytes.term, stride), ..bytes };
        (self.ranged(&quotient, ty), terms.or(undefined))
    }

    /// The number of an address, and when asking for it is undefined. Those of objects are arbitrary.
    pub(super) fn address_number(&mut self, address: Term) -> (Number, Term) {
        let (encoding, terms) = (self.encoding, self.terms());
        let undefined = self.dangling(address);
        let ty = encoding.program().types.pointer_int(false);
        let plain = self.is_plain(address);
        if terms.as_truth(plain) == Some(true) {
            return (Number::of_type(address, ty), undefined);
        }
        encoding.note("the number of an object's address", self.span);
        let some = self.input_like(Scalar::Int(ty));
        (Number::of_type(terms.ite(plain, address, some.term), ty), undefined)
    }

    /// A value of a machine's type that nobody asks for.
    fn input_like(&mut self, scalar: Scalar) -> Number {
        let asked = self.asked.len();
        let value = self.input("any", scalar);
        self.asked.truncate(asked);
        value
    }

    /// The address with a number: null for 0, for others maybe that of an object.
    pub(super) fn address_at(&mut self, number: &Number) -> Number {
        let terms = self.terms();
        let ty = self.program().types.pointer_int(false);
        // Also under ideal integers an address is a machine number.
        let number = number::wrap(terms, number, ty);
        if number.value().is_some_and(Zero::is_zero) {
            return Number::constant(terms, 0);
        }
        self.encoding.note("an integer as an address", self.span);
        let some = self.anything(Scalar::Pointer).value.term;
        let zero = terms.integer(0);
        self.facts.push(terms.distinct(some, zero));
        Number::unbounded(terms.ite(terms.equal(number.term, zero), zero, some))
    }
}
