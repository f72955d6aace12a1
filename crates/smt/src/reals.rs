//! Systems of constraints over the rationals, solved by Z3's reals: what templates with unknown coefficients lead to.
//!
//! A [`RealSystem`] is a conjunction of constraints `form ≥ 0`, `form = 0`, `form > 0` and of disjunctions of
//! conjunctions of them. Forms are affine; products of two unknowns are allowed and make the system one of nonlinear
//! real arithmetic (QF_NRA), which is decidable but dear, so every attempt has a limit. A solution is rational: an
//! algebraic number that is not is reported as [`Solved::Unknown`].
//!
//! This module knows nothing of terms, programs or integers.

use std::collections::BTreeMap;
use std::time::Duration;

use foundation::Budget;
use num_bigint::BigInt;
use z3::SatResult;
use z3::ast::{Bool, Real};

use crate::limits::{counted, limit as limited, parameters, patience, patiently, steps_in};
use crate::watch::SolverWatch;

foundation::define_id! {
    /// An unknown of a [`RealSystem`].
    Unknown
}

use foundation::ids::Id;

/// An affine form over unknowns, with products of two of them where the system is nonlinear.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bilinear {
    /// The coefficients that are not zero.
    pub coefficients: BTreeMap<Unknown, BigInt>,
    /// The coefficients of products, the smaller unknown first.
    pub products: BTreeMap<(Unknown, Unknown), BigInt>,
    /// The summand without an unknown.
    pub constant: BigInt,
}

impl From<Unknown> for Bilinear {
    fn from(unknown: Unknown) -> Self {
        Self { coefficients: BTreeMap::from([(unknown, BigInt::from(1))]), ..Self::default() }
    }
}

impl From<BigInt> for Bilinear {
    fn from(constant: BigInt) -> Self {
        Self { constant, ..Self::default() }
    }
}

impl From<i64> for Bilinear {
    fn from(constant: i64) -> Self {
        Self::from(BigInt::from(constant))
    }
}

impl Bilinear {
    /// Adds a multiple of another form.
    pub fn add(&mut self, factor: &BigInt, other: &Bilinear) {
        for (&unknown, coefficient) in &other.coefficients {
            accumulate(&mut self.coefficients, unknown, factor * coefficient);
        }
        for (&pair, coefficient) in &other.products {
            accumulate(&mut self.products, pair, factor * coefficient);
        }
        self.constant += factor * &other.constant;
    }

    /// The sum of two forms.
    pub fn plus(mut self, other: &Bilinear) -> Bilinear {
        self.add(&BigInt::from(1), other);
        self
    }

    /// The difference of two forms.
    pub fn minus(mut self, other: &Bilinear) -> Bilinear {
        self.add(&BigInt::from(-1), other);
        self
    }

    /// This form, which must have no products, times an unknown.
    pub fn times(&self, unknown: Unknown) -> Bilinear {
        assert!(self.products.is_empty(), "products have two factors");
        let mut result = Bilinear::default();
        for (&factor, coefficient) in &self.coefficients {
            accumulate(&mut result.products, (factor.min(unknown), factor.max(unknown)), coefficient.clone());
        }
        accumulate(&mut result.coefficients, unknown, self.constant.clone());
        result
    }

    /// The value under an assignment.
    pub fn value(&self, values: &[Fraction]) -> Fraction {
        let mut sum = Fraction::from(self.constant.clone());
        for (&unknown, coefficient) in &self.coefficients {
            sum = sum.plus(&values[unknown.index()].times(&Fraction::from(coefficient.clone())));
        }
        for (&(one, other), coefficient) in &self.products {
            let product = values[one.index()].times(&values[other.index()]);
            sum = sum.plus(&product.times(&Fraction::from(coefficient.clone())));
        }
        sum
    }

    /// The constraint `self ≥ 0`.
    pub fn at_least_zero(self) -> Constraint {
        Constraint { form: self, relation: Relation::AtLeastZero }
    }

    /// The constraint `self = 0`.
    pub fn zero(self) -> Constraint {
        Constraint { form: self, relation: Relation::Zero }
    }

    /// The constraint `self > 0`.
    pub fn above_zero(self) -> Constraint {
        Constraint { form: self, relation: Relation::AboveZero }
    }
}

