//! Source texts and places in them.
//!
//! A front end reads *texts*: a C file as its author wrote it, or what the system's preprocessor made of it. A
//! preprocessed text says by line markers (`# 12 "motor.c"`) which file and line its next line comes from, so a
//! place in it has a *presumed* file and line, and that is the one a user is shown. The texts of the presumed files are
//! kept too where the host could read them, so that the line shown is the line the user wrote.

use crate::collections::HashMap;
use crate::define_id;
use crate::ids::Arena;

define_id! {
    /// A text in a [`SourceMap`].
    SourceId
}

/// A piece of a source text, in bytes from its start.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub struct Span {
    /// The text.
    pub source: SourceId,
    /// Its first byte.
    pub start: u32,
    /// The byte after its last one.
    pub end: u32,
}

impl Span {
    /// The smallest span that contains both; `other` must lie in the same text, else `self` is returned.
    pub fn to(self, other: Span) -> Span {
        if self.source != other.source {
            return self;
        }
        Span { source: self.source, start: self.start.min(other.start), end: self.end.max(other.end) }
    }

    /// The empty span at the end of this one.
    pub fn after(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// From a byte offset on, lines are presumed to be those of `file` beginning with `line`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct LineMarker {
    offset: u32,
    file: String,
    line: u32,
}

/// A text that was read, with what is needed to tell lines and columns in it.
#[derive(Clone, Debug)]
pub struct SourceText {
    /// The name under which it was read.
    pub name: String,
    /// Its contents.
    pub text: String,
    /// Byte offsets of the first character of each line.
    line_starts: Vec<u32>,
    markers: Vec<LineMarker>,
}

/// Where something stands, as a user is told. Lines and columns count from 1; columns count characters.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Location {
    /// The file, as the user or a line marker named it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A line of text with a marked part, for a diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snippet {
    /// Where the marked part begins.
    pub location: Location,
    /// The whole line, without its line break.
    pub line: String,
    /// The marked part, as a byte range of `line`; it may be empty.
    pub marked: std::ops::Range<usize>,
    /// Whether the line is what the preprocessor made of the user's line, and differs from it.
    pub preprocessed: bool,
}

/// All source texts of a run.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    texts: Arena<SourceId, SourceText>,
    originals: HashMap<String, Vec<String>>,
}

impl SourceMap {
    /// A map without texts.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a text under a name.
    pub fn add(&mut self, name: impl Into<String>, text: impl Into<String>) -> SourceId {
        let text = text.into();
        let line_starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at as u32 + 1)).collect();
        self.texts.push(SourceText { name: name.into(), text, line_starts, markers: Vec::new() })
    }

    /// Keeps the lines of a file that line markers refer to, so that diagnostics can show them.
    pub fn add_original(&mut self, file: impl Into<String>, text: &str) {
        self.originals.insert(file.into(), text.lines().map(str::to_owned).collect());
    }

    /// Whether the lines of this file are known.
    pub fn has_original(&self, file: &str) -> bool {
        self.originals.contains_key(file)
    }

    /// A line of a file as its author wrote it, where it is known.
    pub fn original_line(&self, file: &str, line: u32) -> Option<&str> {
        let index = (line as usize).checked_sub(1)?;
        self.originals.get(file)?.get(index).map(String::as_str)
    }

    /// Notes a line marker: the line that begins at `offset` is presumed to be line `line` of `file`. Markers of a text
    /// must be noted in the order of their offsets.
    pub fn mark_line(&mut self, source: SourceId, offset: u32, file: &str, line: u32) {
        self.texts[source].markers.push(LineMarker { offset, file: file.to_owned(), line });
    }

    /// The text with this id.
    pub fn text(&self, source: SourceId) -> &str {
        &self.texts[source].text
    }

    /// The name under which this text was read.
    pub fn name(&self, source: SourceId) -> &str {
        &self.texts[source].name
    }

    /// The text in a span; empty where the span does not fit its text.
    pub fn snippet_text(&self, span: Span) -> &str {
        self.texts[span.source].text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The presumed place where a span begins.
    pub fn locate(&self, span: Span) -> Location {
        let text = &self.texts[span.source];
        let (line_index, line_start) = text.line_of(span.start);
        let before = text.text.get(line_start..span.start as usize).unwrap_or("");
        let column = before.chars().count() as u32 + 1;
        let (file, line) = text.presumed(line_index, line_start as u32);
        Location { file, line, column }
    }

    /// The line a span begins on with the span marked, from the user's own file where that is possible.
    pub fn snippet(&self, span: Span) -> Snippet {
        let text = &self.texts[span.source];
        let (line_index, line_start) = text.line_of(span.start);
        let line = text.line_text(line_index);
        let from = (span.start as usize - line_start).min(line.len());
        let to = (span.end as usize).saturating_sub(line_start).clamp(from, line.len());
        let mut snippet =
            Snippet { location: self.locate(span), line: line.to_owned(), marked: from..to, preprocessed: false };
        let original = self.originals.get(&snippet.location.file);
        let Some(original) = original.and_then(|lines| lines.get(snippet.location.line as usize - 1)) else {
            return snippet;
        };
        if original.trim() == line.trim() {
            let shift = indent_of(original) as isize - indent_of(line) as isize;
            let moved = |at: usize| at.saturating_add_signed(shift).min(original.len());
            snippet.marked = moved(from)..moved(to);
            snippet.line = original.clone();
        } else if let Some(at) = nearest_occurrence(original, &line[from..to], from) {
            snippet.marked = at..at + (to - from);
            snippet.line = original.clone();
        } else {
            snippet.preprocessed = true;
            return snippet;
        }
        let before = snippet.line.get(..snippet.marked.start).unwrap_or("");
        snippet.location.column = before.chars().count() as u32 + 1;
        snippet
    }
}

