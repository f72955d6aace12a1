//! The complement of weak Büchi automata by breakpoints (Miyano and Hayashi 1984).
//!
//! In a weak automaton every component lies inside the accepting states or outside, so a run that is not accepted
//! ends up outside for ever. A word is rejected if every run visits non-accepting states infinitely often: the
//! complement follows all runs, and an obligation holds those that have stayed in accepting states since the last
//! breakpoint.

use super::reader::Reader;
use crate::algorithms::module::Module;
use crate::algorithms::state_set::StateSet;
use crate::buchi::Marks;

/// All runs of a weak automaton after a prefix of the word.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Breakpoint {
    /// The states they are in.
    pub runs: StateSet,
    /// Those that have stayed in accepting states since the last breakpoint.
    pub obligation: StateSet,
}

/// The complement of a weak module, computed on demand.
#[derive(Clone, Debug)]
pub struct BreakpointComplement<M> {
    module: M,
}

impl<M: Module> BreakpointComplement<M> {
    /// The complement. No cycle of the module has both accepting and other states.
    pub fn new(module: M) -> Self {
        Self { module }
    }
}

impl<M: Module> Reader for BreakpointComplement<M> {
    type State = Breakpoint;
    type Label = M::Label;

    fn initial(&self) -> Vec<Breakpoint> {
        let runs = self.module.initial();
        vec![Breakpoint { obligation: self.module.accepting(&runs), runs }]
    }

    fn read(&self, state: &Breakpoint, letter: &M::Label) -> Vec<(Breakpoint, Marks)> {
        let runs = self.module.read_all(&state.runs, letter);
        let is_breakpoint = state.obligation.is_empty();
        let owing = if is_breakpoint { runs.clone() } else { self.module.read_all(&state.obligation, letter) };
        let marks = if is_breakpoint { Marks::one(0) } else { Marks::NONE };
        vec![(Breakpoint { obligation: self.module.accepting(&owing), runs }, marks)]
    }

    fn acceptance_sets(&self) -> u32 {
        1
    }

    /// The language depends on the runs alone, and more runs are harder to keep from acceptance.
    fn is_subsumed(&self, smaller: &Breakpoint, larger: &Breakpoint) -> bool {
        larger.runs.is_subset(&smaller.runs)
    }
}
