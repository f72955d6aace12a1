//! A domain: representatives, and the classes of values that they stand for.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::needs::Need;
use crate::numbers::{Interval, Values};

/// The values to be tried for an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Domain {
    representatives: Vec<BigInt>,
    /// The values that each of them stands for. What is in none of them is cut at once.
    classes: Vec<Class>,
    rule: Rule,
}

/// Values that are alike: those of an interval but for some of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Class {
    interval: Interval,
    /// In ascending order.
    without: Vec<i128>,
}

impl Class {
    pub(super) fn single(value: i128) -> Self {
        Self { interval: Interval::single(value), without: Vec::new() }
    }

    pub(super) fn contains(&self, value: i128) -> bool {
        self.interval.contains(value) && self.without.binary_search(&value).is_err()
    }

    /// The value that is nearest to zero; of two, the positive one. None if there is no value.
    pub(super) fn representative(&self) -> Option<i128> {
        let start = self.interval.nearest_to_zero();
        // Each value that is left out can be in the way once on each side.
        let distances = 0..=self.without.len() as i128;
        let candidates = distances.flat_map(|distance| [start.checked_add(distance), start.checked_sub(distance)]);
        candidates.flatten().find(|value| self.contains(*value))
    }
}

/// The rule by which a domain was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Rule {
    /// Nothing reads the value.
    Unread,
    /// The value is compared with constants only.
    Compared,
    /// The type has few values.
    SmallType,
    /// Assumptions leave few values.
    Constrained,
}

impl Domain {
    /// The representatives, in ascending order; at least one. A truth value is 0 or 1, a null pointer 0.
    pub fn representatives(&self) -> &[BigInt] {
        &self.representatives
    }

    /// The rule by which they were found.
    pub fn rule(&self) -> Rule {
        self.rule
    }

    /// The representative that stands for a value; none if every run with that value is cut, or stays what it is with
    /// any other value.
    pub fn representative_of(&self, value: &BigInt) -> Option<&BigInt> {
        let beyond = if value.sign() == num_bigint::Sign::Minus { i128::MIN } else { i128::MAX };
        let value = value.to_i128().unwrap_or(beyond);
        let at = self.classes.iter().position(|class| class.contains(value))?;
        Some(&self.representatives[at])
    }

    /// All values of a type that occur in executions.
    pub(crate) fn possible(&self, range: &Values) -> Values {
        let all = self.classes.iter().map(|class| Values::interval(class.interval)).reduce(|all, one| all.join(&one));
        all.expect("there is one at least").meet(range)
    }

    /// Whether another domain has the same representatives for the same values.
    pub(super) fn is_like(&self, other: &Domain) -> bool {
        self.classes == other.classes
    }

    /// The interval in which they lie.
    pub(super) fn hull(&self) -> Interval {
        self.classes.iter().map(|class| class.interval).reduce(Interval::hull).expect("there is one at least")
    }

    pub(super) fn new(rule: Rule, classes: Vec<Class>) -> Self {
        let with_value = |class: Class| Some((class.representative()?, class));
        let mut listed: Vec<(i128, Class)> = classes.into_iter().filter_map(with_value).collect();
        listed.sort_unstable_by_key(|(representative, _)| *representative);
        let representatives = listed.iter().map(|(representative, _)| BigInt::from(*representative)).collect();
        Self { representatives, classes: listed.into_iter().map(|(_, class)| class).collect(), rule }
    }

    pub(super) fn unread() -> Self {
        Self::new(Rule::Unread, vec![Class { interval: Interval::ALL, without: Vec::new() }])
    }
}

/// The classes of values that are alike.
pub(super) fn classes(range: Interval, need: &Need) -> Vec<Class> {
    let mut classes: Vec<Class> = Vec::new();
    let mut low = range.low();
    let cuts = need.cuts.iter().copied().filter(|cut| range.low() < *cut && *cut <= range.high());
    for (low, high) in cuts.map(|cut| (std::mem::replace(&mut low, cut), cut - 1)).collect::<Vec<_>>() {
        classes.extend(class(low, high, need));
    }
    classes.extend(class(low, range.high(), need));
    classes.extend(need.points.iter().filter(|point| range.contains(**point)).map(|point| Class::single(*point)));
    classes
}

/// The values between two bounds that are no points, if there are any.
fn class(low: i128, high: i128, need: &Need) -> Option<Class> {
    let class =
        Class { interval: Interval::new(low, high)?, without: need.points.range(low..=high).copied().collect() };
    class.representative().is_some().then_some(class)
}
