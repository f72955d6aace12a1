//! Ranking templates (Leike and Heizmann, TACAS 2014), fitted to polyhedra.
//!
//! Strict decrease is decrease by one: functions may be scaled. Deviations: lexicographic tuples are first sought
//! component by component (Alias, Darte, Feautrier and Gonnord, SAS 2010; Ben-Amram and Genaim, CAV 2017), each a
//! nested function for one polyhedron that does not grow on the others that remain, which needs linear systems only;
//! and the parts of a piecewise function are told apart by the sign of one affine function.

use std::time::Duration;

use foundation::Budget;
use foundation::ids::Id;
use logic::{Linear, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Zero};
use smt::reals::{Fraction, Solved, System, Unknown, gcd};

use super::farkas::{Affine, Combination, imply, imply_clause};
use super::polyhedra::{Observable, Paths, Polyhedron};
use super::ranking::{Candidate, Template};

/// The most components that are sought one after the other.
const MOST_COMPONENTS: usize = 6;

/// A nested function of some depth; depth one is an affine function.
pub fn nested(terms: &Terms, paths: &Paths, depth: usize, budget: &Budget, limit: Duration) -> Option<Candidate> {
    let mut system = System::new();
    let functions = affine_functions(&mut system, paths, depth);
    for polyhedron in &paths.polyhedra {
        for combination in nested_conditions(&functions, &paths.observables) {
            imply(&mut system, polyhedron, &combination);
        }
    }
    let values = solve(&system, &functions, budget, limit)?;
    let template = if depth == 1 { Template::Affine } else { Template::Nested(depth) };
    Some(Candidate {
        function: components(terms, &functions, &values, &paths.observables),
        invariants: Vec::new(),
        template,
    })
}

/// What a polyhedron must imply for functions to be nested: the first decreases, each other one decreases by as much
/// as the one before it is negative, and one more; the last is not negative.
pub fn nested_conditions(functions: &[Affine], observables: &[Observable]) -> Vec<Combination> {
    let mut conditions = Vec::new();
    for (index, function) in functions.iter().enumerate() {
        let mut decrease = function.loss(observables).plus(1, &Combination::constant(-1));
        if index > 0 {
            decrease = decrease.plus(1, &functions[index - 1].before(observables));
        }
        conditions.push(decrease);
    }
    conditions.extend(functions.last().map(|last| last.before(observables)));
    conditions
}

/// A tuple, found component by component: each step finds nested functions for one of the polyhedra that remain, none
/// of which grows on the others, and which rank as many of these as possible.
pub fn greedy(terms: &Terms, paths: &Paths, budget: &Budget, limit: Duration) -> Option<Candidate> {
    let mut remaining: Vec<&Polyhedron> = paths.polyhedra.iter().collect();
    let mut tuple = Vec::new();
    while !remaining.is_empty() {
        let next = (1..=2).find_map(|depth| {
            (0..remaining.len()).find_map(|target| {
                (budget.check().is_ok()).then(|| rank_some(&remaining, target, depth, paths, budget, limit)).flatten()
            })
        });
        let (functions, values, ranked) = next?;
        tuple.extend(components(terms, &functions, &values, &paths.observables));
        if tuple.len() > MOST_COMPONENTS {
            return None;
        }
        let mut is_ranked = ranked.into_iter();
        remaining.retain(|_| !is_ranked.next().expect("one for each polyhedron"));
    }
    let template = Template::Lexicographic(tuple.len());
    (!tuple.is_empty()).then_some(Candidate { function: tuple, invariants: Vec::new(), template })
}

/// Nested functions for one polyhedron that do not grow on the others, and which of the others they rank as well.
fn rank_some(
    remaining: &[&Polyhedron],
    target: usize,
    depth: usize,
    paths: &Paths,
    budget: &Budget,
    limit: Duration,
) -> Option<(Vec<Affine>, Vec<Fraction>, Vec<bool>)> {
    let observables = &paths.observables;
    let mut system = System::new();
    let functions = affine_functions(&mut system, paths, depth);
    let ranks = |system: &mut System, polyhedron: &Polyhedron| {
        for combination in nested_conditions(&functions, observables) {
            imply(system, polyhedron, &combination);
        }
    };
    for (index, polyhedron) in remaining.iter().enumerate() {
        if index == target {
            ranks(&mut system, polyhedron);
        } else {
            for function in &functions {
                imply(&mut system, polyhedron, &function.loss(observables));
            }
        }
    }
    let Solved::Values(mut values) = system.solve(budget, limit) else { return None };
    let mut ranked: Vec<bool> = (0..remaining.len()).map(|index| index == target).collect();
    for (index, polyhedron) in remaining.iter().enumerate() {
        if index == target || budget.check().is_err() {
            continue;
        }
        let mut stronger = system.clone();
        ranks(&mut stronger, polyhedron);
        if let Solved::Values(better) = stronger.solve(budget, limit) {
            (system, values) = (stronger, better);
            ranked[index] = true;
        }
    }
    if let Solved::Values(sparse) = system.solve_sparsely(&coefficients(&functions), budget, limit) {
        values = sparse;
    }
    Some((functions, values, ranked))
}

