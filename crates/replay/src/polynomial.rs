//! Polynomials in the number of an iteration, with integer values, and their signs over all iterations.
//!
//! A polynomial is kept by its forward differences at 0 (Newton's form): `p(t) = Σ d[k] · C(t, k)`. For a polynomial
//! whose values are integers these are integers, so nothing is ever divided, `p(t + 1) − p(t)` is the same list without
//! its first entry, and values at 0, 1, 2 … give it at once. Nothing here knows programs.

use std::cmp::Ordering;
use std::ops::{Add, Mul, Sub};

use num_traits::{Signed, Zero};
use program::CompareOp;
use program::semantics::Value;
use program::semantics::arithmetic::ordered;

/// An integer without bounds, which is what the interpreter computes with.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Integer(Value);

/// A polynomial by its differences; the last one is not 0.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Polynomial(Vec<Integer>);

/// Products of a higher degree are not computed.
const HIGHEST_DEGREE: usize = 6;

impl Integer {
    /// The integer that a value is.
    pub(crate) fn of(value: &Value) -> Option<Self> {
        matches!(value, Value::Int(_)).then(|| Self(value.clone()))
    }

    pub(crate) fn small(value: usize) -> Self {
        Self(Value::int(value))
    }

    pub(crate) fn value(&self) -> &Value {
        &self.0
    }

    pub(crate) fn sign(&self) -> Ordering {
        match &self.0 {
            Value::Int(value) if value.is_zero() => Ordering::Equal,
            Value::Int(value) if value.is_negative() => Ordering::Less,
            _ => Ordering::Greater,
        }
    }

    /// The quotient, which is exact or cut off towards 0.
    fn divided_by(&self, divisor: usize) -> Self {
        match &self.0 {
            Value::Int(value) => Self(Value::Int(value / divisor)),
            other => unreachable!("{other:?} is not an integer"),
        }
    }
}

macro_rules! operation {
    ($trait:ident, $method:ident, $operator:tt) => {
        impl $trait for &Integer {
            type Output = Integer;

            fn $method(self, other: &Integer) -> Integer {
                match (&self.0, &other.0) {
                    (Value::Int(left), Value::Int(right)) => Integer(Value::Int(left $operator right)),
                    _ => unreachable!("made of integers only"),
                }
            }
        }
    };
}

operation!(Add, add, +);
operation!(Sub, sub, -);
operation!(Mul, mul, *);

impl Polynomial {
    fn of_differences(mut differences: Vec<Integer>) -> Self {
        while differences.last().is_some_and(|last| last.sign() == Ordering::Equal) {
            differences.pop();
        }
        Self(differences)
    }

    pub(crate) fn constant(value: Integer) -> Self {
        Self::of_differences(vec![value])
    }

    /// The polynomial of the lowest degree with these values at 0, 1, 2 …
    pub(crate) fn through(values: &[Integer]) -> Self {
        let mut row = values.to_vec();
        let mut differences = Vec::with_capacity(row.len());
        while let Some(first) = row.first() {
            differences.push(first.clone());
            row = row.windows(2).map(|pair| &pair[1] - &pair[0]).collect();
        }
        Self::of_differences(differences)
    }

    /// The value, if it is the same for all arguments.
    pub(crate) fn as_constant(&self) -> Option<Integer> {
        match self.0.as_slice() {
            [] => Some(Integer::small(0)),
            [value] => Some(value.clone()),
            _ => None,
        }
    }

    /// The value at 0, and the differences of first, second … order there.
    pub(crate) fn start_and_differences(&self) -> (Integer, &[Integer]) {
        match self.0.split_first() {
            None => (Integer::small(0), &[]),
            Some((start, differences)) => (start.clone(), differences),
        }
    }

    /// 0 for constants.
    pub(crate) fn degree(&self) -> usize {
        self.0.len().saturating_sub(1)
    }

