//! Sizes, alignments and the layout of structures: the System V ABI for x86-64 (LP64) and i386 (ILP32), as gcc does it.
//!
//! A bit-field goes to the next free bit unless it would then cross more alignment units of its declared type than the
//! type itself has; in that case it goes to the next unit. A bit-field of width 0 ends the unit. Under `#pragma pack`
//! bit-fields cross units freely, whatever the limit, and even an alignment that is asked for is limited.

use foundation::{Diagnostic, Span};
use program::{DataModel, Field, Record, Type};

use super::{CType, CTypeId, CTypes, Member, Qual, RecordBody, RecordId, TYPE_DEPTH_LIMIT, WideFloat};
use crate::syntax::ast::RecordKind;
use crate::syntax::symbols::{Symbol, Symbols};

/// A member before it has a place.
#[derive(Clone, Debug)]
pub struct MemberInput {
    /// Its name.
    pub name: Option<Symbol>,
    /// Its type.
    pub ty: Qual,
    /// The width of a bit-field.
    pub bit_width: Option<u16>,
    /// An alignment asked for by `_Alignas` or an attribute, in bytes.
    pub align: Option<u64>,
    /// Whether the attribute `packed` is on the member.
    pub packed: bool,
    /// Where it is declared.
    pub span: Span,
}

/// How closely the members of a structure are packed.
#[derive(Clone, Copy, Debug)]
pub struct Packing {
    /// By the attribute `packed`: without padding.
    pub packed: bool,
    /// By `#pragma pack`: aligned to at most so many bytes.
    pub limit: Option<u64>,
}

impl CTypes {
    /// The size of objects of a type; none for functions, `void` and incomplete types.
    pub fn size_bits(&self, id: CTypeId) -> Option<u64> {
        match self.get(id) {
            CType::Void | CType::Function(_) => None,
            CType::Array { element, length } => self.size_bits(element.ty)?.checked_mul((*length)?),
            CType::Record(record) => self.records[*record].body.as_ref().map(|body| body.size_bits),
            CType::Enum(enumeration) => self.enums[*enumeration].underlying.map(|kind| kind.bits(self.model).into()),
            CType::WideFloat(WideFloat::LongDouble) if self.model == DataModel::Ilp32 => Some(96),
            CType::WideFloat(WideFloat::Complex) => Some(256),
            CType::WideFloat(_) => Some(128),
            CType::VaList => Some(if self.model == DataModel::Lp64 { 192 } else { 32 }),
            CType::Float => Some(32),
            CType::Double => Some(64),
            CType::Bool => Some(8),
            CType::Pointer(_) => Some(self.model.pointer_bits().into()),
            CType::Int(kind) => Some(kind.bits(self.model).into()),
        }
    }

    /// The size in bytes.
    pub fn size_bytes(&self, id: CTypeId) -> Option<u64> {
        self.size_bits(id).map(|bits| bits / 8)
    }

    /// The alignment of objects of a type inside a structure.
    pub fn align_bits(&self, id: CTypeId) -> u64 {
        match self.get(id) {
            CType::Array { element, .. } => self.align_bits(element.ty),
            CType::Record(record) => self.records[*record].body.as_ref().map_or(8, |body| body.align_bits),
            CType::Void | CType::Function(_) => 8,
            CType::VaList => self.model.pointer_bits().into(),
            _ => {
                let most = if self.model == DataModel::Ilp32 { 32 } else { 128 };
                self.size_bits(id).unwrap_or(8).min(most).max(8)
            }
        }
    }