impl SourceText {
    /// The index of the line that holds this offset, and the offset of its start.
    fn line_of(&self, offset: u32) -> (usize, usize) {
        let index = self.line_starts.partition_point(|&start| start <= offset) - 1;
        (index, self.line_starts[index] as usize)
    }

    fn line_text(&self, index: usize) -> &str {
        let start = self.line_starts[index] as usize;
        let end = self.line_starts.get(index + 1).map_or(self.text.len(), |&next| next as usize - 1);
        self.text[start..end].trim_end_matches('\r')
    }

    fn presumed(&self, line_index: usize, line_start: u32) -> (String, u32) {
        let after = self.markers.partition_point(|marker| marker.offset <= line_start);
        match after.checked_sub(1).map(|last| &self.markers[last]) {
            None => (self.name.clone(), line_index as u32 + 1),
            Some(marker) => {
                let (marked_index, _) = self.line_of(marker.offset);
                (marker.file.clone(), marker.line + (line_index - marked_index) as u32)
            }
        }
    }
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}

/// Where `needle` stands in `line` as words of its own, as near to column `near` as possible.
fn nearest_occurrence(line: &str, needle: &str, near: usize) -> Option<usize> {
    if needle.trim().is_empty() {
        return None;
    }
    let in_word = |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
    let stands_alone = |at: usize| {
        let (before, after) = (&line[..at], &line[at + needle.len()..]);
        let starts_inside = in_word(needle.chars().next()) && in_word(before.chars().next_back());
        let ends_inside = in_word(needle.chars().next_back()) && in_word(after.chars().next());
        !starts_inside && !ends_inside
    };
    line.match_indices(needle).map(|(at, _)| at).filter(|at| stands_alone(*at)).min_by_key(|at| at.abs_diff(near))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(source: SourceId, text: &str, part: &str) -> Span {
        let start = text.find(part).unwrap();
        Span { source, start: start as u32, end: (start + part.len()) as u32 }
    }

    #[test]
    fn a_plain_text_is_its_own_file() {
        let text = "int x;\nint yy;\n";
        let mut map = SourceMap::new();
        let id = map.add("a.c", text);
        let location = map.locate(span(id, text, "yy"));
        assert_eq!(location.to_string(), "a.c:2:5");
    }

    #[test]
    fn line_markers_name_the_users_file() {
        let text = "# 1 \"a.c\"\nint x;\n# 40 \"b.h\"\n\nint yy;\n";
        let mut map = SourceMap::new();
        let id = map.add("a.i", text);
        map.mark_line(id, 10, "a.c", 1);
        map.mark_line(id, 28, "b.h", 40);
        assert_eq!(map.locate(span(id, text, "x")).to_string(), "a.c:1:5");
        assert_eq!(map.locate(span(id, text, "yy")).to_string(), "b.h:41:5");
    }

    #[test]
    fn snippets_come_from_the_users_own_line() {
        let text = "# 1 \"a.c\"\n int x = y ;\n";
        let mut map = SourceMap::new();
        let id = map.add("a.i", text);
        map.mark_line(id, 10, "a.c", 1);
        map.add_original("a.c", "/* why */ int x = y /* gone */;\n");
        let snippet = map.snippet(span(id, text, "y"));
        assert_eq!(&snippet.line[snippet.marked.clone()], "y");
        assert_eq!(snippet.location.column, 19);
        assert!(!snippet.preprocessed);
    }

    #[test]
    fn an_expanded_macro_is_shown_as_preprocessed() {
        let text = "# 1 \"a.c\"\nint x = (1 +);\n";
        let mut map = SourceMap::new();
        let id = map.add("a.i", text);
        map.mark_line(id, 10, "a.c", 1);
        map.add_original("a.c", "int x = ONE;\n");
        assert!(map.snippet(span(id, text, "+)")).preprocessed);
    }
}
