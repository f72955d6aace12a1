//! Where a signed integer may overflow in some state of a box.
//!
//! What is not known counts as an overflow that may be or not, which adds executions and takes none away.

use analysis::Values;
use analysis::numbers::arithmetic::{binary, type_range};
use program::semantics::Integers;
use program::{BinaryOp, ExprId, ExprKind, IntType, Op, Scalar, UnaryOp};

use super::followed::{FollowedProgram, ValueBox};

impl FollowedProgram {
    /// Whether an operation of an edge may overflow.
    pub fn may_overflow(&self, op: &Op, state: &ValueBox) -> bool {
        op.expressions().into_iter().any(|expr| self.value_may_overflow(expr, state))
    }

    /// Whether evaluating an expression may overflow.
    pub fn value_may_overflow(&self, expr: ExprId, state: &ValueBox) -> bool {
        if self.integers == Integers::Ideal || self.expressions.is_silent(expr) {
            return false;
        }
        if !self.expressions.is_small(expr) {
            return true;
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.parts_may_overflow(expr, state))
    }

    fn parts_may_overflow(&self, expr: ExprId, state: &ValueBox) -> bool {
        let exprs = &self.program().exprs;
        let contents = exprs.get(expr);
        let behind = |first: ExprId, wanted: bool, second: ExprId| {
            self.where_it_is(first, wanted, state).is_some_and(|inside| self.value_may_overflow(second, &inside))
        };
        let (own, signed) = match contents.ty {
            Scalar::Int(ty) if ty.signed => (Some(ty), true),
            _ => (None, false),
        };
        match &contents.kind {
            ExprKind::And(left, right) => self.value_may_overflow(*left, state) || behind(*left, true, *right),
            ExprKind::Or(left, right) => self.value_may_overflow(*left, state) || behind(*left, false, *right),
            ExprKind::If(condition, then, otherwise) => {
                self.value_may_overflow(*condition, state)
                    || behind(*condition, true, *then)
                    || behind(*condition, false, *otherwise)
            }
            ExprKind::PointerDifference { .. } if signed => true,
            kind => {
                let result = match (kind, own) {
                    (ExprKind::Binary(op, left, right), Some(ty)) => {
                        let (left, right) =
                            (self.evaluator().values(*left, state), self.evaluator().values(*right, state));
                        Some((exact_results(*op, ty, &left, &right), ty))
                    }
                    (ExprKind::Unary(UnaryOp::Negate, operand), Some(ty)) => {
                        let operand = self.evaluator().values(*operand, state);
                        Some((exact_results(BinaryOp::Subtract, ty, &Values::constant(0), &operand), ty))
                    }
                    _ => None,
                };
                let leaves = |(results, ty): (Values, IntType)| {
                    results.bounds().is_some_and(|bounds| !bounds.is_inside(type_range(ty)))
                };
                result.is_some_and(leaves)
                    || exprs.operands(expr).into_iter().any(|operand| self.value_may_overflow(operand, state))
            }
        }
    }
}

/// The results of an operation before they are brought into its type. Those that cannot overflow have none.
fn exact_results(op: BinaryOp, ty: IntType, left: &Values, right: &Values) -> Values {
    match op {
        BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::ShiftLeft => {
            binary(Integers::Ideal, op, ty, left, right)
        }
        _ => Values::none(),
    }
}
