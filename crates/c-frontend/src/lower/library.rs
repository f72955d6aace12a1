//! Functions that Semper knows: verifier functions, and those of the C library that operations of the program model or
//! a body of our own stand for. A function that the user defines is the user's, whatever its name.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use foundation::{Diagnostic, Diagnostics, SourceMap, Span};
use program::{
    Allocation, BinaryOp as ModelBinary, CompareOp, Constant, EndKind, ExprId as ModelExpr, ExprKind as ModelKind,
    FunctionId, InputSource, Observe, Op, Scalar, VariableId,
};

use super::convert::ScalarValue;
use super::effects::{Tree, has_effects};
use super::{Linked, Lower, Lowered, Lowering, Value};
use crate::syntax::ast::{ExprId, ExternalDeclaration};
use crate::syntax::symbols::{Symbol, Symbols};
use crate::types::{CType, IntKind, Qual};

/// C text of the library functions that have a body of our own.
const BODIES: &str = include_str!("library.c");

/// The library functions with a body of our own.
#[derive(Default)]
pub(crate) struct Library {
    ast: Rc<Tree>,
    bodies: HashSet<Symbol>,
    types: HashMap<Symbol, Qual>,
    wanted: Vec<Symbol>,
}

impl Library {
    pub(crate) fn new(sources: &mut SourceMap, symbols: &mut Symbols, diagnostics: &mut Diagnostics) -> Self {
        let source = sources.add("<library>", BODIES);
        let ast = crate::syntax::parse(source, sources, symbols, diagnostics);
        let bodies = super::defined_functions(&ast, false).collect();
        Self { ast: Rc::new(Tree::new(ast)), bodies, types: HashMap::new(), wanted: Vec::new() }
    }

    pub(crate) fn has_body(&self, name: Symbol) -> bool {
        self.bodies.contains(&name)
    }
}

/// Functions that neither change what a program can see nor need a body: their results are arbitrary.
const HARMLESS: &[&str] = &[
    "printf",
    "fprintf",
    "dprintf",
    "vprintf",
    "vfprintf",
    "puts",
    "putchar",
    "putc",
    "fputs",
    "fputc",
    "putchar_unlocked",
    "fflush",
    "perror",
    "setbuf",
    "setvbuf",
    "srand",
    "srandom",
    "sleep",
    "usleep",
    "sched_yield",
    "syslog",
    "__builtin_prefetch",
    "pthread_attr_init",
    "pthread_attr_destroy",
    "pthread_attr_setdetachstate",
    "pthread_attr_setstacksize",
    "pthread_mutexattr_init",
    "pthread_mutexattr_destroy",
    "pthread_setconcurrency",
    "fclose",
    "isatty",
    "getpid",
    "getppid",
    "clock",
    "__errno_location",
    "ftell",
    "feof",
    "ferror",
];

/// Functions that change control or memory in ways that are not modelled.
const UNSUPPORTED: &[(&str, &str)] = &[
    ("setjmp", "setjmp"),
    ("_setjmp", "setjmp"),
    ("__sigsetjmp", "setjmp"),
    ("sigsetjmp", "setjmp"),
    ("longjmp", "setjmp"),
    ("siglongjmp", "setjmp"),
    ("alloca", "vla"),
    ("__builtin_alloca", "vla"),
    ("__builtin_va_start", "va-arg"),
    ("__builtin_va_end", "va-arg"),
    ("__builtin_va_copy", "va-arg"),
    ("__builtin_setjmp", "setjmp"),
    ("__builtin_longjmp", "setjmp"),
    ("fork", "fork"),
    ("vfork", "fork"),
    ("signal", "signal"),
    ("sigaction", "signal"),
    ("atexit", "atexit"),
    ("pthread_self", "thread-function"),
];

