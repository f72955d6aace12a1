//! Where a signed integer may overflow: where the exact result of an operation is outside of its type in one of the states.

use program::semantics::Integers;
use program::{BinaryOp, ExprId, ExprKind, Op, Scalar, UnaryOp};

use super::numbers::{Numbers, range};
use super::states::{Reader, States};

impl Reader<'_> {
    /// Whether an overflow may happen while an operation of an edge is carried out.
    pub fn op_overflows(&self, op: &Op, states: &States) -> bool {
        self.integers == Integers::Machine && op.expressions().into_iter().any(|expr| self.overflows(expr, states))
    }

    fn overflows(&self, expr: ExprId, states: &States) -> bool {
        if !self.is_looked_into(expr) {
            return true;
        }
        let exprs = &self.program.exprs;
        let below = |operand: ExprId| stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.overflows(operand, states));
        // An operand that is evaluated only where a condition has a truth value.
        let behind = |condition: ExprId, wanted: bool, operand: ExprId| {
            let mut inside = states.clone();
            below(operand) && self.constrain(condition, wanted, &mut inside) && self.overflows(operand, &inside)
        };
        let ty = match exprs.ty(expr) {
            Scalar::Int(ty) if ty.signed => Some(ty),
            _ => None,
        };
        let leaves_type = |op: BinaryOp, left: &Numbers, right: &Numbers| {
            let Some(ty) = ty else { return false };
            let (least, most) = range(ty);
            let exact = Numbers::operation(op, ty, Integers::Ideal, left, right).bounds();
            exact.is_some_and(|(low, high)| low < least || high > most)
        };
        match exprs.get(expr).kind {
            ExprKind::And(left, right) => below(left) || behind(left, true, right),
            ExprKind::Or(left, right) => below(left) || behind(left, false, right),
            ExprKind::If(condition, then, otherwise) => {
                below(condition) || behind(condition, true, then) || behind(condition, false, otherwise)
            }
            ExprKind::Binary(op, left, right) => {
                let may_leave =
                    matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::ShiftLeft);
                below(left)
                    || below(right)
                    || may_leave && leaves_type(op, &self.values(left, states), &self.values(right, states))
            }
            ExprKind::Unary(op, operand) => {
                let negated = || leaves_type(BinaryOp::Subtract, &Numbers::One(0), &self.values(operand, states));
                below(operand) || op == UnaryOp::Negate && negated()
            }
            ExprKind::PointerDifference { .. } => true,
            _ => exprs.operands(expr).into_iter().any(below),
        }
    }
}
