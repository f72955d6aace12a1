//! Guards as sums of products: for the eye, and for readers that want conjunctions.
//!
//! The cover is irredundant: no product can be left out, none can lose a literal (Minato, *Fast generation of
//! irredundant sum-of-products forms from binary decision diagrams*, SASIMI 1992; Morreale 1970). Beyond
//! [`MOST_ATOMS`] atoms the paths of the diagram are taken instead, which are disjoint and more in number.
//!
//! A small diagram may need exponentially many products (that an even number of atoms hold, say). So covers share their
//! parts, products are counted before they are written out, and [`Guard::cubes_within`] gives up where they are too many.

use std::fmt;
use std::rc::Rc;

use foundation::collections::HashMap;

use super::{Guard, TRUE};
use crate::ltl::{AtomId, Atoms};

/// A product: atoms with the values they must have, in ascending order of atoms.
pub type Cube = Vec<(AtomId, bool)>;

/// How many atoms a guard may have for the irredundant cover to be computed, which recurses over them.
const MOST_ATOMS: usize = 64;

impl Guard {
    /// Products whose sum is the guard. There may be exponentially many.
    pub fn cubes(&self) -> Vec<Cube> {
        self.cubes_within(usize::MAX).expect("there are never more products than that")
    }

    /// Products whose sum is the guard, unless there are more than so many of them.
    pub fn cubes_within(&self, most: usize) -> Option<Vec<Cube>> {
        if self.atoms().len() > MOST_ATOMS {
            return self.paths(most);
        }
        let cover = Covers { known: HashMap::default(), most }.irredundant(self, self)?;
        let mut cubes = Vec::with_capacity(cover.count);
        cover.write(&mut Cube::new(), &mut cubes);
        Some(cubes)
    }

    /// The guard as a formula, with the given atoms' texts: `a && !b || c`.
    pub fn display<'a>(&'a self, atoms: &'a Atoms) -> PrintedGuard<'a> {
        PrintedGuard { guard: self, atoms }
    }

    /// The guard as a formula, where `name` writes an atom. A sum of several products has no parentheses around it.
    pub fn printed(&self, name: &dyn Fn(AtomId) -> String) -> String {
        if self.is_true() || self.is_false() {
            return if self.is_true() { "true" } else { "false" }.to_owned();
        }
        let literal = |&(atom, value): &(AtomId, bool)| format!("{}{}", if value { "" } else { "!" }, name(atom));
        let product = |cube: &Cube| cube.iter().map(literal).collect::<Vec<_>>().join(" && ");
        self.cubes().iter().map(product).collect::<Vec<_>>().join(" || ")
    }

    /// The paths of the diagram that lead to true, unless there are more than so many.
    fn paths(&self, most: usize) -> Option<Vec<Cube>> {
        let mut paths = Vec::new();
        let mut open = vec![(self.root, Cube::new())];
        while let Some((at, path)) = open.pop() {
            match self.node(at) {
                None if at == TRUE && paths.len() == most => return None,
                None if at == TRUE => paths.push(path),
                None => {}
                Some(node) => {
                    for (branch, value) in [(node.high, true), (node.low, false)] {
                        let mut longer = path.clone();
                        longer.push((node.atom, value));
                        open.push((branch, longer));
                    }
                }
            }
        }
        Some(paths)
    }
}

/// Products whose sum is a function, in parts that several covers may share.
struct Cover {
    sum: Guard,
    /// How many products there are.
    count: usize,
    parts: CoverParts,
}

enum CoverParts {
    None,
    /// The product of no literals.
    Empty,
    /// The products without the atom, those where it holds, and those where it does not.
    Split {
        atom: AtomId,
        without: Rc<Cover>,
        high: Rc<Cover>,
        low: Rc<Cover>,
    },
}

impl Cover {
    fn write(&self, literals: &mut Cube, cubes: &mut Vec<Cube>) {
        match &self.parts {
            CoverParts::None => {}
            CoverParts::Empty => cubes.push(literals.clone()),
            CoverParts::Split { atom, without, high, low } => {
                without.write(literals, cubes);
                for (part, value) in [(high, true), (low, false)] {
                    literals.push((*atom, value));
                    part.write(literals, cubes);
                    literals.pop();
                }
            }
        }
    }
}

/// Covers that are known already, by the two functions between which their sums lie.
struct Covers {
    known: HashMap<(Guard, Guard), Rc<Cover>>,
    /// Covers of more products than this are not wanted.
    most: usize,
}

impl Covers {
    /// Products whose sum lies between two functions.
    fn irredundant(&mut self, least: &Guard, most: &Guard) -> Option<Rc<Cover>> {
        if least.is_false() {
            return Some(Rc::new(Cover { sum: Guard::constant(false), count: 0, parts: CoverParts::None }));
        }
        if most.is_true() {
            return Some(Rc::new(Cover { sum: Guard::constant(true), count: 1, parts: CoverParts::Empty }));
        }
        let key = (least.clone(), most.clone());
        if let Some(cover) = self.known.get(&key) {
            return Some(Rc::clone(cover));
        }
        let tops = [least, most].into_iter().filter_map(|guard| guard.node(guard.root)).map(|node| node.atom);
        let atom = tops.min().expect("one of the two is not constant");
        let branches = |guard: &Guard| match guard.node(guard.root) {
            Some(node) if node.atom == atom => (guard.below(node.low), guard.below(node.high)),
            _ => (guard.clone(), guard.clone()),
        };
        let ((least_low, least_high), (most_low, most_high)) = (branches(least), branches(most));
        // What only one branch may cover needs the literal; the rest can do without.
        let low = self.irredundant(&least_low.and_not(&most_high), &most_low)?;
        let high = self.irredundant(&least_high.and_not(&most_low), &most_high)?;
        let rest = least_low.and_not(&low.sum).or(&least_high.and_not(&high.sum));
        let without = self.irredundant(&rest, &most_low.and(&most_high))?;
        let count = low.count.saturating_add(high.count).saturating_add(without.count);
        if count > self.most {
            return None;
        }
        let yes = Guard::atom(atom);
        let sum = without.sum.or(&high.sum.and(&yes)).or(&low.sum.and_not(&yes));
        let cover = Rc::new(Cover { sum, count, parts: CoverParts::Split { atom, without, high, low } });
        self.known.insert(key, Rc::clone(&cover));
        Some(cover)
    }
}

/// A guard to be written out.
#[derive(Clone, Copy)]
pub struct PrintedGuard<'a> {
    guard: &'a Guard,
    atoms: &'a Atoms,
}

impl fmt::Display for PrintedGuard<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.guard.printed(&|atom| self.atoms.get(atom).to_string()))
    }
}
