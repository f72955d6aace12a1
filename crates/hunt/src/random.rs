//! Random choices. The same seed yields the same sequence on every machine and in every version of this crate, which is
//! all that a reproducible hunt needs.

use foundation::SplitMix64;

/// A reproducible sequence of random choices.
#[derive(Clone, Debug)]
pub struct Random(SplitMix64);

impl Random {
    /// The sequence that belongs to `seed`.
    pub fn new(seed: u64) -> Random {
        Random(SplitMix64::new(seed))
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0.bits()
    }

    /// A number below `bound`, which must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        assert!(bound > 0, "there is no number below zero");
        ((u128::from(self.bits()) * bound as u128) >> 64) as usize
    }

    /// A number between `low` and `high`, both included.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True in `percent` of one hundred cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// One element of a slice that is not empty.
    pub fn pick<'a, T>(&mut self, choices: &'a [T]) -> &'a T {
        &choices[self.below(choices.len())]
    }

    /// One of the choices, each as likely as its weight says; the sum of the weights must not be zero.
    pub fn weighted<T: Copy>(&mut self, choices: &[(u32, T)]) -> T {
        let total: u32 = choices.iter().map(|(weight, _)| weight).sum();
        let mut rest = self.below(total as usize) as u32;
        for (weight, choice) in choices {
            if rest < *weight {
                return *choice;
            }
            rest -= weight;
        }
        unreachable!("the rest is smaller than the sum of all weights")
    }
}

#[cfg(test)]
mod tests {
    use super::Random;

    #[test]
    fn every_choice_stays_inside_its_bounds_and_is_reached() {
        let mut random = Random::new(7);
        for bound in 1..20 {
            let mut seen = vec![false; bound];
            for _ in 0..bound * 60 {
                seen[random.below(bound)] = true;
            }
            assert!(seen.iter().all(|reached| *reached), "some number below {bound} was never drawn");
        }
        assert!((0..1000).all(|_| (-3..=4).contains(&random.between(-3, 4))));
        assert!((0..1000).all(|_| random.weighted(&[(1, 'a'), (0, 'b'), (2, 'c')]) != 'b'));
    }
}