fn accumulate<K: Ord>(map: &mut BTreeMap<K, BigInt>, key: K, amount: BigInt) {
    let zero = BigInt::from(0);
    if amount == zero {
        return;
    }
    let entry = map.entry(key);
    if let std::collections::btree_map::Entry::Occupied(mut occupied) = entry {
        *occupied.get_mut() += amount;
        if *occupied.get() == zero {
            occupied.remove();
        }
    } else {
        entry.or_insert(amount);
    }
}

/// How a form compares with zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Relation {
    /// `form ≥ 0`
    AtLeastZero,
    /// `form = 0`
    Zero,
    /// `form > 0`
    AboveZero,
}

/// A form compared with zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Constraint {
    /// What is compared with zero.
    pub form: Bilinear,
    /// How it compares with zero.
    pub relation: Relation,
}

/// A rational number in lowest terms with a positive denominator.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fraction {
    /// The numerator, which has the sign.
    pub numerator: BigInt,
    /// The denominator, positive.
    pub denominator: BigInt,
}

impl From<BigInt> for Fraction {
    fn from(numerator: BigInt) -> Self {
        Self { numerator, denominator: BigInt::from(1) }
    }
}

impl Fraction {
    /// The quotient; the denominator must not be zero.
    pub fn new(numerator: BigInt, denominator: BigInt) -> Self {
        let zero = BigInt::from(0);
        assert!(denominator != zero, "a fraction's denominator is not zero");
        let divisor = gcd(numerator.clone(), denominator.clone());
        let divisor = if denominator < zero { -divisor } else { divisor };
        Self { numerator: numerator / &divisor, denominator: denominator / &divisor }
    }

    /// The integer that it is times a multiple of its denominator.
    pub fn scaled(&self, multiple: &BigInt) -> BigInt {
        &self.numerator * (multiple / &self.denominator)
    }

    fn plus(&self, other: &Fraction) -> Fraction {
        Fraction::new(
            &self.numerator * &other.denominator + &other.numerator * &self.denominator,
            &self.denominator * &other.denominator,
        )
    }

    fn times(&self, other: &Fraction) -> Fraction {
        Fraction::new(&self.numerator * &other.numerator, &self.denominator * &other.denominator)
    }
}

/// The greatest common divisor, not negative.
pub fn gcd(mut one: BigInt, mut other: BigInt) -> BigInt {
    let zero = BigInt::from(0);
    while other != zero {
        (one, other) = (other.clone(), one % other);
    }
    if one < zero { -one } else { one }
}

/// What became of a [`RealSystem`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Solved {
    /// A solution, by the index of the unknown.
    Values(Vec<Fraction>),
    /// There is none.
    None,
    /// The limit was reached, or the solution is not rational.
    Unknown,
}

/// A system of constraints over the rationals.
#[derive(Clone, Debug, Default)]
pub struct RealSystem {
    unknowns: usize,
    constraints: Vec<Constraint>,
    choices: Vec<Vec<Vec<Constraint>>>,
}

impl RealSystem {
    /// No unknowns, no constraints.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new unknown.
    pub fn unknown(&mut self) -> Unknown {
        self.unknowns += 1;
        Unknown::from_index(self.unknowns - 1)
    }

    /// A new unknown that is not negative.
    pub fn nonnegative(&mut self) -> Unknown {
        let unknown = self.unknown();
        self.require(Bilinear::from(unknown).at_least_zero());
        unknown
    }

    /// Adds a constraint.
    pub fn require(&mut self, constraint: Constraint) {
        self.constraints.push(constraint);
    }

    /// Adds a disjunction of conjunctions of constraints.
    pub fn require_any(&mut self, choices: Vec<Vec<Constraint>>) {
        self.choices.push(choices);
    }

    /// The number of unknowns.
    pub fn len(&self) -> usize {
        self.unknowns
    }

    /// Whether there are no unknowns.
    pub fn is_empty(&self) -> bool {
        self.unknowns == 0
    }

    /// Looks for a solution for about so long, on a machine of our days.
    pub fn solve(&self, budget: &Budget, limit: Duration) -> Solved {
        self.solve_sparsely(&[], budget, limit)
    }

