//! Function calls (6.5.2.2): which function, which arguments, where the result goes.

use foundation::{Diagnostic, Span};
use program::{
    Callee, EdgeId, EndKind, ExprKind as ModelKind, FunctionId, Observe, Op, Operand, Place, Scalar, VariableId,
};

use super::effects::has_effects;
use super::scope::{Binding, BindingKind};
use super::{Denoted, Lower, Lowered, Lowering};
use crate::UndefinedFunctions;
use crate::syntax::ast::{ExprId, ExprKind};
use crate::syntax::symbols::Symbol;
use crate::types::{CType, FunctionType, IntKind, Qual};

impl Lowering<'_> {
    /// `function(arguments)`. The result goes to the variable `into` where its type fits, else to a temporary.
    pub(crate) fn call(
        &mut self,
        function: ExprId,
        arguments: &[ExprId],
        span: Span,
        into: Option<VariableId>,
    ) -> Lower<Lowered> {
        let ast = self.ast.clone();
        if let ExprKind::Identifier(name) = ast.exprs[function].kind {
            self.declare_implicitly(name, ast.exprs[function].span)?;
            if let Some(lowered) = self.library_call(name, arguments, span, into)? {
                return Ok(lowered);
            }
        }
        let designator = self.expr(function)?;
        let (callee, ty) = match designator.value {
            Denoted::Function(id) => {
                self.warn_without_body(id, ast.exprs[function].span);
                (Callee::Function(id), designator.ty)
            }
            _ => {
                let pointer = self.scalar_of(designator)?;
                let Some(to) = self.types.pointee(pointer.ty.ty).filter(|to| self.types.as_function(to.ty).is_some())
                else {
                    let text = format!("this is not a function but `{}`", self.describe(pointer.ty));
                    return self.error("not-function", text, ast.exprs[function].span);
                };
                let effects = arguments.iter().any(|argument| has_effects(&ast, *argument));
                let value = if effects { self.keep(pointer.value, span)? } else { pointer.value };
                (Callee::Pointer(value), to)
            }
        };
        let function_type = self.types.as_function(ty.ty).expect("callees are functions").clone();
        let operands = self.arguments(&function_type, arguments, span)?;
        if let Callee::Function(id) = callee {
            self.assume_of_lost_const(id, arguments, span);
        }
        let noreturn = match callee {
            Callee::Function(id) => {
                let info = &self.functions[&id];
                info.noreturn && !info.has_body && !self.defined.contains(&info.name)
            }
            Callee::Pointer(_) => false,
        };
        let result = match callee {
            Callee::Function(id) if self.is_undefined(id) => {
                let writes = self.reached_by_call(&operands, span)?;
                self.assume_of_function(id, !writes.is_empty(), span);
                let operands = operands.into_iter().map(|(operand, _)| operand).collect();
                // What is written comes before the result is: `x = read(&x)` leaves the result in `x`.
                let into = into.filter(|_| writes.is_empty());
                let result = self.call_edge(callee, operands, function_type.result, span, into)?;
                self.write_arguments(id, writes, span)?;
                if self.options.undefined_functions == UndefinedFunctions::Havoc {
                    self.errno_may_change(span)?;
                }
                result
            }
            callee => {
                if let Callee::Pointer(_) = callee {
                    let known = if function_type.prototype { function_type.parameters.len() } else { 0 };
                    self.note_indirect_call(&operands, known, span);
                }
                let mut operands = operands.into_iter().map(|(operand, _)| operand).collect();
                if function_type.variadic && self.passes_further(&callee) {
                    self.pass_further(&mut operands, function_type.parameters.len(), span)?;
                }
                let is_indirect = matches!(callee, Callee::Pointer(_));
                let result = self.call_edge(callee, operands, function_type.result, span, into)?;
                if is_indirect {
                    self.errno_after_indirect_call(span)?;
                }
                result
            }
        };
        if noreturn {
            self.end_program(EndKind::Exit, span)?;
        }
        Ok(result)
    }

    /// The edge of a call, with its result.
    pub(crate) fn call_edge(
        &mut self,
        callee: Callee,
        arguments: Vec<Operand>,
        result: Qual,
        span: Span,
        into: Option<VariableId>,
    ) -> Lower<Lowered> {
        if self.unevaluated > 0 {
            return Ok(self.placeholder(result, span));
        }
        if self.types.is_void(result.ty) {
            self.emit(Op::Call { callee, arguments, result: None }, span)?;
            return Ok(Lowered { value: Denoted::Void, ty: result, bit_width: None, span });
        }
        let variable = self.result_variable(result, into, span)?;
        self.emit(Op::Call { callee, arguments, result: Some(variable) }, span)?;
        Ok(self.result_value(variable, result, into, span))
    }

    /// The variable that receives a result: the wanted one where its type is the result's.
    pub(crate) fn result_variable(&mut self, ty: Qual, into: Option<VariableId>, span: Span) -> Lower<VariableId> {
        if self.types.size_bits(ty.ty).is_none() {
            let text = format!("this call returns the incomplete type `{}`", self.describe(ty));
            return self.error("incomplete-type", text, span);
        }
        let model = self.types.model_type(ty.ty, &mut self.program.types);
        match into {
            Some(variable) if self.types.is_scalar(ty.ty) && self.program.variables[variable].ty == model => {
                Ok(variable)
            }
            _ => self.temporary(model, span),
        }
    }

    /// A result in its variable: a place if that is the wanted variable, else a value.
    pub(crate) fn result_value(
        &mut self,
        variable: VariableId,
        ty: Qual,
        into: Option<VariableId>,
        span: Span,
    ) -> Lowered {
        let place = self.variable_place(variable);
        let value = if into == Some(variable) {
            Denoted::Place(place)
        } else if self.types.is_scalar(ty.ty) {
            Denoted::Scalar(self.load(place))
        } else {
            Denoted::Aggregate(place)
        };
        Lowered { value, ty: ty.unqualified(), bit_width: None, span }
    }

    /// Any value of a type, where only the type matters.
    pub(crate) fn placeholder(&mut self, ty: Qual, span: Span) -> Lowered {
        let value = match self.types.scalar(ty.ty) {
            Some(scalar) => Denoted::Scalar(self.zero(scalar)),
            None if self.types.is_void(ty.ty) => Denoted::Void,
            None => {
                let null = self.zero(Scalar::Pointer);
                let model = self.types.model_type(ty.ty, &mut self.program.types);
                Denoted::Aggregate(Place::pointer(null, model))
            }
        };
        Lowered { value, ty: ty.unqualified(), bit_width: None, span }
    }

    /// The arguments, each with the type of its parameter, or with its own where no parameter says one.
    fn arguments(&mut self, function: &FunctionType, arguments: &[ExprId], span: Span) -> Lower<Vec<(Operand, Qual)>> {
        let (given, wanted) = (arguments.len(), function.parameters.len());
        if function.prototype && (given < wanted || (given > wanted && !function.variadic)) {
            let few = if given < wanted { "few" } else { "many" };
            let text = format!("too {few} arguments: {given} given, {wanted} needed");
            return self.error("argument-count", text, span);
        }
        let mut operands = Vec::new();
        let last_effect = arguments.iter().rposition(|argument| has_effects(&self.ast, *argument));
        for (at, argument) in arguments.iter().enumerate() {
            let later_effects = last_effect.is_some_and(|last| last > at);
            let parameter = function.parameters.get(at).copied();
            operands.push(self.argument(*argument, parameter, later_effects)?);
        }
        Ok(operands)
    }

    fn argument(&mut self, argument: ExprId, parameter: Option<Qual>, later_effects: bool) -> Lower<(Operand, Qual)> {
        let lowered = self.rvalue(argument)?;
        let span = lowered.span;
        if let Denoted::Aggregate(_) = lowered.value {
            let ty = parameter.unwrap_or(lowered.ty);
            let mut place = self.aggregate_operand(lowered, ty, "this argument")?;
            if later_effects {
                let copy = self.temporary(place.ty, span)?;
                let target = self.variable_place(copy);
                self.emit(Op::Assign { target: target.clone(), value: Operand::Aggregate(place) }, span)?;
                place = target;
            }
            return Ok((Operand::Aggregate(place), ty));
        }
        let scalar = self.scalar_of(lowered)?;
        let value = match parameter {
            Some(parameter) => self.assign_convert(scalar, parameter, "this argument")?,
            None => self.default_promotion(scalar),
        };
        let value = if later_effects { self.keep(value, span)? } else { value };
        Ok((Operand::Scalar(value), parameter.unwrap_or(scalar.ty)))
    }

    /// What an argument becomes where no parameter says its type (6.5.2.2p6).
    fn default_promotion(&mut self, scalar: super::convert::ScalarValue) -> program::ExprId {
        if let CType::Float = self.types.get(scalar.ty.ty) {
            let double = self.types.qual(CType::Double);
            return self.cast_value(scalar.value, double);
        }
        self.promote(scalar).value
    }

    /// A function that is called without a declaration is taken to return `int`; one of the library, what it returns.
    fn declare_implicitly(&mut self, name: Symbol, span: Span) -> Lower<()> {
        if self.scopes.find(name).is_some() {
            return Ok(());
        }
        if let Some(ty) = self.library_type(name) {
            let function = self.external_function(name, ty, span);
            self.scopes.declare(name, Binding { kind: BindingKind::Function(function), span });
            return Ok(());
        }
        let text = self.text(name);
        if let Some(plain) = text.strip_prefix("__builtin_").and_then(|plain| self.symbols.get(plain))
            && let Some(ty) = self.library_type(plain)
        {
            let function = self.external_function(plain, ty, span);
            self.scopes.declare(name, Binding { kind: BindingKind::Function(function), span });
            return Ok(());
        }
        if text.starts_with("__builtin_") && !super::library::is_known(&text) {
            return self.unsupported("unsupported-builtin", &format!("`{text}` is"), span, "");
        }
        let known = super::library::is_known(&text);
        if !known {
            let taken = if self.defined.contains(&name) {
                ": it is taken to return `int`"
            } else {
                match self.options.undefined_functions {
                    UndefinedFunctions::Havoc => {
                        ", and it has no body: it may return any `int` and write to what its arguments point to, and is \
                         assumed to change nothing else"
                    }
                    UndefinedFunctions::Pure => {
                        ", and it has no body: it may return any `int`, and is assumed to change nothing else"
                    }
                }
            };
            let message = format!("`{text}` is called without a declaration{taken}");
            self.warn(Diagnostic::warning("implicit-declaration", message).at(span));
        }
        let result = self.implicit_result(&text);
        let ty = FunctionType { result, parameters: Vec::new(), variadic: false, prototype: false };
        let ty = self.types.qual(CType::Function(ty));
        let function = self.external_function(name, ty, span);
        if let Some(info) = self.functions.get_mut(&function) {
            info.warned |= !known;
        }
        self.scopes.declare(name, Binding { kind: BindingKind::Function(function), span });
        Ok(())
    }

    /// What an undeclared function returns: the type that a verifier function has in its name, else `int`.
    fn implicit_result(&mut self, name: &str) -> Qual {
        let suffix = name.rsplit("nondet_").next().filter(|_| name.contains("nondet_")).unwrap_or("int");
        let kind = match suffix {
            "bool" | "_Bool" => return self.types.qual(CType::Bool),
            "float" => return self.types.qual(CType::Float),
            "double" => return self.types.qual(CType::Double),
            "pointer" => {
                let void = self.types.qual(CType::Void);
                return self.types.pointer_to(void);
            }
            "char" => IntKind::Char,
            "uchar" | "u8" => IntKind::UnsignedChar,
            "short" => IntKind::Short,
            "ushort" | "u16" => IntKind::UnsignedShort,
            "uint" | "unsigned" | "u32" => IntKind::UnsignedInt,
            "long" => IntKind::Long,
            "ulong" => IntKind::UnsignedLong,
            "longlong" => IntKind::LongLong,
            "ulonglong" => IntKind::UnsignedLongLong,
            "size_t" => self.types.size_kind(),
            "int128" => IntKind::Int128,
            "uint128" => IntKind::UnsignedInt128,
            _ => IntKind::Int,
        };
        self.types.int(kind)
    }

    /// Tells once that a function has no body, and what that means.
    pub(crate) fn warn_without_body(&mut self, function: FunctionId, span: Span) {
        let info = &self.functions[&function];
        let has_body = info.has_body || self.defined.contains(&info.name) || self.library.has_body(info.name);
        if has_body || info.warned || self.unevaluated > 0 {
            return;
        }
        let name = self.text(info.name);
        if let Some(info) = self.functions.get_mut(&function) {
            info.warned = true;
        }
        if super::library::is_known(&name) {
            return;
        }
        let writes = self.may_write(function);
        let may = match (self.program.functions[function].result.is_some(), writes) {
            (true, true) => {
                "it may return any value and write to what its arguments point to, and is assumed to change"
            }
            (false, true) => "it may write to what its arguments point to, and is assumed to change",
            (true, false) => "it may return any value, and is assumed to change",
            (false, false) => "it is assumed to change",
        };
        let rest = if may == "it is assumed to change" { "nothing" } else { "nothing else" };
        self.warn(
            Diagnostic::warning("no-body", format!("`{name}` has no body: {may} {rest}"))
                .at(span)
                .help("give the file that defines it, too, or write a body that does what matters here"),
        );
    }

    /// Ends the program; what follows cannot be reached.
    pub(crate) fn end_program(&mut self, kind: EndKind, span: Span) -> Lower<()> {
        if self.unevaluated > 0 {
            return Ok(());
        }
        self.emit(Op::End(kind), span)?;
        let unreachable = self.new_location();
        self.go_on_at(unreachable);
        Ok(())
    }

    /// Makes the arguments of calls without a prototype fit the function that was found in the end.
    pub(crate) fn fit_unprototyped_calls(&mut self) {
        for edge in self.program.edges.ids() {
            let Op::Call { callee: Callee::Function(function), arguments, .. } = &self.program.edges[edge].op else {
                continue;
            };
            let function = *function;
            if self.program.functions[function].entry.is_none() {
                continue;
            }
            let span = self.program.edges[edge].span;
            let parameters = self.program.functions[function].parameters.clone();
            let mut fitted = arguments.clone();
            if fitted.len() < parameters.len() {
                let name = &self.program.functions[function].name;
                let text = format!(
                    "`{name}` is called with too few arguments: {} given, {} needed",
                    fitted.len(),
                    parameters.len()
                );
                self.diagnostics.push(Diagnostic::error("argument-count", text).at(span));
                continue;
            }
            if fitted.len() > parameters.len() && !self.program.functions[function].variadic {
                let name = &self.program.functions[function].name;
                let text = format!(
                    "`{name}` takes {} arguments: the others given here are evaluated and dropped",
                    parameters.len()
                );
                self.diagnostics.push(Diagnostic::warning("argument-count", text).at(span));
                let ignored = fitted.split_off(parameters.len());
                for operand in ignored {
                    if self.may_be_noticed(&operand) {
                        self.evaluate_before(edge, operand);
                    }
                }
            }
            for (operand, parameter) in fitted.iter_mut().zip(&parameters) {
                let wanted = self.program.types.as_scalar(self.program.variables[*parameter].ty);
                // A floating argument for another parameter, or the other way round, is undefined: the call says so when
                // it is made.
                let floating = |scalar: Scalar| matches!(scalar, Scalar::Float(_));
                if let (Operand::Scalar(value), Some(wanted)) = (operand, wanted)
                    && self.program.exprs.ty(*value) != wanted
                    && floating(self.program.exprs.ty(*value)) == floating(wanted)
                {
                    *value = self.program.exprs.intern(ModelKind::Cast(*value), wanted);
                }
            }
            if let Op::Call { arguments, .. } = &mut self.program.edges[edge].op {
                *arguments = fitted;
            }
        }
    }

    /// Evaluates an operand that an edge does not use before the edge is taken.
    fn evaluate_before(&mut self, edge: EdgeId, operand: Operand) {
        let ty = self.operand_type(&operand);
        let (from, span) = (self.program.edges[edge].from, self.program.edges[edge].span);
        let function = self.program.locations[from].function;
        let name = format!("%{}", self.program.variables.len());
        let unused = self.temporary_of(function, name, ty, span);
        let between = self.program.add_location(function);
        self.program.locations[from].out.retain(|out| *out != edge);
        self.program.locations[between].out.push(edge);
        self.program.edges[edge].from = between;
        let target = self.variable_place(unused);
        self.program.add_edge(from, between, Op::Assign { target, value: operand }, span, Observe::No);
    }
}
