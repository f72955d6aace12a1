//! A variable that grows for a long time keeps a loop open exactly if what happens depends on it, by whatever way.

use foundation::Budget;
use program::semantics::{Atomicity, Integers, Semantics};
use replay::{Closing, Rejected, ReplayLimits, replay_within};
use task::Lasso;

use crate::oracle::violates;
use crate::replayed;
use crate::worlds::{inputs, schedule, task, task_under};

/// `n` counts from 0 to 31 and begins again. Before it is 20, nothing happens; then something does. Closing the loop
/// before that would be wrong.
const DECIDING: &[(&str, &str)] = &[
    ("a guard", "if (n == 20) x = 1;"),
    ("a guard by copies", "m = n; k = m + 1; if (k == 21) x = 1;"),
    ("a value that an atom reads", "x = n == 20;"),
    ("a value that an atom reads, by copies", "l = n; x = l == 20;"),
    ("an atom that reads it through a pointer", "*r = n == 20;"),
    ("a conjunction that asks for an input", "k = n > 19 && in(); x = in();"),
    ("a disjunction that asks for an input", "k = n < 20 || in(); x = in();"),
    ("a conditional expression that asks for an input", "k = n > 19 ? in() : 0; x = in();"),
    ("a conjunction with what is not initialised", "{ int u; l = n > 19 && u; k = y; y = in(); x = k == y; }"),
    ("a disjunction with what is not initialised", "{ int u; l = n < 20 || u; k = y; y = in(); x = k == y; }"),
    (
        "a conditional expression with what is not initialised",
        "{ int u; l = n > 19 ? u : 0; k = y; y = in(); x = k == y; }",
    ),
    ("an index", "a[n / 20 & 1] = 1; x = a[1];"),
    ("an index of what nobody reads", "e[n / 20 * 1000] = 1;"),
    ("an index that is read", "l = b[n / 20 & 1]; x = l;"),
    ("an index out of bounds", "l = b[n / 20 * 1000];"),
    ("an address", "p = a + (n / 20 & 1); *p = 1; x = a[1];"),
    ("a comparison of addresses", "x = a + n == a + 20;"),
    ("a difference of addresses", "x = (a + n) - (a + 20) == 0;"),
    ("a pointer that is chosen", "p = n > 19 ? &x : &m; *p = 1;"),
    ("a pointer made from a number", "p = (int *)((long)n * 1000); l = p == (int *)20000; x = l;"),
    ("a divisor", "l = 1 / (20 - n);"),
    ("a remainder", "l = 1 % (20 - n);"),
    ("a dividend", "l = (-2147483647 - 1 + (n != 20)) / -1;"),
    ("a shift", "l = 1 << (n + 12);"),
    ("a conversion", "l = (int)(n * 1.2e8);"),
    ("a parameter", "f(n);"),
    ("a result", "if (id(n) == 20) x = 1;"),
    ("a result that is stored", "l = id(n); if (l == 20) x = 1;"),
    ("a parameter through a pointer to a function", "g(n);"),
    ("a function that is chosen", "(n > 19 ? set : nop)();"),
    ("a structure", "s.i = n; t = s; if (t.i == 20) x = 1;"),
    ("a structure that is returned", "t = pair(n); if (t.i == 20) x = 1;"),
    ("a pointer to it", "*q = n; if (m == 20) x = 1;"),
    ("what a pointer reads", "m = n; x = *q == 20;"),
    ("bytes that are copied", "s.i = n; __builtin_memcpy(&t, &s, sizeof t); x = t.i == 20;"),
    ("how many bytes are set", "__builtin_memset(v, 1, n); x = v[20] == 1;"),
    ("the size of an allocation", "h = __builtin_malloc(n); if (n) h[19 < n ? 20 : 0] = 1; __builtin_free(h);"),
    ("a loop", "for (m = 0; m < n / 20; m++) x = 1;"),
    ("a switch", "switch (n) { case 20: x = 1; }"),
    ("an assumption", "__VERIFIER_assume(n < 20);"),
    ("an input that is asked for only then", "if (n > 19) x = in();"),
    ("a truth value", "c = n >= 20; if (c) x = 1;"),
    ("a bit-field", "s.bits = n / 20; if (s.bits) x = 1;"),
    ("exit", "if (n == 20) exit(1);"),
    ("a static local", "kept(n);"),
    ("a floating-point number", "d = n * 0.5; x = d == 10.0;"),
];

fn program(statement: &str) -> String {
    format!(
        "extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void exit(int);
extern void *__builtin_malloc(unsigned long);
extern void __builtin_free(void *);
extern void *__builtin_memcpy(void *, const void *, unsigned long);
extern void *__builtin_memset(void *, int, unsigned long);
int x, y, n, m, k, l, a[2], b[2] = {{0, 1}}, e[2], *p = a, *q = &m, *r = &x;
_Bool c;
double d;
char v[200], *h;
struct pair {{ int i; unsigned bits : 3; }} s, t, zero;
static int in(void) {{ return __VERIFIER_nondet_int() & 1; }}
static void f(int i) {{ if (i == 20) x = 1; }}
static int id(int i) {{ return i; }}
static void kept(int i) {{ static int kept; if (kept == 20) x = 1; kept = i; }}
static void set(void) {{ x = 1; }}
static void nop(void) {{ }}
static struct pair pair(int i) {{ struct pair made = {{i, 0}}; return made; }}
void (*g)(int) = f;
int main(void) {{
    while (1) {{
        n = (n + 1) & 31;
        {statement}
        m = k = l = c = d = 0;
        s = t = zero;
    }}
}}
"
    )
}

