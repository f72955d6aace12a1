//! Kripke structures: a small text format, pictures, and their view as automata.
//!
//! - [`Kripke`] is the structure; [`parse`](parse::parse) reads it, [`Kripke::text`] and [`Kripke::dot`] write it.
//! - [`Observed`] is its view as an automaton, whose letters say which atoms of some formulas hold.

pub mod parse;
mod print;
#[doc(hidden)]
pub mod robustness;
pub mod structure;
pub mod view;

pub use parse::parse;
pub use print::{KripkeDot, KripkeText};
pub use structure::{Kripke, KripkePath, KripkeState, Proposition};
pub use view::{KripkePosition, Observed};
