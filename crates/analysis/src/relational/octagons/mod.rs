//! Octagons: bounds on sums and differences of two variables (Miné 2006), in packs of variables that have to do with each
//! other. Packs that a transition does not touch are shared between the facts before and after it.
//!
//! Matrices are tightly closed, but for those that widening has made: closing those could undo what widening did, for
//! ever. They are closed when the fact is used next.

mod matrix;

use std::rc::Rc;

use self::matrix::{Empty, INFINITE, Matrix, Summand};
use super::domain::{Update, Valuations};
use super::form::{Constraint, Form, Relation};
use super::output::{Definition, Output};
use super::packs::Packs;
use super::thresholds::Thresholds;
use crate::numbers::Interval;

/// A pack gets no more than so many variables of a transition's own at a time.
const MOST_OWN_VARIABLES: usize = 6;

/// One octagon for each pack.
#[derive(Clone, Debug)]
pub struct Octagons {
    packs: Rc<Packs>,
    octagons: Vec<Rc<Octagon>>,
    is_bottom: bool,
}

/// The octagon of one pack.
#[derive(Clone, Debug)]
struct Octagon {
    matrix: Matrix,
    /// The variables of the current transition that come after those of the pack.
    own: Vec<usize>,
    is_closed: bool,
}

impl Octagons {
    /// Variables of unknown value, in packs.
    pub fn new(packs: &Rc<Packs>) -> Self {
        let octagon = |members: &Vec<usize>| {
            Rc::new(Octagon { matrix: Matrix::new(members.len()), own: Vec::new(), is_closed: true })
        };
        let octagons = packs.members().iter().map(octagon).collect();
        Self { packs: packs.clone(), octagons, is_bottom: false }
    }

    /// Changes the octagon of a pack; if it becomes empty, so does everything.
    fn change(&mut self, pack: usize, change: impl FnOnce(&mut Octagon, &Packs) -> Result<(), Empty>) {
        let octagon = Rc::make_mut(&mut self.octagons[pack]);
        self.is_bottom |= change(octagon, &self.packs).is_err();
    }

    /// The packs that have a variable among some.
    fn touched(&self, variables: impl Iterator<Item = usize>) -> Vec<usize> {
        let mut touched: Vec<usize> = variables.filter_map(|variable| self.packs.pack_of(variable)).collect();
        touched.sort_unstable();
        touched.dedup();
        touched
    }
}

impl Octagon {
    /// Where a variable is in the matrix.
    fn position(&self, packs: &Packs, pack: usize, variable: usize) -> Option<usize> {
        match packs.place(variable) {
            Some((of, position)) => (of == pack).then_some(position),
            None => {
                let first = packs.members()[pack].len();
                self.own.iter().position(|own| *own == variable).map(|at| first + at)
            }
        }
    }

    fn close(&mut self) -> Result<(), Empty> {
        self.is_closed = true;
        self.matrix.close()
    }

    /// Forgets the variables of the transition but for the first so many.
    fn keep_own(&mut self, count: usize) {
        let kept: Vec<usize> = (0..self.matrix.count() - self.own.len() + count).collect();
        self.matrix = self.matrix.select(&kept);
        self.own.truncate(count);
    }

    /// A form as the matrix sees it. Variables of the transition are taken in, and what is known of ranges.
    fn summands(&mut self, packs: &Packs, pack: usize, form: &Form, known: &[Interval]) -> Result<Vec<Summand>, Empty> {
        let mut summands = Vec::with_capacity(form.terms().len() + 1);
        for (&(factor, variable), &range) in form.terms().iter().zip(known) {
            let mut position = self.position(packs, pack, variable);
            if position.is_none() && packs.is_own(variable) && self.own.len() < MOST_OWN_VARIABLES {
                self.own.push(variable);
                position = Some(self.matrix.push());
            }
            if let Some(position) = position {
                self.matrix.restrict(position, range)?;
            }
            summands.push((factor, position, range));
        }
        Ok(summands)
    }

    fn assume(&mut self, packs: &Packs, pack: usize, constraint: &Constraint, known: &[Interval]) -> Result<(), Empty> {
        let form = &constraint.form;
        match constraint.relation {
            Relation::MultipleOf(_) => Ok(()),
            Relation::Different => {
                let summands = self.summands(packs, pack, form, known)?;
                let [(left, Some(first), _), (right, Some(second), _)] = summands[..] else { return Ok(()) };
                if left.abs() != 1 || right.abs() != 1 {
                    return Ok(());
                }
                // If the form is at most zero it is at most minus one, and the other way round.
                let (from, to) = nodes((left, first), (right, second));
                let constant = form.constant();
                if self.matrix.at(from, to) == -constant {
                    self.matrix.bound(from, to, -constant - 1)?;
                }
                if self.matrix.at(to, from) == constant {
                    self.matrix.bound(to, from, constant - 1)?;
                }
                Ok(())
            }
            Relation::AtMost | Relation::Equal => {
                let summands = self.summands(packs, pack, form, known)?;
                self.matrix.at_most(&summands, form.constant())?;
                if constraint.relation == Relation::Equal {
                    self.matrix.at_most(&negated(&summands), -form.constant())?;
                }
                Ok(())
            }
        }
    }

