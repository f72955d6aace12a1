//! Queries over integers that all have bounds, as bit-vectors alone.
//!
//! Where a query has operations on bits, arithmetic over the integers and conversions from one world to the other stand in one
//! formula, and a solver that is good at both is good at neither. But in a program of machine integers every number has
//! bounds. So they are looked for among what the query says; then there is a width in which nothing that the query computes
//! overflows, and in two's complement of that width every operation on integers is one on bits. The query has a model over the
//! integers if and only if it has one so: bounds follow from the query, and they are asserted.
//!
//! See docs/design/bits.md.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use logic::{Linear, Node, Sort, Symbol, Term, Terms, Value};
use num_bigint::{BigInt, Sign};
use num_traits::{One, Signed, ToPrimitive, Zero};
use z3::ast::{Array, BV, Bool, Dynamic};

use crate::translate::bit_operation;

/// Wider numbers than this, in bits, are left to arithmetic.
const MOST_BITS: u64 = 192;

/// How often what is known of symbols is used to learn more of others.
const MOST_ROUNDS: usize = 16;

/// What is known of a number.
#[derive(Clone, Default, Debug)]
struct Interval {
    low: Option<BigInt>,
    high: Option<BigInt>,
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

/// A query as bit-vectors.
pub(crate) struct Finite {
    width: u32,
    /// What the query says, each with the position of the formula that says it.
    pub members: Vec<(usize, Bool)>,
    /// What bounds say of the symbols.
    pub bounds: Vec<Bool>,
    /// Which of the formulas, by their positions, were needed to find constants and bounds.
    pub bounding: Vec<usize>,
    /// What the query says as well, but cannot be written as bits.
    pub rest: Vec<Term>,
    /// The symbols whose values the query says.
    pub constants: HashMap<Symbol, Value>,
    symbols: Vec<(Symbol, Dynamic)>,
}

impl Finite {
    /// A query as bit-vectors, as far as it can be.
    pub fn new(terms: &Terms, query: Propagated) -> Self {
        let Propagated { members, constants, mut useful } = query;
        let mut bounds = Bounds { terms, atoms: HashMap::new(), memory: HashMap::new() };
        let all: Vec<Term> = members.iter().map(|(_, member)| *member).collect();
        useful.extend(bounds.learn(&members, &terms.subterms(&all)));
        useful.sort_unstable();
        useful.dedup();
        let (mut bits, mut written, mut rest) = (1, Vec::new(), Vec::new());
        for (position, member) in members {
            let parts = terms.subterms(&[member]);
            let needed = parts
                .iter()
                .map(|&part| bounds.bits_of(part, part == member))
                .try_fold(1, |most, bits| Some(u64::max(most, bits?)));
            match needed.filter(|needed| needed + 2 <= MOST_BITS) {
                Some(needed) => {
                    bits = bits.max(needed);
                    written.push((position, member));
                }
                None => rest.push(member),
            }
        }
        // One more for the sign, and one for the negation of the least number.
        let width = bits as u32 + 2;
        let mut writer = Writer { terms, width, known: HashMap::new(), symbols: Vec::new(), bounds: Vec::new() };
        let all: Vec<Term> = written.iter().map(|(_, member)| *member).collect();
        for part in terms.subterms(&all) {
            writer.write(part, &mut bounds);
        }
        let members = written.into_iter().map(|(position, member)| (position, writer.truth(member))).collect();
        let Writer { symbols, bounds, .. } = writer;
        Self { width, members, bounds, bounding: useful, rest, constants, symbols }
    }

    /// The symbols with the terms that stand for them.
    pub fn symbols(&self) -> &[(Symbol, Dynamic)] {
        &self.symbols
    }

