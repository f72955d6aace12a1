//! From program to logic: edges as transition formulas.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`step`](mod@step) | guarded simultaneous assignments, the form of all transition formulas |
//! | [`vocabulary`] | the symbols that stand for a program's variables, and what is known of their values |
//! | [`expression`] | expressions as terms, with when they are defined |
//! | `bits` | operations on bits, and what arithmetic may know of them |
//! | [`memory`] | the objects that pointers reach: their addresses and cells |
//! | [`access`] | places as cells, addresses as numbers |
//! | [`heap`] | what begins and ends with lifetimes |
//! | [`edge`](mod@edge) | edges as steps |
//! | [`initial`] | the state at the start |
//!
//! Under ideal integers arithmetic is that of the integers. Under machine integers every result that may leave its
//! type's range is brought back by a remainder, so that the encoding is exact; where the ranges of the operands show that
//! nothing can wrap, no remainder is written. Division truncates towards zero, as C does. What cannot be encoded is
//! refused with its place in the source.

pub mod access;
mod bits;
pub mod edge;
pub mod expression;
pub mod heap;
pub mod initial;
pub mod memory;
pub mod step;
pub mod vocabulary;

pub use edge::{Exit, Passage};
pub use step::Transition;
pub use vocabulary::Vocabulary;
