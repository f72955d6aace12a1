//! Assignment, compound assignment, increment and decrement (6.5.16, 6.5.2.4, 6.5.3.1).

use foundation::{Diagnostic, Span};
use program::{ExprId as ModelExpr, IntType, Op, Operand, Place, Scalar};

use super::convert::ScalarValue;
use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind};
use crate::types::{CType, Qual};

impl Lowering<'_> {
    /// `left = right` or `left op= right`. Where the value is `wanted`, it is kept in a temporary.
    pub(crate) fn assignment(
        &mut self,
        op: Option<BinaryOp>,
        left: ExprId,
        right: ExprId,
        span: Span,
        wanted: bool,
    ) -> Lower<Lowered> {
        let (mut place, ty, bit_width) = self.lvalue(left)?;
        self.check_assignable(ty, span)?;
        let effects = super::effects::has_effects(&self.ast, right);
        if effects || (op.is_some() && self.threaded) {
            place = self.freeze(place, span)?;
        }
        if let Some(op) = op {
            let mut current = self.current_value(&place, ty, bit_width, span)?;
            if effects {
                current.value = self.keep(current.value, span)?;
            }
            let operand = self.scalar(right)?;
            let result = self.arithmetic(op, current, operand, span)?;
            let value = self.assign_convert(result, ty, "this assignment")?;
            return self.store(place, ty, bit_width, value, span, wanted);
        }
        if let CType::Record(_) = self.types.get(ty.ty) {
            return self.assign_record(place, ty, right, span, wanted);
        }
        if let Some(lowered) = self.assign_call_result(&place, ty, bit_width, right, span, wanted)? {
            return Ok(lowered);
        }
        let source = self.scalar(right)?;
        let value = self.assign_convert(source, ty, "this assignment")?;
        self.store(place, ty, bit_width, value, span, wanted)
    }

    /// `variable = f(…)` needs no temporary where the function returns the variable's type.
    fn assign_call_result(
        &mut self,
        place: &Place,
        ty: Qual,
        bit_width: Option<u16>,
        right: ExprId,
        span: Span,
        wanted: bool,
    ) -> Lower<Option<Lowered>> {
        let ast = self.ast.clone();
        let (Some(variable), ExprKind::Call(function, arguments)) = (place.as_variable(), &ast.exprs[right].kind)
        else {
            return Ok(None);
        };
        if wanted || bit_width.is_some() || self.unevaluated > 0 {
            return Ok(None);
        }
        let lowered = self.call(*function, arguments, ast.exprs[right].span, Some(variable))?;
        let done = matches!(&lowered.value, Denoted::Place(stored) if stored.as_variable() == Some(variable));
        if done {
            return Ok(Some(lowered));
        }
        let source = self.scalar_of(lowered)?;
        let value = self.assign_convert(source, ty, "this assignment")?;
        self.store(place.clone(), ty, bit_width, value, span, wanted).map(Some)
    }

    fn check_assignable(&mut self, ty: Qual, span: Span) -> Lower<()> {
        self.refuse_atomic(ty, span)?;
        if ty.is_const {
            return self.error("assign-const", "this object is `const` and cannot be assigned to", span);
        }
        match self.types.get(ty.ty) {
            CType::Array { .. } => self.error("assign-array", "an array cannot be assigned to", span),
            CType::Void => {
                let text = "what a `void *` points to has no type and cannot be assigned to";
                let help = "convert the pointer to one of a type first";
                self.fail(foundation::Diagnostic::error("void-value", text).at(span).help(help))
            }
            CType::WideFloat(_) => {
                let what = format!("`{}` arithmetic is", self.describe(ty.unqualified()));
                self.unsupported("unsupported-long-double", &what, span, "use `double`")
            }
            CType::VaList => {
                let text = "a `va_list` cannot be assigned to";
                self.fail(foundation::Diagnostic::error("assign-array", text).at(span).help("use `va_copy`"))
            }
            _ => Ok(()),
        }
    }

    fn assign_record(&mut self, mut place: Place, ty: Qual, right: ExprId, span: Span, wanted: bool) -> Lower<Lowered> {
        if wanted {
            // What is assigned may be what leads there.
            place = self.freeze(place, span)?;
        }
        let lowered = self.rvalue(right)?;
        let source = self.aggregate_operand(lowered, ty, "this assignment")?;
        let place = self.write_target(place, span)?;
        self.emit(Op::Assign { target: place.clone(), value: Operand::Aggregate(source) }, span)?;
        Ok(Lowered { value: Denoted::Aggregate(place), ty: ty.unqualified(), bit_width: None, span })
    }

    /// A structure or union value of a type.
    pub(crate) fn aggregate_operand(&mut self, lowered: Lowered, ty: Qual, role: &str) -> Lower<Place> {
        match lowered.value {
            Denoted::Aggregate(place) if self.types.compatible(lowered.ty.ty, ty.ty) => Ok(place),
            _ => {
                let text =
                    format!("{role} needs `{}`, not `{}`", self.describe(ty.unqualified()), self.describe(lowered.ty));
                self.error("type-mismatch", text, lowered.span)
            }
        }
    }

    fn current_value(&mut self, place: &Place, ty: Qual, bit_width: Option<u16>, span: Span) -> Lower<ScalarValue> {
        let lowered = Lowered { value: Denoted::Place(place.clone()), ty, bit_width, span };
        self.scalar_of(lowered)
    }

    /// Writes a converted value; the expression's value is what the object then holds.
    fn store(
        &mut self,
        place: Place,
        ty: Qual,
        bit_width: Option<u16>,
        value: ModelExpr,
        span: Span,
        wanted: bool,
    ) -> Lower<Lowered> {
        let value = match (wanted, self.unevaluated) {
            (true, 0) => {
                let kept = self.keep(value, span)?;
                self.keep_to_repeat(kept, span)?
            }
            _ => value,
        };
        let target = self.write_target(place, span)?;
        self.emit(Op::Assign { target, value: Operand::Scalar(value) }, span)?;
        let held = self.as_stored(value, bit_width);
        Ok(Lowered { value: Denoted::Scalar(held), ty: ty.unqualified(), bit_width, span })
    }

    /// What a bit-field holds after a value has been written to it.
    fn as_stored(&mut self, value: ModelExpr, bit_width: Option<u16>) -> ModelExpr {
        match (self.program.exprs.ty(value), bit_width) {
            (Scalar::Int(ty), Some(bits)) if bits < ty.bits => {
                let narrow = self.cast_scalar(value, Scalar::Int(IntType { bits, signed: ty.signed }));
                self.cast_scalar(narrow, Scalar::Int(ty))
            }
            _ => value,
        }
    }

    /// `++` and `--`
    pub(crate) fn increment(
        &mut self,
        prefix: bool,
        up: bool,
        operand: ExprId,
        span: Span,
        wanted: bool,
    ) -> Lower<Lowered> {
        let (mut place, ty, bit_width) = self.lvalue(operand)?;
        self.check_assignable(ty, span)?;
        if self.threaded {
            place = self.freeze(place, span)?;
        }
        let mut current = self.current_value(&place, ty, bit_width, span)?;
        if !self.types.is_scalar(ty.ty) {
            let text = format!("`{}` cannot be applied to `{}`", if up { "++" } else { "--" }, self.describe(ty));
            return self.fail(Diagnostic::error("wrong-operands", text).at(span));
        }
        if wanted && !prefix {
            current.value = self.keep(current.value, span)?;
        }
        let one: ScalarValue = {
            let lowered = self.int_constant(1, crate::types::IntKind::Int, span);
            self.scalar_of(lowered)?
        };
        let op = if up { BinaryOp::Add } else { BinaryOp::Subtract };
        let result = self.arithmetic(op, current, one, span)?;
        let value = self.cast_value(result.value, ty);
        let stored = self.store(place, ty, bit_width, value, span, wanted && prefix)?;
        if prefix {
            return Ok(stored);
        }
        Ok(Lowered { value: Denoted::Scalar(current.value), ty: ty.unqualified(), bit_width, span })
    }
}
