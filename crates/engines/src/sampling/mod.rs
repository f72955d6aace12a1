//! Sampling: a few executions with chosen inputs. It proves nothing, but finds at once what goes wrong wherever one looks.
//!
//! The interpreter runs the program with inputs that look random. An execution that ends, that repeats itself without
//! asking anything, or whose beginning already violates the property is a counterexample if the definition of the logic
//! says so; everything else is no answer. A beginning counts only in programs that can never be cut by an assumption, so
//! that every beginning belongs to an execution.

use automata::ltl::{AtomId, Letter, PrefixTruth, Progression, evaluate_lasso};
use foundation::{Budget, Id};
use program::semantics::{Answer, Choices, Limits, Question, Run, RunEnd, SeededChoices, UndefinedMode, run};
use task::{Counterexample, Engine, Lasso, Outcome, Reason, Statistics, Task, Verdict};

/// How many executions are tried.
const EXECUTIONS: u64 = 8;

/// How far each of them is followed.
const LIMITS: Limits = Limits { observations: 4_000, edges: 20_000 };

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampling;

impl Engine for Sampling {
    fn name(&self) -> &'static str {
        "sampling"
    }

    fn check(&self, task: &Task, budget: &Budget) -> Outcome {
        let mut statistics = Statistics::default();
        let verdict = sample(task, budget, &mut statistics).unwrap_or_else(Verdict::Unknown);
        Outcome::of(self.name(), verdict, statistics)
    }
}

fn sample(task: &Task, budget: &Budget, statistics: &mut Statistics) -> Result<Verdict, Reason> {
    if task.program.has_threads() || task.semantics.stop_at_call.is_some() {
        return Err(Reason::unsupported("threads, and properties that end an execution", None));
    }
    let never_cut = !task.program.may_be_cut() && task.semantics.undefined == UndefinedMode::Error;
    for seed in 0..EXECUTIONS {
        budget.check()?;
        let mut choices = Recorded { source: SeededChoices::new(seed), answers: Vec::new() };
        let executed = run(&task.program, task.semantics, &task.atoms, &mut choices, LIMITS, budget);
        if violates(task, &executed, choices.answers.is_empty(), never_cut) {
            statistics.count("executions", seed + 1);
            let lasso = Lasso { stem: choices.answers, cycle: Vec::new() };
            return Ok(Verdict::Violated(Counterexample::Lasso(lasso)));
        }
    }
    Err(Reason::Incomplete(format!("none of {EXECUTIONS} executions violates the property")))
}

/// Whether a run is, or begins, an execution that violates the goal and that its answers so far determine.
fn violates(task: &Task, run: &Run, is_closed: bool, never_cut: bool) -> bool {
    let letter = |truth: &Vec<bool>| -> Letter {
        truth.iter().enumerate().filter(|(_, holds)| **holds).map(|(index, _)| AtomId::from_index(index)).collect()
    };
    let word: Vec<Letter> = run.observations.iter().map(|observation| letter(&observation.truth)).collect();
    let repeats_from = match run.end {
        RunEnd::End(_) | RunEnd::Undefined { .. } => word.len().checked_sub(1),
        RunEnd::Lasso { start } if is_closed => Some(start),
        RunEnd::Limit if never_cut => {
            let mut progression = Progression::new(&task.formulas, task.goal);
            word.iter().for_each(|letter| progression.step(letter));
            return progression.truth() == PrefixTruth::False;
        }
        _ => None,
    };
    repeats_from.is_some_and(|start| !evaluate_lasso(&task.formulas, task.goal, &word[..start], &word[start..]))
}

/// Choices that are remembered.
struct Recorded {
    source: SeededChoices,
    answers: Vec<Answer>,
}

impl Choices for Recorded {
    fn choose(&mut self, question: &Question) -> Answer {
        let answer = self.source.choose(question);
        self.answers.push(answer.clone());
        answer
    }
}
