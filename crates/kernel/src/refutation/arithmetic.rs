//! Steps that are right by arithmetic: no solver has to be trusted for them.
//!
//! A question, whether a condition is impossible, is taken apart into [`Fact`]s that it implies. An [`Argument`] of the
//! certificate goes through the cases of choices among them, and at the end of each case names multipliers by which
//! linear facts add up to `c <= 0` with a positive number `c`. Facts are about integers: a common divisor of
//! coefficients may be divided out, and the constant is rounded then.
//!
//! What is not linear is a number like any other: a quotient or a remainder by a constant, a choice between two values and
//! an element of an array that was written are defined by further facts, and of everything else nothing is known. A
//! truth value is the number 1 or 0.

#[cfg(test)]
mod tests;

use std::collections::HashSet;

use logic::{Linear, Node, Sort, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use sha2::{Digest, Sha256};
use task::certificate::steps::Argument;

/// The most constraints that a question is taken apart into, each counted with its summands.
const MOST_CONSTRAINTS: usize = 100_000;

/// Conditions nested deeper than this are not taken apart.
const DEEPEST: usize = 500;

/// Something that holds wherever a condition holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fact {
    /// `form <= 0`
    AtMostZero(Linear),
    /// `form = 0`
    Zero(Linear),
    /// All facts of one of these groups hold.
    Cases(Vec<Vec<Fact>>),
}

impl Fact {
    /// Over integers, `g·f + c <= 0` means `f + ceil(c / g) <= 0`.
    fn at_most_zero(form: Linear) -> Self {
        let divisor = form.content();
        if divisor <= BigInt::one() {
            return Fact::AtMostZero(form);
        }
        let terms = form.terms().iter().map(|(coefficient, term)| (coefficient / &divisor, *term));
        let constant = -floor(&-form.constant(), &divisor);
        Fact::AtMostZero(Linear::from_terms(terms, constant))
    }

    /// Over integers, `g·f + c = 0` is impossible where `g` does not divide `c`.
    fn zero(form: Linear) -> Self {
        let divisor = form.content();
        if divisor > BigInt::one() && !(form.constant() % &divisor).is_zero() {
            return Fact::AtMostZero(Linear::constant_of(1));
        }
        Fact::Zero(form)
    }
}

/// The quotient by a positive number, rounded down.
fn floor(dividend: &BigInt, divisor: &BigInt) -> BigInt {
    let quotient = dividend / divisor;
    if (dividend % divisor).is_negative() { quotient - 1 } else { quotient }
}

/// What a question is called: questions that read the same are the same, whatever their symbols are called. How it reads depends on
/// the order in which terms were made; a question that is not recognised for that is put to the solver.
pub(super) fn name(terms: &Terms, question: Term) -> String {
    let symbols: Vec<_> = terms.symbols(question).iter().copied().collect();
    let symbol = |symbol| format!("s{}", symbols.binary_search(&symbol).expect("it occurs"));
    let digest = Sha256::digest(terms.smt_lib_with(question, &symbol));
    digest.iter().take(8).map(|byte| format!("{byte:02x}")).collect()
}

/// What a condition implies, in the order that arguments count in; none where that is too much.
pub(super) fn facts(terms: &Terms, condition: Term) -> Option<Vec<Fact>> {
    let mut builder = Builder { terms, defined: HashSet::new(), undefined: Vec::new(), left: MOST_CONSTRAINTS };
    let mut facts = builder.literal(condition, true, 0)?;
    while let Some(term) = builder.undefined.pop() {
        facts.extend(builder.definition(term)?);
    }
    Some(facts)
}

/// Whether an argument shows that facts exclude each other.
pub fn refutes(facts: &[Fact], argument: &Argument) -> bool {
    follow(&mut facts.iter().collect(), argument)
}

fn follow(known: &mut Vec<&Fact>, argument: &Argument) -> bool {
    match argument {
        Argument::Sum(multipliers) => {
            let mut sum = Linear::zero();
            for (fact, multiplier) in multipliers {
                match known.get(*fact as usize) {
                    Some(Fact::AtMostZero(form)) if !multiplier.is_negative() => sum = sum.add_scaled(multiplier, form),
                    Some(Fact::Zero(form)) => sum = sum.add_scaled(multiplier, form),
                    _ => return false,
                }
            }
            sum.is_constant() && sum.constant().is_positive()
        }
        Argument::Cases(fact, arguments) => {
            let Some(&Fact::Cases(cases)) = known.get(*fact as usize) else { return false };
            let before = known.len();
            cases.len() == arguments.len()
                && cases.iter().zip(arguments).all(|(case, argument)| {
                    known.extend(case);
                    let is_refuted = follow(known, argument);
                    known.truncate(before);
                    is_refuted
                })
        }
    }
}

/// Takes conditions apart.
struct Builder<'t> {
    terms: &'t Terms,
    /// Terms that are defined, or will be.
    defined: HashSet<Term>,
    /// Terms that will be.
    undefined: Vec<Term>,
    /// How many constraints may still be made.
    left: usize,
}

