//! Intervals of integers, possibly unbounded, and never empty.

use std::fmt;

/// Numbers that are larger, or negative and larger in magnitude, are not told apart from infinity.
pub const LIMIT: i128 = 1 << 100;

/// All integers between two bounds, both included. `i128::MIN` and `i128::MAX` stand for no bound.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Interval {
    low: i128,
    high: i128,
}

impl Interval {
    /// All integers.
    pub const ALL: Interval = Interval { low: i128::MIN, high: i128::MAX };

    /// The integers between two bounds, or somewhat more where these are beyond [`LIMIT`]; none if there are none.
    pub fn new(low: i128, high: i128) -> Option<Self> {
        if low > high {
            return None;
        }
        let low = if low < -LIMIT { i128::MIN } else { low.min(LIMIT) };
        let high = if high > LIMIT { i128::MAX } else { high.max(-LIMIT) };
        Some(Self { low, high })
    }

    /// A single integer, or more where it is beyond [`LIMIT`].
    pub fn single(value: i128) -> Self {
        Self::new(value, value).expect("an integer is not larger than itself")
    }

    /// The lower bound; `i128::MIN` where there is none.
    pub fn low(self) -> i128 {
        self.low
    }

    /// The upper bound; `i128::MAX` where there is none.
    pub fn high(self) -> i128 {
        self.high
    }

    /// Whether there are both bounds.
    pub fn is_bounded(self) -> bool {
        self.low != i128::MIN && self.high != i128::MAX
    }

    /// How many integers there are; none for infinitely many.
    pub fn count(self) -> Option<u128> {
        self.is_bounded().then(|| (self.high - self.low) as u128 + 1)
    }

    /// Whether an integer lies inside.
    pub fn contains(self, value: i128) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether all of this lies inside of another interval.
    pub fn is_inside(self, other: Interval) -> bool {
        other.low <= self.low && self.high <= other.high
    }

    /// The smallest interval that contains both.
    pub fn hull(self, other: Interval) -> Interval {
        Self { low: self.low.min(other.low), high: self.high.max(other.high) }
    }

    /// What lies in both.
    pub fn meet(self, other: Interval) -> Option<Interval> {
        Self::new(self.low.max(other.low), self.high.min(other.high))
    }

    /// The element that is nearest to zero; of two, the positive one.
    pub fn nearest_to_zero(self) -> i128 {
        0.clamp(self.low, self.high)
    }
}

impl fmt::Debug for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl fmt::Display for Interval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.low {
            i128::MIN => f.write_str("(-∞, ")?,
            low => write!(f, "[{low}, ")?,
        }
        match self.high {
            i128::MAX => f.write_str("∞)"),
            high => write!(f, "{high}]"),
        }
    }
}
