//! What a numerical abstract domain is: one trait, and the reduced product of two domains.
//!
//! Variables are numbers. Those of the program come first and are there for good; a transition adds some of its own for
//! its inputs and drops them at its end. Domains learn from each other through ranges only: whoever calls them says which
//! values the variables of a form can have by what all domains know together.

use super::form::{Constraint, Form};
use super::output::Output;
use super::thresholds::Thresholds;
use crate::numbers::Interval;

/// The new value of a variable.
#[derive(Clone, Debug)]
pub struct Update {
    /// The variable.
    pub variable: usize,
    /// Its value, where it has a form.
    pub value: Option<Form>,
    /// The ranges of the variables in the form, in the order of its summands.
    pub known: Vec<Interval>,
    /// The range of the value.
    pub range: Interval,
}

/// A set of valuations of variables. All operations may describe more than they should, never less.
pub trait Valuations: Clone {
    /// Whether there is no valuation. False where this is not seen.
    fn is_bottom(&self) -> bool;

    /// Adds the valuations of another; whether that changed anything.
    fn join(&mut self, other: &Self) -> bool;

    /// The same, such that there is no infinite sequence of changes. Bounds go to the next threshold where there are
    /// some, and are given up otherwise.
    fn widen(&mut self, other: &Self, thresholds: &Thresholds) -> bool;

    /// Keeps what is also in another.
    fn meet(&mut self, other: &Self);

    /// Makes what [`Valuations::widen`] has left ready for all that follows. It does not change the meaning.
    fn settle(&mut self) {}

    /// Keeps the valuations that satisfy a constraint. `known` are the ranges of the variables in the form, in the order
    /// of its summands.
    fn assume(&mut self, constraint: &Constraint, known: &[Interval]);

    /// Keeps the valuations in which a variable is in a range.
    fn restrict(&mut self, variable: usize, range: Interval);

    /// Gives variables new values, all at once.
    fn assign(&mut self, updates: &[Update]);

    /// Which values in a range a variable can have; none if it can have none of them.
    fn within(&self, variable: usize, range: Interval) -> Option<Interval>;

    /// Which values in a range a form can have. Whoever knows single variables alone cannot say more than the range does.
    fn bounds(&self, _form: &Form, range: Interval) -> Interval {
        range
    }

    /// Adds variables of unknown value at the end.
    fn extend(&mut self, count: usize);

    /// Drops all variables from a number on.
    fn truncate(&mut self, count: usize);

    /// Describes the valuations by constraints.
    fn constraints(&self, output: &mut Output);

    /// Forgets what is known of a variable.
    fn forget(&mut self, variable: usize) {
        self.assign(&[Update { variable, value: None, known: Vec::new(), range: Interval::ALL }]);
    }
}

/// What two domains know together.
#[derive(Clone, Debug)]
pub struct ReducedProduct<A, B>(pub A, pub B);

impl<A: Valuations, B: Valuations> Valuations for ReducedProduct<A, B> {
    fn is_bottom(&self) -> bool {
        self.0.is_bottom() || self.1.is_bottom()
    }

    fn join(&mut self, other: &Self) -> bool {
        let first = self.0.join(&other.0);
        self.1.join(&other.1) || first
    }

    fn widen(&mut self, other: &Self, thresholds: &Thresholds) -> bool {
        let first = self.0.widen(&other.0, thresholds);
        self.1.widen(&other.1, thresholds) || first
    }

    fn meet(&mut self, other: &Self) {
        self.0.meet(&other.0);
        self.1.meet(&other.1);
    }

    fn settle(&mut self) {
        self.0.settle();
        self.1.settle();
    }

    fn assume(&mut self, constraint: &Constraint, known: &[Interval]) {
        self.0.assume(constraint, known);
        self.1.assume(constraint, known);
    }

    fn restrict(&mut self, variable: usize, range: Interval) {
        self.0.restrict(variable, range);
        self.1.restrict(variable, range);
    }

    fn assign(&mut self, updates: &[Update]) {
        self.0.assign(updates);
        self.1.assign(updates);
    }

    fn within(&self, variable: usize, range: Interval) -> Option<Interval> {
        let range = self.0.within(variable, range)?;
        let reduced = self.1.within(variable, range)?;
        // What the second took away may let the first take away more: residues after bounds.
        if reduced == range { Some(range) } else { self.0.within(variable, reduced) }
    }

    fn bounds(&self, form: &Form, range: Interval) -> Interval {
        self.1.bounds(form, self.0.bounds(form, range))
    }

    fn extend(&mut self, count: usize) {
        self.0.extend(count);
        self.1.extend(count);
    }

    fn truncate(&mut self, count: usize) {
        self.0.truncate(count);
        self.1.truncate(count);
    }

    fn constraints(&self, output: &mut Output) {
        self.0.constraints(output);
        self.1.constraints(output);
    }
}
