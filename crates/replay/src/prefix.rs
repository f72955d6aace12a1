//! Bad prefixes: violations that are complete after finitely many steps.
//!
//! Where no continuation of what was observed can satisfy the goal, how the execution goes on does not matter, as long as
//! it goes on: a run that is blocked by an assumption is no execution. So two things are checked. The goal is false of every
//! extension of the observed prefix, which is found out by progressing the formula and a plain tableau
//! ([`Progression`]), not by an engine's automaton. And the program cannot be blocked at all: at every location one of the
//! edges can always be taken.

use std::cell::RefCell;

use automata::ltl::{PrefixTruth, Progression};
use foundation::Budget;
use program::semantics::record::RunRecord;
use program::semantics::{Run, RunEnd, UndefinedMode};
use task::{Lasso, Task};

use crate::answers::{Answers, Log};
use crate::closing::Closing;
use crate::replay::{Rejected, Replayed};
use crate::walk::{Story, Walk};

/// A bad prefix is looked for among so many steps.
const MOST_STEPS: u64 = 100_000;

/// The answers of a lasso, as far as they lead to a prefix after which the goal is lost.
pub fn bad_prefix(task: &Task, lasso: &Lasso, budget: &Budget) -> Result<Replayed, Rejected> {
    if task.semantics.undefined == UndefinedMode::Assume || task.program.has_threads() || task.program.may_be_cut() {
        return Err(Rejected::NotBad);
    }
    let steps = steps_to_loss(task, lasso, budget)?;
    tell(task, lasso, steps, budget)
}

/// After how many steps the goal is lost.
fn steps_to_loss(task: &Task, lasso: &Lasso, budget: &Budget) -> Result<u64, Rejected> {
    let log = RefCell::new(Log::default());
    let mut answers = Answers::new(lasso, &log);
    let mut walk = Walk::new(task, &mut answers, &log, false);
    let mut progression = Progression::new(&task.formulas, task.formula());
    let mut read = 0;
    let mut ended = walk.begin().is_some();
    loop {
        let before = read;
        for letter in walk.word().letters(&walk.word().numbers[read..]) {
            progression.step(&letter);
            read += 1;
        }
        if read > before && progression.truth() == PrefixTruth::False {
            return Ok(walk.steps());
        }
        if ended || walk.steps() >= MOST_STEPS {
            return Err(Rejected::NotBad);
        }
        walk.check(budget)?;
        ended = walk.step().is_some();
    }
}

/// Walks the same way again and tells what happened.
fn tell(task: &Task, lasso: &Lasso, steps: u64, budget: &Budget) -> Result<Replayed, Rejected> {
    let log = RefCell::new(Log::default());
    let mut answers = Answers::new(lasso, &log);
    let mut walk = Walk::new(task, &mut answers, &log, true);
    let mut ended = walk.begin().is_some();
    while !ended && walk.steps() < steps {
        walk.check(budget)?;
        ended = walk.step().is_some();
    }
    let (_, inputs, story) = walk.into_parts();
    let mut story = story.expect("this walk tells");
    let warnings = story.record.warnings();
    let Story { record: RunRecord { observations, .. }, values, .. } = story;
    let run = Run { observations, end: RunEnd::Limit, warnings, edges: steps };
    let inputs = inputs.into_iter().map(|(_, input)| input).collect();
    Ok(Replayed { run, values, inputs, closing: Closing::BadPrefix, starved: Vec::new(), abridged: None })
}
