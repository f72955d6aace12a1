//! A program with a witness in it: what the witness says of places is written into the C text at those places, so that
//! names mean there what they mean to the program, and what is asked becomes a temporal property of the new program.
//!
//! Whatever is inserted reads the program's variables and writes its own; it asks for no input, unless its maker says so.

use std::ops::Range;

use automata::ltl::{Binary, Formula, Formulas, Node, Unary};
use c_frontend::syntax::ast::ExprKind;
use c_frontend::syntax::parse_expression;
use c_frontend::syntax::symbols::Symbols;
use foundation::{Budget, Diagnostics, Severity, SourceId, SourceMap, Span};
use subject::{Input, Loaded, Properties, Property, Request, Subject, load};

use crate::places::ParsedUnit;

/// Something to be written around a piece of text.
#[derive(Clone, Debug)]
pub(crate) struct Patch {
    pub(crate) span: Span,
    pub(crate) before: String,
    pub(crate) after: String,
}

impl Patch {
    /// Something to be written at one place.
    pub(crate) fn at(source: SourceId, offset: u32, text: String) -> Self {
        Self { span: Span { source, start: offset, end: offset }, before: text, after: String::new() }
    }
}

/// The program that a witness speaks of, with its texts.
#[derive(Clone, Copy)]
pub(crate) struct Original<'a> {
    pub(crate) request: &'a Request,
    pub(crate) subject: &'a Subject,
    pub(crate) units: &'a [ParsedUnit<'a>],
}

/// The new program.
pub(crate) struct Patched {
    pub(crate) subject: Subject,
    sources: SourceMap,
    /// How many bytes stand before each text.
    heads: Vec<u32>,
}

impl Patched {
    /// Where something in the new program stands in the original one; none for what was inserted.
    pub(crate) fn lead_back(&self, span: Span, units: &[ParsedUnit<'_>], patches: &[Patch]) -> Option<Span> {
        let name = self.sources.name(span.source);
        let index = units.iter().position(|unit| unit.name() == name)?;
        let unit = &units[index];
        let mut offset = span.start.checked_sub(self.heads[index])?;
        for (at, .., piece) in pieces(unit, patches) {
            let length = piece.len() as u32;
            if at > offset {
                break;
            }
            // Pieces come in order, so all before this one have been taken away.
            offset = offset.checked_sub(length).filter(|left| *left >= at)?;
        }
        Some(Span { source: unit.source, start: offset, end: offset })
    }
}

/// The new program with a property of it; or why there is none: an expression does not mean anything at its place.
pub(crate) fn load_patched(
    original: Original<'_>,
    ghosts: &[&str],
    patches: &[Patch],
    property: String,
    budget: &Budget,
) -> Result<Patched, String> {
    let Original { request, subject, units } = original;
    let mut request = request.clone();
    let declared = |prefix: &str| ghosts.iter().map(|ghost| format!("{prefix}{ghost}; ")).collect::<String>();
    let mut heads: Vec<u32> = Vec::new();
    for unit in units {
        let head = format!("{}\n", if heads.is_empty() { declared("") } else { declared("extern ") });
        heads.push(head.len() as u32);
        let text = format!("{head}{}", apply(unit, patches));
        let name = request.files.iter().position(|file| match file {
            Input::File(path) | Input::Text { name: path, .. } => *path == unit.name(),
        });
        let Some(file) = name else { return Err(format!("`{}` is not a file of the program", unit.name())) };
        request.files[file] = Input::Text { name: unit.name().to_owned(), text };
    }
    request.properties = Properties::Formulas(vec![property]);
    request.assumptions.clear();
    request.observe = Some(subject.semantics.observe);
    request.entry = subject.program.entry.map(|entry| subject.program.functions[entry].name.clone());
    let Loaded { sources, diagnostics, subject, .. } = load(&request, budget);
    if let Some(subject) = subject {
        return Ok(Patched { subject, sources, heads });
    }
    Err({
        let error = diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error);
        let message = error.map_or("it cannot be read", |error| error.message.as_str());
        let place = error.and_then(|error| error.primary.as_ref()).map(|label| sources.snippet_text(label.span));
        match place {
            Some(text) if !text.contains("semper_") => format!("{message} (`{text}`)"),
            _ => message.to_owned(),
        }
    })
}

/// What is inserted in a text, in order: where, and how it is sorted among what is inserted there. Of two patches of one
/// piece of text, the first is the outer one.
type Insertion<'p> = (u32, bool, i64, i64, &'p str);

fn pieces<'p>(unit: &ParsedUnit<'_>, patches: &'p [Patch]) -> Vec<Insertion<'p>> {
    let own = patches.iter().enumerate().filter(|(_, patch)| patch.span.source == unit.source);
    let mut pieces: Vec<Insertion<'p>> = Vec::new();
    for (index, Patch { span, before, after }) in own {
        let (start, end, index) = (i64::from(span.start), i64::from(span.end), index as i64);
        if span.start == span.end {
            pieces.push((span.start, true, i64::MIN, index, before));
            continue;
        }
        // At one place, what closes comes before what opens; what is opened first is closed last.
        pieces.push((span.start, true, -end, index, before));
        pieces.push((span.end, false, -start, -index, after));
    }
    pieces.sort_by_key(|&(at, opens, reach, index, _)| (at, opens, reach, index));
    pieces
}

