//! Difference-bound matrices of octagons, tightly closed over the integers.
//!
//! Each variable `x` has two nodes, `2x` for `x` and `2x + 1` for `-x`; an entry `(i, j)` bounds `node j - node i` from
//! above (Miné, "The octagon abstract domain", Higher-Order and Symbolic Computation 19, 2006). Entries `(i, j)` and
//! `(j', i')` say the same, where `i'` is the opposite of `i`. Only those with `j <= i | 1` are stored, so that the place
//! of an entry does not depend on the number of variables. Closure is that of Bagnara, Hill and Zaffanella ("An improved tight
//! closure algorithm for integer octagonal constraints", VMCAI 2008); after one new constraint it is incremental
//! (Chawdhary, Robbins and King, "Incrementally closing octagons", Formal Methods in System Design 54, 2019).

use crate::numbers::Interval;
use crate::numbers::interval::LIMIT;
use crate::relational::form::{least, sum};

/// No bound. Sums of two do not overflow, and are still no bound.
pub const INFINITE: i128 = 1 << 120;

/// Bounds beyond this are given up; the sum of a bound and no bound is never below it.
const GREATEST_BOUND: i128 = 2 * LIMIT;

/// Sums of more summands are not related pairwise.
const MOST_PAIRED_SUMMANDS: usize = 8;

/// Bounds on sums and differences of some variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Matrix {
    count: usize,
    entries: Vec<i128>,
}

/// Nothing satisfies the constraints.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Empty;

/// A summand of a linear form: its coefficient, the variable where it is one of the matrix, and the range of its values.
pub type Summand = (i128, Option<usize>, Interval);

impl Matrix {
    /// So many variables of unknown value.
    pub fn new(count: usize) -> Self {
        let mut matrix = Self { count: 0, entries: Vec::new() };
        for _ in 0..count {
            matrix.push();
        }
        matrix
    }

    /// How many variables there are.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Adds a variable of unknown value.
    pub fn push(&mut self) -> usize {
        let length = place(2 * self.count + 2, 0);
        self.entries.resize(length, INFINITE);
        for node in [2 * self.count, 2 * self.count + 1] {
            self.entries[place(node, node)] = 0;
        }
        self.count += 1;
        self.count - 1
    }

    /// The matrix of some of the variables, in a given order. The matrix must be closed.
    pub fn select(&self, variables: &[usize]) -> Matrix {
        let mut entries = Vec::with_capacity(place(2 * variables.len(), 0));
        for i in 0..2 * variables.len() {
            let from = 2 * variables[i / 2] + i % 2;
            entries.extend((0..=i | 1).map(|j| self.at(from, 2 * variables[j / 2] + j % 2)));
        }
        Matrix { count: variables.len(), entries }
    }

    /// The bound on `node j - node i`.
    pub fn at(&self, i: usize, j: usize) -> i128 {
        self.entries[if j <= i | 1 { place(i, j) } else { place(j ^ 1, i ^ 1) }]
    }

    /// The range of a variable.
    pub fn range(&self, variable: usize) -> Option<Interval> {
        let (below, above) = (self.at(2 * variable, 2 * variable + 1), self.at(2 * variable + 1, 2 * variable));
        let low = if below >= INFINITE { i128::MIN } else { -below.div_euclid(2) };
        let high = if above >= INFINITE { i128::MAX } else { above.div_euclid(2) };
        Interval::new(low, high)
    }

    /// Takes the weaker one of each pair of bounds; whether that changed anything. A weaker bound is passed through
    /// `weaken`, which may make it weaker still, together with whether it bounds a single variable (twice).
    pub fn join(&mut self, other: &Matrix, weaken: impl Fn(i128, bool) -> i128) -> bool {
        let mut is_changed = false;
        for i in 0..2 * self.count {
            let row = place(i, 0)..=place(i, i | 1);
            for (j, (mine, &other)) in self.entries[row.clone()].iter_mut().zip(&other.entries[row]).enumerate() {
                if *mine < other {
                    *mine = weaken(other, j == i ^ 1);
                    is_changed = true;
                }
            }
        }
        is_changed
    }

    /// Takes the stronger one of each pair of bounds. The result is not closed.
    pub fn meet(&mut self, other: &Matrix) {
        for (mine, other) in self.entries.iter_mut().zip(&other.entries) {
            *mine = (*mine).min(*other);
        }
    }

    /// Adds a number to a variable. A closed matrix stays closed.
    pub fn shift(&mut self, variable: usize, by: i128) {
        let (plus, minus) = (2 * variable, 2 * variable + 1);
        for other in (0..2 * self.count).filter(|other| other / 2 != variable) {
            // Bounds from and to the opposite node are the same entries.
            self.put(other, plus, moved(self.at(other, plus), by));
            self.put(plus, other, moved(self.at(plus, other), -by));
        }
        self.put(minus, plus, moved(self.at(minus, plus), 2 * by));
        self.put(plus, minus, moved(self.at(plus, minus), -2 * by));
    }

