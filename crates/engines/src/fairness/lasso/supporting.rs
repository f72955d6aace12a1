//! Supporting invariants: what the stem establishes and the cycle keeps.
//!
//! They come from two sources. Guesses (values that the stem leaves, signs, differences, conditions that stem and
//! cycle pass) are thinned out to the largest inductive subset, as Houdini does (Flanagan and Leino, FME 2001). And
//! affine invariants with unknown coefficients are sought together with the ranking function: one for each
//! implication, with multiplier one there and with multiplier zero or one in its consecution, which keeps the system
//! linear.

use std::collections::BTreeSet;
use std::time::Duration;

use foundation::{Budget, Exhausted};
use logic::{Node, Sort, Symbol, Term, Terms};
use smt::reals::{Bilinear, RealSystem};
use smt::{Satisfiability, Solver};

use super::Lasso;
use super::farkas::{Affine, imply, imply_one};
use super::polyhedra::{Polyhedra, is_unsatisfiable};
use super::ranking::{Proposal, Template};
use super::templates;
use crate::encode::step::Transition;

/// Pairs of variables are compared where there are at most so many.
const MOST_COMPARED_VARIABLES: usize = 8;
/// No more candidates than this are looked at.
const MOST_CANDIDATES: usize = 200;
/// With more polyhedra than this, implications share their supporting invariant.
const MOST_SEPARATE_POLYHEDRA: usize = 2;

/// Whether a condition on the state holds after the stem.
pub fn is_initial(terms: &Terms, solver: &mut dyn Solver, lasso: &Lasso<'_>, condition: Term) -> bool {
    let after = lasso.stem.after(terms, condition);
    is_unsatisfiable(solver, terms.and([lasso.stem.guard, terms.not(after)]))
}

/// An inductive set of conditions that hold after the stem, over the wanted variables.
pub fn guess(
    terms: &Terms,
    solver: &mut dyn Solver,
    lasso: &Lasso<'_>,
    known: Term,
    wanted: &BTreeSet<Symbol>,
    budget: &Budget,
) -> Result<Vec<Term>, Exhausted> {
    let mut candidates = candidates(terms, lasso, wanted);
    candidates.truncate(MOST_CANDIDATES);
    keep_implied(terms, solver, lasso.stem, |_| lasso.stem.guard, &mut candidates, budget)?;
    let cycle = lasso.cycle;
    let premise = |candidates: &[Term]| terms.and(candidates.iter().copied().chain([known, cycle.guard]));
    keep_implied(terms, solver, cycle, premise, &mut candidates, budget)?;
    Ok(weaken(terms, candidates))
}

/// Removes candidates until the premise implies that all hold after the step.
pub fn keep_implied(
    terms: &Terms,
    solver: &mut dyn Solver,
    step: &Transition,
    premise: impl Fn(&[Term]) -> Term,
    candidates: &mut Vec<Term>,
    budget: &Budget,
) -> Result<(), Exhausted> {
    while !candidates.is_empty() {
        budget.check()?;
        let after: Vec<Term> = candidates.iter().map(|&candidate| step.after(terms, candidate)).collect();
        solver.push();
        solver.assert(premise(candidates));
        solver.assert(terms.not(terms.and(after.iter().copied())));
        let answer = solver.check(&[]);
        let refuted: Option<Vec<bool>> = match answer {
            Satisfiability::Satisfiable => {
                let model = solver.model();
                let is_false =
                    |&term: &Term| model.evaluate(terms, term).and_then(|value| value.as_bool()) == Some(false);
                Some(after.iter().map(is_false).collect())
            }
            _ => None,
        };
        solver.pop();
        match (answer, refuted) {
            (Satisfiability::Unsatisfiable, _) => return Ok(()),
            (_, Some(refuted)) if refuted.contains(&true) => {
                let mut refuted = refuted.into_iter();
                candidates.retain(|_| !refuted.next().expect("one for each candidate"));
            }
            _ => candidates.clear(),
        }
    }
    Ok(())
}

