//! The analysis that follows control, for flat programs.
//!
//! A state knows the values of some cells; of the others it knows what they may have anywhere. It keeps live cells only,
//! so that it stays small in large programs. Widening at a loop head goes to the next constant that the program
//! compares something with, and after some rounds to what the cell may have anywhere, so that it ends soon.

use std::sync::Arc;

use foundation::Id;
use program::{EdgeId, LocationId, Op};

use super::evaluate::{CellLookup, CellValues, compared_constants};
use super::{Analysed, is_number};
use crate::assignments::Assignments;
use crate::cells::CellId;
use crate::fixpoint::{Direction, Domain, Solution};
use crate::flow::Flow;
use crate::liveness::Liveness;
use crate::numbers::Values;

/// Up to this iteration facts at loop heads are only joined.
const ROUNDS_JOINED: u32 = 3;
/// Up to this iteration what grows is widened to the next threshold, a constant, then to what may be anywhere.
const ROUNDS_TO_CONSTANTS: u32 = 8;
/// After this iteration facts at loop heads are widened to top: all is forgotten that is known there.
const ROUNDS_TO_NOTHING: u32 = 64;
/// So many descending iterations (narrowing) follow.
const DESCENTS: usize = 2;

/// The values that each cell is given by assignments that can be reached, and what is known at each location.
pub(super) fn reachable(
    subject: &Analysed<'_>,
    assignments: &Assignments,
    flow: &Flow,
    liveness: &Liveness,
    anywhere: Vec<Values>,
) -> (Vec<Values>, Vec<Option<CellState>>) {
    let constants = compared_constants(subject.program);
    let states = SensitiveStates { subject, assignments, liveness, anywhere: &anywhere, constants };
    let mut solution = Solution::new(subject.program, flow, &states);
    for _ in 0..DESCENTS {
        solution.descend(subject.program, flow, &states);
    }
    let number = |cell: CellId| if is_number(subject.cells.get(cell).scalar) { Values::none() } else { Values::all() };
    let mut values: Vec<Values> = subject.cells.ids().map(number).collect();
    for assignment in assignments.all() {
        let written = match assignment.edge {
            None => subject.written(assignment, &anywhere),
            Some(edge) => match solution.at(subject.program.edges[edge].from) {
                Some(state) => subject.written(assignment, &states.view(state)),
                None => continue,
            },
        };
        let known = &mut values[assignment.target.index()];
        *known = known.join(&written.meet(&anywhere[assignment.target.index()]));
    }
    let known = subject.program.locations.iter().map(|(location, _)| solution.at(location).cloned()).collect();
    (values, known)
}

/// What is known about live cells; shared, since most edges change little.
type CellState = Arc<CellValues>;

struct SensitiveStates<'a> {
    subject: &'a Analysed<'a>,
    assignments: &'a Assignments,
    liveness: &'a Liveness,
    /// The values that each cell may have anywhere.
    anywhere: &'a Vec<Values>,
    constants: Vec<i128>,
}

/// A state in front of what holds anywhere.
struct StateView<'a> {
    state: &'a CellValues,
    anywhere: &'a [Values],
}

impl CellLookup for StateView<'_> {
    fn cell(&self, cell: CellId) -> Values {
        match self.state.binary_search_by_key(&cell, |known| known.0) {
            Ok(at) => self.state[at].1.clone(),
            Err(_) => self.anywhere[cell.index()].clone(),
        }
    }
}

