//! Floyd–Hoare automata: modules whose every trace is refuted by a prefix.
//!
//! A state is a set of predicates that hold there; reading a letter leads to all predicates that are then known to hold
//! (a valid Hoare triple each), and to `false` where the letter cannot be executed. Successors are computed when they are
//! asked for. `false` is the only accepting state and a trap. The automaton is deterministic and total, and it accepts
//! every trace in which some factor is refuted by its triples: from `true` it starts anew at every position.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use automata::algorithms::{Module, StateSet};
use automata::buchi::StateId;
use foundation::Id;
use foundation::collections::HashMap;
use logic::Term;

use super::hoare::Triples;
use super::letter::{LetterId, Letters};
use super::module::{ExploredModule, ExploredState};

/// A module of finite traces.
pub struct FloydHoare<'t> {
    triples: Rc<Triples<'t>>,
    letters: Rc<Letters>,
    predicates: Vec<Term>,
    states: RefCell<FloydHoareStates>,
}

#[derive(Default)]
struct FloydHoareStates {
    sets: Vec<Rc<BTreeSet<u32>>>,
    numbers: HashMap<Rc<BTreeSet<u32>>, StateId>,
    conditions: Vec<Term>,
    successors: HashMap<(StateId, u32), StateId>,
}

/// The state `false`.
const FALSE: usize = 0;
/// The state `true`.
const TRUE: usize = 1;

impl<'t> FloydHoare<'t> {
    /// The automaton over some predicates.
    pub fn new(triples: Rc<Triples<'t>>, letters: Rc<Letters>, predicates: impl IntoIterator<Item = Term>) -> Self {
        let is_open = |&predicate: &Term| triples.terms.as_truth(predicate).is_none();
        let distinct: BTreeSet<Term> = predicates.into_iter().filter(is_open).collect();
        Self::with_states(triples, letters, distinct.into_iter().collect(), &[])
    }

    /// The same with states that were computed before, by the numbers of their predicates, which are distinct.
    pub fn with_states(
        triples: Rc<Triples<'t>>,
        letters: Rc<Letters>,
        predicates: Vec<Term>,
        computed: &[BTreeSet<u32>],
    ) -> Self {
        let terms = triples.terms;
        let mut states = FloydHoareStates::default();
        for condition in [terms.truth(false), terms.truth(true)] {
            states.sets.push(Rc::default());
            states.conditions.push(condition);
        }
        states.numbers.insert(Rc::default(), StateId::from_index(TRUE));
        let module = Self { triples, letters, predicates, states: RefCell::new(states) };
        computed.iter().for_each(|set| _ = module.state(set.clone()));
        module
    }

    /// The states that were computed so far, in their order, by the numbers of their predicates.
    pub fn computed(&self) -> Vec<BTreeSet<u32>> {
        self.states.borrow().sets.iter().skip(TRUE).map(|set| (**set).clone()).collect()
    }

    /// The predicates.
    pub fn predicates(&self) -> &[Term] {
        &self.predicates
    }

    /// What was computed so far.
    pub fn explored(&self) -> ExploredModule {
        let states = self.states.borrow();
        let state = |(index, &condition): (usize, &Term)| ExploredState {
            role: if index == FALSE { "false" } else { "predicates" },
            condition,
            is_initial: index == TRUE,
            is_accepting: index == FALSE,
        };
        let mut transitions: Vec<(usize, u32, usize)> =
            states.successors.iter().map(|(&(from, step), to)| (from.index(), step, to.index())).collect();
        transitions.sort_unstable();
        ExploredModule { states: states.conditions.iter().enumerate().map(state).collect(), transitions }
    }

    /// The predicates that hold in a state.
    pub fn held(&self, state: u32) -> Vec<Term> {
        let states = self.states.borrow();
        states.sets[state as usize].iter().map(|&index| self.predicates[index as usize]).collect()
    }

    /// Whether a word is refuted: it leads to `false`.
    pub fn refutes<'l>(&self, word: impl IntoIterator<Item = &'l LetterId>) -> bool {
        let mut state = StateId::from_index(TRUE);
        word.into_iter().any(|letter| {
            state = self.successor(state, letter.step);
            state.index() == FALSE
        })
    }

    /// Whether all predicates of one state are among those of another: what the other refutes, it refutes.
    pub fn is_stronger(&self, stronger: u32, weaker: u32) -> bool {
        let states = self.states.borrow();
        stronger as usize == FALSE
            || weaker as usize != FALSE && states.sets[weaker as usize].is_subset(&states.sets[stronger as usize])
    }

    fn successor(&self, from: StateId, step: u32) -> StateId {
        if from.index() == FALSE {
            return from;
        }
        if let Some(&known) = self.states.borrow().successors.get(&(from, step)) {
            return known;
        }
        let condition = self.states.borrow().conditions[from.index()];
        let terms = self.triples.terms;
        let to = if self.triples.is_valid(&self.letters, condition, step, terms.truth(false)) {
            StateId::from_index(FALSE)
        } else {
            let holds =
                |&index: &u32| self.triples.is_valid(&self.letters, condition, step, self.predicates[index as usize]);
            self.state((0..self.predicates.len() as u32).filter(holds).collect())
        };
        self.states.borrow_mut().successors.insert((from, step), to);
        to
    }

    fn state(&self, set: BTreeSet<u32>) -> StateId {
        let states = &mut *self.states.borrow_mut();
        let set = Rc::new(set);
        *states.numbers.entry(Rc::clone(&set)).or_insert_with(|| {
            let predicates = set.iter().map(|&index| self.predicates[index as usize]);
            states.conditions.push(self.triples.terms.and(predicates));
            states.sets.push(set);
            StateId::from_index(states.sets.len() - 1)
        })
    }
}

impl Module for FloydHoare<'_> {
    type Label = LetterId;

    fn initial(&self) -> StateSet {
        std::iter::once(StateId::from_index(TRUE)).collect()
    }

    fn read(&self, state: StateId, letter: &LetterId) -> StateSet {
        std::iter::once(self.successor(state, letter.step)).collect()
    }

    fn is_accepting(&self, state: StateId) -> bool {
        state.index() == FALSE
    }
}