#[test]
fn what_decides_keeps_the_loop_open() {
    for (way, statement) in DECIDING {
        let c = program(statement);
        for formula in ["F (\"x == 1\" || error || end)", "G F \"x == 0\""] {
            for integers in [Integers::Machine, Integers::Ideal] {
                let task = task_under(&c, formula, Semantics { integers, ..Semantics::default() });
                for lasso in [inputs(&[], &[1, 0]), Lasso::default()] {
                    let expected = violates(&task, &lasso, 2_500);
                    let found = replayed(&task, &lasso).map(|found| found.closing);
                    assert_eq!(found.is_ok(), expected, "{way}: {statement}\n{formula} {integers}\n{found:?}");
                }
            }
        }
    }
}

/// Nothing depends on `n`.
const COUNTING: &[&str] = &[
    "n++;",
    "n = n * 5 + 1;",
    "n += x; m = n; k += m;",
    "n = id(n + 1);",
    "n = n / 2 + 7; m += n >> 1;",
    "s.i++; t = s;",
    "n = (x ? n : m + n) + 1;",
    "b[x]++;",
    "d = d + 0.5; n++;",
    "{ int local = n; n = local + 1; }",
    "n = n - -2 - (n > 7);",
];

#[test]
fn what_only_counts_does_not() {
    for statement in COUNTING {
        let c = format!(
            "int x, n, m, k, b[2]; double d;
struct pair {{ int i, j; }} s, t;
static int id(int i) {{ return i; }}
int main(void) {{
    while (1) {{
        x = 1 - x;
        {statement}
    }}
}}
"
        );
        let violated = replayed(&task(&c, "F G \"x == 0\""), &Lasso::default());
        let violated = violated.unwrap_or_else(|rejected| panic!("{statement}: {rejected}"));
        let Closing::Without(variables) = violated.closing else { panic!("{statement}: {:?}", violated.closing) };
        assert!(!variables.is_empty());
        assert!(violated.run.observations.len() < 200, "{statement}: it closes soon");
        assert_eq!(replayed(&task(&c, "G F \"x == 0\""), &Lasso::default()), Err(Rejected::NotViolated), "{statement}");
    }
}

#[test]
fn an_overflow_counts_where_the_property_sees_it() {
    let c = "signed char n; int x; int main(void) { while (1) { n++; x = n + 2147483600; } }";
    let seen = replayed(&task(c, "G !overflow"), &Lasso::default());
    assert!(seen.is_ok_and(|seen| seen.closing == Closing::Exact));
    assert_eq!(replayed(&task(c, "G F overflow"), &Lasso::default()), Err(Rejected::NotViolated));
    let c = "int n; int main(void) { while (1) { n++; } }";
    assert!(matches!(replayed(&task(c, "F overflow"), &Lasso::default()), Err(Rejected::NotClosed { .. })));
    assert_eq!(replayed(&task(c, "G !error"), &Lasso::default()), Err(Rejected::NotViolated));
}

#[test]
fn ideal_integers_that_become_too_large_for_the_interpreter_keep_the_loop_open() {
    for statement in ["n = n * 3 + 1;", "n = n << 1;"] {
        let c = format!("int n = 1; int main(void) {{ while (1) {{ {statement} }} }}");
        for (integers, is_closed) in [(Integers::Machine, true), (Integers::Ideal, false)] {
            let task = task_under(&c, "F end", Semantics { integers, ..Semantics::default() });
            let found = replay_within(&task, &Lasso::default(), ReplayLimits { steps: 1000 }, &Budget::unlimited());
            assert_eq!(found.is_ok(), is_closed, "{statement} {integers}");
        }
    }
}

/// Two threads; the second one waits for one of two mutexes, the first of which is held for ever. Which one it waits for
/// is decided by what the first thread counts.
#[test]
fn what_another_thread_waits_for_decides() {
    let c = "typedef unsigned long pthread_t;
typedef struct { int i; } pthread_mutex_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
extern int pthread_mutex_lock(pthread_mutex_t *);
pthread_mutex_t mutexes[2];
int x, n, k;
void *waiting(void *argument) {
    pthread_mutex_lock(&mutexes[k]);
    x = 1;
    return 0;
}
int main(void) {
    pthread_t t;
    pthread_mutex_lock(&mutexes[0]);
    pthread_create(&t, 0, waiting, 0);
    while (1) { n = (n + 1) & 127; k = n >> 6; }
}
";
    // Elsewhere the address of the mutex is computed before, and no longer looked at while the thread waits.
    let semantics = Semantics { atomicity: Atomicity::Statement, ..Semantics::default() };
    let found = |formula: &str| {
        let task = task_under(c, formula, semantics);
        replayed(&task, &schedule(&[], &[1])).map(|found| found.closing)
    };
    assert_eq!(found("F \"x == 1\""), Err(Rejected::NotViolated));
    assert!(found("G \"x == 0\"").is_ok());
}

/// In the first round `w` is asked for as well, so that the second one begins with the same answers to come.
#[test]
fn whether_something_is_chosen_is_part_of_the_state() {
    for padding in 4..14 {
        let padding = "l = 0;".repeat(padding);
        let c = format!(
            "extern int __VERIFIER_nondet_int(void);
int x, l;
int main(void) {{
    int w;
    x = 0;
    while (1) {{
        {padding}
        l = w;
        x = __VERIFIER_nondet_int();
    }}
}}
"
        );
        let found = replayed(&task(&c, "F \"x == 1\""), &inputs(&[], &[1, 0])).map(|found| found.closing);
        assert_eq!(found, Err(Rejected::NotViolated));
    }
}
