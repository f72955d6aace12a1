//! Terms over integers as terms over bit-vectors of one width, in which nothing overflows.

use foundation::collections::HashMap;
use logic::{Linear, Node, Sort, Symbol, Term, Terms};
use num_bigint::BigInt;
use num_traits::{One, Signed, ToPrimitive, Zero};
use z3::ast::{Array, BV, Bool, Dynamic};

use super::bounds::{Bounds, Interval};
use crate::translate::bit_operation;

/// Writes terms as bit-vectors of one width.
pub(super) struct Writer<'t> {
    terms: &'t Terms,
    width: u32,
    known: HashMap<Term, Dynamic>,
    /// The symbols that were written.
    pub(super) symbols: Vec<(Symbol, Dynamic)>,
    /// What their bounds say.
    pub(super) bounds: Vec<Bool>,
}

impl<'t> Writer<'t> {
    pub(super) fn new(terms: &'t Terms, width: u32) -> Self {
        Self { terms, width, known: HashMap::default(), symbols: Vec::new(), bounds: Vec::new() }
    }

    pub(super) fn truth(&self, term: Term) -> Bool {
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
    pub(super) fn write(&mut self, term: Term, bounds: &mut Bounds<'_>) {
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
