//! Congruences: for each variable a residue modulo some number (Granger, "Static analysis of arithmetical congruences",
//! International Journal of Computer Mathematics 30, 1989).

use super::domain::{Update, Valuations};
use super::form::{Constraint, Form, Relation};
use super::output::Output;
use super::thresholds::Thresholds;
use crate::numbers::Interval;

/// Larger moduli are not kept: what they say is hardly ever of use, and products of two stay far from overflow.
const LARGEST_MODULUS: i128 = 1 << 60;

/// Larger numbers are not kept, so that differences do not overflow.
const LARGEST_NUMBER: i128 = 1 << 110;

/// All integers that are a residue modulo some number. Modulus 0 stands for the one integer itself, 1 for all integers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Congruence {
    modulus: i128,
    residue: i128,
}

impl Congruence {
    /// All integers.
    pub const ALL: Congruence = Congruence { modulus: 1, residue: 0 };

    /// The integers that are `residue` modulo `modulus`; all if the numbers are too large.
    pub fn new(modulus: i128, residue: i128) -> Self {
        match modulus.checked_abs() {
            Some(0) if (-LARGEST_NUMBER..=LARGEST_NUMBER).contains(&residue) => Self { modulus: 0, residue },
            Some(0) => Self::ALL,
            Some(modulus) if modulus <= LARGEST_MODULUS => Self { modulus, residue: residue.rem_euclid(modulus) },
            _ => Self::ALL,
        }
    }

    /// The modulus; 0 for a single integer.
    pub fn modulus(self) -> i128 {
        self.modulus
    }

    /// The residue, or the integer itself.
    pub fn residue(self) -> i128 {
        self.residue
    }

    /// Whether all of this lies inside of another.
    pub fn is_inside(self, other: Congruence) -> bool {
        self.join(other) == other
    }

    fn join(self, other: Congruence) -> Congruence {
        match self.residue.checked_sub(other.residue) {
            Some(difference) => Self::new(gcd(gcd(self.modulus, other.modulus), difference), self.residue),
            None => Self::ALL,
        }
    }

    /// What lies in both, or somewhat more where its modulus is too large; none if that is nothing.
    fn meet(self, other: Congruence) -> Option<Congruence> {
        let contains = |outer: Congruence, value: i128| {
            value.checked_sub(outer.residue).is_none_or(|difference| difference % outer.modulus == 0)
        };
        match (self.modulus, other.modulus) {
            (0, 0) => (self.residue == other.residue).then_some(self),
            (0, _) => contains(other, self.residue).then_some(self),
            (_, 0) => contains(self, other.residue).then_some(other),
            (mine, others) => {
                let common = gcd(mine, others);
                let difference = other.residue - self.residue;
                if difference % common != 0 {
                    return None;
                }
                let (Some(multiple), Some(inverse)) = (
                    mine.checked_mul(others / common).filter(|multiple| *multiple <= LARGEST_MODULUS),
                    inverse(mine / common, others / common),
                ) else {
                    return Some(if mine >= others { self } else { other });
                };
                let steps = (difference / common).rem_euclid(others / common) * inverse % (others / common);
                Some(Self::new(multiple, self.residue + mine * steps))
            }
        }
    }

    /// `self + factor · other`.
    fn plus(self, factor: i128, other: Congruence) -> Congruence {
        let sum = || {
            let residue = self.residue.checked_add(other.residue.checked_mul(factor)?)?;
            Some(Self::new(gcd(self.modulus, other.modulus.checked_mul(factor)?), residue))
        };
        sum().unwrap_or(Self::ALL)
    }
}

/// One congruence for each variable.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Congruences {
    values: Vec<Congruence>,
    is_bottom: bool,
}

impl Congruences {
    /// So many variables of unknown value.
    pub fn new(count: usize) -> Self {
        Self { values: vec![Congruence::ALL; count], is_bottom: false }
    }

    fn of_form(&self, form: &Form) -> Congruence {
        let constant = Congruence::new(0, form.constant());
        form.terms().iter().fold(constant, |sum, (factor, variable)| sum.plus(*factor, self.values[*variable]))
    }

