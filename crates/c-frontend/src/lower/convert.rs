//! Conversions of values (6.3): from places to values, between scalar types, and as if by assignment (6.5.16.1).

use foundation::{Diagnostic, Span};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use program::{
    CompareOp, Constant, ExprId as ModelExpr, ExprKind as ModelKind, InputSource, IntType, Op, Operand, Place, Root,
    Scalar, Selector,
};

use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::ExprId;
use crate::types::{CType, IntKind, Qual};

/// A scalar value with its C type.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ScalarValue {
    pub value: ModelExpr,
    pub ty: Qual,
    pub bit_width: Option<u16>,
    pub span: Span,
}

impl Lowering<'_> {
    /// Lowers an expression to a value: places are read, arrays and functions become pointers (6.3.2.1).
    pub(crate) fn rvalue(&mut self, expr: ExprId) -> Lower<Lowered> {
        let lowered = self.expr(expr)?;
        self.value_of(lowered)
    }

    /// Reads a place; arrays and functions become pointers.
    pub(crate) fn value_of(&mut self, lowered: Lowered) -> Lower<Lowered> {
        let Lowered { value, ty, bit_width, span } = lowered;
        self.refuse_atomic(ty, span)?;
        match value {
            Denoted::Function(function) => {
                self.note_function_address(function, span);
                let address = self.program.exprs.intern(ModelKind::FunctionAddress(function), Scalar::Pointer);
                let pointer = self.types.pointer_to(ty);
                Ok(Lowered { value: Denoted::Scalar(address), ty: pointer, bit_width: None, span })
            }
            Denoted::Place(place) => match self.types.get(ty.ty).clone() {
                CType::Array { element, .. } => {
                    let address = self.address_of(place);
                    let mut element = element;
                    element.is_const |= ty.is_const;
                    element.is_volatile |= ty.is_volatile;
                    let pointer = self.types.pointer_to(element);
                    Ok(Lowered { value: Denoted::Scalar(address), ty: pointer, bit_width: None, span })
                }
                CType::Record(record) => {
                    if self.types.records[record].body.is_none() {
                        let text = format!("`{}` is incomplete: its members are not known", self.describe(ty));
                        return self.error("incomplete-type", text, span);
                    }
                    let place = match self.input_source(&place, ty) {
                        Some(source) => {
                            self.begin_input(&source, &place, span)?;
                            let copy = self.temporary(place.ty, span)?;
                            let target = self.variable_place(copy);
                            self.emit(Op::Input { target: target.clone(), source }, span)?;
                            target
                        }
                        None => {
                            self.assume_of_volatile(ty, span);
                            place
                        }
                    };
                    let ty = ty.unqualified();
                    Ok(Lowered { value: Denoted::Aggregate(place), ty, bit_width, span })
                }
                CType::WideFloat(_) => {
                    let what = format!("`{}` arithmetic is", self.describe(ty.unqualified()));
                    self.unsupported("unsupported-long-double", &what, span, "use `double`")
                }
                CType::VaList => Ok(self.list_value(place, Lowered { value: Denoted::Void, ty, bit_width, span })),
                CType::Void => Ok(Lowered { value: Denoted::Void, ty: ty.unqualified(), bit_width: None, span }),
                _ => {
                    let value = self.read(place, ty, bit_width, span)?;
                    Ok(Lowered { value: Denoted::Scalar(value), ty: ty.unqualified(), bit_width, span })
                }
            },
            value => Ok(Lowered { value, ty, bit_width, span }),
        }
    }

    /// The value in a place. Device registers, and volatile objects if the user asks for it, are input.
    fn read(&mut self, place: Place, ty: Qual, bit_width: Option<u16>, span: Span) -> Lower<ModelExpr> {
        match self.input_source(&place, ty) {
            Some(source) => {
                self.begin_input(&source, &place, span)?;
                self.input(ty, bit_width, source, span)
            }
            None => {
                self.assume_of_volatile(ty, span);
                Ok(self.load(place))
            }
        }
    }

    /// Where a value goes that is written to a place: a write to a device register changes nothing, but what is written is
    /// computed.
    pub(crate) fn write_target(&mut self, place: Place, span: Span) -> Lower<Place> {
        let Some(address) = self.register_address(&place).filter(|_| self.unevaluated == 0) else { return Ok(place) };
        self.begin_input(&InputSource::Register(address), &place, span)?;
        let ignored = self.temporary(place.ty, span)?;
        Ok(self.variable_place(ignored))
    }

    /// Evaluates the indices that lead to a register, which may be undefined.
    fn evaluate_indices(&mut self, place: &Place, span: Span) -> Lower<()> {
        for selector in &place.path {
            if let Selector::Index(index) = selector {
                self.carry_out_operand(Operand::Scalar(*index), span)?;
            }
        }
        let Root::Pointer { mut address, .. } = place.root else { return Ok(()) };
        loop {
            match self.program.exprs.get(address).kind.clone() {
                ModelKind::PointerAdd { base, index, .. } => {
                    self.carry_out_operand(Operand::Scalar(index), span)?;
                    address = base;
                }
                ModelKind::AddressOf(inner) => return self.evaluate_indices(&inner, span),
                _ => return Ok(()),
            }
        }
    }

    /// Notes what is assumed of a volatile object that is read as a plain one.
    fn assume_of_volatile(&mut self, ty: Qual, span: Span) {
        if ty.is_volatile {
            self.assume("`volatile` objects change only where the program writes to them".to_owned(), span);
        }
    }

    /// What happens before input takes the place of what a place holds. Of a device register it is noted what is
    /// assumed, and what leads to it is evaluated; any other object must be there, so that it is read in vain.
    fn begin_input(&mut self, source: &InputSource, place: &Place, span: Span) -> Lower<()> {
        if let InputSource::Register(_) = source {
            let text = "a read of a device register yields any value, and a write to one changes nothing";
            self.assume(text.to_owned(), span);
            return self.evaluate_indices(place, span);
        }
        if place.is_certain() {
            return Ok(());
        }
        let value = match self.program.types.as_scalar(place.ty) {
            Some(_) => Operand::Scalar(self.load(place.clone())),
            None => Operand::Aggregate(place.clone()),
        };
        self.carry_out_operand(value, span)
    }

    /// Where the value in a place comes from, if reading it is input.
    fn input_source(&self, place: &Place, ty: Qual) -> Option<InputSource> {
        if self.unevaluated > 0 || self.function.is_none() {
            return None;
        }
        match self.register_address(place) {
            Some(address) => Some(InputSource::Register(address)),
            None if ty.is_volatile && self.options.volatile_input => Some(InputSource::Volatile(self.root_name(place))),
            None => None,
        }
    }

    /// The variable that a place is a part of, or words for what a pointer reaches.
    fn root_name(&self, place: &Place) -> String {
        match place.root {
            Root::Variable(variable) => self.program.variables[variable].name.clone(),
            Root::Pointer { .. } => "(through a pointer)".to_owned(),
        }
    }

    /// An arbitrary value of a scalar type, or of a bit-field of this width and type.
    pub(crate) fn input(
        &mut self,
        ty: Qual,
        bit_width: Option<u16>,
        source: InputSource,
        span: Span,
    ) -> Lower<ModelExpr> {
        let model = match (self.types.int_type(ty.ty), bit_width) {
            (Some(int), Some(bits)) => self.program.types.scalar(Scalar::Int(IntType { bits, ..int })),
            _ => self.types.model_type(ty.ty, &mut self.program.types),
        };
        let variable = self.temporary(model, span)?;
        let target = self.variable_place(variable);
        self.emit(Op::Input { target: target.clone(), source }, span)?;
        let value = self.load(target);
        Ok(self.cast_value(value, ty))
    }

    /// The fixed address that a place is at, if it is reached through a constant.
    fn register_address(&self, place: &Place) -> Option<u64> {
        let Root::Pointer { address, .. } = &place.root else { return None };
        let mut address = *address;
        loop {
            match &self.program.exprs.get(address).kind {
                ModelKind::Constant(Constant::Address(fixed)) => return Some(*fixed),
                ModelKind::PointerAdd { base, .. } => address = *base,
                ModelKind::AddressOf(Place { root: Root::Pointer { address: inner, .. }, .. }) => address = *inner,
                _ => return None,
            }
        }
    }

    /// Lowers an expression that must be a scalar value.
    pub(crate) fn scalar(&mut self, expr: ExprId) -> Lower<ScalarValue> {
        let lowered = self.rvalue(expr)?;
        self.scalar_of(lowered)
    }

    /// A value that must be a scalar.
    pub(crate) fn scalar_of(&mut self, lowered: Lowered) -> Lower<ScalarValue> {
        let lowered = self.value_of(lowered)?;
        let Lowered { value, ty, bit_width, span } = lowered;
        match value {
            Denoted::Scalar(value) => Ok(ScalarValue { value, ty, bit_width, span }),
            Denoted::Void => self.error("void-value", "this expression has no value", span),
            _ => {
                let text = format!("a number or a pointer is needed here, not `{}`", self.describe(ty));
                self.error("not-scalar", text, span)
            }
        }
    }

    /// Converts a scalar to another scalar type, without any check.
    pub(crate) fn cast_value(&mut self, value: ModelExpr, to: Qual) -> ModelExpr {
        let Some(scalar) = self.types.scalar(to.ty) else { return value };
        self.cast_scalar(value, scalar)
    }

    /// Converts a scalar; a constant becomes a constant where it has the same value in both integer modes.
    pub(crate) fn cast_scalar(&mut self, value: ModelExpr, to: Scalar) -> ModelExpr {
        let expr = self.program.exprs.get(value);
        if expr.ty == to {
            return value;
        }
        let constant = match (&expr.kind, to) {
            (ModelKind::Constant(Constant::Bool(truth)), Scalar::Int(_)) => {
                Some(Constant::Int(BigInt::from(u8::from(*truth))))
            }
            (ModelKind::Constant(Constant::Int(number)), Scalar::Int(ty)) => {
                holds(ty, number).then(|| Constant::Int(number.clone()))
            }
            (ModelKind::Constant(Constant::Int(number)), Scalar::Bool) => {
                Some(Constant::Bool(*number != BigInt::from(0)))
            }
            (ModelKind::Constant(Constant::Int(number)), Scalar::Pointer) => {
                let bits = u64::from(self.types.model.pointer_bits());
                let wrapped: BigInt = number & ((BigInt::from(1) << bits) - 1);
                Some(match wrapped.to_u64() {
                    Some(0) | None => Constant::Null,
                    Some(address) => Constant::Address(address),
                })
            }
            (ModelKind::Constant(Constant::Int(number)), Scalar::Float(_)) => number
                .to_i32()
                .filter(|small| small.unsigned_abs() < 1 << 24)
                .map(|small| Constant::Float(f64::from(small).to_bits())),
            _ => None,
        };
        match constant {
            Some(constant) => self.program.exprs.intern(ModelKind::Constant(constant), to),
            None => self.program.exprs.cast(value, to),
        }
    }

    /// Whether a scalar is not zero.
    pub(crate) fn truth(&mut self, scalar: ScalarValue) -> ModelExpr {
        let expr = self.program.exprs.get(scalar.value).clone();
        match (&expr.kind, expr.ty) {
            (_, Scalar::Bool) => scalar.value,
            (ModelKind::Cast(inner), Scalar::Int(_)) if self.program.exprs.ty(*inner) == Scalar::Bool => *inner,
            (ModelKind::Constant(Constant::Int(number)), _) => {
                let truth = *number != BigInt::from(0);
                self.program.exprs.bool(truth)
            }
            (_, Scalar::Int(_) | Scalar::Pointer | Scalar::Float(_)) => {
                let zero = self.zero(expr.ty);
                self.program.exprs.intern(ModelKind::Compare(CompareOp::NotEqual, scalar.value, zero), Scalar::Bool)
            }
        }
    }

    /// The zero of a scalar type.
    pub(crate) fn zero(&mut self, ty: Scalar) -> ModelExpr {
        let constant = match ty {
            Scalar::Bool => Constant::Bool(false),
            Scalar::Int(_) => Constant::Int(BigInt::from(0)),
            Scalar::Float(_) => Constant::Float(0.0f64.to_bits()),
            Scalar::Pointer => Constant::Null,
        };
        self.program.exprs.intern(ModelKind::Constant(constant), ty)
    }

    /// Converts a value to a type as if by assignment (6.5.16.1): `role` says what is being initialised, for messages.
    pub(crate) fn assign_convert(&mut self, from: ScalarValue, to: Qual, role: &str) -> Lower<ModelExpr> {
        let span = from.span;
        let (source, target) = (self.types.get(from.ty.ty).clone(), self.types.get(to.ty).clone());
        match (source, target) {
            (CType::Pointer(a), CType::Pointer(b)) => self.check_pointers(from, a, b, to, role),
            (CType::Pointer(_), _) if self.types.is_integer(to.ty) => {
                if !matches!(self.types.get(to.ty), CType::Bool) {
                    let text = format!("{role} makes an integer of a pointer without a cast");
                    self.warn(Diagnostic::warning("int-conversion", text).at(span));
                }
            }
            (_, CType::Pointer(_)) if self.types.is_integer(from.ty.ty) => {
                if !self.is_null_constant(from.value, from.ty) {
                    let text = format!("{role} makes a pointer of an integer without a cast");
                    self.warn(Diagnostic::warning("int-conversion", text).at(span));
                }
            }
            _ if self.types.is_arithmetic(from.ty.ty) && self.types.is_arithmetic(to.ty) => {}
            _ => {
                let text = format!("{role} needs `{}`, not `{}`", self.describe(to), self.describe(from.ty));
                return self.error("type-mismatch", text, span);
            }
        }
        Ok(self.cast_value(from.value, to))
    }

    fn check_pointers(&mut self, from: ScalarValue, a: Qual, b: Qual, to: Qual, role: &str) {
        let either_void = self.types.is_void(a.ty) || self.types.is_void(b.ty);
        if either_void || self.types.compatible(a.ty, b.ty) || self.same_but_for_sign(a, b) {
            return;
        }
        let text = format!(
            "{role} takes a pointer of another type: `{}` is needed, this is `{}`",
            self.describe(to),
            self.describe(from.ty)
        );
        self.warn(Diagnostic::warning("incompatible-pointer", text).at(from.span));
    }

    fn same_but_for_sign(&self, a: Qual, b: Qual) -> bool {
        match (self.types.int_kind(a.ty), self.types.int_kind(b.ty)) {
            (Some(a), Some(b)) => a.to_unsigned() == b.to_unsigned(),
            _ => false,
        }
    }

    /// The integer promotions (6.3.1.1p2).
    pub(crate) fn promote(&mut self, scalar: ScalarValue) -> ScalarValue {
        match self.types.promote(scalar.ty.ty, scalar.bit_width) {
            Some(kind) => self.converted_to(scalar, kind),
            None => ScalarValue { bit_width: None, ..scalar },
        }
    }

    /// Converts to an integer type.
    pub(crate) fn converted_to(&mut self, scalar: ScalarValue, kind: IntKind) -> ScalarValue {
        let ty = self.types.int(kind);
        let value = self.cast_value(scalar.value, ty);
        ScalarValue { value, ty, bit_width: None, span: scalar.span }
    }

    /// The usual arithmetic conversions (6.3.1.8) of two arithmetic operands.
    pub(crate) fn usual_conversions(&mut self, left: ScalarValue, right: ScalarValue) -> (ScalarValue, ScalarValue) {
        let common = if self.types.is_floating(left.ty.ty) || self.types.is_floating(right.ty.ty) {
            let double = [left, right].iter().any(|side| matches!(self.types.get(side.ty.ty), CType::Double));
            self.types.qual(if double { CType::Double } else { CType::Float })
        } else {
            let promoted = |side: ScalarValue| self.types.promote(side.ty.ty, side.bit_width).unwrap_or(IntKind::Int);
            let kind = self.types.common_int(promoted(left), promoted(right));
            self.types.int(kind)
        };
        let mut convert = |side: ScalarValue| {
            let promoted = self.promote(side);
            let value = self.cast_value(promoted.value, common);
            ScalarValue { value, ty: common, bit_width: None, span: side.span }
        };
        (convert(left), convert(right))
    }
}

fn holds(ty: program::IntType, value: &BigInt) -> bool {
    let (low, high) = if ty.signed {
        (-(BigInt::from(1) << (ty.bits - 1)), BigInt::from(1) << (ty.bits - 1))
    } else {
        (BigInt::from(0), BigInt::from(1) << ty.bits)
    };
    *value >= low && *value < high
}
