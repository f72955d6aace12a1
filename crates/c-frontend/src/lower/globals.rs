//! Translation units: declarations of functions and objects at file scope, linkage (6.2.2), tentative definitions (6.9.2),
//! and declarations inside blocks.

use std::rc::Rc;

use foundation::{Diagnostic, Span};
use program::{Function, FunctionId, Initial, Observe, Op, Variable, VariableId, VariableKind};

use super::effects::AnnotatedTree;
use super::scope::{Binding, BindingKind};
use super::{FunctionInfo, Linked, Lower, Lowering};
use crate::syntax::ast::{
    ASSEMBLER_NAME, Declaration, ExternalDeclaration, InitDeclarator, Initializer, Specifiers, Storage, TypeSpecifier,
};
use crate::syntax::symbols::Symbol;
use crate::types::Qual;

impl Lowering<'_> {
    /// Lowers a translation unit.
    pub(crate) fn unit(&mut self, ast: Rc<AnnotatedTree>) {
        self.scopes.start_unit();
        self.enter_tree(ast.clone());
        let own: Vec<Symbol> = super::defined_functions(&ast, true).filter(|name| self.defined.insert(*name)).collect();
        for item in &ast.items {
            let _ = match item {
                ExternalDeclaration::Function(function) => {
                    let before = self.refused_declarations.len();
                    let lowered = self.function_definition(function, false);
                    let declarator = &function.declarator;
                    self.note_faulty(lowered, declarator.name, declarator.span, before);
                    lowered
                }
                ExternalDeclaration::Declaration(declaration) => self.external_declaration(declaration),
                ExternalDeclaration::Asm(span) => {
                    let text = "assembly at file scope is ignored";
                    self.assume("assembly at file scope does nothing".to_owned(), *span);
                    self.warn(Diagnostic::warning("assembly", text).at(*span));
                    Ok(())
                }
            };
        }
        for name in own {
            self.defined.remove(&name);
        }
        self.complete_globals();
        let names: Vec<(Symbol, Binding)> =
            self.scopes.file_names().map(|(name, binding)| (name, binding.clone())).collect();
        for (name, binding) in names {
            self.file_scope.entry(name).or_default().push(binding);
        }
    }

    /// Completes the types of the objects that this unit defines.
    fn complete_globals(&mut self) {
        let defined: Vec<VariableId> = self
            .scopes
            .file_names()
            .filter_map(|(_, binding)| match binding.kind {
                BindingKind::Variable(variable) => Some(variable),
                _ => None,
            })
            .filter(|variable| {
                let kind = &self.program.variables[*variable].kind;
                matches!(kind, VariableKind::Global { initial: Initial::Values(_), .. })
            })
            .collect();
        for variable in defined {
            let _ = self.complete_tentative(variable);
        }
    }

    /// A declaration at file scope.
    pub(crate) fn external_declaration(&mut self, declaration: &Declaration) -> Lower<()> {
        let Declaration::Declarators { specifiers, declarators, span } = declaration else {
            return self.static_assert(declaration);
        };
        if let TypeSpecifier::Auto = specifiers.ty {
            return self.error("auto-type", "`__auto_type` cannot be used at file scope", *span);
        }
        // What is not supported in a type or an attribute matters when a name that has it is used.
        let only_tag = declarators.is_empty();
        let before = self.refused_declarations.len();
        let base = self.refusing(!only_tag, |lowering| lowering.specified_type(specifiers));
        for declarator in declarators {
            let before = if base.is_ok() { self.refused_declarations.len() } else { before };
            let lowered = base.and_then(|base| self.external_declarator(base, specifiers, declarator));
            self.note_faulty(lowered, declarator.declarator.name, declarator.declarator.span, before);
        }
        Ok(())
    }

    fn external_declarator(&mut self, base: Qual, specifiers: &Specifiers, item: &InitDeclarator) -> Lower<()> {
        let ty = self.refusing(true, |lowering| lowering.derived_type(base, &item.declarator, false))?;
        let span = item.declarator.span;
        let Some(name) = item.declarator.name else { return Ok(()) };
        if specifiers.storage == Some(Storage::Typedef) {
            self.typedef(name, ty, span)?;
            return self.align_typedef(name, specifiers, item);
        }
        if self.types.as_function(ty.ty).is_some() {
            if item.initializer.is_some() {
                return self.error("initializer", "a function cannot be initialised", span);
            }
            self.declare_function(name, ty, specifiers, item, span)?;
            return Ok(());
        }
        let mut attributes = specifiers.attributes.iter().chain(&item.declarator.attributes);
        if let Some(alias) = attributes.find(|it| matches!(it.name.as_str(), "alias" | ASSEMBLER_NAME)) {
            let what =
                if alias.name == "alias" { "the attribute `alias` is" } else { "an assembler's name for an object is" };
            let span = alias.span;
            return self.refusing(true, |lowering| lowering.unsupported("unsupported-attribute", what, span, ""));
        }
        self.refusing(true, |lowering| lowering.refuse_atomic(ty, span))?;
        self.global_object(name, ty, specifiers, item.initializer.as_ref(), span)
    }

    pub(crate) fn typedef(&mut self, name: Symbol, ty: Qual, span: Span) -> Lower<()> {
        if let Some(Binding { kind: BindingKind::Typedef(earlier), .. }) = self.scopes.declared_here(name)
            && self.types.compatible(earlier.ty, ty.ty)
        {
            return Ok(());
        }
        self.declare_name(name, Binding { kind: BindingKind::Typedef(ty), span })
    }

    /// Keeps the alignment that the attribute `aligned` gives a name of a type, or that it has from another one.
    pub(crate) fn align_typedef(&mut self, name: Symbol, specifiers: &Specifiers, item: &InitDeclarator) -> Lower<()> {
        let own = self.wanted_alignment(&[], &item.declarator.attributes)?;
        let asked = own.max(self.wanted_alignment(&[], &specifiers.attributes)?);
        if let Some(bytes) = asked.or(self.named_alignment(specifiers, &item.declarator)) {
            self.scopes.align_type(name, bytes);
        }
        Ok(())
    }

    /// Declares a function in the current scope.
    pub(crate) fn declare_function(
        &mut self,
        name: Symbol,
        ty: Qual,
        specifiers: &Specifiers,
        item: &InitDeclarator,
        span: Span,
    ) -> Lower<FunctionId> {
        let attributes = || specifiers.attributes.iter().chain(&item.declarator.attributes);
        let noreturn = specifiers.noreturn || attributes().any(|attribute| attribute.name == "noreturn");
        let weak = attributes().any(|attribute| attribute.name == "weak");
        let is_handler = |name: &str| matches!(name, "interrupt" | "isr" | "signal" | "interrupt_handler" | "nmi");
        if attributes().any(|attribute| is_handler(&attribute.name)) {
            let name = self.text(name);
            self.assume_of_handler(&name, span);
        }
        let unsupported = attributes()
            .find(|attribute| matches!(attribute.name.as_str(), "alias" | "ifunc" | "constructor" | "destructor"))
            .map(|attribute| (attribute.name.clone(), attribute.span));
        if let Some((attribute, span)) = unsupported {
            // What runs before the entry or after it matters whether it is called or not.
            let called = matches!(attribute.as_str(), "alias" | "ifunc");
            return self.refusing(called, |lowering| {
                let what = format!("the attribute `{attribute}` is");
                lowering.unsupported("unsupported-attribute", &what, span, "")
            });
        }
        let internal = specifiers.storage == Some(Storage::Static);
        let function = self.function_entity(name, ty, internal, span)?;
        let verifier = self.symbols.text(name).starts_with("__VERIFIER_");
        if let Some(info) = self.functions.get_mut(&function) {
            info.noreturn |= noreturn && !verifier;
            info.weak |= weak;
        }
        self.scopes.declare(name, Binding { kind: BindingKind::Function(function), span });
        Ok(function)
    }

    fn function_entity(&mut self, name: Symbol, ty: Qual, internal: bool, span: Span) -> Lower<FunctionId> {
        let known = match self.scopes.find(name).map(|binding| (binding.kind.clone(), binding.span)) {
            Some((BindingKind::Function(function), _)) => Some(function),
            Some((_, earlier)) if self.scopes.declared_here(name).is_some() => {
                let diagnostic =
                    Diagnostic::error("redefinition", format!("`{}` is declared as something else", self.text(name)))
                        .at(span)
                        .also(earlier, "first here");
                return self.fail(diagnostic);
            }
            _ if internal => {
                // In this text it was declared inside of a block, or by a call, as something that other files may define.
                if let Some(Linked::Function(outer)) = self.linked.get(&name)
                    && let FunctionInfo { has_body: false, span: earlier, .. } = self.functions[outer]
                    && earlier.source == span.source
                {
                    let text =
                        format!("`{}` is `static` here, but was declared without `static` before", self.text(name));
                    let diagnostic = Diagnostic::error("conflicting-linkage", text)
                        .at(span)
                        .also(earlier, "declared here")
                        .help("declare it as `static` before its first use");
                    return self.fail(diagnostic);
                }
                None
            }
            _ => match self.linked.get(&name) {
                Some(Linked::Function(function)) => Some(*function),
                Some(_) => {
                    let text = format!("`{}` is an object in another file", self.text(name));
                    return self.error("redefinition", text, span);
                }
                None => None,
            },
        };
        if let Some(function) = known {
            let info = &self.functions[&function];
            let (earlier_type, earlier_span) = (info.ty, info.span);
            if !self.types.compatible(earlier_type.ty, ty.ty) && !self.library.has_body(name) {
                let text = format!(
                    "`{}` is declared as `{}` here and as `{}` elsewhere",
                    self.text(name),
                    self.describe(ty),
                    self.describe(earlier_type)
                );
                let diagnostic =
                    Diagnostic::error("conflicting-types", text).at(span).also(earlier_span, "the other declaration");
                return self.fail(diagnostic);
            }
            let together = self.types.composite(earlier_type, ty);
            if let Some(info) = self.functions.get_mut(&function) {
                info.ty = together;
            }
            return Ok(function);
        }
        if internal {
            return Ok(self.new_function(name, ty, span));
        }
        Ok(self.external_function(name, ty, span))
    }

    /// A new function without a body.
    pub(crate) fn new_function(&mut self, name: Symbol, ty: Qual, span: Span) -> FunctionId {
        let text = self.text(name);
        let function_type = self.types.as_function(ty.ty).expect("a function type").clone();
        let result = if self.types.is_void(function_type.result.ty) {
            None
        } else {
            Some(self.types.model_type(function_type.result.ty, &mut self.program.types))
        };
        let mut unique = text.clone();
        let mut number = 2;
        while !self.function_names.insert(unique.clone()) {
            unique = format!("{text}@{number}");
            number += 1;
        }
        let id = self.program.functions.push(Function {
            result,
            variadic: function_type.variadic,
            atomic: text.starts_with("__VERIFIER_atomic_"),
            ..Function::new(unique, span)
        });
        self.functions
            .insert(id, FunctionInfo { name, ty, has_body: false, noreturn: false, weak: false, span, warned: false });
        id
    }

    /// An object at file scope.
    fn global_object(
        &mut self,
        name: Symbol,
        mut ty: Qual,
        specifiers: &Specifiers,
        initializer: Option<&Initializer>,
        span: Span,
    ) -> Lower<()> {
        if self.types.is_void(ty.ty) {
            return self.error("void-object", "an object cannot have type `void`", span);
        }
        self.refuse_atomic(ty, span)?;
        let internal = specifiers.storage == Some(Storage::Static);
        let declares_only = specifiers.storage == Some(Storage::Extern) && initializer.is_none();
        let known = self.known_object(name, ty, internal, span)?;
        if let Some(variable) = known {
            let earlier = self.variable_types[&variable];
            ty = self.types.composite(earlier, ty);
            self.set_variable_type(variable, ty);
        }
        if declares_only {
            if let Some(variable) = known {
                self.scopes.declare(name, Binding { kind: BindingKind::Variable(variable), span });
            } else {
                self.linked.insert(name, Linked::Declared(ty, span));
                self.scopes.declare(name, Binding { kind: BindingKind::External(name), span });
            }
            return Ok(());
        }
        let variable = match known {
            Some(variable) => variable,
            None => self.new_global(name, ty, None, span),
        };
        if !internal {
            self.linked.insert(name, Linked::Variable(variable));
        }
        self.scopes.declare(name, Binding { kind: BindingKind::Variable(variable), span });
        self.program.variables[variable].span = span;
        self.initialize_global(variable, initializer, span)
    }

    fn known_object(&mut self, name: Symbol, ty: Qual, internal: bool, span: Span) -> Lower<Option<VariableId>> {
        let here = self.scopes.declared_here(name).map(|binding| (binding.kind.clone(), binding.span));
        let known = match here {
            Some((BindingKind::Variable(variable), _)) => Some(variable),
            Some((BindingKind::External(_), _)) | None if !internal => match self.linked.get(&name) {
                Some(Linked::Variable(variable)) => Some(*variable),
                Some(Linked::Declared(earlier, other)) => {
                    let (earlier, other) = (*earlier, *other);
                    self.check_same_type(name, ty, earlier, span, other)?;
                    None
                }
                None => None,
                Some(Linked::Function(_)) => {
                    let text = format!("`{}` is a function in another file", self.text(name));
                    return self.error("redefinition", text, span);
                }
            },
            None => None,
            Some((_, earlier)) => {
                let diagnostic =
                    Diagnostic::error("redefinition", format!("`{}` is declared as something else", self.text(name)))
                        .at(span)
                        .also(earlier, "first here");
                return self.fail(diagnostic);
            }
        };
        if let Some(variable) = known {
            let (earlier, other) = (self.variable_types[&variable], self.program.variables[variable].span);
            self.check_same_type(name, ty, earlier, span, other)?;
        }
        Ok(known)
    }

    fn check_same_type(&mut self, name: Symbol, ty: Qual, earlier: Qual, span: Span, other: Span) -> Lower<()> {
        if self.types.compatible(earlier.ty, ty.ty) {
            return Ok(());
        }
        let text = format!(
            "`{}` is declared as `{}` here and as `{}` elsewhere",
            self.text(name),
            self.describe(ty),
            self.describe(earlier)
        );
        self.fail(Diagnostic::error("conflicting-types", text).at(span).also(other, "the other declaration"))
    }

    /// A new object that lives as long as the program, zero at first.
    pub(crate) fn new_global(
        &mut self,
        name: Symbol,
        ty: Qual,
        declared_in: Option<FunctionId>,
        span: Span,
    ) -> VariableId {
        let model = self.types.model_type(ty.ty, &mut self.program.types);
        let variable = self.program.variables.push(Variable {
            name: self.text(name),
            kind: VariableKind::Global { initial: Initial::Values(Vec::new()), declared_in },
            ty: model,
            address_taken: false,
            span,
        });
        self.variable_types.insert(variable, ty);
        variable
    }

    pub(crate) fn set_variable_type(&mut self, variable: VariableId, ty: Qual) {
        self.variable_types.insert(variable, ty);
        self.program.variables[variable].ty = self.types.model_type(ty.ty, &mut self.program.types);
    }

    /// An object that is only declared is made when it is used: it holds anything.
    pub(crate) fn materialize(&mut self, name: Symbol) -> Option<VariableId> {
        match self.linked.get(&name)? {
            Linked::Variable(variable) => Some(*variable),
            Linked::Function(_) => None,
            Linked::Declared(ty, span) => {
                let (ty, span) = (*ty, *span);
                let variable = self.new_global(name, ty, None, span);
                let kind = VariableKind::Global { initial: Initial::Arbitrary, declared_in: None };
                self.program.variables[variable].kind = kind;
                self.linked.insert(name, Linked::Variable(variable));
                Some(variable)
            }
        }
    }

    /// Declares what a block declares with static storage or linkage. Returns whether it did.
    pub(crate) fn block_declaration_with_linkage(
        &mut self,
        name: Symbol,
        ty: Qual,
        specifiers: &Specifiers,
        item: &InitDeclarator,
    ) -> Lower<bool> {
        let span = item.declarator.span;
        if self.types.as_function(ty.ty).is_some() {
            self.declare_function(name, ty, specifiers, item, span)?;
            return Ok(true);
        }
        match specifiers.storage {
            Some(Storage::Extern) => {
                self.linked.entry(name).or_insert(Linked::Declared(ty, span));
                self.scopes.declare(name, Binding { kind: BindingKind::External(name), span });
                Ok(true)
            }
            Some(Storage::Static) => {
                let function = self.builder().id;
                let variable = self.new_global(name, ty, Some(function), span);
                self.scopes.note_local(function, name, variable);
                self.declare_name(name, Binding { kind: BindingKind::Variable(variable), span })?;
                self.initialize_global(variable, item.initializer.as_ref(), span)?;
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// A local variable of the current function, in its current block.
    pub(crate) fn new_local(&mut self, name: Symbol, ty: Qual, span: Span) -> Lower<VariableId> {
        let (variable, function) = (self.new_object_of_block(name, ty, span), self.builder().id);
        self.scopes.note_local(function, name, variable);
        self.declare_name(name, Binding { kind: BindingKind::Variable(variable), span })?;
        Ok(variable)
    }

    /// An object of the current function, in its current block, that no name leads to.
    pub(crate) fn new_object_of_block(&mut self, name: Symbol, ty: Qual, span: Span) -> VariableId {
        let function = self.builder().id;
        let model = self.types.model_type(ty.ty, &mut self.program.types);
        let variable = self.program.variables.push(Variable {
            name: self.text(name),
            kind: VariableKind::Local(function),
            ty: model,
            address_taken: false,
            span,
        });
        self.variable_types.insert(variable, ty);
        self.program.functions[function].locals.push(variable);
        self.add_to_block(variable);
        variable
    }

    /// Lets the lifetime of a variable end with the innermost block.
    pub(crate) fn add_to_block(&mut self, variable: VariableId) {
        let builder = self.builder();
        let block = *builder.blocks.last().expect("a function body is a block");
        if builder.blocks.len() > 1 {
            builder.block_variables.entry(block).or_default().push(variable);
        }
    }

    /// Ends the lifetimes of the variables in the blocks that a jump leaves, innermost first.
    pub(crate) fn leave_blocks(&mut self, open_blocks: usize, span: Span) {
        let builder = self.builder();
        let left: Vec<VariableId> = builder.blocks[open_blocks..]
            .iter()
            .rev()
            .flat_map(|block| builder.block_variables.get(block).cloned().unwrap_or_default())
            .collect();
        for variable in left {
            let to = self.new_location();
            self.emit_to(Op::Discard(variable), to, span, Observe::No);
            self.go_on_at(to);
        }
        self.leave_marks(open_blocks, span);
    }
}
