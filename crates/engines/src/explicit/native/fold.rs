//! Arithmetic on known values, exactly as the interpreter does it, in 64 bits.
//!
//! A value is kept as the 64-bit pattern of its number: sign-extended for signed types, zero-extended for unsigned ones.
//! Truth values are 0 and 1. Ideal integers are those that fit a signed 64-bit number. What cannot be computed here
//! (undefined behaviour, or an ideal number that does not fit) is [`None`]: it is left to the compiled code, which
//! stops there.

use program::semantics::Integers;
use program::{BinaryOp, CompareOp, IntType, Scalar, UnaryOp};

/// The pattern of a number in a type: its last bits, extended.
pub fn normalise(bits: i64, ty: IntType) -> i64 {
    match (ty.bits, ty.signed) {
        (8, true) => i64::from(bits as i8),
        (16, true) => i64::from(bits as i16),
        (32, true) => i64::from(bits as i32),
        (8, false) => i64::from(bits as u8),
        (16, false) => i64::from(bits as u16),
        (32, false) => i64::from(bits as u32),
        (64.., _) => bits,
        // A bit-field.
        (width, true) => bits << (64 - width) >> (64 - width),
        (width, false) => bits & ((1 << width) - 1),
    }
}

/// A unary operation.
pub fn unary(integers: Integers, op: UnaryOp, ty: IntType, operand: i64) -> Option<i64> {
    match (integers, op) {
        (Integers::Machine, UnaryOp::Negate) => Some(normalise(operand.wrapping_neg(), ty)),
        (Integers::Machine, UnaryOp::BitNot) => Some(normalise(!operand, ty)),
        (Integers::Ideal, UnaryOp::Negate) => operand.checked_neg(),
        (Integers::Ideal, UnaryOp::BitNot) => Some(!operand),
    }
}

/// A binary operation. `count` is the type of a shift's right operand.
pub fn binary(integers: Integers, op: BinaryOp, ty: IntType, left: i64, right: i64, count: IntType) -> Option<i64> {
    match integers {
        Integers::Machine => machine(op, ty, left, right, count),
        Integers::Ideal => ideal(op, left, right),
    }
}

/// A comparison of two values of one type.
pub fn compare(integers: Integers, op: CompareOp, ty: Scalar, left: i64, right: i64) -> bool {
    let unsigned = integers == Integers::Machine && matches!(ty, Scalar::Int(IntType { signed: false, .. }));
    let order = if unsigned { (left as u64).cmp(&(right as u64)) } else { left.cmp(&right) };
    match op {
        CompareOp::Equal => order.is_eq(),
        CompareOp::NotEqual => order.is_ne(),
        CompareOp::Less => order.is_lt(),
        CompareOp::LessEqual => order.is_le(),
        CompareOp::Greater => order.is_gt(),
        CompareOp::GreaterEqual => order.is_ge(),
    }
}

/// A conversion between integers and truth values.
pub fn cast(integers: Integers, to: Scalar, operand: i64) -> Option<i64> {
    match to {
        Scalar::Bool => Some(i64::from(operand != 0)),
        Scalar::Int(ty) if integers == Integers::Machine => Some(normalise(operand, ty)),
        Scalar::Int(_) => Some(operand),
        Scalar::Float(_) | Scalar::Pointer => None,
    }
}

fn machine(op: BinaryOp, ty: IntType, left: i64, right: i64, count: IntType) -> Option<i64> {
    let value = match op {
        BinaryOp::Add => left.wrapping_add(right),
        BinaryOp::Subtract => left.wrapping_sub(right),
        BinaryOp::Multiply => left.wrapping_mul(right),
        BinaryOp::Divide | BinaryOp::Remainder if ty.signed => {
            let quotient = left.checked_div(right)?;
            if normalise(quotient, ty) != quotient {
                return None;
            }
            if op == BinaryOp::Divide { quotient } else { left % right }
        }
        BinaryOp::Divide => (left as u64).checked_div(right as u64)? as i64,
        BinaryOp::Remainder => (left as u64).checked_rem(right as u64)? as i64,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            let negative = count.signed && right < 0;
            if negative || right as u64 >= u64::from(ty.bits) {
                return None;
            }
            match (op, ty.signed) {
                (BinaryOp::ShiftLeft, _) => left << right,
                (_, true) => left >> right,
                (_, false) => (left as u64 >> right) as i64,
            }
        }
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
    };
    Some(normalise(value, ty))
}

fn ideal(op: BinaryOp, left: i64, right: i64) -> Option<i64> {
    match op {
        BinaryOp::Add => left.checked_add(right),
        BinaryOp::Subtract => left.checked_sub(right),
        BinaryOp::Multiply => left.checked_mul(right),
        BinaryOp::Divide => left.checked_div(right),
        BinaryOp::Remainder => left.checked_rem(right),
        BinaryOp::ShiftLeft => {
            let count = u32::try_from(right).ok().filter(|&count| count < 64)?;
            let shifted = left.checked_shl(count)?;
            (shifted >> count == left).then_some(shifted)
        }
        BinaryOp::ShiftRight => (right >= 0).then(|| left >> right.min(63)),
        BinaryOp::BitAnd => Some(left & right),
        BinaryOp::BitOr => Some(left | right),
        BinaryOp::BitXor => Some(left ^ right),
    }
}
