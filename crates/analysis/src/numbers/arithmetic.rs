//! The operations of programs on sets of integers. The result contains whatever the interpreter computes from elements
//! of the operands, as far as it computes anything: what is undefined yields nothing.
//!
//! Small sets are computed element by element, others by their bounds (Moore, "Interval Analysis", 1966). Under machine
//! integers a result that leaves its type wraps; where only part of an interval does, all of the type's range results.

use program::semantics::Integers;
use program::{BinaryOp, CompareOp, IntType, UnaryOp};

use super::interval::{Interval, LIMIT};
use super::values::Values;

/// Sets are computed with element by element while there are at most this many pairs.
const MOST_PAIRS: usize = 1024;

/// All values of a type. A type of more bits than [`LIMIT`] has is as good as unbounded.
pub fn type_range(ty: IntType) -> Interval {
    let bound = |bits: u16| if bits > 100 { i128::MAX } else { 1i128 << bits };
    let range = match (ty.signed, ty.bits) {
        (true, bits) => {
            let bound = bound(bits.max(1) - 1);
            if bound == i128::MAX { Some(Interval::ALL) } else { Interval::new(-bound, bound - 1) }
        }
        (false, bits) => Interval::new(0, bound(bits).saturating_sub(1)),
    };
    range.expect("every type has a value")
}

/// The results of a unary operation.
pub fn unary(integers: Integers, op: UnaryOp, ty: IntType, operand: &Values) -> Values {
    // -x is 0 - x, and ~x is -1 - x.
    let from = match op {
        UnaryOp::Negate => 0,
        UnaryOp::BitNot => -1,
    };
    binary(integers, BinaryOp::Subtract, ty, &Values::constant(from), operand)
}

/// The results of a binary operation.
pub fn binary(integers: Integers, op: BinaryOp, ty: IntType, left: &Values, right: &Values) -> Values {
    if let (Some(lefts), Some(rights)) = (left.explicit(), right.explicit())
        && lefts.len() * rights.len() <= MOST_PAIRS
    {
        let pairs = lefts.iter().flat_map(|left| rights.iter().map(move |right| (*left, *right)));
        let results: Option<Vec<Option<i128>>> =
            pairs.map(|(left, right)| exactly(integers, op, ty, left, right)).collect();
        if let Some(results) = results {
            return Values::of(results.into_iter().flatten());
        }
    }
    let (Some(left), Some(right)) = (left.bounds(), right.bounds()) else { return Values::none() };
    let Some(result) = by_bounds(integers, op, ty, left, right) else { return Values::none() };
    Values::interval(into_type(integers, ty, result))
}

/// The results of a conversion between integer types.
pub fn convert(integers: Integers, to: IntType, operand: &Values) -> Values {
    if integers == Integers::Ideal {
        return operand.clone();
    }
    match operand {
        Values::Set(set) => {
            let wrapped: Option<Vec<i128>> = set.iter().map(|value| wrap(*value, to)).collect();
            wrapped.map_or_else(|| Values::interval(type_range(to)), Values::of)
        }
        Values::Range(interval) => Values::interval(into_type(integers, to, *interval)),
    }
}

/// The outcomes of a comparison: whether it may be false, and whether it may be true.
pub fn compare(op: CompareOp, left: &Values, right: &Values) -> (bool, bool) {
    let (Some(mine), Some(others)) = (left.bounds(), right.bounds()) else { return (false, false) };
    let less = (mine.high() >= others.low(), mine.low() < others.high());
    let greater = (mine.low() <= others.high(), mine.high() > others.low());
    let not = |(may_be_false, may_be_true)| (may_be_true, may_be_false);
    let equal = || {
        let differ = left.single().is_none() || left.single() != right.single();
        (differ, !left.meet(right).is_none())
    };
    match op {
        CompareOp::Less => less,
        CompareOp::GreaterEqual => not(less),
        CompareOp::Greater => greater,
        CompareOp::LessEqual => not(greater),
        CompareOp::Equal => equal(),
        CompareOp::NotEqual => not(equal()),
    }
}

