//! What becomes of a lasso whose stem and cycle can each be taken: a ranking argument says that the cycle ends, an
//! argument for non-termination says that it need not. Both may fail.
//!
//! `docs/design/ranking.md` has an example of each. Everything that is returned has been checked with the solver on
//! the steps as they were given. This room knows steps and solvers; it knows nothing of programs, products and
//! automata.

mod cases;
mod divergence;
mod execution;
mod farkas;
mod geometric;
mod polyhedra;
mod ranking;
mod recurrent;
mod several;
mod supporting;
mod templates;
#[cfg(test)]
mod tests;
mod wrapping;

pub use divergence::{Divergent, Geometric, LassoStart, NonTermination, comes_back, diverge};
pub use execution::{Valuation, apply};
pub use polyhedra::relevant;
pub use ranking::{RankingArgument, RankingSearch, Template, decreases, rank};
pub use several::{set_of_several, steady};
pub use wrapping::wishes;

use foundation::{Budget, Exhausted};
use logic::{Term, Terms};
use smt::Solver;

use crate::encode::step::Transition;

/// A stem, taken once, and a cycle, taken again and again after it. Both are sequences composed to one step.
#[derive(Clone, Copy, Debug)]
pub struct Lasso<'a> {
    /// From the beginning to the honda.
    pub stem: &'a Transition,
    /// From the honda to the honda.
    pub cycle: &'a Transition,
}

/// What became of a lasso.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Analysis {
    /// The cycle cannot be taken for ever.
    Terminates(RankingArgument),
    /// It can.
    Diverges(NonTermination),
    /// Neither was found out.
    Unknown,
}

/// Ranks a lasso or shows that it diverges, the cheaper questions first. `known` holds whenever the cycle is entered.
/// Divergence is not looked for where a step is more than the program can do.
pub fn analyse(
    terms: &Terms,
    solver: &mut dyn Solver,
    lasso: &Lasso<'_>,
    known: Term,
    budget: &Budget,
) -> Result<Analysis, Exhausted> {
    let is_exact = !lasso.stem.is_approximate && !lasso.cycle.is_approximate;
    if is_exact && let Some(found) = comes_back(terms, solver, lasso, known, budget)? {
        return Ok(Analysis::Diverges(found));
    }
    let mut search = ranking::RankingSearch::new(terms, lasso, known, budget);
    if let Some(found) = search.simple(solver)? {
        return Ok(Analysis::Terminates(found));
    }
    if is_exact && let Some(found) = divergence::goes_on(terms, solver, lasso, known, budget)? {
        return Ok(Analysis::Diverges(found));
    }
    Ok(search.thorough(solver)?.map_or(Analysis::Unknown, Analysis::Terminates))
}
