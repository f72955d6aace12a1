//! Renames variables in expressions, places and operations.

use crate::cfa::{Op, Operand};
use crate::expr::{Expr, ExprId, Exprs, Place, Root};
use crate::model::VariableId;
use crate::visit::Rewrite;
use foundation::collections::HashMap;

/// A renaming of variables; those that are not in the map keep their names.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    variables: HashMap<VariableId, VariableId>,
    /// Expressions that were renamed before.
    known: HashMap<ExprId, ExprId>,
}

impl Renaming {
    /// A renaming.
    pub fn new(variables: HashMap<VariableId, VariableId>) -> Self {
        Self { variables, known: HashMap::default() }
    }

    /// The new name of a variable.
    pub fn variable(&self, variable: VariableId) -> VariableId {
        self.variables.get(&variable).copied().unwrap_or(variable)
    }

    /// An expression over the new names.
    pub fn expr(&mut self, exprs: &mut Exprs, expr: ExprId) -> ExprId {
        if self.variables.is_empty() {
            return expr;
        }
        if let Some(&renamed) = self.known.get(&expr) {
            return renamed;
        }
        let renamed = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.renamed(exprs, expr));
        self.known.insert(expr, renamed);
        renamed
    }

    fn renamed(&mut self, exprs: &mut Exprs, expr: ExprId) -> ExprId {
        let Expr { mut kind, ty } = exprs.get(expr).clone();
        match kind.place_mut() {
            Some(place) => *place = self.place(exprs, place),
            None => kind.operands_mut().into_iter().for_each(|operand| *operand = self.expr(exprs, *operand)),
        }
        exprs.intern(kind, ty)
    }

    /// A place over the new names.
    pub fn place(&mut self, exprs: &mut Exprs, place: &Place) -> Place {
        let mut place = place.clone();
        if let Root::Variable(variable) = &mut place.root {
            *variable = self.variable(*variable);
        }
        place.operands_mut().into_iter().for_each(|operand| *operand = self.expr(exprs, *operand));
        place
    }

    /// What is written, passed or returned, over the new names.
    pub fn operand(&mut self, exprs: &mut Exprs, operand: &Operand) -> Operand {
        match operand {
            Operand::Scalar(value) => Operand::Scalar(self.expr(exprs, *value)),
            Operand::Aggregate(place) => Operand::Aggregate(self.place(exprs, place)),
        }
    }

    /// An operation over the new names.
    pub fn op(&mut self, exprs: &mut Exprs, op: &Op) -> Op {
        Renamed { renaming: self, exprs }.op(op)
    }
}

/// Operations over new names.
struct Renamed<'a> {
    renaming: &'a mut Renaming,
    exprs: &'a mut Exprs,
}

impl Rewrite for Renamed<'_> {
    fn expr(&mut self, expr: ExprId) -> ExprId {
        self.renaming.expr(self.exprs, expr)
    }

    fn place(&mut self, place: &Place) -> Place {
        self.renaming.place(self.exprs, place)
    }

    fn variable(&mut self, variable: VariableId) -> VariableId {
        self.renaming.variable(variable)
    }
}
