//! What happens when the text does not follow the grammar: one report per declaration or statement, and a place from
//! which to go on. Brackets are paired beforehand, so that leaving a faulty construct takes one step per bracket.

use foundation::{Diagnostic, Span};

use super::super::tokens::{Invalid, Keyword, Punctuator, Token, TokenKind};
use super::{Parser, Unparsed};

/// The sequence whose next part is looked for after a fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum RecoveryLevel {
    /// External declarations.
    File,
    /// The items of a block, or the members of a structure.
    Block,
}

impl Parser<'_> {
    /// Reports a diagnostic, unless it is the consequence of another.
    pub(super) fn report(&mut self, diagnostic: Diagnostic) {
        let at_end = self.token().kind == TokenKind::End;
        if self.silent > 0 {
            return;
        }
        let consequence = self.gave_up || self.reported || (at_end && self.end_reported);
        if !consequence {
            self.diagnostics.push(diagnostic);
        }
        self.reported = true;
        self.faulty = true;
        self.gave_up |= at_end;
    }

    /// Adds a warning, as long as there are not too many.
    pub(super) fn remark(&mut self, diagnostic: Diagnostic) {
        const MOST_REMARKS: usize = 20;
        if self.silent == 0 && self.remarks < MOST_REMARKS {
            self.remarks += 1;
            self.diagnostics.push(diagnostic);
        }
    }

    /// Reports that something else than the next token should stand here.
    pub(super) fn expected(&mut self, what: &str) -> Unparsed {
        let message = format!("expected {what}, found {}", self.found());
        let diagnostic = Diagnostic::error("syntax", message).at(self.token_span());
        self.report_at_token(diagnostic)
    }

    /// Reports a missing punctuator; `place` says where it belongs (`after the condition`).
    pub(super) fn expected_text(&mut self, text: &str, place: &str) -> Unparsed {
        self.expected(&format!("`{text}` {place}"))
    }

    /// Reports that a bracket is not closed here.
    pub(super) fn unclosed(&mut self, closing: Punctuator, open: usize) -> Unparsed {
        let opening = self.tokens[open];
        let text = self.spelling(opening).into_owned();
        let message = format!("expected `{}`, found {}", closing.text(), self.found());
        let diagnostic = Diagnostic::error("unbalanced-brackets", message)
            .at(self.span_after_last())
            .also(self.span_of(opening), format!("to close this `{text}`"));
        self.report_at_token(diagnostic)
    }

    /// Takes `;`. Where it is missing at the end of a line, it is reported and taken for granted.
    pub(super) fn semicolon(&mut self, after: &str) -> Result<(), Unparsed> {
        if self.eat(Punctuator::Semicolon) {
            return Ok(());
        }
        let next = self.token();
        let message = format!("expected `;` after {after}, found {}", self.found());
        let diagnostic =
            Diagnostic::error("missing-semicolon", message).at(self.span_after_last()).help("put a `;` here");
        let fault = self.report_at_token(diagnostic);
        let line_ends = next.first_on_line || next.kind == TokenKind::Punctuator(Punctuator::RightBrace);
        if line_ends { Ok(()) } else { Err(fault) }
    }

    /// Reports a fault at the next token: that it is none, where that is so.
    fn report_at_token(&mut self, diagnostic: Diagnostic) -> Unparsed {
        let token = self.token();
        let diagnostic = match token.kind {
            TokenKind::Invalid(invalid) => self.invalid_token(token, invalid),
            _ => diagnostic,
        };
        self.report(diagnostic);
        Unparsed
    }

    fn invalid_token(&self, token: Token, invalid: Invalid) -> Diagnostic {
        let span = self.span_of(token);
        let opening = Span { end: span.start + 1, ..span };
        match invalid {
            Invalid::UnterminatedString => {
                let message = "this string literal has no closing `\"` on its line";
                Diagnostic::error("unterminated-string", message).at(opening)
            }
            Invalid::UnterminatedCharacter => {
                let message = "this character constant has no closing `'` on its line";
                Diagnostic::error("unterminated-character", message).at(opening)
            }
            Invalid::StrayCharacter => {
                let message = match self.spelling(token).chars().next() {
                    Some(c) if !c.is_control() => format!("the character `{c}` has no place in a program"),
                    c => format!("the character U+{:04X} has no place in a program", c.unwrap_or_default() as u32),
                };
                Diagnostic::error("stray-character", message).at(span)
            }
        }
    }

    /// The next token as it is called in a message.
    pub(super) fn found(&self) -> String {
        const LONGEST: usize = 40;
        let token = self.token();
        if token.kind == TokenKind::End {
            return self.end_name.to_owned();
        }
        let text = self.spelling(token);
        let mut shown: String = text.chars().take(LONGEST).collect();
        if shown.len() < text.len() {
            shown.push('…');
        }
        format!("`{shown}`")
    }

    /// Parses one part of a sequence: what is reported in it does not keep faults of the parts around it from being
    /// reported. After a fault, goes to where the next part may begin. Some token is always taken.
    pub(super) fn part<T>(
        &mut self,
        level: RecoveryLevel,
        parse: impl FnOnce(&mut Self) -> Result<T, Unparsed>,
    ) -> Option<T> {
        let start = self.position;
        let scopes = self.names.open_scopes();
        let reported = std::mem::replace(&mut self.reported, false);
        let parsed = parse(self).ok();
        if parsed.is_none() {
            self.names.close_scopes_to(scopes);
            self.synchronize(start, level);
            if self.position == start {
                self.bump();
            }
        }
        self.reported = reported;
        parsed
    }

    /// Goes to where the next part of a sequence may begin, from a fault in the part that began at `start`.
    fn synchronize(&mut self, start: usize, level: RecoveryLevel) {
        let fault = self.position;
        if self.tokens[fault].kind == TokenKind::End {
            // Each of the constructs around comes here; none of them has anything left to read.
            return;
        }
        self.leave_brackets(start);
        if matches!(self.tokens[fault].kind, TokenKind::Invalid(invalid) if invalid != Invalid::StrayCharacter) {
            // The rest of the line, with its `;`, was taken for the literal.
            self.position = self.position.max(fault + 1);
            return;
        }
        loop {
            let token = self.token();
            match token.kind {
                TokenKind::End => return,
                TokenKind::Punctuator(Punctuator::Semicolon) => {
                    self.position += 1;
                    return;
                }
                TokenKind::Punctuator(Punctuator::RightBrace) => {
                    if level == RecoveryLevel::File {
                        self.position += 1;
                    }
                    return;
                }
                TokenKind::Punctuator(Punctuator::LeftBrace) => {
                    if level == RecoveryLevel::File {
                        self.position = self.partner(self.position).map_or(self.tokens.len() - 1, |close| close + 1);
                        self.eat(Punctuator::Semicolon);
                    }
                    return;
                }
                _ if token.first_on_line && self.position > fault && self.begins_part(token, level) => return,
                _ => {
                    self.position = self.partner(self.position).unwrap_or(self.position).max(self.position) + 1;
                }
            }
        }
    }

    /// Goes behind the brackets that were opened since `start` and are still open.
    fn leave_brackets(&mut self, start: usize) {
        let mut index = start;
        while index < self.position {
            match self.partner(index) {
                Some(close) if close > index => {
                    self.position = if close >= self.position { close + 1 } else { self.position };
                    index = close + 1;
                }
                _ => index += 1,
            }
        }
    }

    /// Whether a token at the beginning of a line looks like the beginning of a declaration or statement.
    fn begins_part(&self, token: Token, level: RecoveryLevel) -> bool {
        use Keyword::*;
        match token.kind {
            TokenKind::Keyword(If | While | For | Do | Switch | Return | Break | Continue | Goto | Case | Default) => {
                level == RecoveryLevel::Block
            }
            TokenKind::Keyword(
                Auto | Char | Double | Enum | Extern | Float | Inline | Int | Long | Register | Short | Signed | Static
                | Struct | Typedef | Union | Unsigned | Void | Bool | Noreturn | StaticAssert | ThreadLocal | Extension,
            ) => true,
            TokenKind::Identifier(name) => self.names.is_type(name),
            _ => false,
        }
    }
}
