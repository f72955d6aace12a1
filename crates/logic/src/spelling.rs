//! Terms as they are spelled in certificates: bracketed expressions of SMT-LIB 2.6 that depend on nothing but what a term
//! says, and not on the order in which terms were made.
//!
//! [`Terms`] sorts operands by their ids. Here operands of commutative operations and summands are sorted by their own
//! spelling ([`Bracketed::compare`]), and an equation has the sign by which its first coefficient is positive then.
//! A chain of products is one product of sorted factors. Of two terms of one arena whose symbols have different names, only
//! those are spelled alike that differ in how factors are grouped.
//!
//! Whoever reads an expression knows the sorts: what is compared by `<=`, and by `=` with a number on the right, are integers, and
//! truth values are compared by `xor`; other equalities are between bit-vectors or arrays.

use std::cmp::Ordering;
use std::sync::Arc;

use foundation::collections::HashMap;
use foundation::define_id;
use foundation::ids::Id;
use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::{Linear, Node, Sort, Symbol, Term, Terms};

define_id! {
    /// An expression in [`Bracketed`]. Equal ones have equal ids; parts have smaller ids than what they are part of.
    Expression
}

/// What an expression is.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Spelled {
    /// A name, a number without a sign, or a function.
    Word(Arc<str>),
    /// A list; the first item of an application is its function.
    List(Arc<[Expression]>),
}

/// Bracketed expressions in which equal parts are shared.
#[derive(Clone, Default, Debug)]
pub struct Bracketed {
    all: Vec<Spelled>,
    known: HashMap<Spelled, Expression>,
}

impl Bracketed {
    /// A word.
    pub fn word(&mut self, word: &str) -> Expression {
        self.shared(Spelled::Word(word.into()))
    }

    /// A list.
    pub fn list(&mut self, items: Vec<Expression>) -> Expression {
        self.shared(Spelled::List(items.into()))
    }

    /// A function with its operands.
    pub fn apply(&mut self, function: &str, operands: impl IntoIterator<Item = Expression>) -> Expression {
        let function = self.word(function);
        self.list(std::iter::once(function).chain(operands).collect())
    }

    /// A number.
    pub fn number(&mut self, value: &BigInt) -> Expression {
        let size = self.word(&value.magnitude().to_string());
        if value.is_negative() { self.apply("-", [size]) } else { size }
    }

    /// What an expression is.
    pub fn get(&self, expression: Expression) -> &Spelled {
        &self.all[expression.index()]
    }

    /// The function and the operands, where an expression is the application of a word.
    pub fn application(&self, expression: Expression) -> Option<(Arc<str>, Arc<[Expression]>)> {
        let Spelled::List(items) = self.get(expression) else { return None };
        let (function, operands) = items.split_first()?;
        match self.get(*function) {
            Spelled::Word(function) => Some((function.clone(), operands.into())),
            Spelled::List(_) => None,
        }
    }

    /// The number that an expression spells.
    pub fn as_number(&self, expression: Expression) -> Option<BigInt> {
        match self.get(expression) {
            Spelled::Word(word) if word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok(),
            Spelled::Word(_) => None,
            Spelled::List(_) => match self.application(expression) {
                Some((function, operands)) if &*function == "-" && operands.len() == 1 => {
                    matches!(self.get(operands[0]), Spelled::Word(_)).then(|| self.as_number(operands[0]))?.map(|n| -n)
                }
                _ => None,
            },
        }
    }

    /// The order of operands: words before lists, words by their characters, lists by the first item in which they differ.
    /// It depends on what is written only.
    pub fn compare(&self, left: Expression, right: Expression) -> Ordering {
        let (mut left, mut right) = (left, right);
        // Equal parts are one expression, so that only the first difference is looked into.
        loop {
            match (self.get(left), self.get(right)) {
                (Spelled::Word(one), Spelled::Word(other)) => return one.cmp(other),
                (Spelled::Word(_), Spelled::List(_)) => return Ordering::Less,
                (Spelled::List(_), Spelled::Word(_)) => return Ordering::Greater,
                (Spelled::List(one), Spelled::List(other)) => {
                    match one.iter().zip(&**other).find(|(one, other)| one != other) {
                        Some((&one, &other)) => (left, right) = (one, other),
                        None => return one.len().cmp(&other.len()),
                    }
                }
            }
        }
    }

    /// An expression as text, with shared parts as often as they occur: for small ones.
    pub fn text(&self, expression: Expression) -> String {
        match self.get(expression) {
            Spelled::Word(word) => word.to_string(),
            Spelled::List(items) => {
                let items: Vec<String> = items.iter().map(|&item| self.text(item)).collect();
                format!("({})", items.join(" "))
            }
        }
    }

    fn shared(&mut self, spelled: Spelled) -> Expression {
        if let Some(&known) = self.known.get(&spelled) {
            return known;
        }
        let expression = Expression::from_index(self.all.len());
        self.all.push(spelled.clone());
        self.known.insert(spelled, expression);
        expression
    }

    /// `Σ coefficient · term`, with the constant as a last summand where it is not zero.
    fn sum(&mut self, terms: &[(BigInt, Expression)], constant: &BigInt) -> Expression {
        let mut summands = Vec::with_capacity(terms.len() + 1);
        for (coefficient, term) in terms {
            summands.push(if coefficient.is_one() {
                *term
            } else if (-coefficient).is_one() {
                self.apply("-", [*term])
            } else {
                let coefficient = self.number(coefficient);
                self.apply("*", [coefficient, *term])
            });
        }
        if !constant.is_zero() {
            summands.push(self.number(constant));
        }
        match summands.as_slice() {
            [only] => *only,
            _ => self.apply("+", summands),
        }
    }