    /// Gives a structure or union its members.
    pub fn complete_record(
        &mut self,
        record: RecordId,
        inputs: &[MemberInput],
        packing: Packing,
        align: Option<u64>,
        symbols: &Symbols,
        types: &mut program::Types,
    ) -> Result<(), Box<Diagnostic>> {
        let is_union = self.records[record].kind == RecordKind::Union;
        let mut members = Vec::new();
        let mut end_bits: u64 = 0;
        let mut record_align = align.unwrap_or(1) * 8;
        let mut size_bits: u64 = 0;
        for (at, input) in inputs.iter().enumerate() {
            let flexible = !is_union && at + 1 == inputs.len() && at > 0 && self.is_unknown_array(input.ty.ty);
            let declared_bits = match self.size_bits(input.ty.ty) {
                Some(bits) => bits,
                None if flexible => 0,
                None if self.is_unknown_array(input.ty.ty) => {
                    let text = "an array without a length must be the last of several members";
                    return Err(Box::new(Diagnostic::error("incomplete-type", text).at(input.span)));
                }
                None => {
                    let text = format!("a member cannot have the incomplete type `{}`", self.describe(input.ty));
                    return Err(Box::new(Diagnostic::error("incomplete-type", text).at(input.span)));
                }
            };
            let packed = packing.packed || input.packed;
            let limit = packing.limit.map_or(u64::MAX, |bytes| bytes * 8);
            let unit = self.align_bits(input.ty.ty);
            let asked = input.align.unwrap_or(1) * 8;
            let wanted = if packed { asked } else { unit.max(asked) }.min(limit);
            let start = if is_union { 0 } else { end_bits };
            let (offset, width) = match input.bit_width {
                None => (start.next_multiple_of(wanted), declared_bits),
                Some(0) => (start.next_multiple_of(unit), 0),
                Some(width) => {
                    let crossed = (start + u64::from(width)).div_ceil(unit) - start / unit;
                    let may_cross = packed || packing.limit.is_some() || crossed <= declared_bits / unit;
                    let offset = if may_cross { start } else { start.next_multiple_of(unit) };
                    let offset = input.align.map_or(offset, |_| offset.next_multiple_of(asked.min(limit)));
                    (offset, u64::from(width))
                }
            };
            end_bits = offset + width;
            size_bits = size_bits.max(end_bits);
            if size_bits > self.model.most_bytes() * 8 {
                return Err(Box::new(Diagnostic::error("object-too-large", "this type is too large").at(input.span)));
            }
            let unnamed_bit_field = input.bit_width.is_some() && input.name.is_none();
            if unnamed_bit_field {
                continue;
            }
            let limited_bit_field = input.bit_width.is_some() && packing.limit.is_some();
            record_align = record_align.max(if limited_bit_field { unit.max(asked).min(limit) } else { wanted });
            let member = Member { name: input.name, ty: input.ty, offset_bits: offset, bit_width: input.bit_width };
            members.push(member);
        }
        size_bits = size_bits.next_multiple_of(record_align);
        let depth = 1 + members.iter().map(|member| self.depth(member.ty.ty)).max().unwrap_or(0);
        if depth > TYPE_DEPTH_LIMIT {
            let diagnostic = Diagnostic::error("nested-too-deeply", "the members of this type are nested too deeply");
            return Err(Box::new(diagnostic.at(self.records[record].span)));
        }
        let scalars = members.iter().map(|member| self.scalar_count(member.ty.ty)).fold(0, u64::saturating_add);
        let fields = members
            .iter()
            .map(|member| Field {
                name: member.name.map_or(String::new(), |name| symbols.text(name).to_owned()),
                ty: self.model_type(member.ty.ty, types),
                offset_bits: member.offset_bits,
                bit_width: member.bit_width,
            })
            .collect();
        let paths = self.member_paths(&members);
        let name = self.record_name(record);
        let model = types.intern(Type::Record(Record { name, fields, size_bits, align_bits: record_align, is_union }));
        self.records[record].body =
            Some(RecordBody { members, paths, size_bits, align_bits: record_align, model, scalars, depth });
        Ok(())
    }

    fn is_unknown_array(&self, id: CTypeId) -> bool {
        matches!(self.get(id), CType::Array { length: None, .. })
    }
}