    fn keep(&mut self, variable: usize, congruence: Congruence) {
        match self.values[variable].meet(congruence) {
            Some(both) => self.values[variable] = both,
            None => self.is_bottom = true,
        }
    }
}

impl Valuations for Congruences {
    fn is_bottom(&self) -> bool {
        self.is_bottom
    }

    fn join(&mut self, other: &Self) -> bool {
        let mut is_changed = false;
        for (mine, other) in self.values.iter_mut().zip(&other.values) {
            let join = mine.join(*other);
            is_changed |= join != *mine;
            *mine = join;
        }
        is_changed
    }

    /// Each change replaces a modulus by a proper divisor: there is no infinite sequence of joins.
    fn widen(&mut self, other: &Self, _: &Thresholds) -> bool {
        self.join(other)
    }

    fn meet(&mut self, other: &Self) {
        for (variable, congruence) in other.values.iter().enumerate() {
            self.keep(variable, *congruence);
        }
    }

    fn assume(&mut self, constraint: &Constraint, _: &[Interval]) {
        let modulus = match constraint.relation {
            Relation::Equal => 0,
            Relation::MultipleOf(modulus) => modulus,
            Relation::AtMost | Relation::Different => return,
        };
        let form = &constraint.form;
        if self.of_form(form).meet(Congruence::new(modulus, 0)).is_none() {
            self.is_bottom = true;
            return;
        }
        for &(factor, variable) in form.terms().iter().filter(|(factor, _)| factor.abs() == 1) {
            // x = -factor · (form - factor · x), since the factor is 1 or -1.
            let Some(others) = form.plus(-factor, &Form::variable(variable)) else { continue };
            let others = self.of_form(&others).plus(1, Congruence { modulus, residue: 0 });
            self.keep(variable, Congruence::new(0, 0).plus(-factor, others));
        }
    }

    fn restrict(&mut self, variable: usize, range: Interval) {
        if range.count() == Some(1) {
            self.keep(variable, Congruence::new(0, range.low()));
        }
    }

    fn assign(&mut self, updates: &[Update]) {
        let value = |update: &Update| match &update.value {
            Some(form) => self.of_form(form),
            None if update.range.count() == Some(1) => Congruence::new(0, update.range.low()),
            None => Congruence::ALL,
        };
        let values: Vec<Congruence> = updates.iter().map(value).collect();
        for (update, value) in updates.iter().zip(values) {
            self.values[update.variable] = value;
        }
    }

    fn within(&self, variable: usize, range: Interval) -> Option<Interval> {
        let Congruence { modulus, residue } = self.values[variable];
        match modulus {
            0 => range.meet(Interval::single(residue)),
            1 => Some(range),
            _ => {
                let up = |low: i128| low + (residue - low).rem_euclid(modulus);
                let down = |high: i128| high - (high - residue).rem_euclid(modulus);
                let low = if range.low() == i128::MIN { i128::MIN } else { up(range.low()) };
                let high = if range.high() == i128::MAX { i128::MAX } else { down(range.high()) };
                Interval::new(low, high)
            }
        }
    }

    fn extend(&mut self, count: usize) {
        self.values.resize(self.values.len() + count, Congruence::ALL);
    }

    fn truncate(&mut self, count: usize) {
        self.values.truncate(count);
    }

    fn constraints(&self, output: &mut Output) {
        for (variable, congruence) in self.values.iter().enumerate() {
            output.congruence(variable, *congruence);
        }
    }
}

/// The greatest common divisor, not negative.
fn gcd(left: i128, right: i128) -> i128 {
    let (mut left, mut right) = (left, right);
    while right != 0 {
        (left, right) = (right, left % right);
    }
    left.abs()
}

/// The inverse of a number modulo another that it has no divisor in common with.
fn inverse(value: i128, modulus: i128) -> Option<i128> {
    let (mut old, mut new) = ((modulus, 0i128), (value.rem_euclid(modulus), 1i128));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    (old.0 == 1).then(|| old.1.rem_euclid(modulus))
}
