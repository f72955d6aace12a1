//! Unary and binary operators (6.5.3 to 6.5.12).

use foundation::{Diagnostic, Span};
use num_bigint::BigInt;
use program::semantics::{Value as Evaluated, evaluate_constant_noting_overflow};
use program::{
    BinaryOp as ModelBinary, CompareOp, Constant, ExprId as ModelExpr, ExprKind as ModelKind, Scalar,
    UnaryOp as ModelUnary,
};

use super::convert::ScalarValue;
use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::{BinaryOp, ExprId, ExprKind, FloatLiteral, FloatSize, UnaryOp};
use crate::types::{CType, IntKind, Qual};

impl From<ScalarValue> for Lowered {
    fn from(scalar: ScalarValue) -> Self {
        Lowered { value: Denoted::Scalar(scalar.value), ty: scalar.ty, bit_width: scalar.bit_width, span: scalar.span }
    }
}

impl Lowering<'_> {
    /// `left op right`
    pub(crate) fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId, span: Span) -> Lower<Lowered> {
        if let BinaryOp::LogicalAnd | BinaryOp::LogicalOr = op {
            return self.logical(op == BinaryOp::LogicalAnd, left, right, span);
        }
        let mut first = self.scalar(left)?;
        if super::effects::has_effects(&self.ast, right) {
            first.value = self.keep(first.value, first.span)?;
        }
        let second = self.scalar(right)?;
        Ok(self.arithmetic(op, first, second, span)?.into())
    }

    /// A binary operator on two values.
    pub(crate) fn arithmetic(
        &mut self,
        op: BinaryOp,
        left: ScalarValue,
        right: ScalarValue,
        span: Span,
    ) -> Lower<ScalarValue> {
        let pointers = (self.types.pointee(left.ty.ty), self.types.pointee(right.ty.ty));
        match op {
            BinaryOp::Add | BinaryOp::Subtract if pointers != (None, None) => {
                self.pointer_arithmetic(op, left, right, span)
            }
            BinaryOp::Less
            | BinaryOp::Greater
            | BinaryOp::LessEqual
            | BinaryOp::GreaterEqual
            | BinaryOp::Equal
            | BinaryOp::NotEqual => self.comparison(op, left, right, span),
            BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
                self.need_integers(op, left, right, span)?;
                let left = self.promote(left);
                let right = self.promote(right);
                self.operation(model_op(op), left, right, span)
            }
            BinaryOp::Remainder | BinaryOp::BitAnd | BinaryOp::BitXor | BinaryOp::BitOr => {
                self.need_integers(op, left, right, span)?;
                let (left, right) = self.usual_conversions(left, right);
                self.operation(model_op(op), left, right, span)
            }
            _ => {
                if !self.types.is_arithmetic(left.ty.ty) || !self.types.is_arithmetic(right.ty.ty) {
                    return self.wrong_operands(op, left, right, span);
                }
                let (left, right) = self.usual_conversions(left, right);
                self.operation(model_op(op), left, right, span)
            }
        }
    }

    fn need_integers(&mut self, op: BinaryOp, left: ScalarValue, right: ScalarValue, span: Span) -> Lower<()> {
        if self.types.is_integer(left.ty.ty) && self.types.is_integer(right.ty.ty) {
            return Ok(());
        }
        self.wrong_operands(op, left, right, span)
    }

    fn wrong_operands<T>(&mut self, op: BinaryOp, left: ScalarValue, right: ScalarValue, span: Span) -> Lower<T> {
        let text = format!(
            "`{}` cannot be applied to `{}` and `{}`",
            op.text(),
            self.describe(left.ty),
            self.describe(right.ty)
        );
        self.error("wrong-operands", text, span)
    }

    /// An operation on operands that have been converted; the result has the left one's type.
    fn operation(&mut self, op: ModelBinary, left: ScalarValue, right: ScalarValue, span: Span) -> Lower<ScalarValue> {
        let scalar = self.program.exprs.ty(left.value);
        let divides = matches!(op, ModelBinary::Divide | ModelBinary::Remainder);
        if divides && self.is_zero(right.value) && matches!(scalar, Scalar::Int(_)) {
            self.warn(Diagnostic::warning("division-by-zero", "this divides by zero").at(span));
        }
        let value = self.program.exprs.intern(ModelKind::Binary(op, left.value, right.value), scalar);
        let value = self.fold(value);
        Ok(ScalarValue { value, ty: left.ty, bit_width: None, span })
    }

    fn is_zero(&self, value: ModelExpr) -> bool {
        matches!(&self.program.exprs.get(value).kind, ModelKind::Constant(Constant::Int(number)) if *number == BigInt::from(0))
    }

    /// Replaces an integer operation on constants by its value where the value is the same in both integer modes: a
    /// signed operation that does not overflow, or an unsigned one whose mathematical result is in range.
    fn fold(&mut self, value: ModelExpr) -> ModelExpr {
        let expr = self.program.exprs.get(value).clone();
        let Scalar::Int(ty) = expr.ty else { return value };
        let number = |operand: ModelExpr| match &self.program.exprs.get(operand).kind {
            ModelKind::Constant(Constant::Int(number)) => Some(number.clone()),
            _ => None,
        };
        let wraps_silently = match &expr.kind {
            ModelKind::Binary(op, left, right) => {
                let (Some(left), Some(right)) = (number(*left), number(*right)) else { return value };
                let bound = BigInt::from(1) << ty.bits;
                !ty.signed
                    && match op {
                        ModelBinary::Add => left + right >= bound,
                        ModelBinary::Subtract => left < right,
                        ModelBinary::Multiply => left * right >= bound,
                        ModelBinary::ShiftLeft => true,
                        _ => false,
                    }
            }
            ModelKind::Unary(_, operand) => {
                if number(*operand).is_none() {
                    return value;
                }
                !ty.signed
            }
            _ => return value,
        };
        if wraps_silently {
            return value;
        }
        match evaluate_constant_noting_overflow(&self.program, value) {
            Ok((Evaluated::Int(number), false)) => {
                self.program.exprs.intern(ModelKind::Constant(Constant::Int(number)), expr.ty)
            }
            _ => value,
        }
    }

    fn comparison(&mut self, op: BinaryOp, left: ScalarValue, right: ScalarValue, span: Span) -> Lower<ScalarValue> {
        let compare = match op {
            BinaryOp::Less => CompareOp::Less,
            BinaryOp::Greater => CompareOp::Greater,
            BinaryOp::LessEqual => CompareOp::LessEqual,
            BinaryOp::GreaterEqual => CompareOp::GreaterEqual,
            BinaryOp::Equal => CompareOp::Equal,
            _ => CompareOp::NotEqual,
        };
        let (left, right) = match (self.types.pointee(left.ty.ty), self.types.pointee(right.ty.ty)) {
            (None, None) => {
                if !self.types.is_arithmetic(left.ty.ty) || !self.types.is_arithmetic(right.ty.ty) {
                    return self.wrong_operands(op, left, right, span);
                }
                self.usual_conversions(left, right)
            }
            (Some(a), Some(b)) => {
                let void = self.types.is_void(a.ty) || self.types.is_void(b.ty);
                if !void && !self.types.compatible(a.ty, b.ty) {
                    let text = format!(
                        "this compares pointers of different types: `{}` and `{}`",
                        self.describe(left.ty),
                        self.describe(right.ty)
                    );
                    self.warn(Diagnostic::warning("incompatible-pointer", text).at(span));
                }
                (left, right)
            }
            (Some(_), None) => (left, self.pointer_operand(right, left.ty, op, left, span)?),
            (None, Some(_)) => (self.pointer_operand(left, right.ty, op, right, span)?, right),
        };
        let truth = self.program.exprs.intern(ModelKind::Compare(compare, left.value, right.value), Scalar::Bool);
        Ok(self.truth_as_int(truth, span))
    }

    /// The integer operand of a comparison with a pointer, as a pointer.
    fn pointer_operand(
        &mut self,
        operand: ScalarValue,
        pointer: Qual,
        op: BinaryOp,
        other: ScalarValue,
        span: Span,
    ) -> Lower<ScalarValue> {
        if !self.types.is_integer(operand.ty.ty) {
            return self.wrong_operands(op, operand, other, span);
        }
        if !self.is_null_constant(operand.value, operand.ty) {
            let text = "this compares a pointer with an integer";
            self.warn(Diagnostic::warning("int-conversion", text).at(span));
        }
        let value = self.cast_value(operand.value, pointer);
        Ok(ScalarValue { value, ty: pointer, bit_width: None, span: operand.span })
    }

    /// A truth value as C has it: an `int` that is 0 or 1.
    pub(crate) fn truth_as_int(&mut self, truth: ModelExpr, span: Span) -> ScalarValue {
        let ty = self.types.int(IntKind::Int);
        let value = self.cast_value(truth, ty);
        ScalarValue { value, ty, bit_width: None, span }
    }

    fn pointer_arithmetic(
        &mut self,
        op: BinaryOp,
        left: ScalarValue,
        right: ScalarValue,
        span: Span,
    ) -> Lower<ScalarValue> {
        match (self.types.pointee(left.ty.ty), self.types.pointee(right.ty.ty)) {
            (Some(to), None) if self.types.is_integer(right.ty.ty) => {
                let mut index = self.promote(right);
                if op == BinaryOp::Subtract {
                    let difference = self.types.difference_kind();
                    index = self.converted_to(index, difference);
                    index = self.negate(index, index.span);
                }
                self.moved_pointer(left, to, index, span)
            }
            (None, Some(to)) if op == BinaryOp::Add && self.types.is_integer(left.ty.ty) => {
                let index = self.promote(left);
                self.moved_pointer(right, to, index, span)
            }
            (Some(a), Some(b)) if op == BinaryOp::Subtract => {
                if !self.types.compatible(a.ty, b.ty) {
                    return self.wrong_operands(op, left, right, span);
                }
                let stride = self.stride(a, span)?;
                if stride == 0 {
                    return self.wrong_operands(op, left, right, span);
                }
                let kind = self.types.difference_kind();
                let ty = self.types.int(kind);
                let scalar = self.types.scalar(ty.ty).expect("an integer type");
                let difference = ModelKind::PointerDifference { left: left.value, right: right.value, stride };
                let value = self.program.exprs.intern(difference, scalar);
                Ok(ScalarValue { value, ty, bit_width: None, span })
            }
            _ => self.wrong_operands(op, left, right, span),
        }
    }

    /// A pointer moved by so many elements.
    pub(crate) fn moved_pointer(
        &mut self,
        base: ScalarValue,
        to: Qual,
        index: ScalarValue,
        span: Span,
    ) -> Lower<ScalarValue> {
        let stride = self.stride(to, span)?;
        if self.is_zero(index.value) {
            return Ok(ScalarValue { span, ..base });
        }
        let moved = ModelKind::PointerAdd { base: base.value, index: index.value, stride };
        let value = self.program.exprs.intern(moved, Scalar::Pointer);
        Ok(ScalarValue { value, ty: base.ty, bit_width: None, span })
    }

    /// The size of what a pointer points to; 1 for `void` and functions, as in GNU C.
    fn stride(&mut self, to: Qual, span: Span) -> Lower<u64> {
        if let CType::Void | CType::Function(_) = self.types.get(to.ty) {
            return Ok(1);
        }
        match self.types.size_bytes(to.ty) {
            Some(size) => Ok(size),
            None => {
                let text = format!("the size of the incomplete type `{}` is not known", self.describe(to));
                self.error("incomplete-type", text, span)
            }
        }
    }

    /// `op operand`
    pub(crate) fn unary(&mut self, op: UnaryOp, operand: ExprId, span: Span) -> Lower<Lowered> {
        match op {
            UnaryOp::Dereference => return self.dereference(operand, span),
            UnaryOp::AddressOf => return self.address(operand, span),
            UnaryOp::LogicalNot => {
                let scalar = self.scalar(operand)?;
                let truth = self.truth(scalar);
                let negated = self.program.exprs.not(truth);
                return Ok(self.truth_as_int(negated, span).into());
            }
            UnaryOp::Real | UnaryOp::Imaginary => {
                return self.unsupported("unsupported-complex", "complex numbers are", span, "");
            }
            UnaryOp::Plus | UnaryOp::Minus | UnaryOp::BitNot => {}
        }
        let scalar = self.scalar(operand)?;
        let allowed = match op {
            UnaryOp::BitNot => self.types.is_integer(scalar.ty.ty),
            _ => self.types.is_arithmetic(scalar.ty.ty),
        };
        if !allowed {
            let sign = match op {
                UnaryOp::BitNot => "~",
                UnaryOp::Minus => "-",
                _ => "+",
            };
            let text = format!("`{sign}` cannot be applied to `{}`", self.describe(scalar.ty));
            return self.error("wrong-operands", text, span);
        }
        let promoted = self.promote(scalar);
        let result = match op {
            UnaryOp::Minus => self.negate(promoted, span),
            UnaryOp::BitNot => self.unary_operation(ModelUnary::BitNot, promoted, span),
            _ => ScalarValue { span, ..promoted },
        };
        Ok(result.into())
    }

    fn negate(&mut self, operand: ScalarValue, span: Span) -> ScalarValue {
        if let ModelKind::Constant(Constant::Float(bits)) = self.program.exprs.get(operand.value).kind {
            let scalar = self.program.exprs.ty(operand.value);
            let negated = Constant::Float((-f64::from_bits(bits)).to_bits());
            let value = self.program.exprs.intern(ModelKind::Constant(negated), scalar);
            return ScalarValue { value, span, ..operand };
        }
        self.unary_operation(ModelUnary::Negate, operand, span)
    }

    fn unary_operation(&mut self, op: ModelUnary, operand: ScalarValue, span: Span) -> ScalarValue {
        let scalar = self.program.exprs.ty(operand.value);
        let value = self.program.exprs.intern(ModelKind::Unary(op, operand.value), scalar);
        let value = self.fold(value);
        ScalarValue { value, ty: operand.ty, bit_width: None, span }
    }

    /// `(type) operand` (6.5.4)
    pub(crate) fn cast(&mut self, to: Qual, operand: ExprId, span: Span) -> Lower<Lowered> {
        let to = to.unqualified();
        if let Some(constant) = self.narrowed_long_double(operand, to, span) {
            return Ok(constant);
        }
        let lowered = self.rvalue(operand)?;
        if self.types.is_void(to.ty) {
            self.carry_out(&lowered, span)?;
            return Ok(Lowered { value: Denoted::Void, ty: to, bit_width: None, span });
        }
        if lowered.ty.ty == to.ty && matches!(lowered.value, Denoted::Aggregate(_)) {
            return Ok(Lowered { span, ..lowered });
        }
        if let CType::WideFloat(_) = self.types.get(to.ty) {
            let what = format!("`{}` arithmetic is", self.describe(to));
            return self.unsupported("unsupported-long-double", &what, span, "use `double`");
        }
        let from = self.scalar_of(lowered)?;
        let pointer_and_float = (self.types.pointee(to.ty).is_some() && self.types.is_floating(from.ty.ty))
            || (self.types.pointee(from.ty.ty).is_some() && self.types.is_floating(to.ty));
        if !self.types.is_scalar(to.ty) || pointer_and_float {
            let text = format!("`{}` cannot be converted to `{}`", self.describe(from.ty), self.describe(to));
            return self.error("wrong-cast", text, span);
        }
        let discards_const = match (self.types.pointee(from.ty.ty), self.types.pointee(to.ty)) {
            (Some(before), Some(after)) => before.is_const && !after.is_const,
            _ => false,
        };
        if discards_const {
            let text = "no `const` object is written through a pointer from which a cast has taken the `const`";
            self.assume(text.to_owned(), span);
        }
        let value = self.cast_value(from.value, to);
        let is_constant = matches!(self.program.exprs.get(value).kind, ModelKind::Constant(_));
        if self.types.pointee(from.ty.ty).is_some() && self.types.is_integer(to.ty) && !is_constant {
            let text = "objects have the addresses that were chosen for them: numbers that C leaves open";
            self.assume(text.to_owned(), span);
        }
        Ok(Lowered { value: Denoted::Scalar(value), ty: to, bit_width: None, span })
    }
}

