//! Constructors of integers, and of comparisons between them.

use std::sync::Arc;

use num_bigint::BigInt;
use num_integer::Integer;
use num_traits::{One, Signed, Zero};

use crate::{Linear, Node, Term, Terms};

/// Products of sums are multiplied out up to so many summands.
const MOST_SUMMANDS: usize = 16;

impl Terms {
    /// A number.
    pub fn integer(&self, value: impl Into<BigInt>) -> Term {
        self.intern(Node::Integer(Arc::new(value.into())))
    }

    /// An integer term as a linear combination of terms that are neither sums nor numbers.
    pub fn linear(&self, term: Term) -> Linear {
        match self.node(term) {
            Node::Integer(value) => Linear::constant_of((*value).clone()),
            Node::Linear(linear) => (*linear).clone(),
            _ => Linear::of_atomic(term),
        }
    }

    /// The term of a linear combination.
    pub fn from_linear(&self, linear: &Linear) -> Term {
        match linear.terms() {
            [] => self.integer(linear.constant.clone()),
            [(coefficient, term)] if coefficient.is_one() && linear.constant.is_zero() => *term,
            _ => self.intern(Node::Linear(Arc::new(linear.clone()))),
        }
    }

    /// A sum of any number of terms.
    pub fn add(&self, terms: impl IntoIterator<Item = Term>) -> Term {
        let mut constant = BigInt::zero();
        let mut summands = Vec::new();
        for term in terms {
            let linear = self.linear(term);
            constant += linear.constant;
            summands.extend(linear.terms);
        }
        self.from_linear(&Linear::from_terms(summands, constant))
    }

    /// A difference.
    pub fn subtract(&self, left: Term, right: Term) -> Term {
        self.from_linear(&self.linear(left).subtract(&self.linear(right)))
    }

    /// Changes the sign.
    pub fn negate(&self, term: Term) -> Term {
        self.from_linear(&self.linear(term).negate())
    }

    /// A multiple.
    pub fn scale(&self, factor: BigInt, term: Term) -> Term {
        self.from_linear(&self.linear(term).scale(&factor))
    }

    /// A product. Small products of sums are multiplied out, so that equal polynomials tend to be equal terms.
    pub fn multiply(&self, left: Term, right: Term) -> Term {
        let (left_sum, right_sum) = (self.linear(left), self.linear(right));
        if left_sum.is_constant() {
            return self.from_linear(&right_sum.scale(&left_sum.constant));
        }
        if right_sum.is_constant() {
            return self.from_linear(&left_sum.scale(&right_sum.constant));
        }
        if left_sum.terms.len() * right_sum.terms.len() > MOST_SUMMANDS {
            return self.intern(Node::Multiply(left.min(right), left.max(right)));
        }
        let mut sum = left_sum.scale(&right_sum.constant).add(&right_sum.scale(&left_sum.constant));
        // The product of the two constants is in both of these.
        sum.constant = &left_sum.constant * &right_sum.constant;
        for (left_factor, left) in &left_sum.terms {
            for (right_factor, right) in &right_sum.terms {
                let product = Linear::of_atomic(self.monomial(*left, *right));
                sum = sum.add_scaled(&(left_factor * right_factor), &product);
            }
        }
        self.from_linear(&sum)
    }

    /// `left <= right`.
    pub fn less_equal(&self, left: Term, right: Term) -> Term {
        self.at_most_zero(&self.linear(left).subtract(&self.linear(right)))
    }

    /// `left < right`.
    pub fn less(&self, left: Term, right: Term) -> Term {
        let difference = self.linear(left).subtract(&self.linear(right));
        self.at_most_zero(&difference.add(&Linear::constant_of(1)))
    }

    /// `left >= right`.
    pub fn greater_equal(&self, left: Term, right: Term) -> Term {
        self.less_equal(right, left)
    }

    /// `left > right`.
    pub fn greater(&self, left: Term, right: Term) -> Term {
        self.less(right, left)
    }

    /// `linear <= 0`.
    pub fn at_most_zero(&self, linear: &Linear) -> Term {
        if linear.is_constant() {
            return self.truth(!linear.constant.is_positive());
        }
        if let Some(term) = self.over_branches(linear, |linear| self.at_most_zero(linear)) {
            return term;
        }
        let divisor = linear.content();
        if divisor.is_one() {
            return self.intern(Node::AtMostZero(Arc::new(linear.clone())));
        }
        // g·l + c <= 0 means l <= floor(-c/g), that is l + ceil(c/g) <= 0.
        let terms = linear.terms.iter().map(|(coefficient, term)| (coefficient / &divisor, *term)).collect();
        let constant = linear.constant.div_ceil(&divisor);
        self.intern(Node::AtMostZero(Arc::new(Linear { terms, constant })))
    }

