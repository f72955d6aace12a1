//! The table of a suite, line by line: the widths are fixed before the first result is known.

use super::{Rating, SuiteReport, TaskReport, Totals};
use crate::Style;
use crate::table::columns_of;

const GAP: &str = "  ";
const RED: &str = "\u{1b}[31m";
const USUAL: &str = "\u{1b}[0m";

/// The columns of a table, as wide as they will stay.
#[derive(Clone, Debug)]
pub struct TableLayout {
    columns: Vec<(Column, usize)>,
    colours: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Column {
    Task,
    Expected,
    Verdict,
    Engine,
    Seconds,
    Memory,
    Evidence,
}

impl Column {
    /// All columns with their widths, but for the last one and the first, which share what is left.
    const FIXED: [(Column, usize); 5] =
        [(Column::Expected, 8), (Column::Verdict, 10), (Column::Engine, 10), (Column::Seconds, 8), (Column::Memory, 8)];

    fn heading(self) -> &'static str {
        match self {
            Column::Task => "task",
            Column::Expected => "expected",
            Column::Verdict => "verdict",
            Column::Engine => "engine",
            Column::Seconds => "seconds",
            Column::Memory => "memory",
            Column::Evidence => "evidence or reason",
        }
    }

    fn cell(self, result: &TaskReport) -> String {
        match self {
            Column::Task => result.task.clone(),
            Column::Expected => result.expected.unwrap_or("–").to_owned(),
            Column::Verdict => match (result.outcome, result.verdict) {
                (Rating::Wrong, Some(verdict)) => format!("✗ {verdict}"),
                (_, verdict) => verdict.unwrap_or("error").to_owned(),
            },
            Column::Engine => result.engine.clone().unwrap_or_default(),
            Column::Seconds => format!("{:.2}", result.wall_seconds),
            Column::Memory => result.memory.map(memory).unwrap_or_default(),
            Column::Evidence => match (&result.reason, &result.evidence) {
                (Some(reason), _) => reason.clone(),
                (None, Some(evidence)) => match (evidence.checked, &evidence.by) {
                    (true, Some(by)) => by.clone(),
                    (true, None) => "checked".to_owned(),
                    (false, Some(by)) => format!("not checked: {by}"),
                    (false, None) => "not checked".to_owned(),
                },
                (None, None) => String::new(),
            },
        }
    }
}

