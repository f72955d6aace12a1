//! Which expressions have side effects when they are evaluated: they call, assign, or contain statements. What
//! `sizeof`, `_Alignof` and `_Generic`'s control do not evaluate does not count.

use foundation::Id;

use crate::syntax::ast::{Ast, ExprId, ExprKind, Initializer};
use crate::syntax::symbols::Symbol;

/// A syntax tree with what is known of the effects of its expressions, which are asked for at every level of nesting.
#[derive(Default)]
pub(crate) struct AnnotatedTree {
    ast: Ast,
    /// For each expression, whether evaluating it may change the state.
    effects: Vec<bool>,
}

impl AnnotatedTree {
    pub(crate) fn new(ast: Ast) -> Self {
        // Operands come before what they are operands of.
        let mut effects = Vec::with_capacity(ast.exprs.len());
        for id in ast.exprs.ids() {
            let own = is_effect(&ast.exprs[id].kind);
            effects.push(own || evaluated_operands(&ast, id).iter().any(|operand| effects[operand.index()]));
        }
        Self { ast, effects }
    }
}

impl std::ops::Deref for AnnotatedTree {
    type Target = Ast;

    fn deref(&self) -> &Ast {
        &self.ast
    }
}

/// Whether evaluating an expression may change the state.
pub(crate) fn has_effects(tree: &AnnotatedTree, expr: ExprId) -> bool {
    tree.effects[expr.index()]
}

/// Whether an expression changes the state by itself.
fn is_effect(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Call(..)
            | ExprKind::Assign(..)
            | ExprKind::Increment { .. }
            | ExprKind::Statement(_)
            | ExprKind::VaArg(..)
            | ExprKind::CompoundLiteral(..)
    )
}

/// The first subexpression that may change the state when it is evaluated.
pub(crate) fn first_effect(ast: &Ast, expr: ExprId) -> Option<ExprId> {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        if is_effect(&ast.exprs[expr].kind) {
            return Some(expr);
        }
        open.extend(evaluated_operands(ast, expr).into_iter().rev());
    }
    None
}

/// Whether evaluating an expression makes an object without a name, which lives as long as the block around it.
pub(crate) fn makes_object(ast: &Ast, expr: ExprId) -> bool {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        if let ExprKind::CompoundLiteral(..) = ast.exprs[expr].kind {
            return true;
        }
        open.extend(evaluated_operands(ast, expr));
    }
    false
}

/// Whether evaluating an initialiser may read the variable of this name.
pub(crate) fn mentions(ast: &Ast, initializer: &Initializer, name: Symbol) -> bool {
    let mut open = initializer_exprs(initializer);
    while let Some(expr) = open.pop() {
        match ast.exprs[expr].kind {
            ExprKind::Identifier(other) if other == name => return true,
            ExprKind::Statement(_) => return true,
            _ => open.extend(evaluated_operands(ast, expr)),
        }
    }
    false
}

/// The operands that evaluating an expression evaluates, in order.
pub(crate) fn evaluated_operands(ast: &Ast, expr: ExprId) -> Vec<ExprId> {
    match &ast.exprs[expr].kind {
        ExprKind::SizeofExpr(_) | ExprKind::AlignofExpr(_) | ExprKind::Offsetof(..) => Vec::new(),
        ExprKind::Generic(_, associations) => associations.iter().map(|(_, value)| *value).collect(),
        ExprKind::Choose(_, then, otherwise) => vec![*then, *otherwise],
        ExprKind::CompoundLiteral(_, initializer) => initializer_exprs(initializer),
        kind => kind.operands(),
    }
}

fn initializer_exprs(initializer: &Initializer) -> Vec<ExprId> {
    let mut found = Vec::new();
    let mut open = vec![initializer];
    while let Some(initializer) = open.pop() {
        match initializer {
            Initializer::Expr(expr) => found.push(*expr),
            Initializer::List { items, .. } => open.extend(items.iter().rev().map(|(_, item)| item)),
        }
    }
    found
}
