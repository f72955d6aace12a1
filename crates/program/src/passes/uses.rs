//! Which variables expressions, operations and atoms read and point to.

use std::collections::BTreeSet;

use foundation::Id;

use super::prepared::Prepared;
use crate::cfa::Op;
use crate::expr::{ExprId, ExprKind, Place, Root};
use crate::model::{Initial, Program, VariableId, VariableKind};
use crate::visit::Access;

/// What was found so far. Each expression is looked at once.
pub(super) struct Uses<'p> {
    program: &'p Program,
    seen: Vec<bool>,
    /// The variables that are read by their name.
    pub read: BTreeSet<VariableId>,
    /// The variables whose address is used.
    pub pointed_to: BTreeSet<VariableId>,
    /// Whether something is read through an address, so that all variables that are pointed to may be read.
    pub memory_read: bool,
}

impl<'p> Uses<'p> {
    /// Nothing found yet.
    pub(super) fn new(program: &'p Program) -> Self {
        let seen = vec![false; program.exprs.len()];
        Self { program, seen, read: BTreeSet::new(), pointed_to: BTreeSet::new(), memory_read: false }
    }

    /// All uses in a prepared program: by edges, by atoms, and by the initial values of the globals that are read.
    pub(super) fn of(prepared: &'p Prepared) -> Self {
        let mut uses = Self::new(&prepared.program);
        for edge in prepared.program.edges.values() {
            uses.op(&edge.op);
        }
        for expr in prepared.atoms.expressions() {
            uses.expr(expr);
        }
        let mut done = BTreeSet::new();
        loop {
            let memory = uses.pointed_to.iter().filter(|_| uses.memory_read);
            let new: Vec<VariableId> = uses.read.iter().chain(memory).copied().filter(|id| done.insert(*id)).collect();
            if new.is_empty() {
                return uses;
            }
            for variable in new {
                for item in initial_values(&prepared.program, variable) {
                    uses.expr(item);
                }
            }
        }
    }

    /// What an operation reads and points to.
    pub(super) fn op(&mut self, op: &Op) {
        op.expressions().into_iter().for_each(|expr| self.expr(expr));
        op.places_read().for_each(|place| self.reads(place));
        // What is resized lies on the heap.
        self.memory_read |= op.accesses_memory(Access::reads) && !matches!(op, Op::Allocate { .. });
    }

    /// What an expression reads and points to.
    pub(super) fn expr(&mut self, expr: ExprId) {
        let mut open = vec![expr];
        while let Some(expr) = open.pop() {
            if std::mem::replace(&mut self.seen[expr.index()], true) {
                continue;
            }
            let program = self.program;
            match &program.exprs.get(expr).kind {
                ExprKind::Load(place) => self.reads(place),
                ExprKind::AddressOf(Place { root: Root::Variable(variable), .. }) => {
                    self.pointed_to.insert(*variable);
                }
                _ => {}
            }
            open.extend(program.exprs.operands(expr));
        }
    }

    fn reads(&mut self, place: &Place) {
        match place.root {
            Root::Variable(variable) => {
                self.read.insert(variable);
            }
            Root::Pointer { .. } => self.memory_read = true,
        }
    }
}

/// The variables that operations and initial values read by their names, and those whose address they use.
pub fn used_variables(program: &Program) -> (BTreeSet<VariableId>, BTreeSet<VariableId>) {
    let mut uses = Uses::new(program);
    for edge in program.edges.values() {
        uses.op(&edge.op);
    }
    for variable in program.variables.ids() {
        for item in initial_values(program, variable) {
            uses.expr(item);
        }
    }
    (uses.read, uses.pointed_to)
}

/// The expressions of what a global holds at the start.
pub(super) fn initial_values(program: &Program, variable: VariableId) -> impl Iterator<Item = ExprId> {
    let items = match &program.variables[variable].kind {
        VariableKind::Global { initial: Initial::Values(items), .. }
        | VariableKind::Literal { initial: Initial::Values(items) } => items.as_slice(),
        _ => &[],
    };
    items.iter().map(|item| item.value)
}