    /// `linear = 0`.
    pub fn zero(&self, linear: &Linear) -> Term {
        if linear.is_constant() {
            return self.truth(linear.constant.is_zero());
        }
        if let Some(term) = self.over_branches(linear, |linear| self.zero(linear)) {
            return term;
        }
        let mut divisor = linear.content();
        if !linear.constant.is_multiple_of(&divisor) {
            return self.truth(false);
        }
        if linear.leads_negative() {
            divisor = -divisor;
        }
        let terms = linear.terms.iter().map(|(coefficient, term)| (coefficient / &divisor, *term)).collect();
        self.intern(Node::Zero(Arc::new(Linear { terms, constant: &linear.constant / &divisor })))
    }

    /// The quotient of SMT-LIB: `left = right · div + modulo` with `0 <= modulo < |right|`. Without a value if `right` is 0.
    pub fn div(&self, left: Term, right: Term) -> Term {
        let Some(divisor) = self.nonzero(right) else {
            return self.intern(Node::Div(left, right));
        };
        // What is a multiple of the divisor comes out whole.
        let linear = self.linear(left);
        let (whole, rest): (Vec<_>, Vec<_>) =
            linear.terms.into_iter().partition(|(coefficient, _)| coefficient.is_multiple_of(&divisor));
        let whole = whole.into_iter().map(|(coefficient, term)| (coefficient / &divisor, term));
        let (quotient, remainder) = euclid(&linear.constant, &divisor);
        let whole = Linear::from_terms(whole, quotient);
        if rest.is_empty() {
            return self.from_linear(&whole);
        }
        let rest = self.from_linear(&Linear { terms: rest, constant: remainder });
        let rest = self.intern(Node::Div(rest, right));
        self.from_linear(&whole.add(&Linear::of_atomic(rest)))
    }

    /// The remainder of SMT-LIB, which is never negative. Without a value if `right` is 0.
    pub fn modulo(&self, left: Term, right: Term) -> Term {
        let Some(divisor) = self.nonzero(right) else {
            return self.intern(Node::Modulo(left, right));
        };
        // Summands count only modulo the divisor, and so does what they were reduced by already.
        let divisor = divisor.abs();
        let mut sum = Linear::constant_of(self.linear(left).constant);
        for (coefficient, term) in self.linear(left).terms {
            let inner = match self.node(term) {
                Node::Modulo(inner, by) if self.nonzero(by).is_some_and(|by| by.is_multiple_of(&divisor)) => inner,
                _ => term,
            };
            sum = sum.add_scaled(&coefficient, &self.linear(inner));
        }
        // The residues nearest to zero keep the quotient small.
        let residue = |value: &BigInt| {
            let residue = euclid(value, &divisor).1;
            if &residue + &residue > divisor { residue - &divisor } else { residue }
        };
        let reduced = sum.terms.into_iter().map(|(coefficient, term)| (residue(&coefficient), term));
        let reduced = Linear::from_terms(reduced, residue(&sum.constant));
        if reduced.is_constant() {
            return self.integer(euclid(reduced.constant(), &divisor).1);
        }
        self.intern(Node::Modulo(self.from_linear(&reduced), self.integer(divisor)))
    }

    fn nonzero(&self, term: Term) -> Option<BigInt> {
        self.as_integer(term).filter(|value| !value.is_zero()).map(|value| (*value).clone())
    }

    /// The product of two terms that are neither sums nor numbers: a chain of factors in order.
    fn monomial(&self, left: Term, right: Term) -> Term {
        let mut factors = Vec::new();
        let mut open = vec![left, right];
        while let Some(term) = open.pop() {
            match self.node(term) {
                Node::Multiply(left, right) => open.extend([left, right]),
                _ => factors.push(term),
            }
        }
        factors.sort_unstable();
        let chain = factors.into_iter().reduce(|product, factor| self.intern(Node::Multiply(product, factor)));
        chain.expect("a product has factors")
    }

    /// A comparison of one branching term with a number, where a branch is a number: the comparison moves into the
    /// branches. Comparisons in C are such terms, `(if a < b then 1 else 0) = 0`.
    fn over_branches(&self, linear: &Linear, compare: impl Fn(&Linear) -> Term) -> Option<Term> {
        let [(coefficient, term)] = linear.terms() else { return None };
        let Node::Ite(condition, left, right) = self.node(*term) else { return None };
        if self.as_integer(left).is_none() && self.as_integer(right).is_none() {
            return None;
        }
        let branch = |branch: Term| {
            let value = Linear::constant_of(linear.constant.clone()).add_scaled(coefficient, &self.linear(branch));
            stacker::maybe_grow(64 * 1024, 1024 * 1024, || compare(&value))
        };
        Some(self.ite(condition, branch(left), branch(right)))
    }
}

/// Quotient and remainder with a remainder that is not negative.
pub(crate) fn euclid(left: &BigInt, right: &BigInt) -> (BigInt, BigInt) {
    let remainder = left.mod_floor(&right.abs());
    ((left - &remainder) / right, remainder)
}
