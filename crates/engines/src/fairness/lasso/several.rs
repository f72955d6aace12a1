//! Recurrent sets over several cycles: a program that takes now this path, now that one, and for ever one of them.
//!
//! A cycle may be known to end, because a counter passes a bound, say, while others begin at the same state and go on.
//! Sought is a set of states from which some of the cycles can be taken and whichever is taken leads back into the set.
//! Inputs are what they are on the first cycle in an execution that goes round three times. What holds there in the state
//! after the first iteration, bounds of variables and the parts of guards that are true, is thinned out until all cycles
//! keep it (Houdini; Flanagan and Leino, FME 2001). Where numbers wrap around, the same is tried with what holds of
//! remainders.

use std::collections::{BTreeMap, BTreeSet};

use foundation::{Budget, Exhausted};
use logic::{Sort, Symbol, Term, Terms};
use smt::{Model, Solver};

use super::Lasso;
use super::divergence::{Divergent, Diverges, entered};
use super::execution::{Unrolling, Valuation, value_of};
use super::polyhedra::is_unsatisfiable;
use super::supporting::keep_implied;
use super::wrapping;
use crate::encode::step::Transition;

/// The execution that the state is taken from goes round so often.
const ITERATIONS: usize = 3;

/// The start of an execution that goes round a lasso a few times with the same inputs, the first iteration counting as
/// part of the stem, after which a wish is fulfilled.
pub fn steady(terms: &Terms, solver: &mut dyn Solver, lasso: &Lasso<'_>, wish: Term, budget: &Budget) -> Diverges {
    budget.check()?;
    let mut entry = Unrolling::new(terms, lasso);
    (0..ITERATIONS).for_each(|_| entry.iterate());
    let same = (1..ITERATIONS).map(|iteration| entry.has_same_inputs(0, iteration));
    let condition = terms.and(same.chain([entry.guard, entry.after(1, wish)]));
    let argument = |_: &Model| Divergent::RecurrentSet { set: terms.truth(true), choice: BTreeMap::new() };
    Ok(entered(terms, solver, &entry, 1, condition, argument))
}

/// A set that contains a state, from which one of the cycles can always be taken and that none leaves.
pub fn set_of_several(
    terms: &Terms,
    solver: &mut dyn Solver,
    cycles: &[Transition],
    known: Term,
    state: &Valuation,
    budget: &Budget,
) -> Result<Option<Term>, Exhausted> {
    let plain = conditions_at(terms, cycles, state);
    if let Some(set) = kept(terms, solver, cycles, plain, budget)? {
        return Ok(Some(set));
    }
    for modulus in wrapping::MODULI.iter().filter(|_| wrapping::wraps(terms, cycles)) {
        let candidates = wrapping::conditions_at(terms, cycles, known, state, *modulus);
        if let Some(set) = kept(terms, solver, cycles, candidates, budget)? {
            return Ok(Some(set));
        }
    }
    Ok(None)
}

/// What holds in a state of its variables, and the parts of guards that are true there.
fn conditions_at(terms: &Terms, cycles: &[Transition], state: &Valuation) -> Vec<Term> {
    let read: BTreeSet<Symbol> = cycles.iter().flat_map(|cycle| cycle.read(terms)).collect();
    let mut candidates = Vec::new();
    for symbol in read {
        let (variable, value) = (terms.variable(symbol), value_of(terms, state, symbol));
        let Some(here) = terms.of_value(&value) else { continue };
        match terms.sort_of_symbol(symbol) {
            Sort::Int => {
                candidates.extend([terms.less_equal(variable, here), terms.less_equal(here, variable)]);
            }
            _ => candidates.push(terms.equal(variable, here)),
        }
    }
    // A condition that relates variables follows from no bounds of them.
    let relates = |&condition: &Term| {
        let value = terms.evaluate(condition, &|symbol| Some(value_of(terms, state, symbol)));
        terms.symbols(condition).len() > 1 && value.and_then(|value| value.as_bool()) == Some(true)
    };
    let of_variables = |cycle: &Transition, condition: &Term| terms.symbols(*condition).is_disjoint(&cycle.inputs);
    let parts = |cycle: &Transition| {
        let parts = terms.conjuncts(cycle.guard).into_iter().filter(|part| of_variables(cycle, part));
        parts.flat_map(|part| [part, terms.not(part)]).filter(relates).collect::<Vec<_>>()
    };
    candidates.extend(cycles.iter().flat_map(parts).collect::<BTreeSet<Term>>());
    candidates
}

/// The set of those conditions that all cycles keep, if one of the cycles can always be taken in it.
fn kept(
    terms: &Terms,
    solver: &mut dyn Solver,
    cycles: &[Transition],
    mut candidates: Vec<Term>,
    budget: &Budget,
) -> Result<Option<Term>, Exhausted> {
    let mut before = None;
    while before != Some(candidates.len()) {
        before = Some(candidates.len());
        for cycle in cycles {
            let premise = |candidates: &[Term]| terms.and(candidates.iter().copied().chain([cycle.guard]));
            keep_implied(terms, solver, cycle, premise, &mut candidates, budget)?;
        }
    }
    let set = terms.and(candidates);
    let some = terms.or(cycles.iter().map(|cycle| cycle.guard));
    Ok(is_unsatisfiable(solver, terms.and([set, terms.not(some)])).then_some(set))
}
