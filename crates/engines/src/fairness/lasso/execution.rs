//! Concrete executions of lassos: states, iterations, and what they need of the outside world.

use std::collections::{BTreeMap, BTreeSet};

use foundation::collections::HashMap;
use logic::{Symbol, Term, Terms, Value};
use smt::Model;

use super::Lasso;
use crate::encode::step::Transition;

/// Values of symbols.
pub type Valuation = BTreeMap<Symbol, Value>;

/// The value of a symbol, or the default of its sort: nothing depends on what is not mentioned.
pub fn value_of(terms: &Terms, values: &Valuation, symbol: Symbol) -> Value {
    values.get(&symbol).cloned().unwrap_or_else(|| Value::default_of(&terms.sort_of_symbol(symbol)))
}

/// Numbers with more bits than this are not computed with: repeated squaring would never end.
const MOST_BITS: u64 = 1 << 16;

/// The state after a step from a state with some inputs; `None` where the guard does not hold or has no value, and
/// where numbers become absurdly large.
pub fn apply(terms: &Terms, step: &Transition, state: &Valuation, inputs: &Valuation) -> Option<Valuation> {
    let values = |symbol: Symbol| {
        let values = if step.inputs.contains(&symbol) { inputs } else { state };
        Some(value_of(terms, values, symbol))
    };
    if !terms.holds(step.guard, &values)? {
        return None;
    }
    let mut next = state.clone();
    for (&symbol, &value) in &step.updates {
        let value = terms.evaluate(value, &values)?;
        if value.as_int().is_some_and(|number| number.bits() > MOST_BITS) {
            return None;
        }
        next.insert(symbol, value);
    }
    Some(next)
}

/// The program variables that a lasso speaks of.
pub fn variables(terms: &Terms, lasso: &Lasso<'_>) -> BTreeSet<Symbol> {
    let mut found = lasso.stem.read(terms);
    found.extend(lasso.cycle.read(terms));
    found.extend(lasso.stem.updates.keys().chain(lasso.cycle.updates.keys()).copied());
    found
}

/// The value of a symbol in a model, or the default of its sort.
pub fn value_in(terms: &Terms, model: &Model, symbol: Symbol) -> Value {
    model.value(symbol).unwrap_or_else(|| Value::default_of(&terms.sort_of_symbol(symbol)))
}

/// The values of some symbols in a model.
pub fn values_in(terms: &Terms, model: &Model, symbols: impl IntoIterator<Item = Symbol>) -> Valuation {
    symbols.into_iter().map(|symbol| (symbol, value_in(terms, model, symbol))).collect()
}

/// A stem followed by copies of the cycle, over the variables before the stem.
pub struct Unrolling<'a> {
    terms: &'a Terms,
    /// The lasso.
    pub lasso: &'a Lasso<'a>,
    /// What must hold for all of it to be taken.
    pub guard: Term,
    /// The value of each variable that was written, after the stem and after each iteration.
    states: Vec<HashMap<Symbol, Term>>,
    /// For each iteration, the inputs and the symbols that stand for them.
    inputs: Vec<Vec<(Symbol, Symbol)>>,
}

impl<'a> Unrolling<'a> {
    /// The stem alone.
    pub fn new(terms: &'a Terms, lasso: &'a Lasso<'a>) -> Self {
        let after_stem = lasso.stem.updates.iter().map(|(&symbol, &value)| (symbol, value)).collect();
        Self { terms, lasso, guard: lasso.stem.guard, states: vec![after_stem], inputs: Vec::new() }
    }

    /// How many iterations there are.
    pub fn iterations(&self) -> usize {
        self.inputs.len()
    }

    /// What a term over program variables is worth in the end.
    pub fn finally(&self, term: Term) -> Term {
        self.after(self.iterations(), term)
    }

    /// One more iteration.
    pub fn iterate(&mut self) {
        let terms = self.terms;
        let cycle = self.lasso.cycle;
        let state = self.states.last().expect("there is a state after the stem");
        let copies: Vec<(Symbol, Symbol)> = (cycle.inputs.iter())
            .map(|&input| (input, terms.symbol(&terms.name(input), terms.sort_of_symbol(input))))
            .collect();
        let mut replaced = state.clone();
        replaced.extend(copies.iter().map(|&(input, copy)| (input, terms.variable(copy))));
        let mut next = state.clone();
        for (&symbol, &value) in &cycle.updates {
            next.insert(symbol, terms.substitute(value, &replaced));
        }
        self.guard = terms.and([self.guard, terms.substitute(cycle.guard, &replaced)]);
        self.states.push(next);
        self.inputs.push(copies);
    }

    /// What a term over program variables is worth after the stem and so many iterations.
    pub fn after(&self, iterations: usize, term: Term) -> Term {
        self.terms.substitute(term, &self.states[iterations])
    }

    /// That some variables have the same values after two numbers of iterations.
    pub fn is_equal(&self, one: usize, other: usize, variables: &BTreeSet<Symbol>) -> Term {
        let terms = self.terms;
        terms.and(variables.iter().map(|&symbol| {
            let variable = terms.variable(symbol);
            terms.equal(self.after(one, variable), self.after(other, variable))
        }))
    }

    /// That two iterations read the same.
    pub fn has_same_inputs(&self, one: usize, other: usize) -> Term {
        let copies = self.inputs[one].iter().zip(&self.inputs[other]);
        let equal = copies
            .map(|((_, one), (_, other))| self.terms.equal(self.terms.variable(*one), self.terms.variable(*other)));
        self.terms.and(equal)
    }

    /// The inputs of an iteration in a model.
    pub fn inputs_in(&self, model: &Model, iteration: usize) -> Valuation {
        let copies = &self.inputs[iteration];
        let values = values_in(self.terms, model, copies.iter().map(|&(_, copy)| copy));
        copies.iter().map(|&(input, copy)| (input, values[&copy].clone())).collect()
    }
}
