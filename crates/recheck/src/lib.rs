//! A closed state space, explored again: all reachable states of a program beside a given automaton of the negated goal
//! are visited by code of this crate alone, and no accepting cycle is among them. So no execution violates the goal,
//! provided that the automaton accepts all words that do.
//!
//! This is a second implementation, not a proof: what an engine has found is found again by other code, which may have
//! errors of its own. There is nothing shorter to look at than all that it does. Whoever wants a proof reads `kernel`.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`interpreted`] | every step by the interpreter |
//! | [`compiled`] | a C program that does the same a thousand times faster, for programs without pointers and threads |
//! | `generate`, `runtime.c` | that program: what depends on the task, and what does not |
//! | `plain` | the inlined program with structures taken apart and pointers seen through, for that program |
//! | `control` | where states are kept, and which variables matter there |
//! | `bisimilar` | which states count as one |
//! | `script` | answers to the interpreter's questions, one list after the other |
//! | [`cover`] | whether boxes contain all that a program does, for programs with large ranges |
//! | `data_classes`, `bits`, `finite` | why a few values stand for all values of a wide input |
//! | `reading` | what the automaton does with the letters that a step shows |
//! | `emptiness` | accepting cycles in a graph, fair ones where the scheduler is |
//! | [`complement`] | whether an automaton accepts all that another does, where no simulation shows it |
//!
//! It knows no engine: neither how the automaton came about, nor which states an engine has visited.

use std::fmt;

use automata::buchi::{Automaton, Guard, Marks};
use foundation::{Budget, Exhausted, Span};
use task::Task;

mod bisimilar;
mod bits;
pub mod compiled;
pub mod complement;
mod control;
pub mod cover;
mod data_classes;
mod emptiness;
mod finite;
mod generate;
pub mod interpreted;
mod plain;
mod reading;
mod script;

/// A state space without an accepting cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Explored {
    /// How many states of the program beside the automaton were visited.
    pub states: u64,
    /// How many transitions are between them.
    pub transitions: u64,
    /// By what means.
    pub by: Means,
}

/// The means of an exploration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Means {
    /// The interpreter took every step.
    Interpreted,
    /// A program that was generated and compiled for the task.
    Compiled,
}

impl fmt::Display for Means {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Means::Interpreted => "interpreted",
            Means::Compiled => "compiled",
        })
    }
}

/// Why a state space is not shown to be free of accepting cycles.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unexplored {
    /// There is an accepting cycle: the automaton accepts what some execution shows.
    Accepting {
        /// How it comes about.
        description: String,
        /// Where control is on it.
        span: Option<Span>,
    },
    /// Something is not covered.
    NotCovered {
        /// What.
        reason: String,
        /// Where.
        span: Option<Span>,
    },
    /// There are more states than the limits allow.
    TooLarge {
        /// How many are allowed.
        states: u64,
    },
    /// The budget was spent before it was known.
    Exhausted(Exhausted),
}

impl Unexplored {
    fn not_covered(reason: impl Into<String>, span: Option<Span>) -> Self {
        Unexplored::NotCovered { reason: reason.into(), span }
    }
}

impl From<Exhausted> for Unexplored {
    fn from(exhausted: Exhausted) -> Self {
        Unexplored::Exhausted(exhausted)
    }
}

impl fmt::Display for Unexplored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unexplored::Accepting { description, .. } => {
                write!(f, "the automaton of the negated property accepts an execution: {description}")
            }
            Unexplored::NotCovered { reason, .. } => write!(f, "not covered: {reason}"),
            Unexplored::TooLarge { states } => write!(f, "there are more than {states} states"),
            Unexplored::Exhausted(what) => write!(f, "the limit on {what} ended the exploration"),
        }
    }
}

/// How far an exploration goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Horizon {
    /// How many states of the program beside the automaton may be visited.
    pub states: u64,
    /// How many there are thought to be: for many it is worth to compile a program at once.
    pub expected: u64,
}

impl Default for Horizon {
    fn default() -> Self {
        Self { states: 1 << 30, expected: 0 }
    }
}

/// Compiles and runs C programs.
pub trait Compiler {
    /// What a program writes to standard output, given its source; else why there is nothing.
    fn run(&self, source: &str, budget: &Budget) -> Result<String, String>;
}

impl<F: Fn(&str, &Budget) -> Result<String, String>> Compiler for F {
    fn run(&self, source: &str, budget: &Budget) -> Result<String, String> {
        self(source, budget)
    }
}

/// So many states are visited, and so many steps taken, by the interpreter before anything is compiled, which takes its
/// time too.
const FEW_STATES: u64 = 20_000;
const FEW_STEPS: u64 = 400_000;

/// So many states are visited by a generated program, however few an engine has needed: that takes seconds, and the
/// limits on time and memory end it in any case.
const MANY_STATES: u64 = 1 << 22;

/// Explores the product of a task's program with an automaton of its negated goal, by whatever means suit it.
pub fn explore(
    task: &Task,
    automaton: &Automaton<Guard>,
    compiler: Option<&dyn Compiler>,
    limits: Horizon,
    budget: &Budget,
) -> Result<Explored, Unexplored> {
    if automaton.acceptance_sets() >= Marks::MOST - 1 {
        return Err(Unexplored::not_covered("an automaton with so many acceptance sets", None));
    }
    // Where the interpreter sees far more states than the engine did, the generated program may know better.
    let few = limits.expected.saturating_mul(8).saturating_add(2_000).min(FEW_STATES);
    let few = Horizon { states: limits.states.min(few), ..limits };
    let Some(compiler) = compiler else { return interpreted::explore(task, automaton, limits, budget) };
    // Each way knows something that the other does not.
    let mut refused = None;
    if limits.expected <= FEW_STATES {
        match interpreted::explore_within(task, automaton, few, FEW_STEPS, budget) {
            Err(Unexplored::TooLarge { .. }) => {}
            Err(not_covered @ Unexplored::NotCovered { .. }) => refused = Some(not_covered),
            decided => return decided,
        }
    }
    // States of a generated program are small and visited by the million.
    let many = Horizon { states: limits.states.max(MANY_STATES), ..limits };
    match (compiled::explore(task, automaton, compiler, many, budget), refused) {
        (Err(Unexplored::NotCovered { .. }), Some(refused)) => Err(refused),
        (Err(Unexplored::NotCovered { .. }), None) => interpreted::explore(task, automaton, limits, budget),
        (decided, _) => decided,
    }
}
