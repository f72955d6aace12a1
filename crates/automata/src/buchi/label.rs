//! What an alphabet must offer, and the simplest alphabet: exact letters.
//!
//! The label of an edge stands for a non-empty set of letters. Algorithms combine labels by the three operations of
//! [`Label`] and never look inside, so that the letters can be valuations of atoms as well as edges of a program.

use std::fmt::Debug;
use std::hash::Hash;

/// A non-empty set of letters. The operations are here for sets of one letter each; other sets bring their own.
pub trait Label: Clone + Eq + Hash + Debug {
    /// The letters in both, or nothing if there is none.
    fn meet(&self, other: &Self) -> Option<Self> {
        (self == other).then(|| self.clone())
    }

    /// The letters of this one that are not in the other, or nothing if there is none.
    fn minus(&self, other: &Self) -> Option<Self> {
        (self != other).then(|| self.clone())
    }

    /// The letters in either, or nothing if no single label stands for them.
    fn join(&self, other: &Self) -> Option<Self> {
        (self == other).then(|| self.clone())
    }

    /// Whether all letters of this one are in the other.
    fn implies(&self, other: &Self) -> bool {
        self.minus(other).is_none()
    }
}

/// An exact letter, by its number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Symbol(pub u32);

impl Label for Symbol {}

impl std::fmt::Display for Symbol {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}
