//! Guards as sums of products: for the eye, and for readers that want conjunctions.
//!
//! The cover is irredundant: no product can be left out, none can lose a literal (Minato, *Fast generation of
//! irredundant sum-of-products forms from binary decision diagrams*, SASIMI 1992; Morreale 1970). Beyond
//! [`MOST_ATOMS`] atoms the paths of the diagram are taken instead, which are disjoint and more in number.

use std::fmt;

use super::{Guard, TRUE};
use crate::ltl::{AtomId, Atoms};

/// A product: atoms with the values they must have, in ascending order of atoms.
pub type Cube = Vec<(AtomId, bool)>;

/// How many atoms a guard may have for the irredundant cover to be computed, which recurses over them.
const MOST_ATOMS: usize = 64;

impl Guard {
    /// Products whose sum is the guard.
    pub fn cubes(&self) -> Vec<Cube> {
        if self.atoms().len() > MOST_ATOMS { self.paths() } else { irredundant(self, self).0 }
    }

    /// The guard as a formula, with the given atoms' texts: `a && !b || c`.
    pub fn display<'a>(&'a self, atoms: &'a Atoms) -> Printed<'a> {
        Printed { guard: self, atoms }
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

    /// The paths of the diagram that lead to true.
    fn paths(&self) -> Vec<Cube> {
        let mut paths = Vec::new();
        let mut open = vec![(self.root, Cube::new())];
        while let Some((at, path)) = open.pop() {
            match self.node(at) {
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
        paths
    }
}

/// Products whose sum lies between two functions, and that sum.
fn irredundant(least: &Guard, most: &Guard) -> (Vec<Cube>, Guard) {
    if least.is_false() {
        return (Vec::new(), Guard::constant(false));
    }
    if most.is_true() {
        return (vec![Cube::new()], Guard::constant(true));
    }
    let tops = [least, most].into_iter().filter_map(|guard| guard.node(guard.root)).map(|node| node.atom);
    let atom = tops.min().expect("one of the two is not constant");
    let branches = |guard: &Guard| match guard.node(guard.root) {
        Some(node) if node.atom == atom => (guard.below(node.low), guard.below(node.high)),
        _ => (guard.clone(), guard.clone()),
    };
    let ((least_low, least_high), (most_low, most_high)) = (branches(least), branches(most));
    // What only one branch may cover needs the literal; the rest can do without.
    let (low_cubes, low) = irredundant(&least_low.and_not(&most_high), &most_low);
    let (high_cubes, high) = irredundant(&least_high.and_not(&most_low), &most_high);
    let rest = least_low.and_not(&low).or(&least_high.and_not(&high));
    let (mut cubes, shared) = irredundant(&rest, &most_low.and(&most_high));
    let with_literal = |value: bool| move |cube: Cube| [(atom, value)].into_iter().chain(cube).collect::<Cube>();
    cubes.extend(high_cubes.into_iter().map(with_literal(true)));
    cubes.extend(low_cubes.into_iter().map(with_literal(false)));
    let yes = Guard::atom(atom);
    let sum = shared.or(&high.and(&yes)).or(&low.and_not(&yes));
    (cubes, sum)
}

/// A guard to be written out.
#[derive(Clone, Copy)]
pub struct Printed<'a> {
    guard: &'a Guard,
    atoms: &'a Atoms,
}

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.guard.printed(&|atom| self.atoms.get(atom).to_string()))
    }
}
