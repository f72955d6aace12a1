//! Copying and setting bytes, scalar by scalar where that is the same.
//!
//! `memset(table, 0, sizeof table)` and `memcpy(&slot, &message, sizeof slot)` are meant as assignments, and engines
//! reason about assignments better than about bytes. They become such where the bytes are those of whole scalars: no
//! padding, no union, no bit-field lies among them, and none of what is copied may be uninitialised or overlap. All else
//! stays an operation on bytes.

use foundation::Span;
use num_bigint::{BigInt, Sign};
use num_traits::{ToPrimitive, Zero};
use program::semantics::arithmetic::wrap;
use program::{
    BinaryOp as ModelBinary, Constant, ExprId as ModelExpr, ExprKind as ModelKind, Op, Operand, Place, Root, Scalar,
    Selector, Type, TypeId, VariableKind,
};

use super::super::{Lower, Lowering};

/// More scalars than this stay bytes.
const MOST_SCALARS: usize = 64;

impl Lowering<'_> {
    /// `memset`: sets so many bytes from an address on, and returns it.
    pub(super) fn set_bytes(
        &mut self,
        target: ModelExpr,
        byte: ModelExpr,
        count: ModelExpr,
        span: Span,
    ) -> Lower<ModelExpr> {
        let (target, byte) = (self.frozen(target, span)?, self.keep(byte, span)?);
        match self.set_scalars(target, byte, count) {
            Some(assignments) => self.assign_all(assignments, span)?,
            None => self.emit(Op::SetBytes { target, byte, count }, span)?,
        }
        Ok(target)
    }

    /// `memcpy` and `memmove`: copies so many bytes, and returns where to.
    pub(super) fn copy_bytes(
        &mut self,
        target: ModelExpr,
        source: ModelExpr,
        count: ModelExpr,
        may_overlap: bool,
        span: Span,
    ) -> Lower<ModelExpr> {
        let (target, source) = (self.frozen(target, span)?, self.frozen(source, span)?);
        match self.copied_scalars(target, source, count) {
            Some(assignments) => self.assign_all(assignments, span)?,
            None => self.emit(Op::CopyBytes { target, source, count, may_overlap }, span)?,
        }
        Ok(target)
    }

    /// An address that no assignment moves.
    fn frozen(&mut self, address: ModelExpr, span: Span) -> Lower<ModelExpr> {
        match self.program.exprs.get(address).kind.clone() {
            ModelKind::AddressOf(place) => {
                let place = self.freeze(place, span)?;
                Ok(self.program.exprs.intern(ModelKind::AddressOf(place), Scalar::Pointer))
            }
            ModelKind::PointerAdd { base, index, stride } => {
                let (base, index) = (self.frozen(base, span)?, self.keep(index, span)?);
                Ok(self.program.exprs.intern(ModelKind::PointerAdd { base, index, stride }, Scalar::Pointer))
            }
            _ => self.keep(address, span),
        }
    }

    fn assign_all(&mut self, assignments: Vec<(Place, ModelExpr)>, span: Span) -> Lower<()> {
        for (target, value) in assignments {
            self.emit(Op::Assign { target, value: Operand::Scalar(value) }, span)?;
        }
        Ok(())
    }

    /// What is assigned to which scalars when bytes are set.
    fn set_scalars(&mut self, target: ModelExpr, byte: ModelExpr, count: ModelExpr) -> Option<Vec<(Place, ModelExpr)>> {
        let parts = self.scalars_at(target, count)?;
        let byte_of = match &self.program.exprs.get(byte).kind {
            ModelKind::Constant(Constant::Int(number)) => number.to_u8(),
            _ => None,
        };
        let mut assignments = Vec::new();
        for (place, scalar) in parts {
            let value = match (scalar, byte_of) {
                (Scalar::Int(ty), Some(byte)) => {
                    let bytes = vec![byte; usize::from(ty.bits / 8)];
                    let number = wrap(&BigInt::from_bytes_le(Sign::Plus, &bytes), ty);
                    self.program.exprs.int(number, ty)
                }
                (Scalar::Int(ty), None) if ty.bits == 8 => self.cast_scalar(byte, scalar),
                (Scalar::Bool, Some(byte @ 0..=1)) => self.program.exprs.bool(byte == 1),
                (Scalar::Pointer, Some(0)) => {
                    self.program.exprs.intern(ModelKind::Constant(Constant::Null), Scalar::Pointer)
                }
                _ => return None,
            };
            assignments.push((place, value));
        }
        Some(assignments)
    }

    /// What is assigned to which scalars when bytes are copied from one object to another.
    fn copied_scalars(
        &mut self,
        target: ModelExpr,
        source: ModelExpr,
        count: ModelExpr,
    ) -> Option<Vec<(Place, ModelExpr)>> {
        let (targets, sources) = (self.scalars_at(target, count)?, self.scalars_at(source, count)?);
        let (to, from) = (targets.first()?.0.root.variable()?, sources.first()?.0.root.variable()?);
        // What is not initialised can be copied, but not read.
        let is_initialised =
            matches!(self.program.variables[from].kind, VariableKind::Global { .. } | VariableKind::Literal { .. });
        // All bits of integers and pointers count.
        let is_plain = |scalar: &Scalar| matches!(scalar, Scalar::Int(_) | Scalar::Pointer);
        let are_alike = targets.iter().map(|(_, scalar)| scalar).eq(sources.iter().map(|(_, scalar)| scalar));
        if to == from || !is_initialised || !are_alike || !targets.iter().all(|(_, scalar)| is_plain(scalar)) {
            return None;
        }
        let loads = sources.into_iter().map(|(place, _)| self.load(place)).collect::<Vec<_>>();
        Some(targets.into_iter().map(|(place, _)| place).zip(loads).collect())
    }

    /// The scalars that a constant number of bytes behind an address are made of, in order. Without any gap between
    /// them, two such lists of the same types are laid out alike.
    fn scalars_at(&mut self, address: ModelExpr, count: ModelExpr) -> Option<Vec<(Place, Scalar)>> {
        if self.threaded || self.unevaluated > 0 || self.function.is_none() {
            return None;
        }
        let ModelKind::Constant(Constant::Int(count)) = &self.program.exprs.get(count).kind else { return None };
        let count = count.to_u64().filter(|count| *count > 0)?;
        let mut place = match &self.program.exprs.get(address).kind {
            ModelKind::AddressOf(place) => place.clone(),
            ModelKind::PointerAdd { base, index, stride } => {
                let (base, index, stride) = (*base, *index, *stride);
                let ModelKind::AddressOf(place) = &self.program.exprs.get(base).kind else { return None };
                let place = place.clone();
                if self.bytes_of(place.ty) != Some(stride) {
                    return None;
                }
                self.further(&place, index)?
            }
            _ => return None,
        };
        let mut scalars = Vec::new();
        loop {
            let size = self.bytes_of(place.ty)?;
            if count == size {
                self.add_scalars(&place, &mut scalars)?;
                return Some(scalars);
            }
            if count < size {
                let Type::Array { element, length } = *self.program.types.get(place.ty) else { return None };
                place = self.element_of(&place, element, length, 0)?;
                continue;
            }
            if !count.is_multiple_of(size) {
                return None;
            }
            for number in 0..count / size {
                let number = self.program.exprs.int(number, self.program.types.pointer_int(true));
                let next = self.further(&place, number)?;
                self.add_scalars(&next, &mut scalars)?;
            }
            return Some(scalars);
        }
    }

    fn bytes_of(&self, ty: TypeId) -> Option<u64> {
        let bits = self.program.types.size_bits(ty);
        (bits > 0 && bits.is_multiple_of(8)).then_some(bits / 8)
    }

    /// The element so many elements behind one of an array that is known.
    fn further(&mut self, place: &Place, by: ModelExpr) -> Option<Place> {
        let Some(Selector::Index(index)) = place.path.last() else { return None };
        let (index, array) = (*index, self.type_of_array(place)?);
        let Type::Array { length, .. } = *self.program.types.get(array) else { return None };
        let number = |this: &Self, expr: ModelExpr| match &this.program.exprs.get(expr).kind {
            ModelKind::Constant(Constant::Int(number)) => Some(number.clone()),
            _ => None,
        };
        let wide = Scalar::Int(self.program.types.pointer_int(true));
        let index = match (number(self, index), number(self, by)) {
            // An array of one element may go on to the end of its object.
            _ if length <= 1 => return None,
            (Some(index), Some(by)) => {
                let index = index + by;
                if index < BigInt::zero() || index >= BigInt::from(length) {
                    return None;
                }
                self.program.exprs.int(index, self.program.types.pointer_int(true))
            }
            (None, Some(by)) if by.is_zero() => index,
            // Bytes may go on in the next row or member, but an index may not.
            _ if place.root.variable().is_none() || place.path.len() > 1 => return None,
            _ => {
                let (index, by) = (self.cast_scalar(index, wide), self.cast_scalar(by, wide));
                self.program.exprs.intern(ModelKind::Binary(ModelBinary::Add, index, by), wide)
            }
        };
        let mut further = place.clone();
        *further.path.last_mut().expect("just seen") = Selector::Index(index);
        Some(further)
    }

    /// The type of the array that the place is an element of.
    fn type_of_array(&self, place: &Place) -> Option<TypeId> {
        let mut ty = match place.root {
            Root::Variable(variable) => self.program.variables[variable].ty,
            Root::Pointer { pointee, .. } => pointee,
        };
        let (_, inner) = place.path.split_last()?;
        for selector in inner {
            ty = match (self.program.types.get(ty), selector) {
                (Type::Array { element, .. }, Selector::Index(_)) => *element,
                (Type::Record(record), Selector::Field(number)) => record.fields.get(*number as usize)?.ty,
                _ => return None,
            };
        }
        Some(ty)
    }

    fn element_of(&mut self, array: &Place, element: TypeId, length: u64, number: u64) -> Option<Place> {
        // Some arrays of no or one element go on behind their end.
        if length <= 1 {
            return None;
        }
        let index = self.program.exprs.int(number, self.program.types.pointer_int(true));
        let path = array.path.iter().cloned().chain([Selector::Index(index)]).collect();
        Some(Place { root: array.root.clone(), path, ty: element })
    }

    /// Adds the scalars of a place, if there is nothing between them.
    fn add_scalars(&mut self, place: &Place, found: &mut Vec<(Place, Scalar)>) -> Option<()> {
        match self.program.types.get(place.ty).clone() {
            Type::Scalar(scalar) => {
                found.push((place.clone(), scalar));
                (found.len() <= MOST_SCALARS).then_some(())
            }
            Type::Array { element, length } => (0..length).try_for_each(|number| {
                let part = self.element_of(place, element, length, number)?;
                self.add_scalars(&part, found)
            }),
            Type::Record(record) => {
                let used: u64 = record.fields.iter().map(|field| self.program.types.size_bits(field.ty)).sum();
                let has_bit_fields = record.fields.iter().any(|field| field.bit_width.is_some());
                if record.is_union || has_bit_fields || used != record.size_bits {
                    return None;
                }
                record.fields.iter().zip(0..).try_for_each(|(field, number)| {
                    let path = place.path.iter().cloned().chain([Selector::Field(number)]).collect();
                    self.add_scalars(&Place { root: place.root.clone(), path, ty: field.ty }, found)
                })
            }
            Type::Opaque => None,
        }
    }
}
