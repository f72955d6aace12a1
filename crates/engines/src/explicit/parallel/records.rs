//! The records of the states that all workers share: one word for the union-find and the words of the state.
//!
//! Records are numbered, and 0 is no number. They lie in pieces that are made at need and never moved, so that a record can be read
//! while others are added. All words are atomic: that costs nothing where they are read, and makes sharing them safe
//! without further means. Who may write a record, and when another worker may read it, is for the [shared
//! store](super::shared_store) and the [union-find](super::union_find) to see to.

use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// How many bits the number of a state has.
pub const NUMBER_BITS: u32 = 31;

/// How many numbers a worker takes at a time. Workers that took each number from one counter would wait for each other.
pub const BLOCK_NUMBERS: u32 = 64;

/// The first piece holds this many records, as a power of two; pieces grow up to the size of the last.
const FIRST_PIECE_BITS: u32 = 12;
const LAST_PIECE_BITS: u32 = 18;

/// How many pieces there are before those of the last size.
const GROWING_PIECES: u32 = LAST_PIECE_BITS - FIRST_PIECE_BITS + 1;

/// The records.
pub struct Records {
    /// The words of a record: those of a state and one more.
    stride: usize,
    pieces: Box<[OnceLock<Box<[AtomicU64]>>]>,
    /// The numbers from this one on are free.
    free: AtomicU32,
}

impl Records {
    /// No records, for states that take this many words.
    pub fn new(words: usize) -> Self {
        let pieces = GROWING_PIECES - 1 + (1 << (NUMBER_BITS - LAST_PIECE_BITS));
        Self {
            stride: words + 1,
            pieces: (0..pieces).map(|_| OnceLock::new()).collect(),
            // The number 0 stands for nothing, so the first block is not used.
            free: AtomicU32::new(BLOCK_NUMBERS),
        }
    }

    /// Takes numbers that nobody else will get; none where there are no more.
    pub fn reserve(&self) -> Option<Range<u32>> {
        let start = self.free.fetch_add(BLOCK_NUMBERS, Ordering::Relaxed);
        if start >= 1 << NUMBER_BITS {
            return None;
        }
        let (piece, _) = place(start);
        self.pieces[piece].get_or_init(|| {
            let words = self.stride << piece_bits(piece);
            (0..words).map(|_| AtomicU64::new(0)).collect()
        });
        Some(start..start + BLOCK_NUMBERS)
    }

    /// The numbers that were taken so far.
    pub fn reserved(&self) -> Range<u32> {
        BLOCK_NUMBERS..self.free.load(Ordering::Relaxed).min(1 << NUMBER_BITS)
    }

    /// The bytes that the records take, with those that are not in use yet.
    pub fn bytes(&self) -> usize {
        self.pieces.iter().filter_map(OnceLock::get).map(|piece| piece.len() * size_of::<u64>()).sum()
    }

    /// The word of the union-find. It is zero in a record that is not in use.
    #[inline]
    pub fn cell(&self, number: u32) -> &AtomicU64 {
        &self.record(number)[0]
    }

    /// Copies the state of a record.
    #[inline]
    pub fn read(&self, number: u32, state: &mut [u64]) {
        for (word, shared) in state.iter_mut().zip(&self.record(number)[1..]) {
            *word = shared.load(Ordering::Relaxed);
        }
    }

    /// Writes the state of a record that no other worker knows of.
    #[inline]
    pub fn write(&self, number: u32, state: &[u64]) {
        for (word, shared) in state.iter().zip(&self.record(number)[1..]) {
            shared.store(*word, Ordering::Relaxed);
        }
    }

    /// Whether a record holds this state.
    #[inline]
    pub fn holds(&self, number: u32, state: &[u64]) -> bool {
        state.iter().zip(&self.record(number)[1..]).all(|(word, shared)| shared.load(Ordering::Relaxed) == *word)
    }

    #[inline]
    fn record(&self, number: u32) -> &[AtomicU64] {
        let (piece, place) = place(number);
        let piece = self.pieces[piece].get().expect("the number was reserved");
        &piece[place * self.stride..(place + 1) * self.stride]
    }
}

/// The piece of a number, and its place there.
#[inline]
fn place(number: u32) -> (usize, usize) {
    if number >> LAST_PIECE_BITS != 0 {
        let piece = (number >> LAST_PIECE_BITS) + GROWING_PIECES - 1;
        return (piece as usize, number as usize & ((1 << LAST_PIECE_BITS) - 1));
    }
    let piece = u32::BITS - (number >> FIRST_PIECE_BITS).leading_zeros();
    let start = if piece == 0 { 0 } else { 1 << (FIRST_PIECE_BITS + piece - 1) };
    (piece as usize, (number - start) as usize)
}

/// How many records a piece holds, as a power of two.
fn piece_bits(piece: usize) -> u32 {
    (FIRST_PIECE_BITS + (piece as u32).saturating_sub(1)).min(LAST_PIECE_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_has_its_own_place_in_a_piece_that_is_large_enough() {
        let mut expected = (0, 0);
        for number in 0..1 << (LAST_PIECE_BITS + 2) {
            assert_eq!(place(number), expected, "number {number}");
            expected.1 += 1;
            if expected.1 == 1 << piece_bits(expected.0) {
                expected = (expected.0 + 1, 0);
            }
        }
        let (last, _) = place((1 << NUMBER_BITS) - 1);
        assert_eq!(last + 1, Records::new(1).pieces.len());
    }
}
