//! Reads properties from wherever the user put them, and gives their atoms a meaning in the program.

use automata::ltl::{self, Atom, AtomId, Formula, Formulas};
use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};
use program::front_end::Translated;

use crate::request::{Properties, Request};
use crate::subject::{self, Property};

/// A property as it was read, before its atoms are looked at.
#[derive(Clone, Debug)]
pub struct ReadProperty {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The property itself.
    pub formula: Formula,
    /// Where it was found, for people.
    pub origin: String,
    /// The text it was read from.
    pub span: Span,
}

/// What was read apart from the program.
#[derive(Clone, Debug, Default)]
pub struct AsGiven {
    /// All formulas.
    pub formulas: Formulas,
    /// The properties, in the order in which they were given.
    pub properties: Vec<ReadProperty>,
    /// What every execution of interest satisfies.
    pub assumptions: Vec<Formula>,
    /// The entry function that a property file names.
    pub entry: Option<String>,
    /// Whether there is a fault in some formula.
    pub faulty: bool,
}

/// Reads the properties that stand outside the program, and the assumptions.
pub fn read(request: &Request, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> AsGiven {
    let mut given = AsGiven::default();
    match &request.properties {
        Properties::Annotations => {}
        Properties::Formulas(texts) => {
            for text in texts {
                let source = sources.add("--ltl", text.as_str());
                let span = whole(sources, source);
                let formula = accept(ltl::parse(sources, source, &mut given.formulas), diagnostics);
                let read = |formula| ReadProperty { name: None, formula, origin: "--ltl".to_owned(), span };
                given.properties.extend(formula.map(read));
            }
        }
        Properties::File(path) => read_file(path, &mut given, sources, diagnostics),
    }
    for text in &request.assumptions {
        let source = sources.add("--assume", text.as_str());
        given.assumptions.extend(accept(ltl::parse(sources, source, &mut given.formulas), diagnostics));
    }
    given
}

fn read_file(path: &str, given: &mut AsGiven, sources: &mut SourceMap, diagnostics: &mut Diagnostics) {
    let Some(text) = host::read_text(path, diagnostics) else { return };
    let source = sources.add(path, text);
    let Some(checks) = accept(ltl::prp::parse(sources, source, &mut given.formulas), diagnostics) else { return };
    for check in checks {
        match &given.entry {
            Some(entry) if *entry != check.entry => diagnostics.push(
                Diagnostic::error("several-entries", "the properties of a file must start in one function")
                    .label(check.entry_span, format!("an earlier one starts in `{entry}`"))
                    .help("put them in files of their own"),
            ),
            _ => given.entry = Some(check.entry),
        }
        let origin = place(sources, check.span);
        given.properties.push(ReadProperty { name: None, formula: check.formula, origin, span: check.span });
    }
}

/// Properties with what is to be decided for each: that it holds under all assumptions.
pub fn with_goals(read: Vec<ReadProperty>, formulas: &mut Formulas, assumptions: &[Formula]) -> Vec<Property> {
    let with_goal = |ReadProperty { name, formula, origin, span }: ReadProperty| {
        let goal = subject::goal(formulas, assumptions, formula);
        Property { goal, name, formula, origin, span }
    };
    read.into_iter().map(with_goal).collect()
}

/// Adds the properties that are written in a text of the program.
pub fn read_annotations(written: SourceId, given: &mut AsGiven, sources: &SourceMap, diagnostics: &mut Diagnostics) {
    let found = accept(ltl::annotations::find(sources, written, &mut given.formulas), diagnostics);
    given.properties.extend(found.into_iter().flatten().map(|annotation| ReadProperty {
        name: annotation.name,
        formula: annotation.formula,
        origin: place(sources, annotation.span),
        span: annotation.span,
    }));
}

/// The meaning of every atom, in the order of their ids; nothing where some atom has none. `written` are the texts of
/// the program as the user wrote them.
pub fn resolve_atoms(
    given: &AsGiven,
    written: &[SourceId],
    translated: &mut dyn Translated,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<program::Atom>> {
    let formulas = &given.formulas;
    let ids: Vec<AtomId> = formulas.atoms().iter().map(|(id, _)| id).collect();
    let mut meanings = Vec::with_capacity(ids.len());
    for id in ids {
        let mut said = Diagnostics::new();
        let meaning = resolve_atom(id, formulas, translated, sources, &mut said);
        // In a formula with a fault, a bare word may have been meant as an operator.
        let is_doubtful = given.faulty && matches!(formulas.atoms().get(id), Atom::Bare(_));
        if !is_doubtful {
            let text = formulas.atoms().get(id).expression().unwrap_or_default();
            for diagnostic in said.iter().cloned() {
                diagnostics.push(translated.explain(diagnostic, text, written, sources));
            }
        }
        meanings.push(meaning);
    }
    meanings.into_iter().collect()
}

fn resolve_atom(
    id: AtomId,
    formulas: &Formulas,
    translated: &mut dyn Translated,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<program::Atom> {
    let atom = formulas.atoms().get(id);
    let origin = formulas.atoms().origin(id);
    if let Atom::Builtin(builtin) = atom {
        let function = |name: &str| {
            let found = translated.function(name, origin.map(|origin| origin.span));
            found.map_err(|fault| diagnostics.push(*fault)).ok()
        };
        return subject::builtin(builtin, function);
    }
    let text = atom.expression().unwrap_or_default();
    // The front end reads the atom where the user wrote it, so that its diagnostics point there. With escaped quotes,
    // or over several comment lines, what stands there is not the text itself.
    let written = origin.map(|origin| origin.span).filter(|&span| sources.snippet_text(span) == text);
    let span = written.unwrap_or_else(|| {
        let source = sources.add(format!("atom `{atom}`"), text);
        whole(sources, source)
    });
    let mut said = Diagnostics::new();
    let meaning = translated.atom(span, sources, &mut said);
    let split = origin.and_then(|origin| origin.whole_word).map(|span| sources.snippet_text(span).to_owned());
    for diagnostic in said.iter().cloned() {
        diagnostics.push(match &split {
            Some(word) if meaning.is_none() && matches!(atom, Atom::Bare(_)) => diagnostic.help(format!(
                "`{word}` is read as operators followed by `{text}`; write `\"{word}\"` in quotes to mean a variable"
            )),
            _ => diagnostic,
        });
    }
    meaning
}

/// `file:line`.
fn place(sources: &SourceMap, span: Span) -> String {
    let location = sources.locate(span);
    format!("{}:{}", location.file, location.line)
}

fn whole(sources: &SourceMap, source: SourceId) -> Span {
    Span { source, start: 0, end: sources.text(source).len() as u32 }
}

fn accept<T>(result: Result<T, Diagnostics>, diagnostics: &mut Diagnostics) -> Option<T> {
    result.map_err(|errors| diagnostics.extend(errors)).ok()
}
