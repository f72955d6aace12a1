//! Conditions: branching, `&&`, `||` (6.5.13, 6.5.14) and `?:` (6.5.15).
//!
//! An operand that is evaluated only sometimes stays inside the expression where it is an expression alone, since the
//! program model's `And`, `Or` and `If` are lazy too; where it has edges of its own, it becomes control flow.

use foundation::{Diagnostic, Span};
use program::{
    Constant, ExprId as ModelExpr, ExprKind as ModelKind, LocationId, Observe, Op, Operand, Scalar, VariableId,
};

use super::build::Aside;
use super::convert::ScalarValue;
use super::effects::has_effects;
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
        if self.unevaluated > 0 || self.function.is_none() {
            let second = self.scalar(right)?;
            return Ok(self.logical_value(and, first_truth, second, span));
        }
        let Aside { value: second, start: evaluate, end, is_pure } = self.aside(|lowering| lowering.scalar(right));
        let second = second?;
        if is_pure {
            return Ok(self.logical_value(and, first_truth, second, span));
        }
        let result = self.truth_temporary(span)?;
        let (skip, join) = (self.new_location(), self.new_location());
        let ways = if and { (evaluate, skip) } else { (skip, evaluate) };
        self.branch_on(first_truth, (ways.0, Observe::No), (ways.1, Observe::No), span);
        self.go_on_at(skip);
        let decided = self.program.exprs.bool(!and);
        self.assign_and_join(result, decided, join, span)?;
        self.go_on_at(end);
        let second_truth = self.truth(second);
        self.assign_and_join(result, second_truth, join, span)?;
        self.go_on_at(join);
        let place = self.variable_place(result);
        let truth = self.load(place);
        Ok(self.truth_as_int(truth, span).into())
    }

    /// `first && second` or `first || second` where the second operand is an expression alone.
    fn logical_value(&mut self, and: bool, first: ModelExpr, second: ScalarValue, span: Span) -> Lowered {
        let second = self.truth(second);
        let truth = match self.program.exprs.get(first).kind {
            ModelKind::Constant(Constant::Bool(value)) if value == and => second,
            ModelKind::Constant(Constant::Bool(_)) => first,
            _ => {
                let kind = if and { ModelKind::And(first, second) } else { ModelKind::Or(first, second) };
                self.program.exprs.intern(kind, Scalar::Bool)
            }
        };
        self.truth_as_int(truth, span).into()
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
            tested.value =
                if effects { self.keep(tested.value, span)? } else { self.keep_to_repeat(tested.value, span)? };
        }
        let truth = self.truth(tested);
        let first = |lowering: &mut Self| then.map_or_else(|| Ok(tested.into()), |then| lowering.rvalue(then));
        if self.unevaluated > 0 || self.function.is_none() {
            let (first, second) = (first(self)?, self.rvalue(otherwise)?);
            let ty = self.conditional_type(&first, &second, span)?;
            return match self.types.scalar(ty.ty) {
                Some(scalar) => self.chosen_value(truth, [first, second], ty, scalar, span),
                None => Ok(Lowered { ty, bit_width: None, span, ..first }),
            };
        }
        let (first, second) = (self.aside(first), self.aside(|lowering| lowering.rvalue(otherwise)));
        let (yes, no, is_pure) = (first.start, second.start, first.is_pure && second.is_pure);
        let (ends, first, second) = ((first.end, second.end), first.value?, second.value?);
        let ty = self.conditional_type(&first, &second, span)?;
        if let Some(scalar) = self.types.scalar(ty.ty).filter(|_| is_pure) {
            return self.chosen_value(truth, [first, second], ty, scalar, span);
        }
        self.branch_on(truth, (yes, Observe::No), (no, Observe::No), span);
        self.join_branches([(first, ends.0), (second, ends.1)], ty, span)
    }

    /// A conditional whose operands are expressions alone.
    fn chosen_value(
        &mut self,
        truth: ModelExpr,
        operands: [Lowered; 2],
        ty: Qual,
        scalar: Scalar,
        span: Span,
    ) -> Lower<Lowered> {
        let [first, second] = operands;
        let (first, second) = (self.scalar_of(first)?, self.scalar_of(second)?);
        let (first, second) = (self.branch_value(first, ty), self.branch_value(second, ty));
        let value = match self.program.exprs.get(truth).kind {
            ModelKind::Constant(Constant::Bool(true)) => first,
            ModelKind::Constant(Constant::Bool(false)) => second,
            _ => self.program.exprs.intern(ModelKind::If(truth, first, second), scalar),
        };
        Ok(Lowered { value: Denoted::Scalar(value), ty, bit_width: None, span })
    }

    fn branch_value(&mut self, scalar: ScalarValue, ty: Qual) -> ModelExpr {
        let promoted = if self.types.is_arithmetic(ty.ty) { self.promote(scalar) } else { scalar };
        self.cast_value(promoted.value, ty)
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
