//! Unsequenced side effects (6.5p2): where one operand writes a variable that another operand reads or writes, with no
//! sequence point between them, C leaves the result undefined. Semper evaluates from left to right; the user is told.
//!
//! Only variables named directly are looked at: what pointers reach is not.

use foundation::collections::HashMap;
use foundation::{Diagnostic, Span};

use super::Lowering;
use super::effects::evaluated_operands;
use crate::syntax::ast::{Ast, BinaryOp, ExprId, ExprKind, UnaryOp};
use crate::syntax::symbols::Symbol;

/// The variables that evaluating an expression reads and writes, with a place for each.
#[derive(Default)]
struct Accesses {
    reads: HashMap<Symbol, Span>,
    writes: HashMap<Symbol, Span>,
}

/// A variable that is written in one place and accessed in another without an order between the two.
struct Conflict {
    name: Symbol,
    write: Span,
    other: Span,
}

impl Lowering<'_> {
    /// Warns of unsequenced conflicting accesses in a full expression.
    pub(crate) fn check_sequencing(&mut self, expr: ExprId) {
        let ast = self.ast.clone();
        if !has_two_writes_or_inner_one(&ast, expr) {
            return;
        }
        let mut conflicts = Vec::new();
        accesses(&ast, expr, &mut conflicts);
        if let Some(conflict) = conflicts.into_iter().next() {
            let name = self.text(conflict.name);
            let text = format!("`{name}` is changed and used here without an order between the two");
            self.warn(
                Diagnostic::warning("unsequenced", text)
                    .label(conflict.write, "changed here")
                    .also(conflict.other, "and used here")
                    .help("Semper evaluates from left to right; compilers may not: write two statements"),
            );
        }
    }
}

/// Whether there is anything to look for: most full expressions make a single assignment, at their root.
fn has_two_writes_or_inner_one(ast: &Ast, root: ExprId) -> bool {
    let mut open = vec![root];
    let mut writes = 0;
    while let Some(expr) = open.pop() {
        if let ExprKind::Assign(..) | ExprKind::Increment { .. } = ast.exprs[expr].kind {
            if expr != root {
                return true;
            }
            writes += 1;
        }
        open.extend(evaluated_operands(ast, expr));
    }
    writes > 1
}

fn accesses(ast: &Ast, expr: ExprId, conflicts: &mut Vec<Conflict>) -> Accesses {
    stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || accesses_on_grown_stack(ast, expr, conflicts))
}

fn accesses_on_grown_stack(ast: &Ast, expr: ExprId, conflicts: &mut Vec<Conflict>) -> Accesses {
    let span = ast.exprs[expr].span;
    match &ast.exprs[expr].kind {
        ExprKind::Identifier(name) => {
            Accesses { reads: HashMap::from_iter([(*name, span)]), writes: HashMap::default() }
        }
        ExprKind::Unary(UnaryOp::AddressOf, operand) => address(ast, *operand, conflicts),
        ExprKind::Increment { operand, .. } => {
            let mut all = accesses(ast, *operand, conflicts);
            if let ExprKind::Identifier(name) = ast.exprs[*operand].kind {
                all.writes.insert(name, span);
            }
            all
        }
        ExprKind::Assign(op, left, right) => assignment(ast, op.is_some(), *left, *right, span, conflicts),
        ExprKind::Binary(BinaryOp::LogicalAnd | BinaryOp::LogicalOr, ..)
        | ExprKind::Comma(..)
        | ExprKind::Conditional { .. } => {
            let parts = evaluated_operands(ast, expr);
            parts.into_iter().fold(Accesses::default(), |all, part| all.and(accesses(ast, part, conflicts)))
        }
        _ => {
            let parts = evaluated_operands(ast, expr);
            parts.into_iter().fold(Accesses::default(), |all, part| {
                let part = accesses(ast, part, conflicts);
                all.check(&part, conflicts);
                all.and(part)
            })
        }
    }
}

/// Taking an address does not access the object itself, only what the place is computed from.
fn address(ast: &Ast, operand: ExprId, conflicts: &mut Vec<Conflict>) -> Accesses {
    match &ast.exprs[operand].kind {
        ExprKind::Identifier(_) => Accesses::default(),
        ExprKind::Member { base, arrow: false, .. } => address(ast, *base, conflicts),
        _ => accesses(ast, operand, conflicts),
    }
}

/// The write of an assignment comes after the values of both operands, but not after their side effects.
fn assignment(
    ast: &Ast,
    reads_target: bool,
    left: ExprId,
    right: ExprId,
    span: Span,
    conflicts: &mut Vec<Conflict>,
) -> Accesses {
    let target = match ast.exprs[left].kind {
        ExprKind::Identifier(name) => Some(name),
        _ => None,
    };
    let source = accesses(ast, right, conflicts);
    let mut place = match target {
        Some(name) if reads_target => {
            Accesses { reads: HashMap::from_iter([(name, ast.exprs[left].span)]), writes: HashMap::default() }
        }
        Some(_) => Accesses::default(),
        None => accesses(ast, left, conflicts),
    };
    place.check(&source, conflicts);
    if let Some(name) = target {
        if let Some(other) = source.writes.get(&name) {
            conflicts.push(Conflict { name, write: span, other: *other });
        }
        place.writes.insert(name, span);
    }
    place.and(source)
}

impl Accesses {
    fn check(&self, other: &Accesses, conflicts: &mut Vec<Conflict>) {
        let mut clash = |a: &Accesses, b: &Accesses| {
            for (name, write) in &a.writes {
                if let Some(access) = b.writes.get(name).or_else(|| b.reads.get(name)) {
                    conflicts.push(Conflict { name: *name, write: *write, other: *access });
                }
            }
        };
        clash(self, other);
        clash(other, self);
        conflicts.sort_by_key(|conflict| (conflict.write, conflict.other));
        conflicts.truncate(1);
    }

    fn and(self, other: Accesses) -> Accesses {
        Accesses { reads: union(self.reads, other.reads), writes: union(self.writes, other.writes) }
    }
}

/// The smaller map is added to the larger one, so that long chains cost little.
fn union(left: HashMap<Symbol, Span>, right: HashMap<Symbol, Span>) -> HashMap<Symbol, Span> {
    let (mut large, small) = if left.len() >= right.len() { (left, right) } else { (right, left) };
    for (name, span) in small {
        large.entry(name).or_insert(span);
    }
    large
}
