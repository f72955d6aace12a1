//! Deciding a property: a [`Task`] is made of the subject, an engine is asked, and what it answers is checked before
//! anybody is told. A violation that does not pass its check is no verdict.

use std::cell::{Cell, RefCell};
use std::time::{Duration, Instant};

use automata::ltl::AtomId;
use certify::{Decider, Proof, Rejected, Replayed, Unproved};
use foundation::{Budget, Exhausted};
use subject::Subject;
use subject::execute::lead_back;
use task::watch::{Unwatched, Watch};
use task::{
    Attempt, Certificate, Counterexample, Engine, Entry, Judge, Outcome, Reason, Registry, Scheduler, Setup,
    Statistics, Task, Verdict,
};

use crate::prepare::{PreparedTask, prepare, task_of};
use crate::shorten::shorten;

/// How a property is decided.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// What decides.
    pub engine: Entry,
    /// The engines that there are, which `auto` chooses from.
    pub engines: Registry,
    /// Which schedules of threads count.
    pub scheduler: Scheduler,
    /// How many threads the engine may use.
    pub threads: usize,
    /// Whether evidence is checked. Where it is not, a violation is not told either.
    pub checks_evidence: bool,
    /// Who is asked for the steps of a proof that arithmetic does not show.
    pub decider: Decider,
}

impl Default for Settings {
    fn default() -> Self {
        let (engine, engines) = (engines::portfolio::ENTRY, engines::registry());
        Self {
            engine,
            engines,
            scheduler: Scheduler::default(),
            threads: 1,
            checks_evidence: true,
            decider: Decider::Embedded,
        }
    }
}

/// What was decided.
#[derive(Clone, Debug)]
pub struct CheckedOutcome {
    /// The engine that decided.
    pub engine: &'static str,
    /// The verdict, and what supports it.
    pub verdict: CheckedVerdict,
    /// What the engine gave as evidence of a violation that is the verdict.
    pub counterexample: Option<Counterexample>,
    /// The evidence that did not pass its check, of whatever engine.
    pub rejected: Vec<RejectedEvidence>,
    /// What was measured.
    pub statistics: Statistics,
    /// The engines that were tried before, without an answer.
    pub tried: Vec<Attempt>,
    /// The time that it took, the check of the evidence included.
    pub time: Duration,
    /// The work that it was, which does not depend on the machine.
    pub work: u64,
}

/// Evidence that did not pass its check: a fault in Semper.
#[derive(Clone, Debug)]
pub struct RejectedEvidence {
    /// The engine that gave it.
    pub engine: &'static str,
    /// Why it did not pass.
    pub why: String,
    /// What was to be shown, and by what.
    pub verdict: Verdict,
}

/// A verdict whose evidence was checked, where it could be.
#[derive(Clone, Debug)]
pub enum CheckedVerdict {
    /// Every execution satisfies the property.
    Holds {
        /// What the engine gave as evidence.
        certificate: Certificate,
        /// What the check of it has shown.
        proof: Checked,
    },
    /// Some execution does not.
    Violated {
        /// The execution, replayed; its edges are those of the subject's program. None where evidence is not checked.
        replayed: Option<Box<Replayed>>,
        /// The atoms that its observations speak of, by the subject's numbers.
        atoms: Vec<AtomId>,
    },
    /// Neither was found out.
    Unknown(Reason),
}

/// What became of the evidence for a property that holds.
#[derive(Clone, Debug)]
pub enum Checked {
    /// It has passed.
    Passed(Proof),
    /// Nobody looked at it.
    NotAsked,
}

/// Decides whether all executions of the subject that satisfy its assumptions satisfy the property with this index.
pub fn check(subject: &Subject, property: usize, settings: &Settings, budget: &Budget) -> CheckedOutcome {
    check_watched(subject, property, settings, &Unwatched, budget)
}

/// The same under the eyes of somebody.
pub fn check_watched(
    subject: &Subject,
    property: usize,
    settings: &Settings,
    watch: &dyn Watch,
    budget: &Budget,
) -> CheckedOutcome {
    let setup = Setup { threads: settings.threads, watch, registry: &settings.engines };
    check_with(&settings.engine.engine(&setup), subject, property, settings, budget)
}

