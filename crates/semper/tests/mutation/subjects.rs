//! Small programs with properties of which it is known whether they hold, in the manner of `suite/loops` and
//! `suite/temporal`: each way in which a proof can be built is used by some of them, and siblings differ in little.

use semper::certify::{Decider, prove_with};
use semper::engines::explicit::Explicit;
use semper::engines::fairness::Fairness;
use semper::program::semantics::Integers;
use semper::task::watch::Unwatched;
use semper::task::{Board, Certificate, Engine, Scheduler, Task, Verdict};
use semper::{Budget, Input, Properties, Request};

/// A program and a property of it.
pub struct Subject {
    /// What is special about it.
    pub name: &'static str,
    /// A C text; `input()` is any integer.
    pub text: &'static str,
    pub property: &'static str,
    pub integers: Integers,
    /// Whether the property holds.
    pub holds: bool,
}

const fn holding(name: &'static str, text: &'static str, property: &'static str) -> Subject {
    Subject { name, text, property, integers: Integers::Ideal, holds: true }
}

const fn violated(name: &'static str, text: &'static str, property: &'static str) -> Subject {
    Subject { holds: false, ..holding(name, text, property) }
}

const fn machine(subject: Subject) -> Subject {
    Subject { integers: Integers::Machine, ..subject }
}

/// All of them. Those that are violated follow on what they are siblings of.
pub const SUBJECTS: &[Subject] = &[
    holding("no module", "int x; int main(void) { while (1) x = 1; }", "F \"x == 1\""),
    violated("no module", "int x; int main(void) { while (1) x = 0; }", "F \"x == 1\""),
    holding(
        "an invariant",
        "int x; int main(void) { x = 1; while (1) { if (x > 5) x = 1; else x = x + 1; } }",
        "G \"x < 7\"",
    ),
    violated(
        "an invariant",
        "int x; int main(void) { x = 1; while (1) { if (x > 6) x = 1; else x = x + 1; } }",
        "G \"x < 7\"",
    ),
    holding("a counter", "int x; int main(void) { x = input(); while (x > 0) x = x - 1; }", "F end"),
    violated("a counter", "int x; int main(void) { x = input(); while (x > 0) x = x - 0; }", "F end"),
    violated("a counter", "int x; int main(void) { x = input(); while (x >= 0) if (x > 0) x = x - 1; }", "F end"),
    holding("a bound", "int x, n; int main(void) { x = input(); n = input(); while (x < n) x = x + 1; }", "F end"),
    violated(
        "a bound",
        "int x, n; int main(void) { x = input(); n = input(); while (x < n) { x = x + 1; n = n + 1; } }",
        "F end",
    ),
    holding(
        "nested loops",
        "int x, y; int main(void) { x = input(); while (x > 0) { y = x; while (y > 0) y = y - 1; x = x - 1; } }",
        "F end",
    ),
    violated(
        "nested loops",
        "int x, y; int main(void) { x = input(); while (x > 0) { y = x; while (y > 0) y = y - 1; x = x - y; } }",
        "F end",
    ),
    holding(
        "a lexicographic order",
        "int x, y; int main(void) { x = input(); y = input(); while (x > 0 && y > 0) { if (input()) { x = x - 1; y = input(); } else y = y - 1; } }",
        "F end",
    ),
    violated(
        "a lexicographic order",
        "int x, y; int main(void) { x = input(); y = input(); while (x > 0 && y > 0) { if (input()) { y = input(); } else y = y - 1; } }",
        "F end",
    ),
    holding(
        "two phases",
        "int x, y; int main(void) { x = input(); y = input(); while (x > 0) { x = x + y; y = y - 1; } }",
        "F end",
    ),
    holding(
        "coming to rest",
        "int x; int main(void) { x = input(); while (1) if (x > 0) x = x - 1; }",
        "F G \"x <= 0\"",
    ),
    violated(
        "coming to rest",
        "int x; int main(void) { x = input(); while (1) if (x > 0) x = x - 1; }",
        "F G \"x == 0\"",
    ),
    holding(
        "a response",
        "int p, q; int main(void) { while (1) { p = input(); if (p > 0) { while (p > 0) p = p - 1; q = 1; q = 0; } } }",
        "G (\"p > 0\" -> F \"p <= 0\")",
    ),
    violated(
        "a response",
        "int p, q; int main(void) { while (1) { p = input(); if (p > 0) { while (p > 1) p = p - 1; q = 1; q = 0; if (q == 0) p = 7; } } }",
        "G (\"p > 0\" -> F \"p <= 0\")",
    ),
    holding(
        "a stem",
        "int x, y; int main(void) { y = input(); if (y < 1) y = 1; x = input(); while (x > 0) x = x - y; }",
        "F end",
    ),
    violated(
        "a stem",
        "int x, y; int main(void) { y = input(); if (y < 0) y = 1; x = input(); while (x > 0) x = x - y; }",
        "F end",
    ),
    holding("an array", "int a[4], i; int main(void) { a[2] = 1; i = input(); while (i > 0) i = i - a[2]; }", "F end"),
    violated("an array", "int a[4], i; int main(void) { a[2] = 1; i = input(); while (i > 0) i = i - a[1]; }", "F end"),
    holding(
        "a pointer",
        "int x, y, *p; int main(void) { p = input() ? &x : &y; *p = input(); while (*p > 0) *p = *p - 1; }",
        "F end",
    ),
    violated(
        "a pointer",
        "int x, y, *p; int main(void) { p = input() ? &x : &y; *p = input(); while (*p > 0) y = y - 1; }",
        "F end",
    ),
    machine(holding("machine integers", "int x; int main(void) { x = input(); while (x < 9) x = x + 1; }", "F end")),
    machine(violated(
        "machine integers",
        "unsigned x; int main(void) { x = input(); while (x >= 0) x = x + 1; }",
        "F end",
    )),
    holding(
        "counting steps",
        "int x; int main(void) { while (1) { x = 1; x = 0; } }",
        "G (\"x == 1\" -> X \"x == 0\")",
    ),
    violated(
        "counting steps",
        "int x; int main(void) { while (1) { x = 1; x = x; x = 0; } }",
        "G (\"x == 1\" -> X \"x == 0\")",
    ),
    holding(
        "fairness",
        "int a, r; int main(void) { while (1) { a = input(); if (a > 0) r = 1; else r = 0; } }",
        "G F \"a > 0\" -> G F \"r == 1\"",
    ),
    violated(
        "fairness",
        "int a, r; int main(void) { while (1) { a = input(); if (a > 1) r = 1; else r = 0; } }",
        "G F \"a > 0\" -> G F \"r == 1\"",
    ),
];

