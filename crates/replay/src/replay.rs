//! Replays a lasso: the interpreter executes the program with the lasso's answers, the loop must close, the schedule
//! must be one that counts, and the goal must be false of what was observed, by the definition of LTL.
//!
//! The program with its answers is a deterministic system, so one walk finds the loop and a second, shorter one tells
//! what happened. Nothing of the engine's states is looked at: where its loop closes is found anew.

use std::cell::RefCell;
use std::fmt;
use std::sync::Arc;

use automata::ltl::evaluate_lasso;
use foundation::{Budget, Exhausted, Span};
use program::semantics::record::RunRecord;
use program::semantics::{Change, Observation, Run, RunEnd};
use task::{Lasso, Task};

use crate::answers::{Answers, Log, ReplayedInput};
use crate::closing::{ClosedLoop, Closing, LoopSearch};
use crate::fairness::{self, Starved};
use crate::walk::{ObservedWord, Story, Walk};

/// A lasso that shows a violation.
#[derive(Clone, PartialEq, Debug)]
pub struct Replayed {
    /// What was observed in the stem and in one round of the loop, how it ends, and what the user should know of it.
    /// The edges are those of [`Task::program`].
    pub run: Run,
    /// What the variables hold that the atoms name, for each observation. Large ones are left out.
    pub values: Vec<Arc<[Change]>>,
    /// The values that the program asked for, in order; those that are asked for in every round of the loop come last.
    pub inputs: Vec<ReplayedInput>,
    /// How the loop closes.
    pub closing: Closing,
    /// The threads that the loop starves, where the scheduler allows that.
    pub starved: Vec<Starved>,
    /// How many states of the stem and of one round of the loop were observed, where those are too many to be told.
    /// [`Run::observations`] then has the first of them, and [`Run::end`] is [`RunEnd::Limit`]; of the inputs, all are
    /// told.
    pub abridged: Option<u64>,
}

/// Why a lasso shows no violation.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rejected {
    /// The budget was spent before it was known: nothing is wrong with the lasso.
    Exhausted(Exhausted),
    /// An answer does not fit its question.
    Unfit {
        /// Why.
        reason: String,
        /// Where it was asked for.
        span: Option<Span>,
    },
    /// The program asks for more than the lasso answers.
    NoMoreAnswers,
    /// The execution runs into an assumption that is false: it is none.
    Blocked {
        /// Where.
        span: Option<Span>,
    },
    /// It comes to something that the semantics does not cover.
    Unsupported {
        /// What.
        reason: String,
        /// Where.
        span: Option<Span>,
    },
    /// The loop was not seen to close within this many steps.
    NotClosed {
        /// How many.
        steps: u64,
    },
    /// The loop was not seen to close, nor to do the same for ever while numbers grow.
    NotGrowing {
        /// Why not.
        reason: String,
    },
    /// The execution was not seen to go on for ever in a set of states.
    NotRecurrent {
        /// Why not.
        reason: String,
    },
    /// The goal is not lost after finitely many steps, or the execution might be blocked after them.
    NotBad,
    /// The loop starves a thread, which the scheduler does not allow.
    Unfair {
        /// The thread.
        thread: u32,
    },
    /// The goal is true of the execution.
    NotViolated,
}

impl fmt::Display for Rejected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Rejected::Exhausted(what) => write!(f, "the limit on {what} ended the replay"),
            Rejected::Unfit { reason, .. } => write!(f, "an answer does not fit: {reason}"),
            Rejected::NoMoreAnswers => f.write_str("the program asks for more than the lasso answers"),
            Rejected::Blocked { .. } => f.write_str("the execution is blocked by an assumption"),
            Rejected::Unsupported { reason, .. } => write!(f, "the interpreter does not support this: {reason}"),
            Rejected::NotClosed { steps } => write!(f, "the loop does not close within {steps} steps"),
            Rejected::NotGrowing { reason } => {
                write!(f, "the loop does not come back to a state, and its growth is not checked: {reason}")
            }
            Rejected::NotRecurrent { reason } => write!(f, "the recurrent set is not one: {reason}"),
            Rejected::NotBad => f.write_str("the execution violates nothing after finitely many steps"),
            Rejected::Unfair { thread } => write!(f, "the loop starves thread {thread}"),
            Rejected::NotViolated => f.write_str("the property is true of the replayed execution"),
        }
    }
}

/// How far a replay goes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReplayLimits {
    /// How many steps may be taken until the loop closes.
    pub steps: u64,
}

impl Default for ReplayLimits {
    fn default() -> Self {
        Self { steps: 200_000_000 }
    }
}

/// Replays a lasso.
pub fn replay(task: &Task, lasso: &Lasso, budget: &Budget) -> Result<Replayed, Rejected> {
    replay_within(task, lasso, ReplayLimits::default(), budget)
}