/// Those values for which a comparison with some of the others may be true.
pub fn restrict(op: CompareOp, values: &Values, others: &Values) -> Values {
    let Some(bounds) = others.bounds() else { return Values::none() };
    let below = |high: i128| values.meet(&Values::between(i128::MIN, high));
    let above = |low: i128| values.meet(&Values::between(low, i128::MAX));
    match op {
        CompareOp::Equal => values.meet(others),
        CompareOp::NotEqual => others.single().map_or_else(|| values.clone(), |other| values.without(other)),
        CompareOp::Less => below(bounds.high().saturating_sub(i128::from(bounds.high() != i128::MAX))),
        CompareOp::LessEqual => below(bounds.high()),
        CompareOp::Greater => above(bounds.low().saturating_add(i128::from(bounds.low() != i128::MIN))),
        CompareOp::GreaterEqual => above(bounds.low()),
    }
}

/// The number in the range of a type that has the same last bits; none where numbers are too large to tell.
pub fn wrap(value: i128, ty: IntType) -> Option<i128> {
    let range = type_range(ty);
    if range.contains(value) {
        return Some(value);
    }
    if ty.bits > 100 {
        return None;
    }
    let modulus = 1i128 << ty.bits;
    Some(value.checked_sub(range.low())?.rem_euclid(modulus) + range.low())
}

/// What one operation yields: none where numbers are too large to tell, and `Some(None)` where it is undefined.
fn exactly(integers: Integers, op: BinaryOp, ty: IntType, left: i128, right: i128) -> Option<Option<i128>> {
    let machine = integers == Integers::Machine;
    let result = match op {
        BinaryOp::Add => left.checked_add(right)?,
        BinaryOp::Subtract => left.checked_sub(right)?,
        BinaryOp::Multiply => left.checked_mul(right)?,
        BinaryOp::Divide | BinaryOp::Remainder => {
            if right == 0 || machine && !type_range(ty).contains(left / right) {
                return Some(None);
            }
            if op == BinaryOp::Divide { left / right } else { left % right }
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            if right < 0 || machine && right >= i128::from(ty.bits) {
                return Some(None);
            }
            match op {
                BinaryOp::ShiftRight => left >> right.min(127),
                _ if left == 0 => 0,
                _ if right > 100 => return None,
                _ => left.checked_mul(1 << right)?,
            }
        }
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
    };
    let result = if machine { wrap(result, ty)? } else { result };
    (result.unsigned_abs() <= LIMIT.unsigned_abs()).then_some(Some(result))
}

/// The interval of an operation's results before they are brought into their type.
fn by_bounds(integers: Integers, op: BinaryOp, ty: IntType, left: Interval, right: Interval) -> Option<Interval> {
    match op {
        BinaryOp::Add => Interval::new(add(left.low(), right.low()), add(left.high(), right.high())),
        BinaryOp::Subtract => Interval::new(add(left.low(), minus(right.high())), add(left.high(), minus(right.low()))),
        BinaryOp::Multiply => corners(left, right, multiply),
        BinaryOp::Divide => {
            let parts = [Interval::new(i128::MIN, -1), Interval::new(1, i128::MAX)];
            let divisors = parts.into_iter().flatten().filter_map(|part| right.meet(part));
            divisors.filter_map(|divisor| corners(left, divisor, divide)).reduce(Interval::hull)
        }
        BinaryOp::Remainder => {
            let largest = magnitude(right) - 1;
            if largest < 0 {
                return None;
            }
            // The remainder has the sign of the left operand, and is no larger than it or the divisor.
            let low = if left.low() < 0 { (-largest).max(left.low()) } else { 0 };
            let high = if left.high() > 0 { largest.min(left.high()) } else { 0 };
            Interval::new(low, high)
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            let most = if integers == Integers::Machine { i128::from(ty.bits) - 1 } else { i128::MAX };
            let counts = right.meet(Interval::new(0, most)?)?;
            if op == BinaryOp::ShiftRight {
                return corners(left, counts, |value, count| match value {
                    i128::MIN | i128::MAX => value,
                    _ => value >> count.min(127),
                });
            }
            let factor = |count: i128| if count > 100 { i128::MAX } else { 1i128 << count };
            corners(left, Interval::new(factor(counts.low()), factor(counts.high()))?, multiply)
        }
        BinaryOp::BitAnd if left.low() >= 0 || right.low() >= 0 => {
            let high = match (left.low() >= 0, right.low() >= 0) {
                (true, true) => left.high().min(right.high()),
                (true, false) => left.high(),
                _ => right.high(),
            };
            Interval::new(0, high)
        }
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            // No operation on bits needs more of them than its operands have.
            let bits = |value: i128| 128 - (if value < 0 { !value } else { value }).leading_zeros();
            let most = [left.low(), left.high(), right.low(), right.high()].into_iter().map(bits).max()?;
            let bound = if most > 100 { i128::MAX } else { 1i128 << most };
            let low = if left.low() >= 0 && right.low() >= 0 { 0 } else { minus(bound) };
            Interval::new(low, bound.saturating_sub(i128::from(bound != i128::MAX)))
        }
    }
}

