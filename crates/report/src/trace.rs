//! The observed trace of one execution, as a table and as JSON, with the truth of properties on it.
//!
//! The trace is a word over the atoms, read from top to bottom: each row is one observed state, and a mark in an
//! atom's column says that the atom holds there. This module shows what was observed; it evaluates nothing.

mod observed;

pub use observed::{diagnose, diagnose_warning, end, statement_text, steps};

use serde::Serialize;

use crate::diagnostics::DiagnosticJson;
use crate::table::{self, Align, Column, UNBROKEN, columns_of};

/// A trace. This is also its JSON form.
#[derive(Serialize, Clone, Debug)]
pub struct TraceReport {
    /// What integers are: `machine` or `ideal`.
    pub integers: String,
    /// Which states are observed: `statement`, `change` or `step`.
    pub observe: String,
    /// The sizes of types: `LP64` or `ILP32`.
    pub data_model: String,
    /// Where threads may be interrupted, in a program that has threads: `access` or `statement`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub atomic: Option<String>,
    /// Where the choices of this execution came from: `seed 1` or the name of a file.
    pub choices: String,
    /// The atoms of the properties, as they are written in a formula.
    pub atoms: Vec<String>,
    /// The assumptions in canonical form.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub assumptions: Vec<String>,
    /// The observed states, from the first one at the entry of the program.
    pub steps: Vec<TraceStep>,
    /// How the trace ends.
    pub end: End,
    /// The truth of every property on this trace.
    pub properties: Vec<PropertyOnTrace>,
    /// What the user should know about how the input was read and how it behaved.
    pub warnings: Vec<DiagnosticJson>,
}

/// An observed state.
#[derive(Serialize, Clone, Debug)]
pub struct TraceStep {
    /// Its number; the first is 0.
    pub step: usize,
    /// The file of the statement that led to it.
    pub file: String,
    /// The line of that statement.
    pub line: u32,
    /// The function that was executed.
    pub function: String,
    /// The thread that was running; 0 is the first one.
    pub thread: usize,
    /// Why it is observed: `start`, `statement`, `entry` or `return` (of a function that the property looks at), `end`,
    /// `error`, `deadlock`.
    pub occasion: &'static str,
    /// The text of the statement; where none was executed, what happened.
    pub statement: String,
    /// What has another value than in the state before.
    pub changes: Vec<ShownChange>,
    /// What else happened since then: inputs, overflows, the end of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// Whether each atom holds, in the order of `atoms`.
    pub holds: Vec<bool>,
}

/// A place in memory with the value that it has now.
#[derive(Serialize, Clone, Debug)]
pub struct ShownChange {
    /// The place, as the program would name it.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The enumerator of that value, where the place has an enumerated type; people are shown it instead of the value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enumerator: Option<String>,
}

/// How a trace ends.
#[derive(Serialize, Clone, Debug)]
pub struct End {
    /// Whether the trace is a whole, infinite execution: the last state, or the steps from `repeats_from` on, are
    /// repeated for ever.
    pub complete: bool,
    /// The first of the steps that are repeated for ever; absent where the execution was not followed to that point.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repeats_from: Option<usize>,
    /// Whether the run was blocked by an assumption, so that it is no execution and shows nothing.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub blocked: bool,
    /// What happened, in words.
    pub reason: String,
}

