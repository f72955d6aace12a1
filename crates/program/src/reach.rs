//! What lies between an address and the end of what can be reached from it: the layout side of [`Op::Havoc`].
//!
//! [`Op::Havoc`]: crate::cfa::Op::Havoc

use crate::types::{Scalar, Type, TypeId, Types};

/// Where what is reached in an object of a type ends, in bits, when one begins at an offset and steps from one element
/// to the next: at the end of the outermost array of such elements that the offset lies in, or of the one element that
/// lies there. Bytes, and elements of another type than what lies there, reach to the end of the object.
pub fn reached_end(types: &Types, object: TypeId, offset_bits: u64, element: TypeId) -> u64 {
    let size = types.size_bits(object);
    if is_bytes(types, element) {
        return size;
    }
    end_in(types, object, 0, offset_bits, innermost_element(types, element)).unwrap_or(size).max(offset_bits)
}

/// Whether a type is that of bytes: any object may be accessed by them (C11 6.5p7).
pub fn is_bytes(types: &Types, ty: TypeId) -> bool {
    match types.get(ty) {
        Type::Opaque => true,
        Type::Scalar(Scalar::Int(int)) => int.bits == 8,
        Type::Scalar(_) | Type::Record(_) => false,
        Type::Array { element, .. } => is_bytes(types, *element),
    }
}

/// What arrays of arrays are made of in the end.
fn innermost_element(types: &Types, mut ty: TypeId) -> TypeId {
    while let Type::Array { element, .. } = types.get(ty) {
        ty = *element;
    }
    ty
}

/// The same inside a part that begins at `base`; none where no such element lies at the offset.
fn end_in(types: &Types, ty: TypeId, base: u64, offset: u64, element: TypeId) -> Option<u64> {
    let size = types.size_bits(ty);
    if ty == element && offset == base {
        return Some(base + size);
    }
    match types.get(ty) {
        Type::Scalar(_) | Type::Opaque => None,
        // An array without a length goes on to the end of its object.
        Type::Array { length: 0 | 1, .. } => None,
        Type::Array { element: own, .. } => {
            let stride = types.size_bits(*own);
            let width = types.size_bits(element);
            if stride == 0 || width == 0 {
                return None;
            }
            if innermost_element(types, ty) == element && (offset - base).is_multiple_of(width) {
                return Some(base + size);
            }
            let start = base + (offset - base) / stride * stride;
            end_in(types, *own, start, offset, element)
        }
        Type::Record(record) => {
            let mut ends = Vec::new();
            for field in &record.fields {
                let start = base + field.offset_bits;
                let inside = start <= offset && (offset < start + types.size_bits(field.ty));
                if !inside || field.bit_width.is_some() {
                    continue;
                }
                match end_in(types, field.ty, start, offset, element) {
                    Some(end) => ends.push(end),
                    None if record.is_union => {}
                    None => return None,
                }
            }
            ends.into_iter().max()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::{DataModel, Field, IntType, Record};

    fn record(types: &mut Types, fields: &[(TypeId, u64)], size_bits: u64) -> TypeId {
        let fields = fields
            .iter()
            .map(|&(ty, offset_bits)| Field { name: String::new(), ty, offset_bits, bit_width: None })
            .collect();
        let record = Record { name: "struct s".to_owned(), fields, size_bits, align_bits: 32, is_union: false };
        types.intern(Type::Record(record))
    }

    #[test]
    fn elements_reach_to_the_end_of_their_array() {
        let mut types = Types::new(DataModel::Lp64);
        let int = types.scalar(Scalar::Int(IntType::signed(32)));
        let byte = types.scalar(Scalar::Int(IntType::unsigned(8)));
        let row = types.intern(Type::Array { element: int, length: 4 });
        let table = types.intern(Type::Array { element: row, length: 3 });
        let all = record(&mut types, &[(int, 0), (table, 32), (int, 416)], 448);
        assert_eq!(reached_end(&types, int, 0, int), 32);
        assert_eq!(reached_end(&types, row, 64, int), 128);
        assert_eq!(reached_end(&types, table, 128, int), 384);
        assert_eq!(reached_end(&types, all, 0, int), 32, "a member that is no array is reached alone");
        assert_eq!(reached_end(&types, all, 32 + 128, int), 416);
        assert_eq!(reached_end(&types, all, 416, int), 448);
        assert_eq!(reached_end(&types, all, 0, byte), 448, "bytes reach to the end of the object");
        assert_eq!(reached_end(&types, all, 0, all), 448);
        let long = types.scalar(Scalar::Int(IntType::signed(64)));
        assert_eq!(reached_end(&types, all, 32, long), 448, "so does what lies there at another type");
    }
}
