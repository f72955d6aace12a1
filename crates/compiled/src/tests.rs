//! Compiled programs observe what the interpreter does, in every form of statement; and a difference is found where
//! there is one. Where there is no C compiler, nothing is tried.

use check::{CheckedVerdict, Settings, check, task_of};
use foundation::Budget;
use program::DataModel;
use program::semantics::ObserveMode;
use subject::{Input, Loaded, Properties, Request, load};
use task::Scheduler;

use super::*;

/// Programs with violated properties, one for each form of statement and each kind of input.
const FORMS: &[(&str, &str)] = &[
    ("int x; int main(void) { if (x) x = 1; else if (!x) x = 2; else { x = 3; } return x; }", "G \"x < 2\""),
    ("int x; int main(void) { while (x < 3) x++; do { x--; } while ((x)); for (x = 5; x; --x) ; }", "G \"x != 4\""),
    ("int x; int main(void) { for (int i = 0, j = (9); i < j; i++, j--) { x = i * j; } return (x); }", "G \"x < 20\""),
    (
        "int x; int main(void) { for (;;) { switch (x) { case 0: case 1: x++; break; case 2: { x = 7; } \
         default: x = x - 7; } } }",
        "F G \"x == 0\"",
    ),
    (
        "int x; int f(void) { return ++x; } int g(void) { return f() + f(); } int main(void) { x = g(); }",
        "G \"x != 2\"",
    ),
    ("int x; void s(int v) { x = v; } void t(void) { return s(4); } int main(void) { t(); return 0; }", "G !\"x\""),
    ("int x; int main(void) { x = ({ int y = 2; y++; y; }); goto end; x = 9; end: x--; while (1) ; }", "G \"x < 3\""),
    (
        "int x; int f(int n) { int m = n; if (n) f(n - 1); x = m; return 0; } int main(void) { f(3); }",
        "G !\"f::m == 0\"",
    ),
    ("int x; int f(int n) { return n ? f(n - 1) + 1 : 0; } int main(void) { x = f(2); }", "G !\"f::n == 1\""),
    ("int x; int f(void) { static int n = 3; return n++; } int main(void) { f(); x = f(); }", "G !\"f::n == 5\""),
    ("int x; int f(void) { x = 1; return 0; } int main(void) { x = 2; f(); return 0; }", "G !call(f())"),
    ("int x; int main(void) { x = 1; return 0; }", "G !call(main())"),
    ("int x; int main(void) { const int a[] = {1, 2}, *p = a, q = p[1]; x = q; return 0; }", "G \"x < 2\""),
    ("struct s { unsigned b : 3; int c; } s; int main(void) { switch (s.b) { case 0: s.c = 1; } }", "G \"s.c == 0\""),
    ("int nondet_int(void); int x; int main(void) { while (1) { x = nondet_int(); } }", "G \"x != -5\""),
    ("unsigned char nondet_uchar(void); int x; int main(void) { x = nondet_uchar() - 1; }", "G \"x != 254\""),
    ("_Bool nondet_bool(void); int x; int main(void) { while (nondet_bool()) x++; return 0; }", "G \"x < 2\""),
    ("int open; int write(int); int main(void) { open = write(3); if (open == 7) open = 8; }", "G \"open != 8\""),
    ("int x; int main(void) { int y; x = y; { int y = 4; x = y; } return 0; }", "G \"x != 6\""),
    ("int x; int main(int argc, char **argv) { x = argc; return 0; }", "G \"x != 3\""),
    ("void exit(int); int x; void f(void) { exit(2); } int main(void) { x = 1; f(); x = 2; }", "G !end"),
    ("void abort(void); int x; int main(void) { x = 1; abort(); }", "G !end"),
    ("int x, z; int main(void) { x = 3; x = x / z; return 0; }", "G !error"),
    ("int *p; int x; int main(void) { x = 3; p = &x; x = 4; return 0; }", "G \"*p != 4\""),
    (
        "extern void __VERIFIER_assume(int); int nondet_int(void); int x; \
      int main(void) { x = nondet_int(); __VERIFIER_assume(x > 3); x = 0; }",
        "G \"x != 9\"",
    ),
    (
        "int x; void *f(void *p) { x = 2; return 0; } typedef unsigned long pthread_t; \
         int pthread_create(pthread_t *, const void *, void *(*)(void *), void *); int pthread_join(pthread_t, void **); \
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 1; pthread_join(t, 0); return 0; }",
        "F G \"x == 2\"",
    ),
];

struct Case {
    subject: Subject,
    task: Task,
    lasso: Lasso,
    replayed: Box<certify::Replayed>,
    sources: foundation::SourceMap,
}

