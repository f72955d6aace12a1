//! Variables, and what an expression reads and writes. The evaluation order of C is mostly unspecified, so two operands
//! may stand side by side only where their footprints do not conflict (C11 6.5p2 and 6.5p3; calls are counted as if
//! they touched everything that has an address).

use super::types::Type;

/// Where a value lives, as finely as conflicts need to be told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct MemoryPart {
    id: u32,
    exposed: bool,
}

impl MemoryPart {
    /// Everything that a pointer or a called function can reach.
    pub(crate) const MEMORY: MemoryPart = MemoryPart { id: 0, exposed: true };

    /// A place of its own; `exposed` says whether pointers or other functions may reach it.
    pub(crate) fn new(id: u32, exposed: bool) -> MemoryPart {
        assert!(id != 0, "place 0 stands for all of memory");
        MemoryPart { id, exposed }
    }

    fn overlaps(self, other: MemoryPart) -> bool {
        self.id == other.id || (self.id == 0 && other.exposed) || (other.id == 0 && self.exposed)
    }
}

/// What the evaluation of an expression reads and writes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Footprint {
    reads: Vec<MemoryPart>,
    writes: Vec<MemoryPart>,
}

impl Footprint {
    pub(crate) fn read(place: MemoryPart) -> Footprint {
        Footprint { reads: vec![place], writes: Vec::new() }
    }

    pub(crate) fn update(place: MemoryPart) -> Footprint {
        Footprint { reads: vec![place], writes: vec![place] }
    }

    pub(crate) fn is_pure(&self) -> bool {
        self.writes.is_empty()
    }

    pub(crate) fn join(&mut self, other: &Footprint) {
        for place in &other.reads {
            if !self.reads.contains(place) {
                self.reads.push(*place);
            }
        }
        for place in &other.writes {
            if !self.writes.contains(place) {
                self.writes.push(*place);
            }
        }
    }

    pub(crate) fn joined(mut self, other: &Footprint) -> Footprint {
        self.join(other);
        self
    }

    /// Whether the two, evaluated in no particular order, could influence one another.
    pub(crate) fn conflicts(&self, other: &Footprint) -> bool {
        let disturbs = |one: &Footprint, two: &Footprint| {
            one.writes.iter().any(|written| two.reads.iter().chain(&two.writes).any(|place| written.overlaps(*place)))
        };
        disturbs(self, other) || disturbs(other, self)
    }
}

/// A variable in scope, with what the generator may do to it.
#[derive(Clone, Debug)]
pub(crate) struct CVariable {
    pub(crate) name: String,
    pub(crate) ty: Type,
    pub(crate) place: MemoryPart,
    /// How deep the scope is whose end is the end of the object: 0 is the whole program.
    pub(crate) lifetime: u32,
    pub(crate) writable: bool,
    pub(crate) addressable: bool,
}

/// A C expression of which the generator knows enough to build larger ones.
#[derive(Clone, Debug)]
pub(crate) struct CExpression {
    pub(crate) text: String,
    pub(crate) precedence: u8,
    /// Known to have 64 bits after the integer promotions, in every data model.
    pub(crate) wide: bool,
    /// The type is that of a bit-field, about which compilers disagree until it is promoted.
    pub(crate) bit_field: bool,
    /// The value comes straight from a call, whose side effects are then complete, and its arguments have none. (The
    /// side effects of arguments are complete as well, but compilers warn about them.)
    pub(crate) is_call: bool,
    pub(crate) footprint: Footprint,
}

/// The binding strength of the operators, weakest first.
pub(crate) mod precedence {
    pub(crate) const COMMA: u8 = 0;
    pub(crate) const ASSIGNMENT: u8 = 1;
    pub(crate) const CONDITIONAL: u8 = 2;
    pub(crate) const LOGICAL_OR: u8 = 3;
    pub(crate) const LOGICAL_AND: u8 = 4;
    pub(crate) const BIT_OR: u8 = 5;
    pub(crate) const BIT_XOR: u8 = 6;
    pub(crate) const BIT_AND: u8 = 7;
    pub(crate) const EQUALITY: u8 = 8;
    pub(crate) const RELATION: u8 = 9;
    pub(crate) const SHIFT: u8 = 10;
    pub(crate) const SUM: u8 = 11;
    pub(crate) const PRODUCT: u8 = 12;
    pub(crate) const UNARY: u8 = 13;
    pub(crate) const POSTFIX: u8 = 14;
    pub(crate) const PRIMARY: u8 = 15;
}

impl CExpression {
    /// An expression that reads and writes nothing.
    pub(crate) fn closed(text: impl Into<String>, precedence: u8, wide: bool) -> CExpression {
        let footprint = Footprint::default();
        CExpression { text: text.into(), precedence, wide, bit_field: false, is_call: false, footprint }
    }

    pub(crate) fn with(text: String, precedence: u8, wide: bool, footprint: Footprint) -> CExpression {
        CExpression { text, precedence, wide, bit_field: false, is_call: false, footprint }
    }

    /// The text as an operand where at least `precedence` is needed.
    pub(crate) fn operand(&self, precedence: u8) -> String {
        if self.precedence >= precedence { self.text.clone() } else { format!("({})", self.text) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn footprints_conflict_precisely_where_one_writes_what_the_other_touches() {
        let local = MemoryPart::new(1, false);
        let global = MemoryPart::new(2, true);
        let places = [local, global, MemoryPart::MEMORY];
        for one in places {
            for two in places {
                let shared = one == two
                    || (one == MemoryPart::MEMORY && two.exposed)
                    || (two == MemoryPart::MEMORY && one.exposed);
                assert!(!Footprint::read(one).conflicts(&Footprint::read(two)));
                assert_eq!(Footprint::update(one).conflicts(&Footprint::read(two)), shared);
                assert_eq!(Footprint::read(one).conflicts(&Footprint::update(two)), shared);
                assert_eq!(Footprint::update(one).conflicts(&Footprint::update(two)), shared);
            }
        }
    }
}