    pub(crate) fn at(&self, argument: &Integer) -> Integer {
        let mut value = Integer::small(0);
        let mut binomial = Integer::small(1);
        for (order, difference) in self.0.iter().enumerate() {
            value = &value + &(difference * &binomial);
            binomial = (&binomial * &(argument - &Integer::small(order))).divided_by(order + 1);
        }
        value
    }

    /// `p(t + 1)`.
    pub(crate) fn shifted(&self) -> Self {
        let next = self.0.iter().skip(1).map(Some).chain([None]);
        let sum = |(difference, next): (&Integer, Option<&Integer>)| match next {
            Some(next) => difference + next,
            None => difference.clone(),
        };
        Self::of_differences(self.0.iter().zip(next).map(sum).collect())
    }

    pub(crate) fn plus(&self, other: &Self) -> Self {
        self.by_order(other, |left, right| left + right)
    }

    pub(crate) fn minus(&self, other: &Self) -> Self {
        self.by_order(other, |left, right| left - right)
    }

    /// The product, unless its degree is too high.
    pub(crate) fn times(&self, other: &Self) -> Option<Self> {
        let degree = self.degree() + other.degree();
        let product = |argument: usize| {
            let argument = Integer::small(argument);
            &self.at(&argument) * &other.at(&argument)
        };
        (degree <= HIGHEST_DEGREE).then(|| Self::through(&(0..=degree).map(product).collect::<Vec<_>>()))
    }

    fn by_order(&self, other: &Self, operation: impl Fn(&Integer, &Integer) -> Integer) -> Self {
        let zero = Integer::small(0);
        let of = |differences: &[Integer], order: usize| differences.get(order).unwrap_or(&zero).clone();
        let orders = 0..self.0.len().max(other.0.len());
        Self::of_differences(orders.map(|order| operation(&of(&self.0, order), &of(&other.0, order))).collect())
    }

    /// The truth of `p(t) op q(t)`, if it is the same for all t ≥ 0.
    pub(crate) fn compared(&self, op: CompareOp, other: &Self) -> Option<bool> {
        let pieces = self.minus(other).signs();
        let mut truths = pieces.iter().map(|(_, sign)| ordered(op, sign, &Ordering::Equal));
        let first = truths.next().expect("there is a sign at 0");
        truths.all(|truth| truth == first).then_some(first)
    }

    /// The signs of the values at 0, 1, 2 …: from each argument up to the next one in the list, and from the last
    /// one for ever. Exact.
    ///
    /// Where the first difference has one sign, the values are monotone, and each change of sign is found by
    /// bisection; where the first difference changes its sign is known by induction on the degree.
    pub(crate) fn signs(&self) -> Vec<(Integer, Ordering)> {
        let Some((_, slope)) = self.0.split_first().filter(|_| self.0.len() > 1) else {
            return vec![(Integer::small(0), self.start_and_differences().0.sign())];
        };
        let slopes = Self(slope.to_vec()).signs();
        let mut pieces: Vec<(Integer, Ordering)> = Vec::new();
        for (index, (start, slope)) in slopes.iter().enumerate() {
            let end = slopes.get(index + 1).map(|(end, _)| end);
            let mut from = start.clone();
            loop {
                let sign = self.at(&from).sign();
                if pieces.last().is_none_or(|(_, last)| *last != sign) {
                    pieces.push((from.clone(), sign));
                }
                if *slope == Ordering::Equal || sign == *slope {
                    break;
                }
                match self.first_with_other_sign(&from, end, sign) {
                    Some(next) => from = next,
                    None => break,
                }
            }
        }
        pieces
    }

