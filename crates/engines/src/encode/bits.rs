//! Operations on bits as terms, each with what arithmetic may know of it beside the exact formula: `docs/design/bits.md`.

use logic::{BitOperation, Term};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use program::semantics::arithmetic::largest;
use program::{BinaryOp, IntType};
use task::Reason;

use super::expression::{Encoded, Encoder, is_not_negative};
use super::vocabulary::Bounds;

/// Masks with more runs of ones than this are bit-vectors.
const MOST_RUNS: usize = 4;

impl Encoder<'_, '_> {
    /// `&`, `|` and `^`: as arithmetic where that is exact, as bit-vectors otherwise.
    pub(super) fn bits(&self, op: BinaryOp, ty: IntType, left: Encoded, right: Encoded) -> Result<Encoded, Reason> {
        let terms = self.terms();
        let defined = terms.and([left.defined, right.defined]);
        let is_bit = |bounds: &Bounds| {
            is_not_negative(bounds) && bounds.high.as_ref().is_some_and(|high| *high <= BigInt::one())
        };
        if is_bit(&left.bounds) && is_bit(&right.bounds) {
            let is_set = |term: Term| terms.equal(term, terms.integer(1));
            let (a, b) = (is_set(left.term), is_set(right.term));
            let set = match op {
                BinaryOp::BitAnd => terms.and([a, b]),
                BinaryOp::BitOr => terms.or([a, b]),
                _ => terms.not(terms.iff(a, b)),
            };
            let bounds = Bounds::between(BigInt::zero(), BigInt::one());
            return Ok(Encoded { term: self.number(set), defined, bounds });
        }
        // A mask of the last bits is a remainder, on infinite two's complement too; a run of bits is the difference of two.
        for (value, mask) in [(&left, &right), (&right, &left)] {
            if op == BinaryOp::BitAnd
                && let (Some(low), Some(high)) = (&mask.bounds.low, &mask.bounds.high)
                && low == high
                && low.is_positive()
                && let Some(runs) = runs_of_ones(low)
            {
                let rest = |bit: u64| terms.modulo(value.term, terms.integer(BigInt::one() << bit));
                let term = terms.add(runs.into_iter().map(|(first, end)| terms.subtract(rest(end), rest(first))));
                return Ok(Encoded { term, defined, bounds: Bounds::between(BigInt::zero(), low.clone()) });
            }
        }
        let width = if self.vocabulary.is_machine() {
            u32::from(ty.bits)
        } else {
            let bits = |bounds: &Bounds| Some(bounds.low.as_ref()?.bits().max(bounds.high.as_ref()?.bits()) as u32 + 1);
            match (bits(&left.bounds), bits(&right.bounds)) {
                (Some(one), Some(two)) => one.max(two),
                _ => return self.refuse("a bit operation on ideal integers without known bounds"),
            }
        };
        let (a, b) = (terms.int_to_bits(width, left.term), terms.int_to_bits(width, right.term));
        let combined = match op {
            BinaryOp::BitAnd => terms.bv_and(a, b),
            BinaryOp::BitOr => terms.bv_or(a, b),
            _ => terms.bv_xor(a, b),
        };
        let ty = IntType { bits: width as u16, signed: !self.vocabulary.is_machine() || ty.signed };
        let known = [&left, &right].map(|operand| is_not_negative(&operand.bounds));
        let is_positive = if op == BinaryOp::BitAnd { known[0] || known[1] } else { known[0] && known[1] };
        let mut result = self.number_of_bits(combined, ty, is_positive, defined);
        if is_positive {
            let highs = [&left, &right].into_iter().filter(|operand| is_not_negative(&operand.bounds));
            let highs = highs.filter_map(|operand| operand.bounds.high.clone());
            let high = match op {
                BinaryOp::BitAnd => highs.min(),
                // As many bits as the longer one has.
                _ => highs.max().map(|high| (BigInt::one() << high.bits()) - 1),
            };
            result.bounds.high = high.into_iter().chain(result.bounds.high).min();
        }
        self.note_bits(op, ty, &left, &right, result.term);
        Ok(result)
    }

