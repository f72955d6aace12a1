//! Executes counterexamples: a violation is reported only after the interpreter has shown it.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`replay`](mod@replay) | runs a lasso in the interpreter, closes its loop, evaluates the goal by the definition of LTL |
//! | `answers`, `walk` | the program with its answers, as a deterministic system; what was seen on the way |
//! | `closing` | when the system repeats itself: exactly, or up to variables on which nothing depends |
//! | [`growth`](mod@growth) | when it does the same for ever although numbers grow |
//! | [`prefix`] | when nothing that follows can mend what was observed |
//! | `symbolic`, `polynomial` | one iteration of a loop for all iterations at once |
//! | [`iteration`] | an iteration of which others have shown that all iterations show the same |
//! | `fairness` | which threads a loop starves |
//!
//! It trusts the interpreter (the semantics is what it says) and the evaluation of formulas on lasso words.

mod answers;
mod closing;
mod fairness;
pub mod growth;
pub mod iteration;
mod polynomial;
pub mod prefix;
pub mod replay;
mod symbolic;
mod walk;

pub use answers::ReplayedInput;
pub use closing::Closing;
pub use fairness::Starved;
pub use growth::{Growth, confirm, grow};
pub use replay::{Rejected, ReplayLimits, Replayed, replay, replay_within};
