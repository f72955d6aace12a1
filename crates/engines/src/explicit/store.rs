//! The states that were found: packed in an arena, and looked up through a hash table of their numbers.
//!
//! States are compared word for word, so that no two are ever taken for one: a table that loses states can prove
//! nothing. The arena grows by whole pieces, which are never moved. A table entry takes four bytes: the state's number,
//! and in the bits that numbers do not need yet some bits of its hash, so that hardly ever a state is compared with
//! another one. The table grows when it is four fifths full; the old one is given back before the new one is
//! made, because the arena holds all that is needed.

/// A set of states of equal length, numbered in the order in which they came.
#[derive(Clone, Debug)]
pub struct Store {
    words: usize,
    pieces: Vec<Box<[u64]>>,
    len: u32,
    /// A tag above the state's number plus one, or zero where there is no state.
    table: Vec<u32>,
    /// How many bits of an entry are the number.
    number_bits: u32,
}

/// How many states a piece of the arena holds, as a power of two.
const PIECE_BITS: u32 = 12;

/// More states than this are not stored.
pub const MOST_STATES: u32 = u32::MAX - 1;

/// What became of a state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Inserted {
    /// It is new and has this number.
    New(u32),
    /// It has had this number before.
    Known(u32),
    /// There is no number left for it.
    Full,
}

/// A lookup that was begun: where it goes on, and with which tag.
#[derive(Clone, Copy, Debug)]
pub struct Lookup {
    slot: u32,
    tag: u32,
    /// What is in the slot.
    entry: u32,
}

impl Store {
    /// No states, each of which will take this many words.
    pub fn new(words: usize) -> Self {
        let mut store = Self { words, pieces: Vec::new(), len: 0, table: Vec::new(), number_bits: 0 };
        store.rebuild(1 << 10);
        store
    }

