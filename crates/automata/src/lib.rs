//! Temporal properties and the automata that recognise them.
//!
//! [`ltl`] is the property language: formulas, their texts, and their meaning on words by the definition. Atoms are
//! opaque here: whoever gives a word says which of them hold at each position. This crate knows neither programs nor
//! the syntax of expressions inside atoms, and does no input or output.

pub mod ltl;