/// A template with clauses of several atoms; their multipliers are 0 and 1, or unknown.
pub fn structured(
    terms: &Terms,
    paths: &Paths,
    template: Template,
    is_nonlinear: bool,
    budget: &Budget,
    limit: Duration,
) -> Option<Candidate> {
    let count = match template {
        Template::Multiphase(count) | Template::Lexicographic(count) | Template::Piecewise(count) => count,
        Template::Affine | Template::Nested(_) => return None,
    };
    let observables = &paths.observables;
    let mut system = System::new();
    let functions = affine_functions(&mut system, paths, count);
    let switch = Affine::new(&mut system, observables.len());
    let clauses = match template {
        Template::Multiphase(_) => multiphase(&functions, observables),
        Template::Lexicographic(_) => lexicographic(&functions, observables),
        _ => piecewise(&functions, &switch, observables),
    };
    for polyhedron in &paths.polyhedra {
        for clause in &clauses {
            imply_clause(&mut system, polyhedron, clause, is_nonlinear);
        }
    }
    let Solved::Values(values) = system.solve(budget, limit) else { return None };
    let mut function = components(terms, &functions, &values, observables);
    if let Template::Piecewise(_) = template {
        let switch = component(terms, &switch, &values, observables);
        let is_first = terms.less_equal(terms.integer(0), switch);
        function = vec![terms.ite(is_first, function[0], function[1])];
    }
    Some(Candidate { function, invariants: Vec::new(), template })
}

/// The first decreases; each other one decreases or the one before it is not negative; some is not negative.
fn multiphase(functions: &[Affine], observables: &[Observable]) -> Vec<Vec<Combination>> {
    let decrease = |function: &Affine| function.loss(observables).plus(1, &Combination::constant(-1));
    let mut clauses = vec![vec![decrease(&functions[0])]];
    for pair in functions.windows(2) {
        clauses.push(vec![decrease(&pair[1]), pair[0].before(observables)]);
    }
    clauses.push(functions.iter().map(|function| function.before(observables)).collect());
    clauses
}

/// None is negative; each does not grow or one before it decreases; some decreases.
fn lexicographic(functions: &[Affine], observables: &[Observable]) -> Vec<Vec<Combination>> {
    let decrease = |function: &Affine| function.loss(observables).plus(1, &Combination::constant(-1));
    let mut clauses: Vec<Vec<Combination>> =
        functions.iter().map(|function| vec![function.before(observables)]).collect();
    for (index, function) in functions.iter().enumerate().take(functions.len() - 1) {
        let mut clause = vec![function.loss(observables)];
        clause.extend(functions[..index].iter().map(decrease));
        clauses.push(clause);
    }
    clauses.push(functions.iter().map(decrease).collect());
    clauses
}

/// Two functions, the first where the switch is not negative and the second elsewhere: each is not negative where it
/// is used, and whatever is used after the step is smaller than what was used before.
fn piecewise(functions: &[Affine], switch: &Affine, observables: &[Observable]) -> Vec<Vec<Combination>> {
    // What refutes that the first, or the second, function is used.
    let unused = |value: Combination| {
        let negative = Combination::constant(-1).minus(&value);
        [negative, value]
    };
    let (before, after) = (unused(switch.before(observables)), unused(switch.after(observables)));
    let mut clauses = Vec::new();
    for (i, one) in functions.iter().take(2).enumerate() {
        clauses.push(vec![before[i].clone(), one.before(observables)]);
        for (j, other) in functions.iter().take(2).enumerate() {
            let decrease = one.before(observables).minus(&other.after(observables)).plus(1, &Combination::constant(-1));
            clauses.push(vec![before[i].clone(), after[j].clone(), decrease]);
        }
    }
    clauses
}

/// New functions with unknown coefficients.
pub fn affine_functions(system: &mut System, paths: &Paths, count: usize) -> Vec<Affine> {
    (0..count).map(|_| Affine::new(system, paths.observables.len())).collect()
}

/// A solution in which many coefficients of the functions are zero.
pub fn solve(system: &System, functions: &[Affine], budget: &Budget, limit: Duration) -> Option<Vec<Fraction>> {
    match system.solve_sparsely(&coefficients(functions), budget, limit) {
        Solved::Values(values) => Some(values),
        Solved::None | Solved::Unknown => None,
    }
}

fn coefficients(functions: &[Affine]) -> Vec<Unknown> {
    functions.iter().flat_map(|function| function.coefficients.iter().copied()).collect()
}

/// The functions of a solution, as terms.
pub fn components(terms: &Terms, functions: &[Affine], values: &[Fraction], observables: &[Observable]) -> Vec<Term> {
    functions.iter().map(|function| component(terms, function, values, observables)).collect()
}

/// A function of a solution as a term with integer coefficients that have no common divisor. Scaling by a positive
/// number keeps the sign and what decreases; the constant is rounded down, which keeps the sign on integers.
pub fn component(terms: &Terms, function: &Affine, values: &[Fraction], observables: &[Observable]) -> Term {
    let value = |unknown: Unknown| &values[unknown.index()];
    let all = || function.coefficients.iter().copied();
    let common = all().fold(value(function.constant).denominator.clone(), |common, unknown| {
        let denominator = &value(unknown).denominator;
        &common / gcd(common.clone(), denominator.clone()) * denominator
    });
    let scaled = |unknown: Unknown| &value(unknown).numerator * (&common / &value(unknown).denominator);
    let divisor = all().fold(BigInt::zero(), |divisor, unknown| gcd(divisor, scaled(unknown)));
    let divisor = if divisor.is_zero() { BigInt::one() } else { divisor };
    let constant = scaled(function.constant);
    let remainder = ((&constant % &divisor) + &divisor) % &divisor;
    let mut sum = Linear::constant_of((constant - remainder) / &divisor);
    for (&unknown, observable) in function.coefficients.iter().zip(observables) {
        sum = sum.add_scaled(&(scaled(unknown) / &divisor), &terms.linear(observable.term));
    }
    terms.from_linear(&sum)
}
