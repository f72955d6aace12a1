//! Taking a box apart where a condition is true in some of its states and false in others.

use analysis::Values;
use foundation::Id;
use program::{CompareOp, ExprId, ExprKind, Scalar};

use super::cuts::loaded;
use super::followed::{FollowedProgram, ValueBox};

impl FollowedProgram {
    /// The truth values that a condition has in the states of a box: whether it may be false, and whether it may be true.
    pub fn truth(&self, condition: ExprId, state: &ValueBox) -> (bool, bool) {
        if let Some(comparison) = self.cuts.comparison(condition) {
            return comparison.truth(&state[comparison.cell.index()]);
        }
        match self.program().exprs.get(condition).kind {
            ExprKind::Not(operand) => {
                let (may_be_false, may_be_true) = self.truth(operand, state);
                (may_be_true, may_be_false)
            }
            ExprKind::And(left, right) if self.expressions.is_small(condition) => match self.truth(left, state) {
                (_, false) => (true, false),
                (may_be_false, true) => {
                    let right = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.truth(right, state));
                    (may_be_false || right.0, right.1)
                }
            },
            ExprKind::Or(left, right) if self.expressions.is_small(condition) => match self.truth(left, state) {
                (false, _) => (false, true),
                (true, may_be_true) => {
                    let right = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.truth(right, state));
                    (right.0, may_be_true || right.1)
                }
            },
            _ => {
                let values = self.evaluator().values(condition, state);
                (values.contains(0), values.contains(1))
            }
        }
    }

    /// Smaller boxes for a box in which a condition has both truth values, so that each of them decides more; none where
    /// nothing in the condition tells how.
    pub fn split(&self, condition: ExprId, state: &ValueBox) -> Option<Vec<ValueBox>> {
        let program = self.program();
        let mut open = vec![condition];
        while let Some(expr) = open.pop() {
            if self.truth_is_known(expr, state) {
                continue;
            }
            match program.exprs.get(expr).kind {
                ExprKind::And(left, right) | ExprKind::Or(left, right) => open.extend([right, left]),
                ExprKind::Not(operand) => open.push(operand),
                ExprKind::Cast(operand) if program.exprs.ty(operand) == Scalar::Bool => open.push(operand),
                ExprKind::If(condition, then, otherwise) => open.extend([otherwise, then, condition]),
                ExprKind::Compare(op, left, right) => {
                    open.extend([right, left].into_iter().filter(|side| self.is_truth(*side)));
                    if let Some(parts) = self.by_halves(expr, state).or_else(|| self.by_value(op, left, right, state)) {
                        return Some(parts);
                    }
                }
                _ => {
                    if let Some(parts) = self.by_halves(expr, state) {
                        return Some(parts);
                    }
                }
            }
        }
        None
    }

    /// Smaller boxes for a box in which a value depends on an undecided condition, if these decide more.
    pub fn split_value(&self, value: ExprId, state: &ValueBox) -> Option<Vec<ValueBox>> {
        if !self.expressions.is_small(value) {
            return None;
        }
        let exprs = &self.program().exprs;
        let mut open = vec![value];
        while let Some(expr) = open.pop() {
            match exprs.get(expr).kind {
                ExprKind::If(condition, then, otherwise) => match self.truth(condition, state) {
                    (true, true) => {
                        if let Some(parts) = self.split(condition, state) {
                            return Some(parts);
                        }
                        open.extend([otherwise, then]);
                    }
                    (_, true) => open.push(then),
                    _ => open.push(otherwise),
                },
                ExprKind::Cast(operand) | ExprKind::Unary(_, operand) => open.push(operand),
                ExprKind::Binary(_, left, right) => open.extend([right, left]),
                ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) | ExprKind::Not(_)
                    if self.truth(expr, state) == (true, true) =>
                {
                    if let Some(parts) = self.split(expr, state) {
                        return Some(parts);
                    }
                }
                _ => {}
            }
        }
        None
    }

    /// Whether an expression is a truth value, perhaps converted to a number.
    fn is_truth(&self, expr: ExprId) -> bool {
        let exprs = &self.program().exprs;
        match exprs.get(expr).kind {
            ExprKind::Cast(operand) => exprs.ty(operand) == Scalar::Bool,
            _ => exprs.ty(expr) == Scalar::Bool,
        }
    }

    fn truth_is_known(&self, expr: ExprId, state: &ValueBox) -> bool {
        if self.program().exprs.ty(expr) == Scalar::Bool {
            return self.truth(expr, state) != (true, true);
        }
        let values = self.evaluator().values(expr, state);
        values.single().is_some() || values.is_none()
    }

    /// The states where a condition is true and those where it is false, if these are boxes that decide it.
    fn by_halves(&self, condition: ExprId, state: &ValueBox) -> Option<Vec<ValueBox>> {
        if self.program().exprs.ty(condition) != Scalar::Bool {
            return None;
        }
        let mut parts = Vec::new();
        for wanted in [true, false] {
            let part = self.where_it_is(condition, wanted, state)?;
            if self.truth(condition, &part) != (!wanted, wanted) {
                return None;
            }
            parts.push(part);
        }
        Some(parts)
    }

    /// Where a cell is compared with the one value that something else has: the states in which it is smaller, equal,
    /// larger.
    fn by_value(&self, op: CompareOp, left: ExprId, right: ExprId, state: &ValueBox) -> Option<Vec<ValueBox>> {
        if !matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
            return None;
        }
        let evaluator = self.evaluator();
        let (lefts, rights) = (evaluator.values(left, state), evaluator.values(right, state));
        let (side, values, value) = match (lefts.single(), rights.single()) {
            (None, Some(value)) => (left, lefts, value),
            (Some(value), None) => (right, rights, value),
            _ => return None,
        };
        let cell = loaded(self.program(), &self.cells, side).filter(|cell| self.follows(*cell))?;
        let held = &state[cell.index()];
        // A conversion in between may change values.
        if values.bounds() != held.bounds() {
            return None;
        }
        let pieces = [(i128::MIN, value - 1), (value, value), (value + 1, i128::MAX)];
        let parts = pieces.map(|(low, high)| held.meet(&Values::between(low, high)));
        let with = |values: Values| {
            let mut part = state.clone();
            part[cell.index()] = values;
            part
        };
        Some(parts.into_iter().filter(|values| !values.is_none()).map(with).collect())
    }
}
