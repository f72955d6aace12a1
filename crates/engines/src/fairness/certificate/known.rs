//! What the proof knew of the program's states beforehand, as invariants: values that constant propagation found, ranges,
//! and where pointers lead. What is not kept by the program's steps is dropped by whoever checks the proof.

use analysis::numbers::Values;
use analysis::points_to::Pointee as Pointed;
use foundation::collections::HashMap;
use logic::{Symbol, Term};
use num_bigint::BigInt;
use program::passes::Prepared;
use program::passes::constants::{KnownValue, constants, known_values};
use program::passes::promote::promote;
use program::passes::slice::slice;
use program::{LocationId, Op, Scalar, VariableId};

use super::super::invariants::{is_set_at, ranges_at};
use super::super::product::Control;
use super::ProofParts;
use crate::encode::memory::MemoryCell;
use crate::encode::vocabulary::{Bounds, Shape};

/// How often the passes are run again to know what they knew.
const MOST_ROUNDS: usize = 4;

/// Of longer arrays nothing is said element by element.
const MOST_ELEMENTS: u64 = 32;

impl ProofParts<'_, '_> {
    /// What ranges and points-to say of the variables that matter at a place.
    pub(super) fn known_at(&self, place: Control) -> Vec<Term> {
        if place == Control::Start {
            return Vec::new();
        }
        let of_variables = ranges_at(self.vocabulary, place).into_iter();
        of_variables
            .chain(self.addresses_at(place))
            .chain(self.values_at(place))
            .chain(self.bounds_at(place))
            .chain(self.elements_at(place))
            .chain(self.parts())
            .collect()
    }

