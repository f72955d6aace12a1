//! Linear combinations of integer terms.

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::Term;

/// `Σ coefficient · term + constant`. The terms are sorted, all different, and no coefficient is zero. Whoever computes with forms
/// needs to know of terms only which of them are equal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Linear<T = Term> {
    pub(crate) terms: Vec<(BigInt, T)>,
    pub(crate) constant: BigInt,
}

impl<T: Copy + Ord> Linear<T> {
    /// The combination of no terms.
    pub fn zero() -> Self {
        Self::constant_of(0)
    }

    /// A number.
    pub fn constant_of(value: impl Into<BigInt>) -> Self {
        Self { terms: Vec::new(), constant: value.into() }
    }

    /// One term, taken once. The term must not be a sum or a number itself; [`crate::Terms::linear`] looks into those.
    pub fn of_atomic(term: T) -> Self {
        Self { terms: vec![(BigInt::one(), term)], constant: BigInt::zero() }
    }

    /// A sum of summands in any order plus a constant.
    pub fn from_terms(terms: impl IntoIterator<Item = (BigInt, T)>, constant: BigInt) -> Self {
        let mut terms: Vec<_> = terms.into_iter().collect();
        terms.sort_by_key(|(_, term)| *term);
        let mut merged: Vec<(BigInt, T)> = Vec::with_capacity(terms.len());
        for (coefficient, term) in terms {
            match merged.last_mut() {
                Some((sum, last)) if *last == term => *sum += coefficient,
                _ => merged.push((coefficient, term)),
            }
        }
        merged.retain(|(coefficient, _)| !coefficient.is_zero());
        Self { terms: merged, constant }
    }

    /// The summands, sorted by term.
    pub fn terms(&self) -> &[(BigInt, T)] {
        &self.terms
    }

    /// The constant summand.
    pub fn constant(&self) -> &BigInt {
        &self.constant
    }

    /// Whether there is no summand but the constant.
    pub fn is_constant(&self) -> bool {
        self.terms.is_empty()
    }

    /// The coefficient of a term; zero where the term does not occur.
    pub fn coefficient(&self, term: T) -> BigInt {
        match self.terms.binary_search_by_key(&term, |(_, term)| *term) {
            Ok(at) => self.terms[at].0.clone(),
            Err(_) => BigInt::zero(),
        }
    }

    /// The terms with a coefficient.
    pub fn variables(&self) -> impl ExactSizeIterator<Item = T> + '_ {
        self.terms.iter().map(|(_, term)| *term)
    }

    /// The sum of two.
    pub fn add(&self, other: &Self) -> Self {
        self.add_scaled(&BigInt::one(), other)
    }

    /// The difference of two.
    pub fn subtract(&self, other: &Self) -> Self {
        self.add_scaled(&-BigInt::one(), other)
    }

    /// `self + factor · other`, by merging the two sorted lists.
    pub fn add_scaled(&self, factor: &BigInt, other: &Self) -> Self {
        let mut terms = Vec::with_capacity(self.terms.len() + other.terms.len());
        let (mut left, mut right) = (self.terms.iter().peekable(), other.terms.iter().peekable());
        loop {
            match (left.peek(), right.peek()) {
                (None, None) => break,
                (Some(a), Some(b)) if a.1 == b.1 => {
                    let coefficient = &a.0 + factor * &b.0;
                    if !coefficient.is_zero() {
                        terms.push((coefficient, a.1));
                    }
                    left.next();
                    right.next();
                }
                (Some(a), b) if b.is_none_or(|b| a.1 < b.1) => {
                    terms.push((*a).clone());
                    left.next();
                }
                (_, Some(b)) => {
                    if !factor.is_zero() {
                        terms.push((factor * &b.0, b.1));
                    }
                    right.next();
                }
                (Some(_), None) => unreachable!("the case before takes it"),
            }
        }
        Self { terms, constant: &self.constant + factor * &other.constant }
    }

    /// A multiple.
    pub fn scale(&self, factor: &BigInt) -> Self {
        if factor.is_zero() {
            return Self::zero();
        }
        let terms = self.terms.iter().map(|(coefficient, term)| (coefficient * factor, *term)).collect();
        Self { terms, constant: &self.constant * factor }
    }

    /// Changes all signs.
    pub fn negate(&self) -> Self {
        self.scale(&-BigInt::one())
    }

    /// The greatest common divisor of the coefficients (not of the constant); zero for a constant.
    pub fn content(&self) -> BigInt {
        let mut divisor = BigInt::zero();
        for (coefficient, _) in &self.terms {
            divisor = divisor.gcd(coefficient);
            if divisor.is_one() {
                break;
            }
        }
        divisor
    }

    /// The same without the summand of a term.
    pub fn without(&self, term: T) -> Self {
        let terms = self.terms.iter().filter(|(_, other)| *other != term).cloned().collect();
        Self { terms, constant: self.constant.clone() }
    }

    /// Whether the first coefficient is negative.
    pub(crate) fn leads_negative(&self) -> bool {
        self.terms.first().is_some_and(|(coefficient, _)| coefficient.is_negative())
    }
}
