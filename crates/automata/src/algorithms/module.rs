//! Büchi automata with accepting states, asked letter by letter: what complements are made from.
//!
//! The constructions of the literature want one set of accepting *states*. [`StateBased`] turns any explicit
//! automaton into such a one; who builds an automaton on demand (an interpolant automaton, say) implements
//! [`Module`] directly, and only the letters that are asked for are ever computed.

use foundation::Id;
use foundation::collections::HashMap;

use crate::buchi::{Automaton, Components, Label, Marks, StateId};

use super::state_set::StateSet;

/// A Büchi automaton with accepting states. A run is accepted if it visits accepting states infinitely often.
///
/// The answers must not change over time.
pub trait Module {
    /// The letters.
    type Label: Label;

    /// The states where runs begin.
    fn initial(&self) -> StateSet;

    /// The states that follow a state on a letter.
    fn read(&self, state: StateId, letter: &Self::Label) -> StateSet;

    /// Whether a state is accepting.
    fn is_accepting(&self, state: StateId) -> bool;

    /// The states that follow some state of a set on a letter.
    fn read_all(&self, states: &StateSet, letter: &Self::Label) -> StateSet {
        states.iter().fold(StateSet::new(), |all, state| all.union(&self.read(state, letter)))
    }

    /// The accepting states of a set.
    fn accepting(&self, states: &StateSet) -> StateSet {
        states.filtered(|state| self.is_accepting(state))
    }
}

impl<M: Module> Module for &M {
    type Label = M::Label;

    fn initial(&self) -> StateSet {
        M::initial(self)
    }

    fn read(&self, state: StateId, letter: &Self::Label) -> StateSet {
        M::read(self, state, letter)
    }

    fn is_accepting(&self, state: StateId) -> bool {
        M::is_accepting(self, state)
    }
}

/// An explicit Büchi automaton with accepting states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct StateBased<L> {
    initial: StateSet,
    edges: Vec<Vec<(L, StateId)>>,
    accepting: StateSet,
}

impl<L: Label> StateBased<L> {
    /// A state-based automaton for the language of any automaton.
    ///
    /// Where acceptance is state-based with one set already, or every component accepts all of its runs or none (weak
    /// automata), the states stay as they are. Otherwise they are paired with the acceptance set that is awaited, and
    /// a pair is accepting when the last set has just been seen (Gastin and Oddoux, CAV 2001, section 5).
    pub fn of(automaton: &Automaton<L>) -> Self {
        let components = Components::of(automaton);
        let is_weak = components
            .iter()
            .all(|(_, component)| !component.is_accepting || component.common_marks == automaton.all_marks());
        if is_weak {
            let accepts = |state: &StateId| {
                components.of_state(*state).is_some_and(|component| components.get(component).is_accepting)
            };
            return Self::with_accepting(automaton, automaton.states().filter(accepts).collect());
        }
        if automaton.acceptance_sets() == 1 && automaton.is_state_based() {
            let accepting = automaton.states().filter(|&state| automaton.is_accepting(state));
            return Self::with_accepting(automaton, accepting.collect());
        }
        Self::degeneralised(automaton)
    }

    /// The graph of an automaton with the given accepting states; marks are not looked at.
    pub fn with_accepting(automaton: &Automaton<L>, accepting: StateSet) -> Self {
        let edges_of =
            |state: StateId| automaton.edges_from(state).iter().map(|edge| (edge.label.clone(), edge.to)).collect();
        Self {
            initial: automaton.initial().iter().copied().collect(),
            edges: automaton.states().map(edges_of).collect(),
            accepting,
        }
    }

    fn degeneralised(automaton: &Automaton<L>) -> Self {
        let last = automaton.acceptance_sets();
        let mut numbers: HashMap<(StateId, u32), StateId> = HashMap::default();
        let mut pairs: Vec<(StateId, u32)> = Vec::new();
        let mut number_of = |pair: (StateId, u32), pairs: &mut Vec<(StateId, u32)>| {
            *numbers.entry(pair).or_insert_with(|| {
                pairs.push(pair);
                StateId::from_index(pairs.len() - 1)
            })
        };
        let initial = automaton.initial().iter().map(|&state| number_of((state, 0), &mut pairs)).collect();
        let mut edges = Vec::new();
        while edges.len() < pairs.len() {
            let (state, level) = pairs[edges.len()];
            let mut leaving = Vec::new();
            for edge in automaton.edges_from(state) {
                let to = (edge.to, next_level(level % last, edge.marks, last));
                leaving.push((edge.label.clone(), number_of(to, &mut pairs)));
            }
            edges.push(leaving);
        }
        let is_last =
            |(index, &(_, level)): (usize, &(StateId, u32))| (level == last).then_some(StateId::from_index(index));
        let accepting = pairs.iter().enumerate().filter_map(is_last).collect();
        Self { initial, edges, accepting }
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        self.edges.len()
    }

    /// All states, those that no run reaches included.
    pub fn states(&self) -> impl DoubleEndedIterator<Item = StateId> + ExactSizeIterator + use<L> {
        (0..self.edges.len()).map(StateId::from_index)
    }

    /// The edges that leave a state.
    pub fn edges_from(&self, state: StateId) -> &[(L, StateId)] {
        &self.edges[state.index()]
    }

    /// The states of which a run must visit one infinitely often to be accepted.
    pub fn accepting_states(&self) -> &StateSet {
        &self.accepting
    }

    /// The same as an automaton with one acceptance set, whose marks are on the edges that leave accepting states.
    pub fn to_automaton(&self) -> Automaton<L> {
        let mut automaton = Automaton::new(1);
        for _ in &self.edges {
            automaton.add_state();
        }
        for from in self.states() {
            let marks = if self.accepting.contains(from) { Marks::one(0) } else { Marks::NONE };
            for (label, to) in self.edges_from(from) {
                automaton.add_edge(from, label.clone(), *to, marks);
            }
        }
        for state in self.initial.iter() {
            automaton.add_initial(state);
        }
        automaton
    }
}

/// How many sets have been seen in their order once this edge is taken.
fn next_level(mut level: u32, marks: Marks, last: u32) -> u32 {
    while level < last && marks.contains(level) {
        level += 1;
    }
    level
}

impl<L: Label> Module for StateBased<L> {
    type Label = L;

    fn initial(&self) -> StateSet {
        self.initial.clone()
    }

    fn read(&self, state: StateId, letter: &L) -> StateSet {
        let reads = |(label, to): &(L, StateId)| label.meet(letter).map(|_| *to);
        self.edges[state.index()].iter().filter_map(reads).collect()
    }

    fn is_accepting(&self, state: StateId) -> bool {
        self.accepting.contains(state)
    }
}
