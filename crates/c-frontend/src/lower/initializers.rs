//! Initialisation (6.7.9): braces, designators, elided braces and strings, flattened to a list of stores.
//!
//! An initialiser becomes stores into the parts of an object. For objects that live as long as the program these are
//! constants; for local ones they become edges, after zeros for what the initialiser leaves out.

use foundation::{Diagnostic, Span};
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use program::semantics::evaluate_constant;
use program::{
    ExprId as ModelExpr, Initial, InitialItem, IntType, Op, Operand, Place, Step, Variable, VariableId, VariableKind,
};

use super::literals::character_value;
use super::{Lower, Lowered, Lowering, Value};
use crate::syntax::ast::{Designator, Encoding, ExprId, ExprKind, Initializer, TypeName};
use crate::types::layout::MOST_BYTES;
use crate::types::{CType, Qual};

/// A part of the object that is initialised.
#[derive(Clone)]
struct Target {
    path: Vec<PathStep>,
    offset_bits: u64,
    ty: Qual,
    bit_width: Option<u16>,
}

#[derive(Clone, Copy)]
enum PathStep {
    Field(u32),
    Index(u64),
}

/// One part of an object with what goes there.
struct Store {
    target: Target,
    value: Stored,
}

enum Stored {
    /// An expression, converted as if by assignment.
    Expr(ExprId),
    /// A structure or union expression.
    Aggregate(ExprId),
    /// A character of a string literal.
    Character(u32),
    /// What another part was just initialised with: in a range, side effects happen once.
    Copy(Target),
}

/// The items of one pair of braces, consumed from left to right.
struct Items<'i> {
    list: &'i [(Vec<Designator>, Initializer)],
    at: usize,
}

/// An aggregate with more scalars than this is initialised by a copy of a constant image.
const MOST_SINGLE_STORES: u64 = 16;

/// All range designators together may name this many elements: ranges in ranges would be as many as one likes.
const MOST_RANGE_ELEMENTS: u64 = 1 << 20;

