//! From C text to a syntax tree: tokens (ISO C11, 6.4), the grammar (6.5 to 6.9 and Annex A) with the GNU extensions
//! that preprocessed system headers use, and the tree itself. Nothing here knows types, values or programs, and nothing
//! reads or writes files.
//!
//! Any text gives a tree: what is not C is reported and left out. The depth of the tree is bounded
//! ([`DEPTH_LIMIT`]), so that later passes may recurse over it.

use std::ops::Range;

use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};

pub mod ast;
mod directives;
#[cfg(test)]
mod dump;
mod lexer;
mod literals;
mod names;
mod parser;
mod robustness;
pub mod symbols;
#[cfg(test)]
mod tests;
mod tokens;

use ast::{Ast, ExprId};
use lexer::Mode;
use parser::Parser;
use symbols::Symbols;

#[doc(hidden)]
pub use robustness::robustness_check;

/// The greatest depth of a syntax tree; what is nested deeper is reported. Constructs that the tree holds by value
/// (structures in structures, parameter lists in parameter lists) count several levels each.
pub const DEPTH_LIMIT: u32 = 4_000;

/// Parses a translation unit (6.9) that has been preprocessed, or has no need to be. Its line markers are noted in
/// `sources`, so a text is to be parsed only once.
pub fn parse(source: SourceId, sources: &mut SourceMap, symbols: &mut Symbols, diagnostics: &mut Diagnostics) -> Ast {
    let text = sources.text(source);
    if u32::try_from(text.len()).is_err() {
        diagnostics.push(Diagnostic::error("text-too-long", "a source text of more than 4 GiB"));
        return Ast::default();
    }
    let mut tokens = lexer::tokenize(text, source, 0..text.len(), Mode::TranslationUnit, symbols, diagnostics);
    let mut file = sources.name(source).to_owned();
    for marker in std::mem::take(&mut tokens.markers) {
        file = marker.file.unwrap_or(file);
        sources.mark_line(source, marker.offset, &file, marker.line);
    }
    let packings = std::mem::take(&mut tokens.packings);
    let text = sources.text(source);
    let ast = Parser::new(text, source, tokens, "the end of the file", symbols, diagnostics).translation_unit();
    Ast { packings, ..ast }
}

/// Parses one expression that must take up a whole byte range of a text, as in an atomic proposition. Names for which
/// `is_type_name` holds stand for types; `function::local` is one identifier with just that spelling. Gives nothing
/// where something had to be reported.
pub fn parse_expression(
    source: SourceId,
    sources: &SourceMap,
    symbols: &mut Symbols,
    diagnostics: &mut Diagnostics,
    range: Range<u32>,
    is_type_name: &dyn Fn(&str) -> bool,
) -> Option<(Ast, ExprId)> {
    let text = sources.text(source);
    let bytes = range.start as usize..range.end as usize;
    if text.get(bytes.clone()).is_none() || u32::try_from(text.len()).is_err() {
        let span = Span { source, start: 0, end: 0 };
        diagnostics.push(Diagnostic::error("bad-range", "an expression outside its text").at(span));
        return None;
    }
    let tokens = lexer::tokenize(text, source, bytes, Mode::Expression, symbols, diagnostics);
    let broken = tokens.unterminated_comment;
    let parser = Parser::new(text, source, tokens, "the end of the expression", symbols, diagnostics);
    parser.whole_expression(is_type_name).filter(|_| !broken)
}
