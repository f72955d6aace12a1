//! Reads what gcc and clang write to standard error while they preprocess, and makes diagnostics of it.
//!
//! A complaint is a line `file:line:column: error: text` (`fatal error`, `warning`); the lines of source text and the
//! trails of `In file included from` around it are not needed, because our own diagnostics show the line.

use foundation::{Diagnostic, Diagnostics, Label, Severity, SourceId, SourceMap, Span};

use crate::files;

/// What was found.
pub(super) struct Said {
    /// Whether there was an error among the complaints.
    pub errors: bool,
}

/// Adds a diagnostic for every complaint. The files they name are added to the sources.
pub(super) fn read(stderr: &str, path: &str, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Said {
    let mut known: Vec<(String, Option<SourceId>)> = Vec::new();
    let mut said = Said { errors: false };
    for complaint in stderr.lines().filter_map(Complaint::parse) {
        said.errors |= complaint.severity == Severity::Error;
        let source = match known.iter().find(|(file, _)| file == complaint.file) {
            Some((_, source)) => *source,
            None => {
                let text = files::read_text(complaint.file, &mut Diagnostics::new());
                let source = text.map(|text| sources.add(complaint.file, text));
                known.push((complaint.file.to_owned(), source));
                source
            }
        };
        let mut diagnostic = complaint.diagnostic();
        match source {
            Some(source) => {
                let text = sources.text(source);
                let span = complaint.span(source, text);
                diagnostic.primary = Some(Label { span, text: String::new() });
            }
            None if complaint.file != path => {
                diagnostic.message = format!("{} (at {}:{})", diagnostic.message, complaint.file, complaint.line);
            }
            None => {}
        }
        diagnostics.push(diagnostic);
    }
    said
}

struct Complaint<'a> {
    file: &'a str,
    line: usize,
    column: usize,
    severity: Severity,
    text: &'a str,
}

impl<'a> Complaint<'a> {
    fn parse(line: &'a str) -> Option<Self> {
        let kinds =
            [(": fatal error: ", Severity::Error), (": error: ", Severity::Error), (": warning: ", Severity::Warning)];
        let (at, kind, severity) = kinds
            .iter()
            .filter_map(|(kind, severity)| Some((line.find(kind)?, kind, severity)))
            .min_by_key(|it| it.0)?;
        let (place, text) = (&line[..at], &line[at + kind.len()..]);
        // `file:line:column`, or `file:line`; a file name may itself contain colons.
        let (rest, last) = place.rsplit_once(':')?;
        let last = last.parse::<usize>().ok()?;
        let (file, line, column) = match rest.rsplit_once(':').and_then(|(file, line)| Some((file, line.parse().ok()?)))
        {
            Some((file, line)) => (file, line, last),
            None => (rest, last, 1),
        };
        Some(Self { file, line, column, severity: *severity, text })
    }

    /// The file that could not be included, if that is the complaint: gcc and clang say it differently.
    fn missing_header(&self) -> Option<&'a str> {
        let gcc = self.text.strip_suffix(": No such file or directory");
        gcc.or_else(|| self.text.strip_prefix('\'')?.strip_suffix("' file not found"))
    }

    fn diagnostic(&self) -> Diagnostic {
        if let Some(header) = self.missing_header() {
            return Diagnostic::error("missing-header", format!("the header `{header}` was not found"))
                .help("name the folder that contains it with `-I FOLDER`");
        }
        // gcc puts source text between single quotes and names the option that controls a warning.
        let text = self.text.split(" [-W").next().unwrap_or(self.text).replace('\'', "`");
        let text = text.trim_end_matches('.').to_owned();
        match self.severity {
            Severity::Error => Diagnostic::error("preprocessor", text),
            Severity::Warning => Diagnostic::warning("preprocessor", text),
        }
    }

    /// The word at the place of the complaint; for a missing header, its name.
    fn span(&self, source: SourceId, text: &str) -> Span {
        let lines = text.split_inclusive('\n');
        let start_of_line: usize = lines.clone().take(self.line.saturating_sub(1)).map(str::len).sum();
        let line = text[start_of_line..].lines().next().unwrap_or("");
        let named = self.missing_header().and_then(|header| Some((line.find(header)?, header.len())));
        let (start, length) = named.unwrap_or_else(|| {
            let mut start = self.column.saturating_sub(1).min(line.len());
            while !line.is_char_boundary(start) {
                start -= 1;
            }
            let rest = &line[start..];
            let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            (start, if word > 0 { word } else { rest.chars().next().map_or(0, char::len_utf8) })
        });
        let start = start_of_line + start;
        Span { source, start: start as u32, end: (start + length) as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn complaints_of_both_compilers_are_understood() {
        for (line, file, place, severity, message) in [
            (
                "a.c:1:10: fatal error: no.h: No such file or directory",
                "a.c",
                (1, 10),
                Severity::Error,
                "the header `no.h` was not found",
            ),
            (
                "a.c:1:10: fatal error: 'no.h' file not found",
                "a.c",
                (1, 10),
                Severity::Error,
                "the header `no.h` was not found",
            ),
            ("a:b.c:3: error: #error \"x: error: y\"", "a:b.c", (3, 1), Severity::Error, "#error \"x: error: y\""),
            ("a.c:2:2: warning: #warning old [-Wcpp]", "a.c", (2, 2), Severity::Warning, "#warning old"),
            (
                "a.c:4:9: error: unterminated argument list invoking macro 'M'",
                "a.c",
                (4, 9),
                Severity::Error,
                "unterminated argument list invoking macro `M`",
            ),
        ] {
            let complaint = Complaint::parse(line).unwrap();
            assert_eq!((complaint.file, (complaint.line, complaint.column)), (file, place), "{line}");
            assert_eq!(complaint.severity, severity);
            assert_eq!(complaint.diagnostic().message, message.replace('\'', "`"));
        }
        for line in
            ["In file included from a.c:1:", "    1 | #include \"no.h\"", "compilation terminated.", "error: x", ""]
        {
            assert!(Complaint::parse(line).is_none(), "{line}");
        }
    }

    #[test]
    fn spans_stay_in_their_text() {
        let mut sources = SourceMap::new();
        let text = "#include \"no.h\"\nÄÖ M(\n";
        let source = sources.add("a.c", text);
        for (line, marked) in [
            ("a.c:1:10: fatal error: no.h: No such file or directory", "no.h"),
            ("a.c:2:6: error: x", "M"),
            ("a.c:2:2: error: x", "ÄÖ"),
            ("a.c:2:400: error: x", ""),
            ("a.c:900:1: error: x", ""),
        ] {
            let span = Complaint::parse(line).unwrap().span(source, text);
            assert!(span.end as usize <= text.len());
            assert_eq!(sources.snippet_text(span), marked, "{line}");
        }
    }
}
