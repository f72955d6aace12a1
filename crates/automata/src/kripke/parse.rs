//! Reads the Kripke text format, which `docs/kripke-format.md` describes.
//!
//! ```text
//! file    ::= item*
//! item    ::= "atoms" name* ";"  |  "initial" name+ ";"  |  "state" name labels? ("->" name+)? ";"
//! labels  ::= "{" name* "}"
//! name    ::= [A-Za-z0-9_.]+  |  '"' any text '"'         (commas between names are optional)
//! ```
//!
//! Comments are those of C, and `#` up to the end of the line. A fault skips to the next `;`, so that several faults
//! are reported together. Names are resolved after the whole text is read: states may be used before they are given.

use foundation::collections::HashMap;
use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};

use super::structure::{Kripke, KripkeState};

/// Reads the whole of a source text as one Kripke structure.
pub fn parse(sources: &SourceMap, source: SourceId) -> Result<Kripke, Diagnostics> {
    let text = sources.text(source);
    let mut parser = Parser::new(text, source);
    parser.items();
    let mut diagnostics = parser.diagnostics;
    let whole = Span { source, start: 0, end: 0 };
    let kripke = resolve(&parser.items, parser.a_name_is_lost, whole, &mut diagnostics);
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(kripke) }
}

#[derive(Clone, Debug)]
enum Item {
    Atoms(Vec<Name>),
    Initial(Vec<Name>),
    State { name: Name, labels: Vec<Name>, successors: Vec<Name> },
}

#[derive(Clone, Debug)]
struct Name {
    text: String,
    span: Span,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum Token {
    Name(String),
    /// `atoms`, `initial` or `state`; as the name of something it must be quoted.
    Keyword(&'static str),
    Arrow,
    Open,
    Close,
    Comma,
    Semicolon,
    End,
}

const KEYWORDS: [&str; 3] = ["atoms", "initial", "state"];

/// Whether a name can be written without quotes.
pub(super) fn is_plain_name(name: &str) -> bool {
    !name.is_empty() && name.chars().all(is_word_part) && !KEYWORDS.contains(&name)
}

fn is_word_part(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_' || character == '.'
}

struct Parser<'a> {
    text: &'a str,
    source: SourceId,
    at: usize,
    token: Token,
    span: Span,
    items: Vec<Item>,
    diagnostics: Diagnostics,
    /// Whether the name of some state could not be read, so that states that are not known may be a consequence.
    a_name_is_lost: bool,
}

/// Said when an item was abandoned; the diagnostic has been pushed.
struct Abandoned;

impl<'a> Parser<'a> {
    fn new(text: &'a str, source: SourceId) -> Self {
        let span = Span { source, start: 0, end: 0 };
        let mut parser = Parser {
            text,
            source,
            at: 0,
            token: Token::End,
            span,
            items: Vec::new(),
            diagnostics: Diagnostics::new(),
            a_name_is_lost: false,
        };
        parser.advance();
        parser
    }

    fn items(&mut self) {
        while self.token != Token::End {
            if self.item().is_err() {
                // What follows up to the next `;` or the next item belongs to the faulty one.
                while !matches!(self.token, Token::End | Token::Semicolon | Token::Keyword(_)) {
                    self.advance();
                }
                if self.token == Token::Semicolon {
                    self.advance();
                }
            }
        }
    }

    fn item(&mut self) -> Result<(), Abandoned> {
        let Token::Keyword(keyword) = self.token else {
            return Err(self.unexpected("`atoms`, `initial` or `state`"));
        };
        self.advance();
        match keyword {
            "atoms" => {
                let names = self.names();
                self.items.push(Item::Atoms(names));
            }
            "initial" => {
                let names = self.at_least_one_name()?;
                self.items.push(Item::Initial(names));
            }
            _ => {
                let Some(name) = self.name() else {
                    self.a_name_is_lost = true;
                    return Err(self.unexpected("the name of the state"));
                };
                // A fault in what follows does not make the state unknown to other items.
                self.items.push(Item::State { name: name.clone(), labels: Vec::new(), successors: Vec::new() });
                let labels = self.labels()?;
                let successors = if self.token == Token::Arrow {
                    self.advance();
                    self.at_least_one_name()?
                } else {
                    Vec::new()
                };
                self.items.pop();
                self.items.push(Item::State { name, labels, successors });
            }
        }
        if self.token != Token::Semicolon {
            return Err(self.unexpected("`;`"));
        }
        self.advance();
        Ok(())
    }