    /// What ranges say of the elements of short arrays at a place, where that is more than the type says.
    fn elements_at(&self, place: Control) -> Vec<Term> {
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
                Control::At(location) => self.vocabulary.values_at(location, variable),
                _ => None,
            };
            let scale = self.vocabulary.scale(variable, Scalar::Int(ty));
            for index in 0..length {
                let element = self.element(symbol, index * scale);
                found.extend(bounds.iter().flat_map(|it| self.terms.conjuncts(it.hold_for(self.terms, element))));
                found.extend(values.iter().map(|values| self.is_one_of(element, values)));
                found.extend(here.and_then(|here| self.is_among(element, here)));
            }
        }
        found
    }

    /// What ranges say of the parts of records and of short arrays of them. What it says of locals before they are set is
    /// not kept.
    fn parts(&self) -> Vec<Term> {
        let mut found = Vec::new();
        for (object, cell, symbol) in self.vocabulary.cells() {
            let (Pointed::Variable(variable), Some(layout)) = (object, self.vocabulary.memory.layout(object)) else {
                continue;
            };
            let offsets: Vec<u64> = layout.offsets(cell).collect();
            if offsets.len() as u64 > MOST_ELEMENTS || !matches!(layout.cells().get(&cell), Some(Scalar::Int(_))) {
                continue;
            }
            for offset in offsets {
                let Some(values) = self.vocabulary.values_at_offset(variable, offset) else { continue };
                let number = match cell {
                    MemoryCell::One(_) => self.terms.variable(symbol),
                    MemoryCell::Many(_) => self.element(symbol, offset),
                    MemoryCell::Alive => continue,
                };
                found.extend(self.is_among(number, values));
            }
        }
        found.into_iter().flat_map(|known| self.terms.conjuncts(known)).collect()
    }

    /// Where pointers lead that matter at a place, those in short arrays included.
    fn addresses_at(&self, place: Control) -> Vec<Term> {
        let is_set = |symbol: Symbol| is_set_at(self.vocabulary, place, symbol);
        let named = self.vocabulary.named().into_iter().filter(|(_, symbol)| is_set(*symbol));
        let variables = named.flat_map(|(variable, symbol)| {
            let of = Pointed::Variable(variable);
            let span = self.vocabulary.program().variables[variable].span;
            let pointers = match self.vocabulary.shape(variable, span) {
                Ok(Shape::Scalar(Scalar::Pointer)) => vec![self.terms.variable(symbol)],
                Ok(Shape::Array { element: Scalar::Pointer, length }) if length <= MOST_ELEMENTS => {
                    let scale = self.vocabulary.scale(variable, Scalar::Pointer);
                    (0..length).map(|index| self.element(symbol, index * scale)).collect()
                }
                _ => Vec::new(),
            };
            pointers.into_iter().map(move |pointer| (of, pointer))
        });
        let cells = self.vocabulary.cells().into_iter().filter(|(.., symbol)| is_set(*symbol));
        let cells = cells.flat_map(|(of, cell, symbol)| {
            let layout = self.vocabulary.memory.layout(of);
            let is_pointer = layout.is_some_and(|layout| layout.cells().get(&cell) == Some(&Scalar::Pointer));
            let pointers = match (cell, layout) {
                (MemoryCell::One(_), _) if is_pointer => vec![self.terms.variable(symbol)],
                (MemoryCell::Many(_), Some(layout)) if is_pointer => {
                    let offsets: Vec<u64> = layout.offsets(cell).collect();
                    let is_short = offsets.len() as u64 <= MOST_ELEMENTS;
                    offsets.into_iter().filter(|_| is_short).map(|offset| self.element(symbol, offset)).collect()
                }
                _ => Vec::new(),
            };
            pointers.into_iter().map(move |pointer| (of, pointer))
        });
        variables.chain(cells).flat_map(|(holder, pointer)| self.leads(holder, pointer)).collect()
    }

    /// What an array holds at an index.
    fn element(&self, array: Symbol, index: u64) -> Term {
        self.terms.select(self.terms.variable(array), self.terms.integer(index))
    }

    /// The values that variables can have at a place, where these are few and no interval.
    fn values_at(&self, place: Control) -> Vec<Term> {
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
    fn bounds_at(&self, place: Control) -> Vec<Term> {
        let Control::At(location) = place else { return Vec::new() };
        let named = self.vocabulary.named().into_iter();
        let set = named.filter(|(_, symbol)| is_set_at(self.vocabulary, place, *symbol));
        let bounded = |(variable, symbol): (VariableId, Symbol)| {
            self.vocabulary.scalar_of(symbol).filter(|scalar| matches!(scalar, Scalar::Int(_)))?;
            let here = self.vocabulary.values_at(location, variable)?;
            self.is_among(self.terms.variable(symbol), here)
        };
        set.filter_map(bounded).flat_map(|known| self.terms.conjuncts(known)).collect()
    }

    /// Says that a number is one of these values, where they are bounded.
    fn is_among(&self, number: Term, values: &Values) -> Option<Term> {
        match (values.explicit(), values.bounds()) {
            (Some(values), _) => Some(self.is_one_of(number, values)),
            (None, Some(bounds)) if bounds.is_bounded() => Some(self.is_between(bounds.low(), number, bounds.high())),
            _ => None,
        }
    }

    fn is_between(&self, low: i128, number: Term, high: i128) -> Term {
        let terms = self.terms;
        terms.and([terms.less_equal(terms.integer(low), number), terms.less_equal(number, terms.integer(high))])
    }

    fn is_one_of(&self, number: Term, values: &[i128]) -> Term {
        self.terms.or(values.iter().map(|&value| self.terms.equal(number, self.terms.integer(value))))
    }

    /// Where a pointer leads that an object holds, that a machine has no larger numbers than it has, and that there is an
    /// object where it leads.
    fn leads(&self, holder: Pointed, pointer: Term) -> Vec<Term> {
        let (terms, memory) = (self.terms, &self.vocabulary.memory);
        let Some(targets) = memory.points_to().contents(holder).filter(|targets| !targets.others) else {
            return Vec::new();
        };
        let (mut ways, mut bounded, mut inside) = (Vec::new(), Vec::new(), Vec::new());
        if targets.numbers {
            let from_null = terms.less_equal(terms.integer(0), pointer);
            let last = (BigInt::from(1) << self.vocabulary.program().types.data_model().pointer_bits()) - 1;
            ways.push(from_null);
            bounded.push(terms.and([from_null, terms.less_equal(pointer, terms.integer(last))]));
        }
        for (&object, offsets) in &targets.objects {
            for offsets in offsets {
                let first = terms.integer(memory.base(object) + offsets.remainder);
                let (there, object_is_there) = match (offsets.modulus, memory.layout(object)) {
                    (0, _) => (terms.equal(pointer, first), terms.equal(pointer, first)),
                    (modulus, Some(layout)) => {
                        let end = terms.integer(memory.base(object) + layout.size);
                        let apart = terms.modulo(terms.subtract(pointer, first), terms.integer(modulus));
                        let from_base = terms.less_equal(terms.integer(memory.base(object)), pointer);
                        let aligned = terms.and([from_base, terms.equal(apart, terms.integer(0))]);
                        let within = |bound| terms.and([aligned, bound]);
                        (within(terms.less_equal(pointer, end)), within(terms.less(pointer, end)))
                    }
                    (_, None) => return Vec::new(),
                };
                ways.push(there);
                bounded.push(there);
                inside.push(object_is_there);
            }
        }
        // All of them, since each holds at fewer places: what a pointer wraps around to is not known, and that there is an
        // object is known only where it was used. What does not hold is not kept.
        let alternatives = [ways, bounded, inside].into_iter().filter(|ways| !ways.is_empty());
        let mut found: Vec<Term> = alternatives.map(|ways| terms.or(ways)).collect();
        found.dedup();
        found
    }
}

/// What is known at a location of the inlined program: the values of scalars, by their variable and their offset in bits.
pub(super) type KnownAt = HashMap<LocationId, Vec<((VariableId, u64), KnownValue)>>;

/// What the passes know of values, in the rounds in which they find it out: before and after what is constant was put in.
pub(super) fn known_by_passes(inlined: &Prepared) -> KnownAt {
    let mut found = KnownAt::default();
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
        let Some(location) = prepared.back.location(location) else { continue };
        for (variable, value) in known.iter().flatten().filter(|(variable, _)| used.contains(variable)) {
            let entry = (prepared.back.variable(*variable), value.clone());
            let all = found.entry(location).or_default();
            if !all.contains(&entry) {
                all.push(entry);
            }
        }
    }
}
