//! What the proof knew of the program's states beforehand, as invariants: values that constant propagation found, ranges,
//! and where pointers lead. What is not kept by the program's steps is dropped by whoever checks the proof.

use std::collections::HashMap;

use analysis::points_to::Object as Pointed;
use logic::{Symbol, Term};
use num_bigint::BigInt;
use program::passes::Prepared;
use program::passes::constants::{KnownValue, constants, known_values};
use program::passes::promote::promote;
use program::passes::slice::slice;
use program::{LocationId, Op, Scalar, VariableId};

use super::super::invariants::{is_set_at, ranges_at};
use super::super::product::Place;
use super::Proof;
use crate::encode::vocabulary::{Bounds, Shape};

/// How often the passes are run again to know what they knew.
const MOST_ROUNDS: usize = 4;

/// Of longer arrays nothing is said element by element.
const MOST_ELEMENTS: u64 = 32;

impl Proof<'_, '_> {
    /// What ranges and points-to say of the variables that matter at a place.
    pub(super) fn known_at(&self, place: Place) -> Vec<Term> {
        if place == Place::Start {
            return Vec::new();
        }
        let of_variables = ranges_at(self.vocabulary, place).into_iter();
        of_variables
            .chain(self.addresses_at(place))
            .chain(self.values_at(place))
            .chain(self.bounds_at(place))
            .chain(self.elements_at(place))
            .collect()
    }

    /// What ranges say of the elements of short arrays at a place, where that is more than the type says.
    fn elements_at(&self, place: Place) -> Vec<Term> {
        let program = self.vocabulary.program();
        let mut found = Vec::new();
        for (variable, symbol) in self.vocabulary.named() {
            let Ok(Shape::Array { element: Scalar::Int(ty), length }) =
                self.vocabulary.shape(variable, program.variables[variable].span)
            else {
                continue;
            };
            if length > MOST_ELEMENTS {
                continue;
            }
            let (bounds, values) = (self.vocabulary.bounds(variable), self.vocabulary.few_values(variable));
            let bounds = Some(bounds).filter(|bounds| !self.vocabulary.is_machine() || *bounds != Bounds::of_type(ty));
            let here = match place {
                Place::At(location) => self.vocabulary.values_at(location, variable),
                _ => None,
            };
            let scale = self.vocabulary.scale(variable, Scalar::Int(ty));
            for index in 0..length {
                let index = self.terms.integer(index * scale);
                let element = self.terms.select(self.terms.variable(symbol), index);
                found.extend(bounds.iter().flat_map(|it| self.terms.conjuncts(it.hold_for(self.terms, element))));
                found.extend(values.iter().map(|values| self.is_one_of(element, values)));
                found.extend(here.and_then(|here| match (here.explicit(), here.bounds()) {
                    (Some(values), _) => Some(self.is_one_of(element, values)),
                    (None, Some(bounds)) if bounds.is_bounded() => {
                        Some(self.is_between(bounds.low(), element, bounds.high()))
                    }
                    _ => None,
                }));
            }
        }
        found
    }

    /// Where pointers lead that matter at a place.
    fn addresses_at(&self, place: Place) -> Vec<Term> {
        let is_pointer = |symbol: Symbol| self.vocabulary.scalar_of(symbol) == Some(Scalar::Pointer);
        let variables = self.vocabulary.named().into_iter();
        let variables = variables.map(|(variable, symbol)| (Pointed::Variable(variable), symbol));
        let cells = self.vocabulary.cells().into_iter().map(|(object, _, symbol)| (object, symbol));
        let is_set = |symbol: Symbol| is_set_at(self.vocabulary, place, symbol);
        let pointers = variables.chain(cells).filter(|(_, symbol)| is_pointer(*symbol) && is_set(*symbol));
        pointers.flat_map(|(object, symbol)| self.leads(object, symbol)).collect()
    }

    /// The values that variables can have at a place, where these are few and no interval.
    fn values_at(&self, place: Place) -> Vec<Term> {
        let named = self.vocabulary.named().into_iter();
        let set = named.filter(|(_, symbol)| is_set_at(self.vocabulary, place, *symbol));
        let one_of = |(variable, symbol): (VariableId, Symbol)| {
            let values = self.vocabulary.few_values(variable)?;
            self.vocabulary.scalar_of(symbol).filter(|scalar| matches!(scalar, Scalar::Int(_)))?;
            Some(self.is_one_of(self.terms.variable(symbol), values))
        };
        set.filter_map(one_of).collect()
    }

