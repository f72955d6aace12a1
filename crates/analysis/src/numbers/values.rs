//! The values that something can have: an explicit set of at most [`MOST_ELEMENTS`] integers, or an interval of more.
//!
//! Every set has one representation: an interval of few elements is an explicit set. A set of one element is a constant;
//! the empty set says that nothing happens.

use std::fmt;
use std::sync::{Arc, LazyLock};

use num_bigint::BigInt;
use num_traits::{Signed, ToPrimitive};

use super::interval::{Interval, LIMIT};

/// Explicit sets have at most this many elements.
pub const MOST_ELEMENTS: usize = 64;

/// A set of integers.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Values {
    /// These, in ascending order.
    Set(Arc<[i128]>),
    /// All of an interval with more than [`MOST_ELEMENTS`] elements.
    Range(Interval),
}

impl Values {
    /// All integers.
    pub fn all() -> Self {
        Values::Range(Interval::ALL)
    }

    /// No integer.
    pub fn none() -> Self {
        Values::Set(Arc::new([]))
    }

    /// A single integer.
    pub fn constant(value: i128) -> Self {
        if value.unsigned_abs() > LIMIT.unsigned_abs() {
            return Values::Range(Interval::single(value));
        }
        Values::Set(Arc::new([value]))
    }

    /// A single integer of any size, or more where it is beyond [`LIMIT`].
    pub fn constant_big(value: &BigInt) -> Self {
        Self::constant(value.to_i128().unwrap_or_else(|| beyond(value)))
    }

    /// The integers of an interval.
    pub fn interval(interval: Interval) -> Self {
        match interval.count() {
            Some(count) if count <= MOST_ELEMENTS as u128 => Values::Set((interval.low()..=interval.high()).collect()),
            _ => Values::Range(interval),
        }
    }

    /// The integers between two bounds.
    pub fn between(low: i128, high: i128) -> Self {
        Interval::new(low, high).map_or_else(Self::none, Self::interval)
    }

    /// All of these, or the interval that they lie in if they are many.
    pub fn of(values: impl IntoIterator<Item = i128>) -> Self {
        let mut values: Vec<i128> = values.into_iter().collect();
        values.sort_unstable();
        values.dedup();
        match values.as_slice() {
            [] => Self::none(),
            [low, .., high] if values.len() > MOST_ELEMENTS => Self::between(*low, *high),
            [low, ..] if *low < -LIMIT => Self::between(*low, *values.last().expect("one at least")),
            [.., high] if *high > LIMIT => Self::between(values[0], *high),
            _ => Values::Set(values.into()),
        }
    }

    /// The truth values that are possible, as 0 and 1.
    pub fn truth(may_be_false: bool, may_be_true: bool) -> Self {
        // Conditions are evaluated often.
        static SETS: LazyLock<[Values; 4]> =
            LazyLock::new(|| [Values::none(), Values::constant(0), Values::constant(1), Values::between(0, 1)]);
        SETS[usize::from(may_be_false) + 2 * usize::from(may_be_true)].clone()
    }

    /// Whether there is none.
    pub fn is_none(&self) -> bool {
        matches!(self, Values::Set(set) if set.is_empty())
    }

    /// All of them, if they are few.
    pub fn explicit(&self) -> Option<&[i128]> {
        match self {
            Values::Set(set) => Some(set),
            Values::Range(_) => None,
        }
    }

    /// The only one, if there is just one.
    pub fn single(&self) -> Option<i128> {
        match self.explicit() {
            Some([value]) => Some(*value),
            _ => None,
        }
    }

    /// The smallest interval that contains them; none if there are none.
    pub fn bounds(&self) -> Option<Interval> {
        match self {
            Values::Set(set) => Some(Interval::new(*set.first()?, *set.last()?).expect("in ascending order")),
            Values::Range(interval) => Some(*interval),
        }
    }

    /// Whether an integer is one of them.
    pub fn contains(&self, value: i128) -> bool {
        match self {
            Values::Set(set) => set.binary_search(&value).is_ok(),
            Values::Range(interval) => interval.contains(value),
        }
    }

    /// Whether an integer of any size is one of them.
    pub fn contains_big(&self, value: &BigInt) -> bool {
        self.contains(value.to_i128().unwrap_or_else(|| beyond(value)))
    }

    /// Whether all of these are among others.
    pub fn is_subset(&self, other: &Values) -> bool {
        match (self, other) {
            (Values::Set(mine), Values::Set(others)) if Arc::ptr_eq(mine, others) => true,
            (Values::Set(mine), _) => mine.iter().all(|value| other.contains(*value)),
            (Values::Range(mine), Values::Range(others)) => mine.is_inside(*others),
            (Values::Range(_), Values::Set(_)) => false,
        }
    }

    /// All of these and all of others, or the interval that they lie in if they are many.
    pub fn join(&self, other: &Values) -> Values {
        if other.is_subset(self) {
            return self.clone();
        }
        if self.is_subset(other) {
            return other.clone();
        }
        match (self, other) {
            (Values::Set(mine), Values::Set(others)) => Self::of(mine.iter().chain(others.iter()).copied()),
            _ => match (self.bounds(), other.bounds()) {
                (Some(mine), Some(others)) => Self::interval(mine.hull(others)),
                _ => unreachable!("the empty set is a subset of all"),
            },
        }
    }

    /// Those that are among others too.
    pub fn meet(&self, other: &Values) -> Values {
        if self.is_subset(other) {
            return self.clone();
        }
        match (self, other) {
            (Values::Set(set), other) | (other, Values::Set(set)) => {
                Values::Set(set.iter().copied().filter(|value| other.contains(*value)).collect())
            }
            (Values::Range(mine), Values::Range(others)) => mine.meet(*others).map_or_else(Self::none, Self::interval),
        }
    }

    /// All but one.
    pub fn without(&self, value: i128) -> Values {
        match self {
            _ if !self.contains(value) => self.clone(),
            Values::Set(set) => Values::Set(set.iter().copied().filter(|other| *other != value).collect()),
            Values::Range(interval) if interval.low() == value => Self::between(value + 1, interval.high()),
            Values::Range(interval) if interval.high() == value => Self::between(interval.low(), value - 1),
            Values::Range(_) => self.clone(),
        }
    }
}

/// The bound that stands for an integer of more than 128 bits.
fn beyond(value: &BigInt) -> i128 {
    if value.is_negative() { i128::MIN } else { i128::MAX }
}

impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Values::Range(interval) => interval.fmt(f),
            Values::Set(set) => {
                let texts: Vec<String> = set.iter().map(i128::to_string).collect();
                write!(f, "{{{}}}", texts.join(", "))
            }
        }
    }
}
