//! What an engine is asked: whether all executions of a program satisfy a formula.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use automata::ltl::{AtomId, Formula, Formulas};
use program::semantics::Semantics;
use program::{Atom, Program};

use crate::goal::Goal;

/// A program and one property of it.
#[derive(Clone, Debug)]
pub struct Task {
    /// The program as the interpreter executes it: threads may be interrupted between any two of its edges (or between
    /// full expressions, where [`Semantics::atomicity`] says so).
    pub program: Arc<Program>,
    /// The meaning of every atom of `formulas`, in the order of their ids.
    pub atoms: Arc<[Atom]>,
    /// The formulas among which a linear goal is found.
    pub formulas: Formulas,
    /// What is to hold.
    pub goal: Goal,
    /// By which semantics the program is read.
    pub semantics: Semantics,
    /// Which schedules count.
    pub scheduler: Scheduler,
}

/// Which schedules of threads count.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Scheduler {
    /// All of them, also those that starve a thread.
    #[default]
    Any,
    /// Those in which every thread that is able to run from some point on for ever runs infinitely often.
    WeakFair,
    /// Those in which every thread that is able to run infinitely often runs infinitely often.
    StrongFair,
}

impl Scheduler {
    /// All schedulers with the names that the command line gives them.
    pub const ALL: &'static [(&'static str, Scheduler)] =
        &[("any", Scheduler::Any), ("weak-fair", Scheduler::WeakFair), ("strong-fair", Scheduler::StrongFair)];
}

impl fmt::Display for Scheduler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Self::ALL.iter().find(|(_, scheduler)| scheduler == self).map_or("any", |(name, _)| name);
        f.write_str(name)
    }
}

impl FromStr for Scheduler {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|(name, _)| *name == text).map(|&(_, scheduler)| scheduler);
        found.ok_or_else(|| format!("`{text}` is not a scheduler: choose from `any`, `weak-fair`, `strong-fair`"))
    }
}

impl Task {
    /// The atoms that the goal looks at, in ascending order.
    pub fn goal_atoms(&self) -> Vec<AtomId> {
        self.goal.atoms(&self.formulas)
    }

    /// The formula that every execution is to satisfy.
    ///
    /// # Panics
    ///
    /// Where the goal is not linear: whoever asks knows that it is.
    pub fn formula(&self) -> Formula {
        self.goal.linear().expect("only linear goals come here")
    }
}