    /// Looks for a solution in which as many of some unknowns as is found greedily, in their order, are zero. When
    /// the limit is reached, the best solution so far counts.
    pub fn solve_sparsely(&self, sparse: &[Unknown], budget: &Budget, limit: Duration) -> Solved {
        let unknowns: Vec<Real> = (0..self.unknowns).map(|index| Real::new_const(format!("u{index}"))).collect();
        let is_linear = self.all_constraints().all(|constraint| constraint.form.products.is_empty());
        let logic = if is_linear { "QF_LRA" } else { "QF_NRA" };
        let solver = z3::Solver::new_for_logic(logic).unwrap_or_default();
        for constraint in &self.constraints {
            solver.assert(translate(constraint, &unknowns));
        }
        for choices in &self.choices {
            let choices: Vec<Bool> = (choices.iter())
                .map(|choice| Bool::and(&choice.iter().map(|c| translate(c, &unknowns)).collect::<Vec<_>>()))
                .collect();
            solver.assert(Bool::or(&choices));
        }
        let watch = SolverWatch::new(budget);
        let steps = steps_in(limit);
        // All zeros together may take as much as the solution.
        let mut left = steps.saturating_mul(2);
        let mut found = None;
        let zeros = std::iter::once(None).chain(sparse.iter().map(|&unknown| Some(unknown)));
        for zero in zeros {
            if budget.check().is_err() || left == 0 {
                break;
            }
            let steps = limited(Some(steps.min(left)), budget).unwrap_or(left);
            solver.push();
            if let Some(unknown) = zero {
                let is_zero_already =
                    found.as_ref().is_some_and(|v: &Vec<Fraction>| v[unknown.index()].numerator == BigInt::from(0));
                solver.assert(unknowns[unknown.index()].eq(Real::from_rational(0, 1)));
                if is_zero_already {
                    continue;
                }
            }
            // Nonlinear systems are those that count too few steps: it is their time that ends them, so they have less of it.
            let patience = if is_linear { patience(steps) } else { patience(steps) / 4 };
            solver.set_params(&parameters(Some(steps)));
            let (answer, taken) = patiently(steps, patience, budget, &watch, || {
                let (answer, taken) = counted(&solver, || solver.check());
                (Some(answer).filter(|answer| *answer != SatResult::Unknown), taken)
            });
            let answer = answer.unwrap_or(SatResult::Unknown);
            left = if answer == SatResult::Unknown { 0 } else { left.saturating_sub(taken) };
            match answer {
                SatResult::Sat => {
                    let Some(model) = solver.get_model() else { return Solved::Unknown };
                    let values: Option<Vec<Fraction>> =
                        unknowns.iter().map(|unknown| parse(&model.eval(unknown, true)?.to_string())).collect();
                    match values {
                        Some(values) => found = Some(values),
                        None if zero.is_none() => return Solved::Unknown,
                        None => solver.pop(1),
                    }
                }
                SatResult::Unsat if zero.is_none() => return Solved::None,
                SatResult::Unknown if zero.is_none() => return Solved::Unknown,
                _ => solver.pop(1),
            }
        }
        found.map_or(Solved::Unknown, Solved::Values)
    }

    fn all_constraints(&self) -> impl Iterator<Item = &Constraint> {
        self.constraints.iter().chain(self.choices.iter().flatten().flatten())
    }
}

fn numeral(value: &BigInt) -> Real {
    Real::from_rational_str(&value.to_string(), "1").expect("a decimal number is a numeral")
}

fn translate(constraint: &Constraint, unknowns: &[Real]) -> Bool {
    let form = &constraint.form;
    let mut summands: Vec<Real> = vec![numeral(&form.constant)];
    for (&unknown, coefficient) in &form.coefficients {
        summands.push(Real::mul(&[numeral(coefficient), unknowns[unknown.index()].clone()]));
    }
    for (&(one, other), coefficient) in &form.products {
        let factors = [numeral(coefficient), unknowns[one.index()].clone(), unknowns[other.index()].clone()];
        summands.push(Real::mul(&factors));
    }
    let sum = Real::add(&summands);
    let zero = Real::from_rational(0, 1);
    match constraint.relation {
        Relation::AtLeastZero => sum.ge(&zero),
        Relation::Zero => sum.eq(&zero),
        Relation::AboveZero => sum.gt(&zero),
    }
}

