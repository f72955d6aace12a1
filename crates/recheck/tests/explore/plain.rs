//! Members of structures, and what functions reach through pointers, are told apart by a generated program; what is not
//! always the same is not seen through.

use program::semantics::{Semantics, UndefinedMode};
use recheck::Explored;

use crate::both::{by_compiler, by_interpreter, is_empty, negated};
use crate::chance::Random;
use crate::worlds::{task, task_under};

const WORLD: &str = "extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
struct pair { unsigned char n; int v[2]; };
struct pair s, t, arr[2];
int x, y, a[2];
int *const fixed = &y;
struct pair *const first = &arr[0];
static int in(void) { int v = __VERIFIER_nondet_int(); __VERIFIER_assume(v >= 0 && v <= 2); return v; }
static void bump(struct pair *p) { p->n = (p->n + 1) & 3; p->v[p->n & 1] = x & 1; }
static void inner(struct pair *p) { if (x != 2) bump(p); }
static int get(const int *q, int i) { return q[i]; }
static void set(int *q, unsigned char i) { q[i] = y & 1; }
static void out(int *r) { *r = y; }
static void both(struct pair *p, int *r) { if (p != 0 && r) { *r = p->v[0] & 1; p->v[1] = 0; } else x = 3; }
";

const STATEMENTS: &[&str] = &[
    "x = in();",
    "y = in() & 1;",
    "bump(&s);",
    "bump(&arr[1]);",
    "bump(&arr[x & 1]);",
    "inner(&t);",
    "s = t;",
    "t = arr[x & 1];",
    "arr[y & 1] = s;",
    "x = s.n & 1;",
    "y = get(a, x & 1);",
    "y = get(a, x) & 1;",
    "y = get(s.v, x) & 1;",
    "set(a, x & 1);",
    "out(&x);",
    "{ int l; out(&l); x = l & 1; }",
    "{ struct pair l = s; l.n = 1; bump(&l); y = l.n & 1; }",
    "{ struct pair l; l.n = y; t = l; }",
    "{ struct pair l; l = arr[1]; x = l.v[0] & 1; }",
    "both(&t, &y);",
    "both(0, &y);",
    "arr[0].n = x & 3;",
    "y = arr[1].n & 1;",
    "arr[x & 1].v[y & 1] = 1;",
    "s.v[x & 1] = in();",
    "x = t.v[y & 1] & 3;",
    "*fixed = x & 1;",
    "first->n = (first->n + 1) & 1;",
    "a[y & 1] = s.v[0] & 1;",
    "if (s.n == t.n) y = 1 - (y & 1);",
    "{ int *p = x > 1 ? &x : &y; *p = 1; }",
    "{ int *p = &a[0]; p = p + 1; *p = 1; }",
    "{ int *p = &x; int **pp = &p; **pp = 0; }",
];

const FORMULAS: &[&str] = &[
    "G F \"x == 0\"",
    "G (\"y == 1\" -> F \"y == 0\")",
    "G !error",
    "G \"s.n <= 2\"",
    "F G \"t.v[0] == 0\"",
    "G (\"arr[1].n == 1\" -> X \"arr[1].n == 1\")",
    "G F (\"y == 0\" || \"s.n == 1\")",
    "G \"first->n < 2\"",
    "G \"y == 0\"",
    "F \"x == 3\"",
    "G F \"y == 1\"",
];

#[test]
fn random_programs_with_structures_and_pointers_are_explored_alike() {
    let mut random = Random(11);
    let (mut agreed, mut empty, mut compiled_only) = (0, 0, 0);
    for case in 0..30 {
        let mut body = String::new();
        for _ in 0..2 + random.below(4) {
            body += random.pick(STATEMENTS);
            body += "\n        ";
        }
        let c = format!("{WORLD}int main(void) {{\n    while (1) {{\n        {body}\n    }}\n}}\n");
        let undefined = [UndefinedMode::Error, UndefinedMode::Assume][random.below(2)];
        let formula = random.pick(FORMULAS);
        let task = task_under(&c, formula, Semantics { undefined, ..Semantics::default() });
        let automaton = negated(&task);
        let Some(compiled) = by_compiler(&task, &automaton) else { return };
        let interpreted = by_interpreter(&task, &automaton);
        match (is_empty(&compiled), is_empty(&interpreted)) {
            (Some(one), Some(other)) => {
                assert_eq!(one, other, "case {case}: {c}\n{formula} {compiled:?} {interpreted:?}");
                agreed += 1;
                empty += usize::from(one);
            }
            (Some(_), None) => compiled_only += 1,
            (None, _) => {}
        }
    }
    let found = format!("{agreed} alike, {empty} of them empty, {compiled_only} covered by the generated program only");
    eprintln!("{found}");
    assert!(agreed > 10 && empty > 3 && agreed - empty > 3, "{found}");
}