impl SensitiveStates<'_> {
    fn view<'a>(&'a self, state: &'a CellValues) -> StateView<'a> {
        StateView { state, anywhere: self.anywhere }
    }

    /// Sets what is known about a cell.
    fn know(&self, state: &mut CellValues, cell: CellId, values: Values) {
        let values = values.meet(&self.anywhere[cell.index()]);
        let nothing_new = values == self.anywhere[cell.index()];
        match state.binary_search_by_key(&cell, |known| known.0) {
            Ok(at) if nothing_new => _ = state.remove(at),
            Ok(at) => state[at].1 = values,
            Err(_) if nothing_new => {}
            Err(at) => state.insert(at, (cell, values)),
        }
    }

    /// Forgets cells that are dead at a location.
    fn forget_dead(&self, state: &mut CellState, location: LocationId) {
        let live = self.liveness.at(location);
        let is_live = |cell: CellId| live.contains(self.subject.cells.get(cell).variable);
        if state.iter().any(|(cell, _)| !is_live(*cell)) {
            Arc::make_mut(state).retain(|(cell, _)| is_live(*cell));
        }
    }

    fn step(&self, edge: EdgeId, before: &CellState) -> Option<CellState> {
        let mut after = before.clone();
        match &self.subject.program.edges[edge].op {
            Op::Assume(condition) => {
                for (cell, values) in self.subject.evaluator().refine(*condition, true, &self.view(before))? {
                    if self.view(&after).cell(cell) != values {
                        self.know(Arc::make_mut(&mut after), cell, values);
                    }
                }
            }
            Op::Declare(variable) => {
                for cell in self.subject.cells.of_variable(*variable).unwrap_or_default() {
                    let cell = CellId::from_index(cell);
                    self.know(Arc::make_mut(&mut after), cell, self.anywhere[cell.index()].clone());
                }
            }
            _ => {
                for assignment in self.assignments.on(edge) {
                    let cell = self.subject.cells.get(assignment.target);
                    if !is_number(cell.scalar) {
                        continue;
                    }
                    let mut values = self.subject.written(assignment, &self.view(before));
                    if values.is_none() {
                        // Evaluation is undefined in every state that is possible here.
                        return None;
                    }
                    if cell.many {
                        values = values.join(&self.view(&after).cell(assignment.target));
                    }
                    self.know(Arc::make_mut(&mut after), assignment.target, values);
                }
            }
        }
        Some(after)
    }

    /// Extends a state by another: `extend` says how two sets of values of a cell become one.
    fn extend(
        &self,
        into: &mut CellState,
        other: &CellState,
        extend: &dyn Fn(CellId, &Values, &Values) -> Values,
    ) -> bool {
        if Arc::ptr_eq(into, other) {
            return false;
        }
        let view = self.view(other);
        let mut changes = Vec::new();
        for (cell, values) in into.iter() {
            let others = view.cell(*cell);
            if !others.is_subset(values) {
                changes.push((*cell, extend(*cell, values, &others)));
            }
        }
        if changes.is_empty() {
            return false;
        }
        let state = Arc::make_mut(into);
        for (cell, values) in changes {
            self.know(state, cell, values);
        }
        true
    }

    /// Values that have grown at a loop head, with bounds that have grown moved out to the next constant.
    fn to_constants(&self, cell: CellId, known: &Values, joined: Values) -> Values {
        let (Some(old), Some(new), None) = (known.bounds(), joined.bounds(), joined.explicit()) else { return joined };
        let Some(limits) = self.anywhere[cell.index()].bounds() else { return joined };
        let (mut low, mut high) = (new.low(), new.high());
        if low < old.low() {
            let beyond = self.constants.partition_point(|constant| *constant <= low);
            low = beyond.checked_sub(1).map_or(limits.low(), |at| self.constants[at]);
        }
        if high > old.high() {
            let at = self.constants.partition_point(|constant| *constant < high);
            high = self.constants.get(at).copied().unwrap_or(limits.high());
        }
        joined.join(&Values::between(low, high))
    }
}

impl Domain for SensitiveStates<'_> {
    type Fact = CellState;

    const DIRECTION: Direction = Direction::Forward;

    fn boundary(&self, location: LocationId) -> Option<CellState> {
        let program = self.subject.program;
        // Nothing calls other functions in a flat program.
        if program.entry.and_then(|entry| program.functions[entry].entry) != Some(location) {
            return None;
        }
        let mut initial: CellValues = Vec::new();
        for assignment in self.assignments.all().iter().filter(|assignment| assignment.edge.is_none()) {
            let cell = self.subject.cells.get(assignment.target);
            if !is_number(cell.scalar) || program.owner(cell.variable).is_some() {
                continue;
            }
            let values = self.subject.written(assignment, self.anywhere);
            match initial.binary_search_by_key(&assignment.target, |known| known.0) {
                Ok(at) => initial[at].1 = initial[at].1.join(&values),
                Err(at) => initial.insert(at, (assignment.target, values)),
            }
        }
        // A global that is defined elsewhere, and that nobody reads before it is written, has no values yet.
        initial.retain(|(_, values)| !values.is_none());
        let mut state = Arc::new(initial);
        self.forget_dead(&mut state, location);
        Some(state)
    }

    fn transfer(&self, edge: EdgeId, before: &CellState) -> Option<CellState> {
        let mut after = self.step(edge, before)?;
        self.forget_dead(&mut after, self.subject.program.edges[edge].to);
        Some(after)
    }

    fn join(&self, into: &mut CellState, other: &CellState) -> bool {
        self.extend(into, other, &|_, known, others| known.join(others))
    }

    fn widen(&self, rounds: u32, into: &mut CellState, other: &CellState) -> bool {
        match rounds {
            _ if rounds <= ROUNDS_JOINED => self.join(into, other),
            _ if rounds <= ROUNDS_TO_CONSTANTS => {
                self.extend(into, other, &|cell, known, others| self.to_constants(cell, known, known.join(others)))
            }
            _ if rounds <= ROUNDS_TO_NOTHING => self.extend(into, other, &|cell, known, others| {
                let joined = known.join(others);
                let (Some(old), Some(new)) = (known.bounds(), joined.bounds()) else { return joined };
                let Some(limits) = self.anywhere[cell.index()].bounds() else { return joined };
                let low = if new.low() < old.low() { limits.low() } else { new.low() };
                let high = if new.high() > old.high() { limits.high() } else { new.high() };
                joined.join(&Values::between(low, high))
            }),
            _ if into.is_empty() => false,
            _ => {
                *into = CellState::default();
                true
            }
        }
    }

    fn meet(&self, into: &mut CellState, other: &CellState) {
        for (cell, values) in other.iter() {
            let known = self.view(into).cell(*cell);
            if !known.is_subset(values) {
                self.know(Arc::make_mut(into), *cell, known.meet(values));
            }
        }
    }
}
