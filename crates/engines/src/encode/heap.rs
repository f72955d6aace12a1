//! Lifetimes: what new objects hold, and what ends with them.
//!
//! A heap object is encoded where it is made at most once, so that one set of symbols is enough; whether it lives is a
//! symbol too. A local object may end only where no pointer to it matters any more.

use analysis::points_to::Pointee;
use logic::{Sort, Term};
use program::{Allocation, EdgeId, ExprId, LocationId, Place, VariableId};
use task::Reason;

use super::edge::Contents;
use super::expression::Encoder;
use super::memory::MemoryCell;
use super::step::Transition;
use super::vocabulary::Vocabulary;

/// What the cells of a new object hold.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// Anything.
    Anything,
    /// Zeros.
    Zeros,
}

/// For arrays of more elements than this, nothing is said about the range of arbitrary elements.
const MOST_RANGES: usize = 32;

/// All cells of an object hold something new; what that is, where it is arbitrary, is added to the contents.
pub fn forgotten(
    encoder: &Encoder<'_, '_>,
    object: Pointee,
    held: Held,
    contents: &mut Vec<Contents>,
) -> Result<Transition, Reason> {
    let vocabulary = encoder.vocabulary;
    let (program, terms) = (vocabulary.program(), vocabulary.terms);
    let Some(layout) = vocabulary.memory.layout(object) else {
        return encoder.refuse("an object in memory whose parts cannot be told apart");
    };
    let mut step = Transition::skip(terms);
    let mut guards = Vec::new();
    for (cell, scalar) in layout.cells() {
        let symbol = vocabulary.cell_symbol(object, cell, encoder.span)?;
        let name = format!("{}?", terms.name(symbol));
        let zero = if scalar == program::Scalar::Bool { terms.truth(false) } else { terms.integer(0) };
        if !matches!(cell, MemoryCell::Many(_)) {
            if held == Held::Zeros {
                step.updates.insert(symbol, zero);
                continue;
            }
            let (input, range) = vocabulary.arbitrary(&name, scalar);
            guards.push(range);
            step.inputs.insert(input);
            step.updates.insert(symbol, terms.variable(input));
            contents.push(Contents { object, cell, symbol: input, stride: 1 });
            continue;
        }
        let input = terms.symbol(&name, terms.sort_of_symbol(symbol));
        step.inputs.insert(input);
        step.updates.insert(symbol, terms.variable(input));
        let width = program.types.scalar_bits(scalar) / 8;
        let is_counted = matches!(object, Pointee::Variable(variable) if vocabulary.scale(variable, scalar) == 1);
        let stride = if is_counted { width } else { 1 };
        if held == Held::Anything {
            contents.push(Contents { object, cell, symbol: input, stride });
        }
        let offsets: Vec<u64> = layout.offsets(cell).collect();
        if held == Held::Anything && (offsets.len() > MOST_RANGES || !vocabulary.is_machine()) {
            continue;
        }
        for offset in offsets {
            let element = terms.select(terms.variable(input), terms.integer(offset / stride));
            guards.push(match held {
                Held::Zeros => terms.equal(element, zero),
                Held::Anything => vocabulary.range(scalar, element),
            });
        }
    }
    step.guard = terms.and(guards);
    Ok(step)
}

/// Makes a heap object; when that is defined.
pub fn allocate(
    encoder: &Encoder<'_, '_>,
    edge: EdgeId,
    target: VariableId,
    held: &Allocation,
    contents: &mut Vec<Contents>,
) -> Result<(Transition, Term), Reason> {
    let vocabulary = encoder.vocabulary;
    let terms = vocabulary.terms;
    let object = Pointee::Heap(edge);
    if vocabulary.memory.layout(object).is_none() {
        return encoder.refuse("memory on the heap without a bound, or whose parts cannot be told apart");
    }
    if !vocabulary.addresses_are_apart() {
        return encoder.refuse("memory on the heap where there are addresses that are numbers");
    }
    let mut step = match held {
        Allocation::Arbitrary => forgotten(encoder, object, Held::Anything, contents)?,
        Allocation::Zeroed => forgotten(encoder, object, Held::Zeros, contents)?,
        Allocation::Resized(_) => return encoder.refuse("memory on the heap that is resized"),
    };
    let mut address = terms.integer(vocabulary.memory.base(object));
    let mut lives = terms.truth(true);
    if vocabulary.prepared.semantics.malloc_may_fail {
        let fails = terms.symbol("malloc-fails", Sort::Bool);
        step.inputs.insert(fails);
        // Whether it fails is not among what is asked for, so that no execution can be told.
        step.is_approximate = true;
        address = terms.ite(terms.variable(fails), terms.integer(0), address);
        lives = terms.not(terms.variable(fails));
    }
    if vocabulary.memory.is_freed(object) {
        step.updates.insert(vocabulary.cell_symbol(object, MemoryCell::Alive, encoder.span)?, lives);
    }
    let place = Place::variable(target, vocabulary.program().variables[target].ty);
    let access = encoder.access(&place, true)?;
    encoder.write(&mut step.updates, &access, address);
    Ok((step, access.defined))
}

/// Ends the lifetime of a heap object; when that is defined.
pub fn free(encoder: &Encoder<'_, '_>, address: ExprId) -> Result<(Transition, Term), Reason> {
    let vocabulary = encoder.vocabulary;
    let terms = vocabulary.terms;
    let pointer = encoder.encode(address)?;
    let mut step = Transition::skip(terms);
    let mut ways = vec![terms.equal(pointer.term, terms.integer(0))];
    for &object in vocabulary.memory.points_to().of(address).objects.keys() {
        if !matches!(object, Pointee::Heap(_)) {
            continue;
        }
        if vocabulary.memory.layout(object).is_none() {
            return encoder.refuse("memory on the heap without a bound, or whose parts cannot be told apart");
        }
        let alive = vocabulary.cell_symbol(object, MemoryCell::Alive, encoder.span)?;
        let is_meant = terms.equal(pointer.term, terms.integer(vocabulary.memory.base(object)));
        ways.push(terms.and([is_meant, terms.variable(alive)]));
        step.updates.insert(alive, terms.and([terms.variable(alive), terms.not(is_meant)]));
    }
    Ok((step, terms.and([pointer.defined, terms.or(ways)])))
}

/// Whether a pointer to a variable whose lifetime has ended may still be used.
pub fn may_dangle(vocabulary: &Vocabulary<'_>, variable: VariableId, after: LocationId) -> bool {
    let mut holders = vocabulary.memory.points_to().holders(Pointee::Variable(variable));
    holders.any(|holder| match holder {
        Pointee::Variable(holder) => {
            holder != variable && (vocabulary.is_live(after, holder) || vocabulary.is_observed(after, holder))
        }
        Pointee::Heap(_) => true,
    })
}
