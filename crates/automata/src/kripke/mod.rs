//! Kripke structures: a small text format, pictures, and the check of a formula on them.
//!
//! - [`Kripke`] is the structure; [`parse`](parse::parse) reads it, [`Kripke::text`] and [`Kripke::dot`] write it.
//! - [`Observed`] is its view as an automaton, whose letters say which atoms of some formulas hold.
//! - [`check_formula`] looks for a path that violates a formula; [`check()`] for one that an automaton accepts.

pub mod check;
pub mod parse;
mod print;
#[doc(hidden)]
pub mod robustness;
pub mod structure;
pub mod view;

pub use check::{KripkePath, NotChecked, check, check_formula};
pub use parse::parse;
pub use print::{KripkeDot, KripkeText};
pub use structure::{Kripke, KripkeState, Proposition};
pub use view::{KripkePosition, Observed};
