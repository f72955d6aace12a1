//! Expressions (6.5): which construct is lowered where.

use foundation::{Diagnostic, Span};
use num_bigint::BigInt;
use program::{Constant, ExprKind as ModelKind, Op, Operand, Place, Scalar, VariableId, VariableKind};

use super::library::is_stream;
use super::scope::{Binding, BindingKind};
use super::{Denoted, Lower, Lowered, Lowering};
use crate::syntax::ast::{Designator, ExprId, ExprKind, TypeName};
use crate::syntax::symbols::Symbol;
use crate::types::{CType, IntKind, Qual};

impl Lowering<'_> {
    /// Lowers an expression. Places stay places.
    pub(crate) fn expr(&mut self, id: ExprId) -> Lower<Lowered> {
        stacker::maybe_grow(128 * 1024, 2 * 1024 * 1024, || self.expr_on_grown_stack(id))
    }

    fn expr_on_grown_stack(&mut self, id: ExprId) -> Lower<Lowered> {
        let ast = self.ast.clone();
        let expr = &ast.exprs[id];
        let span = expr.span;
        match &expr.kind {
            ExprKind::Identifier(name) => self.identifier(*name, span),
            ExprKind::Integer(literal) => self.integer_literal(literal, span),
            ExprKind::Float(literal) => self.float_literal(literal, span),
            ExprKind::Character { value, encoding } => Ok(self.character_literal(*value, *encoding, span)),
            ExprKind::String { units, encoding } => Ok(self.string_literal(units, *encoding, span)),
            ExprKind::Binary(op, left, right) => self.binary(*op, *left, *right, span),
            ExprKind::Assign(op, left, right) => self.assignment(*op, *left, *right, span, true),
            ExprKind::Unary(op, operand) => self.unary(*op, *operand, span),
            ExprKind::Increment { prefix, up, operand } => self.increment(*prefix, *up, *operand, span, true),
            ExprKind::Conditional { condition, then, otherwise } => {
                self.conditional(*condition, *then, *otherwise, span)
            }
            ExprKind::Cast(name, operand) => {
                let ty = self.type_name(name)?;
                self.cast(ty, *operand, span)
            }
            ExprKind::CompoundLiteral(name, initializer) => self.compound_literal(name, initializer, span),
            ExprKind::Call(function, arguments) => self.call(*function, arguments, span, None),
            ExprKind::Index(array, index) => self.index(*array, *index, span),
            ExprKind::Member { base, arrow, member, member_span } => {
                self.member(*base, *arrow, *member, *member_span, span)
            }
            ExprKind::SizeofExpr(operand) => {
                if let Some(size) = self.variable_array_size(*operand, span) {
                    return Ok(size);
                }
                let ty = self.type_of_unevaluated(*operand)?;
                self.size_of(ty, span)
            }
            ExprKind::SizeofType(name) => {
                if let Some(size) = self.variable_type_size(name, span)? {
                    return Ok(size);
                }
                let ty = self.type_name(name)?;
                self.size_of(ty, span)
            }
            ExprKind::AlignofType(name) => {
                let ty = self.type_name(name)?;
                let kind = self.types.size_kind();
                Ok(match self.named_alignment(&name.specifiers, &name.declarator) {
                    Some(bytes) => self.int_constant(bytes, kind, span),
                    None => self.align_of(ty, span),
                })
            }
            ExprKind::AlignofExpr(operand) => {
                let ty = self.type_of_unevaluated(*operand)?;
                Ok(self.align_of(ty, span))
            }
            ExprKind::Comma(left, right) => {
                self.discard(*left)?;
                let lowered = self.rvalue(*right)?;
                Ok(Lowered { span, ..lowered })
            }
            ExprKind::Generic(control, associations) => self.generic(*control, associations, span),
            ExprKind::Statement(statement) => self.statement_expression(*statement, span),
            ExprKind::LabelAddress(_) => {
                self.unsupported("unsupported-label-address", "addresses of labels are", span, "use a `switch`")
            }
            ExprKind::VaArg(list, name) => self.variadic_argument(*list, name, span),
            ExprKind::Offsetof(name, designators) => self.offset_of(name, designators, span),
            ExprKind::TypesCompatible(left, right) => {
                let (left, right) = (self.type_name(left)?, self.type_name(right)?);
                let same = self.types.compatible(left.ty, right.ty);
                Ok(self.int_constant(u8::from(same), IntKind::Int, span))
            }
            ExprKind::Choose(condition, then, otherwise) => {
                let (value, _) = self.integer_constant(*condition)?;
                self.expr(if value == BigInt::from(0) { *otherwise } else { *then })
            }
        }
    }

    fn identifier(&mut self, name: Symbol, span: Span) -> Lower<Lowered> {
        let mut kind = self.scopes.find(name).map(|binding| binding.kind.clone());
        if let Some(BindingKind::External(external)) = kind {
            kind = self.materialize(external).map(BindingKind::Variable);
        }
        match kind {
            Some(BindingKind::External(_)) => unreachable!("external objects are made when they are used"),
            Some(BindingKind::Variable(variable)) => {
                if let Some(array) = self.as_variable_array(variable, span) {
                    return Ok(array);
                }
                let ty = self.variable_types[&variable];
                let model = self.types.model_type(ty.ty, &mut self.program.types);
                let place = Place::variable(variable, model);
                Ok(Lowered { value: Denoted::Place(place), ty, bit_width: None, span })
            }
            Some(BindingKind::Function(function)) => {
                let (ty, name) = (self.functions[&function].ty, self.functions[&function].name);
                self.note_use(name);
                self.note_address(name, function, span);
                Ok(Lowered { value: Denoted::Function(function), ty, bit_width: None, span })
            }
            Some(BindingKind::Faulty(refusal)) => self.faulty_use(refusal),
            Some(BindingKind::Constant(value, ty)) => Ok(self.constant(Constant::Int(value), ty, span)),
            Some(BindingKind::Typedef(_)) => {
                let text = format!("`{}` is a type: a value is needed here", self.text(name));
                self.error("type-as-value", text, span)
            }
            None => match self.predefined_identifier(name, span) {
                Some(lowered) => Ok(lowered),
                None => {
                    let diagnostic = self.unknown_name(name, span);
                    self.fail(diagnostic)
                }
            },
        }
    }

    /// `__func__` (6.4.2.2) and its GNU names.
    fn predefined_identifier(&mut self, name: Symbol, span: Span) -> Option<Lowered> {
        if !matches!(self.symbols.text(name), "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") {
            return None;
        }
        let function = self.function.as_ref()?.name;
        let units: Vec<u32> = self.symbols.text(function).bytes().map(u32::from).collect();
        Some(self.string_literal(&units, crate::syntax::ast::CharPrefix::Plain, span))
    }

    fn unknown_name(&self, name: Symbol, span: Span) -> Diagnostic {
        let text = self.symbols.text(name);
        let diagnostic = Diagnostic::error("unknown-name", format!("`{text}` is not declared")).at(span);
        match nearest_name(text, self.scopes.visible().map(|symbol| self.symbols.text(symbol))) {
            Some(near) => diagnostic.help(format!("did you mean `{near}`?")),
            None if matches!(text, "true" | "false" | "bool") => diagnostic.help("add `#include <stdbool.h>`"),
            None if text == "NULL" => diagnostic.help("add `#include <stddef.h>`"),
            None => diagnostic,
        }
    }

    /// Declares a name in the innermost scope, once.
    pub(crate) fn declare_name(&mut self, name: Symbol, binding: Binding) -> Lower<()> {
        let span = binding.span;
        match self.scopes.declare(name, binding) {
            None => Ok(()),
            Some(earlier) => {
                let diagnostic =
                    Diagnostic::error("redefinition", format!("`{}` is declared twice in this scope", self.text(name)))
                        .at(span)
                        .also(earlier.span, "first here");
                self.fail(diagnostic)
            }
        }
    }

    /// The type of an expression that is not evaluated, before its value is taken.
    pub(crate) fn type_of_unevaluated(&mut self, expr: ExprId) -> Lower<Qual> {
        let lowered = self.without_evaluating(|lowering| lowering.expr(expr))?;
        if lowered.bit_width.is_some() && matches!(lowered.value, Denoted::Place(_)) {
            return self.error("bit-field", "a bit-field has no size of its own", lowered.span);
        }
        Ok(lowered.ty)
    }

    fn size_of(&mut self, ty: Qual, span: Span) -> Lower<Lowered> {
        let kind = self.types.size_kind();
        match self.types.get(ty.ty) {
            CType::Void | CType::Function(_) => Ok(self.int_constant(1, kind, span)),
            _ => match self.types.size_bytes(ty.ty) {
                Some(size) => Ok(self.int_constant(size, kind, span)),
                None => {
                    let text = format!("the size of the incomplete type `{}` is not known", self.describe(ty));
                    self.error("incomplete-type", text, span)
                }
            },
        }
    }

    fn align_of(&mut self, ty: Qual, span: Span) -> Lowered {
        let kind = self.types.size_kind();
        let align = self.types.align_bits(ty.ty) / 8;
        self.int_constant(align, kind, span)
    }

    fn offset_of(&mut self, name: &TypeName, designators: &[Designator], span: Span) -> Lower<Lowered> {
        let mut ty = self.type_name(name)?;
        let mut offset_bits = 0u64;
        for designator in designators {
            match designator {
                Designator::Member(member, member_span) => {
                    let path = self.member_path(ty, *member, *member_span)?;
                    for at in path {
                        let CType::Record(record) = *self.types.get(ty.ty) else { break };
                        let Some(body) = &self.types.records[record].body else { break };
                        let member = &body.members[at as usize];
                        let Some(moved) = offset_bits.checked_add(member.offset_bits) else {
                            return self.error("array-length", "this index is out of range", span);
                        };
                        offset_bits = moved;
                        ty = member.ty;
                    }
                }
                Designator::Index(index) => {
                    let (value, _) = self.integer_constant(*index)?;
                    let CType::Array { element, .. } = *self.types.get(ty.ty) else {
                        return self.error("not-array", "this member is not an array", span);
                    };
                    let size = self.types.size_bits(element.ty).unwrap_or(0);
                    let index = num_traits::ToPrimitive::to_u64(&value).and_then(|index| index.checked_mul(size));
                    let Some(moved) = index.and_then(|bits| offset_bits.checked_add(bits)) else {
                        return self.error("array-length", "this index is out of range", span);
                    };
                    offset_bits = moved;
                    ty = element;
                }
                Designator::Range(..) => return self.error("designator", "a range cannot stand here", span),
            }
        }
        let kind = self.types.size_kind();
        Ok(self.int_constant(offset_bits / 8, kind, span))
    }

    /// `_Generic` (6.5.1.1).
    fn generic(&mut self, control: ExprId, associations: &[(Option<TypeName>, ExprId)], span: Span) -> Lower<Lowered> {
        let ty = self.without_evaluating(|lowering| lowering.rvalue(control))?.ty;
        let mut chosen = None;
        for (name, value) in associations {
            match name {
                Some(name) => {
                    let candidate = self.type_name(name)?;
                    if candidate == ty.unqualified()
                        || (candidate.unqualified() == candidate && self.types.compatible(candidate.ty, ty.ty))
                    {
                        chosen = Some(*value);
                        break;
                    }
                }
                None => chosen = chosen.or(Some(*value)),
            }
        }
        match chosen {
            Some(value) => self.expr(value),
            None => {
                let text = format!("no association of this `_Generic` has type `{}`", self.describe(ty));
                self.error("generic", text, span)
            }
        }
    }

    /// Lowers an expression whose value is not used. What may be noticed is still carried out.
    pub(crate) fn discard(&mut self, id: ExprId) -> Lower<()> {
        let ast = self.ast.clone();
        let expr = &ast.exprs[id];
        let lowered = match &expr.kind {
            ExprKind::Assign(op, left, right) => {
                self.assignment(*op, *left, *right, expr.span, false)?;
                return Ok(());
            }
            ExprKind::Increment { prefix, up, operand } => {
                self.increment(*prefix, *up, *operand, expr.span, false)?;
                return Ok(());
            }
            ExprKind::Comma(..) => {
                let (mut first, mut others) = (id, Vec::new());
                while let ExprKind::Comma(left, right) = &ast.exprs[first].kind {
                    others.push(*right);
                    first = *left;
                }
                self.discard(first)?;
                return others.into_iter().rev().try_for_each(|other| self.discard(other));
            }
            ExprKind::Cast(name, operand) => {
                let ty = self.type_name(name)?;
                if self.types.is_void(ty.ty) {
                    return self.discard(*operand);
                }
                self.cast(ty, *operand, expr.span)?
            }
            ExprKind::Identifier(_) => self.read_if_shared(id)?,
            _ => self.rvalue(id)?,
        };
        self.carry_out(&lowered, expr.span)
    }

    /// What a name stands for; it is read where other threads may write it meanwhile. Not inlined, since what is deeply
    /// nested needs small frames.
    #[inline(never)]
    fn read_if_shared(&mut self, id: ExprId) -> Lower<Lowered> {
        let lowered = self.expr(id)?;
        if self.is_shared_scalar(&lowered) { self.rvalue(id) } else { Ok(lowered) }
    }

    fn is_shared_scalar(&self, lowered: &Lowered) -> bool {
        let Denoted::Place(place) = &lowered.value else { return false };
        let is_shared = |variable| {
            let variable = &self.program.variables[variable];
            matches!(variable.kind, VariableKind::Global { .. }) && !is_stream(&variable.name)
        };
        place.as_variable().is_some_and(is_shared) && self.types.is_scalar(lowered.ty.ty)
    }

    /// Computes a value that is not used, if that may be noticed.
    pub(crate) fn carry_out(&mut self, lowered: &Lowered, span: Span) -> Lower<()> {
        match &lowered.value {
            Denoted::Scalar(value) => self.carry_out_operand(Operand::Scalar(*value), span),
            Denoted::Aggregate(place) => self.carry_out_operand(Operand::Aggregate(place.clone()), span),
            _ => Ok(()),
        }
    }

    /// Computes an operand that is not used, if that may be noticed.
    pub(crate) fn carry_out_operand(&mut self, value: Operand, span: Span) -> Lower<()> {
        if self.unevaluated > 0 || self.function.is_none() || !self.may_be_noticed(&value) {
            return Ok(());
        }
        let ty = self.operand_type(&value);
        let unused = self.temporary(ty, span)?;
        let target = self.variable_place(unused);
        self.emit(Op::Assign { target, value }, span)
    }

    /// Whether it may be noticed that an operand is evaluated, judged by its shape: it may be undefined, overflow, or
    /// race with another thread.
    pub(crate) fn may_be_noticed(&self, value: &Operand) -> bool {
        let value = match value {
            Operand::Scalar(value) => *value,
            Operand::Aggregate(place) => return !place.is_certain(),
        };
        let exprs = &self.program.exprs;
        let is_own = |variable: VariableId| {
            let variable = &self.program.variables[variable];
            !matches!(variable.kind, VariableKind::Global { .. }) && !variable.address_taken
        };
        let is_float = |expr: program::ExprId| matches!(exprs.ty(expr), Scalar::Float(_));
        let is_pointer = |expr: program::ExprId| exprs.ty(expr) == Scalar::Pointer;
        let mut open = vec![value];
        while let Some(expr) = open.pop() {
            match &exprs.get(expr).kind {
                ModelKind::Load(place) if place.as_variable().is_some_and(is_own) => {}
                ModelKind::Load(_)
                | ModelKind::Unary(..)
                | ModelKind::Binary(..)
                | ModelKind::PointerAdd { .. }
                | ModelKind::PointerDifference { .. } => return true,
                // A number that the integer type has no room for.
                ModelKind::Cast(operand) if is_float(*operand) && !is_float(expr) => return true,
                ModelKind::Compare(_, left, _) if is_pointer(*left) => return true,
                _ => open.extend(exprs.operands(expr)),
            }
        }
        false
    }
}

/// The known name that is most like a misspelt one, if one is like it.
pub(crate) fn nearest_name<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> Option<String> {
    if name.len() <= 2 {
        return None;
    }
    let most = if name.len() <= 4 { 1 } else { 2 };
    known
        .filter(|other| other.len().abs_diff(name.len()) <= most && !other.starts_with("__"))
        .map(|other| (strsim::osa_distance(name, other), other))
        .filter(|(distance, _)| *distance <= most)
        .min()
        .map(|(_, other)| other.to_owned())
}
