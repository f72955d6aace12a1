//! Static analysis of programs: what can be said of all runs without running any.
//!
//! Everything here but [`relational`] works on a [`program::Program`] and is sound for machine and for ideal integers alike.
//! Programs whose calls are inlined and that have no threads get precise answers; all others get coarser ones that are
//! still sound.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`fixpoint`], [`flow`] | the one engine: a worklist over locations, forwards and backwards, with widening; the graph it works on |
//! | [`observed`] | what observations read, which the caller knows |
//! | [`liveness`] | which variables may still be read |
//! | [`initialised`] | which variables are assigned before they are read |
//! | [`numbers`] | sets of integers: small explicit ones, and intervals |
//! | [`ranges`] | which values a variable can ever hold |
//! | [`partition`] | finitely many inputs that stand for all |
//! | [`reachable`] | which functions an execution may enter |
//! | [`races`] | which accesses of threads may race |
//! | [`points_to`] | where pointers lead, and at which offsets |
//! | [`resolved`] | numbers and names in place of pointers that lead into few variables |
//! | [`relational`] | which linear constraints hold at the nodes of a transition system in logic: intervals, congruences, octagons |
//! | [`cells`], [`assignments`], [`expressions`], [`variable_set`] | what they share: parts of variables, what is written to them, facts about expressions, sets of variables |
//!
//! Nothing here knows solvers, engines or the syntax of C.

pub mod assignments;
pub mod cells;
pub mod expressions;
pub mod fixpoint;
pub mod flow;
pub mod initialised;
pub mod liveness;
pub mod numbers;
pub mod observed;
pub mod partition;
pub mod points_to;
pub mod races;
pub mod ranges;
pub mod reachable;
pub mod relational;
pub mod resolved;
pub mod variable_set;

pub use initialised::Initialised;
pub use liveness::Liveness;
pub use numbers::{Interval, Values};
pub use observed::{Everywhere, Observations, ReadByAtoms};
pub use partition::{Domains, InputDomain, RefusedInput};
pub use points_to::PointsTo;
pub use ranges::Ranges;
pub use variable_set::VariableSet;
