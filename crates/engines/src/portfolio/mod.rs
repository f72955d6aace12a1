//! The portfolio, `--engine auto`: several engines take their turns until one of them answers.
//!
//! The explicit engine comes first, for a moment: where a program's inputs and states are few it is the fastest, and
//! where inputs are many it says so at once. Then a few executions are tried, and then the fairness engine, which does
//! not mind infinitely many states. What neither has decided in its first turn gets longer turns, each from the
//! beginning: a turn takes a good part of the time that is left, so that no more than a small multiple of what the right
//! engine needs alone is lost. An engine that has refused the program, or given up, is not asked again. With two threads
//! both start at the same time, and the first answer counts. Engines are known here by [`Engine`] alone.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use foundation::{Budget, Exhausted};
use task::{Attempt, Engine, Outcome, Reason, Statistics, Task, Verdict};

use crate::explicit::Explicit;
use crate::fairness::Fairness;
use crate::sampling::Sampling;

/// One turn: for this long at most, and for this part of the time that is left.
struct Turn {
    member: Member,
    most: Duration,
    share: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    Explicit,
    Fairness,
}

/// How long executions are tried first.
const SAMPLING: Duration = Duration::from_millis(300);

/// The turns. The last ones take all that is left.
const TURNS: [Turn; 5] = [
    Turn { member: Member::Explicit, most: Duration::from_millis(500), share: 8 },
    Turn { member: Member::Fairness, most: Duration::from_secs(4), share: 4 },
    Turn { member: Member::Explicit, most: Duration::from_secs(60), share: 3 },
    Turn { member: Member::Fairness, most: Duration::MAX, share: 2 },
    Turn { member: Member::Explicit, most: Duration::MAX, share: 1 },
];

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
        let mut tried: Vec<Attempt> = Vec::new();
        for Turn { member, most, share } in &TURNS {
            let engine: &dyn Engine = match member {
                Member::Explicit => &self.explicit,
                Member::Fairness => &self.fairness,
            };
            // Only more time can help an engine that was asked before.
            let before = tried.iter().find(|attempt| attempt.engine == engine.name());
            if before.is_some_and(|attempt| !matches!(attempt.reason, Reason::Exhausted(_))) {
                continue;
            }
            tried.retain(|attempt| attempt.engine != engine.name());
            // An engine that is the only one left has all the time.
            let is_alone = tried.iter().any(|attempt| !matches!(attempt.reason, Reason::Exhausted(_)));
            let part = match budget.remaining() {
                _ if is_alone => budget.part(),
                Some(remaining) => budget.part_of((*most).min(remaining / *share)),
                None => budget.part_of(*most),
            };
            if let Some(outcome) = attempt(engine, task, &part, &mut tried) {
                return Outcome { tried, ..outcome };
            }
            if tried.len() == 1
                && let Some(outcome) = sampled(task, budget)
            {
                return Outcome { tried, ..outcome };
            }
            if budget.check().is_err() {
                break;
            }
        }
        undecided(tried, budget)
    }

    /// Both engines at the same time.
    fn side_by_side(&self, task: &Task, budget: &Budget) -> Outcome {
        if let Some(outcome) = sampled(task, budget) {
            return outcome;
        }
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
                None => undecided(tried, budget),
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

/// What a few executions show. That they show nothing is no news.
fn sampled(task: &Task, budget: &Budget) -> Option<Outcome> {
    let outcome = Sampling.check(task, &budget.part_of(SAMPLING));
    (!matches!(outcome.verdict, Verdict::Unknown(_))).then_some(outcome)
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

/// No engine has answered. Where the user interrupted, that is the reason, whatever limits of turns were reached before. Else
/// the reason that tells most is that of the engine which went farthest: a limit before something that was not found, and
/// that before something that is not supported.
fn undecided(mut tried: Vec<Attempt>, budget: &Budget) -> Outcome {
    let weight = |reason: &Reason| match reason {
        Reason::Exhausted(Exhausted::Cancelled) => 4,
        Reason::Exhausted(_) => 3,
        Reason::EvidenceRejected(_) | Reason::Unchecked(_) => 2,
        Reason::Incomplete(_) => 1,
        Reason::Unsupported { .. } => 0,
    };
    let best = (0..tried.len()).rev().max_by_key(|&index| weight(&tried[index].reason));
    let Attempt { engine, mut reason, .. } = tried.remove(best.expect("some engine was tried"));
    // The interrupt may have come between two turns, or have made an engine give up for a reason of its own.
    if budget.check() == Err(Exhausted::Cancelled) {
        reason = Reason::Exhausted(Exhausted::Cancelled);
    }
    Outcome { tried, ..Outcome::of(engine, Verdict::Unknown(reason), Statistics::default()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interrupt_is_told_before_all_limits() {
        let limits = [Exhausted::Time, Exhausted::Memory, Exhausted::Cancelled];
        let mut reasons: Vec<Reason> = limits.into_iter().map(Reason::Exhausted).collect();
        reasons.extend([Reason::Incomplete("no rule".into()), Reason::Unchecked("no solver".into())]);
        let told = |first: &Reason, second: &Reason, budget: &Budget| {
            let attempt = |engine, reason: &Reason| Attempt { engine, time: Duration::ZERO, reason: reason.clone() };
            let outcome = undecided(vec![attempt("one", first), attempt("other", second)], budget);
            assert_eq!(outcome.tried.len(), 1);
            let Verdict::Unknown(reason) = outcome.verdict else { panic!("{:?}", outcome.verdict) };
            reason
        };
        let is_interrupt = |reason: &Reason| matches!(reason, Reason::Exhausted(Exhausted::Cancelled));
        let cancelled = Budget::unlimited();
        cancelled.cancel();
        for first in &reasons {
            for second in &reasons {
                let open = told(first, second, &Budget::unlimited());
                assert_eq!(is_interrupt(&open), is_interrupt(first) || is_interrupt(second), "{first:?} {second:?}");
                assert!(is_interrupt(&told(first, second, &cancelled)), "{first:?} {second:?}");
            }
        }
    }
}
