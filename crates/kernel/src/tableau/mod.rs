//! That an engine's automaton is not too small: every word that violates the goal is accepted by it.
//!
//! A proof says that no execution is accepted by the automaton of the negated goal. Whether that automaton is what it
//! should be is checked here, by automata of our own that are read off the definition of the operators and do nothing to
//! be small. That all of their words are accepted by the engine's automaton is shown by a simulation:
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`rules`], [`construct`] | the tableau whose states are sets of obligations |
//! | [`elementary`] | the tableau whose states say which formulas are true: larger, and easier to simulate |
//! | [`simulation`] | a game that shows an inclusion step by step |
//!
//! Nothing here knows `automata::translate`, nor how automata are complemented or searched.

pub mod construct;
pub mod elementary;
pub mod rules;
pub mod simulation;

use automata::algorithms::trim;
use automata::buchi::{Automaton, Guard};
use automata::ltl::Formulas;
use foundation::{Budget, Exhausted};

pub use construct::tableau;
pub use elementary::elementary_tableau;
pub use rules::Signed;
pub use simulation::simulates;

/// Why an automaton accepts all words of which a formula is true.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Inclusion {
    /// There is no word to be accepted.
    Unsatisfiable,
    /// The automaton simulates the tableau of obligations.
    Simulation,
    /// The automaton simulates the tableau of elementary sets.
    ElementarySimulation,
    /// Somebody else has shown it: this crate has no part in it.
    ShownElsewhere,
}

/// Why the words of a formula cannot be told.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Doubt {
    /// The budget was exhausted.
    Exhausted(Exhausted),
    /// The tableau would be too large.
    TooLarge,
}

impl From<Exhausted> for Doubt {
    fn from(reason: Exhausted) -> Doubt {
        Doubt::Exhausted(reason)
    }
}

/// Shows that every word of which the signed formula is true is accepted by the automaton; yields nothing where there is
/// no simulation, which does not say that there is such a word.
pub fn inclusion(
    formulas: &Formulas,
    signed: Signed,
    automaton: &Automaton<Guard>,
    budget: &Budget,
) -> Result<Option<Inclusion>, Doubt> {
    let tableau = trim(&tableau(formulas, signed, budget)?);
    if tableau.initial().is_empty() {
        return Ok(Some(Inclusion::Unsatisfiable));
    }
    let automaton = trim(automaton);
    if simulates(&tableau, &automaton, budget)? {
        return Ok(Some(Inclusion::Simulation));
    }
    // The other tableau is an opportunity, so it may be too large.
    let elementary = elementary_tableau(formulas, signed, budget).ok();
    let is_simulated = elementary.map_or(Ok(false), |elementary| simulates(&trim(&elementary), &automaton, budget))?;
    Ok(is_simulated.then_some(Inclusion::ElementarySimulation))
}
