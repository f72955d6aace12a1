//! Diagnostics are values: what is wrong, where, and what to do next. They are made where the fault is found, collected
//! in [`Diagnostics`], and rendered at the edge by `report`.

use crate::collections::HashSet;
use crate::source::Span;

/// How grave a diagnostic is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// The input is refused.
    Error,
    /// The input is understood, but the user should know something about how.
    Warning,
}

/// A place that a diagnostic speaks of, with a few words on it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Label {
    /// The place.
    pub span: Span,
    /// What is to be said of it; may be empty.
    pub text: String,
}

/// One message to the user.
///
/// A good message is one phrase in lower case without a full stop, names the construct in the user's words and puts
/// source text between backquotes. `code` is a stable word for the kind of fault (`unknown-name`,
/// `unsupported-setjmp`), by which tests and scripts recognise it.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Diagnostic {
    /// How grave it is.
    pub severity: Severity,
    /// The stable name of this kind of diagnostic.
    pub code: &'static str,
    /// What is wrong.
    pub message: String,
    /// The offending text, where there is one.
    pub primary: Option<Label>,
    /// Other places that explain the fault (a previous declaration, say).
    pub secondary: Vec<Label>,
    /// What the user can do next.
    pub help: Vec<String>,
}

impl Diagnostic {
    /// Begins an error: nothing is concluded from an input that has one.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Error, code, message)
    }

    /// Begins a warning: what the user should know, although the input is understood.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, code, message)
    }

    fn new(severity: Severity, code: &'static str, message: impl Into<String>) -> Self {
        Self { severity, code, message: message.into(), primary: None, secondary: Vec::new(), help: Vec::new() }
    }

    /// Sets the offending text.
    pub fn at(self, span: Span) -> Self {
        self.label(span, "")
    }

    /// Sets the offending text with a few words on it.
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Adds a place that explains the fault.
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// Adds advice.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.help.push(text.into());
        self
    }
}

/// The diagnostics of a run, in the order in which they were found.
///
/// Errors beyond [`Diagnostics::MOST_ERRORS`] are counted but not kept: after that many the input is something else than
/// the user thinks it is.
#[derive(Clone, Default, Debug)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    known: HashSet<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// How many errors are kept.
    pub const MOST_ERRORS: usize = 20;

    /// No diagnostics.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one; a diagnostic equal to an earlier one is dropped.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if diagnostic.severity == Severity::Error {
            self.errors += 1;
            if self.errors > Self::MOST_ERRORS {
                return;
            }
        }
        if self.known.insert(diagnostic.clone()) {
            self.list.push(diagnostic);
        }
    }

    /// Adds all of another list.
    pub fn extend(&mut self, other: Diagnostics) {
        for diagnostic in other.list {
            self.push(diagnostic);
        }
    }

    /// Whether there is an error among them.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// How many errors were found and not kept.
    pub fn errors_not_kept(&self) -> usize {
        self.errors.saturating_sub(Self::MOST_ERRORS)
    }

    /// All of them in order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }
}
