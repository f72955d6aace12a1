//! Recurrent sets of machine integers: loops that never end because a number wraps around.
//!
//! `for (i = 0; i < n; i += 2)` does not end if `n` is the greatest integer: it is odd, and `i` is even for ever, also when it wraps
//! around. The set is { n = 2³¹ − 1, i mod 2 = 0 }. A greatest set that is computed from the guard has no such
//! conditions, since a remainder by two occurs nowhere in the loop; so they are guessed. A *wish* leads into a state in
//! which the loop may be endless: what the loop does not change has the greatest or the least value of its type, or
//! something is odd. What holds in that state of the values that stay, of remainders by a small power of two and of
//! ranges is thinned out until the loop keeps it (as Houdini does, Flanagan and Leino, FME 2001). What is left must imply
//! the guard.

use std::collections::{BTreeMap, BTreeSet};

use foundation::Budget;
use logic::{Linear, Node, Sort, Symbol, Term, Terms};
use num_traits::Zero;
use smt::{Model, Solver};

use super::divergence::{Divergent, Diverges, NonTermination, entered};
use super::execution::{Unrolling, Valuation, value_of};
use super::polyhedra::{is_unsatisfiable, relevant};
use super::supporting::keep_implied;
use crate::encode::step::Transition;

/// Remainders by these numbers are looked at, one after the other.
pub(super) const MODULI: &[i64] = &[2, 4, 16];

/// No more wishes than this are tried.
const MOST_WISHES: usize = 12;

/// Looks for a recurrent set of a loop in which a number may wrap around and nothing is read.
pub fn find(terms: &Terms, solver: &mut dyn Solver, entry: &Unrolling<'_>, known: Term, budget: &Budget) -> Diverges {
    let cycle = entry.lasso.cycle;
    let cycles = std::slice::from_ref(cycle);
    if !cycle.inputs.is_empty() || !wraps(terms, cycles) {
        return Ok(None);
    }
    let reach = |solver: &mut dyn Solver, set: Term| -> Option<NonTermination> {
        let condition = terms.and([entry.guard, entry.finally(terms.and([known, cycle.guard, set]))]);
        let argument = |_: &Model| Divergent::RecurrentSet { set, choice: BTreeMap::new() };
        entered(terms, solver, entry, entry.iterations(), condition, argument)
    };
    for wish in wishes(terms, cycles, known) {
        budget.check()?;
        let Some(found) = reach(solver, wish) else { continue };
        for modulus in MODULI {
            let mut candidates = conditions_at(terms, cycles, known, &found.start.state, *modulus);
            let premise = |candidates: &[Term]| terms.and(candidates.iter().copied().chain([cycle.guard]));
            keep_implied(terms, solver, cycle, premise, &mut candidates, budget)?;
            let set = terms.and(candidates);
            if is_unsatisfiable(solver, terms.and([set, terms.not(cycle.guard)]))
                && let Some(found) = reach(solver, set).filter(|found| found.runs(terms, entry.lasso))
            {
                return Ok(Some(found));
            }
        }
    }
    Ok(None)
}

/// Whether something that cycles compute is brought back into the range of its type.
pub(super) fn wraps(terms: &Terms, cycles: &[Transition]) -> bool {
    let computed = |cycle: &Transition| cycle.updates.values().copied().chain([cycle.guard]).collect::<Vec<_>>();
    let roots: Vec<Term> = cycles.iter().flat_map(computed).collect();
    terms.subterms(&roots).into_iter().any(|term| matches!(terms.node(term), Node::Modulo(..)))
}

/// Conditions on the state in which a loop is entered, under which it may be endless; the first one is none.
pub fn wishes(terms: &Terms, cycles: &[Transition], known: Term) -> Vec<Term> {
    let is_odd = |term: Term| terms.equal(terms.modulo(term, terms.integer(2)), terms.integer(1));
    let read = |cycle: &Transition| terms.symbols(cycle.guard).iter().copied().collect::<Vec<_>>();
    let read: BTreeSet<Symbol> = cycles.iter().flat_map(read).collect();
    let mut found = vec![terms.truth(true)];
    if !wraps(terms, cycles) {
        return found;
    }
    for &symbol in read.iter().filter(|&&symbol| terms.sort_of_symbol(symbol) == Sort::Int) {
        if is_written(cycles, symbol) {
            found.push(is_odd(terms.variable(symbol)));
        } else {
            found.extend(bounds(terms, symbol, known));
        }
    }
    found.extend(differences(terms, cycles).into_iter().map(is_odd));
    found.truncate(MOST_WISHES);
    found
}

fn is_written(cycles: &[Transition], symbol: Symbol) -> bool {
    cycles.iter().any(|cycle| cycle.updates.contains_key(&symbol))
}

/// That a variable has the greatest value that it may have, or the least.
fn bounds(terms: &Terms, symbol: Symbol, known: Term) -> Vec<Term> {
    let variable = terms.variable(symbol);
    let is_bound = |conjunct: &Term| match terms.node(*conjunct) {
        Node::AtMostZero(linear) if linear.terms().len() == 1 && !linear.coefficient(variable).is_zero() => {
            Some(terms.equal(terms.from_linear(&linear), terms.integer(0)))
        }
        _ => None,
    };
    terms.conjuncts(known).iter().filter_map(is_bound).collect()
}

/// What guards compare with zero, where that is more than one variable.
fn differences(terms: &Terms, cycles: &[Transition]) -> BTreeSet<Term> {
    let compared = |term: Term| match terms.node(term) {
        Node::AtMostZero(linear) | Node::Zero(linear) => Some(linear),
        _ => None,
    };
    let is_plain = |linear: &Linear| {
        let is_variable = |term: Term| matches!(terms.node(term), Node::Variable(_));
        linear.terms().len() > 1 && linear.terms().iter().all(|(_, term)| is_variable(*term))
    };
    let guards: Vec<Term> = cycles.iter().map(|cycle| cycle.guard).collect();
    let all = terms.subterms(&guards).into_iter().filter_map(compared);
    all.filter(|linear| is_plain(linear)).map(|linear| terms.from_linear(&linear)).collect()
}

/// What holds in a state of values that stay, of ranges, and of remainders.
pub(super) fn conditions_at(
    terms: &Terms,
    cycles: &[Transition],
    known: Term,
    state: &Valuation,
    modulus: i64,
) -> Vec<Term> {
    let values = |symbol: Symbol| Some(value_of(terms, state, symbol));
    let mut found = terms.conjuncts(known);
    let mut compared: Vec<Term> = differences(terms, cycles).into_iter().collect();
    let all: BTreeSet<Symbol> = cycles.iter().flat_map(|cycle| relevant(terms, cycle)).collect();
    for symbol in all {
        let variable = terms.variable(symbol);
        let Some(here) = terms.of_value(&value_of(terms, state, symbol)) else { continue };
        if !is_written(cycles, symbol) {
            found.push(terms.equal(variable, here));
        } else if terms.sort_of_symbol(symbol) == Sort::Int {
            compared.push(variable);
        }
    }
    for term in compared {
        let remainder = terms.modulo(term, terms.integer(modulus));
        if let Some(here) = terms.evaluate(remainder, &values).and_then(|value| terms.of_value(&value)) {
            found.push(terms.equal(remainder, here));
        }
    }
    let mut seen = BTreeSet::new();
    let holds = |term: Term| terms.holds(term, &values) == Some(true);
    found.retain(|&term| terms.as_truth(term).is_none() && holds(term) && seen.insert(term));
    found
}