/// The truth of a property on a trace.
#[derive(Serialize, Clone, Debug)]
pub struct PropertyOnTrace {
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The property in canonical form.
    pub property: String,
    /// `true`, `false` or `open`.
    pub truth: &'static str,
    /// The number of the step with which the truth is decided, whatever comes later; absent where only the repetition
    /// for ever decides it, or nothing does.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decided_at: Option<usize>,
    /// Further words on it, for instance that a limit was reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The trace as text.
pub fn render(trace: &TraceReport, width: usize) -> String {
    let headings = AtomHeadings::choose(&trace.atoms, width);
    let mut text = String::new();
    for line in &headings.legend {
        text.push_str(line);
        text.push('\n');
    }
    if !headings.legend.is_empty() {
        text.push('\n');
    }
    text.push_str(&steps_table(trace, &headings.texts, width));
    text.push_str(&end_line(&trace.end, trace.steps.len()));
    text.push_str(&modes_line(trace));
    for property in &trace.properties {
        text.push('\n');
        for assumption in &trace.assumptions {
            text.push_str(&format!("assumption: {assumption}\n"));
        }
        let name = property.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        text.push_str(&format!("property{name}: {}\n", property.property));
        text.push_str(&truth_line(property, trace));
        if let Some(note) = &property.note {
            text.push_str(&format!("note: {note}\n"));
        }
    }
    text
}

/// Which of its meanings the program was given: an answer without that is worth little.
fn modes_line(trace: &TraceReport) -> String {
    let TraceReport { integers, data_model, observe, .. } = trace;
    let threads = trace.atomic.as_ref().map(|atomic| format!(", threads interleaved per {atomic}")).unwrap_or_default();
    format!("({integers} integers, {data_model}, one observation per {observe}{threads})\n")
}

/// How a trace of so many steps ends, and which of them are repeated.
pub(crate) fn end_line(end: &End, steps: usize) -> String {
    let last = steps.saturating_sub(1);
    let repeated = match end.repeats_from {
        None => String::new(),
        Some(first) if first == last => format!("; step {last} is repeated for ever"),
        Some(first) => format!("; steps {first} to {last} are repeated for ever"),
    };
    format!("{}{repeated}\n", end.reason)
}

fn truth_line(property: &PropertyOnTrace, trace: &TraceReport) -> String {
    let why = match (property.truth, property.decided_at) {
        ("open", _) if trace.end.blocked => " (what is blocked is no execution)".to_owned(),
        ("open", _) => " (what comes later decides)".to_owned(),
        (_, Some(step)) => format!(" (decided at step {step})"),
        (_, None) if trace.end.complete => " (decided by what is repeated for ever)".to_owned(),
        (_, None) => String::new(),
    };
    format!("on this trace: {}{why}\n", property.truth)
}

fn steps_table(trace: &TraceReport, atom_headings: &[String], width: usize) -> String {
    let rows: Vec<Row<'_>> = trace.steps.iter().map(Row::Step).collect();
    rows_table(&rows, None, atom_headings, width)
}

/// A row of a table of steps.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Row<'t> {
    /// An observed state.
    Step(&'t TraceStep),
    /// So many states that are not shown.
    LeftOut(usize),
}

/// The table of some steps. Where there are marks, one for each row, they stand beside the steps' numbers.
pub(crate) fn rows_table(rows: &[Row<'_>], marks: Option<&[&str]>, atom_headings: &[String], width: usize) -> String {
    let steps = || {
        rows.iter().filter_map(|row| match row {
            Row::Step(step) => Some(*step),
            Row::LeftOut(_) => None,
        })
    };
    let one_file = steps().zip(steps().skip(1)).all(|(step, next)| step.file == next.file);
    let several_threads = steps().any(|step| step.thread > 0);
    let mut columns = vec![Column::fixed("step", Align::Right)];
    columns.extend(marks.map(|_| Column::fixed("", Align::Left)));
    columns.push(Column::fixed("line", Align::Right));
    columns.extend(several_threads.then(|| Column::fixed("thread", Align::Right)));
    columns.extend([Column::text("statement"), Column::text("what changed")]);
    columns.extend(atom_headings.iter().map(|heading| Column::fixed(heading.as_str(), Align::Centre)));
    let cells = |(at, row): (usize, &Row<'_>)| {
        let mark = marks.map(|marks| marks[at].to_owned());
        let step = match row {
            Row::Step(step) => step,
            Row::LeftOut(count) => {
                let mut cells: Vec<String> = [Some("⋮".to_owned()), mark].into_iter().flatten().collect();
                cells.extend(vec![String::new(); 1 + usize::from(several_threads)]);
                cells.push(format!("({count} steps left out)"));
                cells.resize(columns.len(), String::new());
                return cells;
            }
        };
        let line = if one_file { step.line.to_string() } else { format!("{}:{}", step.file, step.line) };
        let thread = several_threads.then(|| step.thread.to_string());
        let mut cells: Vec<String> =
            [Some(step.step.to_string()), mark, Some(line), thread].into_iter().flatten().collect();
        cells.push(shortened(&step.statement));
        // A change stays on one line where that is possible.
        let changes = step.changes.iter().map(|ShownChange { name, value, enumerator }| {
            format!("{name}{UNBROKEN}={UNBROKEN}{}", enumerator.as_ref().unwrap_or(value))
        });
        cells.push(changes.chain(step.events.iter().cloned()).collect::<Vec<_>>().join(", "));
        cells.extend(step.holds.iter().map(|&holds| if holds { "T" } else { "·" }.to_owned()));
        cells
    };
    let cells: Vec<Vec<String>> = rows.iter().enumerate().map(cells).collect();
    table::render(&columns, &cells, width)
}

/// A statement on one line, and no longer than a glance.
fn shortened(statement: &str) -> String {
    const MOST_COLUMNS: usize = 48;
    let words = statement.split_whitespace().collect::<Vec<_>>().join(" ");
    if columns_of(&words) <= MOST_COLUMNS {
        return words;
    }
    words.chars().take(MOST_COLUMNS - 1).chain(['…']).collect()
}

/// What stands above the atoms' columns: their own texts where there is room, else short names with a legend.
pub(crate) struct AtomHeadings {
    pub texts: Vec<String>,
    pub legend: Vec<String>,
}

impl AtomHeadings {
    pub fn choose(atoms: &[String], width: usize) -> Self {
        /// What the other columns need to be readable.
        const OTHER_COLUMNS: usize = 64;
        let needed: usize = atoms.iter().map(|atom| columns_of(atom) + 2).sum();
        if needed + OTHER_COLUMNS <= width {
            return Self { texts: atoms.to_vec(), legend: Vec::new() };
        }
        let texts: Vec<String> = (0..atoms.len()).map(short_name).collect();
        let legend = texts.iter().zip(atoms).map(|(short, atom)| format!("{short}: {atom}")).collect();
        Self { texts, legend }
    }
}

/// `a`, …, `z`, `a2`, …
fn short_name(index: usize) -> String {
    let letter = char::from(b'a' + (index % 26) as u8);
    match index / 26 {
        0 => letter.to_string(),
        round => format!("{letter}{}", round + 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(number: usize, line: u32, statement: &str, changes: &[(&str, &str)], holds: &[bool]) -> TraceStep {
        TraceStep {
            step: number,
            file: "a.c".into(),
            line,
            function: "main".into(),
            thread: 0,
            occasion: "statement",
            statement: statement.to_owned(),
            changes: changes
                .iter()
                .map(|(name, value)| ShownChange { name: (*name).into(), value: (*value).into(), enumerator: None })
                .collect(),
            events: Vec::new(),
            holds: holds.to_vec(),
        }
    }

    fn example() -> TraceReport {
        TraceReport {
            integers: "machine".into(),
            observe: "statement".into(),
            data_model: "LP64".into(),
            atomic: None,
            choices: "seed 1".into(),
            atoms: vec!["\"x > 0\"".into(), "end".into()],
            assumptions: Vec::new(),
            steps: vec![
                step(0, 3, "entry of main", &[], &[false, false]),
                step(1, 4, "x =\n  x + 1", &[("x", "1"), ("a[2].f", "7")], &[true, false]),
                step(2, 5, "x = 0", &[("x", "0")], &[false, false]),
            ],
            end: End { complete: true, repeats_from: Some(1), blocked: false, reason: "the program never ends".into() },
            properties: vec![PropertyOnTrace {
                name: None,
                property: "G F \"x > 0\"".into(),
                truth: "true",
                decided_at: None,
                note: None,
            }],
            warnings: Vec::new(),
        }
    }

    #[test]
    fn a_trace_reads_from_top_to_bottom() {
        let expected = "\
step  line  statement      what changed       \"x > 0\"  end
────  ────  ─────────────  ─────────────────  ───────  ───
   0     3  entry of main                        ·      ·
   1     4  x = x + 1      x = 1, a[2].f = 7     T      ·
   2     5  x = 0          x = 0                 ·      ·
the program never ends; steps 1 to 2 are repeated for ever
(machine integers, LP64, one observation per statement)

property: G F \"x > 0\"
on this trace: true (decided by what is repeated for ever)
";
        assert_eq!(render(&example(), 100), expected);
    }

    #[test]
    fn wide_atoms_get_short_names() {
        let mut trace = example();
        trace.atoms[0] = format!("\"{}\"", "x + ".repeat(20));
        let text = render(&trace, 80);
        assert!(text.starts_with("a: \"x + "), "{text}");
        assert!(text.contains("b: end\n"), "{text}");
        let table = text.lines().skip_while(|line| !line.is_empty());
        assert!(table.clone().count() > 5);
        for line in table.take_while(|line| !line.starts_with("property")) {
            assert!(columns_of(line) <= 80, "{line}");
        }
    }

    #[test]
    fn short_names_differ() {
        let names: Vec<String> = (0..200).map(short_name).collect();
        let mut sorted = names.clone();
        sorted.sort();
        sorted.dedup();
        assert_eq!(sorted.len(), names.len());
        assert_eq!((names[0].as_str(), names[25].as_str(), names[26].as_str()), ("a", "z", "a2"));
    }
}
