//! The cells on which something depends that an execution does or shows: what conditions, atoms and indices read, what decides
//! whether evaluation is defined, and what flows into those (the cone of influence).

use analysis::assignments::{Assignments, Source};
use analysis::cells::{CellId, Cells};
use analysis::expressions::Expressions;
use foundation::Id;
use program::{ExprId, ExprKind, Op, Program};

/// By cell: whether it is needed. `shows_overflow` says whether overflows are seen.
pub fn needed(
    program: &Program,
    cells: &Cells,
    assignments: &Assignments,
    expressions: &Expressions,
    atoms: &[ExprId],
    shows_overflow: bool,
) -> Vec<bool> {
    let mut search = Search { program, cells, needed: vec![false; cells.len()], open: Vec::new() };
    atoms.iter().for_each(|atom| search.reads(*atom));
    for edge in program.edges.values() {
        let decides = |expr: &ExprId| match shows_overflow {
            true => !expressions.is_silent(*expr),
            false => !expressions.is_total(*expr),
        };
        match &edge.op {
            Op::Assume(condition) => search.reads(*condition),
            op => op.expressions().iter().filter(|expr| decides(expr)).for_each(|expr| search.reads(*expr)),
        }
        for place in edge.op.places() {
            place.operands().into_iter().for_each(|operand| search.reads(operand));
        }
    }
    while let Some(cell) = search.open.pop() {
        for assignment in assignments.all().iter().filter(|assignment| assignment.target == cell) {
            match assignment.source {
                Source::Expr(value) => search.reads(value),
                Source::Cell(source) => search.add(source),
                Source::Zero | Source::Input | Source::Unwritten | Source::Unknown => {}
            }
        }
    }
    search.needed
}

struct Search<'a> {
    program: &'a Program,
    cells: &'a Cells,
    needed: Vec<bool>,
    open: Vec<CellId>,
}

impl Search<'_> {
    fn add(&mut self, cell: CellId) {
        if !std::mem::replace(&mut self.needed[cell.index()], true) {
            self.open.push(cell);
        }
    }

    fn reads(&mut self, expr: ExprId) {
        for expr in self.program.exprs.below([expr]) {
            if let ExprKind::Load(place) = &self.program.exprs.get(expr).kind {
                let cells = self.cells.of_place(self.program, place).unwrap_or_default();
                cells.for_each(|cell| self.add(CellId::from_index(cell)));
            }
        }
    }
}
