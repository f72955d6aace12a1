//! Checks what an engine says of a goal that holds.

use std::fmt;

use foundation::{Budget, Exhausted};
use task::certificate::ClosedStateSpace;
use task::{Certificate, Task};

use kernel::refutation::{self, Decider, Failure, Proved};
use kernel::tableau::{self, Inclusion};
use recheck::{Compiler, Explored, Limits, Unexplored};

/// So many times the states that an engine has visited are explored at most, and some more.
const MANY_TIMES: u64 = 32;
const SOME: u64 = 20_000;

/// A certificate that has passed.
#[derive(Clone, Debug)]
pub enum Proof {
    /// The state space was explored again.
    Explored(Explored),
    /// Every obligation of the proof was shown.
    Refuted(Proved),
}

/// Why a certificate has not passed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unproved {
    /// A limit was reached.
    Exhausted(Exhausted),
    /// It could not be checked: nothing is said against it.
    NotCovered(String),
    /// It proves nothing, or the goal does not even hold.
    Rejected(String),
}

impl fmt::Display for Unproved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Unproved::Exhausted(exhausted) => write!(f, "{exhausted}"),
            Unproved::NotCovered(what) | Unproved::Rejected(what) => f.write_str(what),
        }
    }
}

/// Checks that a certificate shows that all executions of a task's program satisfy its goal.
pub fn prove(
    task: &Task,
    certificate: &Certificate,
    compiler: Option<&dyn Compiler>,
    budget: &Budget,
) -> Result<Proof, Unproved> {
    prove_with(task, certificate, compiler, &Decider::Embedded, budget)
}

/// The same with a solver of one's choice for the obligations of a proof.
pub fn prove_with(
    task: &Task,
    certificate: &Certificate,
    compiler: Option<&dyn Compiler>,
    decider: &Decider,
    budget: &Budget,
) -> Result<Proof, Unproved> {
    match certificate {
        Certificate::Unwritten(unwritten) => Err(Unproved::NotCovered(unwritten.why.clone())),
        Certificate::ClosedStateSpace(space) => closed(task, space, compiler, budget).map(Proof::Explored),
        Certificate::Refutation(proof) => match refutation::check(task, proof, decider, budget) {
            Ok(proved) => Ok(Proof::Refuted(proved)),
            Err(Failure::Exhausted(exhausted)) => Err(Unproved::Exhausted(exhausted)),
            Err(Failure::NoSolver(what) | Failure::NotCovered(what)) => Err(Unproved::NotCovered(what)),
            Err(Failure::Wrong(what)) => {
                // What the solver left open because the budget has ended is nothing against the proof.
                budget.check().map_err(Unproved::Exhausted)?;
                Err(Unproved::Rejected(what))
            }
        },
    }
}

fn closed(
    task: &Task,
    space: &ClosedStateSpace,
    compiler: Option<&dyn Compiler>,
    budget: &Budget,
) -> Result<Explored, Unproved> {
    match tableau::violations_included(&task.formulas, task.goal, &space.automaton, budget) {
        Inclusion::Included(_) => {}
        Inclusion::NotIncluded(_) => {
            let what = "the automaton does not accept every word that violates the goal";
            return Err(Unproved::Rejected(what.to_owned()));
        }
        Inclusion::Undecided(doubt) => {
            budget.check().map_err(Unproved::Exhausted)?;
            return Err(Unproved::NotCovered(format!("whether the automaton accepts every violation: {doubt}")));
        }
    }
    // Where far more states are to be explored than the engine has seen, it knew something that the check does not.
    let states = space.states.saturating_mul(MANY_TIMES).saturating_add(SOME);
    let limits = Limits { states, expected: space.states };
    match recheck::explore(task, &space.automaton, compiler, limits, budget) {
        Ok(explored) => Ok(explored),
        Err(Unexplored::Exhausted(exhausted)) => Err(Unproved::Exhausted(exhausted)),
        Err(accepting @ Unexplored::Accepting { .. }) => Err(Unproved::Rejected(accepting.to_string())),
        Err(other @ (Unexplored::NotCovered { .. } | Unexplored::TooLarge { .. })) => {
            Err(Unproved::NotCovered(other.to_string()))
        }
    }
}
