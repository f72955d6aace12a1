//! Hoare triples `{p} step {q}` over the steps of letters, decided by the solver and remembered.
//!
//! Most triples are decided without the solver: what a step does not write stays true, and a condition that has nothing
//! in common with what is known before the step does not follow from it. What the solver does not know counts as not
//! valid, and as possible. What is known of single variables wherever control is (see [`Triples::know`]) may be used in
//! every triple.

use std::cell::RefCell;
use std::collections::BTreeSet;

use foundation::collections::{HashMap, HashSet};
use logic::{Symbol, Term, Terms};
use smt::{Cached, Solver, Z3};

use super::letter::Letters;
use crate::encode::Transition;

/// How triples were decided.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DecidedTriples {
    /// Without the solver.
    pub at_sight: u64,
    /// By the solver.
    pub by_solver: u64,
    /// Known from before.
    pub remembered: u64,
}

/// Decides Hoare triples.
pub struct Triples<'t> {
    /// The terms.
    pub terms: &'t Terms,
    solver: RefCell<Cached<'t, Z3<'t>>>,
    known: RefCell<KnownVariables>,
    valid: RefCell<HashMap<(Term, u32, Term), bool>>,
    decided: RefCell<DecidedTriples>,
}

/// What is known of single variables beforehand.
#[derive(Default)]
pub struct KnownVariables {
    /// What holds for a variable's value once it has been set.
    pub when_set: HashMap<Symbol, Term>,
    /// The variables that are set from the start.
    pub is_always_set: HashSet<Symbol>,
}

impl<'t> Triples<'t> {
    /// Nothing decided yet.
    pub fn new(terms: &'t Terms, solver: Z3<'t>) -> Self {
        Self {
            terms,
            solver: RefCell::new(Cached::new(terms, solver)),
            known: RefCell::default(),
            valid: RefCell::default(),
            decided: RefCell::default(),
        }
    }

    /// From here on this is known.
    pub fn know(&self, known: KnownVariables) {
        *self.known.borrow_mut() = known;
        self.valid.borrow_mut().clear();
    }

    /// What is known of some variables wherever control is.
    pub fn known_of<'s>(&self, symbols: impl IntoIterator<Item = &'s Symbol>) -> Term {
        self.terms.and(symbols.into_iter().filter_map(|symbol| self.known(*symbol)).collect::<Vec<_>>())
    }

    /// What is known of a variable wherever control is.
    pub fn known(&self, symbol: Symbol) -> Option<Term> {
        let known = self.known.borrow();
        known.when_set.get(&symbol).filter(|_| known.is_always_set.contains(&symbol)).copied()
    }

    /// What is known of some variables where each of them has been set.
    pub fn known_when_set<'s>(&self, symbols: impl IntoIterator<Item = &'s Symbol>) -> Term {
        let known = self.known.borrow();
        self.terms.and(symbols.into_iter().filter_map(|symbol| known.when_set.get(symbol).copied()).collect::<Vec<_>>())
    }

    /// How triples were decided so far.
    pub fn decided(&self) -> DecidedTriples {
        *self.decided.borrow()
    }

    /// The formulas that the solver has decided so far: whether each has no model.
    pub fn decided_formulas(&self) -> Vec<(Term, bool)> {
        self.solver.borrow().decided()
    }

    /// Takes over formulas that were decided before.
    pub fn learn(&self, formulas: impl Iterator<Item = (Term, bool)>) {
        let mut solver = self.solver.borrow_mut();
        formulas.for_each(|(formula, is_unsatisfiable)| solver.learn(formula, is_unsatisfiable));
    }

    /// Uses the solver for something else.
    pub fn with_solver<T>(&self, use_solver: impl FnOnce(&mut Z3<'t>) -> T) -> T {
        use_solver(self.solver.borrow_mut().solver())
    }

    /// Whether a condition can never hold.
    pub fn is_impossible(&self, condition: Term) -> bool {
        let known = self.known_of(self.terms.symbols(condition).iter());
        let mut solver = self.solver.borrow_mut();
        solver.solver().set_kind("triple");
        solver.unsatisfiable(self.terms.and([condition, known])) == Some(true)
    }

    /// Whether `{before} step {after}` is valid.
    pub fn is_valid(&self, letters: &Letters, before: Term, step: u32, after: Term) -> bool {
        if self.terms.as_truth(after) == Some(true) || self.terms.as_truth(before) == Some(false) {
            return true;
        }
        let key = (before, step, after);
        if let Some(&known) = self.valid.borrow().get(&key) {
            self.decided.borrow_mut().remembered += 1;
            return known;
        }
        let valid = self.decide(before, &letters.step_numbered(step), after);
        self.valid.borrow_mut().insert(key, valid);
        valid
    }

    fn decide(&self, before: Term, step: &Transition, after: Term) -> bool {
        let terms = self.terms;
        let seen = terms.symbols(after);
        let untouched = seen.iter().all(|symbol| !step.updates.contains_key(symbol));
        if untouched && contains(terms, before, after) {
            self.decided.borrow_mut().at_sight += 1;
            return true;
        }
        // What is known of the variables afterwards may be used as well; a step that nothing may follow leads nowhere.
        let is_seen = |symbol: &Symbol| seen.contains(symbol) || terms.as_truth(after) == Some(false);
        let written: Vec<Symbol> = step.updates.keys().copied().filter(is_seen).collect();
        let refuted = terms.and([terms.not(after), self.known_when_set(&written)]);
        let refuted = step.after(terms, refuted);
        let known = terms.and([before, step.guard, step.known]);
        if refuted == terms.truth(false) || known == terms.truth(false) {
            self.decided.borrow_mut().at_sight += 1;
            return true;
        }
        // What the refutation can share variables with, directly or by others, is all that matters, as long as the rest
        // is possible.
        let (near, far) = split(terms, known, &terms.symbols(refuted));
        let query = terms.and([near, refuted]);
        self.decided.borrow_mut().by_solver += 1;
        if self.is_impossible(query) {
            return true;
        }
        far != terms.truth(true) && self.is_impossible(far)
    }
}

/// Whether all conjuncts of one condition are conjuncts of the other.
fn contains(terms: &Terms, whole: Term, part: Term) -> bool {
    let all: BTreeSet<Term> = terms.conjuncts(whole).into_iter().collect();
    terms.conjuncts(part).iter().all(|conjunct| all.contains(conjunct))
}

/// The conjuncts that are connected with some symbols through shared symbols, and the others.
pub fn split(terms: &Terms, condition: Term, symbols: &BTreeSet<Symbol>) -> (Term, Term) {
    let mut rest = terms.conjuncts(condition);
    let mut connected: BTreeSet<Symbol> = symbols.clone();
    let mut near = Vec::new();
    loop {
        let (more, others): (Vec<Term>, Vec<Term>) =
            rest.into_iter().partition(|&conjunct| !terms.symbols(conjunct).is_disjoint(&connected));
        rest = others;
        if more.is_empty() {
            break;
        }
        for conjunct in &more {
            connected.extend(terms.symbols(*conjunct).iter().copied());
        }
        near.extend(more);
    }
    (terms.and(near), terms.and(rest))
}
