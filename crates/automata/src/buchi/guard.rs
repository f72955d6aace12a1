//! Boolean functions over atoms, as labels of edges.
//!
//! A guard is a reduced ordered binary decision diagram (Bryant 1986) that owns its nodes: a short shared slice, in
//! the one order that a depth-first walk from the root gives. So equal functions are equal values, which is what
//! merging of edges and states rests on; negation and evaluation are linear; and no table is shared between guards,
//! so that automata are plain data that can be sent anywhere. A truth table would be faster up to six atoms and
//! impossible beyond twenty; sums of products have no canonical form; a diagram with a shared table would save
//! memory that labels of a few nodes do not need.
//!
//! Atoms are ordered by their ids. Nothing here recurses: the depth of a diagram is the number of atoms, and the user
//! chooses that.

use std::fmt;
use std::sync::Arc;

use foundation::collections::HashMap;

use super::label::Label;
use crate::ltl::{AtomId, Letter};

mod cover;

pub use cover::{Cube, PrintedGuard};

/// A Boolean function over atoms.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Guard {
    /// Children before parents, in the order of a walk that visits low branches first. The root is the last.
    nodes: Arc<[Decision]>,
    root: Reference,
}

/// `FALSE`, `TRUE`, or two more than the position of a node.
type Reference = u32;

const FALSE: Reference = 0;
const TRUE: Reference = 1;

/// A node: what the function is where the atom does not hold, and where it does.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
struct Decision {
    atom: AtomId,
    low: Reference,
    high: Reference,
}

impl Guard {
    /// The guard that always or never holds.
    pub fn constant(value: bool) -> Guard {
        Guard { nodes: Arc::new([]), root: if value { TRUE } else { FALSE } }
    }

    /// Holds where the atom does.
    pub fn atom(atom: AtomId) -> Guard {
        Guard::literal(atom, true)
    }

    /// Holds where the atom has this value.
    pub fn literal(atom: AtomId, value: bool) -> Guard {
        let (low, high) = if value { (FALSE, TRUE) } else { (TRUE, FALSE) };
        Guard { nodes: Arc::new([Decision { atom, low, high }]), root: 2 }
    }

    /// Holds for this letter alone, as far as the given atoms go.
    pub fn letter(letter: &Letter, atoms: &[AtomId]) -> Guard {
        let literals = atoms.iter().map(|&atom| Guard::literal(atom, letter.contains(atom)));
        literals.fold(Guard::constant(true), |all, literal| all.and(&literal))
    }

    /// Whether the guard holds for a letter.
    pub fn holds(&self, letter: &Letter) -> bool {
        let mut at = self.root;
        while let Some(node) = self.node(at) {
            at = if letter.contains(node.atom) { node.high } else { node.low };
        }
        at == TRUE
    }

    /// Whether it holds for every letter.
    pub fn is_true(&self) -> bool {
        self.root == TRUE
    }

    /// Whether it holds for no letter.
    pub fn is_false(&self) -> bool {
        self.root == FALSE
    }

    /// Holds where this one does not.
    #[must_use]
    pub fn not(&self) -> Guard {
        let swapped = |reference: Reference| if reference <= TRUE { TRUE - reference } else { reference };
        let node = |node: &Decision| Decision { low: swapped(node.low), high: swapped(node.high), ..*node };
        Guard { nodes: self.nodes.iter().map(node).collect(), root: swapped(self.root) }
    }

    /// Holds where both do.
    #[must_use]
    pub fn and(&self, other: &Guard) -> Guard {
        if self.is_true() || other.is_false() || self == other {
            return other.clone();
        }
        if other.is_true() || self.is_false() {
            return self.clone();
        }
        DiagramConjunction { left: self, right: other, built: Builder::default(), known: PairResults::new(self, other) }
            .run()
    }

    /// Holds where at least one does.
    #[must_use]
    pub fn or(&self, other: &Guard) -> Guard {
        if self.is_false() || other.is_true() || self == other {
            return other.clone();
        }
        if other.is_false() || self.is_true() {
            return self.clone();
        }
        self.not().and(&other.not()).not()
    }

