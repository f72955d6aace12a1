//! Recurrent sets that were tampered with. The engine shows an execution that never comes back to a state; its set, its
//! rates and its choices are changed, one place at a time, and are offered for siblings of the program, which satisfy the
//! property.

use semper::Budget;
use semper::certify::recurrence::goes_on;
use semper::engines::fairness::Fairness;
use semper::program::LocationId;
use semper::program::semantics::Integers;
use semper::task::certificate::sexp::Sexp;
use semper::task::recurrent_set::{Counter, InputChoice};
use semper::task::watch::Unwatched;
use semper::task::{Board, Counterexample, Engine, Lasso, RecurrentSet, Task, Verdict};

use crate::conditions::{changed, changed_condition};
use crate::subjects::Subject;

/// A program that violates a property, and one that differs in little and satisfies it.
struct Siblings {
    name: &'static str,
    violating: &'static str,
    satisfying: &'static str,
    property: &'static str,
}

const SIBLINGS: &[Siblings] = &[
    Siblings {
        name: "doubling",
        violating: "int x, small; int main(void) { while (1) { x = 2 * x + 1; small = x < 0; } }",
        satisfying: "int x, small; int main(void) { while (1) { x = 2 * x - 1; small = x < 0; } }",
        property: "F \"small == 1\"",
    },
    Siblings {
        name: "tripling",
        violating: "int x = 1; int main(void) { while (1) { x = 3 * x - 1; } }",
        satisfying: "int x = 1; int main(void) { while (1) { x = 3 * x - 4; } }",
        property: "F \"x <= 0\"",
    },
    Siblings {
        name: "a sum",
        violating: "int x = 1, y, z; int main(void) { while (1) { y = y + x; x = x + 1; if (y < 0) z = 1; } }",
        satisfying: "int x = 1, y, z; int main(void) { while (1) { y = y + x; x = x - 1; if (y < 0) z = 1; } }",
        property: "F \"z == 1\"",
    },
    Siblings {
        name: "chosen inputs",
        violating: "void __VERIFIER_assume(int); int x = 1, p, a; int main(void) { while (1) { x = 2 * x; a = input(); __VERIFIER_assume(a == p); p = 1 - p; } }",
        satisfying: "void __VERIFIER_assume(int); int x = 0, p, a; int main(void) { while (1) { x = 2 * x; a = input(); __VERIFIER_assume(a == p); p = 1 - p; } }",
        property: "F \"x < a\"",
    },
    Siblings {
        name: "a late path",
        violating: "int t, a, b; int main(void) { while (1) { t = t + 1; a = input(); if (a > 7) b = 1; if (t > 100000000) b = 0; } }",
        satisfying: "int t, a, b; int main(void) { while (1) { t = t + 1; a = input(); if (a > 7) b = 1; if (t > 100000000) b = 1; } }",
        property: "F \"b == 1\"",
    },
    Siblings {
        name: "a late path with a relation",
        violating: "int t, o, a, b; int main(void) { while (1) { o = t; t = o + 1; a = input(); if (a > 7) b = 1; if (o > t || t > 100000000) b = 0; } }",
        satisfying: "int t, o, a, b; int main(void) { while (1) { o = t; t = o + 1; a = input(); if (a > 7) b = 1; if (o < t && t > 100000000) b = 1; } }",
        property: "F \"b == 1\"",
    },
    Siblings {
        name: "an input on a late path",
        violating: "int t, a, b; int main(void) { while (1) { t = t + 1; if (t > 100000000) { a = input(); if (a > 7) b = 1; else b = 0; } } }",
        satisfying: "int t, a, b; int main(void) { while (1) { t = t + 1; if (t > 100000000) { a = input(); if (a > 7) b = 1; else b = 1; } } }",
        property: "F \"b == 1\"",
    },
];

impl Siblings {
    fn task(&self, text: &'static str) -> Task {
        let Self { name, property, .. } = *self;
        Subject { name, text, property, integers: Integers::Ideal, holds: false }.task()
    }

    fn tasks(&self) -> (Task, Task) {
        (self.task(self.violating), self.task(self.satisfying))
    }

