//! Checks evidence, by means of its own: a verdict is reported only after something other than the engine that found it
//! has agreed.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`replay`](mod@replay) | runs a lasso in the interpreter, closes its loop, evaluates the goal by the definition of LTL |
//! | `answers`, `walk` | the program with its answers, as a deterministic system; what was seen on the way |
//! | `closing`, `relevance` | when the system repeats itself: exactly, or up to variables on which nothing depends |
//! | [`growth`](mod@growth) | when it does the same for ever although numbers grow |
//! | [`prefix`] | when nothing that follows can mend what was observed |
//! | `symbolic`, `polynomial` | one turn of a loop for all turns at once |
//! | `fairness` | which threads a loop starves |
//! | [`encode`] | the transition formulas of edges, for checking proofs |
//! | [`tableau`] | that the automaton of the negated goal is not too small |
//!
//! It trusts the interpreter (the semantics is what it says) and the evaluation of formulas on lasso words. It knows no
//! engine, no analysis, and not the translation of formulas to automata: an error in those must not hide itself here.

mod answers;
mod closing;
pub mod encode;
pub mod explore;
mod fairness;
pub mod growth;
mod polynomial;
pub mod prefix;
pub mod proof;
pub mod refutation;
mod relevance;
pub mod replay;
mod symbolic;
pub mod tableau;
mod walk;

pub use answers::Input;
pub use closing::Closing;
pub use fairness::Starved;
pub use growth::{Growth, confirm, grow};
pub use proof::{Proof, Unproved, prove, prove_with};
pub use refutation::Decider;
pub use replay::{Limits, Rejected, Replayed, replay, replay_within};
