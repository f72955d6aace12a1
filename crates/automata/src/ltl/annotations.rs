//! Properties written in a source text as comments: `//@ ltl invariant NAME: FORMULA;`, as Ultimate's examples do.
//!
//! The name may be missing (`//@ ltl invariant: …;`), and a formula may go on over several lines that all begin with
//! `//@`. This module knows of the surrounding language only where comments begin and end, that is block comments,
//! line comments, string and character literals as in C; it looks at the text as the author wrote it, before
//! preprocessing.

use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};

use super::formula::{Formula, Formulas};
use super::parse::{Ending, parse_embedded};
use super::token::{Fault, Lexer};

/// A property found in a source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The property.
    pub formula: Formula,
    /// From `//@` to the semicolon.
    pub span: Span,
}

/// Reads all annotations of a source text, in their order; there may be none.
pub fn find(sources: &SourceMap, source: SourceId, formulas: &mut Formulas) -> Result<Vec<Annotation>, Diagnostics> {
    let text = sources.text(source);
    let mut diagnostics = Diagnostics::new();
    let mut annotations = Vec::new();
    for block in blocks(text) {
        match read(&block, source, formulas) {
            Ok(annotation) => annotations.push(annotation),
            Err(fault) => diagnostics.push(*fault),
        }
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(annotations) }
}

/// The lines of one annotation as one text of the same length, where comment marks and line breaks are blank.
struct Block {
    /// Where the text begins in the source, at `//@`.
    start: usize,
    text: String,
    /// Where its lines end in the text.
    line_ends: Vec<usize>,
}

const MARK: &str = "//@";
const SHAPE: &str =
    "an annotation reads `//@ ltl invariant NAME: FORMULA;`, and every further line of it begins with `//@`";

/// The text after the mark of an annotation line, if it begins an `ltl` annotation.
fn after_ltl(line: &str) -> Option<&str> {
    let rest = line.strip_prefix(MARK)?.trim_start().strip_prefix("ltl")?;
    let ends_here = !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
    ends_here.then_some(rest)
}

/// All annotations that begin with `//@ ltl`, with the `//@` lines that continue them.
fn blocks(text: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let comments = line_comments(text);
    let mut index = 0;
    while index < comments.len() {
        let (start, mut end) = comments[index];
        index += 1;
        if after_ltl(&text[start..end]).is_none() {
            continue;
        }
        let mut lines = blanked(&text[start..end]);
        let mut line_ends = vec![lines.len()];
        while let Some(&(next_start, next_end)) = comments.get(index) {
            let next = &text[next_start..next_end];
            let between = &text[end..next_start];
            let follows = between.trim().is_empty() && between.matches('\n').count() == 1;
            if !follows || !next.starts_with(MARK) || after_ltl(next).is_some() {
                break;
            }
            lines.push_str(&" ".repeat(between.len()));
            lines.push_str(&blanked(next));
            line_ends.push(lines.len());
            end = next_end;
            index += 1;
        }
        blocks.push(Block { start, text: lines, line_ends });
    }
    blocks
}

fn blanked(line: &str) -> String {
    format!("   {}", line[MARK.len()..].replace("\\\r\n", "   ").replace("\\\n", "  ").replace('\r', " "))
}

fn read(block: &Block, source: SourceId, formulas: &mut Formulas) -> Result<Annotation, Fault> {
    let text = block.text.as_str();
    let span = |start: usize, end: usize| Span {
        source,
        start: (block.start + start) as u32,
        end: (block.start + end) as u32,
    };
    let skip_space = |at: usize| text.len() - text[at..].trim_start().len();
    let word_end = |at: usize| {
        let rest = &text[at..];
        at + rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len())
    };
    let malformed = |at: usize, message: &str| -> Fault {
        let end = word_end(at).max(at + text[at..].chars().next().map_or(0, char::len_utf8));
        Box::new(Diagnostic::error("malformed-annotation", message).at(span(at, end)).help(SHAPE))
    };

    let keyword = skip_space(skip_space(0) + "ltl".len());
    if &text[keyword..word_end(keyword)] != "invariant" {
        return Err(malformed(keyword, "`invariant` is expected after `ltl`"));
    }
    let name_start = skip_space(word_end(keyword));
    let name = &text[name_start..word_end(name_start)];
    let colon = skip_space(name_start + name.len());
    if !text[colon..].starts_with(':') {
        return Err(malformed(colon, "`:` is expected before the formula"));
    }
    let formula_start = colon + 1;
    let lexer = Lexer::new(&text[formula_start..], source, block.start + formula_start);
    let (formula, length) = parse_embedded(lexer, Ending::Semicolon, formulas)?;
    let end = formula_start + length;
    let rest = skip_space(end);
    // Further `//@` lines belong to some other annotation language.
    let line_end = block.line_ends.iter().copied().find(|&line_end| line_end >= end).unwrap_or(text.len());
    if rest < line_end && !text[rest..].starts_with("//") {
        return Err(malformed(rest, "nothing is expected after the `;` of an annotation"));
    }
    let name = (!name.is_empty()).then(|| name.to_owned());
    Ok(Annotation { name, formula, span: span(0, end) })
}

/// The places of all line comments, from `//` to before the line break.
fn line_comments(text: &str) -> Vec<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut comments = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let rest = &bytes[at..];
        if rest.starts_with(b"//") {
            let end = at + end_of_line(rest);
            comments.push((at, end));
            at = end;
        } else if rest.starts_with(b"/*") {
            at = text[at + 2..].find("*/").map_or(bytes.len(), |length| at + 2 + length + 2);
        } else if rest[0] == b'"' || rest[0] == b'\'' {
            at += literal_length(rest);
        } else {
            at += 1;
        }
    }
    comments
}

/// The length of a line comment; a backslash before the line break continues it.
fn end_of_line(comment: &[u8]) -> usize {
    let mut at = 0;
    while at < comment.len() {
        if comment[at] == b'\n' {
            let before = comment[..at].strip_suffix(b"\r").unwrap_or(&comment[..at]);
            if !before.ends_with(b"\\") {
                break;
            }
        }
        at += 1;
    }
    at
}

/// The length of a literal with its quotes. An unclosed one ends with its line, since an apostrophe may also stand in
/// a directive such as `#error`.
fn literal_length(literal: &[u8]) -> usize {
    let mut at = 1;
    while at < literal.len() && literal[at] != b'\n' {
        match literal[at] {
            b'\\' => at += 2,
            byte if byte == literal[0] => return at + 1,
            _ => at += 1,
        }
    }
    at.min(literal.len())
}
