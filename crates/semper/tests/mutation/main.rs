//! Evidence that was tampered with. Certificates are corrupted in every way that comes to mind, and engines and translations
//! are broken on purpose: nothing false may be proved.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `subjects` | small programs with properties that hold and that are violated |
//! | `mutants`, `conditions`, `arguments` | certificates, their conditions and their arithmetic, changed in one place |
//! | `forged` | proofs from nothing |
//! | `broken` | engines that overlook something, translations that lose something |
//! | `covers` | boxes that cover all states, changed in one place |
//! | `recurrent` | recurrent sets, their rates and choices, changed in one place |
//! | `words` | whether an automaton has lost a word, by brute force |
//!
//! `SEMPER_MUTANTS=20` looks at so many mutants of a kind, for each certificate; with `-- --nocapture` the figures are shown.
//! `SEMPER_SECOND_SOLVER='cvc5 --incremental'` asks this solver about what was accepted, instead of a second Z3.

mod arguments;
mod broken;
mod conditions;
mod covers;
mod forged;
mod mutants;
mod recurrent;
mod subjects;
mod words;

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;

use foundation::SplitMix64;
use mutants::Mutant;
use semper::Budget;
use semper::certificates::multipliers::with_arguments;
use semper::certify::Decider;
use semper::program::semantics::{Integers, ObserveMode};
use semper::task::certificate::Refutation;
use semper::task::{Certificate, ClosedStateSpace, Negation, Task};
use subjects::{Subject, is_accepted, is_accepted_by, tasks, through_text};

/// How much work an engine may take.
const MUCH: u64 = 10_000_000;

/// How much a broken engine may take: what it decides at all, it decides soon.
const LITTLE: u64 = 1_000_000;

fn of_each_kind(usual: usize) -> usize {
    std::env::var("SEMPER_MUTANTS").ok().and_then(|count| count.parse().ok()).unwrap_or(usual)
}

/// Offers certificates for tasks, on two threads. What was accepted of what was offered, by name.
struct Offered<'t> {
    offers: Mutex<Vec<Offer<'t>>>,
}

struct Offer<'t> {
    name: String,
    task: &'t Task,
    certificate: Certificate,
}

/// What became of the certificates under a name.
#[derive(Clone, Copy, Debug, Default)]
struct Figure {
    offered: usize,
    accepted: usize,
    /// Accepted by the solver in the program, but not by the one that was asked afterwards, as a process of its own.
    doubted: usize,
}

type Figures = BTreeMap<String, Figure>;

impl<'t> Offered<'t> {
    fn new() -> Self {
        Self { offers: Mutex::new(Vec::new()) }
    }

    fn offer(&self, name: impl Into<String>, task: &'t Task, certificate: Certificate) {
        self.offers.lock().unwrap().push(Offer { name: name.into(), task, certificate });
    }

    fn refutation(&self, name: impl Into<String>, task: &'t Task, refutation: Refutation) {
        self.offer(name, task, Certificate::Refutation(Box::new(refutation)));
    }

    fn figures(self) -> Figures {
        let figures = Mutex::new(Figures::new());
        let offers = Mutex::new(self.offers.into_inner().unwrap().into_iter());
        let second = second_solver();
        let work = || {
            loop {
                let Some(offer) = offers.lock().unwrap().next() else { break };
                let Offer { name, task, certificate } = &offer;
                let asked = |decider: &Decider| is_accepted_by(task, certificate, decider);
                let found = catch_unwind(AssertUnwindSafe(|| {
                    let is_accepted = asked(&Decider::Embedded);
                    (is_accepted, is_accepted && second.as_ref().is_some_and(|second| !asked(second)))
                }));
                let (is_accepted, is_doubted) = found.unwrap_or_else(|_| panic!("{name}: the check panics"));
                let mut figures = figures.lock().unwrap();
                let figure = figures.entry(name.clone()).or_default();
                figure.offered += 1;
                figure.accepted += usize::from(is_accepted);
                figure.doubted += usize::from(is_doubted);
            }
        };
        std::thread::scope(|scope| {
            let others = scope.spawn(work);
            work();
            others.join().expect("no offer makes the check panic");
        });
        figures.into_inner().unwrap()
    }
}

/// Who is asked again about what was accepted.
fn second_solver() -> Option<Decider> {
    match std::env::var("SEMPER_SECOND_SOLVER") {
        Ok(command) => Some(Decider::Command(command.split_whitespace().map(str::to_owned).collect())),
        Err(_) => Decider::bundled(),
    }
}

fn total(figures: &Figures) -> Figure {
    figures.values().fold(Figure::default(), |sum, more| Figure {
        offered: sum.offered + more.offered,
        accepted: sum.accepted + more.accepted,
        doubted: sum.doubted + more.doubted,
    })
}

