//! The parts of an object: members, elements, and the scalars that all of it consists of.

use foundation::Span;
use num_bigint::BigInt;
use program::{IntType, Place, Selector, VariableId};

use super::super::{Lower, Lowering};
use crate::types::{CType, Qual};

/// A part of the object that is initialised.
#[derive(Clone)]
pub(super) struct Part {
    pub path: Vec<PathStep>,
    pub offset_bits: u64,
    pub ty: Qual,
    pub bit_width: Option<u16>,
}

#[derive(Clone, Copy)]
pub(super) enum PathStep {
    Field(u32),
    Index(u64),
}

impl Lowering<'_> {
    /// The part of an aggregate with this number.
    pub(super) fn part(&mut self, target: &Part, index: u64, span: Span) -> Lower<Part> {
        match self.types.get(target.ty.ty).clone() {
            CType::Array { element, length } => {
                if length.is_some_and(|length| index >= length) {
                    return self.error("initializer", "this index lies outside the array", span);
                }
                Ok(self.element(target, element, index))
            }
            CType::Record(record) => {
                let Some(body) = &self.types.records[record].body else {
                    return self.error("incomplete-type", "the members of this type are not known", span);
                };
                let member = body.members[index as usize].clone();
                if let CType::Array { length: None, .. } = self.types.get(member.ty.ty) {
                    return self.unsupported(
                        "unsupported-flexible-array",
                        "initialising an array without a length inside a structure is",
                        span,
                        "allocate the structure with `malloc`",
                    );
                }
                let mut path = target.path.clone();
                path.push(PathStep::Field(index as u32));
                Ok(Part {
                    path,
                    offset_bits: target.offset_bits + member.offset_bits,
                    ty: member.ty,
                    bit_width: member.bit_width,
                })
            }
            _ => self.error("initializer", "this has no parts to initialise", span),
        }
    }

    pub(super) fn has_part(&self, ty: Qual, index: u64) -> bool {
        match self.types.get(ty.ty) {
            CType::Array { length, .. } => length.is_none_or(|length| index < length),
            CType::Record(record) => {
                self.types.records[*record].body.as_ref().is_some_and(|body| index < body.members.len() as u64)
            }
            _ => false,
        }
    }

    pub(super) fn is_union(&self, ty: Qual) -> bool {
        match self.types.get(ty.ty) {
            CType::Record(record) => self.types.records[*record].kind == crate::syntax::ast::RecordKind::Union,
            _ => false,
        }
    }

    pub(super) fn element(&self, target: &Part, element: Qual, index: u64) -> Part {
        let size = self.types.size_bits(element.ty).unwrap_or(0);
        let mut path = target.path.clone();
        path.push(PathStep::Index(index));
        Part { path, offset_bits: target.offset_bits + index * size, ty: element, bit_width: None }
    }

    /// The scalars of an object; of a union, those of its largest member, so that all of it is zero.
    pub(super) fn leaves(&self, target: &Part, out: &mut Vec<Part>) {
        if self.types.scalar_count(target.ty.ty) == 0 {
            return;
        }
        match self.types.get(target.ty.ty) {
            CType::Array { element, length } => {
                for index in 0..length.unwrap_or(0) {
                    self.leaves(&self.element(target, *element, index), out);
                }
            }
            CType::Record(record) => {
                let Some(body) = &self.types.records[*record].body else { return };
                let largest = (0..body.members.len())
                    .rev()
                    .max_by_key(|at| self.types.size_bits(body.members[*at].ty.ty))
                    .filter(|_| self.is_union(target.ty));
                for (at, member) in body.members.iter().enumerate() {
                    if largest.is_some_and(|largest| largest != at) {
                        continue;
                    }
                    let mut path = target.path.clone();
                    path.push(PathStep::Field(at as u32));
                    let part = Part {
                        path,
                        offset_bits: target.offset_bits + member.offset_bits,
                        ty: member.ty,
                        bit_width: member.bit_width,
                    };
                    self.leaves(&part, out);
                }
            }
            _ if self.types.is_scalar(target.ty.ty) => out.push(target.clone()),
            _ => {}
        }
    }

    /// Whether a store writes all of a scalar.
    pub(super) fn covers(&self, store: &Part, leaf: &Part) -> bool {
        let end = |target: &Part| {
            let width = target.bit_width.map(u64::from);
            target.offset_bits + width.or(self.types.size_bits(target.ty.ty)).unwrap_or(0)
        };
        store.offset_bits <= leaf.offset_bits && end(leaf) <= end(store)
    }

    pub(super) fn target_place(&mut self, variable: VariableId, target: &Part) -> Place {
        let index_type = IntType { bits: self.types.model.pointer_bits(), signed: true };
        let path = target
            .path
            .iter()
            .map(|step| match step {
                PathStep::Field(field) => Selector::Field(*field),
                PathStep::Index(index) => Selector::Index(self.program.exprs.int(BigInt::from(*index), index_type)),
            })
            .collect();
        let ty = self.types.model_type(target.ty.ty, &mut self.program.types);
        Place { root: program::Root::Variable(variable), path, ty }
    }
}
