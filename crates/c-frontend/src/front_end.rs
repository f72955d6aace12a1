//! C as one of the languages that are read, and what people write in atoms that is no C.

use foundation::{Diagnostic, Diagnostics, Severity, SourceId, SourceMap, Span};
use program::front_end::{FrontEnd, Options, Translated};
use program::{Atom, FunctionId, Program, VariableId};

use crate::{Translation, translate};

/// The front end for C.
#[derive(Clone, Copy, Debug)]
pub struct C;

impl FrontEnd for C {
    fn language(&self) -> &'static str {
        "C"
    }

    fn reads(&self, file: &str) -> bool {
        [".c", ".i", ".h"].iter().any(|ending| file.ends_with(ending))
    }

    fn is_preprocessed(&self) -> bool {
        true
    }

    fn translate(
        &self,
        units: &[SourceId],
        sources: &mut SourceMap,
        options: &Options,
        diagnostics: &mut Diagnostics,
    ) -> Option<Box<dyn Translated>> {
        Some(Box::new(translate(units, sources, options, diagnostics)?))
    }
}

impl Translated for Translation {
    fn program(&self) -> &Program {
        &self.program
    }

    fn into_program(self: Box<Self>) -> Program {
        self.program
    }

    fn atom(&mut self, span: Span, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<Atom> {
        Translation::atom(self, span, sources, diagnostics)
    }

    fn function(&self, name: &str, place: Option<Span>) -> Result<FunctionId, Box<Diagnostic>> {
        Translation::function(self, name, place)
    }

    fn type_of(&self, variable: VariableId) -> Option<String> {
        Translation::type_of(self, variable)
    }

    /// Adds advice on what is no C although it looks like it, and on macros, which are gone when atoms are read.
    fn explain(&self, diagnostic: Diagnostic, atom: &str, written: &[SourceId], sources: &SourceMap) -> Diagnostic {
        let name = diagnostic.primary.as_ref().map(|label| sources.snippet_text(label.span));
        let macro_name = name.filter(|name| {
            diagnostic.code == "unknown-name" && written.iter().any(|&source| defines(sources.text(source), name))
        });
        if let Some(name) = macro_name {
            let advice = format!("`{name}` is a macro, which a property cannot name; write its value");
            return diagnostic.help(advice);
        }
        const FOREIGN: [(&str, &str); 6] =
            [("=>", ">="), ("=<", "<="), ("<>", "!="), (" and ", "&&"), (" or ", "||"), ("not ", "!")];
        let is_foreign = |&&(sign, _): &&(&str, &str)| atom.contains(sign);
        match FOREIGN.iter().find(is_foreign).filter(|_| diagnostic.severity == Severity::Error) {
            Some((sign, c)) => diagnostic.help(format!("in C, `{}` is written `{c}`", sign.trim())),
            None => diagnostic,
        }
    }
}

/// Whether a text defines a macro.
fn defines(text: &str, name: &str) -> bool {
    text.lines().any(|line| {
        let directive = line.trim_start().strip_prefix('#').map(str::trim_start);
        let defined = directive.and_then(|directive| directive.strip_prefix("define")).map(str::trim_start);
        defined
            .and_then(|defined| defined.strip_prefix(name))
            .is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'))
    })
}
