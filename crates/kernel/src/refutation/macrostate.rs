//! Complements of semi-deterministic automata, letter by letter: the refined NCSB rules (Blahoudek, Heizmann, Schewe,
//! Strejček and Tsai, TACAS 2016; Chen et al., PLDI 2018), written anew for the check.
//!
//! A macrostate holds what the runs of an automaton may be doing: N those that have not passed an accepting state yet, C
//! those that have and may again, S those that are promised not to, B the part of C that must leave it. If a word is not
//! accepted, then some sequence of macrostates follows it in which B is empty infinitely often; that is all that a proof
//! uses (`docs/design/certify.md`).

use std::collections::BTreeSet;

use task::certificate::refutation::Macrostate;

pub(super) type ModuleStates = BTreeSet<u32>;

/// A macrostate as sets.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Runs {
    pub uncommitted: ModuleStates,
    pub checked: ModuleStates,
    pub safe: ModuleStates,
    pub breakpoint: ModuleStates,
}

/// The most states about which a promise may be made at once.
const MOST_PROMISES: usize = 12;

impl Runs {
    pub fn of(macrostate: &Macrostate) -> Self {
        let set = |states: &[u32]| states.iter().copied().collect();
        Self {
            uncommitted: set(&macrostate.uncommitted),
            checked: set(&macrostate.checked),
            safe: set(&macrostate.safe),
            breakpoint: set(&macrostate.breakpoint),
        }
    }

    /// Where a module is before the first letter.
    pub fn initial(is_accepting: bool) -> Self {
        let first = ModuleStates::from([0]);
        if is_accepting {
            Self { checked: first.clone(), breakpoint: first, ..Self::default() }
        } else {
            Self { uncommitted: first, ..Self::default() }
        }
    }

    /// All states.
    pub fn states(&self) -> ModuleStates {
        [&self.uncommitted, &self.checked, &self.safe].into_iter().flatten().copied().collect()
    }

    /// Whether this has at least the runs of the other.
    pub fn contains(&self, other: &Runs) -> bool {
        other.uncommitted.is_subset(&self.uncommitted)
            && other.checked.is_subset(&self.checked)
            && other.safe.is_subset(&self.safe)
    }

    /// What may follow on a letter, by the states that follow on each state; none if more promises can be made than are
    /// looked at.
    pub fn after(&self, next: &dyn Fn(u32) -> ModuleStates, is_accepting: &dyn Fn(u32) -> bool) -> Option<Vec<Runs>> {
        let all_next =
            |states: &ModuleStates| -> ModuleStates { states.iter().flat_map(|&state| next(state)).collect() };
        let (leaving, staying): (ModuleStates, ModuleStates) =
            self.checked.iter().partition(|&&state| is_accepting(state));
        let safe = all_next(&self.safe);
        let must_check = all_next(&staying);
        let breaks_promise = safe.iter().any(|&state| is_accepting(state));
        let dies = staying.iter().any(|&state| next(state).is_empty());
        if breaks_promise || dies || !must_check.is_disjoint(&safe) {
            return Some(Vec::new());
        }
        let checked = all_next(&self.checked);
        let uncommitted = all_next(&self.uncommitted);
        let (committing, uncommitted): (ModuleStates, ModuleStates) =
            uncommitted.iter().partition(|&&state| is_accepting(state));
        let uncommitted: ModuleStates =
            uncommitted.iter().filter(|state| !checked.contains(state) && !safe.contains(state)).copied().collect();
        let after_breakpoint = all_next(&self.breakpoint);
        let open: Vec<u32> = (all_next(&leaving).into_iter())
            .filter(|state| !must_check.contains(state) && !safe.contains(state) && !is_accepting(*state))
            .collect();
        if open.len() > MOST_PROMISES {
            return None;
        }
        let followed = (0..1usize << open.len()).map(|choice| {
            let promised = open.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1).map(|(_, &state)| state);
            let safe: ModuleStates = safe.iter().copied().chain(promised).collect();
            let checked: ModuleStates =
                checked.union(&committing).filter(|state| !safe.contains(state)).copied().collect();
            let breakpoint = if self.breakpoint.is_empty() {
                checked.clone()
            } else {
                after_breakpoint.intersection(&checked).copied().collect()
            };
            Runs { uncommitted: uncommitted.clone(), checked, safe, breakpoint }
        });
        Some(followed.collect())
    }
}