    fn labels(&mut self) -> Result<Vec<Name>, Abandoned> {
        if self.token != Token::Open {
            return Ok(Vec::new());
        }
        let open = self.span;
        self.advance();
        let labels = self.names();
        if self.token != Token::Close {
            let fault = Diagnostic::error("unclosed-brace", "this brace is not closed").at(open);
            self.diagnostics.push(fault.help("end the atoms of a state with `}`"));
            return Err(Abandoned);
        }
        self.advance();
        Ok(labels)
    }

    fn at_least_one_name(&mut self) -> Result<Vec<Name>, Abandoned> {
        let names = self.names();
        if names.is_empty() { Err(self.unexpected("the name of a state")) } else { Ok(names) }
    }

    fn names(&mut self) -> Vec<Name> {
        let mut names = Vec::new();
        while let Some(name) = self.name() {
            names.push(name);
            if self.token == Token::Comma {
                self.advance();
            }
        }
        names
    }

    fn name(&mut self) -> Option<Name> {
        let Token::Name(text) = &mut self.token else {
            return None;
        };
        let name = Name { text: std::mem::take(text), span: self.span };
        self.advance();
        Some(name)
    }

    fn unexpected(&mut self, wanted: &str) -> Abandoned {
        let message = match self.token {
            Token::End => format!("the text ends where {wanted} is expected"),
            _ => format!("expected {wanted}"),
        };
        let help = match self.token {
            Token::Keyword(keyword) => format!("end the item before with `;`, or write the name as `\"{keyword}\"`"),
            _ => "an item looks like `state wait {trying} -> critical wait;`".to_owned(),
        };
        self.diagnostics.push(Diagnostic::error("malformed-kripke", message).at(self.span).help(help));
        Abandoned
    }

    /// Reads the next token; characters that belong to none are reported and left out.
    fn advance(&mut self) {
        loop {
            self.skip_space();
            let start = self.at;
            let rest = &self.text[start..];
            let token = match rest.chars().next() {
                None => Some(Token::End),
                Some('"') => self.quoted(),
                Some(first) if is_word_part(first) => {
                    self.at += rest.find(|c: char| !is_word_part(c)).unwrap_or(rest.len());
                    let word = &self.text[start..self.at];
                    Some(match KEYWORDS.into_iter().find(|keyword| *keyword == word) {
                        Some(keyword) => Token::Keyword(keyword),
                        None => Token::Name(word.to_owned()),
                    })
                }
                Some(first) => {
                    let marks = [("->", Token::Arrow), ("{", Token::Open), ("}", Token::Close)];
                    let more = [(",", Token::Comma), (";", Token::Semicolon)];
                    let found = marks.into_iter().chain(more).find(|(mark, _)| rest.starts_with(mark));
                    self.at += found.as_ref().map_or(first.len_utf8(), |(mark, _)| mark.len());
                    found.map(|(_, token)| token)
                }
            };
            self.span = self.span_from(start);
            if let Some(token) = token {
                self.token = token;
                return;
            }
            let text = self.text[start..self.at].escape_default().to_string();
            if text.starts_with("\\\"") {
                continue;
            }
            let fault = Diagnostic::error("malformed-kripke", format!("`{text}` does not belong here")).at(self.span);
            self.diagnostics.push(fault.help("put names with such characters between double quotes"));
        }
    }

    /// A name between double quotes, on one line; `None`, with a diagnostic, if it is empty or not closed.
    fn quoted(&mut self) -> Option<Token> {
        let start = self.at;
        let mut name = String::new();
        let mut characters = self.text[start + 1..].char_indices();
        while let Some((offset, character)) = characters.next() {
            let after = start + 1 + offset + character.len_utf8();
            match character {
                '"' => {
                    self.at = after;
                    if name.trim().is_empty() {
                        let fault = Diagnostic::error("empty-name", "this name is empty").at(self.span_from(start));
                        self.diagnostics.push(fault.help("write the name between the quotes"));
                        return None;
                    }
                    return Some(Token::Name(name.trim().to_owned()));
                }
                '\n' => break,
                '\\' => match characters.next() {
                    Some((_, escaped @ ('"' | '\\'))) => name.push(escaped),
                    Some((_, '\n')) | None => break,
                    Some((_, other)) => name.extend(['\\', other]),
                },
                _ => name.push(character),
            }
        }
        let rest = &self.text[start..];
        self.at = start + rest.find('\n').unwrap_or(rest.len());
        let fault = Diagnostic::error("unclosed-text", "this name is not closed").at(self.span_from(start));
        self.diagnostics.push(fault.help("end it with `\"` on the same line"));
        None
    }

