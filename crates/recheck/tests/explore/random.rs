//! Random programs with automata of random formulas, and such automata that were tampered with. What some lasso of inputs
//! shows and the automaton accepts must be found by both ways; and what they find is mostly shown by a short lasso.

use automata::buchi::{Automaton, Guard, accepts};
use automata::ltl::{AtomId, Letter};
use foundation::{Budget, Id};
use program::semantics::{Answer, ObserveMode, RunEnd, RunLimits, Semantics, Value, run};
use task::{Lasso, Task};

use crate::both::{by_compiler, by_interpreter, is_empty, negated};
use crate::chance::Random;
use crate::oracle::Repeated;
use crate::worlds::task_under;

const STATEMENTS: &[&str] = &[
    "x = in();",
    "y = in() & 1;",
    "x = (x + 1) % 3;",
    "if (x > y) y = 1 - y; else x = x & 1;",
    "a[x & 1] = y;",
    "y = a[y & 1];",
    "if (in() == 2) { x = 0; a[0] = 1; }",
    "__VERIFIER_assume(x != 3);",
    "{ int t = x; x = y; y = t; }",
    "while (x > 0) x = x - 1;",
    "step();",
    "if (y && in() == 3) exit(0);",
    "x = 4 / (x + y);",
    "big = big * 3 + 2147483600; if (big > 0) big = 5; else big = -7;",
    "wide = (wide << 5) ^ (unsigned long)x; wide = wide & 65535;",
    "for (;;) if (in() == 1) break;",
    "x = a[x];",
    "s.c = (unsigned char)(x - 1); y = s.c > 3; s.r[y] = 1; x = s.r[1];",
    "small = small + 100; x = small < 0;",
    "if (x == 2) for (;;) ;",
    "y = twice(x) > 2;",
];

/// Those that a generated program does not cover.
const POINTERS: &[&str] = &["*p = (y + 1) & 1;", "p = p == &y ? &a[1] : &y;"];

pub const FORMULAS: &[&str] = &[
    "G F \"x == 0\"",
    "F G \"y == 0\"",
    "G (\"x == 2\" -> F \"y == 1\")",
    "G !error",
    "F end",
    "\"x == 0\" U \"y == 1\"",
    "G (\"y == 1\" -> X \"y == 1\")",
    "G F call(step())",
    "F \"y == 1\" && G F \"x == 1\"",
    "G \"x <= 2\"",
    "G F (\"x == 1\" && X \"x == 1\")",
    "G !overflow",
    "G (overflow -> X !overflow)",
    "!(G F \"x == 1\" && G F \"y == 1\")",
    "F G (\"twice::n < 2\")",
];

pub fn program(random: &mut Random, with_pointers: bool) -> String {
    let statement = |random: &mut Random| match random.below(8) {
        0 if with_pointers => random.pick(POINTERS),
        _ => random.pick(STATEMENTS),
    };
    let mut body = String::new();
    for _ in 0..1 + random.below(5) {
        body += statement(random);
        body += "\n        ";
    }
    let before = if random.below(2) == 0 { statement(random) } else { "" };
    let condition = random.pick(&["1", "1", "x != 7", "!y"]);
    let pointer = if with_pointers { "int *p = &y;" } else { "" };
    format!(
        "extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
extern void exit(int);
int x, y, a[2], big; unsigned long wide; signed char small; {pointer}
struct {{ unsigned char c; int r[2]; }} s;
static int in(void) {{ int v = __VERIFIER_nondet_int(); __VERIFIER_assume(v >= 0 && v <= 3); return v; }}
static void step(void) {{ small = small ^ 1; }}
static int twice(int n) {{ n = 2 * n; return n; }}
int main(void) {{
    {before}
    while ({condition}) {{
        {body}
    }}
}}
"
    )
}

/// What is shown by the execution with these inputs, as a stem and a loop; none where there is no such execution.
fn word(task: &Task, lasso: &Lasso) -> Option<(Vec<Letter>, Vec<Letter>)> {
    const LENGTH: usize = 300;
    let mut choices = Repeated::new(lasso);
    let limits = RunLimits { observations: LENGTH, edges: 6000 };
    let run = run(&task.program, task.semantics, &task.atoms, &mut choices, limits, &Budget::unlimited());
    let letter = |truth: &Vec<bool>| -> Letter {
        (0..truth.len()).filter(|&index| truth[index]).map(AtomId::from_index).collect()
    };
    let letters: Vec<Letter> = run.observations.iter().map(|observation| letter(&observation.truth)).collect();
    let start = match run.end {
        RunEnd::Lasso { start } => start,
        RunEnd::End(_) | RunEnd::Undefined { .. } | RunEnd::Silent | RunEnd::StoppedAtCall(_) => letters.len() - 1,
        RunEnd::Limit if letters.len() == LENGTH => {
            // What was observed for so long is taken to go on as it did; else it is not known how.
            let later = &letters[LENGTH / 2..];
            let has_period = |period: &usize| later[..later.len() - period] == later[*period..];
            let period = (1..later.len() / 3).find(has_period)?;
            let end = LENGTH / 2 + period;
            return Some((letters[..LENGTH / 2].to_vec(), letters[LENGTH / 2..end].to_vec()));
        }
        RunEnd::Limit => letters.len() - 1,
        RunEnd::Blocked { .. } | RunEnd::NoMoreInputs | RunEnd::UnfitInput { .. } => return None,
        other => panic!("{other:?}"),
    };
    Some((letters[..start].to_vec(), letters[start..].to_vec()))
}