impl Lowering<'_> {
    /// Gives an object with static storage its initial value.
    pub(crate) fn initialize_global(
        &mut self,
        variable: VariableId,
        initializer: Option<&Initializer>,
        span: Span,
    ) -> Lower<()> {
        let Some(initializer) = initializer else {
            if let VariableKind::Global { initial, .. } = &mut self.program.variables[variable].kind
                && *initial == Initial::Arbitrary
            {
                *initial = Initial::Values(Vec::new());
            }
            if !self.scopes.at_file_scope() {
                return self.complete_tentative(variable);
            }
            return Ok(());
        };
        if !self.initialized.insert(variable) {
            let name = self.program.variables[variable].name.clone();
            return self.error("redefinition", format!("`{name}` is initialised twice"), span);
        }
        let stores = self.stores_of(variable, initializer, span)?;
        let mut items = Vec::new();
        for store in stores {
            let item = self.constant_item(&store)?;
            match item {
                Some(item) => items.push(item),
                None => {
                    let span = self.store_span(&store).unwrap_or(span);
                    return self.error("not-constant", "the initial value of this object is not a constant", span);
                }
            }
        }
        if let VariableKind::Global { initial, .. } = &mut self.program.variables[variable].kind {
            *initial = Initial::Values(items);
        }
        Ok(())
    }

    /// At the end of a translation unit an array of unknown length has one element, and every other object must have a
    /// complete type (6.9.2p5).
    pub(crate) fn complete_tentative(&mut self, variable: VariableId) -> Lower<()> {
        let ty = self.variable_types[&variable];
        if let CType::Array { element, length: None } = *self.types.get(ty.ty) {
            let completed = self.types.intern(CType::Array { element, length: Some(1) });
            self.set_variable_type(variable, Qual { ty: completed, ..ty });
            return Ok(());
        }
        if self.types.size_bits(ty.ty).is_none() {
            let span = self.program.variables[variable].span;
            let text = format!("this object has the incomplete type `{}`", self.describe(ty));
            return self.error("incomplete-type", text, span);
        }
        Ok(())
    }

    /// Initialises a local variable by edges.
    pub(crate) fn initialize_local(
        &mut self,
        variable: VariableId,
        initializer: &Initializer,
        span: Span,
    ) -> Lower<()> {
        let ty = self.variable_types[&variable];
        if self.unevaluated > 0 {
            // Nothing is stored; only a length may have to be found.
            let completed = self.completed_by(ty, initializer, span)?;
            self.set_variable_type(variable, completed);
            return Ok(());
        }
        if let Initializer::Expr(expr) = initializer {
            if self.types.is_scalar(ty.ty) {
                return self.initialize_scalar(variable, ty, *expr, span);
            }
            if let CType::Record(_) = self.types.get(ty.ty) {
                let lowered = self.rvalue(*expr)?;
                let source = self.aggregate_operand(lowered, ty, "this initialiser")?;
                let target = self.variable_place(variable);
                return self.emit(Op::Assign { target, value: Operand::Aggregate(source) }, span);
            }
        }
        let stores = self.stores_of(variable, initializer, span)?;
        let ty = self.variable_types[&variable];
        let whole = Target { path: Vec::new(), offset_bits: 0, ty, bit_width: None };
        if self.types.scalar_count(ty.ty) > MOST_SINGLE_STORES {
            return self.initialize_by_image(variable, stores, span);
        }
        let mut leaves = Vec::new();
        self.leaves(&whole, &mut leaves);
        for leaf in leaves {
            if !stores.iter().any(|store| self.covers(&store.target, &leaf)) {
                let scalar = self.types.scalar(leaf.ty.ty).expect("leaves are scalars");
                let zero = self.zero(scalar);
                let target = self.target_place(variable, &leaf);
                self.emit(Op::Assign { target, value: Operand::Scalar(zero) }, span)?;
            }
        }
        for store in stores {
            self.emit_store(variable, &store, span)?;
        }
        Ok(())
    }

    fn initialize_scalar(&mut self, variable: VariableId, ty: Qual, expr: ExprId, span: Span) -> Lower<()> {
        let ast = self.ast.clone();
        let lowered = match &ast.exprs[expr].kind {
            ExprKind::Call(function, arguments) => {
                self.call(*function, arguments, ast.exprs[expr].span, Some(variable))?
            }
            _ => self.expr(expr)?,
        };
        if matches!((&ast.exprs[expr].kind, &lowered.value), (ExprKind::Call(..), Value::Place(place)) if place.as_variable() == Some(variable))
        {
            return Ok(());
        }
        let scalar = self.scalar_of(lowered)?;
        let value = self.assign_convert(scalar, ty, "this initialiser")?;
        let target = self.variable_place(variable);
        self.emit(Op::Assign { target, value: Operand::Scalar(value) }, span)
    }

    /// Copies an image of the constant parts, then stores the others.
    fn initialize_by_image(&mut self, variable: VariableId, stores: Vec<Store>, span: Span) -> Lower<()> {
        let mut items = Vec::new();
        let mut others = Vec::new();
        for store in stores {
            match self.constant_item(&store)? {
                Some(item) if others.is_empty() => items.push(item),
                _ => others.push(store),
            }
        }
        let ty = self.program.variables[variable].ty;
        let name = format!("initial {}", self.program.variables[variable].name);
        let image = self.program.variables.push(Variable {
            name,
            kind: VariableKind::Literal { initial: Initial::Values(items) },
            ty,
            address_taken: false,
            span,
        });
        self.variable_types.insert(image, self.variable_types[&variable]);
        let (target, source) = (self.variable_place(variable), self.variable_place(image));
        self.emit(Op::Assign { target, value: Operand::Aggregate(source) }, span)?;
        for store in others {
            self.emit_store(variable, &store, span)?;
        }
        Ok(())
    }

    fn emit_store(&mut self, variable: VariableId, store: &Store, span: Span) -> Lower<()> {
        let target = self.target_place(variable, &store.target);
        let value = match &store.value {
            Stored::Aggregate(expr) => {
                let lowered = self.rvalue(*expr)?;
                Operand::Aggregate(self.aggregate_operand(lowered, store.target.ty, "this initialiser")?)
            }
            Stored::Copy(from) => {
                let place = self.target_place(variable, from);
                match self.types.is_scalar(from.ty.ty) {
                    true => Operand::Scalar(self.load(place)),
                    false => Operand::Aggregate(place),
                }
            }
            _ => Operand::Scalar(self.stored_scalar(store)?),
        };
        self.emit(Op::Assign { target, value }, span)
    }

    fn stored_scalar(&mut self, store: &Store) -> Lower<ModelExpr> {
        match &store.value {
            Stored::Expr(expr) => {
                let scalar = self.scalar(*expr)?;
                self.assign_convert(scalar, store.target.ty, "this initialiser")
            }
            Stored::Character(unit) => {
                let int = self.types.int_type(store.target.ty.ty).expect("characters are integers");
                Ok(self.program.exprs.int(character_value(*unit, int), int))
            }
            Stored::Aggregate(_) | Stored::Copy(_) => unreachable!("these are stored whole"),
        }
    }

    /// A store as an initial value, if it is constant.
    fn constant_item(&mut self, store: &Store) -> Lower<Option<InitialItem>> {
        if let Stored::Aggregate(_) | Stored::Copy(_) = store.value {
            return Ok(None);
        }
        if let Stored::Expr(expr) = store.value
            && super::effects::has_effects(&self.ast, expr)
            && self.function.is_some()
        {
            return Ok(None);
        }
        let value = self.stored_scalar(store)?;
        if evaluate_constant(&self.program, value).is_err() {
            return Ok(None);
        }
        let scalar = self.program.exprs.ty(value);
        let width_bits = match store.target.bit_width {
            Some(width) => u64::from(width),
            None => self.program.types.scalar_bits(scalar),
        };
        Ok(Some(InitialItem { offset_bits: store.target.offset_bits, width_bits, value }))
    }

    fn store_span(&self, store: &Store) -> Option<Span> {
        match store.value {
            Stored::Expr(expr) | Stored::Aggregate(expr) => Some(self.ast.exprs[expr].span),
            Stored::Character(_) | Stored::Copy(_) => None,
        }
    }

    /// All stores of an initialiser; an array of unknown length gets its length from them.
    fn stores_of(&mut self, variable: VariableId, initializer: &Initializer, span: Span) -> Lower<Vec<Store>> {
        let ty = self.variable_types[&variable];
        let mut stores = Vec::new();
        let target = Target { path: Vec::new(), offset_bits: 0, ty, bit_width: None };
        let length = self.collect(&target, initializer, span, &mut stores)?;
        if let CType::Array { element, length: None } = *self.types.get(ty.ty) {
            let completed = self.types.intern(CType::Array { element, length: Some(length) });
            self.set_variable_type(variable, Qual { ty: completed, ..ty });
        }
        self.refuse_flexible_values(variable, &stores, span)?;
        Ok(stores)
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

    /// An array type of unknown length with the length that an initialiser gives it.
    fn completed_by(&mut self, ty: Qual, initializer: &Initializer, span: Span) -> Lower<Qual> {
        let CType::Array { element, length: None } = *self.types.get(ty.ty) else { return Ok(ty) };
        let target = Target { path: Vec::new(), offset_bits: 0, ty, bit_width: None };
        let length = self.collect(&target, initializer, span, &mut Vec::new())?;
        let completed = self.types.intern(CType::Array { element, length: Some(length) });
        Ok(Qual { ty: completed, ..ty })
    }

    /// Collects the stores of one initialiser; returns how many elements it gives an array.
    fn collect(&mut self, target: &Target, initializer: &Initializer, span: Span, out: &mut Vec<Store>) -> Lower<u64> {
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

    fn string_of(&self, initializer: &Initializer) -> Option<(Vec<u32>, Encoding)> {
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

    fn is_character_array(&mut self, element: Qual, encoding: Encoding) -> bool {
        let wanted = self.character_type(encoding);
        let (Some(a), Some(b)) = (self.types.int_kind(element.ty), self.types.int_kind(wanted.ty)) else {
            return false;
        };
        a.bits(self.types.model) == b.bits(self.types.model)
    }

    fn collect_string(
        &mut self,
        target: &Target,
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
        target: &Target,
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
        part: &Target,
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
                && super::effects::has_effects(&self.ast, expr)
            {
                out[later + at].value = Stored::Copy(out[earlier + at].target.clone());
            }
        }
    }

    /// Initialises one part from the next item, or from several where the part's braces are left out.
    fn collect_part(&mut self, part: &Target, items: &mut Items<'_>, span: Span, out: &mut Vec<Store>) -> Lower<()> {
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
        part: &Target,
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

    fn is_union(&self, ty: Qual) -> bool {
        match self.types.get(ty.ty) {
            CType::Record(record) => self.types.records[*record].kind == crate::syntax::ast::RecordKind::Union,
            _ => false,
        }
    }

    fn has_part(&self, ty: Qual, index: u64) -> bool {
        match self.types.get(ty.ty) {
            CType::Array { length, .. } => length.is_none_or(|length| index < length),
            CType::Record(record) => {
                self.types.records[*record].body.as_ref().is_some_and(|body| index < body.members.len() as u64)
            }
            _ => false,
        }
    }

    /// The part of an aggregate with this number.
    fn part(&mut self, target: &Target, index: u64, span: Span) -> Lower<Target> {
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
                Ok(Target {
                    path,
                    offset_bits: target.offset_bits + member.offset_bits,
                    ty: member.ty,
                    bit_width: member.bit_width,
                })
            }
            _ => self.error("initializer", "this has no parts to initialise", span),
        }
    }

    fn element(&self, target: &Target, element: Qual, index: u64) -> Target {
        let size = self.types.size_bits(element.ty).unwrap_or(0);
        let mut path = target.path.clone();
        path.push(PathStep::Index(index));
        Target { path, offset_bits: target.offset_bits + index * size, ty: element, bit_width: None }
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
        let most = length.unwrap_or(MOST_BYTES / size).min(u64::from(u32::MAX));
        match value.to_u64().filter(|index| *index < most) {
            Some(index) => Ok(index),
            None => {
                let span = self.ast.exprs[expr].span;
                self.error("initializer", "this index lies outside the array", span)
            }
        }
    }

    fn target_place(&mut self, variable: VariableId, target: &Target) -> Place {
        let index_type = IntType { bits: self.types.model.pointer_bits(), signed: true };
        let path = target
            .path
            .iter()
            .map(|step| match step {
                PathStep::Field(field) => Step::Field(*field),
                PathStep::Index(index) => Step::Index(self.program.exprs.int(BigInt::from(*index), index_type)),
            })
            .collect();
        let ty = self.types.model_type(target.ty.ty, &mut self.program.types);
        Place { root: program::Root::Variable(variable), path, ty }
    }

    /// The scalars of an object; of a union, those of its largest member, so that all of it is zero.
    fn leaves(&self, target: &Target, out: &mut Vec<Target>) {
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
                    let part = Target {
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
    fn covers(&self, store: &Target, leaf: &Target) -> bool {
        let end = |target: &Target| {
            let width = target.bit_width.map(u64::from);
            target.offset_bits + width.or(self.types.size_bits(target.ty.ty)).unwrap_or(0)
        };
        store.offset_bits <= leaf.offset_bits && end(leaf) <= end(store)
    }

    /// `(type) { … }`: an object of the enclosing block, or of the whole program at file scope (6.5.2.5).
    pub(crate) fn compound_literal(
        &mut self,
        name: &TypeName,
        initializer: &Initializer,
        span: Span,
    ) -> Lower<Lowered> {
        let ty = self.type_name(name)?;
        if self.unevaluated > 0 {
            let ty = self.completed_by(ty, initializer, span)?;
            let null = self.zero(program::Scalar::Pointer);
            let place = Place::pointer(null, self.types.model_type(ty.ty, &mut self.program.types));
            return Ok(Lowered { value: Value::Place(place), ty, bit_width: None, span });
        }
        let symbol = self.symbols.intern("(literal)");
        let variable = if self.function.is_some() {
            let function = self.builder().id;
            let model = self.types.model_type(ty.ty, &mut self.program.types);
            let variable = self.program.variables.push(Variable {
                name: "(literal)".to_owned(),
                kind: VariableKind::Local(function),
                ty: model,
                address_taken: false,
                span,
            });
            self.variable_types.insert(variable, ty);
            self.program.functions[function].locals.push(variable);
            self.add_to_block(variable);
            self.emit(Op::Declare(variable), span)?;
            let declared = self.builder().last;
            self.revivals.extend(declared);
            self.initialize_local(variable, initializer, span)?;
            variable
        } else {
            let variable = self.new_global(symbol, ty, None, span);
            self.initialize_global(variable, Some(initializer), span)?;
            variable
        };
        let ty = self.variable_types[&variable];
        let place = self.variable_place(variable);
        Ok(Lowered { value: Value::Place(place), ty, bit_width: None, span })
    }
}

fn initializer_span(initializer: &Initializer, ast: &crate::syntax::ast::Ast) -> Option<Span> {
    match initializer {
        Initializer::Expr(expr) => Some(ast.exprs[*expr].span),
        Initializer::List { span, .. } => Some(*span),
    }
}
