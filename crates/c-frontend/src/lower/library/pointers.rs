//! Library functions behind pointers. A direct call of `free` becomes an operation; where the address of `free` is used
//! instead, the function gets a body that does what the direct call does, so that whoever calls it by whatever way calls
//! an ordinary function. What no body can do is refused where the address is used.

use foundation::{Diagnostic, Span};
use program::{FunctionId, Op, Operand, Variable, VariableId, VariableKind};

use super::super::effects::AnnotatedTree;
use super::super::scope::{Binding, BindingKind};
use super::super::{Denoted, Lower, Lowered, Lowering};
use super::names::{HARMLESS, is_known, is_nondet};
use crate::syntax::ast::{Ast, Expr, ExprId, ExprKind};
use crate::syntax::symbols::Symbol;
use crate::types::{FunctionType, Qual};

/// Functions whose direct call does something at its own place that a function of its own cannot do for its caller.
const ONLY_BY_NAME: &[&str] = &[
    "__VERIFIER_ltl_step",
    "__VERIFIER_atomic_begin",
    "__VERIFIER_atomic_end",
    "__ESBMC_atomic_begin",
    "__ESBMC_atomic_end",
    "alloca",
    "__builtin_alloca",
];

impl Lowering<'_> {
    /// Notes that a function is used otherwise than by a direct call, so that it gets a body if operations stand for it.
    pub(crate) fn note_address(&mut self, name: Symbol, function: FunctionId, span: Span) {
        let users = self.defined.contains(&name) || self.functions[&function].has_body;
        if self.unevaluated > 0 || users || self.library.has_body(name) || !is_known(self.symbols.text(name)) {
            return;
        }
        if !self.library.pointed.iter().any(|(known, _)| *known == function) {
            self.library.pointed.push((function, span));
        }
    }

    /// Makes bodies for the library functions whose address is used.
    pub(crate) fn wrap_library_functions(&mut self) {
        for (function, span) in std::mem::take(&mut self.library.pointed) {
            self.scopes.start_unit();
            self.wrap(function, span);
        }
    }

    fn wrap(&mut self, function: FunctionId, span: Span) {
        let (name, ty) = (self.functions[&function].name, self.functions[&function].ty);
        let function_type = self.types.as_function(ty.ty).expect("a function type").clone();
        self.scopes.declare(name, Binding { kind: BindingKind::Function(function), span });
        self.program.functions[function].library = true;
        self.program.functions[function].variadic = function_type.variadic;
        let block = self.scopes.open();
        let arguments = self.wrapper_parameters(function, &function_type, span);
        self.begin_body(function, name, function_type.result, block);
        // A fault here follows from the use of the address: it matters if that is reached.
        self.builder().refused = true;
        let known = self.refusals.len();
        let returned = self.wrapper_result(name, &function_type, &arguments, span).unwrap_or_default();
        let _ = self.emit(Op::Return(returned), span);
        if self.refusals.len() == known
            && let Some(info) = self.functions.get_mut(&function)
        {
            info.has_body = true;
        }
        self.function = None;
        self.scopes.close();
    }

    /// The parameters of a function as its declaration has them, and expressions that name them.
    fn wrapper_parameters(&mut self, function: FunctionId, ty: &FunctionType, span: Span) -> Vec<ExprId> {
        let mut ast = Ast::default();
        let mut arguments = Vec::new();
        for (at, parameter) in ty.parameters.iter().enumerate() {
            let text = format!("argument_{}", at + 1);
            let variable = self.wrapper_parameter(function, text.clone(), *parameter, span);
            let name = self.symbols.intern(&text);
            self.scopes.declare(name, Binding { kind: BindingKind::Variable(variable), span });
            arguments.push(ast.exprs.push(Expr { kind: ExprKind::Identifier(name), span }));
        }
        self.enter_tree(std::rc::Rc::new(AnnotatedTree::new(ast)));
        arguments
    }

    fn wrapper_parameter(&mut self, function: FunctionId, name: String, ty: Qual, span: Span) -> VariableId {
        let model = self.types.model_type(ty.ty, &mut self.program.types);
        let kind = VariableKind::Parameter(function);
        let variable = self.program.variables.push(Variable { name, kind, ty: model, address_taken: false, span });
        self.variable_types.insert(variable, ty);
        self.program.functions[function].parameters.push(variable);
        variable
    }

    /// Does what a direct call does, with the parameters as arguments: what it yields is returned.
    fn wrapper_result(
        &mut self,
        name: Symbol,
        ty: &FunctionType,
        arguments: &[ExprId],
        span: Span,
    ) -> Lower<Option<Operand>> {
        let text = self.text(name);
        if !ty.prototype {
            let message = format!("the address of `{text}` is used, but its declaration does not say what it takes");
            let diagnostic = Diagnostic::error("library-address", message).at(span);
            return self.fail(diagnostic.help("include its header, or declare it with its parameters"));
        }
        if ONLY_BY_NAME.contains(&text.as_str()) || ty.variadic && !HARMLESS.contains(&text.as_str()) {
            return self.refuse_address(&text, span);
        }
        let Some(lowered) = self.library_call(name, arguments, span, None)? else {
            return self.refuse_address(&text, span);
        };
        if self.types.is_void(ty.result.ty) {
            return Ok(None);
        }
        match lowered.value {
            Denoted::Void => Ok(None),
            Denoted::Aggregate(place) if is_nondet(&text) => Ok(Some(Operand::Aggregate(place))),
            Denoted::Aggregate(_) => self.refuse_address(&text, span),
            _ => self.wrapper_scalar(lowered, ty.result),
        }
    }

    fn wrapper_scalar(&mut self, lowered: Lowered, result: Qual) -> Lower<Option<Operand>> {
        let scalar = self.scalar_of(lowered)?;
        Ok(Some(Operand::Scalar(self.assign_convert(scalar, result, "this library function's result")?)))
    }

    fn refuse_address<T>(&mut self, name: &str, span: Span) -> Lower<T> {
        let help = "call it by its name in a function of your own, and use the address of that";
        self.unsupported("unsupported-library-address", &format!("calling `{name}` through a pointer is"), span, help)
    }
}
