//! Implications between a polyhedron and an inequality with unknown coefficients, by Farkas' lemma.
//!
//! A polyhedron `A·z + b ≥ 0` that has a point implies `f(z) ≥ 0`, f affine, if and only if `f = λ·(A·z + b) + c` for
//! some multipliers `λ ≥ 0` and a constant `c ≥ 0`. The coefficients of f may be unknown: the condition is linear in
//! them and in λ. A clause `f₁ ≥ 0 ∨ … ∨ f_n ≥ 0` follows if `Σ μ_i·f_i ≥ 0` does for multipliers `μ ≥ 0` that are not
//! all zero (Motzkin); choosing each μ from {0, 1} keeps the condition linear, leaving them unknown makes it a system
//! with products.

use std::collections::{BTreeMap, BTreeSet};

use logic::{Linear, Term};
use num_bigint::BigInt;
use smt::reals::{Bilinear, Constraint, RealSystem, Unknown};

use super::polyhedra::{Observable, Polyhedron};

/// An affine form over dimensions whose coefficients are forms over unknowns.
#[derive(Clone, Debug, Default)]
pub struct Combination {
    coefficients: BTreeMap<Term, Bilinear>,
    constant: Bilinear,
}

impl Combination {
    /// A number.
    pub fn constant(value: i64) -> Self {
        Self { coefficients: BTreeMap::new(), constant: Bilinear::from(value) }
    }

    /// The sum with a multiple of another.
    pub fn plus(mut self, factor: i64, other: &Combination) -> Self {
        let factor = BigInt::from(factor);
        for (&dimension, form) in &other.coefficients {
            self.coefficients.entry(dimension).or_default().add(&factor, form);
        }
        self.constant.add(&factor, &other.constant);
        self
    }

    /// The difference.
    pub fn minus(self, other: &Combination) -> Self {
        self.plus(-1, other)
    }

    /// The product with an unknown.
    fn times(&self, unknown: Unknown) -> Self {
        Self {
            coefficients: self.coefficients.iter().map(|(&dimension, form)| (dimension, form.times(unknown))).collect(),
            constant: self.constant.times(unknown),
        }
    }

    fn add_product(&mut self, unknown: Unknown, linear: &Linear) {
        let form = Bilinear::from(unknown);
        for (coefficient, dimension) in linear.terms() {
            self.coefficients.entry(*dimension).or_default().add(coefficient, &form);
        }
        self.constant.add(linear.constant(), &form);
    }
}

/// An affine function of the observables with unknown coefficients.
#[derive(Clone, Debug)]
pub struct Affine {
    /// One unknown for each observable.
    pub coefficients: Vec<Unknown>,
    /// The constant.
    pub constant: Unknown,
}

impl Affine {
    /// New unknowns for so many observables.
    pub fn new(system: &mut RealSystem, observables: usize) -> Self {
        Self { coefficients: (0..observables).map(|_| system.unknown()).collect(), constant: system.unknown() }
    }

    /// All its unknowns.
    pub fn unknowns(&self) -> impl Iterator<Item = Unknown> + '_ {
        self.coefficients.iter().copied().chain([self.constant])
    }

    /// Its value before the step.
    pub fn before(&self, observables: &[Observable]) -> Combination {
        self.over(observables.iter().map(|observable| &observable.before))
    }

    /// Its value after the step.
    pub fn after(&self, observables: &[Observable]) -> Combination {
        self.over(observables.iter().map(|observable| &observable.after))
    }

    /// How much it loses in the step.
    pub fn loss(&self, observables: &[Observable]) -> Combination {
        self.before(observables).minus(&self.after(observables))
    }

    fn over<'a>(&self, values: impl Iterator<Item = &'a Linear>) -> Combination {
        let mut sum = Combination { coefficients: BTreeMap::new(), constant: Bilinear::from(self.constant) };
        for (&unknown, linear) in self.coefficients.iter().zip(values) {
            sum.add_product(unknown, linear);
        }
        sum
    }
}

/// Requires that a polyhedron implies `combination ≥ 0`.
pub fn imply(system: &mut RealSystem, polyhedron: &Polyhedron, combination: &Combination) {
    for constraint in implication(system, polyhedron, std::slice::from_ref(combination)).swap_remove(0) {
        system.require(constraint);
    }
}

/// Requires that a polyhedron implies one of some combinations to be at least zero everywhere.
pub fn imply_one(system: &mut RealSystem, polyhedron: &Polyhedron, combinations: &[Combination]) {
    let choices = implication(system, polyhedron, combinations);
    system.require_any(choices);
}

/// Requires that in each point of a polyhedron some of the combinations is at least zero. The multipliers are 0 or 1,
/// or unknowns, which makes products.
pub fn imply_clause(system: &mut RealSystem, polyhedron: &Polyhedron, clause: &[Combination], is_nonlinear: bool) {
    if let [combination] = clause {
        return imply(system, polyhedron, combination);
    }
    if is_nonlinear {
        let multipliers: Vec<Unknown> = clause.iter().map(|_| system.nonnegative()).collect();
        let total =
            multipliers.iter().fold(Bilinear::from(-1), |sum, &multiplier| sum.plus(&Bilinear::from(multiplier)));
        system.require(total.zero());
        let sum = (multipliers.iter().zip(clause)).fold(Combination::default(), |sum, (&multiplier, combination)| {
            sum.plus(1, &combination.times(multiplier))
        });
        return imply(system, polyhedron, &sum);
    }
    let subsets: Vec<Combination> = (1..1_u32 << clause.len())
        .map(|subset| {
            let chosen = clause.iter().enumerate().filter(|(index, _)| subset & (1 << index) != 0);
            chosen.fold(Combination::default(), |sum, (_, combination)| sum.plus(1, combination))
        })
        .collect();
    imply_one(system, polyhedron, &subsets);
}

/// For each combination, what makes it follow from the polyhedron; the multipliers are the same unknowns in all.
fn implication(system: &mut RealSystem, polyhedron: &Polyhedron, combinations: &[Combination]) -> Vec<Vec<Constraint>> {
    let mut columns: BTreeMap<Term, Bilinear> = BTreeMap::new();
    let mut constant = Bilinear::default();
    for row in &polyhedron.rows {
        let multiplier = if row.is_equation { system.unknown() } else { system.nonnegative() };
        let multiplier = Bilinear::from(multiplier);
        for (coefficient, dimension) in row.linear.terms() {
            columns.entry(*dimension).or_default().add(coefficient, &multiplier);
        }
        constant.add(row.linear.constant(), &multiplier);
    }
    let none = Bilinear::default();
    let constraints = |combination: &Combination| {
        let dimensions: BTreeSet<Term> = columns.keys().chain(combination.coefficients.keys()).copied().collect();
        let mut constraints: Vec<Constraint> = (dimensions.iter())
            .map(|dimension| {
                let wanted = combination.coefficients.get(dimension).unwrap_or(&none);
                wanted.clone().minus(columns.get(dimension).unwrap_or(&none)).zero()
            })
            .collect();
        constraints.push(combination.constant.clone().minus(&constant).at_least_zero());
        constraints
    };
    combinations.iter().map(constraints).collect()
}
