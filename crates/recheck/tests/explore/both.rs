//! Both ways to explore, which must agree, and a C compiler for the second one.

use std::fs;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use automata::buchi::{Automaton, Guard};
use automata::ltl::Unary;
use automata::translate::{Options, Target, translate};
use foundation::Budget;
use recheck::{Explored, Horizon, Unexplored, compiled, interpreted};
use task::Task;

use crate::worlds::task;

/// So many states are enough for a test.
const LIMITS: Horizon = Horizon { states: 20_000, expected: 0 };

/// The automaton of the negated goal, by the translation that engines use.
pub fn negated(task: &Task) -> Automaton<Guard> {
    let mut formulas = task.formulas.clone();
    let negated = formulas.unary(Unary::Not, task.formula());
    let options = Options { target: Target::Tgba, ..Options::default() };
    translate(&mut formulas, negated, &options).unwrap().automaton
}

/// What the interpreter says of a task and an automaton.
pub fn by_interpreter(task: &Task, automaton: &Automaton<Guard>) -> Result<Explored, Unexplored> {
    interpreted::explore(task, automaton, LIMITS, &Budget::unlimited())
}

/// What a generated program says; none where there is no compiler.
pub fn by_compiler(task: &Task, automaton: &Automaton<Guard>) -> Option<Result<Explored, Unexplored>> {
    let is_there = Command::new("cc").arg("--version").output().is_ok();
    is_there.then(|| compiled::explore(task, automaton, &run, LIMITS, &Budget::unlimited()))
}

/// Whether an exploration has found that nothing is accepted; none where it does not cover the task.
pub fn is_empty(explored: &Result<Explored, Unexplored>) -> Option<bool> {
    match explored {
        Ok(_) => Some(true),
        Err(Unexplored::Accepting { .. }) => Some(false),
        Err(Unexplored::NotCovered { .. } | Unexplored::TooLarge { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}

fn run(source: &str, _: &Budget) -> Result<String, String> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = std::env::temp_dir().join(format!("semper-explore-{}-{number}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("program.c"), source).unwrap();
    let flags = ["-O0", "-w", "-std=gnu11", "-o", "program", "program.c"];
    let compiled = Command::new("cc").args(flags).current_dir(&folder).output().unwrap();
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let said = Command::new(folder.join("program")).output().unwrap();
    assert!(said.status.success(), "{said:?}");
    fs::remove_dir_all(&folder).unwrap();
    Ok(String::from_utf8(said.stdout).unwrap())
}

/// What both say of a property: whether it holds, where they have an answer.
pub fn both_say(c: &str, formula: &str) -> Vec<Option<bool>> {
    let task = task(c, formula);
    let automaton = negated(&task);
    let compiled = by_compiler(&task, &automaton);
    std::iter::once(by_interpreter(&task, &automaton)).chain(compiled).map(|explored| is_empty(&explored)).collect()
}
