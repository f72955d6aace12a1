//! What shows that a program violates its property.

use program::semantics::Answer;

/// What shows a violation.
#[derive(Clone, PartialEq, Debug)]
pub enum Counterexample {
    /// An execution that goes round for ever with the same answers. Its states may repeat themselves or grow.
    Lasso(Lasso),
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
