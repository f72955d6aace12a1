//! Letters of words: which atoms hold at one position.

use foundation::Id;

use super::atom::AtomId;

/// A set of atoms: those that hold at one position of a word. All others do not hold there.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Letter {
    /// One bit for each atom. The last word is never zero, so that equal sets are equal vectors.
    words: Vec<u64>,
}

impl Letter {
    /// The letter where no atom holds.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether the atom holds.
    pub fn contains(&self, atom: AtomId) -> bool {
        let (word, bit) = position(atom);
        self.words.get(word).is_some_and(|bits| bits & bit != 0)
    }

    /// Lets the atom hold.
    pub fn insert(&mut self, atom: AtomId) {
        let (word, bit) = position(atom);
        if word >= self.words.len() {
            self.words.resize(word + 1, 0);
        }
        self.words[word] |= bit;
    }

    /// Lets the atom not hold.
    pub fn remove(&mut self, atom: AtomId) {
        let (word, bit) = position(atom);
        if let Some(bits) = self.words.get_mut(word) {
            *bits &= !bit;
        }
        while self.words.last() == Some(&0) {
            self.words.pop();
        }
    }

    /// The atoms that hold, in ascending order.
    pub fn iter(&self) -> impl Iterator<Item = AtomId> + '_ {
        (0..self.words.len() * 64).map(AtomId::from_index).filter(|&atom| self.contains(atom))
    }

    /// The atoms that hold and are in the given set.
    pub fn intersection(&self, other: &Letter) -> Letter {
        let mut words: Vec<u64> = self.words.iter().zip(&other.words).map(|(left, right)| left & right).collect();
        while words.last() == Some(&0) {
            words.pop();
        }
        Letter { words }
    }
}

impl FromIterator<AtomId> for Letter {
    fn from_iter<T: IntoIterator<Item = AtomId>>(atoms: T) -> Self {
        let mut letter = Letter::new();
        letter.extend(atoms);
        letter
    }
}

impl Extend<AtomId> for Letter {
    fn extend<T: IntoIterator<Item = AtomId>>(&mut self, atoms: T) {
        for atom in atoms {
            self.insert(atom);
        }
    }
}

fn position(atom: AtomId) -> (usize, u64) {
    (atom.index() / 64, 1 << (atom.index() % 64))
}
