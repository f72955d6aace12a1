//! Boxes that cover all reachable states: an inductive invariant that is a union of boxes, at cutpoints of which every cycle of
//! the program has one.
//!
//! A *box* says, for some parts of variables, in which intervals their values lie (Gurfinkel and Chaki, "Boxes: a symbolic
//! abstract domain of boxes", SAS 2010). Every step from a state in one of the boxes to the next cutpoint leads into a box
//! again; so the boxes are the states of a finite graph that shows whatever the program does, and perhaps more. No
//! accepting run of the automaton of the negated goal is in that graph.
//!
//! Locations and variables are those of the task's program right after inlining.

use automata::buchi::{Automaton, Guard};
use program::{LocationId, VariableId};

/// Boxes that cover all reachable states, and the automaton that accepts nothing among them.
#[derive(Clone, Debug)]
pub struct Cover {
    /// The automaton of the negated goal.
    pub automaton: Automaton<Guard>,
    /// The boxes.
    pub boxes: Vec<CoverBox>,
    /// How many transitions the engine has found between them.
    pub transitions: u64,
}

/// A set of states in which control is at one location.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CoverBox {
    /// Where control is.
    pub location: LocationId,
    /// What is known of the values there, by ascending parts. Of a part that is not named nothing is known.
    pub values: Vec<(Part, Intervals)>,
}

/// A scalar in a variable, or all scalars of which one is in each element of an array.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Part {
    /// The variable.
    pub variable: VariableId,
    /// Its place among the scalars of the variable's type, in the order in which they lie there. The elements of an array
    /// count as one.
    pub number: u32,
}

/// Sets of integers as intervals, both bounds included, in ascending order and without overlap. `i128::MIN` and
/// `i128::MAX` stand for no bound.
pub type Intervals = Vec<(i128, i128)>;