/// An interval of results brought into a type.
fn into_type(integers: Integers, ty: IntType, result: Interval) -> Interval {
    let range = type_range(ty);
    if integers == Integers::Ideal || result.is_inside(range) {
        return result;
    }
    // All of it may wrap by the same distance.
    match (result.is_bounded(), wrap(result.low(), ty), wrap(result.high(), ty)) {
        (true, Some(low), Some(high)) if high - low == result.high() - result.low() => {
            Interval::new(low, high).expect("as far apart as before")
        }
        _ => range,
    }
}

/// The hull of an operation's results at the corners, where it is monotone in each operand.
fn corners(left: Interval, right: Interval, op: impl Fn(i128, i128) -> i128) -> Option<Interval> {
    let results = [
        op(left.low(), right.low()),
        op(left.low(), right.high()),
        op(left.high(), right.low()),
        op(left.high(), right.high()),
    ];
    Interval::new(*results.iter().min()?, *results.iter().max()?)
}

/// The largest magnitude in an interval.
fn magnitude(interval: Interval) -> i128 {
    interval.low().saturating_abs().max(interval.high().saturating_abs())
}

/// A sum of two bounds of the same kind, at most one of which is infinite in each direction.
fn add(left: i128, right: i128) -> i128 {
    match (left, right) {
        (i128::MIN | i128::MAX, _) => left,
        (_, i128::MIN | i128::MAX) => right,
        _ => left + right,
    }
}

fn minus(bound: i128) -> i128 {
    match bound {
        i128::MIN => i128::MAX,
        i128::MAX => i128::MIN,
        bound => -bound,
    }
}

fn multiply(left: i128, right: i128) -> i128 {
    let infinite = if (left < 0) == (right < 0) { i128::MAX } else { i128::MIN };
    match (left, right) {
        (0, _) | (_, 0) => 0,
        (i128::MIN | i128::MAX, _) | (_, i128::MIN | i128::MAX) => infinite,
        _ => left.checked_mul(right).unwrap_or(infinite),
    }
}

/// A quotient by a bound that is not 0; a division by infinity tends to 0.
fn divide(left: i128, right: i128) -> i128 {
    match (left, right) {
        (_, i128::MIN | i128::MAX) => 0,
        (i128::MIN | i128::MAX, _) => {
            if (left < 0) == (right < 0) {
                i128::MAX
            } else {
                i128::MIN
            }
        }
        _ => left / right,
    }
}

#[cfg(test)]
mod tests {
    use num_traits::ToPrimitive;
    use program::Scalar;
    use program::semantics::arithmetic as interpreter;
    use program::semantics::{Integers, Value};

    use super::*;

    const TYPES: [IntType; 4] = [IntType::signed(3), IntType::unsigned(3), IntType::signed(4), IntType::unsigned(2)];

    /// What the interpreter computes; none where it is undefined.
    fn computed(integers: Integers, op: BinaryOp, ty: IntType, left: i128, right: i128) -> Option<i128> {
        let (left, right) = (Value::int(left), Value::int(right));
        let computed = interpreter::binary(integers, op, Scalar::Int(ty), &left, &right).ok()?;
        Some(computed.value.as_int()?.to_i128().expect("small"))
    }

    /// All intervals in a type's range.
    fn intervals(ty: IntType) -> Vec<Interval> {
        let range = type_range(ty);
        let lows = range.low()..=range.high();
        lows.flat_map(|low| (low..=range.high()).filter_map(move |high| Interval::new(low, high))).collect()
    }

    fn both() -> [Integers; 2] {
        [Integers::Machine, Integers::Ideal]
    }

