//! Constant expressions (6.6), evaluated by the one semantics of the program model under machine integers: the sizes,
//! labels and initial values of a program do not depend on the integer mode.

use num_bigint::BigInt;
use program::ExprId as ModelExpr;
use program::semantics::{NotConstant, Value as Evaluated, evaluate_constant};

use super::{Denoted, Lower, Lowering};
use crate::syntax::ast::ExprId;
use crate::types::Qual;

impl Lowering<'_> {
    /// The value of an integer constant expression with its type.
    pub(crate) fn integer_constant(&mut self, expr: ExprId) -> Lower<(BigInt, Qual)> {
        let span = self.ast.exprs[expr].span;
        match self.try_integer_constant(expr)? {
            Some(constant) => Ok(constant),
            None => self.error("not-constant", "this is not an integer constant expression", span),
        }
    }

    /// The same; none where the expression is no integer constant.
    pub(crate) fn try_integer_constant(&mut self, expr: ExprId) -> Lower<Option<(BigInt, Qual)>> {
        let ast = self.ast.clone();
        if super::effects::has_effects(&ast, expr) {
            return Ok(None);
        }
        let lowered = self.without_evaluating(|lowering| lowering.rvalue(expr))?;
        let Denoted::Scalar(value) = lowered.value else { return Ok(None) };
        match evaluate_constant(&self.program, value) {
            Ok(Evaluated::Int(value)) => Ok(Some((value, lowered.ty))),
            Ok(Evaluated::Bool(value)) => Ok(Some((BigInt::from(u8::from(value)), lowered.ty))),
            Ok(_) | Err(NotConstant::Reads) => Ok(None),
            Err(NotConstant::Undefined(_)) => {
                let span = ast.exprs[expr].span;
                self.error("constant-undefined", "the value of this constant expression is undefined", span)
            }
        }
    }

    /// Whether a lowered value is an integer constant equal to zero, or the null pointer constant `(void *)0`.
    pub(crate) fn is_null_constant(&self, value: ModelExpr, ty: Qual) -> bool {
        match evaluate_constant(&self.program, value) {
            Ok(Evaluated::Int(value)) => self.types.is_integer(ty.ty) && value == BigInt::from(0),
            Ok(Evaluated::Bool(value)) => !value,
            Ok(Evaluated::Pointer(program::semantics::Pointer::Null)) => {
                self.types.pointee(ty.ty).is_some_and(|to| self.types.is_void(to.ty) && to == to.unqualified())
            }
            _ => false,
        }
    }
}
