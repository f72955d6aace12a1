//! Properties written in a source text as comments: `//@ ltl invariant NAME: FORMULA;`, as Ultimate's examples do, or
//! `/*@ ltl invariant NAME: FORMULA; */`.
//!
//! The name may be missing (`//@ ltl invariant: …;`). A formula may go on over several lines: those of the first form all
//! begin with `//@`, those of a block comment may begin with `@` or `*`, and a block comment may hold several annotations.
//! This module knows of the surrounding language only where comments begin and end, that is block comments, line comments,
//! string and character literals as in C; it looks at the text as the author wrote it, before preprocessing.

use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};

use super::formula::{Formula, Formulas};
use super::parse::{FormulaEnding, parse_embedded};
use super::token::{Fault, Lexer};

/// A property found in a source text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Annotation {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The property.
    pub formula: Formula,
    /// From `//@`, or from `ltl` in the middle of a block comment, to the semicolon.
    pub span: Span,
}

/// Reads all annotations of a source text, in their order; there may be none.
pub fn find(sources: &SourceMap, source: SourceId, formulas: &mut Formulas) -> Result<Vec<Annotation>, Diagnostics> {
    let text = sources.text(source);
    let mut diagnostics = Diagnostics::new();
    let mut annotations = Vec::new();
    for block in blocks(text) {
        let mut from = 0;
        while let Some(start) = from_next(&block, from) {
            match read(&block, start, source, formulas) {
                Ok((annotation, end)) => {
                    annotations.push(annotation);
                    from = end;
                }
                Err(fault) => {
                    diagnostics.push(*fault);
                    break;
                }
            }
        }
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(annotations) }
}

/// The lines of one annotation, or of a block comment, as one text of the same length, where comment marks and line breaks
/// are blank.
struct Comment {
    /// Where the text begins in the source, at `//@` or `/*@`.
    start: usize,
    text: String,
    /// Where its lines end in the text; of a block comment, where it ends as a whole.
    line_ends: Vec<usize>,
    /// Whether it is a block comment, where one annotation may follow another.
    is_block_comment: bool,
}

const MARK: &str = "//@";
const BLOCK_MARK: &str = "/*@";
const SHAPE: &str = "an annotation reads `//@ ltl invariant NAME: FORMULA;`, where every further line of it begins with `//@`, \
                     or `/*@ ltl invariant NAME: FORMULA; */`";

/// Whether the text begins with the word `ltl`, after space.
fn begins_with_ltl(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix("ltl");
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
}

/// Where the next annotation of a block is read from, if there is one.
fn from_next(block: &Comment, from: usize) -> Option<usize> {
    let is_more = from == 0 || (block.is_block_comment && begins_with_ltl(&block.text[from..]));
    is_more.then_some(from)
}

/// All annotations that begin with `//@ ltl`, with the `//@` lines that continue them, and all block comments that begin
/// with `/*@ ltl`.
fn blocks(text: &str) -> Vec<Comment> {
    let mut blocks: Vec<Comment> = Vec::new();
    let comments = comments(text);
    let is_annotation = |comment: &str, mark| comment.strip_prefix(mark).is_some_and(begins_with_ltl);
    let mut index = 0;
    while index < comments.len() {
        let (start, mut end) = comments[index];
        index += 1;
        let comment = &text[start..end];
        if is_annotation(comment, BLOCK_MARK) {
            let lines = blanked_block(comment);
            blocks.push(Comment { start, line_ends: vec![lines.len()], text: lines, is_block_comment: true });
            continue;
        }
        if !is_annotation(comment, MARK) {
            continue;
        }
        let mut lines = blanked(&text[start..end]);
        let mut line_ends = vec![lines.len()];
        while let Some(&(next_start, next_end)) = comments.get(index) {
            let next = &text[next_start..next_end];
            let between = &text[end..next_start];
            let follows = between.trim().is_empty() && between.matches('\n').count() == 1;
            if !follows || !next.starts_with(MARK) || is_annotation(next, MARK) {
                break;
            }
            lines.push_str(&" ".repeat(between.len()));
            lines.push_str(&blanked(next));
            line_ends.push(lines.len());
            end = next_end;
            index += 1;
        }
        blocks.push(Comment { start, text: lines, line_ends, is_block_comment: false });
    }
    blocks
}

fn blanked(line: &str) -> String {
    format!("   {}", line[MARK.len()..].replace("\\\r\n", "   ").replace("\\\n", "  ").replace('\r', " "))
}

/// Blanks the marks of a block comment, its line breaks, and what decorates the beginnings of its lines: `@`, and `*` where
/// it cannot be a product, since no atom is open.
fn blanked_block(comment: &str) -> String {
    let inner = comment.strip_suffix("*/").unwrap_or(comment);
    let mut blanked = String::from("   ");
    let mut atoms = OpenAtoms::default();
    for (index, line) in inner[BLOCK_MARK.len()..].split('\n').enumerate() {
        if index > 0 {
            blanked.push(' ');
        }
        let indent = line.len() - line.trim_start().len();
        let decoration = match line.as_bytes().get(indent) {
            Some(b'@') if index > 0 => indent + 1,
            Some(b'*') if index > 0 && !atoms.may_be_open() => indent + 1,
            _ => 0,
        };
        blanked.push_str(&" ".repeat(decoration));
        blanked.push_str(&line[decoration..]);
        atoms.read(line);
    }
    blanked.push_str(&" ".repeat(comment.len() - inner.len()));
    blanked.replace('\r', " ")
}

/// What is known of the atoms in the lines of a block comment so far.
#[derive(Default)]
struct OpenAtoms {
    quotes: usize,
    braces: usize,
    closing_braces: usize,
    has_parenthesised: bool,
}

impl OpenAtoms {
    fn read(&mut self, line: &str) {
        self.quotes += line.matches('"').count();
        self.braces += line.matches('{').count();
        self.closing_braces += line.matches('}').count();
        self.has_parenthesised |= line.contains("AP");
    }

    /// Whether an atom may be open here; in doubt it is.
    fn may_be_open(&self) -> bool {
        !self.quotes.is_multiple_of(2) || self.braces != self.closing_braces || self.has_parenthesised
    }
}

/// Reads one annotation that begins here, and says where it ends.
fn read(block: &Comment, from: usize, source: SourceId, formulas: &mut Formulas) -> Result<(Annotation, usize), Fault> {
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

    let start = if from == 0 { 0 } else { skip_space(from) };
    let keyword = skip_space(skip_space(from) + "ltl".len());
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
    let (formula, length) = parse_embedded(lexer, FormulaEnding::Semicolon, formulas)?;
    let end = formula_start + length;
    let rest = skip_space(end);
    // Further `//@` lines belong to some other annotation language.
    let line_end = block.line_ends.iter().copied().find(|&line_end| line_end >= end).unwrap_or(text.len());
    let is_comment = !block.is_block_comment && text[rest..].starts_with("//");
    if rest < line_end && !is_comment && from_next(block, end).is_none() {
        return Err(malformed(rest, "nothing is expected after the `;` of an annotation"));
    }
    let name = (!name.is_empty()).then(|| name.to_owned());
    Ok((Annotation { name, formula, span: span(start, end) }, end))
}

/// The places of all comments: from `//` to before the line break, from `/*` to behind `*/`.
fn comments(text: &str) -> Vec<(usize, usize)> {
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
            let end = text[at + 2..].find("*/").map_or(bytes.len(), |length| at + 2 + length + 2);
            comments.push((at, end));
            at = end;
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
