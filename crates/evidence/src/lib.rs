//! Evidence in files: counterexamples and certificates with the question that they answer, written, read again, and executed
//! or checked again.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`saved`] | counterexamples, in a format of our own and in the competition's |
//! | [`certificates`] | proofs, and the search for the arguments of arithmetic in them |
//! | [`replay`](mod@replay) | the program that a file names, and the execution of a counterexample on it |
//!
//! What a file says is never believed.

pub mod certificates;
pub mod replay;
pub mod saved;
