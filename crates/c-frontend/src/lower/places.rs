//! Places: subscripts, members, dereferencing and addresses (6.5.2.1, 6.5.2.3, 6.5.3.2).

use foundation::Span;
use program::{ExprId as ModelExpr, ExprKind as ModelKind, Place, Root, Scalar, Selector};

use super::convert::ScalarValue;
use super::expressions::nearest_name;
use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::ExprId;
use crate::syntax::symbols::Symbol;
use crate::types::{CType, Qual};

impl Lowering<'_> {
    /// `array[index]`: an array's element is a part of the array; otherwise `*(pointer + index)`.
    pub(crate) fn index(&mut self, array: ExprId, index: ExprId, span: Span) -> Lower<Lowered> {
        let mut base = self.expr(array)?;
        let effects = super::effects::has_effects(&self.ast, index);
        if let (Denoted::Place(place) | Denoted::Aggregate(place), CType::Array { element, .. }) =
            (&base.value, self.types.get(base.ty.ty).clone())
        {
            let mut place = place.clone();
            if effects {
                place = self.freeze(place, span)?;
            }
            let at = self.scalar(index)?;
            let at = self.index_value(at)?;
            let element = inherit(element, base.ty);
            place.path.push(Selector::Index(at.value));
            place.ty = self.types.model_type(element.ty, &mut self.program.types);
            return Ok(Lowered { value: Denoted::Place(place), ty: element, bit_width: None, span });
        }
        base = self.value_of(base)?;
        let mut left = self.scalar_of(base)?;
        if effects {
            left.value = self.keep(left.value, span)?;
        }
        let right = self.scalar(index)?;
        let (pointer, at) = match (self.types.pointee(left.ty.ty), self.types.pointee(right.ty.ty)) {
            (Some(_), None) => (left, right),
            (None, Some(_)) => (right, left),
            _ => {
                let text = format!("`{}` cannot be indexed", self.describe(left.ty));
                return self.error("not-array", text, span);
            }
        };
        let at = self.index_value(at)?;
        let to = self.types.pointee(pointer.ty.ty).expect("one operand is a pointer");
        let moved = self.moved_pointer(pointer, to, at, span)?;
        self.pointed_to(moved, to, span)
    }

    fn index_value(&mut self, index: ScalarValue) -> Lower<ScalarValue> {
        if !self.types.is_integer(index.ty.ty) {
            let text = format!("an index must be an integer, not `{}`", self.describe(index.ty));
            return self.error("wrong-index", text, index.span);
        }
        Ok(self.promote(index))
    }

    /// `*operand`
    pub(crate) fn dereference(&mut self, operand: ExprId, span: Span) -> Lower<Lowered> {
        let lowered = self.expr(operand)?;
        if let Denoted::Function(_) = lowered.value {
            return Ok(lowered);
        }
        let pointer = self.scalar_of(lowered)?;
        match self.types.pointee(pointer.ty.ty) {
            Some(to) => self.pointed_to(pointer, to, span),
            None => {
                let text = format!("`*` needs a pointer, not `{}`", self.describe(pointer.ty));
                self.error("not-pointer", text, span)
            }
        }
    }

    /// What a pointer points to.
    fn pointed_to(&mut self, pointer: ScalarValue, to: Qual, span: Span) -> Lower<Lowered> {
        if self.types.as_function(to.ty).is_some() {
            return Ok(match self.program.exprs.get(pointer.value).kind {
                ModelKind::FunctionAddress(function) => {
                    Lowered { value: Denoted::Function(function), ty: to, bit_width: None, span }
                }
                _ => Lowered { value: Denoted::Scalar(pointer.value), ty: pointer.ty, bit_width: None, span },
            });
        }
        let model = self.types.model_type(to.ty, &mut self.program.types);
        let place = match &self.program.exprs.get(pointer.value).kind {
            ModelKind::AddressOf(place) if place.ty == model => place.clone(),
            _ => Place::pointer(pointer.value, model),
        };
        Ok(Lowered { value: Denoted::Place(place), ty: to, bit_width: None, span })
    }

    /// `&operand`
    pub(crate) fn address(&mut self, operand: ExprId, span: Span) -> Lower<Lowered> {
        let lowered = self.expr(operand)?;
        match lowered.value {
            Denoted::Function(_) => {
                let pointer = self.value_of(lowered)?;
                Ok(Lowered { span, ..pointer })
            }
            Denoted::Place(place) => {
                if lowered.bit_width.is_some() {
                    return self.error("bit-field", "a bit-field has no address", span);
                }
                let value = self.address_of(place);
                let ty = self.types.pointer_to(lowered.ty);
                Ok(Lowered { value: Denoted::Scalar(value), ty, bit_width: None, span })
            }
            Denoted::Scalar(_)
                if self.types.pointee(lowered.ty.ty).is_some_and(|to| self.types.as_function(to.ty).is_some()) =>
            {
                Ok(Lowered { span, ..lowered })
            }
            _ => self.error("no-lvalue", "this has no address: it is not an object", span),
        }
    }

    /// The address of a place; a variable's is then known to be used.
    pub(crate) fn address_of(&mut self, place: Place) -> ModelExpr {
        if place.path.is_empty()
            && let Root::Pointer { address, .. } = place.root
        {
            return address;
        }
        if let Root::Variable(variable) = place.root
            && self.unevaluated == 0
        {
            self.program.variables[variable].address_taken = true;
        }
        self.program.exprs.intern(ModelKind::AddressOf(place), Scalar::Pointer)
    }

    /// `base.member` or `base->member`
    pub(crate) fn member(
        &mut self,
        base: ExprId,
        arrow: bool,
        member: Symbol,
        member_span: Span,
        span: Span,
    ) -> Lower<Lowered> {
        let lowered = if arrow {
            let lowered = self.expr(base)?;
            if let CType::Record(_) = self.types.get(lowered.ty.ty) {
                let text = format!("`->` needs a pointer, not `{}`", self.describe(lowered.ty));
                return self.fail(foundation::Diagnostic::error("not-pointer", text).at(span).help("use `.`"));
            }
            let pointer = self.scalar_of(lowered)?;
            match self.types.pointee(pointer.ty.ty) {
                Some(to) => self.pointed_to(pointer, to, span)?,
                None => {
                    let text = format!("`->` needs a pointer to a structure, not `{}`", self.describe(pointer.ty));
                    return self.error("not-pointer", text, span);
                }
            }
        } else {
            self.expr(base)?
        };
        if !arrow && self.types.pointee(lowered.ty.ty).is_some() {
            let text = format!("`.` needs a structure, not `{}`", self.describe(lowered.ty));
            let diagnostic = foundation::Diagnostic::error("not-record", text).at(span).help("use `->`");
            return self.fail(diagnostic);
        }
        let path = self.member_path(lowered.ty, member, member_span)?;
        let is_lvalue = matches!(lowered.value, Denoted::Place(_));
        let (Denoted::Place(mut place) | Denoted::Aggregate(mut place)) = lowered.value else {
            return self.error("not-record", "this is not a structure or union", span);
        };
        let mut ty = lowered.ty;
        let mut bit_width = None;
        for at in path {
            let CType::Record(record) = *self.types.get(ty.ty) else { unreachable!("member_path checks this") };
            let body = self.types.records[record].body.as_ref().expect("member_path checks this");
            let member = &body.members[at as usize];
            bit_width = member.bit_width;
            ty = inherit(member.ty, ty);
            place.path.push(Selector::Field(at));
        }
        place.ty = self.types.model_type(ty.ty, &mut self.program.types);
        let value = if is_lvalue || !matches!(self.types.get(ty.ty), CType::Record(_)) {
            Denoted::Place(place)
        } else {
            Denoted::Aggregate(place)
        };
        let lowered = Lowered { value, ty, bit_width, span };
        if is_lvalue || matches!(self.types.get(ty.ty), CType::Array { .. }) {
            Ok(lowered)
        } else {
            self.value_of(lowered)
        }
    }

    /// The numbers of the members that lead to a member by name.
    pub(crate) fn member_path(&mut self, ty: Qual, member: Symbol, span: Span) -> Lower<Vec<u32>> {
        let CType::Record(record) = *self.types.get(ty.ty) else {
            let text = format!("`{}` has no members", self.describe(ty.unqualified()));
            return self.error("not-record", text, span);
        };
        if self.types.records[record].body.is_none() {
            let text = format!("`{}` is incomplete: its members are not known", self.describe(ty.unqualified()));
            return self.error("incomplete-type", text, span);
        }
        match self.types.find_member(record, member) {
            Some(path) => Ok(path),
            None => {
                let name = self.text(member);
                let text = format!("`{}` has no member `{name}`", self.describe(ty.unqualified()));
                let mut diagnostic = foundation::Diagnostic::error("unknown-member", text).at(span);
                let body = self.types.records[record].body.as_ref().expect("checked above");
                let names = body.members.iter().filter_map(|member| member.name);
                if let Some(near) = nearest_name(&name, names.map(|name| self.symbols.text(name))) {
                    diagnostic = diagnostic.help(format!("did you mean `{near}`?"));
                }
                self.fail(diagnostic)
            }
        }
    }

    /// Keeps what a place is computed from in temporaries, so that later side effects do not move it.
    pub(crate) fn freeze(&mut self, mut place: Place, span: Span) -> Lower<Place> {
        if let Root::Pointer { address, .. } = &mut place.root {
            *address = self.keep(*address, span)?;
        }
        for step in &mut place.path {
            if let Selector::Index(index) = step {
                *index = self.keep(*index, span)?;
            }
        }
        Ok(place)
    }

    /// Lowers an expression that must be an object.
    pub(crate) fn lvalue(&mut self, expr: ExprId) -> Lower<(Place, Qual, Option<u16>)> {
        let lowered = self.expr(expr)?;
        match lowered.value {
            Denoted::Place(place) => Ok((place, lowered.ty, lowered.bit_width)),
            _ => self.error("no-lvalue", "this cannot be assigned to: it is not an object", lowered.span),
        }
    }
}

/// An element or member has the qualifiers of the whole, too (6.5.2.3p3).
fn inherit(part: Qual, whole: Qual) -> Qual {
    Qual {
        ty: part.ty,
        is_const: part.is_const || whole.is_const,
        is_volatile: part.is_volatile || whole.is_volatile,
        is_atomic: part.is_atomic || whole.is_atomic,
    }
}
