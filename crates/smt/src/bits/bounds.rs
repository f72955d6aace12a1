//! The bounds that a query says its numbers have.

use foundation::collections::HashMap;
use logic::{Linear, Node, Sort, Term, Terms};
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, Zero};

/// How often what is known of symbols is used to learn more of others.
const MOST_ROUNDS: usize = 16;

/// What is known of a number.
#[derive(Clone, Default, Debug)]
pub(super) struct Interval {
    pub(super) low: Option<BigInt>,
    pub(super) high: Option<BigInt>,
}

impl Interval {
    fn between(low: impl Into<BigInt>, high: impl Into<BigInt>) -> Self {
        Self { low: Some(low.into()), high: Some(high.into()) }
    }

    /// How far it may be from zero.
    fn magnitude(&self) -> Option<BigInt> {
        Some(self.low.as_ref()?.abs().max(self.high.as_ref()?.abs()))
    }

    fn scaled(&self, factor: &BigInt) -> Self {
        let times = |bound: &Option<BigInt>| bound.as_ref().map(|bound| bound * factor);
        let (low, high) = (times(&self.low), times(&self.high));
        if factor.is_negative() { Self { low: high, high: low } } else { Self { low, high } }
    }

    fn plus(&self, other: &Self) -> Self {
        let sum = |one: &Option<BigInt>, other: &Option<BigInt>| Some(one.as_ref()? + other.as_ref()?);
        Self { low: sum(&self.low, &other.low), high: sum(&self.high, &other.high) }
    }

    fn joined(&self, other: &Self) -> Self {
        let both = |one: &Option<BigInt>, other: &Option<BigInt>, least: bool| {
            let (one, other) = (one.clone()?, other.clone()?);
            Some(if least { one.min(other) } else { one.max(other) })
        };
        Self { low: both(&self.low, &other.low, true), high: both(&self.high, &other.high, false) }
    }

    /// Whether zero is none of its numbers.
    fn excludes_zero(&self) -> bool {
        self.low.as_ref().is_some_and(|low| low.is_positive())
            || self.high.as_ref().is_some_and(|high| high.is_negative())
    }
}

/// The bounds of all numbers of a query.
pub(super) struct Bounds<'t> {
    terms: &'t Terms,
    /// What is known of symbols and elements of arrays.
    atoms: HashMap<Term, Interval>,
    memory: HashMap<Term, Interval>,
}

impl<'t> Bounds<'t> {
    pub(super) fn new(terms: &'t Terms) -> Self {
        Self { terms, atoms: HashMap::default(), memory: HashMap::default() }
    }

    /// Learns bounds from what holds, and returns the positions of those formulas that were of use. The parts come before
    /// what they are parts of.
    pub(super) fn learn(&mut self, members: &[(usize, Term)], parts: &[Term]) -> Vec<usize> {
        let mut facts: Vec<(usize, Linear, bool)> = Vec::new();
        for (position, member) in members {
            match self.terms.node(*member) {
                Node::AtMostZero(linear) => facts.push((*position, (*linear).clone(), false)),
                Node::Zero(linear) => facts.push((*position, (*linear).clone(), true)),
                _ => {}
            }
        }
        let mut useful = Vec::new();
        for _ in 0..MOST_ROUNDS {
            // In this order nothing is looked for deeply.
            parts.iter().filter(|part| self.terms.sort(**part) == Sort::Int).for_each(|part| _ = self.of(*part));
            let mut has_learnt = false;
            for (position, linear, is_equation) in &facts {
                if self.learn_from(linear, *is_equation) {
                    useful.push(*position);
                    has_learnt = true;
                }
            }
            if !has_learnt {
                break;
            }
            self.memory.clear();
        }
        useful
    }

    /// Learns from `linear <= 0`, or `linear = 0`; whether something new was found. A bound that is known is kept: the first
    /// is good enough, and to look for better ones need not end.
    fn learn_from(&mut self, linear: &Linear, is_equation: bool) -> bool {
        let mut has_learnt = false;
        for (at, (coefficient, term)) in linear.terms().iter().enumerate() {
            if !matches!(self.terms.node(*term), Node::Variable(_) | Node::Select(..)) {
                continue;
            }
            let mut rest = Interval::between(linear.constant().clone(), linear.constant().clone());
            for (_, (coefficient, other)) in linear.terms().iter().enumerate().filter(|(other, _)| *other != at) {
                rest = rest.plus(&self.of(*other).scaled(coefficient));
            }
            // coefficient · term <= -rest, and for an equation the other way round, too.
            let above = rest.low.map(|low| -low);
            let below = rest.high.filter(|_| is_equation).map(|high| -high);
            let (above, below) = match coefficient.sign() {
                Sign::Minus => (below.map(|below| -below), above.map(|above| -above)),
                _ => (above, below),
            };
            let known = self.atoms.entry(*term).or_default();
            if let (None, Some(above)) = (&known.high, above) {
                known.high = Some(floor(&above, coefficient));
                has_learnt = true;
            }
            if let (None, Some(below)) = (&known.low, below) {
                known.low = Some(-floor(&-below, coefficient));
                has_learnt = true;
            }
        }
        has_learnt
    }

