//! A domain: the data equivalence classes of an input, each with its representative.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::MOST_VALUES;
use super::fields::{FieldBits, FieldRange, all_of, at_least, combinations};
use super::need::Need;
use crate::numbers::{Interval, Values};

/// The values to be tried for an input.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InputDomain {
    representatives: Vec<BigInt>,
    /// The values that each of them stands for. Runs with a value in none of them are blocked at once.
    classes: Vec<Class>,
    rule: FoundBy,
}

/// An equivalence class: the values of an interval but for some of them, of which some bits are as they are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Class {
    interval: Interval,
    /// In ascending order.
    without: Vec<i128>,
    /// What some fields hold.
    fields: Vec<FieldRange>,
    representative: Option<i128>,
}

impl Class {
    pub(super) fn single(value: i128) -> Self {
        Self::between(Interval::single(value), Vec::new())
    }

    fn between(interval: Interval, without: Vec<i128>) -> Self {
        let mut class = Self { interval, without, fields: Vec::new(), representative: None };
        let start = interval.nearest_to_zero();
        // Each value that is left out can be met once on each side.
        let distances = 0..=class.without.len() as i128;
        let mut candidates =
            distances.flat_map(|distance| [start.checked_add(distance), start.checked_sub(distance)]).flatten();
        class.representative = candidates.find(|value| class.contains(*value));
        class
    }

    pub(super) fn contains(&self, value: i128) -> bool {
        let pattern = value as u64;
        self.interval.contains(value)
            && self.without.binary_search(&value).is_err()
            && self.fields.iter().all(|field| field.contains(pattern))
    }

    /// The value that is nearest to zero; of two, the positive one. Where bits matter, one with few of them set. None if
    /// there is no value.
    pub(super) fn representative(&self) -> Option<i128> {
        self.representative
    }
}

/// The rule by which a domain was found.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FoundBy {
    /// Nothing reads the value.
    Unread,
    /// The value is compared with constants only.
    Compared,
    /// The type has few values.
    SmallType,
    /// Assumptions leave few values.
    Constrained,
}

impl InputDomain {
    /// The representatives, in ascending order; at least one. A truth value is 0 or 1, a null pointer 0.
    pub fn representatives(&self) -> &[BigInt] {
        &self.representatives
    }

    /// The rule by which they were found.
    pub fn rule(&self) -> FoundBy {
        self.rule
    }

    /// The representative that stands for a value; none if every run with that value is blocked, or stays what it is with
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
    pub(super) fn is_like(&self, other: &InputDomain) -> bool {
        self.classes == other.classes
    }

    /// The interval in which they lie.
    pub(super) fn hull(&self) -> Interval {
        self.classes.iter().map(|class| class.interval).reduce(Interval::hull).expect("there is one at least")
    }

    pub(super) fn new(rule: FoundBy, classes: Vec<Class>) -> Self {
        let with_value = |class: Class| Some((class.representative()?, class));
        let mut listed: Vec<(i128, Class)> = classes.into_iter().filter_map(with_value).collect();
        listed.sort_unstable_by_key(|(representative, _)| *representative);
        let representatives = listed.iter().map(|(representative, _)| BigInt::from(*representative)).collect();
        Self { representatives, classes: listed.into_iter().map(|(_, class)| class).collect(), rule }
    }

    pub(super) fn unread() -> Self {
        Self::new(FoundBy::Unread, vec![Class::between(Interval::ALL, Vec::new())])
    }
}

/// The equivalence classes of the values of a type, as far as they lie in a range; none if they are too many to be told.
pub(super) fn classes(ty: Interval, range: Interval, need: &Need) -> Option<Vec<Class>> {
    if need.fields.is_empty() {
        return Some(intervals(range, need).into_iter().chain(points(range, need)).collect());
    }
    let is_cut = need.cuts.iter().any(|cut| range.low() < *cut && *cut <= range.high());
    if !is_cut && let Some(classes) = by_fields(ty, need) {
        return Some(classes);
    }
    let mask = need.fields.keys().fold(0, |all, mask| all | mask);
    let cells = intervals(range, need);
    if !FieldBits::can_be_exact(mask) || cells.len() << mask.count_ones() > MOST_VALUES {
        return None;
    }
    let with_pattern = |class: &Class, pattern: u64| {
        let fields = vec![FieldRange::exactly(mask, pattern)];
        let mut class = Class { fields, representative: None, ..class.clone() };
        class.representative = smallest(&class, mask, pattern);
        class
    };
    let found = cells.iter().flat_map(|class| all_of(mask).map(move |pattern| with_pattern(class, pattern)));
    let found = found.filter(|class| class.representative.is_some());
    Some(found.chain(points(range, need)).collect())
}

/// The values between two cuts that are no points.
fn intervals(range: Interval, need: &Need) -> Vec<Class> {
    let cuts = need.cuts.iter().copied().filter(|cut| range.low() < *cut && *cut <= range.high());
    let mut classes = Vec::new();
    let mut low = range.low();
    for next in cuts.map(Some).chain([None]) {
        let high = next.map_or(range.high(), |cut| cut - 1);
        if let Some(interval) = Interval::new(low, high) {
            let without = need.points.range(low..=high).copied().collect();
            classes.push(Class::between(interval, without));
        }
        low = next.unwrap_or(high);
    }
    classes.retain(|class| class.representative.is_some());
    classes
}

fn points(range: Interval, need: &Need) -> impl Iterator<Item = Class> {
    need.points.iter().filter(move |point| range.contains(**point)).map(|point| Class::single(*point))
}

/// The combinations of what fields hold; a point is a number that the field of all bits may be.
fn by_fields(ty: Interval, need: &Need) -> Option<Vec<Class>> {
    let modulus = ty.count().filter(|count| count.is_power_of_two() && *count <= 1 << 64)?;
    let everything = (modulus - 1) as u64;
    let mut fields = need.fields.clone();
    if !need.points.is_empty() {
        let points = need.points.iter().filter(|point| ty.contains(**point)).map(|point| *point as u64 & everything);
        fields.entry(everything).or_default().add(&FieldBits { points: points.collect(), ..FieldBits::default() });
    }
    let class = |fields: Vec<FieldRange>| {
        let mut pattern = 0_u64;
        for part in &fields {
            pattern |= part.smallest()?;
        }
        let value = i128::from(pattern);
        let value = if ty.contains(value) { value } else { value - modulus as i128 };
        Some(Class { interval: ty, without: Vec::new(), fields, representative: Some(value) })
    };
    combinations(&fields)?.into_iter().map(class).collect()
}

/// The smallest value of a class whose bits in a mask are those of a pattern.
fn smallest(class: &Class, mask: u64, pattern: u64) -> Option<i128> {
    // Numbers of 64 bits with and without a sign: what is above those bits is 0, or -1.
    for above in [0, -1_i128 << 64] {
        let low = class.interval.low().max(above) - above;
        let high = class.interval.high().min(above + i128::from(u64::MAX)) - above;
        let mut next = u64::try_from(low).ok();
        while let Some(from) = next
            && let Some(found) = at_least(from, mask, pattern)
            && i128::from(found) <= high
        {
            let value = above + i128::from(found);
            if class.contains(value) {
                return Some(value);
            }
            next = found.checked_add(1);
        }
    }
    None
}
