//! Builtins of GNU C that are generic over integer types: arithmetic that tells whether its exact result fits.

use foundation::Span;
use program::{BinaryOp, CompareOp, ExprKind as ModelKind, IntType, Op, Operand, Place, Scalar};

use super::super::convert::ScalarValue;
use super::super::effects::has_effects;
use super::super::{Lower, Lowered, Lowering};
use crate::syntax::ast::ExprId;
use crate::types::IntKind;

/// What an overflow builtin does.
struct Overflow {
    op: BinaryOp,
    /// The type of operands and result, where the name says it.
    kind: Option<IntKind>,
    /// Whether it only asks, and stores nothing.
    asks: bool,
}

/// Whether a name without `__builtin_` is that of an overflow builtin.
pub(super) fn is_overflow(name: &str) -> bool {
    overflow(name).is_some()
}

/// Reads `add_overflow`, `mul_overflow_p`, `sadd_overflow`, `usubll_overflow` and the like.
fn overflow(name: &str) -> Option<Overflow> {
    let (name, asks) = match name.strip_suffix("_overflow_p") {
        Some(name) => (name, true),
        None => (name.strip_suffix("_overflow")?, false),
    };
    let operation = |text: &str| match text {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Subtract),
        "mul" => Some(BinaryOp::Multiply),
        _ => None,
    };
    if let Some(op) = operation(name) {
        return Some(Overflow { op, kind: None, asks });
    }
    let (signed, rest) = match name.strip_prefix('s') {
        Some(rest) => (true, rest),
        None => (false, name.strip_prefix('u')?),
    };
    let op = operation(rest.get(..3)?)?;
    let kind = match rest.get(3..)? {
        "" => IntKind::Int,
        "l" => IntKind::Long,
        "ll" => IntKind::LongLong,
        _ => return None,
    };
    let kind = if signed { kind } else { kind.to_unsigned() };
    (!asks).then_some(Overflow { op, kind: Some(kind), asks })
}

/// A type that holds every result of an operation on two types; none where there is no such type.
fn wide_type(op: BinaryOp, left: IntType, right: IntType) -> Option<IntType> {
    let magnitude = |ty: IntType| ty.bits - u16::from(ty.signed);
    let signed = left.signed || right.signed || op == BinaryOp::Subtract;
    let (left_bits, right_bits) = (magnitude(left), magnitude(right));
    let bits = match op {
        BinaryOp::Multiply => left_bits + right_bits + u16::from(left.signed && right.signed),
        _ => left_bits.max(right_bits) + 1,
    };
    [64, 128].into_iter().find(|&wide| bits + u16::from(signed) <= wide).map(|bits| IntType { bits, signed })
}

impl Lowering<'_> {
    /// `__builtin_add_overflow(left, right, &result)` and its kin: the result wraps, and the value says whether it did.
    pub(super) fn overflow_builtin(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Lower<Option<Lowered>> {
        let Some(Overflow { op, kind, asks }) = name.strip_prefix("__builtin_").and_then(overflow) else {
            return Ok(None);
        };
        self.need_arguments(name, arguments, 3, span)?;
        let later = |from: usize| arguments[from..].iter().any(|later| has_effects(&self.ast, *later));
        let (later_two, later_one) = (later(1), later(2));
        let left = self.overflow_operand(arguments[0], kind, later_two)?;
        let right = self.overflow_operand(arguments[1], kind, later_one)?;
        let (target, ty) = match asks {
            true => {
                self.discard(arguments[2])?;
                (None, self.type_of_unevaluated(arguments[2])?)
            }
            false => {
                let pointer = self.scalar(arguments[2])?;
                let Some(to) = self.types.pointee(pointer.ty.ty) else {
                    let text = format!("`{name}` stores its result through a pointer to an integer");
                    return self.error("wrong-argument", text, pointer.span);
                };
                (Some(self.keep(pointer.value, span)?), to)
            }
        };
        let operands = (self.types.int_type(left.ty.ty), self.types.int_type(right.ty.ty), self.types.int_type(ty.ty));
        let (Some(left_type), Some(right_type), Some(to)) = operands else {
            return self.error("wrong-argument", format!("`{name}` needs integers"), span);
        };
        let Some(wide) = wide_type(op, left_type, right_type) else {
            return self.unsupported("unsupported-builtin", &format!("`{name}` on integers so wide is"), span, "");
        };
        let scalar = Scalar::Int(wide);
        let (left, right) = (self.cast_scalar(left.value, scalar), self.cast_scalar(right.value, scalar));
        let exact = self.program.exprs.intern(ModelKind::Binary(op, left, right), scalar);
        let exact = self.keep(exact, span)?;
        let fits = self.fits(exact, wide, to);
        let overflows = self.program.exprs.not(fits);
        if let Some(address) = target {
            let model = self.types.model_type(ty.ty, &mut self.program.types);
            let value = Operand::Scalar(self.cast_scalar(exact, Scalar::Int(to)));
            // What tells the overflow may be overwritten by the result.
            let overflows = self.keep(overflows, span)?;
            self.emit(Op::Assign { target: Place::pointer(address, model), value }, span)?;
            return Ok(Some(self.truth_as_int(overflows, span).into()));
        }
        Ok(Some(self.truth_as_int(overflows, span).into()))
    }

    fn overflow_operand(&mut self, argument: ExprId, kind: Option<IntKind>, later: bool) -> Lower<ScalarValue> {
        let mut scalar = self.scalar(argument)?;
        if !self.types.is_integer(scalar.ty.ty) {
            let text = format!("an integer is needed here, not `{}`", self.describe(scalar.ty));
            return self.error("wrong-argument", text, scalar.span);
        }
        scalar = match kind {
            Some(kind) => self.converted_to(scalar, kind),
            None if self.types.int_type(scalar.ty.ty).is_none() || scalar.bit_width.is_some() => self.promote(scalar),
            None => scalar,
        };
        if later {
            scalar.value = self.keep(scalar.value, scalar.span)?;
        }
        Ok(scalar)
    }

    /// Whether a wide integer lies in the range of a type. A bound beyond the wide type bounds nothing.
    fn fits(&mut self, value: program::ExprId, wide: IntType, to: IntType) -> program::ExprId {
        let one = num_bigint::BigInt::from(1);
        let range = |ty: IntType| match ty.signed {
            true => (-(&one << (ty.bits - 1)), (&one << (ty.bits - 1)) - 1),
            false => (num_bigint::BigInt::from(0), (&one << ty.bits) - 1),
        };
        let ((low, high), (least, most)) = (range(to), range(wide));
        let exprs = &mut self.program.exprs;
        let mut fits = exprs.bool(true);
        if low > least {
            let bound = exprs.int(low, wide);
            fits = exprs.intern(ModelKind::Compare(CompareOp::GreaterEqual, value, bound), Scalar::Bool);
        }
        if high < most {
            let bound = exprs.int(high, wide);
            let below = exprs.intern(ModelKind::Compare(CompareOp::LessEqual, value, bound), Scalar::Bool);
            let both = ModelKind::And(fits, below);
            fits = if fits == exprs.bool(true) { below } else { exprs.intern(both, Scalar::Bool) };
        }
        fits
    }
}