    /// A value as bit-vectors have it, of an integer or an array of integers.
    pub fn number(&self, value: Value) -> Value {
        match value {
            Value::Bits { width, value } if width == self.width => {
                let is_negative = value.bit(u64::from(width) - 1);
                Value::Int(if is_negative { value - (BigInt::one() << width) } else { value })
            }
            Value::Array { default, entries } => {
                let mut array = Value::Array { default: Box::new(self.number(*default)), entries: Default::default() };
                for (index, element) in entries {
                    let changed = array.with_element(self.number(index), self.number(element));
                    array = changed.expect("it is an array");
                }
                array
            }
            value => value,
        }
    }
}

/// A conjunction, with what it says of symbols put in.
pub(crate) struct Propagated {
    /// Its members, each with the position of the formula that says it.
    pub members: Vec<(usize, Term)>,
    /// The symbols whose values it says.
    pub constants: HashMap<Symbol, Value>,
    /// The positions of the formulas that say them.
    useful: Vec<usize>,
}

/// Replaces symbols by the values that they must have.
pub(crate) fn propagated(terms: &Terms, formulas: &[Term]) -> Propagated {
    let conjuncts = |(position, formula): (usize, Term)| -> Vec<(usize, Term)> {
        match terms.node(formula) {
            Node::And(members) => members.iter().map(|member| (position, *member)).collect(),
            _ => vec![(position, formula)],
        }
    };
    let mut members: Vec<(usize, Term)> = formulas.iter().copied().enumerate().flat_map(conjuncts).collect();
    let (mut constants, mut useful) = (HashMap::new(), Vec::new());
    for _ in 0..MOST_ROUNDS {
        let mut found: HashMap<Symbol, Value> = HashMap::new();
        members.retain(|(position, member)| match constant(terms, *member) {
            Some((symbol, value)) if !found.contains_key(&symbol) => {
                found.insert(symbol, value);
                useful.push(*position);
                false
            }
            _ => true,
        });
        if found.is_empty() {
            break;
        }
        let values: HashMap<Symbol, Term> =
            found.iter().filter_map(|(symbol, value)| Some((*symbol, terms.of_value(value)?))).collect();
        let replaced = members.into_iter().map(|(position, member)| (position, terms.substitute(member, &values)));
        members = replaced.flat_map(conjuncts).filter(|(_, member)| terms.as_truth(*member) != Some(true)).collect();
        constants.extend(found);
    }
    Propagated { members, constants, useful }
}

/// The symbol of which a formula says the value.
fn constant(terms: &Terms, formula: Term) -> Option<(Symbol, Value)> {
    let symbol = |term: Term| match terms.node(term) {
        Node::Variable(symbol) => Some(symbol),
        _ => None,
    };
    match terms.node(formula) {
        Node::Variable(symbol) => Some((symbol, Value::Bool(true))),
        Node::Not(inner) => Some((symbol(inner)?, Value::Bool(false))),
        Node::Zero(linear) => match linear.terms() {
            [(coefficient, term)] if coefficient.is_one() => Some((symbol(*term)?, Value::Int(-linear.constant()))),
            _ => None,
        },
        _ => None,
    }
}

/// The bounds of all numbers of a query.
struct Bounds<'t> {
    terms: &'t Terms,
    /// What is known of symbols and elements of arrays.
    atoms: HashMap<Term, Interval>,
    memory: HashMap<Term, Interval>,
}

