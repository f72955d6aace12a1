//! From the interpreter's run to the rows of a trace and the diagnostics that go with it.

use foundation::collections::{HashMap, HashSet};
use foundation::{Diagnostic, Diagnostics, Location, SourceMap, Span};
use program::semantics::{Observation, Occasion, Run, RunEnd, Warning};
use program::{EndKind, Program};

use super::{End, ShownChange, TraceStep};

/// The observed states of a run. A step of a loop lists what changes in the first iteration or in a later one.
pub fn steps(run: &Run, program: &Program, sources: &SourceMap) -> Vec<TraceStep> {
    let again = changes_of_next_round(run);
    let number = |(index, observation)| step(index, observation, &again, program, sources);
    run.observations.iter().enumerate().map(number).collect()
}

/// What the second iteration of a loop changes, as the numbers of steps and of what they write: the last value of the
/// first iteration comes before the first one.
fn changes_of_next_round(run: &Run) -> HashSet<(usize, usize)> {
    let RunEnd::Lasso { start } = run.end else { return HashSet::default() };
    let first = run.observations.iter().enumerate();
    let second = run.observations.iter().enumerate().skip(start);
    let mut held: HashMap<&str, &str> = HashMap::default();
    let mut found = HashSet::default();
    for (round, (step, observation)) in first.map(|it| (1, it)).chain(second.map(|it| (2, it))) {
        for (number, change) in observation.changes.iter().enumerate() {
            let before = held.insert(&change.name, &change.value);
            if round == 2 && before != Some(&change.value) {
                found.insert((step, number));
            }
        }
    }
    found
}

fn step(
    index: usize,
    observation: &Observation,
    again: &HashSet<(usize, usize)>,
    program: &Program,
    sources: &SourceMap,
) -> TraceStep {
    let function = observation.function.map(|function| &program.functions[function]);
    let span = observation.span.or(function.map(|function| function.span));
    let place =
        span.map(|span| sources.snippet(span).location).unwrap_or(Location { file: String::new(), line: 0, column: 0 });
    let name = |function| program.told_function(function);
    let source_text = || observation.span.map(|span| statement_text(span, sources)).unwrap_or_default();
    let mut events = Vec::new();
    let (occasion, statement) = match observation.occasion {
        Occasion::Start => ("start", format!("entry of {}", observation.function.map_or("", name))),
        Occasion::Edge(_) => ("statement", source_text()),
        Occasion::Entered(function) => ("entry", format!("entry of {}", name(function))),
        Occasion::Left(function) => ("return", format!("return from {}", name(function))),
        Occasion::End(kind) => {
            events.push(end_words(kind).to_owned());
            ("end", "end".to_owned())
        }
        Occasion::Error(kind) => {
            events.push(kind.to_string());
            ("error", source_text())
        }
        Occasion::Deadlock => {
            events.push("no thread can go on".to_owned());
            ("deadlock", "deadlock".to_owned())
        }
    };
    if observation.overflow {
        events.push("signed overflow".to_owned());
    }
    let change = |change: &program::semantics::Change| ShownChange {
        name: change.name.clone(),
        value: change.value.clone(),
        enumerator: change.enumerator.clone(),
    };
    TraceStep {
        step: index,
        file: place.file,
        line: place.line,
        function: observation.function.map(|function| name(function).to_owned()).unwrap_or_default(),
        thread: observation.thread as usize,
        occasion,
        statement,
        changes: observation
            .changes
            .iter()
            .enumerate()
            .filter(|(number, change)| change.differs || again.contains(&(index, *number)))
            .map(|(_, written)| change(written))
            .collect(),
        events,
        holds: observation.truth.clone(),
    }
}

/// The text of a statement as its author wrote it. Where the preprocessor made something else of it, it is looked up in
/// the author's line, from where it begins; where even that cannot be found, the whole line is shown.
pub fn statement_text(span: Span, sources: &SourceMap) -> String {
    let is_marker = |line: &str| line.trim_start().starts_with('#');
    let text = sources.snippet_text(span);
    let snippet = sources.snippet(span);
    if snippet.preprocessed || text.lines().any(is_marker) {
        let written = sources.original_line(&snippet.location.file, snippet.location.line);
        let from = if snippet.preprocessed { 0 } else { snippet.marked.start };
        if let Some(line) = written.and_then(|line| line.get(from..)).map(str::trim).filter(|line| !line.is_empty()) {
            return if snippet.preprocessed { line } else { first_statement(line) }.to_owned();
        }
    }
    let lines: Vec<&str> = text.lines().filter(|line| !is_marker(line)).collect();
    lines.join("\n")
}

/// The text up to the first semicolon that stands in no bracket.
fn first_statement(line: &str) -> &str {
    let mut depth = 0i32;
    for (at, character) in line.char_indices() {
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            ';' if depth <= 0 => return &line[..at],
            _ => {}
        }
    }
    line
}