    /// What the engine says of the one that violates the property.
    fn argument(&self, task: &Task) -> (Lasso, RecurrentSet) {
        let budget = Budget::unlimited().part_with_work(crate::MUCH);
        match (Fairness { watch: &Unwatched }).check(task, &Board::default(), &budget).verdict {
            Verdict::Violated(Counterexample::Recurrent { answers, set }) => (answers, *set),
            _ => panic!("{}: the engine has no recurrent set", self.name),
        }
    }
}

fn is_accepted(task: &Task, stem: &Lasso, set: &RecurrentSet) -> bool {
    let read = RecurrentSet::read(&Sexp::parse(&set.write().to_string()).expect("what was written is an expression"));
    read.is_ok_and(|read| goes_on(task, stem, &read, &Budget::unlimited()).is_ok())
}

/// All arguments that differ in one place, with what was changed.
fn mutants(set: &RecurrentSet) -> Vec<(&'static str, RecurrentSet)> {
    let mut found = Vec::new();
    for (index, condition) in set.set.iter().enumerate() {
        for other in changed_condition(condition) {
            let mut mutant = set.clone();
            mutant.set[index] = other;
            found.push(("the set", mutant));
        }
        let mut mutant = set.clone();
        mutant.set.remove(index);
        found.push(("less of the set", mutant));
    }
    for (index, Counter { start, next, .. }) in set.counters.iter().enumerate() {
        for other in changed(next) {
            let mut mutant = set.clone();
            mutant.counters[index].next = other;
            found.push(("a rate", mutant));
        }
        let mut mutant = set.clone();
        mutant.counters[index].start = start + 1;
        found.push(("a start", mutant));
    }
    for (index, InputChoice { value, .. }) in set.choices.iter().enumerate() {
        let far = Sexp::word(1_000_000);
        for other in changed(value).into_iter().chain([far]) {
            let mut mutant = set.clone();
            mutant.choices[index].value = other;
            found.push(("a choice", mutant));
        }
        let mut mutant = set.clone();
        mutant.choices.remove(index);
        found.push(("a choice left open", mutant));
    }
    for head in 0..8 {
        let head = <LocationId as semper::foundation::Id>::from_index(head);
        found.push(("the head", RecurrentSet { head, ..set.clone() }));
    }
    found
}

#[test]
fn arguments_of_the_engine_are_accepted_and_show_nothing_of_siblings() {
    for siblings in SIBLINGS {
        let (violating, satisfying) = siblings.tasks();
        let (stem, set) = siblings.argument(&violating);
        assert!(is_accepted(&violating, &stem, &set), "{}", siblings.name);
        for (what, mutant) in mutants(&set).into_iter().chain([("nothing", set)]) {
            for stem in [&stem, &Lasso::default()] {
                assert!(!is_accepted(&satisfying, stem, &mutant), "{}: {what} changed: {mutant:?}", siblings.name);
            }
        }
    }
}

/// A changed argument may still be one: a set that is larger or smaller, an input that does not matter. A rate says how
/// much is added for ever, so that no other one will do; and of choices on which an assumption depends, most will not.
#[test]
fn wrong_rates_and_choices_are_rejected() {
    let (mut offered, mut accepted) = (0, 0);
    for siblings in SIBLINGS {
        let (violating, _) = siblings.tasks();
        let (stem, set) = siblings.argument(&violating);
        for (what, mutant) in mutants(&set) {
            let is_accepted = is_accepted(&violating, &stem, &mutant);
            offered += 1;
            accepted += usize::from(is_accepted);
            let is_fatal = match what {
                "a rate" => true,
                "a choice" => siblings.name == "chosen inputs",
                "a choice left open" => ["chosen inputs", "an input on a late path"].contains(&siblings.name),
                _ => false,
            };
            assert!(!(is_fatal && is_accepted), "{}: {what} changed: {}", siblings.name, mutant.write());
        }
    }
    println!("{accepted} of {offered} accepted");
    assert!(offered > 100 && accepted * 2 < offered, "{accepted} of {offered} accepted");
}