fn assert_nothing_is_accepted(figures: &Figures) {
    println!("{} offered", total(figures).offered);
    let accepted: Vec<_> = figures.iter().filter(|(_, figure)| figure.accepted > 0).collect();
    assert!(accepted.is_empty(), "{accepted:#?}");
}

fn of_refutation(certificate: Certificate) -> Option<Refutation> {
    match certificate {
        Certificate::Refutation(refutation) => Some(*refutation),
        _ => None,
    }
}

/// The goals that hold, with their proofs.
fn proofs() -> Vec<(&'static Subject, Task, Refutation)> {
    let proved = |(subject, task): (&'static Subject, Task)| {
        let proof = subjects::refutation(&task, MUCH);
        let proof = proof.map(|proof| with_arguments(&task, &proof, &Budget::unlimited())).and_then(of_refutation);
        let proof = proof.unwrap_or_else(|| panic!("{}: the engine has no proof", subject.name));
        (subject, task, proof)
    };
    tasks(true).into_iter().map(proved).collect()
}

/// Mutants of proofs of what is true. Those that are accepted prove it still; but some changes leave no proof.
#[test]
fn corrupted_proofs_are_rejected_or_still_proofs() {
    let proofs = proofs();
    let steps: usize = proofs.iter().map(|(_, _, proof)| proof.steps.len()).sum();
    assert!(steps > 20, "only {steps} steps have arguments of arithmetic");
    let offered = Offered::new();
    for (subject, task, proof) in &proofs {
        assert!(is_accepted(task, &Certificate::Refutation(Box::new(proof.clone()))), "{}", subject.name);
        for Mutant { kind, is_fatal, refutation } in mutants::mutants(proof, of_each_kind(1)) {
            let is_fatal = is_fatal || words::is_lost(task, &refutation.automaton);
            offered.refutation(if is_fatal { format!("fatal: {kind}") } else { kind.to_owned() }, task, refutation);
        }
    }
    let figures = offered.figures();
    for (kind, Figure { offered, accepted, .. }) in &figures {
        println!("{accepted:5} of {offered:5} accepted: {kind}");
    }
    let all = total(&figures);
    println!("{all:?}");
    let fatal: Vec<_> =
        figures.iter().filter(|(kind, found)| kind.starts_with("fatal") && found.accepted > 0).collect();
    assert!(fatal.is_empty(), "{fatal:#?}");
    assert_eq!(all.doubted, 0, "{figures:#?}");
    assert!(all.offered > 500 && all.accepted * 2 < all.offered, "{all:?}");
}

#[test]
fn nothing_is_proved_from_nothing() {
    let tasks = tasks(false);
    let offered = Offered::new();
    for (subject, task) in &tasks {
        for (pretence, forged) in forged::all(task) {
            offered.refutation(format!("{}: {pretence}", subject.name), task, forged);
        }
    }
    assert_nothing_is_accepted(&offered.figures());
}

/// What proves one goal is offered for others, which are violated: with the program or the property swapped.
#[test]
fn proofs_of_something_else_are_rejected() {
    let (proofs, tasks) = (proofs(), tasks(false));
    let offered = Offered::new();
    for (subject, task) in &tasks {
        for (other, _, proof) in &proofs {
            let name = format!("{} for {}", other.name, subject.name);
            let mut adapted = proof.clone();
            adapted.automaton = negation(task).automaton;
            offered.refutation(name.as_str(), task, proof.clone());
            offered.refutation(name.as_str(), task, adapted.clone());
            if subject.name == other.name {
                let mutants = [proof, &adapted].into_iter().flat_map(|proof| mutants::mutants(proof, of_each_kind(1)));
                for mutant in mutants.step_by(3) {
                    offered.refutation(name.as_str(), task, mutant.refutation);
                }
            }
        }
    }
    assert_nothing_is_accepted(&offered.figures());
}

/// `x == 5` is seen when the first statement of the callee is complete; but where changes are observed, what the caller has
/// changed before is seen only when its own expression is complete, and then it is gone.
#[test]
fn a_proof_about_statements_is_none_about_changes() {
    let text = "int x, y, r; int f(void) { y = x; x = 0; return 0; } int main(void) { r = (x = 5) + f(); }";
    let (name, property) = ("a change before a call", "F \"x == 5\"");
    let mut task = Subject { name, text, property, integers: Integers::Machine, holds: true }.task();
    let proof = subjects::refutation(&task, MUCH).expect("the engine proves it");
    assert!(is_accepted(&task, &proof));
    task.semantics.observe = ObserveMode::Change;
    assert!(!is_accepted(&task, &proof));
}