/// Whether a call of an undeclared function of this name is understood.
pub(crate) fn is_known(name: &str) -> bool {
    HARMLESS.contains(&name)
        || is_nondet(name)
        || unsupported_code(name).is_some()
        || matches!(
            name.strip_prefix("__builtin_").unwrap_or(name),
            "assume"
                | "assert"
                | "abort"
                | "exit"
                | "_exit"
                | "_Exit"
                | "quick_exit"
                | "trap"
                | "malloc"
                | "calloc"
                | "realloc"
                | "free"
                | "memcpy"
                | "memmove"
                | "memset"
                | "bzero"
                | "mempcpy"
                | "rand"
                | "random"
                | "getchar"
                | "scanf"
                | "expect"
                | "constant_p"
                | "object_size"
                | "unreachable"
                | "inf"
                | "inff"
                | "huge_val"
                | "huge_valf"
                | "nan"
                | "nanf"
                | "isnan"
                | "isinf"
                | "fabs"
                | "fabsf"
        )
        || matches!(
            name,
            "__VERIFIER_assume"
                | "__ESBMC_assume"
                | "__CPROVER_assume"
                | "__VERIFIER_assert"
                | "__ESBMC_assert"
                | "__CPROVER_assert"
                | "__VERIFIER_error"
                | "__VERIFIER_ltl_step"
                | "__VERIFIER_atomic_begin"
                | "__VERIFIER_atomic_end"
                | "__ESBMC_atomic_begin"
                | "__ESBMC_atomic_end"
                | "__assert_fail"
                | "__assert_perror_fail"
                | "__assert"
        )
        || super::threads::is_thread_function(name)
}

fn is_nondet(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet_") || name.starts_with("nondet_") || name.starts_with("__ESBMC_nondet_")
}

fn unsupported_code(name: &str) -> Option<&'static str> {
    if name.starts_with("__sync_") || name.starts_with("__atomic_") || name.starts_with("__c11_atomic") {
        return Some("unsupported-atomic");
    }
    let (_, kind) = UNSUPPORTED.iter().find(|(known, _)| *known == name)?;
    Some(match *kind {
        "setjmp" => "unsupported-setjmp",
        "vla" => "unsupported-vla",
        "va-arg" => "unsupported-va-arg",
        "signal" => "unsupported-signal",
        "atexit" => "unsupported-atexit",
        "fork" => "unsupported-fork",
        _ => "unsupported-thread-function",
    })
}