    /// How many states there are.
    pub fn len(&self) -> u32 {
        self.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The bytes that the states and the table take.
    pub fn bytes(&self) -> usize {
        self.pieces.len() * (self.words << PIECE_BITS) * 8 + self.table.len() * 4
    }

    /// How many bytes more the table will take at once where it is about to grow: it is full in an eighth of its slots.
    pub fn growth(&self) -> u64 {
        let slots = self.table.len();
        let is_near = (self.len as usize + slots / 8) * 5 > slots * 4;
        if is_near { (larger(slots) - slots) as u64 * 4 } else { 0 }
    }

    /// The state with this number.
    #[inline]
    pub fn get(&self, number: u32) -> &[u64] {
        let start = (number as usize & ((1 << PIECE_BITS) - 1)) * self.words;
        &self.pieces[(number >> PIECE_BITS) as usize][start..start + self.words]
    }

    /// The number of a state, if it is there.
    pub fn find(&self, state: &[u64]) -> Option<u32> {
        self.walk(self.begin(state), state).ok()
    }

    /// Adds a state unless it is there.
    pub fn insert(&mut self, state: &[u64]) -> Inserted {
        let lookup = self.begin(state);
        self.insert_at(lookup, state)
    }

    /// Begins a lookup. Several that are begun before the first is carried out wait for memory together instead of one
    /// after the other.
    #[inline]
    pub fn begin(&self, state: &[u64]) -> Lookup {
        let hash = hash(state);
        let slot = ((u128::from(hash) * self.table.len() as u128) >> 64) as u32;
        Lookup { slot, tag: self.tag(hash), entry: self.table[slot as usize] }
    }

    /// The state that a lookup is likely to be compared with: its first word. To be read for the same reason.
    #[inline]
    pub fn peek(&self, lookup: Lookup) -> u64 {
        match self.number(lookup.entry) {
            Some(number) => self.get(number)[0],
            None => 0,
        }
    }

    /// Carries out a lookup that was begun since the last state was added, or before: adds the state unless it is there.
    pub fn insert_at(&mut self, lookup: Lookup, state: &[u64]) -> Inserted {
        debug_assert_eq!(state.len(), self.words, "all states have the same length");
        let slot = match self.walk(lookup, state) {
            Ok(known) => return Inserted::Known(known),
            Err(slot) => slot,
        };
        if self.len == MOST_STATES {
            return Inserted::Full;
        }
        let number = self.len;
        self.table[slot] = lookup.tag | (number + 1);
        self.push(state);
        Inserted::New(number)
    }

    /// Makes room for so many more states. Lookups that were begun before are void.
    pub fn reserve(&mut self, more: usize) {
        while (self.len as usize + more) * 5 > self.table.len() * 4 {
            self.rebuild(larger(self.table.len()));
        }
    }

    /// The number of a state, or the slot where it belongs.
    #[inline]
    fn walk(&self, lookup: Lookup, state: &[u64]) -> Result<u32, usize> {
        let mut slot = lookup.slot as usize;
        let tags = !self.number_mask();
        loop {
            let entry = self.table[slot];
            let Some(number) = self.number(entry) else { return Err(slot) };
            if entry & tags == lookup.tag && are_equal(self.get(number), state) {
                return Ok(number);
            }
            slot = if slot + 1 == self.table.len() { 0 } else { slot + 1 };
        }
    }

    #[inline]
    fn number(&self, entry: u32) -> Option<u32> {
        (entry & self.number_mask()).checked_sub(1)
    }

    #[inline]
    fn number_mask(&self) -> u32 {
        (u64::from(u32::MAX) >> (32 - self.number_bits)) as u32
    }

    /// The last bits of a hash, which its slot hardly depends on, above the number.
    #[inline]
    fn tag(&self, hash: u64) -> u32 {
        hash as u32 & !self.number_mask()
    }

    fn push(&mut self, state: &[u64]) {
        let place = self.len as usize & ((1 << PIECE_BITS) - 1);
        if place == 0 {
            self.pieces.push(vec![0; self.words << PIECE_BITS].into());
        }
        let piece = self.pieces.last_mut().expect("one was made at need");
        for (to, &word) in piece[place * self.words..].iter_mut().zip(state) {
            *to = word;
        }
        self.len += 1;
        if self.len as usize * 5 > self.table.len() * 4 {
            self.rebuild(larger(self.table.len()));
        }
    }

    fn rebuild(&mut self, slots: usize) {
        self.table = Vec::new();
        self.table = vec![0; slots];
        // There is always room for the number of the last state, plus one.
        self.number_bits = (u64::BITS - (slots as u64).leading_zeros()).min(32);
        for number in 0..self.len {
            let lookup = self.begin(self.get(number));
            let mut slot = lookup.slot as usize;
            while self.table[slot] != 0 {
                slot = if slot + 1 == slots { 0 } else { slot + 1 };
            }
            self.table[slot] = lookup.tag | (number + 1);
        }
    }
}

/// The size of the table that takes the place of a full one. A small one grows faster, because it hardly counts.
fn larger(slots: usize) -> usize {
    const SMALL_SLOTS: usize = 1 << 20;
    if slots < SMALL_SLOTS { slots * 4 } else { slots * 2 }
}

/// Whether two states of the same length are equal. They have a word or two, for which a call would be too much.
#[inline]
fn are_equal(state: &[u64], other: &[u64]) -> bool {
    match (state, other) {
        ([word], [other]) => word == other,
        _ => state == other,
    }
}

/// Appends a state to others. It has a word or two, for which a call would be too much.
#[inline]
pub fn append(states: &mut Vec<u64>, state: &[u64]) {
    match *state {
        [word] => states.push(word),
        [first, second] => states.extend([first, second]),
        _ => states.extend_from_slice(state),
    }
}

/// A hash of a state: each word is mixed in by a multiplication whose two halves are folded together, twice for the
/// last one, because the highest bits choose the slot and the lowest ones are compared.
#[inline]
pub fn hash(state: &[u64]) -> u64 {
    let mixed = state.iter().fold(0x9e37_79b9_7f4a_7c15, |hash, &word| fold(hash ^ word, 0xd6e8_feb8_6659_fd93));
    fold(mixed, 0xa076_1d64_78bd_642f)
}

/// Mixes a word into what was mixed so far. All bits of the result depend on the word, but not yet evenly.
#[inline]
pub fn mix(mixed: u64, word: u64) -> u64 {
    fold(mixed ^ word, 0xd6e8_feb8_6659_fd93).wrapping_add(0x9e37_79b9_7f4a_7c15)
}

#[inline]
fn fold(left: u64, right: u64) -> u64 {
    let product = u128::from(left) * u128::from(right);
    (product as u64) ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use foundation::collections::HashMap;

    #[test]
    fn it_is_a_numbered_set() {
        for words in [1, 2, 3] {
            let mut store = Store::new(words);
            let mut model: HashMap<Vec<u64>, u32> = HashMap::default();
            let mut random: u64 = words as u64;
            for _ in 0..30_000 {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                // Few different states, some of which differ in one bit only.
                let state: Vec<u64> =
                    (0..words).map(|word| (((random >> 33) % 997) << (word * 9)) | (random >> 60)).collect();
                let number = model.len() as u32;
                let expected = match model.get(&state) {
                    Some(&known) => Inserted::Known(known),
                    None => Inserted::New(number),
                };
                assert_eq!(store.insert(&state), expected);
                model.entry(state.clone()).or_insert(number);
                assert_eq!(store.get(model[&state]), state);
                assert_eq!(store.find(&state), Some(model[&state]));
            }
            assert_eq!(store.len() as usize, model.len());
            assert_eq!(store.find(&vec![u64::MAX; words]), None);
        }
    }

    #[test]
    fn lookups_that_are_begun_together_see_each_other() {
        let mut store = Store::new(1);
        store.reserve(3);
        let lookups = [7, 8, 7].map(|state| (store.begin(&[state]), state));
        let inserted = lookups.map(|(lookup, state)| store.insert_at(lookup, &[state]));
        assert_eq!(inserted, [Inserted::New(0), Inserted::New(1), Inserted::Known(0)]);
    }
}
