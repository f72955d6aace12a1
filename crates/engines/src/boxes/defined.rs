//! Where evaluation may be undefined in some state of a box: then the run may end there.
//!
//! What is not known counts as undefined, which adds runs and takes none away.

use analysis::ranges::evaluate::CellLookup;
use program::{BinaryOp, Callee, ExprId, ExprKind, Op, Operand, Place, Root, Scalar, Selector, Type};

use super::followed::{FollowedProgram, ValueBox};

impl FollowedProgram {
    /// Whether taking an edge with this operation may be undefined.
    pub fn may_fail(&self, op: &Op, state: &ValueBox) -> bool {
        match op {
            Op::Skip | Op::Declare(_) | Op::Discard(_) | Op::AtomicBegin | Op::AtomicEnd | Op::End(_) => false,
            Op::Assume(condition) => self.value_may_fail(*condition, state),
            Op::Assign { target, value } => self.place_may_fail(target, state) || self.operand_may_fail(value, state),
            Op::Input { target, .. } => self.place_may_fail(target, state),
            // It has no body: nothing happens but that it is given values.
            Op::Call { callee: Callee::Function(_), arguments, .. } => {
                arguments.iter().any(|argument| self.operand_may_fail(argument, state))
            }
            Op::Return(None) => false,
            Op::Return(Some(value)) => self.operand_may_fail(value, state),
            op => !self.expressions.is_total_op(self.program(), op),
        }
    }

    fn operand_may_fail(&self, operand: &Operand, state: &ValueBox) -> bool {
        match operand {
            Operand::Scalar(value) => self.value_may_fail(*value, state),
            Operand::Aggregate(place) => self.place_may_fail(place, state),
        }
    }

    /// Whether evaluating an expression may be undefined.
    pub fn value_may_fail(&self, expr: ExprId, state: &ValueBox) -> bool {
        if self.expressions.is_total(expr) {
            return false;
        }
        if !self.expressions.is_small(expr) {
            return true;
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.partial_value_may_fail(expr, state))
    }

    fn partial_value_may_fail(&self, expr: ExprId, state: &ValueBox) -> bool {
        let exprs = &self.program().exprs;
        let contents = exprs.get(expr);
        let after = |first: ExprId, wanted: bool, second: ExprId| {
            self.value_may_fail(first, state)
                || self.where_it_is(first, wanted, state).is_some_and(|inside| self.value_may_fail(second, &inside))
        };
        match &contents.kind {
            ExprKind::And(left, right) => after(*left, true, *right),
            ExprKind::Or(left, right) => after(*left, false, *right),
            ExprKind::If(condition, then, otherwise) => {
                after(*condition, true, *then) || after(*condition, false, *otherwise)
            }
            ExprKind::Load(place) => self.place_may_fail(place, state),
            ExprKind::Binary(op, left, right) => {
                self.value_may_fail(*left, state)
                    || self.value_may_fail(*right, state)
                    || self.operation_may_fail(*op, contents.ty, *left, *right, state)
            }
            ExprKind::Unary(_, operand) | ExprKind::Not(operand) => self.value_may_fail(*operand, state),
            ExprKind::Compare(_, left, right) => {
                exprs.ty(*left) == Scalar::Pointer
                    || self.value_may_fail(*left, state)
                    || self.value_may_fail(*right, state)
            }
            ExprKind::Cast(operand) => {
                let from = exprs.ty(*operand);
                !matches!(from, Scalar::Int(_) | Scalar::Bool) || self.value_may_fail(*operand, state)
            }
            _ => true,
        }
    }

    fn operation_may_fail(&self, op: BinaryOp, ty: Scalar, left: ExprId, right: ExprId, state: &ValueBox) -> bool {
        let Scalar::Int(ty) = ty else { return false };
        let right = self.evaluator().values(right, state);
        match op {
            BinaryOp::Divide | BinaryOp::Remainder => {
                let least = -(1_i128 << (ty.bits.clamp(1, 100) - 1));
                let overflows =
                    || ty.signed && right.contains(-1) && self.evaluator().values(left, state).contains(least);
                right.contains(0) || overflows()
            }
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                right.bounds().is_some_and(|count| count.low() < 0 || count.high() >= i128::from(ty.bits))
            }
            _ => false,
        }
    }

    fn place_may_fail(&self, place: &Place, state: &ValueBox) -> bool {
        let program = self.program();
        let Root::Variable(variable) = place.root else { return true };
        let mut ty = program.variables[variable].ty;
        for step in &place.path {
            ty = match (step, program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) if !record.is_union => {
                    record.fields[*number as usize].ty
                }
                (Selector::Index(index), Type::Array { element, length }) => {
                    if self.value_may_fail(*index, state) {
                        return true;
                    }
                    let index = self.evaluator().values(*index, state);
                    let misses = |bounds: analysis::Interval| bounds.low() < 0 || bounds.high() >= i128::from(*length);
                    if index.bounds().is_some_and(misses) {
                        return true;
                    }
                    *element
                }
                _ => return true,
            };
        }
        false
    }

    /// The states of a box in which a condition is true, or false; none if there are none. There may be more in it.
    pub fn where_it_is(&self, condition: ExprId, wanted: bool, state: &ValueBox) -> Option<ValueBox> {
        let known = self.evaluator().refine(condition, wanted, state)?;
        let mut inside = state.clone();
        for (cell, values) in known {
            if self.follows(cell) && !self.cells.get(cell).many {
                inside[foundation::Id::index(cell)] = state.cell(cell).meet(&values);
            }
        }
        Some(inside)
    }
}
