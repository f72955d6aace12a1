//! Declaration specifiers (ISO C11, 6.7.1 to 6.7.5): storage classes, qualifiers, and the words that together name a
//! type. A name is taken for a type only where no type has been named yet, which settles `typedef int T; { T T; }`.

use foundation::{Diagnostic, Span};

use super::super::ast::{
    Alignment, Attribute, FloatSize, IntegerSize, Qualifiers, Specifiers, Storage, TypeName, TypeSpecifier,
};
use super::super::names::{BuiltinType, Meaning};
use super::super::symbols::Symbol;
use super::super::tokens::{Keyword, Punctuator, TokenKind};
use super::type_words::{BaseWord, TypeWords};
use super::{Parsed, Parser, Unparsed};

/// Where specifiers stand, which decides whether a type may be missing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum SpecifierPosition {
    /// In a declaration: by the rules of old a missing type is `int`.
    Declaration,
    /// In a member, a parameter or a type name: a name that stands first must be a type.
    TypeRequired,
}

impl Parser<'_> {
    /// Whether the token `ahead` places behind the next one begins a type name, be it behind `__extension__`.
    pub(super) fn type_name_ahead(&self, ahead: usize) -> bool {
        use Keyword::*;
        let mut ahead = ahead;
        while self.kind_ahead(ahead) == TokenKind::Keyword(Extension) {
            ahead += 1;
        }
        match self.kind_ahead(ahead) {
            TokenKind::Identifier(name) => self.names.is_type(name),
            TokenKind::Keyword(
                Char | Const | Double | Enum | Float | Int | Long | Restrict | Short | Signed | Struct | Union
                | Unsigned | Void | Volatile | Atomic | Bool | Complex | AutoType | Int128 | Typeof | Attribute
                | Alignas,
            ) => true,
            _ => false,
        }
    }

    /// Whether the next token begins a type name.
    pub(super) fn begins_type_name(&self) -> bool {
        self.type_name_ahead(0)
    }

    /// Whether the next token begins a declaration.
    pub(super) fn begins_declaration(&self) -> bool {
        use Keyword::*;
        let mut ahead = 0;
        while self.kind_ahead(ahead) == TokenKind::Keyword(Extension) {
            ahead += 1;
        }
        match self.kind_ahead(ahead) {
            TokenKind::Keyword(
                Auto | Extern | Inline | Register | Static | Typedef | Noreturn | ThreadLocal | StaticAssert,
            ) => true,
            _ => self.type_name_ahead(ahead),
        }
    }

    /// A type name (6.7.7).
    pub(super) fn type_name(&mut self) -> Parsed<TypeName> {
        self.held_by_value(|parser| {
            let start = parser.position;
            let specifiers = parser.specifiers(SpecifierPosition::TypeRequired)?;
            if parser.position == start {
                return Err(parser.expected("a type"));
            }
            let declarator = parser.abstract_declarator()?;
            Ok(TypeName { specifiers, declarator, span: parser.span_since(start) })
        })
    }

    /// Declaration specifiers; none at all give a missing type.
    pub(super) fn specifiers(&mut self, place: SpecifierPosition) -> Parsed<Specifiers> {
        let start = self.position;
        let mut specifiers = Specifiers {
            storage: None,
            thread_local: false,
            inline: false,
            noreturn: false,
            qualifiers: Qualifiers::default(),
            ty: TypeSpecifier::Missing,
            alignment: Vec::new(),
            attributes: Vec::new(),
            span: self.token_span(),
        };
        let mut words = TypeWords::default();
        loop {
            let taken = match self.token().kind {
                // A `;` is missing behind a definition; whoever wants a declarator will say so.
                _ if words.defines_tag() && self.begins_next_declaration() => false,
                TokenKind::Keyword(keyword) => {
                    self.declaration_word(keyword, &mut specifiers)? || self.type_word(keyword, &mut words)?
                }
                TokenKind::Identifier(name) => self.type_identifier(name, place, &mut words)?,
                _ => false,
            };
            if !taken {
                break;
            }
        }
        specifiers.span = self.span_since(start);
        specifiers.ty = match words.combine() {
            Some(ty) => ty,
            None => {
                let text = self.text.get(specifiers.span.start as usize..specifiers.span.end as usize).unwrap_or("");
                let shown: String = text.chars().take(60).collect();
                let diagnostic = Diagnostic::error("bad-type", format!("`{shown}` names no type of C"));
                self.report(diagnostic.at(specifiers.span));
                TypeSpecifier::Integer { size: IntegerSize::Int, signed: None }
            }
        };
        Ok(specifiers)
    }

    /// Whether the next token begins a line and, behind a type, looks like another declaration.
    fn begins_next_declaration(&self) -> bool {
        use Keyword::*;
        let token = self.token();
        token.first_on_line
            && matches!(
                token.kind,
                TokenKind::Keyword(Auto | Extern | Inline | Register | Static | Typedef | Noreturn | ThreadLocal)
            )
    }

    /// Takes a storage class, a function specifier, a qualifier, an alignment or an attribute.
    fn declaration_word(&mut self, keyword: Keyword, specifiers: &mut Specifiers) -> Parsed<bool> {
        match keyword {
            Keyword::Typedef => self.storage(Storage::Typedef, specifiers)?,
            Keyword::Extern => self.storage(Storage::Extern, specifiers)?,
            Keyword::Static => self.storage(Storage::Static, specifiers)?,
            Keyword::Auto => self.storage(Storage::Auto, specifiers)?,
            Keyword::Register => self.storage(Storage::Register, specifiers)?,
            Keyword::ThreadLocal => specifiers.thread_local = true,
            Keyword::Inline => specifiers.inline = true,
            Keyword::Noreturn => specifiers.noreturn = true,
            Keyword::Extension => {}
            Keyword::Attribute => {
                self.attributes(&mut specifiers.attributes)?;
                return Ok(true);
            }
            Keyword::Alignas => {
                self.position += 1;
                let alignment = self.alignment()?;
                specifiers.alignment.push(alignment);
                return Ok(true);
            }
            _ => return Ok(self.qualifier(&mut specifiers.qualifiers)),
        }
        self.position += 1;
        Ok(true)
    }

    fn storage(&mut self, storage: Storage, specifiers: &mut Specifiers) -> Parsed<()> {
        if specifiers.storage.is_some_and(|other| other != storage) {
            let message = format!("a second storage class {} in one declaration", self.found());
            self.report(Diagnostic::error("two-storage-classes", message).at(self.token_span()));
            return Err(Unparsed);
        }
        specifiers.storage = Some(storage);
        Ok(())
    }

    /// Takes a qualifier, if one comes next. `_Atomic` before a parenthesis is a type.
    fn qualifier(&mut self, qualifiers: &mut Qualifiers) -> bool {
        let TokenKind::Keyword(keyword) = self.token().kind else { return false };
        match keyword {
            Keyword::Const => qualifiers.is_const = true,
            Keyword::Volatile => qualifiers.is_volatile = true,
            Keyword::Restrict => qualifiers.is_restrict = true,
            Keyword::Atomic if self.kind_ahead(1) != TokenKind::Punctuator(Punctuator::LeftParen) => {
                qualifiers.is_atomic = true;
            }
            _ => return false,
        }
        self.position += 1;
        true
    }

    /// Any number of qualifiers, with the attributes among them.
    pub(super) fn qualifiers(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Qualifiers> {
        let mut qualifiers = Qualifiers::default();
        loop {
            if self.at_keyword(Keyword::Attribute) {
                self.attributes(attributes)?;
            } else if !self.qualifier(&mut qualifiers) {
                return Ok(qualifiers);
            }
        }
    }

    /// The parentheses of `_Alignas` (6.7.5).
    fn alignment(&mut self) -> Parsed<Alignment> {
        let open = self.position;
        self.expect(Punctuator::LeftParen, "after `_Alignas`")?;
        let alignment = match self.begins_type_name() {
            true => Alignment::Type(self.type_name()?),
            false => Alignment::Constant(self.nested(Self::conditional)?),
        };
        self.expect_closing(Punctuator::RightParen, open)?;
        Ok(alignment)
    }

    /// Takes a word that names a type or a part of one.
    fn type_word(&mut self, keyword: Keyword, words: &mut TypeWords) -> Parsed<bool> {
        if words.whole.is_some() {
            // A type is complete; what follows is reported by whoever wants a declarator.
            return Ok(false);
        }
        match keyword {
            Keyword::Signed => words.clash |= std::mem::replace(&mut words.signed, true),
            Keyword::Unsigned => words.clash |= std::mem::replace(&mut words.unsigned, true),
            Keyword::Complex => words.clash |= std::mem::replace(&mut words.complex, true),
            Keyword::Short => words.clash |= std::mem::replace(&mut words.short, true),
            Keyword::Long => words.longs = words.longs.saturating_add(1),
            Keyword::Void => words.set_base(BaseWord::Void),
            Keyword::Bool => words.set_base(BaseWord::Bool),
            Keyword::Char => words.set_base(BaseWord::Char),
            Keyword::Int => words.set_base(BaseWord::Int),
            Keyword::Int128 => words.set_base(BaseWord::Int128),
            Keyword::Float => words.set_base(BaseWord::Float(FloatSize::Float)),
            Keyword::Double => words.set_base(BaseWord::Float(FloatSize::Double)),
            _ => return self.whole_type(keyword, words),
        }
        self.position += 1;
        Ok(true)
    }

    /// Takes a type that goes with no other word.
    fn whole_type(&mut self, keyword: Keyword, words: &mut TypeWords) -> Parsed<bool> {
        let ty = match keyword {
            Keyword::Struct | Keyword::Union => TypeSpecifier::Record(self.record()?),
            Keyword::Enum => TypeSpecifier::Enum(self.enumeration()?),
            Keyword::Typeof => {
                self.position += 1;
                let open = self.position;
                self.expect(Punctuator::LeftParen, "after `typeof`")?;
                let ty = match self.begins_type_name() {
                    true => TypeSpecifier::TypeofType(Box::new(self.type_name()?)),
                    false => TypeSpecifier::TypeofExpr(self.nested(Self::expression)?),
                };
                self.expect_closing(Punctuator::RightParen, open)?;
                ty
            }
            Keyword::Atomic => {
                self.position += 1;
                TypeSpecifier::Atomic(Box::new(self.type_name_in_parentheses()?))
            }
            Keyword::AutoType => {
                self.position += 1;
                TypeSpecifier::Auto
            }
            _ => return Ok(false),
        };
        words.clash |= words.any();
        words.whole = Some(ty);
        Ok(true)
    }

    /// Takes a name as a type, where it is one and no type has been named yet.
    fn type_identifier(&mut self, name: Symbol, place: SpecifierPosition, words: &mut TypeWords) -> Parsed<bool> {
        let meaning = self.names.meaning(name);
        let only_complex = words.complex && words.base.is_none() && words.whole.is_none();
        if words.any() && !(only_complex && matches!(meaning, Meaning::Builtin(BuiltinType::Float(_)))) {
            return Ok(false);
        }
        match meaning {
            Meaning::Typedef => words.whole = Some(TypeSpecifier::Name(name)),
            Meaning::Builtin(BuiltinType::Float(size)) => words.set_base(BaseWord::Float(size)),
            Meaning::Builtin(builtin) => words.whole = Some(builtin.specifier()),
            Meaning::Unknown | Meaning::Ordinary => {
                if !self.looks_like_type(place) {
                    return Ok(false);
                }
                self.unknown_type(name, self.token_span())?;
                words.whole = Some(TypeSpecifier::Name(name));
            }
        }
        self.position += 1;
        Ok(true)
    }

    /// Whether the name that comes next can only be meant as a type, although it is none.
    fn looks_like_type(&self, place: SpecifierPosition) -> bool {
        let next = self.tokens.get(self.position + 1);
        place == SpecifierPosition::TypeRequired
            || next.is_some_and(|next| match next.kind {
                TokenKind::Identifier(_) => !next.first_on_line,
                kind => kind == TokenKind::Punctuator(Punctuator::Star),
            })
    }

    /// Reports that a name is no type, and takes it for one until its scope ends.
    pub(super) fn unknown_type(&mut self, name: Symbol, span: Span) -> Parsed<()> {
        if self.silent > 0 {
            return Err(Unparsed);
        }
        let text = self.symbols.text(name);
        let help = match header_of(text) {
            Some(header) => format!("is `#include <{header}>` missing?"),
            None => "is a typedef or an `#include` missing?".to_owned(),
        };
        let diagnostic = Diagnostic::error("unknown-type", format!("`{text}` is not a type")).at(span).help(help);
        // Once is enough: the name will be missing everywhere.
        self.reported |= !self.unknown_types.insert(name);
        self.report(diagnostic);
        self.names.declare(name, Meaning::Typedef);
        Ok(())
    }
}

/// The header that declares a well-known type.
fn header_of(name: &str) -> Option<&'static str> {
    Some(match name {
        "bool" => "stdbool.h",
        "size_t" | "ptrdiff_t" | "wchar_t" | "max_align_t" => "stddef.h",
        "FILE" | "fpos_t" => "stdio.h",
        "va_list" => "stdarg.h",
        "ssize_t" | "off_t" | "pid_t" | "uid_t" | "gid_t" => "sys/types.h",
        "time_t" | "clock_t" => "time.h",
        "sem_t" => "semaphore.h",
        "jmp_buf" => "setjmp.h",
        "div_t" | "ldiv_t" | "lldiv_t" => "stdlib.h",
        _ if name.starts_with("pthread_") => "pthread.h",
        _ if name.starts_with("atomic_") => "stdatomic.h",
        _ => {
            let bare = name.strip_prefix('u').unwrap_or(name).strip_prefix("int")?.strip_suffix("_t")?;
            let bits = bare.trim_start_matches("_least").trim_start_matches("_fast");
            matches!(bits, "8" | "16" | "32" | "64" | "ptr" | "max").then_some("stdint.h")?
        }
    })
}
