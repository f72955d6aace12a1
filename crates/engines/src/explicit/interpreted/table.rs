//! Byte strings by their numbers, each kept once: the encoded configurations.
//!
//! Strings are compared byte for byte. They lie one after the other in pieces that never move; a string costs its own
//! bytes, eight for its place and, on average, about twelve in the hash table.

use std::hash::Hasher;

/// A numbered set of byte strings.
#[derive(Debug, Default)]
pub(super) struct Table {
    pieces: Vec<Vec<u8>>,
    /// Where each string begins: its piece in the upper half, the place in the piece in the lower one.
    places: Vec<(u32, u32)>,
    /// The length is a power of two. Linear probing.
    slots: Vec<TableSlot>,
}

#[derive(Clone, Copy, Debug, Default)]
struct TableSlot {
    /// The number of the string plus one; zero where there is none.
    entry: u32,
    /// The upper half of the string's hash, which tells most other strings apart.
    hash: u32,
}

/// Larger strings get a piece of their own.
const PIECE_BYTES: usize = 1 << 20;

/// More strings than this have no number.
const MOST_STRINGS: usize = u32::MAX as usize - 1;

impl Table {
    /// How many strings there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// The bytes that all of this takes.
    pub fn bytes(&self) -> usize {
        self.pieces.iter().map(Vec::capacity).sum::<usize>()
            + self.places.capacity() * size_of::<(u32, u32)>()
            + self.slots.capacity() * size_of::<TableSlot>()
    }

    /// How many bytes more the table will take at once where it is about to grow: three quarters of its slots are full
    /// before long.
    pub fn growth(&self) -> u64 {
        let is_near = (self.places.len() + self.slots.len() / 8) * 4 > self.slots.len() * 3;
        if is_near { (self.slots.len() * 2 * size_of::<TableSlot>()) as u64 } else { 0 }
    }

    /// The string with this number.
    pub fn get(&self, number: u32) -> &[u8] {
        let (piece, start) = self.places[number as usize];
        let piece_end = self.pieces[piece as usize].len();
        let end = match self.places.get(number as usize + 1) {
            Some(&(next, end)) if next == piece => end as usize,
            _ => piece_end,
        };
        &self.pieces[piece as usize][start as usize..end]
    }

    /// The number of a string, which is added unless it is there; none where there is no number left.
    pub fn insert(&mut self, string: &[u8]) -> Option<u32> {
        if (self.places.len() + 1) * 4 > self.slots.len() * 3 {
            self.grow();
        }
        let hash = hash(string);
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            let slot = self.slots[at];
            if slot.entry == 0 {
                break;
            }
            if slot.hash == (hash >> 32) as u32 && self.get(slot.entry - 1) == string {
                return Some(slot.entry - 1);
            }
            at = (at + 1) & mask;
        }
        if self.places.len() == MOST_STRINGS {
            return None;
        }
        let number = self.places.len() as u32;
        self.slots[at] = TableSlot { entry: number + 1, hash: (hash >> 32) as u32 };
        self.push(string);
        Some(number)
    }

    fn push(&mut self, string: &[u8]) {
        let has_room = self.pieces.last().is_some_and(|piece| piece.len() + string.len() <= piece.capacity());
        if !has_room {
            self.pieces.push(Vec::with_capacity(PIECE_BYTES.max(string.len())));
        }
        let number = self.pieces.len() - 1;
        let piece = &mut self.pieces[number];
        self.places.push((number as u32, piece.len() as u32));
        piece.extend_from_slice(string);
    }

    fn grow(&mut self) {
        let length = (self.slots.len() * 2).max(1 << 8);
        let mut slots = vec![TableSlot::default(); length];
        for number in 0..self.places.len() as u32 {
            let hash = hash(self.get(number));
            let mut at = hash as usize & (length - 1);
            while slots[at].entry != 0 {
                at = (at + 1) & (length - 1);
            }
            slots[at] = TableSlot { entry: number + 1, hash: (hash >> 32) as u32 };
        }
        self.slots = slots;
    }
}

fn hash(string: &[u8]) -> u64 {
    let mut hasher = std::hash::DefaultHasher::new();
    hasher.write(string);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use foundation::collections::HashMap;

    #[test]
    fn it_is_a_numbered_set_of_strings() {
        let mut table = Table::default();
        let mut model: HashMap<Vec<u8>, u32> = HashMap::default();
        let mut random: u64 = 1;
        for round in 0..40_000_u32 {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let length = if round % 10_000 == 0 { PIECE_BYTES + 3 } else { (random >> 60) as usize };
            let string = vec![(random >> 40) as u8 & 31; length];
            let number = model.len() as u32;
            let expected = *model.entry(string.clone()).or_insert(number);
            assert_eq!(table.insert(&string), Some(expected));
            assert_eq!(table.get(expected), string);
        }
        assert_eq!(table.len(), model.len());
        for (string, number) in model {
            assert_eq!(table.get(number), string);
        }
    }
}
