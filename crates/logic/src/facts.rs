//! What a spelled condition says about integers, as numbered facts: `docs/certificate-format.md` has the rules one by one.
//!
//! A condition is taken apart into [`Fact`]s that it implies: linear constraints, and choices between groups of facts. What is
//! not linear is a number like any other: a quotient or a remainder by a constant, a choice between two values and an
//! element of an array that was written are defined by further facts, and of everything else nothing is known. A truth
//! value is the number 1 or 0. Facts are about integers: a common divisor of coefficients is divided out, and the constant is
//! rounded then.
//!
//! The rules look at what is written and at nothing else, so that whoever follows them finds the same facts in the same order.

use std::collections::VecDeque;

use foundation::collections::HashSet;
use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::{Bracketed, Expression, Linear, Spelled};

/// The most constraints that a question is taken apart into, each counted with its summands.
const MOST_CONSTRAINTS: usize = 100_000;

/// Conditions nested deeper than this are not taken apart.
const MOST_LEVELS: usize = 500;

/// Nor those with coefficients of more bits.
const MOST_BITS: u64 = 8_192;

/// A linear form over whatever is no sum.
pub type LinearForm = Linear<Expression>;

/// Something that holds wherever a condition holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Fact {
    /// `form <= 0`
    AtMostZero(LinearForm),
    /// `form = 0`
    Zero(LinearForm),
    /// All facts of one of these groups hold.
    Cases(Vec<Vec<Fact>>),
}

impl Fact {
    /// Over integers, `g·f + c <= 0` means `f + ceil(c / g) <= 0`.
    fn at_most_zero(form: LinearForm) -> Self {
        let divisor = form.content();
        if divisor <= BigInt::one() {
            return Fact::AtMostZero(form);
        }
        let terms = form.terms().iter().map(|(coefficient, term)| (coefficient / &divisor, *term));
        Fact::AtMostZero(LinearForm::from_terms(terms, form.constant().div_ceil(&divisor)))
    }

    /// Over integers, `g·f + c = 0` is impossible where `g` does not divide `c`.
    fn zero(form: LinearForm) -> Self {
        let divisor = form.content();
        if divisor > BigInt::one() && !form.constant().is_multiple_of(&divisor) {
            return Fact::AtMostZero(LinearForm::constant_of(1));
        }
        Fact::Zero(form)
    }
}

/// What a condition implies, in the order that arguments count in; none where that is too much.
pub fn facts(expressions: &mut Bracketed, condition: Expression) -> Option<Vec<Fact>> {
    let mut builder =
        Builder { expressions, defined: HashSet::default(), undefined: VecDeque::new(), left: MOST_CONSTRAINTS };
    let mut facts = builder.literal(condition, true, 0)?;
    while let Some(term) = builder.undefined.pop_front() {
        facts.extend(builder.definition(term)?);
    }
    Some(facts)
}

/// Takes conditions apart.
struct Builder<'e> {
    expressions: &'e mut Bracketed,
    /// Terms that are defined, or will be.
    defined: HashSet<Expression>,
    /// Terms that will be, in the order in which they were met.
    undefined: VecDeque<Expression>,
    /// How many constraints may still be made.
    left: usize,
}

