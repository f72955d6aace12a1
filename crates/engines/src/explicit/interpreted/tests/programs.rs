//! Programs whose properties are known. More of them are pages under `suite/threads`.

use program::semantics::Semantics;
use task::Scheduler;

use super::{holds, negation, space, tasks};

const PETERSON: &str = "
int wants[2], turn, inside[2];
void *left(void *unused) {
    while (1) {
        wants[0] = 1;
        turn = 1;
        while (wants[1] && turn == 1)
            ;
        inside[0] = 1;
        inside[0] = 0;
        wants[0] = 0;
    }
}
void *right(void *unused) {
    while (1) {
        wants[1] = 1;
        turn = 0;
        while (wants[0] && turn == 0)
            ;
        inside[1] = 1;
        inside[1] = 0;
        wants[1] = 0;
    }
}
int main(void) {
    pthread_t a, b;
    pthread_create(&a, 0, left, 0);
    pthread_create(&b, 0, right, 0);
    pthread_join(a, 0);
    pthread_join(b, 0);
}
";

/// The numbers of configurations with reduction and without, after the verdict was compared.
fn sizes(text: &str, formula: &str, scheduler: Scheduler, expected: bool) -> (usize, usize) {
    let [task] = &tasks(text, &[formula], Semantics::default(), scheduler)[..] else { unreachable!() };
    let negation = negation(task);
    let (reduced, small) = holds(space(task, &negation), task, &negation);
    let (full, large) = holds(space(task, &negation).without_reduction(), task, &negation);
    assert_eq!((&reduced, &full), (&Ok(expected), &Ok(expected)), "{formula} under {scheduler}");
    (small.configurations(), large.configurations())
}

#[test]
fn peterson() {
    for (formula, any, weak_fair) in [
        ("G ! \"inside[0] && inside[1]\"", true, true),
        ("G(\"wants[0]\" -> F \"inside[0]\")", false, true),
        ("G ! deadlock", true, true),
        ("F \"inside[0]\"", false, true),
        ("G F \"inside[0]\" && G F \"inside[1]\"", false, true),
    ] {
        for (scheduler, expected) in
            [(Scheduler::Any, any), (Scheduler::WeakFair, weak_fair), (Scheduler::StrongFair, weak_fair)]
        {
            let (reduced, full) = sizes(PETERSON, formula, scheduler, expected);
            if expected {
                assert!(reduced * 2 < full, "{formula} under {scheduler}: {reduced} of {full}");
            }
        }
    }
}

/// The example of `docs/design/reduction.md`.
#[test]
fn the_example_that_is_done_by_hand() {
    let text = "
        int x;
        void *left(void *u) { int l = 0; l = l + 1; x = l; return 0; }
        void *right(void *u) { int r = 5; r = r - 1; x = r; return 0; }
        int main(void) {
            pthread_t a, b;
            pthread_create(&a, 0, left, 0);
            pthread_create(&b, 0, right, 0);
            pthread_join(a, 0);
            pthread_join(b, 0);
        }";
    let sizes = sizes(text, "G \"x == 0 || x == 1 || x == 4\"", Scheduler::Any, true);
    assert_eq!(sizes, (6, 103));
    let looping = text.replace("l = l + 1; x = l; return 0;", "while (1) l = 1 - l;");
    let [task] = &tasks(&looping, &["G ! \"x == 4\""], Semantics::default(), Scheduler::Any)[..] else {
        unreachable!()
    };
    let negation = negation(task);
    assert_eq!(holds(space(task, &negation), task, &negation).0, Ok(false), "the other thread is not forgotten");
}