/// The same with an engine of one's own, which takes the place of the one in the settings.
pub fn check_with(
    engine: &dyn Engine,
    subject: &Subject,
    property: usize,
    settings: &Settings,
    budget: &Budget,
) -> CheckedOutcome {
    let start = Instant::now();
    let allowed = budget.work_left().unwrap_or(u64::MAX);
    let counted = budget.part_with_work(allowed);
    let prepared = prepare(subject, &subject.properties[property], settings.scheduler);
    let examiner = Examiner {
        prepared: &prepared,
        settings,
        passed: None.into(),
        rejected: Vec::new().into(),
        seconds: Cell::new(None),
    };
    let outcome = engine.check_judged(&prepared.task, &examiner, &counted);
    let Examiner { passed, rejected, seconds, .. } = examiner;
    let Outcome { engine, verdict, mut statistics, tried } = outcome;
    let counterexample = match &verdict {
        Verdict::Violated(counterexample) => Some(counterexample.clone()),
        _ => None,
    };
    let verdict = match (verdict, passed.into_inner()) {
        (Verdict::Unknown(reason), _) => CheckedVerdict::Unknown(reason),
        (_, Some(checked)) => checked,
        // Nobody looked at the evidence.
        (Verdict::Holds(certificate), None) => CheckedVerdict::Holds { certificate, proof: Checked::NotAsked },
        (Verdict::Violated(_), None) => CheckedVerdict::Violated { replayed: None, atoms: prepared.atoms.clone() },
    };
    if let Some(seconds) = seconds.get() {
        statistics.quantity("checking_seconds", seconds);
    }
    if let CheckedVerdict::Holds { proof: Checked::Passed(Proof::Refuted(proved)), .. } = &verdict {
        statistics.count("obligations_at_sight", proved.shown.at_sight);
        statistics.count("obligations_by_solver", proved.shown.by_command + proved.shown.by_embedded);
    }
    let (rejected, work) = (rejected.into_inner(), allowed - counted.work_left().unwrap_or(allowed));
    CheckedOutcome { engine, verdict, counterexample, rejected, statistics, tried, time: start.elapsed(), work }
}

/// Checks the evidence of verdicts for one task, and keeps what the checks have shown.
struct Examiner<'a> {
    prepared: &'a PreparedTask,
    settings: &'a Settings,
    /// What has passed last: the portfolio asks no further then.
    passed: RefCell<Option<CheckedVerdict>>,
    rejected: RefCell<Vec<RejectedEvidence>>,
    /// How long the last check of a certificate took.
    seconds: Cell<Option<f64>>,
}

impl Judge for Examiner<'_> {
    fn judge(&self, engine: &'static str, verdict: &Verdict, budget: &Budget) -> Result<(), Reason> {
        if !self.settings.checks_evidence {
            return Ok(());
        }
        // All evidence that is checked today is about words.
        self.prepared.task.goal.linear()?;
        let start = Instant::now();
        self.seconds.set(None);
        let checked = match verdict {
            Verdict::Unknown(reason) => return Err(reason.clone()),
            Verdict::Violated(counterexample) => replay(self.prepared, counterexample, budget),
            Verdict::Holds(certificate) => {
                let checked = prove(&self.prepared.task, certificate.clone(), &self.settings.decider, budget);
                self.seconds.set(Some(start.elapsed().as_secs_f64()));
                checked
            }
        };
        let CheckedVerdict::Unknown(reason) = checked else {
            self.passed.replace(Some(checked));
            return Ok(());
        };
        if let Reason::EvidenceRejected(why) = &reason {
            self.rejected.borrow_mut().push(RejectedEvidence { engine, why: why.clone(), verdict: verdict.clone() });
        }
        Err(reason)
    }
}

/// Checks a certificate for a property of the subject, whoever made it. What is to be shown is shown by a solver of one's
/// choice.
pub fn certify(
    subject: &Subject,
    property: usize,
    certificate: Certificate,
    scheduler: Scheduler,
    decider: &Decider,
    budget: &Budget,
) -> CheckedOutcome {
    let start = Instant::now();
    let task = task_of(subject, property, scheduler);
    let verdict = match prove(&task, certificate, decider, budget) {
        // Whoever wrote it may be wrong, and that is no fault of ours.
        CheckedVerdict::Unknown(Reason::EvidenceRejected(what)) => {
            CheckedVerdict::Unknown(Reason::Incomplete(format!("the certificate proves nothing: {what}")))
        }
        CheckedVerdict::Unknown(Reason::Unchecked(why)) => {
            CheckedVerdict::Unknown(Reason::Incomplete(format!("the certificate cannot be checked: {why}")))
        }
        verdict => verdict,
    };
    let mut statistics = Statistics::default();
    statistics.quantity("checking_seconds", start.elapsed().as_secs_f64());
    CheckedOutcome {
        engine: "certify",
        verdict,
        counterexample: None,
        rejected: Vec::new(),
        statistics,
        tried: Vec::new(),
        time: start.elapsed(),
        work: 0,
    }
}

/// The outcome of a check that was stopped before anything was found.
pub fn undecided(settings: &Settings, why: Exhausted) -> CheckedOutcome {
    CheckedOutcome {
        engine: settings.engine.name,
        verdict: CheckedVerdict::Unknown(Reason::Exhausted(why)),
        counterexample: None,
        rejected: Vec::new(),
        statistics: Statistics::default(),
        tried: Vec::new(),
        time: Duration::ZERO,
        work: 0,
    }
}

