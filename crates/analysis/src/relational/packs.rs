//! Packs: which variables are related to each other (Blanchet et al., PLDI 2003). An octagon costs the
//! square of its variables at each step, so variables that have nothing to do with each other go separate ways.

use std::collections::BTreeMap;

/// A pack has no more than so many variables.
const MOST_VARIABLES: usize = 12;

/// How strongly pairs of variables are linked; the first of each pair is the smaller one.
#[derive(Clone, Debug, Default)]
pub struct Links {
    weights: BTreeMap<(usize, usize), u64>,
}

impl Links {
    /// Links some variables with each other, unless they are too many.
    pub fn add(&mut self, variables: &[usize], weight: u64) {
        if variables.len() > 2 * MOST_VARIABLES {
            return;
        }
        for (at, &left) in variables.iter().enumerate() {
            for &right in variables[at + 1..].iter().filter(|right| **right != left) {
                *self.weights.entry((left.min(right), left.max(right))).or_default() += weight;
            }
        }
    }
}

/// Disjoint sets of variables.
#[derive(Clone, Debug)]
pub struct Packs {
    members: Vec<Vec<usize>>,
    places: Vec<Option<(usize, usize)>>,
}

impl Packs {
    /// Packs of the variables below `count`: the strongest links first, as long as packs do not grow too large.
    pub fn new(count: usize, links: &Links) -> Self {
        let mut pairs: Vec<(u64, (usize, usize))> =
            links.weights.iter().map(|(pair, weight)| (*weight, *pair)).collect();
        pairs.sort_by_key(|(weight, pair)| (std::cmp::Reverse(*weight), *pair));
        let mut pack: Vec<usize> = (0..count).collect();
        let mut sets: Vec<Vec<usize>> = (0..count).map(|variable| vec![variable]).collect();
        for (_, (left, right)) in pairs {
            let (into, from) = (pack[left], pack[right]);
            if into != from && sets[into].len() + sets[from].len() <= MOST_VARIABLES {
                for moved in std::mem::take(&mut sets[from]) {
                    pack[moved] = into;
                    sets[into].push(moved);
                }
            }
        }
        let mut members: Vec<Vec<usize>> = sets.into_iter().filter(|set| set.len() > 1).collect();
        let mut places = vec![None; count];
        for (at, set) in members.iter_mut().enumerate() {
            set.sort_unstable();
            for (position, variable) in set.iter().enumerate() {
                places[*variable] = Some((at, position));
            }
        }
        Self { members, places }
    }

    /// The variables of each pack.
    pub fn members(&self) -> &[Vec<usize>] {
        &self.members
    }

    /// The pack of a variable and its position there.
    pub fn place(&self, variable: usize) -> Option<(usize, usize)> {
        self.places.get(variable).copied().flatten()
    }

    /// The pack of a variable.
    pub fn pack_of(&self, variable: usize) -> Option<usize> {
        self.place(variable).map(|(pack, _)| pack)
    }

    /// Whether a variable is a transition's own.
    pub fn is_own(&self, variable: usize) -> bool {
        variable >= self.places.len()
    }
}
