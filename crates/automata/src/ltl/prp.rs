//! Property files of the competition on software verification (`.prp`).
//!
//! A file holds one or more `CHECK( init(main()), LTL( FORMULA ) )`, each beginning on a line of its own; lines that
//! begin with `//` or `#` are comments. The formula is read by [`parse`](mod@super::parse). Faults in one check do
//! not hide those in the next. This module never opens a file.

use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};

use super::formula::{Formula, Formulas};
use super::parse::{FormulaEnding, parse_embedded};
use super::token::{Fault, Lexer};

/// One `CHECK( … )` of a property file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PropertyCheck {
    /// The function where the program begins.
    pub entry: String,
    /// Where that function is named.
    pub entry_span: Span,
    /// The property.
    pub formula: Formula,
    /// The whole check.
    pub span: Span,
}

/// Reads all checks of a property file, in their order; there is at least one.
pub fn parse(
    sources: &SourceMap,
    source: SourceId,
    formulas: &mut Formulas,
) -> Result<Vec<PropertyCheck>, Diagnostics> {
    let text = sources.text(source);
    let mut diagnostics = Diagnostics::new();
    let mut checks = Vec::new();
    let mut position = 0;
    let mut cursor = Cursor { text, source, at: 0, end: text.len() };
    loop {
        cursor.at = position;
        cursor.end = text.len();
        cursor.skip_comments();
        if cursor.rest().is_empty() {
            break;
        }
        cursor.end = next_check(text, cursor.at);
        match cursor.check(formulas) {
            Ok(check) => {
                checks.push(check);
                position = cursor.at;
            }
            Err(fault) => {
                diagnostics.push(*fault);
                position = cursor.end;
            }
        }
    }
    if checks.is_empty() && !diagnostics.has_errors() {
        let start = Span { source, start: 0, end: 0 };
        diagnostics.push(Diagnostic::error("empty-property-file", "there is no property").at(start).help(SHAPE));
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(checks) }
}

const SHAPE: &str = "a property reads `CHECK( init(main()), LTL( FORMULA ) )`";

/// The start of the next line after `at` that begins with `CHECK`, or the end of the text.
fn next_check(text: &str, at: usize) -> usize {
    let mut line_start = at;
    while let Some(length) = text[line_start..].find('\n') {
        line_start += length + 1;
        if text[line_start..].trim_start_matches([' ', '\t']).starts_with("CHECK") {
            return line_start;
        }
    }
    text.len()
}

struct Cursor<'a> {
    text: &'a str,
    source: SourceId,
    at: usize,
    /// Where the next check begins.
    end: usize,
}

impl<'a> Cursor<'a> {
    fn check(&mut self, formulas: &mut Formulas) -> Result<PropertyCheck, Fault> {
        let start = self.at;
        self.expect("CHECK")?;
        self.expect("(")?;
        let check_open = self.span(self.at - 1, self.at);
        self.expect("init")?;
        self.expect("(")?;
        self.skip_space();
        let entry_span = self.span(self.at, self.at + self.word().len());
        let entry = self.word();
        if entry.is_empty() || entry.starts_with(|c: char| c.is_ascii_digit()) {
            return Err(self.expected("the name of the entry function"));
        }
        self.at += entry.len();
        self.skip_space();
        if self.rest().starts_with('(') {
            self.expect("(")?;
            self.expect(")")?;
        }
        self.expect(")")?;
        self.expect(",")?;
        self.skip_space();
        if self.word() == "FQL" {
            let fault = Diagnostic::error("unsupported-property", "coverage goals (`FQL`) are not supported")
                .at(self.span(self.at, self.at + 3))
                .help("use a file with an `LTL( … )` property");
            return Err(Box::new(fault));
        }
        self.expect("LTL")?;
        self.expect("(")?;
        let lexer = Lexer::new(self.rest(), self.source, self.at);
        let open = self.span(self.at - 1, self.at);
        let (formula, length) = parse_embedded(lexer, FormulaEnding::Parenthesis(open), formulas)?;
        self.at += length;
        self.expect(")").map_err(|fault| Box::new(fault.also(check_open, "to match this one")))?;
        Ok(PropertyCheck { entry: entry.to_owned(), entry_span, formula, span: self.span(start, self.at) })
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..self.end]
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { source: self.source, start: start as u32, end: end as u32 }
    }

    fn word(&self) -> &'a str {
        let rest = self.rest();
        &rest[..rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())]
    }

    fn skip_space(&mut self) {
        self.at = self.end - self.rest().trim_start().len();
    }

    fn skip_comments(&mut self) {
        self.skip_space();
        while self.rest().starts_with("//") || self.rest().starts_with('#') {
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
            self.skip_space();
        }
    }

    /// Goes past a word or a mark, with space in front of it.
    fn expect(&mut self, wanted: &str) -> Result<(), Fault> {
        self.skip_space();
        let is_word = wanted.starts_with(|c: char| c.is_ascii_alphabetic());
        if (is_word && self.word() != wanted) || !self.rest().starts_with(wanted) {
            return Err(self.expected(&format!("`{wanted}`")));
        }
        self.at += wanted.len();
        Ok(())
    }

    fn expected(&self, wanted: &str) -> Fault {
        let first = self.rest().chars().next();
        let length = self.word().len().max(first.map_or(0, char::len_utf8));
        let fault = if first.is_none() {
            // Where the check breaks off, and not where the space behind it ends.
            let end = self.text[..self.at].trim_end().len();
            Diagnostic::error("malformed-check", format!("{wanted} is missing at the end of the check"))
                .at(self.span(end, end))
        } else {
            let message = format!("{wanted} is expected here, not `{}`", &self.rest()[..length]);
            Diagnostic::error("malformed-check", message).at(self.span(self.at, self.at + length))
        };
        Box::new(fault.help(SHAPE))
    }
}
