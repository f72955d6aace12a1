//! Operations on numbers, in both kinds of integers. Nothing here knows memory, programs or pointers.
//!
//! Machine integers have the exact width of their type. What leaves the range wraps; if the type is signed, that is
//! also an overflow, which the result says. Ideal integers are unbounded and bit operations act on infinite two's
//! complement.

use num_bigint::BigInt;
use num_traits::{FromPrimitive, NumOps, One, Signed, ToPrimitive, Zero};

use crate::expr::{BinaryOp, CompareOp, UnaryOp};
use crate::semantics::config::Integers;
use crate::semantics::light;
use crate::semantics::stop::{Stop, UndefinedBehaviour};
use crate::semantics::value::Value;
use crate::types::{FloatType, IntType, Scalar};

/// Ideal integers of more bits than this are not supported, so that repeated squaring ends.
pub const MOST_IDEAL_BITS: u64 = 1 << 20;

/// Ideal shifts by more than this are not supported.
pub const MOST_IDEAL_SHIFT_BITS: u32 = 65_536;

/// A number, and whether computing it overflowed a signed type.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Computed {
    /// The value, wrapped where it had to be.
    pub value: Value,
    /// Whether it is a wrapped value of a signed type.
    pub overflow: bool,
}

impl Computed {
    fn exact(value: Value) -> Self {
        Self { value, overflow: false }
    }
}

/// The smallest value of a type.
pub fn smallest(ty: IntType) -> BigInt {
    if ty.signed { -(BigInt::one() << (ty.bits.max(1) - 1)) } else { BigInt::zero() }
}

/// The largest value of a type.
pub fn largest(ty: IntType) -> BigInt {
    (BigInt::one() << (ty.bits - u16::from(ty.signed))) - 1
}

/// Whether a number lies in the range of a type.
pub fn fits(value: &BigInt, ty: IntType) -> bool {
    match value.to_i64() {
        Some(word) => light::fits(word, ty),
        None => smallest(ty) <= *value && *value <= largest(ty),
    }
}

/// The number in the range of a type that has the same last bits.
pub fn wrap(value: &BigInt, ty: IntType) -> BigInt {
    if fits(value, ty) {
        return value.clone();
    }
    let unsigned = value & largest(IntType::unsigned(ty.bits));
    if ty.signed && unsigned > largest(ty) { unsigned - (BigInt::one() << ty.bits) } else { unsigned }
}

/// A unary operation.
pub fn unary(integers: Integers, op: UnaryOp, ty: Scalar, operand: &Value) -> Result<Computed, Stop> {
    match (ty, operand) {
        (Scalar::Int(ty), Value::Int(operand)) => Ok(match op {
            UnaryOp::Negate => into_range(integers, -operand, ty),
            UnaryOp::BitNot => {
                let value: BigInt = -operand - 1;
                Computed::exact(Value::Int(if integers == Integers::Machine { wrap(&value, ty) } else { value }))
            }
        }),
        (Scalar::Float(_), Value::Float(bits)) if op == UnaryOp::Negate => {
            Ok(Computed::exact(Value::float(-f64::from_bits(*bits))))
        }
        _ => unreachable!("{op:?} does not apply to {operand:?} of type {ty:?}"),
    }
}

/// A binary operation.
pub fn binary(integers: Integers, op: BinaryOp, ty: Scalar, left: &Value, right: &Value) -> Result<Computed, Stop> {
    match (ty, left, right) {
        (Scalar::Int(ty), Value::Int(left), Value::Int(right)) => match integers {
            Integers::Machine => machine_binary(op, ty, left, right),
            Integers::Ideal => ideal_binary(op, left, right).map(|value| Computed::exact(Value::Int(value))),
        },
        (Scalar::Float(ty), Value::Float(left), Value::Float(right)) => {
            let value = float_binary(op, ty, f64::from_bits(*left), f64::from_bits(*right));
            Ok(Computed::exact(Value::float(value)))
        }
        _ => unreachable!("{op:?} does not apply to {left:?} and {right:?} of type {ty:?}"),
    }
}

/// A comparison of two numbers or truth values.
pub fn compare(op: CompareOp, left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Bool(left), Value::Bool(right)) => ordered(op, left, right),
        (Value::Int(left), Value::Int(right)) => ordered(op, left, right),
        (Value::Float(left), Value::Float(right)) => ordered(op, &f64::from_bits(*left), &f64::from_bits(*right)),
        _ => unreachable!("{left:?} and {right:?} are not numbers of one kind"),
    }
}

/// A comparison of two things that are at least partially ordered.
pub fn ordered<T: PartialOrd>(op: CompareOp, left: &T, right: &T) -> bool {
    match op {
        CompareOp::Equal => left == right,
        CompareOp::NotEqual => left != right,
        CompareOp::Less => left < right,
        CompareOp::LessEqual => left <= right,
        CompareOp::Greater => left > right,
        CompareOp::GreaterEqual => left >= right,
    }
}