    /// What is known of a number.
    pub(super) fn of(&mut self, term: Term) -> Interval {
        if let Some(known) = self.memory.get(&term) {
            return known.clone();
        }
        let terms = self.terms;
        let found = match terms.node(term) {
            Node::Integer(value) => Interval::between((*value).clone(), (*value).clone()),
            Node::Variable(_) | Node::Select(..) => self.atoms.get(&term).cloned().unwrap_or_default(),
            Node::Ite(_, then, otherwise) => self.of(then).joined(&self.of(otherwise)),
            Node::Linear(linear) => {
                let mut sum = Interval::between(linear.constant().clone(), linear.constant().clone());
                for (coefficient, term) in linear.terms() {
                    sum = sum.plus(&self.of(*term).scaled(coefficient));
                }
                sum
            }
            Node::Multiply(left, right) => match (self.of(left).magnitude(), self.of(right).magnitude()) {
                (Some(left), Some(right)) => Interval::between(-(&left * &right), left * right),
                _ => Interval::default(),
            },
            // What division by zero yields is not said.
            Node::Div(_, divisor) | Node::Modulo(_, divisor) if !self.is_never_zero(divisor) => Interval::default(),
            // Rounding may take it one further from zero.
            Node::Div(left, _) => {
                self.of(left).magnitude().map_or(Interval::default(), |most| Interval::between(-&most - 1, most + 1))
            }
            Node::Modulo(_, right) => self
                .of(right)
                .magnitude()
                .map_or(Interval::default(), |most| Interval::between(0, most.max(BigInt::one()) - 1)),
            Node::BitsToInt(bits) => match terms.sort(bits) {
                Sort::BitVector(width) => Interval::between(0, (BigInt::one() << width) - 1),
                _ => Interval::default(),
            },
            _ => Interval::default(),
        };
        self.memory.insert(term, found.clone());
        found
    }

    /// Whether a number is known not to be zero: by its bounds, or since another one is chosen where it is.
    fn is_never_zero(&mut self, term: Term) -> bool {
        if self.of(term).excludes_zero() {
            return true;
        }
        let Node::Ite(condition, then, otherwise) = self.terms.node(term) else { return false };
        let is_zero = |number: Term| self.terms.equal(number, self.terms.integer(0));
        (condition == is_zero(otherwise) || self.is_never_zero(otherwise))
            && (condition == self.terms.not(is_zero(then)) || self.is_never_zero(then))
    }

    /// How many bits a part of a query needs, without the sign; none where it cannot be written as bits. Equal arrays
    /// stay equal when their elements are cut to a width, but different ones need not stay different: equations between
    /// them are to stand alone.
    pub(super) fn bits_of(&mut self, part: Term, is_alone: bool) -> Option<u64> {
        let terms = self.terms;
        let sum = |bounds: &mut Self, linear: &Linear| {
            let mut most = linear.constant().abs();
            for (coefficient, term) in linear.terms() {
                most += coefficient.abs() * bounds.of(*term).magnitude()?;
            }
            Some(most.bits())
        };
        match (terms.sort(part), terms.node(part)) {
            (_, Node::AtMostZero(linear) | Node::Zero(linear) | Node::Linear(linear)) => sum(self, &linear),
            (_, Node::Equal(left, _)) if matches!(terms.sort(left), Sort::Array(..)) && !is_alone => None,
            (Sort::Array(..), Node::Ite(..)) => None,
            // What division by zero yields is not said.
            (_, Node::Div(_, divisor) | Node::Modulo(_, divisor)) if !self.is_never_zero(divisor) => None,
            (Sort::Int, _) => Some(self.of(part).magnitude()?.bits()),
            (Sort::Array(index, element), _) => {
                let is_flat = *index == Sort::Int && matches!(*element, Sort::Int | Sort::Bool);
                is_flat.then_some(1)
            }
            (Sort::Bool | Sort::BitVector(_), _) => Some(1),
        }
    }
}

/// A quotient by the absolute value of a divisor, rounded down.
fn floor(value: &BigInt, divisor: &BigInt) -> BigInt {
    let divisor = divisor.abs();
    let quotient: BigInt = value / &divisor;
    if value.is_negative() && !(value % &divisor).is_zero() { quotient - 1 } else { quotient }
}
