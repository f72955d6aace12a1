//! Errors against sanitisers: a program runs into an error in the interpreter exactly if the address or undefined-behaviour
//! sanitiser of a C compiler stops it, and otherwise both end in the same state. The programs have no input, so the
//! explicit engine must say the same of `G ! error`.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use engines::explicit::Explicit;
use foundation::Budget;
use program::DataModel;
use semper::{Input, Properties, Request};
use task::Scheduler;

use crate::compiled::{self, CompiledError, Compiler};
use crate::differential::{FirstDifference, Outcome, compare_traces};
use crate::engines::answer;
use crate::interpreted;
use crate::program::GeneratedProgram;

/// One program in so many is also checked by the explicit engine.
const CHECKED_EACH: u64 = 8;
/// How long a run or a check may take: milliseconds, but for a machine that is busy with something else.
const LONGEST: Duration = Duration::from_secs(120);

/// How many programs came to what.
#[derive(Default, Debug)]
pub struct Tally {
    errors: AtomicU64,
    ended: AtomicU64,
    checked: AtomicU64,
    unknown: AtomicU64,
}

impl fmt::Display for Tally {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        write!(
            formatter,
            "{} programs run into an error, {} end; `G ! error` checked on {}, unknown on {}",
            number(&self.errors),
            number(&self.ended),
            number(&self.checked),
            number(&self.unknown)
        )
    }
}

/// How a run ends.
#[derive(Clone, PartialEq, Eq, Debug)]
enum RunEnding {
    /// With these observed states.
    States(Vec<String>),
    /// In an error, with words for it.
    Error(String),
}

impl RunEnding {
    fn words(&self) -> String {
        match self {
            RunEnding::States(states) => states.last().cloned().unwrap_or_default(),
            RunEnding::Error(what) => format!("error: {what}"),
        }
    }
}

/// Compares the endings of a program.
pub fn compare(program: &GeneratedProgram, compiler: &Compiler, tally: &Tally) -> Outcome {
    let expected = match sanitised(program, compiler) {
        Ok(ending) => ending,
        Err(message) => return Outcome::Invalid(message),
    };
    let found = match interpreted::trace(program, DataModel::Lp64) {
        Ok(states) => RunEnding::States(states),
        Err(message) if message.starts_with("undefined behaviour") => RunEnding::Error(message),
        Err(message) => return Outcome::Refusal(message),
    };
    let outcome = match (&expected, &found) {
        (RunEnding::States(expected), RunEnding::States(found)) => {
            tally.ended.fetch_add(1, Ordering::Relaxed);
            compare_traces(expected, found)
        }
        (RunEnding::Error(_), RunEnding::Error(_)) => {
            tally.errors.fetch_add(1, Ordering::Relaxed);
            Outcome::Agreement { states: 1 }
        }
        _ => disagreement(&expected, found.words()),
    };
    if !matches!(outcome, Outcome::Agreement { .. }) || !program.seed.is_multiple_of(CHECKED_EACH) {
        return outcome;
    }
    match checked(program) {
        Err(message) => Outcome::Refusal(message),
        Ok(None) => {
            tally.unknown.fetch_add(1, Ordering::Relaxed);
            outcome
        }
        Ok(Some(holds)) if holds == matches!(expected, RunEnding::States(_)) => {
            tally.checked.fetch_add(1, Ordering::Relaxed);
            outcome
        }
        Ok(Some(holds)) => {
            let verdict = if holds { "holds" } else { "is violated" };
            disagreement(&expected, format!("`G ! error` {verdict} for the explicit engine"))
        }
    }
}

fn disagreement(expected: &RunEnding, found: String) -> Outcome {
    Outcome::Disagreement(FirstDifference { state: 1, expected: expected.words(), found })
}

/// How the program ends when it is compiled with sanitisers.
fn sanitised(program: &GeneratedProgram, compiler: &Compiler) -> Result<RunEnding, String> {
    match compiled::trace_within(program, compiler, LONGEST) {
        Ok(states) => Ok(RunEnding::States(states)),
        Err(CompiledError::Crashed(messages)) => {
            let told = messages
                .lines()
                .find(|line| line.contains("ERROR: AddressSanitizer") || line.contains("runtime error"));
            match told {
                Some(line) => Ok(RunEnding::Error(line.to_owned())),
                None => Err(messages),
            }
        }
        Err(other) => Err(other.to_string()),
    }
}

/// Whether no error can be reached, by the explicit engine with evidence that was checked; none where it cannot tell.
fn checked(program: &GeneratedProgram) -> Result<Option<bool>, String> {
    let request = Request {
        files: vec![Input::Text { name: "program.c".into(), text: program.text.clone() }],
        properties: Properties::Formulas(vec!["G ! error".to_owned()]),
        ..Request::default()
    };
    let budget = Budget::unlimited().with_time(LONGEST).with_memory(1 << 30);
    let Some(subject) = semper::load(&request, &budget).subject else {
        return Err("`semper check` refuses the program".to_owned());
    };
    let task = semper::check::task_of(&subject, 0, Scheduler::Any);
    let answered = answer(&Explicit::default(), &task, &budget);
    match answered.fault {
        Some(fault) => Err(fault),
        None => Ok(answered.holds),
    }
}
