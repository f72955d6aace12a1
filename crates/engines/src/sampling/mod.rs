//! Sampling: a few executions with chosen inputs. It proves nothing, but finds at once what goes wrong wherever one looks.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `answers` | where the answers of an execution come from: a script, chance, habits |
//! | `execution` | one execution, followed by the interpreter |
//! | `monitor` | after which beginnings the goal is lost |
//! | `shorten` | shorter violations |
//!
//! An execution that ends or repeats itself is a counterexample if the definition of the logic says so. Where the program
//! can never be blocked by an assumption, every beginning belongs to an execution, so a beginning after which the goal is
//! lost whatever follows is one as well. Where it can be blocked, such a beginning is completed to an execution that
//! repeats itself, or it is no answer. What is found is shortened. See docs/design/sampling.md.

mod answers;
mod execution;
mod monitor;
mod shorten;

use automata::ltl::evaluate_lasso;
use foundation::{Budget, Exhausted};
use program::semantics::{Answer, UndefinedMode};
use task::registry::{Decides, Entry, Turn};
use task::{Board, Counterexample, Engine, Lasso, Outcome, Reason, Statistics, Task, Verdict};

use answers::{Habit, Manner};
use execution::{ExecutionEnd, SampledExecution, SamplingReach, execute};
use monitor::Monitor;

/// How far each execution is followed.
const OBSERVATIONS: usize = 4_000;
const EDGES: u64 = 20_000;

/// How many edges are taken in all of them.
const ALL_EDGES: u64 = 200_000;

/// How many units of work an edge is, about.
const WORK_OF_AN_EDGE: u64 = 2;

/// How the engine is chosen. It knows its own limits.
pub const ENTRY: Entry = Entry {
    name: "sampling",
    about: "tries a few executions",
    decides: Decides::Violations,
    shows: false,
    writes_proofs: false,
    takes: covers,
    make: |_| Box::new(Sampling),
    turns: &[Turn { round: 2, work: u64::MAX, share: 8 }],
};

/// The engine.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sampling;

impl Engine for Sampling {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, task: &Task, _: &Board, budget: &Budget) -> Outcome {
        let mut statistics = Statistics::default();
        let verdict = sample(task, budget, &mut statistics).unwrap_or_else(Verdict::Unknown);
        Outcome::of(self.name(), verdict, statistics)
    }
}

/// How executions are answered, one after the other: by habit from the beginning, by chance all along, and by habit
/// after a few answers of chance.
fn manners() -> Vec<Manner> {
    let always = |habit| Manner { habit: Some(habit), ..Manner::default() };
    let chance = |seed| Manner { chance: Some((seed, usize::MAX)), ..Manner::default() };
    let at_first = |seed, count, habit| Manner { chance: Some((seed, count)), habit: Some(habit), ..Manner::default() };
    vec![
        chance(0),
        always(Habit::Zero),
        always(Habit::One),
        chance(1),
        at_first(2, 1, Habit::Zero),
        at_first(3, 3, Habit::One),
        chance(2),
        always(Habit::Largest),
        at_first(4, 2, Habit::Chance(4)),
        at_first(5, 8, Habit::Zero),
        chance(3),
        always(Habit::Smallest),
        at_first(6, 20, Habit::Chance(6)),
        chance(4),
        chance(5),
        chance(6),
        chance(7),
    ]
}

fn covers(task: &Task) -> Result<(), Reason> {
    task.goal.linear()?;
    match task.program.has_threads() || task.semantics.stop_at_call.is_some() {
        true => Err(Reason::unsupported("threads, and properties that end an execution", None)),
        false => Ok(()),
    }
}

fn sample(task: &Task, budget: &Budget, statistics: &mut Statistics) -> Result<Verdict, Reason> {
    covers(task)?;
    let never_cut = !task.program.may_be_cut() && task.semantics.undefined == UndefinedMode::Error;
    let mut sampler = Sampler { task, budget, monitor: Monitor::new(task), never_cut, edges_left: ALL_EDGES };
    let mut executions = 0;
    for manner in manners() {
        let reach =
            SamplingReach { observations: OBSERVATIONS, edges: EDGES.min(sampler.edges_left), until_lost: never_cut };
        let execution = sampler.execute(&manner, reach)?;
        executions += 1;
        if let Some(violation) = sampler.judge(&manner, execution, reach)? {
            let violation = shorten::shortened(&mut sampler, violation)?;
            statistics.count("executions", executions);
            return Ok(Verdict::Violated(Counterexample::Lasso(violation.lasso)));
        }
        if sampler.edges_left == 0 {
            break;
        }
    }
    Err(Reason::Incomplete(format!("none of {executions} executions violates the property")))
}