/// An engine that overlooks a successor or an assignment proves what is violated; and so it does with further changes.
#[test]
fn broken_engines_are_caught() {
    let tasks = tasks(false);
    let offered = Offered::new();
    let mut wrong = 0;
    for (_, task) in &tasks {
        for (fault, other) in broken::overlooking(task) {
            let Some(claim) = subjects::refutation(&other, LITTLE) else { continue };
            wrong += 1;
            offered.offer(fault, task, claim.clone());
            let mutants = of_refutation(claim).map(|proof| mutants::mutants(&proof, of_each_kind(1)));
            for mutant in mutants.into_iter().flatten().skip(wrong % 7).step_by(7) {
                offered.refutation(fault, task, mutant.refutation);
            }
        }
    }
    println!("{wrong} wrong verdicts");
    assert!(wrong > 20, "only {wrong} wrong verdicts");
    assert_nothing_is_accepted(&offered.figures());
}

/// Forged proofs and those of siblings, with several changes each, chosen by chance.
#[test]
fn several_changes_prove_nothing_false() {
    let (proofs, tasks) = (proofs(), tasks(false));
    let offered = Offered::new();
    let mut random = SplitMix64::new(1);
    for (subject, task) in &tasks {
        let mut sources: Vec<Refutation> = forged::all(task).into_iter().map(|(_, forged)| forged).collect();
        let siblings = proofs.iter().filter(|(other, ..)| other.name == subject.name);
        sources
            .extend(siblings.map(|(_, _, proof)| Refutation { automaton: negation(task).automaton, ..proof.clone() }));
        for _ in 0..of_each_kind(1) * 25 {
            let mut chosen = sources[random.below(sources.len())].clone();
            for _ in 0..=random.below(4) {
                let changed = mutants::one(&chosen, |count| random.below(count));
                // What cannot even be read is not worth another change.
                if through_text(&Certificate::Refutation(Box::new(changed.clone()))).is_ok() {
                    chosen = changed;
                }
            }
            offered.refutation(subject.name, task, chosen);
        }
    }
    assert_nothing_is_accepted(&offered.figures());
}

/// A translation that loses a part of the goal gives an automaton that is too small, or one that is too large to be empty.
#[test]
fn broken_translations_are_caught() {
    let tasks = tasks(false);
    let offered = Offered::new();
    let mut wrong = 0;
    for (_, task) in &tasks {
        for other in broken::mistranslating(task) {
            let Some(claim) = subjects::refutation(&other, LITTLE) else { continue };
            wrong += 1;
            offered.offer("as it is", task, claim.clone());
            let Some(mut proof) = of_refutation(claim) else { continue };
            for mutant in mutants::mutants(&proof, of_each_kind(1)).into_iter().skip(wrong % 7).step_by(7) {
                offered.refutation("with a change", task, mutant.refutation);
            }
            proof.automaton = negation(task).automaton;
            for mutant in mutants::mutants(&proof, of_each_kind(1)).into_iter().skip(wrong % 7).step_by(7) {
                offered.refutation("with the right automaton and a change", task, mutant.refutation);
            }
            offered.refutation("with the right automaton", task, proof);
        }
    }
    println!("{wrong} wrong verdicts");
    assert!(wrong > 10, "only {wrong} wrong verdicts");
    assert_nothing_is_accepted(&offered.figures());
}

/// State spaces are explored again: what is wrong can only be the automaton.
#[test]
fn closed_state_spaces_prove_nothing_false() {
    let offered = Offered::new();
    let (violated, holding) = (tasks(false), tasks(true));
    let is_finite =
        |(subject, _): &&(&Subject, Task)| ["no module", "an invariant", "counting steps"].contains(&subject.name);
    let closed =
        |automaton, states| Certificate::ClosedStateSpace(ClosedStateSpace { automaton, states, transitions: states });
    for (subject, task) in violated.iter().filter(is_finite) {
        let automaton = negation(task).automaton;
        offered.offer(subject.name, task, closed(automaton.clone(), 100));
        for (_, smaller) in mutants::smaller_automata(&automaton) {
            for states in [0, 100] {
                offered.offer(subject.name, task, closed(smaller.clone(), states));
            }
        }
        for other in broken::mistranslating(task) {
            offered.offer(subject.name, task, closed(negation(&other).automaton, 100));
            let claim = subjects::closed_state_space(&other, LITTLE);
            claim.into_iter().for_each(|claim| offered.offer(subject.name, task, claim));
        }
        for (_, other) in broken::overlooking(task) {
            let claim = subjects::closed_state_space(&other, LITTLE);
            claim.into_iter().for_each(|claim| offered.offer(subject.name, task, claim));
        }
    }
    for (subject, task) in holding.iter().filter(is_finite) {
        let automaton = negation(task).automaton;
        assert!(is_accepted(task, &closed(automaton.clone(), 100)), "{}", subject.name);
        for (_, smaller) in mutants::smaller_automata(&automaton) {
            if words::is_lost(task, &smaller) {
                offered.offer(subject.name, task, closed(smaller, 100));
            }
        }
    }
    assert_nothing_is_accepted(&offered.figures());
}

fn negation(task: &Task) -> Negation {
    Negation::new(task, &Budget::unlimited()).expect("the goals are small")
}
