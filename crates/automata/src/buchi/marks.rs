//! Sets of acceptance-set numbers, as edges carry them.

use std::fmt;

/// A set of acceptance sets, by their numbers; there are at most [`Marks::MOST`] of them in an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, PartialOrd, Ord)]
pub struct Marks(u64);

impl Marks {
    /// The most acceptance sets that an automaton can have.
    pub const MOST: u32 = 64;
    /// No set.
    pub const NONE: Marks = Marks(0);

    /// The sets with numbers below `count`.
    pub fn all(count: u32) -> Marks {
        assert!(count <= Self::MOST, "an automaton has at most 64 acceptance sets");
        Marks(if count == Self::MOST { u64::MAX } else { (1 << count) - 1 })
    }

    /// One set alone.
    pub fn one(set: u32) -> Marks {
        assert!(set < Self::MOST, "an automaton has at most 64 acceptance sets");
        Marks(1 << set)
    }

    /// Whether the set is among them.
    pub fn contains(self, set: u32) -> bool {
        set < Self::MOST && self.0 >> set & 1 == 1
    }

    /// Whether all of these are among the others.
    pub fn is_subset(self, other: Marks) -> bool {
        self.0 & !other.0 == 0
    }

    /// Whether there is none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many there are.
    pub fn len(self) -> u32 {
        self.0.count_ones()
    }

    /// Those in either.
    #[must_use]
    pub fn union(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    /// Those in both.
    #[must_use]
    pub fn intersection(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }

    /// Those that are not in the other.
    #[must_use]
    pub fn minus(self, other: Marks) -> Marks {
        Marks(self.0 & !other.0)
    }

    /// The same sets, numbered from `offset` on: where the sets of two automata are put side by side.
    #[must_use]
    pub fn shifted(self, offset: u32) -> Marks {
        assert!(self.is_empty() || offset + (64 - self.0.leading_zeros()) <= Self::MOST, "at most 64 acceptance sets");
        if self.is_empty() { self } else { Marks(self.0 << offset) }
    }

    /// The numbers, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..Self::MOST).filter(move |&set| self.contains(set))
    }
}

impl FromIterator<u32> for Marks {
    fn from_iter<T: IntoIterator<Item = u32>>(sets: T) -> Self {
        sets.into_iter().fold(Marks::NONE, |marks, set| marks.union(Marks::one(set)))
    }
}

/// `{0, 2}`, as in the Hanoi format.
impl fmt::Display for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("{")?;
        for (position, set) in self.iter().enumerate() {
            write!(f, "{}{set}", if position == 0 { "" } else { ", " })?;
        }
        f.write_str("}")
    }
}

impl fmt::Debug for Marks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
