//! Recurrent sets (Gupta, Henzinger, Majumdar, Rybalchenko and Xu, POPL 2008): states that a cycle need not leave.
//!
//! Inputs are replaced by terms over the program variables, so that no quantifier is needed: constants, the bounds
//! that the guard names, and what keeps a variable as it is. Under such a choice the cycle is a partial function with
//! a guard g and updates U. The set is sought as the greatest one: g, g ∧ g∘U, and so on until the next conjunct is
//! implied. Where that does not end, conjuncts of it and bounds at the state in question are thinned out until they
//! are inductive, and must imply g.

use std::collections::{BTreeMap, BTreeSet};

use foundation::Budget;
use foundation::collections::HashMap;
use logic::{Linear, Node, Sort, Symbol, Term, Terms};
use num_bigint::BigInt;
use num_traits::One;
use smt::{Model, Solver};

use super::divergence::{Divergent, Diverges, entered};
use super::execution::{Unrolling, Valuation, value_of};
use super::polyhedra::{is_unsatisfiable, relevant};
use super::supporting::keep_implied;
use crate::encode::step::Transition;

/// No more choices of inputs than this are tried.
const MOST_CHOICES: usize = 32;
/// No more terms than this are tried for one input.
const MOST_INPUT_TERMS: usize = 8;
/// How often the guard is pulled back through the updates.
const MOST_ROUNDS: usize = 5;
/// Sets with more subterms than this are given up.
const LARGEST_SET_TERMS: usize = 2000;

/// What the cycle reads, over program variables.
type ChosenInputs = BTreeMap<Symbol, Term>;

