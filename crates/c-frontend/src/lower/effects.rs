//! Which expressions have side effects when they are evaluated: they call, assign, or contain statements. What
//! `sizeof`, `_Alignof` and `_Generic`'s control do not evaluate does not count.

use crate::syntax::ast::{Ast, ExprId, ExprKind, Initializer};

/// Whether evaluating an expression may change the state.
pub(crate) fn has_effects(ast: &Ast, expr: ExprId) -> bool {
    first_effect(ast, expr).is_some()
}

/// The first subexpression that may change the state when it is evaluated.
pub(crate) fn first_effect(ast: &Ast, expr: ExprId) -> Option<ExprId> {
    let mut open = vec![expr];
    while let Some(expr) = open.pop() {
        match &ast.exprs[expr].kind {
            ExprKind::Call(..)
            | ExprKind::Assign(..)
            | ExprKind::Increment { .. }
            | ExprKind::Statement(_)
            | ExprKind::VaArg(..)
            | ExprKind::CompoundLiteral(..) => return Some(expr),
            _ => open.extend(evaluated_operands(ast, expr).into_iter().rev()),
        }
    }
    None
}

/// The operands that evaluating an expression evaluates, in order.
pub(crate) fn evaluated_operands(ast: &Ast, expr: ExprId) -> Vec<ExprId> {
    match &ast.exprs[expr].kind {
        ExprKind::Identifier(_)
        | ExprKind::Integer(_)
        | ExprKind::Float(_)
        | ExprKind::Character { .. }
        | ExprKind::String { .. }
        | ExprKind::SizeofExpr(_)
        | ExprKind::SizeofType(_)
        | ExprKind::AlignofType(_)
        | ExprKind::AlignofExpr(_)
        | ExprKind::LabelAddress(_)
        | ExprKind::Offsetof(..)
        | ExprKind::TypesCompatible(..)
        | ExprKind::Statement(_) => Vec::new(),
        ExprKind::Binary(_, left, right)
        | ExprKind::Assign(_, left, right)
        | ExprKind::Index(left, right)
        | ExprKind::Comma(left, right) => vec![*left, *right],
        ExprKind::Unary(_, operand)
        | ExprKind::Increment { operand, .. }
        | ExprKind::Cast(_, operand)
        | ExprKind::Member { base: operand, .. }
        | ExprKind::VaArg(operand, _) => vec![*operand],
        ExprKind::Conditional { condition, then, otherwise } => {
            std::iter::once(*condition).chain(*then).chain([*otherwise]).collect()
        }
        ExprKind::Call(function, arguments) => std::iter::once(*function).chain(arguments.iter().copied()).collect(),
        ExprKind::Generic(_, associations) => associations.iter().map(|(_, value)| *value).collect(),
        ExprKind::Choose(_, then, otherwise) => vec![*then, *otherwise],
        ExprKind::CompoundLiteral(_, initializer) => initializer_exprs(initializer),
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
