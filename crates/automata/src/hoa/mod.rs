//! Automata in the Hanoi Omega-Automata format, version 1 (<http://adl.github.io/hoaf>), as Spot, Owl and LTSmin
//! exchange them.
//!
//! [`parse`] reads all automata of a text into transition-based generalised Büchi automata over guards; it accepts
//! labels on edges, on states and implicit ones, aliases, acceptance on states, edges or both, and any acceptance
//! condition (those other than generalised Büchi at the price of copies of the automaton). Alternation is refused.
//! [`write()`] writes an automaton so that other tools accept it. What is read and written is a matter of text alone: no file is touched here.

mod acceptance;
mod atoms;
mod read;
#[doc(hidden)]
pub mod robustness;
mod syntax;
mod token;
mod write;

pub use read::{HoaAutomaton, Stream, parse};
pub use write::write;
