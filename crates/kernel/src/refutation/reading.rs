//! At which edges the automaton reads a letter.
//!
//! By definition it reads the letter of every observed state. A formula without `X` cannot tell how often a letter is
//! repeated (Lamport, "What good is temporal logic?", 1983), so for such a goal a certificate may leave out letters that
//! repeat the last one, and may read one again. That they do is checked here: an atom may differ from what was observed
//! last only behind an edge that changes its term. First all edges are looked at, whether they can be taken or not; where
//! that leaves a doubt, the walk from state to state of the product looks at those that can
//! ([`Walker::reads_what_is_observed`](super::blocks::Walker::reads_what_is_observed)).

use foundation::Id;
use logic::{Term, Terms};
use program::passes::Prepared;
use program::semantics::ObserveMode;
use program::{Atom, Edge, EdgeId, LocationId, Observe};
use task::Task;
use task::certificate::refutation::Refutation;

use crate::encode::{Encoding, Exit, Truth};
use crate::refutation::NotProved;

pub(super) struct ReadingCheck {
    /// By edge: whether the automaton reads there.
    pub reads: Vec<bool>,
    /// By edge: whether the state behind it is observed.
    observed: Vec<bool>,
    /// By edge: whether it may change the truth of an atom.
    changes: Vec<bool>,
    /// Why a letter might be read that was not observed, or one not be read that was; none if no edge of the program, taken
    /// or not, gives cause for that.
    pub doubt: Option<String>,
}

impl ReadingCheck {
    pub fn new(
        task: &Task,
        prepared: &Prepared,
        encoding: &Encoding<'_>,
        terms: &Terms,
        refutation: &Refutation,
    ) -> Result<Self, NotProved> {
        let program = &prepared.program;
        covered(task).map_err(NotProved::NotCovered)?;
        let not_covered = |what: &str| Err(NotProved::NotCovered(format!("{what} is not covered")));
        let repeats = !task.formulas.has_next(task.formula());
        let observed: Vec<bool> =
            program.edges.values().map(|edge| task.semantics.observe.may_see(edge.observe)).collect();
        if !repeats && task.semantics.observe == ObserveMode::Change {
            return not_covered("observation of changes for a property that counts steps");
        }
        let mut reads = observed.clone();
        for &edge in &refutation.unread {
            reads[edge.index()] = false;
        }
        for &edge in &refutation.reread {
            reads[edge.index()] = true;
        }
        if let Some(edge) = (0..reads.len()).find(|&edge| !repeats && reads[edge] != observed[edge]) {
            let what = format!("edge {edge} must read exactly if it is observed: the goal counts steps");
            return Err(NotProved::Wrong(what));
        }
        let changes = changes(task, prepared, encoding, terms);
        // Where changes are observed, one that an expression makes before it calls a function is observed after the call.
        let is_stale = stale(prepared, &observed, &changes);
        let is_unfinished = |(id, edge): (EdgeId, &Edge)| {
            let changed = is_stale[edge.from.index()] || changes[id.index()] && edge.observe == Observe::No;
            changed && !prepared.crossed(id).1.is_empty()
        };
        if task.semantics.observe == ObserveMode::Change && program.edges.iter().any(is_unfinished) {
            return not_covered("observation of changes that come before a call");
        }
        // The beginning and the end of an object are no writes, and yet an atom may read it.
        let is_unwritten = |(id, edge): (EdgeId, &Edge)| changes[id.index()] && edge.op.is_of_lifetime();
        if task.semantics.observe == ObserveMode::Change && program.edges.iter().any(is_unwritten) {
            return not_covered("observation of changes of what begins or ends");
        }
        let mut reading = Self { reads, observed, changes, doubt: None };
        reading.doubt = reading.doubt_anywhere(prepared);
        Ok(reading)
    }

    /// Whether an atom may differ behind an edge from what was observed last, by whether it may before; or what is wrong if
    /// the edge reads something else than what is observed.
    pub fn pass(&self, edge: EdgeId, is_stale: bool) -> Result<bool, String> {
        let index = edge.index();
        let is_stale = is_stale || self.changes[index];
        if is_stale && self.reads[index] != self.observed[index] {
            return Err(format!("edge {index} may change an atom, so that it must read exactly if it is observed"));
        }
        Ok(is_stale && !self.observed[index])
    }

    /// What is wrong if control stays where it is for ever, so that the automaton reads what is seen there.
    pub fn stay(&self, is_stale: bool) -> Result<(), String> {
        if is_stale { Err("a place that is never left may not have been observed".to_owned()) } else { Ok(()) }
    }

    fn doubt_anywhere(&self, prepared: &Prepared) -> Option<String> {
        let program = &prepared.program;
        let is_stale = stale(prepared, &self.observed, &self.changes);
        let mut passes = program.edges.iter().map(|(id, edge)| self.pass(id, is_stale[edge.from.index()]));
        let stays = program.locations.iter().filter(|(_, location)| location.out.is_empty());
        let mut stays = stays.map(|(id, _)| self.stay(is_stale[id.index()]));
        passes.find_map(Result::err).or_else(|| stays.find_map(Result::err))
    }
}

/// Whether the formulas tell what a task's goal looks at; why not.
pub fn covered(task: &Task) -> Result<(), String> {
    for atom in task.goal_atoms() {
        match &task.atoms[atom.index()] {
            Atom::Overflow | Atom::Call(_) => return Err("the atoms `overflow` and `call` are not covered".to_owned()),
            Atom::State { active, .. } if task.semantics.observe == ObserveMode::Change && !active.is_empty() => {
                return Err("observation of changes of a local variable is not covered".to_owned());
            }
            _ => {}
        }
    }
    if task.semantics.stop_at_call.is_some() {
        return Err("ending an execution at a call is not covered".to_owned());
    }
    Ok(())
}

/// By edge: whether it may change the truth of an atom of the goal.
fn changes(task: &Task, prepared: &Prepared, encoding: &Encoding<'_>, terms: &Terms) -> Vec<bool> {
    let atoms = task.goal_atoms();
    let truth = |location: LocationId| -> Option<Vec<Term>> {
        let one = |atom: &automata::ltl::AtomId| match encoding.atom(atom.index(), location, Exit::Passes) {
            Truth::Is(term) => Some(term),
            Truth::Unknown => None,
        };
        atoms.iter().map(one).collect()
    };
    let changes = |(id, edge): (EdgeId, &Edge)| {
        let (Some(before), Some(after)) = (truth(edge.from), truth(edge.to)) else { return true };
        let passages = encoding.edge(id);
        let passing = passages.iter().filter(|passage| matches!(passage.exit, Exit::Passes | Exit::Returns));
        passing.into_iter().any(|passage| {
            before.iter().zip(&after).any(|(&before, &after)| passage.step.after(terms, after) != before)
        })
    };
    prepared.program.edges.iter().map(changes).collect()
}

/// The locations at which an atom may differ from what was observed last.
fn stale(prepared: &Prepared, observed: &[bool], changes: &[bool]) -> Vec<bool> {
    let program = &prepared.program;
    let mut is_stale = vec![false; program.locations.len()];
    let mut open = true;
    while std::mem::take(&mut open) {
        for (id, edge) in program.edges.iter() {
            let index = id.index();
            let becomes = !observed[index] && (is_stale[edge.from.index()] || changes[index]);
            if becomes && !std::mem::replace(&mut is_stale[edge.to.index()], true) {
                open = true;
            }
        }
    }
    is_stale
}