    fn sorted(&self, mut operands: Vec<Expression>) -> Vec<Expression> {
        operands.sort_by(|one, other| self.compare(*one, *other));
        operands
    }
}

impl Terms {
    /// A term's spelling with its symbols called by these names. `known` keeps what subterms are, as long as names and `into` stay
    /// the same.
    pub fn spell(
        &self,
        term: Term,
        name: &dyn Fn(Symbol) -> String,
        known: &mut HashMap<Term, Expression>,
        into: &mut Bracketed,
    ) -> Expression {
        let missing = self.subterms_unless(&[term], |part| known.contains_key(&part));
        for part in missing {
            if !known.contains_key(&part) {
                let spelled = self.spell_node(part, name, known, into);
                known.insert(part, spelled);
            }
        }
        known[&term]
    }

    /// A term whose subterms are spelled.
    fn spell_node(
        &self,
        term: Term,
        name: &dyn Fn(Symbol) -> String,
        known: &HashMap<Term, Expression>,
        into: &mut Bracketed,
    ) -> Expression {
        let all = |terms: &[Term]| terms.iter().map(|term| known[term]).collect::<Vec<_>>();
        let truths = |term: Term| match self.node(term) {
            Node::Equal(left, right) if self.sort(left) == Sort::Bool => Some([left, right]),
            _ => None,
        };
        match self.node(term) {
            Node::Truth(value) => into.word(if value { "true" } else { "false" }),
            Node::Variable(symbol) => into.word(&name(symbol)),
            Node::Integer(value) => into.number(&value),
            Node::BitVector { width, value } => {
                let parts = [format!("bv{value}"), width.to_string()].map(|word| into.word(&word));
                into.apply("_", parts)
            }
            Node::Not(operand) => match truths(operand) {
                Some(sides) => {
                    let sides = into.sorted(all(&sides));
                    into.apply("xor", sides)
                }
                None => into.apply("not", [known[&operand]]),
            },
            Node::And(list) => {
                let list = into.sorted(all(&list));
                into.apply("and", list)
            }
            Node::Or(list) => {
                let list = into.sorted(all(&list));
                into.apply("or", list)
            }
            Node::Ite(a, b, c) => into.apply("ite", all(&[a, b, c])),
            Node::Equal(left, right) => {
                let sides = into.sorted(all(&[left, right]));
                match truths(term) {
                    Some(_) => {
                        let differ = into.apply("xor", sides);
                        into.apply("not", [differ])
                    }
                    None => into.apply("=", sides),
                }
            }
            Node::Linear(linear) => {
                let terms = summands(&linear, known, into);
                into.sum(&terms, &linear.constant)
            }
            Node::AtMostZero(linear) => {
                let terms = summands(&linear, known, into);
                compared("<=", &terms, &linear.constant, into)
            }
            Node::Zero(linear) => {
                let mut terms = summands(&linear, known, into);
                let mut constant = linear.constant.clone();
                if terms.first().is_some_and(|(coefficient, _)| coefficient.is_negative()) {
                    terms.iter_mut().for_each(|(coefficient, _)| *coefficient = -&*coefficient);
                    constant = -constant;
                }
                compared("=", &terms, &constant, into)
            }
            Node::Multiply(left, right) => {
                let (mut factors, mut open) = (Vec::new(), vec![left, right]);
                while let Some(factor) = open.pop() {
                    match self.node(factor) {
                        Node::Multiply(left, right) => open.extend([left, right]),
                        _ => factors.push(known[&factor]),
                    }
                }
                let factors = into.sorted(factors);
                into.apply("*", factors)
            }
            Node::Div(a, b) => into.apply("div", all(&[a, b])),
            Node::Modulo(a, b) => into.apply("mod", all(&[a, b])),
            Node::Select(a, b) => into.apply("select", all(&[a, b])),
            Node::Store(a, b, c) => into.apply("store", all(&[a, b, c])),
            Node::Bits(operation, list) => {
                let operands = if operation.is_commutative() { into.sorted(all(&list)) } else { all(&list) };
                into.apply(operation.smt_lib(), operands)
            }
            Node::IntToBits(width, a) => {
                let parts = ["int2bv", &width.to_string()].map(|word| into.word(word));
                let function = into.apply("_", parts);
                into.list(vec![function, known[&a]])
            }
            Node::BitsToInt(a) => into.apply("bv2nat", all(&[a])),
        }
    }
}

/// The summands of a form without its constant, sorted by how their terms are spelled.
fn summands(linear: &Linear, known: &HashMap<Term, Expression>, into: &Bracketed) -> Vec<(BigInt, Expression)> {
    let mut terms: Vec<(BigInt, Expression)> =
        linear.terms.iter().map(|(coefficient, term)| (coefficient.clone(), known[term])).collect();
    terms.sort_by(|(_, one), (_, other)| into.compare(*one, *other));
    terms
}

/// `Σ … <= -constant`.
fn compared(function: &str, terms: &[(BigInt, Expression)], constant: &BigInt, into: &mut Bracketed) -> Expression {
    let sum = into.sum(terms, &BigInt::zero());
    let bound = into.number(&-constant);
    into.apply(function, [sum, bound])
}
