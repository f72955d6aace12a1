//! Sets of integers that are a little too large at most: a few numbers, or all between two bounds; and what operations of a
//! program make of them.
//!
//! Every set that results contains whatever the interpreter computes from members of the operands, where it computes
//! anything; the tests try all operands of small types. What is larger than [`LARGEST`] is as good as unbounded.

use program::semantics::Integers;
use program::{BinaryOp, CompareOp, IntType, Scalar};

/// Bounds beyond this are no bounds.
const LARGEST: i128 = 1 << 100;

/// No more numbers than this are listed.
const MOST_LISTED: usize = 64;

/// Operations on so many pairs of numbers are done one by one.
const MOST_PAIRS: usize = 1024;

/// A set of integers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Numbers {
    /// One.
    One(i128),
    /// These, in ascending order: none, or more than one.
    Few(Vec<i128>),
    /// All between two bounds, which belong to it; `i128::MIN` and `i128::MAX` stand for no bound.
    Between(i128, i128),
}

use Numbers::{Between, Few, One};

impl Numbers {
    pub const NONE: Numbers = Few(Vec::new());
    pub const ALL: Numbers = Between(i128::MIN, i128::MAX);

    /// All numbers between two bounds.
    pub fn between(low: i128, high: i128) -> Self {
        let low = if low < -LARGEST { i128::MIN } else { low };
        let high = if high > LARGEST { i128::MAX } else { high };
        if low > high {
            return Self::NONE;
        }
        if low == high && low.abs() <= LARGEST {
            return One(low);
        }
        match high.checked_sub(low) {
            Some(distance) if distance < MOST_LISTED as i128 => Few((low..=high).collect()),
            _ => Between(low, high),
        }
    }

    /// These numbers, or all between the smallest and the largest where they are many.
    pub fn of(mut numbers: Vec<i128>) -> Self {
        numbers.sort_unstable();
        numbers.dedup();
        match numbers.as_slice() {
            [] => Self::NONE,
            [low, .., high] if numbers.len() > MOST_LISTED || *low < -LARGEST || *high > LARGEST => {
                Self::between(*low, *high)
            }
            [one] => Self::between(*one, *one),
            _ => Few(numbers),
        }
    }

    /// What a value of a type can be at all.
    pub fn of_type(ty: Scalar, integers: Integers) -> Self {
        match ty {
            Scalar::Bool => Few(vec![0, 1]),
            Scalar::Int(ty) if integers == Integers::Machine => {
                let (low, high) = range(ty);
                Self::between(low, high)
            }
            _ => Self::ALL,
        }
    }

    pub fn is_empty(&self) -> bool {
        matches!(self, Few(listed) if listed.is_empty())
    }

    /// The smallest and the largest; none where there is none.
    pub fn bounds(&self) -> Option<(i128, i128)> {
        match self {
            One(number) => Some((*number, *number)),
            Few(listed) => Some((*listed.first()?, *listed.last()?)),
            Between(low, high) => Some((*low, *high)),
        }
    }

    pub fn contains(&self, number: i128) -> bool {
        match self {
            One(one) => *one == number,
            Few(listed) => listed.binary_search(&number).is_ok(),
            Between(low, high) => (*low..=*high).contains(&number),
        }
    }

    fn listed(&self) -> Option<&[i128]> {
        match self {
            One(number) => Some(std::slice::from_ref(number)),
            Few(listed) => Some(listed),
            Between(..) => None,
        }
    }

    /// Those that lie between two bounds.
    pub fn within(&self, low: i128, high: i128) -> Self {
        match self {
            Between(first, last) => Self::between(low.max(*first), high.min(*last)),
            one_by_one => {
                let listed = one_by_one.listed().unwrap_or_default();
                Self::of(listed.iter().copied().filter(|number| (low..=high).contains(number)).collect())
            }
        }
    }

    /// Those that are in another set, too.
    pub fn meet(&self, other: &Self) -> Self {
        match (self, other) {
            (set, Between(low, high)) | (Between(low, high), set) => set.within(*low, *high),
            (set, other) => {
                let listed = set.listed().unwrap_or_default();
                Self::of(listed.iter().copied().filter(|number| other.contains(*number)).collect())
            }
        }
    }

