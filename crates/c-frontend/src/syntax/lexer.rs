//! From text to tokens (ISO C11, 5.1.1.2 phases 2 and 3, and 6.4): line continuations, comments, identifiers with `$`,
//! UTF-8 and universal character names, preprocessing numbers, literals with their prefixes, punctuators and digraphs.
//! No trigraphs. Directives go to [`super::directives`].
//!
//! The lexer never fails: what it does not know becomes an invalid token, on which the parser stumbles in its place.

use std::ops::Range;

use foundation::{Diagnostic, Diagnostics, SourceId, Span};

use super::ast::PackingPragma;
use super::directives::{Directives, PresumedLine};
use super::symbols::Symbols;
use super::tokens::{Invalid, Keyword, Punctuator, Token, TokenKind};

/// What kind of text is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// A translation unit, with line markers and pragmas.
    TranslationUnit,
    /// An expression of its own, in which `function::local` is one name.
    Expression,
}

/// The tokens of a text.
pub(super) struct Tokens {
    /// Ends with one token of kind [`TokenKind::End`].
    pub list: Vec<Token>,
    /// The line markers in their order.
    pub markers: Vec<PresumedLine>,
    /// The limits that `#pragma pack` sets, in their order.
    pub packings: Vec<PackingPragma>,
    /// Whether the text ends inside a comment, so that a missing rest has already been reported.
    pub unterminated_comment: bool,
}

/// Splits a part of a text into tokens. The range must lie on character boundaries of the text.
pub(super) fn tokenize(
    text: &str,
    source: SourceId,
    range: Range<usize>,
    mode: Mode,
    symbols: &mut Symbols,
    diagnostics: &mut Diagnostics,
) -> Tokens {
    let mut lexer = Lexer {
        text,
        bytes: &text.as_bytes()[..range.end],
        source,
        mode,
        position: range.start,
        token_end: range.start,
        line_is_empty: true,
        symbols,
        tokens: Vec::with_capacity((range.end - range.start) / 4 + 1),
        directives: Directives::new(),
        diagnostics,
        unterminated_comment: false,
    };
    if mode == Mode::TranslationUnit && text[range].starts_with('\u{feff}') {
        lexer.position += '\u{feff}'.len_utf8();
    }
    lexer.run();
    let (markers, packings) = lexer.directives.into_parts();
    Tokens { list: lexer.tokens, markers, packings, unterminated_comment: lexer.unterminated_comment }
}