/// The same within limits of one's own.
pub fn replay_within(task: &Task, lasso: &Lasso, limits: ReplayLimits, budget: &Budget) -> Result<Replayed, Rejected> {
    replay_telling(task, lasso, limits, MOST_TOLD_OBSERVATIONS, budget)
}

/// Of an execution with a loop, so many observations are told at most.
pub(crate) const MOST_TOLD_OBSERVATIONS: usize = 1 << 17;

fn replay_telling(
    task: &Task,
    lasso: &Lasso,
    limits: ReplayLimits,
    most_told: usize,
    budget: &Budget,
) -> Result<Replayed, Rejected> {
    let found = find_loop(task, lasso, limits, budget)?;
    conclude(task, lasso, found, most_told, budget)
}

/// Whether an execution whose loop is known counts and violates the goal; if so, what happened in it.
pub(crate) fn conclude(
    task: &Task,
    lasso: &Lasso,
    found: FoundLoop,
    most_told: usize,
    budget: &Budget,
) -> Result<Replayed, Rejected> {
    let FoundLoop { closed, steps, word, inputs } = found;
    if let Some(starved) = closed.starved.iter().find(|starved| !fairness::allows(task.scheduler, **starved)) {
        return Err(Rejected::Unfair { thread: starved.thread });
    }
    if holds(task, &word, &closed) {
        return Err(Rejected::NotViolated);
    }
    if !matches!(closed.end, RunEnd::Lasso { .. }) || word.observed <= most_told {
        return tell(task, lasso, closed, steps, budget);
    }
    let (mut run, Story { values, .. }) = tell_beginning(task, lasso, most_told, budget)?;
    run.edges = steps;
    let repeated = |(before, input)| ReplayedInput { repeated: before >= closed.answers_before, ..input };
    let inputs = inputs.into_iter().map(repeated).collect();
    let ClosedLoop { closing, starved, .. } = closed;
    Ok(Replayed { run, values, inputs, closing, starved, abridged: Some(word.observed as u64) })
}

/// A loop, with what was seen up to the end of its first round.
pub(crate) struct FoundLoop {
    pub closed: ClosedLoop,
    pub steps: u64,
    pub word: ObservedWord,
    pub inputs: Vec<(u64, ReplayedInput)>,
}

/// How often the budget is looked at.
pub(crate) const STEPS_PER_CHECK: u64 = 1024;

fn find_loop(task: &Task, lasso: &Lasso, limits: ReplayLimits, budget: &Budget) -> Result<FoundLoop, Rejected> {
    let log = RefCell::new(Log::default());
    let mut answers = Answers::new(lasso, &log);
    let mut walk = Walk::new(task, &mut answers, &log, false);
    let mut search = LoopSearch::new(task, lasso);
    let mut end = walk.begin();
    let closed = loop {
        if let Some(end) = end {
            let answers_before = walk.answers_given();
            // The last letter is repeated for ever.
            let letters_before = walk.word().numbers.len().saturating_sub(1);
            let (end, starved) = (executed(end)?, Vec::new());
            break ClosedLoop { end, closing: Closing::End, starved, answers_before, letters_before };
        }
        if walk.steps().is_multiple_of(STEPS_PER_CHECK) {
            budget.spend(STEPS_PER_CHECK);
            budget.check().map_err(Rejected::Exhausted)?;
        }
        if walk.steps() >= limits.steps {
            return Err(Rejected::NotClosed { steps: limits.steps });
        }
        search.before_step(&walk);
        end = walk.step();
        if end.is_none()
            && let Some(closed) = search.after_step(&mut walk)
        {
            break closed;
        }
    };
    let steps = walk.steps();
    let (word, inputs, _) = walk.into_parts();
    Ok(FoundLoop { closed, steps, word, inputs })
}

/// An end that belongs to an execution.
pub fn executed(end: RunEnd) -> Result<RunEnd, Rejected> {
    match end {
        RunEnd::End(_)
        | RunEnd::Undefined { .. }
        | RunEnd::Deadlock
        | RunEnd::Lasso { .. }
        | RunEnd::Silent
        | RunEnd::StoppedAtCall(_) => Ok(end),
        RunEnd::Blocked { span } => Err(Rejected::Blocked { span }),
        RunEnd::NoMoreInputs => Err(Rejected::NoMoreAnswers),
        RunEnd::UnfitInput { reason, span, .. } => Err(Rejected::Unfit { reason, span }),
        RunEnd::Unsupported { reason, span } => Err(Rejected::Unsupported { reason, span }),
        RunEnd::Exhausted(what) => Err(Rejected::Exhausted(what)),
        RunEnd::Limit => unreachable!("a walk has no limit of its own"),
    }
}

/// Whether the goal is true of the word. Where there is no loop of observations, the last one is repeated for ever.
fn holds(task: &Task, word: &ObservedWord, closed: &ClosedLoop) -> bool {
    let start = match closed.end {
        RunEnd::Lasso { .. } => closed.letters_before,
        _ => word.numbers.len() - 1,
    };
    let (stem, repeated) = shortened(&word.numbers, start);
    evaluate_lasso(&task.formulas, task.formula(), &word.letters(stem), &word.letters(repeated))
}

