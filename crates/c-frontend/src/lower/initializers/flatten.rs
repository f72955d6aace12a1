//! An initialiser as a list of stores: designators, ranges, strings, and braces that are left out.

use foundation::{Diagnostic, Span};
use num_traits::ToPrimitive;
use program::VariableId;

use super::super::effects::has_effects;
use super::super::{Lower, Lowering};
use super::parts::Part;
use super::{Store, Stored};
use crate::syntax::ast::{CharPrefix, Designator, ExprId, ExprKind, Initializer};
use crate::types::{CType, Qual};

/// The items of one pair of braces, consumed from left to right.
struct Items<'i> {
    list: &'i [(Vec<Designator>, Initializer)],
    at: usize,
}

/// All range designators together may name this many elements: ranges in ranges would be as many as one likes.
const MOST_RANGE_ELEMENTS: u64 = 1 << 20;

impl Lowering<'_> {
    /// All stores of an initialiser; an array of unknown length gets its length from them.
    pub(super) fn stores_of(
        &mut self,
        variable: VariableId,
        initializer: &Initializer,
        span: Span,
    ) -> Lower<Vec<Store>> {
        let ty = self.variable_types[&variable];
        let mut stores = Vec::new();
        let target = Part { path: Vec::new(), offset_bits: 0, ty, bit_width: None };
        let length = self.collect(&target, initializer, span, &mut stores)?;
        if let CType::Array { element, length: None } = *self.types.get(ty.ty) {
            let completed = self.types.intern(CType::Array { element, length: Some(length) });
            self.set_variable_type(variable, Qual { ty: completed, ..ty });
        }
        self.refuse_flexible_values(variable, &stores, span)?;
        Ok(stores)
    }

    /// An array type of unknown length with the length that an initialiser gives it.
    pub(super) fn completed_by(&mut self, ty: Qual, initializer: &Initializer, span: Span) -> Lower<Qual> {
        let CType::Array { element, length: None } = *self.types.get(ty.ty) else { return Ok(ty) };
        let target = Part { path: Vec::new(), offset_bits: 0, ty, bit_width: None };
        let length = self.collect(&target, initializer, span, &mut Vec::new())?;
        let completed = self.types.intern(CType::Array { element, length: Some(length) });
        Ok(Qual { ty: completed, ..ty })
    }

    /// Values for a member that is an array of unknown length would lie behind the object.
    fn refuse_flexible_values(&mut self, variable: VariableId, stores: &[Store], span: Span) -> Lower<()> {
        let size = self.types.size_bits(self.variable_types[&variable].ty).unwrap_or(0);
        let behind = |store: &Store| match store.target.bit_width {
            Some(_) => false,
            None => store.target.offset_bits + self.types.size_bits(store.target.ty.ty).unwrap_or(0) > size,
        };
        if !stores.iter().any(behind) {
            return Ok(());
        }
        self.unsupported(
            "unsupported-flexible-initializer",
            "initial values for a member of unknown length are",
            span,
            "give the array its length",
        )
    }

    /// Collects the stores of one initialiser; returns how many elements it gives an array.
    fn collect(&mut self, target: &Part, initializer: &Initializer, span: Span, out: &mut Vec<Store>) -> Lower<u64> {
        let ty = target.ty;
        if let Some((units, encoding)) = self.string_of(initializer)
            && let CType::Array { element, length } = *self.types.get(ty.ty)
            && self.is_character_array(element, encoding)
        {
            return self.collect_string(target, &units, element, length, span, out);
        }
        match (initializer, self.types.get(ty.ty).clone()) {
            (Initializer::Expr(expr), CType::Record(_)) => {
                out.push(Store { target: target.clone(), value: Stored::Aggregate(*expr) });
                Ok(1)
            }
            (Initializer::Expr(expr), CType::Array { .. }) => {
                let span = self.ast.exprs[*expr].span;
                self.error("initializer", "an array needs its initial values in braces", span)
            }
            (Initializer::Expr(expr), _) => {
                out.push(Store { target: target.clone(), value: Stored::Expr(*expr) });
                Ok(1)
            }
            (Initializer::List { items, span }, CType::Record(_) | CType::Array { .. }) => {
                let mut items = Items { list: items, at: 0 };
                let length = self.collect_list(target, &mut items, true, *span, None, out)?;
                Ok(length)
            }
            (Initializer::List { items, span }, _) => match items.as_slice() {
                [] => Ok(1),
                [(designators, only)] if designators.is_empty() => self.collect(target, only, *span, out),
                _ => self.error("initializer", "a scalar has only one initial value", *span),
            },
        }
    }

    fn string_of(&self, initializer: &Initializer) -> Option<(Vec<u32>, CharPrefix)> {
        let expr = match initializer {
            Initializer::Expr(expr) => *expr,
            Initializer::List { items, .. } => match items.as_slice() {
                [(designators, Initializer::Expr(expr))] if designators.is_empty() => *expr,
                _ => return None,
            },
        };
        match &self.ast.exprs[expr].kind {
            ExprKind::String { units, encoding } => Some((units.clone(), *encoding)),
            _ => None,
        }
    }

    fn is_character_array(&mut self, element: Qual, encoding: CharPrefix) -> bool {
        let wanted = self.character_type(encoding);
        let (Some(a), Some(b)) = (self.types.int_kind(element.ty), self.types.int_kind(wanted.ty)) else {
            return false;
        };
        a.bits(self.types.model) == b.bits(self.types.model)
    }

    fn collect_string(
        &mut self,
        target: &Part,
        units: &[u32],
        element: Qual,
        length: Option<u64>,
        span: Span,
        out: &mut Vec<Store>,
    ) -> Lower<u64> {
        let room = length.unwrap_or(units.len() as u64 + 1);
        if units.len() as u64 > room {
            let text = format!("this string has {} characters, the array room for {room}", units.len());
            self.warn(Diagnostic::warning("string-too-long", text).at(span));
        }
        for (at, unit) in units.iter().enumerate().take(room as usize) {
            let part = self.element(target, element, at as u64);
            out.push(Store { target: part, value: Stored::Character(*unit) });
        }
        if (units.len() as u64) < room && length.is_none() {
            let part = self.element(target, element, units.len() as u64);
            out.push(Store { target: part, value: Stored::Character(0) });
        }
        Ok(room)
    }

    /// Initialises the parts of an aggregate from a list. Without braces of its own (`braced` is false) it takes only
    /// as many items as it has parts. `first` are the designators that lead to the part to begin with.
    fn collect_list(
        &mut self,
        target: &Part,
        items: &mut Items<'_>,
        braced: bool,
        span: Span,
        first: Option<&[Designator]>,
        out: &mut Vec<Store>,
    ) -> Lower<u64> {
        let mut index = 0u64;
        let mut length = 0u64;
        let mut pending = first;
        let is_union = self.is_union(target.ty);
        while items.at < items.list.len() {
            let (designators, initializer) = &items.list[items.at];
            let designators: Option<&[Designator]> = match pending.take() {
                Some(given) => Some(given),
                None if designators.is_empty() => None,
                None if braced => Some(designators),
                None => return Ok(length),
            };
            let mut last = index;
            let mut inner: &[Designator] = &[];
            if let Some(designators) = designators {
                let (path, range_end) = self.designated(target.ty, &designators[0], span)?;
                index = path[0].into();
                last = range_end.unwrap_or(index);
                // A member of an anonymous structure is looked for again inside of it.
                inner = if path.len() > 1 { designators } else { &designators[1..] };
            }
            if !self.has_part(target.ty, index) || (is_union && designators.is_none() && index > 0) {
                if braced {
                    let span = initializer_span(initializer, &self.ast).unwrap_or(span);
                    return self.error("initializer", "there are more initial values than parts", span);
                }
                return Ok(length);
            }
            let only = Items { list: &items.list[..=items.at], at: items.at };
            let range_start = out.len();
            let mut stores_of_one = 0;
            for at in index..=last {
                let part = self.part(target, at, span)?;
                let start = out.len();
                // What follows without a designator goes on behind the last part of a range.
                if at == last {
                    self.collect_designated(&part, items, inner, span, out)?;
                } else {
                    self.collect_designated(&part, &mut Items { ..only }, inner, span, out)?;
                }
                if at == index {
                    stores_of_one = out.len() - start;
                } else {
                    self.evaluate_once(range_start, start, stores_of_one, out);
                }
            }
            index = last + 1;
            length = length.max(index);
            if is_union && !braced {
                return Ok(length);
            }
        }
        Ok(length)
    }

    /// Initialises a part, or what further designators lead to in it, from the next item or items.
    fn collect_designated(
        &mut self,
        part: &Part,
        items: &mut Items<'_>,
        inner: &[Designator],
        span: Span,
        out: &mut Vec<Store>,
    ) -> Lower<()> {
        if inner.is_empty() {
            return self.collect_part(part, items, span, out);
        }
        self.collect_list(part, items, false, span, Some(inner), out).map(|_| ())
    }

    /// Makes stores copies of earlier ones that come from the same expressions, where these have side effects.
    fn evaluate_once(&self, earlier: usize, later: usize, count: usize, out: &mut [Store]) {
        for at in 0..count.min(out.len() - later) {
            if let Stored::Expr(expr) | Stored::Aggregate(expr) = out[later + at].value
                && has_effects(&self.ast, expr)
            {
                out[later + at].value = Stored::Copy(out[earlier + at].target.clone());
            }
        }
    }

    /// Initialises one part from the next item, or from several where the part's braces are left out.
    fn collect_part(&mut self, part: &Part, items: &mut Items<'_>, span: Span, out: &mut Vec<Store>) -> Lower<()> {
        let initializer = &items.list[items.at].1;
        let whole = match (initializer, self.types.get(part.ty.ty).clone()) {
            (Initializer::List { .. }, _) => true,
            (Initializer::Expr(expr), CType::Record(_)) => {
                let ty = self.type_of_unevaluated(*expr)?;
                self.types.compatible(ty.ty, part.ty.ty)
            }
            (Initializer::Expr(_), CType::Array { element, .. }) => match self.string_of(initializer) {
                Some((_, encoding)) => self.is_character_array(element, encoding),
                None => false,
            },
            _ => true,
        };
        if whole {
            self.collect(part, initializer, span, out)?;
            items.at += 1;
            return Ok(());
        }
        let before = items.at;
        let own = Items { list: items.list, at: items.at };
        let mut own = own;
        self.collect_undesignated(part, &mut own, span, out)?;
        items.at = own.at.max(before);
        if items.at == before {
            items.at += 1;
        }
        Ok(())
    }

    /// An aggregate without braces takes items up to the next designator; the first item may stand behind one.
    fn collect_undesignated(
        &mut self,
        part: &Part,
        items: &mut Items<'_>,
        span: Span,
        out: &mut Vec<Store>,
    ) -> Lower<()> {
        let mut index = 0u64;
        let start = items.at;
        while items.at < items.list.len() && self.has_part(part.ty, index) {
            if items.at > start && !items.list[items.at].0.is_empty() {
                return Ok(());
            }
            let inner = self.part(part, index, span)?;
            self.collect_part(&inner, items, span, out)?;
            index += 1;
            if self.is_union(part.ty) {
                return Ok(());
            }
        }
        Ok(())
    }

    /// The numbers of the parts that a designator leads to, and the end of a range.
    fn designated(&mut self, ty: Qual, designator: &Designator, span: Span) -> Lower<(Vec<u32>, Option<u64>)> {
        match designator {
            Designator::Member(name, span) => Ok((self.member_path(ty, *name, *span)?, None)),
            Designator::Index(expr) => Ok((vec![self.designated_index(ty, *expr, span)? as u32], None)),
            Designator::Range(first, last) => {
                let (first, last) = (self.designated_index(ty, *first, span)?, self.designated_index(ty, *last, span)?);
                self.range_elements = self.range_elements.saturating_add(last.saturating_sub(first));
                if last < first || self.range_elements > MOST_RANGE_ELEMENTS {
                    return self.error("designator", "this range is empty or too large", span);
                }
                Ok((vec![first as u32], Some(last)))
            }
        }
    }

    fn designated_index(&mut self, ty: Qual, expr: ExprId, span: Span) -> Lower<u64> {
        let CType::Array { element, length } = *self.types.get(ty.ty) else {
            return self.error("designator", "only an array's parts have numbers", span);
        };
        let (value, _) = self.integer_constant(expr)?;
        let size = self.types.size_bytes(element.ty).unwrap_or(1).max(1);
        let most = length.unwrap_or(self.options.data_model.most_bytes() / size).min(u64::from(u32::MAX));
        match value.to_u64().filter(|index| *index < most) {
            Some(index) => Ok(index),
            None => {
                let span = self.ast.exprs[expr].span;
                self.error("initializer", "this index lies outside the array", span)
            }
        }
    }
}

fn initializer_span(initializer: &Initializer, ast: &crate::syntax::ast::Ast) -> Option<Span> {
    match initializer {
        Initializer::Expr(expr) => Some(ast.exprs[*expr].span),
        Initializer::List { span, .. } => Some(*span),
    }
}
