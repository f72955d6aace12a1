//! Every operation on every pair of 8-bit operands against the processor's own arithmetic, and all conversions among
//! small widths.

use num_bigint::BigInt;
use num_traits::ToPrimitive;
use program::semantics::arithmetic::{binary, compare, convert, unary, wrap};
use program::semantics::{Integers, Stop, UndefinedBehaviour, Value};
use program::*;

use BinaryOp::*;

const OPS: [BinaryOp; 10] = [Add, Subtract, Multiply, Divide, Remainder, ShiftLeft, ShiftRight, BitAnd, BitOr, BitXor];

/// The value and whether it overflowed, or what is undefined.
fn machine(op: BinaryOp, signed: bool, left: i32, right: i32) -> Result<(i32, bool), UndefinedBehaviour> {
    let ty = Scalar::Int(IntType { bits: 8, signed });
    match binary(Integers::Machine, op, ty, &Value::int(left), &Value::int(right)) {
        Ok(computed) => Ok((computed.value.as_int().unwrap().to_i32().unwrap(), computed.overflow)),
        Err(Stop::Undefined(kind)) => Err(kind),
        Err(other) => panic!("{other:?}"),
    }
}

fn expected_signed(op: BinaryOp, a: i8, b: i8) -> Result<(i32, bool), UndefinedBehaviour> {
    let wide = |(value, overflow): (i8, bool)| Ok((i32::from(value), overflow));
    match op {
        Add => wide(a.overflowing_add(b)),
        Subtract => wide(a.overflowing_sub(b)),
        Multiply => wide(a.overflowing_mul(b)),
        Divide | Remainder if b == 0 => Err(UndefinedBehaviour::DivisionByZero),
        Divide | Remainder if a == i8::MIN && b == -1 => Err(UndefinedBehaviour::DivisionOverflow),
        Divide => wide((a / b, false)),
        Remainder => wide((a % b, false)),
        ShiftLeft | ShiftRight if !(0..8).contains(&b) => Err(UndefinedBehaviour::ShiftCount),
        ShiftLeft => wide((a.wrapping_shl(b as u32), !(-128..=127).contains(&(i32::from(a) << b)))),
        ShiftRight => wide((a >> b, false)),
        BitAnd => wide((a & b, false)),
        BitOr => wide((a | b, false)),
        BitXor => wide((a ^ b, false)),
    }
}

fn expected_unsigned(op: BinaryOp, a: u8, b: u8) -> Result<(i32, bool), UndefinedBehaviour> {
    let value = match op {
        Add => a.wrapping_add(b),
        Subtract => a.wrapping_sub(b),
        Multiply => a.wrapping_mul(b),
        Divide | Remainder if b == 0 => return Err(UndefinedBehaviour::DivisionByZero),
        Divide => a / b,
        Remainder => a % b,
        ShiftLeft | ShiftRight if b >= 8 => return Err(UndefinedBehaviour::ShiftCount),
        ShiftLeft => a.wrapping_shl(b.into()),
        ShiftRight => a >> b,
        BitAnd => a & b,
        BitOr => a | b,
        BitXor => a ^ b,
    };
    Ok((i32::from(value), false))
}

#[test]
fn binary_operations_on_all_signed_bytes() {
    for op in OPS {
        for a in i8::MIN..=i8::MAX {
            for b in i8::MIN..=i8::MAX {
                assert_eq!(machine(op, true, a.into(), b.into()), expected_signed(op, a, b), "{a} {op:?} {b}");
            }
        }
    }
}

#[test]
fn binary_operations_on_all_unsigned_bytes() {
    for op in OPS {
        for a in 0..=u8::MAX {
            for b in 0..=u8::MAX {
                assert_eq!(machine(op, false, a.into(), b.into()), expected_unsigned(op, a, b), "{a} {op:?} {b}");
            }
        }
    }
}

#[test]
fn unary_operations_on_all_bytes() {
    for a in i8::MIN..=i8::MAX {
        let signed = Scalar::Int(IntType::signed(8));
        let negated = unary(Integers::Machine, UnaryOp::Negate, signed, &Value::int(a)).unwrap();
        assert_eq!((negated.value, negated.overflow), (Value::int(a.wrapping_neg()), a == i8::MIN));
        let inverted = unary(Integers::Machine, UnaryOp::BitNot, signed, &Value::int(a)).unwrap();
        assert_eq!((inverted.value, inverted.overflow), (Value::int(!a), false));
        let (b, unsigned) = (a as u8, Scalar::Int(IntType::unsigned(8)));
        let negated = unary(Integers::Machine, UnaryOp::Negate, unsigned, &Value::int(b)).unwrap();
        assert_eq!((negated.value, negated.overflow), (Value::int(b.wrapping_neg()), false));
        let inverted = unary(Integers::Machine, UnaryOp::BitNot, unsigned, &Value::int(b)).unwrap();
        assert_eq!((inverted.value, inverted.overflow), (Value::int(!b), false));
    }
}

#[test]
fn ideal_operations_agree_with_wide_ones() {
    let ty = Scalar::Int(IntType::signed(8));
    for op in OPS {
        for a in -130i64..130 {
            for b in -10i64..40 {
                let wide = match op {
                    Add => a + b,
                    Subtract => a - b,
                    Multiply => a * b,
                    Divide | Remainder if b == 0 => continue,
                    Divide => a / b,
                    Remainder => a % b,
                    ShiftLeft | ShiftRight if b < 0 => continue,
                    ShiftLeft => a << b,
                    ShiftRight => a >> b,
                    BitAnd => a & b,
                    BitOr => a | b,
                    BitXor => a ^ b,
                };
                let computed = binary(Integers::Ideal, op, ty, &Value::int(a), &Value::int(b)).unwrap();
                assert_eq!((computed.value, computed.overflow), (Value::int(wide), false), "{a} {op:?} {b}");
            }
        }
    }
}

