//! Covers that were tampered with. The engine shows by boxes that a program satisfies a property; a box is left out, a bound
//! moved, a part forgotten, a location mistaken, a word of the automaton lost, and all of it is offered for siblings of the program,
//! which violate the property. So is what the engine says of programs in which it overlooks something.

use semper::Budget;
use semper::engines::boxes::Boxes;
use semper::program::semantics::Integers;
use semper::task::{Board, Certificate, Cover, Engine, Task, Verdict};

use crate::subjects::{Subject, is_accepted};
use crate::{Offered, assert_nothing_is_accepted, broken, mutants, negation, total, words};

/// A program that satisfies a property, and one that differs in little and violates it.
struct Siblings {
    name: &'static str,
    satisfying: &'static str,
    violating: &'static str,
    property: &'static str,
    integers: Integers,
}

const fn siblings(
    name: &'static str,
    satisfying: &'static str,
    violating: &'static str,
    property: &'static str,
) -> Siblings {
    Siblings { name, satisfying, violating, property, integers: Integers::Machine }
}

const SIBLINGS: &[Siblings] = &[
    siblings(
        "a tank",
        "int level = 500, pump; int main(void) { while (1) { level = level + __VERIFIER_nondet_uchar() - (pump ? 300 : 0); if (level > 2000) pump = 1; if (level < 1000) pump = 0; } }",
        "int level = 500, pump; int main(void) { while (1) { level = level + __VERIFIER_nondet_uchar() - (pump ? 300 : 0); if (level > 2001) pump = 1; if (level < 1000) pump = 0; } }",
        "G \"level <= 2255\"",
    ),
    siblings(
        "a counter",
        "unsigned char i, t; int main(void) { while (1) { for (i = 0; i < 20; i++) t = 0; t = 1; } }",
        "unsigned char i, t; int main(void) { while (1) { for (i = 0; i < 20; i += 3) { t = 0; if (i == 18) i = 0; } t = 1; } }",
        "G F \"t == 1\"",
    ),
    siblings(
        "a table",
        "int a[4] = { 1, 2, 3, 4 }, x, y; int main(void) { while (1) { x = input(); if (x >= 0 && x < 4) y = a[x]; } }",
        "int a[4] = { 1, 2, 3, 4 }, x, y; int main(void) { while (1) { x = input(); if (x >= 0 && x <= 4) y = a[x]; } }",
        "G ! error",
    ),
    siblings(
        "a quotient",
        "short d; int x; int main(void) { while (1) { d = input(); if (d > 2 || d < -2) x = 100 / (d - 1); } }",
        "short d; int x; int main(void) { while (1) { d = input(); if (d > 2 || d < 2) x = 100 / (d - 1); } }",
        "G ! error",
    ),
    siblings(
        "a mode",
        "struct { int mode; short want; } m; int main(void) { while (1) { m.want = input(); switch (m.mode) { case 0: if (m.want > 9) m.mode = 1; break; case 1: m.mode = m.want > 0 ? 2 : 0; break; default: m.mode = 0; } } }",
        "struct { int mode; short want; } m; int main(void) { while (1) { m.want = input(); switch (m.mode) { case 0: if (m.want > 9) m.mode = 1; break; case 1: m.mode = m.want > 0 ? 3 : 0; break; default: m.mode = 0; } } }",
        "G (\"m.mode == 1\" -> F \"m.mode != 1\") && G \"m.mode <= 2\"",
    ),
    siblings(
        "a pointer",
        "int x; static void up(int *p) { if (*p < 1000) *p = *p + 1; } int main(void) { while (1) if (input()) up(&x); else x = 0; }",
        "int x; static void up(int *p) { if (*p <= 1000) *p = *p + 1; } int main(void) { while (1) if (input()) up(&x); else x = 0; }",
        "G \"x <= 1000\"",
    ),
    Siblings {
        integers: Integers::Ideal,
        ..siblings(
            "growth",
            "unsigned char b; int main(void) { while (1) { b = b + 1; if (b > 300) b = b - 301; } }",
            "unsigned char b; int main(void) { while (1) { b = b + 1; if (b > 300) b = b - 302; } }",
            "G \"b >= 0\"",
        )
    },
];

