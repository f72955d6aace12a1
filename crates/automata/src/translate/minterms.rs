//! Sets of letters that are quick to compare.
//!
//! Letters for which some guards all agree form a *minterm*. If there are at most 64 minterms, a guard is a machine
//! word. Otherwise guards are compared as they are.

use crate::buchi::Guard;
use foundation::collections::HashMap;

/// A set of letters, as simulations compare them.
pub(super) trait LetterSet: Clone {
    /// Takes out the letters of another set.
    fn remove_all(&mut self, other: &Self);
    /// Puts in the letters of another set.
    fn insert_all(&mut self, other: &Self);
    /// Whether there is no letter.
    fn is_empty(&self) -> bool;
}

impl LetterSet for Guard {
    fn remove_all(&mut self, other: &Self) {
        *self = self.and_not(other);
    }

    fn insert_all(&mut self, other: &Self) {
        *self = self.or(other);
    }

    fn is_empty(&self) -> bool {
        self.is_false()
    }
}

/// A set of minterms, one bit for each.
impl LetterSet for u64 {
    fn remove_all(&mut self, other: &Self) {
        *self &= !other;
    }

    fn insert_all(&mut self, other: &Self) {
        *self |= other;
    }

    fn is_empty(&self) -> bool {
        *self == 0
    }
}

/// The minterms of an alphabet under some guards.
pub(super) struct MintermSets {
    /// One guard for each minterm; they are disjoint, and together they are true.
    pub(super) minterms: Vec<Guard>,
    sets: HashMap<Guard, u64>,
}

impl MintermSets {
    /// The minterms of these guards, or nothing if there are more than 64.
    pub(super) fn of<'a>(guards: impl Iterator<Item = &'a Guard>) -> Option<MintermSets> {
        let mut sets: HashMap<Guard, u64> = HashMap::default();
        let mut minterms = vec![Guard::constant(true)];
        for guard in guards {
            if sets.insert(guard.clone(), 0).is_some() {
                continue;
            }
            let mut split = Vec::with_capacity(minterms.len());
            for minterm in &minterms {
                let parts = [minterm.and(guard), minterm.and_not(guard)];
                split.extend(parts.into_iter().filter(|part| !part.is_false()));
            }
            minterms = split;
            if minterms.len() > u64::BITS as usize {
                return None;
            }
        }
        for (guard, set) in &mut sets {
            for (number, minterm) in minterms.iter().enumerate() {
                *set |= u64::from(minterm.implies(guard)) << number;
            }
        }
        Some(MintermSets { minterms, sets })
    }

    /// The minterms that make up one of the guards.
    pub(super) fn set(&self, guard: &Guard) -> u64 {
        self.sets[guard]
    }

    /// The guard of a set of minterms.
    pub(super) fn guard(&self, set: u64) -> Guard {
        let chosen = self.minterms.iter().enumerate().filter(|&(number, _)| set >> number & 1 == 1);
        chosen.fold(Guard::constant(false), |all, (_, minterm)| all.or(minterm))
    }
}
