//! Bits of numbers of any sign, in two's complement without an end.

/// More combinations of bits than this are not told apart.
const MOST_BITS: u32 = 10;

/// For each combination of the bits in a mask, a number from the first to the last one that has it, if there is one; none where
/// there are too many combinations.
pub(super) fn representatives(first: i128, last: i128, mask: i128) -> Option<Vec<i128>> {
    if mask < 0 || mask.count_ones() > MOST_BITS {
        return None;
    }
    let mut found = Vec::new();
    let mut bits = 0;
    loop {
        found.extend(least(first, mask, bits).filter(|number| *number <= last));
        // The next larger combination, by counting in the bits of the mask alone.
        bits = (bits - mask) & mask;
        if bits == 0 {
            return Some(found);
        }
    }
}

/// The least number from the first one on that has these bits in the mask.
fn least(first: i128, mask: i128, bits: i128) -> Option<i128> {
    if first & mask == bits {
        return Some(first);
    }
    // It agrees with the first one above some bit, which it has and the first one has not.
    let larger = (0..100).find_map(|at| {
        let (one, above) = (1_i128 << at, -1_i128 << (at + 1));
        let rises = first & one == 0 && (mask & one == 0 || bits & one != 0);
        let agrees = (first ^ bits) & mask & above == 0;
        (rises && agrees).then_some(first & above | one | bits & (one - 1))
    });
    // What is negative has all bits above some bit; after the last one comes zero.
    larger.or_else(|| least(0, mask, bits).filter(|_| first < 0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_number_with_some_bits_is_found_as_by_counting() {
        for mask in 0..32 {
            for bits in (0..32).filter(|bits| bits & !mask == 0) {
                for first in -70..70 {
                    let expected = (first..first + 64).find(|number| number & mask == bits);
                    assert_eq!(least(first, mask, bits), expected, "{first} {mask} {bits}");
                }
            }
        }
    }

    #[test]
    fn every_combination_of_bits_has_a_representative() {
        for (first, last, mask) in [(0, 65535, 0x8180), (-32768, 32767, 0x8001), (5, 9, 0xff), (-3, 3, 7), (0, 0, 0)] {
            let found = representatives(first, last, mask).unwrap();
            let mut of_all: Vec<i128> = (first..=last).map(|number| number & mask).collect();
            of_all.sort_unstable();
            of_all.dedup();
            let mut of_found: Vec<i128> = found.iter().map(|number| number & mask).collect();
            of_found.sort_unstable();
            assert_eq!(of_found, of_all);
            assert!(found.iter().all(|number| (first..=last).contains(number)));
        }
        assert_eq!(representatives(0, 1 << 32, 0xffff), None);
    }
}