    #[test]
    fn single_values_are_computed_as_the_interpreter_does() {
        for ty in TYPES {
            let range = type_range(ty);
            for left in range.low()..=range.high() {
                for right in range.low()..=range.high() {
                    let (one, other) = (Values::constant(left), Values::constant(right));
                    for (integers, op) in both().into_iter().flat_map(|kind| BinaryOp::ALL.map(|op| (kind, op))) {
                        let expected = Values::of(computed(integers, op, ty, left, right));
                        assert_eq!(binary(integers, op, ty, &one, &other), expected, "{left} {op:?} {right} {ty:?}");
                    }
                    for op in CompareOp::ALL {
                        let truth = interpreter::ordered(op, &left, &right);
                        assert_eq!(compare(op, &one, &other), (!truth, truth));
                        assert_eq!(interpreter::ordered(op.negated(), &left, &right), !truth);
                        assert_eq!(interpreter::ordered(op.swapped(), &right, &left), truth);
                    }
                }
            }
        }
    }

    #[test]
    fn bounds_contain_all_results() {
        for (integers, ty) in both().into_iter().flat_map(|kind| TYPES[..2].iter().map(move |ty| (kind, *ty))) {
            for (left, right) in
                intervals(ty).into_iter().flat_map(|left| intervals(ty).into_iter().map(move |right| (left, right)))
            {
                for op in BinaryOp::ALL {
                    let result = by_bounds(integers, op, ty, left, right);
                    let result = result.map(|result| into_type(integers, ty, result));
                    for one in left.low()..=left.high() {
                        for other in right.low()..=right.high() {
                            if let Some(value) = computed(integers, op, ty, one, other) {
                                let inside = result.is_some_and(|result| result.contains(value));
                                assert!(inside, "{one} {op:?} {other} = {value} for {left} and {right}: {result:?}");
                            }
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn comparisons_of_sets_and_what_they_leave() {
        let ty = IntType::signed(3);
        for (left, right) in
            intervals(ty).into_iter().flat_map(|left| intervals(ty).into_iter().map(move |right| (left, right)))
        {
            let (lefts, rights) = (Values::interval(left), Values::interval(right));
            for op in CompareOp::ALL {
                let holds =
                    |one: i128| (right.low()..=right.high()).any(|other| interpreter::ordered(op, &one, &other));
                let fails =
                    |one: i128| (right.low()..=right.high()).any(|other| !interpreter::ordered(op, &one, &other));
                let mut all = left.low()..=left.high();
                assert_eq!(compare(op, &lefts, &rights), (all.clone().any(fails), all.clone().any(holds)));
                assert_eq!(restrict(op, &lefts, &rights), Values::of(all.by_ref().filter(|one| holds(*one))));
            }
        }
    }

    #[test]
    fn conversions_wrap_as_the_interpreter_does() {
        for to in TYPES {
            for interval in intervals(IntType::signed(5)) {
                let exact = interval.low()..=interval.high();
                let wrapped = |value: i128| interpreter::wrap(&value.into(), to).to_i128().expect("small");
                let values = Values::interval(interval);
                assert_eq!(convert(Integers::Machine, to, &values), Values::of(exact.clone().map(wrapped)));
                assert_eq!(convert(Integers::Ideal, to, &values), values);
                let bounds = into_type(Integers::Machine, to, interval);
                assert!(exact.clone().all(|value| bounds.contains(wrapped(value))));
            }
        }
    }

    #[test]
    fn unbounded_operands_yield_unbounded_results() {
        let all = Interval::ALL;
        let below = Interval::new(i128::MIN, 5).expect("not empty");
        let ty = IntType::signed(32);
        let result = |op, left, right| by_bounds(Integers::Ideal, op, ty, left, right).expect("not empty");
        for op in [BinaryOp::Add, BinaryOp::Subtract, BinaryOp::Multiply, BinaryOp::BitXor] {
            assert_eq!(result(op, all, below), all, "{op:?}");
        }
        let five = Interval::single(5);
        assert_eq!(result(BinaryOp::Subtract, below, five), Interval::new(i128::MIN, 0).expect("not empty"));
        assert_eq!(result(BinaryOp::Remainder, all, five), Interval::new(-4, 4).expect("not empty"));
        assert_eq!(result(BinaryOp::Divide, below, five), Interval::new(i128::MIN, 1).expect("not empty"));
        assert_eq!(result(BinaryOp::Divide, five, all), Interval::new(-5, 5).expect("not empty"));
        assert_eq!(result(BinaryOp::BitAnd, all, five), Interval::new(0, 5).expect("not empty"));
        assert_eq!(result(BinaryOp::ShiftRight, below, Interval::new(1, 2).expect("not empty")).high(), 2);
        assert_eq!(type_range(IntType::signed(128)), all);
        assert_eq!(type_range(IntType::unsigned(64)).high(), (1 << 64) - 1);
    }
}