struct Lexer<'a> {
    text: &'a str,
    /// The text up to the end of the range.
    bytes: &'a [u8],
    source: SourceId,
    mode: Mode,
    position: usize,
    /// The byte after the last one taken, which line continuations looked across do not move.
    token_end: usize,
    /// Whether nothing but white space has been seen on this line.
    line_is_empty: bool,
    symbols: &'a mut Symbols,
    tokens: Vec<Token>,
    directives: Directives,
    diagnostics: &'a mut Diagnostics,
    unterminated_comment: bool,
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'\n' => {
                    self.bump();
                    self.line_is_empty = true;
                }
                b' ' | b'\t' | b'\r' | 0x0b | 0x0c => self.bump(),
                b'#' if self.line_is_empty && self.mode == Mode::TranslationUnit => self.directive(),
                _ => {
                    let start = self.position;
                    if let Some(kind) = self.token(byte) {
                        self.push(kind, start);
                    }
                }
            }
        }
        let end = self.bytes.len();
        self.token_end = end;
        self.push(TokenKind::End, end);
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let first_on_line = std::mem::replace(&mut self.line_is_empty, false);
        self.tokens.push(Token { kind, start: start as u32, end: self.token_end as u32, first_on_line });
    }

    /// Reads one token, or a comment.
    fn token(&mut self, first: u8) -> Option<TokenKind> {
        match first {
            b'/' => {
                self.bump();
                match self.peek() {
                    Some(b'*') => self.block_comment(),
                    Some(b'/') => self.line_comment(),
                    Some(b'=') => {
                        self.bump();
                        return Some(TokenKind::Punctuator(Punctuator::SlashEqual));
                    }
                    _ => return Some(TokenKind::Punctuator(Punctuator::Slash)),
                }
                None
            }
            b'0'..=b'9' => Some(self.number()),
            b'"' => Some(self.quoted(b'"')),
            b'\'' => Some(self.quoted(b'\'')),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' => Some(self.word()),
            b'.' => {
                self.bump();
                match self.peek() {
                    Some(b'0'..=b'9') => return Some(self.number()),
                    Some(b'.') => {
                        // Two dots are two tokens, three are one.
                        let (position, token_end) = (self.position, self.token_end);
                        self.bump();
                        if self.eat(b'.') {
                            return Some(TokenKind::Punctuator(Punctuator::Ellipsis));
                        }
                        (self.position, self.token_end) = (position, token_end);
                    }
                    _ => {}
                }
                Some(TokenKind::Punctuator(Punctuator::Dot))
            }
            b'\\' | 0x80.. if self.identifier_character().is_some() => Some(self.word()),
            _ => {
                let punctuator = self.punctuator(first);
                Some(punctuator.map_or_else(|| self.stray(), TokenKind::Punctuator))
            }
        }
    }

    fn directive(&mut self) {
        let start = self.position;
        self.bump();
        let from = self.position;
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.bump();
        }
        let span = self.span(start, self.token_end);
        let next_line = (self.position + 1).min(self.bytes.len()) as u32;
        let line = &self.text[from..self.token_end];
        self.directives.read(line, span, next_line, self.diagnostics);
    }

    fn line_comment(&mut self) {
        while self.peek().is_some_and(|byte| byte != b'\n') {
            self.bump();
        }
    }

    fn block_comment(&mut self) {
        let start = self.position - 1;
        self.bump();
        while let Some(byte) = self.peek() {
            self.bump();
            match byte {
                b'*' if self.eat(b'/') => return,
                b'\n' => self.line_is_empty = true,
                _ => {}
            }
        }
        self.unterminated_comment = true;
        let diagnostic = Diagnostic::error("unterminated-comment", "this comment is never closed")
            .at(self.span(start, start + 2))
            .help("close it with `*/`");
        self.diagnostics.push(diagnostic);
    }

    /// A preprocessing number (6.4.8); a leading dot has been taken.
    fn number(&mut self) -> TokenKind {
        while let Some(byte) = self.peek() {
            match byte {
                b'e' | b'E' | b'p' | b'P' => {
                    self.bump();
                    if matches!(self.peek(), Some(b'+' | b'-')) {
                        self.bump();
                    }
                }
                b'0'..=b'9' | b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'.' => self.bump(),
                _ => break,
            }
        }
        TokenKind::Number
    }

    /// An identifier, a keyword, or the prefix of a literal with the literal.
    fn word(&mut self) -> TokenKind {
        let start = self.position;
        let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$');
        let length = self.bytes[start..].iter().take_while(|byte| is_plain(byte)).count();
        self.position += length;
        self.token_end = self.position;
        let mut spelling = std::borrow::Cow::Borrowed(&self.text[start..self.position]);
        // What is left is rare: continuations, UTF-8, universal character names, and qualified names.
        loop {
            while let Some((character, bytes)) = self.identifier_character() {
                spelling.to_mut().push(character);
                self.position += bytes;
                self.token_end = self.position;
            }
            let ending = if self.mode == Mode::Expression { self.file_ending() } else { 0 };
            if ending > 0 {
                spelling.to_mut().push_str(&self.text[self.position..self.position + ending]);
                self.position += ending;
                self.token_end = self.position;
            } else if self.mode == Mode::Expression && self.at_qualifier() {
                spelling.to_mut().push_str("::");
                self.position += 2;
                self.token_end = self.position;
            } else {
                break;
            }
        }
        if matches!(&*spelling, "L" | "u" | "U" | "u8") {
            match self.peek() {
                Some(quote @ (b'"' | b'\'')) => return self.quoted(quote),
                _ => self.position = self.token_end,
            }
        }
        match Keyword::from_text(&spelling) {
            Some(keyword) => TokenKind::Keyword(keyword),
            None => TokenKind::Identifier(self.symbols.intern(&spelling)),
        }
    }

    /// Whether `::` and a name, or the number of one, follow.
    fn at_qualifier(&self) -> bool {
        let rest = &self.bytes[self.position..];
        rest.starts_with(b"::")
            && rest.get(2).is_some_and(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..))
    }

    /// How long the rest of a file's name is that qualifies a name, as `.c` in `ring.c::calls`; 0 where there is none. No
    /// expression of C has `::`, so that nothing else can be meant.
    fn file_ending(&self) -> usize {
        let rest = &self.bytes[self.position..];
        let is_part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.');
        let length = rest.iter().take_while(is_part).count();
        let is_ending = rest.first() == Some(&b'.') && rest[length..].starts_with(b"::");
        if is_ending { length } else { 0 }
    }

    /// The character of an identifier that stands here, and how many bytes it takes.
    fn identifier_character(&mut self) -> Option<(char, usize)> {
        match self.peek()? {
            byte if byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') => Some((byte as char, 1)),
            b'\\' => self.universal_character_name(),
            0x80.. => {
                let character = self.text[self.position..].chars().next()?;
                character.is_alphanumeric().then(|| (character, character.len_utf8()))
            }
            _ => None,
        }
    }

    /// `\u` or `\U` with its four or eight digits (6.4.3).
    fn universal_character_name(&self) -> Option<(char, usize)> {
        let digits = match self.bytes.get(self.position + 1)? {
            b'u' => 4,
            b'U' => 8,
            _ => return None,
        };
        let text = self.text.get(self.position + 2..self.position + 2 + digits)?;
        if self.position + 2 + digits > self.bytes.len() || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        let character = char::from_u32(u32::from_str_radix(text, 16).ok()?)?;
        character.is_alphanumeric().then_some((character, digits + 2))
    }

    /// A string literal or character constant from its opening quote on.
    fn quoted(&mut self, quote: u8) -> TokenKind {
        self.bump();
        while let Some(byte) = self.peek() {
            if byte == b'\n' {
                break;
            }
            self.bump();
            if byte == quote {
                return if quote == b'"' { TokenKind::String } else { TokenKind::Character };
            }
            if byte == b'\\' && self.peek().is_some_and(|next| next != b'\n') {
                self.bump();
            }
        }
        TokenKind::Invalid(match quote {
            b'"' => Invalid::UnterminatedString,
            _ => Invalid::UnterminatedCharacter,
        })
    }

    fn stray(&mut self) -> TokenKind {
        let length = self.text[self.position..].chars().next().map_or(1, char::len_utf8);
        self.position += length;
        self.token_end = self.position;
        TokenKind::Invalid(Invalid::StrayCharacter)
    }

    /// The longest punctuator that begins here (6.4p4), digraphs included; nothing is taken where there is none.
    fn punctuator(&mut self, first: u8) -> Option<Punctuator> {
        use Punctuator::*;
        let single = match first {
            b'(' => LeftParen,
            b')' => RightParen,
            b'[' => LeftBracket,
            b']' => RightBracket,
            b'{' => LeftBrace,
            b'}' => RightBrace,
            b';' => Semicolon,
            b',' => Comma,
            b':' => Colon,
            b'?' => Question,
            b'+' => Plus,
            b'-' => Minus,
            b'*' => Star,
            b'%' => Percent,
            b'&' => Ampersand,
            b'|' => Bar,
            b'^' => Caret,
            b'~' => Tilde,
            b'!' => Exclamation,
            b'<' => Less,
            b'>' => Greater,
            b'=' => Equal,
            _ => return None,
        };
        self.bump();
        let Some(second) = self.peek() else { return Some(single) };
        let double = match (single, second) {
            (Colon, b'>') => RightBracket,
            (Plus, b'+') => PlusPlus,
            (Plus, b'=') => PlusEqual,
            (Minus, b'-') => MinusMinus,
            (Minus, b'=') => MinusEqual,
            (Minus, b'>') => Arrow,
            (Star, b'=') => StarEqual,
            (Percent, b'=') => PercentEqual,
            (Percent, b'>') => RightBrace,
            (Ampersand, b'&') => AmpersandAmpersand,
            (Ampersand, b'=') => AmpersandEqual,
            (Bar, b'|') => BarBar,
            (Bar, b'=') => BarEqual,
            (Caret, b'=') => CaretEqual,
            (Exclamation, b'=') => NotEqual,
            (Less, b'=') => LessEqual,
            (Less, b'<') => LessLess,
            (Less, b':') => LeftBracket,
            (Less, b'%') => LeftBrace,
            (Greater, b'=') => GreaterEqual,
            (Greater, b'>') => GreaterGreater,
            (Equal, b'=') => EqualEqual,
            _ => return Some(single),
        };
        self.bump();
        Some(match double {
            LessLess if self.eat(b'=') => LessLessEqual,
            GreaterGreater if self.eat(b'=') => GreaterGreaterEqual,
            _ => double,
        })
    }

    /// The next byte, across line continuations.
    fn peek(&mut self) -> Option<u8> {
        loop {
            let rest = &self.bytes[self.position..];
            match rest.first() {
                Some(b'\\') if rest.starts_with(b"\\\n") => self.position += 2,
                Some(b'\\') if rest.starts_with(b"\\\r\n") => self.position += 3,
                first => return first.copied(),
            }
        }
    }

    /// Takes the byte that [`Lexer::peek`] showed.
    fn bump(&mut self) {
        self.position += 1;
        self.token_end = self.position;
    }

    fn eat(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        if found {
            self.bump();
        }
        found
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { source: self.source, start: start as u32, end: end as u32 }
    }
}
