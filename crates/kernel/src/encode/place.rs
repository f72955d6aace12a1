//! Where a place lies, and what it takes to access it.

use logic::{Symbol, Term};
use num_bigint::BigInt;
use num_traits::{One, ToPrimitive, Zero};
use program::semantics::layout::type_of_width;
use program::{OpenEnd, Place, Root, Scalar, Selector as Inwards, Type};

use super::ObjectName;
use super::evaluation::{Encoded, Evaluation};
use super::number::{self, Number};
use program::lifetimes::Life;

/// Where a place begins.
#[derive(Clone, Copy, Debug)]
pub(super) enum PlaceStart {
    /// At an object's first byte.
    Object(ObjectName),
    /// At an address.
    Address(Term),
}

/// Where a place lies.
#[derive(Clone, Debug)]
pub(super) struct ResolvedPlace {
    pub start: PlaceStart,
    /// From the start, in whole bytes.
    pub bytes: Number,
    /// The bounds of that while no index is outside its array.
    inside: (Option<BigInt>, Option<BigInt>),
    /// The bytes are a multiple of this, and this much; of 0 where they are constant.
    stride: u64,
    remainder: BigInt,
    /// In which bit of the byte it begins.
    pub bit: u64,
    /// In bits.
    pub width: u64,
    /// Whether an index is outside its array.
    pub outside: Term,
    /// Whether an index may be large though it is not outside.
    is_open: bool,
    /// When evaluating the place is undefined.
    pub undefined: Term,
    pub registers: Vec<Symbol>,
}

/// Some bytes of an object, as an offset that lies in it.
#[derive(Clone, Debug)]
pub(super) struct Within {
    pub term: Term,
    pub low: u64,
    pub high: u64,
    pub step: u64,
    pub residue: u64,
    pub bit: u64,
    /// In bits.
    pub width: u64,
}

impl Within {
    /// Some bits at a fixed offset.
    pub fn at(term: Term, offset_bits: u64, width: u64) -> Self {
        let low = offset_bits / 8;
        Self { term, low, high: low, step: 1, residue: 0, bit: offset_bits % 8, width }
    }

    /// The offset, where there is only one.
    pub fn constant(&self) -> Option<u64> {
        (self.low == self.high).then_some(self.low)
    }

    /// The offsets that are possible between two others, the second one excluded.
    pub fn candidates(&self, from: u64, to: u64) -> impl Iterator<Item = u64> + use<> {
        let (step, residue) = (self.step.max(1), self.residue);
        let from = from.max(self.low);
        let first = from + (residue + step - from % step) % step;
        let end = to.min(self.high.saturating_add(1));
        (first..end).step_by(usize::try_from(step).unwrap_or(usize::MAX))
    }
}

