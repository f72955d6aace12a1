//! The words of the Hanoi Omega-Automata format (version 1, section "Common Tokens").
//!
//! White space and nested comments only separate. A word that is directly followed by a colon is a header name,
//! whatever else it could be. The version after `HOA:` is the one word with a lexical rule of its own, because
//! later versions contain a full stop.

use foundation::{Diagnostic, SourceId, Span};

/// Why a text is refused. Boxed, since it is much larger than what is passed along when all is well.
pub(super) type Fault = Box<Diagnostic>;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    Integer(u32),
    /// A string without its quotes, escapes resolved.
    Text(String),
    Boolean(bool),
    Identifier(&'a str),
    /// An alias without its `@`.
    Alias(&'a str),
    /// A header name without its colon.
    Header(&'a str),
    Not,
    And,
    Or,
    Open,
    Close,
    OpenBracket,
    CloseBracket,
    OpenBrace,
    CloseBrace,
    Body,
    End,
    Abort,
    EndOfText,
}

/// Cuts a text into tokens, one at a time.
#[derive(Clone, Debug)]
pub(super) struct Lexer<'a> {
    text: &'a str,
    source: SourceId,
    at: usize,
}

/// Where the format is described.
pub(super) const FORMAT: &str = "the format is described at http://adl.github.io/hoaf";

/// The largest integer of the format is below this.
const INTEGER_LIMIT: u64 = 1 << 31;

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, source: SourceId) -> Self {
        Self { text, source, at: 0 }
    }

    /// The next token and its place.
    pub(super) fn next(&mut self) -> Result<(Token<'a>, Span), Fault> {
        self.skip_space()?;
        let start = self.at;
        let rest = &self.text[start..];
        let Some(first) = rest.chars().next() else {
            return Ok((Token::EndOfText, self.span(start)));
        };
        if first.is_ascii_digit() {
            return self.integer();
        }
        if first == '"' {
            return self.string();
        }
        if is_word_start(first) {
            return Ok(self.word());
        }
        if first == '@' {
            self.at += 1;
            let name = self.take_word();
            if name.is_empty() {
                return Err(self.fault(
                    "malformed-hoa",
                    "an alias needs a name",
                    start,
                    "write letters or digits after `@`",
                ));
            }
            return Ok((Token::Alias(name), self.span(start)));
        }
        for (mark, token) in
            [("--BODY--", Token::Body), ("--END--", Token::End), ("--ABORT--", Token::Abort)].into_iter()
        {
            if rest.starts_with(mark) {
                self.at += mark.len();
                return Ok((token, self.span(start)));
            }
        }
        let token = match first {
            '!' => Token::Not,
            '&' => Token::And,
            '|' => Token::Or,
            '(' => Token::Open,
            ')' => Token::Close,
            '[' => Token::OpenBracket,
            ']' => Token::CloseBracket,
            '{' => Token::OpenBrace,
            '}' => Token::CloseBrace,
            _ => {
                self.at += first.len_utf8();
                let message = format!("`{}` does not belong to the HOA format", first.escape_default());
                return Err(self.fault("malformed-hoa", message, start, FORMAT));
            }
        };
        self.at += 1;
        Ok((token, self.span(start)))
    }

    /// The word after `HOA:`, which may contain full stops.
    pub(super) fn version(&mut self) -> Result<(&'a str, Span), Fault> {
        self.skip_space()?;
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.find(|c: char| !is_word_part(c) && c != '.').unwrap_or(rest.len());
        self.at += length;
        Ok((&rest[..length], self.span(start)))
    }

    fn word(&mut self) -> (Token<'a>, Span) {
        let start = self.at;
        self.take_word();
        // Version 1.1 has full stops inside header names.
        while self.text[self.at..].starts_with('.') {
            self.at += 1;
            self.take_word();
        }
        let word = &self.text[start..self.at];
        let token = if self.text[self.at..].starts_with(':') {
            self.at += 1;
            Token::Header(word)
        } else {
            match word {
                "t" => Token::Boolean(true),
                "f" => Token::Boolean(false),
                _ => Token::Identifier(word),
            }
        };
        (token, self.span(start))
    }

    fn take_word(&mut self) -> &'a str {
        let rest = &self.text[self.at..];
        let length = rest.find(|c: char| !is_word_part(c)).unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    fn integer(&mut self) -> Result<(Token<'a>, Span), Fault> {
        let start = self.at;
        let rest = &self.text[start..];
        let length = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        self.at += length;
        let digits = &rest[..length];
        if length > 1 && digits.starts_with('0') {
            let message = format!("`{digits}` begins with a useless zero");
            return Err(self.fault("malformed-hoa", message, start, "write the number without leading zeros"));
        }
        match digits.parse::<u64>() {
            Ok(value) if value < INTEGER_LIMIT => Ok((Token::Integer(value as u32), self.span(start))),
            _ => {
                let message = format!("`{digits}` is too large");
                Err(self.fault("number-too-large", message, start, "numbers in HOA are below 2147483648"))
            }
        }
    }

    fn string(&mut self) -> Result<(Token<'a>, Span), Fault> {
        let start = self.at;
        let mut text = String::new();
        let mut characters = self.text[start + 1..].char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    self.at = start + 1 + offset + 1;
                    return Ok((Token::Text(text), self.span(start)));
                }
                '\\' => match characters.next() {
                    Some((_, escaped)) => text.push(escaped),
                    None => break,
                },
                _ => text.push(character),
            }
        }
        let first_line = self.text[start..].find('\n').map_or(self.text.len(), |length| start + length);
        self.at = first_line;
        Err(self.fault("unclosed-text", "this text is not closed", start, "end it with `\"`"))
    }

    fn skip_space(&mut self) -> Result<(), Fault> {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            if !self.text[self.at..].starts_with("/*") {
                return Ok(());
            }
            self.skip_comment()?;
        }
    }

    fn skip_comment(&mut self) -> Result<(), Fault> {
        let start = self.at;
        let mut depth = 0_usize;
        loop {
            let rest = &self.text[self.at..];
            if rest.starts_with("/*") {
                depth += 1;
                self.at += 2;
            } else if rest.starts_with("*/") {
                depth -= 1;
                self.at += 2;
                if depth == 0 {
                    return Ok(());
                }
            } else if let Some(character) = rest.chars().next() {
                self.at += character.len_utf8();
            } else {
                let opening = Span { source: self.source, start: start as u32, end: start as u32 + 2 };
                let fault = Diagnostic::error("unclosed-comment", "this comment is not closed").at(opening);
                return Err(Box::new(fault.help("end it with `*/`; comments nest in HOA")));
            }
        }
    }

    fn span(&self, start: usize) -> Span {
        Span { source: self.source, start: start as u32, end: self.at as u32 }
    }

    fn fault(&self, code: &'static str, message: impl Into<String>, start: usize, help: &str) -> Fault {
        Box::new(Diagnostic::error(code, message).at(self.span(start)).help(help))
    }
}

fn is_word_start(character: char) -> bool {
    character.is_ascii_alphabetic() || character == '_'
}

fn is_word_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '-'
}
