//! The portfolio, `--engine auto`: several engines take their turns until one of them gives an answer whose evidence
//! passes its check.
//!
//! The explicit engine comes first, for a moment: where a program's inputs and states are few it is the fastest, and
//! where inputs are many it says so at once. Then a few executions are tried, and then the fairness engine, which does
//! not mind infinitely many states. What neither has decided in its first turn gets longer turns, each from the
//! beginning. Turns are measured by the work that engines count, so that the same engines take the same turns on every
//! machine; where the user limits the time, a turn takes a good part of what is left of it at most. An engine that has
//! refused the program, given up, or given evidence that does not pass is not asked again.
//!
//! With two threads the explicit and the fairness engine start at the same time, and the first answer whose evidence
//! passes counts. Engines are known here by [`Engine`] alone, and those who check evidence by [`Judge`].

#[cfg(test)]
mod tests;

use std::sync::mpsc;
use std::time::{Duration, Instant};

use foundation::{Budget, Exhausted};
use task::{Attempt, Believer, Engine, Judge, Outcome, Reason, Statistics, Task, Verdict};

use crate::explicit::Explicit;
use crate::fairness::Fairness;
use crate::sampling::Sampling;

/// One turn: for so much work at most, and for this part of the time that is left.
struct Turn {
    member: Member,
    work: u64,
    share: u32,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Member {
    Explicit,
    Sampling,
    Fairness,
}

/// A second's work, about.
const SECOND: u64 = 1_000_000;

/// The turns. The last ones take all that is left; sampling knows its own limits.
const TURNS: [Turn; 6] = [
    Turn { member: Member::Explicit, work: SECOND / 2, share: 8 },
    Turn { member: Member::Sampling, work: u64::MAX, share: 8 },
    Turn { member: Member::Fairness, work: 4 * SECOND, share: 4 },
    Turn { member: Member::Explicit, work: 60 * SECOND, share: 3 },
    Turn { member: Member::Fairness, work: u64::MAX, share: 2 },
    Turn { member: Member::Explicit, work: u64::MAX, share: 1 },
];

/// How much more work than a turn the check of what it found may be.
const CHECKING: u64 = 4;

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
}

impl Engine for Portfolio<'_> {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn check(&self, task: &Task, budget: &Budget) -> Outcome {
        self.check_judged(task, &Believer, budget)
    }

    fn check_judged(&self, task: &Task, judge: &dyn Judge, budget: &Budget) -> Outcome {
        let members = Members { explicit: &self.explicit, sampling: &Sampling, fairness: &self.fairness };
        match self.threads {
            0 | 1 => members.in_turns(task, judge, budget),
            _ => members.side_by_side(task, judge, budget),
        }
    }
}

/// The engines that take turns.
struct Members<'e> {
    explicit: &'e (dyn Engine + Sync),
    sampling: &'e (dyn Engine + Sync),
    fairness: &'e (dyn Engine + Sync),
}

impl<'e> Members<'e> {
    fn engine(&self, member: Member) -> &'e (dyn Engine + Sync) {
        match member {
            Member::Explicit => self.explicit,
            Member::Sampling => self.sampling,
            Member::Fairness => self.fairness,
        }
    }

    /// One engine after the other.
    fn in_turns(&self, task: &Task, judge: &dyn Judge, budget: &Budget) -> Outcome {
        let mut tried = Tried::default();
        for Turn { member, work, share } in &TURNS {
            let engine = self.engine(*member);
            if tried.has_given_up(engine.name()) {
                continue;
            }
            // An engine that is the only one left has all the time.
            let others = [Member::Explicit, Member::Fairness].map(|member| self.engine(member).name());
            let is_alone = others.iter().all(|&other| other == engine.name() || tried.has_given_up(other));
            let part = match budget.remaining() {
                _ if is_alone => budget.part(),
                Some(remaining) => budget.part_of(remaining / *share).part_with_work(*work),
                None => budget.part_with_work(*work),
            };
            // Checking has its limits, too, so that something remains for others where it does not come to an end.
            let effort = work.saturating_mul(CHECKING);
            let checking = match budget.remaining() {
                _ if is_alone => budget.part(),
                Some(remaining) => budget.part_of(remaining / 2).part_with_work(effort),
                None => budget.part_with_work(effort),
            };
            let start = Instant::now();
            let outcome = engine.check(task, &part);
            if let Some(outcome) = tried.note(outcome, judge, start, &checking) {
                return tried.decided(outcome);
            }
            if budget.check().is_err() {
                break;
            }
        }
        undecided(tried.attempts, self.sampling.name(), budget)
    }

    /// Both engines at the same time, after a few executions.
    fn side_by_side(&self, task: &Task, judge: &dyn Judge, budget: &Budget) -> Outcome {
        let mut tried = Tried::default();
        let start = Instant::now();
        let sampled = self.sampling.check(task, &budget.part());
        if let Some(outcome) = tried.note(sampled, judge, start, budget) {
            return tried.decided(outcome);
        }
        let parts = [budget.part(), budget.part()];
        let (sender, answers) = mpsc::channel();
        std::thread::scope(|scope| {
            for (engine, part) in [self.explicit, self.fairness].into_iter().zip(&parts) {
                let sender = sender.clone();
                scope.spawn(move || {
                    let start = Instant::now();
                    // The receiver waits for both.
                    let _ = sender.send((engine.check(task, part), start));
                });
            }
            drop(sender);
            let mut decided: Option<Outcome> = None;
            for (outcome, start) in answers {
                // What is still told after an answer is of interest only where it says the opposite.
                if let Some(first) = &decided {
                    if contradict(&first.verdict, &outcome.verdict)
                        && judge.judge(outcome.engine, &outcome.verdict, budget).is_ok()
                    {
                        return disagreement(first, &outcome);
                    }
                    continue;
                }
                decided = tried.note(outcome, judge, start, budget);
                if decided.is_some() {
                    parts.iter().for_each(Budget::cancel);
                }
            }
            match decided {
                Some(outcome) => tried.decided(outcome),
                None => undecided(tried.attempts, self.sampling.name(), budget),
            }
        })
    }
}