impl Builder<'_> {
    /// What holds where a condition holds, or does not.
    fn literal(&mut self, condition: Term, holds: bool, depth: usize) -> Option<Vec<Fact>> {
        self.left = self.left.checked_sub(1)?;
        if depth > DEEPEST {
            return None;
        }
        let one = Linear::constant_of(1);
        let is_truth = |term: Term| self.terms.sort(term) == Sort::Bool;
        Some(match self.terms.node(condition) {
            Node::Truth(value) if value == holds => Vec::new(),
            Node::Truth(_) => vec![Fact::AtMostZero(one)],
            Node::Not(operand) => self.literal(operand, !holds, depth + 1)?,
            Node::And(operands) if holds => self.all(&operands, true, depth)?,
            Node::Or(operands) if !holds => self.all(&operands, false, depth)?,
            Node::And(operands) | Node::Or(operands) => {
                let mut cases = Vec::with_capacity(operands.len());
                for &operand in operands.iter() {
                    let mut case = self.literal(operand, holds, depth + 1)?;
                    // A choice in a choice is one choice.
                    match case.as_mut_slice() {
                        [Fact::Cases(inner)] => cases.append(inner),
                        _ => cases.push(case),
                    }
                }
                vec![Fact::Cases(cases)]
            }
            Node::AtMostZero(form) => {
                let form = self.expanded(&form)?;
                vec![Fact::at_most_zero(if holds { form } else { one.subtract(&form) })]
            }
            Node::Zero(form) => {
                let form = self.expanded(&form)?;
                if holds { vec![Fact::zero(form)] } else { vec![differs(&form)] }
            }
            Node::Ite(condition, left, right) => {
                let mut case = |is_left: bool, chosen: Term| {
                    let mut facts = self.literal(condition, is_left, depth + 1)?;
                    facts.extend(self.literal(chosen, holds, depth + 1)?);
                    Some(facts)
                };
                vec![Fact::Cases(vec![case(true, left)?, case(false, right)?])]
            }
            Node::Equal(left, right) if is_truth(left) => {
                let mut case = |value: bool| {
                    let mut facts = self.literal(left, value, depth + 1)?;
                    facts.extend(self.literal(right, value == holds, depth + 1)?);
                    Some(facts)
                };
                vec![Fact::Cases(vec![case(true)?, case(false)?])]
            }
            _ => {
                let value = Linear::of_atomic(condition);
                vec![Fact::AtMostZero(if holds { one.subtract(&value) } else { value })]
            }
        })
    }

    fn all(&mut self, conditions: &[Term], hold: bool, depth: usize) -> Option<Vec<Fact>> {
        let mut facts = Vec::with_capacity(conditions.len());
        for &condition in conditions {
            facts.extend(self.literal(condition, hold, depth + 1)?);
        }
        Some(facts)
    }

    /// A form, and its terms are to be defined.
    fn expanded(&mut self, form: &Linear) -> Option<Linear> {
        self.left = self.left.checked_sub(form.terms().len())?;
        for term in form.variables() {
            if self.defined.insert(term) {
                self.undefined.push(term);
            }
        }
        Some(form.clone())
    }

    /// What is known of a term that is neither a number nor a sum.
    fn definition(&mut self, term: Term) -> Option<Vec<Fact>> {
        self.left = self.left.checked_sub(1)?;
        let terms = self.terms;
        let itself = Linear::of_atomic(term);
        let equals = |builder: &mut Self, value: Term| {
            let value = builder.expanded(&terms.linear(value))?;
            Some(Fact::zero(itself.subtract(&value)))
        };
        Some(match terms.node(term) {
            Node::Ite(condition, left, right) => {
                let mut case = |is_left: bool, chosen: Term| {
                    let mut facts = self.literal(condition, is_left, 0)?;
                    facts.push(equals(self, chosen)?);
                    Some(facts)
                };
                vec![Fact::Cases(vec![case(true, left)?, case(false, right)?])]
            }
            Node::Select(array, index) => {
                let Node::Store(older, at, value) = terms.node(array) else { return Some(Vec::new()) };
                let mut case = |is_there: bool, value: Term| {
                    let mut facts = self.literal(terms.equal(index, at), is_there, 0)?;
                    facts.push(equals(self, value)?);
                    Some(facts)
                };
                vec![Fact::Cases(vec![case(true, value)?, case(false, terms.select(older, index))?])]
            }
            Node::Div(dividend, by) => match terms.as_integer(by).filter(|divisor| !divisor.is_zero()) {
                Some(divisor) => {
                    let dividend = self.expanded(&terms.linear(dividend))?;
                    between(dividend.add_scaled(&-&*divisor, &itself), &divisor)
                }
                None => Vec::new(),
            },
            Node::Modulo(dividend, by) => match terms.as_integer(by).filter(|divisor| !divisor.is_zero()) {
                Some(divisor) => {
                    let quotient = self.expanded(&terms.linear(terms.div(dividend, by)))?;
                    let dividend = self.expanded(&terms.linear(dividend))?;
                    let whole = quotient.scale(&divisor);
                    let mut facts = between(itself.clone(), &divisor);
                    facts.push(Fact::zero(dividend.subtract(&whole).subtract(&itself)));
                    facts
                }
                None => Vec::new(),
            },
            _ => Vec::new(),
        })
    }
}

/// `form != 0`
fn differs(form: &Linear) -> Fact {
    let one = Linear::constant_of(1);
    Fact::Cases(vec![vec![Fact::at_most_zero(form.add(&one))], vec![Fact::at_most_zero(one.subtract(form))]])
}

/// `0 <= form < |divisor|`
fn between(form: Linear, divisor: &BigInt) -> Vec<Fact> {
    let most = Linear::constant_of(divisor.abs() - 1);
    vec![Fact::at_most_zero(form.negate()), Fact::at_most_zero(form.subtract(&most))]
}
