//! The compiled side of a replay: the user's program is compiled with a driver that feeds the recorded inputs, runs
//! through the stem and some turns of the loop, and what it observes is compared with what the interpreter did.
//!
//! The flags are those under which the semantics agrees with compilers (`docs/semantics.md`).

mod compare;
mod driver;
mod expected;
mod instrument;
mod queues;
mod stubs;
#[cfg(test)]
mod tests;

use std::time::Duration;

use certify::Replayed;
use foundation::{Budget, SourceMap};
use host::{Allowance, Ending, NotCompiled, Workshop};
use program::semantics::{Integers, RunEnd};
use serde::Serialize;
use subject::Subject;
use task::{Lasso, Task};

use crate::compare::{Comparison, compare};
use crate::driver::{CompiledDriver, RUNTIME, driver, machine_options};
use crate::expected::{Expected, FollowedReach, follow};

/// What became of the compiled side. This is also the JSON form.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Compiled {
    /// What happened, in a word.
    pub result: CompiledResult,
    /// The compiler with its flags; none where it was not called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compiler: Option<String>,
    /// How many observed states were compared.
    pub compared: usize,
    /// What happened, in words.
    pub text: String,
    /// What limits the comparison, in words.
    pub limits: Vec<String>,
}

/// How a comparison ended.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum CompiledResult {
    /// Everything that was compared is the same.
    Same,
    /// Something is different.
    Differs,
    /// Nothing was compared.
    Skipped,
}

/// More states than this are not compared.
const MOST_COMPARED_STATES: usize = 50_000;

/// How long a compiler may take.
const COMPILE_TIME: Duration = Duration::from_secs(60);

/// What the compiled program may use.
const ALLOWANCE: Allowance = Allowance { time: Some(Duration::from_secs(10)), memory: Some(2 << 30), output: 16 << 20 };

/// Compiles and runs a counterexample that the interpreter has confirmed, and compares.
pub fn compare_compiled(
    subject: &Subject,
    task: &Task,
    lasso: &Lasso,
    replayed: &Replayed,
    turns: usize,
    sources: &SourceMap,
    budget: &Budget,
) -> Compiled {
    let observations = match replayed.run.end {
        RunEnd::Lasso { start } => {
            let round = replayed.run.observations.len() - start;
            start.saturating_add(round.saturating_mul(turns))
        }
        // A loop in which nothing is observed, or an end: as far as it goes.
        _ => replayed.run.observations.len(),
    };
    let observations = observations.max(1);
    let expected = follow(task, lasso, FollowedReach { observations, events: MOST_COMPARED_STATES }, budget);
    let skipped = |text: String, compiler| Compiled {
        result: CompiledResult::Skipped,
        compiler,
        compared: 0,
        text: format!("not compiled: {text}"),
        limits: Vec::new(),
    };
    let workshop = match Workshop::new() {
        Ok(workshop) => workshop,
        Err(error) => return skipped(format!("no folder for it: {error}"), None),
    };
    let trace_path = workshop.path("trace.txt").display().to_string();
    let driver = match driver(subject, task, sources, &expected, &trace_path) {
        Ok(driver) => driver,
        Err(reason) => return skipped(reason, None),
    };
    let compiler = match compile(&workshop, &driver, task, budget) {
        Ok(compiler) => compiler,
        Err(reason) => return skipped(reason, None),
    };
    let ending = match workshop.run("program", ALLOWANCE, budget) {
        Ok(watched) => watched.ending,
        Err(error) => return skipped(format!("it cannot be run: {error}"), Some(compiler)),
    };
    let trace = workshop.read("trace.txt").unwrap_or_default();
    let atoms: Vec<String> = task.formulas.atoms().iter().map(|(_, atom)| atom.to_string()).collect();
    let limits = limits(subject, &driver, &expected, &atoms);
    let compared = driver.marks.len();
    let (result, text) = match compare(&trace, &driver, &expected, &atoms, sources) {
        Comparison::Same => {
            (CompiledResult::Same, format!("compiled and run: {compared} observed states, the same in both"))
        }
        Comparison::Differs(what) => {
            let ended = match ending {
                Ending::Exited(0) => String::new(),
                Ending::Exited(status) => format!(" (it ended with status {status})"),
                Ending::Signalled(signal) => format!(" (it was ended by signal {signal})"),
                Ending::Stopped(exhausted) => format!(" (it was stopped: {exhausted})"),
                Ending::TooMuchOutput => " (it printed too much)".to_owned(),
            };
            (CompiledResult::Differs, format!("compiled and run, with a difference: {what}{ended}"))
        }
    };
    Compiled { result, compiler: Some(compiler), compared, text, limits }
}

