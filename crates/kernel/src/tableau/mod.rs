//! That an engine's automaton is not too small: every word that violates the goal is accepted by it.
//!
//! A proof says that no execution is accepted by the automaton of the negated goal. Whether that automaton is what it
//! should be is checked here, by automata of our own that are read off the definition of the operators and do nothing to
//! be small. That all of their words are accepted by the engine's automaton is shown by a simulation, or else by
//! complements:
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`rules`], [`construct`] | the tableau whose states are sets of obligations |
//! | [`elementary`] | the tableau whose states say which formulas are true: larger, and easier to simulate |
//! | [`simulation`] | a game that shows an inclusion step by step |
//! | [`inclusion`] | the emptiness of a difference: decides where no simulation is found, and finds a word |
//!
//! A word that is not accepted is confirmed before it is returned, by the definition of LTL and by brute force on the
//! automaton. Nothing here knows `automata::translate`. Complements and the search for emptiness are shared with the
//! engines; they know nothing of formulas, and an inclusion by simulation does not use them.

pub mod construct;
pub mod elementary;
pub mod inclusion;
pub mod rules;
pub mod simulation;

use automata::algorithms::trim;
use automata::buchi::{Automaton, Guard, accepts};
use automata::ltl::{Formula, Formulas, Letter, evaluate_lasso};
use foundation::{Budget, Exhausted};

pub use construct::tableau;
pub use elementary::elementary_tableau;
pub use inclusion::by_complement;
pub use rules::Signed;
pub use simulation::simulates;

/// Whether the words of a formula are accepted by an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Inclusion {
    /// All of them are.
    Included(Argument),
    /// This one is not.
    NotIncluded(Word),
    /// It is not known.
    Undecided(Doubt),
}

impl Inclusion {
    /// Whether all words are known to be accepted.
    pub fn is_included(&self) -> bool {
        matches!(self, Inclusion::Included(_))
    }
}

/// Why an inclusion holds.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Argument {
    /// There is no word to be accepted.
    Unsatisfiable,
    /// The automaton simulates the tableau of obligations.
    Simulation,
    /// The automaton simulates the tableau of elementary sets.
    ElementarySimulation,
    /// No word of the tableau is in the complements of the automaton's parts, which are of these classes.
    Complement(Vec<Class>),
}

/// The class of an automaton, which says how it is complemented.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Class {
    /// It accepts by reaching a trap: by subsets.
    Terminal,
    /// It has at most one run on every word.
    Deterministic,
    /// Every component accepts all or none: by breakpoints.
    Weak,
    /// It is deterministic from its accepting states on: by NCSB.
    SemiDeterministic,
    /// None of these: by ranks.
    General,
}

/// The word `stem · repeated^ω`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Word {
    /// How it begins.
    pub stem: Vec<Letter>,
    /// What is repeated for ever; not empty.
    pub repeated: Vec<Letter>,
}

/// Why an inclusion is not decided.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Doubt {
    /// The budget was exhausted.
    Exhausted(Exhausted),
    /// The tableau or the complement would be too large.
    TooLarge,
    /// The search gave a word that does not show what it should: there is an error in this check.
    Unconfirmed,
}

impl From<Exhausted> for Doubt {
    fn from(reason: Exhausted) -> Doubt {
        Doubt::Exhausted(reason)
    }
}

impl std::fmt::Display for Doubt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Doubt::Exhausted(reason) => write!(f, "the limit on {reason} was reached"),
            Doubt::TooLarge => f.write_str("the formula or its automaton is too large"),
            Doubt::Unconfirmed => f.write_str("the word that was found is not confirmed"),
        }
    }
}

/// Whether every word that violates the goal is accepted by the automaton.
pub fn violations_included(
    formulas: &Formulas,
    goal: Formula,
    automaton: &Automaton<Guard>,
    budget: &Budget,
) -> Inclusion {
    included(formulas, Signed::fails(goal), automaton, budget)
}

/// Whether every word of which the signed formula is true is accepted by the automaton.
pub fn included(formulas: &Formulas, signed: Signed, automaton: &Automaton<Guard>, budget: &Budget) -> Inclusion {
    match decided(formulas, signed, automaton, budget) {
        Ok(Ok(argument)) => Inclusion::Included(argument),
        Ok(Err(word)) if is_confirmed(formulas, signed, automaton, &word) => Inclusion::NotIncluded(word),
        Ok(Err(_)) => Inclusion::Undecided(Doubt::Unconfirmed),
        Err(doubt) => Inclusion::Undecided(doubt),
    }
}

/// Why all words are accepted, or one that is said not to be: the cheap arguments first.
fn decided(
    formulas: &Formulas,
    signed: Signed,
    automaton: &Automaton<Guard>,
    budget: &Budget,
) -> Result<Result<Argument, Word>, Doubt> {
    let tableau = trim(&tableau(formulas, signed, budget)?);
    if tableau.initial().is_empty() {
        return Ok(Ok(Argument::Unsatisfiable));
    }
    let automaton = trim(automaton);
    if simulates(&tableau, &automaton, budget)? {
        return Ok(Ok(Argument::Simulation));
    }
    // The other tableau is an opportunity, so it may be too large.
    if let Ok(elementary) = elementary_tableau(formulas, signed, budget)
        && simulates(&trim(&elementary), &automaton, budget)?
    {
        return Ok(Ok(Argument::ElementarySimulation));
    }
    Ok(by_complement(&tableau, &automaton, budget)?.map(Argument::Complement))
}

/// Whether the signed formula is true of the word, and the automaton does not accept it.
fn is_confirmed(formulas: &Formulas, signed: Signed, automaton: &Automaton<Guard>, word: &Word) -> bool {
    evaluate_lasso(formulas, signed.formula, &word.stem, &word.repeated) == signed.holds
        && !accepts(automaton, &word.stem, &word.repeated)
}