/// Executes a task's program again and again.
struct Sampler<'t> {
    task: &'t Task,
    budget: &'t Budget,
    monitor: Monitor,
    /// Whether every beginning belongs to an execution.
    never_cut: bool,
    edges_left: u64,
}

/// An execution that violates the goal.
#[derive(Clone, Debug)]
struct Violation {
    /// How it is answered: a script, and a habit where it goes round with one.
    manner: Manner,
    lasso: Lasso,
    /// How many observations are to be shown.
    length: usize,
}

impl Violation {
    fn is_better_than(&self, other: &Violation) -> bool {
        (self.length, self.manner.script.len()) < (other.length, other.manner.script.len())
    }
}

impl Sampler<'_> {
    /// Allows so many edges from here on.
    fn allow(&mut self, edges: u64) {
        self.edges_left = edges;
    }

    fn edges_left(&self) -> u64 {
        self.edges_left
    }

    fn execute(&mut self, manner: &Manner, reach: SamplingReach) -> Result<SampledExecution, Exhausted> {
        let reach = SamplingReach { edges: reach.edges.min(self.edges_left), ..reach };
        let execution = execute(self.task, &mut self.monitor, manner, reach, self.budget)?;
        self.edges_left = self.edges_left.saturating_sub(execution.edges);
        self.budget.spend(execution.edges * WORK_OF_AN_EDGE);
        Ok(execution)
    }

    /// The violation that an execution is, or begins.
    fn judge(
        &mut self,
        manner: &Manner,
        execution: SampledExecution,
        reach: SamplingReach,
    ) -> Result<Option<Violation>, Exhausted> {
        if let Some((length, answers)) = execution.lost {
            let script = execution.answers[..answers].to_vec();
            if !self.never_cut {
                return match self.violates(manner, execution) {
                    None => self.completed(script, reach),
                    found => Ok(found),
                };
            }
            let lasso = Lasso { stem: script.clone(), cycle: Vec::new() };
            return Ok(Some(Violation { manner: Manner { script, ..Manner::default() }, lasso, length }));
        }
        Ok(self.violates(manner, execution))
    }

    /// A beginning after which the goal is lost, and an execution that goes on from there for ever.
    fn completed(&mut self, script: Vec<Answer>, reach: SamplingReach) -> Result<Option<Violation>, Exhausted> {
        for habit in Habit::ALL {
            let manner = Manner { script: script.clone(), chance: None, habit: Some(habit) };
            let execution = self.execute(&manner, SamplingReach { until_lost: false, ..reach })?;
            if let Some(found) = self.violates(&manner, execution) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The violation that an execution is which ends or goes round.
    fn violates(&self, manner: &Manner, execution: SampledExecution) -> Option<Violation> {
        let SampledExecution { word, answers, end, .. } = execution;
        let last = word.len().checked_sub(1)?;
        let (stem_letters, stem_answers, habit) = match end {
            ExecutionEnd::Ended => (last, answers.len(), None),
            // Where nothing is observed in the loop, the last observation is repeated.
            ExecutionEnd::Loop { observations, answers } => (observations.min(last), answers, manner.habit),
            ExecutionEnd::Open | ExecutionEnd::Asks(..) | ExecutionEnd::None => return None,
        };
        let (stem, cycle) = word.split_at(stem_letters);
        if evaluate_lasso(&self.task.formulas, self.task.formula(), stem, cycle) {
            return None;
        }
        let by_habit = manner.chance.map_or(0, |(_, count)| count).saturating_add(manner.script.len());
        let script = answers[..answers.len().min(if habit.is_some() { by_habit } else { usize::MAX })].to_vec();
        let lasso = Lasso { stem: answers[..stem_answers].to_vec(), cycle: answers[stem_answers..].to_vec() };
        Some(Violation { manner: Manner { script, chance: None, habit }, lasso, length: word.len() })
    }
}
