//! Compares what a compiled program wrote down with what the interpreter observed, up to the first difference.

use foundation::{SourceMap, Span};
use program::semantics::Occasion;

use crate::driver::{CompiledDriver, TraceMark};
use crate::expected::Expected;

/// What a comparison found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Comparison {
    /// All states that were compared are the same.
    Same,
    /// The first difference, in words.
    Differs(String),
}

/// A line of the trace.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Line<'t> {
    kind: char,
    number: usize,
    thread: u32,
    truth: &'t str,
}

/// Compares a trace with the expected one.
pub(crate) fn compare(
    trace: &str,
    driver: &CompiledDriver,
    expected: &Expected,
    atoms: &[String],
    sources: &SourceMap,
) -> Comparison {
    let mut lines = trace.lines().map(line);
    for (index, mark) in &driver.marks {
        let event = &expected.events[*index];
        let place = || match (event.span, event.occasion) {
            (Some(span), _) => at(sources, span),
            (None, Occasion::Start) => "at the start".to_owned(),
            (None, Occasion::End(_)) => "at the end".to_owned(),
            (None, _) => "there".to_owned(),
        };
        let here = || format!("at observed state {index}, {}", place());
        let Some(line) = lines.next().flatten() else {
            return Comparison::Differs(format!(
                "the compiled program does not come to observed state {index}, {}",
                place()
            ));
        };
        if let Some(instead) = instead(&line, *mark, driver, sources) {
            return Comparison::Differs(format!("{}, the compiled program {instead}", here()));
        }
        if line.thread != event.thread && matches!(mark, TraceMark::Probe(_)) {
            let (expected, found) = (event.thread, line.thread);
            return Comparison::Differs(format!("{}, thread {found} runs and not thread {expected}", here()));
        }
        for (atom, (truth, found)) in event.truth.iter().zip(line.truth.chars()).enumerate() {
            let is_different = matches!((truth, found), (true, '0') | (false, '1'));
            if is_different && !driver.uncompared.iter().any(|(number, _)| *number == atom) {
                let name = atoms.get(atom).map_or("an atom", String::as_str);
                let (interpreted, compiled) = (truth, found == '1');
                return Comparison::Differs(format!(
                    "{}, {name} is {interpreted} in the interpreter and {compiled} in the compiled program",
                    here()
                ));
            }
        }
    }
    Comparison::Same
}

/// What the compiled program did instead of what is expected.
fn instead(line: &Line<'_>, mark: TraceMark, driver: &CompiledDriver, sources: &SourceMap) -> Option<String> {
    let is_same = match mark {
        TraceMark::Begin => line.kind == 'B',
        TraceMark::Probe(site) => line.kind == 'P' && line.number == site,
        TraceMark::Call(frame) => line.kind == 'C' && line.number == frame,
        TraceMark::End => line.kind == 'E',
        TraceMark::Error => line.kind == 'X',
    };
    if is_same {
        return None;
    }
    Some(match line.kind {
        'P' => match driver.sites.get(line.number) {
            Some(site) => format!("is {}", at(sources, *site)),
            None => "is somewhere else".to_owned(),
        },
        'C' => "enters a function".to_owned(),
        'E' => "has ended".to_owned(),
        'X' => format!("is stopped by signal {}", line.number),
        'A' => "comes to an assumption that is false".to_owned(),
        'I' => {
            let name = driver.queues.get(line.number).map_or("an input", String::as_str);
            format!("asks `{name}` for more than was recorded")
        }
        'T' => "starts too many threads".to_owned(),
        _ => "does something else".to_owned(),
    })
}

fn at(sources: &SourceMap, span: Span) -> String {
    let location = sources.locate(span);
    format!("{}:{}", location.file, location.line)
}

fn line(text: &str) -> Option<Line<'_>> {
    let mut words = text.splitn(4, ' ');
    let kind = words.next()?.chars().next()?;
    let number = words.next()?.parse().ok()?;
    let thread = words.next()?.parse().ok()?;
    Some(Line { kind, number, thread, truth: words.next()? })
}
