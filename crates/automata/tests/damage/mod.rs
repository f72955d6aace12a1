//! Texts that were damaged at random, by edits of a few bytes: the same ones for the same seed.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

/// A change at two places of a text.
type Edit = (u8, prop::sample::Index, prop::sample::Index, u8);

/// How texts are damaged.
pub struct Damage<'t> {
    /// The texts that are damaged.
    pub texts: &'t [&'t str],
    /// The characters that are put in.
    pub signs: &'t [u8],
    /// There are fewer edits than this.
    pub edits: usize,
    /// Every choice depends on it.
    pub seed: u8,
}

impl Damage<'_> {
    /// Shows damaged texts for so long.
    pub fn for_each(&self, time: Duration, mut show: impl FnMut(&[u8])) {
        let rng = TestRng::from_seed(RngAlgorithm::XorShift, &[self.seed; 16]);
        let mut runner = TestRunner::new_with_rng(Config::default(), rng);
        let edit = (0u8..5, any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>());
        let edits = prop::collection::vec(edit, 0..self.edits);
        let strategy = (0..self.texts.len(), 0..self.texts.len(), edits);
        let start = Instant::now();
        while start.elapsed() < time {
            let (text, other, edits) = strategy.new_tree(&mut runner).expect("the strategy rejects nothing").current();
            let mut bytes = self.texts[text].as_bytes().to_vec();
            for edit in edits {
                if bytes.is_empty() {
                    break;
                }
                self.apply(edit, &mut bytes, self.texts[other].as_bytes());
            }
            show(&bytes);
        }
    }

    /// Changes a text that is not empty: a byte is replaced or put in, a part is deleted or repeated, or the beginning of
    /// another text is put in.
    fn apply(&self, (kind, from, to, byte): Edit, bytes: &mut Vec<u8>, other: &[u8]) {
        let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
        let part = from.min(to)..from.max(to);
        match kind {
            0 => bytes[from] = byte,
            1 => bytes.insert(from, self.signs[usize::from(byte) % self.signs.len()]),
            2 => drop(bytes.drain(part)),
            3 => {
                let copy = bytes[part].to_vec();
                bytes.splice(from..from, copy);
            }
            _ => drop(bytes.splice(from..from, other[..other.len().min(usize::from(byte))].iter().copied())),
        }
    }
}
