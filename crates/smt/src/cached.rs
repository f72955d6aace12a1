//! Answers that are remembered.

use std::collections::VecDeque;

use foundation::collections::HashMap;
use logic::{Term, Terms};

use crate::{Model, Satisfiability, Solver};

/// So many models are kept; most queries that are satisfiable hold in a model of an earlier one.
const MOST_MODELS: usize = 8;

/// A solver that is asked closed questions only: is this term satisfiable by itself? Answers are remembered by term, and
/// recent models are tried before the solver is.
pub struct Cached<'t, S> {
    terms: &'t Terms,
    solver: S,
    known: HashMap<Term, Option<bool>>,
    models: VecDeque<Model>,
    hits: u64,
}

impl<'t, S: Solver> Cached<'t, S> {
    /// Over a solver that has no assertions.
    pub fn new(terms: &'t Terms, solver: S) -> Self {
        Self { terms, solver, known: HashMap::default(), models: VecDeque::new(), hits: 0 }
    }

    /// Whether a term has no model; `None` where the solver does not know.
    pub fn unsatisfiable(&mut self, term: Term) -> Option<bool> {
        if let Some(value) = self.terms.as_truth(term) {
            return Some(!value);
        }
        if let Some(answer) = self.known.get(&term) {
            self.hits += 1;
            return *answer;
        }
        let answer = self.decide(term);
        self.known.insert(term, answer);
        answer
    }

    /// Whether a term holds in all models; `None` where the solver does not know.
    pub fn valid(&mut self, term: Term) -> Option<bool> {
        self.unsatisfiable(self.terms.not(term))
    }

    /// Whether one term follows from another; `None` where the solver does not know.
    pub fn implies(&mut self, premise: Term, conclusion: Term) -> Option<bool> {
        self.unsatisfiable(self.terms.and([premise, self.terms.not(conclusion)]))
    }

    /// The solver. Whoever adds assertions must remove them.
    pub fn solver(&mut self) -> &mut S {
        &mut self.solver
    }

    /// What was decided so far, in the order of the terms: whether each has no model.
    pub fn decided(&self) -> Vec<(Term, bool)> {
        let decided = self.known.iter().filter_map(|(&term, answer)| Some((term, (*answer)?)));
        let mut decided: Vec<(Term, bool)> = decided.collect();
        decided.sort_unstable();
        decided
    }

    /// Takes over what somebody has decided before: whether a term has no model.
    pub fn learn(&mut self, term: Term, is_unsatisfiable: bool) {
        self.known.entry(term).or_insert(Some(is_unsatisfiable));
    }

    /// How many questions were answered from memory, or by an earlier model.
    pub fn hits(&self) -> u64 {
        self.hits
    }

    fn decide(&mut self, term: Term) -> Option<bool> {
        if let Some(at) = self.models.iter().position(|model| model.satisfies(self.terms, term)) {
            self.hits += 1;
            self.models.swap(0, at);
            return Some(false);
        }
        self.solver.push();
        self.solver.assert(term);
        let answer = match self.solver.check(&[]) {
            Satisfiability::Unsatisfiable => Some(true),
            Satisfiability::Unknown(_) => None,
            Satisfiability::Satisfiable => {
                self.models.truncate(MOST_MODELS - 1);
                let model = self.solver.model();
                self.models.push_front(model);
                Some(false)
            }
        };
        self.solver.pop();
        answer
    }
}
