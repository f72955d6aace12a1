//! Programs whose properties are known: mutual exclusion and the like.

use program::semantics::Semantics;
use task::Scheduler;

use super::{holds, negation, space, tasks};

const PETERSON: &str = "
int flag[2], turn, inside[2];
void *left(void *unused) {
    while (1) {
        flag[0] = 1;
        turn = 1;
        while (flag[1] == 1 && turn == 1)
            ;
        inside[0] = 1;
        inside[0] = 0;
        flag[0] = 0;
    }
}
void *right(void *unused) {
    while (1) {
        flag[1] = 1;
        turn = 0;
        while (flag[0] == 1 && turn == 0)
            ;
        inside[1] = 1;
        inside[1] = 0;
        flag[1] = 0;
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

#[test]
fn peterson() {
    let formulas = [
        "G ! \"inside[0] && inside[1]\"",
        "G (\"flag[0]\" -> F \"inside[0]\")",
        "G ! deadlock",
        "F \"inside[0]\"",
        "G F (\"inside[0]\" || \"inside[1]\")",
    ];
    for (scheduler, expected) in [
        (Scheduler::Any, [true, false, true, false, false]),
        (Scheduler::WeakFair, [true, true, true, true, true]),
    ] {
        let tasks = tasks(PETERSON, &formulas, Semantics::default(), scheduler);
        for (task, expected) in tasks.iter().zip(expected) {
            let negation = negation(task);
            let (found, reduced) = holds(space(task, &negation), task, &negation);
            let (found2, full) = holds(space(task, &negation).without_reduction(), task, &negation);
            eprintln!("{scheduler} {} {}", reduced.configurations(), full.configurations());
            assert_eq!(found2, Ok(expected));
            assert_eq!(found, Ok(expected));
        }
    }
}
