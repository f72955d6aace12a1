//! The conversions of C between types: integer promotions (6.3.1.1), usual arithmetic conversions (6.3.1.8), type
//! compatibility (6.2.7) and composite types. Conversions of *values* are the lowering's matter.

use super::{CType, CTypeId, CTypes, FunctionType, IntKind, Qual, RecordId};
use foundation::collections::HashSet;

impl CTypes {
    /// The type that an integer is promoted to; a bit-field by its width.
    pub fn promote(&self, id: CTypeId, bit_width: Option<u16>) -> Option<IntKind> {
        let kind = match self.get(id) {
            CType::Bool => return Some(IntKind::Int),
            _ => self.int_kind(id)?,
        };
        if let Some(width) = bit_width {
            let fits_int = width < 32 || (width == 32 && kind.is_signed());
            if fits_int {
                return Some(IntKind::Int);
            }
            if width == 32 {
                return Some(IntKind::UnsignedInt);
            }
        }
        Some(if kind.rank() < IntKind::Int.rank() { IntKind::Int } else { kind })
    }

    /// The common type of two promoted integer types.
    pub fn common_int(&self, left: IntKind, right: IntKind) -> IntKind {
        if left.is_signed() == right.is_signed() {
            return if left.rank() >= right.rank() { left } else { right };
        }
        let (signed, unsigned) = if left.is_signed() { (left, right) } else { (right, left) };
        if unsigned.rank() >= signed.rank() {
            unsigned
        } else if signed.bits(self.model) > unsigned.bits(self.model) {
            signed
        } else {
            signed.to_unsigned()
        }
    }

    /// Whether two types are compatible. Structures of different translation units are compared by their contents.
    ///
    /// All parts must be compatible, so pairs are looked at in any order, and each of them once: what is met again is
    /// assumed to be compatible (structures may contain pointers to themselves).
    pub fn compatible(&self, left: CTypeId, right: CTypeId) -> bool {
        let mut open = vec![(left, right)];
        let mut seen = HashSet::default();
        while let Some((left, right)) = open.pop() {
            if left != right && seen.insert((left, right)) && !self.compatible_but_for(left, right, &mut open) {
                return false;
            }
        }
        true
    }

    /// Whether two types are compatible if the pairs of their parts are, which are added to `parts`.
    fn compatible_but_for(&self, left: CTypeId, right: CTypeId, parts: &mut Vec<(CTypeId, CTypeId)>) -> bool {
        match (self.get(left), self.get(right)) {
            (CType::Enum(_), CType::Int(_)) | (CType::Int(_), CType::Enum(_)) | (CType::Enum(_), CType::Enum(_)) => {
                self.int_kind(left) == self.int_kind(right)
            }
            (CType::Pointer(a), CType::Pointer(b)) => {
                parts.push((a.ty, b.ty));
                true
            }
            (CType::Array { element: a, length: n }, CType::Array { element: b, length: m }) => {
                parts.push((a.ty, b.ty));
                n.is_none() || m.is_none() || n == m
            }
            (CType::Function(a), CType::Function(b)) => {
                parts.push((a.result.ty, b.result.ty));
                if !a.prototype || !b.prototype {
                    return true;
                }
                parts.extend(a.parameters.iter().zip(&b.parameters).map(|(a, b)| (a.ty, b.ty)));
                a.variadic == b.variadic && a.parameters.len() == b.parameters.len()
            }
            (CType::Record(a), CType::Record(b)) => self.same_contents_but_for(*a, *b, parts),
            _ => false,
        }
    }

    fn same_contents_but_for(&self, a: RecordId, b: RecordId, parts: &mut Vec<(CTypeId, CTypeId)>) -> bool {
        let (left, right) = (&self.records[a], &self.records[b]);
        if left.kind != right.kind || left.tag != right.tag {
            return false;
        }
        let (Some(left), Some(right)) = (&left.body, &right.body) else { return true };
        let pairs = || left.members.iter().zip(&right.members);
        parts.extend(pairs().map(|(a, b)| (a.ty.ty, b.ty.ty)));
        left.size_bits == right.size_bits
            && left.members.len() == right.members.len()
            && pairs().all(|(a, b)| a.name == b.name && a.offset_bits == b.offset_bits && a.bit_width == b.bit_width)
    }

    /// What two compatible declarations of one name say together (6.2.7): known lengths and prototypes win.
    pub fn composite(&mut self, left: Qual, right: Qual) -> Qual {
        match (self.get(left.ty).clone(), self.get(right.ty).clone()) {
            (CType::Array { element, length: None }, CType::Array { length: Some(length), .. }) => {
                let ty = self.intern(CType::Array { element, length: Some(length) });
                Qual { ty, ..left }
            }
            (CType::Function(FunctionType { prototype: false, .. }), CType::Function(_)) => right,
            _ => left,
        }
    }
}