    /// Holds where this one does and the other does not.
    #[must_use]
    pub fn and_not(&self, other: &Guard) -> Guard {
        if self.is_false() || other.is_false() { self.clone() } else { self.and(&other.not()) }
    }

    /// Whether the other holds wherever this one does.
    pub fn implies(&self, other: &Guard) -> bool {
        self == other || self.and_not(other).is_false()
    }

    /// The atoms that the guard depends on, in ascending order.
    pub fn atoms(&self) -> Vec<AtomId> {
        let mut atoms: Vec<AtomId> = self.nodes.iter().map(|node| node.atom).collect();
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }

    /// How many nodes the diagram has.
    pub fn size(&self) -> usize {
        self.nodes.len()
    }

    /// A letter for which the guard holds, with few atoms, if there is one.
    pub fn example(&self) -> Option<Letter> {
        let mut letter = Letter::new();
        let mut at = self.root;
        while let Some(node) = self.node(at) {
            // Every node of a reduced diagram leads to both ends.
            at = if node.low != FALSE {
                node.low
            } else {
                letter.insert(node.atom);
                node.high
            };
        }
        (at == TRUE).then_some(letter)
    }

    fn node(&self, reference: Reference) -> Option<&Decision> {
        reference.checked_sub(2).map(|position| &self.nodes[position as usize])
    }

    /// The function at an inner place of the diagram.
    fn below(&self, reference: Reference) -> Guard {
        if reference == self.root { self.clone() } else { collected(&self.nodes, reference) }
    }
}

impl Label for Guard {
    fn meet(&self, other: &Self) -> Option<Self> {
        Some(self.and(other)).filter(|both| !both.is_false())
    }

    fn minus(&self, other: &Self) -> Option<Self> {
        Some(self.and_not(other)).filter(|rest| !rest.is_false())
    }

    fn join(&self, other: &Self) -> Option<Self> {
        Some(self.or(other))
    }

    fn implies(&self, other: &Self) -> bool {
        Guard::implies(self, other)
    }
}

/// Atoms appear by their numbers.
impl fmt::Debug for Guard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.printed(&|atom: AtomId| format!("p{}", foundation::Id::index(atom))))
    }
}

/// Nodes under construction, each function once.
#[derive(Default)]
struct Builder {
    nodes: Vec<Decision>,
    /// Empty as long as there are so few nodes that looking through them is faster.
    references: HashMap<Decision, Reference>,
}

/// How many nodes are looked through one by one.
const FEW_NODES: usize = 24;

impl Builder {
    fn make(&mut self, atom: AtomId, low: Reference, high: Reference) -> Reference {
        if low == high {
            return low;
        }
        let node = Decision { atom, low, high };
        let known = if self.nodes.len() <= FEW_NODES {
            self.nodes.iter().position(|&known| known == node).map(|position| position as Reference + 2)
        } else {
            self.references.get(&node).copied()
        };
        if let Some(known) = known {
            return known;
        }
        self.nodes.push(node);
        if self.nodes.len() > FEW_NODES {
            let new = self.references.len();
            let unlisted = self.nodes.iter().enumerate().skip(new);
            self.references.extend(unlisted.map(|(position, &node)| (node, position as Reference + 2)));
        }
        self.nodes.len() as Reference + 1
    }
}

/// Results for pairs of nodes: in a table if it is small.
enum PairResults {
    Table { width: usize, results: Vec<Reference> },
    Map(HashMap<(Reference, Reference), Reference>),
}

/// The largest table of results.
const MOST_TABLE_ENTRIES: usize = 1 << 10;

/// What stands in the table for a result that is not known yet.
const UNKNOWN: Reference = Reference::MAX;