/// The same word without repetitions, where the goal cannot tell them.
fn without_repetitions((stem, repeated): (Vec<Letter>, Vec<Letter>)) -> (Vec<Letter>, Vec<Letter>) {
    let mut before: Vec<Letter> = stem.iter().chain(&repeated).cloned().collect();
    before.dedup();
    let previous = |at: usize| &repeated[(at + repeated.len() - 1) % repeated.len()];
    let mut round: Vec<Letter> =
        (0..repeated.len()).filter(|&at| repeated[at] != *previous(at)).map(|at| repeated[at].clone()).collect();
    if round.is_empty() {
        round = repeated[..1].to_vec();
    }
    (before, round)
}

/// Drops an edge, negates a guard, or takes the marks of an edge away.
fn tampered(automaton: &Automaton<Guard>, random: &mut Random) -> Automaton<Guard> {
    let chosen = random.below(automaton.edge_count().max(1));
    let kind = random.below(3);
    let mut number = 0;
    automaton.map_edges(automaton.acceptance_sets(), |edge| {
        number += 1;
        match kind {
            _ if number != chosen + 1 => Some((edge.label.clone(), edge.marks)),
            0 => None,
            1 => Some((edge.label.not(), edge.marks)).filter(|(label, _)| !label.is_false()),
            _ => Some((edge.label.clone(), automata::buchi::Marks::NONE)),
        }
    })
}

/// All short lassos of inputs, and some longer ones.
fn lassos(random: &mut Random) -> Vec<Lasso> {
    let answer = |value: usize| Answer::Value(Value::int(value));
    let mut lassos = Vec::new();
    for (stem, cycle) in [(0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 1)] {
        let length: u32 = stem + cycle;
        for code in 0..4_usize.pow(length) {
            let mut answers: Vec<Answer> = (0..length).map(|at| answer(code / 4_usize.pow(at) % 4)).collect();
            let cycle = answers.split_off(stem as usize);
            lassos.push(Lasso { stem: answers, cycle });
        }
    }
    for _ in 0..25 {
        let mut answers = |most| (0..1 + random.below(most)).map(|_| answer(random.below(4))).collect();
        lassos.push(Lasso { stem: answers(4), cycle: answers(4) });
    }
    lassos
}

struct Counts {
    empty: usize,
    accepting: usize,
    unconfirmed: usize,
    refused: usize,
    compiled: usize,
    changed: usize,
}

fn compare(seed: u64, cases: usize, compiles: bool) -> Counts {
    let mut random = Random(seed);
    let mut counts = Counts { empty: 0, accepting: 0, unconfirmed: 0, refused: 0, compiled: 0, changed: 0 };
    for case in 0..cases {
        let c = program(&mut random, !compiles);
        let formula = random.pick(FORMULAS);
        let observe = if compiles {
            ObserveMode::Statement
        } else {
            [ObserveMode::Statement, ObserveMode::Change][random.below(2)]
        };
        let task = task_under(&c, formula, Semantics { observe, ..Semantics::default() });
        let words = lassos(&mut random).into_iter().filter_map(|lasso| word(&task, &lasso));
        let repetitions = task.formulas.has_next(task.formula());
        let words: Vec<_> = words.map(|word| if repetitions { word } else { without_repetitions(word) }).collect();
        let automaton = negated(&task);
        let mut automata = vec![automaton];
        for _ in 0..if compiles { 1 } else { 3 } {
            let changed = tampered(&automata[0], &mut random);
            automata.push(changed);
        }
        let mut first = None;
        for automaton in automata {
            let accepted = words.iter().find(|(stem, repeated)| accepts(&automaton, stem, repeated));
            let explored = by_interpreter(&task, &automaton);
            let is_empty_here = is_empty(&explored);
            if compiles && let Some(compiled) = by_compiler(&task, &automaton) {
                let covered = is_empty(&compiled);
                assert!(
                    covered.is_none() || covered == is_empty_here,
                    "case {case}: {c}\n{formula} {explored:?} {compiled:?}"
                );
                counts.compiled += usize::from(covered.is_some());
            }
            match is_empty_here {
                None => counts.refused += 1,
                Some(true) => {
                    assert!(accepted.is_none(), "case {case}: {c}\n{formula} {observe} {accepted:?}");
                    counts.empty += 1;
                }
                Some(false) => {
                    counts.accepting += 1;
                    counts.unconfirmed += usize::from(accepted.is_none());
                }
            }
            match first {
                None => first = Some(is_empty_here),
                Some(first) => counts.changed += usize::from(first != is_empty_here),
            }
        }
    }
    counts
}

#[test]
fn the_interpreter_finds_what_lassos_show() {
    let Counts { empty, accepting, unconfirmed, refused, changed, .. } = compare(3, 40, false);
    let found = format!(
        "{empty} empty, {accepting} accepting, {unconfirmed} not shown by a lasso, {refused} refused, {changed} changed"
    );
    eprintln!("{found}");
    assert!(empty > 40 && accepting > 25 && unconfirmed * 10 < accepting && refused * 5 < empty, "{found}");
    assert!(changed > 10, "{found}");
}

#[test]
fn generated_programs_agree_with_the_interpreter() {
    let Counts { empty, accepting, unconfirmed, compiled, refused, .. } = compare(4, 15, true);
    let found = format!(
        "{empty} empty, {accepting} accepting, {unconfirmed} not shown by a lasso, {compiled} compiled, {refused} refused"
    );
    eprintln!("{found}");
    assert!(compiled == 0 || compiled > 20 && empty > 5 && accepting > 5, "{found}");
}