impl Lowering<'_> {
    /// `(double)1.79e308L`, as system headers define the limits of floating types: no arithmetic is done at the wider
    /// type.
    fn narrowed_long_double(&mut self, operand: ExprId, to: Qual, span: Span) -> Option<Lowered> {
        let ast = self.ast.clone();
        let ExprKind::Float(literal) = &ast.exprs[operand].kind else { return None };
        let size = match self.types.get(to.ty) {
            CType::Float => FloatSize::Float,
            CType::Double => FloatSize::Double,
            _ => return None,
        };
        let value = if size == FloatSize::Float { f64::from(literal.value as f32) } else { literal.value };
        self.float_literal(&FloatLiteral { value, size }, span).ok()
    }
}

fn model_op(op: BinaryOp) -> ModelBinary {
    match op {
        BinaryOp::Multiply => ModelBinary::Multiply,
        BinaryOp::Divide => ModelBinary::Divide,
        BinaryOp::Remainder => ModelBinary::Remainder,
        BinaryOp::Add => ModelBinary::Add,
        BinaryOp::Subtract => ModelBinary::Subtract,
        BinaryOp::ShiftLeft => ModelBinary::ShiftLeft,
        BinaryOp::ShiftRight => ModelBinary::ShiftRight,
        BinaryOp::BitAnd => ModelBinary::BitAnd,
        BinaryOp::BitXor => ModelBinary::BitXor,
        BinaryOp::BitOr => ModelBinary::BitOr,
        _ => unreachable!("comparisons and logical operators are lowered apart"),
    }
}
