//! Rules interpreted in a domain: what holds after a transition if something holds before it.
//!
//! Terms that are not linear are replaced by linear forms where the ranges of their operands allow it: a remainder that
//! does not wrap is its operand up to a constant. This is how machine arithmetic stays relational. The others are bounded
//! by what their operands are bounded by.

use super::domain::{Update, Valuations};
use super::form::{Constraint, Form, Relation};
use super::rules::{Condition, DefinedValue, TransitionRule, UpdateCase};
use crate::numbers::Interval;

/// A rule, and the ranges of the program's variables whatever happens.
pub struct Interpretation<'a> {
    /// The rule.
    pub rule: &'a TransitionRule,
    /// All values of each variable of the program.
    pub ranges: &'a [Interval],
}

impl Interpretation<'_> {
    /// What holds after the transition; none if it cannot be taken.
    pub fn after<D: Valuations>(&self, before: &D) -> Option<D> {
        let mut state = before.clone();
        state.settle();
        state.extend(self.rule.own.len());
        for (at, defined) in self.rule.own.iter().enumerate() {
            if let DefinedValue::Within(range) = defined
                && *range != Interval::ALL
            {
                state.restrict(self.ranges.len() + at, *range);
            }
        }
        if state.is_bottom() {
            return None;
        }
        let mut result: Option<D> = None;
        for case in &self.rule.cases {
            let Some(after) = self.case(case, state.clone()) else { continue };
            match &mut result {
                None => result = Some(after),
                Some(result) => {
                    result.join(&after);
                }
            }
        }
        result
    }

    fn case<D: Valuations>(&self, case: &UpdateCase, mut state: D) -> Option<D> {
        self.assume(&mut state, &case.guard)?;
        let mut updates = Vec::with_capacity(case.updates.len());
        for (variable, value) in &case.updates {
            let all = self.ranges[*variable];
            updates.push(match value {
                None => Update { variable: *variable, value: None, known: Vec::new(), range: all },
                Some(form) => {
                    let form = self.resolved(&mut state, form);
                    let known = known(&state, &form)?;
                    let range = state.bounds(&form, form.range(&known)).meet(all)?;
                    Update { variable: *variable, value: Some(form), known, range }
                }
            });
        }
        state.assign(&updates);
        state.truncate(self.ranges.len());
        (!state.is_bottom()).then_some(state)
    }

    /// Restricts a state to where a condition holds; none if it holds nowhere.
    fn assume<D: Valuations>(&self, state: &mut D, condition: &Condition) -> Option<()> {
        match condition {
            Condition::Atom(constraint) => self.assume_atom(state, constraint),
            Condition::All(list) => {
                list.iter().try_for_each(|member| self.assume(state, member))?;
                // What was assumed later may say more of what was assumed earlier.
                list.iter().filter(|member| relates(member)).try_for_each(|member| self.assume(state, member))
            }
            Condition::Any(list) => {
                let mut result: Option<D> = None;
                for member in list {
                    let mut branch = state.clone();
                    if self.assume(&mut branch, member).is_none() {
                        continue;
                    }
                    match &mut result {
                        None => result = Some(branch),
                        Some(result) => {
                            result.join(&branch);
                        }
                    }
                }
                *state = result?;
                Some(())
            }
        }
    }

    fn assume_atom<D: Valuations>(&self, state: &mut D, constraint: &Constraint) -> Option<()> {
        let form = self.resolved(state, &constraint.form);
        self.assume_linear(state, &Constraint { form, relation: constraint.relation })?;
        for variable in constraint.form.variables() {
            let Some(DefinedValue::Remainder(of, by)) = self.defined(variable) else { continue };
            let range = state.within(variable, Interval::ALL)?;
            if range.count() == Some(1)
                && let Some(difference) = Form::number(range.low()).and_then(|value| of.plus(-1, &value))
            {
                let form = self.resolved(state, &difference);
                self.assume_linear(state, &Constraint { form, relation: Relation::MultipleOf(*by) })?;
            }
        }
        Some(())
    }

    /// Tells a constraint, and then what became of the ranges of its variables, to all parts of a domain.
    fn assume_linear<D: Valuations>(&self, state: &mut D, constraint: &Constraint) -> Option<()> {
        let known = known(state, &constraint.form)?;
        state.assume(constraint, &known);
        for (variable, before) in constraint.form.variables().zip(known) {
            let range = state.within(variable, before)?;
            if range != before {
                state.restrict(variable, range);
            }
        }
        (!state.is_bottom()).then_some(())
    }

    fn defined(&self, variable: usize) -> Option<&DefinedValue> {
        self.rule.own.get(variable.checked_sub(self.ranges.len())?)
    }

    /// The form with variables of the transition's own replaced by what they are equal to in this state. What is known of
    /// the others is added to the state.
    fn resolved<D: Valuations>(&self, state: &mut D, form: &Form) -> Form {
        let mut result = form.clone();
        for &(factor, variable) in form.terms() {
            let Some(defined) = self.defined(variable) else { continue };
            if let Some(equal) = self.resolve(state, variable, defined)
                && let Some(without) = result.plus(-factor, &Form::variable(variable))
                && let Some(with) = without.plus(factor, &equal)
            {
                result = with;
            }
        }
        result
    }

    fn resolve<D: Valuations>(&self, state: &mut D, variable: usize, defined: &DefinedValue) -> Option<Form> {
        match defined {
            DefinedValue::Within(_) => None,
            DefinedValue::Remainder(of, by) => {
                let of = self.resolved(state, of);
                let range = range(state, &of)?;
                let quotient = quotient(range, *by);
                if quotient.count() == Some(1) {
                    return of.plus(-quotient.low(), &Form::number(*by)?);
                }
                state.restrict(variable, Interval::new(0, by - 1)?);
                if range.low() >= 0 {
                    self.assume_linear(state, &Constraint::at_most(Form::variable(variable).plus(-1, &of)?));
                }
                None
            }
            DefinedValue::Quotient(of, by) => {
                let of = self.resolved(state, of);
                let quotient = quotient(range(state, &of)?, *by);
                if quotient.count() == Some(1) {
                    return Form::number(quotient.low());
                }
                state.restrict(variable, quotient);
                // 0 <= of - by · quotient <= by - 1
                let rest = of.plus(-by, &Form::variable(variable))?;
                self.assume_linear(state, &Constraint::at_most(rest.negated()));
                self.assume_linear(state, &Constraint::at_most(rest.plus(-(by - 1), &Form::number(1)?)?));
                None
            }
            DefinedValue::Product(left, right) => {
                let (left, right) = (self.resolved(state, left), self.resolved(state, right));
                let ranges = (range(state, &left)?, range(state, &right)?);
                for (range, other) in [(ranges.0, &right), (ranges.1, &left)] {
                    if range.count() == Some(1) {
                        return Form::number(0)?.plus(range.low(), other);
                    }
                }
                state.restrict(variable, product(ranges.0, ranges.1));
                None
            }
            DefinedValue::Either(left, right) => {
                let (left, right) = (self.resolved(state, left), self.resolved(state, right));
                let ranges = (range(state, &left)?, range(state, &right)?);
                state.restrict(variable, ranges.0.hull(ranges.1));
                None
            }
        }
    }
}

