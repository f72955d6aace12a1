//! That the automaton of a certificate accepts every word that violates the goal: the kernel shows it by a simulation, and
//! where there is none, complements decide, for which there is the word of a second implementation only.

use automata::buchi::{Automaton, Guard, accepts};
use automata::ltl::{Formulas, evaluate_lasso};
use foundation::Budget;
use kernel::tableau::{self, Doubt, Inclusion, Signed};
use recheck::Unexplored;
use recheck::complement::{PeriodicWord, by_complement};

use crate::Unproved;

/// Shows that every word of which the signed formula is true is accepted by the automaton.
///
/// A word that is not accepted is confirmed before it counts against the automaton, by the definition of LTL and by brute
/// force on the automaton.
pub fn included(
    formulas: &Formulas,
    signed: Signed,
    automaton: &Automaton<Guard>,
    budget: &Budget,
) -> Result<Inclusion, Unproved> {
    if let Some(inclusion) = tableau::inclusion(formulas, signed, automaton, budget).map_err(doubtful)? {
        return Ok(inclusion);
    }
    let tableau = tableau::tableau(formulas, signed, budget).map_err(doubtful)?;
    let complemented = by_complement(&tableau, automaton, budget).map_err(|undecided| match undecided {
        Unexplored::NotCovered { reason, .. } => Unproved::NotCovered(reason),
        other => other.into(),
    })?;
    match complemented {
        Ok(_) => Ok(Inclusion::ShownElsewhere),
        Err(word) if is_confirmed(formulas, signed, automaton, &word) => {
            Err(Unproved::Rejected("the automaton does not accept every word that violates the goal".to_owned()))
        }
        Err(_) => Err(Unproved::NotCovered("the word that was found is not confirmed".to_owned())),
    }
}

fn doubtful(doubt: Doubt) -> Unproved {
    match doubt {
        Doubt::Exhausted(exhausted) => Unproved::Exhausted(exhausted),
        Doubt::TooLarge => Unproved::NotCovered("the formula or its automaton is too large".to_owned()),
    }
}

/// Whether the signed formula is true of the word, and the automaton does not accept it.
fn is_confirmed(formulas: &Formulas, signed: Signed, automaton: &Automaton<Guard>, word: &PeriodicWord) -> bool {
    evaluate_lasso(formulas, signed.formula, &word.stem, &word.repeated) == signed.holds
        && !accepts(automaton, &word.stem, &word.repeated)
}