    /// Those of both sets, or all between their bounds where they are many.
    pub fn join(&self, other: &Self) -> Self {
        match (self.listed(), other.listed()) {
            (Some(mine), Some(others)) => Self::of([mine, others].concat()),
            _ => match (self.bounds(), other.bounds()) {
                (Some(mine), Some(others)) => Self::between(mine.0.min(others.0), mine.1.max(others.1)),
                (None, _) => other.clone(),
                (_, None) => self.clone(),
            },
        }
    }

    /// The truth values that are possible.
    pub fn truth(may_be_false: bool, may_be_true: bool) -> Self {
        match (may_be_false, may_be_true) {
            (false, false) => Self::NONE,
            (true, false) => One(0),
            (false, true) => One(1),
            (true, true) => Few(vec![0, 1]),
        }
    }

    /// The numbers brought into a type.
    pub fn converted(&self, to: IntType, integers: Integers) -> Self {
        match self {
            _ if integers == Integers::Ideal => self.clone(),
            Between(low, high) => into_type(*low, *high, to),
            one_by_one => {
                let listed = one_by_one.listed().unwrap_or_default();
                let wrapped: Option<Vec<i128>> = listed.iter().map(|number| wrapped(*number, to)).collect();
                wrapped.map_or_else(|| Self::of_type(Scalar::Int(to), integers), Self::of)
            }
        }
    }

    /// The results of an operation. What is undefined has none.
    pub fn operation(op: BinaryOp, ty: IntType, integers: Integers, left: &Self, right: &Self) -> Self {
        if let (Some(lefts), Some(rights)) = (left.listed(), right.listed())
            && lefts.len() * rights.len() <= MOST_PAIRS
        {
            let mut results = Vec::with_capacity(lefts.len() * rights.len());
            let all = lefts.iter().flat_map(|left| rights.iter().map(move |right| (*left, *right)));
            let computed = all.map(|(left, right)| single(op, ty, integers, left, right)).all(|result| match result {
                Single::Number(number) => {
                    results.push(number);
                    true
                }
                Single::Undefined => true,
                Single::TooLarge => false,
            });
            if computed {
                return Self::of(results);
            }
        }
        let (Some(left), Some(right)) = (left.bounds(), right.bounds()) else { return Self::NONE };
        match bounded(op, ty, integers, left, right) {
            None => Self::NONE,
            Some((low, high)) if integers == Integers::Ideal => Self::between(low, high),
            Some((low, high)) => into_type(low, high, ty),
        }
    }

    /// Whether a comparison may be false, and whether it may be true.
    pub fn compared(op: CompareOp, left: &Self, right: &Self) -> (bool, bool) {
        let (Some((low, high)), Some((least, most))) = (left.bounds(), right.bounds()) else { return (false, false) };
        let swapped = |(may_be_false, may_be_true): (bool, bool)| (may_be_true, may_be_false);
        match op {
            CompareOp::Less => (high >= least, low < most),
            CompareOp::LessEqual => (high > least, low <= most),
            CompareOp::Greater | CompareOp::GreaterEqual => Self::compared(op.swapped(), right, left),
            CompareOp::Equal => {
                let always = low == high && least == most && low == least && low != i128::MIN && low != i128::MAX;
                (!always, !left.meet(right).is_empty())
            }
            CompareOp::NotEqual => swapped(Self::compared(CompareOp::Equal, left, right)),
        }
    }

    /// Those for which a comparison with one of the others may be true.
    pub fn where_compared(&self, op: CompareOp, others: &Self) -> Self {
        let Some((least, most)) = others.bounds() else { return Self::NONE };
        match op {
            CompareOp::Equal => self.meet(others),
            CompareOp::NotEqual => match (others, self) {
                (One(other), Between(low, high)) if low == other => Self::between(low + 1, *high),
                (One(other), Between(low, high)) if high == other => Self::between(*low, high - 1),
                (One(other), Few(listed)) => Self::of(listed.iter().copied().filter(|it| it != other).collect()),
                (One(other), One(one)) if one == other => Self::NONE,
                _ => self.clone(),
            },
            CompareOp::Less => self.within(i128::MIN, if most == i128::MAX { most } else { most - 1 }),
            CompareOp::LessEqual => self.within(i128::MIN, most),
            CompareOp::Greater => self.within(if least == i128::MIN { least } else { least + 1 }, i128::MAX),
            CompareOp::GreaterEqual => self.within(least, i128::MAX),
        }
    }
}