    fn assign(&mut self, packs: &Packs, pack: usize, updates: &[&Update]) -> Result<(), Empty> {
        let target = |update: &Update| packs.place(update.variable).expect("it was found by its pack").1;
        if let [update] = updates
            && let Some(form) = &update.value
            && form.terms() == [(1, update.variable)]
        {
            self.matrix.shift(target(update), form.constant());
            return Ok(());
        }
        // The new values first live beside the old ones, as variables of their own, and then take their places.
        let count = packs.members()[pack].len();
        let mut places: Vec<usize> = (0..count).collect();
        for update in updates {
            let Some(form) = &update.value else { continue };
            let mut summands = self.summands(packs, pack, form, &update.known)?;
            let new = self.matrix.push();
            // Variables that are taken in later stand after this one; they are found by counting it among them.
            self.own.push(usize::MAX);
            places[target(update)] = new;
            summands.push((-1, Some(new), update.range));
            self.matrix.at_most(&summands, form.constant())?;
            self.matrix.at_most(&negated(&summands), -form.constant())?;
        }
        for update in updates.iter().filter(|update| update.value.is_none()) {
            places[target(update)] = self.matrix.push();
            self.own.push(usize::MAX);
        }
        self.matrix = self.matrix.select(&places);
        self.own.clear();
        for update in updates {
            self.matrix.restrict(target(update), update.range)?;
        }
        Ok(())
    }
}

impl Valuations for Octagons {
    fn is_bottom(&self) -> bool {
        self.is_bottom
    }

    fn join(&mut self, other: &Self) -> bool {
        let mut is_changed = false;
        for (mine, other) in self.octagons.iter_mut().zip(&other.octagons) {
            if Rc::ptr_eq(mine, other) {
                continue;
            }
            // Inside a transition, branches may have taken in different variables of its own.
            let common = mine.own.iter().zip(&other.own).take_while(|(mine, other)| mine == other).count();
            let mut other = other.clone();
            for side in [&mut *mine, &mut other] {
                if side.own.len() > common {
                    Rc::make_mut(side).keep_own(common);
                }
            }
            if mine.matrix != other.matrix {
                is_changed |= Rc::make_mut(mine).matrix.join(&other.matrix, |bound, _| bound);
            }
        }
        is_changed
    }

    fn widen(&mut self, other: &Self, thresholds: &Thresholds) -> bool {
        let weaken = |bound: i128, is_single: bool| match thresholds.above(bound) {
            _ if bound >= INFINITE => INFINITE,
            _ if is_single => thresholds.above(bound.div_euclid(2)).map_or(INFINITE, |threshold| 2 * threshold),
            threshold => threshold.unwrap_or(INFINITE),
        };
        let mut is_changed = false;
        for (mine, other) in self.octagons.iter_mut().zip(&other.octagons) {
            if !Rc::ptr_eq(mine, other) && mine.matrix != other.matrix {
                let mine = Rc::make_mut(mine);
                if mine.matrix.join(&other.matrix, weaken) {
                    mine.is_closed = false;
                    is_changed = true;
                }
            }
        }
        is_changed
    }

    fn meet(&mut self, other: &Self) {
        for pack in 0..self.octagons.len() {
            if !Rc::ptr_eq(&self.octagons[pack], &other.octagons[pack]) {
                self.change(pack, |octagon, _| {
                    octagon.matrix.meet(&other.octagons[pack].matrix);
                    octagon.close()
                });
            }
        }
    }

    fn settle(&mut self) {
        for at in 0..self.octagons.len() {
            if !self.octagons[at].is_closed {
                self.change(at, |octagon, _| octagon.close());
            }
        }
    }

    fn assume(&mut self, constraint: &Constraint, known: &[Interval]) {
        for pack in self.touched(constraint.form.variables()) {
            self.change(pack, |octagon, packs| octagon.assume(packs, pack, constraint, known));
        }
    }

    fn restrict(&mut self, variable: usize, range: Interval) {
        let Some((pack, position)) = self.packs.place(variable) else { return };
        if self.octagons[pack].matrix.range(position).is_some_and(|known| !known.is_inside(range)) {
            self.change(pack, |octagon, _| octagon.matrix.restrict(position, range));
        }
    }

    fn assign(&mut self, updates: &[Update]) {
        for pack in self.touched(updates.iter().map(|update| update.variable)) {
            let inside: Vec<&Update> =
                updates.iter().filter(|update| self.packs.pack_of(update.variable) == Some(pack)).collect();
            self.change(pack, |octagon, packs| octagon.assign(packs, pack, &inside));
        }
    }