    /// The first argument after `from` and before `end` whose value has another sign, where the values from `from` up
    /// to there are monotone and, where there is no end, tend to the other side of 0.
    fn first_with_other_sign(&self, from: &Integer, end: Option<&Integer>, sign: Ordering) -> Option<Integer> {
        let one = Integer::small(1);
        let is_other = |argument: &Integer| self.at(argument).sign() != sign;
        let mut high = match end {
            Some(end) => end - &one,
            None => {
                let mut distance = one.clone();
                while !is_other(&(from + &distance)) {
                    distance = &distance + &distance;
                }
                from + &distance
            }
        };
        if !is_other(&high) {
            return None;
        }
        let mut low = from.clone();
        while &low + &one < high {
            let middle = (&low + &high).divided_by(2);
            if is_other(&middle) { high = middle } else { low = middle }
        }
        Some(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn integers(values: &[i64]) -> Vec<Integer> {
        values.iter().map(|&value| Integer(Value::int(value))).collect()
    }

    /// All polynomials with small differences up to degree 3.
    fn small_ones() -> Vec<Polynomial> {
        let mut found = Vec::new();
        for code in 0..7i64.pow(4) {
            let digits: Vec<i64> = (0..4).map(|at| code / 7i64.pow(at) % 7 - 3).collect();
            found.push(Polynomial::of_differences(integers(&digits)));
        }
        found
    }

    #[test]
    fn signs_are_those_of_all_values() {
        for offset in [0, 100] {
            for polynomial in small_ones() {
                let polynomial = polynomial.plus(&Polynomial::constant(Integer(Value::int(offset))));
                let pieces = polynomial.signs();
                for argument in 0..120 {
                    let argument = Integer::small(argument);
                    let (_, sign) = pieces.iter().rfind(|(start, _)| *start <= argument).unwrap();
                    assert_eq!(*sign, polynomial.at(&argument).sign(), "{polynomial:?} {argument:?}");
                }
                assert!(pieces.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 != pair[1].1));
            }
        }
        let far = Polynomial::of_differences(integers(&[-100_000_000_000, 7, 1]));
        let starts: Vec<Integer> = far.signs().into_iter().map(|(start, _)| start).collect();
        assert_eq!(starts.len(), 2);
        assert!(far.at(&starts[1]).sign() == Ordering::Greater);
        assert!(far.at(&(&starts[1] - &Integer::small(1))).sign() == Ordering::Less);
    }

    #[test]
    fn operations_are_those_on_values() {
        let all = small_ones();
        for (index, left) in all.iter().enumerate().step_by(7) {
            let right = &all[(index * 31 + 5) % all.len()];
            let product = left.times(right).unwrap();
            for argument in (0..9).map(Integer::small) {
                let (a, b) = (left.at(&argument), right.at(&argument));
                assert_eq!(left.plus(right).at(&argument), &a + &b);
                assert_eq!(left.minus(right).at(&argument), &a - &b);
                assert_eq!(product.at(&argument), &a * &b);
                assert_eq!(left.shifted().at(&argument), left.at(&(&argument + &Integer::small(1))));
            }
            let values: Vec<Integer> = (0..5).map(|argument| left.at(&Integer::small(argument))).collect();
            assert_eq!(Polynomial::through(&values), *left);
        }
        assert_eq!(Polynomial::through(&integers(&[1, 2, 4, 8, 16])).degree(), 4);
    }

    #[test]
    fn comparisons_hold_for_all_iterations_or_have_no_truth() {
        let line = |start, step| Polynomial::of_differences(integers(&[start, step]));
        for (left, op, right, truth) in [
            (line(0, 1), CompareOp::Less, line(1, 1), Some(true)),
            (line(0, 1), CompareOp::Less, line(5, 0), None),
            (line(0, 1), CompareOp::Less, line(1_000_000_000_000, 0), None),
            (line(0, 2), CompareOp::NotEqual, line(7, 0), Some(true)),
            (line(0, 2), CompareOp::NotEqual, line(8, 0), None),
            (line(0, 1), CompareOp::GreaterEqual, line(0, 1), Some(true)),
            (line(-1, -1), CompareOp::Equal, line(0, 0), Some(false)),
        ] {
            assert_eq!(left.compared(op, &right), truth, "{left:?} {op:?} {right:?}");
        }
    }
}
