//! Verifier functions (`__VERIFIER_…` and those of other tools), assertions, and functions that end the program.

use foundation::Span;
use program::{
    EndKind, ExprId as ModelExpr, ExprKind as ModelKind, FunctionId, InputSource, Observe, Op, Scalar, VariableId,
};

use super::super::convert::ScalarValue;
use super::super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::ExprId;
use crate::types::{CType, Qual};

impl Lowering<'_> {
    /// Verifier functions and those that end the program.
    pub(super) fn verifier_call(
        &mut self,
        name: &str,
        function: FunctionId,
        arguments: &[ExprId],
        span: Span,
    ) -> Lower<Option<Lowered>> {
        match name {
            "__VERIFIER_assume" | "__ESBMC_assume" | "__CPROVER_assume" | "assume" | "__builtin_assume" => {
                let condition = self.condition_argument(name, function, arguments, span)?;
                self.emit(Op::Assume(condition), span)?;
            }
            "__VERIFIER_assert" | "__ESBMC_assert" | "__CPROVER_assert" | "assert" => {
                let condition = self.condition_argument(name, function, arguments, span)?;
                let (holds, fails) = (self.new_location(), self.new_location());
                self.branch_on(condition, (holds, Observe::No), (fails, Observe::No), span);
                self.go_on_at(fails);
                self.end_program(EndKind::AssertionFailed, span)?;
                self.go_on_at(holds);
            }
            "__assert_fail" | "__assert_perror_fail" | "__assert" => {
                arguments.iter().try_for_each(|argument| self.discard(*argument))?;
                self.end_program(EndKind::AssertionFailed, span)?;
            }
            "abort" | "__builtin_abort" | "__builtin_trap" => self.end_program(EndKind::Abort, span)?,
            "exit" | "_exit" | "_Exit" | "quick_exit" | "__builtin_exit" => {
                for argument in arguments {
                    self.discard(*argument)?;
                }
                self.end_program(EndKind::Exit, span)?;
            }
            "__VERIFIER_error" => {
                // Inside of its own body it is entered already.
                if self.builder().id != function {
                    let callee = program::Callee::Function(function);
                    self.emit(Op::Call { callee, arguments: Vec::new(), result: None }, span)?;
                }
                self.end_program(EndKind::Abort, span)?;
            }
            "__VERIFIER_ltl_step" => {
                self.emit(Op::Skip, span)?;
                let builder = self.builder();
                if let (Some(edge), false) = (builder.last, builder.library) {
                    self.program.edges[edge].observe = Observe::Step;
                }
            }
            "__VERIFIER_atomic_begin" | "__ESBMC_atomic_begin" => self.emit(Op::AtomicBegin, span)?,
            "__VERIFIER_atomic_end" | "__ESBMC_atomic_end" => self.emit(Op::AtomicEnd, span)?,
            "__builtin_unreachable" => {
                self.emit(Op::Unreachable, span)?;
                let unreachable = self.new_location();
                self.go_on_at(unreachable);
            }
            _ => return Ok(None),
        }
        let void = self.types.qual(CType::Void);
        Ok(Some(Lowered { value: Denoted::Void, ty: void, bit_width: None, span }))
    }

    pub(super) fn nondet(
        &mut self,
        name: String,
        result: Qual,
        arguments: &[ExprId],
        span: Span,
        into: Option<VariableId>,
    ) -> Lower<Lowered> {
        for argument in arguments {
            self.discard(*argument)?;
        }
        if self.unevaluated > 0 {
            return Ok(self.placeholder(result, span));
        }
        if self.types.is_void(result.ty) {
            return self.error("void-value", format!("`{name}` is declared to return nothing"), span);
        }
        let variable = self.result_variable(result, into, span)?;
        let target = self.variable_place(variable);
        self.emit(Op::Input { target, source: InputSource::Nondet(name) }, span)?;
        Ok(self.result_value(variable, result, into, span))
    }

    /// The condition that a verifier function is given, converted to its parameter's type.
    fn condition_argument(
        &mut self,
        name: &str,
        function: FunctionId,
        arguments: &[ExprId],
        span: Span,
    ) -> Lower<ModelExpr> {
        let Some(condition) = arguments.first() else {
            return self.error("argument-count", format!("`{name}` needs a condition"), span);
        };
        let scalar = self.scalar(*condition)?;
        let declared = self.types.as_function(self.functions[&function].ty.ty);
        let parameter = declared.and_then(|declared| declared.parameters.first().copied());
        let Some(parameter) = parameter.filter(|parameter| self.types.is_integer(parameter.ty)) else {
            return Ok(self.truth(scalar));
        };
        // A truth value is the same in every integer type.
        if self.types.is_integer(scalar.ty.ty) && self.is_truth(scalar.value) {
            return Ok(self.truth(scalar));
        }
        let value = self.assign_convert(scalar, parameter, "this argument")?;
        Ok(self.truth(ScalarValue { value, ty: parameter, bit_width: None, ..scalar }))
    }

    fn is_truth(&self, value: ModelExpr) -> bool {
        let expr = self.program.exprs.get(value);
        expr.ty == Scalar::Bool
            || matches!(expr.kind, ModelKind::Cast(inner) if self.program.exprs.ty(inner) == Scalar::Bool)
    }
}
