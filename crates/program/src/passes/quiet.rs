//! Which expressions are *quiet*: their evaluation always comes to an end, asks nothing, and does not overflow where that
//! can be seen. Only such an evaluation can be left out.

use foundation::Id;
use num_traits::{One, Zero};

use super::facts::Facts;
use super::fold::{Folded, Folder, remember};
use crate::expr::{BinaryOp, Constant, ExprId, ExprKind, Place, Root, Selector};
use crate::model::{Initial, VariableKind};
use crate::semantics::Integers;
use crate::semantics::arithmetic::MOST_IDEAL_SHIFT_BITS;
use crate::types::{Scalar, Type, TypeId};

impl Folder<'_> {
    /// Whether an expression is quiet.
    pub(super) fn is_quiet(&mut self, expr: ExprId, facts: &Facts) -> bool {
        if let Some(&(when, quiet)) = self.quiet.get(expr.index())
            && when == self.now
        {
            return quiet;
        }
        let quiet = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.quietness(expr, facts));
        remember(&mut self.quiet, expr, (self.now, quiet), (0, false));
        quiet
    }

    /// Whether reading or writing a part of a variable by its name, and finding out which, always comes to an end.
    pub(super) fn is_inside(&mut self, place: &Place, facts: &Facts) -> bool {
        let Root::Variable(variable) = place.root else { return false };
        let mut ty = self.program.variables[variable].ty;
        for step in &place.path {
            match (step, self.program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) if !record.is_union => {
                    ty = record.fields[*number as usize].ty;
                }
                (Selector::Index(index), &Type::Array { element, length }) => {
                    let index = self.index_of(*index, facts);
                    if index.is_none_or(|index| index >= length) {
                        return false;
                    }
                    ty = element;
                }
                _ => return false,
            }
        }
        true
    }

    fn quietness(&mut self, expr: ExprId, facts: &Facts) -> bool {
        if matches!(self.value(expr, facts), Folded::Constant(_)) {
            return true;
        }
        let contents = self.program.exprs.get(expr);
        let (kind, ty) = (contents.kind.clone(), contents.ty);
        let ideal = self.integers == Integers::Ideal;
        let signed = matches!(ty, Scalar::Int(int) if int.signed) && !ideal;
        let may_overflow = signed && self.keep_overflow;
        match kind {
            ExprKind::Constant(_) | ExprKind::FunctionAddress(_) => true,
            ExprKind::Load(place) => self.reads_quietly(&place, facts),
            ExprKind::Not(operand) => self.is_quiet(operand, facts),
            ExprKind::Unary(_, operand) => !may_overflow && self.is_quiet(operand, facts),
            ExprKind::Cast(operand) => {
                let numbers = match (self.program.exprs.ty(operand), ty) {
                    (Scalar::Float(_), Scalar::Int(_)) => false,
                    // An address whose object is gone can be copied, but not be converted.
                    (from, to) => (from == Scalar::Pointer) == (to == Scalar::Pointer),
                };
                numbers && self.is_quiet(operand, facts)
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                self.is_quiet(left, facts) && self.is_quiet(right, facts)
            }
            ExprKind::Compare(_, left, right) => {
                self.program.exprs.ty(left) != Scalar::Pointer
                    && self.is_quiet(left, facts)
                    && self.is_quiet(right, facts)
            }
            ExprKind::If(condition, then, otherwise) => {
                self.is_quiet(condition, facts) && self.is_quiet(then, facts) && self.is_quiet(otherwise, facts)
            }
            ExprKind::Binary(op, left, right) => {
                let total = match op {
                    _ if matches!(ty, Scalar::Float(_)) => true,
                    BinaryOp::Add | BinaryOp::Subtract => !may_overflow,
                    // Ideal integers must not become too long.
                    BinaryOp::Multiply => !may_overflow && !ideal,
                    BinaryOp::Divide | BinaryOp::Remainder => self.divides_safely(right, facts),
                    BinaryOp::ShiftLeft => !may_overflow && !ideal && self.shifts_safely(right, ty, facts),
                    BinaryOp::ShiftRight => self.shifts_safely(right, ty, facts),
                    BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => true,
                };
                total && self.is_quiet(left, facts) && self.is_quiet(right, facts)
            }
            ExprKind::AddressOf(Place { root: Root::Variable(_), path, .. }) => {
                !ideal
                    && path.iter().all(|step| match step {
                        Selector::Field(_) => true,
                        Selector::Index(index) => self.is_quiet(*index, facts),
                    })
            }
            ExprKind::AddressOf(_) | ExprKind::PointerAdd { .. } | ExprKind::PointerDifference { .. } => false,
        }
    }

    /// Whether a part of a variable can be read without asking for its value. What is pointed to may hold anything,
    /// and so may a member of a union; other locals than the tracked ones may hold what was not chosen yet.
    pub(super) fn reads_quietly(&mut self, place: &Place, facts: &Facts) -> bool {
        let Root::Variable(variable) = place.root else { return false };
        if self.is_tracked(variable) {
            return facts.get(variable).is_some();
        }
        let contents = &self.program.variables[variable];
        let chosen = match &contents.kind {
            VariableKind::Global { initial: Initial::Values(_), .. } => !contents.address_taken,
            VariableKind::Literal { initial: Initial::Values(_) } => true,
            _ => false,
        };
        chosen && !self.holds_union(place.ty) && self.is_inside(place, facts)
    }

    fn holds_union(&self, ty: TypeId) -> bool {
        match self.program.types.get(ty) {
            Type::Scalar(_) => false,
            Type::Opaque => true,
            Type::Array { element, .. } => self.holds_union(*element),
            Type::Record(record) => record.is_union || record.fields.iter().any(|field| self.holds_union(field.ty)),
        }
    }

    fn divides_safely(&mut self, divisor: ExprId, facts: &Facts) -> bool {
        let Some(constant) = self.constant(divisor, facts) else { return false };
        match &self.program.exprs.get(constant).kind {
            ExprKind::Constant(Constant::Int(divisor)) => !divisor.is_zero() && !(-divisor).is_one(),
            _ => false,
        }
    }

    fn shifts_safely(&mut self, count: ExprId, ty: Scalar, facts: &Facts) -> bool {
        let most = match (self.integers, ty) {
            (Integers::Ideal, _) => u64::from(MOST_IDEAL_SHIFT_BITS),
            (Integers::Machine, Scalar::Int(int)) => u64::from(int.bits) - 1,
            _ => return false,
        };
        self.index_of(count, facts).is_some_and(|count| count <= most)
    }
}
