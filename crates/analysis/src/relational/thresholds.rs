//! Where widening stops on its way to infinity (Blanchet et al., PLDI 2003): at the constants of the
//! transition system and their neighbours, and at the bounds of machine types.

use std::collections::BTreeSet;

/// Numbers in ascending order.
#[derive(Clone, Debug, Default)]
pub struct Thresholds {
    values: Vec<i128>,
}

impl Thresholds {
    /// No threshold: bounds that do not hold are given up at once.
    pub fn none() -> Self {
        Self::default()
    }

    /// Thresholds at and around some constants.
    pub fn around(constants: impl IntoIterator<Item = i128>) -> Self {
        let mut values = BTreeSet::from([-1, 0, 1]);
        for bits in [7, 8, 15, 16, 31, 32, 63, 64] {
            values.extend([-(1i128 << bits), (1 << bits) - 1]);
        }
        for constant in constants {
            for value in [constant, -constant] {
                values.extend([value - 1, value, value + 1]);
            }
        }
        Self { values: values.into_iter().collect() }
    }

    /// The least threshold that is not smaller than a number.
    pub fn above(&self, value: i128) -> Option<i128> {
        self.values.get(self.values.partition_point(|threshold| *threshold < value)).copied()
    }

    /// The greatest threshold that is not larger than a number.
    pub fn below(&self, value: i128) -> Option<i128> {
        let count = self.values.partition_point(|threshold| *threshold <= value);
        count.checked_sub(1).map(|at| self.values[at])
    }
}
