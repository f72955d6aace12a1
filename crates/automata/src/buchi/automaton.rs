//! Explicit transition-based generalised Büchi automata.
//!
//! A Büchi automaton is one with a single acceptance set. An automaton with state-based acceptance is one where all
//! edges that leave a state carry the same marks; helpers here read it that way.

use foundation::{Arena, Id, define_id};

use super::label::Label;
use super::marks::Marks;
use super::successors::{Move, Successors};

define_id! {
    /// A state of an [`Automaton`].
    StateId
}

/// An edge of an [`Automaton`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Edge<L> {
    /// The state it leaves.
    pub from: StateId,
    /// The letters that it reads.
    pub label: L,
    /// The state it enters.
    pub to: StateId,
    /// The acceptance sets that it belongs to.
    pub marks: Marks,
}

/// A transition-based generalised Büchi automaton. A run is accepted if it is infinite and takes edges of every
/// acceptance set infinitely often; with no set, every infinite run is accepted.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton<L> {
    outgoing: Arena<StateId, Vec<Edge<L>>>,
    initial: Vec<StateId>,
    acceptance_sets: u32,
}

impl<L> Automaton<L> {
    /// No states, and this many acceptance sets: at most [`Marks::MOST`].
    pub fn new(acceptance_sets: u32) -> Self {
        assert!(acceptance_sets <= Marks::MOST, "an automaton has at most 64 acceptance sets");
        Self { outgoing: Arena::new(), initial: Vec::new(), acceptance_sets }
    }

    /// Adds a state without edges.
    pub fn add_state(&mut self) -> StateId {
        self.outgoing.push(Vec::new())
    }

    /// Lets runs begin in this state, too.
    pub fn add_initial(&mut self, state: StateId) {
        if !self.initial.contains(&state) {
            self.initial.push(state);
        }
    }

    /// Lets runs begin in these states alone.
    pub fn set_initial(&mut self, states: Vec<StateId>) {
        self.initial = states;
    }

    /// Adds an edge behind those that leave the same state. Its marks name acceptance sets of this automaton.
    pub fn add_edge(&mut self, from: StateId, label: L, to: StateId, marks: Marks) {
        debug_assert!(to.index() < self.state_count(), "both ends of an edge are states");
        debug_assert!(marks.is_subset(self.all_marks()), "marks name acceptance sets of the automaton");
        self.outgoing[from].push(Edge { from, label, to, marks });
    }

    /// The states where runs begin. There may be none: then nothing is accepted.
    pub fn initial(&self) -> &[StateId] {
        &self.initial
    }

    /// How many acceptance sets there are.
    pub fn acceptance_sets(&self) -> u32 {
        self.acceptance_sets
    }

    /// The marks of all acceptance sets.
    pub fn all_marks(&self) -> Marks {
        Marks::all(self.acceptance_sets)
    }

    /// All states, those that no run reaches included.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + ExactSizeIterator + use<L> {
        self.outgoing.ids()
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.outgoing.len()
    }

    /// How many edges there are.
    pub fn edge_count(&self) -> usize {
        self.outgoing.values().map(Vec::len).sum()
    }

    /// The edges that leave a state.
    pub fn edges_from(&self, state: StateId) -> &[Edge<L>] {
        &self.outgoing[state]
    }

    /// All edges, state by state.
    pub fn edges(&self) -> impl Iterator<Item = &Edge<L>> {
        self.outgoing.values().flatten()
    }

    /// Whether acceptance is a matter of states: the edges that leave a state all carry the same marks.
    pub fn is_state_based(&self) -> bool {
        self.outgoing.values().all(|edges| edges.windows(2).all(|pair| pair[0].marks == pair[1].marks))
    }

    /// The marks that all edges leaving a state have in common: those of the state where acceptance is state-based.
    /// A state without edges has none.
    pub fn marks_of(&self, state: StateId) -> Marks {
        let edges = &self.outgoing[state];
        let common = edges.iter().fold(self.all_marks(), |common, edge| common.intersection(edge.marks));
        if edges.is_empty() { Marks::NONE } else { common }
    }

    /// Whether all edges that leave a state belong to all acceptance sets, and there are some: an accepting state
    /// where acceptance is state-based.
    pub fn is_accepting(&self, state: StateId) -> bool {
        !self.outgoing[state].is_empty() && self.marks_of(state) == self.all_marks()
    }

    /// The same graph with other labels or marks and another number of acceptance sets. Where `change` returns
    /// nothing, the edge is left out.
    pub fn map_edges<M>(
        &self,
        acceptance_sets: u32,
        mut change: impl FnMut(&Edge<L>) -> Option<(M, Marks)>,
    ) -> Automaton<M> {
        let mut mapped = Automaton::new(acceptance_sets);
        for _ in self.states() {
            mapped.add_state();
        }
        for edge in self.edges() {
            if let Some((label, marks)) = change(edge) {
                mapped.add_edge(edge.from, label, edge.to, marks);
            }
        }
        mapped.initial.clone_from(&self.initial);
        mapped
    }
}

impl<L: Label> Automaton<L> {
    /// Whether there is one initial state at most, and no state can read a letter in two ways.
    pub fn is_deterministic(&self) -> bool {
        let overlap = |edges: &[Edge<L>]| {
            let mut rest = edges;
            while let Some((first, others)) = rest.split_first() {
                if others.iter().any(|other| first.label.meet(&other.label).is_some()) {
                    return true;
                }
                rest = others;
            }
            false
        };
        self.initial.len() <= 1 && !self.outgoing.values().any(|edges| overlap(edges))
    }
}

impl<L: Label> Successors for Automaton<L> {
    type State = StateId;
    type Label = L;

    fn initial(&self) -> Vec<StateId> {
        self.initial.clone()
    }

    fn successors(&self, state: &StateId) -> Vec<Move<StateId, L>> {
        let step = |edge: &Edge<L>| Move { label: edge.label.clone(), to: edge.to, marks: edge.marks };
        self.outgoing[*state].iter().map(step).collect()
    }

    fn acceptance_sets(&self) -> u32 {
        self.acceptance_sets
    }
}
