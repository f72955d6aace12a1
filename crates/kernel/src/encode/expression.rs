//! Expressions as terms: one expression from its operands.

use logic::{BitOperation, Term};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use program::semantics::arithmetic::{largest, smallest};
use program::semantics::memory::Memory;
use program::semantics::value::Pointer;
use program::{BinaryOp, CompareOp, Constant, ExprId, ExprKind, FunctionId, IntType, Scalar, UnaryOp};

use super::evaluation::{Encoded, Evaluation};
use super::number::{self, Number};

/// Larger ideal shifts by a constant are not written out.
const LARGEST_IDEAL_SHIFT_BITS: u64 = 1024;

impl Evaluation<'_, '_> {
    /// An expression whose operands are encoded.
    pub(super) fn combine(&mut self, expr: ExprId) -> Encoded {
        let program = self.program();
        let ty = program.exprs.ty(expr);
        match &program.exprs.get(expr).kind {
            ExprKind::Constant(constant) => self.defined(match constant {
                Constant::Bool(value) => Number::unbounded(self.terms().truth(*value)),
                Constant::Int(value) => Number::constant(self.terms(), value.clone()),
                Constant::Float(_) => return self.anything(ty),
                Constant::Null => Number::constant(self.terms(), 0),
                Constant::Address(address) => Number::constant(self.terms(), *address),
            }),
            ExprKind::Load(place) => self.load(place, ty),
            ExprKind::AddressOf(place) => self.address_of(place),
            ExprKind::FunctionAddress(function) => self.function_address(*function),
            ExprKind::Unary(op, operand) => {
                let operand = self.operand(*operand);
                let value = self.unary(*op, ty, &operand.value);
                Encoded { value, ..operand }
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.operand(*left), self.operand(*right));
                let (value, undefined) = self.binary(*op, ty, &left.value, &right.value);
                self.joined(&[left, right], value, undefined)
            }
            ExprKind::Compare(op, left, right) => {
                let scalar = program.exprs.ty(*left);
                let (left, right) = (self.operand(*left), self.operand(*right));
                let (term, undefined) = match scalar {
                    Scalar::Float(_) => (self.maybe(), self.terms().truth(false)),
                    Scalar::Pointer => self.compare_pointers(*op, left.value.term, right.value.term),
                    Scalar::Bool => (self.compare_truths(*op, &left, &right), self.terms().truth(false)),
                    Scalar::Int(_) => {
                        (self.compare_numbers(*op, left.value.term, right.value.term), self.terms().truth(false))
                    }
                };
                self.joined(&[left, right], Number::unbounded(term), undefined)
            }
            ExprKind::Not(operand) => {
                let operand = self.operand(*operand);
                Encoded { value: Number::unbounded(self.terms().not(operand.value.term)), ..operand }
            }
            ExprKind::And(left, right) => {
                let (left, right) = (self.operand(*left), self.operand(*right));
                let terms = self.terms();
                let value = terms.and([left.value.term, right.value.term]);
                let late = terms.and([left.value.term, right.undefined]);
                self.lazily(left, right, Number::unbounded(value), late)
            }
            ExprKind::Or(left, right) => {
                let (left, right) = (self.operand(*left), self.operand(*right));
                let terms = self.terms();
                let value = terms.or([left.value.term, right.value.term]);
                let late = terms.and([terms.not(left.value.term), right.undefined]);
                self.lazily(left, right, Number::unbounded(value), late)
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.operand(*condition);
                let (then, otherwise) = (self.operand(*then), self.operand(*otherwise));
                let terms = self.terms();
                let value = number::choose(terms, condition.value.term, &then.value, &otherwise.value);
                let late = terms.ite(condition.value.term, then.undefined, otherwise.undefined);
                let registers = [&then.registers[..], &otherwise.registers[..]].concat();
                self.lazily(condition, Encoded { registers, ..then }, value, late)
            }
            ExprKind::Cast(operand) => {
                let from = program.exprs.ty(*operand);
                let operand = self.operand(*operand);
                let (value, undefined) = self.convert(&operand.value, from, ty);
                self.joined(&[operand], value, undefined)
            }
            ExprKind::PointerAdd { base, index, stride } => {
                let scalar = program.exprs.ty(*index);
                let (base, index) = (self.operand(*base), self.operand(*index));
                let index_value = self.as_number(&index.value, scalar);
                let bytes = number::scale(self.terms(), &BigInt::from(*stride), &index_value);
                let (term, undefined) = self.displace(base.value.term, &bytes, true);
                self.joined(&[base, index], Number::unbounded(term), undefined)
            }
            ExprKind::PointerDifference { left, right, stride } => {
                let (left, right) = (self.operand(*left), self.operand(*right));
                let (value, undefined) = self.difference(left.value.term, right.value.term, *stride, ty);
                self.joined(&[left, right], value, undefined)
            }
        }
    }

    /// A value that is always defined.
    pub(super) fn defined(&self, value: Number) -> Encoded {
        Encoded { value, undefined: self.terms().truth(false), registers: Vec::new() }
    }

    /// What is computed from operands all of which are evaluated.
    pub(super) fn joined(&self, operands: &[Encoded], value: Number, undefined: Term) -> Encoded {
        let terms = self.terms();
        let undefined = terms.or(operands.iter().map(|operand| operand.undefined).chain([undefined]));
        let registers = operands.iter().flat_map(|operand| operand.registers.iter().copied()).collect();
        Encoded { value, undefined, registers }
    }

    /// What is computed from a first operand, and others that are evaluated only if it says so.
    fn lazily(&self, first: Encoded, others: Encoded, value: Number, late: Term) -> Encoded {
        let registers = [first.registers, others.registers].concat();
        Encoded { value, undefined: self.terms().or([first.undefined, late]), registers }
    }

    /// A truth value or integer as a number.
    pub(super) fn as_number(&self, value: &Number, scalar: Scalar) -> Number {
        if scalar == Scalar::Bool { self.bit(value.term) } else { value.clone() }
    }

    fn function_address(&self, function: FunctionId) -> Encoded {
        let program = self.program();
        let integers = self.encoding.prepared.semantics.integers;
        let mut memory = Memory::new(integers, program.types.data_model(), program.functions.len());
        let number = memory.number_of(Pointer::Function(function)).expect("a function has an address");
        self.defined(Number::constant(self.terms(), number))
    }

    fn unary(&mut self, op: UnaryOp, ty: Scalar, operand: &Number) -> Number {
        let Scalar::Int(ty) = ty else { return self.anything(ty).value };
        let terms = self.terms();
        let opposite = number::scale(terms, &-BigInt::one(), operand);
        match op {
            UnaryOp::Negate => self.ranged(&opposite, ty),
            UnaryOp::BitNot => self.ranged(&number::add(terms, &opposite, &Number::constant(terms, -1)), ty),
        }
    }

    /// A result as its type holds it.
    pub(super) fn ranged(&self, value: &Number, ty: IntType) -> Number {
        if self.encoding.is_machine() { number::wrap(self.terms(), value, ty) } else { value.clone() }
    }

    fn binary(&mut self, op: BinaryOp, ty: Scalar, left: &Number, right: &Number) -> (Number, Term) {
        let terms = self.terms();
        let never = terms.truth(false);
        let Scalar::Int(ty) = ty else { return (self.anything(ty).value, never) };
        match op {
            BinaryOp::Add => (self.ranged(&number::add(terms, left, right), ty), never),
            BinaryOp::Subtract => (self.ranged(&number::subtract(terms, left, right), ty), never),
            BinaryOp::Multiply => (self.ranged(&self.product(left, right), ty), never),
            BinaryOp::Divide | BinaryOp::Remainder => {
                let mut undefined = terms.equal(right.term, terms.integer(0));
                if self.encoding.is_machine() && ty.signed {
                    let trap = terms.and([
                        terms.equal(left.term, terms.integer(smallest(ty))),
                        terms.equal(right.term, terms.integer(-1)),
                    ]);
                    undefined = terms.or([undefined, trap]);
                }
                let value = number::divide(terms, left, right, op == BinaryOp::Remainder);
                // Outside the range there is only what traps.
                let value = match value.is_within(&smallest(ty), &largest(ty)) || !self.encoding.is_machine() {
                    true => value,
                    false => Number::of_type(value.term, ty),
                };
                (value, undefined)
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => self.shift(op == BinaryOp::ShiftLeft, ty, left, right),
            BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => (self.bit_operation(op, ty, left, right), never),
        }
    }

    fn product(&self, left: &Number, right: &Number) -> Number {
        let terms = self.terms();
        if let Some(factor) = left.value() {
            return number::scale(terms, factor, right);
        }
        if let Some(factor) = right.value() {
            return number::scale(terms, factor, left);
        }
        let mut product = Number::unbounded(terms.multiply(left.term, right.term));
        if let (Some(a), Some(b), Some(c), Some(d)) = (&left.low, &left.high, &right.low, &right.high) {
            let corners = [a * c, a * d, b * c, b * d];
            product.low = corners.iter().min().cloned();
            product.high = corners.iter().max().cloned();
        }
        product
    }

    fn shift(&mut self, is_left: bool, ty: IntType, left: &Number, right: &Number) -> (Number, Term) {
        let terms = self.terms();
        let is_machine = self.encoding.is_machine();
        let negative = terms.less(right.term, terms.integer(0));
        let undefined = match is_machine {
            true => terms.or([negative, terms.greater_equal(right.term, terms.integer(ty.bits))]),
            false => negative,
        };
        let most = if is_machine { u64::from(ty.bits) } else { LARGEST_IDEAL_SHIFT_BITS };
        if let Some(count) = right.value() {
            return match count.to_u64().filter(|&count| count < most) {
                Some(count) if is_left => (self.ranged(&number::shift_left(terms, left, count), ty), undefined),
                Some(count) => (number::shift_right(terms, left, count), undefined),
                None => (self.shifted_somehow(is_left, ty, left, right), undefined),
            };
        }
        // Where integers are ideal, an amount has no bound that its type gives.
        let bounded = is_machine || right.high.as_ref().is_some_and(|high| *high < BigInt::from(most));
        if let Some(value) = left.value().filter(|_| bounded)
            && let Some(shifted) = number::shifted_constant(terms, value, right, most, is_left)
        {
            return (self.ranged(&shifted, ty), undefined);
        }
        (self.shifted_somehow(is_left, ty, left, right), undefined)
    }

    fn shifted_somehow(&mut self, is_left: bool, ty: IntType, left: &Number, right: &Number) -> Number {
        let terms = self.terms();
        let operation = match is_left {
            true => BitOperation::ShiftLeft,
            false if ty.signed => BitOperation::ArithmeticShiftRight,
            false => BitOperation::LogicalShiftRight,
        };
        let by_bits = self.encoding.is_machine().then(|| number::by_bits(terms, operation, left, right, ty));
        let result = by_bits.unwrap_or_else(|| {
            self.encoding.note("a shift by an amount that is not constant", self.span);
            self.anything(Scalar::Int(ty)).value
        });
        if !is_left {
            let (zero, before) = (terms.integer(0), terms.integer(-1));
            let between = |low: Term, high: Term| {
                terms.and([terms.less_equal(low, result.term), terms.less_equal(result.term, high)])
            };
            // What is undefined, and perhaps not evaluated at all, may be outside of its type.
            let (is_positive, is_negative) = match self.encoding.is_machine() {
                true => (
                    self.encoding.between(&BigInt::zero(), left.term, &largest(ty)),
                    self.encoding.between(&smallest(ty), left.term, &-BigInt::one()),
                ),
                false => (terms.greater_equal(left.term, zero), terms.less(left.term, zero)),
            };
            self.facts.push(terms.implies(is_positive, between(zero, left.term)));
            if ty.signed || !self.encoding.is_machine() {
                self.facts.push(terms.implies(is_negative, between(left.term, before)));
            }
        }
        result
    }

    fn bit_operation(&mut self, op: BinaryOp, ty: IntType, left: &Number, right: &Number) -> Number {
        let terms = self.terms();
        if let Some(mut exact) = number::bits(terms, op, left, right) {
            if self.encoding.is_machine() && !exact.is_within(&smallest(ty), &largest(ty)) {
                exact = Number::of_type(exact.term, ty);
            }
            return exact;
        }
        let operation = match op {
            BinaryOp::BitAnd => BitOperation::And,
            BinaryOp::BitOr => BitOperation::Or,
            _ => BitOperation::Xor,
        };
        // Without a width of the machine's, one that both have room in.
        let shared = || Some(number::signed_type(left)?.bits.max(number::signed_type(right)?.bits));
        let width = if self.encoding.is_machine() { Some(ty) } else { shared().map(IntType::signed) };
        let result = match width {
            Some(ty) => number::by_bits(terms, operation, left, right, ty),
            None => {
                self.encoding.note("a bit operation on two values of which nothing is known", self.span);
                self.anything(Scalar::Int(ty)).value
            }
        };
        let zero = terms.integer(0);
        let most = |high: Term| terms.and([terms.less_equal(zero, result.term), terms.less_equal(result.term, high)]);
        let fits = |number: &Number| {
            if !self.encoding.is_machine() {
                return terms.less_equal(zero, number.term);
            }
            self.encoding.between(&BigInt::zero(), number.term, &largest(ty))
        };
        if op == BinaryOp::BitAnd {
            self.facts.push(terms.implies(fits(left), most(left.term)));
            self.facts.push(terms.implies(fits(right), most(right.term)));
        } else {
            let both = terms.and([fits(left), fits(right)]);
            self.facts.push(terms.implies(both, most(terms.add([left.term, right.term]))));
            if op == BinaryOp::BitOr {
                let above = |number: &Number| terms.less_equal(number.term, result.term);
                self.facts.push(terms.implies(both, terms.and([above(left), above(right)])));
            }
        }
        result
    }

    pub(super) fn compare_numbers(&self, op: CompareOp, left: Term, right: Term) -> Term {
        let terms = self.terms();
        match op {
            CompareOp::Equal => terms.equal(left, right),
            CompareOp::NotEqual => terms.distinct(left, right),
            CompareOp::Less => terms.less(left, right),
            CompareOp::LessEqual => terms.less_equal(left, right),
            CompareOp::Greater => terms.greater(left, right),
            CompareOp::GreaterEqual => terms.greater_equal(left, right),
        }
    }

    fn compare_truths(&self, op: CompareOp, left: &Encoded, right: &Encoded) -> Term {
        let terms = self.terms();
        match op {
            CompareOp::Equal => terms.iff(left.value.term, right.value.term),
            CompareOp::NotEqual => terms.not(terms.iff(left.value.term, right.value.term)),
            _ => self.compare_numbers(op, self.bit(left.value.term).term, self.bit(right.value.term).term),
        }
    }

    /// A conversion, and when it is undefined.
    pub(super) fn convert(&mut self, value: &Number, from: Scalar, to: Scalar) -> (Number, Term) {
        let terms = self.terms();
        let never = terms.truth(false);
        let is_zero = |term: Term| terms.equal(term, terms.integer(0));
        match (from, to) {
            (from, to) if from == to && !matches!(to, Scalar::Int(_)) => (value.clone(), never),
            (Scalar::Pointer, Scalar::Bool) => {
                let undefined = self.dangling(value.term);
                (Number::unbounded(terms.not(is_zero(value.term))), undefined)
            }
            (Scalar::Pointer, Scalar::Int(ty)) => {
                let (number, undefined) = self.address_number(value.term);
                (self.ranged(&number, ty), undefined)
            }
            (Scalar::Pointer, _) => {
                let undefined = self.dangling(value.term);
                (self.anything(to).value, undefined)
            }
            (Scalar::Float(_), Scalar::Int(_)) => {
                self.encoding.note("a floating-point number as an integer", self.span);
                let undefined = self.maybe();
                (self.anything(to).value, undefined)
            }
            (Scalar::Float(_), Scalar::Pointer) => (self.anything(to).value, self.maybe()),
            (Scalar::Float(_), _) | (_, Scalar::Float(_)) => (self.anything(to).value, never),
            (Scalar::Int(_), Scalar::Bool) => (Number::unbounded(terms.not(is_zero(value.term))), never),
            (Scalar::Bool, Scalar::Bool) => (value.clone(), never),
            (from, Scalar::Int(ty)) => (self.ranged(&self.as_number(value, from), ty), never),
            (from, Scalar::Pointer) => (self.address_at(&self.as_number(value, from)), never),
        }
    }
}