/// Checks the evidence for a property that holds. If it shows nothing, that is a fault of the engine, and no verdict.
fn prove(task: &Task, certificate: Certificate, decider: &Decider, budget: &Budget) -> CheckedVerdict {
    match certify::prove_with(task, &certificate, Some(&host::run_source), decider, budget) {
        Ok(proof) => CheckedVerdict::Holds { certificate, proof: Checked::Passed(proof) },
        Err(Unproved::NotCovered(why)) => CheckedVerdict::Unknown(Reason::Unchecked(why)),
        Err(Unproved::Exhausted(exhausted)) => CheckedVerdict::Unknown(Reason::Exhausted(exhausted)),
        Err(Unproved::Rejected(what)) => CheckedVerdict::Unknown(Reason::EvidenceRejected(what)),
    }
}

/// Replays a counterexample. One that shows no violation is a fault of the engine, and no verdict; one that leads to where
/// the interpreter cannot follow shows nothing, and is none.
fn replay(prepared: &PreparedTask, counterexample: &Counterexample, budget: &Budget) -> CheckedVerdict {
    let PreparedTask { task, atoms, back } = prepared;
    match certify::confirm(task, counterexample, budget) {
        Ok(mut replayed) => {
            if let Some(back) = back {
                lead_back(&mut replayed.run, back);
            }
            shorten(&mut replayed, &task.program);
            CheckedVerdict::Violated { replayed: Some(Box::new(replayed)), atoms: atoms.clone() }
        }
        Err(Rejected::Exhausted(exhausted)) => CheckedVerdict::Unknown(Reason::Exhausted(exhausted)),
        Err(rejected @ Rejected::Unsupported { .. }) => {
            let why = format!("it seems to be violated, but the evidence cannot be checked: {rejected}");
            CheckedVerdict::Unknown(Reason::Incomplete(why))
        }
        Err(rejected) => CheckedVerdict::Unknown(Reason::EvidenceRejected(rejected.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use program::semantics::{Answer, Value};
    use task::{Board, Lasso};

    use super::*;
    use subject::{Input, Properties, Request, load};

    /// An engine that finds every property violated, by these inputs.
    struct Claims(Vec<i64>);

    impl Engine for Claims {
        fn name(&self) -> &'static str {
            "claims"
        }

        fn check(&self, _: &Task, _: &Board, _: &Budget) -> Outcome {
            let stem = self.0.iter().map(|&value| Answer::Value(Value::int(value))).collect();
            let verdict = Verdict::Violated(Counterexample::Lasso(Lasso { stem, cycle: Vec::new() }));
            Outcome::of(self.name(), verdict, Statistics::default())
        }
    }

    #[test]
    fn a_claim_is_a_verdict_only_if_it_is_true() {
        let text = "int nondet_int(void); int x, y; int main(void) { x = nondet_int(); y = x / 2; return 0; }";
        let request = Request {
            files: vec![Input::Text { name: "a.c".into(), text: text.into() }],
            properties: Properties::Formulas(vec!["G \"x != 7\"".into(), "G \"y != 3\"".into()]),
            ..Request::default()
        };
        let subject = load(&request, &Budget::unlimited()).subject.unwrap();
        let decide = |inputs: &[i64], property, settings: &Settings, budget: &Budget| {
            let outcome = check_with(&Claims(inputs.to_vec()), &subject, property, settings, budget);
            let is_rejected = matches!(outcome.verdict, CheckedVerdict::Unknown(Reason::EvidenceRejected(_)));
            let kept: Vec<&str> = outcome.rejected.iter().map(|rejected| rejected.engine).collect();
            assert_eq!(kept, if is_rejected { vec!["claims"] } else { vec![] }, "what is rejected is kept");
            assert_eq!(outcome.counterexample.is_some(), matches!(outcome.verdict, CheckedVerdict::Violated { .. }));
            outcome.verdict
        };
        let checked = Settings::default();
        for (inputs, is_true) in [(&[7][..], true), (&[6], false), (&[], false), (&[1 << 40], false)] {
            let verdict = decide(inputs, 0, &checked, &Budget::unlimited());
            match verdict {
                CheckedVerdict::Violated { replayed: Some(_), .. } => assert!(is_true, "{inputs:?}"),
                CheckedVerdict::Unknown(Reason::EvidenceRejected(_)) => assert!(!is_true, "{inputs:?}"),
                other => panic!("{inputs:?} {other:?}"),
            }
        }
        let CheckedVerdict::Violated { replayed: Some(replayed), atoms } =
            decide(&[6], 1, &checked, &Budget::unlimited())
        else {
            panic!()
        };
        assert_eq!(atoms.len(), 1, "the other property's atoms are not looked at");
        assert!(replayed.run.observations.iter().all(|observation| observation.truth.len() == 1));
        let spent = Budget::unlimited();
        spent.cancel();
        let exhausted = decide(&[7], 0, &checked, &spent);
        assert!(matches!(exhausted, CheckedVerdict::Unknown(Reason::Exhausted(Exhausted::Cancelled))));
        let unchecked = Settings { checks_evidence: false, ..checked.clone() };
        let believed = decide(&[6], 0, &unchecked, &Budget::unlimited());
        assert!(matches!(believed, CheckedVerdict::Violated { replayed: None, .. }));
    }
}
