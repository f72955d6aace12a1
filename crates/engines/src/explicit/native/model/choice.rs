//! Choices between more than two edges, as a `switch` makes them: which values of one expression each edge is for.
//!
//! An edge whose condition is false is not taken, so that conditions of which never two are true at once may be tried
//! one after the other, and where none is true the run is blocked. That two conditions exclude each other is read off
//! their form: each says, with comparisons and truth functions, that one and the same expression is in some set of
//! numbers. Evaluating the first condition then evaluates that expression, so that the others cannot stop a run which the
//! first one lets pass.

use num_traits::ToPrimitive;
use program::{CompareOp, Constant, EdgeId, ExprId, ExprKind, IntType, Op, Program, Scalar};

/// A condition of more parts than this is not looked through.
const MOST_PARTS: usize = 1 << 14;

/// Numbers as intervals in ascending order, of which no two touch. None is below [`LEAST`] or above [`MOST`].
type Numbers = Vec<(i128, i128)>;

const LEAST: i128 = i128::MIN / 4;
const MOST: i128 = i128::MAX / 4;

/// Whether never two of some edges can be taken in one state.
pub(super) fn exclude_each_other(program: &Program, edges: &[EdgeId]) -> bool {
    let mut reader = ChoiceReader { program, subject: None, parts: 0 };
    let mut all: Vec<(i128, i128)> = Vec::new();
    for &edge in edges {
        let Op::Assume(condition) = program.edges[edge].op else { return false };
        match reader.numbers(condition) {
            Some(numbers) => all.extend(numbers),
            None => return false,
        }
    }
    all.sort_unstable();
    all.windows(2).all(|pair| pair[0].1 < pair[1].0)
}

/// Reads conditions over one expression.
struct ChoiceReader<'p> {
    program: &'p Program,
    /// The expression.
    subject: Option<ExprId>,
    parts: usize,
}

impl ChoiceReader<'_> {
    /// The numbers of the subject for which a condition is true; none if it is no condition on the subject alone.
    fn numbers(&mut self, condition: ExprId) -> Option<Numbers> {
        self.parts += 1;
        if self.parts > MOST_PARTS {
            return None;
        }
        match self.program.exprs.get(condition).kind {
            ExprKind::Compare(op, left, right) => self.compared(op, left, right),
            ExprKind::Not(operand) => Some(without(&self.numbers(operand)?)),
            ExprKind::And(left, right) => {
                let (left, right) = self.both(left, right)?;
                Some(without(&together(without(&left), without(&right))))
            }
            ExprKind::Or(left, right) => {
                let (left, right) = self.both(left, right)?;
                Some(together(left, right))
            }
            _ => None,
        }
    }

    fn both(&mut self, left: ExprId, right: ExprId) -> Option<(Numbers, Numbers)> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || Some((self.numbers(left)?, self.numbers(right)?)))
    }

    fn compared(&mut self, op: CompareOp, left: ExprId, right: ExprId) -> Option<Numbers> {
        let exprs = &self.program.exprs;
        if !matches!(exprs.ty(left), Scalar::Int(_)) {
            return None;
        }
        let (op, subject, number) = match (self.constant(left), self.constant(right)) {
            (None, Some(number)) => (op, left, number),
            (Some(number), None) => (op.swapped(), right, number),
            _ => return None,
        };
        if *self.subject.get_or_insert(subject) != subject {
            return None;
        }
        Some(match op {
            CompareOp::Equal => vec![(number, number)],
            CompareOp::NotEqual => vec![(LEAST, number - 1), (number + 1, MOST)],
            CompareOp::Less => vec![(LEAST, number - 1)],
            CompareOp::LessEqual => vec![(LEAST, number)],
            CompareOp::Greater => vec![(number + 1, MOST)],
            CompareOp::GreaterEqual => vec![(number, MOST)],
        })
    }

    /// The number that an expression is, where that is written: conversions that keep it are looked through.
    fn constant(&self, expr: ExprId) -> Option<i128> {
        match &self.program.exprs.get(expr).kind {
            ExprKind::Constant(Constant::Int(number)) => {
                number.to_i128().filter(|number| LEAST < *number && *number < MOST)
            }
            ExprKind::Cast(operand) => {
                let Scalar::Int(ty) = self.program.exprs.ty(expr) else { return None };
                self.constant(*operand).filter(|number| holds(ty, *number))
            }
            _ => None,
        }
    }
}

/// Whether a number is one of a type.
fn holds(ty: IntType, number: i128) -> bool {
    if ty.bits > 64 {
        return false;
    }
    let (low, high) = if ty.signed {
        (-(1_i128 << (ty.bits - 1)), (1_i128 << (ty.bits - 1)) - 1)
    } else {
        (0, (1_i128 << ty.bits) - 1)
    };
    (low..=high).contains(&number)
}

/// What is in one of two sets.
fn together(one: Numbers, other: Numbers) -> Numbers {
    let mut all = one;
    all.extend(other);
    all.sort_unstable();
    let mut joined: Numbers = Vec::with_capacity(all.len());
    for (low, high) in all {
        match joined.last_mut() {
            Some(last) if low <= last.1 + 1 => last.1 = last.1.max(high),
            _ => joined.push((low, high)),
        }
    }
    joined
}

/// What is not in a set.
fn without(numbers: &Numbers) -> Numbers {
    let mut left = Vec::with_capacity(numbers.len() + 1);
    let mut next = LEAST;
    for &(low, high) in numbers {
        if next < low {
            left.push((next, low - 1));
        }
        next = high + 1;
    }
    if next <= MOST {
        left.push((next, MOST));
    }
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_of_numbers_are_joined_and_inverted() {
        let few: Numbers = vec![(-3, -3), (1, 5)];
        let more = together(few.clone(), vec![(0, 0), (7, MOST)]);
        assert_eq!(more, vec![(-3, -3), (0, 5), (7, MOST)]);
        assert_eq!(without(&more), vec![(LEAST, -4), (-2, -1), (6, 6)]);
        assert_eq!(without(&without(&few)), few);
        assert_eq!(without(&vec![(LEAST, MOST)]), Vec::new());
        assert_eq!(without(&Vec::new()), vec![(LEAST, MOST)]);
    }
}
