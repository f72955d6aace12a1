//! Values on their way through an expression.
//!
//! Nearly all integers of programs fit a machine word, and an unbounded one costs an allocation each time it is made.
//! So while an expression is evaluated, an integer that fits a word is one; it becomes a [`Value`] where it is stored.
//! What an operation yields is decided by [`arithmetic`](super::arithmetic) alone: here it is computed on words only
//! where that is the exact result and in the range of its type, and else left to it.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use crate::expr::BinaryOp;
use crate::semantics::config::Integers;
use crate::semantics::value::Value;
use crate::types::{IntType, Scalar};

/// A value on its way.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Light {
    /// A truth value.
    Bool(bool),
    /// An integer that fits.
    Int(i64),
    /// Any other value.
    Other(Value),
}

impl Light {
    /// A value, by reference, so that nothing is copied that need not be.
    #[inline]
    pub fn of(value: &Value) -> Self {
        match value {
            Value::Bool(value) => Light::Bool(*value),
            Value::Int(value) => match value.to_i64() {
                Some(word) => Light::Int(word),
                None => Light::Other(Value::Int(value.clone())),
            },
            other => Light::Other(other.clone()),
        }
    }

    /// Zero, null or false.
    pub fn zero(ty: Scalar) -> Self {
        match ty {
            Scalar::Bool => Light::Bool(false),
            Scalar::Int(_) => Light::Int(0),
            Scalar::Float(_) | Scalar::Pointer => Light::Other(Value::zero(ty)),
        }
    }
}

impl From<Value> for Light {
    fn from(value: Value) -> Self {
        match value {
            Value::Bool(value) => Light::Bool(value),
            Value::Int(value) => match value.to_i64() {
                Some(word) => Light::Int(word),
                None => Light::Other(Value::Int(value)),
            },
            other => Light::Other(other),
        }
    }
}

impl From<Light> for Value {
    fn from(value: Light) -> Self {
        match value {
            Light::Bool(value) => Value::Bool(value),
            Light::Int(value) => Value::Int(BigInt::from(value)),
            Light::Other(value) => value,
        }
    }
}

/// A binary operation, where its result is a word in the range of its type and nothing about it is undefined.
pub fn binary(integers: Integers, op: BinaryOp, ty: IntType, left: i64, right: i64) -> Option<i64> {
    let value = match op {
        BinaryOp::Add => left.checked_add(right)?,
        BinaryOp::Subtract => left.checked_sub(right)?,
        BinaryOp::Multiply => left.checked_mul(right)?,
        // Both are undefined where the quotient leaves the range.
        BinaryOp::Divide | BinaryOp::Remainder => {
            let quotient = left.checked_div(right).filter(|&quotient| in_range(integers, quotient, ty))?;
            if op == BinaryOp::Divide { quotient } else { left.checked_rem(right)? }
        }
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => return None,
    };
    in_range(integers, value, ty).then_some(value)
}

/// Whether a number lies in the range of a type, if types have ranges.
pub fn in_range(integers: Integers, value: i64, ty: IntType) -> bool {
    integers == Integers::Ideal || fits(value, ty)
}

/// Whether a number lies in the range of a type.
pub fn fits(value: i64, ty: IntType) -> bool {
    match (ty.signed, ty.bits) {
        (true, 64..) => true,
        (false, 63..) => value >= 0,
        (true, bits) => value >> (bits.max(1) - 1) == value >> 63,
        (false, bits) => value >> bits == 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::semantics::arithmetic::{self, Computed};

    /// Numbers around all powers of two.
    fn numbers() -> Vec<i64> {
        let powers = [0, 1, 2, 7, 8, 31, 32, 62].map(|exponent| 1_i64 << exponent);
        let near = powers.into_iter().flat_map(|power| [power - 1, power, power + 1]);
        near.flat_map(|number| [number, -number]).chain([i64::MIN, i64::MIN + 1, i64::MAX - 1, i64::MAX]).collect()
    }

    fn types() -> impl Iterator<Item = IntType> {
        [1, 2, 8, 31, 32, 33, 63, 64, 65, 128]
            .into_iter()
            .flat_map(|bits| [true, false].map(|signed| IntType { bits, signed }))
    }

    #[test]
    fn ranges_are_those_of_types() {
        for (ty, value) in types().flat_map(|ty| numbers().into_iter().map(move |value| (ty, value))) {
            let range = arithmetic::smallest(ty)..=arithmetic::largest(ty);
            assert_eq!(fits(value, ty), range.contains(&BigInt::from(value)), "{value} {ty:?}");
        }
    }

    #[test]
    fn results_are_those_of_arithmetic() {
        let (mut computed, mut left_over) = (0, 0);
        for (ty, op) in types().flat_map(|ty| BinaryOp::ALL.map(|op| (ty, op))) {
            let fitting = |integers| numbers().into_iter().filter(move |&value| in_range(integers, value, ty));
            for integers in [Integers::Machine, Integers::Ideal] {
                for (left, right) in
                    fitting(integers).flat_map(|left| fitting(integers).map(move |right| (left, right)))
                {
                    match binary(integers, op, ty, left, right) {
                        None => left_over += 1,
                        Some(value) => {
                            let (left, right) = (Value::int(left), Value::int(right));
                            let expected = arithmetic::binary(integers, op, Scalar::Int(ty), &left, &right);
                            let value = Computed { value: Value::int(value), overflow: false };
                            assert_eq!(expected, Ok(value), "{op:?} {ty:?} {left:?} {right:?}");
                            computed += 1;
                        }
                    }
                }
            }
        }
        assert!(computed > left_over, "{computed} {left_over}");
    }
}