    /// Restricts a variable to a range. The matrix must be closed, and stays so.
    pub fn restrict(&mut self, variable: usize, range: Interval) -> Result<(), Empty> {
        let (plus, minus) = (2 * variable, 2 * variable + 1);
        if range.high() != i128::MAX {
            self.bound(minus, plus, 2 * range.high())?;
        }
        if range.low() != i128::MIN {
            self.bound(plus, minus, -2 * range.low())?;
        }
        Ok(())
    }

    /// Adds what a constraint `Σ summands + constant <= 0` says of single variables and of pairs, by the ranges of the
    /// others. The matrix must be closed, and stays so.
    pub fn at_most(&mut self, summands: &[Summand], constant: i128) -> Result<(), Empty> {
        let node = |factor: i128, variable: usize| 2 * variable + usize::from(factor < 0);
        for (at, &(factor, variable, _)) in summands.iter().enumerate() {
            let Some(variable) = variable else { continue };
            if let Some(room) = room(summands, constant, |other| if other == at { factor } else { 0 }) {
                let node = node(factor, variable);
                self.bound(node ^ 1, node, double(room.div_euclid(factor.abs())))?;
            }
            if summands.len() > MOST_PAIRED_SUMMANDS {
                continue;
            }
            for (next, &(other, partner, _)) in summands.iter().enumerate().skip(at + 1) {
                let Some(partner) = partner else { continue };
                let both = factor.abs().min(other.abs());
                let taken = |which: usize| match which {
                    which if which == at => both * factor.signum(),
                    which if which == next => both * other.signum(),
                    _ => 0,
                };
                if let Some(room) = room(summands, constant, taken) {
                    self.bound(node(other, partner) ^ 1, node(factor, variable), room.div_euclid(both))?;
                }
            }
        }
        Ok(())
    }

    /// Adds `node j - node i <= bound`. The matrix must be closed, and stays so.
    pub fn bound(&mut self, i: usize, j: usize, bound: i128) -> Result<(), Empty> {
        let bound = if j == i ^ 1 { 2 * bound.div_euclid(2) } else { bound }.max(-GREATEST_BOUND);
        if bound > GREATEST_BOUND || self.at(i, j) <= bound {
            return Ok(());
        }
        if self.at(j, i) + bound < 0 {
            return Err(Empty);
        }
        let size = 2 * self.count;
        let first: Vec<i128> = (0..size).map(|node| self.at(i ^ 1, node)).collect();
        let second: Vec<i128> = (0..size).map(|node| self.at(j, node)).collect();
        // The paths from i, or from the opposite of j, over the new bound once or twice to each node.
        let (around_second, around_first) = (second[j ^ 1] + bound, first[i] + bound);
        let onto = |direct: &[i128], around: i128, other: &[i128]| -> Vec<i128> {
            direct.iter().zip(other).map(|(direct, other)| finite(bound + (*direct).min(around + other))).collect()
        };
        let from_i = onto(&second, around_second, &first);
        let from_opposite = onto(&first, around_first, &second);
        for a in 0..size {
            let (to_i, to_opposite) = (first[a ^ 1], second[a ^ 1]);
            if to_i >= INFINITE && to_opposite >= INFINITE {
                continue;
            }
            for (b, entry) in self.entries[place(a, 0)..=place(a, a | 1)].iter_mut().enumerate() {
                let way = (to_i + from_i[b]).min(to_opposite + from_opposite[b]);
                if way < *entry && way <= GREATEST_BOUND {
                    *entry = way.max(-GREATEST_BOUND);
                }
            }
        }
        self.strengthen()
    }

    /// Makes all that follows from the bounds over the integers explicit.
    pub fn close(&mut self) -> Result<(), Empty> {
        let size = 2 * self.count;
        for variable in 0..self.count {
            let (plus, minus) = (2 * variable, 2 * variable + 1);
            let first: Vec<i128> = (0..size).map(|node| self.at(plus, node)).collect();
            let second: Vec<i128> = (0..size).map(|node| self.at(minus, node)).collect();
            let (over, back) = (first[minus], second[plus]);
            let onto = |direct: &[i128], across: i128, other: &[i128]| -> Vec<i128> {
                direct.iter().zip(other).map(|(direct, other)| finite((*direct).min(across + other))).collect()
            };
            let (from_plus, from_minus) = (onto(&first, over, &second), onto(&second, back, &first));
            for a in 0..size {
                let (to_plus, to_minus) = (second[a ^ 1], first[a ^ 1]);
                if to_plus >= INFINITE && to_minus >= INFINITE {
                    continue;
                }
                for (b, entry) in self.entries[place(a, 0)..=place(a, a | 1)].iter_mut().enumerate() {
                    let way = (to_plus + from_plus[b]).min(to_minus + from_minus[b]);
                    if way < *entry && way <= GREATEST_BOUND {
                        *entry = way.max(-GREATEST_BOUND);
                    }
                }
            }
            // Looked at after every pivot: going round a negative cycle doubles it each time.
            if (0..size).any(|node| self.at(node, node) < 0) {
                return Err(Empty);
            }
        }
        self.strengthen()
    }

