//! What domains know, as terms of logic: none of them follows from the others of the same domain, nor, where that is easy
//! to see, from those of another.

use std::collections::BTreeMap;

use logic::{Sort, Symbol, Term, Terms};

use super::congruences::Congruence;
use super::form::Form;
use crate::numbers::Interval;

/// A variable is `sign · variable + offset`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Definition {
    /// 1 or -1.
    pub sign: i128,
    /// The other variable.
    pub variable: usize,
    /// The difference.
    pub offset: i128,
}

/// The constraints that have been said.
pub struct Output<'a> {
    terms: &'a Terms,
    symbols: &'a [Symbol],
    ranges: &'a [Interval],
    definitions: BTreeMap<usize, Definition>,
    congruences: BTreeMap<usize, Congruence>,
    found: Vec<Term>,
}

impl<'a> Output<'a> {
    /// Nothing has been said about the variables with these symbols, whose ranges are known to everyone.
    pub fn new(terms: &'a Terms, symbols: &'a [Symbol], ranges: &'a [Interval]) -> Self {
        let (definitions, congruences) = (BTreeMap::new(), BTreeMap::new());
        Self { terms, symbols, ranges, definitions, congruences, found: Vec::new() }
    }

    /// A variable is another one up to sign and offset. Must be said before what is said of single variables.
    pub fn definition(&mut self, variable: usize, definition: Definition) {
        let other = self.terms.scale(definition.sign.into(), self.variable(definition.variable));
        let value = self.terms.add([other, self.terms.integer(definition.offset)]);
        self.found.push(self.terms.equal(self.variable(variable), value));
        self.definitions.insert(variable, definition);
    }

    /// A sum of variables has an upper bound.
    pub fn at_most(&mut self, summands: &[(i128, usize)], bound: i128) {
        let summands = summands.iter().map(|(factor, at)| self.terms.scale((*factor).into(), self.variable(*at)));
        let sum = self.terms.add(summands.collect::<Vec<_>>());
        self.found.push(self.terms.less_equal(sum, self.terms.integer(bound)));
    }

    /// A variable is in a range.
    pub fn range(&mut self, variable: usize, range: Interval) {
        let term = self.variable(variable);
        if self.terms.sort(term) == Sort::Bool {
            if range.count() == Some(1) {
                self.found.push(if range.low() == 0 { self.terms.not(term) } else { term });
            }
            return;
        }
        if let Some(Definition { sign, variable: other, offset }) = self.definitions.get(&variable)
            && let Some(form) = Form::number(*offset).and_then(|form| form.plus(*sign, &Form::variable(*other)))
            && form.range(&[self.ranges[*other]]).is_inside(range)
        {
            return;
        }
        if range.low() != i128::MIN {
            self.found.push(self.terms.greater_equal(term, self.terms.integer(range.low())));
        }
        if range.high() != i128::MAX {
            self.found.push(self.terms.less_equal(term, self.terms.integer(range.high())));
        }
    }

    /// A variable has a residue. Single integers are left to ranges.
    pub fn congruence(&mut self, variable: usize, congruence: Congruence) {
        let term = self.variable(variable);
        let is_of_interest = congruence.modulus() > 1 && self.ranges[variable].count() != Some(1);
        if !is_of_interest || self.terms.sort(term) == Sort::Bool {
            return;
        }
        self.congruences.insert(variable, congruence);
        if let Some(Definition { sign, variable: other, offset }) = self.definitions.get(&variable)
            && let Some(other) = self.congruences.get(other)
            && Congruence::new(other.modulus(), sign * other.residue() + offset).is_inside(congruence)
        {
            return;
        }
        let remainder = self.terms.modulo(term, self.terms.integer(congruence.modulus()));
        self.found.push(self.terms.equal(remainder, self.terms.integer(congruence.residue())));
    }

    /// The conjunction of all that was said.
    pub fn conjunction(self) -> Term {
        self.terms.and(self.found)
    }

    fn variable(&self, variable: usize) -> Term {
        self.terms.variable(self.symbols[variable])
    }
}