    fn skip_space(&mut self) {
        loop {
            let rest = &self.text[self.at..];
            self.at += rest.len() - rest.trim_start().len();
            let rest = &self.text[self.at..];
            if rest.starts_with('#') || rest.starts_with("//") {
                self.at += rest.find('\n').unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                match rest.find("*/") {
                    Some(length) => self.at += length + 2,
                    None => {
                        let start = self.at;
                        self.at += 2;
                        let fault = Diagnostic::error("unclosed-comment", "this comment is not closed");
                        self.diagnostics.push(fault.at(self.span_from(start)).help("end it with `*/`"));
                        self.at = self.text.len();
                    }
                }
            } else {
                return;
            }
        }
    }

    fn span_from(&self, start: usize) -> Span {
        Span { source: self.source, start: start as u32, end: self.at as u32 }
    }
}

/// Gives the names their meaning.
fn resolve(items: &[Item], a_name_is_lost: bool, whole: Span, diagnostics: &mut Diagnostics) -> Kripke {
    let mut kripke = Kripke::new();
    let mut first_places: HashMap<&str, Span> = HashMap::default();
    let mut atoms_are_declared = false;
    let mut states: Vec<Option<KripkeState>> = Vec::new();
    for item in items {
        match item {
            Item::Atoms(names) => {
                atoms_are_declared = true;
                for name in names {
                    kripke.add_proposition(&name.text);
                }
            }
            Item::Initial(_) => {}
            Item::State { name, .. } => {
                let state = kripke.add_state(&name.text);
                if state.is_none() {
                    let message = format!("the state `{}` is given twice", name.text);
                    let fault = Diagnostic::error("repeated-state", message).at(name.span);
                    let first = first_places[name.text.as_str()];
                    let help = "put all successors into one item, or give one of the states another name";
                    diagnostics.push(fault.also(first, "first given here").help(help));
                }
                first_places.entry(&name.text).or_insert(name.span);
                states.push(state);
            }
        }
    }
    let find_state = |kripke: &Kripke, name: &Name, diagnostics: &mut Diagnostics| {
        let state = kripke.find_state(&name.text);
        if state.is_none() && !a_name_is_lost {
            diagnostics.push(unknown_state(name));
        }
        state
    };
    let mut given = states.iter();
    for item in items {
        match item {
            Item::Atoms(_) => {}
            Item::Initial(names) => {
                for name in names {
                    if let Some(state) = find_state(&kripke, name, diagnostics) {
                        kripke.add_initial(state);
                    }
                }
            }
            Item::State { labels, successors, .. } => {
                let state = given.next().copied().flatten();
                for label in labels {
                    if atoms_are_declared && kripke.find_proposition(&label.text).is_none() {
                        let message = format!("the atom `{}` is not among the declared ones", label.text);
                        let fault = Diagnostic::error("unknown-atom", message).at(label.span);
                        diagnostics.push(fault.help("add it to `atoms …;`, or leave that item out"));
                    } else if let Some(state) = state {
                        let proposition = kripke.add_proposition(&label.text);
                        kripke.label(state, proposition);
                    }
                }
                for successor in successors {
                    let target = find_state(&kripke, successor, diagnostics);
                    if let (Some(state), Some(target)) = (state, target) {
                        kripke.add_transition(state, target);
                    }
                }
            }
        }
    }
    if !diagnostics.has_errors() && kripke.initial().is_empty() {
        let fault = Diagnostic::error("no-initial-state", "the structure has no initial state").at(whole);
        diagnostics.push(fault.help("name the initial states, as in `initial idle;`"));
    }
    kripke
}

fn unknown_state(name: &Name) -> Diagnostic {
    let fault = Diagnostic::error("unknown-state", format!("there is no state `{}`", name.text)).at(name.span);
    fault.help(format!("add `state {};`", name.text))
}
