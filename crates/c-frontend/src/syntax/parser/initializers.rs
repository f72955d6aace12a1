//! Initialisers and their designators (ISO C11, 6.7.9), with GNU's ranges, `name:` designators, designators without `=`,
//! and empty braces, which are C23's too.

use super::super::ast::{Designator, Initializer};
use super::super::tokens::{Punctuator, TokenKind};
use super::{Parsed, Parser};

impl Parser<'_> {
    /// What may stand behind `=` in a declaration.
    pub(super) fn initializer(&mut self) -> Parsed<Initializer> {
        if self.at(Punctuator::LeftBrace) {
            return self.initializer_list();
        }
        self.nested(Self::assignment).map(Initializer::Expr)
    }

    /// `{ … }`
    pub(super) fn initializer_list(&mut self) -> Parsed<Initializer> {
        self.held_by_value(|parser| {
            let open = parser.position;
            parser.expect(Punctuator::LeftBrace, "before a list of initialisers")?;
            let mut items = Vec::new();
            while !parser.at(Punctuator::RightBrace) {
                let designators = parser.designators()?;
                let value = parser.initializer()?;
                items.push((designators, value));
                if !parser.eat(Punctuator::Comma) {
                    break;
                }
            }
            if !parser.eat(Punctuator::RightBrace) {
                return Err(parser.expected("`,` or `}` in a list of initialisers"));
            }
            Ok(Initializer::List { items, span: parser.span_since(open) })
        })
    }

    /// The designators before an initialiser, with the `=` behind them.
    fn designators(&mut self) -> Parsed<Vec<Designator>> {
        let mut designators = Vec::new();
        if let (TokenKind::Identifier(member), TokenKind::Punctuator(Punctuator::Colon)) =
            (self.token().kind, self.kind_ahead(1))
        {
            designators.push(Designator::Member(member, self.token_span()));
            self.position += 2;
            return Ok(designators);
        }
        loop {
            let open = self.position;
            if self.eat(Punctuator::Dot) {
                let (member, span) = self.identifier("the name of a member")?;
                designators.push(Designator::Member(member, span));
            } else if self.eat(Punctuator::LeftBracket) {
                let first = self.nested(Self::conditional)?;
                if self.eat(Punctuator::Ellipsis) {
                    let last = self.nested(Self::conditional)?;
                    designators.push(Designator::Range(first, last));
                } else {
                    designators.push(Designator::Index(first));
                }
                self.expect_closing(Punctuator::RightBracket, open)?;
            } else {
                break;
            }
        }
        // GNU C lets `[1] 5` do without its `=`, as compilers before C99 had it.
        let optional = matches!(designators.as_slice(), [] | [Designator::Index(_) | Designator::Range(..)]);
        if !designators.is_empty() && !self.eat(Punctuator::Equal) && !optional {
            return Err(self.expected_text("=", "after a designator"));
        }
        Ok(designators)
    }
}
