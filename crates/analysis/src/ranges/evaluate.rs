//! The values that an expression can have if cells have some values, and what a condition says about cells.

use num_traits::ToPrimitive;
use program::semantics::Integers;
use program::{CompareOp, Constant, ExprId, ExprKind, Program, Scalar};

use foundation::Id;

use crate::cells::{CellId, Cells};
use crate::expressions::Expressions;
use crate::numbers::arithmetic::{binary, compare, convert, restrict, type_range, unary};
use crate::numbers::{Interval, Values};

/// Where the values of cells are found.
pub trait CellLookup {
    /// The values that a cell can have.
    fn cell(&self, cell: CellId) -> Values;
}

impl CellLookup for Vec<Values> {
    fn cell(&self, cell: CellId) -> Values {
        self[cell.index()].clone()
    }
}

/// What is known about some cells: their values, by ascending id.
pub type CellValues = Vec<(CellId, Values)>;

/// What is known about some cells in front of what is known about all.
pub(super) struct Over<'a> {
    pub known: &'a CellValues,
    pub below: &'a dyn CellLookup,
}

impl CellLookup for Over<'_> {
    fn cell(&self, cell: CellId) -> Values {
        match self.known.binary_search_by_key(&cell, |known| known.0) {
            Ok(at) => self.known[at].1.clone(),
            Err(_) => self.below.cell(cell),
        }
    }
}

/// Evaluates expressions over sets of values.
#[derive(Clone, Copy)]
pub struct Evaluator<'a> {
    /// The program whose expressions are evaluated.
    pub program: &'a Program,
    /// Whether arithmetic wraps around.
    pub integers: Integers,
    /// The cells by which a [`CellLookup`] is asked.
    pub cells: &'a Cells,
    /// Facts about its expressions.
    pub expressions: &'a Expressions,
}

/// The values of a type that something may have of which nothing is known.
pub fn scalar_values(integers: Integers, scalar: Scalar) -> Values {
    match scalar {
        Scalar::Bool => Values::truth(true, true),
        Scalar::Int(ty) if integers == Integers::Machine => Values::interval(type_range(ty)),
        Scalar::Int(_) | Scalar::Float(_) | Scalar::Pointer => Values::all(),
    }
}