impl Siblings {
    fn task(&self, text: &'static str) -> Task {
        let Self { name, property, integers, .. } = *self;
        Subject { name, text, property, integers, holds: true }.task()
    }
}

/// What the engine of boxes shows.
fn cover(task: &Task) -> Option<Cover> {
    let budget = Budget::unlimited().part_with_work(crate::LITTLE);
    match Boxes.check(task, &Board::default(), &budget).verdict {
        Verdict::Holds(Certificate::Cover(cover)) => Some(*cover),
        _ => None,
    }
}

/// All covers that differ in one place, with what was changed.
fn changed(cover: &Cover) -> Vec<(&'static str, Cover)> {
    let mut found = Vec::new();
    for index in 0..cover.boxes.len() {
        let mut mutant = cover.clone();
        mutant.boxes.remove(index);
        found.push(("a box left out", mutant));
        let mut mutant = cover.clone();
        mutant.boxes[index].location = cover.boxes[(index + 1) % cover.boxes.len()].location;
        found.push(("a location mistaken", mutant));
        for part in 0..cover.boxes[index].values.len() {
            let mut mutant = cover.clone();
            mutant.boxes[index].values.remove(part);
            found.push(("a part forgotten", mutant));
            let mut mutant = cover.clone();
            mutant.boxes[index].values[part].0.number += 1;
            found.push(("a part mistaken", mutant));
            for (low, high) in [(1, 0), (0, -1), (-1, 0), (0, 1)] {
                let mut mutant = cover.clone();
                let intervals = &mut mutant.boxes[index].values[part].1;
                let (Some(first), last) = (intervals.first_mut(), 0) else { continue };
                first.0 = first.0.saturating_add(low);
                let last = intervals.last_mut().map_or(last, |it| {
                    it.1 = it.1.saturating_add(high);
                    it.1
                });
                intervals.retain(|(low, high)| low <= high && *high <= last);
                found.push(("a bound moved", mutant));
            }
        }
    }
    for (_, automaton) in mutants::smaller_automata(&cover.automaton) {
        found.push(("a smaller automaton", Cover { automaton, ..cover.clone() }));
    }
    found
}

#[test]
fn covers_that_were_tampered_with_prove_nothing_false() {
    let tasks: Vec<(&Siblings, Task, Task)> =
        SIBLINGS.iter().map(|it| (it, it.task(it.satisfying), it.task(it.violating))).collect();
    let (wrong, thinned) = (Offered::new(), Offered::new());
    let mut overlooked = 0;
    for (siblings, satisfying, violating) in &tasks {
        let name = siblings.name;
        assert!(cover(violating).is_none(), "{name}: the engine is wrong");
        let Some(shown) = cover(satisfying) else { panic!("{name}: the engine shows nothing") };
        let certificate = |cover: Cover| Certificate::Cover(Box::new(cover));
        assert!(is_accepted(satisfying, &certificate(shown.clone())), "{name}");
        for (kind, mutant) in changed(&shown) {
            if kind == "a smaller automaton" && words::is_lost(satisfying, &mutant.automaton) {
                wrong.offer(format!("{name}: {kind}"), satisfying, certificate(mutant.clone()));
            }
            // The states of some boxes lie in others, too.
            if kind == "a box left out" {
                thinned.offer(kind, satisfying, certificate(mutant.clone()));
            }
            wrong.offer(format!("{name}: {kind}"), violating, certificate(mutant.clone()));
            let automaton = negation(violating).automaton;
            wrong.offer(format!("{name}: {kind}"), violating, certificate(Cover { automaton, ..mutant }));
        }
        for (fault, other) in broken::overlooking(violating) {
            let Some(claim) = cover(&other) else { continue };
            overlooked += 1;
            wrong.offer(fault, violating, certificate(claim));
        }
    }
    println!("{overlooked} wrong verdicts of an engine that overlooks something");
    assert!(overlooked > 5, "only {overlooked} wrong verdicts");
    let thinned = total(&thinned.figures());
    assert!(thinned.offered > 15 && thinned.accepted * 2 < thinned.offered, "{thinned:?}");
    assert_nothing_is_accepted(&wrong.figures());
}
