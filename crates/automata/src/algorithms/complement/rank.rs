//! The complement of any Büchi automaton by ranks.
//!
//! A word is rejected if and only if the graph of all runs on it has a ranking: ranks never increase along a run,
//! accepting states have even ranks, and every run gets stuck in an odd one (Kupferman and Vardi, *Weak alternating
//! automata are not that weak*, 2001). From some position on the ranking can be *tight*: its largest rank is odd and
//! all smaller odd ranks occur (Friedgut, Kupferman and Vardi 2006). The complement follows the subset of states up to
//! that position, guesses the tight ranking there, and then changes it as little as it must, checking one even rank at
//! a time (Schewe, *Büchi complementation made tight*, STACAS 2009).
//!
//! The guess is restricted further than there: for every odd rank below the largest one state is guessed that has it,
//! all other states take the largest rank they may have. `docs/design/complementation.md` says why that suffices.

use super::reader::Reader;
use crate::algorithms::module::Module;
use crate::algorithms::state_set::StateSet;
use crate::buchi::{Marks, StateId};

/// A state of the complement.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum RankState {
    /// The states that runs are in; no ranking is guessed yet.
    Subset(StateSet),
    /// The states that runs are in, ranked.
    Tight(TightRanking),
}

/// States with their ranks, of which the largest is odd and all smaller odd numbers occur.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct TightRanking {
    /// The rank of each state, in ascending order of states.
    pub ranks: Vec<(StateId, u32)>,
    /// The largest rank.
    pub largest: u32,
    /// The even rank that is being checked.
    pub checked: u32,
    /// The states that have had this rank since the check began, by their runs.
    pub obligation: StateSet,
}

/// The complement of a module, computed on demand.
#[derive(Clone, Debug)]
pub struct RankComplement<M> {
    module: M,
}

impl<M: Module> RankComplement<M> {
    /// The complement.
    pub fn new(module: M) -> Self {
        Self { module }
    }

    /// The rankings that may be guessed for a set of states.
    fn guesses(&self, states: &StateSet) -> Vec<TightRanking> {
        let ordinary = states.minus(&self.module.accepting(states));
        let mut guesses = Vec::new();
        // The states guessed for the ranks 1, 3, 5 and so on; the largest rank is the next odd one.
        let mut open: Vec<Vec<StateId>> = vec![Vec::new()];
        while let Some(witnesses) = open.pop() {
            if witnesses.len() >= ordinary.len() {
                continue;
            }
            let largest = 2 * witnesses.len() as u32 + 1;
            let rank = |state: StateId| match witnesses.iter().position(|&witness| witness == state) {
                Some(position) => (state, 2 * position as u32 + 1),
                None if self.module.is_accepting(state) => (state, largest - 1),
                None => (state, largest),
            };
            let ranks = states.iter().map(rank).collect();
            guesses.push(TightRanking { ranks, largest, checked: 0, obligation: StateSet::new() });
            for state in ordinary.iter().filter(|state| !witnesses.contains(state)) {
                let mut longer = witnesses.clone();
                longer.push(state);
                open.push(longer);
            }
        }
        guesses
    }

    /// The ranking that changes as little as possible, and the one where everything under check has got a smaller
    /// rank.
    fn follow(&self, from: &TightRanking, letter: &M::Label) -> Vec<TightRanking> {
        let mut ranks: Vec<(StateId, u32)> = Vec::new();
        let mut obligation = StateSet::new();
        for &(state, rank) in &from.ranks {
            for next in self.module.read(state, letter).iter() {
                let rank = self.largest_legal(next, rank);
                match ranks.binary_search_by_key(&next, |&(known, _)| known) {
                    Ok(at) => ranks[at].1 = ranks[at].1.min(rank),
                    Err(at) => ranks.insert(at, (next, rank)),
                }
                if from.obligation.contains(state) {
                    obligation.insert(next);
                }
            }
        }
        let is_breakpoint = from.obligation.is_empty();
        let checked = if is_breakpoint { (from.checked + 2) % (from.largest + 1) } else { from.checked };
        let under_check = ranks.iter().filter(|&&(_, rank)| rank == checked).map(|&(state, _)| state);
        let under_check: StateSet = under_check.collect();
        let obligation = if is_breakpoint { under_check } else { obligation.intersection(&under_check) };
        let least_change = TightRanking { ranks, largest: from.largest, checked, obligation };
        if !least_change.is_tight() {
            return Vec::new();
        }
        if checked == 0 || least_change.obligation.is_empty() {
            return vec![least_change];
        }
        let mut lowered = least_change.clone();
        for (state, rank) in &mut lowered.ranks {
            if least_change.obligation.contains(*state) {
                *rank = self.largest_legal(*state, *rank - 1);
            }
        }
        lowered.obligation = StateSet::new();
        vec![least_change, lowered]
    }

    /// The largest rank up to this one that a state may have.
    fn largest_legal(&self, state: StateId, rank: u32) -> u32 {
        if self.module.is_accepting(state) { rank - rank % 2 } else { rank }
    }
}

impl TightRanking {
    fn is_tight(&self) -> bool {
        (1..=self.largest).step_by(2).all(|odd| self.ranks.iter().any(|&(_, rank)| rank == odd))
    }

    fn states(&self) -> StateSet {
        self.ranks.iter().map(|&(state, _)| state).collect()
    }
}

impl<M: Module> Reader for RankComplement<M> {
    type State = RankState;
    type Label = M::Label;

    fn initial(&self) -> Vec<RankState> {
        let initial = self.module.initial();
        let guesses = self.guesses(&initial).into_iter().map(RankState::Tight);
        std::iter::once(RankState::Subset(initial.clone())).chain(guesses).collect()
    }

    fn read(&self, state: &RankState, letter: &M::Label) -> Vec<(RankState, Marks)> {
        match state {
            RankState::Subset(states) => {
                let marks = if states.is_empty() { Marks::one(0) } else { Marks::NONE };
                let next = self.module.read_all(states, letter);
                let guesses = self.guesses(&next).into_iter().map(RankState::Tight);
                std::iter::once(RankState::Subset(next)).chain(guesses).map(|next| (next, marks)).collect()
            }
            RankState::Tight(ranking) => {
                let marks = if ranking.obligation.is_empty() { Marks::one(0) } else { Marks::NONE };
                self.follow(ranking, letter).into_iter().map(|next| (RankState::Tight(next), marks)).collect()
            }
        }
    }

    fn acceptance_sets(&self) -> u32 {
        1
    }

    /// A subset without a ranking accepts everything that the automaton rejects from there.
    fn is_subsumed(&self, smaller: &RankState, larger: &RankState) -> bool {
        match (smaller, larger) {
            (RankState::Subset(smaller), RankState::Subset(larger)) => larger.is_subset(smaller),
            (RankState::Tight(smaller), RankState::Subset(larger)) => larger.is_subset(&smaller.states()),
            _ => smaller == larger,
        }
    }
}
