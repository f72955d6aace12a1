//! Intervals: for each variable a lower and an upper bound (Cousot and Cousot, ISOP 1976).

use super::domain::{Update, Valuations};
use super::form::{Constraint, Form, Relation, least, sum};
use super::output::Output;
use super::thresholds::Thresholds;
use crate::numbers::Interval;

/// One interval for each variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Intervals {
    ranges: Vec<Interval>,
    is_bottom: bool,
}

impl Intervals {
    /// Variables with values in these ranges.
    pub fn new(ranges: Vec<Interval>) -> Self {
        Self { ranges, is_bottom: false }
    }

    /// Restricts each variable of `form <= 0` by the least values of the others.
    fn at_most(&mut self, form: &Form, known: &[Interval]) {
        let parts: Vec<Option<i128>> =
            form.terms().iter().zip(known).map(|((factor, _), range)| least(*factor, *range)).collect();
        if sum(form.constant(), parts.iter().copied()).is_some_and(|low| low > 0) {
            self.is_bottom = true;
            return;
        }
        if parts.iter().filter(|part| part.is_none()).count() > 1 {
            return;
        }
        for (at, &(factor, variable)) in form.terms().iter().enumerate() {
            let others = parts.iter().enumerate().filter(|(other, _)| *other != at).map(|(_, part)| *part);
            let Some(room) = sum(form.constant(), others).and_then(i128::checked_neg) else { continue };
            let range = if factor > 0 {
                Interval::new(i128::MIN, room.div_euclid(factor))
            } else {
                // factor · x <= room means x >= room / factor, rounded upwards.
                Interval::new(-room.div_euclid(-factor), i128::MAX)
            };
            self.restrict(variable, range.expect("one side is open"));
        }
    }

    fn different(&mut self, form: &Form, known: &[Interval]) {
        match form.terms() {
            [] => self.is_bottom |= form.constant() == 0,
            &[(factor, variable)] if form.constant() % factor == 0 => {
                let (value, range) = (-(form.constant() / factor), known[0]);
                let low = if range.low() == value { value + 1 } else { range.low() };
                let high = if range.high() == value { value - 1 } else { range.high() };
                match Interval::new(low, high) {
                    Some(range) => self.restrict(variable, range),
                    None => self.is_bottom = true,
                }
            }
            _ => self.is_bottom |= form.range(known) == Interval::single(0),
        }
    }
}

impl Valuations for Intervals {
    fn is_bottom(&self) -> bool {
        self.is_bottom
    }

    fn join(&mut self, other: &Self) -> bool {
        let mut is_changed = false;
        for (mine, other) in self.ranges.iter_mut().zip(&other.ranges) {
            let hull = mine.hull(*other);
            is_changed |= hull != *mine;
            *mine = hull;
        }
        is_changed
    }

    fn widen(&mut self, other: &Self, thresholds: &Thresholds) -> bool {
        let mut is_changed = false;
        for (mine, other) in self.ranges.iter_mut().zip(&other.ranges) {
            if other.is_inside(*mine) {
                continue;
            }
            is_changed = true;
            let (mut low, mut high) = (mine.low(), mine.high());
            if other.low() < low {
                low = thresholds.below(other.low()).unwrap_or(i128::MIN);
            }
            if other.high() > high {
                high = thresholds.above(other.high()).unwrap_or(i128::MAX);
            }
            *mine = Interval::new(low, high).expect("it contains what it contained");
        }
        is_changed
    }

    fn meet(&mut self, other: &Self) {
        for (variable, range) in other.ranges.iter().enumerate() {
            self.restrict(variable, *range);
        }
    }

    fn assume(&mut self, constraint: &Constraint, known: &[Interval]) {
        match constraint.relation {
            Relation::Different => self.different(&constraint.form, known),
            Relation::MultipleOf(_) => {}
            Relation::AtMost => self.at_most(&constraint.form, known),
            Relation::Equal => {
                self.at_most(&constraint.form, known);
                self.at_most(&constraint.form.negated(), known);
            }
        }
    }

    fn restrict(&mut self, variable: usize, range: Interval) {
        match self.ranges[variable].meet(range) {
            Some(range) => self.ranges[variable] = range,
            None => self.is_bottom = true,
        }
    }

    fn assign(&mut self, updates: &[Update]) {
        for update in updates {
            self.ranges[update.variable] = update.range;
        }
    }

    fn within(&self, variable: usize, range: Interval) -> Option<Interval> {
        self.ranges[variable].meet(range)
    }

    fn extend(&mut self, count: usize) {
        self.ranges.resize(self.ranges.len() + count, Interval::ALL);
    }

    fn truncate(&mut self, count: usize) {
        self.ranges.truncate(count);
    }

    fn constraints(&self, output: &mut Output) {
        for (variable, range) in self.ranges.iter().enumerate() {
            output.range(variable, *range);
        }
    }
}
