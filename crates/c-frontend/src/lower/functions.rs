//! Function definitions (6.9.1): parameters and bodies.

use foundation::{Diagnostic, Span};
use program::{FunctionId, Operand, Variable, VariableKind};

use super::build::FunctionBuilder;
use super::scope::{Binding, BindingKind, BlockId};
use super::{Lower, Lowering};
use crate::syntax::ast::{Declaration, Derived, FunctionDefinition, FunctionDerived, InitDeclarator, StmtKind};
use crate::syntax::symbols::Symbol;
use crate::types::{CType, FunctionType, IntKind, Qual};

impl Lowering<'_> {
    /// A function with its body.
    pub(crate) fn function_definition(&mut self, definition: &FunctionDefinition, library: bool) -> Lower<()> {
        let Some(name) = definition.declarator.name else {
            return self.error("function-name", "this function has no name", definition.span);
        };
        let mut ty = self.refusing(true, |lowering| {
            let base = lowering.specified_type(&definition.specifiers)?;
            lowering.derived_type(base, &definition.declarator, false)
        })?;
        let Some(Derived::Function(derived)) = definition.declarator.derived.first() else {
            return self.error("function-body", "only a function can have a body", definition.span);
        };
        if !derived.prototype {
            ty = self.old_style_type(ty, derived, definition)?;
        }
        let span = definition.declarator.span;
        let item = InitDeclarator { declarator: definition.declarator.clone(), initializer: None };
        let function = self.declare_function(name, ty, &definition.specifiers, &item, span)?;
        if self.functions[&function].has_body {
            let earlier = self.functions[&function].span;
            let diagnostic = Diagnostic::error("redefinition", format!("`{}` is defined twice", self.text(name)))
                .at(span)
                .also(earlier, "first here");
            return self.fail(diagnostic);
        }
        if let Some(info) = self.functions.get_mut(&function) {
            info.has_body = true;
            info.span = span;
        }
        self.program.functions[function].library = library;
        self.program.functions[function].span = span;
        self.function_body(function, name, ty, derived, definition)
    }

    /// The type of a function whose parameters are declared behind its declarator, or not at all.
    fn old_style_type(&mut self, ty: Qual, derived: &FunctionDerived, definition: &FunctionDefinition) -> Lower<Qual> {
        let function = self.types.as_function(ty.ty).expect("a function type").clone();
        let mut parameters = vec![self.types.int(IntKind::Int); derived.identifiers.len()];
        for declaration in &definition.old_style {
            let Declaration::Declarators { specifiers, declarators, .. } = declaration else { continue };
            let base = self.specified_type(specifiers)?;
            for item in declarators {
                let declared = self.derived_type(base, &item.declarator, true)?;
                let declared = self.adjust_parameter(declared);
                match derived.identifiers.iter().position(|(name, _)| Some(*name) == item.declarator.name) {
                    Some(at) => parameters[at] = declared,
                    None => {
                        return self.error("unknown-name", "this is not one of the parameters", item.declarator.span);
                    }
                }
            }
        }
        Ok(self.types.qual(CType::Function(FunctionType { parameters, ..function })))
    }

    fn function_body(
        &mut self,
        function: FunctionId,
        name: Symbol,
        ty: Qual,
        derived: &FunctionDerived,
        definition: &FunctionDefinition,
    ) -> Lower<()> {
        let function_type = self.types.as_function(ty.ty).expect("a function type").clone();
        let result = function_type.result;
        if !self.types.is_void(result.ty) && self.types.size_bits(result.ty).is_none() {
            let text = format!("this function returns the incomplete type `{}`", self.describe(result));
            return self.error("incomplete-type", text, definition.span);
        }
        let result_model = match self.types.is_void(result.ty) {
            true => None,
            false => Some(self.types.model_type(result.ty, &mut self.program.types)),
        };
        self.program.functions[function].result = result_model;
        self.program.functions[function].variadic = function_type.variadic;
        let block = self.scopes.open();
        let parameters = self.parameters(function, derived, &function_type);
        let further = function_type.variadic.then(|| self.further_parameter(function, definition.span));
        self.begin_body(function, name, result, block);
        self.builder().further = further;
        let ast = self.ast.clone();
        if parameters.is_ok()
            && let StmtKind::Compound(items) = &ast.statements[definition.body].kind
        {
            self.block_items(items);
        }
        let end = ast.statements[definition.body].span.after();
        let _ = self.fall_off_the_end(name, result, end);
        self.resolve_jumps();
        let _ = self.finish_marks(function, definition.span);
        self.function = None;
        self.scopes.close();
        Ok(())
    }

    /// Begins the automaton of a function, whose parameters belong to an open block.
    pub(crate) fn begin_body(&mut self, function: FunctionId, name: Symbol, result: Qual, block: BlockId) {
        let entry = self.program.add_location(function);
        self.program.functions[function].entry = Some(entry);
        let library = self.program.functions[function].library;
        self.function = Some(FunctionBuilder {
            id: function,
            name,
            result,
            library,
            refused: false,
            at: entry,
            last: None,
            labels: Default::default(),
            jumps: Vec::new(),
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            blocks: vec![block],
            block_variables: Default::default(),
            next_temporary: 0,
            marks: Default::default(),
            further: None,
        });
    }

    /// Reaching the final brace returns; `main` then returns 0 (5.1.2.2.3).
    fn fall_off_the_end(&mut self, name: Symbol, result: Qual, span: Span) -> Lower<()> {
        let zero = if self.symbols.text(name) == "main" {
            self.types.scalar(result.ty).map(|scalar| Operand::Scalar(self.zero(scalar)))
        } else {
            None
        };
        let op = self.return_op(zero);
        self.emit(op, span)
    }

    fn parameters(&mut self, function: FunctionId, derived: &FunctionDerived, ty: &FunctionType) -> Lower<()> {
        let names: Vec<(Option<Symbol>, Span)> = if derived.prototype {
            derived.parameters.iter().map(|parameter| (parameter.declarator.name, parameter.span)).collect()
        } else {
            derived.identifiers.iter().map(|(name, span)| (Some(*name), *span)).collect()
        };
        for ((name, span), ty) in names.into_iter().zip(&ty.parameters) {
            if self.types.size_bits(ty.ty).is_none() {
                let text = format!("this parameter has the incomplete type `{}`", self.describe(*ty));
                return self.error("incomplete-type", text, span);
            }
            let text = name.map_or("(unnamed)".to_owned(), |name| self.text(name));
            let model = self.types.model_type(ty.ty, &mut self.program.types);
            let variable = self.program.variables.push(Variable {
                name: text,
                kind: VariableKind::Parameter(function),
                ty: model,
                address_taken: false,
                span,
            });
            self.variable_types.insert(variable, *ty);
            self.program.functions[function].parameters.push(variable);
            if let Some(name) = name {
                self.scopes.note_local(function, name, variable);
                self.declare_name(name, Binding { kind: BindingKind::Variable(variable), span })?;
            }
        }
        Ok(())
    }
}