fn case(program: &str, formula: &str, change: impl Fn(&mut Request)) -> Case {
    let mut request = Request {
        files: vec![Input::Text { name: "a.c".into(), text: program.into() }],
        properties: Properties::Formulas(vec![formula.into()]),
        ..Request::default()
    };
    change(&mut request);
    let budget = Budget::unlimited();
    let Loaded { sources, diagnostics, subject, .. } = load(&request, &budget);
    let subject = subject.unwrap_or_else(|| panic!("{program}: {diagnostics:?}"));
    let outcome = check(&subject, 0, &Settings::default(), &budget);
    let CheckedVerdict::Violated { replayed: Some(replayed), .. } = outcome.verdict else {
        panic!("{program} {formula}: {:?}", outcome.verdict)
    };
    let lasso = outcome.counterexample.expect("a violation has one").answers().clone();
    let task = task_of(&subject, 0, Scheduler::Any);
    Case { subject, task, lasso, replayed, sources }
}

impl Case {
    fn compiled(&self) -> Compiled {
        let Case { subject, task, lasso, replayed, sources } = self;
        compare_compiled(subject, task, lasso, replayed, 3, sources, &Budget::unlimited())
    }
}

#[test]
fn every_form_is_observed_alike() {
    for (program, formula) in FORMS {
        let compiled = case(program, formula, |_| ()).compiled();
        if compiled.text.contains("no C compiler") {
            return;
        }
        assert_eq!(compiled.result, CompiledResult::Same, "{program}\n{}", compiled.text);
        let unprobed = compiled.limits.iter().find(|limit| limit.contains("no probe"));
        assert_eq!(unprobed, None, "{program}");
    }
}

#[test]
fn modes_and_machines_are_observed_alike() {
    let program = "_Bool nondet_bool(void); long x; int main(void) { while (1) { x = nondet_bool() * sizeof x; } }";
    let changes: [fn(&mut Request); 3] = [
        |request| request.observe = Some(ObserveMode::Change),
        |request| request.data_model = DataModel::Ilp32,
        |request| request.entry = Some("main".to_owned()),
    ];
    for change in changes {
        let compiled = case(program, "G \"x == 0\"", change).compiled();
        // Not every machine has the libraries for 32 bits, nor a compiler.
        if compiled.result != CompiledResult::Skipped {
            assert_eq!(compiled.result, CompiledResult::Same, "{}", compiled.text);
        }
    }
}

/// Every truth value of what is expected is turned round once: the comparison finds just that place.
#[test]
fn every_difference_is_found() {
    let Case { subject, task, lasso, sources, .. } = case(FORMS[2].0, FORMS[2].1, |_| ());
    let reach = FollowedReach { observations: 30, events: 30 };
    let expected = follow(&task, &lasso, reach, &Budget::unlimited());
    let driver = driver(&subject, &task, &sources, &expected, "trace.txt").unwrap();
    assert_eq!(driver.marks.len(), expected.events.len());
    let line = |(index, mark): &(usize, driver::TraceMark)| {
        let (kind, number) = match mark {
            driver::TraceMark::Begin => ('B', 0),
            driver::TraceMark::Probe(site) => ('P', *site),
            driver::TraceMark::Call(frame) => ('C', *frame),
            driver::TraceMark::End => ('E', 0),
            driver::TraceMark::Error => ('X', 11),
        };
        let truth: String = expected.events[*index].truth.iter().map(|&it| if it { '1' } else { '0' }).collect();
        format!("{kind} {number} 0 {truth}")
    };
    let lines: Vec<String> = driver.marks.iter().map(line).collect();
    let atoms = vec!["\"x < 20\"".to_owned()];
    let look = |lines: &[String]| compare(&lines.join("\n"), &driver, &expected, &atoms, &sources);
    assert_eq!(look(&lines), Comparison::Same);
    for at in 0..lines.len() {
        let found = |changed: String| {
            let mut mutant = lines.clone();
            mutant[at] = changed;
            match look(&mutant) {
                Comparison::Differs(what) => assert!(what.contains(&format!("observed state {at},")), "{what}"),
                Comparison::Same => panic!("a difference at {at} is not found"),
            }
        };
        let (start, truth) = lines[at].rsplit_once(' ').unwrap();
        found(format!("{start} {}", if truth == "1" { "0" } else { "1" }));
        found("A 0 0 0".to_owned());
        found(String::new());
        found("P 999 0 1".to_owned());
        assert!(matches!(look(&lines[..at]), Comparison::Differs(_)), "cut off at {at}");
        // What cannot be said is no difference.
        let mut open = lines.clone();
        open[at] = format!("{start} ?");
        assert_eq!(look(&open), Comparison::Same);
    }
}