impl TableLayout {
    /// Lays out a table for tasks of these names. Where the lines are too short for all columns, some are left out.
    pub fn new<'a>(names: impl IntoIterator<Item = &'a str>, style: Style) -> Self {
        /// A name is cut to so many columns where that makes room for the evidence.
        const LEAST_TASK_COLUMNS: usize = 20;
        const LEAST_EVIDENCE_COLUMNS: usize = 18;
        let longest = names.into_iter().map(columns_of).max().unwrap_or(0).max(Column::Task.heading().len());
        let mut columns = Column::FIXED.to_vec();
        let mut evidence = true;
        let room = |columns: &[(Column, usize)]| {
            let taken: usize = columns.iter().map(|(_, width)| width + GAP.len()).sum();
            style.width.saturating_sub(taken)
        };
        let task = longest.min(LEAST_TASK_COLUMNS);
        if room(&columns) < task + GAP.len() + LEAST_EVIDENCE_COLUMNS {
            columns.retain(|(column, _)| *column != Column::Engine);
        }
        if room(&columns) < task + GAP.len() + LEAST_EVIDENCE_COLUMNS {
            evidence = false;
        }
        if room(&columns) < task {
            columns.retain(|(column, _)| *column != Column::Memory);
        }
        let room = room(&columns);
        let task = match evidence {
            true => longest.min(room - GAP.len() - LEAST_EVIDENCE_COLUMNS),
            false => longest.min(room.max(Column::Task.heading().len())),
        };
        columns.insert(0, (Column::Task, task));
        if evidence {
            columns.push((Column::Evidence, room - task - GAP.len()));
        }
        Self { columns, colours: style.colours }
    }

    /// The line of headings and the rule below it.
    pub fn heading(&self) -> String {
        let headings = self.line(|column| column.heading().to_owned());
        let rules: Vec<String> = self.columns.iter().map(|(_, width)| "─".repeat(*width)).collect();
        format!("{headings}\n{}\n", rules.join(GAP))
    }

    /// The line of a result.
    pub fn row(&self, result: &TaskReport) -> String {
        let line = self.line(|column| column.cell(result));
        let loud = self.colours && matches!(result.outcome, Rating::Wrong | Rating::Error);
        if loud { format!("{RED}{line}{USUAL}\n") } else { format!("{line}\n") }
    }

    fn line(&self, cell: impl Fn(Column) -> String) -> String {
        let mut line = String::new();
        for &(column, width) in &self.columns {
            let text = one_line(&cell(column));
            // Names of tasks differ at their ends.
            let text = if column == Column::Task { cut_front(&text, width) } else { cut_back(&text, width) };
            let free = " ".repeat(width.saturating_sub(columns_of(&text)));
            let at_right = matches!(column, Column::Seconds | Column::Memory);
            if column != Column::Task {
                line.push_str(GAP);
            }
            line.push_str(&if at_right { free + &text } else { text + &free });
        }
        line.trim_end().to_owned()
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn cut_back(text: &str, width: usize) -> String {
    if columns_of(text) <= width {
        return text.to_owned();
    }
    text.chars().take(width.saturating_sub(1)).chain(['…']).collect()
}

fn cut_front(text: &str, width: usize) -> String {
    let columns = columns_of(text);
    if columns <= width {
        return text.to_owned();
    }
    std::iter::once('…').chain(text.chars().skip(columns + 1 - width.max(1))).collect()
}

/// Bytes of memory in binary units, with three digits at most.
pub(super) fn memory(bytes: u64) -> String {
    let mebibytes = bytes as f64 / (1 << 20) as f64;
    match mebibytes {
        ..9.95 => format!("{mebibytes:.1} MiB"),
        ..999.5 => format!("{mebibytes:.0} MiB"),
        ..10_188.8 => format!("{:.1} GiB", mebibytes / 1024.0),
        _ => format!("{:.0} GiB", mebibytes / 1024.0),
    }
}

/// What stands below the table: the totals, and once more what is wrong, what failed, and why.
pub fn closing(report: &SuiteReport, style: Style) -> String {
    let mut text = totals(&report.totals);
    if report.interrupted {
        text.push_str("\nThe run was interrupted.\n");
    }
    let (red, usual) = if style.colours { (RED, USUAL) } else { ("", "") };
    let with = |outcome| report.results.iter().filter(move |result| result.outcome == outcome);
    let mut again = String::new();
    for result in with(Rating::Wrong) {
        let (expected, verdict) = (result.expected.unwrap_or_default(), result.verdict.unwrap_or_default());
        again.push_str(&format!("{red}wrong: {}: expected {expected}, found {verdict}{usual}\n", result.task));
    }
    for result in with(Rating::Error) {
        let reason = result.reason.as_deref().unwrap_or_default();
        again.push_str(&format!("{red}error:{usual} {}: {}\n", result.task, one_line(reason)));
    }
    if !again.is_empty() {
        text = format!("{text}\n{again}");
    }
    text
}

fn totals(totals: &Totals) -> String {
    let mut lines = Vec::new();
    let mut count = |name: &str, number: usize, parts: &[(usize, &str)]| {
        let parts: Vec<String> =
            parts.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}")).collect();
        let parts = if parts.is_empty() { String::new() } else { format!("  ({})", parts.join(", ")) };
        lines.push(format!("{name:<10}{number:>6}{parts}"));
    };
    count("correct", totals.correct, &[(totals.correct_holds, "hold"), (totals.correct_violated, "violated")]);
    count("wrong", totals.wrong, &[]);
    if totals.unlabelled > 0 {
        count("no label", totals.unlabelled, &[]);
    }
    let mut reasons: Vec<(usize, &str)> =
        totals.unknown_by_reason.iter().map(|(reason, &count)| (count, reason.as_str())).collect();
    reasons.sort_by_key(|&(count, reason)| (std::cmp::Reverse(count), reason));
    count("unknown", totals.unknown, &reasons);
    count("error", totals.error, &[]);
    if totals.not_run > 0 {
        count("not run", totals.not_run, &[]);
    }
    count("tasks", totals.tasks, &[]);
    lines.push(format!(
        "seconds   {:>9.2} in all, median {:.2}; {:.2} on processors",
        totals.wall_seconds, totals.median_wall_seconds, totals.cpu_seconds
    ));
    let definite = totals.definite();
    if definite > 0 {
        let percent = 100.0 * totals.checked as f64 / definite as f64;
        lines.push(format!("evidence  {:>6} of {definite} definite verdicts checked ({percent:.0} %)", totals.checked));
    }
    lines.iter().map(|line| format!("{line}\n")).collect()
}
