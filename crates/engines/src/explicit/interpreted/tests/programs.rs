//! Programs whose properties are known. More of them are pages under `suite/threads`.

use program::semantics::{Atomicity, Semantics};
use task::Scheduler;

use super::plain::Graph;
use super::{holds, negation, space, tasks};

pub const PETERSON: &str = "
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
    assert_eq!(sizes, (3, 90));
    let looping = text.replace("l = l + 1; x = l; return 0;", "while (1) l = 1 - l;");
    let [task] = &tasks(&looping, &["G ! \"x == 4\""], Semantics::default(), Scheduler::Any)[..] else {
        unreachable!()
    };
    let negation = negation(task);
    assert_eq!(holds(space(task, &negation), task, &negation).0, Ok(false), "the other thread is not forgotten");
}

/// A program, a formula, and whether it holds. Each depends on one rule of the reduction or of what is remembered.
struct Case {
    text: String,
    formula: &'static str,
    semantics: Semantics,
    scheduler: Scheduler,
    expected: bool,
}

/// A program whose main function creates two threads and goes on as it is told.
fn two_threads(globals: &str, left: &str, right: &str, after: &str) -> String {
    format!(
        "pthread_mutex_t m; int x, y; {globals}
         void *left(void *unused) {{ {left} return 0; }}
         void *right(void *unused) {{ {right} return 0; }}
         int main(void) {{
             pthread_t a, b;
             pthread_create(&a, 0, left, 0);
             pthread_create(&b, 0, right, 0);
             {after}
         }}"
    )
}

const JOINS: &str = "pthread_join(a, 0); pthread_join(b, 0);";

fn case(text: String, formula: &'static str, expected: bool) -> Case {
    Case { text, formula, semantics: Semantics::default(), scheduler: Scheduler::Any, expected }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    let holds_for_a_moment = "pthread_mutex_lock(&m); pthread_mutex_unlock(&m);";
    // Whoever only tries a mutex sees that it is held for a moment.
    let tries = two_threads("", holds_for_a_moment, "if (pthread_mutex_trylock(&m)) x = 1;", JOINS);
    cases.push(case(tries, "G ! \"x == 1\"", false));
    // Threads are numbered in the order in which they are created.
    let globals = "pthread_t first, second; void *child(void *unused) { return 0; }";
    let numbers = |formula, expected| {
        let (left, right) = ("pthread_create(&first, 0, child, 0);", "pthread_create(&second, 0, child, 0);");
        case(two_threads(globals, left, right, JOINS), formula, expected)
    };
    cases.push(numbers("G ! \"first == 3\"", false));
    cases.push(numbers("G ! \"first == 4\"", false));
    cases.push(numbers("G ! \"first == 5\"", true));
    // A thread that waits for a mutex which is taken again and again is not always able to run.
    let forever = format!("while (1) {{ {holds_for_a_moment} }}");
    for after in [JOINS, "while (1) y = 1 - y;"] {
        for (scheduler, expected) in [(Scheduler::WeakFair, false), (Scheduler::StrongFair, true)] {
            let text = two_threads("", &forever, "pthread_mutex_lock(&m); x = 1;", after);
            cases.push(Case { scheduler, ..case(text, "F \"x == 1\"", expected) });
        }
    }
    // What is changed without being shown is shown by whoever shows something.
    cases.push(case(two_threads("", "x = 1, x = 0;", "int l = 0; l = 1;", JOINS), "G ! \"x == 1\"", false));
    // A full expression that is atomic is more than its first edge.
    let text = two_threads("int z;", "int l = 1; l && (z = x); y = z;", "x = 1;", JOINS);
    let semantics = Semantics { atomicity: Atomicity::Statement, ..Semantics::default() };
    cases.push(Case { semantics, ..case(text, "G ! \"y == 1\"", false) });
    // A local variable is seen through a pointer until its function returns, and not after.
    let right = "int r = *p; x = r == 7 ? 1 : r == 8 ? 2 : x;";
    for formula in ["G ! error", "G ! \"x == 1\"", "G ! \"x == 2\""] {
        cases.push(case(two_threads("int *p = &x;", "int l = 7; p = &l; l = 8;", right, JOINS), formula, false));
    }
    // An overflow is shown at the next observation, whoever makes it.
    let (left, right) = ("int l; l = y + z + 2147483647, l = 0;", "y = 1; x = 1; y = 0;");
    let formula = "G !(\"x == 1 && y == 0\" && ! overflow && F overflow)";
    cases.push(case(two_threads("int z;", left, right, JOINS), formula, false));
    // The entry of a function is seen.
    let text = two_threads("void enter(void) { }", "enter();", "x = 1;", JOINS);
    cases.push(case(text, "G !(call(enter()) && \"x == 1\")", false));
    // So is that a function becomes active whose locals an atom looks at.
    let text = two_threads("int enter(int v) { v = v; return 0; }", "y = enter(1);", "x = 1;", JOINS);
    let formula = "G !(\"x == 1\" && ! \"enter::v == 1\" && F \"enter::v == 1\")";
    cases.push(case(text, formula, false));
    // What the first thread does counts once there is another one.
    cases.push(case(two_threads("", "int l = x; if (l) y = 1;", "", "x = 1;"), "G ! \"y == 1\"", false));
    // Two threads may begin in the same function.
    let text = "int x, y;
        void *both(void *unused) { int l = x; x = l + 1; if (l == 0) y = y + 1; return 0; }
        int main(void) { pthread_t a, b; pthread_create(&a, 0, both, 0); pthread_create(&b, 0, both, 0); pthread_exit(0); }";
    cases.push(case(format!("void pthread_exit(void *); {text}"), "G ! \"y == 2\"", false));
    // The locals of the thread that ran last are what an atom looks at.
    let text = "pthread_mutex_t m;
        void *both(void *two) { int l = two ? 2 : 1; pthread_mutex_lock(&m); return 0; }
        int main(void) {
            pthread_t a, b;
            pthread_mutex_lock(&m);
            pthread_create(&a, 0, both, 0);
            pthread_create(&b, 0, both, (void *)1);
            pthread_join(a, 0);
        }";
    for formula in ["G !(deadlock && \"both::l == 1\")", "G !(deadlock && \"both::l == 2\")"] {
        for scheduler in [Scheduler::Any, Scheduler::WeakFair] {
            cases.push(Case { scheduler, ..case(text.to_owned(), formula, false) });
        }
    }
    // An execution that shows nothing any more repeats the last letter.
    let text = "int x; int main(void) { x = 1; for (;;) ; }";
    cases.push(case(text.to_owned(), "X \"x == 1\" && F G \"x == 1\"", true));
    cases
}

#[test]
fn what_threads_do_to_each_other_is_not_left_out() {
    for Case { text, formula, semantics, scheduler, expected } in cases() {
        let [task] = &tasks(&text, &[formula], semantics, scheduler)[..] else { unreachable!() };
        let negation = negation(task);
        let graph = Graph::explore(task, 20_000).expect("a small program");
        let verdicts = [
            holds(graph.space(&negation), task, &negation).0,
            holds(space(task, &negation).without_reduction(), task, &negation).0,
            holds(space(task, &negation), task, &negation).0,
        ];
        assert_eq!(verdicts, [Ok(expected), Ok(expected), Ok(expected)], "{formula} under {scheduler}\n{text}");
    }
}
