//! The arena of terms: symbols, nodes, and looking at them. The constructors that simplify are in the modules of their
//! theories.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;
use std::sync::Arc;

use foundation::collections::{HashMap, HashSet};
use foundation::define_id;
use foundation::ids::Id;
use num_bigint::BigInt;

use crate::{Linear, Sort};

define_id! {
    /// A term in [`Terms`]. Equal terms of one arena have equal ids; subterms have smaller ids than what they are part of.
    Term
}

define_id! {
    /// An uninterpreted constant (a variable, as engines call it) in [`Terms`].
    Symbol
}

/// What a term is made of. Constructors of [`Terms`] keep these in normal form. Lists are shared, also between threads: see
/// [`Detached`](crate::Detached).
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// True or false.
    Truth(bool),
    /// The value of a symbol.
    Variable(Symbol),
    /// A number.
    Integer(Arc<BigInt>),
    /// A sequence of bits.
    BitVector {
        /// How many.
        width: u32,
        /// Their unsigned value.
        value: Arc<BigInt>,
    },
    /// Negation, of something that is neither a negation nor an inequality.
    Not(Term),
    /// Conjunction of two or more, none of them a conjunction.
    And(Arc<[Term]>),
    /// Disjunction of two or more, none of them a disjunction.
    Or(Arc<[Term]>),
    /// `if c then a else b`, where `a` and `b` are no truth values.
    Ite(Term, Term, Term),
    /// Equality of two terms that are not integers.
    Equal(Term, Term),
    /// A sum that is neither a number nor a single term; its terms are neither sums nor numbers.
    Linear(Arc<Linear>),
    /// `linear <= 0`; the coefficients have no common divisor.
    AtMostZero(Arc<Linear>),
    /// `linear = 0`; the coefficients have no common divisor, and the first is positive.
    Zero(Arc<Linear>),
    /// Product of two terms that are not numbers.
    Multiply(Term, Term),
    /// Quotient, rounded such that the remainder is not negative.
    Div(Term, Term),
    /// Remainder, not negative.
    Modulo(Term, Term),
    /// The element of an array at an index.
    Select(Term, Term),
    /// The array with the element at an index replaced.
    Store(Term, Term, Term),
    /// An operation on bit-vectors.
    Bits(BitOperation, Arc<[Term]>),
    /// The last so many bits of an integer, in two's complement.
    IntToBits(u32, Term),
    /// The unsigned value of a bit-vector.
    BitsToInt(Term),
}

impl Node {
    /// The direct subterms, from left to right.
    pub fn children(&self) -> Vec<Term> {
        match self {
            Node::Truth(_) | Node::Variable(_) | Node::Integer(_) | Node::BitVector { .. } => Vec::new(),
            Node::Not(a) | Node::IntToBits(_, a) | Node::BitsToInt(a) => vec![*a],
            Node::And(list) | Node::Or(list) | Node::Bits(_, list) => list.to_vec(),
            Node::Ite(a, b, c) | Node::Store(a, b, c) => vec![*a, *b, *c],
            Node::Equal(a, b) | Node::Multiply(a, b) | Node::Div(a, b) | Node::Modulo(a, b) | Node::Select(a, b) => {
                vec![*a, *b]
            }
            Node::Linear(linear) | Node::AtMostZero(linear) | Node::Zero(linear) => linear.variables().collect(),
        }
    }
}

/// An operation on bit-vectors of one width, with a bit-vector of that width as its result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum BitOperation {
    /// Bitwise conjunction.
    And,
    /// Bitwise disjunction.
    Or,
    /// Bitwise exclusive disjunction.
    Xor,
    /// Bitwise negation, of one operand.
    Not,
    /// Shift to the left by the unsigned value of the second operand.
    ShiftLeft,
    /// Shift to the right, zeros come in.
    LogicalShiftRight,
    /// Shift to the right, copies of the first bit come in.
    ArithmeticShiftRight,
    /// Sum modulo the number of values.
    Add,
    /// Product modulo the number of values.
    Multiply,
}

/// A hash-consing arena of terms. Everything takes `&self`; there is one arena for one run of an engine, in one thread.
#[derive(Default)]
pub struct Terms {
    inner: RefCell<Inner>,
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Terms({} terms, {} symbols)", self.len(), self.symbol_count())
    }
}

#[derive(Default)]
struct Inner {
    nodes: Vec<Node>,
    sorts: Vec<Sort>,
    known: HashMap<Node, Term>,
    symbols: Vec<SymbolEntry>,
    unique_names: HashSet<String>,
    uses_of_name: HashMap<String, u32>,
    symbols_of: HashMap<Term, Rc<BTreeSet<Symbol>>>,
}

struct SymbolEntry {
    name: String,
    unique: String,
    sort: Sort,
}

impl Terms {
    /// An arena without terms.
    pub fn new() -> Self {
        Self::default()
    }

    /// A new symbol. Names are for people: they need not be unique.
    pub fn symbol(&self, name: &str, sort: Sort) -> Symbol {
        let mut inner = self.inner.borrow_mut();
        let base: String =
            name.chars().map(|c| if c == '|' || c == '\\' || c.is_control() { '_' } else { c }).collect();
        let mut uses = inner.uses_of_name.get(&base).copied().unwrap_or(0);
        let unique = loop {
            let candidate = if uses == 0 { base.clone() } else { format!("{base}!{uses}") };
            uses += 1;
            if inner.unique_names.insert(candidate.clone()) {
                break candidate;
            }
        };
        inner.uses_of_name.insert(base, uses);
        let symbol = Symbol::from_index(inner.symbols.len());
        inner.symbols.push(SymbolEntry { name: name.to_owned(), unique, sort });
        symbol
    }

