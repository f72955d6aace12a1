//! What shows that a program violates its property.

use program::semantics::{Answer, Value};

/// What shows a violation.
#[derive(Clone, PartialEq, Debug)]
pub enum Counterexample {
    /// An execution that repeats itself.
    Lasso(Lasso),
    /// An execution that goes round for ever and need not come back to a state.
    Growing(Growing),
}

/// An execution, by the answers to everything that the program does not determine: inputs, what is not initialised,
/// schedules. They are in the order in which the interpreter asks while it executes [`Task::program`](crate::Task).
///
/// The answers of the cycle are given again and again. Where the program ends, or goes round without asking anything,
/// the cycle has no answers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lasso {
    /// The answers before the cycle.
    pub stem: Vec<Answer>,
    /// The answers of the cycle.
    pub cycle: Vec<Answer>,
}

/// An execution like that of a [`Lasso`], whose answers may change from turn to turn of the cycle.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Growing {
    /// The answers before the cycle.
    pub stem: Vec<Answer>,
    /// The answers of the cycle.
    pub cycle: Vec<ChangingAnswer>,
}

/// An answer that is another one in each turn: after `t` turns, the first one plus `t` times the change.
#[derive(Clone, PartialEq, Debug)]
pub struct ChangingAnswer {
    /// The answer in the first turn.
    pub first: Answer,
    /// By how much it changes: an integer, and 0 where the answer is no integer.
    pub change: Value,
}

impl Growing {
    /// The lasso with the same answers, if they are the same in each turn.
    pub fn as_lasso(&self) -> Option<Lasso> {
        let is_same = |answer: &ChangingAnswer| answer.change == Value::int(0);
        let cycle = || self.cycle.iter().map(|answer| answer.first.clone()).collect();
        self.cycle.iter().all(is_same).then(|| Lasso { stem: self.stem.clone(), cycle: cycle() })
    }
}
