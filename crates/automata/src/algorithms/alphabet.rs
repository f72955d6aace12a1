//! Letters to ask for one by one.
//!
//! A complement must answer for *every* letter, also for those that no edge mentions. An [`Alphabet`] cuts labels into
//! pieces that the automata at hand cannot tell apart: exact symbols are such pieces already ([`Exact`]); for
//! guards they are the minterms of the guards in use ([`Minterms`]).

use crate::buchi::{Automaton, Label};

/// A way to cut labels into letters.
pub trait Alphabet<L: Label> {
    /// Disjoint pieces of a label that make it up, each of which is read as a whole.
    fn split(&self, label: &L) -> Vec<L>;
}

impl<L: Label, T: Alphabet<L>> Alphabet<L> for &T {
    fn split(&self, label: &L) -> Vec<L> {
        T::split(self, label)
    }
}

/// The alphabet whose labels are letters already.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Exact;

impl<L: Label> Alphabet<L> for Exact {
    fn split(&self, label: &L) -> Vec<L> {
        vec![label.clone()]
    }
}

/// A finite list of disjoint labels that together stand for all letters, so fine that every label in use is a union
/// of some of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Minterms<L> {
    letters: Vec<L>,
}

impl<L: Label> Minterms<L> {
    /// The letters of a finite alphabet, which must be disjoint.
    pub fn of_letters(letters: impl IntoIterator<Item = L>) -> Self {
        Self { letters: letters.into_iter().collect() }
    }

    /// The coarsest list that can tell the given labels apart. `universe` stands for all letters.
    pub fn of_labels<'a>(universe: L, labels: impl IntoIterator<Item = &'a L>) -> Self
    where
        L: 'a,
    {
        let mut minterms = Self::of_letters([universe]);
        minterms.refine(labels);
        minterms
    }

    /// The coarsest list that can tell the labels of an automaton apart.
    pub fn of_automaton(universe: L, automaton: &Automaton<L>) -> Self {
        Self::of_labels(universe, automaton.edges().map(|edge| &edge.label))
    }

    /// Splits letters further, so that they tell these labels apart, too.
    pub fn refine<'a>(&mut self, labels: impl IntoIterator<Item = &'a L>)
    where
        L: 'a,
    {
        let mut seen = foundation::collections::HashSet::default();
        for label in labels {
            if !seen.insert(label) {
                continue;
            }
            let halves =
                |letter: &L| [letter.meet(label), letter.minus(label)].into_iter().flatten().collect::<Vec<_>>();
            self.letters = self.letters.iter().flat_map(halves).collect();
        }
    }

    /// The pieces into which labels are split.
    pub fn letters(&self) -> &[L] {
        &self.letters
    }
}

impl<L: Label> Alphabet<L> for Minterms<L> {
    fn split(&self, label: &L) -> Vec<L> {
        self.letters.iter().filter_map(|letter| letter.meet(label)).collect()
    }
}
