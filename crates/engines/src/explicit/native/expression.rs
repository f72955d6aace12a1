//! Expressions as compiled code. What is known is computed while compiling; the rest becomes instructions.
//!
//! Values are 64-bit patterns as in [`super::fold`]. Where behaviour may be undefined, or an ideal integer may
//! outgrow 64 bits, a check leaves the function first; the order of checks is the order of evaluation.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};
use program::semantics::Integers;
use program::{
    BinaryOp, CompareOp, Constant, ExprId, ExprKind, IntType, Place, Root, Scalar, Selector, Type, TypeId, UnaryOp,
};

use super::emit::{Emitter, MEMORY};
use super::fold;
use super::model::Slot;

/// A value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Term {
    /// Known while compiling.
    Known(i64),
    /// Computed: 64 bits.
    Code(Value),
}

/// Where a part of an object lies.
pub struct PartAddress {
    /// From the beginning of the memory.
    pub offset: u64,
    /// And so many bytes more.
    pub more: Option<Value>,
    /// The type of what lies there.
    pub ty: TypeId,
}

impl Emitter<'_, '_> {
    /// The value of an expression.
    pub fn value(&mut self, expr: ExprId) -> Term {
        let data = self.model.program().exprs.get(expr).clone();
        match data.kind {
            ExprKind::Constant(Constant::Bool(value)) => Term::Known(i64::from(value)),
            ExprKind::Constant(Constant::Int(value)) => match super::model::pattern(&value) {
                Some(value) => Term::Known(value),
                None => {
                    self.leave_too_wide();
                    Term::Known(0)
                }
            },
            ExprKind::Load(place) => self.load(&place, data.ty),
            ExprKind::Unary(op, operand) => self.unary(op, data.ty, operand),
            ExprKind::Binary(op, left, right) => self.binary(op, data.ty, left, right),
            ExprKind::Compare(op, left, right) => self.compare(op, left, right),
            ExprKind::Not(operand) => match self.value(operand) {
                Term::Known(value) => Term::Known(i64::from(value == 0)),
                Term::Code(value) => Term::Code(self.builder.ins().bxor_imm_u(value, 1)),
            },
            ExprKind::And(left, right) => self.lazy(left, right, false),
            ExprKind::Or(left, right) => self.lazy(left, right, true),
            ExprKind::If(condition, then, otherwise) => self.choice(condition, then, otherwise),
            ExprKind::Cast(operand) => self.cast(data.ty, operand),
            _ => unreachable!("the model holds no such expression"),
        }
    }

    /// The value of a term in code.
    pub fn code(&mut self, term: Term) -> Value {
        match term {
            Term::Known(value) => self.builder.ins().iconst(types::I64, value),
            Term::Code(value) => value,
        }
    }

    /// Goes on in one of two blocks.
    pub fn branch(&mut self, condition: ExprId, then: Block, otherwise: Block) {
        if let Some(truth) = self.known_truth(condition) {
            self.builder.ins().jump(if truth { then } else { otherwise }, &[]);
            return;
        }
        let kind = self.model.program().exprs.get(condition).kind.clone();
        match kind {
            ExprKind::Not(operand) => self.branch(operand, otherwise, then),
            ExprKind::And(left, right) | ExprKind::Or(left, right) if self.known(left).is_some() => {
                self.branch(right, then, otherwise);
            }
            ExprKind::And(left, right) => {
                let middle = self.builder.create_block();
                self.branch(left, middle, otherwise);
                self.builder.switch_to_block(middle);
                self.branch(right, then, otherwise);
            }
            ExprKind::Or(left, right) => {
                let middle = self.builder.create_block();
                self.branch(left, then, middle);
                self.builder.switch_to_block(middle);
                self.branch(right, then, otherwise);
            }
            _ => match self.value(condition) {
                Term::Known(value) => {
                    let target = if value != 0 { then } else { otherwise };
                    self.builder.ins().jump(target, &[]);
                }
                Term::Code(value) => {
                    self.builder.ins().brif(value, then, &[], otherwise, &[]);
                }
            },
        }
    }

    /// The truth of an expression, where that is known without any code.
    pub fn known_truth(&self, expr: ExprId) -> Option<bool> {
        self.known(expr).map(|value| value != 0)
    }

