//! Temporal properties and the automata that recognise them.
//!
//! [`ltl`] is the property language: formulas, their texts, and their meaning on words by the definition. [`buchi`]
//! holds automata on infinite words, [`translate`] makes them from formulas, [`algorithms`] is what is done with them,
//! [`hoa`] their exchange format, and [`kripke`] the simplest thing that properties are checked on. Atoms are opaque
//! here: whoever gives a word says which of them hold at each position. This crate knows neither programs nor the
//! syntax of expressions inside atoms, and does no input or output.

pub mod algorithms;
pub mod buchi;
pub mod hoa;
pub mod kripke;
pub mod ltl;
pub mod translate;