/// The flags of every compiled check.
const FLAGS: &[&str] = &["-std=gnu11", "-O0", "-fwrapv", "-fno-strict-aliasing", "-fno-builtin", "-w", "-pipe"];

/// Compiles a driver to `program`; returns the compiler with its flags, or why there is no program.
fn compile(workshop: &Workshop, driver: &CompiledDriver, task: &Task, budget: &Budget) -> Result<String, String> {
    let budget = &budget.clone().with_time(COMPILE_TIME);
    let machine = machine_options(task.program.types.data_model());
    let common: Vec<String> = FLAGS.iter().chain(machine).map(|&flag| flag.to_owned()).collect();
    let write = |name: &str, text: &str| workshop.write(name, text).map_err(|error| error.to_string());
    write("runtime.c", RUNTIME)?;
    write("tables.c", &driver.tables)?;
    let mut arguments = common;
    arguments.extend(driver.sizes.iter().map(|size| format!("-D{size}")));
    arguments.extend(["-o", "program", "runtime.c", "tables.c"].map(str::to_owned));
    for (number, text) in driver.units.iter().enumerate() {
        let name = format!("unit{number}.c");
        write(&name, text)?;
        arguments.push(name);
    }
    arguments.extend(["-pthread", "-lm"].map(str::to_owned));
    let compiler = workshop.compile(&arguments, budget).map_err(why)?;
    Ok(format!("{compiler} {}", FLAGS[1..4].iter().chain(machine).copied().collect::<Vec<_>>().join(" ")))
}

fn why(fault: NotCompiled) -> String {
    match fault {
        NotCompiled::NoCompiler(tried) => {
            let tried: Vec<String> = tried.iter().map(|name| format!("`{name}`")).collect();
            format!("there is no C compiler (tried {})", tried.join(", "))
        }
        NotCompiled::Rejected { compiler, messages } => {
            let is_error = |line: &&str| line.contains("error") || line.contains("undefined reference");
            let first = messages.lines().find(is_error).or(messages.lines().next()).unwrap_or("no message");
            format!("`{compiler}` refuses it: {first}")
        }
        NotCompiled::Exhausted(exhausted) => format!("the compiler was stopped: {exhausted}"),
        NotCompiled::System(error) => format!("the compiler cannot be run: {error}"),
    }
}

/// What a comparison does not cover, and what may explain a difference.
fn limits(subject: &Subject, driver: &CompiledDriver, expected: &Expected, atoms: &[String]) -> Vec<String> {
    let mut limits = Vec::new();
    for (atom, reason) in &driver.uncompared {
        limits.push(format!("{} is not compared: {reason}", atoms[*atom]));
    }
    if driver.unprobed > 0 {
        limits.push(format!("{} observed states have no probe in the compiled program", driver.unprobed));
    }
    if expected.events.len() >= MOST_COMPARED_STATES {
        limits.push(format!("only the first {MOST_COMPARED_STATES} states are compared"));
    }
    if subject.semantics.integers == Integers::Ideal {
        limits.push("integers are unbounded in the interpreter and wrap around in the compiled program".to_owned());
    }
    if expected.undefined {
        limits.push("what is undefined may do anything in the compiled program".to_owned());
    } else if expected.overflows {
        limits.push("a signed integer overflows; both wrap around, which other flags would not".to_owned());
    }
    if expected.interrupts {
        limits.push(
            "the schedule interrupts statements; in the compiled program threads alternate between them only"
                .to_owned(),
        );
    }
    limits
}
