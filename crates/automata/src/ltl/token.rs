//! The words of the property language, in all dialects: those of Spot, Spin, LTL2BA, Goal, Ultimate and SV-COMP.
//!
//! As in Spot's scanner, what a run of letters means depends on whether an operand or an operator is due. Where an
//! operand is due, a word that begins with `F`, `G` or `X` begins with that operator (`GFa` is `G F a`) unless a
//! digit follows it; where an operator is due, a word that begins with `U`, `W`, `R`, `V` or `M` begins with that
//! one. The text of atoms is only delimited here, never understood; character and string literals in it are skipped
//! so that `{c == '}'}` ends where it should.

use std::ops::Range;

use foundation::{Diagnostic, SourceId, Span};

use super::atom::{Atom, AtomOrigin, Builtin};
use super::bounds::{self, Misread, Operator};
use super::formula::{Binary, Unary};
use super::parse::foreign_operator;

/// Why a text is refused. Boxed, since it is much larger than what is passed along when all is well.
pub(super) type Fault = Box<Diagnostic>;

/// What the parser is waiting for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Due {
    Operand,
    Operator,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Open,
    Close,
    Constant(bool),
    Atom(Atom, AtomOrigin),
    /// A unary operator, perhaps with bounds.
    Unary(Operator),
    Binary(Binary),
    /// A mark that belongs to expressions, not to formulas: `==`, `+` and so on.
    Foreign,
    Semicolon,
    End,
}

/// Properties of the competition on software verification that are written as atoms and have no meaning here.
const UNSUPPORTED_ATOMS: [&str; 5] = ["valid-free", "valid-deref", "valid-memtrack", "valid-memcleanup", "data-race"];

/// Marks, each before its own prefixes.
const MARKS: &[(&str, Token)] = &[
    ("<==>", Token::Binary(Binary::Iff)),
    ("<-->", Token::Binary(Binary::Iff)),
    ("<=>", Token::Binary(Binary::Iff)),
    ("<->", Token::Binary(Binary::Iff)),
    ("↔", Token::Binary(Binary::Iff)),
    ("⇔", Token::Binary(Binary::Iff)),
    ("==>", Token::Binary(Binary::Implies)),
    ("-->", Token::Binary(Binary::Implies)),
    ("=>", Token::Binary(Binary::Implies)),
    ("->", Token::Binary(Binary::Implies)),
    ("→", Token::Binary(Binary::Implies)),
    ("⟶", Token::Binary(Binary::Implies)),
    ("⇒", Token::Binary(Binary::Implies)),
    ("⟹", Token::Binary(Binary::Implies)),
    ("&&", Token::Binary(Binary::And)),
    ("&", Token::Binary(Binary::And)),
    ("/\\", Token::Binary(Binary::And)),
    ("∧", Token::Binary(Binary::And)),
    ("||", Token::Binary(Binary::Or)),
    ("|", Token::Binary(Binary::Or)),
    ("\\/", Token::Binary(Binary::Or)),
    ("∨", Token::Binary(Binary::Or)),
    ("^", Token::Binary(Binary::Xor)),
    ("⊕", Token::Binary(Binary::Xor)),
    ("[]", Token::Unary(Operator::Times(Unary::Globally, 1))),
    ("□", Token::Unary(Operator::Times(Unary::Globally, 1))),
    ("◻", Token::Unary(Operator::Times(Unary::Globally, 1))),
    ("⬜", Token::Unary(Operator::Times(Unary::Globally, 1))),
    ("<>", Token::Unary(Operator::Times(Unary::Finally, 1))),
    ("◇", Token::Unary(Operator::Times(Unary::Finally, 1))),
    ("⋄", Token::Unary(Operator::Times(Unary::Finally, 1))),
    ("♢", Token::Unary(Operator::Times(Unary::Finally, 1))),
    ("○", Token::Unary(Operator::Times(Unary::Next, 1))),
    ("◯", Token::Unary(Operator::Times(Unary::Next, 1))),
    ("!=", Token::Foreign),
    ("!", Token::Unary(Operator::Times(Unary::Not, 1))),
    ("~", Token::Unary(Operator::Times(Unary::Not, 1))),
    ("¬", Token::Unary(Operator::Times(Unary::Not, 1))),
    ("==", Token::Foreign),
    ("<=", Token::Foreign),
    (">=", Token::Foreign),
    ("<<", Token::Foreign),
    (">>", Token::Foreign),
    ("::", Token::Foreign),
    ("(", Token::Open),
    (")", Token::Close),
    (";", Token::Semicolon),
];

