//! The analysis that ignores control: the values that each cell may have anywhere.
//!
//! Each assignment is an inequation between sets of values; they are solved by a worklist of the assignments that read a
//! cell whose set has grown. A set that is no longer small and keeps growing gets the range of its type.

use std::collections::BTreeSet;

use foundation::Id;
use program::ExprKind;

use super::evaluate::scalar_values;
use super::{Analysed, is_number};
use crate::assignments::{Assignments, Source};
use crate::cells::CellId;
use crate::numbers::Values;

/// An interval may grow so often before it gets the range of its type.
const MOST_GROWTH_STEPS: u32 = 8;

/// The values that each cell may have anywhere.
pub(super) fn anywhere(subject: &Analysed<'_>, assignments: &Assignments) -> Vec<Values> {
    let cells = subject.cells;
    let mut readers: Vec<Vec<u32>> = vec![Vec::new(); cells.len()];
    for (number, assignment) in assignments.all().iter().enumerate() {
        for cell in cells_read(subject, assignment.source) {
            readers[cell.index()].push(number as u32);
        }
    }
    let nothing = |cell: CellId| if is_number(cells.get(cell).scalar) { Values::none() } else { Values::all() };
    let mut values: Vec<Values> = cells.ids().map(nothing).collect();
    let mut growth = vec![0; cells.len()];
    let mut open: BTreeSet<u32> = (0..assignments.all().len() as u32).collect();
    while let Some(number) = open.pop_first() {
        let assignment = &assignments.all()[number as usize];
        let target = assignment.target;
        let written = subject.written(assignment, &values);
        let known = &values[target.index()];
        if written.is_subset(known) {
            continue;
        }
        let mut joined = known.join(&written);
        if joined.explicit().is_none() {
            growth[target.index()] += 1;
            if growth[target.index()] > MOST_GROWTH_STEPS {
                joined = scalar_values(subject.integers, cells.get(target).scalar).join(&joined);
            }
        }
        values[target.index()] = joined;
        open.extend(&readers[target.index()]);
    }
    values
}

/// The cells that are read where something is written.
fn cells_read(subject: &Analysed<'_>, source: Source) -> BTreeSet<CellId> {
    let mut found = BTreeSet::new();
    match source {
        Source::Cell(cell) => _ = found.insert(cell),
        Source::Expr(expr) => {
            let exprs = &subject.program.exprs;
            for expr in exprs.below([expr]) {
                if let ExprKind::Load(place) = &exprs.get(expr).kind {
                    found.extend(subject.cells.of_scalar(subject.program, place));
                }
            }
        }
        Source::Zero | Source::Input | Source::Unwritten | Source::Unknown => {}
    }
    found
}
