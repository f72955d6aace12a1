//! Deciding terms of [`logic`]: one interface, [`Solver`], and two back ends behind it. [`Z3`] is linked and fast,
//! [`SmtLib`] is any solver that speaks SMT-LIB 2 over a pipe, a second opinion. [`Decider`] says which of them is asked.
//!
//! A solver may answer that it does not know; whoever asks must treat that as "neither proved nor refuted". No query
//! outlives the budget it was given by more than a moment. This room knows no programs and no properties.

mod bits;
mod cached;
mod decider;
mod eliminate;
mod limits;
mod model;
mod native;
mod pipe;
pub mod reals;
mod s_expression;
mod solver;
mod statistics;
mod translate;
mod watch;

pub use cached::Cached;
pub use decider::{Answered, Decider, Deciders};
pub use eliminate::{Eliminated, QuantifiedFormula, eliminate_by_rules};
pub use model::Model;
pub use native::Z3;
pub use pipe::{SmtLib, bundled_z3};
pub use solver::{Satisfiability, Solver};
pub use statistics::{KindStatistics, QueryStatistics};
pub use watch::in_own_context;
