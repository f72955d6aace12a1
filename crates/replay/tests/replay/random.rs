//! Random programs, random lassos, and lassos that were tampered with: a lasso is accepted exactly if the goal is false of
//! the execution, as the oracle finds by another way.

use program::semantics::{Answer, ObserveMode, Semantics, Value};
use replay::Closing;
use task::Lasso;

use crate::chance::Random;
use crate::oracle::violates;
use crate::replayed;
use crate::worlds::task_under;

/// What follows decides on `x`, `y` and `a`, all of which stay small; `count` only counts.
const STATEMENTS: &[&str] = &[
    "x = in();",
    "y = in() & 1;",
    "x = (x + 1) % 3;",
    "if (x > y) y = 1 - y; else x = x & 1;",
    "count++;",
    "count = count * 3 + x;",
    "a[x & 1] = y;",
    "y = a[y & 1];",
    "if (in() == 2) { x = 0; a[0] = 1; }",
    "assume(x != 3);",
    "{ int t = x; x = y; y = t; }",
    "while (x > 0) x = x - 1;",
    "step();",
    "*p = (y + 1) & 1;",
    "p = p == &y ? &a[1] : &y;",
    "total = add(total, x);",
    "if (y && in() == 3) exit(0);",
    "x = 4 / (x + y);",
];

const FORMULAS: &[&str] = &[
    "G F \"x == 0\"",
    "F G \"y == 0\"",
    "G (\"x == 2\" -> F \"y == 1\")",
    "G !error",
    "F end",
    "\"x == 0\" U \"y == 1\"",
    "G (\"y == 1\" -> X \"y == 1\")",
    "G F call(step())",
    "F \"a[0] == 1\"",
    "G \"x <= 2\"",
    "G F (\"x == 1\" && X \"x == 1\")",
];

fn program(random: &mut Random) -> String {
    let mut body = String::new();
    for _ in 0..1 + random.below(6) {
        body += random.pick(STATEMENTS);
        body += "\n        ";
    }
    let before = if random.below(2) == 0 { random.pick(STATEMENTS) } else { "" };
    format!(
        "extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void exit(int);
int x, y, a[2], *p = &y;
unsigned count; long total;
static int in(void) {{ return __VERIFIER_nondet_int() & 3; }}
static void assume(int condition) {{ __VERIFIER_assume(condition); }}
static void step(void) {{ count += 7; }}
static long add(long sum, int more) {{ return sum + more; }}
int main(void) {{
    {before}
    while (1) {{
        {body}
    }}
}}
"
    )
}

fn lasso(random: &mut Random) -> Lasso {
    let mut answers = |most| {
        let length = random.below(most);
        (0..length).map(|_| Answer::Value(Value::int(random.below(4)))).collect()
    };
    Lasso { stem: answers(4), cycle: answers(5) }
}

/// Changes, drops, adds or swaps an answer.
fn tampered(lasso: &Lasso, random: &mut Random) -> Lasso {
    let mut lasso = lasso.clone();
    let part = if random.below(2) == 0 { &mut lasso.stem } else { &mut lasso.cycle };
    let at = random.below(part.len().max(1));
    match random.below(6) {
        0 if !part.is_empty() => part[at] = Answer::Value(Value::int(random.below(4))),
        1 if !part.is_empty() => drop(part.remove(at)),
        2 if !part.is_empty() => {
            let other = random.below(part.len());
            part.swap(at, other);
        }
        3 if !part.is_empty() => part[at] = Answer::Index(random.below(2)),
        4 if !part.is_empty() => part[at] = Answer::Value(Value::int(1u64 << 40)),
        _ => part.insert(at, Answer::Value(Value::int(random.below(4)))),
    }
    lasso
}

#[test]
fn a_lasso_is_accepted_exactly_if_it_shows_a_violation() {
    let mut random = Random(7);
    let (mut accepted, mut rejected, mut up_to_variables) = (0, 0, 0);
    for case in 0..250 {
        let c = program(&mut random);
        let formula = random.pick(FORMULAS);
        let observe = [ObserveMode::Statement, ObserveMode::Change][random.below(2)];
        let task = task_under(&c, formula, Semantics { observe, ..Semantics::default() });
        let first = lasso(&mut random);
        let mut lassos = vec![first];
        for _ in 0..3 {
            let changed = tampered(&lassos[0], &mut random);
            lassos.push(changed);
        }
        for lasso in lassos {
            let expected = violates(&task, &lasso, 600);
            let found = replayed(&task, &lasso).map(|found| found.closing);
            assert_eq!(found.is_ok(), expected, "case {case}: {c}\n{formula} {observe}\n{lasso:?}\n{found:?}");
            match found {
                Ok(closing) => {
                    accepted += 1;
                    up_to_variables += usize::from(matches!(closing, Closing::Without(_)));
                }
                Err(_) => rejected += 1,
            }
        }
    }
    assert!(accepted > 150 && rejected > 150 && up_to_variables > 30, "{accepted} {rejected} {up_to_variables}");
}