/// The engines that were asked without an answer, each once.
#[derive(Default)]
struct Tried {
    attempts: Vec<Attempt>,
    /// Those that said something definite whose evidence could not be checked: whether it was that the goal holds.
    claims: Vec<(&'static str, bool)>,
}

impl Tried {
    /// Whether an engine would not do better with more work or time.
    fn has_given_up(&self, engine: &str) -> bool {
        let before = self.attempts.iter().find(|attempt| attempt.engine == engine);
        before.is_some_and(|attempt| !matches!(attempt.reason, Reason::Exhausted(_)))
    }

    /// An outcome that is definite and whose evidence passes. Of any other it is noted why it does not count.
    fn note(&mut self, outcome: Outcome, judge: &dyn Judge, start: Instant, budget: &Budget) -> Option<Outcome> {
        let reason = match &outcome.verdict {
            Verdict::Unknown(reason) => reason.clone(),
            definite => match judge.judge(outcome.engine, definite, budget) {
                Ok(()) => return Some(outcome),
                Err(reason) => {
                    self.claims.push((outcome.engine, matches!(definite, Verdict::Holds(_))));
                    reason
                }
            },
        };
        let earlier = self.attempts.iter().position(|attempt| attempt.engine == outcome.engine);
        let before = earlier.map_or(Duration::ZERO, |at| self.attempts.remove(at).time);
        self.attempts.push(Attempt { engine: outcome.engine, time: before + start.elapsed(), reason });
        None
    }

    /// The outcome that counts, with what was tried before. Who has said the opposite was wrong, though nobody could
    /// check it then.
    fn decided(mut self, outcome: Outcome) -> Outcome {
        let holds = matches!(outcome.verdict, Verdict::Holds(_));
        for attempt in &mut self.attempts {
            let is_wrong = self.claims.iter().any(|&(engine, claim)| engine == attempt.engine && claim != holds);
            if is_wrong && !matches!(attempt.reason, Reason::EvidenceRejected(_)) {
                let (said, is) = if holds { ("violated", "holds") } else { ("holds", "violated") };
                let why = format!("it says `{said}`, and the engine `{}` shows `{is}`", outcome.engine);
                attempt.reason = Reason::EvidenceRejected(why);
            }
        }
        Outcome { tried: self.attempts, ..outcome }
    }
}

/// Whether two verdicts cannot both be right.
fn contradict(one: &Verdict, other: &Verdict) -> bool {
    matches!((one, other), (Verdict::Holds(_), Verdict::Violated(_)) | (Verdict::Violated(_), Verdict::Holds(_)))
}

/// Two engines contradict each other, and the evidence of both has passed: a check is wrong, and nobody is believed.
fn disagreement(first: &Outcome, second: &Outcome) -> Outcome {
    let why = format!(
        "the engines `{}` and `{}` contradict each other, and the evidence of both passes its check",
        first.engine, second.engine
    );
    Outcome::of(first.engine, Verdict::Unknown(Reason::EvidenceRejected(why)), Statistics::default())
}

/// No engine has answered. Where the user interrupted, that is the reason, whatever limits of turns were reached before. Else
/// the reason that tells most is that of the engine which went farthest: a limit before something that was not found, and
/// that before something that is not supported. That a few executions show nothing tells least.
fn undecided(mut tried: Vec<Attempt>, sampling: &str, budget: &Budget) -> Outcome {
    let weight = |attempt: &Attempt| match &attempt.reason {
        Reason::Exhausted(Exhausted::Cancelled) => 6,
        Reason::EvidenceRejected(_) | Reason::Unchecked(_) => 3,
        _ if attempt.engine == sampling => 0,
        Reason::Exhausted(Exhausted::Work) => 4,
        Reason::Exhausted(_) => 5,
        Reason::Incomplete(_) => 2,
        Reason::Unsupported { .. } => 1,
    };
    let best = (0..tried.len()).rev().max_by_key(|&index| weight(&tried[index]));
    let Attempt { engine, mut reason, .. } = tried.remove(best.expect("some engine was tried"));
    match budget.check() {
        // The interrupt may have come between two turns, or have made an engine give up for a reason of its own.
        Err(Exhausted::Cancelled) => reason = Exhausted::Cancelled.into(),
        // That a turn has ended is nobody's reason.
        Err(exhausted) if reason == Exhausted::Work.into() => reason = exhausted.into(),
        _ => {}
    }
    Outcome { tried, ..Outcome::of(engine, Verdict::Unknown(reason), Statistics::default()) }
}