/// How many states the generated program has, if it finds nothing accepted.
fn states(c: &str, formula: &str) -> Option<u64> {
    let task = task(c, formula);
    match by_compiler(&task, &negated(&task))? {
        Ok(Explored { states, .. }) => Some(states),
        Err(why) => panic!("{why}\n{c}"),
    }
}

#[test]
fn members_on_which_nothing_depends_are_ignored() {
    let ring = |place: &str, reached: &str| {
        format!(
            "extern unsigned char __VERIFIER_nondet_uchar(void); extern int __VERIFIER_nondet_int(void);
struct ring {{ unsigned char buf[8], head, tail; unsigned puts; }};
struct ring r, rs[2]; unsigned char fill;
static void put(struct ring *p, unsigned char c) {{ if (((p->head + 1) & 7) != p->tail) {{ p->buf[p->head] = c; p->head = (p->head + 1) & 7; p->puts++; }} }}
int main(void) {{ {place} while (1) {{
  if (__VERIFIER_nondet_int()) put(&{reached}, __VERIFIER_nondet_uchar());
  else if ({reached}.head != {reached}.tail) {reached}.tail = ({reached}.tail + 1) & 7;
  fill = ({reached}.head - {reached}.tail) & 7; }} }}"
        )
    };
    for (place, reached) in [("", "r"), ("", "rs[1]"), ("struct ring l = { { 0 } };", "l")] {
        if let Some(states) = states(&ring(place, reached), "G \"fill <= 7\"") {
            assert!(states < 2000, "{reached}: {states}");
        }
    }
}

#[test]
fn what_a_member_decides_is_not_ignored() {
    for wrong in [
        "bump(&s); if (s.n == 3) x = 9;",
        "bump(&arr[1]); t = arr[1]; if (t.n == 2) x = 9;",
        "s = t; t.n++; if (s.n == 200) x = 9;",
        "arr[x & 1].n++; if (arr[0].n == 3) x = 9;",
        "int *p = &x; *p = 9;",
        "int l = 0; int *p = &l; if (y) p = &x; y = 1; *p = 9;",
        "both(0, &y); if (x == 3) x = 9;",
        "*fixed = 9; x = y;",
        "first->n = 7; if (arr[0].n == 7) x = 9;",
        "set(a, 0); y = 1; if (a[0]) x = 9;",
        "a[1] = 9; x = get(a, 1);",
    ] {
        let task = task(&format!("{WORLD}int main(void) {{ while (1) {{ {wrong} }} }}"), "G \"x != 9\"");
        let automaton = negated(&task);
        assert_eq!(is_empty(&by_interpreter(&task, &automaton)), Some(false), "{wrong}");
        if let Some(compiled) = by_compiler(&task, &automaton) {
            assert_ne!(is_empty(&compiled), Some(true), "{wrong}");
        }
    }
}

#[test]
fn a_pointer_that_is_not_valid_is_not_seen_through() {
    for wrong in [
        "int *p; { int l = 1; p = &l; } y = *p;",
        "int *p = 0; if (y) p = &x; y = *p;",
        "y = get(a, 2);",
        "y = get(a, -1);",
        "set(a, 255);",
        "int *p = &a[1]; y = p[1];",
        "y = get(s.v, 4);",
        "int *p = &x; y = p[1];",
        "struct pair *p = (struct pair *)&x; y = p->v[1];",
        "arr[x + 2].n = 1;",
    ] {
        let task = task(&format!("{WORLD}int main(void) {{ while (1) {{ {wrong} }} }}"), "G !error");
        let automaton = negated(&task);
        assert_ne!(is_empty(&by_interpreter(&task, &automaton)), Some(true), "{wrong}");
        if let Some(compiled) = by_compiler(&task, &automaton) {
            assert_ne!(is_empty(&compiled), Some(true), "{wrong}");
        }
    }
}
