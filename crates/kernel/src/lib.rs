//! Follows proofs: a certificate that all executions of a program satisfy a goal is checked step by step, by means of
//! its own.
//!
//! Who wants to know what a checked proof rests on reads these, in this order; `docs/design/kernel.md` goes from file to file:
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`refutation`] | the steps of a proof: what must be so of invariants, modules and the graph, and who shows it |
//! | [`encode`] | the transition formulas of edges |
//! | [`tableau`] | that the automaton of the negated goal is not too small |
//!
//! There are less than 5,000 lines of code, which a test counts. It knows no engine, no analysis, and not the translation of
//! formulas to automata: an error in those must not hide itself here.

pub mod encode;
pub mod refutation;
pub mod tableau;
