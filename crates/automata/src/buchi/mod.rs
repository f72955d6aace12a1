//! Automata on infinite words: the objects. Algorithms on them stand elsewhere, as free functions.
//!
//! - [`Automaton`] is an explicit transition-based generalised Büchi automaton: every edge carries a label and the
//!   acceptance sets it belongs to, and a run is accepted if it takes edges of every set infinitely often
//!   (Couvreur, *On-the-fly verification of linear temporal logic*, FM 1999).
//! - [`Successors`] is the same thing computed on demand; products and complements are lazy implementations of it.
//! - [`Label`] is what an alphabet must offer. [`Guard`] is a Boolean function over the atoms of formulas,
//!   [`Symbol`] an exact letter.
//! - [`accepts`](accepts()) says by brute force whether an automaton accepts a lasso word.
//!
//! Nothing here knows formulas or how automata come about.

pub mod accepts;
pub mod automaton;
pub mod components;
pub mod guard;
pub mod label;
pub mod marks;
pub mod render;
pub mod successors;

pub use accepts::accepts;
pub use automaton::{Automaton, Edge, StateId};
pub use components::{ComponentId, Components};
pub use guard::Guard;
pub use label::{Label, Symbol};
pub use marks::Marks;
pub use successors::{Move, Successors, WrittenOut, explore};