/// The least and the greatest number of a type.
pub(super) fn range(ty: IntType) -> (i128, i128) {
    match (ty.signed, ty.bits) {
        (_, bits) if bits > 100 => (if ty.signed { i128::MIN } else { 0 }, i128::MAX),
        (true, bits) => (-(1 << (bits.max(1) - 1)), (1 << (bits.max(1) - 1)) - 1),
        (false, bits) => (0, (1 << bits) - 1),
    }
}

/// A number brought into a type; none where that takes larger numbers.
fn wrapped(number: i128, ty: IntType) -> Option<i128> {
    if ty.bits > 100 || number.abs() > LARGEST {
        let (low, high) = range(ty);
        return (number.abs() <= LARGEST && (low..=high).contains(&number)).then_some(number);
    }
    let (low, _) = range(ty);
    Some((number - low).rem_euclid(1 << ty.bits) + low)
}

/// All numbers between two bounds, brought into a type.
fn into_type(low: i128, high: i128, ty: IntType) -> Numbers {
    let (least, most) = range(ty);
    if least <= low && high <= most {
        return Numbers::between(low, high);
    }
    match (wrapped(low, ty), wrapped(high, ty)) {
        // All of them are moved by the same distance.
        (Some(first), Some(last)) if high.checked_sub(low) == Some(last - first) => Numbers::between(first, last),
        _ => Numbers::between(least, most),
    }
}

/// What an operation on two numbers yields.
enum Single {
    Number(i128),
    Undefined,
    TooLarge,
}

fn single(op: BinaryOp, ty: IntType, integers: Integers, left: i128, right: i128) -> Single {
    let machine = integers == Integers::Machine;
    let exact = match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Subtract => left.checked_sub(right),
        BinaryOp::Multiply => left.checked_mul(right),
        BinaryOp::Divide | BinaryOp::Remainder => {
            let (least, most) = range(ty);
            if right == 0 || machine && !(least..=most).contains(&(left / right)) {
                return Single::Undefined;
            }
            Some(if op == BinaryOp::Divide { left / right } else { left % right })
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight if right < 0 || machine && right >= i128::from(ty.bits) => {
            return Single::Undefined;
        }
        BinaryOp::ShiftLeft if left == 0 => Some(0),
        BinaryOp::ShiftLeft => 1_i128
            .checked_shl(right.min(101) as u32)
            .filter(|_| right <= 100)
            .and_then(|factor| left.checked_mul(factor)),
        BinaryOp::ShiftRight => Some(left >> right.min(127)),
        BinaryOp::BitAnd => Some(left & right),
        BinaryOp::BitOr => Some(left | right),
        BinaryOp::BitXor => Some(left ^ right),
    };
    let result = if machine { exact.and_then(|number| wrapped(number, ty)) } else { exact };
    match result.filter(|number| number.abs() <= LARGEST) {
        Some(number) => Single::Number(number),
        None => Single::TooLarge,
    }
}

