//! The portfolio, `--engine auto`: several engines take their turns until one of them gives an answer whose evidence
//! passes its check.
//!
//! Which engines these are, and when it is whose turn, is in their entries of the registry. What nobody has decided in a
//! first turn gets longer ones. All engines are given the same [`Board`], so that a later turn goes on from what earlier
//! ones have posted there, their own and others'. A verdict whose evidence could not be checked with so much work is kept,
//! and in its engine's next turn the check is given more. Turns are measured by the work that engines count, so that the
//! same engines take the same turns on every machine; where the user limits the time, a turn takes a good part of what is
//! left of it at most. An engine that has refused the program, given up, or given evidence that does not pass is not asked
//! again.
//!
//! With several threads all that decide both ways start at the same time, and the first answer whose evidence passes
//! counts. Engines are known here by [`Engine`] alone, and those who check evidence by [`Judge`].

#[cfg(test)]
mod tests;

use std::sync::mpsc;
use std::time::{Duration, Instant};

use foundation::collections::HashMap;
use foundation::{Budget, Exhausted};
use task::registry::{Decides, Entry, Setup, Turn};
use task::{Attempt, Believer, Board, Engine, Judge, Outcome, Reason, Statistics, Task, Verdict};

/// How the portfolio is chosen.
pub const ENTRY: Entry = Entry {
    name: "auto",
    about: "lets the others take turns",
    decides: Decides::Both,
    shows: true,
    writes_proofs: false,
    takes: |_| Ok(()),
    make: |setup| Box::new(Portfolio::new(setup)),
    turns: &[],
};

/// How much more work than a turn the check of what it found may be.
const CHECKING: u64 = 4;

/// The portfolio: all engines that have turns.
pub struct Portfolio<'w> {
    threads: usize,
    members: Vec<Member<'w>>,
}

/// An engine that takes turns.
struct Member<'w> {
    engine: Box<dyn Engine + Sync + 'w>,
    decides: Decides,
    turns: &'static [Turn],
}

impl<'w> Portfolio<'w> {
    /// All engines of the setup's registry that have turns.
    pub fn new(setup: &Setup<'w>) -> Self {
        let entries = setup.registry.with_turns();
        // Those that run at the same time share the threads.
        let others = entries.iter().filter(|entry| entry.decides == Decides::Both).count().saturating_sub(1);
        let shared = Setup { threads: setup.threads.saturating_sub(others).max(1), ..*setup };
        let member = |entry: &&Entry| Member {
            engine: Box::new(entry.engine(&shared)),
            decides: entry.decides,
            turns: entry.turns,
        };
        Self { threads: setup.threads, members: entries.iter().map(member).collect() }
    }
}

impl Engine for Portfolio<'_> {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, task: &Task, board: &Board, budget: &Budget) -> Outcome {
        self.ask(task, board, &Believer, budget)
    }

    fn check_judged(&self, task: &Task, judge: &dyn Judge, budget: &Budget) -> Outcome {
        self.ask(task, &Board::default(), judge, budget)
    }
}