/// Reads `1.0`, `(- 1.0)`, `(/ 1.0 2.0)`, `(- (/ 1.0 2.0))` and `(/ (- 1.0) 2.0)`.
fn parse(text: &str) -> Option<Fraction> {
    let spaced = text.replace(['(', ')'], " ");
    let mut is_negative = false;
    let mut numbers: Vec<BigInt> = Vec::new();
    let mut is_quotient = false;
    for word in spaced.split_whitespace() {
        match word {
            "-" => is_negative = !is_negative,
            "/" => is_quotient = true,
            number => numbers.push(number.strip_suffix(".0").unwrap_or(number).parse().ok()?),
        }
    }
    let (numerator, denominator) = match (numbers.as_slice(), is_quotient) {
        ([number], false) => (number.clone(), BigInt::from(1)),
        ([numerator, denominator], true) => (numerator.clone(), denominator.clone()),
        _ => return None,
    };
    Some(Fraction::new(if is_negative { -numerator } else { numerator }, denominator))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: Duration = Duration::from_secs(2);

    fn holds(constraint: &Constraint, values: &[Fraction]) -> bool {
        let value = constraint.form.value(values).numerator;
        let zero = BigInt::from(0);
        match constraint.relation {
            Relation::AtLeastZero => value >= zero,
            Relation::Zero => value == zero,
            Relation::AboveZero => value > zero,
        }
    }

    #[test]
    fn numerals_are_read_as_they_are_written() {
        for (text, numerator, denominator) in [
            ("3.0", 3, 1),
            ("(- 3.0)", -3, 1),
            ("(/ 2.0 4.0)", 1, 2),
            ("(- (/ 1.0 3.0))", -1, 3),
            ("(/ (- 1.0) 3.0)", -1, 3),
        ] {
            assert_eq!(parse(text), Some(Fraction::new(numerator.into(), denominator.into())), "{text}");
        }
        assert_eq!(parse("(root-obj (+ (^ x 2) (- 2)) 2)"), None);
    }

    /// Every small system of two rows is solved, and solutions satisfy it, or Fourier and Motzkin agree that it has
    /// none.
    #[test]
    fn solutions_satisfy_small_systems() {
        let budget = Budget::unlimited();
        for code in 0..243_u32 {
            let digit = |place: u32| i64::from(code / 3_u32.pow(place) % 3) - 1;
            let mut system = RealSystem::new();
            let (x, y) = (system.unknown(), system.unknown());
            for (a, b, c, relation) in
                [(digit(0), digit(1), digit(2), Relation::AboveZero), (digit(3), digit(4), -1, Relation::AtLeastZero)]
            {
                let mut form = Bilinear::from(c);
                form.add(&a.into(), &Bilinear::from(x));
                form.add(&b.into(), &Bilinear::from(y));
                system.require(Constraint { form, relation });
            }
            // The left sides of the two rows are parallel and opposed, or one of them is zero, where there is no
            // solution.
            let (a, b, c) = ((digit(0), digit(1)), (digit(3), digit(4)), digit(2));
            let is_infeasible = (a == (0, 0) && c <= 0) || b == (0, 0) || (a.0 == -b.0 && a.1 == -b.1 && c - 1 <= 0);
            match system.solve(&budget, LIMIT) {
                Solved::Values(values) => {
                    assert!(!is_infeasible, "{system:?}");
                    assert!(system.constraints.iter().all(|constraint| holds(constraint, &values)), "{system:?}");
                }
                Solved::None => assert!(is_infeasible, "{system:?}"),
                Solved::Unknown => panic!("{system:?}"),
            }
        }
    }

    #[test]
    fn products_choices_and_sparse_solutions() {
        let budget = Budget::unlimited();
        let mut system = RealSystem::new();
        let (x, y) = (system.unknown(), system.unknown());
        // x·y = 6, and x = -2 or x = 4.
        system.require(Bilinear::from(x).times(y).minus(&Bilinear::from(6)).zero());
        let is = |value: i64| vec![Bilinear::from(x).minus(&Bilinear::from(value)).zero()];
        system.require_any(vec![is(-2), is(4)]);
        system.require(Bilinear::from(x).above_zero());
        let Solved::Values(values) = system.solve(&budget, LIMIT) else { panic!("there is a solution") };
        assert_eq!(values[y.index()], Fraction::new(3.into(), 2.into()));

        let mut system = RealSystem::new();
        let unknowns: Vec<Unknown> = (0..4).map(|_| system.nonnegative()).collect();
        let sum = unknowns.iter().fold(Bilinear::from(-1), |sum, &unknown| sum.plus(&Bilinear::from(unknown)));
        system.require(sum.at_least_zero());
        let Solved::Values(values) = system.solve_sparsely(&unknowns, &budget, LIMIT) else {
            panic!("there is a solution")
        };
        assert_eq!(values.iter().filter(|value| value.numerator != BigInt::from(0)).count(), 1);
    }
}
