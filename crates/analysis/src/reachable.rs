//! Which functions of a program matter: a header declares hundreds that nobody needs to be told of.

use std::collections::BTreeSet;

use foundation::{Arena, Id};
use program::{ExprId, ExprKind, FunctionId, Initial, Op, OpPart, Program, VariableKind};

/// The functions that an execution may enter: those that the entry function calls, or whose address is used in it or in
/// the initial value of a global, and so on from these.
pub fn reachable_functions(program: &Program) -> BTreeSet<FunctionId> {
    let mut edges: Arena<FunctionId, Vec<&Op>> = program.functions.ids().map(|_| Vec::new()).collect();
    for edge in program.edges.values() {
        edges[program.locations[edge.from].function].push(&edge.op);
    }
    let mut search =
        ReachableSearch { program, seen: vec![false; program.exprs.len()], found: BTreeSet::new(), open: Vec::new() };
    program.entry.into_iter().for_each(|entry| search.function(entry));
    for variable in program.variables.values() {
        if let VariableKind::Global { initial: Initial::Values(items), .. } = &variable.kind {
            items.iter().for_each(|item| search.expr(item.value));
        }
    }
    while let Some(function) = search.open.pop() {
        edges[function].iter().for_each(|op| search.op(op));
    }
    search.found
}

struct ReachableSearch<'a> {
    program: &'a Program,
    /// The expressions that were looked at.
    seen: Vec<bool>,
    found: BTreeSet<FunctionId>,
    /// The functions whose edges are still to be looked at.
    open: Vec<FunctionId>,
}

impl ReachableSearch<'_> {
    fn function(&mut self, function: FunctionId) {
        if self.found.insert(function) {
            self.open.push(function);
        }
    }

    fn expr(&mut self, expr: ExprId) {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            if std::mem::replace(&mut self.seen[expr.index()], true) {
                continue;
            }
            if let ExprKind::FunctionAddress(function) = self.program.exprs.get(expr).kind {
                self.function(function);
            }
            open.extend(self.program.exprs.operands(expr));
        }
    }

    fn op(&mut self, op: &Op) {
        op.expressions().into_iter().for_each(|expr| self.expr(expr));
        for part in op.parts() {
            if let OpPart::Called(&function) = part {
                self.function(function);
            }
        }
    }
}
