//! The portfolio with engines that say what they are told to, and judges that have their own opinion.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use automata::ltl::Formulas;
use program::semantics::Semantics;
use program::{DataModel, Program};
use task::{Board, Certificate, Counterexample, Lasso, Scheduler, Unwritten};

use super::*;
use crate::{explicit, fairness, sampling};

/// What an engine says when it is asked first, second, …; the last for ever.
struct Says {
    name: &'static str,
    verdicts: Vec<Verdict>,
    asked: AtomicUsize,
}

impl Engine for Says {
    fn name(&self) -> &'static str {
        self.name
    }

    fn check(&self, _: &Task, _: &Board, _: &Budget) -> Outcome {
        let at = self.asked.fetch_add(1, Ordering::Relaxed).min(self.verdicts.len() - 1);
        Outcome::of(self.name, self.verdicts[at].clone(), Statistics::default())
    }
}

/// Judges by the engine's name.
struct Opinion {
    failing: Vec<(&'static str, Reason)>,
    /// How often an evidence is judged before it passes; the failing do not until then.
    patience: usize,
    judged: RefCell<Vec<&'static str>>,
}

impl Judge for Opinion {
    fn judge(&self, engine: &'static str, verdict: &Verdict, _: &Budget) -> Result<(), Reason> {
        assert!(!matches!(verdict, Verdict::Unknown(_)), "there is nothing to judge");
        self.judged.borrow_mut().push(engine);
        if self.judged.borrow().len() > self.patience {
            return Ok(());
        }
        let failing = self.failing.iter().find(|(name, _)| *name == engine);
        failing.map_or(Ok(()), |(_, reason)| Err(reason.clone()))
    }
}

fn holds() -> Verdict {
    Verdict::Holds(Certificate::Unwritten(Unwritten { why: "nobody asks".into(), finite: 0, ranked: 0 }))
}

fn violated() -> Verdict {
    Verdict::Violated(Counterexample::Lasso(Lasso::default()))
}

fn silent() -> Verdict {
    Verdict::Unknown(Reason::Incomplete("nothing".into()))
}

fn short() -> Verdict {
    Verdict::Unknown(Reason::Exhausted(Exhausted::Work))
}

fn rejected() -> Reason {
    Reason::EvidenceRejected("wrong".into())
}

fn unchecked() -> Reason {
    Reason::Unchecked("too large".into())
}

fn task() -> Task {
    let mut formulas = Formulas::new();
    let goal = formulas.truth(true);
    let (semantics, scheduler) = (Semantics::default(), Scheduler::default());
    let program = Arc::new(Program::new(DataModel::default()));
    Task { program, atoms: Arc::default(), formulas, goal: task::Goal::Linear(goal), semantics, scheduler }
}

/// What comes of it, and whom the judge was asked about.
fn decide(
    [explicit, sampling, fairness]: [Vec<Verdict>; 3],
    failing: &[(&'static str, Reason)],
    threads: usize,
) -> (Outcome, Vec<&'static str>) {
    let says = |name, verdicts| Says { name, verdicts, asked: AtomicUsize::new(0) };
    let entries = [(explicit::ENTRY, explicit), (sampling::ENTRY, sampling), (fairness::ENTRY, fairness)];
    let member = |(Entry { name, decides, turns, .. }, verdicts)| Member {
        engine: Box::new(says(name, verdicts)),
        decides,
        turns,
    };
    let members = Portfolio { threads, members: entries.map(member).into() };
    let opinion = Opinion { failing: failing.to_vec(), patience: usize::MAX, judged: RefCell::default() };
    let (task, budget) = (task(), Budget::unlimited());
    let outcome = members.check_judged(&task, &opinion, &budget);
    (outcome, opinion.judged.into_inner())
}

fn reason_of(outcome: &Outcome, engine: &str) -> Option<Reason> {
    outcome.tried.iter().find(|attempt| attempt.engine == engine).map(|attempt| attempt.reason.clone())
}

#[test]
fn evidence_that_does_not_pass_ends_nothing() {
    for threads in [1, 2] {
        for reason in [rejected(), unchecked(), Reason::Incomplete("it seems to be violated".into())] {
            let failing = [("explicit", reason.clone())];
            let says = [vec![violated()], vec![silent()], vec![violated()]];
            let (outcome, judged) = decide(says, &failing, threads);
            assert!(matches!(outcome.verdict, Verdict::Violated(_)), "{reason:?} {threads}");
            assert_eq!(outcome.engine, "fairness");
            assert!(judged.contains(&"fairness"));
            if threads == 1 || judged.contains(&"explicit") {
                assert_eq!(reason_of(&outcome, "explicit"), Some(reason));
            }
        }
        let (outcome, _) =
            decide([vec![silent()], vec![violated()], vec![holds()]], &[("sampling", rejected())], threads);
        assert!(matches!(outcome.verdict, Verdict::Holds(_)), "{threads}");
        assert_eq!(reason_of(&outcome, "sampling"), Some(rejected()));
    }
}

#[test]
fn all_evidence_may_fail() {
    for threads in [1, 2] {
        let failing = [("explicit", unchecked()), ("fairness", rejected())];
        let (outcome, judged) = decide([vec![holds()], vec![silent()], vec![holds()]], &failing, threads);
        assert_eq!(judged.len(), 2, "each is asked once");
        assert!(matches!(outcome.verdict, Verdict::Unknown(Reason::Unchecked(_) | Reason::EvidenceRejected(_))));
        let mut engines: Vec<_> = outcome.tried.iter().map(|attempt| attempt.engine).chain([outcome.engine]).collect();
        engines.sort_unstable();
        assert_eq!(engines, ["explicit", "fairness", "sampling"], "all are told");
    }
}

#[test]
fn who_contradicts_checked_evidence_is_told_to_be_wrong() {
    for threads in [1, 2] {
        let says = [vec![holds()], vec![silent()], vec![violated()]];
        let (outcome, judged) = decide(says, &[("explicit", unchecked())], threads);
        assert!(matches!(outcome.verdict, Verdict::Violated(_)));
        if judged.contains(&"explicit") && judged.last() == Some(&"fairness") {
            let reason = reason_of(&outcome, "explicit");
            assert!(matches!(reason, Some(Reason::EvidenceRejected(_))), "{threads} {reason:?}");
        }
    }
}

#[test]
fn two_engines_that_contradict_each_other_are_not_believed() {
    let (outcome, judged) = decide([vec![holds()], vec![silent()], vec![violated()]], &[], 2);
    let Verdict::Unknown(Reason::EvidenceRejected(why)) = &outcome.verdict else { panic!("{:?}", outcome.verdict) };
    assert!(why.contains("explicit") && why.contains("fairness"), "{why}");
    assert_eq!(judged.len(), 2);
    let (outcome, judged) = decide([vec![holds()], vec![silent()], vec![holds()]], &[], 2);
    assert!(matches!(outcome.verdict, Verdict::Holds(_)) && judged.len() == 1);
}

#[test]
fn only_more_work_is_given_to_those_who_asked_for_it() {
    let says = [vec![short(), short(), holds()], vec![silent()], vec![short(), silent()]];
    let (outcome, judged) = decide(says, &[], 1);
    assert!(matches!(outcome.verdict, Verdict::Holds(_)));
    assert_eq!((outcome.engine, judged), ("explicit", vec!["explicit"]));
    assert_eq!(
        outcome.tried.iter().map(|attempt| attempt.engine).collect::<Vec<_>>(),
        ["sampling", "explicit", "fairness"]
    );
    let says = [vec![silent(), holds()], vec![silent()], vec![silent(), holds()]];
    let (outcome, _) = decide(says, &[], 1);
    assert!(matches!(outcome.verdict, Verdict::Unknown(Reason::Incomplete(_))));
    assert_ne!(outcome.engine, "sampling", "that tells least");
    assert_eq!(outcome.tried.len(), 2);
}

#[test]
fn a_verdict_whose_check_was_too_much_work_is_checked_again_and_not_found_again() {
    let asked_once = Says { name: "explicit", verdicts: vec![holds(), silent()], asked: AtomicUsize::new(0) };
    let other = Says { name: "fairness", verdicts: vec![short()], asked: AtomicUsize::new(0) };
    let turns = [&explicit::ENTRY, &fairness::ENTRY].map(|entry| entry.turns);
    let members = [asked_once, other].into_iter().zip(turns);
    let members = members.map(|(says, turns)| Member { engine: Box::new(says), decides: Decides::Both, turns });
    let portfolio = Portfolio { threads: 1, members: members.collect() };
    let too_much = vec![("explicit", Reason::Exhausted(Exhausted::Work))];
    let opinion = Opinion { failing: too_much, patience: 1, judged: RefCell::default() };
    let outcome = portfolio.check_judged(&task(), &opinion, &Budget::unlimited());
    assert!(matches!(outcome.verdict, Verdict::Holds(_)), "{:?}", outcome.verdict);
    assert_eq!((outcome.engine, opinion.judged.into_inner()), ("explicit", vec!["explicit", "explicit"]));
}

#[test]
fn an_interrupt_is_told_before_all_limits() {
    let limits = [Exhausted::Time, Exhausted::Memory, Exhausted::Work, Exhausted::Cancelled];
    let mut reasons: Vec<Reason> = limits.into_iter().map(Reason::Exhausted).collect();
    reasons.extend([Reason::Incomplete("no rule".into()), Reason::Unchecked("no solver".into())]);
    let told = |first: &Reason, second: &Reason, budget: &Budget| {
        let attempt = |engine, reason: &Reason| Attempt { engine, time: Duration::ZERO, reason: reason.clone() };
        let outcome = undecided(vec![attempt("one", first), attempt("other", second)], |_| false, budget);
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
