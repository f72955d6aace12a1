//! Invariants before the first lasso: what relational analysis finds at the states of the Büchi program.
//!
//! Edges that cannot be taken in any state that satisfies the invariant go; the others know it (see
//! [`Transition::known`](crate::encode::Transition)). An edge has one source, so that what holds there holds whenever
//! the edge is taken.

use analysis::relational::{Transition, invariants};
use automata::buchi::{Automaton, StateId};
use foundation::{Budget, Exhausted, Id};
use logic::{Symbol, Term};

use super::hoare::{KnownVariables, Triples};
use super::letter::{LetterId, Letters};
use super::product::Control;
use crate::encode::Vocabulary;

/// What ranges say of single variables.
pub fn known(vocabulary: &Vocabulary<'_>) -> KnownVariables {
    let when_set = vocabulary.known();
    // Where control has stopped, only those are left.
    let is_always_set = |symbol: &Symbol| match vocabulary.variable(*symbol) {
        Some(variable) => vocabulary.program().owner(variable).is_none(),
        None => true,
    };
    let is_always_set = when_set.keys().copied().filter(is_always_set).collect();
    KnownVariables { when_set, is_always_set }
}

/// What ranges say of the variables that matter at a place: those have been set.
pub fn ranges_at(vocabulary: &Vocabulary<'_>, place: Control) -> Vec<Term> {
    let known = vocabulary.known().into_iter().filter(|(symbol, _)| is_set_at(vocabulary, place, *symbol));
    known.flat_map(|(_, known)| vocabulary.terms.conjuncts(known)).collect()
}

/// Whether a variable has been set wherever it matters at a place.
pub fn is_set_at(vocabulary: &Vocabulary<'_>, place: Control, symbol: Symbol) -> bool {
    let variable = vocabulary.variable(symbol);
    let is_always_set = variable.is_none_or(|variable| vocabulary.program().owner(variable).is_none());
    match (place, variable) {
        (Control::Start, _) => false,
        (Control::At(location), Some(variable)) => {
            is_always_set || vocabulary.is_live(location, variable) || vocabulary.is_observed(location, variable)
        }
        _ => is_always_set,
    }
}

/// A Büchi program and what holds at its states.
pub struct Strengthened {
    /// It, without edges that the invariants exclude; the others know them.
    pub graph: Automaton<LetterId>,
    /// By state; none where it cannot be reached.
    pub invariants: Vec<Option<Term>>,
}

/// The same Büchi program without edges that the invariants exclude; the others know them.
pub fn strengthen(
    vocabulary: &Vocabulary<'_>,
    graph: &Automaton<LetterId>,
    places: &[(Control, StateId)],
    letters: &Letters,
    triples: &Triples<'_>,
    budget: &Budget,
) -> Result<Strengthened, Exhausted> {
    let terms = vocabulary.terms;
    let steps: Vec<_> = graph.edges().map(|edge| letters.step(edge.label)).collect();
    let transitions: Vec<Transition<'_>> = (graph.edges().zip(&steps))
        .map(|(edge, step)| Transition {
            from: edge.from.index(),
            to: edge.to.index(),
            guard: step.guard,
            updates: &step.updates,
            inputs: &step.inputs,
        })
        .collect();
    let initial: Vec<usize> = graph.initial().iter().map(|state| state.index()).collect();
    let invariants = invariants(terms, graph.state_count(), &initial, &transitions, budget)?;
    let mut strengthened = Automaton::new(graph.acceptance_sets());
    let states: Vec<_> = graph.states().map(|_| strengthened.add_state()).collect();
    for edge in graph.edges() {
        budget.check()?;
        let Some(invariant) = invariants[edge.from.index()] else { continue };
        let guard = letters.step(edge.label).guard;
        if triples.is_impossible(terms.and([guard, invariant])) {
            continue;
        }
        let known = terms.and(ranges_at(vocabulary, places[edge.from.index()].0).into_iter().chain([invariant]));
        let letter = letters.knowing(terms, edge.label, known);
        strengthened.add_edge(states[edge.from.index()], letter, states[edge.to.index()], edge.marks);
    }
    for state in graph.initial() {
        strengthened.add_initial(states[state.index()]);
    }
    Ok(Strengthened { graph: strengthened, invariants })
}