/// Bounds of the results of an operation, before they are brought into a type; none where it is undefined for all operands.
fn bounded(
    op: BinaryOp,
    ty: IntType,
    integers: Integers,
    left: (i128, i128),
    right: (i128, i128),
) -> Option<(i128, i128)> {
    match op {
        BinaryOp::Add => Some((plus(left.0, right.0, i128::MIN), plus(left.1, right.1, i128::MAX))),
        BinaryOp::Subtract => {
            Some((plus(left.0, negated(right.1), i128::MIN), plus(left.1, negated(right.0), i128::MAX)))
        }
        BinaryOp::Multiply => Some(at_corners(left, right, times)),
        BinaryOp::Divide => {
            let below = (right.0 <= -1).then(|| at_corners(left, (right.0, right.1.min(-1)), quotient));
            let above = (right.1 >= 1).then(|| at_corners(left, (right.0.max(1), right.1), quotient));
            match (below, above) {
                (Some(one), Some(other)) => Some((one.0.min(other.0), one.1.max(other.1))),
                (one, other) => one.or(other),
            }
        }
        BinaryOp::Remainder => {
            let most = right.0.saturating_abs().max(right.1.saturating_abs()).saturating_sub(1);
            if most < 0 {
                return None;
            }
            // It has the sign of the left operand, and is no farther from zero than that or the divisor less one.
            let low = if left.0 < 0 { left.0.max(-most) } else { 0 };
            let high = if left.1 > 0 { left.1.min(most) } else { 0 };
            Some((low, high))
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            let most = if integers == Integers::Machine { i128::from(ty.bits) - 1 } else { i128::MAX };
            let (fewest, most) = (right.0.max(0), right.1.min(most));
            if fewest > most {
                return None;
            }
            if op == BinaryOp::ShiftRight {
                let shifted = |number: i128, count: i128| match number {
                    i128::MIN | i128::MAX => number,
                    _ => number >> count.min(127),
                };
                return Some(at_corners(left, (fewest, most), shifted));
            }
            let factor = |count: i128| if count > 100 { i128::MAX } else { 1 << count };
            Some(at_corners(left, (factor(fewest), factor(most)), times))
        }
        BinaryOp::BitAnd if left.0 >= 0 && right.0 >= 0 => Some((0, left.1.min(right.1))),
        BinaryOp::BitAnd if left.0 >= 0 => Some((0, left.1)),
        BinaryOp::BitAnd if right.0 >= 0 => Some((0, right.1)),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => {
            // The results need no more bits than the operands.
            let bits = |number: i128| 128 - (number ^ (number >> 127)).leading_zeros();
            let most = [left.0, left.1, right.0, right.1].map(bits).into_iter().max()?;
            let bound = if most > 100 { i128::MAX } else { 1 << most };
            let low = if left.0 >= 0 && right.0 >= 0 { 0 } else { negated(bound) };
            Some((low, if bound == i128::MAX { bound } else { bound - 1 }))
        }
    }
}

/// The least and the greatest result at the corners, for what is monotone in each operand.
fn at_corners(left: (i128, i128), right: (i128, i128), op: impl Fn(i128, i128) -> i128) -> (i128, i128) {
    let results = [op(left.0, right.0), op(left.0, right.1), op(left.1, right.0), op(left.1, right.1)];
    let least = results.into_iter().min().unwrap_or(i128::MIN);
    (least, results.into_iter().max().unwrap_or(i128::MAX))
}

/// A sum of bounds, of which those on this side are infinite.
fn plus(left: i128, right: i128, infinite: i128) -> i128 {
    if left == infinite || right == infinite {
        return infinite;
    }
    left.saturating_add(right)
}

fn negated(bound: i128) -> i128 {
    match bound {
        i128::MIN => i128::MAX,
        i128::MAX => i128::MIN,
        bound => -bound,
    }
}

fn is_infinite(bound: i128) -> bool {
    bound == i128::MIN || bound == i128::MAX
}

fn times(left: i128, right: i128) -> i128 {
    if left == 0 || right == 0 {
        return 0;
    }
    let infinite = if (left < 0) == (right < 0) { i128::MAX } else { i128::MIN };
    if is_infinite(left) || is_infinite(right) {
        return infinite;
    }
    left.checked_mul(right).unwrap_or(infinite)
}

fn quotient(left: i128, right: i128) -> i128 {
    if is_infinite(right) {
        return 0;
    }
    match left {
        i128::MIN | i128::MAX if (left < 0) == (right < 0) => i128::MAX,
        i128::MIN | i128::MAX => i128::MIN,
        _ => left / right,
    }
}

#[cfg(test)]
mod tests {
    use num_traits::ToPrimitive;
    use program::semantics::{Value, arithmetic as interpreter};

