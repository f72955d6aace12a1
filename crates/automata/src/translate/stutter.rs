//! Whether a property cannot tell a word from one where letters are repeated.
//!
//! Without `X`, it cannot (Lamport 1983). Otherwise the automata decide: the property tells two words apart that
//! differ by repetitions if and only if there is a word that arises by repeating letters both of a word of the
//! property and of one of its negation (Michaud and Duret-Lutz, *Practical stutter-invariance checks for ω-regular
//! languages*, SPIN 2015, where adding repetitions is called self-loopization). Letters that neither automaton tells
//! apart count as equal.

use std::collections::BTreeSet;

use foundation::collections::HashMap;
use foundation::{Budget, Id};

use super::Failure;
use super::product::are_disjoint;
use super::prune::trim;
use super::simplify::{Simplifier, simplify_within, with_room_for};
use super::tableau::tableau;
use crate::buchi::{Automaton, Guard, Marks, StateId};
use crate::ltl::{Formula, Formulas};

/// The most classes of letters for which the question is decided by automata.
const MOST_MINTERMS: usize = 1 << 9;

/// Whether the truth of the formula is the same on words that differ by repetitions of letters.
pub fn is_stutter_invariant(formulas: &mut Formulas, formula: Formula, budget: &Budget) -> Result<bool, Failure> {
    if !formulas.has_next(formula) {
        return Ok(true);
    }
    with_room_for(formulas, formula, |formulas| decide(formulas, formula, budget))?
}

fn decide(formulas: &mut Formulas, formula: Formula, budget: &Budget) -> Result<bool, Failure> {
    let simplified = simplify_within(formulas, formula, budget);
    if !formulas.has_next(simplified) {
        return Ok(true);
    }
    let negation = Simplifier::new(formulas).not(simplified);
    let automaton = trim(&tableau(formulas, simplified, budget)?);
    let complement = trim(&tableau(formulas, negation, budget)?);
    let labels: BTreeSet<&Guard> = automaton.edges().chain(complement.edges()).map(|edge| &edge.label).collect();
    let mut minterms = vec![Guard::constant(true)];
    for label in labels {
        budget.check()?;
        let parts = minterms.iter().flat_map(|minterm| [minterm.and(label), minterm.and_not(label)]);
        minterms = parts.filter(|part| !part.is_false()).collect();
        if minterms.len() > MOST_MINTERMS {
            return Err(Failure::TooLarge);
        }
    }
    let [left, right] = [&automaton, &complement].map(|automaton| with_repetitions(automaton, &minterms));
    are_disjoint(&left, &right, budget)
}

/// The automaton that also accepts every word that arises from an accepted one by repeating letters. A state is a
/// state of the given one with the class of the last letter, which may be read again.
fn with_repetitions(automaton: &Automaton<Guard>, minterms: &[Guard]) -> Automaton<Guard> {
    // Repeating a letter for ever is no progress, so there must be a set for it not to be in.
    let sets = automaton.acceptance_sets().max(1);
    let mut result = Automaton::new(sets);
    let mut ids: HashMap<(StateId, Option<usize>), StateId> = HashMap::default();
    let mut order: Vec<(StateId, Option<usize>)> = Vec::new();
    let mut visit = |copy, result: &mut Automaton<Guard>, order: &mut Vec<_>| {
        *ids.entry(copy).or_insert_with(|| {
            order.push(copy);
            result.add_state()
        })
    };
    for &state in automaton.initial() {
        let copy = visit((state, None), &mut result, &mut order);
        result.add_initial(copy);
    }
    let mut next = 0;
    while next < order.len() {
        let (state, last) = order[next];
        let from = StateId::from_index(next);
        if let Some(last) = last {
            result.add_edge(from, minterms[last].clone(), from, Marks::NONE);
        }
        for edge in automaton.edges_from(state) {
            for (number, minterm) in minterms.iter().enumerate().filter(|(_, minterm)| minterm.implies(&edge.label)) {
                let to = visit((edge.to, Some(number)), &mut result, &mut order);
                let marks = if automaton.acceptance_sets() == 0 { Marks::all(1) } else { edge.marks };
                result.add_edge(from, minterm.clone(), to, marks);
            }
        }
        next += 1;
    }
    result
}