impl Evaluation<'_, '_> {
    /// Where a place lies. Its operands must be encoded.
    pub(super) fn resolve(&mut self, place: &Place) -> ResolvedPlace {
        let (terms, program) = (self.terms(), self.program());
        let mut undefined = Vec::new();
        let mut registers = Vec::new();
        let (start, mut ty) = match place.root {
            Root::Variable(variable) => {
                (PlaceStart::Object(ObjectName::Variable(variable)), program.variables[variable].ty)
            }
            Root::Pointer { address, pointee } => {
                let Encoded { value, undefined: partly, registers: read } = self.operand(address);
                undefined.push(partly);
                registers.extend(read);
                (PlaceStart::Address(value.term), pointee)
            }
        };
        let mut fixed_bits = BigInt::zero();
        let mut bytes = Number::constant(terms, 0);
        let mut inside = (Some(BigInt::zero()), Some(BigInt::zero()));
        let mut stride = 0u64;
        let mut outside = Vec::new();
        let mut is_open = false;
        let mut bit_width = None;
        let mut open_end = OpenEnd::new(&place.root);
        for step in &place.path {
            bit_width = None;
            match (step, program.types.get(ty)) {
                (Inwards::Field(number), Type::Record(record)) => {
                    let field = &record.fields[*number as usize];
                    open_end.field(record, *number);
                    fixed_bits += field.offset_bits;
                    bit_width = field.bit_width;
                    ty = field.ty;
                }
                (Inwards::Index(index), &Type::Array { element, length }) => {
                    let scalar = program.exprs.ty(*index);
                    let Encoded { value, undefined: partly, registers: read } = self.operand(*index);
                    let value = self.as_number(&value, scalar);
                    undefined.push(partly);
                    registers.extend(read);
                    let size = program.types.size_bits(element).div_ceil(8);
                    let (mut low, mut high) = (value.low.clone(), value.high.clone());
                    if open_end.index(length) {
                        is_open = true;
                    } else {
                        outside.push(terms.less(value.term, terms.integer(0)));
                        outside.push(terms.greater_equal(value.term, terms.integer(length)));
                        let last: BigInt = BigInt::from(length) - 1;
                        low = Some(low.map_or(BigInt::zero(), |low| low.max(BigInt::zero())));
                        high = Some(high.map_or(last.clone(), |high| high.min(last)));
                    }
                    match value.value() {
                        Some(index) => fixed_bits += index * BigInt::from(size) * 8,
                        None => {
                            let factor = BigInt::from(size);
                            bytes = number::add(terms, &bytes, &number::scale(terms, &factor, &value));
                            let plus = |sum: Option<BigInt>, more: Option<BigInt>| Some(sum? + more? * &factor);
                            inside = (plus(inside.0, low), plus(inside.1, high));
                            stride = gcd(stride, size);
                        }
                    }
                    ty = element;
                }
                _ => unreachable!("a path follows the type"),
            }
        }
        let width = bit_width.map_or_else(|| program.types.size_bits(place.ty), u64::from);
        let bit = (&fixed_bits & BigInt::from(7)).to_u64().expect("less than 8");
        let fixed: BigInt = fixed_bits >> 3;
        bytes = number::add(terms, &bytes, &Number::constant(terms, fixed.clone()));
        inside = (inside.0.map(|low| low + &fixed), inside.1.map(|high| high + &fixed));
        ResolvedPlace {
            start,
            bytes,
            inside,
            stride,
            remainder: fixed,
            bit,
            width,
            outside: terms.or(outside),
            is_open,
            undefined: terms.or(undefined),
            registers,
        }
    }

    /// The bytes of an object that a place in it covers, and when access is undefined; none where it always is.
    pub(super) fn within(&mut self, resolved: &ResolvedPlace, object: ObjectName) -> (Option<Within>, Term) {
        let (encoding, terms) = (self.encoding, self.terms());
        let size = encoding.size(object).expect("it exists");
        let mut undefined = vec![resolved.undefined, resolved.outside];
        if let ObjectName::Variable(variable) = object {
            match encoding.lifetimes.at(encoding.prepared, variable, self.location) {
                Life::Alive => {}
                Life::Dead => undefined.push(terms.truth(true)),
                Life::Unknown => {
                    encoding.note("whether a local variable lives", self.span);
                    let dead = self.maybe();
                    undefined.push(dead);
                }
            }
        }
        let mut term = resolved.bytes.term;
        if resolved.is_open {
            let (settled, partly) = self.settled(&resolved.bytes);
            term = settled;
            undefined.push(partly);
        }
        let is_wrapped = term != resolved.bytes.term;
        let needed = (resolved.bit + resolved.width).div_ceil(8);
        let Some(last) = size.checked_sub(needed) else {
            return (None, terms.truth(true));
        };
        let (zero, end) = (BigInt::zero(), BigInt::from(last));
        let (low, high) = match is_wrapped {
            true => (zero.clone(), end.clone()),
            false => (
                resolved.inside.0.clone().map_or(zero.clone(), |low| low.max(zero.clone())),
                resolved.inside.1.clone().map_or(end.clone(), |high| high.min(end.clone())),
            ),
        };
        let is_inside = resolved.inside.0.as_ref().is_some_and(|low| *low >= zero)
            && resolved.inside.1.as_ref().is_some_and(|high| *high <= end);
        if is_wrapped || !is_inside {
            undefined.push(terms.not(encoding.between(&zero, term, &end)));
        }
        if low > high {
            return (None, terms.truth(true));
        }
        let (step, residue) = match resolved.stride {
            0 => (1, 0),
            _ if is_wrapped => (1, 0),
            stride => {
                let turn = BigInt::from(stride);
                let residue: BigInt = ((&resolved.remainder % &turn) + &turn) % &turn;
                (stride, residue.to_u64().expect("below the stride"))
            }
        };
        let number = |bound: BigInt| bound.to_u64().expect("inside the object");
        let (low, high) = (number(low), number(high));
        let (bit, width) = (resolved.bit, resolved.width);
        (Some(Within { term, low, high, step, residue, bit, width }), terms.or(undefined))
    }

