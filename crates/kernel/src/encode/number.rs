//! Integer terms with bounds that are known of them, and the operations of the machine on them.
//!
//! Terms are mathematical integers. What leaves the range of a machine type is brought back by one turn where the bounds
//! show that one is enough, by a remainder otherwise, and not at all where they show that nothing leaves it. Every term
//! is total: a divisor that may be zero is replaced by one that is not, since the step is undefined there anyway.

use logic::{BitOperation, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use program::semantics::arithmetic::{largest, smallest};
use program::{BinaryOp, IntType};

/// Masks with more runs of ones than this are not taken apart.
const MOST_RUNS: usize = 4;

/// Shifts of a constant by an amount below this are written out.
const LARGEST_SHIFT_BITS: u64 = 128;

/// An integer term with what is known of its value.
#[derive(Clone, Debug)]
pub(super) struct Number {
    /// The term; of sort `Bool` where the scalar is a truth value.
    pub term: Term,
    /// A bound from below.
    pub low: Option<BigInt>,
    /// A bound from above.
    pub high: Option<BigInt>,
}

impl Number {
    /// A term of which nothing is known.
    pub fn unbounded(term: Term) -> Self {
        Self { term, low: None, high: None }
    }

    /// A number.
    pub fn constant(terms: &Terms, value: impl Into<BigInt>) -> Self {
        let value = value.into();
        Self { term: terms.integer(value.clone()), low: Some(value.clone()), high: Some(value) }
    }

    /// A term that lies in the range of a type.
    pub fn of_type(term: Term, ty: IntType) -> Self {
        Self { term, low: Some(smallest(ty)), high: Some(largest(ty)) }
    }

    /// Whether it is known to lie between two numbers.
    pub fn is_within(&self, low: &BigInt, high: &BigInt) -> bool {
        self.low.as_ref().is_some_and(|known| known >= low) && self.high.as_ref().is_some_and(|known| known <= high)
    }

    /// The number that it must be, if its bounds leave one only.
    pub fn value(&self) -> Option<&BigInt> {
        self.low.as_ref().filter(|low| Some(*low) == self.high.as_ref())
    }

    fn is_not_negative(&self) -> bool {
        self.low.as_ref().is_some_and(|low| !low.is_negative())
    }

    fn is_bit(&self) -> bool {
        self.is_within(&BigInt::zero(), &BigInt::one())
    }
}

/// The sum.
pub(super) fn add(terms: &Terms, left: &Number, right: &Number) -> Number {
    let sum = |a: &Option<BigInt>, b: &Option<BigInt>| Some(a.as_ref()? + b.as_ref()?);
    Number {
        term: terms.add([left.term, right.term]),
        low: sum(&left.low, &right.low),
        high: sum(&left.high, &right.high),
    }
}

/// A multiple.
pub(super) fn scale(terms: &Terms, factor: &BigInt, number: &Number) -> Number {
    let times = |bound: &Option<BigInt>| bound.as_ref().map(|bound| bound * factor);
    let (low, high) = (times(&number.low), times(&number.high));
    let (low, high) = if factor.is_negative() { (high, low) } else { (low, high) };
    Number { term: terms.scale(factor.clone(), number.term), low, high }
}

/// The difference.
pub(super) fn subtract(terms: &Terms, left: &Number, right: &Number) -> Number {
    add(terms, left, &scale(terms, &-BigInt::one(), right))
}

/// One of two, by a condition.
pub(super) fn choose(terms: &Terms, condition: Term, left: &Number, right: &Number) -> Number {
    match terms.as_truth(condition) {
        Some(true) => return left.clone(),
        Some(false) => return right.clone(),
        None => {}
    }
    let both = |a: &Option<BigInt>, b: &Option<BigInt>, least: bool| {
        let (a, b) = (a.clone()?, b.clone()?);
        Some(if least { a.min(b) } else { a.max(b) })
    };
    Number {
        term: terms.ite(condition, left.term, right.term),
        low: both(&left.low, &right.low, true),
        high: both(&left.high, &right.high, false),
    }
}

/// The number in the range of a type that has the same last bits.
pub(super) fn wrap(terms: &Terms, number: &Number, ty: IntType) -> Number {
    let (least, greatest) = (smallest(ty), largest(ty));
    if number.is_within(&least, &greatest) {
        return number.clone();
    }
    let turn = BigInt::one() << ty.bits;
    if number.is_within(&(&least - &turn), &(&greatest + &turn)) {
        let (low, high) = (number.low.as_ref().expect("bounded"), number.high.as_ref().expect("bounded"));
        let down = terms.subtract(number.term, terms.integer(turn.clone()));
        let up = terms.add([number.term, terms.integer(turn)]);
        let mut term = number.term;
        if *low < least {
            let below = terms.less(number.term, terms.integer(least.clone()));
            term = if *high < least { up } else { terms.ite(below, up, term) };
        }
        if *high > greatest {
            let above = terms.greater(number.term, terms.integer(greatest.clone()));
            term = if *low > greatest { down } else { terms.ite(above, down, term) };
        }
        return Number::of_type(term, ty);
    }
    let (turn, least) = (terms.integer(turn), terms.integer(least));
    let term = terms.add([terms.modulo(terms.subtract(number.term, least), turn), least]);
    Number::of_type(term, ty)
}

/// The quotient of C, which truncates, or the remainder, which has the sign of the left operand.
pub(super) fn divide(terms: &Terms, left: &Number, right: &Number, wants_remainder: bool) -> Number {
    let zero = terms.integer(0);
    let divisor = if right.value().is_some_and(|value| !value.is_zero()) {
        right.term
    } else {
        terms.ite(terms.equal(right.term, zero), terms.integer(1), right.term)
    };
    let of = |dividend: Term| {
        if wants_remainder { terms.modulo(dividend, divisor) } else { terms.div(dividend, divisor) }
    };
    let term = if left.is_not_negative() {
        of(left.term)
    } else {
        let opposite = terms.negate(of(terms.negate(left.term)));
        terms.ite(terms.greater_equal(left.term, zero), of(left.term), opposite)
    };
    // Neither the quotient nor the remainder is farther from zero than the dividend.
    let (mut low, mut high) = match (&left.low, &left.high) {
        (Some(low), Some(high)) => {
            let most = low.abs().max(high.abs());
            (Some(-&most), Some(most))
        }
        _ => (None, None),
    };
    if left.is_not_negative() && (wants_remainder || right.is_not_negative()) {
        low = Some(BigInt::zero());
        high = left.high.clone();
    }
    if let Some(divisor) = right.value().filter(|value| wants_remainder && !value.is_zero()) {
        let most: BigInt = divisor.abs() - 1;
        high = Some(high.map_or(most.clone(), |high| high.min(most.clone())));
        low = Some(low.map_or(-&most, |low| low.max(-most)));
    }
    Number { term, low, high }
}

/// The product of a number and a power of two.
pub(super) fn shift_left(terms: &Terms, number: &Number, count: u64) -> Number {
    scale(terms, &(BigInt::one() << count), number)
}

/// The quotient by a power of two, rounded down.
pub(super) fn shift_right(terms: &Terms, number: &Number, count: u64) -> Number {
    let shifted = |bound: &Option<BigInt>| bound.as_ref().map(|bound| bound >> count);
    let term = terms.div(number.term, terms.integer(BigInt::one() << count));
    Number { term, low: shifted(&number.low), high: shifted(&number.high) }
}

/// A constant shifted by an amount below `most`, case by case.
pub(super) fn shifted_constant(terms: &Terms, value: &BigInt, count: &Number, most: u64, left: bool) -> Option<Number> {
    let most = match count.high.as_ref().and_then(ToPrimitive::to_u64) {
        Some(high) => most.min(high.saturating_add(1)),
        None => most,
    };
    if most == 0 || most > LARGEST_SHIFT_BITS {
        return None;
    }
    let shift = |count: u64| -> BigInt { if left { value << count } else { value >> count } };
    let mut result = Number::constant(terms, shift(most - 1));
    for at in (0..most - 1).rev() {
        let here = terms.equal(count.term, terms.integer(at));
        result = choose(terms, here, &Number::constant(terms, shift(at)), &result);
    }
    Some(result)
}

/// A bit operation on infinite two's complement, where it can be written exactly.
pub(super) fn bits(terms: &Terms, op: BinaryOp, left: &Number, right: &Number) -> Option<Number> {
    if left.term == right.term {
        return Some(if op == BinaryOp::BitXor { Number::constant(terms, 0) } else { left.clone() });
    }
    let common = conjunction(terms, left, right)?;
    Some(match op {
        BinaryOp::BitAnd => common,
        // What both have was counted twice.
        BinaryOp::BitOr => {
            let mut sum = subtract(terms, &add(terms, left, right), &common);
            tighten(&mut sum, left, right);
            sum
        }
        _ => {
            let mut sum = subtract(terms, &add(terms, left, right), &scale(terms, &2.into(), &common));
            tighten(&mut sum, left, right);
            sum
        }
    })
}

/// An operation on the bits that two numbers have in a type.
pub(super) fn by_bits(terms: &Terms, op: BitOperation, left: &Number, right: &Number, ty: IntType) -> Number {
    let operands = [left, right].map(|number| terms.int_to_bits(u32::from(ty.bits), number.term));
    let unsigned = IntType::unsigned(ty.bits);
    wrap(terms, &Number::of_type(terms.bits_to_int(terms.bits(op, &operands)), unsigned), ty)
}

/// A signed type that has room for a number.
pub(super) fn signed_type(number: &Number) -> Option<IntType> {
    let bits = number.low.as_ref()?.bits().max(number.high.as_ref()?.bits()) + 1;
    (bits <= LARGEST_SHIFT_BITS).then(|| IntType::signed(bits as u16))
}

/// The bits of a disjunction of numbers that are not negative are those of the longer one at most.
fn tighten(result: &mut Number, left: &Number, right: &Number) {
    if left.is_not_negative()
        && right.is_not_negative()
        && let (Some(left), Some(right)) = (&left.high, &right.high)
    {
        result.low = Some(BigInt::zero());
        result.high = Some((BigInt::one() << left.bits().max(right.bits())) - 1);
    }
}

fn conjunction(terms: &Terms, left: &Number, right: &Number) -> Option<Number> {
    if let (Some(left), Some(right)) = (left.value(), right.value()) {
        return Some(Number::constant(terms, left & right));
    }
    if left.is_bit() && right.is_bit() {
        let one = terms.integer(1);
        let both = terms.and([terms.equal(left.term, one), terms.equal(right.term, one)]);
        let term = terms.ite(both, one, terms.integer(0));
        return Some(Number { term, low: Some(BigInt::zero()), high: Some(BigInt::one()) });
    }
    let (number, mask) = match (left.value(), right.value()) {
        (Some(mask), _) => (right, mask),
        (_, Some(mask)) => (left, mask),
        _ => return None,
    };
    if mask.is_negative() {
        // x & m is x without x & ~m, and ~m is not negative.
        let rest = masked(terms, number, &(-mask - BigInt::one()))?;
        let mut result = subtract(terms, number, &rest);
        (result.low, result.high) = (None, number.high.clone());
        if number.is_not_negative() {
            result.low = Some(BigInt::zero());
        }
        return Some(result);
    }
    masked(terms, number, mask)
}

/// The bits of a number under a mask that is not negative: run of ones by run of ones.
fn masked(terms: &Terms, number: &Number, mask: &BigInt) -> Option<Number> {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for bit in (0..mask.bits()).filter(|&bit| mask.bit(bit)) {
        match runs.last_mut() {
            Some((_, end)) if *end == bit => *end += 1,
            _ => runs.push((bit, bit + 1)),
        }
    }
    if runs.len() > MOST_RUNS {
        return None;
    }
    let low_bits = |count: u64| {
        let turn = BigInt::one() << count;
        if number.is_within(&BigInt::zero(), &(&turn - 1)) {
            return number.term;
        }
        terms.modulo(number.term, terms.integer(turn))
    };
    let parts: Vec<Term> =
        runs.into_iter().map(|(start, end)| terms.subtract(low_bits(end), low_bits(start))).collect();
    Some(Number { term: terms.add(parts), low: Some(BigInt::zero()), high: Some(mask.clone()) })
}
