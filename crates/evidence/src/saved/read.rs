//! Reads a saved counterexample, with diagnostics for files that are something else, of another version, or broken.

use foundation::{Diagnostic, SourceId, SourceMap, Span};
use serde_json::Value;
use serde_json::error::Category;

use super::{FORMAT, Saved, VERSION};

/// Reads the text of a file. Every fault is one diagnostic, at its place.
pub fn read(sources: &SourceMap, source: SourceId) -> Result<Saved, Box<Diagnostic>> {
    let text = sources.text(source);
    let fault = |code, message: String, span| Box::new(Diagnostic::error(code, message).at(span));
    let start = Span { source, start: 0, end: text.lines().next().unwrap_or_default().len() as u32 };
    let value: Value = serde_json::from_str(text).map_err(|error| Box::new(not_json(text, source, &error)))?;
    let format = value.get("format").and_then(Value::as_str);
    if format != Some(FORMAT) {
        let diagnostic = fault("foreign-file", "this is not a counterexample that Semper saved".to_owned(), start);
        return Err(Box::new(
            diagnostic.help(format!("such a file has a field `\"format\": \"{FORMAT}\"`")).help(WRITE),
        ));
    }
    match value.get("version") {
        Some(version) if version.as_u64() == Some(VERSION) => {}
        version => {
            let found = version.map_or_else(|| "none".to_owned(), Value::to_string);
            let message =
                format!("this counterexample has version {found} of the format, and version {VERSION} is read");
            let help = "replay it with the Semper that saved it, or check the program again";
            return Err(Box::new(fault("saved-version", message, start).help(help)));
        }
    }
    // From the text again, because only that knows its lines.
    let saved: Saved = serde_json::from_str(text).map_err(|error| {
        let message = format!("this counterexample is damaged: {}", without_place(&error));
        Box::new(Diagnostic::error("damaged-file", message).at(place(text, source, &error)).help(WRITE))
    })?;
    let refused =
        |why: String| Box::new(fault("damaged-file", format!("this counterexample is damaged: {why}"), start));
    if saved.program.files.is_empty() {
        return Err(Box::new(refused("it names no program".to_owned()).help(WRITE)));
    }
    saved.question().request().map_err(|why| Box::new(refused(why).help(WRITE)))?;
    saved.counterexample().map_err(|why| Box::new(refused(why).help(WRITE)))?;
    Ok(saved)
}

const WRITE: &str = "save it anew with `semper check … --witness FILE`";

fn not_json(text: &str, source: SourceId, error: &serde_json::Error) -> Diagnostic {
    let span = place(text, source, error);
    if text.trim().is_empty() {
        return Diagnostic::error("truncated-file", "this file is empty").at(span).help(WRITE);
    }
    if error.classify() == Category::Eof {
        return Diagnostic::error("truncated-file", "this file ends too early").at(span).help(WRITE);
    }
    let diagnostic = Diagnostic::error("not-json", format!("this is not JSON: {}", without_place(error))).at(span);
    let is_witness = text.contains("entry_type") && text.contains("metadata");
    let diagnostic = match is_witness {
        true => diagnostic.help("it looks like a witness of the software verification competition"),
        false => diagnostic,
    };
    diagnostic.help(WRITE)
}

/// What is wrong, without `at line 3 column 7`: the place is shown.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    text.rsplit_once(" at line ").map_or(text.clone(), |(what, _)| what.to_owned())
}

/// The character where reading ended.
fn place(text: &str, source: SourceId, error: &serde_json::Error) -> Span {
    let before: usize = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum();
    let mut start = (before + error.column().saturating_sub(1)).min(text.len());
    while !text.is_char_boundary(start) {
        start -= 1;
    }
    let end = text[start..].chars().next().filter(|&next| next != '\n').map_or(start, |next| start + next.len_utf8());
    Span { source, start: start as u32, end: end as u32 }
}
