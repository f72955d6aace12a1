//! Ranked modules: Büchi automata whose every trace terminates for the same reason as one lasso (refine_ω of the paper;
//! Heizmann, Hoenicke and Podelski, CAV 2014).
//!
//! A ranking function `f` (a tuple, compared lexicographically) comes with auxiliary variables: `old`, the value of `f`
//! at the last visit of an accepting state. Leaving an accepting state sets `old := f`; an accepting state is entered
//! again only where `f` has decreased below `old`, which was not negative. Each transition is a valid Hoare triple over
//! the program's variables and `old`, so an execution of an accepted trace would decrease `f` for ever.
//!
//! | state | what holds there |
//! | --- | --- |
//! | stem(P) | P; `old` was never set |
//! | accepting(P) | P; `old` was never set, or f has decreased below it |
//! | cycle(P) | P, over program variables and `old` |
//! | false | nothing: an accepting trap |
//!
//! Which of the valid triples are offered is decided by the [`Stage`]: what is offered decides how many traces the
//! module has, and how simple its complement is.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use automata::algorithms::{Module, StateSet};
use automata::buchi::StateId;
use foundation::Id;
use foundation::collections::HashMap;
use logic::{Sort, Symbol, Term, Terms};

use super::hoare::Triples;
use super::letter::{LetterId, Letters};
use super::module::{ExploredModule, ExploredState};

/// What a ranked module is made from.
#[derive(Clone, Debug)]
pub struct RankedParts {
    /// The ranking function, most significant part first.
    pub function: Vec<Term>,
    /// The values of its parts at the last visit of an accepting state.
    pub old: Vec<Symbol>,
    /// What holds along the stem.
    pub stem: Vec<Term>,
    /// What holds along the cycle, over program variables and `old`.
    pub cycle: Vec<Term>,
    /// The supporting invariants.
    pub invariants: Vec<Term>,
}

impl RankedParts {
    /// An argument without predicates yet.
    pub fn new(terms: &Terms, function: Vec<Term>, invariants: Vec<Term>) -> Self {
        let old = (0..function.len()).map(|index| terms.symbol(&format!("old{index}"), Sort::Int)).collect();
        let mut argument = Self { function, old, stem: Vec::new(), cycle: Vec::new(), invariants };
        for (&old, &rank) in argument.old.iter().zip(&argument.function) {
            let old = terms.variable(old);
            argument.cycle.push(terms.less_equal(rank, old));
            argument.cycle.push(terms.less(rank, old));
            argument.cycle.push(terms.less_equal(terms.integer(0), old));
        }
        argument.cycle.extend(argument.invariants.iter().copied());
        argument
    }

    /// `old` is the value of the function.
    pub fn seeded(&self, terms: &Terms) -> Term {
        let pairs = self.old.iter().zip(&self.function);
        terms.and(pairs.map(|(&old, &rank)| terms.equal(terms.variable(old), rank)))
    }

    /// The function is not larger than `old`.
    pub fn not_grown(&self, terms: &Terms) -> Term {
        let pairs = self.old.iter().zip(&self.function);
        let nowhere = terms.and(pairs.map(|(&old, &rank)| terms.less_equal(rank, terms.variable(old))));
        terms.or([nowhere, self.decreased(terms)])
    }

    /// The function has decreased below `old`: at the first part that differs, from a value that was not negative.
    pub fn decreased(&self, terms: &Terms) -> Term {
        let mut paths = Vec::new();
        for index in 0..self.function.len() {
            let old = |at: usize| terms.variable(self.old[at]);
            let mut parts: Vec<Term> = (0..index).map(|at| terms.less_equal(self.function[at], old(at))).collect();
            parts.push(terms.less(self.function[index], old(index)));
            parts.push(terms.less_equal(terms.integer(0), old(index)));
            paths.push(terms.and(parts));
        }
        terms.or(paths)
    }
}

/// Which transitions are offered.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Stage {
    /// Accepting states are entered from the cycle only by the cycle's last letter.
    pub only_last_of_cycle: bool,
    /// How the stem is left.
    pub stem: Leaving,
}

/// How the stem of a module is left.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Leaving {
    /// By the last letter of the lasso's stem, when it comes first: the module is deterministic.
    AtOnce,
    /// By that letter whenever it comes, and by every letter after which the function may have grown. A run that such a
    /// letter ends begins anew there, so that the module has the traces along which the function decreases infinitely
    /// often and grows finitely often.
    WhereItGrows,
    /// By that letter whenever it comes.
    AtAnyTime,
}

impl Stage {
    /// In the order in which they are tried.
    pub const ALL: [Stage; 6] = [
        Stage { only_last_of_cycle: false, stem: Leaving::WhereItGrows },
        Stage { only_last_of_cycle: true, stem: Leaving::WhereItGrows },
        Stage { only_last_of_cycle: false, stem: Leaving::AtOnce },
        Stage { only_last_of_cycle: true, stem: Leaving::AtOnce },
        Stage { only_last_of_cycle: false, stem: Leaving::AtAnyTime },
        Stage { only_last_of_cycle: true, stem: Leaving::AtAnyTime },
    ];

