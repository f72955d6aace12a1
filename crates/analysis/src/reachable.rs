//! Which functions of a program matter: a header declares hundreds that nobody needs to be told of.

use std::collections::BTreeSet;

use foundation::{Arena, Id};
use program::{Allocation, Callee, ExprId, ExprKind, FunctionId, Initial, Op, Operand, Place, Program, VariableKind};

/// The functions that an execution may enter: those that the entry function calls, or whose address is used in it or in
/// the initial value of a global, and so on from these.
pub fn reachable_functions(program: &Program) -> BTreeSet<FunctionId> {
    let mut edges: Arena<FunctionId, Vec<&Op>> = program.functions.ids().map(|_| Vec::new()).collect();
    for edge in program.edges.values() {
        edges[program.locations[edge.from].function].push(&edge.op);
    }
    let mut search =
        Search { program, seen: vec![false; program.exprs.len()], found: BTreeSet::new(), open: Vec::new() };
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

struct Search<'a> {
    program: &'a Program,
    /// The expressions that were looked at.
    seen: Vec<bool>,
    found: BTreeSet<FunctionId>,
    /// The functions whose edges are still to be looked at.
    open: Vec<FunctionId>,
}

impl Search<'_> {
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

    fn place(&mut self, place: &Place) {
        place.operands().into_iter().for_each(|operand| self.expr(operand));
    }

    fn operand(&mut self, operand: &Operand) {
        match operand {
            Operand::Scalar(expr) => self.expr(*expr),
            Operand::Aggregate(place) => self.place(place),
        }
    }

    fn callee(&mut self, callee: &Callee) {
        match callee {
            Callee::Function(function) => self.function(*function),
            Callee::Pointer(expr) => self.expr(*expr),
        }
    }

    fn op(&mut self, op: &Op) {
        match op {
            Op::Skip
            | Op::Declare(_)
            | Op::Discard(_)
            | Op::End(_)
            | Op::Unreachable
            | Op::AtomicBegin
            | Op::AtomicEnd => {}
            Op::Return(None) => {}
            Op::Return(Some(operand)) => self.operand(operand),
            Op::Assume(expr) | Op::Free(expr) | Op::ExitThread(expr) => self.expr(*expr),
            Op::InitLock(expr) | Op::Lock(expr) | Op::Unlock(expr) => self.expr(*expr),
            Op::TryLock { mutex, .. } => self.expr(*mutex),
            Op::Join { thread, .. } => self.expr(*thread),
            Op::Assign { target, value } => {
                self.place(target);
                self.operand(value);
            }
            Op::Input { target, .. } => self.place(target),
            Op::Havoc { address, .. } => self.expr(*address),
            Op::Call { callee, arguments, .. } => {
                self.callee(callee);
                arguments.iter().for_each(|argument| self.operand(argument));
            }
            Op::Allocate { size, contents, .. } => {
                self.expr(*size);
                if let Allocation::Resized(expr) = contents {
                    self.expr(*expr);
                }
            }
            Op::CopyBytes { target, source: other, count, .. } | Op::SetBytes { target, byte: other, count } => {
                [target, other, count].into_iter().for_each(|&expr| self.expr(expr));
            }
            Op::Spawn { function, argument, .. } => {
                self.callee(function);
                self.expr(*argument);
            }
        }
    }
}
