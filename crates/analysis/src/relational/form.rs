//! Linear forms over numbered variables, and constraints on them: what domains are told of guards and updates.
//!
//! Coefficients and constants stay within [`LIMIT`]; what would go beyond has no form, and is forgotten.

use crate::numbers::Interval;
use crate::numbers::interval::LIMIT;

/// `Σ coefficient · variable + constant`. Variables are sorted and all different, and no coefficient is zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Form {
    terms: Vec<(i128, usize)>,
    constant: i128,
}

impl Form {
    /// A number; none if it is too large.
    pub fn number(value: i128) -> Option<Form> {
        is_small(value).then_some(Form { terms: Vec::new(), constant: value })
    }

    /// The variable with this number, once.
    pub fn variable(variable: usize) -> Form {
        Form { terms: vec![(1, variable)], constant: 0 }
    }

    /// The summands: coefficients that are not zero, and variables in ascending order.
    pub fn terms(&self) -> &[(i128, usize)] {
        &self.terms
    }

    /// The constant summand.
    pub fn constant(&self) -> i128 {
        self.constant
    }

    /// The variables that occur.
    pub fn variables(&self) -> impl Iterator<Item = usize> + '_ {
        self.terms.iter().map(|(_, variable)| *variable)
    }

    /// `self + factor · other`; none if a number in it is too large.
    pub fn plus(&self, factor: i128, other: &Form) -> Option<Form> {
        let scaled = |value: i128| value.checked_mul(factor);
        let mut terms = self.terms.clone();
        for &(coefficient, variable) in &other.terms {
            let more = scaled(coefficient)?;
            match terms.binary_search_by_key(&variable, |(_, variable)| *variable) {
                Ok(at) => terms[at].0 = terms[at].0.checked_add(more)?,
                Err(at) => terms.insert(at, (more, variable)),
            }
        }
        terms.retain(|(coefficient, _)| *coefficient != 0);
        let constant = self.constant.checked_add(scaled(other.constant)?)?;
        let fits = is_small(constant) && terms.iter().all(|(coefficient, _)| is_small(*coefficient));
        fits.then_some(Form { terms, constant })
    }

    /// Changes all signs.
    pub fn negated(&self) -> Form {
        let terms = self.terms.iter().map(|(coefficient, variable)| (-coefficient, *variable)).collect();
        Form { terms, constant: -self.constant }
    }

    /// Which values the form can have where its variables have values in some ranges, in the order of the summands.
    pub fn range(&self, known: &[Interval]) -> Interval {
        let low = sum(self.constant, self.terms.iter().zip(known).map(|((factor, _), range)| least(*factor, *range)));
        let negated = self.terms.iter().zip(known).map(|((factor, _), range)| least(-*factor, *range));
        let high = sum(-self.constant, negated).and_then(i128::checked_neg);
        Interval::new(low.unwrap_or(i128::MIN), high.unwrap_or(i128::MAX)).expect("every variable has a value")
    }
}

/// How a form is related to zero.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Relation {
    /// At most zero.
    AtMost,
    /// Zero.
    Equal,
    /// Anything but zero.
    Different,
    /// A multiple of a number.
    MultipleOf(i128),
}

/// A linear constraint.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Constraint {
    /// What is compared with zero.
    pub form: Form,
    /// How it is related to zero.
    pub relation: Relation,
}

impl Constraint {
    /// A form is at most zero.
    pub fn at_most(form: Form) -> Self {
        Self { form, relation: Relation::AtMost }
    }

    /// The inequalities `form <= 0` that the constraint says.
    pub fn inequalities(&self) -> Vec<Form> {
        match self.relation {
            Relation::AtMost => vec![self.form.clone()],
            Relation::Equal => vec![self.form.clone(), self.form.negated()],
            Relation::Different | Relation::MultipleOf(_) => Vec::new(),
        }
    }
}

/// The least value of `factor · x` for x in a range; none if there is no bound.
pub(super) fn least(factor: i128, range: Interval) -> Option<i128> {
    let bound = if factor >= 0 { range.low() } else { range.high() };
    if bound == i128::MIN || bound == i128::MAX {
        return if factor == 0 { Some(0) } else { None };
    }
    factor.checked_mul(bound)
}

/// A sum of bounds; none if one is missing.
pub(super) fn sum(start: i128, parts: impl IntoIterator<Item = Option<i128>>) -> Option<i128> {
    parts.into_iter().try_fold(start, |sum, part| sum.checked_add(part?))
}

fn is_small(value: i128) -> bool {
    (-LIMIT..=LIMIT).contains(&value)
}
