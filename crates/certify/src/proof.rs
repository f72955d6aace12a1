//! Checks what an engine says of a goal that holds.

use std::fmt;

use automata::algorithms::trim;
use automata::buchi::{Automaton, Guard};
use foundation::{Budget, Exhausted};
use kernel::refutation::{self, NotProved, Proved};
use kernel::tableau::{self, Inclusion, Signed};
use recheck::cover::Covered;
use recheck::{Compiler, Explored, Horizon, Unexplored};
use smt::Decider;
use task::{Certificate, ClosedStateSpace, Task};

use crate::inclusion::included;

/// So many times the states that an engine has visited are explored at most, and some more.
const MANY_TIMES: u64 = 32;
const SOME_STATES: u64 = 20_000;

/// Larger tableaux are not explored with. Beside smaller ones the automaton can be complemented, so that one which lacks a
/// violation is noticed.
const MOST_TABLEAU_STATES: usize = 2_000;
const FEW_TABLEAU_STATES: usize = 16;

/// A certificate that has passed.
#[derive(Clone, Debug)]
pub enum Proof {
    /// The state space was explored again.
    Explored(Explored),
    /// All steps from boxes lead into boxes.
    Covered(Covered),
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

impl From<Unexplored> for Unproved {
    fn from(unexplored: Unexplored) -> Self {
        match unexplored {
            Unexplored::Exhausted(exhausted) => Unproved::Exhausted(exhausted),
            accepting @ Unexplored::Accepting { .. } => Unproved::Rejected(accepting.to_string()),
            other @ (Unexplored::NotCovered { .. } | Unexplored::TooLarge { .. }) => {
                Unproved::NotCovered(other.to_string())
            }
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
        Certificate::Cover(cover) => {
            violations_included(task, &cover.automaton, budget)?;
            Ok(Proof::Covered(recheck::cover::follow(task, cover, budget)?))
        }
        Certificate::ClosedStateSpace(space) => closed(task, space, compiler, budget).map(Proof::Explored),
        Certificate::Refutation(proof) => {
            let inclusion = violations_included(task, &proof.automaton, budget)?;
            match refutation::check(task, proof, inclusion, decider, budget) {
                Ok(proved) => Ok(Proof::Refuted(proved)),
                Err(NotProved::Exhausted(exhausted)) => Err(Unproved::Exhausted(exhausted)),
                Err(NotProved::NoSolver(what) | NotProved::NotCovered(what)) => Err(Unproved::NotCovered(what)),
                Err(NotProved::Wrong(what)) => {
                    // What the solver left open because the budget has ended is nothing against the proof.
                    budget.check().map_err(Unproved::Exhausted)?;
                    Err(Unproved::Rejected(what))
                }
            }
        }
    }
}

/// Explores a closed state space again, with the automaton that it was explored with if that is seen to accept every
/// violation, else with the tableau of the violations, which does by its construction.
fn closed(
    task: &Task,
    space: &ClosedStateSpace,
    compiler: Option<&dyn Compiler>,
    budget: &Budget,
) -> Result<Explored, Unproved> {
    // Where far more states are to be explored than the engine has seen, it knew something that the check does not.
    let states = space.states.saturating_mul(MANY_TIMES).saturating_add(SOME_STATES);
    let limits = Horizon { states, expected: space.states };
    let violations = Signed::fails(task.formula());
    let simulated = tableau::inclusion(&task.formulas, violations, &space.automaton, budget);
    if let Ok(None) = simulated
        && let Ok(tableau) = tableau::tableau(&task.formulas, violations, budget)
        && (FEW_TABLEAU_STATES..=MOST_TABLEAU_STATES).contains(&tableau.state_count())
    {
        match recheck::explore(task, &trim(&tableau), compiler, limits, budget) {
            Err(Unexplored::NotCovered { .. } | Unexplored::TooLarge { .. }) => {}
            explored => return Ok(explored?),
        }
    }
    violations_included(task, &space.automaton, budget)?;
    Ok(recheck::explore(task, &space.automaton, compiler, limits, budget)?)
}

fn violations_included(task: &Task, automaton: &Automaton<Guard>, budget: &Budget) -> Result<Inclusion, Unproved> {
    included(&task.formulas, Signed::fails(task.formula()), automaton, budget).map_err(|unproved| match unproved {
        Unproved::NotCovered(what) => {
            Unproved::NotCovered(format!("whether the automaton accepts every violation: {what}"))
        }
        other => other,
    })
}