    fn within(&self, variable: usize, range: Interval) -> Option<Interval> {
        let Some((pack, position)) = self.packs.place(variable) else { return Some(range) };
        self.octagons[pack].matrix.range(position)?.meet(range)
    }

    /// Of sums and differences of two variables more is known than of each of them.
    fn bounds(&self, form: &Form, range: Interval) -> Interval {
        let [(left @ (1 | -1), first), (right @ (1 | -1), second)] = form.terms() else { return range };
        let Some(pack) = [first, second].into_iter().find_map(|variable| self.packs.pack_of(*variable)) else {
            return range;
        };
        let octagon = &self.octagons[pack];
        let position = |variable: &usize| octagon.position(&self.packs, pack, *variable);
        let (Some(first), Some(second)) = (position(first), position(second)) else { return range };
        let (from, to) = nodes((*left, first), (*right, second));
        let most = |bound: i128| Some(bound).filter(|bound| *bound < INFINITE);
        let high = most(octagon.matrix.at(from, to)).and_then(|bound| bound.checked_add(form.constant()));
        let low = most(octagon.matrix.at(to, from)).and_then(|bound| form.constant().checked_sub(bound));
        let known = Interval::new(low.unwrap_or(i128::MIN), high.unwrap_or(i128::MAX));
        known.and_then(|known| known.meet(range)).unwrap_or(range)
    }

    fn extend(&mut self, _: usize) {}

    fn truncate(&mut self, _: usize) {
        for pack in 0..self.octagons.len() {
            if !self.octagons[pack].own.is_empty() {
                Rc::make_mut(&mut self.octagons[pack]).keep_own(0);
            }
        }
    }

    /// Bounds on single variables are left to intervals; what follows from them, or from other bounds, is left out.
    fn constraints(&self, output: &mut Output) {
        for (octagon, members) in self.octagons.iter().zip(self.packs.members()) {
            describe(&octagon.matrix, members, output);
        }
    }
}

/// The strong reduction of a closed matrix: equations with the first variable of each class of variables that differ by
/// a constant, and among those first ones the bounds that are no sum of others. There is no cycle of bounds that is
/// zero among them, so what is left out follows from what is not.
fn describe(matrix: &Matrix, members: &[usize], output: &mut Output) {
    let is_single = |variable: usize| matrix.range(variable).and_then(Interval::count) == Some(1);
    let mut first = Vec::new();
    for variable in (0..members.len()).filter(|variable| !is_single(*variable)) {
        let equation = first.iter().find_map(|&earlier: &usize| {
            [(2 * earlier, 1), (2 * earlier + 1, -1)].into_iter().find_map(|(node, sign)| {
                let (above, below) = (matrix.at(node, 2 * variable), matrix.at(2 * variable, node));
                (above < INFINITE && above + below == 0).then_some((earlier, sign, above))
            })
        });
        match equation {
            Some((earlier, sign, offset)) => {
                output.definition(members[variable], Definition { sign, variable: members[earlier], offset });
            }
            None => first.push(variable),
        }
    }
    let nodes: Vec<usize> = first.iter().flat_map(|variable| [2 * variable, 2 * variable + 1]).collect();
    for (at, &left) in first.iter().enumerate() {
        for &right in &first[at + 1..] {
            for (from, to) in [
                (2 * left, 2 * right),
                (2 * left + 1, 2 * right),
                (2 * left, 2 * right + 1),
                (2 * left + 1, 2 * right + 1),
            ] {
                let bound = matrix.at(from, to);
                let by_ranges = matrix.at(from, from ^ 1) + matrix.at(to ^ 1, to);
                let is_sum = || {
                    let mut others = nodes.iter().filter(|node| **node != from && **node != to);
                    others.any(|&node| matrix.at(from, node) + matrix.at(node, to) <= bound)
                };
                if bound < INFINITE && by_ranges.div_euclid(2) > bound && !is_sum() {
                    // node `to` - node `from` <= bound
                    let (left_sign, right_sign) = (2 * (from as i128 % 2) - 1, 1 - 2 * (to as i128 % 2));
                    output.at_most(&[(left_sign, members[left]), (right_sign, members[right])], bound);
                }
            }
        }
    }
}

/// The nodes of a matrix, `from` and `to`, such that node `to` - node `from` is the sum of two variables with factors of
/// 1 or -1.
fn nodes((left, first): (i128, usize), (right, second): (i128, usize)) -> (usize, usize) {
    (2 * second + usize::from(right > 0), 2 * first + usize::from(left < 0))
}

fn negated(summands: &[Summand]) -> Vec<Summand> {
    summands.iter().map(|(factor, variable, range)| (-factor, *variable, *range)).collect()
}
