//! Other places and expressions in all operations of a program.

use foundation::Id;
use foundation::collections::HashMap;
use program::{Expr, ExprId, ExprKind, Initial, Place, Program, Rewrite, VariableKind};

use super::Plain;

/// What stands for a place or an expression whose operands were changed already.
pub(super) trait Rewriting {
    /// The place that stands for one.
    fn place(&self, program: &mut Program, place: Place) -> Place;

    /// The expression that stands for one; none if it stays.
    fn expr(&self, _program: &mut Program, _kind: &ExprKind) -> Option<ExprId> {
        None
    }
}

impl Plain {
    /// Changes all places and expressions.
    pub(super) fn change(&mut self, change: &dyn Rewriting) {
        let program = &mut self.prepared.program;
        // Operands come before the expressions over them.
        let mut new: Vec<ExprId> = Vec::with_capacity(program.exprs.len());
        for index in 0..program.exprs.len() {
            let Expr { mut kind, ty } = program.exprs.get(ExprId::from_index(index)).clone();
            kind.operands_mut().into_iter().for_each(|operand| *operand = new[operand.index()]);
            if let Some(place) = kind.place_mut() {
                *place = change.place(program, place.clone());
            }
            let expr = change.expr(program, &kind);
            new.push(expr.unwrap_or_else(|| program.exprs.intern(kind, ty)));
        }
        let to = |expr: ExprId| new[expr.index()];
        for edge in program.edges.ids().collect::<Vec<_>>() {
            let op = program.edges[edge].op.clone();
            program.edges[edge].op = Changed { program, change, to: &to }.op(&op);
        }
        for variable in program.variables.ids().collect::<Vec<_>>() {
            if let VariableKind::Global { initial: Initial::Values(items), .. }
            | VariableKind::Literal { initial: Initial::Values(items) } = &mut program.variables[variable].kind
            {
                items.iter_mut().for_each(|item| item.value = to(item.value));
            }
        }
        let changed: HashMap<ExprId, ExprId> = self.atoms.iter().map(|(&atom, &now)| (atom, to(now))).collect();
        self.atoms = changed;
    }
}

/// Operations over changed places and expressions.
struct Changed<'a> {
    program: &'a mut Program,
    change: &'a dyn Rewriting,
    to: &'a dyn Fn(ExprId) -> ExprId,
}

impl Rewrite for Changed<'_> {
    fn expr(&mut self, expr: ExprId) -> ExprId {
        (self.to)(expr)
    }

    fn place(&mut self, place: &Place) -> Place {
        let mut place = place.clone();
        place.operands_mut().into_iter().for_each(|operand| *operand = (self.to)(*operand));
        self.change.place(self.program, place)
    }
}
