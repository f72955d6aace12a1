//! Schedules: which threads a loop starves, and which schedulers allow that.

use replay::{Rejected, Starved};
use task::{Lasso, Scheduler, Task};

use crate::replayed;
use crate::worlds::{schedule, task};

/// Two threads that go round for ever; the lock is held half of the time.
fn spinning(locked: bool) -> String {
    let (lock, unlock) = if locked { ("pthread_mutex_lock(&m);", "pthread_mutex_unlock(&m);") } else { ("", "") };
    format!(
        "typedef unsigned long pthread_t;
typedef struct {{ int i; }} pthread_mutex_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_mutex_lock(pthread_mutex_t *);
extern int pthread_mutex_unlock(pthread_mutex_t *);
pthread_mutex_t m;
int x, y;
void *other(void *argument) {{
    while (1) {{ {lock} y = 1; {unlock} }}
}}
int main(void) {{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    while (1) {{ {lock} x = 1; {unlock} }}
}}
"
    )
}

fn under(task: &Task, scheduler: Scheduler) -> Task {
    Task { scheduler, ..task.clone() }
}

#[test]
fn a_starved_thread_is_a_violation_under_all_schedules_only() {
    let free = task(&spinning(false), "F \"y == 1\"");
    let starving = schedule(&[], &[0]);
    let found = replayed(&free, &starving).unwrap();
    assert_eq!(found.starved, [Starved { thread: 1, always_able: true }]);
    for scheduler in [Scheduler::WeakFair, Scheduler::StrongFair] {
        assert_eq!(replayed(&under(&free, scheduler), &starving), Err(Rejected::Unfair { thread: 1 }));
    }
}

#[test]
fn a_thread_that_waits_now_and_then_may_be_starved_weakly() {
    let locked = task(&spinning(true), "F \"y == 1\"");
    // The first answer lets thread 1 come to its lock; from then on it is able to run exactly while thread 0 does not hold
    // the mutex. The cycle lets thread 0 run wherever there is a choice.
    let starving = schedule(&[1], &[0]);
    let found = replayed(&locked, &starving).unwrap();
    assert_eq!(found.starved, [Starved { thread: 1, always_able: false }]);
    assert!(replayed(&under(&locked, Scheduler::WeakFair), &starving).is_ok());
    let strong = replayed(&under(&locked, Scheduler::StrongFair), &starving);
    assert_eq!(strong, Err(Rejected::Unfair { thread: 1 }));
}

#[test]
fn a_fair_loop_is_fair_under_all_schedulers() {
    let free = task(&spinning(false), "G \"y == 0\"");
    for scheduler in [Scheduler::Any, Scheduler::WeakFair, Scheduler::StrongFair] {
        let found = replayed(&under(&free, scheduler), &schedule(&[], &[0, 1])).unwrap();
        assert_eq!(found.starved, []);
    }
}

#[test]
fn indices_must_be_those_of_threads_that_can_run() {
    let free = task(&spinning(false), "F \"y == 1\"");
    assert!(matches!(replayed(&free, &schedule(&[], &[2])), Err(Rejected::Unfit { .. })));
    assert_eq!(replayed(&free, &Lasso::default()), Err(Rejected::NoMoreAnswers));
}

#[test]
fn a_deadlock_is_fair() {
    let c = spinning(true).replace("pthread_mutex_unlock(&m);", "");
    let stuck = task(&c, "G !deadlock");
    for scheduler in [Scheduler::Any, Scheduler::StrongFair] {
        let found = replayed(&under(&stuck, scheduler), &schedule(&[], &[0])).unwrap();
        assert_eq!(found.starved, []);
    }
}
