//! Functions that Semper knows: verifier functions, and those of the C library that operations of the program model or
//! a body of our own stand for. A function that the user defines is the user's, whatever its name.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `names` | which functions are known |
//! | `verifier` | verifier functions, assertions and the end of the program |
//! | `builtins` | arithmetic that tells whether its result fits |
//! | `bytes` | copying and setting bytes, by assignments where that is the same |
//! | `calls` | the C library's functions that operations stand for |
//! | `streams` | those that read and print |
//! | `scan` | `scanf` and its formats |
//! | `pointers` | bodies for those whose address is used |

mod builtins;
mod bytes;
mod calls;
mod names;
mod pointers;
mod scan;
mod streams;
mod verifier;

use std::rc::Rc;

use foundation::collections::{HashMap, HashSet};
use foundation::{Diagnostics, SourceMap, Span};
use program::{FunctionId, VariableId};

use super::effects::AnnotatedTree;
use super::{Linked, Lower, Lowered, Lowering};
use crate::syntax::ast::{ExprId, ExternalDeclaration};
use crate::syntax::symbols::{Symbol, Symbols};
use crate::types::Qual;
use names::{HARMLESS, is_nondet, unsupported_code};
pub(crate) use names::{is_known, is_stream};

/// C text of the library functions that have a body of our own.
const BODIES: &str = include_str!("bodies.c");

/// The library functions with a body of our own.
#[derive(Default)]
pub(crate) struct Library {
    ast: Rc<AnnotatedTree>,
    bodies: HashSet<Symbol>,
    types: HashMap<Symbol, Qual>,
    wanted: Vec<Symbol>,
    /// Functions that operations stand for whose address is used, with a place where it is.
    pointed: Vec<(FunctionId, Span)>,
}

impl Library {
    pub(crate) fn new(sources: &mut SourceMap, symbols: &mut Symbols, diagnostics: &mut Diagnostics) -> Self {
        let source = sources.add("<library>", BODIES);
        let ast = crate::syntax::parse(source, sources, symbols, diagnostics);
        let bodies = super::defined_functions(&ast, false).collect();
        Self {
            ast: Rc::new(AnnotatedTree::new(ast)),
            bodies,
            types: HashMap::default(),
            wanted: Vec::new(),
            pointed: Vec::new(),
        }
    }

    pub(crate) fn has_body(&self, name: Symbol) -> bool {
        self.bodies.contains(&name)
    }
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
        self.enter_tree(self.library.ast.clone());
        let ast = self.ast.clone();
        for item in &ast.items {
            if let ExternalDeclaration::Declaration(declaration) = item {
                let _ = self.external_declaration(declaration);
            }
        }
    }

    /// Lowers the bodies of the library functions that are used, and of those that they use.
    pub(crate) fn used_library_functions(&mut self) {
        let mut done = HashSet::default();
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
        self.c_library_call(&text, result, arguments, span)
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
