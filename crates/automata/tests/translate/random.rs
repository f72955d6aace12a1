//! A seeded generator of formulas and lasso words, so that a failure is found again.

use foundation::SplitMix64;
use semper_automata::ltl::{Atom, AtomId, Binary, Formula, Formulas, Letter, Unary};

/// A source of what is random.
pub struct Random(SplitMix64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(SplitMix64::new(seed))
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.0.bits() % bound as u64) as usize
    }

    /// A formula with this many nodes over the first atoms of the alphabet.
    pub fn formula(&mut self, formulas: &mut Formulas, size: usize, atoms: usize) -> Formula {
        const NAMES: [&str; 5] = ["a", "b", "c", "d", "e"];
        if size <= 1 {
            return match self.below(12) {
                0 => formulas.truth(true),
                1 => formulas.truth(false),
                _ => formulas.atom(Atom::named(NAMES[self.below(atoms)])),
            };
        }
        if size == 2 || self.below(5) < 2 {
            let operator = Unary::ALL[self.below(4)];
            let operand = self.formula(formulas, size - 1, atoms);
            return formulas.unary(operator, operand);
        }
        let operator = Binary::ALL[self.below(9)];
        let left_size = 1 + self.below(size - 2);
        let left = self.formula(formulas, left_size, atoms);
        let right = self.formula(formulas, size - 1 - left_size, atoms);
        formulas.binary(operator, left, right)
    }

    /// A lasso word over these atoms.
    pub fn lasso(&mut self, atoms: &[AtomId]) -> (Vec<Letter>, Vec<Letter>) {
        let word = |random: &mut Self, length: usize| -> Vec<Letter> {
            (0..length).map(|_| atoms.iter().copied().filter(|_| random.below(2) == 0).collect()).collect()
        };
        let (stem, repeated) = (self.below(5), 1 + self.below(5));
        (word(self, stem), word(self, repeated))
    }
}

/// How many times as much as usual is to be tried: set `SEMPER_EFFORT` for a long run.
pub fn effort() -> usize {
    std::env::var("SEMPER_EFFORT").ok().and_then(|text| text.parse().ok()).unwrap_or(1)
}
