//! Equivalence classes of values by some of their bits.
//!
//! A *field* is what a mask selects of a value. A program may tell apart whether a field is a certain number (its
//! points), whether it is less than one (its cuts), or any two values of it. Fields that have no bit in common are
//! independent of each other, so that the classes of a value are the combinations of classes of its fields. Where fields
//! overlap, they are split into smaller ones: a field is a number if all its parts are as in that number; where the order or
//! the exact value matters, all values of the parts are told apart.

use std::collections::{BTreeMap, BTreeSet};

use super::MOST_VALUES;

/// Fields of more bits than this are not gone through value by value.
const MOST_BITS: u32 = 10;

/// What is told apart of a field. All numbers have bits in its mask only.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct FieldBits {
    /// What is smaller is told from what is not.
    pub cuts: BTreeSet<u64>,
    /// These are told from all others.
    pub points: BTreeSet<u64>,
    /// All values are told apart.
    pub exact: bool,
}

/// Fields by their masks.
pub(super) type ByMask = BTreeMap<u64, FieldBits>;

/// Values of a field: those between two bounds, both included, but for some.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct FieldRange {
    mask: u64,
    low: u64,
    high: u64,
    without: Vec<u64>,
}

impl FieldBits {
    /// Adds what another one tells apart.
    pub fn add(&mut self, other: &FieldBits) {
        self.exact |= other.exact;
        if self.exact {
            self.cuts.clear();
            self.points.clear();
        } else {
            self.cuts.extend(&other.cuts);
            self.points.extend(&other.points);
        }
    }

    /// How much is told apart, to see whether there was something new.
    pub fn size(&self) -> (usize, usize, bool) {
        (self.cuts.len(), self.points.len(), self.exact)
    }

    /// Whether all values of a field of these bits can be told apart.
    pub fn can_be_exact(mask: u64) -> bool {
        mask.count_ones() <= MOST_BITS
    }
}

impl FieldRange {
    /// One value of a field.
    pub fn exactly(mask: u64, value: u64) -> Self {
        Self { mask, low: value, high: value, without: Vec::new() }
    }

    /// Whether the field of a value is one of these.
    pub fn contains(&self, pattern: u64) -> bool {
        let field = pattern & self.mask;
        self.low <= field && field <= self.high && !self.without.contains(&field)
    }

    /// The smallest value of the field, if there is one.
    pub fn smallest(&self) -> Option<u64> {
        let mut next = self.low;
        loop {
            let value = at_least(next, !self.mask, 0).filter(|value| *value <= self.high)?;
            if !self.without.contains(&value) {
                return Some(value);
            }
            next = value.checked_add(1)?;
        }
    }
}

/// The smallest number not below another whose bits in a mask are those of a pattern.
pub(super) fn at_least(from: u64, mask: u64, pattern: u64) -> Option<u64> {
    let differ = (from & mask) ^ pattern;
    if differ == 0 {
        return Some(from);
    }
    let highest = 63 - differ.leading_zeros();
    let below = |bit: u32| (1_u64 << bit) - 1;
    if pattern >> highest & 1 == 1 {
        let above = from & !(below(highest) | 1 << highest);
        return Some(above | pattern & (below(highest) | 1 << highest));
    }
    // A bit above that is free and not set has to be: the lowest such one.
    let free = !mask & !from & !(below(highest) | 1 << highest);
    if free == 0 {
        return None;
    }
    let raised = free.trailing_zeros();
    let above = from & !(below(raised) | 1 << raised);
    Some(above | 1 << raised | pattern & below(raised))
}

/// All numbers with bits in a mask only.
pub(super) fn all_of(mask: u64) -> impl Iterator<Item = u64> {
    let mut next = Some(0_u64);
    std::iter::from_fn(move || {
        let value = next?;
        next = value.checked_add(1).and_then(|next| at_least(next, !mask, 0));
        Some(value)
    })
}

/// The combinations of classes of fields: each is a list of parts. None if there are too many.
pub(super) fn combinations(fields: &ByMask) -> Option<Vec<Vec<FieldRange>>> {
    let mut all: Vec<Vec<FieldRange>> = vec![Vec::new()];
    for (mask, field) in apart(fields) {
        let parts = parts(mask, &field)?;
        if all.len() * parts.len() > MOST_VALUES {
            return None;
        }
        let with =
            |list: &Vec<FieldRange>, part: &FieldRange| list.iter().chain([part]).cloned().collect::<Vec<FieldRange>>();
        all = all.iter().flat_map(|list| parts.iter().map(move |part| with(list, part))).collect();
    }
    Some(all)
}

