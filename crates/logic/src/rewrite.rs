//! Replacing symbols and subterms.

use foundation::collections::HashMap;
use num_bigint::BigInt;

use crate::{Linear, Node, Symbol, Term, Terms};

impl Terms {
    /// The term with symbols replaced by terms of their sorts, all at once.
    pub fn substitute(&self, term: Term, replacements: &HashMap<Symbol, Term>) -> Term {
        if replacements.is_empty() || !self.symbols(term).iter().any(|symbol| replacements.contains_key(symbol)) {
            return term;
        }
        let of_variables = replacements.iter().map(|(symbol, term)| (self.variable(*symbol), *term)).collect();
        self.replace(term, &of_variables)
    }

    /// The term with subterms replaced by terms of their sorts, all at once. A sum is replaced as a whole only: `x + y`
    /// does not occur in `x + y + z`.
    pub fn replace(&self, term: Term, replacements: &HashMap<Term, Term>) -> Term {
        let mut known: HashMap<Term, Term> = HashMap::default();
        for part in self.subterms_unless(&[term], |part| replacements.contains_key(&part)) {
            let new = match replacements.get(&part) {
                Some(new) => *new,
                None => self.rebuild(part, |child| known[&child]),
            };
            known.insert(part, new);
        }
        known[&term]
    }

    /// The term made of other children by the constructors.
    fn rebuild(&self, term: Term, new: impl Fn(Term) -> Term) -> Term {
        if self.children(term).iter().all(|child| new(*child) == *child) {
            return term;
        }
        self.build(self.node(term), new)
    }

    /// The term of a node, also of another arena, whose children are made here.
    pub(crate) fn build(&self, node: Node, new: impl Fn(Term) -> Term) -> Term {
        let sum = |linear: &Linear| -> Linear {
            let mut constant: BigInt = linear.constant.clone();
            let mut summands = Vec::with_capacity(linear.terms.len());
            for (coefficient, term) in &linear.terms {
                let part = self.linear(new(*term)).scale(coefficient);
                constant += part.constant;
                summands.extend(part.terms);
            }
            Linear::from_terms(summands, constant)
        };
        match node {
            Node::Truth(_) | Node::Variable(_) | Node::Integer(_) | Node::BitVector { .. } => self.intern(node),
            Node::Not(a) => self.not(new(a)),
            Node::And(list) => self.and(list.iter().map(|term| new(*term))),
            Node::Or(list) => self.or(list.iter().map(|term| new(*term))),
            Node::Ite(a, b, c) => self.ite(new(a), new(b), new(c)),
            Node::Equal(a, b) => self.equal(new(a), new(b)),
            Node::Linear(linear) => self.from_linear(&sum(&linear)),
            Node::AtMostZero(linear) => self.at_most_zero(&sum(&linear)),
            Node::Zero(linear) => self.zero(&sum(&linear)),
            Node::Multiply(a, b) => self.multiply(new(a), new(b)),
            Node::Div(a, b) => self.div(new(a), new(b)),
            Node::Modulo(a, b) => self.modulo(new(a), new(b)),
            Node::Select(a, b) => self.select(new(a), new(b)),
            Node::Store(a, b, c) => self.store(new(a), new(b), new(c)),
            Node::Bits(operation, list) => {
                self.bits(operation, &list.iter().map(|term| new(*term)).collect::<Vec<_>>())
            }
            Node::IntToBits(width, a) => self.int_to_bits(width, new(a)),
            Node::BitsToInt(a) => self.bits_to_int(new(a)),
        }
    }
}
