//! Queries over integers that have bounds, as bit-vectors alone.
//!
//! Where a query has operations on bits, arithmetic over the integers and conversions from one world to the other stand
//! in one formula, and a solver that is good at both is good at neither. But in a program of machine integers every
//! number has bounds. So they are looked for among what the query says; then there is a width in which nothing that the
//! query computes overflows, and in two's complement of that width every operation on integers is one on bits. The query
//! has a model over the integers if and only if it has one so: bounds follow from the query, and they are asserted.

use foundation::collections::HashMap;
use logic::{Symbol, Term, Terms, Value};
use num_bigint::BigInt;
use num_traits::One;
use z3::ast::{Bool, Dynamic};

use super::bounds::Bounds;
use super::constants::Propagated;
use super::writer::Writer;

/// Wider numbers than this, in bits, are left to arithmetic.
const MOST_BITS: u64 = 192;

/// A query as bit-vectors.
pub(crate) struct Finite {
    width: u32,
    /// What the query says, each with the position of the formula that says it.
    pub members: Vec<(usize, Bool)>,
    /// What bounds say of the symbols.
    pub bounds: Vec<Bool>,
    /// Which of the formulas, by their positions, were needed to find constants and bounds.
    pub bounding: Vec<usize>,
    /// What the query says as well, but cannot be written as bits.
    pub rest: Vec<Term>,
    /// The symbols whose values the query says.
    pub constants: HashMap<Symbol, Value>,
    symbols: Vec<(Symbol, Dynamic)>,
}

impl Finite {
    /// A query as bit-vectors, as far as it can be.
    pub fn new(terms: &Terms, query: Propagated) -> Self {
        let Propagated { members, constants, mut useful } = query;
        let mut bounds = Bounds::new(terms);
        let all: Vec<Term> = members.iter().map(|(_, member)| *member).collect();
        useful.extend(bounds.learn(&members, &terms.subterms(&all)));
        useful.sort_unstable();
        useful.dedup();
        let (mut bits, mut written, mut rest) = (1, Vec::new(), Vec::new());
        for (position, member) in members {
            let parts = terms.subterms(&[member]);
            let needed = parts
                .iter()
                .map(|&part| bounds.bits_of(part, part == member))
                .try_fold(1, |most, bits| Some(u64::max(most, bits?)));
            match needed.filter(|needed| needed + 2 <= MOST_BITS) {
                Some(needed) => {
                    bits = bits.max(needed);
                    written.push((position, member));
                }
                None => rest.push(member),
            }
        }
        // One more for the sign, and one for the negation of the least number.
        let width = bits as u32 + 2;
        let mut writer = Writer::new(terms, width);
        let all: Vec<Term> = written.iter().map(|(_, member)| *member).collect();
        for part in terms.subterms(&all) {
            writer.write(part, &mut bounds);
        }
        let members = written.into_iter().map(|(position, member)| (position, writer.truth(member))).collect();
        let Writer { symbols, bounds, .. } = writer;
        Self { width, members, bounds, bounding: useful, rest, constants, symbols }
    }

    /// The symbols with the terms that stand for them.
    pub fn symbols(&self) -> &[(Symbol, Dynamic)] {
        &self.symbols
    }

    /// A value as bit-vectors have it, of an integer or an array of integers.
    pub fn number(&self, value: Value) -> Value {
        match value {
            Value::Bits { width, value } if width == self.width => {
                let is_negative = value.bit(u64::from(width) - 1);
                Value::Int(if is_negative { value - (BigInt::one() << width) } else { value })
            }
            Value::Array { default, entries } => {
                let mut array = Value::Array { default: Box::new(self.number(*default)), entries: Default::default() };
                for (index, element) in entries {
                    let changed = array.with_element(self.number(index), self.number(element));
                    array = changed.expect("it is an array");
                }
                array
            }
            value => value,
        }
    }
}
