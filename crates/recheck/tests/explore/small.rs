//! Small programs, each for one matter.

use program::semantics::{Integers, ObserveMode, Semantics, UndefinedMode};
use recheck::{Explored, Unexplored};
use task::{Scheduler, Task};

use crate::both::{by_compiler, by_interpreter, is_empty, negated};
use crate::worlds::{task, task_under};

/// What the interpreter says of a task. A generated program must agree where it covers the task.
fn explored(task: &Task) -> Result<Explored, Unexplored> {
    let automaton = negated(task);
    let explored = by_interpreter(task, &automaton);
    if let Some(compiled) = by_compiler(task, &automaton) {
        let (one, other) = (is_empty(&explored), is_empty(&compiled));
        assert!(one.is_none() || other.is_none() || one == other, "{explored:?} {compiled:?}");
    }
    explored
}

/// Whether a goal holds; panics where that is not found out.
fn holds(task: &Task) -> bool {
    let explored = explored(task);
    is_empty(&explored).unwrap_or_else(|| panic!("{explored:?}"))
}

fn refused(task: &Task) -> String {
    match explored(task) {
        Err(Unexplored::NotCovered { reason, .. }) => reason,
        other => panic!("{other:?}"),
    }
}

#[test]
fn observation_ends_errors_and_silence() {
    let counter = "int x; int main(void) { while (x < 3) x++; }";
    let silent = "int x; int main(void) { x = 1; for (;;) ; }";
    let error = "int x, y; int main(void) { x = 1; x = 1 / y; x = 2; }";
    let call = "int x; void f(void) { x = 2; } int main(void) { x = 1; f(); while (1) ; }";
    let overflow = "int x = 2147483646; int main(void) { x = x + 1; x = x + 1; x = 0; while (1) ; }";
    let assertion = "extern void abort(void); int x; int main(void) { x = 1; if (x) abort(); x = 2; }";
    for (c, formula, expected) in [
        (counter, "F end", true),
        (counter, "F G \"x == 3\"", true),
        (counter, "G \"x < 3\"", false),
        (counter, "X \"x == 0\"", true),
        (counter, "X X \"x == 0\"", false),
        (counter, "\"x == 0\" U (\"x == 1\" U (\"x == 2\" U \"x == 3\"))", true),
        (silent, "F G \"x == 1\"", true),
        (silent, "G F \"x == 0\"", false),
        (silent, "F end", false),
        (error, "F error", true),
        (error, "G \"x < 2\"", true),
        (error, "G !error", false),
        (error, "F G error", true),
        (call, "F call(f())", true),
        (call, "G (call(f()) -> \"x == 1\")", true),
        (call, "F G call(f())", false),
        (call, "G (call(f()) -> X !call(f()))", true),
        (overflow, "F (overflow && X !overflow)", true),
        (overflow, "F G overflow", false),
        (overflow, "G !overflow", false),
        (assertion, "F end", true),
        (assertion, "G \"x != 2\"", true),
    ] {
        assert_eq!(holds(&task(c, formula)), expected, "{c} {formula}");
    }
    let assumed = Semantics { undefined: UndefinedMode::Assume, ..Semantics::default() };
    assert!(holds(&task_under(error, "false", assumed)));
    let changes = Semantics { observe: ObserveMode::Change, ..Semantics::default() };
    assert!(holds(&task_under(counter, "X \"x == 1\"", changes)));
}

