//! States that need not be searched, because they accept less than one that is known to accept nothing.
//!
//! A state in a closed component without an accepting run accepts nothing, and so does everything whose language is
//! included in its own. Subset constructions come with such inclusions. This is *pruning*: it only ever leaves states
//! out. Redirecting an edge to another, live state (*folding*) needs a stronger relation and is not done here.

use std::hash::Hash;

use foundation::collections::HashMap;

/// What is known to accept nothing.
pub trait Pruning<S> {
    /// The state is in a closed component and accepts nothing.
    fn accepts_nothing(&mut self, state: &S);

    /// Whether the state accepts no more than one that is known to accept nothing.
    fn is_covered(&self, state: &S) -> bool;
}

/// Searches everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct NoPruning;

impl<S> Pruning<S> for NoPruning {
    fn accepts_nothing(&mut self, _: &S) {}

    fn is_covered(&self, _: &S) -> bool {
        false
    }
}

/// A relation that implies inclusion of languages.
pub trait Subsumption<S> {
    /// What must be equal in related states, so that only few are compared.
    type Key: Eq + Hash;

    /// The part of a state that must be equal in related states.
    fn key(&self, state: &S) -> Self::Key;

    /// Whether everything that `smaller` accepts is accepted by `larger`, for a reason that is cheap to see. The two
    /// have the same key.
    fn is_subsumed(&self, smaller: &S, larger: &S) -> bool;
}

/// States that accept nothing; of two related ones only the larger is kept.
#[derive(Clone, Debug)]
pub struct Antichain<'a, S, R: Subsumption<S>> {
    relation: &'a R,
    known: HashMap<R::Key, Vec<S>>,
}

impl<'a, S, R: Subsumption<S>> Antichain<'a, S, R> {
    /// Nothing is known yet.
    pub fn new(relation: &'a R) -> Self {
        Self { relation, known: HashMap::default() }
    }

    /// How many states are kept.
    pub fn len(&self) -> usize {
        self.known.values().map(Vec::len).sum()
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.known.is_empty()
    }
}

impl<S: Clone, R: Subsumption<S>> Pruning<S> for Antichain<'_, S, R> {
    fn accepts_nothing(&mut self, state: &S) {
        if self.is_covered(state) {
            return;
        }
        let known = self.known.entry(self.relation.key(state)).or_default();
        known.retain(|other| !self.relation.is_subsumed(other, state));
        known.push(state.clone());
    }

    fn is_covered(&self, state: &S) -> bool {
        let known = self.known.get(&self.relation.key(state));
        known.is_some_and(|known| known.iter().any(|larger| self.relation.is_subsumed(state, larger)))
    }
}
