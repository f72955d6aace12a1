//! Formulas as a hash-consed arena.
//!
//! Two equal formulas have the same id, and the children of a formula have smaller ids than the formula itself. The
//! arena keeps what the user wrote: no constructor here simplifies. It knows operators, not their meaning; that is in
//! [`lasso`](super::lasso) and [`prefix`](super::prefix).

use foundation::collections::{HashMap, HashSet};
use foundation::{Arena, define_id};

use super::atom::{Atom, AtomId, AtomOrigin, Atoms};
use super::bounds::chain;
use super::print::PrintedFormula;

define_id! {
    /// A formula in [`Formulas`].
    Formula
}

/// The operators with one operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Unary {
    /// `! f`: not.
    Not,
    /// `X f`: at the next position.
    Next,
    /// `F f`: at this position or a later one.
    Finally,
    /// `G f`: from this position on for ever.
    Globally,
}

/// The operators with two operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Binary {
    /// `f && g`.
    And,
    /// `f || g`.
    Or,
    /// `f -> g`.
    Implies,
    /// `f <-> g`.
    Iff,
    /// `f xor g`.
    Xor,
    /// `f U g`: `g` holds at some position from here on, and `f` at all positions before it.
    Until,
    /// `f W g`: `f U g`, or `f` for ever.
    WeakUntil,
    /// `f R g`: `g` holds up to and including the first position where `f` holds, or for ever.
    Release,
    /// `f M g`: `f R g`, and `f` does hold some time.
    StrongRelease,
}

impl Unary {
    /// All of them.
    pub const ALL: [Unary; 4] = [Unary::Not, Unary::Next, Unary::Finally, Unary::Globally];
}

impl Binary {
    /// All of them.
    pub const ALL: [Binary; 9] = [
        Binary::And,
        Binary::Or,
        Binary::Implies,
        Binary::Iff,
        Binary::Xor,
        Binary::Until,
        Binary::WeakUntil,
        Binary::Release,
        Binary::StrongRelease,
    ];
}

/// The outermost operator of a formula with its operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// The formula that always holds.
    True,
    /// The formula that never holds.
    False,
    /// Holds where the atom holds.
    Atom(AtomId),
    /// An operator with one operand.
    Unary(Unary, Formula),
    /// An operator with two operands.
    Binary(Binary, Formula, Formula),
}

impl Node {
    /// The operands, from left to right.
    pub fn children(self) -> impl DoubleEndedIterator<Item = Formula> {
        let operands = match self {
            Node::True | Node::False | Node::Atom(_) => [None, None],
            Node::Unary(_, operand) => [Some(operand), None],
            Node::Binary(_, left, right) => [Some(left), Some(right)],
        };
        operands.into_iter().flatten()
    }
}

/// All formulas of a task and their atoms.
#[derive(Clone, Debug, Default)]
pub struct Formulas {
    nodes: Arena<Formula, Node>,
    ids: HashMap<Node, Formula>,
    atoms: Atoms,
}

impl Formulas {
    /// No formulas.
    pub fn new() -> Self {
        Self::default()
    }

    /// The outermost operator of a formula with its operands.
    pub fn node(&self, formula: Formula) -> Node {
        self.nodes[formula]
    }

    /// The formula with this outermost operator.
    pub fn intern(&mut self, node: Node) -> Formula {
        *self.ids.entry(node).or_insert_with(|| self.nodes.push(node))
    }

    /// `true` or `false`.
    pub fn truth(&mut self, value: bool) -> Formula {
        self.intern(if value { Node::True } else { Node::False })
    }

    /// The formula that consists of this atom.
    pub fn atom(&mut self, atom: Atom) -> Formula {
        self.atom_at(atom, None)
    }

    /// The formula that consists of this atom, written at this place.
    pub fn atom_at(&mut self, atom: Atom, origin: Option<AtomOrigin>) -> Formula {
        let id = self.atoms.intern(atom, origin);
        self.intern(Node::Atom(id))
    }

    /// An operator applied to one operand.
    pub fn unary(&mut self, operator: Unary, operand: Formula) -> Formula {
        self.intern(Node::Unary(operator, operand))
    }

    /// An operator applied to two operands.
    pub fn binary(&mut self, operator: Binary, left: Formula, right: Formula) -> Formula {
        self.intern(Node::Binary(operator, left, right))
    }

    /// The atoms of all formulas.
    pub fn atoms(&self) -> &Atoms {
        &self.atoms
    }

    /// The formula and everything below it, each once, children before parents.
    pub fn subformulas(&self, formula: Formula) -> Vec<Formula> {
        let mut found = HashSet::from_iter([formula]);
        let mut open = vec![formula];
        while let Some(next) = open.pop() {
            open.extend(self.node(next).children().filter(|&child| found.insert(child)));
        }
        let mut subformulas = Vec::from_iter(found);
        subformulas.sort_unstable();
        subformulas
    }

    /// The atoms that occur in a formula, in ascending order.
    pub fn atoms_of(&self, formula: Formula) -> Vec<AtomId> {
        let mut atoms: Vec<AtomId> = self
            .subformulas(formula)
            .into_iter()
            .filter_map(|subformula| match self.node(subformula) {
                Node::Atom(atom) => Some(atom),
                _ => None,
            })
            .collect();
        atoms.sort_unstable();
        atoms
    }

    /// Whether `X` occurs. A formula without it cannot tell a word from one where letters are repeated (Lamport
    /// 1983).
    pub fn has_next(&self, formula: Formula) -> bool {
        let is_next = |&subformula: &Formula| matches!(self.node(subformula), Node::Unary(Unary::Next, _));
        self.subformulas(formula).iter().any(is_next)
    }

    /// What a formula is that is short for `F[0:n] f` or `G[0:n] f`: the operator, `n`, which is not 0, and `f`. A single
    /// repetition of an atom is not taken for one.
    pub fn bounded(&self, formula: Formula) -> Option<(Unary, u32, Formula)> {
        chain(self, formula)
    }

    /// The canonical text of a formula, which parses back to the same formula.
    pub fn display(&self, formula: Formula) -> PrintedFormula<'_> {
        PrintedFormula::new(self, formula)
    }

    /// How many different formulas there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }
}