    /// The value of an expression, where that is known without any code.
    pub fn known(&self, expr: ExprId) -> Option<i64> {
        let program = self.model.program();
        let data = program.exprs.get(expr);
        let integers = self.model.integers;
        match &data.kind {
            ExprKind::Constant(Constant::Bool(value)) => Some(i64::from(*value)),
            ExprKind::Constant(Constant::Int(value)) => super::model::pattern(value),
            ExprKind::Load(place) => self.known_slot(self.model.slot_of[&place.as_variable()?]),
            ExprKind::Not(operand) => self.known(*operand).map(|value| i64::from(value == 0)),
            ExprKind::And(left, right) => match self.known(*left) {
                Some(0) => Some(0),
                Some(_) => self.known(*right),
                // The left operand must still be evaluated where that may be undefined.
                None => (self.known(*right) == Some(0) && self.model.is_total(*left)).then_some(0),
            },
            ExprKind::Or(left, right) => match self.known(*left) {
                Some(0) => self.known(*right),
                Some(_) => Some(1),
                None => (self.known(*right) == Some(1) && self.model.is_total(*left)).then_some(1),
            },
            ExprKind::Compare(op, left, right) => {
                let (left_value, right_value) = (self.known(*left)?, self.known(*right)?);
                let ty = program.exprs.ty(*left);
                Some(i64::from(fold::compare(integers, *op, ty, left_value, right_value)))
            }
            ExprKind::Unary(op, operand) => fold::unary(integers, *op, int(data.ty), self.known(*operand)?),
            ExprKind::Binary(op, left, right) => {
                let count = int(program.exprs.ty(*right));
                fold::binary(integers, *op, int(data.ty), self.known(*left)?, self.known(*right)?, count)
            }
            ExprKind::Cast(operand) => fold::cast(integers, data.ty, self.known(*operand)?),
            ExprKind::If(condition, then, otherwise) => {
                let chosen = if self.known(*condition)? != 0 { *then } else { *otherwise };
                self.known(chosen)
            }
            _ => None,
        }
    }

    fn load(&mut self, place: &Place, ty: Scalar) -> Term {
        if let Some(variable) = place.as_variable() {
            let slot = self.model.slot_of[&variable];
            if matches!(self.model.slots[slot], Slot::Scalar { .. }) {
                return self.scalar(slot);
            }
        }
        let address = self.address(place);
        let (pointer, offset) = self.pointer(&address);
        let flags = MEMORY;
        let loaded = match ty {
            Scalar::Bool => {
                let byte = self.builder.ins().load(types::I8, flags, pointer, offset);
                let truth = self.builder.ins().icmp_imm_u(IntCC::NotEqual, byte, 0);
                self.builder.ins().uextend(types::I64, truth)
            }
            Scalar::Int(IntType { bits: 8, signed: true }) => {
                self.builder.ins().sload8(types::I64, flags, pointer, offset)
            }
            Scalar::Int(IntType { bits: 8, .. }) => self.builder.ins().uload8(types::I64, flags, pointer, offset),
            Scalar::Int(IntType { bits: 16, signed: true }) => {
                self.builder.ins().sload16(types::I64, flags, pointer, offset)
            }
            Scalar::Int(IntType { bits: 16, .. }) => self.builder.ins().uload16(types::I64, flags, pointer, offset),
            Scalar::Int(IntType { bits: 32, signed: true }) => self.builder.ins().sload32(flags, pointer, offset),
            Scalar::Int(IntType { bits: 32, .. }) => self.builder.ins().uload32(flags, pointer, offset),
            _ => self.builder.ins().load(types::I64, flags, pointer, offset),
        };
        Term::Code(loaded)
    }