/// Conditions that the stem and the cycle suggest.
fn candidates(terms: &Terms, lasso: &Lasso<'_>, wanted: &BTreeSet<Symbol>) -> Vec<Term> {
    let mut found: Vec<Term> = Vec::new();
    let is_over_wanted = |term: Term| terms.symbols(term).iter().all(|symbol| wanted.contains(symbol));
    let mut integers = Vec::new();
    for &symbol in wanted {
        let variable = terms.variable(symbol);
        let after = lasso.stem.updates.get(&symbol).copied();
        match terms.sort_of_symbol(symbol) {
            Sort::Bool => found.extend([variable, terms.not(variable)]),
            Sort::Int => {
                integers.push(variable);
                if let Some(value) = after.and_then(|after| terms.as_integer(after)) {
                    let value = terms.integer((*value).clone());
                    found.extend([
                        terms.equal(variable, value),
                        terms.less_equal(variable, value),
                        terms.less_equal(value, variable),
                    ]);
                }
                for bound in [-1, 0, 1] {
                    found.push(terms.less_equal(terms.integer(bound), variable));
                    found.push(terms.less_equal(variable, terms.integer(bound)));
                }
            }
            Sort::BitVector(_) => {
                found.extend(
                    after
                        .filter(|&after| matches!(terms.node(after), Node::BitVector { .. }))
                        .map(|after| terms.equal(variable, after)),
                );
            }
            Sort::Array(..) => {}
        }
    }
    // What the stem checks still holds after it where it did not write; what the cycle checks may always hold.
    for step in [lasso.stem, lasso.cycle] {
        for conjunct in terms.conjuncts(step.guard) {
            if is_over_wanted(conjunct) && terms.disjunctive_normal_form(conjunct, 1).is_some() {
                found.push(conjunct);
            }
        }
    }
    if integers.len() <= MOST_COMPARED_VARIABLES {
        for (index, &one) in integers.iter().enumerate() {
            for &other in &integers[index + 1..] {
                found.extend([terms.equal(one, other), terms.less_equal(one, other), terms.less_equal(other, one)]);
                found.extend([terms.less(one, other), terms.less(other, one)]);
            }
        }
    }
    let mut seen = BTreeSet::new();
    found.retain(|&candidate| terms.as_truth(candidate).is_none() && seen.insert(candidate));
    found
}

/// Leaves out what the normal form of a conjunction leaves out: weaker bounds of the same expression.
fn weaken(terms: &Terms, candidates: Vec<Term>) -> Vec<Term> {
    let joined = terms.conjuncts(terms.and(candidates));
    joined.into_iter().filter(|&conjunct| terms.as_truth(conjunct).is_none()).collect()
}

/// A lasso as polyhedra, for functions and invariants with unknown coefficients.
pub struct Supported<'a> {
    /// The stem.
    pub stem: &'a Polyhedra,
    /// The cycle.
    pub cycle: &'a Polyhedra,
}

impl Supported<'_> {
    /// A nested function with supporting invariants.
    pub fn nested(&self, terms: &Terms, depth: usize, budget: &Budget, limit: Duration) -> Option<Proposal> {
        let observables = &self.cycle.observables;
        let mut system = RealSystem::new();
        let functions = templates::affine_functions(&mut system, self.cycle, depth);
        let conditions = templates::nested_conditions(&functions, observables);
        let is_separate = self.cycle.polyhedra.len() <= MOST_SEPARATE_POLYHEDRA;
        let mut invariants: Vec<Affine> = Vec::new();
        for condition in &conditions {
            let mut shared = None;
            for polyhedron in &self.cycle.polyhedra {
                let invariant = match shared.take() {
                    Some(invariant) if !is_separate => invariant,
                    _ => {
                        let invariant = self.invariant(&mut system);
                        invariants.push(invariant.clone());
                        invariant
                    }
                };
                imply(&mut system, polyhedron, &condition.clone().minus(&invariant.before(observables)));
                shared = Some(invariant);
            }
        }
        let mut preferred_zero = invariants.clone();
        preferred_zero.extend(functions.iter().cloned());
        let values = templates::solve(&system, &preferred_zero, budget, limit)?;
        let zero = terms.integer(0);
        let invariants = (invariants.iter())
            .map(|invariant| terms.less_equal(zero, templates::component(terms, invariant, &values, observables)))
            .filter(|&invariant| terms.as_truth(invariant).is_none())
            .collect();
        let function = templates::components(terms, &functions, &values, observables);
        let template = if depth == 1 { Template::Affine } else { Template::Nested(depth) };
        Some(Proposal { function, invariants, template })
    }

    /// A new invariant: it holds after the stem, and the cycle establishes it or does not lower it.
    fn invariant(&self, system: &mut RealSystem) -> Affine {
        let observables = &self.cycle.observables;
        let invariant = Affine::new(system, observables.len());
        // The same observables in the stem's space; an element of an array has none there and takes no part.
        let mut after = Vec::new();
        for (index, observable) in observables.iter().enumerate() {
            match self.stem.observables.iter().find(|other| other.term == observable.term) {
                Some(other) => after.push((index, other.clone())),
                None => system.require(Bilinear::from(invariant.coefficients[index]).zero()),
            }
        }
        let part = Affine {
            coefficients: after.iter().map(|&(index, _)| invariant.coefficients[index]).collect(),
            constant: invariant.constant,
        };
        let after: Vec<_> = after.into_iter().map(|(_, observable)| observable).collect();
        for polyhedron in &self.stem.polyhedra {
            imply(system, polyhedron, &part.after(&after));
        }
        for polyhedron in &self.cycle.polyhedra {
            let later = invariant.after(observables);
            let gain = later.clone().minus(&invariant.before(observables));
            imply_one(system, polyhedron, &[gain, later]);
        }
        invariant
    }
}