impl PairResults {
    fn new(left: &Guard, right: &Guard) -> PairResults {
        let (height, width) = (left.nodes.len() + 2, right.nodes.len() + 2);
        if height * width <= MOST_TABLE_ENTRIES {
            PairResults::Table { width, results: vec![UNKNOWN; height * width] }
        } else {
            PairResults::Map(HashMap::default())
        }
    }

    fn get(&self, pair: (Reference, Reference)) -> Option<Reference> {
        match self {
            PairResults::Table { width, results } => {
                Some(results[pair.0 as usize * width + pair.1 as usize]).filter(|&result| result != UNKNOWN)
            }
            PairResults::Map(results) => results.get(&pair).copied(),
        }
    }

    fn set(&mut self, pair: (Reference, Reference), result: Reference) {
        match self {
            PairResults::Table { width, results } => results[pair.0 as usize * *width + pair.1 as usize] = result,
            PairResults::Map(results) => {
                results.insert(pair, result);
            }
        }
    }
}

/// The conjunction of two diagrams, pair of nodes by pair of nodes.
struct DiagramConjunction<'a> {
    left: &'a Guard,
    right: &'a Guard,
    built: Builder,
    known: PairResults,
}

impl DiagramConjunction<'_> {
    fn run(mut self) -> Guard {
        let start = (self.left.root, self.right.root);
        let mut open = vec![start];
        while let Some(&pair) = open.last() {
            if self.result(pair).is_some() {
                open.pop();
                continue;
            }
            let (atom, low, high) = self.split(pair);
            match (self.result(low), self.result(high)) {
                (Some(low), Some(high)) => {
                    let made = self.built.make(atom, low, high);
                    self.known.set(pair, made);
                    open.pop();
                }
                (low_result, high_result) => {
                    open.extend(high_result.is_none().then_some(high));
                    open.extend(low_result.is_none().then_some(low));
                }
            }
        }
        let root = self.result(start).expect("the last pair to be finished is the first");
        collected(&self.built.nodes, root)
    }

    fn result(&self, pair: (Reference, Reference)) -> Option<Reference> {
        match pair {
            (FALSE, _) | (_, FALSE) => Some(FALSE),
            (TRUE, TRUE) => Some(TRUE),
            _ => self.known.get(pair),
        }
    }

    /// The first atom that either decides on, and the pairs below it.
    fn split(&self, pair: (Reference, Reference)) -> (AtomId, (Reference, Reference), (Reference, Reference)) {
        let (left, right) = (self.left.node(pair.0), self.right.node(pair.1));
        let atoms = [left, right].into_iter().flatten().map(|node| node.atom);
        let atom = atoms.min().expect("two ends have a result");
        let branches = |node: Option<&Decision>, reference: Reference| match node {
            Some(node) if node.atom == atom => (node.low, node.high),
            _ => (reference, reference),
        };
        let (left, right) = (branches(left, pair.0), branches(right, pair.1));
        (atom, (left.0, right.0), (left.1, right.1))
    }
}

/// The part of a reduced diagram below a reference, in the canonical order.
fn collected(nodes: &[Decision], root: Reference) -> Guard {
    if root <= TRUE {
        return Guard::constant(root == TRUE);
    }
    const UNSEEN: Reference = Reference::MAX;
    let mut renumbered = vec![UNSEEN; nodes.len() + 2];
    (renumbered[FALSE as usize], renumbered[TRUE as usize]) = (FALSE, TRUE);
    let mut ordered = Vec::new();
    let mut open = vec![root];
    while let Some(&at) = open.last() {
        if renumbered[at as usize] != UNSEEN {
            open.pop();
            continue;
        }
        let node = nodes[at as usize - 2];
        let (low, high) = (renumbered[node.low as usize], renumbered[node.high as usize]);
        if low == UNSEEN {
            open.push(node.low);
        } else if high == UNSEEN {
            open.push(node.high);
        } else {
            ordered.push(Decision { atom: node.atom, low, high });
            renumbered[at as usize] = ordered.len() as Reference + 1;
            open.pop();
        }
    }
    Guard { nodes: ordered.into(), root: renumbered[root as usize] }
}
