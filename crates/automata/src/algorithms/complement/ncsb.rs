//! The complement of semi-deterministic Büchi automata by NCSB.
//!
//! A semi-deterministic automaton is deterministic from its accepting states on: its states fall into Q₁, arbitrary,
//! and Q₂, which contains the accepting states F, is closed and deterministic. A macrostate (N, C, S, B) holds the runs
//! on the word so far: N those not yet committed, C those that may still visit F, S those promised never to visit F
//! again, and B ⊆ C those that must leave C before the next breakpoint. The word is rejected by the automaton if and
//! only if some sequence of guesses empties B infinitely often.
//!
//! [`Variant::Original`] is Blahoudek, Heizmann, Schewe, Strejček and Tsai, *Complementing semi-deterministic Büchi
//! automata* (TACAS 2016); [`Variant::Refined`] keeps states of Q₂ in N until they pass F, and guesses only when a run
//! leaves F; [`Variant::Lazy`] is Chen et al., *Advanced automata-based algorithms for program termination checking*
//! (PLDI 2018), where only runs in B are checked and guessed about.

use super::reader::Reader;
use crate::algorithms::module::Module;
use crate::algorithms::state_set::StateSet;
use crate::buchi::{Marks, StateId};

/// Which rules are used. All of them are exact.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Variant {
    /// Every run that enters Q₂ is guessed about at once.
    Original,
    /// Runs are guessed about when they leave F.
    Refined,
    /// Runs are guessed about when they leave F and are in B, or at a breakpoint.
    Lazy,
}

impl Variant {
    /// All of them.
    pub const ALL: [Variant; 3] = [Variant::Original, Variant::Refined, Variant::Lazy];
}

/// What the runs of a semi-deterministic automaton are doing after a prefix of the word.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Macrostate {
    /// N: not yet committed.
    pub uncommitted: StateSet,
    /// C: may still visit F.
    pub checked: StateSet,
    /// S: promised never to visit F again.
    pub safe: StateSet,
    /// B: the part of C that must leave it before the next breakpoint.
    pub breakpoint: StateSet,
}

impl Macrostate {
    /// Whether this macrostate has at least the runs of the other in N, C and S.
    fn contains_runs(&self, other: &Macrostate) -> bool {
        other.uncommitted.is_subset(&self.uncommitted)
            && other.checked.is_subset(&self.checked)
            && other.safe.is_subset(&self.safe)
    }

    /// Whether this macrostate has at least the runs of the other in all four parts. This relation also allows to
    /// *fold*: to redirect an edge from this macrostate to the other. Without B that is unsound, although this
    /// macrostate accepts no more than the other (`docs/design/complementation.md`).
    pub fn contains(&self, other: &Macrostate) -> bool {
        self.contains_runs(other) && other.breakpoint.is_subset(&self.breakpoint)
    }
}

/// The complement of a semi-deterministic module, computed on demand.
#[derive(Clone, Debug)]
pub struct Ncsb<M> {
    module: M,
    variant: Variant,
    /// Q₂, for the original rules; the others only ask whether states are accepting.
    second_part: StateSet,
}

impl<M: Module> Ncsb<M> {
    /// The complement by one of the variants. `second_part` is Q₂: closed under successors, deterministic, and
    /// containing all accepting states. Only [`Variant::Original`] looks at it.
    pub fn new(module: M, second_part: StateSet, variant: Variant) -> Self {
        Self { module, variant, second_part }
    }

    fn in_second_part(&self, state: StateId) -> bool {
        self.second_part.contains(state)
    }

    /// The rules of the original construction, numbered as in the paper.
    fn original(&self, from: &Macrostate, letter: &M::Label) -> Vec<Macrostate> {
        let next = |states: &StateSet| self.module.read_all(states, letter);
        let after_n = next(&from.uncommitted);
        let uncommitted = after_n.filtered(|state| !self.in_second_part(state));
        let committing = after_n.minus(&uncommitted);
        let after_s = next(&from.safe);
        let leaving = self.module.accepting(&from.checked);
        let staying = from.checked.minus(&leaving);
        if self.some_run_dies(&staying, letter) {
            return Vec::new();
        }
        let (must_check, after_f) = (next(&staying), next(&leaving));
        if !after_s.is_disjoint(&must_check) || !self.module.accepting(&after_s).is_empty() {
            return Vec::new();
        }
        let all = committing.union(&after_s).union(&must_check).union(&after_f);
        let must_check = must_check.union(&self.module.accepting(&all));
        let open = all.minus(&after_s).minus(&must_check);
        let after_b = next(&from.breakpoint);
        let successor = |promised: StateSet| {
            let safe = after_s.union(&promised);
            let checked = all.minus(&safe);
            let breakpoint = if from.breakpoint.is_empty() { checked.clone() } else { after_b.intersection(&checked) };
            Macrostate { uncommitted: uncommitted.clone(), checked, safe, breakpoint }
        };
        subsets(&open).into_iter().map(successor).collect()
    }

