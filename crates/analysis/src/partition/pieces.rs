//! Functions of one integer that differ from the identity by a constant on each of a few intervals: what conversions and
//! the addition of constants make of a value.

use program::semantics::Integers;
use program::{CompareOp, IntType};

use crate::numbers::Interval;
use crate::numbers::arithmetic::type_range;

/// A function with more pieces than this is not followed.
const MOST_PIECES: usize = 16;

/// A function on the values that something can have.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Pieces(Vec<Piece>);

/// On these values the function adds an offset.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Piece {
    from: Interval,
    offset: i128,
}

impl Pieces {
    pub fn identity(from: Interval) -> Self {
        Self(vec![Piece { from, offset: 0 }])
    }

    pub fn is_identity(&self) -> bool {
        self.0.iter().all(|piece| piece.offset == 0)
    }

    /// The function with a constant added before the result is brought into a type; none if it has too many pieces.
    pub fn plus(&self, integers: Integers, ty: IntType, constant: i128) -> Option<Self> {
        let mut moved = Vec::new();
        for piece in &self.0 {
            let offset = piece.offset.checked_add(constant)?;
            match integers {
                Integers::Ideal => moved.push(Piece { offset, ..*piece }),
                Integers::Machine => wrap_piece(piece.from, offset, ty, &mut moved)?,
            }
        }
        (moved.len() <= MOST_PIECES).then_some(Self(moved))
    }

    /// The function followed by a conversion; none if it has too many pieces.
    pub fn convert(&self, integers: Integers, ty: IntType) -> Option<Self> {
        self.plus(integers, ty, 0)
    }

    /// Adds to the cuts and points by which a comparison of the function's result with a constant comes out.
    pub fn compare(&self, op: CompareOp, constant: i128, cuts: &mut Vec<i128>, points: &mut Vec<i128>) {
        for piece in &self.0 {
            // Whether a value wraps in between may show as an overflow.
            if piece.from != self.0[0].from {
                cuts.push(piece.from.low());
            }
            let Some(at) = constant.checked_sub(piece.offset) else { continue };
            match op {
                CompareOp::Equal | CompareOp::NotEqual => points.extend(Some(at).filter(|at| piece.from.contains(*at))),
                CompareOp::Less | CompareOp::GreaterEqual => cuts.extend(Some(at).filter(|at| piece.is_cut_at(*at))),
                CompareOp::LessEqual | CompareOp::Greater => {
                    cuts.extend(at.checked_add(1).filter(|at| piece.is_cut_at(*at)));
                }
            }
        }
    }
}

impl Piece {
    /// Whether there are values on both sides of a cut.
    fn is_cut_at(&self, cut: i128) -> bool {
        self.from.low() < cut && cut <= self.from.high()
    }
}

/// Splits an interval where its values, moved by an offset, wrap in a type.
fn wrap_piece(from: Interval, offset: i128, ty: IntType, found: &mut Vec<Piece>) -> Option<()> {
    let range = type_range(ty);
    if !from.is_bounded() {
        return None;
    }
    let (low, high) = (from.low().checked_add(offset)?, from.high().checked_add(offset)?);
    if range.contains(low) && range.contains(high) {
        found.push(Piece { from, offset });
        return Some(());
    }
    let modulus = range.count().and_then(|count| i128::try_from(count).ok())?;
    let (first, last) = ((low - range.low()).div_euclid(modulus), (high - range.low()).div_euclid(modulus));
    if last - first >= MOST_PIECES as i128 {
        return None;
    }
    for turn in first..=last {
        let offset = offset - turn * modulus;
        let part = Interval::new(range.low() - offset, range.high() - offset)?.meet(from)?;
        found.push(Piece { from: part, offset });
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use num_traits::ToPrimitive;
    use program::semantics::arithmetic::{ordered, wrap};

    use super::*;

    const TYPES: [IntType; 4] = [IntType::signed(4), IntType::unsigned(4), IntType::signed(3), IntType::unsigned(5)];

    fn wrapped(value: i128, ty: IntType) -> i128 {
        wrap(&value.into(), ty).to_i128().expect("small")
    }

    /// `(to)(x + constant)` compared with another constant: values with neither cut nor point between them are equivalent.
    #[test]
    fn values_between_cuts_are_alike() {
        for (ty, to) in TYPES.into_iter().flat_map(|ty| TYPES.map(|to| (ty, to))) {
            let range = type_range(ty);
            for (added, other) in (-5..=9).flat_map(|added| (-6..=9).map(move |other| (added, other))) {
                let pieces = Pieces::identity(range).plus(Integers::Machine, ty, added).expect("two pieces");
                let pieces = pieces.convert(Integers::Machine, to).expect("few pieces");
                for op in [CompareOp::Equal, CompareOp::Less, CompareOp::LessEqual, CompareOp::Greater] {
                    let (mut cuts, mut points) = (Vec::new(), Vec::new());
                    pieces.compare(op, other, &mut cuts, &mut points);
                    let seen = |value: i128| {
                        let sum = wrapped(value + added, ty);
                        let outcome = ordered(op, &wrapped(sum, to), &other);
                        (outcome, sum != value + added)
                    };
                    let class = |value: i128| {
                        let below = cuts.iter().filter(|cut| **cut <= value).count();
                        (below, points.contains(&value).then_some(value))
                    };
                    for (one, two) in
                        (range.low()..=range.high()).flat_map(|one| (one..=range.high()).map(move |two| (one, two)))
                    {
                        let alike = class(one) == class(two);
                        assert!(!alike || seen(one) == seen(two), "{one} {two} + {added} {op:?} {other} {ty:?} {to:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn only_the_identity_is_the_identity() {
        for (ty, to) in TYPES.into_iter().flat_map(|ty| TYPES.map(|to| (ty, to))) {
            let range = type_range(ty);
            let pieces = Pieces::identity(range).convert(Integers::Machine, to).expect("few pieces");
            let unchanged = (range.low()..=range.high()).all(|value| wrapped(value, to) == value);
            assert_eq!(pieces.is_identity(), unchanged);
        }
        let wide = Pieces::identity(type_range(IntType::signed(32)));
        assert_eq!(wide.convert(Integers::Machine, IntType::signed(8)), None, "too many pieces");
        assert_eq!(wide.convert(Integers::Ideal, IntType::signed(8)), Some(wide));
    }
}
