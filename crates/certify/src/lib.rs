//! Checks evidence, by means of its own: a verdict is reported only after something other than the engine that found it
//! has agreed.
//!
//! There are three kinds of evidence, and a part of the crate for each, which can be read alone.
//!
//! *A counterexample* is executed:
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
//!
//! *A proof* is followed step by step. Who wants to know what a checked proof rests on reads these, in this order:
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`proof`] | where a certificate comes in |
//! | [`refutation`] | the steps of a proof: what must be so of invariants, modules and the graph, and who shows it |
//! | [`encode`] | the transition formulas of edges |
//! | [`tableau`] | that the automaton of the negated goal is not too small |
//!
//! *A closed state space* is visited again:
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`explore`](mod@explore) | all states of the program beside the automaton, by the interpreter or by a generated C program |
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
