//! Judges evidence: a verdict is reported only after something other than the engine that found it has agreed.
//!
//! There are four kinds of evidence, and a crate for each, which can be read alone:
//!
//! | evidence | crate |
//! | --- | --- |
//! | a counterexample | [`replay`](mod@::replay) executes it |
//! | one that need not come back to a state | [`recurrence`] follows all turns of its loop |
//! | a proof | [`kernel`] follows it step by step |
//! | a closed state space | [`recheck`] visits it again |
//!
//! Here is chosen which of them judges what.

pub mod inclusion;
mod proof;
mod violation;

pub use ::replay::{
    Closing, Growth, Rejected, ReplayLimits, Replayed, ReplayedInput, Starved, grow, replay, replay_within,
};
pub use kernel::refutation;
pub use proof::{Proof, Unproved, prove, prove_with};
pub use recheck;
pub use recurrence;
pub use smt::Decider;
pub use violation::confirm;
