//! Structure, union and enumeration specifiers (6.7.2.1 to 6.7.2.3).

use foundation::{Diagnostic, Span};
use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::scope::{Binding, BindingKind, Tag};
use super::{Lower, Lowering};
use crate::syntax::ast::{
    Attribute, Declaration, EnumSpecifier, Enumerator, MemberDeclaration, MemberDeclarator, RecordSpecifier, Specifiers,
};
use crate::syntax::symbols::Symbol;
use crate::types::layout::{MemberInput, Packing};
use crate::types::{CType, EnumId, EnumInfo, IntKind, Qual, RecordId, RecordInfo};

impl Lowering<'_> {
    /// The type of `struct tag { … }`.
    pub(crate) fn record_specifier(&mut self, specifier: &RecordSpecifier) -> Lower<Qual> {
        let record = self.record_of_tag(specifier)?;
        if let Some(members) = &specifier.members {
            if self.types.records[record].body.is_some() {
                let name = self.types.record_name(record);
                let earlier = self.types.records[record].span;
                let diagnostic = Diagnostic::error("redefinition", format!("`{name}` is defined twice"))
                    .at(specifier.span)
                    .also(earlier, "first here");
                return self.fail(diagnostic);
            }
            self.types.records[record].span = specifier.span;
            let limit = self.packing_limit(specifier.span);
            self.refusing(false, |lowering| lowering.define_record(record, members, &specifier.attributes, limit))?;
        }
        Ok(self.types.qual(CType::Record(record)))
    }

    /// The alignment that `#pragma pack` limits members to at a place.
    fn packing_limit(&self, span: Span) -> Option<u64> {
        let packings = &self.ast.packings;
        let before = packings.partition_point(|packing| packing.offset <= span.start);
        before.checked_sub(1).and_then(|last| packings[last].limit)
    }

    fn record_of_tag(&mut self, specifier: &RecordSpecifier) -> Lower<RecordId> {
        if let Some((tag, span)) = specifier.tag {
            let known = if specifier.members.is_some() {
                self.scopes.tag_declared_here(tag)
            } else {
                self.scopes.find_tag(tag)
            };
            match known {
                Some(Tag::Record(record)) if self.types.records[record].kind == specifier.kind => return Ok(record),
                Some(_) => {
                    let text = format!("`{}` is the tag of another kind of type", self.text(tag));
                    return self.error("wrong-tag", text, span);
                }
                None => {}
            }
        }
        let record = self.types.records.push(RecordInfo {
            kind: specifier.kind,
            tag: specifier.tag.map(|(tag, _)| self.text(tag)),
            span: specifier.span,
            body: None,
        });
        if let Some((tag, _)) = specifier.tag {
            self.scopes.declare_tag(tag, Tag::Record(record));
        }
        Ok(record)
    }

    fn define_record(
        &mut self,
        record: RecordId,
        members: &[MemberDeclaration],
        attributes: &[Attribute],
        limit: Option<u64>,
    ) -> Lower<()> {
        let mut inputs: Vec<MemberInput> = Vec::new();
        for member in members {
            match member {
                MemberDeclaration::StaticAssert(declaration) => self.static_assert(declaration)?,
                MemberDeclaration::Members { specifiers, declarators, span } => {
                    self.member_inputs(specifiers, declarators, *span, &mut inputs)?;
                }
            }
        }
        self.check_member_names(&inputs)?;
        let other_layout =
            attributes.iter().find(|attribute| matches!(attribute.name.as_str(), "scalar_storage_order" | "ms_struct"));
        if let Some(attribute) = other_layout {
            let what = format!("the attribute `{}` is", attribute.name);
            return self.unsupported("unsupported-attribute", &what, attribute.span, "");
        }
        let packed = attributes.iter().any(|attribute| attribute.name == "packed");
        let align = self.wanted_alignment(&[], attributes)?;
        let result = self.types.complete_record(
            record,
            &inputs,
            Packing { packed, limit },
            align,
            self.symbols,
            &mut self.program.types,
        );
        result.or_else(|diagnostic| self.fail(*diagnostic))
    }

    fn member_inputs(
        &mut self,
        specifiers: &Specifiers,
        declarators: &[MemberDeclarator],
        span: Span,
        inputs: &mut Vec<MemberInput>,
    ) -> Lower<()> {
        let base = self.specified_type(specifiers)?;
        let align = self.wanted_alignment(&specifiers.alignment, &specifiers.attributes)?;
        let packed = specifiers.attributes.iter().any(|attribute| attribute.name == "packed");
        if declarators.is_empty() {
            if let CType::Record(_) = self.types.get(base.ty) {
                let anonymous = match &specifiers.ty {
                    crate::syntax::ast::TypeSpecifier::Record(record) => record.tag.is_none(),
                    _ => false,
                };
                if anonymous {
                    inputs.push(MemberInput { name: None, ty: base, bit_width: None, align, packed, span });
                }
            }
            return Ok(());
        }
        for declarator in declarators {
            let ty = self.derived_type(base, &declarator.declarator, false)?;
            let span = declarator.declarator.span;
            if let CType::Function(_) | CType::Void = self.types.get(ty.ty) {
                let text = format!("a member cannot have type `{}`", self.describe(ty));
                return self.error("member-type", text, span);
            }
            self.refuse_atomic(ty, span)?;
            let bit_width = match declarator.width {
                Some(width) => Some(self.bit_field_width(ty, declarator.declarator.name, width)?),
                None => None,
            };
            let align = align.max(self.wanted_alignment(&[], &declarator.declarator.attributes)?);
            let packed = packed || declarator.declarator.attributes.iter().any(|attribute| attribute.name == "packed");
            // The alignment of the name of a type replaces that of the type, so that it may also be smaller.
            let named = self.named_alignment(specifiers, &declarator.declarator);
            let (align, packed) = (align.max(named), packed || named.is_some());
            inputs.push(MemberInput { name: declarator.declarator.name, ty, bit_width, align, packed, span });
        }
        Ok(())
    }

    fn bit_field_width(&mut self, ty: Qual, name: Option<Symbol>, width: crate::syntax::ast::ExprId) -> Lower<u16> {
        let span = self.ast.exprs[width].span;
        if !self.types.is_integer(ty.ty) {
            let text = format!("a bit-field cannot have type `{}`", self.describe(ty));
            return self.error("bit-field", text, span);
        }
        let most = match self.types.get(ty.ty) {
            CType::Bool => 1,
            _ => self.types.size_bits(ty.ty).unwrap_or(0),
        };
        let (value, _) = self.integer_constant(width)?;
        match value.to_u64() {
            Some(0) if name.is_some() => self.error("bit-field", "a bit-field with a name needs a width above 0", span),
            Some(bits) if bits <= most => Ok(bits as u16),
            _ => {
                let text = format!("the width of this bit-field must lie between 0 and {most}");
                self.error("bit-field", text, span)
            }
        }
    }

    fn check_member_names(&mut self, inputs: &[MemberInput]) -> Lower<()> {
        let mut seen: foundation::collections::HashMap<Symbol, Span> = foundation::collections::HashMap::default();
        for input in inputs {
            let Some(name) = input.name else { continue };
            if let Some(earlier) = seen.insert(name, input.span) {
                let diagnostic =
                    Diagnostic::error("redefinition", format!("two members are named `{}`", self.text(name)))
                        .at(input.span)
                        .also(earlier, "the first one");
                return self.fail(diagnostic);
            }
        }
        Ok(())
    }

    /// The type of `enum tag { … }`.
    pub(crate) fn enum_specifier(&mut self, specifier: &EnumSpecifier) -> Lower<Qual> {
        let enumeration = self.enum_of_tag(specifier)?;
        if let Some(enumerators) = &specifier.enumerators {
            if self.types.enums[enumeration].underlying.is_some() {
                return self.error("redefinition", "this enumeration is defined twice", specifier.span);
            }
            let packed = specifier.attributes.iter().any(|attribute| attribute.name == "packed");
            self.define_enum(enumeration, enumerators, packed)?;
        }
        Ok(self.types.qual(CType::Enum(enumeration)))
    }

    fn enum_of_tag(&mut self, specifier: &EnumSpecifier) -> Lower<EnumId> {
        if let Some((tag, span)) = specifier.tag {
            let known = if specifier.enumerators.is_some() {
                self.scopes.tag_declared_here(tag)
            } else {
                self.scopes.find_tag(tag)
            };
            match known {
                Some(Tag::Enum(enumeration)) => return Ok(enumeration),
                Some(Tag::Record(_)) => {
                    let text = format!("`{}` is the tag of another kind of type", self.text(tag));
                    return self.error("wrong-tag", text, span);
                }
                None => {}
            }
        }
        let tag = specifier.tag.map(|(tag, _)| self.text(tag));
        let enumeration = self.types.enums.push(EnumInfo { tag, underlying: None, enumerators: Vec::new() });
        if let Some((tag, _)) = specifier.tag {
            self.scopes.declare_tag(tag, Tag::Enum(enumeration));
        }
        Ok(enumeration)
    }

    /// Constants have type `int`, or that of the enumeration where `int` cannot hold them; the enumeration itself is represented by
    /// `unsigned int` unless a constant is negative or wide, as gcc does it.
    fn define_enum(&mut self, enumeration: EnumId, enumerators: &[Enumerator], packed: bool) -> Lower<()> {
        let mut next = BigInt::from(0);
        let mut values = Vec::new();
        for enumerator in enumerators {
            if let Some(expr) = enumerator.value {
                next = self.integer_constant(expr)?.0;
            }
            values.push(next.clone());
            let kind = self.smallest_kind(
                std::slice::from_ref(&next),
                &[IntKind::Int, IntKind::UnsignedInt, IntKind::LongLong, IntKind::UnsignedLongLong],
            );
            let Some(kind) = kind else {
                return self.error("enum-value", "this enumeration constant does not fit any type", enumerator.span);
            };
            let ty = self.types.int(kind);
            let binding = Binding { kind: BindingKind::Constant(next.clone(), ty), span: enumerator.span };
            self.declare_name(enumerator.name, binding)?;
            next += 1;
        }
        let choices: &[IntKind] = if packed {
            &[
                IntKind::UnsignedChar,
                IntKind::SignedChar,
                IntKind::UnsignedShort,
                IntKind::Short,
                IntKind::UnsignedInt,
                IntKind::Int,
                IntKind::UnsignedLongLong,
                IntKind::LongLong,
            ]
        } else {
            &[IntKind::UnsignedInt, IntKind::Int, IntKind::UnsignedLong, IntKind::Long, IntKind::LongLong]
        };
        let kind = self.smallest_kind(&values, choices).unwrap_or(IntKind::UnsignedLongLong);
        self.types.enums[enumeration].underlying = Some(kind);
        let names = enumerators.iter().map(|enumerator| self.text(enumerator.name));
        self.types.enums[enumeration].enumerators = values.iter().cloned().zip(names).collect();
        let wide = self.types.int(kind);
        for (enumerator, value) in enumerators.iter().zip(values) {
            if !kind_holds(IntKind::Int, self.types.model, &value) {
                let binding = Binding { kind: BindingKind::Constant(value, wide), span: enumerator.span };
                self.scopes.declare(enumerator.name, binding);
            }
        }
        Ok(())
    }

    fn smallest_kind(&self, values: &[BigInt], kinds: &[IntKind]) -> Option<IntKind> {
        kinds.iter().copied().find(|kind| values.iter().all(|value| kind_holds(*kind, self.types.model, value)))
    }

    /// `_Static_assert` (6.7.10).
    pub(crate) fn static_assert(&mut self, declaration: &Declaration) -> Lower<()> {
        let Declaration::StaticAssert { condition, message, span } = declaration else { return Ok(()) };
        let (value, _) = self.integer_constant(*condition)?;
        if value == BigInt::from(0) {
            let text = match message {
                Some(message) => format!("static assertion failed: {message}"),
                None => "static assertion failed".to_owned(),
            };
            return self.error("static-assertion", text, *span);
        }
        Ok(())
    }
}

/// Whether an integer type can hold a value.
pub(crate) fn kind_holds(kind: IntKind, model: program::DataModel, value: &BigInt) -> bool {
    let bits = u32::from(kind.bits(model));
    let (low, high) = if kind.is_signed() {
        (-(BigInt::from(1) << (bits - 1)), BigInt::from(1) << (bits - 1))
    } else {
        (BigInt::from(0), BigInt::from(1) << bits)
    };
    *value >= low && *value < high
}
