//! Sets of variables as sparse bit sets: words of 64 bits, of which only those with a bit are kept.
//!
//! After inlining a program may have thousands of variables, of which few are live at any one location; those of one
//! activation have neighbouring ids, so that a set takes a handful of words.

use foundation::Id;
use program::VariableId;

/// A set of variables; iteration is in ascending order.
#[derive(Clone, PartialEq, Eq, Hash, Default)]
pub struct VariableSet {
    /// By ascending number; no word is 0.
    words: Vec<(u32, u64)>,
}

impl VariableSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether a variable is in the set.
    pub fn contains(&self, variable: VariableId) -> bool {
        let (number, bit) = position(variable);
        self.words.binary_search_by_key(&number, |word| word.0).is_ok_and(|at| self.words[at].1 & bit != 0)
    }

    /// Adds a variable; whether it is new.
    pub fn insert(&mut self, variable: VariableId) -> bool {
        let (number, bit) = position(variable);
        match self.words.binary_search_by_key(&number, |word| word.0) {
            Ok(at) => {
                let new = self.words[at].1 & bit == 0;
                self.words[at].1 |= bit;
                new
            }
            Err(at) => {
                self.words.insert(at, (number, bit));
                true
            }
        }
    }

    /// Takes a variable out; whether it was there.
    pub fn remove(&mut self, variable: VariableId) -> bool {
        let (number, bit) = position(variable);
        let Ok(at) = self.words.binary_search_by_key(&number, |word| word.0) else { return false };
        let there = self.words[at].1 & bit != 0;
        self.words[at].1 &= !bit;
        if self.words[at].1 == 0 {
            self.words.remove(at);
        }
        there
    }

    /// Adds all of another set; whether there was something new.
    pub fn union_with(&mut self, other: &VariableSet) -> bool {
        if other.is_subset(self) {
            return false;
        }
        let mut words = Vec::with_capacity(self.words.len() + other.words.len());
        let (mut mine, mut others) = (self.words.iter().peekable(), other.words.iter().peekable());
        loop {
            match (mine.peek(), others.peek()) {
                (None, None) => break,
                (Some(left), Some(right)) if left.0 == right.0 => {
                    words.push((left.0, left.1 | right.1));
                    mine.next();
                    others.next();
                }
                (Some(left), right) if right.is_none_or(|right| left.0 < right.0) => {
                    words.push(**left);
                    mine.next();
                }
                (_, right) => {
                    words.extend(right.copied());
                    others.next();
                }
            }
        }
        self.words = words;
        true
    }

    /// Keeps only what is in another set too.
    pub fn intersect_with(&mut self, other: &VariableSet) {
        self.words.retain_mut(|word| {
            let common = other.words.binary_search_by_key(&word.0, |other| other.0).map_or(0, |at| other.words[at].1);
            word.1 &= common;
            word.1 != 0
        });
    }

    /// Whether every element is in another set.
    pub fn is_subset(&self, other: &VariableSet) -> bool {
        self.words.iter().all(|&(number, bits)| {
            let at = other.words.binary_search_by_key(&number, |word| word.0);
            at.is_ok_and(|at| bits & !other.words[at].1 == 0)
        })
    }

    /// Whether the set is empty.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many elements there are.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.1.count_ones() as usize).sum()
    }

    /// The elements by ascending id.
    pub fn iter(&self) -> impl Iterator<Item = VariableId> + '_ {
        self.words.iter().flat_map(|&(number, bits)| {
            let set = (0..64).filter(move |bit| bits >> bit & 1 == 1);
            set.map(move |bit| VariableId::from_index(number as usize * 64 + bit))
        })
    }
}

impl FromIterator<VariableId> for VariableSet {
    fn from_iter<I: IntoIterator<Item = VariableId>>(variables: I) -> Self {
        let mut set = Self::new();
        set.extend(variables);
        set
    }
}

impl Extend<VariableId> for VariableSet {
    fn extend<I: IntoIterator<Item = VariableId>>(&mut self, variables: I) {
        for variable in variables {
            self.insert(variable);
        }
    }
}

impl std::fmt::Debug for VariableSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

fn position(variable: VariableId) -> (u32, u64) {
    let index = variable.index();
    ((index / 64) as u32, 1 << (index % 64))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn set(indices: &BTreeSet<usize>) -> VariableSet {
        indices.iter().map(|&index| VariableId::from_index(index)).collect()
    }

    proptest! {
        #[test]
        fn behaves_as_an_ordered_set(
            left in prop::collection::btree_set(0usize..300, 0..40),
            right in prop::collection::btree_set(0usize..300, 0..40),
            one in 0usize..300,
        ) {
            let mut both = set(&left);
            prop_assert_eq!(both.union_with(&set(&right)), !right.is_subset(&left));
            prop_assert_eq!(&both, &set(&(&left | &right)));
            let mut common = set(&left);
            common.intersect_with(&set(&right));
            prop_assert_eq!(&common, &set(&(&left & &right)));
            prop_assert_eq!(set(&left).is_subset(&set(&right)), left.is_subset(&right));
            prop_assert_eq!(set(&left).len(), left.len());
            prop_assert_eq!(set(&left).iter().map(Id::index).collect::<Vec<_>>(), left.iter().copied().collect::<Vec<_>>());
            let (variable, mut changed, mut model) = (VariableId::from_index(one), set(&left), left.clone());
            prop_assert_eq!(changed.contains(variable), left.contains(&one));
            prop_assert_eq!(changed.remove(variable), model.remove(&one));
            prop_assert_eq!(&changed, &set(&model));
            prop_assert!(changed.insert(variable));
            prop_assert!(!changed.insert(variable));
        }
    }
}
