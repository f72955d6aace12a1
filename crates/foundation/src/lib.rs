//! What every other room of Semper may stand on: typed ids over arenas, places in source text, diagnostics as
//! values, the budget a computation may spend, and random numbers that can be had again.
//!
//! This crate knows nothing of programs, formulas or engines, does no input or output, and never prints.

pub mod budget;
pub mod collections;
pub mod diagnostic;
pub mod ids;
pub mod random;
#[doc(hidden)]
pub mod robustness;
pub mod source;

pub use budget::{Budget, Exhausted};
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity};
pub use ids::{Arena, Id};
pub use random::SplitMix64;
pub use source::{Location, SourceId, SourceMap, Span};