    /// What ranges say of scalars where control is, beside what they say of them anywhere: that may be why they say so.
    fn bounds_at(&self, place: Place) -> Vec<Term> {
        let Place::At(location) = place else { return Vec::new() };
        let named = self.vocabulary.named().into_iter();
        let set = named.filter(|(_, symbol)| is_set_at(self.vocabulary, place, *symbol));
        let bounded = |(variable, symbol): (VariableId, Symbol)| {
            self.vocabulary.scalar_of(symbol).filter(|scalar| matches!(scalar, Scalar::Int(_)))?;
            let here = self.vocabulary.values_at(location, variable)?;
            let number = self.terms.variable(symbol);
            match (here.explicit(), here.bounds()) {
                (Some(values), _) => Some(self.is_one_of(number, values)),
                (None, Some(bounds)) if bounds.is_bounded() => {
                    Some(self.is_between(bounds.low(), number, bounds.high()))
                }
                _ => None,
            }
        };
        set.filter_map(bounded).flat_map(|known| self.terms.conjuncts(known)).collect()
    }

    fn is_between(&self, low: i128, number: Term, high: i128) -> Term {
        let terms = self.terms;
        terms.and([terms.less_equal(terms.integer(low), number), terms.less_equal(number, terms.integer(high))])
    }

    fn is_one_of(&self, number: Term, values: &[i128]) -> Term {
        self.terms.or(values.iter().map(|&value| self.terms.equal(number, self.terms.integer(value))))
    }

    /// Where a pointer leads that an object holds, and that a machine has no larger numbers than it has.
    fn leads(&self, holder: Pointed, symbol: Symbol) -> Vec<Term> {
        let (terms, memory) = (self.terms, &self.vocabulary.memory);
        let Some(targets) = memory.points_to().contents(holder).filter(|targets| !targets.others) else {
            return Vec::new();
        };
        let pointer = terms.variable(symbol);
        let (mut ways, mut bounded) = (Vec::new(), Vec::new());
        if targets.numbers {
            let from_null = terms.less_equal(terms.integer(0), pointer);
            let last = (BigInt::from(1) << self.vocabulary.program().types.data_model().pointer_bits()) - 1;
            ways.push(from_null);
            bounded.push(terms.and([from_null, terms.less_equal(pointer, terms.integer(last))]));
        }
        for (&object, offsets) in &targets.objects {
            for offsets in offsets {
                if offsets.modulus != 0 {
                    return Vec::new();
                }
                let there = terms.equal(pointer, terms.integer(memory.base(object) + offsets.remainder));
                ways.push(there);
                bounded.push(there);
            }
        }
        // Both, since what a pointer wraps around to is not known: then the second one is not kept.
        let (ways, bounded) = (terms.or(ways), terms.or(bounded));
        if ways == bounded { vec![ways] } else { vec![ways, bounded] }
    }
}

/// What is known at a location of the inlined program: the values of scalars, by their variable and their offset in bits.
pub(super) type KnownAt = HashMap<LocationId, Vec<((VariableId, u64), KnownValue)>>;

/// What the passes know of values, in the rounds in which they find it out: before and after what is constant was put in.
pub(super) fn known_by_passes(inlined: &Prepared) -> KnownAt {
    let mut found = KnownAt::new();
    let mut prepared = inlined.clone();
    for _ in 0..MOST_ROUNDS {
        let before: Vec<Op> = prepared.program.edges.values().map(|edge| edge.op.clone()).collect();
        prepared = promote(prepared);
        collect_known(&prepared, &mut found);
        prepared = constants(prepared);
        collect_known(&prepared, &mut found);
        prepared = slice(prepared);
        if prepared.program.edges.values().map(|edge| &edge.op).eq(&before) {
            break;
        }
    }
    found
}

/// What is known of the variables that a program still uses; what it does not use may have lost its initial value.
fn collect_known(prepared: &Prepared, found: &mut KnownAt) {
    let used = prepared.used_variables();
    for (location, known) in known_values(prepared).iter() {
        let Some(location) = prepared.inlined.locations[location] else { continue };
        for (variable, value) in known.iter().flatten().filter(|(variable, _)| used.contains(variable)) {
            let cell = prepared.inlined.parts.get(variable).copied().unwrap_or((*variable, 0));
            let entry = (cell, value.clone());
            let all = found.entry(location).or_default();
            if !all.contains(&entry) {
                all.push(entry);
            }
        }
    }
}
