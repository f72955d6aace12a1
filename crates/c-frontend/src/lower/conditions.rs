//! Conditions: branching, `&&`, `||` (6.5.13, 6.5.14) and `?:` (6.5.15).
//!
//! An operand that is evaluated only sometimes stays inside the expression where it has no side effects, since the
//! program model's `And`, `Or` and `If` are lazy too; otherwise it becomes control flow.

use foundation::{Diagnostic, Span};
use program::{
    Constant, ExprId as ModelExpr, ExprKind as ModelKind, LocationId, Observe, Op, Operand, Scalar, VariableId,
};

use super::convert::ScalarValue;
use super::effects::{has_effects, is_conditional, record_like_operand};
use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::types::{CType, Qual};

impl Lowering<'_> {
    /// Branches on a condition that is a full expression: the state is observed on both ways.
    pub(crate) fn branch(&mut self, condition: ExprId, then: LocationId, otherwise: LocationId) -> Lower<()> {
        self.check_sequencing(condition);
        self.branch_inside(condition, (then, Observe::Statement), (otherwise, Observe::Statement))
    }

    /// Branches on a condition; each way is observed or not as it says.
    fn branch_inside(
        &mut self,
        condition: ExprId,
        then: (LocationId, Observe),
        otherwise: (LocationId, Observe),
    ) -> Lower<()> {
        let ast = self.ast.clone();
        let expr = &ast.exprs[condition];
        match expr.kind {
            ExprKind::Unary(UnaryOp::LogicalNot, operand) if has_effects(&ast, operand) => {
                return self.branch_inside(operand, otherwise, then);
            }
            ExprKind::Binary(BinaryOp::LogicalAnd, left, right) if has_effects(&ast, right) => {
                let middle = self.new_location();
                self.branch_inside(left, (middle, Observe::No), otherwise)?;
                self.go_on_at(middle);
                return self.branch_inside(right, then, otherwise);
            }
            ExprKind::Binary(BinaryOp::LogicalOr, left, right) if has_effects(&ast, right) => {
                let middle = self.new_location();
                self.branch_inside(left, then, (middle, Observe::No))?;
                self.go_on_at(middle);
                return self.branch_inside(right, then, otherwise);
            }
            _ => {}
        }
        let scalar = self.scalar(condition)?;
        let truth = self.truth(scalar);
        self.branch_on(truth, then, otherwise, expr.span);
        Ok(())
    }

    /// Branches on a truth value. A constant leaves only one way.
    pub(crate) fn branch_on(
        &mut self,
        truth: ModelExpr,
        then: (LocationId, Observe),
        otherwise: (LocationId, Observe),
        span: Span,
    ) {
        if let ModelKind::Constant(Constant::Bool(value)) = self.program.exprs.get(truth).kind {
            let (to, observe) = if value { then } else { otherwise };
            self.emit_to(Op::Skip, to, span, observe);
            return;
        }
        let negated = self.program.exprs.not(truth);
        self.emit_to(Op::Assume(truth), then.0, span, then.1);
        self.emit_to(Op::Assume(negated), otherwise.0, span, otherwise.1);
    }

    /// `left && right` and `left || right` as values.
    pub(crate) fn logical(&mut self, and: bool, left: ExprId, right: ExprId, span: Span) -> Lower<Lowered> {
        let first = self.scalar(left)?;
        let first_truth = self.truth(first);
        if self.unevaluated > 0 || !has_effects(&self.ast, right) {
            let second = self.scalar(right)?;
            let second_truth = self.truth(second);
            let kind = match self.program.exprs.get(first_truth).kind {
                ModelKind::Constant(Constant::Bool(value)) => {
                    let result = if value == and { second_truth } else { first_truth };
                    return Ok(self.truth_as_int(result, span).into());
                }
                _ if and => ModelKind::And(first_truth, second_truth),
                _ => ModelKind::Or(first_truth, second_truth),
            };
            let truth = self.program.exprs.intern(kind, Scalar::Bool);
            return Ok(self.truth_as_int(truth, span).into());
        }
        let result = self.truth_temporary(span)?;
        let (evaluate, skip, join) = (self.new_location(), self.new_location(), self.new_location());
        let ways = if and { (evaluate, skip) } else { (skip, evaluate) };
        self.branch_on(first_truth, (ways.0, Observe::No), (ways.1, Observe::No), span);
        self.go_on_at(skip);
        let decided = self.program.exprs.bool(!and);
        self.assign_and_join(result, decided, join, span)?;
        self.go_on_at(evaluate);
        let second = self.scalar(right)?;
        let second_truth = self.truth(second);
        self.assign_and_join(result, second_truth, join, span)?;
        self.go_on_at(join);
        let place = self.variable_place(result);
        let truth = self.load(place);
        Ok(self.truth_as_int(truth, span).into())
    }

    fn truth_temporary(&mut self, span: Span) -> Lower<VariableId> {
        let ty = self.program.types.scalar(Scalar::Bool);
        self.temporary(ty, span)
    }

    fn assign_and_join(&mut self, variable: VariableId, value: ModelExpr, join: LocationId, span: Span) -> Lower<()> {
        let target = self.variable_place(variable);
        self.emit_to(Op::Assign { target, value: Operand::Scalar(value) }, join, span, Observe::No);
        Ok(())
    }

    /// `condition ? then : otherwise`
    pub(crate) fn conditional(
        &mut self,
        condition: ExprId,
        then: Option<ExprId>,
        otherwise: ExprId,
        span: Span,
    ) -> Lower<Lowered> {
        let mut tested = self.scalar(condition)?;
        let effects = then.is_some_and(|then| has_effects(&self.ast, then)) || has_effects(&self.ast, otherwise);
        if then.is_none() {
            tested.value = if effects { self.keep(tested.value, span)? } else { self.keep_large(tested.value, span)? };
        }
        let truth = self.truth(tested);
        let effects = effects || self.chooses_among_chosen_records(then, otherwise)?;
        if self.unevaluated > 0 || !effects {
            let first = match then {
                Some(then) => self.rvalue(then)?,
                None => tested.into(),
            };
            let second = self.rvalue(otherwise)?;
            let ty = self.conditional_type(&first, &second, span)?;
            if let Some(scalar) = self.types.scalar(ty.ty) {
                let first = self.scalar_of(first)?;
                let second = self.scalar_of(second)?;
                let (first, second) = (self.branch_value(first, ty), self.branch_value(second, ty));
                let value = match self.program.exprs.get(truth).kind {
                    ModelKind::Constant(Constant::Bool(chosen)) => {
                        if chosen {
                            first
                        } else {
                            second
                        }
                    }
                    _ => self.program.exprs.intern(ModelKind::If(truth, first, second), scalar),
                };
                return Ok(Lowered { value: Denoted::Scalar(value), ty, bit_width: None, span });
            }
            if self.unevaluated > 0 {
                return Ok(Lowered { ty, bit_width: None, span, ..first });
            }
            let (yes, no) = self.two_ways(truth, span)?;
            return self.join_branches([(first, yes), (second, no)], ty, span);
        }
        self.conditional_flow(truth, tested, then, otherwise, span)
    }

    /// Whether one of two structures is conditional itself: it is copied, which must happen on its own way only.
    fn chooses_among_chosen_records(&mut self, then: Option<ExprId>, otherwise: ExprId) -> Lower<bool> {
        let Some(then) = then.filter(|_| self.unevaluated == 0 && self.function.is_some()) else { return Ok(false) };
        if !is_conditional(&self.ast, then) && !is_conditional(&self.ast, otherwise) {
            return Ok(false);
        }
        let Some(operand) = record_like_operand(&self.ast, then) else { return Ok(false) };
        let ty = self.without_evaluating(|lowering| lowering.rvalue(operand))?.ty;
        Ok(matches!(self.types.get(ty.ty), CType::Record(_)))
    }

    fn branch_value(&mut self, scalar: ScalarValue, ty: Qual) -> ModelExpr {
        let promoted = if self.types.is_arithmetic(ty.ty) { self.promote(scalar) } else { scalar };
        self.cast_value(promoted.value, ty)
    }

    /// A conditional as control flow: each operand is evaluated on its own way, once.
    fn conditional_flow(
        &mut self,
        truth: ModelExpr,
        tested: ScalarValue,
        then: Option<ExprId>,
        otherwise: ExprId,
        span: Span,
    ) -> Lower<Lowered> {
        let (yes, no) = self.two_ways(truth, span)?;
        self.go_on_at(yes);
        let first = match then {
            Some(then) => self.rvalue(then),
            None => Ok(tested.into()),
        };
        let yes = self.builder().at;
        self.go_on_at(no);
        let second = self.rvalue(otherwise);
        let no = self.builder().at;
        let (first, second) = (first?, second?);
        let ty = self.conditional_type(&first, &second, span)?;
        self.join_branches([(first, yes), (second, no)], ty, span)
    }

    /// The locations to which a truth value and its negation lead.
    fn two_ways(&mut self, truth: ModelExpr, span: Span) -> Lower<(LocationId, LocationId)> {
        if self.function.is_none() {
            return self.error("not-constant", "this is not a constant expression", span);
        }
        let (yes, no) = (self.new_location(), self.new_location());
        self.branch_on(truth, (yes, Observe::No), (no, Observe::No), span);
        Ok((yes, no))
    }

    /// Brings two ways together; each of them writes its value to a temporary, if there is one.
    fn join_branches(&mut self, branches: [(Lowered, LocationId); 2], ty: Qual, span: Span) -> Lower<Lowered> {
        let result = if self.types.is_void(ty.ty) {
            None
        } else {
            let model = self.types.model_type(ty.ty, &mut self.program.types);
            Some(self.temporary(model, span)?)
        };
        let join = self.new_location();
        for (lowered, end) in branches {
            self.go_on_at(end);
            self.branch_result(lowered, result, ty, join)?;
        }
        self.go_on_at(join);
        let value = match result {
            None => Denoted::Void,
            Some(result) => {
                let place = self.variable_place(result);
                match self.types.scalar(ty.ty) {
                    Some(_) => Denoted::Scalar(self.load(place)),
                    None => Denoted::Aggregate(place),
                }
            }
        };
        Ok(Lowered { value, ty, bit_width: None, span })
    }

    fn branch_result(&mut self, lowered: Lowered, result: Option<VariableId>, ty: Qual, join: LocationId) -> Lower<()> {
        let span = lowered.span;
        let Some(result) = result else {
            self.carry_out(&lowered, span)?;
            self.emit_to(Op::Skip, join, span, Observe::No);
            return Ok(());
        };
        if self.types.scalar(ty.ty).is_some() {
            let scalar = self.scalar_of(lowered)?;
            let value = self.branch_value(scalar, ty);
            return self.assign_and_join(result, value, join, span);
        }
        let source = self.aggregate_operand(lowered, ty, "this operand")?;
        let target = self.variable_place(result);
        self.emit_to(Op::Assign { target, value: Operand::Aggregate(source) }, join, span, Observe::No);
        Ok(())
    }

    /// The type of a conditional expression (6.5.15p5, p6).
    fn conditional_type(&mut self, first: &Lowered, second: &Lowered, span: Span) -> Lower<Qual> {
        let (a, b) = (first.ty, second.ty);
        if self.types.is_void(a.ty) || self.types.is_void(b.ty) {
            return Ok(self.types.qual(CType::Void));
        }
        if self.types.is_arithmetic(a.ty) && self.types.is_arithmetic(b.ty) {
            let (first, second) = (self.scalar_of(first.clone())?, self.scalar_of(second.clone())?);
            return Ok(self.usual_conversions(first, second).0.ty);
        }
        match (self.types.pointee(a.ty), self.types.pointee(b.ty)) {
            (Some(to), Some(other)) => {
                let null = |lowered: &Lowered| match lowered.value {
                    Denoted::Scalar(value) => self.is_null_constant(value, lowered.ty),
                    _ => false,
                };
                if null(first) {
                    return Ok(b);
                }
                if null(second) {
                    return Ok(a);
                }
                if self.types.is_void(other.ty) {
                    return Ok(b);
                }
                if !self.types.is_void(to.ty) && !self.types.compatible(to.ty, other.ty) {
                    let text = "the two operands are pointers of different types";
                    self.warn(Diagnostic::warning("incompatible-pointer", text).at(span));
                }
                Ok(a)
            }
            (Some(_), None) if self.types.is_integer(b.ty) => Ok(a),
            (None, Some(_)) if self.types.is_integer(a.ty) => Ok(b),
            _ if self.types.compatible(a.ty, b.ty) => Ok(a.unqualified()),
            _ => {
                let text = format!(
                    "the operands of `?:` do not go together: `{}` and `{}`",
                    self.describe(a),
                    self.describe(b)
                );
                self.error("type-mismatch", text, span)
            }
        }
    }
}
