//! Constructors of truth values.

use std::sync::Arc;

use crate::{Linear, Node, Sort, Term, Terms};

impl Terms {
    /// True or false.
    pub fn truth(&self, value: bool) -> Term {
        self.intern(Node::Truth(value))
    }

    /// Negation.
    pub fn not(&self, term: Term) -> Term {
        match self.complement(term) {
            PendingNegation::Is(term) => term,
            PendingNegation::Node(node) => self.intern(node),
        }
    }

    /// Conjunction of any number of terms.
    pub fn and(&self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.junction(terms.into_iter().collect(), true)
    }

    /// Disjunction of any number of terms.
    pub fn or(&self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.junction(terms.into_iter().collect(), false)
    }

    /// The disjunction of the negated premise and the conclusion: there is no node for implications.
    pub fn implies(&self, premise: Term, conclusion: Term) -> Term {
        self.or([self.not(premise), conclusion])
    }

    /// Equivalence of truth values.
    pub fn iff(&self, left: Term, right: Term) -> Term {
        if left == right {
            return self.truth(true);
        }
        if let Some(value) = self.as_truth(left) {
            return if value { right } else { self.not(right) };
        }
        if let Some(value) = self.as_truth(right) {
            return if value { left } else { self.not(left) };
        }
        if self.known_complement(left) == Some(right) {
            return self.truth(false);
        }
        match (self.node(left), self.node(right)) {
            (Node::Not(left), Node::Not(right)) => self.iff(left, right),
            (Node::Not(left), _) => self.not(self.iff(left, right)),
            (_, Node::Not(right)) => self.not(self.iff(left, right)),
            _ => self.intern(Node::Equal(left.min(right), left.max(right))),
        }
    }

    /// `if condition then left else right`, of any sort.
    pub fn ite(&self, condition: Term, left: Term, right: Term) -> Term {
        if left == right {
            return left;
        }
        match self.node(condition) {
            Node::Truth(value) => return if value { left } else { right },
            Node::Not(opposite) => return self.ite(opposite, right, left),
            _ => {}
        }
        if self.sort(left) == Sort::Bool {
            let otherwise = self.not(condition);
            return match (self.as_truth(left), self.as_truth(right)) {
                (Some(true), _) => self.or([condition, right]),
                (Some(false), _) => self.and([otherwise, right]),
                (_, Some(true)) => self.or([otherwise, left]),
                (_, Some(false)) => self.and([condition, left]),
                _ if self.known_complement(left) == Some(right) => self.iff(condition, left),
                _ => self.or([self.and([condition, left]), self.and([otherwise, right])]),
            };
        }
        self.intern(Node::Ite(condition, left, right))
    }

    /// Equality of two terms of one sort.
    pub fn equal(&self, left: Term, right: Term) -> Term {
        if left == right {
            return self.truth(true);
        }
        match self.sort(left) {
            Sort::Bool => self.iff(left, right),
            Sort::Int => self.zero(&self.linear(left).subtract(&self.linear(right))),
            _ => match (self.node(left), self.node(right)) {
                (Node::BitVector { .. }, Node::BitVector { .. }) => self.truth(false),
                _ => self.intern(Node::Equal(left.min(right), left.max(right))),
            },
        }
    }

    /// Difference of two terms of one sort.
    pub fn distinct(&self, left: Term, right: Term) -> Term {
        self.not(self.equal(left, right))
    }

    /// What the negation of a term is, without adding it to the arena.
    pub(crate) fn complement(&self, term: Term) -> PendingNegation {
        match self.node(term) {
            Node::Truth(value) => PendingNegation::Node(Node::Truth(!value)),
            Node::Not(opposite) => PendingNegation::Is(opposite),
            // Over the integers, not (l <= 0) is l >= 1.
            Node::AtMostZero(linear) => {
                let opposite = Linear::constant_of(1).subtract(&linear);
                PendingNegation::Node(Node::AtMostZero(Arc::new(opposite)))
            }
            _ => PendingNegation::Node(Node::Not(term)),
        }
    }

    /// The negation of a term, where it is in the arena already.
    pub(crate) fn known_complement(&self, term: Term) -> Option<Term> {
        match self.complement(term) {
            PendingNegation::Is(term) => Some(term),
            PendingNegation::Node(node) => self.find(&node),
        }
    }

    /// A conjunction or disjunction in normal form.
    fn junction(&self, terms: Vec<Term>, is_conjunction: bool) -> Term {
        let mut flat = Vec::with_capacity(terms.len());
        for term in terms {
            match self.node(term) {
                Node::Truth(value) if value == is_conjunction => {}
                Node::Truth(_) => return term,
                Node::And(list) if is_conjunction => flat.extend_from_slice(&list),
                Node::Or(list) if !is_conjunction => flat.extend_from_slice(&list),
                _ => flat.push(term),
            }
        }
        flat.sort_unstable();
        flat.dedup();
        let Some(flat) = self.join_bounds(flat, is_conjunction) else {
            return self.truth(!is_conjunction);
        };
        let opposite = |term: &Term| self.known_complement(*term);
        if flat.iter().filter_map(opposite).any(|opposite| flat.binary_search(&opposite).is_ok()) {
            return self.truth(!is_conjunction);
        }
        match flat.as_slice() {
            [] => self.truth(is_conjunction),
            [only] => *only,
            _ if is_conjunction => self.intern(Node::And(flat.into())),
            _ => self.intern(Node::Or(flat.into())),
        }
    }
}

/// A negation that may not be in the arena.
pub(crate) enum PendingNegation {
    /// It is this term.
    Is(Term),
    /// It would be a term with this node.
    Node(Node),
}