impl Evaluator<'_> {
    /// The values that an expression can have; truth values are 0 and 1. Of pointers and floating-point numbers nothing
    /// is known.
    pub fn values(&self, expr: ExprId, lookup: &dyn CellLookup) -> Values {
        if !self.expressions.is_small(expr) {
            return scalar_values(self.integers, self.program.exprs.ty(expr));
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.values_of_kind(expr, lookup))
    }

    /// What is known about cells where a condition is true, or where it is false; none where it cannot be.
    pub fn refine(&self, condition: ExprId, wanted: bool, lookup: &dyn CellLookup) -> Option<CellValues> {
        if !self.expressions.is_small(condition) {
            return Some(CellValues::new());
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.refine_kind(condition, wanted, lookup))
    }

    fn values_of_kind(&self, expr: ExprId, lookup: &dyn CellLookup) -> Values {
        let exprs = &self.program.exprs;
        let scalar = exprs.ty(expr);
        let unknown = || scalar_values(self.integers, scalar);
        match &exprs.get(expr).kind {
            ExprKind::Constant(Constant::Int(value)) => Values::constant_big(value),
            ExprKind::Constant(Constant::Bool(value)) => Values::constant(i128::from(*value)),
            ExprKind::Load(place) => match self.cells.of_scalar(self.program, place) {
                Some(cell) if matches!(scalar, Scalar::Int(_) | Scalar::Bool) => lookup.cell(cell),
                _ => unknown(),
            },
            ExprKind::Unary(op, operand) => match scalar {
                Scalar::Int(ty) => unary(self.integers, *op, ty, &self.values(*operand, lookup)),
                _ => unknown(),
            },
            ExprKind::Binary(op, left, right) => match scalar {
                Scalar::Int(ty) => {
                    binary(self.integers, *op, ty, &self.values(*left, lookup), &self.values(*right, lookup))
                }
                _ => unknown(),
            },
            ExprKind::Compare(op, left, right) => match exprs.ty(*left) {
                Scalar::Int(_) | Scalar::Bool => {
                    let outcome = compare(*op, &self.values(*left, lookup), &self.values(*right, lookup));
                    Values::truth(outcome.0, outcome.1)
                }
                Scalar::Float(_) | Scalar::Pointer => unknown(),
            },
            ExprKind::Not(operand) => {
                let operand = self.values(*operand, lookup);
                Values::truth(operand.contains(1), operand.contains(0))
            }
            ExprKind::And(left, right) => {
                let left = self.values(*left, lookup);
                if !left.contains(1) {
                    return left;
                }
                let right = self.values(*right, lookup);
                Values::truth(left.contains(0) || right.contains(0), right.contains(1))
            }
            ExprKind::Or(left, right) => {
                let left = self.values(*left, lookup);
                if !left.contains(0) {
                    return left;
                }
                let right = self.values(*right, lookup);
                Values::truth(right.contains(0), left.contains(1) || right.contains(1))
            }
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.values(*condition, lookup);
                let mut values = Values::none();
                for (truth, chosen) in [(1, then), (0, otherwise)] {
                    if condition.contains(truth) {
                        values = values.join(&self.values(*chosen, lookup));
                    }
                }
                values
            }
            ExprKind::Cast(operand) => self.cast(*operand, scalar, lookup),
            ExprKind::Constant(_)
            | ExprKind::AddressOf(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::PointerAdd { .. }
            | ExprKind::PointerDifference { .. } => unknown(),
        }
    }

    fn cast(&self, operand: ExprId, to: Scalar, lookup: &dyn CellLookup) -> Values {
        match (self.program.exprs.ty(operand), to) {
            (Scalar::Int(_) | Scalar::Bool, Scalar::Bool) => {
                let operand = self.values(operand, lookup);
                let differs = operand.single() != Some(0) && !operand.is_none();
                Values::truth(operand.contains(0), differs)
            }
            (Scalar::Int(_) | Scalar::Bool, Scalar::Int(ty)) => {
                convert(self.integers, ty, &self.values(operand, lookup))
            }
            (Scalar::Pointer, Scalar::Int(ty)) => {
                let numbers = type_range(self.program.types.pointer_int(false));
                convert(self.integers, ty, &Values::interval(numbers))
            }
            _ => scalar_values(self.integers, to),
        }
    }

    fn refine_kind(&self, condition: ExprId, wanted: bool, lookup: &dyn CellLookup) -> Option<CellValues> {
        let exprs = &self.program.exprs;
        match &exprs.get(condition).kind {
            ExprKind::Not(operand) => self.refine(*operand, !wanted, lookup),
            ExprKind::And(left, right) if wanted => self.refine_both(*left, *right, true, lookup),
            ExprKind::Or(left, right) if !wanted => self.refine_both(*left, *right, false, lookup),
            // That the first operand did not decide could be used for the second one, at the price of visiting operands
            // twice on each level.
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                match (self.refine(*left, wanted, lookup), self.refine(*right, wanted, lookup)) {
                    (Some(left), Some(right)) => Some(in_either(&left, &right)),
                    (one, other) => one.or(other),
                }
            }
            ExprKind::Compare(op, left, right) if matches!(exprs.ty(*left), Scalar::Int(_) | Scalar::Bool) => {
                let op = if wanted { *op } else { op.negated() };
                self.refine_comparison(op, *left, *right, lookup)
            }
            ExprKind::Cast(operand) if matches!(exprs.ty(*operand), Scalar::Int(_) | Scalar::Bool) => {
                let op = if wanted { CompareOp::NotEqual } else { CompareOp::Equal };
                self.refine_operand(
                    *operand,
                    &restrict(op, &self.values(*operand, lookup), &Values::constant(0)),
                    lookup,
                )
            }
            _ => {
                let possible = self.values(condition, lookup).meet(&Values::truth(!wanted, wanted));
                self.refine_operand(condition, &possible, lookup)
            }
        }
    }

    /// Both of two conditions are true, or both are false.
    fn refine_both(&self, left: ExprId, right: ExprId, wanted: bool, lookup: &dyn CellLookup) -> Option<CellValues> {
        let mut known = self.refine(left, wanted, lookup)?;
        let more = self.refine(right, wanted, &Over { known: &known, below: lookup })?;
        overwrite(&mut known, more);
        Some(known)
    }

    fn refine_comparison(
        &self,
        op: CompareOp,
        left: ExprId,
        right: ExprId,
        lookup: &dyn CellLookup,
    ) -> Option<CellValues> {
        let (lefts, rights) = (self.values(left, lookup), self.values(right, lookup));
        let mut known = self.refine_operand(left, &restrict(op, &lefts, &rights), lookup)?;
        let rights = restrict(op.swapped(), &rights, &lefts);
        let more = self.refine_operand(right, &rights, &Over { known: &known, below: lookup })?;
        overwrite(&mut known, more);
        Some(known)
    }

    /// What follows for cells if an expression has one of some of its values; none if these are none.
    fn refine_operand(&self, expr: ExprId, values: &Values, lookup: &dyn CellLookup) -> Option<CellValues> {
        if values.is_none() {
            return None;
        }
        let exprs = &self.program.exprs;
        match &exprs.get(expr).kind {
            ExprKind::Load(place) => {
                let cell = self.cells.of_scalar(self.program, place).filter(|cell| !self.cells.get(*cell).many);
                let Some(cell) = cell else { return Some(CellValues::new()) };
                let possible = lookup.cell(cell).meet(values);
                (!possible.is_none()).then(|| vec![(cell, possible)])
            }
            ExprKind::Cast(operand) => match (exprs.ty(*operand), exprs.ty(expr)) {
                (Scalar::Bool, Scalar::Int(_)) => match (values.contains(0), values.contains(1)) {
                    (true, true) => Some(CellValues::new()),
                    (_, truth) => self.refine(*operand, truth, lookup),
                },
                (Scalar::Int(_), Scalar::Int(ty)) if self.keeps(*operand, ty, lookup) => {
                    self.refine_operand(*operand, values, lookup)
                }
                _ => Some(CellValues::new()),
            },
            _ => Some(CellValues::new()),
        }
    }

    /// Whether a conversion leaves all values of an expression as they are.
    fn keeps(&self, operand: ExprId, ty: program::IntType, lookup: &dyn CellLookup) -> bool {
        let inside = |bounds: Interval| bounds.is_inside(type_range(ty));
        self.integers == Integers::Ideal || self.values(operand, lookup).bounds().is_none_or(inside)
    }
}

/// What two pieces of knowledge have in common.
fn in_either(left: &CellValues, right: &CellValues) -> CellValues {
    let both = left.iter().filter_map(|(cell, values)| {
        let at = right.binary_search_by_key(cell, |known| known.0).ok()?;
        Some((*cell, values.join(&right[at].1)))
    });
    both.collect()
}

/// Adds later knowledge to earlier.
fn overwrite(known: &mut CellValues, more: CellValues) {
    for (cell, values) in more {
        match known.binary_search_by_key(&cell, |known| known.0) {
            Ok(at) => known[at].1 = values,
            Err(at) => known.insert(at, (cell, values)),
        }
    }
}

/// The constants that a program compares something with, in ascending order.
pub(super) fn compared_constants(program: &Program) -> Vec<i128> {
    let exprs = &program.exprs;
    let mut found = Vec::new();
    for index in 0..exprs.len() {
        if let ExprKind::Compare(_, left, right) = exprs.get(ExprId::from_index(index)).kind {
            for side in [left, right] {
                if let ExprKind::Constant(Constant::Int(value)) = &exprs.get(side).kind {
                    found.extend(value.to_i128());
                }
            }
        }
    }
    found.sort_unstable();
    found.dedup();
    found
}