    /// The name that a symbol was given.
    pub fn name(&self, symbol: Symbol) -> String {
        self.inner.borrow().symbols[symbol.index()].name.clone()
    }

    /// The name under which a symbol is shown: its own, with `!n` after it where earlier symbols have the same.
    pub fn unique_name(&self, symbol: Symbol) -> String {
        self.inner.borrow().symbols[symbol.index()].unique.clone()
    }

    /// The sort that a symbol was declared with.
    pub fn sort_of_symbol(&self, symbol: Symbol) -> Sort {
        self.inner.borrow().symbols[symbol.index()].sort.clone()
    }

    /// How many symbols there are; they are numbered from zero.
    pub fn symbol_count(&self) -> usize {
        self.inner.borrow().symbols.len()
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.inner.borrow().nodes.len()
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The term that is the value of a symbol.
    pub fn variable(&self, symbol: Symbol) -> Term {
        self.intern(Node::Variable(symbol))
    }

    /// A new symbol's term, where nobody needs the symbol itself.
    pub fn fresh(&self, name: &str, sort: Sort) -> Term {
        self.variable(self.symbol(name, sort))
    }

    /// What a term is made of. Cheap: lists are shared.
    pub fn node(&self, term: Term) -> Node {
        self.inner.borrow().nodes[term.index()].clone()
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        self.inner.borrow().sorts[term.index()].clone()
    }

    /// The symbols that occur in a term.
    pub fn symbols(&self, term: Term) -> Rc<BTreeSet<Symbol>> {
        if let Some(known) = self.inner.borrow().symbols_of.get(&term) {
            return known.clone();
        }
        let mut found = BTreeSet::new();
        for part in self.subterms(&[term]) {
            if let Node::Variable(symbol) = self.node(part) {
                found.insert(symbol);
            }
        }
        let found = Rc::new(found);
        self.inner.borrow_mut().symbols_of.insert(term, found.clone());
        found
    }

    /// The direct subterms of a term, from left to right.
    pub fn children(&self, term: Term) -> Vec<Term> {
        self.inner.borrow().nodes[term.index()].children()
    }

    /// All subterms of some terms, themselves included, each once, parts before what they are part of.
    pub fn subterms(&self, roots: &[Term]) -> Vec<Term> {
        self.subterms_unless(roots, |_| false)
    }

    /// The same, but nothing is looked for below the terms that `stop` holds of; those are listed themselves.
    pub fn subterms_unless(&self, roots: &[Term], stop: impl Fn(Term) -> bool) -> Vec<Term> {
        let mut order = Vec::new();
        let mut seen = HashSet::default();
        let mut stack: Vec<(Term, bool)> = roots.iter().rev().map(|root| (*root, false)).collect();
        while let Some((term, is_expanded)) = stack.pop() {
            if is_expanded {
                order.push(term);
            } else if seen.insert(term) {
                stack.push((term, true));
                if !stop(term) {
                    stack.extend(self.children(term).into_iter().rev().map(|child| (child, false)));
                }
            }
        }
        order
    }

    /// The number, where a term is one.
    pub fn as_integer(&self, term: Term) -> Option<Arc<BigInt>> {
        match &self.inner.borrow().nodes[term.index()] {
            Node::Integer(value) => Some(value.clone()),
            _ => None,
        }
    }

    /// The truth value, where a term is one.
    pub fn as_truth(&self, term: Term) -> Option<bool> {
        match &self.inner.borrow().nodes[term.index()] {
            Node::Truth(value) => Some(*value),
            _ => None,
        }
    }

    /// The term of a node that is in normal form.
    pub(crate) fn intern(&self, node: Node) -> Term {
        if let Some(known) = self.find(&node) {
            return known;
        }
        let sort = self.sort_of_node(&node);
        let mut inner = self.inner.borrow_mut();
        let term = Term::from_index(inner.nodes.len());
        inner.nodes.push(node.clone());
        inner.sorts.push(sort);
        inner.known.insert(node, term);
        term
    }

    /// The term of a node, where there is one already.
    pub(crate) fn find(&self, node: &Node) -> Option<Term> {
        self.inner.borrow().known.get(node).copied()
    }

    fn sort_of_node(&self, node: &Node) -> Sort {
        match node {
            Node::Truth(_)
            | Node::Not(_)
            | Node::And(_)
            | Node::Or(_)
            | Node::Equal(..)
            | Node::AtMostZero(_)
            | Node::Zero(_) => Sort::Bool,
            Node::Integer(_)
            | Node::Linear(_)
            | Node::Multiply(..)
            | Node::Div(..)
            | Node::Modulo(..)
            | Node::BitsToInt(_) => Sort::Int,
            Node::Variable(symbol) => self.sort_of_symbol(*symbol),
            Node::BitVector { width, .. } | Node::IntToBits(width, _) => Sort::BitVector(*width),
            Node::Ite(_, term, _) | Node::Store(term, ..) => self.sort(*term),
            Node::Bits(_, operands) => self.sort(operands[0]),
            Node::Select(array, _) => match self.sort(*array) {
                Sort::Array(_, element) => *element,
                other => panic!("selection from a term of sort {other}"),
            },
        }
    }
}
