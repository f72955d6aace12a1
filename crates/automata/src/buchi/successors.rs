//! Automata whose states and edges are computed on demand.

use std::hash::Hash;

use foundation::collections::HashMap;
use foundation::{Arena, Budget, Exhausted, Id};

use super::automaton::{Automaton, StateId};
use super::label::Label;
use super::marks::Marks;

/// An edge out of a known state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Move<S, L> {
    /// The letters that it reads.
    pub label: L,
    /// The state it enters.
    pub to: S,
    /// The acceptance sets that it belongs to.
    pub marks: Marks,
}

/// A transition-based generalised Büchi automaton, state by state.
pub trait Successors {
    /// What tells states apart.
    type State: Clone + Eq + Hash;
    /// The labels of edges.
    type Label: Label;

    /// The states where runs begin.
    fn initial(&self) -> Vec<Self::State>;

    /// The edges that leave a state.
    fn successors(&self, state: &Self::State) -> Vec<Move<Self::State, Self::Label>>;

    /// How many acceptance sets there are: at most [`Marks::MOST`].
    fn acceptance_sets(&self) -> u32;
}

impl<A: Successors> Successors for &A {
    type State = A::State;
    type Label = A::Label;

    fn initial(&self) -> Vec<Self::State> {
        A::initial(self)
    }

    fn successors(&self, state: &Self::State) -> Vec<Move<Self::State, Self::Label>> {
        A::successors(self, state)
    }

    fn acceptance_sets(&self) -> u32 {
        A::acceptance_sets(self)
    }
}

/// A lazy automaton written out.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WrittenOut<S, L> {
    /// Its reachable part.
    pub automaton: Automaton<L>,
    /// What each state of that stands for.
    pub states: Arena<StateId, S>,
}

/// Writes out the reachable part of a lazy automaton. States are numbered in the order of a breadth-first search.
pub fn explore<A: Successors>(lazy: &A, budget: &Budget) -> Result<WrittenOut<A::State, A::Label>, Exhausted> {
    let mut automaton = Automaton::new(lazy.acceptance_sets());
    let mut ids: HashMap<A::State, StateId> = HashMap::default();
    let mut states: Arena<StateId, A::State> = Arena::new();
    let mut visit = |state: A::State, automaton: &mut Automaton<A::Label>, states: &mut Arena<StateId, A::State>| {
        *ids.entry(state).or_insert_with_key(|state| {
            states.push(state.clone());
            automaton.add_state()
        })
    };
    for state in lazy.initial() {
        let id = visit(state, &mut automaton, &mut states);
        automaton.add_initial(id);
    }
    let mut next = 0;
    while next < states.len() {
        budget.check()?;
        let from = StateId::from_index(next);
        for Move { label, to, marks } in lazy.successors(&states[from]) {
            let to = visit(to, &mut automaton, &mut states);
            automaton.add_edge(from, label, to, marks);
        }
        next += 1;
    }
    Ok(WrittenOut { automaton, states })
}