    /// Rounds bounds on single variables, and combines them to bounds on pairs.
    fn strengthen(&mut self) -> Result<(), Empty> {
        let size = 2 * self.count;
        let mut single = vec![INFINITE; size];
        for (node, single) in single.iter_mut().enumerate() {
            let entry = &mut self.entries[place(node, node ^ 1)];
            if *entry < INFINITE {
                *entry = 2 * entry.div_euclid(2);
                *single = *entry;
            }
        }
        for node in 0..size {
            if self.at(node, node) < 0 || single[node] + single[node ^ 1] < 0 {
                return Err(Empty);
            }
        }
        for a in (0..size).filter(|a| single[*a] < INFINITE) {
            for (b, entry) in self.entries[place(a, 0)..=place(a, a | 1)].iter_mut().enumerate() {
                let both = (single[a] + single[b ^ 1]) / 2;
                if single[b ^ 1] < INFINITE && both < *entry && both <= GREATEST_BOUND {
                    *entry = both;
                }
            }
        }
        Ok(())
    }

    fn put(&mut self, i: usize, j: usize, bound: i128) {
        self.entries[if j <= i | 1 { place(i, j) } else { place(j ^ 1, i ^ 1) }] = bound;
    }
}

/// Where an entry with `j <= i | 1` is stored.
fn place(i: usize, j: usize) -> usize {
    j + (i + 1) * (i + 1) / 2
}

/// A bound that has become too large is none.
fn finite(bound: i128) -> i128 {
    if bound > GREATEST_BOUND { INFINITE } else { bound.max(-GREATEST_BOUND) }
}

fn moved(bound: i128, by: i128) -> i128 {
    if bound >= INFINITE { INFINITE } else { finite(bound + by) }
}

fn double(bound: i128) -> i128 {
    bound.clamp(-LIMIT, INFINITE) * 2
}

/// What is left for `Σ taken · summand` if the rest of a sum that is at most zero has its least value.
fn room(summands: &[Summand], constant: i128, taken: impl Fn(usize) -> i128) -> Option<i128> {
    let rest = summands.iter().enumerate().map(|(at, (factor, _, range))| least(factor - taken(at), *range));
    sum(constant, rest)?.checked_neg()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIDE: i128 = 4;

    /// Every bound of a tightly closed matrix is attained by an integer point.
    fn check(matrix: Result<Matrix, Empty>, bounds: &[(usize, usize, i128)]) -> Result<(), TestCaseError> {
        let node = |point: &[i128; 3], node: usize| if node & 1 == 0 { point[node / 2] } else { -point[node / 2] };
        let mut points = Vec::new();
        for (x, y, z) in
            (-SIDE..=SIDE).flat_map(|x| (-SIDE..=SIDE).flat_map(move |y| (-SIDE..=SIDE).map(move |z| (x, y, z))))
        {
            let point = [x, y, z];
            if bounds.iter().all(|(i, j, bound)| node(&point, *j) - node(&point, *i) <= *bound) {
                points.push(point);
            }
        }
        let Ok(matrix) = matrix else {
            prop_assert!(points.is_empty());
            return Ok(());
        };
        for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
            let greatest = points.iter().map(|point| node(point, j) - node(point, i)).max();
            prop_assert_eq!(Some(matrix.at(i, j)), greatest, "{} {}", i, j);
        }
        Ok(())
    }

    fn in_box() -> Matrix {
        let mut matrix = Matrix::new(3);
        for variable in 0..3 {
            matrix.restrict(variable, Interval::new(-SIDE, SIDE).unwrap()).unwrap();
        }
        matrix
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn closure_is_tight(bounds in proptest::collection::vec((0usize..6, 0usize..6, -5i128..6), 0..6)) {
            let bounds: Vec<_> = bounds.into_iter().filter(|(i, j, _)| i != j).collect();
            let mut open = in_box();
            let mut closed = Ok(in_box());
            for &(i, j, bound) in &bounds {
                open.put(i, j, open.at(i, j).min(bound));
                closed = closed.and_then(|mut matrix: Matrix| matrix.bound(i, j, bound).map(|()| matrix));
            }
            check(open.close().map(|()| open), &bounds)?;
            check(closed, &bounds)?;
        }

        /// Moving a variable needs no closing, and can be undone.
        #[test]
        fn shifted_matrices_stay_closed(
            bounds in proptest::collection::vec((0usize..6, 0usize..6, -3i128..8), 0..5),
            variable in 0usize..3,
            by in -3i128..4,
        ) {
            let mut matrix = in_box();
            for &(i, j, bound) in bounds.iter().filter(|(i, j, _)| i != j) {
                prop_assume!(matrix.bound(i, j, bound).is_ok());
            }
            let mut shifted = matrix.clone();
            shifted.shift(variable, by);
            let mut closed = shifted.clone();
            prop_assert_eq!(closed.close(), Ok(()));
            prop_assert_eq!(&closed, &shifted);
            shifted.shift(variable, -by);
            prop_assert_eq!(&shifted, &matrix);
        }
    }
}