fn end_words(kind: EndKind) -> &'static str {
    match kind {
        EndKind::Return => "the program returns",
        EndKind::Exit => "the program exits",
        EndKind::Abort => "the program aborts",
        EndKind::AssertionFailed => "an assertion fails",
    }
}

/// How a run ended. A run that ended keeps its last state for ever.
pub fn end(run: &Run, program: &Program, sources: &SourceMap) -> End {
    let last = run.observations.len().checked_sub(1);
    let at = |span: &Option<Span>| {
        let place = span.map(|span| sources.snippet(span).location);
        place.map(|place| format!(" at {}:{}", place.file, place.line)).unwrap_or_default()
    };
    let (repeats_from, reason) = match &run.end {
        RunEnd::End(kind) => (last, end_words(*kind).to_owned()),
        RunEnd::Undefined { kind, span } => (last, format!("behaviour is undefined{}: {kind}", at(span))),
        RunEnd::Deadlock => (last, "deadlock: no thread can go on".to_owned()),
        RunEnd::Lasso { start } => (Some(*start), "the program never ends".to_owned()),
        RunEnd::Silent => (last, "the program never ends, and nothing more is observed".to_owned()),
        RunEnd::StoppedAtCall(function) => {
            (last, format!("`{}` is entered, which ends the execution", program.told_function(*function)))
        }
        RunEnd::Blocked { span } => (None, format!("blocked by an assumption{}: this is no execution", at(span))),
        RunEnd::NoMoreInputs => (None, "no inputs are left; the program would go on".to_owned()),
        RunEnd::Limit => (None, "stopped by the limit on steps; the program would go on".to_owned()),
        RunEnd::Exhausted(what) => (None, format!("stopped by the limit on {what}; the program would go on")),
        RunEnd::UnfitInput { span, .. } => (None, format!("stopped{}: an input does not fit", at(span))),
        RunEnd::Unsupported { reason, span } => (None, format!("not supported{}: {reason}", at(span))),
    };
    End { complete: repeats_from.is_some(), repeats_from, blocked: matches!(run.end, RunEnd::Blocked { .. }), reason }
}

/// Adds one thing that the user should know of a run.
pub fn diagnose_warning(warning: &Warning, diagnostics: &mut Diagnostics) {
    diagnostics.push(match warning {
        Warning::Overflow(span) => {
            Diagnostic::warning("signed-overflow", "a signed integer overflows and wraps around").at(*span)
        }
        Warning::Race(race) => {
            Diagnostic::warning("data-race", format!("two threads access `{}` in no fixed order", race.what))
                .label(race.second, "this access")
                .also(race.first, "and this one")
                .help("protect both by a mutex")
        }
    });
}

/// Adds what the user should know of a run: overflows, races, undefined behaviour, and why it could not go on.
pub fn diagnose(run: &Run, diagnostics: &mut Diagnostics) {
    for warning in &run.warnings {
        diagnose_warning(warning, diagnostics);
    }
    let at = |diagnostic: Diagnostic, span: &Option<Span>| match span {
        Some(span) => diagnostic.at(*span),
        None => diagnostic,
    };
    match &run.end {
        RunEnd::Undefined { kind, span } => {
            diagnostics.push(at(Diagnostic::warning("undefined-behaviour", kind.to_string()), span));
        }
        RunEnd::UnfitInput { reason, span, written } => {
            let diagnostic = Diagnostic::error("unfit-input", reason.clone()).help("correct the inputs file");
            diagnostics.push(match (written, span) {
                (Some(written), Some(span)) => diagnostic.at(*written).also(*span, "asked for here"),
                (Some(written), None) => diagnostic.at(*written),
                (None, span) => at(diagnostic, span),
            });
        }
        RunEnd::Unsupported { reason, span } => {
            diagnostics.push(at(Diagnostic::warning("unsupported", reason.clone()), span));
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_are_shown_as_they_were_written() {
        let mut sources = SourceMap::new();
        let read = "x = 1; y = 2;\nf(x,\n# 2 \"a.c\" 3 4\n((void *)0)\n# 2 \"a.c\"\n); g();\nz = (7);\n";
        let source = sources.add("a.c", read);
        sources.mark_line(source, read.find("((void").unwrap() as u32, "a.c", 2);
        sources.mark_line(source, read.find("); g").unwrap() as u32, "a.c", 2);
        sources.add_original("a.c", "x = 1; y = 2;\n  f(x, NULL); g();\nz = SEVEN;\n");
        let span_of = |from: &str, to: &str| {
            let start = read.find(from).unwrap();
            let end = start + read[start..].find(to).unwrap() + to.len();
            Span { source, start: start as u32, end: end as u32 }
        };
        for (span, expected) in [
            (span_of("y = 2", "2"), "y = 2"),
            (span_of("f(x", "\n)"), "f(x, NULL)"),
            (span_of("g()", ")"), "g()"),
            (span_of("z = (7)", ")"), "z = SEVEN;"),
        ] {
            assert_eq!(statement_text(span, &sources), expected);
        }
    }
}
