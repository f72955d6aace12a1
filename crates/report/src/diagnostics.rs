//! Diagnostics for people, in the form that users of rustc know, and as JSON.
//!
//! The drawing is done by the crate `annotate-snippets`. What is ours is the choice of lines: a place is shown in the
//! user's own file wherever the source map can find it there, and where the preprocessor made something else of the
//! line, the text that was read is shown and said to be preprocessed.

use annotate_snippets::{Annotation, AnnotationKind, Element, Group, Level, Renderer, Snippet};
use foundation::{Diagnostic, Diagnostics, Severity, SourceMap};
use serde::Serialize;

use crate::Style;

mod excerpt;

use excerpt::{Excerpt, excerpts};

/// All diagnostics, one after the other, and a line that counts them. Empty if there is none.
pub fn render(diagnostics: &Diagnostics, sources: &SourceMap, style: Style) -> String {
    let mut text = String::new();
    for diagnostic in diagnostics.iter() {
        text.push_str(&render_one(diagnostic, sources, style));
        text.push_str("\n\n");
    }
    if let Some(summary) = summary(diagnostics) {
        text.push_str(&summary);
        text.push('\n');
    }
    text
}

/// One diagnostic, without a line break at its end.
pub fn render_one(diagnostic: &Diagnostic, sources: &SourceMap, style: Style) -> String {
    let renderer = if style.colours { Renderer::styled() } else { Renderer::plain() };
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let shown = excerpts(diagnostic, sources);
    let mut group = Group::with_title(level.primary_title(shortened(&diagnostic.message)).id(diagnostic.code));
    group = group.elements(shown.iter().map(snippet));
    if shown.iter().any(|excerpt| excerpt.preprocessed) {
        group = group.element(Level::NOTE.message("the line is shown as it stands after preprocessing"));
    }
    group = group.elements(diagnostic.help.iter().map(|line| Level::HELP.message(line.as_str())));
    let rendered = renderer.term_width(style.width).render(&[group]);
    let lines: Vec<&str> = rendered.lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// A message may quote the input, which may be anything: beyond a few lines nobody reads it.
fn shortened(message: &str) -> String {
    const MOST_CHARACTERS: usize = 600;
    match message.char_indices().nth(MOST_CHARACTERS) {
        None => message.to_owned(),
        Some((at, _)) => format!("{}…", &message[..at]),
    }
}

fn snippet(excerpt: &Excerpt) -> Element<'_> {
    let annotations = excerpt.marks.iter().map(|mark| -> Annotation<'_> {
        let kind = if mark.primary { AnnotationKind::Primary } else { AnnotationKind::Context };
        let label = Some(mark.label.as_str()).filter(|label| !label.is_empty());
        kind.span(mark.range.clone()).label(label)
    });
    let lines = Snippet::source(excerpt.text.as_str()).path(excerpt.file.as_str()).line_start(excerpt.first_line);
    lines.annotations(annotations).into()
}

/// `2 errors, 1 warning`; nothing if there is none.
pub fn summary(diagnostics: &Diagnostics) -> Option<String> {
    let count = |severity| diagnostics.iter().filter(|diagnostic| diagnostic.severity == severity).count();
    let counted = |count: usize, noun: &str| match count {
        0 => None,
        1 => Some(format!("1 {noun}")),
        _ => Some(format!("{count} {noun}s")),
    };
    let not_shown = diagnostics.errors_not_kept();
    let errors = counted(count(Severity::Error) + not_shown, "error");
    let errors = errors.map(|text| if not_shown > 0 { format!("{text} ({not_shown} not shown)") } else { text });
    let warnings = counted(count(Severity::Warning), "warning");
    let parts: Vec<String> = errors.into_iter().chain(warnings).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// A diagnostic as JSON.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct DiagnosticJson {
    /// `error` or `warning`.
    pub severity: &'static str,
    /// The stable name of this kind of diagnostic.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// The offending text; absent where the diagnostic is about no text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceJson>,
    /// Other places that explain the fault.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<PlaceJson>,
    /// What the user can do next.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub help: Vec<String>,
}

/// A place in a file as JSON. Lines and columns count from 1, columns in characters.
#[derive(Serialize, Clone, Debug, PartialEq)]
pub struct PlaceJson {
    /// The file.
    pub file: String,
    /// The line on which it begins.
    pub line: u32,
    /// The column at which it begins.
    pub column: u32,
    /// The text itself, as it was read; at most 200 characters of it.
    pub text: String,
    /// What is to be said of it; absent where there is nothing to say.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
}

/// Why an input is refused. This is all that a command prints as JSON then.
#[derive(Serialize, Clone, Debug)]
pub struct Refusal {
    /// What is wrong.
    pub errors: Vec<DiagnosticJson>,
    /// What the user should know apart from that.
    pub warnings: Vec<DiagnosticJson>,
}

impl Refusal {
    /// The diagnostics, by severity.
    pub fn new(diagnostics: &Diagnostics, sources: &SourceMap) -> Self {
        let all = to_json(diagnostics, sources).into_iter();
        let (errors, warnings) = all.partition(|diagnostic| diagnostic.severity == "error");
        Self { errors, warnings }
    }
}

/// All diagnostics as JSON, in order.
pub fn to_json(diagnostics: &Diagnostics, sources: &SourceMap) -> Vec<DiagnosticJson> {
    let place = |label: &foundation::Label| {
        let location = sources.snippet(label.span).location;
        PlaceJson {
            file: location.file,
            line: location.line,
            column: location.column,
            text: sources.snippet_text(label.span).chars().take(200).collect(),
            label: label.text.clone(),
        }
    };
    diagnostics
        .iter()
        .map(|diagnostic| DiagnosticJson {
            severity: match diagnostic.severity {
                Severity::Error => "error",
                Severity::Warning => "warning",
            },
            code: diagnostic.code,
            message: diagnostic.message.clone(),
            place: diagnostic.primary.as_ref().map(place),
            related: diagnostic.secondary.iter().map(place).collect(),
            help: diagnostic.help.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests;
