//! Terms of first-order logic over integers, bit-vectors, arrays and truth values, as engines build them and solvers
//! decide them.
//!
//! A [`Term`] is an index into a hash-consing arena, [`Terms`]: equal terms have equal ids, so comparing and caching cost
//! nothing. Constructors bring terms into a normal form as they go: sums are linear combinations, comparisons of integers
//! are `linear <= 0` with coefficients that share no divisor, conjunctions and disjunctions are flat, sorted and without
//! repetition. What a normal form is worth is in the tests: no constructor may change the value of a term.
//!
//! Integers are mathematical integers; division and remainder are those of SMT-LIB (the remainder is never negative), and
//! have no value where the divisor is zero.
//!
//! In certificates a term is spelled by its content alone ([`Bracketed`]), and taken apart into facts of arithmetic by
//! what is written ([`facts`](fn@facts)).
//!
//! This room knows no solver and no programs.

mod arithmetic;
mod arrays;
mod bits;
mod boolean;
mod bounds;
mod detached;
mod display;
mod evaluate;
mod facts;
mod linear;
mod normal_form;
mod rewrite;
mod smt_lib;
mod sort;
mod spelling;
mod terms;

pub use detached::Detached;
pub use evaluate::Value;
pub use facts::{Fact, LinearForm, facts};
pub use linear::Linear;
pub use sort::Sort;
pub use spelling::{Bracketed, Expression, Spelled};
pub use terms::{BitOperation, Node, Symbol, Term, Terms};