#[test]
fn inputs_stand_for_their_regions() {
    let program = |body: &str| {
        format!(
            "extern int __VERIFIER_nondet_int(void); extern unsigned char __VERIFIER_nondet_uchar(void);
extern void __VERIFIER_assume(int);
int x, y; int test(int n) {{ if (n > 70000) return 2; if (n == -5) return 1; return 0; }}
int main(void) {{ while (1) {{ {body} }} }}"
        )
    };
    for (body, formula, expected) in [
        ("x = __VERIFIER_nondet_int(); y = x == 1234567;", "G \"y == 0\"", false),
        ("x = __VERIFIER_nondet_int(); y = x > 2147483646;", "G \"y == 0\"", false),
        ("x = __VERIFIER_nondet_int(); y = x > 2147483646 && x < 5;", "G \"y == 0\"", true),
        ("x = test(__VERIFIER_nondet_int());", "G \"x != 2\"", false),
        ("x = test(__VERIFIER_nondet_int());", "G \"x != 3\"", true),
        ("x = __VERIFIER_nondet_int();", "G \"x != 77\"", false),
        ("x = __VERIFIER_nondet_int(); __VERIFIER_assume(x >= 0 && x < 9); y = x * x;", "G \"y != 49\"", false),
        ("x = __VERIFIER_nondet_int(); __VERIFIER_assume(x >= 0 && x < 9); y = x * x;", "G \"y != 81\"", true),
        ("x = __VERIFIER_nondet_uchar(); y = x * x;", "G \"y != 65025\"", false),
        ("x = __VERIFIER_nondet_uchar(); y = x * x;", "G \"y <= 65025\"", true),
        ("int n; x = 0; y = n == 8; x = n == 7;", "G !\"x == 1 && y == 1\"", true),
        ("int n; x = n; y = n; if (n == 7) x = 8;", "G \"x != 8\"", false),
        ("x = __VERIFIER_nondet_int(); y = x; if (y & 1) y = 0;", "G \"y != 7\"", false),
        ("x = __VERIFIER_nondet_int();", "G \"x != y\"", false),
    ] {
        assert_eq!(holds(&task(&program(body), formula)), expected, "{body} {formula}");
    }
    for (body, formula) in [
        ("x = __VERIFIER_nondet_int(); y = x + 1;", "G \"y != 7\""),
        ("x = __VERIFIER_nondet_int(); y = __VERIFIER_nondet_int(); if (x == y) x = 1;", "G \"x != 7\""),
        ("x = __VERIFIER_nondet_int(); y = x; if (y % 3) y = 0;", "G \"y != 7\""),
        ("y = __VERIFIER_nondet_int(); x = __VERIFIER_nondet_int();", "G \"x != y\""),
        ("int n; x = n + 1;", "G \"x != 3\""),
    ] {
        let reason = refused(&task(&program(body), formula));
        assert!(reason.contains("may h"), "{reason}");
    }
}

#[test]
fn threads_and_their_schedulers() {
    let spinning =
        "typedef unsigned long pthread_t; int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int x, y; void *set(void *argument) { x = 1; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, set, 0); while (1) y = 1 - y; }";
    let base = task(spinning, "F \"x == 1\"");
    for (scheduler, expected) in [(Scheduler::Any, false), (Scheduler::WeakFair, true), (Scheduler::StrongFair, true)] {
        assert_eq!(holds(&Task { scheduler, ..base.clone() }), expected, "{scheduler}");
    }
    // The other thread can go on only while the mutex is free, which is so again and again.
    let waiting = "typedef unsigned long pthread_t; typedef union { char size[40]; long align; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
pthread_mutex_t m; int x, y;
void *set(void *argument) { pthread_mutex_lock(&m); x = 1; pthread_mutex_unlock(&m); return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, set, 0);
    while (1) { pthread_mutex_lock(&m); y = 1 - y; pthread_mutex_unlock(&m); } }";
    let base = task(waiting, "F \"x == 1\"");
    for (scheduler, expected) in [(Scheduler::Any, false), (Scheduler::WeakFair, false), (Scheduler::StrongFair, true)]
    {
        assert_eq!(holds(&Task { scheduler, ..base.clone() }), expected, "{scheduler}");
    }
}

#[test]
fn ideal_integers_grow_beyond_every_limit() {
    let ideal = Semantics { integers: Integers::Ideal, ..Semantics::default() };
    let counter = "unsigned char x; int main(void) { while (x < 1000) x = x + 10; }";
    assert!(holds(&task_under(counter, "F \"x == 1000\"", ideal)));
    let endless = "int x; int main(void) { while (1) x = x + 1; }";
    assert!(matches!(explored(&task_under(endless, "G \"x >= 0\"", ideal)), Err(Unexplored::TooLarge { .. })));
}