    /// The refined rules, and the lazy ones, where stuckness, conflict and choice concern B instead of C.
    fn refined(&self, from: &Macrostate, letter: &M::Label) -> Vec<Macrostate> {
        let next = |states: &StateSet| self.module.read_all(states, letter);
        let is_lazy = self.variant == Variant::Lazy;
        let watched = if is_lazy { &from.breakpoint } else { &from.checked };
        let leaving = self.module.accepting(watched);
        let staying = watched.minus(&leaving);
        let after_s = next(&from.safe);
        if !self.module.accepting(&after_s).is_empty() || self.some_run_dies(&staying, letter) {
            return Vec::new();
        }
        let must_check = next(&staying);
        if !must_check.is_disjoint(&after_s) {
            return Vec::new();
        }
        let after_c = next(&from.checked);
        let is_breakpoint = from.breakpoint.is_empty();
        let open = if is_lazy && is_breakpoint { after_c.clone() } else { next(&leaving).minus(&must_check) };
        let open = open.minus(&after_s).filtered(|state| !self.module.is_accepting(state));
        let after_n = next(&from.uncommitted);
        let newly_accepting = self.module.accepting(&after_n);
        let uncommitted = after_n.minus(&newly_accepting).minus(&after_c).minus(&after_s);
        let after_b = next(&from.breakpoint);
        let successor = |promised: StateSet| {
            let safe = after_s.union(&promised);
            let checked = after_c.union(&newly_accepting).minus(&safe);
            let breakpoint = if is_breakpoint { checked.clone() } else { after_b.intersection(&checked) };
            Macrostate { uncommitted: uncommitted.clone(), checked, safe, breakpoint }
        };
        subsets(&open).into_iter().map(successor).collect()
    }

    fn some_run_dies(&self, states: &StateSet, letter: &M::Label) -> bool {
        states.iter().any(|state| self.module.read(state, letter).is_empty())
    }
}

impl<M: Module> Reader for Ncsb<M> {
    type State = Macrostate;
    type Label = M::Label;

    fn initial(&self) -> Vec<Macrostate> {
        let all = self.module.initial();
        let accepting = self.module.accepting(&all);
        let with = |uncommitted: StateSet, checked: StateSet, safe: StateSet| Macrostate {
            breakpoint: checked.clone(),
            uncommitted,
            checked,
            safe,
        };
        if self.variant != Variant::Original {
            return vec![with(all.minus(&accepting), accepting, StateSet::new())];
        }
        let uncommitted = all.filtered(|state| !self.in_second_part(state));
        let committed = all.minus(&uncommitted);
        let guesses = subsets(&committed.minus(&accepting)).into_iter();
        guesses.map(|safe| with(uncommitted.clone(), committed.minus(&safe), safe)).collect()
    }

    fn read(&self, state: &Macrostate, letter: &M::Label) -> Vec<(Macrostate, Marks)> {
        let marks = if state.breakpoint.is_empty() { Marks::one(0) } else { Marks::NONE };
        let successors = match self.variant {
            Variant::Original => self.original(state, letter),
            Variant::Refined | Variant::Lazy => self.refined(state, letter),
        };
        successors.into_iter().map(|successor| (successor, marks)).collect()
    }

    fn acceptance_sets(&self) -> u32 {
        1
    }

    /// More runs are harder to keep from F. With the lazy rules the guesses depend on B, so B is compared as well.
    fn is_subsumed(&self, smaller: &Macrostate, larger: &Macrostate) -> bool {
        match self.variant {
            Variant::Original | Variant::Refined => smaller.contains_runs(larger),
            Variant::Lazy => smaller.contains(larger),
        }
    }
}

/// All subsets, the empty one first.
fn subsets(set: &StateSet) -> Vec<StateSet> {
    let mut all = vec![StateSet::new()];
    for state in set.iter() {
        for index in 0..all.len() {
            let mut larger = all[index].clone();
            larger.insert(state);
            all.push(larger);
        }
    }
    all
}
