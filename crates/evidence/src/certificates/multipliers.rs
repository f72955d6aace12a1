//! Finds arguments of arithmetic for the steps of a proof, so that whoever checks it needs no solver for them.
//!
//! The check says which questions the solver had to answer. They are facts: linear constraints and choices. Multipliers by which
//! constraints add up to a contradiction are a solution of a linear system (Farkas); where there is none, a point
//! that satisfies all constraints shows which choice to look into next. That is the search of Z3 for linear arithmetic in
//! small, and finds what needs no cuts. Nothing here is trusted: what was found is checked like everything in a certificate.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::time::Duration;

use certify::refutation::{questions, refutes};
use foundation::{Budget, Id};
use logic::{Bracketed, Expression, Fact, facts};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use smt::reals::{Bilinear, Fraction, RealSystem, Solved, Unknown};
use task::certificate::steps::{Argument, ProofStep};
use task::{Certificate, Task};

use super::sharing;

/// How much work all steps of a certificate may be.
const MOST_WORK: u64 = 10_000_000;

/// How long one system may take, on a machine of our days: the solver's steps are counted.
const SYSTEM_LIMIT: Duration = Duration::from_millis(500);

/// The most systems that are solved for one step.
const MOST_SYSTEMS: usize = 300;

/// The most choices that are looked into at once.
const MOST_OPEN_CHOICES: usize = 40;

/// The certificate with arguments for as many of its steps as some are found for.
pub fn with_arguments(task: &Task, certificate: &Certificate, budget: &Budget) -> Certificate {
    let mut certificate = certificate.clone();
    if let Certificate::Refutation(proof) = &mut certificate
        && let Ok(mut questions) = questions(task, proof, budget)
    {
        let found = arguments(&mut questions.expressions, &questions.asked, &budget.part_with_work(MOST_WORK));
        let conditions: Vec<Expression> = found.iter().map(|(condition, _)| *condition).collect();
        let (definitions, conditions) = sharing::shared(&questions.expressions, &conditions);
        proof.definitions = definitions;
        let steps = conditions.into_iter().zip(found);
        proof.steps = steps.map(|(condition, (_, argument))| ProofStep { condition, argument }).collect();
    }
    certificate
}

/// Conditions with arguments for them, where some are found.
fn arguments(expressions: &mut Bracketed, asked: &[Expression], budget: &Budget) -> Vec<(Expression, Argument)> {
    let mut found = Vec::new();
    for &condition in asked {
        if budget.check().is_err() {
            break;
        }
        let Some(facts) = facts(expressions, condition) else { continue };
        let mut search = FarkasSearch { budget, systems_left: MOST_SYSTEMS, entered: Vec::new() };
        if let Some(argument) = search.argument(&mut facts.iter().collect())
            && refutes(&facts, &argument)
        {
            found.push((condition, argument));
        }
    }
    found
}

struct FarkasSearch<'b> {
    budget: &'b Budget,
    systems_left: usize,
    /// The choices of which a case is assumed, by their numbers.
    entered: Vec<usize>,
}

