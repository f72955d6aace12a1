//! Changes of shape that keep the language: completion, and removal of states that no accepting run visits.

use crate::buchi::{Automaton, Components, Edge, Label, Marks, StateId};
use foundation::collections::HashMap;

use super::alphabet::Minterms;

/// An automaton for the same language in which every state reads every letter: what could not be read leads to a new
/// state that accepts nothing. Where there are no acceptance sets, there is one afterwards.
pub fn complete<L: Label>(automaton: &Automaton<L>, alphabet: &Minterms<L>) -> Automaton<L> {
    let sets = automaton.acceptance_sets().max(1);
    let more = if automaton.acceptance_sets() == 0 { Marks::one(0) } else { Marks::NONE };
    let mut completed = automaton.map_edges(sets, |edge| Some((edge.label.clone(), edge.marks.union(more))));
    let mut sink = None;
    for state in automaton.states() {
        for label in unread(automaton.edges_from(state), alphabet) {
            let sink = *sink.get_or_insert_with(|| completed.add_state());
            completed.add_edge(state, label, sink, Marks::NONE);
        }
    }
    if automaton.initial().is_empty() {
        let sink = *sink.get_or_insert_with(|| completed.add_state());
        completed.add_initial(sink);
    }
    if let Some(sink) = sink {
        for label in joined(alphabet.letters().to_vec()) {
            completed.add_edge(sink, label, sink, Marks::NONE);
        }
    }
    completed
}

/// An automaton for the same language without the states that cannot be reached or from which nothing is accepted.
pub fn trim<L: Clone>(automaton: &Automaton<L>) -> Automaton<L> {
    trim_with(automaton).0
}

/// The same, and for each state that is left, which one it was.
pub fn trim_with<L: Clone>(automaton: &Automaton<L>) -> (Automaton<L>, Vec<StateId>) {
    let components = Components::of(automaton);
    // Edges lead to components with smaller ids, so those are decided first.
    let mut is_live = vec![false; components.len()];
    for (id, component) in components.iter() {
        let index = foundation::Id::index(id);
        let leaves_to_live = |state: &StateId| {
            automaton.edges_from(*state).iter().any(|edge| {
                components
                    .of_state(edge.to)
                    .is_some_and(|target| target != id && is_live[foundation::Id::index(target)])
            })
        };
        is_live[index] = component.is_accepting || component.states.iter().any(leaves_to_live);
    }
    let survives =
        |state: StateId| components.of_state(state).is_some_and(|component| is_live[foundation::Id::index(component)]);
    let mut trimmed = Automaton::new(automaton.acceptance_sets());
    let kept: Vec<StateId> = automaton.states().filter(|&state| survives(state)).collect();
    let numbers: HashMap<StateId, StateId> = kept.iter().map(|&state| (state, trimmed.add_state())).collect();
    for edge in automaton.edges() {
        if let (Some(&from), Some(&to)) = (numbers.get(&edge.from), numbers.get(&edge.to)) {
            trimmed.add_edge(from, edge.label.clone(), to, edge.marks);
        }
    }
    for initial in automaton.initial() {
        if let Some(&initial) = numbers.get(initial) {
            trimmed.add_initial(initial);
        }
    }
    (trimmed, kept)
}

/// Labels for the letters that no edge reads.
fn unread<L: Label>(edges: &[Edge<L>], alphabet: &Minterms<L>) -> Vec<L> {
    let mut rest = alphabet.letters().to_vec();
    for edge in edges {
        rest = rest.iter().filter_map(|label| label.minus(&edge.label)).collect();
    }
    joined(rest)
}

/// The same letters in as few labels as joining one after the other gives.
fn joined<L: Label>(labels: Vec<L>) -> Vec<L> {
    let mut joined: Vec<L> = Vec::new();
    for label in labels {
        match joined.last().and_then(|last| last.join(&label)) {
            Some(both) => *joined.last_mut().expect("it was joined with the last") = both,
            None => joined.push(label),
        }
    }
    joined
}