impl Builder<'_> {
    /// What holds where a condition holds, or does not.
    fn literal(&mut self, condition: Expression, holds: bool, depth: usize) -> Option<Vec<Fact>> {
        self.left = self.left.checked_sub(1)?;
        if depth > MOST_LEVELS {
            return None;
        }
        let one = LinearForm::constant_of(1);
        let (function, operands) = match self.expressions.get(condition) {
            Spelled::Word(word) if matches!(&**word, "true" | "false") => {
                let is_so = (&**word == "true") == holds;
                return Some(if is_so { Vec::new() } else { vec![Fact::AtMostZero(one)] });
            }
            _ => self.expressions.application(condition).unwrap_or_default(),
        };
        Some(match (&*function, &*operands) {
            ("not", &[operand]) => self.literal(operand, !holds, depth + 1)?,
            ("and", operands) if holds => self.all(operands, true, depth)?,
            ("or", operands) if !holds => self.all(operands, false, depth)?,
            ("and" | "or", operands) => {
                let mut cases = Vec::with_capacity(operands.len());
                for &operand in operands {
                    let mut case = self.literal(operand, holds, depth + 1)?;
                    // A choice in a choice is one choice.
                    match case.as_mut_slice() {
                        [Fact::Cases(inner)] => cases.append(inner),
                        _ => cases.push(case),
                    }
                }
                vec![Fact::Cases(cases)]
            }
            ("xor", &[left, right]) => {
                let mut case = |value: bool| {
                    let mut facts = self.literal(left, value, depth + 1)?;
                    facts.extend(self.literal(right, value != holds, depth + 1)?);
                    Some(facts)
                };
                vec![Fact::Cases(vec![case(true)?, case(false)?])]
            }
            ("<=", &[left, right]) => {
                let form = self.difference(left, right)?;
                vec![Fact::at_most_zero(if holds { form } else { one.subtract(&form) })]
            }
            ("=", &[left, right]) if self.expressions.as_number(right).is_some() => {
                let form = self.difference(left, right)?;
                if holds { vec![Fact::zero(form)] } else { vec![differs(&form)] }
            }
            _ => {
                let value = LinearForm::of_atomic(condition);
                vec![Fact::AtMostZero(if holds { one.subtract(&value) } else { value })]
            }
        })
    }

    fn all(&mut self, conditions: &[Expression], hold: bool, depth: usize) -> Option<Vec<Fact>> {
        let mut facts = Vec::with_capacity(conditions.len());
        for &condition in conditions {
            facts.extend(self.literal(condition, hold, depth + 1)?);
        }
        Some(facts)
    }

    fn difference(&mut self, left: Expression, right: Expression) -> Option<LinearForm> {
        let difference = self.form(left, 0)?.subtract(&self.form(right, 0)?);
        self.left = self.left.checked_sub(difference.terms().len())?;
        Some(difference)
    }

    /// The linear form that a number is. What is no sum is to be defined.
    fn form(&mut self, number: Expression, depth: usize) -> Option<LinearForm> {
        self.left = self.left.checked_sub(1)?;
        if depth > MOST_LEVELS {
            return None;
        }
        if let Some(value) = self.expressions.as_number(number) {
            return Some(LinearForm::constant_of(value));
        }
        let (function, operands) = self.expressions.application(number).unwrap_or_default();
        let form = match (&*function, &*operands) {
            ("+", operands) => {
                let mut sum = LinearForm::zero();
                for &operand in operands {
                    sum = sum.add(&self.form(operand, depth + 1)?);
                }
                sum
            }
            ("-", &[operand]) => self.form(operand, depth + 1)?.negate(),
            ("*", &[factor, operand]) if let Some(factor) = self.expressions.as_number(factor) => {
                self.form(operand, depth + 1)?.scale(&factor)
            }
            _ => {
                if self.defined.insert(number) {
                    self.undefined.push_back(number);
                }
                LinearForm::of_atomic(number)
            }
        };
        let bits = form.terms().iter().map(|(coefficient, _)| coefficient.bits()).max();
        (bits.unwrap_or(0).max(form.constant().bits()) <= MOST_BITS).then_some(form)
    }

    /// What is known of a term that is neither a number nor a sum.
    fn definition(&mut self, term: Expression) -> Option<Vec<Fact>> {
        self.left = self.left.checked_sub(1)?;
        let itself = LinearForm::of_atomic(term);
        let (function, operands) = self.expressions.application(term).unwrap_or_default();
        Some(match (&*function, &*operands) {
            ("ite", &[condition, left, right]) => {
                let mut case = |is_left: bool, chosen: Expression| {
                    let mut facts = self.literal(condition, is_left, 0)?;
                    facts.push(Fact::zero(self.difference(term, chosen)?));
                    Some(facts)
                };
                vec![Fact::Cases(vec![case(true, left)?, case(false, right)?])]
            }
            ("select", &[array, index]) => {
                let Some((older, at, value)) = self.written(array) else { return Some(Vec::new()) };
                let distance = self.difference(index, at)?;
                let there = vec![Fact::zero(distance.clone()), Fact::zero(self.difference(term, value)?)];
                let other = self.element(older, index)?;
                let elsewhere = vec![differs(&distance), Fact::zero(self.difference(term, other)?)];
                vec![Fact::Cases(vec![there, elsewhere])]
            }
            ("div", &[dividend, by]) => match self.expressions.as_number(by).filter(|divisor| !divisor.is_zero()) {
                Some(divisor) => {
                    let dividend = self.form(dividend, 0)?;
                    between(dividend.add_scaled(&-&divisor, &itself), &divisor)
                }
                None => Vec::new(),
            },
            ("mod", &[dividend, by]) => match self.expressions.as_number(by).filter(Signed::is_positive) {
                Some(divisor) => {
                    let (rest, whole) = self.reduced(dividend, &divisor);
                    let dividend = self.form(dividend, 0)?;
                    let quotient = self.expressions.apply("div", [rest, by]);
                    let quotient = self.difference(quotient, whole)?;
                    let mut facts = between(itself.clone(), &divisor);
                    facts.push(Fact::zero(dividend.add_scaled(&-divisor, &quotient).subtract(&itself)));
                    facts
                }
                None => Vec::new(),
            },
            _ => Vec::new(),
        })
    }

    /// An array that was written, the index and the value.
    fn written(&self, array: Expression) -> Option<(Expression, Expression, Expression)> {
        match self.expressions.application(array) {
            Some((function, operands)) if &*function == "store" => match *operands {
                [older, at, value] => Some((older, at, value)),
                _ => None,
            },
            _ => None,
        }
    }

    /// An element of an array, behind all that was written at indices that certainly differ.
    fn element(&mut self, array: Expression, index: Expression) -> Option<Expression> {
        let mut array = array;
        while let Some((older, at, value)) = self.written(array) {
            let distance = self.difference(index, at)?;
            match distance.is_constant() {
                true if distance.constant().is_zero() => return Some(value),
                true => array = older,
                false => break,
            }
        }
        Some(self.expressions.apply("select", [array, index]))
    }

    /// A sum with the remainder of its constant by a positive divisor in place of the constant; and the quotient, negated.
    fn reduced(&mut self, sum: Expression, divisor: &BigInt) -> (Expression, Expression) {
        let mut summands = match self.expressions.application(sum) {
            Some((function, operands)) if &*function == "+" => operands.to_vec(),
            _ => vec![sum],
        };
        let constant = summands.last().and_then(|&last| self.expressions.as_number(last));
        if constant.is_some() {
            summands.pop();
        }
        let constant = constant.unwrap_or_default();
        let (whole, rest) = constant.div_mod_floor(divisor);
        if !rest.is_zero() {
            summands.push(self.expressions.number(&rest));
        }
        let rest = match *summands {
            [only] => only,
            _ => self.expressions.apply("+", summands),
        };
        (rest, self.expressions.number(&-whole))
    }
}

/// `form != 0`
fn differs(form: &LinearForm) -> Fact {
    let one = LinearForm::constant_of(1);
    Fact::Cases(vec![vec![Fact::at_most_zero(form.add(&one))], vec![Fact::at_most_zero(one.subtract(form))]])
}

/// `0 <= form < |divisor|`
fn between(form: LinearForm, divisor: &BigInt) -> Vec<Fact> {
    let most = LinearForm::constant_of(divisor.abs() - 1);
    vec![Fact::at_most_zero(form.negate()), Fact::at_most_zero(form.subtract(&most))]
}
