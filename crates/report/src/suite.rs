//! What `semper suite` found: the result of each task, and the totals, as a table for people and as JSON.
//!
//! A verdict is *correct* or *wrong* against the label of its task; both are definite. What is less is counted apart:
//! *unknown* (the checker gave up, with a reason) and *error* (it gave no answer at all). Nothing here runs a task.

use std::collections::BTreeMap;

use serde::Serialize;

mod plot;
mod table;

pub use plot::quantile_plot;
pub use table::{TableLayout, closing};

/// A run of a suite. This is its JSON form.
#[derive(Serialize, Clone, Debug)]
pub struct SuiteReport {
    /// The version of Semper.
    pub version: String,
    /// When the run began, in universal time, as ISO 8601 has it.
    pub date: String,
    /// The words of the command.
    pub command: Vec<String>,
    /// Where it ran.
    pub machine: MachineReport,
    /// What each task was allowed.
    pub limits: LimitsReport,
    /// Whether the user ended the run before all tasks had a result.
    pub interrupted: bool,
    /// The results counted.
    pub totals: Totals,
    /// The results, in the order of the tasks.
    pub results: Vec<TaskReport>,
}

/// A machine in figures.
#[derive(Serialize, Clone, Debug)]
pub struct MachineReport {
    /// The operating system with its version, and the architecture.
    pub system: String,
    /// The processor's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub processor: Option<String>,
    /// How many threads run at the same time.
    pub cores: usize,
    /// Bytes of memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
}

/// What each task was allowed.
#[derive(Serialize, Clone, Debug)]
pub struct LimitsReport {
    /// Seconds of wall-clock time.
    pub seconds: f64,
    /// Bytes of memory.
    pub memory: u64,
    /// How many tasks ran at a time.
    pub jobs: usize,
}

/// A task and its result.
#[derive(Serialize, Clone, Debug)]
pub struct TaskReport {
    /// The task's name: the path of its definition as far as it tells tasks apart, and the property where there are several.
    pub task: String,
    /// The file that defines it.
    pub definition: String,
    /// The program's files.
    pub input_files: Vec<String>,
    /// The file of the property.
    pub property_file: String,
    /// The label: `holds` or `violated`; absent where the task has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expected: Option<&'static str>,
    /// Which part of the property is violated, by the label. It is not compared with anything.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subproperty: Option<String>,
    /// How the verdict stands to the label.
    pub outcome: Rating,
    /// The verdict: `holds`, `violated` or `unknown`; absent for an error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub verdict: Option<&'static str>,
    /// Why there is no definite verdict.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The engine that answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Seconds of wall-clock time, the start of the process included.
    pub wall_seconds: f64,
    /// Seconds on processors, all threads together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cpu_seconds: Option<f64>,
    /// The most bytes of memory that were held at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory: Option<u64>,
    /// What shows that the verdict is right; absent where it is not definite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceReport>,
    /// What the engine counted, as `semper check` reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistics: Option<serde_json::Value>,
    /// The words of the command that was run for it.
    pub command: Vec<String>,
}

/// What shows that a verdict is right.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct EvidenceReport {
    /// Whether something other than the engine has checked it.
    pub checked: bool,
    /// What it is, or what has checked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by: Option<String>,
}

/// How a verdict stands to the label of its task.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Rating {
    /// It is the label.
    Correct,
    /// It is the opposite of the label.
    Wrong,
    /// It is definite, and the task has no label.
    Unlabelled,
    /// It is not definite.
    Unknown,
    /// There is none: the checker refused its input, failed, or was killed.
    Error,
}

impl Rating {
    /// Whether the verdict is definite.
    pub fn is_definite(self) -> bool {
        matches!(self, Rating::Correct | Rating::Wrong | Rating::Unlabelled)
    }
}

/// Results counted.
#[derive(Serialize, Clone, PartialEq, Debug, Default)]
pub struct Totals {
    /// How many tasks there are.
    pub tasks: usize,
    /// Verdicts that are the label.
    pub correct: usize,
    /// Those among them that say `holds`.
    pub correct_holds: usize,
    /// Those among them that say `violated`.
    pub correct_violated: usize,
    /// Verdicts that are the opposite of the label.
    pub wrong: usize,
    /// Definite verdicts on tasks without a label.
    pub unlabelled: usize,
    /// Verdicts that are not definite.
    pub unknown: usize,
    /// The same by the first word of the reason.
    pub unknown_by_reason: BTreeMap<String, usize>,
    /// Tasks without any verdict.
    pub error: usize,
    /// Tasks that were not run to their end, because the user ended the run.
    pub not_run: usize,
    /// The sum of the wall-clock seconds of all results.
    pub wall_seconds: f64,
    /// The median of the wall-clock seconds of all results; 0 where there is none.
    pub median_wall_seconds: f64,
    /// The sum of the processor seconds of all results.
    pub cpu_seconds: f64,
    /// Definite verdicts whose evidence was checked.
    pub checked: usize,
}

impl Totals {
    /// Counts the results of so many tasks.
    pub fn of(results: &[TaskReport], tasks: usize) -> Self {
        let mut totals = Totals { tasks, not_run: tasks.saturating_sub(results.len()), ..Totals::default() };
        for result in results {
            totals.add(result);
        }
        totals.median_wall_seconds = median(results.iter().map(|result| result.wall_seconds).collect());
        totals
    }

    fn add(&mut self, result: &TaskReport) {
        match result.outcome {
            Rating::Correct => self.correct += 1,
            Rating::Wrong => self.wrong += 1,
            Rating::Unlabelled => self.unlabelled += 1,
            Rating::Unknown => {
                self.unknown += 1;
                let reason = result.reason.as_deref().unwrap_or("no reason");
                *self.unknown_by_reason.entry(kind_of(reason).to_owned()).or_default() += 1;
            }
            Rating::Error => self.error += 1,
        }
        if result.outcome == Rating::Correct {
            match result.verdict {
                Some("holds") => self.correct_holds += 1,
                _ => self.correct_violated += 1,
            }
        }
        self.wall_seconds += result.wall_seconds;
        self.cpu_seconds += result.cpu_seconds.unwrap_or(0.0);
        let checked = result.evidence.as_ref().is_some_and(|evidence| evidence.checked);
        self.checked += usize::from(result.outcome.is_definite() && checked);
    }

    /// How many verdicts are definite.
    pub fn definite(&self) -> usize {
        self.correct + self.wrong + self.unlabelled
    }
}

/// The kind of a reason, without what it says in particular: `unsupported` of ``unsupported: recursion in `f` ``.
fn kind_of(reason: &str) -> &str {
    reason.split([':', '(', ',']).next().unwrap_or(reason).trim()
}

/// The middle value, or the mean of the two in the middle.
fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        count => (values[(count - 1) / 2] + values[count / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests;
