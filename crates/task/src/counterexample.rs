//! What shows that a program violates its property.

use program::semantics::Answer;

use crate::recurrent_set::RecurrentSet;

/// What shows a violation.
#[derive(Clone, PartialEq, Debug)]
pub enum Counterexample {
    /// An execution that goes round for ever with the same answers and comes back to a state, as far as states matter.
    Lasso(Lasso),
    /// An execution that goes on for ever and need not come back to a state, with the reason why it goes on.
    Recurrent {
        /// The answers of the stem, which leads into the set, and those of the first turn from there.
        answers: Lasso,
        /// The set that no turn leaves.
        set: Box<RecurrentSet>,
    },
}

impl Counterexample {
    /// The answers of the stem and of the first turn after it.
    pub fn answers(&self) -> &Lasso {
        match self {
            Counterexample::Lasso(lasso) | Counterexample::Recurrent { answers: lasso, .. } => lasso,
        }
    }
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
