//! Variables on which nothing depends do not make the state space larger.

use program::semantics::{Integers, Semantics};
use recheck::{Explored, Unexplored};
use task::Task;

use crate::both::{by_compiler, by_interpreter, is_empty, negated};
use crate::chance::Random;
use crate::random::{FORMULAS, program};
use crate::worlds::{task, task_under};

/// What both ways say of a task; they agree.
fn explored(task: &Task) -> [Option<Result<Explored, Unexplored>>; 2] {
    let automaton = negated(task);
    let (one, other) = (by_interpreter(task, &automaton), by_compiler(task, &automaton));
    if let (Some(one), Some(Some(other))) = (is_empty(&one), other.as_ref().map(is_empty)) {
        assert_eq!(one, other);
    }
    [Some(one), other]
}

#[test]
fn counters_that_nobody_looks_at_are_ignored() {
    let lamp = |more: &str| {
        format!("extern int __VERIFIER_nondet_int(void); int light, presses, other, a[4]; unsigned char b; struct {{ int x; long y; }} s;
int main(void) {{ while (1) {{ light = 1 - light; {more} }} }}")
    };
    for integers in [Integers::Machine, Integers::Ideal] {
        let semantics = Semantics { integers, ..Semantics::default() };
        for more in [
            "presses++;",
            "presses = presses + 7; other = presses - other;",
            "a[light] = a[light] + presses; presses++;",
            "s.x++; s.y = s.y + s.x;",
            "int dead = presses; presses = dead + 1;",
            "presses = presses + (light ? other : 2); other--;",
            "b = b + 1; presses = presses + b / 3;",
            "presses = __VERIFIER_nondet_int(); other = presses + 1;",
        ] {
            let task = task_under(&lamp(more), "G F \"light == 0\"", semantics);
            for explored in explored(&task).into_iter().flatten() {
                assert!(matches!(explored, Ok(Explored { states: ..=12, .. })), "{more} {explored:?}");
            }
        }
    }
}

#[test]
fn what_something_depends_on_is_not_ignored() {
    let lamp = |more: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void); int light, presses, other, a[4]; unsigned char b;
int main(void) {{ while (1) {{ light = 1 - light; {more} }} }}"
        )
    };
    for more in [
        "b++; if (b == 200) light = 2;",
        "b++; other = b; if (other == 200) light = 2;",
        "b++; a[b / 60]++;",
        "b++; presses = presses / (200 - b);",
        "b++; presses = presses << (b / 7);",
        "b++; presses = b == 200 && 1 / light;",
        "presses = __VERIFIER_nondet_int(); if (presses == 77) light = 2;",
        "int n = b; b = n + 1; if (n == 200) while (1) light = 2;",
    ] {
        let task = task(&lamp(more), "G (\"light < 2\" && !error)");
        for explored in explored(&task).into_iter().flatten() {
            assert_eq!(is_empty(&explored), Some(false), "{more} {explored:?}");
        }
    }
}

#[test]
fn random_programs_with_counters_have_as_many_states_as_without() {
    const COUNTERS: &[&str] = &[
        "idle++;",
        "idle = idle * 3 + x;",
        "{ int t = idle + 1; idle = t; }",
        "idles[x & 1] = idles[y & 1] + idle;",
        "idle = twice_idle(idle);",
        "if (x > y) idle = idle + 2; else idle--;",
        "idle = __VERIFIER_nondet_int();",
    ];
    let mut random = Random(11);
    let (mut same, mut other) = (0, 0);
    for case in 0..60 {
        let compiles = case % 6 == 0;
        let c = program(&mut random, !compiles);
        // Overflow in a counter can be seen where the goal looks at overflow.
        let formulas: Vec<&str> = FORMULAS.iter().copied().filter(|formula| !formula.contains("overflow")).collect();
        let formula = random.pick(&formulas);
        // Where the goal counts steps, one more step is another word.
        if formula.contains("X ") {
            continue;
        }
        let counter = random.pick(COUNTERS);
        let with = c.replace(
            "int main(void) {",
            "int idle, idles[2]; static int twice_idle(int n) { return 2 * n + 1; }\nint main(void) {",
        );
        let at = with.find("\n    while (").unwrap();
        let at = at + with[at..].find('{').unwrap() + 1;
        let with = format!("{} {counter} {}", &with[..at], &with[at..]);
        let (without, with) = (task(&c, formula), task(&with, formula));
        let pairs = if compiles {
            explored(&without).into_iter().zip(explored(&with)).collect::<Vec<_>>()
        } else {
            vec![(Some(by_interpreter(&without, &negated(&without))), Some(by_interpreter(&with, &negated(&with))))]
        };
        for (one, another) in pairs {
            let (Some(one), Some(another)) = (one, another) else { continue };
            match (&one, &another) {
                (Ok(one), Ok(another)) => {
                    assert_eq!(one.states, another.states, "case {case}: {counter} {formula}\n{c}");
                    same += 1;
                }
                _ => {
                    assert_eq!(
                        is_empty(&one),
                        is_empty(&another),
                        "case {case}: {counter} {formula}\n{c} {one:?} {another:?}"
                    );
                    other += 1;
                }
            }
        }
    }
    assert!(same > 15 && other > 5, "{same} {other}");
}
