//! The portfolio, `--engine auto`: several engines take their turns until one of them answers.
//!
//! The explicit engine comes first, for a short while: where a program's inputs are few it is the fastest, and where they
//! are not it says so at once. Then the fairness engine, which does not mind infinitely many states. What is left of the
//! time goes to the explicit engine, unless it has refused the program. With two threads both start at the same time, and
//! the first answer counts. Engines are known here by [`Engine`] alone.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use foundation::Budget;
use task::{Attempt, Engine, Outcome, Reason, Statistics, Task, Verdict};

use crate::explicit::Explicit;
use crate::fairness::Fairness;

/// How long the explicit engine is tried first, at most.
const FIRST_TRY: Duration = Duration::from_secs(5);

/// The part of the time that is left which the first try may take.
const FIRST_SHARE: u32 = 5;

/// The portfolio.
#[derive(Clone, Copy, Debug)]
pub struct Portfolio<'w> {
    threads: usize,
    explicit: Explicit,
    fairness: Fairness<'w>,
}

impl<'w> Portfolio<'w> {
    /// All engines, on so many threads. The fairness engine is the given one, which may be watched.
    pub fn new(threads: usize, fairness: Fairness<'w>) -> Self {
        let explicit = Explicit { threads: threads.saturating_sub(1).max(1), ..Explicit::default() };
        Self { threads, explicit, fairness }
    }

    /// One engine after the other.
    fn in_turns(&self, task: &Task, budget: &Budget) -> Outcome {
        let mut tried = Vec::new();
        let remaining = budget.remaining().unwrap_or(Duration::MAX);
        let share = FIRST_TRY.min(remaining / FIRST_SHARE);
        let turns: [(&dyn Engine, Budget); 2] =
            [(&self.explicit, budget.part_of(share)), (&self.fairness, budget.part())];
        let mut explicit_may_go_on = false;
        for (engine, part) in &turns {
            let outcome = attempt(*engine, task, part, &mut tried);
            if let Some(outcome) = outcome {
                return Outcome { tried, ..outcome };
            }
            if budget.check().is_err() {
                return undecided(tried);
            }
            if engine.name() == self.explicit.name() {
                explicit_may_go_on =
                    tried.last().is_some_and(|attempt| matches!(attempt.reason, Reason::Exhausted(_)));
            }
        }
        if explicit_may_go_on && let Some(outcome) = attempt(&self.explicit, task, budget, &mut tried) {
            return Outcome { tried, ..outcome };
        }
        undecided(tried)
    }

    /// Both engines at the same time.
    fn side_by_side(&self, task: &Task, budget: &Budget) -> Outcome {
        let parts = [budget.part(), budget.part()];
        let engines: [&(dyn Engine + Sync); 2] = [&self.explicit, &self.fairness];
        let (sender, answers) = mpsc::channel();
        std::thread::scope(|scope| {
            for (engine, part) in engines.into_iter().zip(&parts) {
                let sender = sender.clone();
                scope.spawn(move || {
                    let start = Instant::now();
                    let outcome = engine.check(task, part);
                    // The receiver waits for both.
                    let _ = sender.send((outcome, start.elapsed()));
                });
            }
            drop(sender);
            let mut tried = Vec::new();
            let mut decided: Option<Outcome> = None;
            for (outcome, time) in answers {
                match outcome.verdict {
                    Verdict::Unknown(reason) => {
                        if decided.is_none() {
                            tried.push(Attempt { engine: outcome.engine, time, reason });
                        }
                    }
                    Verdict::Holds(_) | Verdict::Violated(_) => {
                        parts.iter().for_each(Budget::cancel);
                        decided.get_or_insert(outcome);
                    }
                }
            }
            match decided {
                Some(outcome) => Outcome { tried, ..outcome },
                None => undecided(tried),
            }
        })
    }
}

impl Engine for Portfolio<'_> {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn check(&self, task: &Task, budget: &Budget) -> Outcome {
        if self.threads > 1 { self.side_by_side(task, budget) } else { self.in_turns(task, budget) }
    }
}

/// What an engine answers, or a note that it does not.
fn attempt(engine: &dyn Engine, task: &Task, budget: &Budget, tried: &mut Vec<Attempt>) -> Option<Outcome> {
    let start = Instant::now();
    let outcome = engine.check(task, budget);
    match outcome.verdict {
        Verdict::Unknown(reason) => {
            tried.push(Attempt { engine: outcome.engine, time: start.elapsed(), reason });
            None
        }
        Verdict::Holds(_) | Verdict::Violated(_) => Some(outcome),
    }
}

/// No engine has answered. The reason that tells most is that of the engine which went farthest: a limit before something
/// that was not found, and that before something that is not supported.
fn undecided(mut tried: Vec<Attempt>) -> Outcome {
    let weight = |reason: &Reason| match reason {
        Reason::Exhausted(_) => 3,
        Reason::EvidenceRejected(_) => 2,
        Reason::Incomplete(_) => 1,
        Reason::Unsupported { .. } => 0,
    };
    let best = (0..tried.len()).rev().max_by_key(|&index| weight(&tried[index].reason));
    let Attempt { engine, reason, .. } = tried.remove(best.expect("some engine was tried"));
    Outcome { tried, ..Outcome::of(engine, Verdict::Unknown(reason), Statistics::default()) }
}