/// Single characters that belong to expressions.
const FOREIGN_CHARACTERS: &str = "<>=+-*/%?:,.[]'";

/// Whether the text, as an operand, is one bare word.
pub(super) fn is_bare_word(text: &str) -> bool {
    let mut lexer = Lexer { text, base: 0, source: foundation::Id::from_index(0), at: 0, word_start: None };
    let is_bare = matches!(lexer.next(Due::Operand), Ok((Token::Atom(Atom::Bare(_), _), range)) if range.start == 0);
    is_bare && lexer.at == text.len()
}

/// Whether a word that begins with the letter of an operator is rather the whole name of one.
fn is_word_operator(word: &str) -> bool {
    ["until", "weakuntil", "release", "releases", "globally", "finally"]
        .iter()
        .any(|operator| operator.eq_ignore_ascii_case(word) && word.starts_with(|c: char| c.is_ascii_uppercase()))
}

/// Whether the character can stand in a word.
fn is_word_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '.'
}

/// Cuts a text into tokens. Ranges are in bytes of `text`, spans in those of the source that it was taken from.
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// Where `text` begins in its source.
    base: usize,
    source: SourceId,
    at: usize,
    /// Where the word begins that the last operator letter was split off, if more of it follows.
    word_start: Option<usize>,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str, source: SourceId, base: usize) -> Self {
        Self { text, base, source, at: 0, word_start: None }
    }

    pub(super) fn text(&self) -> &'a str {
        self.text
    }

    /// Where the next token is looked for.
    pub(super) fn position(&self) -> usize {
        self.at
    }

    pub(super) fn span(&self, range: Range<usize>) -> Span {
        Span { source: self.source, start: (self.base + range.start) as u32, end: (self.base + range.end) as u32 }
    }

    /// The next token and its place.
    pub(super) fn next(&mut self, due: Due) -> Result<(Token, Range<usize>), Fault> {
        self.skip_space();
        let start = self.at;
        let word_start = self.word_start.take();
        let Some(first) = self.rest().chars().next() else {
            return Ok((Token::End, start..start));
        };
        let token = match first {
            '"' => self.quoted_atom()?,
            '{' => self.delimited_atom("{", '{', '}')?,
            '0'..='9' => self.number(),
            'a'..='z' | 'A'..='Z' | '_' if due == Due::Operand => self.operand_word(word_start)?,
            'a'..='z' | 'A'..='Z' | '_' => self.operator_word()?,
            '(' if due == Due::Operand && self.rest().starts_with("()") => {
                self.at += 2;
                self.bounded(Unary::Next)?
            }
            _ => self.mark(first)?,
        };
        Ok((token, start..self.at))
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn skip_space(&mut self) {
        self.at = self.text.len() - self.rest().trim_start().len();
    }

    fn take(&mut self, length: usize, token: Token) -> Token {
        self.at += length;
        token
    }

    fn mark(&mut self, first: char) -> Result<Token, Fault> {
        if let Some((mark, token)) = MARKS.iter().find(|(mark, _)| self.rest().starts_with(mark)) {
            let token = self.take(mark.len(), token.clone());
            return match token {
                Token::Unary(Operator::Times(operator, _)) => self.bounded(operator),
                token => Ok(token),
            };
        }
        if FOREIGN_CHARACTERS.contains(first) {
            return Ok(self.take(first.len_utf8(), Token::Foreign));
        }
        let span = self.span(self.at..self.at + first.len_utf8());
        let shown = if first.is_control() { first.escape_default().to_string() } else { first.to_string() };
        let fault = Diagnostic::error(
            "unknown-operator",
            format!("`{shown}` is not an operator of the property language"),
        )
        .at(span)
        .help("the operators are `! && || -> <-> xor` and `X F G U W R M`; expressions stand in quotes: `\"x > 0\"`");
        Err(Box::new(fault))
    }

    /// `0`, `1`, or a number that belongs to an expression.
    fn number(&mut self) -> Token {
        let digits = self.rest().find(|c: char| !c.is_ascii_digit()).unwrap_or(self.rest().len());
        let token = match &self.rest()[..digits] {
            "0" => Token::Constant(false),
            "1" => Token::Constant(true),
            _ => Token::Foreign,
        };
        self.take(digits, token)
    }

    fn word(&self) -> &'a str {
        let end = self.rest().find(|c| !is_word_part(c)).unwrap_or(self.rest().len());
        &self.rest()[..end]
    }

    /// The word here if it is as short as those that have a meaning, else its beginning.
    fn short_word(&self) -> &'a str {
        let end = self.rest().char_indices().take(12).find(|&(_, c)| !is_word_part(c));
        let end =
            end.map_or_else(|| self.rest().char_indices().nth(12).map_or(self.rest().len(), |(at, _)| at), |it| it.0);
        &self.rest()[..end]
    }

    /// Whether the word here is `true` or `false`, in any case, and its length.
    fn constant(&self) -> Option<(usize, bool)> {
        [("true", true), ("false", false)].into_iter().find_map(|(constant, value)| {
            let (word, after) = self.rest().split_at_checked(constant.len())?;
            let is_here = word.eq_ignore_ascii_case(constant) && !after.starts_with(is_word_part);
            is_here.then_some((constant.len(), value))
        })
    }

    fn operator_word(&mut self) -> Result<Token, Fault> {
        let word = self.word();
        let operator = match (word, word.as_bytes()[0]) {
            ("and", _) => Binary::And,
            ("or", _) => Binary::Or,
            ("xor", _) => Binary::Xor,
            _ if word.strip_prefix("WU").is_some_and(|rest| rest.bytes().all(|letter| b"FGX".contains(&letter))) => {
                return self.binary(2, Binary::WeakUntil);
            }
            (_, b'U' | b'W' | b'R') if is_word_operator(word) => {
                return Err(self.foreign_operator(word));
            }
            (_, b'U') => Binary::Until,
            (_, b'W') => Binary::WeakUntil,
            (_, b'R' | b'V') => Binary::Release,
            (_, b'M') => Binary::StrongRelease,
            _ => return self.operand_word(None),
        };
        let length = if word.starts_with(char::is_lowercase) { word.len() } else { 1 };
        self.binary(length, operator)
    }

    fn operand_word(&mut self, word_start: Option<usize>) -> Result<Token, Fault> {
        if let Some((length, value)) = self.constant() {
            return Ok(self.take(length, Token::Constant(value)));
        }
        if word_start.is_none() && is_word_operator(self.short_word()) {
            return Err(self.foreign_operator(self.short_word()));
        }
        // Operator letters come before the word is looked at, lest a long run of them be read once for each letter.
        let letter = match self.rest().as_bytes() {
            [_, b'0'..=b'9', ..] => None,
            [b'X', ..] => Some(Unary::Next),
            [b'F', ..] => Some(Unary::Finally),
            [b'G', ..] => Some(Unary::Globally),
            _ => None,
        };
        if let Some(operator) = letter {
            let start = self.at;
            self.at += 1;
            if self.rest().starts_with(is_word_part) {
                self.word_start = word_start.or(Some(start));
            }
            return self.bounded(operator);
        }
        self.refuse_unsupported_atom()?;
        let word = self.word();
        let reserved = match word {
            "U" => Some(Binary::Until),
            "W" | "WU" => Some(Binary::WeakUntil),
            "R" | "V" => Some(Binary::Release),
            "M" => Some(Binary::StrongRelease),
            "xor" => Some(Binary::Xor),
            _ => None,
        };
        if let Some(operator) = reserved {
            return Ok(self.take(word.len(), Token::Binary(operator)));
        }
        let after_word = self.rest()[word.len()..].trim_start();
        match word {
            "AP" if after_word.starts_with('(') => {
                let opening = &self.rest()[..self.rest().len() - after_word.len() + 1];
                return self.delimited_atom(opening, '(', ')');
            }
            "call" if after_word.starts_with('(') => return self.call(),
            _ => {}
        }
        let start = self.at;
        self.at += word.len();
        let atom = match Builtin::from_word(word) {
            Some(builtin) => Atom::Builtin(builtin),
            None => Atom::Bare(word.to_owned()),
        };
        let whole_word = word_start.map(|word_start| self.span(word_start..self.at));
        Ok(Token::Atom(atom, AtomOrigin { span: self.span(start..self.at), escapes: Vec::new(), whole_word }))
    }

    fn foreign_operator(&self, word: &str) -> Fault {
        foreign_operator(word, self.span(self.at..self.at + word.len())).expect("it is one")
    }

    fn refuse_unsupported_atom(&self) -> Result<(), Fault> {
        let continues = |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        let is_here = |name: &&&str| self.rest().strip_prefix(**name).is_some_and(|rest| !continues(rest));
        let Some(name) = UNSUPPORTED_ATOMS.iter().find(is_here) else { return Ok(()) };
        let help = match *name {
            "data-race" => {
                "data races are reported as warnings; state what they must not break as a formula over variables"
            }
            "valid-free" => "`G ! error` says that no access to memory is undefined, and no call of `free`",
            "valid-deref" => "`G ! error` says that no access to memory is undefined",
            _ => "memory that is never freed is not looked for; `G ! error` says that no access to memory is undefined",
        };
        let fault = Diagnostic::error("unsupported-property", format!("the property `{name}` is not supported"))
            .at(self.span(self.at..self.at + name.len()))
            .help(help);
        Err(Box::new(fault))
    }

    /// Reads the bounds after a unary operator, if it has any.
    fn bounded(&mut self, operator: Unary) -> Result<Token, Fault> {
        match bounds::read(operator, self.rest()) {
            Ok((prefix, 0)) => Ok(Token::Unary(prefix)),
            Ok((prefix, length)) => {
                self.word_start = None;
                Ok(self.take(length, Token::Unary(prefix)))
            }
            Err(fault) => Err(self.at_range(fault)),
        }
    }

    /// Reads past a binary operator, which has no bounds.
    fn binary(&mut self, length: usize, operator: Binary) -> Result<Token, Fault> {
        self.at += length;
        match bounds::refuse_on_binary(operator, self.rest()) {
            Some(fault) => Err(self.at_range(fault)),
            None => Ok(Token::Binary(operator)),
        }
    }

    /// Places a fault that was found in the rest of the text.
    fn at_range(&self, (fault, range): Misread) -> Fault {
        Box::new(fault.at(self.span(self.at + range.start..self.at + range.end)))
    }

    /// `call(f())` or `call(f)`.
    fn call(&mut self) -> Result<Token, Fault> {
        let start = self.at;
        let fault_at = |lexer: &Self| {
            let fault = Diagnostic::error("malformed-call", "`call` needs the name of a function")
                .at(lexer.span(start..lexer.at))
                .help("write `call(f())`: it holds where the function `f` is entered");
            Box::new(fault)
        };
        self.at += "call".len();
        self.skip_space();
        self.at += 1;
        self.skip_space();
        let name_start = self.at;
        self.at += self.word().len();
        // A file's name may come first: `call(ring.c::f())`.
        while self.rest().starts_with("::") {
            self.at += "::".len();
            self.at += self.word().len();
        }
        let name_end = self.at;
        let name = &self.text[name_start..name_end];
        let function = name.rsplit("::").next().unwrap_or(name);
        let is_name = !function.contains('.') && !function.starts_with(|c: char| c.is_ascii_digit());
        if name.split("::").any(str::is_empty) || !is_name {
            return Err(fault_at(self));
        }
        let mut marks: &[char] = &[')'];
        self.skip_space();
        if self.rest().starts_with('(') {
            marks = &['(', ')', ')'];
        }
        for &mark in marks {
            self.skip_space();
            if !self.rest().starts_with(mark) {
                return Err(fault_at(self));
            }
            self.at += 1;
        }
        let origin = AtomOrigin { span: self.span(name_start..name_end), escapes: Vec::new(), whole_word: None };
        Ok(Token::Atom(Atom::Builtin(Builtin::Call(name.to_owned())), origin))
    }

    /// `"text"`: it ends at the first quote that has no backslash in front; `\"` stands for a quote, and every other
    /// backslash for itself, so that the escapes of the expression's own language can be written as they are.
    fn quoted_atom(&mut self) -> Result<Token, Fault> {
        let inner = self.at + 1;
        let mut end = None;
        let mut escaped_quotes = Vec::new();
        for (offset, _) in self.text[inner..].match_indices('"') {
            if self.text[..inner + offset].ends_with('\\') && offset > 0 {
                escaped_quotes.push(inner + offset);
            } else {
                end = Some(inner + offset);
                break;
            }
        }
        let Some(end) = end else { return Err(self.unterminated(1, '"')) };
        self.atom_text(inner..end, &escaped_quotes, end + 1)
    }

    /// `{text}` or `AP(text)`: it ends at the matching delimiter.
    fn delimited_atom(&mut self, opening: &str, open: char, close: char) -> Result<Token, Fault> {
        let inner = self.at + opening.len();
        match matching(&self.text[inner..], open, close) {
            Some(length) => self.atom_text(inner..inner + length, &[], inner + length + 1),
            None => Err(self.unterminated(opening.len(), close)),
        }
    }

    /// The atom whose text is the given range without surrounding space; the token ends at `end`.
    fn atom_text(&mut self, range: Range<usize>, escaped_quotes: &[usize], end: usize) -> Result<Token, Fault> {
        let text = &self.text[range.clone()];
        let start = range.start + (text.len() - text.trim_start().len());
        let trimmed = start..start + text.trim().len();
        if text.trim().is_empty() || text.trim().ends_with('\\') {
            let (code, message) = match text.trim().is_empty() {
                true => ("empty-atom", "the atom is empty"),
                false => ("malformed-atom", "an atom cannot end in a backslash"),
            };
            let fault = Diagnostic::error(code, message)
                .at(self.span(self.at..end))
                .help("write an expression, such as `\"x > 0\"`, or `true`");
            return Err(Box::new(fault));
        }
        let mut unescaped = String::new();
        let mut escapes = Vec::new();
        let mut copied = trimmed.start;
        for &quote in escaped_quotes {
            unescaped.push_str(&self.text[copied..quote - 1]);
            escapes.push(unescaped.len() as u32);
            copied = quote;
        }
        unescaped.push_str(&self.text[copied..trimmed.end]);
        self.at = end;
        Ok(Token::Atom(Atom::Quoted(unescaped), AtomOrigin { span: self.span(trimmed), escapes, whole_word: None }))
    }

    fn unterminated(&self, opening: usize, close: char) -> Fault {
        let fault = Diagnostic::error("unterminated-atom", format!("the atom has no closing `{close}`"))
            .label(self.span(self.at..self.at + opening), "it begins here")
            .help("atoms are written `\"x > 0\"`, `{x > 0}` or `AP(x > 0)`");
        Box::new(fault)
    }
}

/// Where the delimiter stands that matches one in front of the text. Character and string literals are skipped.
fn matching(text: &str, open: char, close: char) -> Option<usize> {
    let mut depth = 0usize;
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let next = at + character.len_utf8();
        if character == close && depth == 0 {
            return Some(at);
        }
        at = match character {
            '"' | '\'' => next + literal_length(&text[next..], character).unwrap_or(0),
            // A backslash hides what follows it inside and outside of literals alike, so that an unmatched quote is
            // looked for only once in a line.
            '\\' => next + text[next..].chars().next().map_or(0, char::len_utf8),
            _ => next,
        };
        if character == close {
            depth -= 1;
        } else if character == open {
            depth += 1;
        }
    }
    None
}

/// The length of a literal after its opening quote, with its closing one. A quote without a partner on its line is no
/// literal.
fn literal_length(text: &str, quote: char) -> Option<usize> {
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        match character {
            '\n' => return None,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return Some(at + 1),
            _ => {}
        }
    }
    None
}
