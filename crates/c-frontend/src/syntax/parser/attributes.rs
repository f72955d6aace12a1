//! GNU attributes: `__attribute__((name, name(arguments), …))`. Their arguments follow no single grammar; those that are
//! expressions are kept, and a list in which something else stands is passed over from there on.

use super::super::ast::Attribute;
use super::super::tokens::{Keyword, Punctuator, TokenKind};
use super::{Parsed, Parser};

impl Parser<'_> {
    /// Any number of attribute specifiers.
    pub(super) fn attributes(&mut self, attributes: &mut Vec<Attribute>) -> Parsed<()> {
        while self.at_keyword(Keyword::Attribute) {
            self.position += 1;
            let outer = self.position;
            self.expect(Punctuator::LeftParen, "after `__attribute__`")?;
            let inner = self.position;
            self.expect(Punctuator::LeftParen, "after `__attribute__(`")?;
            loop {
                match self.token().kind {
                    TokenKind::Identifier(_) | TokenKind::Keyword(_) => {
                        let attribute = self.attribute()?;
                        attributes.push(attribute);
                    }
                    TokenKind::Punctuator(Punctuator::Comma) => self.position += 1,
                    _ => break,
                }
            }
            self.expect_closing(Punctuator::RightParen, inner)?;
            self.expect_closing(Punctuator::RightParen, outer)?;
        }
        Ok(())
    }

    fn attribute(&mut self) -> Parsed<Attribute> {
        let start = self.position;
        let word = self.bump();
        let spelling = self.spelling(word);
        let bare = spelling.strip_prefix("__").and_then(|rest| rest.strip_suffix("__")).unwrap_or(&spelling);
        let name = bare.to_owned();
        let mut arguments = Vec::new();
        let open = self.position;
        if self.eat(Punctuator::LeftParen) {
            let Some(close) = self.partner(open) else { return Err(self.unclosed(Punctuator::RightParen, open)) };
            let scopes = self.names.open_scopes();
            self.silent += 1;
            while self.position < close && !self.begins_type_name() {
                match self.nested(Self::assignment) {
                    Ok(argument) => arguments.push(argument),
                    Err(_) => break,
                }
                if !self.eat(Punctuator::Comma) {
                    break;
                }
            }
            self.silent = self.silent.saturating_sub(1);
            self.names.close_scopes_to(scopes);
            if !self.gave_up {
                self.position = close + 1;
            }
        }
        Ok(Attribute { name, arguments, span: self.span_since(start) })
    }
}