impl Lowering<'_> {
    /// Learns the types of the library functions with a body of our own.
    pub(crate) fn load_library(&mut self) {
        self.enter_library();
        let ast = self.ast.clone();
        for item in &ast.items {
            if let ExternalDeclaration::Function(function) = item
                && let Some(name) = function.declarator.name
            {
                let ty = self
                    .specified_type(&function.specifiers)
                    .and_then(|base| self.derived_type(base, &function.declarator, false));
                if let Ok(ty) = ty {
                    self.library.types.insert(name, ty);
                }
            }
        }
    }

    fn enter_library(&mut self) {
        self.scopes.start_unit();
        self.ast = self.library.ast.clone();
        let ast = self.ast.clone();
        for item in &ast.items {
            if let ExternalDeclaration::Declaration(declaration) = item {
                let _ = self.external_declaration(declaration);
            }
        }
    }

    /// Lowers the bodies of the library functions that are used, and of those that they use.
    pub(crate) fn used_library_functions(&mut self) {
        let mut done = HashSet::new();
        self.enter_library();
        let ast = self.ast.clone();
        while let Some(name) = self.library.wanted.pop() {
            if !done.insert(name) {
                continue;
            }
            let definition = ast.items.iter().find_map(|item| match item {
                ExternalDeclaration::Function(function) if function.declarator.name == Some(name) => Some(function),
                _ => None,
            });
            if let Some(definition) = definition {
                let _ = self.function_definition(definition, true);
            }
        }
    }

    /// The type of a library function with a body of our own.
    pub(crate) fn library_type(&self, name: Symbol) -> Option<Qual> {
        self.library.types.get(&name).copied()
    }

    /// Notes that a function is used, so that it gets its body if it is the library's.
    pub(crate) fn note_use(&mut self, name: Symbol) {
        if self.unevaluated == 0 && self.library.has_body(name) && !self.defined.contains(&name) {
            self.library.wanted.push(name);
        }
    }

    /// A call of a function that operations of the program model stand for; none for any other function.
    pub(crate) fn library_call(
        &mut self,
        name: Symbol,
        arguments: &[ExprId],
        span: Span,
        into: Option<VariableId>,
    ) -> Lower<Option<Lowered>> {
        let Some(super::scope::BindingKind::Function(function)) =
            self.scopes.find(name).map(|binding| binding.kind.clone())
        else {
            return Ok(None);
        };
        if self.defined.contains(&name) {
            return Ok(None);
        }
        self.note_use(name);
        if self.library.has_body(name) {
            return Ok(None);
        }
        let text = self.text(name);
        if let Some(code) = unsupported_code(&text) {
            let name = text.strip_prefix("__builtin_").unwrap_or(&text).trim_start_matches('_');
            return self.unsupported(code, &format!("`{name}` is"), span, "");
        }
        let result = self.types.as_function(self.functions[&function].ty.ty).expect("a function").result;
        if is_nondet(&text) {
            return self.nondet(text, result, arguments, span, into).map(Some);
        }
        if HARMLESS.contains(&text.as_str()) {
            return self.harmless(text, result, arguments, span).map(Some);
        }
        if super::threads::is_thread_function(&text) {
            return self.thread_call(&text, arguments, span, into).map(Some);
        }
        if self.unevaluated > 0 {
            let result = self.known_result(&text, result);
            return Ok(Some(self.placeholder(result, span)));
        }
        if let Some(lowered) = self.verifier_call(&text, function, arguments, span)? {
            return Ok(Some(lowered));
        }
        self.c_library_call(&text, result, arguments, span, into)
    }

    /// Verifier functions and those that end the program.
    fn verifier_call(
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
                self.emit(
                    Op::Call { callee: program::Callee::Function(function), arguments: Vec::new(), result: None },
                    span,
                )?;
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
        Ok(Some(Lowered { value: Value::Void, ty: void, bit_width: None, span }))
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

    /// A function of the C library.
    fn c_library_call(
        &mut self,
        name: &str,
        declared: Qual,
        arguments: &[ExprId],
        span: Span,
        into: Option<VariableId>,
    ) -> Lower<Option<Lowered>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let lowered = match plain {
            "malloc" => {
                let [size] = self.sizes(name, arguments, span)?;
                self.allocate(size, Allocation::Arbitrary, span)?
            }
            "calloc" => {
                let [count, size] = self.sizes(name, arguments, span)?;
                // In a type that holds every product: what wraps must not become a small allocation.
                let wide = Scalar::Int(program::IntType::unsigned(128));
                let (count, size) = (self.cast_scalar(count, wide), self.cast_scalar(size, wide));
                let bytes = self.program.exprs.intern(ModelKind::Binary(ModelBinary::Multiply, count, size), wide);
                self.allocate(bytes, Allocation::Zeroed, span)?
            }
            "realloc" => {
                self.need_arguments(name, arguments, 2, span)?;
                let old = self.pointer_argument(arguments[0], has_effects(&self.ast, arguments[1]))?;
                let size = self.size_argument(arguments[1], false)?;
                self.allocate(size, Allocation::Resized(old), span)?
            }
            "free" => {
                self.need_arguments(name, arguments, 1, span)?;
                let pointer = self.pointer_argument(arguments[0], false)?;
                self.emit(Op::Free(pointer), span)?;
                self.void(span)
            }
            "memcpy" | "memmove" | "mempcpy" => {
                self.need_arguments(name, arguments, 3, span)?;
                let later = |from: usize| arguments[from..].iter().any(|later| has_effects(&self.ast, *later));
                let (later_two, later_one) = (later(1), later(2));
                let target = self.pointer_argument(arguments[0], later_two)?;
                let source = self.pointer_argument(arguments[1], later_one)?;
                let count = self.size_argument(arguments[2], false)?;
                let may_overlap = plain == "memmove";
                self.emit(Op::CopyBytes { target, source, count, may_overlap }, span)?;
                if plain == "mempcpy" {
                    let end = ModelKind::PointerAdd { base: target, index: count, stride: 1 };
                    let end = self.program.exprs.intern(end, Scalar::Pointer);
                    return Ok(Some(self.void_pointer(end, span)));
                }
                self.void_pointer(target, span)
            }
            "memset" => {
                self.need_arguments(name, arguments, 3, span)?;
                let later = |from: usize| arguments[from..].iter().any(|later| has_effects(&self.ast, *later));
                let (later_two, later_one) = (later(1), later(2));
                let target = self.pointer_argument(arguments[0], later_two)?;
                let byte = self.scalar(arguments[1])?;
                let byte = self.converted_to(byte, IntKind::UnsignedChar).value;
                let byte = if later_one { self.keep(byte, span)? } else { byte };
                let count = self.size_argument(arguments[2], false)?;
                self.emit(Op::SetBytes { target, byte, count }, span)?;
                self.void_pointer(target, span)
            }
            "bzero" => {
                self.need_arguments(name, arguments, 2, span)?;
                let target = self.pointer_argument(arguments[0], has_effects(&self.ast, arguments[1]))?;
                let count = self.size_argument(arguments[1], false)?;
                let byte = self.program.exprs.int(0, program::IntType::unsigned(8));
                self.emit(Op::SetBytes { target, byte, count }, span)?;
                self.void(span)
            }
            "rand" | "random" => self.input_at_least(name, declared, 0, span)?,
            "getchar" => self.character_input(name, span)?,
            "scanf" => return self.scan(declared, arguments, span).map(Some),
            "expect" => {
                self.need_arguments(name, arguments, 2, span)?;
                let mut value = self.scalar(arguments[0])?;
                if has_effects(&self.ast, arguments[1]) {
                    value.value = self.keep(value.value, span)?;
                    self.discard(arguments[1])?;
                }
                self.converted_to(value, IntKind::Long).into()
            }
            "constant_p" => {
                self.need_arguments(name, arguments, 1, span)?;
                let constant =
                    !has_effects(&self.ast, arguments[0]) && self.try_integer_constant(arguments[0])?.is_some();
                self.int_constant(u8::from(constant), IntKind::Int, span)
            }
            "object_size" => {
                let kind = self.types.size_kind();
                let one = self.int_constant(1, kind, span);
                let one = self.scalar_of(one)?;
                let ty = self.program.exprs.ty(one.value);
                let value = self.program.exprs.intern(ModelKind::Unary(program::UnaryOp::Negate, one.value), ty);
                ScalarValue { value, ..one }.into()
            }
            "inf" | "huge_val" => self.float_constant(f64::INFINITY, CType::Double, span),
            "inff" | "huge_valf" => self.float_constant(f64::INFINITY, CType::Float, span),
            "nan" => self.float_constant(f64::NAN, CType::Double, span),
            "nanf" => self.float_constant(f64::NAN, CType::Float, span),
            "isnan" if name.starts_with("__builtin_") => {
                self.need_arguments(name, arguments, 1, span)?;
                let scalar = self.scalar(arguments[0])?;
                let value = self.keep_large(scalar.value, span)?;
                let unequal = ModelKind::Compare(CompareOp::NotEqual, value, value);
                let truth = self.program.exprs.intern(unequal, Scalar::Bool);
                self.truth_as_int(truth, span).into()
            }
            "fabs" | "fabsf" => {
                self.need_arguments(name, arguments, 1, span)?;
                let ty = if plain == "fabs" { CType::Double } else { CType::Float };
                let ty = self.types.qual(ty);
                let value = self.scalar(arguments[0])?;
                let value = self.assign_convert(value, ty, "this argument")?;
                let value = self.keep_large(value, span)?;
                self.absolute(value, ty, span)
            }
            _ => return Ok(None),
        };
        let _ = into;
        Ok(Some(lowered))
    }

    /// `|value|`: `value < 0 ? -value : value`, but for the sign of zero, which `value <= 0` takes care of.
    fn absolute(&mut self, value: ModelExpr, ty: Qual, span: Span) -> Lowered {
        let scalar = self.program.exprs.ty(value);
        let zero = self.zero(scalar);
        let not_positive =
            self.program.exprs.intern(ModelKind::Compare(CompareOp::LessEqual, value, zero), Scalar::Bool);
        let difference = self.program.exprs.intern(ModelKind::Binary(ModelBinary::Subtract, zero, value), scalar);
        let value = self.program.exprs.intern(ModelKind::If(not_positive, difference, value), scalar);
        Lowered { value: Value::Scalar(value), ty, bit_width: None, span }
    }

    /// The type that a known function returns even where it is not declared.
    fn known_result(&mut self, name: &str, declared: Qual) -> Qual {
        match name.strip_prefix("__builtin_").unwrap_or(name) {
            "malloc" | "calloc" | "realloc" | "memcpy" | "memmove" | "memset" | "mempcpy" => {
                let void = self.types.qual(CType::Void);
                self.types.pointer_to(void)
            }
            "inf" | "huge_val" | "nan" | "fabs" => self.types.qual(CType::Double),
            "inff" | "huge_valf" | "nanf" | "fabsf" => self.types.qual(CType::Float),
            "expect" => self.types.int(IntKind::Long),
            "object_size" => {
                let kind = self.types.size_kind();
                self.types.int(kind)
            }
            _ => declared,
        }
    }

    fn nondet(
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

    /// Arguments are evaluated; the result is arbitrary.
    fn harmless(&mut self, name: String, result: Qual, arguments: &[ExprId], span: Span) -> Lower<Lowered> {
        for argument in arguments {
            self.discard(*argument)?;
        }
        if self.unevaluated > 0 || !self.types.is_scalar(result.ty) {
            return Ok(self.placeholder(result, span));
        }
        let variable = self.result_variable(result, None, span)?;
        let target = self.variable_place(variable);
        self.emit(Op::Input { target, source: InputSource::External(name) }, span)?;
        Ok(self.result_value(variable, result, None, span))
    }

    fn input_at_least(&mut self, name: &str, declared: Qual, least: i32, span: Span) -> Lower<Lowered> {
        let ty = if self.types.is_scalar(declared.ty) { declared } else { self.types.int(IntKind::Int) };
        let mut value = self.input(ty, None, InputSource::External(name.to_owned()), span)?;
        if let Scalar::Int(int) = self.program.exprs.ty(value) {
            // Numbers below the least one are folded over, so that no run is cut and every result is possible.
            let exprs = &mut self.program.exprs;
            let least = exprs.int(least, int);
            let in_range = exprs.intern(ModelKind::Compare(CompareOp::GreaterEqual, value, least), Scalar::Bool);
            let folded = exprs.intern(ModelKind::Unary(program::UnaryOp::BitNot, value), Scalar::Int(int));
            value = exprs.intern(ModelKind::If(in_range, value, folded), Scalar::Int(int));
        }
        Ok(Lowered { value: Value::Scalar(value), ty, bit_width: None, span })
    }

    /// A character as an `unsigned char`, or -1 for the end of the input.
    fn character_input(&mut self, name: &str, span: Span) -> Lower<Lowered> {
        let ty = self.types.int(IntKind::Int);
        let value = self.input(ty, None, InputSource::External(name.to_owned()), span)?;
        let int = self.types.int_type(ty.ty).expect("int");
        let exprs = &mut self.program.exprs;
        let (end, zero, most) = (exprs.int(-1, int), exprs.int(0, int), exprs.int(255, int));
        let is_character = exprs.intern(ModelKind::Compare(CompareOp::GreaterEqual, value, zero), Scalar::Bool);
        let character = exprs.intern(ModelKind::Binary(ModelBinary::BitAnd, value, most), Scalar::Int(int));
        let value = exprs.intern(ModelKind::If(is_character, character, end), Scalar::Int(int));
        Ok(Lowered { value: Value::Scalar(value), ty, bit_width: None, span })
    }

    /// `scanf` stores arbitrary values through its pointers.
    fn scan(&mut self, declared: Qual, arguments: &[ExprId], span: Span) -> Lower<Lowered> {
        for argument in arguments.iter().skip(1) {
            let pointer = self.scalar(*argument)?;
            let Some(to) = self.types.pointee(pointer.ty.ty).filter(|to| self.types.is_scalar(to.ty)) else {
                return self.error("wrong-argument", "`scanf` stores through pointers to numbers only", pointer.span);
            };
            if let CType::Int(IntKind::Char) = self.types.get(to.ty) {
                let text = "`scanf` into a `char` stores one character here: strings are not read";
                self.warn(Diagnostic::warning("scanf-string", text).at(pointer.span));
            }
            let model = self.types.model_type(to.ty, &mut self.program.types);
            let target = program::Place::pointer(pointer.value, model);
            self.emit(Op::Input { target, source: InputSource::External("scanf".to_owned()) }, span)?;
        }
        self.input_at_least("scanf", declared, -1, span)
    }

    fn allocate(&mut self, size: ModelExpr, contents: Allocation, span: Span) -> Lower<Lowered> {
        let model = self.program.types.scalar(Scalar::Pointer);
        let target = self.temporary(model, span)?;
        self.emit(Op::Allocate { target, size, contents }, span)?;
        let place = self.variable_place(target);
        let pointer = self.load(place);
        Ok(self.void_pointer(pointer, span))
    }

    fn void(&mut self, span: Span) -> Lowered {
        let ty = self.types.qual(CType::Void);
        Lowered { value: Value::Void, ty, bit_width: None, span }
    }

    fn void_pointer(&mut self, value: ModelExpr, span: Span) -> Lowered {
        let void = self.types.qual(CType::Void);
        let ty = self.types.pointer_to(void);
        Lowered { value: Value::Scalar(value), ty, bit_width: None, span }
    }

    fn float_constant(&mut self, value: f64, ty: CType, span: Span) -> Lowered {
        let ty = self.types.qual(ty);
        self.constant(Constant::Float(value.to_bits()), ty, span)
    }

    fn need_arguments(&mut self, name: &str, arguments: &[ExprId], count: usize, span: Span) -> Lower<()> {
        if arguments.len() == count {
            return Ok(());
        }
        let plural = if count == 1 { "" } else { "s" };
        let text = format!("`{name}` needs {count} argument{plural}: {} given", arguments.len());
        self.error("argument-count", text, span)
    }

    fn sizes<const N: usize>(&mut self, name: &str, arguments: &[ExprId], span: Span) -> Lower<[ModelExpr; N]> {
        self.need_arguments(name, arguments, N, span)?;
        let mut sizes = Vec::new();
        for (at, argument) in arguments.iter().enumerate() {
            let later = arguments[at + 1..].iter().any(|later| has_effects(&self.ast, *later));
            sizes.push(self.size_argument(*argument, later)?);
        }
        Ok(sizes.try_into().expect("the count was checked"))
    }

    fn size_argument(&mut self, argument: ExprId, later_effects: bool) -> Lower<ModelExpr> {
        let scalar = self.scalar(argument)?;
        let kind = self.types.size_kind();
        let ty = self.types.int(kind);
        let value = self.assign_convert(scalar, ty, "this argument")?;
        if later_effects { self.keep(value, scalar.span) } else { Ok(value) }
    }

    pub(crate) fn pointer_argument(&mut self, argument: ExprId, later_effects: bool) -> Lower<ModelExpr> {
        let scalar = self.scalar(argument)?;
        let void = self.types.qual(CType::Void);
        let pointer = self.types.pointer_to(void);
        let value = self.assign_convert(scalar, pointer, "this argument")?;
        if later_effects { self.keep(value, scalar.span) } else { Ok(value) }
    }

    /// The function of this name with external linkage, made if need be.
    pub(crate) fn external_function(&mut self, name: Symbol, ty: Qual, span: Span) -> FunctionId {
        if let Some(Linked::Function(function)) = self.linked.get(&name) {
            return *function;
        }
        let function = self.new_function(name, ty, span);
        self.linked.insert(name, Linked::Function(function));
        function
    }
}
