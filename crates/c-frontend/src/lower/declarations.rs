//! Declaration specifiers and declarators to types (6.7).

use foundation::{Diagnostic, Span};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::scope::BindingKind;
use super::{Lower, Lowering};
use crate::syntax::ast::{
    Alignment, ArrayLength, Attribute, Declarator, Derived, FloatSize, FunctionDerived, IntegerSize, Specifiers,
    TypeName, TypeSpecifier,
};
use crate::types::{CType, FunctionType, IntKind, Qual, TYPE_DEPTH_LIMIT, WideFloat};

impl Lowering<'_> {
    /// The type that a type name names.
    pub(crate) fn type_name(&mut self, name: &TypeName) -> Lower<Qual> {
        let base = self.specified_type(&name.specifiers)?;
        self.derived_type(base, &name.declarator, false)
    }

    /// The type of declaration specifiers.
    pub(crate) fn specified_type(&mut self, specifiers: &Specifiers) -> Lower<Qual> {
        if specifiers.thread_local {
            return self.unsupported(
                "unsupported-thread-local",
                "thread-local objects are",
                specifiers.span,
                "make the object a local variable of the thread's function",
            );
        }
        let span = specifiers.span;
        let mut ty = match &specifiers.ty {
            TypeSpecifier::Void => self.types.qual(CType::Void),
            TypeSpecifier::Bool => self.types.qual(CType::Bool),
            TypeSpecifier::Integer { size, signed } => self.types.int(int_kind(*size, *signed)),
            TypeSpecifier::Float(size) => self.types.qual(float_type(*size)),
            TypeSpecifier::VaList => self.types.qual(CType::VaList),
            TypeSpecifier::Record(record) => self.record_specifier(record)?,
            TypeSpecifier::Enum(enumeration) => self.enum_specifier(enumeration)?,
            TypeSpecifier::TypeofType(name) => self.type_name(name)?,
            TypeSpecifier::TypeofExpr(expr) => self.type_of_unevaluated(*expr)?,
            TypeSpecifier::Name(name) => match self.scopes.find(*name).map(|binding| &binding.kind) {
                Some(BindingKind::Typedef(ty)) => *ty,
                Some(BindingKind::Faulty(refusal)) => {
                    let refusal = *refusal;
                    return self.faulty_use(refusal);
                }
                _ => {
                    let text = format!("`{}` is not a type", self.text(*name));
                    return self.error("unknown-type", text, span);
                }
            },
            TypeSpecifier::Atomic(name) => {
                let ty = self.type_name(name)?;
                Qual { is_atomic: true, ..ty }
            }
            TypeSpecifier::Auto => {
                return self.error("auto-type", "`__auto_type` needs a plain name with an initialiser", span);
            }
            TypeSpecifier::Missing => {
                self.warn(
                    Diagnostic::warning("implicit-int", "this declaration has no type: it is taken for `int`").at(span),
                );
                self.types.int(IntKind::Int)
            }
        };
        if let Some(changed) = self.mode_attribute(&specifiers.attributes, ty)? {
            ty = changed;
        }
        ty.is_const |= specifiers.qualifiers.is_const;
        ty.is_volatile |= specifiers.qualifiers.is_volatile;
        ty.is_atomic |= specifiers.qualifiers.is_atomic;
        self.check_depth(ty, span)?;
        Ok(ty)
    }

    fn check_depth(&mut self, ty: Qual, span: Span) -> Lower<()> {
        if self.types.depth(ty.ty) > TYPE_DEPTH_LIMIT {
            return self.error("nested-too-deeply", "this type is nested too deeply", span);
        }
        Ok(())
    }

    /// Refuses objects of atomic type. (Headers may name such types.)
    pub(crate) fn refuse_atomic(&mut self, ty: Qual, span: Span) -> Lower<()> {
        let element = match self.types.get(ty.ty) {
            CType::Array { element, .. } => *element,
            _ => ty,
        };
        if !ty.is_atomic && !element.is_atomic {
            return Ok(());
        }
        self.unsupported("unsupported-atomic", "C11 atomics are", span, "guard the object by a pthread mutex instead")
    }

    /// The type that a declarator derives from a base type. `parameter` allows what only parameters may have.
    pub(crate) fn derived_type(&mut self, base: Qual, declarator: &Declarator, parameter: bool) -> Lower<Qual> {
        let mut ty = base;
        for (at, derived) in declarator.derived.iter().enumerate().rev() {
            ty = match derived {
                Derived::Pointer(qualifiers) => {
                    let mut pointer = self.types.pointer_to(ty);
                    pointer.is_const = qualifiers.is_const;
                    pointer.is_volatile = qualifiers.is_volatile;
                    pointer.is_atomic = qualifiers.is_atomic;
                    pointer
                }
                Derived::Array { length, span } => {
                    let outermost_of_parameter = parameter && at == 0;
                    let length = self.array_length(length, outermost_of_parameter)?;
                    self.array_type(ty, length, *span)?
                }
                Derived::Function(function) => self.function_type(ty, function)?,
            };
            self.check_depth(ty, declarator.span)?;
        }
        match self.mode_attribute(&declarator.attributes, ty)? {
            Some(changed) => Ok(changed),
            None => Ok(ty),
        }
    }

    pub(crate) fn array_type(&mut self, element: Qual, length: Option<u64>, span: Span) -> Lower<Qual> {
        if let CType::Function(_) | CType::Void = self.types.get(element.ty) {
            let text = format!("an array cannot have elements of type `{}`", self.describe(element));
            return self.error("array-element", text, span);
        }
        let Some(size) = self.types.size_bytes(element.ty) else {
            let text = format!("an array cannot have elements of the incomplete type `{}`", self.describe(element));
            return self.error("incomplete-type", text, span);
        };
        let most = self.options.data_model.most_bytes();
        if length.is_some_and(|length| length.checked_mul(size.max(1)).is_none_or(|bytes| bytes > most)) {
            return self.error("object-too-large", "this array is too large", span);
        }
        Ok(self.types.qual(CType::Array { element, length }))
    }

    fn array_length(&mut self, length: &ArrayLength, parameter: bool) -> Lower<Option<u64>> {
        let expr = match length {
            ArrayLength::Unknown | ArrayLength::Star => return Ok(None),
            ArrayLength::Expr(expr) => *expr,
        };
        // A parameter is a pointer whatever its length, which may name other parameters.
        if parameter {
            return Ok(None);
        }
        let span = self.ast.exprs[expr].span;
        let value = match self.constant_length(expr)? {
            Some(value) => value,
            None => {
                let ty = self.type_of_unevaluated(expr)?;
                if !self.types.is_integer(ty.ty) {
                    let text = format!("the length of an array must be an integer, not `{}`", self.describe(ty));
                    return self.error("array-length", text, span);
                }
                return self.unsupported(
                    "unsupported-vla",
                    "arrays of variable length are",
                    span,
                    "give the array a constant length, or use `malloc`",
                );
            }
        };
        match value.to_u64() {
            Some(length) => Ok(Some(length)),
            None if value < BigInt::from(0) => {
                self.error("array-length", "an array cannot have a negative length", span)
            }
            None => self.error("object-too-large", "this array is too large", span),
        }
    }

    /// The length of an array if it is a constant. It is asked for more than once, and lengths may be nested.
    pub(crate) fn constant_length(&mut self, expr: crate::syntax::ast::ExprId) -> Lower<Option<BigInt>> {
        if let Some(known) = self.lengths.get(&expr) {
            return Ok(known.clone());
        }
        let length = self.try_integer_constant(expr)?.map(|(value, _)| value);
        self.lengths.insert(expr, length.clone());
        Ok(length)
    }

    fn function_type(&mut self, result: Qual, derived: &FunctionDerived) -> Lower<Qual> {
        if let CType::Function(_) | CType::Array { .. } = self.types.get(result.ty) {
            let text = format!("a function cannot return `{}`", self.describe(result));
            return self.error("function-result", text, derived.span);
        }
        let mut parameters = Vec::new();
        self.scopes.open();
        let result_of_parameters = (|| {
            for parameter in &derived.parameters {
                let base = self.specified_type(&parameter.specifiers)?;
                let ty = self.derived_type(base, &parameter.declarator, true)?;
                if self.types.is_void(ty.ty) {
                    return self.error("void-parameter", "a parameter cannot have type `void`", parameter.span);
                }
                parameters.push(self.adjust_parameter(ty));
            }
            Ok(())
        })();
        self.scopes.close();
        result_of_parameters?;
        let function = FunctionType {
            result: result.unqualified(),
            parameters,
            variadic: derived.variadic,
            prototype: derived.prototype,
        };
        Ok(self.types.qual(CType::Function(function)))
    }

    /// Arrays and functions as parameters are pointers (6.7.6.3p7).
    pub(crate) fn adjust_parameter(&mut self, ty: Qual) -> Qual {
        match self.types.get(ty.ty) {
            CType::Array { element, .. } => {
                let element = *element;
                self.types.pointer_to(element)
            }
            CType::Function(_) => self.types.pointer_to(ty),
            _ => ty,
        }
    }

    /// An alignment in bytes that `_Alignas` or the attribute `aligned` asks for.
    pub(crate) fn wanted_alignment(&mut self, alignment: &[Alignment], attributes: &[Attribute]) -> Lower<Option<u64>> {
        let mut wanted = None;
        for alignment in alignment {
            let bytes = match alignment {
                Alignment::Type(name) => {
                    let ty = self.type_name(name)?;
                    self.types.align_bits(ty.ty) / 8
                }
                Alignment::Constant(expr) => self.alignment_constant(*expr)?,
            };
            wanted = wanted.max(Some(bytes));
        }
        for attribute in attributes.iter().filter(|attribute| attribute.name == "aligned") {
            let bytes = match attribute.arguments.first() {
                Some(expr) => self.alignment_constant(*expr)?,
                None => 16,
            };
            wanted = wanted.max(Some(bytes));
        }
        Ok(wanted)
    }

    /// The alignment in bytes that the name of a type has of its own: a declarator keeps it if it derives nothing but
    /// arrays.
    pub(crate) fn named_alignment(&self, specifiers: &Specifiers, declarator: &Declarator) -> Option<u64> {
        let TypeSpecifier::Name(name) = specifiers.ty else { return None };
        let only_arrays = declarator.derived.iter().all(|derived| matches!(derived, Derived::Array { .. }));
        self.scopes.alignment_of_type(name).filter(|_| only_arrays)
    }

    fn alignment_constant(&mut self, expr: crate::syntax::ast::ExprId) -> Lower<u64> {
        let (value, _) = self.integer_constant(expr)?;
        match value.to_u64() {
            Some(0) => Ok(1),
            Some(bytes) if bytes.is_power_of_two() && bytes <= 1 << 28 => Ok(bytes),
            _ => {
                let span = self.ast.exprs[expr].span;
                self.error("alignment", "an alignment must be a power of two", span)
            }
        }
    }

    /// The attribute `mode`, by which headers name integer types by width.
    fn mode_attribute(&mut self, attributes: &[Attribute], ty: Qual) -> Lower<Option<Qual>> {
        for attribute in attributes {
            if attribute.name == "vector_size" {
                return self.unsupported("unsupported-vector", "vector types are", attribute.span, "");
            }
            if attribute.name != "mode" {
                continue;
            }
            let ast = self.ast.clone();
            let name = attribute.arguments.first().and_then(|argument| match ast.exprs[*argument].kind {
                crate::syntax::ast::ExprKind::Identifier(name) => Some(self.text(name)),
                _ => None,
            });
            let kind = match name.as_deref().map(|name| name.trim_matches('_')) {
                Some("QI" | "byte") => IntKind::SignedChar,
                Some("HI") => IntKind::Short,
                Some("SI") => IntKind::Int,
                Some("DI") => IntKind::LongLong,
                Some("TI") => IntKind::Int128,
                Some("word" | "pointer") => self.types.difference_kind(),
                _ => return self.unsupported("unsupported-mode", "this machine mode is", attribute.span, ""),
            };
            let signed = self.types.int_kind(ty.ty).is_none_or(IntKind::is_signed);
            return Ok(Some(self.types.int(if signed { kind } else { kind.to_unsigned() })));
        }
        Ok(None)
    }
}

fn int_kind(size: IntegerSize, signed: Option<bool>) -> IntKind {
    let kind = match size {
        IntegerSize::Char if signed == Some(true) => IntKind::SignedChar,
        IntegerSize::Char => IntKind::Char,
        IntegerSize::Short => IntKind::Short,
        IntegerSize::Int => IntKind::Int,
        IntegerSize::Long => IntKind::Long,
        IntegerSize::LongLong => IntKind::LongLong,
        IntegerSize::Int128 => IntKind::Int128,
    };
    if signed == Some(false) { kind.to_unsigned() } else { kind }
}

fn float_type(size: FloatSize) -> CType {
    match size {
        FloatSize::Float => CType::Float,
        FloatSize::Double => CType::Double,
        FloatSize::LongDouble => CType::WideFloat(WideFloat::LongDouble),
        FloatSize::Float128 => CType::WideFloat(WideFloat::Float128),
        FloatSize::Complex => CType::WideFloat(WideFloat::Complex),
    }
}
