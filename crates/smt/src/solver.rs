//! What a solver can be asked.

use logic::{Symbol, Term};

use crate::{Model, QueryStatistics};

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Satisfiability {
    /// There is a model.
    Satisfiable,
    /// There is none.
    Unsatisfiable,
    /// The solver gave up, for this reason: `steps`, `time`, `memory`, `work`, `cancelled`, or its own words.
    Unknown(String),
}

impl Satisfiability {
    /// Whether the answer is [`Satisfiability::Satisfiable`].
    pub fn is_satisfiable(&self) -> bool {
        *self == Satisfiability::Satisfiable
    }

    /// Whether the answer is [`Satisfiability::Unsatisfiable`].
    pub fn is_unsatisfiable(&self) -> bool {
        *self == Satisfiability::Unsatisfiable
    }
}

/// A solver with a stack of assertions, over the terms of one arena.
pub trait Solver {
    /// Opens a level of assertions.
    fn push(&mut self);

    /// Forgets the assertions of the level that was opened last.
    fn pop(&mut self);

    /// Adds an assertion to the level that was opened last.
    fn assert(&mut self, term: Term);

    /// Whether all assertions and the assumptions, any terms that are truth values, have a model together.
    fn check(&mut self, assumptions: &[Term]) -> Satisfiability;

    /// After an unsatisfiable check: assumptions that have no model together with the assertions. Not always a least set.
    /// Empty after any other operation.
    fn core(&mut self) -> Vec<Term>;

    /// After a satisfiable check: the model. Empty after any other operation.
    fn model(&mut self) -> Model;

    /// A term without quantifiers that holds exactly where some values of the symbols make `body` true; `None` where the
    /// solver finds none. Assertions do not count.
    fn eliminate(&mut self, exists: &[Symbol], body: Term) -> Option<Term>;

    /// An equivalent term that is hopefully simpler; assertions do not count.
    fn simplify(&mut self, term: Term) -> Term;

    /// Names the kind of the queries to come, for the statistics.
    fn set_kind(&mut self, kind: &'static str);

    /// What was asked so far.
    fn statistics(&self) -> &QueryStatistics;
}

/// A borrowed solver is a solver.
impl<S: Solver + ?Sized> Solver for &mut S {
    fn push(&mut self) {
        (**self).push();
    }
    fn pop(&mut self) {
        (**self).pop();
    }
    fn assert(&mut self, term: Term) {
        (**self).assert(term);
    }
    fn check(&mut self, assumptions: &[Term]) -> Satisfiability {
        (**self).check(assumptions)
    }
    fn core(&mut self) -> Vec<Term> {
        (**self).core()
    }
    fn model(&mut self) -> Model {
        (**self).model()
    }
    fn eliminate(&mut self, exists: &[Symbol], body: Term) -> Option<Term> {
        (**self).eliminate(exists, body)
    }
    fn simplify(&mut self, term: Term) -> Term {
        (**self).simplify(term)
    }
    fn set_kind(&mut self, kind: &'static str) {
        (**self).set_kind(kind);
    }
    fn statistics(&self) -> &QueryStatistics {
        (**self).statistics()
    }
}