#[test]
fn ideal_operations_have_their_own_limits() {
    let ty = Scalar::Int(IntType::signed(8));
    let apply = |op, a: i64, b: i64| binary(Integers::Ideal, op, ty, &Value::int(a), &Value::int(b));
    assert_eq!(apply(Divide, 1, 0), Err(UndefinedBehaviour::DivisionByZero.into()));
    assert_eq!(apply(Remainder, 1, 0), Err(UndefinedBehaviour::DivisionByZero.into()));
    assert_eq!(apply(ShiftLeft, 1, -1), Err(UndefinedBehaviour::ShiftCount.into()));
    assert!(apply(ShiftLeft, 1, 65_536).is_ok());
    assert!(matches!(apply(ShiftLeft, 1, 65_537), Err(Stop::Unsupported(_))));
    let large = Value::Int(BigInt::from(3) << 600_000);
    assert!(matches!(binary(Integers::Ideal, Multiply, ty, &large, &large), Err(Stop::Unsupported(_))));
}

#[test]
fn conversions_among_all_small_widths() {
    for from_bits in 1..=12u16 {
        for to_bits in 1..=16u16 {
            for from_signed in [false, true] {
                let low = if from_signed { -(1i64 << (from_bits - 1)) } else { 0 };
                for value in low..low + (1 << from_bits) {
                    for signed in [false, true] {
                        let to = IntType { bits: to_bits, signed };
                        let masked = value & ((1 << to_bits) - 1);
                        let wrapped =
                            if signed && masked >> (to_bits - 1) == 1 { masked - (1 << to_bits) } else { masked };
                        let converted = convert(Integers::Machine, &Value::int(value), Scalar::Int(to)).unwrap();
                        assert_eq!(converted, Value::int(wrapped), "{value} to {to:?}");
                        let ideal = convert(Integers::Ideal, &Value::int(value), Scalar::Int(to)).unwrap();
                        assert_eq!(ideal, Value::int(value));
                    }
                }
            }
        }
    }
}

#[test]
fn wrapping_agrees_with_the_processor_on_wide_values() {
    for value in [i128::MIN, i128::MAX, -1, 1 << 64, (1 << 63) - 1, 1 << 63, -(1 << 63), 12_345_678_901_234_567_890] {
        assert_eq!(wrap(&value.into(), IntType::signed(64)), BigInt::from(value as i64));
        assert_eq!(wrap(&value.into(), IntType::unsigned(64)), BigInt::from(value as u64));
        assert_eq!(wrap(&value.into(), IntType::signed(32)), BigInt::from(value as i32));
    }
}

#[test]
fn floating_point_conversions() {
    let to = |value: f64, ty| convert(Integers::Machine, &Value::float(value), ty);
    let (signed, unsigned) = (Scalar::Int(IntType::signed(8)), Scalar::Int(IntType::unsigned(8)));
    assert_eq!(to(-128.9, signed), Ok(Value::int(-128)));
    assert_eq!(to(127.9, signed), Ok(Value::int(127)));
    assert_eq!(to(-0.9, unsigned), Ok(Value::int(0)));
    for (value, ty) in [(128.0, signed), (-129.0, signed), (256.0, unsigned), (-1.0, unsigned)] {
        assert_eq!(to(value, ty), Err(UndefinedBehaviour::FloatToInteger.into()), "{value}");
    }
    for value in [f64::NAN, f64::INFINITY] {
        assert_eq!(to(value, signed), Err(UndefinedBehaviour::FloatToInteger.into()));
        let ideal = convert(Integers::Ideal, &Value::float(value), signed);
        assert_eq!(ideal, Err(UndefinedBehaviour::FloatToInteger.into()));
        assert_eq!(to(value, Scalar::Bool), Ok(Value::Bool(true)));
    }
    assert_eq!(
        convert(Integers::Ideal, &Value::float(1e20), signed),
        Ok(Value::Int(BigInt::from(10u64.pow(10)).pow(2)))
    );
    let single = Scalar::Float(FloatType::F32);
    for value in [(1i64 << 24) + 1, (1 << 53) + 1, i64::MAX, i64::MIN, 16_777_219] {
        let number = Value::int(value);
        assert_eq!(convert(Integers::Machine, &number, single), Ok(Value::float(f64::from(value as f32))));
        let double = Scalar::Float(FloatType::F64);
        assert_eq!(convert(Integers::Machine, &number, double), Ok(Value::float(value as f64)));
    }
}

#[test]
fn single_precision_rounds_each_result() {
    let single = Scalar::Float(FloatType::F32);
    for (a, b) in [(0.1f32, 0.2f32), (1e30, 1e10), (1.0, 3.0), (16_777_216.0, 1.0)] {
        let apply = |op| binary(Integers::Machine, op, single, &Value::float(a.into()), &Value::float(b.into()));
        assert_eq!(apply(Add).unwrap().value, Value::float((a + b).into()));
        assert_eq!(apply(Multiply).unwrap().value, Value::float((a * b).into()));
        assert_eq!(apply(Divide).unwrap().value, Value::float((a / b).into()));
    }
}

#[test]
fn comparisons_of_numbers_that_are_none() {
    let (nan, one) = (Value::float(f64::NAN), Value::float(1.0));
    assert!(!compare(CompareOp::Equal, &nan, &nan));
    assert!(compare(CompareOp::NotEqual, &nan, &nan));
    assert!(!compare(CompareOp::Less, &nan, &one) && !compare(CompareOp::GreaterEqual, &nan, &one));
}
