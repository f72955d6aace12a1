//! Where the pieces of the values of cells begin: the constants that cells are compared with.
//!
//! Between two constants no condition tells values apart, so that one box may stand for all of them. What is assigned to a
//! cell as it is, or by it, is compared with the same constants.

use std::collections::BTreeSet;

use analysis::Values;
use analysis::assignments::{Assignments, Source};
use analysis::cells::{CellId, Cells};
use foundation::Id;
use num_traits::ToPrimitive;
use program::{CompareOp, Constant, ExprId, ExprKind, Program, Scalar};

/// Cells that are compared with more constants than this are not cut at all of them.
const MOST_CUTS: usize = 256;

/// Cuts are handed on along so many copies.
const MOST_COPIES: usize = 4;

/// A comparison of a cell with a constant, as conditions of programs mostly are.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// The cell.
    pub cell: CellId,
    op: CompareOp,
    constant: i128,
}

impl Comparison {
    /// Whether it may be false, and whether it may be true, if the cell has one of these values.
    pub fn truth(&self, values: &Values) -> (bool, bool) {
        let Some(bounds) = values.bounds() else { return (false, false) };
        let (low, high, constant) = (bounds.low(), bounds.high(), self.constant);
        match self.op {
            CompareOp::Less => (high >= constant, low < constant),
            CompareOp::LessEqual => (high > constant, low <= constant),
            CompareOp::Greater => (low <= constant, high > constant),
            CompareOp::GreaterEqual => (low < constant, high >= constant),
            CompareOp::Equal => (low != high || low != constant, values.contains(constant)),
            CompareOp::NotEqual => (values.contains(constant), low != high || low != constant),
        }
    }
}

/// Where pieces begin, and the comparisons that tell.
pub struct Cuts {
    /// By expression: what it compares, where it is a comparison of a cell with a constant and nothing else.
    comparisons: Vec<Option<Comparison>>,
    /// By cell: the first value of each piece but the first one, ascending.
    cuts: Vec<Vec<i128>>,
}

impl Cuts {
    /// The cuts of the cells of a program, from its conditions and what is looked at.
    pub fn of(program: &Program, cells: &Cells, assignments: &Assignments, looked_at: &[ExprId]) -> Self {
        let mut found: Vec<BTreeSet<i128>> = vec![BTreeSet::new(); cells.len()];
        let mut comparisons = vec![None; program.exprs.len()];
        let evaluated = program.edges.values().flat_map(|edge| edge.op.expressions());
        let all: Vec<ExprId> = evaluated.chain(looked_at.iter().copied()).collect();
        for expr in program.exprs.below(all) {
            let ExprKind::Compare(op, left, right) = program.exprs.get(expr).kind else { continue };
            comparisons[expr.index()] = plain_comparison(program, cells, op, left, right);
            for (op, side, other) in [(op, left, right), (op.swapped(), right, left)] {
                if let (Some(cell), Some(constant)) = (loaded(program, cells, side), constant(program, other)) {
                    found[cell.index()].extend(beginnings(op, constant));
                }
            }
        }
        let copies: Vec<(CellId, CellId)> = (assignments.all().iter())
            .filter_map(|assignment| match assignment.source {
                Source::Cell(source) => Some((source, assignment.target)),
                Source::Expr(value) => Some((loaded(program, cells, value)?, assignment.target)),
                _ => None,
            })
            .collect();
        for _ in 0..MOST_COPIES {
            for &(source, target) in &copies {
                let more = found[target.index()].clone();
                found[source.index()].extend(more);
            }
        }
        let few = |cuts: BTreeSet<i128>| if cuts.len() > MOST_CUTS { Vec::new() } else { cuts.into_iter().collect() };
        Self { comparisons, cuts: found.into_iter().map(few).collect() }
    }

    /// The comparison of a cell with a constant that an expression is.
    pub fn comparison(&self, expr: ExprId) -> Option<&Comparison> {
        self.comparisons[expr.index()].as_ref()
    }

    /// The piece that a value of a cell lies in.
    pub fn piece(&self, cell: CellId, value: i128) -> u32 {
        self.cuts[cell.index()].partition_point(|cut| *cut <= value) as u32
    }

    /// The bounds of a piece.
    pub fn bounds(&self, cell: CellId, piece: u32) -> (i128, i128) {
        let cuts = &self.cuts[cell.index()];
        let low = (piece as usize).checked_sub(1).map_or(i128::MIN, |before| cuts[before]);
        let high = cuts.get(piece as usize).map_or(i128::MAX, |next| next - 1);
        (low, high)
    }

    /// A few of the values of each piece: its bounds, and what is nearest to zero.
    pub fn representatives(&self, cell: CellId, any: &Values) -> Vec<i128> {
        let pieces = 0..=self.cuts[cell.index()].len() as u32;
        let inside = pieces.flat_map(|piece| {
            let (low, high) = self.bounds(cell, piece);
            let bounds = any.meet(&Values::between(low, high)).bounds();
            bounds.into_iter().flat_map(|bounds| [bounds.nearest_to_zero(), bounds.low(), bounds.high()])
        });
        let mut chosen = Vec::new();
        for value in inside {
            if !chosen.contains(&value) {
                chosen.push(value);
            }
        }
        chosen
    }
}

/// A comparison of what a cell holds with a number, without any conversion.
fn plain_comparison(
    program: &Program,
    cells: &Cells,
    op: CompareOp,
    left: ExprId,
    right: ExprId,
) -> Option<Comparison> {
    let cell = |side: ExprId| match &program.exprs.get(side).kind {
        ExprKind::Load(place) if matches!(program.exprs.ty(side), Scalar::Int(_)) => cells.of_scalar(program, place),
        _ => None,
    };
    let number = |side: ExprId| match &program.exprs.get(side).kind {
        ExprKind::Constant(Constant::Int(value)) => value.to_i64().map(i128::from),
        _ => None,
    };
    match (cell(left), number(right), number(left), cell(right)) {
        (Some(cell), Some(constant), ..) => Some(Comparison { cell, op, constant }),
        (.., Some(constant), Some(cell)) => Some(Comparison { cell, op: op.swapped(), constant }),
        _ => None,
    }
}

/// The first values of the pieces that a comparison with a constant tells apart.
fn beginnings(op: CompareOp, constant: i128) -> Vec<i128> {
    match op {
        CompareOp::Equal | CompareOp::NotEqual => vec![constant, constant + 1],
        CompareOp::Less | CompareOp::GreaterEqual => vec![constant],
        CompareOp::LessEqual | CompareOp::Greater => vec![constant + 1],
    }
}

/// The cell whose value an expression is, conversions aside.
pub fn loaded(program: &Program, cells: &Cells, expr: ExprId) -> Option<CellId> {
    match &program.exprs.get(expr).kind {
        ExprKind::Load(place) => cells.of_scalar(program, place).filter(|cell| !cells.get(*cell).many),
        ExprKind::Cast(operand) if matches!(program.exprs.ty(*operand), Scalar::Int(_) | Scalar::Bool) => {
            loaded(program, cells, *operand)
        }
        _ => None,
    }
}

/// The number that an expression is, conversions aside.
fn constant(program: &Program, expr: ExprId) -> Option<i128> {
    match &program.exprs.get(expr).kind {
        ExprKind::Constant(Constant::Int(value)) => value.to_i64().map(i128::from),
        ExprKind::Cast(operand) => constant(program, *operand),
        _ => None,
    }
}
