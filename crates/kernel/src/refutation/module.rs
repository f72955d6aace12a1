//! Modules: automata whose states say what holds, so that a function would descend for ever along every trace that they
//! accept (Heizmann, Hoenicke and Podelski, CAV 2014).
//!
//! `old` is the tuple of the function's values at the last visit of an accepting state. Leaving an accepting state sets it;
//! an accepting state is entered again only where the function has descended: some part is smaller than its old value,
//! which was not negative, and the parts before it have not grown. That relation is well-founded on tuples of integers: the
//! first part never grows, so that it is lowered from a value that is not negative only finitely often; then the second.

use foundation::collections::{HashMap, HashSet};
use logic::{Sort, Symbol, Term, Terms};
use task::certificate::refutation::{RankedModule, Role};

use super::condition::ConditionReader;
use super::macrostate::ModuleStates;

pub(super) struct CheckedModule {
    roles: Vec<Role>,
    conditions: Vec<Vec<Term>>,
    /// That `old` is the value of the function.
    seeded: Term,
    /// That the function has descended below `old`.
    descended: Term,
    transitions: HashMap<(u32, u32), ModuleStates>,
}

impl CheckedModule {
    /// Reads a module and looks at its shape.
    pub fn new(terms: &Terms, module: &RankedModule, names: &dyn Fn(&str) -> Option<Term>) -> Result<Self, String> {
        let old: Vec<Symbol> =
            (0..module.function.len()).map(|index| terms.symbol(&format!("old.{index}"), Sort::Int)).collect();
        let is_old = |word: &str| word.strip_prefix("old.")?.parse::<usize>().ok().and_then(|index| old.get(index));
        let with_old = |word: &str| is_old(word).map(|&symbol| terms.variable(symbol)).or_else(|| names(word));
        let (plain, with_old) = (ConditionReader { terms, names }, ConditionReader { terms, names: &with_old });
        let function = module.function.iter().map(|part| plain.number(part)).collect::<Result<Vec<_>, String>>()?;
        let mut conditions = Vec::new();
        for state in &module.states {
            // Only between accepting states something may be said of the old values.
            let reader = if state.role == Role::Cycle { &with_old } else { &plain };
            conditions
                .push(state.condition.iter().map(|text| reader.condition(text)).collect::<Result<Vec<_>, String>>()?);
        }
        let old: Vec<Term> = old.into_iter().map(|symbol| terms.variable(symbol)).collect();
        let seeded = terms.and(old.iter().zip(&function).map(|(&old, &part)| terms.equal(old, part)));
        let descended = terms.or((0..function.len()).map(|index| {
            let not_grown = (0..index).map(|at| terms.less_equal(function[at], old[at]));
            let lower = [terms.less(function[index], old[index]), terms.less_equal(terms.integer(0), old[index])];
            terms.and(not_grown.chain(lower))
        }));
        let roles: Vec<Role> = module.states.iter().map(|state| state.role).collect();
        let transitions =
            module.transitions.iter().map(|(from, letter, to)| ((*from, *letter), to.iter().copied().collect()));
        let count = module.transitions.len();
        let module = Self { roles, conditions, seeded, descended, transitions: transitions.collect() };
        if module.transitions.len() != count {
            return Err("a module says twice what follows on a letter".to_owned());
        }
        module.has_shape()?;
        Ok(module)
    }

    /// Runs begin in a stem where nothing is known; from accepting states on there is at most one way.
    fn has_shape(&self) -> Result<(), String> {
        if self.roles[0] != Role::Stem || !self.conditions[0].is_empty() {
            return Err("a module begins in a state where something is known".to_owned());
        }
        for (&(from, _), to) in &self.transitions {
            let to: HashSet<Role> = to.iter().map(|&state| self.role(state)).collect();
            let is_bad = match self.role(from) {
                Role::Stem => to.contains(&Role::Cycle),
                _ => to.contains(&Role::Stem),
            };
            if is_bad {
                return Err(format!("a module leaves its state {from} in a way that it may not"));
            }
        }
        let branches = |((from, _), to): (&(u32, u32), &ModuleStates)| self.role(*from) != Role::Stem && to.len() > 1;
        match self.transitions.iter().find(|entry| branches(*entry)) {
            Some(((from, _), _)) => Err(format!("a module is not deterministic in its state {from}")),
            None => Ok(()),
        }
    }

    fn role(&self, state: u32) -> Role {
        self.roles[state as usize]
    }

    pub fn is_accepting(&self, state: u32) -> bool {
        matches!(self.role(state), Role::Accepting | Role::False)
    }

    /// The states that follow on a letter.
    pub fn next(&self, state: u32, letter: u32) -> ModuleStates {
        self.transitions.get(&(state, letter)).cloned().unwrap_or_default()
    }

    /// What holds when a state is left.
    pub fn leaving(&self, terms: &Terms, state: u32) -> Vec<Term> {
        match self.role(state) {
            Role::False => vec![terms.truth(false)],
            Role::Accepting => self.conditions[state as usize].iter().copied().chain([self.seeded]).collect(),
            Role::Stem | Role::Cycle => self.conditions[state as usize].clone(),
        }
    }

    /// What must hold when a state is entered from another.
    pub fn entering(&self, terms: &Terms, from: u32, to: u32) -> Vec<Term> {
        let held = self.conditions[to as usize].iter().copied();
        match self.role(to) {
            Role::False => vec![terms.truth(false)],
            Role::Accepting if self.role(from) != Role::Stem => held.chain([self.descended]).collect(),
            Role::Accepting | Role::Stem | Role::Cycle => held.collect(),
        }
    }
}