/// Whether a condition is a constraint of several variables.
fn relates(condition: &Condition) -> bool {
    matches!(condition, Condition::Atom(constraint) if constraint.form.terms().len() > 1)
}

/// The ranges of the variables of a form; none if one has no value.
fn known<D: Valuations>(state: &D, form: &Form) -> Option<Vec<Interval>> {
    form.variables().map(|variable| state.within(variable, Interval::ALL)).collect()
}

/// Which values a form can have; none if a variable of it has no value.
fn range<D: Valuations>(state: &D, form: &Form) -> Option<Interval> {
    Some(state.bounds(form, form.range(&known(state, form)?)))
}

/// Quotients of a range by a positive number, rounded downwards.
fn quotient(range: Interval, by: i128) -> Interval {
    let low = if range.low() == i128::MIN { i128::MIN } else { range.low().div_euclid(by) };
    let high = if range.high() == i128::MAX { i128::MAX } else { range.high().div_euclid(by) };
    Interval::new(low, high).expect("division by a positive number keeps the order")
}

/// Products of two ranges.
fn product(left: Interval, right: Interval) -> Interval {
    let corners = [
        (left.low(), right.low()),
        (left.low(), right.high()),
        (left.high(), right.low()),
        (left.high(), right.high()),
    ];
    if left.is_bounded() && right.is_bounded() {
        let products: Option<Vec<i128>> = corners.iter().map(|(left, right)| left.checked_mul(*right)).collect();
        if let Some(products) = products {
            let (low, high) = (products.iter().min().copied(), products.iter().max().copied());
            return Interval::new(low.expect("there are four"), high.expect("there are four")).expect("in order");
        }
    }
    let is_negative = |range: Interval| range.high() <= 0;
    let is_positive = |range: Interval| range.low() >= 0;
    let open = if (is_positive(left) && is_positive(right)) || (is_negative(left) && is_negative(right)) {
        Interval::new(0, i128::MAX)
    } else if (is_positive(left) && is_negative(right)) || (is_negative(left) && is_positive(right)) {
        Interval::new(i128::MIN, 0)
    } else {
        None
    };
    open.unwrap_or(Interval::ALL)
}