impl Portfolio<'_> {
    /// Asks all engines, and tells which facts were handed on.
    fn ask(&self, task: &Task, board: &Board, judge: &dyn Judge, budget: &Budget) -> Outcome {
        let mut outcome = match self.threads {
            0 | 1 => self.in_turns(task, board, judge, budget),
            _ => self.side_by_side(task, board, judge, budget),
        };
        let handed_on: Vec<String> = board.handed_on().iter().map(ToString::to_string).collect();
        if !handed_on.is_empty() {
            outcome.statistics.word("handed_on", handed_on.join("; "));
        }
        outcome
    }

    /// One engine after the other.
    fn in_turns(&self, task: &Task, board: &Board, judge: &dyn Judge, budget: &Budget) -> Outcome {
        let mut turns: Vec<(&Member, &Turn)> =
            self.members.iter().flat_map(|member| member.turns.iter().map(move |turn| (member, turn))).collect();
        turns.sort_by_key(|(_, turn)| turn.round);
        let mut tried = Tried::default();
        for (member, Turn { work, share, .. }) in turns {
            let engine = &member.engine;
            if tried.has_given_up(engine.name()) {
                continue;
            }
            // An engine that is the only one left has all the time.
            let mut both = self.members.iter().filter(|member| member.decides == Decides::Both);
            let is_alone = both.all(|other| {
                let other = other.engine.name();
                other == engine.name() || tried.has_given_up(other)
            });
            let part = match budget.remaining() {
                _ if is_alone => budget.part(),
                Some(remaining) => budget.part_of(remaining / *share).part_with_work(*work),
                None => budget.part_with_work(*work),
            };
            // Checking has its limits, too, so that something remains for others where it does not come to an end.
            let effort = work.saturating_mul(CHECKING);
            let checking = match budget.remaining() {
                _ if is_alone => budget.part(),
                Some(remaining) => budget.part_of((remaining * 2 / *share).min(remaining / 2)).part_with_work(effort),
                None => budget.part_with_work(effort),
            };
            let start = Instant::now();
            let kept = tried.unchecked.remove(engine.name());
            let outcome = kept.unwrap_or_else(|| engine.check(task, board, &part));
            if let Some(outcome) = tried.note(outcome, judge, start, &checking) {
                return tried.decided(outcome);
            }
            if budget.check().is_err() {
                break;
            }
        }
        undecided(tried.attempts, |engine| self.tells_little(engine), budget)
    }

    /// Whether an engine finds violations alone, so that it tells little where it has none.
    fn tells_little(&self, engine: &str) -> bool {
        let member = self.members.iter().find(|member| member.engine.name() == engine);
        member.is_some_and(|member| member.decides == Decides::Violations)
    }

    /// The engines that decide both ways at the same time, after those that find violations alone.
    fn side_by_side(&self, task: &Task, board: &Board, judge: &dyn Judge, budget: &Budget) -> Outcome {
        let mut tried = Tried::default();
        let deciding = |decides: Decides| self.members.iter().filter(move |member| member.decides == decides);
        for member in deciding(Decides::Violations) {
            let start = Instant::now();
            let found = member.engine.check(task, board, &budget.part());
            if let Some(outcome) = tried.note(found, judge, start, budget) {
                return tried.decided(outcome);
            }
        }
        let parts: Vec<(&Member, Budget)> = deciding(Decides::Both).map(|member| (member, budget.part())).collect();
        let (sender, answers) = mpsc::channel();
        std::thread::scope(|scope| {
            for (member, part) in &parts {
                let sender = sender.clone();
                scope.spawn(move || {
                    let start = Instant::now();
                    // The receiver waits for all.
                    let _ = sender.send((member.engine.check(task, board, part), start));
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
                    parts.iter().for_each(|(_, part)| part.cancel());
                }
            }
            match decided {
                Some(outcome) => tried.decided(outcome),
                None => undecided(tried.attempts, |engine| self.tells_little(engine), budget),
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
    /// What engines have said whose evidence could not be checked with so much work, by their names.
    unchecked: HashMap<&'static str, Outcome>,
}

impl Tried {
    /// Whether an engine would not do better with more work or time.
    fn has_given_up(&self, engine: &str) -> bool {
        let before = self.attempts.iter().find(|attempt| attempt.engine == engine);
        before.is_some_and(|attempt| !matches!(attempt.reason, Reason::Exhausted(_)))
    }

    /// An outcome that is definite and whose evidence passes. Of any other it is noted why it does not count.
    fn note(&mut self, outcome: Outcome, judge: &dyn Judge, start: Instant, budget: &Budget) -> Option<Outcome> {
        let engine = outcome.engine;
        let reason = match &outcome.verdict {
            Verdict::Unknown(reason) => reason.clone(),
            definite => match judge.judge(engine, definite, budget) {
                Ok(()) => return Some(outcome),
                Err(reason) => {
                    self.claims.push((engine, matches!(definite, Verdict::Holds(_))));
                    if let Reason::Exhausted(_) = reason {
                        self.unchecked.insert(engine, outcome);
                    }
                    reason
                }
            },
        };
        let earlier = self.attempts.iter().position(|attempt| attempt.engine == engine);
        let before = earlier.map_or(Duration::ZERO, |at| self.attempts.remove(at).time);
        self.attempts.push(Attempt { engine, time: before + start.elapsed(), reason });
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

/// No engine has answered. Where the user interrupted, that is the reason, whatever limits of turns were reached before.
/// Else it is the reason that tells most ([`Reason::weight`]). That no violation was found tells least.
fn undecided(mut tried: Vec<Attempt>, tells_little: impl Fn(&str) -> bool, budget: &Budget) -> Outcome {
    let weight = |attempt: &Attempt| match &attempt.reason {
        Reason::Exhausted(Exhausted::Cancelled) | Reason::EvidenceRejected(_) | Reason::Unchecked(_) => {
            attempt.reason.weight()
        }
        _ if tells_little(attempt.engine) => 0,
        reason => reason.weight(),
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