/// A conversion of a number or truth value to a type other than pointers.
pub fn convert(integers: Integers, operand: &Value, to: Scalar) -> Result<Value, Stop> {
    Ok(match (operand, to) {
        (Value::Bool(value), Scalar::Bool) => Value::Bool(*value),
        (Value::Int(value), Scalar::Bool) => Value::Bool(!value.is_zero()),
        (Value::Float(bits), Scalar::Bool) => Value::Bool(f64::from_bits(*bits) != 0.0),
        (Value::Bool(value), _) => convert(integers, &Value::int(u8::from(*value)), to)?,
        (Value::Int(value), Scalar::Int(ty)) => match integers {
            Integers::Machine => Value::Int(wrap(value, ty)),
            Integers::Ideal => Value::Int(value.clone()),
        },
        (Value::Int(value), Scalar::Float(FloatType::F64)) => Value::float(value.to_f64().unwrap_or(f64::NAN)),
        (Value::Int(value), Scalar::Float(FloatType::F32)) => {
            Value::float(f64::from(value.to_f32().unwrap_or(f32::NAN)))
        }
        (Value::Float(bits), Scalar::Int(ty)) => {
            let whole = BigInt::from_f64(f64::from_bits(*bits).trunc()).ok_or(UndefinedBehaviour::FloatToInteger)?;
            if integers == Integers::Machine && !fits(&whole, ty) {
                return Err(UndefinedBehaviour::FloatToInteger.into());
            }
            Value::Int(whole)
        }
        (Value::Float(bits), Scalar::Float(FloatType::F64)) => Value::Float(*bits),
        (Value::Float(bits), Scalar::Float(FloatType::F32)) => Value::float(round_to_single(f64::from_bits(*bits))),
        (Value::Pointer(_), _) | (_, Scalar::Pointer) => unreachable!("pointers are converted by the evaluator"),
    })
}

/// A result brought into the range of its type.
fn into_range(integers: Integers, value: BigInt, ty: IntType) -> Computed {
    if integers == Integers::Ideal || fits(&value, ty) {
        return Computed::exact(Value::Int(value));
    }
    Computed { value: Value::Int(wrap(&value, ty)), overflow: ty.signed }
}

fn machine_binary(op: BinaryOp, ty: IntType, left: &BigInt, right: &BigInt) -> Result<Computed, Stop> {
    let value = match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => left * right,
        BinaryOp::Divide | BinaryOp::Remainder => {
            if right.is_zero() {
                return Err(UndefinedBehaviour::DivisionByZero.into());
            }
            // The remainder itself would be representable, but processors trap here too, with -fwrapv as well.
            if !fits(&(left / right), ty) {
                return Err(UndefinedBehaviour::DivisionOverflow.into());
            }
            if op == BinaryOp::Divide { left / right } else { left % right }
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            let count = right.to_u16().filter(|&count| count < ty.bits).ok_or(UndefinedBehaviour::ShiftCount)?;
            if op == BinaryOp::ShiftRight { left >> count } else { left << count }
        }
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
    };
    Ok(into_range(Integers::Machine, value, ty))
}

fn ideal_binary(op: BinaryOp, left: &BigInt, right: &BigInt) -> Result<BigInt, Stop> {
    Ok(match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => {
            bounded(left.bits() + right.bits())?;
            left * right
        }
        BinaryOp::Divide | BinaryOp::Remainder if right.is_zero() => {
            return Err(UndefinedBehaviour::DivisionByZero.into());
        }
        BinaryOp::Divide => left / right,
        BinaryOp::Remainder => left % right,
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            if right.is_negative() {
                return Err(UndefinedBehaviour::ShiftCount.into());
            }
            let count = right.to_u32().filter(|&count| count <= MOST_IDEAL_SHIFT_BITS);
            let count = count.ok_or_else(|| {
                Stop::unsupported(format!("shifts an ideal integer by more than {MOST_IDEAL_SHIFT_BITS} bits"))
            })?;
            if op == BinaryOp::ShiftRight {
                left >> count
            } else {
                bounded(left.bits() + u64::from(count))?;
                left << count
            }
        }
        BinaryOp::BitAnd => left & right,
        BinaryOp::BitOr => left | right,
        BinaryOp::BitXor => left ^ right,
    })
}

fn bounded(bits: u64) -> Result<(), Stop> {
    if bits > MOST_IDEAL_BITS {
        return Err(Stop::unsupported(format!("computes an ideal integer of more than {MOST_IDEAL_BITS} bits")));
    }
    Ok(())
}

/// Rounding the exact result once is what single precision does. Doing the operation on doubles and rounding again
/// would also be right for `+ - * /`, since a double has more than twice the digits, but not obviously so.
fn float_binary(op: BinaryOp, ty: FloatType, left: f64, right: f64) -> f64 {
    match ty {
        FloatType::F64 => rounded_once(op, left, right),
        FloatType::F32 => f64::from(rounded_once(op, left as f32, right as f32)),
    }
}

fn rounded_once<F: NumOps>(op: BinaryOp, left: F, right: F) -> F {
    match op {
        BinaryOp::Add => left + right,
        BinaryOp::Subtract => left - right,
        BinaryOp::Multiply => left * right,
        BinaryOp::Divide => left / right,
        BinaryOp::Remainder => left % right,
        _ => unreachable!("{op:?} does not apply to floating-point numbers"),
    }
}

fn round_to_single(value: f64) -> f64 {
    f64::from(value as f32)
}
