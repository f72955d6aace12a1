//! With threads, steps that nobody else can notice are taken at once. That changes no answer: a goal that looks at a local
//! variable as well, without saying anything by it, keeps every step apart.

use task::{Scheduler, Task};

use crate::both::{by_interpreter, is_empty, negated};
use crate::chance::Random;
use crate::worlds::task;

const STATEMENTS: &[&str] = &[
    "l = x; l = l + 1; x = l & 3;",
    "y = 1 - y;",
    "if (x == 1) y = 1; else l = 0;",
    "l = y; if (l) x = 0;",
    "pthread_mutex_lock(&m); l = x; x = 1 - (l & 1); pthread_mutex_unlock(&m);",
    "pthread_mutex_lock(&m); y = 1; pthread_mutex_unlock(&m);",
    "__VERIFIER_atomic_begin(); l = x + y; x = y; y = l & 1; __VERIFIER_atomic_end();",
    "while (x == 2) l = 1;",
    "l = 2; while (l > 0) l = l - 1;",
    "for (;;) l = 3;",
    "x = 2 / (y + 1);",
    "__VERIFIER_assume(x != 3);",
];

const FORMULAS: &[&str] = &[
    "G F \"x == 0\"",
    "F G \"y == 0\"",
    "F \"y == 1\"",
    "G (\"x == 1\" -> F \"x != 1\")",
    "F end",
    "G !deadlock",
    "G \"x < 2\"",
    "G (\"y == 1\" -> X \"y == 1\")",
];

fn program(random: &mut Random) -> String {
    let mut body = |most: usize| {
        let statements: Vec<&str> = (0..1 + random.below(most)).map(|_| random.pick(STATEMENTS)).collect();
        let loops = random.pick(&["", "while (1)", "while (x != 1)"]);
        format!("{loops} {{ {} }}", statements.join("\n        "))
    };
    let (work, main) = (body(2), body(2));
    format!(
        "typedef unsigned long pthread_t; typedef union {{ char size[40]; long align; }} pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *); int pthread_mutex_unlock(pthread_mutex_t *);
extern void __VERIFIER_assume(int); extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);
pthread_mutex_t m; int x, y;
void *work(void *argument) {{ int l = 0; {work} return 0; }}
int main(void) {{ pthread_t t; int l = 0; pthread_create(&t, 0, work, 0); {main} pthread_join(t, 0); }}
"
    )
}

#[test]
fn taking_unnoticed_steps_at_once_changes_no_answer() {
    let mut random = Random(5);
    let (mut counts, mut fewer) = ([0; 2], 0);
    for case in 0..40 {
        let c = program(&mut random);
        let formula = random.pick(FORMULAS);
        let scheduler = [Scheduler::Any, Scheduler::WeakFair, Scheduler::StrongFair][random.below(3)];
        let explored = |formula: &str| {
            let task = Task { scheduler, ..task(&c, formula) };
            by_interpreter(&task, &negated(&task))
        };
        let short = explored(formula);
        let long = explored(&format!("({formula}) && (F \"work::l == 77\" || G !\"work::l == 77\")"));
        let (Some(one), Some(other)) = (is_empty(&short), is_empty(&long)) else { continue };
        assert_eq!(one, other, "case {case}: {c}\n{formula} {scheduler} {short:?} {long:?}");
        counts[usize::from(one)] += 1;
        if let (Ok(short), Ok(long)) = (short, long) {
            fewer += usize::from(short.states < long.states);
        }
    }
    assert!(counts.iter().all(|&count| count > 6) && fewer > 6, "{counts:?} {fewer}");
}