    /// Where a part of an object lies; indices out of bounds leave the function.
    pub fn address(&mut self, place: &Place) -> PartAddress {
        let Root::Variable(variable) = place.root else { unreachable!("the model holds no pointers") };
        let Slot::Object { offset, .. } = self.model.slots[self.model.slot_of[&variable]] else {
            unreachable!("only objects have parts")
        };
        let model = self.model;
        let types = &model.program().types;
        let mut address = PartAddress { offset, more: None, ty: model.program().variables[variable].ty };
        for step in &place.path {
            match (step, types.get(address.ty)) {
                (Selector::Field(number), Type::Record(record)) => {
                    let field = &record.fields[*number as usize];
                    address.offset += field.offset_bits / 8;
                    address.ty = field.ty;
                }
                (Selector::Index(index), Type::Array { element, length }) => {
                    let size = types.size_bits(*element) / 8;
                    match self.value(*index) {
                        Term::Known(index) if (0..*length as i64).contains(&index) => {
                            address.offset += index as u64 * size;
                        }
                        Term::Known(_) => self.leave_undefined(),
                        Term::Code(index) => {
                            let inside = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, index, *length as i64);
                            self.check_defined(inside);
                            let bytes = self.builder.ins().imul_imm_u(index, size as i64);
                            address.more = Some(match address.more {
                                None => bytes,
                                Some(more) => self.builder.ins().iadd(more, bytes),
                            });
                        }
                    }
                    address.ty = *element;
                }
                _ => unreachable!("checked when the model was made"),
            }
        }
        address
    }

    /// An address as a base and a constant offset.
    pub fn pointer(&mut self, address: &PartAddress) -> (Value, i32) {
        let memory = self.memory();
        let base = match address.more {
            None => memory,
            Some(more) => self.builder.ins().iadd(memory, more),
        };
        (base, i32::try_from(address.offset).expect("objects are small"))
    }

    fn unary(&mut self, op: UnaryOp, ty: Scalar, operand: ExprId) -> Term {
        let operand = self.value(operand);
        if let Term::Known(known) = operand
            && let Some(value) = fold::unary(self.model.integers, op, int(ty), known)
        {
            return Term::Known(value);
        }
        let value = self.code(operand);
        Term::Code(match (self.model.integers, op) {
            (Integers::Machine, UnaryOp::Negate) => {
                let negated = self.builder.ins().ineg(value);
                self.normalise(negated, int(ty))
            }
            (Integers::Machine, UnaryOp::BitNot) => {
                let inverted = self.builder.ins().bnot(value);
                self.normalise(inverted, int(ty))
            }
            (Integers::Ideal, UnaryOp::Negate) => {
                let representable = self.builder.ins().icmp_imm_s(IntCC::NotEqual, value, i64::MIN);
                self.check_wide(representable);
                self.builder.ins().ineg(value)
            }
            (Integers::Ideal, UnaryOp::BitNot) => self.builder.ins().bnot(value),
        })
    }

    fn binary(&mut self, op: BinaryOp, ty: Scalar, left: ExprId, right: ExprId) -> Term {
        let count = int(self.model.program().exprs.ty(right));
        let (left, right) = (self.value(left), self.value(right));
        if let (Term::Known(a), Term::Known(b)) = (left, right)
            && let Some(value) = fold::binary(self.model.integers, op, int(ty), a, b, count)
        {
            return Term::Known(value);
        }
        let divisor = match right {
            Term::Known(value) => Some(value),
            Term::Code(_) => None,
        };
        let (left, right) = (self.code(left), self.code(right));
        Term::Code(match self.model.integers {
            Integers::Machine => self.machine(op, int(ty), left, right, divisor),
            Integers::Ideal => self.ideal(op, left, right),
        })
    }

    fn machine(&mut self, op: BinaryOp, ty: IntType, left: Value, right: Value, known: Option<i64>) -> Value {
        let value = match op {
            BinaryOp::Add => self.builder.ins().iadd(left, right),
            BinaryOp::Subtract => self.builder.ins().isub(left, right),
            BinaryOp::Multiply => self.builder.ins().imul(left, right),
            BinaryOp::BitAnd => self.builder.ins().band(left, right),
            BinaryOp::BitOr => self.builder.ins().bor(left, right),
            BinaryOp::BitXor => self.builder.ins().bxor(left, right),
            BinaryOp::Divide | BinaryOp::Remainder => {
                self.check_division(ty, left, right, known);
                return self.divide(op, ty, left, right, known);
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let bits = i64::from(ty.bits);
                let in_range = self.builder.ins().icmp_imm_u(IntCC::UnsignedLessThan, right, bits);
                self.check_defined(in_range);
                match (op, ty.signed) {
                    (BinaryOp::ShiftLeft, _) => self.builder.ins().ishl(left, right),
                    (_, true) => self.builder.ins().sshr(left, right),
                    (_, false) => self.builder.ins().ushr(left, right),
                }
            }
        };
        self.normalise(value, ty)
    }

    /// Leaves where the divisor is zero, or the quotient is out of range.
    fn check_division(&mut self, ty: IntType, left: Value, right: Value, known: Option<i64>) {
        match known {
            Some(0) => return self.leave_undefined(),
            Some(-1) if ty.signed => {}
            Some(_) => return,
            None => {
                let not_zero = self.builder.ins().icmp_imm_s(IntCC::NotEqual, right, 0);
                self.check_defined(not_zero);
            }
        }
        if ty.signed {
            let smallest = if ty.bits == 64 { i64::MIN } else { -(1 << (ty.bits - 1)) };
            let not_smallest = self.builder.ins().icmp_imm_s(IntCC::NotEqual, left, smallest);
            let not_minus_one = self.builder.ins().icmp_imm_s(IntCC::NotEqual, right, -1);
            let fine = self.builder.ins().bor(not_smallest, not_minus_one);
            self.check_defined(fine);
        }
    }

    /// A division in 32 bits where that suffices, because it is faster.
    fn divide(&mut self, op: BinaryOp, ty: IntType, left: Value, right: Value, known: Option<i64>) -> Value {
        let narrow = ty.bits <= 32;
        let (left, right) = if narrow {
            let left = self.builder.ins().ireduce(types::I32, left);
            let right = match known {
                Some(value) => self.builder.ins().iconst(types::I32, i64::from(value as u32)),
                None => self.builder.ins().ireduce(types::I32, right),
            };
            (left, right)
        } else {
            (left, right)
        };
        let value = match (op, ty.signed) {
            (BinaryOp::Divide, true) => self.builder.ins().sdiv(left, right),
            (BinaryOp::Divide, false) => self.builder.ins().udiv(left, right),
            (_, true) => self.builder.ins().srem(left, right),
            (_, false) => self.builder.ins().urem(left, right),
        };
        match (narrow, ty.signed) {
            (false, _) => value,
            (true, true) => self.builder.ins().sextend(types::I64, value),
            (true, false) => self.builder.ins().uextend(types::I64, value),
        }
    }

    /// Ideal arithmetic in 64 bits. What does not fit is noticed through the same operation in 128 bits.
    fn ideal(&mut self, op: BinaryOp, left: Value, right: Value) -> Value {
        match op {
            BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply => {
                let wide_left = self.builder.ins().sextend(types::I128, left);
                let wide_right = self.builder.ins().sextend(types::I128, right);
                let wide = match op {
                    BinaryOp::Add => self.builder.ins().iadd(wide_left, wide_right),
                    BinaryOp::Subtract => self.builder.ins().isub(wide_left, wide_right),
                    _ => self.builder.ins().imul(wide_left, wide_right),
                };
                let value = self.builder.ins().ireduce(types::I64, wide);
                let again = self.builder.ins().sextend(types::I128, value);
                let fits = self.builder.ins().icmp(IntCC::Equal, wide, again);
                self.check_wide(fits);
                value
            }
            BinaryOp::Divide | BinaryOp::Remainder => {
                let not_zero = self.builder.ins().icmp_imm_s(IntCC::NotEqual, right, 0);
                self.check_defined(not_zero);
                let not_smallest = self.builder.ins().icmp_imm_s(IntCC::NotEqual, left, i64::MIN);
                let not_minus_one = self.builder.ins().icmp_imm_s(IntCC::NotEqual, right, -1);
                let fine = self.builder.ins().bor(not_smallest, not_minus_one);
                self.check_wide(fine);
                match op {
                    BinaryOp::Divide => self.builder.ins().sdiv(left, right),
                    _ => self.builder.ins().srem(left, right),
                }
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                let not_negative = self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, right, 0);
                self.check_defined(not_negative);
                let small = self.builder.ins().icmp_imm_s(IntCC::SignedLessThan, right, 64);
                if op == BinaryOp::ShiftRight {
                    let most = self.builder.ins().iconst(types::I64, 63);
                    let count = self.builder.ins().select(small, right, most);
                    return self.builder.ins().sshr(left, count);
                }
                self.check_wide(small);
                let shifted = self.builder.ins().ishl(left, right);
                let back = self.builder.ins().sshr(shifted, right);
                let fits = self.builder.ins().icmp(IntCC::Equal, back, left);
                self.check_wide(fits);
                shifted
            }
            BinaryOp::BitAnd => self.builder.ins().band(left, right),
            BinaryOp::BitOr => self.builder.ins().bor(left, right),
            BinaryOp::BitXor => self.builder.ins().bxor(left, right),
        }
    }

    fn compare(&mut self, op: CompareOp, left: ExprId, right: ExprId) -> Term {
        let ty = self.model.program().exprs.ty(left);
        let (left, right) = (self.value(left), self.value(right));
        if let (Term::Known(a), Term::Known(b)) = (left, right) {
            return Term::Known(i64::from(fold::compare(self.model.integers, op, ty, a, b)));
        }
        let unsigned =
            self.model.integers == Integers::Machine && matches!(ty, Scalar::Int(IntType { signed: false, .. }));
        let code = match (op, unsigned) {
            (CompareOp::Equal, _) => IntCC::Equal,
            (CompareOp::NotEqual, _) => IntCC::NotEqual,
            (CompareOp::Less, false) => IntCC::SignedLessThan,
            (CompareOp::LessEqual, false) => IntCC::SignedLessThanOrEqual,
            (CompareOp::Greater, false) => IntCC::SignedGreaterThan,
            (CompareOp::GreaterEqual, false) => IntCC::SignedGreaterThanOrEqual,
            (CompareOp::Less, true) => IntCC::UnsignedLessThan,
            (CompareOp::LessEqual, true) => IntCC::UnsignedLessThanOrEqual,
            (CompareOp::Greater, true) => IntCC::UnsignedGreaterThan,
            (CompareOp::GreaterEqual, true) => IntCC::UnsignedGreaterThanOrEqual,
        };
        let (left, right) = (self.code(left), self.code(right));
        let truth = self.builder.ins().icmp(code, left, right);
        Term::Code(self.builder.ins().uextend(types::I64, truth))
    }

    /// `left && right`, or `left || right` where `absorbing` is true: the right operand is evaluated only where the left
    /// one does not decide.
    fn lazy(&mut self, left: ExprId, right: ExprId, absorbing: bool) -> Term {
        let first = match self.value(left) {
            Term::Known(value) if (value != 0) == absorbing => return Term::Known(value),
            Term::Known(_) => return self.value(right),
            Term::Code(first) => first,
        };
        if self.model.is_total(right) {
            return match self.value(right) {
                Term::Known(value) if (value != 0) == absorbing => Term::Known(value),
                Term::Known(_) => Term::Code(first),
                Term::Code(second) if absorbing => Term::Code(self.builder.ins().bor(first, second)),
                Term::Code(second) => Term::Code(self.builder.ins().band(first, second)),
            };
        }
        let (evaluate, done) = (self.builder.create_block(), self.builder.create_block());
        let result = self.builder.append_block_param(done, types::I64);
        if absorbing {
            self.builder.ins().brif(first, done, &[first.into()], evaluate, &[]);
        } else {
            self.builder.ins().brif(first, evaluate, &[], done, &[first.into()]);
        }
        self.builder.switch_to_block(evaluate);
        let second = self.value(right);
        let second = self.code(second);
        self.builder.ins().jump(done, &[second.into()]);
        self.builder.switch_to_block(done);
        Term::Code(result)
    }

    fn choice(&mut self, condition: ExprId, then: ExprId, otherwise: ExprId) -> Term {
        let condition = match self.value(condition) {
            Term::Known(value) => return self.value(if value != 0 { then } else { otherwise }),
            Term::Code(condition) => condition,
        };
        let blocks = [self.builder.create_block(), self.builder.create_block()];
        let done = self.builder.create_block();
        let result = self.builder.append_block_param(done, types::I64);
        self.builder.ins().brif(condition, blocks[0], &[], blocks[1], &[]);
        for (block, operand) in blocks.into_iter().zip([then, otherwise]) {
            self.builder.switch_to_block(block);
            let value = self.value(operand);
            let value = self.code(value);
            self.builder.ins().jump(done, &[value.into()]);
        }
        self.builder.switch_to_block(done);
        Term::Code(result)
    }

    fn cast(&mut self, to: Scalar, operand: ExprId) -> Term {
        let value = match self.value(operand) {
            Term::Known(value) => return Term::Known(fold::cast(self.model.integers, to, value).expect("no pointers")),
            Term::Code(value) => value,
        };
        Term::Code(match to {
            Scalar::Bool => {
                let truth = self.builder.ins().icmp_imm_s(IntCC::NotEqual, value, 0);
                self.builder.ins().uextend(types::I64, truth)
            }
            Scalar::Int(ty) if self.model.integers == Integers::Machine => self.normalise(value, ty),
            _ => value,
        })
    }

    /// The last bits of a value, extended.
    fn normalise(&mut self, value: Value, ty: IntType) -> Value {
        let narrow = match ty.bits {
            8 => types::I8,
            16 => types::I16,
            32 => types::I32,
            64.. => return value,
            // A bit-field.
            width if ty.signed => {
                let unused = i64::from(64 - width);
                let shifted = self.builder.ins().ishl_imm_u(value, unused);
                return self.builder.ins().sshr_imm_u(shifted, unused);
            }
            width => return self.builder.ins().band_imm_s(value, (1_i64 << width) - 1),
        };
        let reduced = self.builder.ins().ireduce(narrow, value);
        if ty.signed {
            self.builder.ins().sextend(types::I64, reduced)
        } else {
            self.builder.ins().uextend(types::I64, reduced)
        }
    }
}

/// The integer type that a scalar is computed in.
fn int(ty: Scalar) -> IntType {
    match ty {
        Scalar::Int(ty) => ty,
        _ => IntType::unsigned(8),
    }
}
