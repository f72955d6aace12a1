//! Constructors of bit-vectors.

use std::sync::Arc;

use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};

use crate::arithmetic::euclid;
use crate::{BitOperation, Node, Sort, Term, Terms};

impl Terms {
    /// So many bits of a number, in two's complement.
    pub fn bit_vector(&self, width: u32, value: BigInt) -> Term {
        let value = euclid(&value, &modulus(width)).1;
        self.intern(Node::BitVector { width, value: Arc::new(value) })
    }

    /// An operation on bit-vectors of one width.
    pub fn bits(&self, operation: BitOperation, operands: &[Term]) -> Term {
        let width = self.width(operands[0]);
        let values: Option<Vec<Arc<BigInt>>> = operands.iter().map(|operand| self.as_bits(*operand)).collect();
        if let Some(values) = values {
            let values: Vec<&BigInt> = values.iter().map(|value| &**value).collect();
            return self.bit_vector(width, operation.apply(width, &values));
        }
        let mut operands = operands.to_vec();
        if operation.is_commutative() {
            operands.sort_unstable();
        }
        match (operation, operands.as_slice()) {
            (BitOperation::And | BitOperation::Or, [left, right]) if left == right => return *left,
            (BitOperation::Xor, [left, right]) if left == right => return self.bit_vector(width, BigInt::zero()),
            (BitOperation::Not, [operand]) => {
                if let Node::Bits(BitOperation::Not, inner) = self.node(*operand) {
                    return inner[0];
                }
            }
            _ => {}
        }
        self.intern(Node::Bits(operation, operands.into()))
    }

    /// Bitwise conjunction.
    pub fn bv_and(&self, left: Term, right: Term) -> Term {
        self.bits(BitOperation::And, &[left, right])
    }

    /// Bitwise disjunction.
    pub fn bv_or(&self, left: Term, right: Term) -> Term {
        self.bits(BitOperation::Or, &[left, right])
    }

    /// Bitwise exclusive disjunction.
    pub fn bv_xor(&self, left: Term, right: Term) -> Term {
        self.bits(BitOperation::Xor, &[left, right])
    }

    /// Bitwise negation.
    pub fn bv_not(&self, operand: Term) -> Term {
        self.bits(BitOperation::Not, &[operand])
    }

    /// The last `width` bits of an integer.
    pub fn int_to_bits(&self, width: u32, term: Term) -> Term {
        match self.node(term) {
            Node::Integer(value) => self.bit_vector(width, (*value).clone()),
            Node::BitsToInt(bits) if self.width(bits) == width => bits,
            _ => self.intern(Node::IntToBits(width, term)),
        }
    }

    /// The unsigned value of a bit-vector.
    pub fn bits_to_int(&self, term: Term) -> Term {
        match self.node(term) {
            Node::BitVector { value, .. } => self.integer((*value).clone()),
            Node::IntToBits(width, inner) => self.modulo(inner, self.integer(modulus(width))),
            _ => self.intern(Node::BitsToInt(term)),
        }
    }

    fn as_bits(&self, term: Term) -> Option<Arc<BigInt>> {
        match self.node(term) {
            Node::BitVector { value, .. } => Some(value),
            _ => None,
        }
    }

    fn width(&self, term: Term) -> u32 {
        match self.sort(term) {
            Sort::BitVector(width) => width,
            other => panic!("bits of a term of sort {other}"),
        }
    }
}

impl BitOperation {
    pub(crate) fn is_commutative(self) -> bool {
        use BitOperation::{Add, And, Multiply, Or, Xor};
        matches!(self, And | Or | Xor | Add | Multiply)
    }

    /// The name in SMT-LIB.
    pub fn smt_lib(self) -> &'static str {
        match self {
            BitOperation::And => "bvand",
            BitOperation::Or => "bvor",
            BitOperation::Xor => "bvxor",
            BitOperation::Not => "bvnot",
            BitOperation::ShiftLeft => "bvshl",
            BitOperation::LogicalShiftRight => "bvlshr",
            BitOperation::ArithmeticShiftRight => "bvashr",
            BitOperation::Add => "bvadd",
            BitOperation::Multiply => "bvmul",
        }
    }

    /// The result on unsigned values, not yet reduced to the width.
    pub(crate) fn apply(self, width: u32, operands: &[&BigInt]) -> BigInt {
        let first = operands[0];
        let second = || operands[1];
        let distance = || second().to_u32().filter(|distance| *distance < width);
        match self {
            BitOperation::And => first & second(),
            BitOperation::Or => first | second(),
            BitOperation::Xor => first ^ second(),
            BitOperation::Not => modulus(width) - BigInt::one() - first,
            BitOperation::ShiftLeft => distance().map_or_else(BigInt::zero, |distance| first << distance),
            BitOperation::LogicalShiftRight => distance().map_or_else(BigInt::zero, |distance| first >> distance),
            BitOperation::ArithmeticShiftRight => {
                let is_negative = *first >= modulus(width) >> 1;
                let signed = if is_negative { first - modulus(width) } else { first.clone() };
                signed >> distance().unwrap_or(width)
            }
            BitOperation::Add => first + second(),
            BitOperation::Multiply => first * second(),
        }
    }
}

/// How many values bit-vectors of a width have.
pub(crate) fn modulus(width: u32) -> BigInt {
    BigInt::one() << width
}