    use super::*;

    /// Sets of all forms with members in the range of a small type.
    fn sets(ty: IntType) -> Vec<(Numbers, Vec<i128>)> {
        let (least, most) = range(ty);
        let mut sets = Vec::new();
        for low in least..=most {
            for high in low..=most {
                let members: Vec<i128> = (low..=high).collect();
                sets.push((Between(low, high), members.clone()));
                if low == high {
                    sets.push((One(low), members));
                } else {
                    let thinned: Vec<i128> = members.into_iter().step_by(2).collect();
                    sets.push((Numbers::of(thinned.clone()), thinned));
                }
            }
        }
        sets
    }

    #[test]
    fn results_contain_what_the_interpreter_computes() {
        for ty in [IntType::signed(3), IntType::unsigned(3)] {
            let sets = sets(ty);
            for ((left, lefts), (right, rights)) in
                sets.iter().flat_map(|one| sets.iter().map(move |other| (one, other)))
            {
                for integers in [Integers::Machine, Integers::Ideal] {
                    for op in BinaryOp::ALL {
                        let results = Numbers::operation(op, ty, integers, left, right);
                        for (one, other) in lefts.iter().flat_map(|one| rights.iter().map(move |other| (one, other))) {
                            let operands = (Value::int(*one), Value::int(*other));
                            let ty = Scalar::Int(ty);
                            let computed = interpreter::binary(integers, op, ty, &operands.0, &operands.1);
                            if let Some(result) = computed.ok().and_then(|it| it.value.as_int()?.to_i128()) {
                                assert!(results.contains(result), "{one} {op:?} {other}: {result} not in {results:?}");
                            }
                        }
                    }
                }
                for op in CompareOp::ALL {
                    let (may_be_false, may_be_true) = Numbers::compared(op, left, right);
                    let kept = left.where_compared(op, right);
                    for (one, other) in lefts.iter().flat_map(|one| rights.iter().map(move |other| (one, other))) {
                        let holds = interpreter::ordered(op, one, other);
                        assert!(if holds { may_be_true } else { may_be_false });
                        assert!(!holds || kept.contains(*one), "{one} {op:?} {other}");
                    }
                }
                for number in range(ty).0..=range(ty).1 {
                    let (mine, others) = (left.contains(number), right.contains(number));
                    assert_eq!(left.meet(right).contains(number), mine && others);
                    assert!(left.join(right).contains(number) || !(mine || others));
                }
            }
        }
    }

    #[test]
    fn conversions_contain_what_the_interpreter_computes() {
        for to in [IntType::signed(3), IntType::unsigned(3), IntType::unsigned(2), IntType::signed(6)] {
            for (set, members) in sets(IntType::signed(5)) {
                let converted = set.converted(to, Integers::Machine);
                for member in members {
                    let wrapped = interpreter::wrap(&member.into(), to).to_i128().expect("small");
                    assert!(converted.contains(wrapped), "{member} as {to:?}: {converted:?}");
                }
            }
        }
    }

    #[test]
    fn no_bound_stays_no_bound() {
        let ty = IntType::signed(32);
        let below = Between(i128::MIN, 5);
        let result = |op, left: &Numbers, right: &Numbers| Numbers::operation(op, ty, Integers::Ideal, left, right);
        assert_eq!(result(BinaryOp::Add, &below, &One(3)), Between(i128::MIN, 8));
        assert_eq!(result(BinaryOp::Subtract, &One(3), &below), Between(-2, i128::MAX));
        assert_eq!(result(BinaryOp::Multiply, &below, &One(-1)), Between(-5, i128::MAX));
        assert_eq!(result(BinaryOp::Divide, &below, &Between(2, i128::MAX)), Between(i128::MIN, 2));
        assert_eq!(result(BinaryOp::Remainder, &Numbers::ALL, &One(5)), Few((-4..=4).collect()));
        assert_eq!(result(BinaryOp::BitOr, &below, &One(1)), Numbers::ALL);
        assert_eq!(Numbers::compared(CompareOp::Equal, &Numbers::ALL, &Numbers::ALL), (true, true));
    }
}