impl Subject {
    /// The program, ready to be loaded.
    pub fn request(&self) -> Request {
        let text =
            format!("int __VERIFIER_nondet_int(void); {}", self.text.replace("input()", "__VERIFIER_nondet_int()"));
        Request {
            files: vec![Input::Text { name: "subject.c".into(), text }],
            properties: Properties::Formulas(vec![self.property.into()]),
            integers: self.integers,
            ..Request::default()
        }
    }

    /// What engines are asked.
    pub fn task(&self) -> Task {
        let loaded = semper::load(&self.request(), &Budget::unlimited());
        let subject = loaded.subject.unwrap_or_else(|| panic!("{}: {:?}", self.name, loaded.diagnostics));
        semper::check::task_of(&subject, 0, Scheduler::Any)
    }
}

/// All that hold, with what the fairness engine says of them, or all that are violated.
pub fn tasks(holds: bool) -> Vec<(&'static Subject, Task)> {
    SUBJECTS.iter().filter(|subject| subject.holds == holds).map(|subject| (subject, subject.task())).collect()
}

/// What the fairness engine says for a goal that holds, with so much work.
pub fn refutation(task: &Task, work: u64) -> Option<Certificate> {
    claim(&Fairness { watch: &Unwatched }, task, work)
}

/// What the explicit engine says for a goal that holds, with so much work.
pub fn closed_state_space(task: &Task, work: u64) -> Option<Certificate> {
    claim(&Explicit::default(), task, work)
}

fn claim(engine: &dyn Engine, task: &Task, work: u64) -> Option<Certificate> {
    match engine.check(task, &Board::default(), &Budget::unlimited().part_with_work(work)).verdict {
        Verdict::Holds(certificate) => Some(certificate),
        _ => None,
    }
}

/// What a certificate says when it is written to a file and read again; an error where it cannot be.
pub fn through_text(certificate: &Certificate) -> Result<Certificate, String> {
    let written = semper::task::certificate::text::write(certificate).ok_or("it is not written down")?;
    semper::task::certificate::text::read(&written)
}

/// Whether a certificate, written to a file and read again, passes the check.
pub fn is_accepted(task: &Task, certificate: &Certificate) -> bool {
    is_accepted_by(task, certificate, &Decider::Embedded)
}

/// The same with a solver of one's choice.
pub fn is_accepted_by(task: &Task, certificate: &Certificate, decider: &Decider) -> bool {
    let budget = Budget::unlimited().part_with_work(20_000_000);
    through_text(certificate).is_ok_and(|read| prove_with(task, &read, None, decider, &budget).is_ok())
}
