//! Which values a variable can ever hold: a small explicit set, an interval, or all of its type.
//!
//! Two analyses work together. The first ignores control: one set of values for each cell, extended by every assignment
//! until nothing changes. It is right for any program, with calls and threads too. The second follows control, with
//! refinement by conditions, widening at loop heads and two descending passes; it is for flat programs. It starts from
//! the first one's result: a cell of which a location knows nothing has the values that it may have anywhere. What a
//! variable can hold is what the assignments write that the second analysis finds reachable.
//!
//! Under ideal integers a variable may hold what its type could not. Pointers and floating-point numbers have no ranges.
//! What a variable holds before it is written counts only if some read may find it (see [`initialised`](crate::initialised)).

pub mod evaluate;
mod insensitive;
mod sensitive;

use std::sync::Arc;

use foundation::Id;
use program::semantics::Integers;
use program::{ExprId, LocationId, Place, Program, Scalar, VariableId};

use crate::assignments::{Assignment, Assignments, Source};
use crate::cells::{CellId, Cells};
use crate::expressions::Expressions;
use crate::flow::Flow;
use crate::initialised::Initialised;
use crate::liveness::Liveness;
use crate::numbers::Values;
use crate::numbers::arithmetic::convert;
use crate::partition::{Domains, InputDomain};

use evaluate::{CellLookup, CellValues, Evaluator, Over, scalar_values};

/// The values that variables can hold.
#[derive(Clone, Debug)]
pub struct Ranges {
    cells: Cells,
    values: Vec<Values>,
    /// What the second analysis knows besides at each location, if it was asked.
    at: Vec<Option<Arc<CellValues>>>,
}

impl Ranges {
    /// The ranges of a program's variables. Where domains are given, inputs and unwritten variables take only the
    /// values that these list: the ranges are then those of the runs with representatives.
    pub fn new(
        program: &Program,
        integers: Integers,
        liveness: &Liveness,
        initialised: &Initialised,
        domains: Option<&Domains>,
    ) -> Self {
        let (flow, expressions, cells) = (Flow::new(program), Expressions::new(program), Cells::new(program));
        let assignments = Assignments::new(program, &cells);
        let subject = Analysed {
            program,
            integers,
            cells: &cells,
            expressions: &expressions,
            initialised,
            domains,
            representatives: true,
        };
        if flow.is_flat() {
            Self::reached(&subject, &assignments, &flow, liveness)
        } else {
            Self::anywhere(&subject, &assignments)
        }
    }

    /// The ranges by the first analysis alone.
    pub(crate) fn anywhere(subject: &Analysed<'_>, assignments: &Assignments) -> Self {
        let values = insensitive::anywhere(subject, assignments);
        Self { cells: subject.cells.clone(), values, at: Vec::new() }
    }

    /// The ranges by both analyses, for a flat program.
    pub(crate) fn reached(subject: &Analysed<'_>, assignments: &Assignments, flow: &Flow, liveness: &Liveness) -> Self {
        let values = insensitive::anywhere(subject, assignments);
        let (values, at) = sensitive::reachable(subject, assignments, flow, liveness, values);
        Self { cells: subject.cells.clone(), values, at }
    }

    /// The values that a variable can hold: of an integer or truth value, or of any element of an array of such. None
    /// for other variables and for those that pointers may reach: they can hold whatever their types can.
    pub fn of(&self, program: &Program, variable: VariableId) -> Option<&Values> {
        self.of_place(program, &Place::variable(variable, program.variables[variable].ty))
    }

    /// The values that a live variable, or any element of a live array, can hold at a location, where that is less than what
    /// it can hold anywhere.
    pub fn at(&self, program: &Program, location: LocationId, variable: VariableId) -> Option<&Values> {
        let place = Place::variable(variable, program.variables[variable].ty);
        let cells = self.cells.of_place(program, &place).filter(|cells| cells.len() == 1)?;
        let known = self.at.get(location.index())?.as_ref()?;
        let found = known.binary_search_by_key(&cells.start, |(cell, _)| cell.index()).ok()?;
        Some(&known[found].1)
    }

