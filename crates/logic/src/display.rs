//! Terms for people: infix, with the operators of C, each side of a comparison without negative summands.

use std::fmt::Write;

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};

use crate::{BitOperation, Linear, Node, Term, Terms};

/// What is longer than so many bytes is cut off; shared subterms can make a small term very long.
const MOST_BYTES: usize = 1 << 16;

/// How tightly an operator binds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Tightness {
    Branch,
    Or,
    And,
    Compare,
    Sum,
    Product,
    Atom,
}

impl Terms {
    /// A term for people to read, such as `x + 2*y <= 3 && (a || b)`. Very long ones end with an ellipsis.
    pub fn display(&self, term: Term) -> String {
        let mut printer = Printer { terms: self, text: String::new() };
        printer.print(term, Tightness::Branch);
        let mut text = printer.text;
        if text.len() > MOST_BYTES {
            text.truncate(text.floor_char_boundary(MOST_BYTES));
            text.push('…');
        }
        text
    }
}

struct Printer<'t> {
    terms: &'t Terms,
    text: String,
}

impl Printer<'_> {
    fn print(&mut self, term: Term, around: Tightness) {
        if self.text.len() > MOST_BYTES {
            return;
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            let node = self.terms.node(term);
            let is_inside = level(&node) < around;
            if is_inside {
                self.text.push('(');
            }
            self.print_node(&node);
            if is_inside {
                self.text.push(')');
            }
        });
    }

    fn print_node(&mut self, node: &Node) {
        match node {
            Node::Truth(value) => self.write(value),
            Node::Variable(symbol) => {
                let name = self.terms.unique_name(*symbol);
                self.text.push_str(&name);
            }
            Node::Integer(value) => self.write(value),
            Node::BitVector { width, value } => {
                let _ = write!(self.text, "{value}bv{width}");
            }
            Node::Not(inner) => match self.terms.node(*inner) {
                Node::Zero(linear) => self.comparison(&linear, "!=", "!="),
                Node::Equal(a, b) => self.infix(&[a, b], " != ", Tightness::Sum),
                _ => {
                    self.text.push('!');
                    self.print(*inner, Tightness::Atom);
                }
            },
            Node::And(list) => self.infix(list, " && ", Tightness::Compare),
            Node::Or(list) => self.infix(list, " || ", Tightness::And),
            Node::Ite(condition, left, right) => {
                self.print(*condition, Tightness::Or);
                self.text.push_str(" ? ");
                self.print(*left, Tightness::Or);
                self.text.push_str(" : ");
                self.print(*right, Tightness::Branch);
            }
            Node::Equal(a, b) => self.infix(&[*a, *b], " = ", Tightness::Sum),
            Node::Linear(linear) => self.sum(linear.terms(), linear.constant()),
            Node::AtMostZero(linear) => self.comparison(linear, "<=", ">="),
            Node::Zero(linear) => self.comparison(linear, "=", "="),
            Node::Multiply(a, b) => self.infix(&[*a, *b], "*", Tightness::Product),
            Node::Div(a, b) => self.call("div", &[*a, *b]),
            Node::Modulo(a, b) => self.call("mod", &[*a, *b]),
            Node::Select(a, i) => {
                self.print(*a, Tightness::Atom);
                self.text.push('[');
                self.print(*i, Tightness::Branch);
                self.text.push(']');
            }
            Node::Store(a, i, v) => {
                self.print(*a, Tightness::Atom);
                self.text.push('[');
                self.print(*i, Tightness::Branch);
                self.text.push_str(" := ");
                self.print(*v, Tightness::Branch);
                self.text.push(']');
            }
            Node::Bits(BitOperation::Not, list) => {
                self.text.push('~');
                self.print(list[0], Tightness::Atom);
            }
            Node::Bits(operation, list) => self.call(operation.smt_lib(), list),
            Node::IntToBits(width, a) => self.call(&format!("bits{width}"), &[*a]),
            Node::BitsToInt(a) => self.call("unsigned", &[*a]),
        }
    }

    /// `linear` compared with zero, written with positive coefficients: those that are negative go to the other side.
    fn comparison(&mut self, linear: &Linear, operator: &str, turned: &str) {
        let (left, right): (Vec<_>, Vec<_>) = linear.terms().iter().cloned().partition(|(c, _)| c.is_positive());
        let right: Vec<_> = right.into_iter().map(|(coefficient, term)| (-coefficient, term)).collect();
        let constant = linear.constant();
        let zero = BigInt::zero();
        if left.is_empty() {
            self.sum(&right, &zero);
            let _ = write!(self.text, " {turned} {constant}");
        } else if right.is_empty() {
            self.sum(&left, &zero);
            let _ = write!(self.text, " {operator} {}", -constant);
        } else {
            let is_strict = operator == "<=" && constant.is_one();
            let (left_constant, right_constant) = match () {
                () if is_strict => (zero.clone(), zero),
                () if constant.is_positive() => (constant.clone(), zero),
                () => (zero, -constant),
            };
            self.sum(&left, &left_constant);
            let _ = write!(self.text, " {} ", if is_strict { "<" } else { operator });
            self.sum(&right, &right_constant);
        }
    }

    fn sum(&mut self, terms: &[(BigInt, Term)], constant: &BigInt) {
        for (at, (coefficient, term)) in terms.iter().enumerate() {
            let is_negative = coefficient.is_negative();
            self.text.push_str(match (at, is_negative) {
                (0, true) => "-",
                (0, false) => "",
                (_, true) => " - ",
                (_, false) => " + ",
            });
            let size = coefficient.abs();
            if !size.is_one() {
                let _ = write!(self.text, "{size}*");
            }
            self.print(*term, Tightness::Product);
        }
        if !constant.is_zero() {
            let _ = write!(self.text, " {} {}", if constant.is_negative() { '-' } else { '+' }, constant.abs());
        }
    }

    fn infix(&mut self, terms: &[Term], operator: &str, around: Tightness) {
        for (at, term) in terms.iter().enumerate() {
            if at > 0 {
                self.text.push_str(operator);
            }
            self.print(*term, around);
        }
    }

    fn call(&mut self, name: &str, operands: &[Term]) {
        self.text.push_str(name);
        self.text.push('(');
        self.infix(operands, ", ", Tightness::Branch);
        self.text.push(')');
    }

    fn write(&mut self, value: impl std::fmt::Display) {
        let _ = write!(self.text, "{value}");
    }
}

fn level(node: &Node) -> Tightness {
    match node {
        Node::Ite(..) => Tightness::Branch,
        Node::Or(_) => Tightness::Or,
        Node::And(_) => Tightness::And,
        Node::Equal(..) | Node::AtMostZero(_) | Node::Zero(_) => Tightness::Compare,
        // A negation is shown as a comparison, or binds as tightly as a name.
        Node::Not(_) => Tightness::Compare,
        Node::Linear(_) => Tightness::Sum,
        Node::Multiply(..) => Tightness::Product,
        Node::Integer(value) if value.is_negative() => Tightness::Sum,
        _ => Tightness::Atom,
    }
}