/// The shortest stem and loop with the same infinite word.
fn shortened(word: &[u32], mut start: usize) -> (&[u32], &[u32]) {
    let length = word.len() - start;
    let has_period = |period: usize| word[start..word.len() - period] == word[start + period..];
    let period = (1..length).find(|&period| length.is_multiple_of(period) && has_period(period)).unwrap_or(length);
    while start > 0 && word[start - 1] == word[start - 1 + period] {
        start -= 1;
    }
    (&word[..start], &word[start..start + period])
}

/// Walks the same way again and tells what happened.
fn tell(task: &Task, lasso: &Lasso, closed: ClosedLoop, steps: u64, budget: &Budget) -> Result<Replayed, Rejected> {
    let log = RefCell::new(Log::default());
    let mut answers = Answers::new(lasso, &log);
    let mut walk = Walk::new(task, &mut answers, &log, true);
    let mut ended = walk.begin().is_some();
    let mut observed = None;
    let is_loop = matches!(closed.end, RunEnd::Lasso { .. });
    loop {
        if walk.steps() == steps {
            observed.get_or_insert(walk.word().observed);
        }
        // A loop is told up to the first observation of the second round.
        let begins_again = observed.is_some_and(|observed| !is_loop || walk.word().observed > observed);
        if ended || begins_again {
            break;
        }
        walk.check(budget)?;
        ended = walk.step().is_some();
    }
    let (_, inputs, story) = walk.into_parts();
    let mut story = story.expect("this walk tells");
    let warnings = story.record.warnings();
    let Story { record: RunRecord { mut observations, .. }, mut values, .. } = story;
    let mut end = closed.end;
    if let (RunEnd::Lasso { start }, Some(observed)) = (&mut end, observed) {
        // Where the first observation came about differently in the first round, it belongs to the stem.
        let asked =
            |at: usize| inputs.iter().filter(move |(_, input)| input.observed == at).map(|(_, input)| &input.value);
        let agree = |one: &Observation, other: &Observation| match closed.closing {
            // What grows is told as it is in the first round.
            Closing::Growing { .. } | Closing::Recurrent { .. } => {
                (one.occasion, &one.truth) == (other.occasion, &other.truth)
            }
            _ => one == other,
        };
        let is_same = agree(&observations[*start], &observations[observed]) && asked(*start).eq(asked(observed));
        let kept = if is_same { observed } else { observed + 1 };
        *start += usize::from(!is_same);
        observations.truncate(kept);
        values.truncate(kept);
    }
    let inputs = inputs.into_iter().filter_map(|(before, input)| {
        let (is_told, repeated) = match end {
            RunEnd::Lasso { start } => (input.observed < observations.len(), input.observed >= start),
            _ => (true, before >= closed.answers_before),
        };
        is_told.then_some(ReplayedInput { repeated, ..input })
    });
    let inputs = inputs.collect();
    let run = Run { observations, end, warnings, edges: steps };
    Ok(Replayed { run, values, inputs, closing: closed.closing, starved: closed.starved, abridged: None })
}

/// Walks the same way again and tells what is observed first, which is not all.
fn tell_beginning(task: &Task, lasso: &Lasso, most_told: usize, budget: &Budget) -> Result<(Run, Story), Rejected> {
    let log = RefCell::new(Log::default());
    let mut answers = Answers::new(lasso, &log);
    let mut walk = Walk::new(task, &mut answers, &log, true);
    let mut ended = walk.begin().is_some();
    while !ended && walk.word().observed < most_told {
        walk.check(budget)?;
        ended = walk.step().is_some();
    }
    let edges = walk.steps();
    let (_, _, story) = walk.into_parts();
    let mut story = story.expect("this walk tells");
    let warnings = story.record.warnings();
    let observations = std::mem::take(&mut story.record.observations);
    Ok((Run { observations, end: RunEnd::Limit, warnings, edges }, story))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shortened_word_is_the_same_infinite_word() {
        let at = |stem: &[u32], repeated: &[u32], index: usize| match index.checked_sub(stem.len()) {
            None => stem[index],
            Some(beyond) => repeated[beyond % repeated.len()],
        };
        for code in 0..3usize.pow(6) {
            let word: Vec<u32> = (0..6u32).map(|digit| (code / 3usize.pow(digit) % 3) as u32).collect();
            for start in 0..6 {
                let (stem, repeated) = shortened(&word, start);
                for index in 0..40 {
                    let expected = at(&word[..start], &word[start..], index);
                    assert_eq!(at(stem, repeated, index), expected, "{word:?} {start}");
                }
                assert!(stem.is_empty() || stem.last() != repeated.last(), "{word:?} {start}");
            }
        }
    }
}