    /// Notes what arithmetic may know of the result of an operation on bits. It must hold always: an operand that is
    /// undefined, and perhaps not evaluated at all, may be outside of its type.
    fn note_bits(&self, op: BinaryOp, ty: IntType, left: &Encoded, right: &Encoded, result: Term) {
        let terms = self.terms();
        let zero = terms.integer(0);
        let positive = |operand: &Encoded| match is_not_negative(&operand.bounds) {
            true => terms.truth(true),
            false => Bounds::between(BigInt::zero(), largest(ty)).hold_for(terms, operand.term),
        };
        let (x, y) = (left.term, right.term);
        let mut facts = self.facts.borrow_mut();
        if op == BinaryOp::BitAnd {
            for operand in [left, right].into_iter().filter(|operand| terms.as_integer(operand.term).is_none()) {
                let inside = [terms.less_equal(zero, result), terms.less_equal(result, operand.term)];
                facts.push(terms.implies(positive(operand), terms.and(inside)));
            }
            return;
        }
        let (least, most) = match op {
            BinaryOp::BitOr => ([x, y], terms.add([x, y])),
            _ => ([terms.subtract(x, y), terms.subtract(y, x)], terms.add([x, y])),
        };
        let inside = least.into_iter().chain([zero]).map(|least| terms.less_equal(least, result));
        let inside = terms.and(inside.chain([terms.less_equal(result, most)]));
        facts.push(terms.implies(terms.and([positive(left), positive(right)]), inside));
    }

    /// A shift of a machine integer by any count.
    pub(super) fn shift_by_bits(&self, op: BinaryOp, ty: IntType, left: &Encoded, right: &Encoded) -> Encoded {
        let terms = self.terms();
        let is_possible = Bounds::between(BigInt::zero(), BigInt::from(ty.bits) - 1).hold_for(terms, right.term);
        let operation = match op {
            BinaryOp::ShiftLeft => BitOperation::ShiftLeft,
            _ if ty.signed => BitOperation::ArithmeticShiftRight,
            _ => BitOperation::LogicalShiftRight,
        };
        let operands = [left, right].map(|operand| terms.int_to_bits(u32::from(ty.bits), operand.term));
        let defined = terms.and([left.defined, right.defined, is_possible]);
        let is_positive = op == BinaryOp::ShiftRight && is_not_negative(&left.bounds);
        let mut shifted = self.number_of_bits(terms.bits(operation, &operands), ty, is_positive, defined);
        if is_positive {
            shifted.bounds.high = left.bounds.high.clone().or(shifted.bounds.high);
            let is_moved = terms.less_equal(terms.integer(1), right.term);
            let half = terms.less_equal(terms.add([shifted.term, shifted.term]), left.term);
            let facts = [terms.less_equal(shifted.term, left.term), terms.implies(is_moved, half)];
            self.facts.borrow_mut().push(terms.implies(is_possible, terms.and(facts)));
        }
        shifted
    }

    /// The number of a type that so many bits are.
    fn number_of_bits(&self, bits: Term, ty: IntType, is_positive: bool, defined: Term) -> Encoded {
        let terms = self.terms();
        let number = terms.bits_to_int(bits);
        if is_positive || !ty.signed {
            return Encoded { term: number, defined, bounds: Bounds::between(BigInt::zero(), largest(ty)) };
        }
        let is_negative = terms.less(terms.integer(largest(ty)), number);
        let below = terms.subtract(number, terms.integer(BigInt::one() << ty.bits));
        Encoded { term: terms.ite(is_negative, below, number), defined, bounds: Bounds::of_type(ty) }
    }
}

/// The runs of ones in a number that is not negative, by their first bit and the one behind their last, if they are few.
fn runs_of_ones(number: &BigInt) -> Option<Vec<(u64, u64)>> {
    let mut runs = Vec::new();
    let mut bit = 0;
    while bit < number.bits() {
        let first = (bit..number.bits()).find(|&at| number.bit(at))?;
        bit = (first..=number.bits()).find(|&at| !number.bit(at))?;
        runs.push((first, bit));
        if runs.len() > MOST_RUNS {
            return None;
        }
    }
    Some(runs)
}