/// Looks for a recurrent set.
pub fn find(terms: &Terms, solver: &mut dyn Solver, entry: &Unrolling<'_>, known: Term, budget: &Budget) -> Diverges {
    for choice in choices(terms, entry.lasso.cycle) {
        budget.check()?;
        if let Some(found) = with_choice(terms, solver, entry, known, &choice, budget)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

fn with_choice(
    terms: &Terms,
    solver: &mut dyn Solver,
    entry: &Unrolling<'_>,
    known: Term,
    choice: &ChosenInputs,
    budget: &Budget,
) -> Diverges {
    let function = chosen(terms, entry.lasso.cycle, choice);
    let reach = |solver: &mut dyn Solver, set: Term| {
        let condition = terms.and([entry.guard, entry.finally(terms.and([known, set]))]);
        let argument = |_: &Model| Divergent::RecurrentSet { set, choice: choice.clone() };
        entered(terms, solver, entry, entry.iterations(), condition, argument)
    };
    let mut set = function.guard;
    let mut reached = None;
    for _ in 0..MOST_ROUNDS {
        budget.check()?;
        let Some(found) = reach(solver, set) else { return Ok(None) };
        let next = function.after(terms, set);
        if is_unsatisfiable(solver, terms.and([set, terms.not(next)])) {
            return Ok(Some(found).filter(|found| found.runs(terms, entry.lasso)));
        }
        reached = Some(found);
        let larger = terms.and([set, next]);
        if terms.subterms(&[larger]).len() > LARGEST_SET_TERMS {
            break;
        }
        set = larger;
    }
    let Some(reached) = reached else { return Ok(None) };
    let mut candidates = conjuncts_at(terms, &function, set, &reached.start.state);
    let premise = |candidates: &[Term]| terms.and(candidates.iter().copied().chain([function.guard]));
    keep_implied(terms, solver, &function, premise, &mut candidates, budget)?;
    let set = terms.and(candidates);
    let is_recurrent = is_unsatisfiable(solver, terms.and([set, terms.not(function.guard)]))
        && is_unsatisfiable(solver, terms.and([set, terms.not(function.after(terms, set))]));
    if !is_recurrent {
        return Ok(None);
    }
    Ok(reach(solver, set).filter(|found| found.runs(terms, entry.lasso)))
}

/// The cycle under a choice.
fn chosen(terms: &Terms, cycle: &Transition, choice: &ChosenInputs) -> Transition {
    let replaced: HashMap<Symbol, Term> = choice.iter().map(|(&input, &term)| (input, term)).collect();
    Transition {
        guard: terms.substitute(cycle.guard, &replaced),
        updates: cycle.updates.iter().map(|(&s, &value)| (s, terms.substitute(value, &replaced))).collect(),
        inputs: BTreeSet::new(),
        known: cycle.known,
        is_approximate: cycle.is_approximate,
    }
}

/// Literals of a set that hold in a state, and bounds of the variables there.
fn conjuncts_at(terms: &Terms, function: &Transition, set: Term, state: &Valuation) -> Vec<Term> {
    let values = |symbol: Symbol| Some(value_of(terms, state, symbol));
    let holds = |term: Term| terms.holds(term, &values) == Some(true);
    let mut found: Vec<Term> = Vec::new();
    for term in terms.subterms(&[set]) {
        let is_atom =
            matches!(terms.node(term), Node::AtMostZero(_) | Node::Zero(_) | Node::Variable(_) | Node::Equal(..))
                && terms.sort(term) == Sort::Bool;
        if is_atom {
            found.extend([term, terms.not(term)]);
        }
    }
    for symbol in relevant(terms, function) {
        let variable = terms.variable(symbol);
        let here = terms.of_value(&value_of(terms, state, symbol));
        if let (Sort::Int, Some(here)) = (terms.sort_of_symbol(symbol), here) {
            found.extend([terms.less_equal(variable, here), terms.less_equal(here, variable)]);
            found.push(terms.less_equal(terms.integer(0), variable));
            let after = function.after(terms, variable);
            found.extend([terms.less_equal(variable, after), terms.less_equal(after, variable)]);
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|&term| terms.as_truth(term).is_none() && holds(term) && seen.insert(term));
    found
}

/// Choices of inputs that are worth a try.
fn choices(terms: &Terms, cycle: &Transition) -> Vec<ChosenInputs> {
    let inputs: Vec<(Symbol, Vec<Term>)> =
        (cycle.inputs.iter()).map(|&input| (input, options(terms, cycle, input))).collect();
    if inputs.iter().any(|(_, options)| options.is_empty()) {
        return Vec::new();
    }
    let pick = |indices: &[usize]| -> ChosenInputs {
        inputs.iter().zip(indices).map(|((input, options), &index)| (*input, options[index])).collect()
    };
    let mut indices = vec![0; inputs.len()];
    let mut found = Vec::new();
    loop {
        found.push(pick(&indices));
        let Some(place) = (0..inputs.len()).find(|&place| indices[place] + 1 < inputs[place].1.len()) else { break };
        if found.len() >= MOST_CHOICES {
            break;
        }
        indices[..place].fill(0);
        indices[place] += 1;
    }
    found
}

/// Terms over program variables that an input could be.
fn options(terms: &Terms, cycle: &Transition, input: Symbol) -> Vec<Term> {
    let variable = terms.variable(input);
    let is_over_variables = |term: Term| terms.symbols(term).is_disjoint(&cycle.inputs);
    let mut found = Vec::new();
    match terms.sort_of_symbol(input) {
        Sort::Bool => found.extend([terms.truth(false), terms.truth(true)]),
        Sort::Int => {
            // The value at which a linear form with the input in it is zero, where that is a linear form again.
            let solved = |linear: &Linear, offset: i64| -> Option<Term> {
                let coefficient = linear.coefficient(variable);
                let rest = linear.without(variable).add(&Linear::constant_of(offset));
                let value = if coefficient.is_one() {
                    rest.negate()
                } else if (-coefficient).is_one() {
                    rest
                } else {
                    return None;
                };
                Some(terms.from_linear(&value)).filter(|&term| is_over_variables(term))
            };
            for term in terms.subterms(&[cycle.guard]) {
                match terms.node(term) {
                    Node::Zero(linear) => found.extend(solved(&linear, 0)),
                    Node::AtMostZero(linear) => found.extend(solved(&linear, 0)),
                    _ => {}
                }
            }
            for (&symbol, &value) in &cycle.updates {
                if terms.sort(value) == Sort::Int && terms.symbols(value).contains(&input) {
                    let difference = terms.linear(value).subtract(&terms.linear(terms.variable(symbol)));
                    found.extend(solved(&difference, 0));
                }
            }
            found.extend([0, 1, -1].map(|value| terms.integer(BigInt::from(value))));
        }
        Sort::BitVector(width) => {
            found.extend([0, 1].map(|value| terms.bit_vector(width, BigInt::from(value))));
        }
        Sort::Array(..) => {}
    }
    let mut seen = BTreeSet::new();
    found.retain(|&term| seen.insert(term));
    found.truncate(MOST_INPUT_TERMS);
    found
}
