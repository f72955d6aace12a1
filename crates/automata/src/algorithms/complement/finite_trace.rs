//! The complement of automata that accept by reaching a trap: once a run is in an accepting state, it can stay in
//! accepting states whatever follows. Such an automaton looks at finite prefixes only, and the powerset of states that
//! avoids accepting ones is its exact complement: a safety automaton without acceptance sets.

use super::reader::Reader;
use crate::algorithms::module::Module;
use crate::algorithms::state_set::StateSet;
use crate::buchi::Marks;

/// The complement of a finite-trace module, computed on demand.
#[derive(Clone, Debug)]
pub struct Powerset<M> {
    module: M,
}

impl<M: Module> Powerset<M> {
    /// The complement. From every accepting state of the module, every letter must lead to some accepting state.
    pub fn new(module: M) -> Self {
        Self { module }
    }

    fn avoids_acceptance(&self, states: &StateSet) -> bool {
        self.module.accepting(states).is_empty()
    }
}

impl<M: Module> Reader for Powerset<M> {
    type State = StateSet;
    type Label = M::Label;

    fn initial(&self) -> Vec<StateSet> {
        let initial = self.module.initial();
        if self.avoids_acceptance(&initial) { vec![initial] } else { Vec::new() }
    }

    fn read(&self, state: &StateSet, letter: &M::Label) -> Vec<(StateSet, Marks)> {
        let next = self.module.read_all(state, letter);
        if self.avoids_acceptance(&next) { vec![(next, Marks::NONE)] } else { Vec::new() }
    }

    fn acceptance_sets(&self) -> u32 {
        0
    }

    fn is_subsumed(&self, smaller: &StateSet, larger: &StateSet) -> bool {
        larger.is_subset(smaller)
    }
}
