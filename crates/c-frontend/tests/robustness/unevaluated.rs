//! What is lowered only for its type leaves no trace: control goes on where it was, labels stand once, and declarations
//! inside are made once. Each program ends normally with `ok` set to 1.

use foundation::{Budget, Diagnostics, SourceMap, Span};
use program::EndKind;
use program::semantics::{RunEnd, RunLimits, SeededChoices, Semantics, run};
use semper_c_frontend::{Options, translate};

const PROGRAMS: &[&str] = &[
    "int ok, x; int main(void) { x = sizeof(({ while (x) ; 1; })); ok = x == sizeof(int); }",
    "int ok, x; int main(void) { x = sizeof(({ if (x) return 3; 1; })); ok = 1; }",
    "int ok, x = 1; int main(void) { x = x ? ({ int z = 4; if (x) z = 5; z; }) : 3; ok = x == 5; }",
    "int ok, x; int main(void) { x = x ? 3 : ({ int z = 4; while (z < 9) z++; z; }); ok = x == 9; }",
    "int ok, x; int main(void) { x = x ? 1 : ({ goto l; l: 2; }); ok = x == 2; }",
    "int ok, x; int main(void) { x = sizeof(({ l: 2; })); l: ok = 1; }",
    "int ok, x; int main(void) { x = x ?: ({ static int n = 6; n++; }); ok = x == 6; }",
    "int ok, x; int f(void) { return x++; } int main(void) { int y = 1 ? f() : f(); ok = y == 0 && x == 1; }",
    "int ok; int main(void) { int n = 0; __auto_type m = ({ __auto_type k = n++; k + 1; }); ok = n == 1 && m == 1; }",
    "int ok; struct s { int v; } a = { 7 }; int main(void) { __auto_type b = a; a.v = 1; ok = b.v == 7; }",
    "int ok, x; struct s { int v; } *n, a = { 4 }; int main(void) { struct s b = n ? *n : x ? *n : a; ok = b.v == 4; }",
    "int ok, x; int main(void) { (struct t { int v; } *)&x; struct t u = { 1 }; ok = u.v; }",
    "int ok, x; int main(void) { x ? (void)(ok = 2) : (void)(ok = 1); }",
    "int ok, a[sizeof(ok + (ok = 1)) / sizeof ok]; int main(void) { ok = sizeof a == sizeof ok; }",
    "int ok; double d = -3; int main(void) { ok = __builtin_fabs(__builtin_fabs(__builtin_fabs(__builtin_fabs(d)))) == 3; }",
    "int ok, x = 3; int main(void) { ok = ((((((x ?: 1) ?: 2) ?: 3) ?: 4) ?: 5) ?: 6) == 3; }",
];

#[test]
fn what_is_not_evaluated_leaves_no_trace() {
    for text in PROGRAMS {
        let mut sources = SourceMap::new();
        let mut diagnostics = Diagnostics::new();
        let source = sources.add("input.c", *text);
        let translation = translate(&[source], &mut sources, &Options::default(), &mut diagnostics);
        let mut translation = translation.unwrap_or_else(|| panic!("{text}: {:?}", diagnostics.iter().next()));
        let atom = sources.add("atom", "ok == 1");
        let atom = translation.atom(Span { source: atom, start: 0, end: 7 }, &mut sources, &mut diagnostics);
        let atoms = [atom.expect("an atom over a global")];
        let (program, mut choices) = (&translation.program, SeededChoices::new(1));
        let limits = RunLimits { observations: 1_000, edges: 1_000 };
        let run = run(program, Semantics::default(), &atoms, &mut choices, limits, &Budget::unlimited());
        assert_eq!(run.end, RunEnd::End(EndKind::Return), "{text}");
        assert_eq!(run.observations.last().map(|last| last.truth[0]), Some(true), "{text}");
    }
}