    /// What the module is, for statistics.
    pub fn name(self) -> &'static str {
        if self.stem == Leaving::AtOnce { "deterministic" } else { "semi-deterministic" }
    }
}

/// What a state is: see the table above.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Role {
    /// `old` was never set.
    Stem,
    /// The function has descended, or `old` was never set.
    Accepting,
    /// Between accepting states.
    Cycle,
    /// Nothing holds.
    False,
}

type Key = (Role, Rc<BTreeSet<u32>>);

/// A state by itself: the numbers of the predicates that hold there.
pub type ComputedState = (Role, BTreeSet<u32>);

#[derive(Default)]
struct RankedStates {
    keys: Vec<Key>,
    numbers: HashMap<Key, StateId>,
    /// What holds when a state is left.
    leaving: Vec<Term>,
    successors: HashMap<(StateId, u32), StateSet>,
}

/// A module of traces that terminate by one ranking argument.
pub struct Ranked<'t> {
    triples: Rc<Triples<'t>>,
    letters: Rc<Letters>,
    /// What it is made from.
    pub argument: RankedParts,
    /// Which transitions are offered.
    pub stage: Stage,
    /// The predicates of the cycle that do not speak of old values.
    free_predicates: Vec<Term>,
    seeded: Term,
    decreased: Term,
    not_grown: Term,
    last_of_stem: u32,
    last_of_cycle: u32,
    states: RefCell<RankedStates>,
}

impl<'t> Ranked<'t> {
    /// The module of an argument for a lasso whose stem and cycle end with these steps.
    pub fn new(
        triples: Rc<Triples<'t>>,
        letters: Rc<Letters>,
        mut argument: RankedParts,
        stage: Stage,
        last: (u32, u32),
    ) -> Self {
        for predicates in [&mut argument.stem, &mut argument.cycle] {
            predicates.retain(|&predicate| triples.terms.as_truth(predicate).is_none());
            predicates.sort_unstable();
            predicates.dedup();
        }
        Self::with_states(triples, letters, argument, stage, last, &[])
    }

    /// The same with states that were computed before. The predicates of the argument are distinct and in the same order.
    pub fn with_states(
        triples: Rc<Triples<'t>>,
        letters: Rc<Letters>,
        argument: RankedParts,
        stage: Stage,
        (last_of_stem, last_of_cycle): (u32, u32),
        states: &[ComputedState],
    ) -> Self {
        let terms = triples.terms;
        let old: BTreeSet<Symbol> = argument.old.iter().copied().collect();
        let is_free = |predicate: &Term| terms.symbols(*predicate).is_disjoint(&old);
        let module = Self {
            free_predicates: argument.cycle.iter().copied().filter(is_free).collect(),
            seeded: argument.seeded(terms),
            decreased: argument.decreased(terms),
            not_grown: argument.not_grown(terms),
            last_of_stem,
            last_of_cycle,
            states: RefCell::default(),
            triples,
            letters,
            argument,
            stage,
        };
        module.state(Role::Stem, BTreeSet::new());
        module.state(Role::False, BTreeSet::new());
        for (role, predicates) in states {
            module.state(*role, predicates.clone());
        }
        module
    }

    /// The states that were computed so far, in their order.
    pub fn computed(&self) -> Vec<ComputedState> {
        self.states.borrow().keys.iter().map(|(role, predicates)| (*role, (**predicates).clone())).collect()
    }

    /// The steps with which the stem and the cycle of its lasso end.
    pub fn last_steps(&self) -> (u32, u32) {
        (self.last_of_stem, self.last_of_cycle)
    }

