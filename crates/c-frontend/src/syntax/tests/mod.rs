//! Tests of the lexer and the parser as a whole: tables of texts with their trees, tables of faulty texts with their
//! messages, depth, and any bytes.

mod depth;
mod faults;
mod grammar;
mod literals;
mod places;
mod soup;

use foundation::{Diagnostics, SourceMap};

use super::ast::Ast;
use super::dump::TreeDump;
use super::symbols::Symbols;

/// What parsing a text gave.
struct Outcome {
    ast: Ast,
    sources: SourceMap,
    symbols: Symbols,
    diagnostics: Diagnostics,
}

impl Outcome {
    fn of(text: &str) -> Outcome {
        let mut sources = SourceMap::new();
        let mut symbols = Symbols::default();
        let mut diagnostics = Diagnostics::new();
        let source = sources.add("input.c", text);
        let ast = super::parse(source, &mut sources, &mut symbols, &mut diagnostics);
        Outcome { ast, sources, symbols, diagnostics }
    }

    fn dump(&self) -> String {
        TreeDump { ast: &self.ast, symbols: &self.symbols }.unit()
    }

    /// `line:column code: message [marked text]` for each diagnostic.
    fn messages(&self) -> Vec<String> {
        let line = |diagnostic: &foundation::Diagnostic| {
            let span = diagnostic.primary.as_ref().expect("a diagnostic of the parser has a place").span;
            let place = self.sources.locate(span);
            let marked = self.sources.snippet_text(span);
            format!("{}:{} {}: {} [{marked}]", place.line, place.column, diagnostic.code, diagnostic.message)
        };
        self.diagnostics.iter().map(line).collect()
    }
}

/// The dump of an expression on its own, or the messages where it is none. Names that begin with `T` are types.
fn expression(text: &str) -> Result<String, Vec<String>> {
    let mut outcome = Outcome::of("");
    let source = outcome.sources.add("atom", text);
    let parsed = super::parse_expression(
        source,
        &outcome.sources,
        &mut outcome.symbols,
        &mut outcome.diagnostics,
        0..text.len() as u32,
        &|name| name.starts_with('T'),
    );
    match parsed {
        Some((ast, id)) => Ok(TreeDump { ast: &ast, symbols: &outcome.symbols }.expr(id)),
        None => Err(outcome.messages()),
    }
}

/// Compares each case's outcome with what is expected, and shows all that differ.
#[track_caller]
fn compare(cases: &[(&str, &str)], outcome: impl Fn(&str) -> String) {
    let differing: Vec<String> = cases
        .iter()
        .map(|&(text, expected)| (text, expected, outcome(text)))
        .filter(|(_, expected, found)| expected != found)
        .map(|(text, expected, found)| format!("{text}\n  expected {expected}\n  found    {found}"))
        .collect();
    assert!(differing.is_empty(), "{} cases differ:\n{}", differing.len(), differing.join("\n"));
}
