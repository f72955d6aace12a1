//! The complement of deterministic Büchi automata: the one run dies, or it visits accepting states finitely often. The
//! complement follows the run and guesses when the last such visit has passed (Kurshan 1987).

use super::reader::Reader;
use crate::algorithms::module::Module;
use crate::algorithms::state_set::StateSet;
use crate::buchi::{Marks, StateId};

/// A state of the complement of a deterministic module.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Flagged {
    /// The run is in this state; accepting visits may still come.
    Waiting(StateId),
    /// The run is in this state, and no accepting visit comes any more.
    Avoiding(StateId),
    /// There is no run.
    Dead,
}

/// The complement of a deterministic module, computed on demand.
#[derive(Clone, Debug)]
pub struct FlagComplement<M> {
    module: M,
}

impl<M: Module> FlagComplement<M> {
    /// The complement. The module has at most one initial state, and at most one successor per state and letter.
    pub fn new(module: M) -> Self {
        Self { module }
    }

    /// What can become of a run that was waiting.
    fn options(&self, states: &StateSet) -> Vec<Flagged> {
        let Some(state) = states.iter().next() else {
            return vec![Flagged::Dead];
        };
        let mut options = vec![Flagged::Waiting(state)];
        if !self.module.is_accepting(state) {
            options.push(Flagged::Avoiding(state));
        }
        options
    }
}

impl<M: Module> Reader for FlagComplement<M> {
    type State = Flagged;
    type Label = M::Label;

    fn initial(&self) -> Vec<Flagged> {
        self.options(&self.module.initial())
    }

    fn read(&self, state: &Flagged, letter: &M::Label) -> Vec<(Flagged, Marks)> {
        let successors = match *state {
            Flagged::Waiting(state) => self.options(&self.module.read(state, letter)),
            Flagged::Avoiding(state) => {
                let options = self.options(&self.module.read(state, letter));
                options.into_iter().filter(|option| !matches!(option, Flagged::Waiting(_))).collect()
            }
            Flagged::Dead => vec![Flagged::Dead],
        };
        let marks = if matches!(state, Flagged::Waiting(_)) { Marks::NONE } else { Marks::one(0) };
        successors.into_iter().map(|successor| (successor, marks)).collect()
    }

    fn acceptance_sets(&self) -> u32 {
        1
    }

    fn is_subsumed(&self, smaller: &Flagged, larger: &Flagged) -> bool {
        match (smaller, larger) {
            (_, Flagged::Dead) => true,
            (Flagged::Avoiding(smaller), Flagged::Waiting(larger)) => smaller == larger,
            _ => smaller == larger,
        }
    }
}