/// Fields of which no two overlap, and which tell apart all that the given ones do.
fn apart(fields: &ByMask) -> ByMask {
    let mut masks: Vec<u64> = Vec::new();
    for &mask in fields.keys() {
        let mut rest = mask;
        for known in std::mem::take(&mut masks) {
            masks.extend([known & mask, known & !mask].into_iter().filter(|mask| *mask != 0));
            rest &= !known;
        }
        masks.extend(Some(rest).filter(|rest| *rest != 0));
    }
    let mut found = ByMask::new();
    for (&mask, field) in fields {
        let cells: Vec<u64> = masks.iter().copied().filter(|cell| cell & mask != 0).collect();
        for &cell in &cells {
            let whole = cells.len() == 1;
            let exact = field.exact || !whole && !field.cuts.is_empty();
            let cuts = if whole { field.cuts.clone() } else { BTreeSet::new() };
            let points = field.points.iter().map(|point| point & cell).collect();
            let part =
                if exact { FieldBits { exact, ..FieldBits::default() } } else { FieldBits { cuts, points, exact } };
            found.entry(cell).or_default().add(&part);
        }
    }
    found
}

/// The classes of a field.
fn parts(mask: u64, field: &FieldBits) -> Option<Vec<FieldRange>> {
    if field.exact {
        return FieldBits::can_be_exact(mask)
            .then(|| all_of(mask).map(|value| FieldRange::exactly(mask, value)).collect());
    }
    if field.cuts.len() + field.points.len() > MOST_VALUES {
        return None;
    }
    let mut parts = Vec::new();
    let mut low = 0;
    let bounds = field.cuts.iter().map(|cut| Some(*cut)).chain([None]);
    for cut in bounds {
        let high = match cut {
            Some(0) => continue,
            Some(cut) => cut - 1,
            None => mask,
        };
        if low <= high {
            let without = field.points.range(low..=high).copied().collect();
            let part = FieldRange { mask, low, high, without };
            parts.extend(Some(part).filter(|part| part.smallest().is_some()));
        }
        low = cut.unwrap_or(u64::MAX);
    }
    parts.extend(field.points.iter().map(|point| FieldRange::exactly(mask, *point)));
    Some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_number_with_a_pattern_is_found() {
        for mask in 0..64_u64 {
            for pattern in all_of(mask) {
                for from in 0..80 {
                    let expected = (from..200).find(|number| number & mask == pattern);
                    assert_eq!(at_least(from, mask, pattern), expected, "{from} {mask:#x} {pattern:#x}");
                }
            }
        }
        assert_eq!(at_least(u64::MAX, 1, 0), None);
        assert_eq!(at_least(u64::MAX - 1, 1, 1), Some(u64::MAX));
    }

    /// Values in one combination are told apart by no field, and each value is in exactly one.
    #[test]
    fn combinations_tell_apart_what_fields_do() {
        let field = |cuts: &[u64], points: &[u64], exact| FieldBits {
            cuts: cuts.iter().copied().collect(),
            points: points.iter().copied().collect(),
            exact,
        };
        let examples: Vec<Vec<(u64, FieldBits)>> = vec![
            vec![(0x80, field(&[], &[0], false))],
            vec![(0x80, field(&[], &[0], false)), (0x08, field(&[], &[8], false))],
            vec![(0xf0, field(&[], &[0], false)), (0x30, field(&[], &[0x10], false))],
            vec![(0x3c, field(&[0x0c, 0x20], &[0x14], false)), (0x81, field(&[], &[0x80], false))],
            vec![(0x3c, field(&[0x0c], &[], false)), (0x06, field(&[], &[2], false))],
            vec![(0x07, field(&[], &[], true)), (0xff, field(&[], &[0, 9], false))],
        ];
        for example in examples {
            let fields: ByMask = example.into_iter().collect();
            let combinations = combinations(&fields).expect("few");
            let seen = |value: u64| -> Vec<(usize, Option<u64>)> {
                fields
                    .iter()
                    .map(|(mask, field)| {
                        let number = value & mask;
                        let below = field.cuts.iter().filter(|cut| **cut <= number).count();
                        (below, Some(number).filter(|number| field.exact || field.points.contains(number)))
                    })
                    .collect()
            };
            let mut by_class: BTreeMap<usize, Vec<(usize, Option<u64>)>> = BTreeMap::new();
            for value in 0..256 {
                let inside = |parts: &Vec<FieldRange>| parts.iter().all(|part| part.contains(value));
                let found: Vec<usize> = (0..combinations.len()).filter(|at| inside(&combinations[*at])).collect();
                let [class] = found[..] else { panic!("{value:#x} is in {found:?} of {fields:?}") };
                let expected = by_class.entry(class).or_insert_with(|| seen(value));
                assert_eq!(*expected, seen(value), "{value:#x} of {fields:?}");
            }
            assert_eq!(by_class.len(), combinations.len(), "none is empty: {fields:?}");
        }
    }
}