impl FarkasSearch<'_> {
    /// Why facts exclude each other, if that is found.
    fn argument(&mut self, known: &mut Vec<&Fact>) -> Option<Argument> {
        if let Some(sum) = self.sum(known)? {
            return Some(sum);
        }
        if self.entered.len() > MOST_OPEN_CHOICES {
            return None;
        }
        let point = self.point(known)?;
        let (index, cases) = known.iter().enumerate().find_map(|(index, fact)| match fact {
            Fact::Cases(cases) if !self.entered.contains(&index) && !holds(fact, &point) => Some((index, cases)),
            _ => None,
        })?;
        let before = known.len();
        let mut arguments = Vec::with_capacity(cases.len());
        for case in cases {
            known.extend(case);
            self.entered.push(index);
            let argument = self.argument(known);
            self.entered.pop();
            known.truncate(before);
            let argument = argument?;
            if let Some(argument) = without(&argument, &(before as u32..(before + case.len()) as u32)) {
                return Some(argument);
            }
            arguments.push(argument);
        }
        Some(Argument::Cases(index as u32, arguments))
    }

    /// Multipliers for the linear facts: none if there are none, and no answer at all at a limit.
    fn sum(&mut self, known: &[&Fact]) -> Option<Option<Argument>> {
        let mut system = RealSystem::new();
        let mut columns: BTreeMap<Expression, Bilinear> = BTreeMap::new();
        let mut constant = Bilinear::default();
        let mut multipliers: Vec<(u32, Unknown)> = Vec::new();
        for (index, fact) in (0u32..).zip(known) {
            let (multiplier, form) = match fact {
                Fact::AtMostZero(form) => (system.nonnegative(), form),
                Fact::Zero(form) => (system.unknown(), form),
                Fact::Cases(_) => continue,
            };
            for (coefficient, term) in form.terms() {
                columns.entry(*term).or_default().add(coefficient, &Bilinear::from(multiplier));
            }
            constant.add(form.constant(), &Bilinear::from(multiplier));
            multipliers.push((index, multiplier));
        }
        for (_, column) in columns {
            system.require(column.zero());
        }
        system.require(constant.minus(&Bilinear::from(1)).zero());
        let values = match self.solve(&system)? {
            Solved::Values(values) => values,
            Solved::None => return Some(None),
            Solved::Unknown => return None,
        };
        let scale = values.iter().fold(BigInt::one(), |scale, value| least_common_multiple(&scale, &value.denominator));
        let scaled = multipliers.iter().map(|(index, unknown)| (*index, values[unknown.index()].scaled(&scale)));
        Some(Some(Argument::Sum(scaled.filter(|(_, multiplier)| !multiplier.is_zero()).collect())))
    }

    /// A rational point at which all linear facts hold.
    fn point(&mut self, known: &[&Fact]) -> Option<BTreeMap<Expression, Fraction>> {
        let mut system = RealSystem::new();
        let mut unknowns: BTreeMap<Expression, Unknown> = BTreeMap::new();
        for fact in known {
            let (form, is_equation) = match fact {
                Fact::AtMostZero(form) => (form, false),
                Fact::Zero(form) => (form, true),
                Fact::Cases(_) => continue,
            };
            let mut negative = Bilinear::from(-form.constant());
            for (coefficient, term) in form.terms() {
                let unknown = *unknowns.entry(*term).or_insert_with(|| system.unknown());
                negative.add(&-coefficient, &Bilinear::from(unknown));
            }
            system.require(if is_equation { negative.zero() } else { negative.at_least_zero() });
        }
        match self.solve(&system)? {
            Solved::Values(values) => {
                Some(unknowns.into_iter().map(|(term, unknown)| (term, values[unknown.index()].clone())).collect())
            }
            Solved::None | Solved::Unknown => None,
        }
    }

    fn solve(&mut self, system: &RealSystem) -> Option<Solved> {
        self.systems_left = self.systems_left.checked_sub(1)?;
        Some(system.solve(self.budget, SYSTEM_LIMIT))
    }
}

/// Whether a fact holds at a point; what the point does not mention is zero there.
fn holds(fact: &Fact, point: &BTreeMap<Expression, Fraction>) -> bool {
    match fact {
        Fact::AtMostZero(form) => !numerator(form, point).is_positive(),
        Fact::Zero(form) => numerator(form, point).is_zero(),
        Fact::Cases(cases) => cases.iter().any(|case| case.iter().all(|fact| holds(fact, point))),
    }
}

/// The numerator of a form's value.
fn numerator(form: &logic::LinearForm, point: &BTreeMap<Expression, Fraction>) -> BigInt {
    let (mut numerator, mut denominator) = (form.constant().clone(), BigInt::one());
    for (coefficient, term) in form.terms() {
        let Some(value) = point.get(term) else { continue };
        numerator = numerator * &value.denominator + coefficient * &value.numerator * &denominator;
        denominator *= &value.denominator;
    }
    numerator
}

/// The argument for the case that facts with these numbers are not known, if it does not use them.
fn without(argument: &Argument, facts: &std::ops::Range<u32>) -> Option<Argument> {
    let renumbered = |fact: u32| match fact {
        fact if fact < facts.start => Some(fact),
        fact if fact >= facts.end => Some(fact - (facts.end - facts.start)),
        _ => None,
    };
    Some(match argument {
        Argument::Sum(multipliers) => {
            let one = |(fact, multiplier): &(u32, BigInt)| Some((renumbered(*fact)?, multiplier.clone()));
            Argument::Sum(multipliers.iter().map(one).collect::<Option<_>>()?)
        }
        Argument::Cases(fact, arguments) => {
            let arguments = arguments.iter().map(|argument| without(argument, facts)).collect::<Option<_>>()?;
            Argument::Cases(renumbered(*fact)?, arguments)
        }
    })
}

fn least_common_multiple(one: &BigInt, other: &BigInt) -> BigInt {
    one * other / smt::reals::gcd(one.clone(), other.clone())
}
