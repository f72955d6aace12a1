//! Structures, unions and enumerations (ISO C11, 6.7.2.1 to 6.7.2.3). Members are a name space of their own; enumeration
//! constants are ordinary names.

use super::super::ast::{
    Attribute, Declarator, EnumSpecifier, Enumerator, MemberDeclaration, MemberDeclarator, RecordKind, RecordSpecifier,
};
use super::super::names::Meaning;
use super::super::symbols::Symbol;
use super::super::tokens::{Keyword, Punctuator, TokenKind};
use super::recovery::RecoveryLevel;
use super::specifiers::SpecifierPosition;
use super::{Parsed, Parser};
use foundation::Span;

impl Parser<'_> {
    /// `struct` or `union` with its tag, its members, or both.
    pub(super) fn record(&mut self) -> Parsed<RecordSpecifier> {
        let start = self.position;
        let kind = match self.bump().kind {
            TokenKind::Keyword(Keyword::Union) => RecordKind::Union,
            _ => RecordKind::Struct,
        };
        let mut attributes = Vec::new();
        let tag = self.tag(&mut attributes)?;
        let span = self.span_since(start);
        let mut members = None;
        if self.at(Punctuator::LeftBrace) {
            members = Some(self.held_by_value(Self::members)?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.expected("a tag or `{`"));
        }
        Ok(RecordSpecifier { kind, tag, members, attributes, span })
    }

    /// The tag behind `struct`, `union` or `enum`, with the attributes before it.
    fn tag(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Option<(Symbol, Span)>> {
        self.attributes(attributes)?;
        let TokenKind::Identifier(name) = self.token().kind else { return Ok(None) };
        let span = self.token_span();
        self.position += 1;
        // Attributes behind a tag belong to the type where it is defined here, else to what is declared.
        if self.at_keyword(Keyword::Attribute) && self.definition_follows_attributes() {
            self.attributes(attributes)?;
        }
        Ok(Some((name, span)))
    }

    fn definition_follows_attributes(&self) -> bool {
        let mut position = self.position;
        while self.tokens[position].kind == TokenKind::Keyword(Keyword::Attribute) {
            match self.partner(position + 1) {
                Some(close) if close > position => position = close + 1,
                _ => return false,
            }
        }
        self.tokens[position].kind == TokenKind::Punctuator(Punctuator::LeftBrace)
    }

    fn members(&mut self) -> Parsed<Vec<MemberDeclaration>> {
        let open = self.position;
        self.position += 1;
        let mut members = Vec::new();
        loop {
            match self.token().kind {
                TokenKind::Punctuator(Punctuator::RightBrace) => {
                    self.position += 1;
                    return Ok(members);
                }
                TokenKind::Punctuator(Punctuator::Semicolon) => self.position += 1,
                TokenKind::End => return Err(self.unclosed(Punctuator::RightBrace, open)),
                _ => members.extend(self.part(RecoveryLevel::Block, Self::member)),
            }
        }
    }

    fn member(&mut self) -> Parsed<MemberDeclaration> {
        if self.at_keyword(Keyword::StaticAssert) {
            return self.static_assert().map(MemberDeclaration::StaticAssert);
        }
        let start = self.position;
        let specifiers = self.specifiers(SpecifierPosition::TypeRequired)?;
        if self.position == start {
            return Err(self.expected("a member"));
        }
        let mut declarators = Vec::new();
        if self.begins_declarator() || self.at(Punctuator::Colon) {
            loop {
                let declarator = self.member_declarator()?;
                declarators.push(declarator);
                if !self.eat(Punctuator::Comma) {
                    break;
                }
            }
        }
        self.semicolon("this member")?;
        Ok(MemberDeclaration::Members { specifiers, declarators, span: self.span_since(start) })
    }

    fn member_declarator(&mut self) -> Parsed<MemberDeclarator> {
        let mut declarator = if self.at(Punctuator::Colon) {
            let span = self.span_since(self.position);
            Declarator { name: None, derived: Vec::new(), attributes: Vec::new(), span }
        } else {
            self.declarator()?
        };
        let width = match self.eat(Punctuator::Colon) {
            true => Some(self.nested(Self::conditional)?),
            false => None,
        };
        self.attributes(&mut declarator.attributes)?;
        Ok(MemberDeclarator { declarator, width })
    }

    /// `enum` with its tag, its constants, or both.
    pub(super) fn enumeration(&mut self) -> Parsed<EnumSpecifier> {
        let start = self.position;
        self.position += 1;
        let mut attributes = Vec::new();
        let tag = self.tag(&mut attributes)?;
        let span = self.span_since(start);
        let mut enumerators = None;
        if self.at(Punctuator::LeftBrace) {
            enumerators = Some(self.enumerators()?);
            self.attributes(&mut attributes)?;
        } else if tag.is_none() {
            return Err(self.expected("a tag or `{`"));
        }
        Ok(EnumSpecifier { tag, enumerators, attributes, span })
    }

    fn enumerators(&mut self) -> Parsed<Vec<Enumerator>> {
        self.position += 1;
        let mut enumerators = Vec::new();
        loop {
            if self.eat(Punctuator::RightBrace) {
                return Ok(enumerators);
            }
            let (name, span) = self.identifier("the name of an enumeration constant")?;
            self.attributes(&mut Vec::new())?;
            let value = match self.eat(Punctuator::Equal) {
                true => Some(self.nested(Self::conditional)?),
                false => None,
            };
            self.names.declare(name, Meaning::Ordinary);
            enumerators.push(Enumerator { name, value, span });
            if !self.eat(Punctuator::Comma) && !self.at(Punctuator::RightBrace) {
                return Err(self.expected("`,` or `}` after an enumeration constant"));
            }
        }
    }
}