    fn terms(&self) -> &'t Terms {
        self.triples.terms
    }

    /// What was computed so far.
    pub fn explored(&self) -> ExploredModule {
        let states = self.states.borrow();
        let state = |(index, (role, _)): (usize, &Key)| ExploredState {
            role: match role {
                Role::Stem => "stem",
                Role::Accepting => "accepting",
                Role::Cycle => "cycle",
                Role::False => "false",
            },
            condition: states.leaving[index],
            is_initial: index == 0,
            is_accepting: matches!(role, Role::Accepting | Role::False),
        };
        let mut transitions: Vec<(usize, u32, usize)> = (states.successors.iter())
            .flat_map(|(&(from, step), to)| to.iter().map(move |to| (from.index(), step, to.index())))
            .collect();
        transitions.sort_unstable();
        ExploredModule { states: states.keys.iter().enumerate().map(state).collect(), transitions }
    }

    /// The states that were computed so far, with what holds there.
    pub fn annotations(&self) -> Vec<(Role, Vec<Term>)> {
        let states = self.states.borrow();
        let held = |(role, set): &Key| {
            let predicates = self.predicates_of(*role);
            (*role, set.iter().map(|&index| predicates[index as usize]).collect())
        };
        states.keys.iter().map(held).collect()
    }

    fn predicates_of(&self, role: Role) -> &[Term] {
        match role {
            Role::Stem => &self.argument.stem,
            Role::Accepting => &self.free_predicates,
            Role::Cycle | Role::False => &self.argument.cycle,
        }
    }

    fn state(&self, role: Role, set: BTreeSet<u32>) -> StateId {
        let key: Key = (role, Rc::new(set));
        if let Some(&known) = self.states.borrow().numbers.get(&key) {
            return known;
        }
        let terms = self.terms();
        let predicates = self.predicates_of(role);
        let known = terms.and(key.1.iter().map(|&index| predicates[index as usize]));
        let leaving = match role {
            Role::Stem | Role::Cycle => known,
            Role::Accepting => terms.and([known, self.seeded]),
            Role::False => terms.truth(false),
        };
        let states = &mut *self.states.borrow_mut();
        let id = StateId::from_index(states.keys.len());
        states.keys.push(key.clone());
        states.numbers.insert(key, id);
        states.leaving.push(leaving);
        id
    }

    /// Whether the function may be larger after a step than before.
    fn may_grow(&self, step: u32) -> bool {
        !self.triples.is_valid(&self.letters, self.seeded, step, self.not_grown)
    }

    fn successors(&self, from: StateId, step: u32) -> StateSet {
        let (role, before) = {
            let states = self.states.borrow();
            if let Some(known) = states.successors.get(&(from, step)) {
                return known.clone();
            }
            (states.keys[from.index()].0, states.leaving[from.index()])
        };
        let found: StateSet = self.compute(role, before, step).into_iter().collect();
        self.states.borrow_mut().successors.insert((from, step), found.clone());
        found
    }

    fn compute(&self, role: Role, before: Term, step: u32) -> Vec<StateId> {
        let terms = self.terms();
        let valid = |after: Term| self.triples.is_valid(&self.letters, before, step, after);
        let holding = |predicates: &[Term]| -> BTreeSet<u32> {
            (0..predicates.len() as u32).filter(|&index| valid(predicates[index as usize])).collect()
        };
        if role == Role::False || valid(terms.truth(false)) {
            return vec![self.state(Role::False, BTreeSet::new())];
        }
        let mut found = Vec::new();
        if role == Role::Stem {
            let grows = self.stage.stem == Leaving::WhereItGrows && self.may_grow(step);
            if step == self.last_of_stem || grows {
                found.push(self.state(Role::Accepting, holding(&self.free_predicates)));
            }
            if found.is_empty() || self.stage.stem != Leaving::AtOnce {
                found.push(self.state(Role::Stem, holding(&self.argument.stem)));
            }
            return found;
        }
        let may_enter = !self.stage.only_last_of_cycle || step == self.last_of_cycle;
        if may_enter && valid(self.decreased) {
            return vec![self.state(Role::Accepting, holding(&self.free_predicates))];
        }
        let set = holding(&self.argument.cycle);
        if !set.is_empty() {
            found.push(self.state(Role::Cycle, set));
        }
        found
    }
}

impl Module for Ranked<'_> {
    type Label = LetterId;

    fn initial(&self) -> StateSet {
        std::iter::once(self.state(Role::Stem, BTreeSet::new())).collect()
    }

    fn read(&self, state: StateId, letter: &LetterId) -> StateSet {
        self.successors(state, letter.step)
    }

    fn is_accepting(&self, state: StateId) -> bool {
        matches!(self.states.borrow().keys[state.index()].0, Role::Accepting | Role::False)
    }
}

/// The module of one lasso alone: the last resort.
#[derive(Clone)]
pub struct OneLasso {
    stem: Vec<u32>,
    cycle: Vec<u32>,
}

impl OneLasso {
    /// The module that accepts this lasso and nothing else.
    pub fn new(stem: &[LetterId], cycle: &[LetterId]) -> Self {
        let steps = |letters: &[LetterId]| letters.iter().map(|letter| letter.step).collect();
        Self { stem: steps(stem), cycle: steps(cycle) }
    }

    /// Its stem and its cycle in a row, and the length of the stem.
    pub fn word(&self) -> (Vec<u32>, usize) {
        (self.stem.iter().chain(&self.cycle).copied().collect(), self.stem.len())
    }
}

impl Module for OneLasso {
    type Label = LetterId;

    fn initial(&self) -> StateSet {
        std::iter::once(StateId::from_index(0)).collect()
    }

    fn read(&self, state: StateId, letter: &LetterId) -> StateSet {
        let at = state.index();
        let (expected, next) = match self.stem.get(at) {
            Some(&step) => (step, at + 1),
            None => {
                let place = at - self.stem.len();
                (self.cycle[place], self.stem.len() + (place + 1) % self.cycle.len())
            }
        };
        (expected == letter.step).then(|| StateId::from_index(next)).into_iter().collect()
    }

    fn is_accepting(&self, state: StateId) -> bool {
        state.index() == self.stem.len()
    }
}
