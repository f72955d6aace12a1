//! Sets of automaton states as bits: what the states of subset constructions are made of.

use foundation::Id;

use crate::buchi::StateId;

/// A set of states, compared and hashed word by word.
#[derive(Clone, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct StateSet {
    /// One bit for each state. The last word is never zero, so that equal sets are equal vectors.
    words: Vec<u64>,
}

impl StateSet {
    /// The empty set.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a state; false if it was there already.
    pub fn insert(&mut self, state: StateId) -> bool {
        let (word, bit) = (state.index() / 64, 1_u64 << (state.index() % 64));
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        let is_new = self.words[word] & bit == 0;
        self.words[word] |= bit;
        is_new
    }

    /// Whether the state is among them.
    pub fn contains(&self, state: StateId) -> bool {
        self.words.get(state.index() / 64).is_some_and(|word| word >> (state.index() % 64) & 1 == 1)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.words.iter().map(|word| word.count_ones() as usize).sum()
    }

    /// The states in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = StateId> + '_ {
        self.words.iter().enumerate().flat_map(|(index, &word)| {
            (0..64).filter(move |bit| word >> bit & 1 == 1).map(move |bit| StateId::from_index(index * 64 + bit))
        })
    }

    /// Whether all of these are among the others.
    pub fn is_subset(&self, other: &StateSet) -> bool {
        self.words.len() <= other.words.len() && self.words.iter().zip(&other.words).all(|(own, word)| own & !word == 0)
    }

    /// Whether no state is in both.
    pub fn is_disjoint(&self, other: &StateSet) -> bool {
        self.words.iter().zip(&other.words).all(|(own, word)| own & word == 0)
    }

    /// Those in either.
    #[must_use]
    pub fn union(&self, other: &StateSet) -> StateSet {
        let (mut long, short) =
            if self.words.len() >= other.words.len() { (self.clone(), other) } else { (other.clone(), self) };
        for (word, more) in long.words.iter_mut().zip(&short.words) {
            *word |= more;
        }
        long
    }

    /// Those in both.
    #[must_use]
    pub fn intersection(&self, other: &StateSet) -> StateSet {
        Self::trimmed(self.words.iter().zip(&other.words).map(|(own, word)| own & word).collect())
    }

    /// Those that are not in the other.
    #[must_use]
    pub fn minus(&self, other: &StateSet) -> StateSet {
        let gone = other.words.iter().copied().chain(std::iter::repeat(0));
        Self::trimmed(self.words.iter().zip(gone).map(|(own, word)| own & !word).collect())
    }

    /// Those that satisfy a condition.
    #[must_use]
    pub fn filtered(&self, condition: impl Fn(StateId) -> bool) -> StateSet {
        self.iter().filter(|&state| condition(state)).collect()
    }

    fn trimmed(mut words: Vec<u64>) -> StateSet {
        while words.last() == Some(&0) {
            words.pop();
        }
        StateSet { words }
    }
}

impl FromIterator<StateId> for StateSet {
    fn from_iter<T: IntoIterator<Item = StateId>>(states: T) -> Self {
        let mut set = StateSet::new();
        for state in states {
            set.insert(state);
        }
        set
    }
}

impl std::fmt::Debug for StateSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter().map(Id::index)).finish()
    }
}
