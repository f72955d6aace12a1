//! The scalars that an object of a type is made of.

use crate::semantics::stop::Stop;
use crate::types::{IntType, Scalar, Type, TypeId, Types};

/// A scalar or bit-field in an object.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Leaf {
    /// Where it begins.
    pub offset_bits: u64,
    /// How many bits it has.
    pub width_bits: u64,
    /// Its type; for a bit-field, the declared one.
    pub scalar: Scalar,
}

/// Looking at more scalars than this one by one is not supported.
pub const MOST_LEAVES: usize = 1 << 22;

/// The scalars of a type in order, those of all members of a union. Padding belongs to none.
pub fn leaves(types: &Types, ty: TypeId) -> Result<Vec<Leaf>, Stop> {
    let mut search = LeafSearch { types, found: Vec::new(), visited: 0 };
    search.collect(ty, 0, None)?;
    Ok(search.found)
}

/// The type whose values a part of some width can have: for a bit-field, an integer of its width.
pub fn type_of_width(scalar: Scalar, width_bits: u64) -> Scalar {
    match scalar {
        Scalar::Int(ty) if u64::from(ty.bits) > width_bits => {
            Scalar::Int(IntType { bits: width_bits as u16, signed: ty.signed })
        }
        other => other,
    }
}

struct LeafSearch<'t> {
    types: &'t Types,
    found: Vec<Leaf>,
    /// How many parts were looked at, those without any scalar included.
    visited: usize,
}

impl LeafSearch<'_> {
    fn collect(&mut self, ty: TypeId, offset_bits: u64, bit_width: Option<u16>) -> Result<(), Stop> {
        self.visited += 1;
        if self.visited > 2 * MOST_LEAVES || self.found.len() > MOST_LEAVES {
            return Err(Stop::unsupported(format!("looks at more than {MOST_LEAVES} elements at once")));
        }
        match self.types.get(ty) {
            Type::Scalar(scalar) => {
                let width_bits = bit_width.map_or_else(|| self.types.scalar_bits(*scalar), u64::from);
                if width_bits > 0 {
                    self.found.push(Leaf { offset_bits, width_bits, scalar: *scalar });
                }
            }
            Type::Array { element, length } => {
                let stride = self.types.size_bits(*element);
                for index in 0..*length {
                    self.collect(*element, offset_bits + index * stride, None)?;
                }
            }
            Type::Record(record) => {
                for field in &record.fields {
                    self.collect(field.ty, offset_bits + field.offset_bits, field.bit_width)?;
                }
            }
            Type::Opaque => {}
        }
        Ok(())
    }
}
