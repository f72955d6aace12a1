//! Temporal properties and the automata that recognise them.
//!
//! [`ltl`] is the property language: formulas, their texts, and their meaning on words by the definition. [`buchi`]
//! holds automata on infinite words, [`translate`] makes them from formulas, [`algorithms`] is what is done with them,
//! [`hoa`] their exchange format, and [`kripke`] the simplest thing that properties are checked on. Atoms are opaque
//! here: whoever gives a word says which of them hold at each position. This crate knows neither programs nor the
//! syntax of expressions inside atoms, and does no input or output.
//!
//! # Example
//!
//! Every word of `G F p` is one of `F p`, but not the other way round: no word satisfies the first and not the second.
//!
//! ```
//! use semper_automata::algorithms::emptiness::is_empty;
//! use semper_automata::ltl::{self, Formulas};
//! use semper_automata::translate::{Options, translate};
//! use foundation::{Budget, SourceMap};
//!
//! let is_satisfiable = |text: &str| {
//!     let (mut sources, mut formulas) = (SourceMap::new(), Formulas::default());
//!     let source = sources.add("example", text);
//!     let formula = ltl::parse(&sources, source, &mut formulas).expect("it is a formula");
//!     let translation = translate(&mut formulas, formula, &Options::default()).expect("it is small");
//!     !is_empty(&translation.automaton, &Budget::unlimited()).expect("there is no limit")
//! };
//! assert!(!is_satisfiable("G F p && ! F p"));
//! assert!(is_satisfiable("F p && ! G F p"));
//! ```
//!
//! `cargo run -p semper-automata --example hoa -- 'G (request -> F grant)'` prints the automaton of a formula.

pub mod algorithms;
pub mod buchi;
pub mod hoa;
pub mod kripke;
pub mod ltl;
pub mod translate;
