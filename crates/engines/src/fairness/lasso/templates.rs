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
use smt::reals::{Fraction, RealSystem, Solved, Unknown, gcd};

use super::farkas::{Affine, Combination, imply, imply_clause};
use super::polyhedra::{Observable, Polyhedra, Polyhedron};
use super::ranking::{Proposal, Template};

/// The most components that are sought one after the other.
const MOST_COMPONENTS: usize = 6;

/// A nested function of some depth; depth one is an affine function.
pub fn nested(terms: &Terms, paths: &Polyhedra, depth: usize, budget: &Budget, limit: Duration) -> Option<Proposal> {
    let mut system = RealSystem::new();
    let functions = affine_functions(&mut system, paths, depth);
    for polyhedron in &paths.polyhedra {
        for combination in nested_conditions(&functions, &paths.observables) {
            imply(&mut system, polyhedron, &combination);
        }
    }
    let values = solve(&system, &functions, budget, limit)?;
    let template = if depth == 1 { Template::Affine } else { Template::Nested(depth) };
    Some(Proposal {
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
pub fn greedy(terms: &Terms, paths: &Polyhedra, budget: &Budget, limit: Duration) -> Option<Proposal> {
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
    (!tuple.is_empty()).then_some(Proposal { function: tuple, invariants: Vec::new(), template })
}

/// Nested functions for one polyhedron that do not grow on the others, and which of the others they rank as well.
fn rank_some(
    remaining: &[&Polyhedron],
    target: usize,
    depth: usize,
    paths: &Polyhedra,
    budget: &Budget,
    limit: Duration,
) -> Option<(Vec<Affine>, Vec<Fraction>, Vec<bool>)> {
    let observables = &paths.observables;
    let mut system = RealSystem::new();
    let functions = affine_functions(&mut system, paths, depth);
    let ranks = |system: &mut RealSystem, polyhedron: &Polyhedron| {
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

/// A template with clauses of several atoms; their multipliers are 0 and 1, or unknown. Several candidates may come of
/// one solution, the simplest first.
pub fn structured(
    terms: &Terms,
    paths: &Polyhedra,
    template: Template,
    is_nonlinear: bool,
    budget: &Budget,
    limit: Duration,
) -> Vec<Proposal> {
    let count = match template {
        Template::Multiphase(count) | Template::Lexicographic(count) | Template::Piecewise(count) => count,
        Template::Affine | Template::Remainder | Template::Nested(_) => return Vec::new(),
    };
    let observables = &paths.observables;
    let mut system = RealSystem::new();
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
    let Solved::Values(values) = system.solve(budget, limit) else { return Vec::new() };
    let own_scale = components(terms, &functions, &values, observables);
    let candidate = |function| Proposal { function, invariants: Vec::new(), template };
    if !matches!(template, Template::Piecewise(_)) {
        return vec![candidate(own_scale)];
    }
    // Pieces in scales of their own have small coefficients, but need not compare as the solution does; those in one
    // scale do.
    let switch = component(terms, &switch, &values, observables);
    let is_first = terms.less_equal(terms.integer(0), switch);
    let mut forms = vec![own_scale, pieces(terms, &functions, &values, observables)];
    forms.dedup();
    forms.into_iter().map(|pieces| candidate(vec![terms.ite(is_first, pieces[0], pieces[1])])).collect()
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
pub fn affine_functions(system: &mut RealSystem, paths: &Polyhedra, count: usize) -> Vec<Affine> {
    (0..count).map(|_| Affine::new(system, paths.observables.len())).collect()
}

/// A solution in which many coefficients of the functions are zero.
pub fn solve(system: &RealSystem, functions: &[Affine], budget: &Budget, limit: Duration) -> Option<Vec<Fraction>> {
    match system.solve_sparsely(&coefficients(functions), budget, limit) {
        Solved::Values(values) => Some(values),
        Solved::None | Solved::Unknown => None,
    }
}

fn coefficients(functions: &[Affine]) -> Vec<Unknown> {
    functions.iter().flat_map(|function| function.coefficients.iter().copied()).collect()
}

/// The functions of a solution, as terms, each in its own scale, which tuples may have: their components are never
/// compared with each other.
pub fn components(terms: &Terms, functions: &[Affine], values: &[Fraction], observables: &[Observable]) -> Vec<Term> {
    functions.iter().map(|function| component(terms, function, values, observables)).collect()
}

/// A function of a solution as a term with integer coefficients that have no common divisor. Scaling by a positive
/// number keeps the sign and what decreases; the constant is rounded down, which keeps the sign on integers.
pub fn component(terms: &Terms, function: &Affine, values: &[Fraction], observables: &[Observable]) -> Term {
    let common = common_denominator(function.unknowns().map(|unknown| &values[unknown.index()]));
    let scaled = |unknown: Unknown| values[unknown.index()].scaled(&common);
    let divisor = common_divisor(function.coefficients.iter().map(|&unknown| scaled(unknown)));
    let constant = scaled(function.constant);
    let remainder = ((&constant % &divisor) + &divisor) % &divisor;
    let constant = (constant - remainder) / &divisor;
    integral(terms, function, constant, |unknown| scaled(unknown) / &divisor, observables)
}

/// The functions of a solution in one scale, for those that are compared with each other: the pieces of a piecewise
/// function. Nothing is rounded, as that would move one piece against the other.
fn pieces(terms: &Terms, functions: &[Affine], values: &[Fraction], observables: &[Observable]) -> Vec<Term> {
    let all = || functions.iter().flat_map(Affine::unknowns);
    let common = common_denominator(all().map(|unknown| &values[unknown.index()]));
    let divisor = common_divisor(all().map(|unknown| values[unknown.index()].scaled(&common)));
    let scaled = |unknown: Unknown| values[unknown.index()].scaled(&common) / &divisor;
    let piece = |function: &Affine| integral(terms, function, scaled(function.constant), scaled, observables);
    functions.iter().map(piece).collect()
}

/// A function with these integer coefficients, as a term.
fn integral(
    terms: &Terms,
    function: &Affine,
    constant: BigInt,
    coefficient: impl Fn(Unknown) -> BigInt,
    observables: &[Observable],
) -> Term {
    let mut sum = Linear::constant_of(constant);
    for (&unknown, observable) in function.coefficients.iter().zip(observables) {
        sum = sum.add_scaled(&coefficient(unknown), &terms.linear(observable.term));
    }
    terms.from_linear(&sum)
}

/// The least number that makes integers of all fractions.
fn common_denominator<'v>(values: impl Iterator<Item = &'v Fraction>) -> BigInt {
    values.fold(BigInt::one(), |common, value| {
        &common / gcd(common.clone(), value.denominator.clone()) * &value.denominator
    })
}

/// The greatest number that divides all; one where all are zero.
fn common_divisor(values: impl Iterator<Item = BigInt>) -> BigInt {
    let divisor = values.fold(BigInt::zero(), gcd);
    if divisor.is_zero() { BigInt::one() } else { divisor }
}

#[cfg(test)]
mod tests {
    use logic::{Sort, Value};

    use super::*;

    /// All small pairs of functions `a·x + c` with fractions: the pieces compare with zero, and with each other, in all
    /// small points as the functions of the solution do.
    #[test]
    fn pieces_compare_as_the_solution_does() {
        let terms = Terms::new();
        let symbol = terms.symbol("x", Sort::Int);
        let variable = terms.variable(symbol);
        let linear = terms.linear(variable);
        let observables = [Observable { term: variable, before: linear.clone(), after: linear }];
        let mut system = RealSystem::new();
        let functions: Vec<Affine> = (0..2).map(|_| Affine::new(&mut system, 1)).collect();
        let choices = [(-2, 1), (-1, 3), (0, 1), (1, 2), (2, 3)];
        for code in 0..5_usize.pow(4) {
            let chosen: Vec<(i64, i64)> = (0..4).map(|place| choices[code / 5_usize.pow(place) % 5]).collect();
            let values: Vec<Fraction> = chosen.iter().map(|&(n, d)| Fraction::new(n.into(), d.into())).collect();
            let pieces = pieces(&terms, &functions, &values, &observables);
            // Six times the value in a point.
            let exact = |function: &Affine, x: i64| {
                let six_times = |unknown: Unknown| chosen[unknown.index()].0 * 6 / chosen[unknown.index()].1;
                six_times(function.coefficients[0]) * x + six_times(function.constant)
            };
            let found = |piece: Term, x: i64| match terms.evaluate(piece, &|_| Some(Value::Int(x.into()))) {
                Some(Value::Int(value)) => value,
                other => panic!("{other:?} is no number"),
            };
            for (x, y) in (-3..=3).flat_map(|x| (-3..=3).map(move |y| (x, y))) {
                let (one, other) = (exact(&functions[0], x), exact(&functions[1], y));
                let (first, second) = (found(pieces[0], x), found(pieces[1], y));
                assert_eq!(one.cmp(&other), first.cmp(&second), "{chosen:?} at {x} and {y}");
                assert_eq!((one.signum(), other.signum()), (sign(&first), sign(&second)), "{chosen:?} at {x} and {y}");
            }
        }
    }

    fn sign(number: &BigInt) -> i64 {
        match number.cmp(&BigInt::zero()) {
            std::cmp::Ordering::Less => -1,
            std::cmp::Ordering::Equal => 0,
            std::cmp::Ordering::Greater => 1,
        }
    }
}
