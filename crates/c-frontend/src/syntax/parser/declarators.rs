//! Declarators (ISO C11, 6.7.6 and 6.7.7), read into a flat list from the name outwards, and parameter lists.

use foundation::Span;

use super::super::ast::{ArrayLength, Attribute, Declarator, Derived, FunctionDerived, Parameter, Qualifiers};
use super::super::names::Meaning;
use super::super::symbols::Symbol;
use super::super::tokens::{Keyword, Punctuator, TokenKind};
use super::specifiers::SpecifierPosition;
use super::{Parsed, Parser};

/// Whether a declarator has a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Naming {
    Required,
    Optional,
    Forbidden,
}

/// A declarator as it is gathered.
#[derive(Default)]
struct DeclaratorParts {
    name: Option<(Symbol, Span)>,
    derived: Vec<Derived>,
    attributes: Vec<Attribute>,
}

impl Parser<'_> {
    /// A declarator with a name.
    pub(super) fn declarator(&mut self) -> Parsed<Declarator> {
        self.any_declarator(Naming::Required)
    }

    /// A declarator without a name, possibly empty.
    pub(super) fn abstract_declarator(&mut self) -> Parsed<Declarator> {
        self.any_declarator(Naming::Forbidden)
    }

    /// Whether the next token may begin a declarator with a name.
    pub(super) fn begins_declarator(&self) -> bool {
        matches!(
            self.token().kind,
            TokenKind::Identifier(_)
                | TokenKind::Punctuator(Punctuator::Star | Punctuator::LeftParen)
                | TokenKind::Keyword(Keyword::Attribute)
        )
    }

    fn any_declarator(&mut self, naming: Naming) -> Parsed<Declarator> {
        let start = self.position;
        let mut parts = DeclaratorParts::default();
        self.declarator_parts(naming, &mut parts)?;
        let span = match parts.name {
            Some((_, span)) => span,
            None => self.span_since(start),
        };
        Ok(Declarator {
            name: parts.name.map(|(name, _)| name),
            derived: parts.derived,
            attributes: parts.attributes,
            span,
        })
    }

    fn declarator_parts(&mut self, naming: Naming, parts: &mut DeclaratorParts) -> Parsed<()> {
        let mut pointers: Vec<Qualifiers> = Vec::new();
        self.attributes(&mut parts.attributes)?;
        while self.eat(Punctuator::Star) {
            pointers.push(self.qualifiers(&mut parts.attributes)?);
            self.wrapped(self.height)?;
        }
        match self.token().kind {
            TokenKind::Identifier(name) if naming != Naming::Forbidden => {
                parts.name = Some((name, self.token_span()));
                self.position += 1;
            }
            TokenKind::Punctuator(Punctuator::LeftParen) if self.parenthesis_holds_declarator(naming) => {
                let open = self.position;
                self.position += 1;
                self.nested(|parser| parser.declarator_parts(naming, parts))?;
                self.expect_closing(Punctuator::RightParen, open)?;
            }
            _ if naming == Naming::Required => return Err(self.expected("a name to declare")),
            _ => {}
        }
        loop {
            if self.at(Punctuator::LeftBracket) {
                let array = self.array_brackets(&mut parts.attributes)?;
                parts.derived.push(array);
            } else if self.at(Punctuator::LeftParen) {
                let function = self.parameter_list()?;
                parts.derived.push(Derived::Function(function));
            } else {
                break;
            }
            self.wrapped(self.height)?;
        }
        parts.derived.extend(pointers.into_iter().rev().map(Derived::Pointer));
        Ok(())
    }

    /// Whether the parenthesis that comes next belongs to a nested declarator rather than to a parameter list. Where no
    /// name is needed, a type behind it begins a parameter list (6.7.6.3p11).
    fn parenthesis_holds_declarator(&self, naming: Naming) -> bool {
        match self.kind_ahead(1) {
            TokenKind::Punctuator(Punctuator::RightParen | Punctuator::Ellipsis) => false,
            TokenKind::Keyword(Keyword::Attribute) => true,
            _ if naming == Naming::Required => true,
            TokenKind::Keyword(_) => false,
            TokenKind::Identifier(name) => naming == Naming::Optional && !self.names.is_type(name),
            _ => true,
        }
    }

    /// `[…]` (6.7.6.2)
    fn array_brackets(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<Derived> {
        let open = self.position;
        self.position += 1;
        self.eat_keyword(Keyword::Static);
        self.qualifiers(attributes)?;
        self.eat_keyword(Keyword::Static);
        let star_only = self.kind_ahead(1) == TokenKind::Punctuator(Punctuator::RightBracket);
        let length = if self.at(Punctuator::RightBracket) {
            ArrayLength::Unknown
        } else if star_only && self.eat(Punctuator::Star) {
            ArrayLength::Star
        } else {
            ArrayLength::Expr(self.nested(Self::assignment)?)
        };
        self.expect_closing(Punctuator::RightBracket, open)?;
        Ok(Derived::Array { length, span: self.span_since(open) })
    }

    /// `(…)` behind a declarator (6.7.6.3). The names declared in it end with it; a function's body declares them again.
    fn parameter_list(&mut self) -> Parsed<FunctionDerived> {
        let open = self.position;
        self.position += 1;
        let mut list = FunctionDerived {
            parameters: Vec::new(),
            variadic: false,
            prototype: true,
            identifiers: Vec::new(),
            span: self.token_span(),
        };
        self.names.open_scope();
        match (self.token().kind, self.kind_ahead(1)) {
            (TokenKind::Punctuator(Punctuator::RightParen), _) => list.prototype = false,
            (TokenKind::Keyword(Keyword::Void), TokenKind::Punctuator(Punctuator::RightParen)) => self.position += 1,
            (TokenKind::Identifier(name), TokenKind::Punctuator(Punctuator::Comma | Punctuator::RightParen))
                if !self.names.is_type(name) =>
            {
                list.prototype = false;
                list.identifiers.push(self.identifier("a parameter")?);
                while self.eat(Punctuator::Comma) {
                    list.identifiers.push(self.identifier("a parameter")?);
                }
            }
            _ => self.parameters(&mut list)?,
        }
        self.names.close_scope();
        self.expect_closing(Punctuator::RightParen, open)?;
        list.span = self.span_since(open);
        Ok(list)
    }

    fn parameters(&mut self, list: &mut FunctionDerived) -> Parsed<()> {
        loop {
            if self.eat(Punctuator::Ellipsis) {
                list.variadic = true;
                return Ok(());
            }
            let parameter = self.held_by_value(Self::parameter)?;
            if let Some(name) = parameter.declarator.name {
                self.names.declare(name, Meaning::Ordinary);
            }
            list.parameters.push(parameter);
            if !self.eat(Punctuator::Comma) {
                return Ok(());
            }
        }
    }

    fn parameter(&mut self) -> Parsed<Parameter> {
        let start = self.position;
        let specifiers = self.specifiers(SpecifierPosition::TypeRequired)?;
        if self.position == start {
            return Err(self.expected("a parameter"));
        }
        let mut declarator = self.any_declarator(Naming::Optional)?;
        self.attributes(&mut declarator.attributes)?;
        Ok(Parameter { specifiers, declarator, span: self.span_since(start) })
    }
}