/// A text with everything that is to be written into it.
fn apply(unit: &ParsedUnit<'_>, patches: &[Patch]) -> String {
    let pieces = pieces(unit, patches);
    let text = unit.text();
    let mut result = String::with_capacity(text.len() + 64 * pieces.len());
    let mut done = 0;
    for (at, .., piece) in pieces {
        result.push_str(&text[done..at as usize]);
        result.push_str(piece);
        done = at as usize;
    }
    result.push_str(&text[done..]);
    result
}

/// Whether a text is one C expression that changes nothing; if not, why.
pub(crate) fn check_expression(text: &str, units: &[ParsedUnit<'_>]) -> Result<(), String> {
    let is_type = |name: &str| units.iter().any(|unit| unit.type_names().any(|known| known == name));
    if ["//", "/*", "\n", "#", "\\"].iter().any(|mark| text.contains(mark)) {
        return Err("it has a part that no C expression has".to_owned());
    }
    let (mut sources, mut symbols, mut said) = (SourceMap::new(), Symbols::default(), Diagnostics::new());
    let source = sources.add("", text);
    let range: Range<u32> = 0..text.len() as u32;
    let Some((ast, _)) = parse_expression(source, &sources, &mut symbols, &mut said, range, &is_type) else {
        let message = said.iter().next().map_or("it cannot be read", |said| said.message.as_str());
        return Err(message.to_owned());
    };
    let changes = |kind: &ExprKind| {
        matches!(kind, ExprKind::Call(..) | ExprKind::Assign(..) | ExprKind::Increment { .. } | ExprKind::Statement(_))
    };
    match ast.exprs.values().any(|expr| changes(&expr.kind)) {
        true => Err("it calls or changes something".to_owned()),
        false => Ok(()),
    }
}

/// The texts of the program.
pub(crate) fn units<'s>(subject: &Subject, request: &Request, sources: &'s SourceMap) -> Vec<ParsedUnit<'s>> {
    let program = &subject.program;
    let functions = program.functions.values().filter(|function| !function.library && function.entry.is_some());
    let spans = functions.map(|function| function.span).chain(program.variables.values().map(|variable| variable.span));
    let mut found: Vec<SourceId> = spans.map(|span| span.source).collect();
    found.sort_unstable();
    found.dedup();
    let is_given = |source: &SourceId| {
        request.files.iter().any(|file| match file {
            Input::File(path) | Input::Text { name: path, .. } => path == sources.name(*source),
        })
    };
    found.into_iter().filter(is_given).map(|source| ParsedUnit::new(source, sources)).collect()
}

/// The property in the words of the new program.
pub(crate) struct AskedProperty {
    /// What all properties of the task say together.
    pub(crate) text: String,
    /// For each of them what it says of every state, if it says that and no more.
    pub(crate) states: Option<Vec<String>>,
    pub(crate) patches: Vec<Patch>,
    pub(crate) ghosts: Vec<&'static str>,
}

/// The property of the task. That a function is never called (`G ! call(f())`) is said by a variable, which more engines
/// understand: 1 once it was called when something held, and 2 once it was called when it did not.
pub(crate) fn asked(original: Original<'_>, when: &str) -> AskedProperty {
    let Original { subject, units, .. } = original;
    if let [property] = &subject.properties[..]
        && let Some(function) = subject.semantics_for(property).stop_at_call
    {
        let noted = format!("(semper_called == 0 ? (semper_called = ({when}) ? 1 : 2) : 0)");
        let name = &subject.program.functions[function].name;
        let body = units.iter().find_map(|unit| unit.body_of(name));
        let patches = match body {
            Some(body) => vec![Patch::at(body.source, body.start + 1, format!(" {noted};"))],
            None => {
                let calls = units.iter().flat_map(|unit| unit.calls_of(name));
                calls.map(|span| Patch { span, before: format!("({noted}, "), after: ")".to_owned() }).collect()
            }
        };
        let state = "\"semper_called != 1\"".to_owned();
        return AskedProperty {
            text: format!("G {state}"),
            states: Some(vec![state]),
            patches,
            ghosts: vec!["int semper_called"],
        };
    }
    let display = |formula: Formula| format!("({})", subject.formulas.display(formula));
    let texts: Vec<String> = subject.properties.iter().map(|property| display(property.goal)).collect();
    let state = |property: &Property| always(&subject.formulas, property.goal).map(display);
    let states = subject.properties.iter().map(state).collect();
    AskedProperty { text: texts.join(" && "), states, patches: Vec::new(), ghosts: Vec::new() }
}

/// What `G` claims of every state, if a formula says that and no more.
fn always(formulas: &Formulas, formula: Formula) -> Option<Formula> {
    let Node::Unary(Unary::Globally, state) = formulas.node(formula) else { return None };
    let is_of_state = |part: &Formula| match formulas.node(*part) {
        Node::True | Node::False | Node::Atom(_) | Node::Unary(Unary::Not, _) => true,
        Node::Unary(..) => false,
        Node::Binary(operator, ..) => {
            matches!(operator, Binary::And | Binary::Or | Binary::Implies | Binary::Iff)
        }
    };
    formulas.subformulas(state).iter().all(is_of_state).then_some(state)
}
