//! What shows that a property holds: the evidence that engines hand over and that something else checks.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`refutation`] | all fair traces shown to be infeasible: modules, and the graph that they cover |
//! | [`cover`] | boxes that contain all reachable states |
//! | [`steps`] | arguments of linear arithmetic for steps of a proof |
//! | [`sexp`] | the bracketed text that certificates are written in |
//! | [`text`] | certificates as text and back: `docs/certificate-format.md` |
//!
//! Nothing here decides whether a certificate is right: that is for `certify`.

pub mod cover;
pub mod refutation;
pub mod sexp;
pub mod steps;
pub mod text;

use automata::buchi::{Automaton, Guard};

pub use cover::Cover;
pub use refutation::Refutation;

/// What shows that a goal holds.
#[derive(Clone, Debug)]
pub enum Certificate {
    /// All reachable states of the product were visited, and no accepting cycle is among them.
    ClosedStateSpace(ClosedStateSpace),
    /// All fair traces of the program beside the negated property were shown to be infeasible.
    Refutation(Box<Refutation>),
    /// All reachable states lie in boxes between which no accepting cycle is.
    Cover(Box<Cover>),
    /// An argument that the engine cannot write down yet.
    Unwritten(Unwritten),
}

/// A state space without an accepting cycle. It is not written down: whoever checks it explores it again.
#[derive(Clone, Debug)]
pub struct ClosedStateSpace {
    /// The automaton of the negated goal.
    pub automaton: Automaton<Guard>,
    /// How many states the engine has visited.
    pub states: u64,
    /// How many transitions.
    pub transitions: u64,
}

/// An argument that was not written down.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unwritten {
    /// How many sets of traces were refuted by a prefix.
    pub finite: usize,
    /// How many by a ranking function.
    pub ranked: usize,
    /// Why it was not written down.
    pub why: String,
}
