//! Chance that repeats itself: the random numbers of all tests here.

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
pub struct Random(pub u64);

impl Random {
    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    /// A number that is no farther from zero than so much.
    pub fn number(&mut self, spread: usize) -> i64 {
        self.below(2 * spread + 1) as i64 - spread as i64
    }

    pub fn pick<'t>(&mut self, texts: &[&'t str]) -> &'t str {
        texts[self.below(texts.len())]
    }
}
