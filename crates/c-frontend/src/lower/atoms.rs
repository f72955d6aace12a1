//! Atomic propositions: C expressions over globals and function-qualified locals (`main::i`), without side effects.
//!
//! What their names stand for is looked up in [`names`](super::names).

use std::collections::BTreeSet;
use std::rc::Rc;

use foundation::collections::{HashMap, HashSet};
use foundation::{Diagnostic, Diagnostics, SourceMap, Span};
use program::{Atom, Constant, ExprId as ModelExpr, ExprKind as ModelKind, FunctionId, Program, VariableId};

use super::effects::{AnnotatedTree, first_effect};
use super::names::Referent;
use super::scope::{Binding, BindingKind, Scopes};
use super::{Denoted, Lowering};
use crate::syntax::ast::{Ast, BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::syntax::symbols::Symbol;
use crate::types::{CType, CTypes};
use crate::{Options, Translation};

impl Translation {
    /// Reads the C text in a span as an atomic proposition over this program.
    pub fn atom(&mut self, span: Span, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<Atom> {
        let types: HashSet<String> = self
            .scope
            .file_scope
            .iter()
            .filter(|(_, bindings)| bindings.iter().any(|binding| matches!(binding.kind, BindingKind::Typedef(_))))
            .map(|(symbol, _)| self.symbols.text(*symbol).to_owned())
            .collect();
        let range = span.start..span.end;
        let is_type = |name: &str| types.contains(name);
        let (ast, root) =
            crate::syntax::parse_expression(span.source, sources, &mut self.symbols, diagnostics, range, &is_type)?;
        if let Some(effect) = first_effect(&ast, root) {
            let text = match ast.exprs[effect].kind {
                ExprKind::Call(..) => "an atomic proposition cannot call a function",
                _ => "an atomic proposition cannot have side effects",
            };
            diagnostics.push(
                Diagnostic::error("atom-effect", text)
                    .at(ast.exprs[effect].span)
                    .help("write an expression over the program's variables that only reads them"),
            );
            return None;
        }
        let names = self.names(&ast, diagnostics)?;
        self.lower_atom(ast, root, names, diagnostics)
    }

    /// What each name in an atom stands for.
    fn names(&self, ast: &Ast, diagnostics: &mut Diagnostics) -> Option<Vec<(Symbol, Binding)>> {
        let view = self.view();
        let mut names = Vec::new();
        let mut complete = true;
        let mut seen = HashSet::default();
        for expr in ast.exprs.values() {
            let ExprKind::Identifier(symbol) = expr.kind else { continue };
            if !seen.insert(symbol) {
                continue;
            }
            let text = self.symbols.text(symbol);
            let kind = match view.find(text) {
                Referent::Variable(variable, _) => Some(BindingKind::Variable(variable)),
                Referent::Constant(value, ty) => Some(BindingKind::Constant(value, ty)),
                Referent::Type(ty) => Some(BindingKind::Typedef(ty)),
                Referent::Function(function) => Some(BindingKind::Function(function)),
                fault => {
                    diagnostics.push(self.name_fault(view.written(text), fault, expr.span));
                    complete = false;
                    None
                }
            };
            if let Some(kind) = kind {
                names.push((symbol, Binding { kind, span: expr.span }));
            }
        }
        for (symbol, bindings) in &self.scope.file_scope {
            if let Some(binding) = bindings.iter().find(|binding| matches!(binding.kind, BindingKind::Typedef(_)))
                && seen.insert(*symbol)
            {
                names.push((*symbol, binding.clone()));
            }
        }
        complete.then_some(names)
    }

    fn lower_atom(
        &mut self,
        ast: Ast,
        root: ExprId,
        names: Vec<(Symbol, Binding)>,
        diagnostics: &mut Diagnostics,
    ) -> Option<Atom> {
        let span = ast.exprs[root].span;
        let model = self.program.types.data_model();
        let options = Options { data_model: model, ..Options::default() };
        let mut scopes = Scopes::new();
        for (name, binding) in names {
            scopes.declare(name, binding);
        }
        let mut lowering = Lowering {
            program: std::mem::replace(&mut self.program, Program::new(model)),
            types: std::mem::replace(&mut self.types, CTypes::new(model)),
            symbols: &mut self.symbols,
            diagnostics,
            options: &options,
            ast: Rc::new(AnnotatedTree::new(ast)),
            scopes,
            linked: std::mem::take(&mut self.linked),
            functions: std::mem::take(&mut self.functions),
            variable_types: std::mem::take(&mut self.variable_types),
            defined: Default::default(),
            library: Default::default(),
            strings: Default::default(),
            initialized: Default::default(),
            revivals: Default::default(),
            file_scope: HashMap::default(),
            function: None,
            lengths: HashMap::default(),
            variable_arrays: HashMap::default(),
            automatic_used: false,
            threaded: false,
            uses_errno: false,
            unevaluated: 0,
            range_elements: 0,
            function_names: Default::default(),
            refusals: Vec::new(),
            refused_declarations: Vec::new(),
            refusable: false,
            undefined: Default::default(),
        };
        let truth = lowering.atom_truth(root, span);
        self.program = lowering.program;
        self.types = lowering.types;
        self.linked = lowering.linked;
        self.functions = lowering.functions;
        self.variable_types = lowering.variable_types;
        let value = truth?;
        let reads = variables_read(&self.program, value);
        let mut active: Vec<FunctionId> = reads.iter().filter_map(|variable| self.program.owner(*variable)).collect();
        active.sort_unstable();
        active.dedup();
        Some(Atom::State { value, active, reads })
    }
}

impl Lowering<'_> {
    fn atom_truth(&mut self, root: ExprId, span: Span) -> Option<ModelExpr> {
        let lowered = self.rvalue(root).ok()?;
        if !matches!(lowered.value, Denoted::Scalar(_)) || matches!(self.types.get(lowered.ty.ty), CType::Void) {
            let text =
                format!("an atomic proposition must be a number or a pointer, not `{}`", self.describe(lowered.ty));
            let diagnostic = Diagnostic::error("not-scalar", text).at(span);
            let is_record = matches!(self.types.get(lowered.ty.ty), CType::Record(_));
            let advice = "a structure is neither true nor false; compare one of its members";
            self.diagnostics.push(if is_record { diagnostic.help(advice) } else { diagnostic });
            return None;
        }
        self.refuse_addresses_as_conditions(root)?;
        let scalar = self.scalar_of(lowered).ok()?;
        let truth = self.truth(scalar);
        if reads_register(&self.program, truth) {
            self.diagnostics.push(
                Diagnostic::error("atom-register", "an atomic proposition cannot read a device register")
                    .at(span)
                    .help("let the program store what it reads in a variable, and write the property over that"),
            );
            return None;
        }
        Some(truth)
    }

    /// Refuses arrays, functions and addresses of objects as conditions: they are pointers that are never null, so that
    /// whoever writes them means something else.
    fn refuse_addresses_as_conditions(&mut self, root: ExprId) -> Option<()> {
        let ast = self.ast.clone();
        let mut conditions = vec![root];
        for expr in ast.exprs.values() {
            match expr.kind {
                ExprKind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, left, right) => {
                    conditions.extend([left, right]);
                }
                ExprKind::Unary(UnaryOp::LogicalNot, operand) => conditions.push(operand),
                ExprKind::Conditional { condition, .. } => conditions.push(condition),
                _ => {}
            }
        }
        for condition in conditions {
            // What is wrong with an operand has been said when the whole was lowered.
            let said = self.diagnostics.clone();
            let lowered = self.without_evaluating(|lowering| lowering.expr(condition));
            *self.diagnostics = said;
            let Ok(lowered) = lowered else { continue };
            let expr = &ast.exprs[condition];
            let (what, help) = match (self.types.get(lowered.ty.ty), &expr.kind) {
                (CType::Array { .. }, _) => {
                    ("an array", "it stands for the address of its first element; compare an element: `a[0] != 0`")
                }
                (CType::Function(_), _) => {
                    ("a function", "it stands for its address; `call(f())`, without quotes, holds where `f` is entered")
                }
                (_, &ExprKind::Unary(UnaryOp::AddressOf, operand)) if !is_dereference(&ast, operand) => {
                    ("the address of an object", "it is never null; leave out the `&` to speak of the value")
                }
                _ => continue,
            };
            let text = format!("{what} is always true as a condition");
            self.diagnostics.push(Diagnostic::error("address-condition", text).at(expr.span).help(help));
            return None;
        }
        Some(())
    }
}

/// Whether an expression is `*p`, whose address is `p` and may be null.
fn is_dereference(ast: &AnnotatedTree, expr: ExprId) -> bool {
    matches!(ast.exprs[expr].kind, ExprKind::Unary(UnaryOp::Dereference, _))
}

fn variables_read(program: &Program, read: ModelExpr) -> Vec<VariableId> {
    let place = |expr: ModelExpr| program.exprs.get(expr).kind.place();
    let places = program.exprs.below([read]).filter_map(place);
    let found: BTreeSet<VariableId> = places.filter_map(|place| place.root.variable()).collect();
    found.into_iter().collect()
}

fn reads_register(program: &Program, root: ModelExpr) -> bool {
    let is_register =
        |expr: ModelExpr| matches!(program.exprs.get(expr).kind, ModelKind::Constant(Constant::Address(_)));
    program.exprs.below([root]).any(is_register)
}
