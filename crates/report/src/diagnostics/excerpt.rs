//! Which lines a diagnostic shows: its places are looked up in the users' files, and places near each other in one file
//! share an excerpt.

use std::ops::Range;

use foundation::{Diagnostic, SourceMap, Span};

/// Lines of a file with marked parts.
pub(super) struct Excerpt {
    pub file: String,
    /// The number of the first line.
    pub first_line: usize,
    pub text: String,
    pub marks: Vec<ExcerptMark>,
    /// Whether some line is not the user's own but what the preprocessor made of it.
    pub preprocessed: bool,
}

/// A marked part of an excerpt's text.
pub(super) struct ExcerptMark {
    pub range: Range<usize>,
    pub label: String,
    pub primary: bool,
}

/// A place longer than this is marked on its first line only.
const MOST_LINES: usize = 12;

/// The primary place first. A secondary place joins the primary one's excerpt if it lies in the same file.
pub(super) fn excerpts(diagnostic: &Diagnostic, sources: &SourceMap) -> Vec<Excerpt> {
    let primary = diagnostic.primary.iter().map(|label| (label, true));
    let secondary = diagnostic.secondary.iter().map(|label| (label, false));
    let mut all: Vec<LocatedSpan> = Vec::new();
    for (label, primary) in primary.chain(secondary) {
        let mut found = find(label.span, sources);
        found.primary = primary;
        found.label.clone_from(&label.text);
        all.push(found);
    }
    read_as_preprocessed(&mut all, sources);
    let mut files: Vec<(String, Vec<LocatedSpan>)> = Vec::new();
    for found in all {
        match files.iter_mut().find(|(file, _)| *file == found.file) {
            Some((_, list)) => list.push(found),
            None => files.push((found.file.clone(), vec![found])),
        }
    }
    files.into_iter().map(|(file, found)| assemble(file, found, sources)).collect()
}

/// A place, looked up: whole lines and the marked part from the first to the last of them.
struct LocatedSpan {
    file: String,
    first_line: usize,
    lines: Vec<String>,
    /// Where the mark begins in the first line and ends in the last.
    from: usize,
    to: usize,
    span: Span,
    preprocessed: bool,
    primary: bool,
    label: String,
}

fn find(span: Span, sources: &SourceMap) -> LocatedSpan {
    let first = sources.snippet(span);
    let mut found = LocatedSpan {
        file: first.location.file.clone(),
        first_line: first.location.line as usize,
        from: first.marked.start,
        to: first.marked.end,
        lines: vec![first.line],
        span,
        preprocessed: first.preprocessed,
        primary: false,
        label: String::new(),
    };
    let text = sources.snippet_text(span);
    let breaks: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).take(MOST_LINES).collect();
    if breaks.is_empty() || breaks.len() == MOST_LINES {
        return found;
    }
    // A place over several lines is shown as a whole only where all of them stand together in one file.
    let mut rest = Vec::new();
    let mut to = found.to;
    for (number, &at) in breaks.iter().enumerate() {
        let start = span.start + at as u32 + 1;
        let line = sources.snippet(Span { start, end: span.end.max(start), ..span });
        let expected = (found.file.as_str(), found.first_line + number + 1);
        if line.preprocessed || (line.location.file.as_str(), line.location.line as usize) != expected {
            return found;
        }
        to = line.marked.end;
        rest.push(line.line);
    }
    found.lines.extend(rest);
    found.to = to;
    found
}

/// Where one place of a line can only be shown in preprocessed text, so are the others on that line.
fn read_as_preprocessed(all: &mut [LocatedSpan], sources: &SourceMap) {
    let line_of = |found: &LocatedSpan| (found.span.source, found.file.clone(), found.first_line);
    let lines: Vec<_> = all.iter().filter(|found| found.preprocessed).map(line_of).collect();
    for found in all.iter_mut().filter(|found| !found.preprocessed) {
        if !lines.contains(&line_of(found)) {
            continue;
        }
        let text = sources.text(found.span.source);
        let (start, end) = (found.span.start as usize, found.span.end as usize);
        let Some(before) = text.get(..start) else { continue };
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = text[line_start..].lines().next().unwrap_or("");
        found.from = (start - line_start).min(line.len());
        found.to = (end - line_start).clamp(found.from, line.len());
        found.lines = vec![line.to_owned()];
        found.preprocessed = true;
    }
}

/// Puts places of one file into one text. Lines between them are left empty, since they are not shown, but for single
/// lines, which are.
fn assemble(file: String, found: Vec<LocatedSpan>, sources: &SourceMap) -> Excerpt {
    let first_line = found.iter().map(|found| found.first_line).min().unwrap_or(1);
    let last_line = found.iter().map(|found| found.first_line + found.lines.len()).max().unwrap_or(1);
    let mut lines: Vec<Option<String>> = vec![None; last_line - first_line];
    for place in &found {
        for (number, line) in place.lines.iter().enumerate() {
            let slot = &mut lines[place.first_line - first_line + number];
            *slot = Some(line.clone());
        }
    }
    for index in 1..lines.len().saturating_sub(1) {
        if lines[index].is_none() && lines[index - 1].is_some() && lines[index + 1].is_some() {
            let number = first_line + index;
            lines[index] = found.iter().find_map(|place| line_near(place, &file, number, sources));
        }
    }
    let mut starts = Vec::with_capacity(lines.len());
    let mut text = String::new();
    for line in &lines {
        starts.push(text.len());
        text.push_str(line.as_deref().unwrap_or(""));
        text.push('\n');
    }
    let marks = found.iter().map(|place| {
        let at = place.first_line - first_line;
        let within =
            |line: usize, column: usize| starts[line] + column.min(lines[line].as_ref().map_or(0, String::len));
        let range = within(at, place.from)..within(at + place.lines.len() - 1, place.to);
        ExcerptMark { range: on_boundaries(&text, range), label: place.label.clone(), primary: place.primary }
    });
    let marks = marks.collect();
    Excerpt { file, first_line, marks, preprocessed: found.iter().any(|place| place.preprocessed), text }
}

/// A line of the file, found in the neighbourhood of a place in the text that was read.
fn line_near(place: &LocatedSpan, file: &str, line: usize, sources: &SourceMap) -> Option<String> {
    let text = sources.text(place.span.source);
    let start = place.span.start as usize;
    let (before, after) = (text.get(..start)?, text.get(start..)?);
    let backwards = before.rmatch_indices('\n').take(4).map(|(at, _)| at);
    let forwards = after.match_indices('\n').take(MOST_LINES + 4).map(|(at, _)| start + at + 1);
    // Backwards, the line that ends at the break is looked at; forwards, the one that begins after it.
    backwards.chain(forwards).find_map(|at| {
        let offset = at as u32;
        let snippet = sources.snippet(Span { source: place.span.source, start: offset, end: offset });
        let wanted = snippet.location.file == file && snippet.location.line as usize == line;
        (wanted && !snippet.preprocessed).then_some(snippet.line)
    })
}

/// A mark must not split a character, whatever the span said.
fn on_boundaries(text: &str, range: Range<usize>) -> Range<usize> {
    let down = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at -= 1;
        }
        at
    };
    let (from, to) = (down(range.start), down(range.end));
    from.min(to)..to
}
