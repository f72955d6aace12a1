//! Passes: each makes a new program from one, and returns the way back, so that what is found in the new program is
//! told in terms of the old one. [`back`] is the type of such ways, which compose.
//!
//! [`interleave`] is for programs with threads. For engines that want a program without calls, [`prepared`] inlines it
//! and simplifies it by the other passes, keeping everything that a property can tell apart; [`run`](mod@run) says what
//! that is.

pub mod atoms;
pub mod back;
pub mod constants;
pub mod contract;
mod facts;
mod flow;
mod fold;
pub mod inline;
pub mod interleave;
mod parts;
pub mod pointers;
pub mod prepared;
pub mod promote;
mod quiet;
mod reached;
pub mod rename;
pub mod run;
pub mod slice;
mod uses;

pub use back::BackTranslation;
pub use prepared::{NotPrepared, Prepared, prepare, simplify};
pub use uses::used_variables;
