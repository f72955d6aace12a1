//! Running tasks, several at a time, each as a process of its own.
//!
//! The process keeps its limits itself and then says what it knows; it is ended by force only where it does not. The
//! results are handed over in the order of the tasks, however they come in.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Duration;

use foundation::{Budget, Exhausted};
use host::{Allowance, Usage};
use report::suite::{Rating, TaskReport};

use crate::answer::{ProcessAnswer, Verdict};
use crate::definition::LabelledTask;

/// How tasks are run.
#[derive(Clone, Debug)]
pub struct SuitePlan {
    /// The program that is run: `semper`, or something that understands the command line of `semper check`.
    pub executable: PathBuf,
    /// Options for every task, between `check` and those that the task itself calls for.
    pub options: Vec<OsString>,
    /// How long a task may take.
    pub time: Duration,
    /// How many bytes of memory a task may hold.
    pub memory: u64,
    /// How many tasks run at a time; 0 counts as 1.
    pub jobs: usize,
    /// How long after its time a task is ended by force.
    pub grace: Duration,
}

impl SuitePlan {
    /// The usual grace: a busy machine needs a moment to start and to end a process.
    pub const GRACE: Duration = Duration::from_secs(5);

    /// The words after the program's name that check a task.
    fn arguments(&self, task: &LabelledTask) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["check".into()];
        words.extend(self.options.iter().cloned());
        words.extend(["--format".into(), "json".into()]);
        words.extend(["--timeout".into(), format!("{}s", self.time.as_secs_f64()).into()]);
        words.extend(["--memory".into(), self.memory.to_string().into()]);
        if let Some(data_model) = task.data_model {
            words.extend(["--data-model".into(), data_model.to_string().into()]);
        }
        words.extend(["--spec".into(), task.property.clone().into(), "--".into()]);
        words.extend(task.inputs.iter().map(OsString::from));
        words
    }

    fn allowance(&self) -> Allowance {
        /// A process looks at its own memory some fifty times a second: what it gets in between it may have.
        const LEAST_SLACK_BYTES: u64 = 64 << 20;
        /// The counterexample of a long run is long.
        const OUTPUT_BYTES: usize = 1 << 30;
        Allowance {
            time: self.time.checked_add(self.grace),
            memory: Some(self.memory.saturating_add((self.memory / 4).max(LEAST_SLACK_BYTES))),
            output: OUTPUT_BYTES,
        }
    }
}

/// What happens while a suite runs.
#[derive(Clone, Copy, Debug)]
pub enum SuiteProgress<'a> {
    /// A task was started.
    Started(&'a LabelledTask),
    /// A task and all before it have results; this is its one.
    Finished(&'a TaskReport),
}

/// Runs all tasks, and tells what happens. The results are in the order of the tasks. Where the budget ends before they
/// all have one, those that were not started or not decided by then are missing.
pub fn run(
    tasks: &[LabelledTask],
    plan: &SuitePlan,
    budget: &Budget,
    mut tell: impl FnMut(SuiteProgress<'_>),
) -> Vec<TaskReport> {
    let next = AtomicUsize::new(0);
    let (sender, events) = mpsc::channel();
    std::thread::scope(|scope| {
        for _ in 0..plan.jobs.clamp(1, tasks.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while budget.check().is_ok() {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(task) = tasks.get(index) else { break };
                    // The receiver is gone only where the whole suite is.
                    let _ = sender.send((index, None));
                    let _ = sender.send((index, Some(run_one(task, plan, budget))));
                }
            });
        }
        drop(sender);
        in_order(tasks, events, &mut tell)
    })
}

/// Tells of results in the order of the tasks: one that comes too early waits for those before it.
fn in_order(
    tasks: &[LabelledTask],
    events: mpsc::Receiver<(usize, Option<Option<TaskReport>>)>,
    tell: &mut impl FnMut(SuiteProgress<'_>),
) -> Vec<TaskReport> {
    let mut waiting: BTreeMap<usize, Option<TaskReport>> = BTreeMap::new();
    let mut results = Vec::new();
    let mut turn = 0;
    for (index, event) in events {
        let Some(result) = event else {
            tell(SuiteProgress::Started(&tasks[index]));
            continue;
        };
        waiting.insert(index, result);
        while let Some(result) = waiting.remove(&turn) {
            turn += 1;
            if let Some(result) = result {
                tell(SuiteProgress::Finished(&result));
                results.push(result);
            }
        }
    }
    results
}

/// The result of a task; none where the user ended the run before it had a definite one.
fn run_one(task: &LabelledTask, plan: &SuitePlan, budget: &Budget) -> Option<TaskReport> {
    let arguments = plan.arguments(task);
    let (answer, usage) = match host::watch(&plan.executable, &arguments, plan.allowance(), budget) {
        Ok(watched) => (ProcessAnswer::of(&watched), watched.usage),
        Err(error) => {
            (ProcessAnswer::error(format!("cannot start `{}`: {error}", plan.executable.display())), Usage::default())
        }
    };
    let definite = matches!(answer.verdict, Some(Verdict::Holds | Verdict::Violated));
    if !definite && budget.check() == Err(Exhausted::Cancelled) {
        return None;
    }
    Some(result(task, answer, usage, &arguments))
}

fn result(task: &LabelledTask, answer: ProcessAnswer, usage: Usage, arguments: &[OsString]) -> TaskReport {
    let outcome = match (answer.verdict, task.expected) {
        (None, _) => Rating::Error,
        (Some(Verdict::Unknown), _) => Rating::Unknown,
        (_, None) => Rating::Unlabelled,
        (Some(verdict), Some(expected)) if (verdict == Verdict::Holds) == expected => Rating::Correct,
        _ => Rating::Wrong,
    };
    let words = arguments.iter().map(|word| word.to_string_lossy().into_owned());
    TaskReport {
        task: task.name.clone(),
        definition: task.definition.clone(),
        input_files: task.inputs.clone(),
        property_file: task.property.clone(),
        expected: task.expected.map(|holds| if holds { "holds" } else { "violated" }),
        subproperty: task.subproperty.clone(),
        outcome,
        verdict: answer.verdict.map(Verdict::word),
        reason: answer.reason,
        engine: answer.engine,
        wall_seconds: usage.wall.as_secs_f64(),
        cpu_seconds: usage.processor.map(|time| time.as_secs_f64()),
        memory: usage.peak_memory,
        evidence: answer.evidence,
        statistics: answer.statistics,
        command: std::iter::once("semper".to_owned()).chain(words).collect(),
    }
}