impl Bounds<'_> {
    /// Learns bounds from what holds, and returns the positions of those formulas that were of use. The parts come before
    /// what they are parts of.
    fn learn(&mut self, members: &[(usize, Term)], parts: &[Term]) -> Vec<usize> {
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
    fn of(&mut self, term: Term) -> Interval {
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

    /// How many bits a part of a query needs, without the sign; none where it cannot be written as bits. Equal arrays stay equal
    /// when their elements are cut to a width, but different ones need not stay different: equations between them are to stand alone.
    fn bits_of(&mut self, part: Term, is_alone: bool) -> Option<u64> {
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

/// Writes terms as bit-vectors of one width.
struct Writer<'t> {
    terms: &'t Terms,
    width: u32,
    known: HashMap<Term, Dynamic>,
    symbols: Vec<(Symbol, Dynamic)>,
    bounds: Vec<Bool>,
}

impl Writer<'_> {
    fn truth(&self, term: Term) -> Bool {
        self.known[&term].as_bool().expect("a truth value")
    }

    fn bits(&self, term: Term) -> BV {
        self.known[&term].as_bv().expect("a bit-vector")
    }

    fn array(&self, term: Term) -> Array {
        self.known[&term].as_array().expect("an array")
    }

    fn number(&self, value: &BigInt) -> BV {
        let turned = if value.is_negative() { value + (BigInt::one() << self.width) } else { value.clone() };
        match turned.to_u64() {
            Some(value) => BV::from_u64(value, self.width),
            None => BV::from_str(self.width, &turned.to_string()).expect("a numeral is a bit-vector"),
        }
    }

    fn sum(&self, linear: &Linear) -> BV {
        let mut sum = self.number(linear.constant());
        for (coefficient, term) in linear.terms() {
            let term = self.bits(*term);
            sum = match (coefficient.is_one(), (-coefficient).is_one()) {
                (true, _) => sum.bvadd(term),
                (_, true) => sum.bvsub(term),
                _ => sum.bvadd(term.bvmul(self.number(coefficient))),
            };
        }
        sum
    }

    fn sort(&self, sort: &Sort) -> z3::Sort {
        match sort {
            Sort::Bool => z3::Sort::bool(),
            Sort::Int => z3::Sort::bitvector(self.width),
            Sort::BitVector(width) => z3::Sort::bitvector(*width),
            Sort::Array(index, element) => z3::Sort::array(&self.sort(index), &self.sort(element)),
        }
    }

    /// Writes a term whose parts are written.
    fn write(&mut self, term: Term, bounds: &mut Bounds<'_>) {
        let terms = self.terms;
        let zero = BigInt::zero();
        let written: Dynamic = match terms.node(term) {
            Node::Variable(symbol) => {
                let written = Dynamic::new_const(terms.unique_name(symbol), &self.sort(&terms.sort_of_symbol(symbol)));
                self.symbols.push((symbol, written.clone()));
                written
            }
            Node::Truth(value) => Bool::from_bool(value).into(),
            Node::Integer(value) => self.number(&value).into(),
            Node::BitVector { width, value } => {
                BV::from_str(width, &value.to_string()).expect("a numeral is a bit-vector").into()
            }
            Node::Not(inner) => self.truth(inner).not().into(),
            Node::And(members) => {
                Bool::and(&members.iter().map(|member| self.truth(*member)).collect::<Vec<_>>()).into()
            }
            Node::Or(members) => Bool::or(&members.iter().map(|member| self.truth(*member)).collect::<Vec<_>>()).into(),
            Node::Ite(condition, then, otherwise) => {
                self.truth(condition).ite(&self.known[&then], &self.known[&otherwise])
            }
            Node::Equal(left, right) => self.known[&left].eq(self.known[&right].clone()).into(),
            Node::Linear(linear) => self.sum(&linear).into(),
            Node::AtMostZero(linear) => self.sum(&linear).bvsle(self.number(&zero)).into(),
            Node::Zero(linear) => self.sum(&linear).eq(self.number(&zero)).into(),
            Node::Multiply(left, right) => self.bits(left).bvmul(self.bits(right)).into(),
            Node::Div(left, right) => self.divided(left, right).0.into(),
            Node::Modulo(left, right) => self.divided(left, right).1.into(),
            Node::Select(array, index) => self.array(array).select(&self.known[&index]),
            Node::Store(array, index, element) => {
                self.array(array).store(&self.known[&index], &self.known[&element]).into()
            }
            Node::Bits(operation, operands) => {
                bit_operation(operation, &self.bits(operands[0]), || self.bits(operands[1])).into()
            }
            Node::IntToBits(width, number) => {
                let number = self.bits(number);
                match width.checked_sub(self.width) {
                    Some(more) => number.sign_ext(more).into(),
                    None => number.extract(width - 1, 0).into(),
                }
            }
            Node::BitsToInt(bits) => {
                let bits = self.bits(bits);
                bits.zero_ext(self.width - bits.get_size()).into()
            }
        };
        if let (Sort::Int, Node::Variable(_) | Node::Select(..)) = (terms.sort(term), terms.node(term))
            && let (Some(bits), Interval { low: Some(low), high: Some(high) }) = (written.as_bv(), bounds.of(term))
        {
            self.bounds.push(self.number(&low).bvsle(&bits));
            self.bounds.push(bits.bvsle(self.number(&high)));
        }
        self.known.insert(term, written);
    }

    /// Quotient and remainder, of which the latter is not negative.
    fn divided(&self, left: Term, right: Term) -> (BV, BV) {
        let (dividend, divisor) = (self.bits(left), self.bits(right));
        if let Node::Integer(value) = self.terms.node(right)
            && value.is_positive()
            && value.bits() == value.trailing_zeros().unwrap_or_default() + 1
        {
            let exponent = self.number(&(value.bits() - 1).into());
            return (dividend.bvashr(exponent), dividend.bvand(self.number(&(&*value - 1))));
        }
        let (zero, one) = (self.number(&BigInt::zero()), self.number(&BigInt::one()));
        let (quotient, rest) = (dividend.bvsdiv(&divisor), dividend.bvsrem(&divisor));
        let (is_rounded, is_down) = (rest.bvslt(&zero), divisor.bvsgt(&zero));
        let nearer = is_down.ite(&quotient.bvsub(&one), &quotient.bvadd(&one));
        let raised = is_down.ite(&rest.bvadd(&divisor), &rest.bvsub(&divisor));
        (is_rounded.ite(&nearer, &quotient), is_rounded.ite(&raised, &rest))
    }
}