    /// An offset as a pointer holds it, and when there is none.
    fn settled(&mut self, bytes: &Number) -> (Term, Term) {
        let terms = self.terms();
        let half = BigInt::one() << (self.program().types.data_model().pointer_bits() - 1);
        let (low, high) = (-&half, half - 1);
        if bytes.is_within(&low, &high) {
            return (bytes.term, terms.truth(false));
        }
        let fits = self.encoding.between(&low, bytes.term, &high);
        if !self.encoding.is_machine() {
            return (bytes.term, terms.not(fits));
        }
        let wrapped = self.anything(Scalar::Pointer).value.term;
        let range = self.encoding.between(&low, wrapped, &high);
        self.facts.push(range);
        (terms.ite(fits, bytes.term, wrapped), terms.truth(false))
    }

    /// The address of a place.
    pub(super) fn address_of(&mut self, place: &Place) -> Encoded {
        let (encoding, terms) = (self.encoding, self.terms());
        let resolved = self.resolve(place);
        let ResolvedPlace { undefined, registers, bytes, .. } = resolved.clone();
        match resolved.start {
            PlaceStart::Address(address) => {
                let is_zero = terms.equal(bytes.term, terms.integer(0));
                let (term, partly) = self.displace(address, &bytes, true);
                let partly = terms.and([terms.not(is_zero), partly]);
                let undefined = terms.or([undefined, partly]);
                Encoded { value: Number::unbounded(term), undefined, registers }
            }
            PlaceStart::Object(object) => {
                if let ObjectName::Variable(variable) = object
                    && encoding.lifetimes.at(encoding.prepared, variable, self.location) != Life::Alive
                {
                    let maybe = self.maybe();
                    let undefined = terms.or([undefined, maybe]);
                    return Encoded { undefined, registers, ..self.anything(Scalar::Pointer) };
                }
                let (offset, partly) = self.settled(&bytes);
                let undefined = terms.or([undefined, partly]);
                let value = match encoding.base(object) {
                    Some(base) => Number::unbounded(terms.add([terms.integer(base.clone()), offset])),
                    None => Number::unbounded(self.somewhere_beyond()),
                };
                Encoded { value, undefined, registers }
            }
        }
    }

    /// The scalar in a place.
    pub(super) fn load(&mut self, place: &Place, ty: Scalar) -> Encoded {
        let resolved = self.resolve(place);
        let scalar = type_of_width(ty, resolved.width);
        let terms = self.terms();
        match resolved.start {
            PlaceStart::Object(object) => {
                let (within, undefined) = self.within(&resolved, object);
                let value = match within {
                    Some(within) => self.read(object, &within, scalar, terms.not(undefined)),
                    None => self.anything(scalar).value,
                };
                Encoded { value, undefined, registers: resolved.registers }
            }
            PlaceStart::Address(address) => {
                let (address, partly) = self.displace(address, &resolved.bytes, false);
                let mut loaded = self.read_at(address, resolved.bit, resolved.width, scalar);
                loaded.undefined = terms.or([resolved.undefined, resolved.outside, partly, loaded.undefined]);
                loaded.registers.extend(resolved.registers);
                loaded
            }
        }
    }
}

fn gcd(a: u64, b: u64) -> u64 {
    if b == 0 { a } else { gcd(b, a % b) }
}
