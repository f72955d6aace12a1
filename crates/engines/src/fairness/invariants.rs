//! Invariants before the first lasso: what relational analysis finds at the states of the Büchi program.
//!
//! Edges that cannot be taken in any state that satisfies the invariant go; the others know it (see
//! [`Step::known`](crate::encode::Step)). An edge has one source, so that what holds there holds whenever the edge is
//! taken.

use analysis::relational::{Transition, invariants};
use automata::algorithms::trim;
use automata::buchi::Automaton;
use foundation::{Budget, Exhausted, Id};
use logic::Terms;

use super::hoare::Triples;
use super::letter::{Letter, Letters};

/// The same Büchi program without edges that the invariants exclude; the others know them.
pub fn strengthen(
    terms: &Terms,
    graph: &Automaton<Letter>,
    letters: &Letters,
    triples: &Triples<'_>,
    budget: &Budget,
) -> Result<Automaton<Letter>, Exhausted> {
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
    let found = invariants(terms, graph.state_count(), &initial, &transitions, budget)?;
    let mut strengthened = Automaton::new(graph.acceptance_sets());
    let states: Vec<_> = graph.states().map(|_| strengthened.add_state()).collect();
    for edge in graph.edges() {
        budget.check()?;
        let Some(invariant) = found[edge.from.index()] else { continue };
        let guard = letters.step(edge.label).guard;
        if triples.is_impossible(terms.and([guard, invariant])) {
            continue;
        }
        let letter = letters.knowing(terms, edge.label, invariant);
        strengthened.add_edge(states[edge.from.index()], letter, states[edge.to.index()], edge.marks);
    }
    for state in graph.initial() {
        strengthened.add_initial(states[state.index()]);
    }
    Ok(trim(&strengthened))
}