    /// The values that a part of a variable can hold; an index stands for all elements.
    pub fn of_place(&self, program: &Program, place: &Place) -> Option<&Values> {
        let cells = self.cells.of_place(program, place).filter(|cells| cells.len() == 1)?;
        self.of_cell(CellId::from_index(cells.start))
    }

    /// The values that the part of a variable that begins at an offset can hold; for an element of an array, any element.
    pub fn at_offset(&self, program: &Program, variable: VariableId, offset_bits: u64) -> Option<&Values> {
        self.of_cell(self.cells.at_offset(program, variable, offset_bits)?)
    }

    /// The values that an expression can have.
    pub(crate) fn of_expr(
        &self,
        program: &Program,
        integers: Integers,
        expressions: &Expressions,
        expr: ExprId,
    ) -> Values {
        Evaluator { program, integers, cells: &self.cells, expressions }.values(expr, &self.values)
    }

    /// The values that an expression can have when control is at a location.
    pub fn of_expr_at(
        &self,
        program: &Program,
        integers: Integers,
        expressions: &Expressions,
        location: LocationId,
        expr: ExprId,
    ) -> Values {
        let evaluator = Evaluator { program, integers, cells: &self.cells, expressions };
        match self.at.get(location.index()).and_then(Option::as_ref) {
            Some(known) => evaluator.values(expr, &Over { known, below: &self.values }),
            None => evaluator.values(expr, &self.values),
        }
    }

    /// The values that a cell can hold; none for pointers and floating-point numbers.
    pub(crate) fn of_cell(&self, cell: CellId) -> Option<&Values> {
        is_number(self.cells.get(cell).scalar).then(|| &self.values[cell.index()])
    }
}

/// What both analyses look at.
pub(crate) struct Analysed<'a> {
    pub program: &'a Program,
    pub integers: Integers,
    pub cells: &'a Cells,
    pub expressions: &'a Expressions,
    pub initialised: &'a Initialised,
    pub domains: Option<&'a Domains>,
    /// Whether only representatives are chosen, or all values that they stand for.
    pub representatives: bool,
}

impl Analysed<'_> {
    fn evaluator(&self) -> Evaluator<'_> {
        let Analysed { program, integers, cells, expressions, .. } = *self;
        Evaluator { program, integers, cells, expressions }
    }

    /// The values that an assignment writes, if cells have the values that are looked up.
    fn written(&self, assignment: &Assignment, lookup: &dyn CellLookup) -> Values {
        let cell = self.cells.get(assignment.target);
        let convert = |values: Values| match cell.scalar {
            Scalar::Int(ty) => convert(self.integers, ty, &values),
            _ => values,
        };
        match assignment.source {
            Source::Expr(expr) => convert(self.evaluator().values(expr, lookup)),
            Source::Cell(source) => convert(lookup.cell(source)),
            Source::Zero => Values::constant(0),
            Source::Input => {
                let domain = assignment.edge.and_then(|edge| self.domains?.domain(edge).ok());
                self.chosen(domain, cell.scalar)
            }
            Source::Unwritten if self.initialised.is_definite(cell.variable) => Values::none(),
            Source::Unwritten => {
                let domain = self.domains.and_then(|domains| domains.domain_of_uninitialised(cell.variable).ok());
                self.chosen(domain, cell.scalar)
            }
            Source::Unknown => scalar_values(self.integers, cell.scalar),
        }
    }

    /// The values that are chosen for an input: those of the machine type, under ideal integers too.
    fn chosen(&self, domain: Option<&InputDomain>, scalar: Scalar) -> Values {
        let arbitrary = scalar_values(Integers::Machine, scalar);
        match domain {
            None => arbitrary,
            Some(domain) if !self.representatives => domain.possible(&arbitrary),
            Some(domain) => {
                let listed = domain.representatives().iter().map(Values::constant_big);
                listed.reduce(|all, one| all.join(&one)).expect("there is one at least")
            }
        }
    }
}

fn is_number(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Int(_) | Scalar::Bool)
}
