//! Loops that never come back to a state are accepted exactly where every iteration does the same.

use foundation::Budget;
use program::semantics::{Answer, Integers, ObserveMode, RunEnd, RunLimits, Semantics, Value, run};
use replay::{Closing, Growth, Rejected, Replayed, confirm, grow};
use task::{Counterexample, Lasso, Task};

use crate::chance::Random;
use crate::oracle::Repeated;
use crate::worlds::{inputs, task_under};

fn ideal(c: &str, formula: &str) -> Task {
    task_under(c, formula, Semantics { integers: Integers::Ideal, ..Semantics::default() })
}

fn grown(task: &Task, lasso: &Lasso) -> Result<Replayed, Rejected> {
    grow(task, lasso, &Budget::unlimited())
}

fn growth_of(replayed: &Replayed) -> Vec<(String, Vec<Value>)> {
    let Closing::Growing { growth, .. } = &replayed.closing else { panic!("{:?}", replayed.closing) };
    growth.iter().map(|Growth { name, differences, .. }| (name.clone(), differences.clone())).collect()
}

const HEAD: &str = "extern int nondet_int(void); extern void __VERIFIER_assume(int);
int x, y, z, a[3]; struct pair { int first, second; } p, q; int *to = &y;
static int next(int value) { return value + 1; }
static void bump(int *where) { *where += 2; }
";

fn looping(before: &str, body: &str) -> String {
    format!("{HEAD}int main(void) {{ {before} while (1) {{ {body} }} }}")
}

/// The stem, the body, a property that is violated, and one that growth shows.
const GROWING: &[(&str, &str, &str, &str)] = &[
    ("", "y = x; x = y + 1;", "F \"x < y\"", "x by 1"),
    ("x = 5;", "x--; if (x > 7) y = 1;", "F \"y == 1\"", "x by -1"),
    ("x = 1;", "y += x; x++;", "F \"y < 0\"", "y by 2, 1"),
    ("x = 1;", "x++; y += x; z += y; if (z < -3) a[0] = 1;", "F \"a[0] == 1\"", "x by 1"),
    ("", "x = next(x); a[1] = x * x; if (a[1] < 0) y = 1;", "F \"y == 1\"", "x by 1"),
    ("", "bump(to); y = y - 1; if (y < -100000000 && x) z = 1;", "F \"z == 1\"", ""),
    ("", "p.first++; q = p; if (q.first <= 0) y = 1;", "F \"y == 1\"", "p.first by 1"),
    (
        "",
        "x++; y = nondet_int(); __VERIFIER_assume(y > 2 && y < 9); z = z + y; if (z < x) a[0] = 1;",
        "F \"a[0] == 1\"",
        "z by 3",
    ),
    ("", "int i; for (i = 0; i < 3; i++) x += i; if (x < 0) y = 1;", "F \"y == 1\"", "x by 3"),
    ("x = -20;", "x++; if (x > 0) y = 1; else y = 0;", "F \"y == 7\"", ""),
    ("x = 4;", "x += 2; y = x != 7;", "F \"y == 0\" && G \"x > 0\"", "x by 2"),
];

#[test]
fn loops_that_do_the_same_in_every_iteration_are_accepted() {
    for (before, body, formula, told) in GROWING {
        let task = ideal(&looping(before, body), formula);
        let lasso = inputs(&[], if body.contains("nondet") { &[3] } else { &[] });
        let found = confirm(&task, &Counterexample::Lasso(lasso.clone()), &Budget::unlimited());
        let found = found.unwrap_or_else(|rejected| panic!("{body}: {rejected}"));
        if !matches!(found.closing, Closing::Growing { .. }) {
            assert!(told.is_empty(), "{body}: {:?}", found.closing);
            continue;
        }
        let words = |(name, by): (String, Vec<Value>)| {
            let by: Vec<String> = by.iter().map(|by| by.as_int().unwrap().to_string()).collect();
            format!("{name} by {}", by.join(", "))
        };
        let growth: Vec<String> = growth_of(&found).into_iter().map(words).collect();
        assert!(told.is_empty() || growth.iter().any(|it| it == told), "{body}: {growth:?}");
        assert!(matches!(found.run.end, RunEnd::Lasso { .. }), "{body}: {:?}", found.run.end);
        // The same loop is no evidence against what is true of it.
        let negated = ideal(&looping(before, body), &format!("!({formula})"));
        assert_eq!(grown(&negated, &lasso).map(|_| ()), Err(Rejected::NotViolated), "{body}");
    }
}

/// Loops that do something else some day, or of which that is not known.
const REFUSED: &[&str] = &[
    "x++; if (x == 1000000) y = 1;",
    "x++; if (x > 1000000000000) y = 1;",
    "x++; y = x > 1000000;",
    "x++; y = x % 1000000 == 0;",
    "x++; y = 5 / (1000000 - x);",
    "x++; a[x / 1000000] = 1; y = 0;",
    "x++; if (x > 1000000 && nondet_int()) y = 1;",
    "x = x * 2 + 1; if (x < 0) y = 1;",
    "x++; z = x * x - 1000000 * x; if (z > 0) y = 1;",
    "x--; to = x < -1000000 ? &z : &y; *to = 0;",
    "x++; __VERIFIER_assume(x < 1000000); y = 0;",
];

#[test]
fn loops_that_do_something_else_some_day_are_refused() {
    for body in REFUSED {
        let task = ideal(&looping("", body), "F \"y == 1\"");
        let refused = grown(&task, &inputs(&[], &[]));
        assert!(matches!(refused, Err(Rejected::NotGrowing { .. })), "{body}: {refused:?}");
    }
}

#[test]
fn machine_integers_do_not_grow() {
    let task = task_under(&looping("", "x++; y = x < 0;"), "F \"y == 1\"", Semantics::default());
    assert!(matches!(grown(&task, &Lasso::default()), Err(Rejected::NotGrowing { .. })));
}

#[test]
fn inputs_are_the_same_in_every_iteration() {
    let claimed = |c: &str, goal: &str| {
        let lasso = Counterexample::Lasso(inputs(&[], &[1]));
        confirm(&ideal(&looping("", c), goal), &lasso, &Budget::unlimited())
    };
    let larger_each_time = claimed("y = x; x = nondet_int(); __VERIFIER_assume(x > y);", "F \"x < 0\"");
    assert!(matches!(larger_each_time, Err(Rejected::Blocked { .. })), "{larger_each_time:?}");
    assert!(claimed("z++; y = z; x = nondet_int(); __VERIFIER_assume(x > 0);", "F \"z < y\"").is_ok());
}

#[test]
fn where_a_thread_runs_beside_it_nothing_is_said() {
    let c = "typedef unsigned long pthread_t;
extern int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int x, y;
void *other(void *argument) { while (1) ; return 0; }
int main(void) { pthread_t t; pthread_create(&t, 0, other, 0); while (1) { x++; if (x < 0) y = 1; } }
";
    let schedule = Lasso { stem: Vec::new(), cycle: vec![Answer::Index(0)] };
    assert!(matches!(grown(&ideal(c, "F \"y == 1\""), &schedule), Err(Rejected::NotGrowing { .. })));
}

fn random_loop(random: &mut Random) -> String {
    let names = ["x", "y", "z", "a[1]", "p.first"];
    let name = |random: &mut Random| names[random.below(names.len())];
    let mut before = String::new();
    for _ in 0..3 {
        before += &format!("{} = {}; ", name(random), random.number(60));
    }
    let mut body = String::new();
    for _ in 0..1 + random.below(5) {
        let (one, two) = (name(random), name(random));
        let (small, large) = (random.number(3), random.number(90));
        let op = ["<", "<=", ">", ">=", "==", "!="][random.below(6)];
        body += &match random.below(9) {
            0 | 1 => format!("{one} = {one} + {small};\n"),
            2 => format!("{one} = {two} + {small};\n"),
            3 => format!("{one} = {one} + {two};\n"),
            4 => format!("if ({one} {op} {large}) {two} = {two} + {small};\n"),
            5 => format!("if ({one} - {two} {op} {large}) {one} = {large}; else {one}++;\n"),
            6 => format!("{one} = next({two});\n"),
            7 => format!("{one} = {one} + (nondet_int() & 3);\n"),
            _ => format!("z = {one} * {small} - {two};\n"),
        };
    }
    looping(&before, &body)
}

/// A random affine loop that is accepted does what was predicted for two hundred iterations: the same statements with
/// the same truth of the atoms, and the predicted numbers.
#[test]
fn what_is_predicted_happens() {
    const ITERATIONS: usize = 200;
    let formulas =
        ["G F \"x > y\"", "F G \"x <= z\"", "G \"z < 40\"", "F \"a[1] == y\"", "G F (\"x > 0\" && X \"y < z\")"];
    let mut random = Random(11);
    let (mut accepted, mut refused, mut moving) = (0, 0, 0);
    for case in 0..150 {
        let c = random_loop(&mut random);
        let observe = [ObserveMode::Statement, ObserveMode::Change][random.below(2)];
        let semantics = Semantics { integers: Integers::Ideal, observe, ..Semantics::default() };
        let lasso = inputs(&[random.number(3)], &[random.number(3), random.number(3)][..1 + random.below(2)]);
        let formula = formulas[random.below(formulas.len())];
        let task = task_under(&c, formula, semantics);
        let (task, found) = match grown(&task, &lasso) {
            Err(Rejected::NotViolated) => {
                let negated = task_under(&c, &format!("!({formula})"), semantics);
                let found = grown(&negated, &lasso);
                (negated, found)
            }
            found => (task, found),
        };
        let found = match found {
            Ok(found) => found,
            Err(Rejected::NotGrowing { .. }) => {
                refused += 1;
                continue;
            }
            Err(other) => panic!("case {case}: {c}\n{other}"),
        };
        accepted += 1;
        let RunEnd::Lasso { start } = found.run.end else { continue };
        let told = &found.run.observations;
        let period = told.len() - start;
        let length = start + period * (ITERATIONS + 1);
        let mut choices = Repeated::new(&lasso);
        let limits = RunLimits { observations: length, edges: 60 * length as u64 };
        let long = run(&task.program, task.semantics, &task.atoms, &mut choices, limits, &Budget::unlimited());
        // A loop that closes after all is told once.
        let round = match long.end {
            RunEnd::Lasso { start } => long.observations.len() - start,
            _ => 1,
        };
        let last = long.observations.len() - round;
        let at = |index: usize| match long.observations.get(index) {
            Some(observation) => observation,
            None => &long.observations[last + (index - last) % round],
        };
        for index in start..length {
            let (expected, seen) = (&told[start + (index - start) % period], at(index));
            assert_eq!(
                (expected.occasion, &expected.truth),
                (seen.occasion, &seen.truth),
                "case {case}: {c}\n{formula} {observe} {lasso:?}\nobservation {index}"
            );
        }
        let growth = growth_of(&found);
        moving += usize::from(!growth.is_empty());
        if long.end == RunEnd::Limit {
            check_numbers(&growth, &long.observations, start, period, &c);
        }
    }
    assert!(accepted > 60 && refused > 5 && moving > 30, "{accepted} {refused} {moving}");
}

/// A number grows as it is said to where it is written last in an iteration: from iteration to iteration, its
/// differences of the highest order are the told one. Elsewhere in the iteration it may hold something else.
fn check_numbers(
    growth: &[(String, Vec<Value>)],
    observations: &[program::semantics::Observation],
    start: usize,
    period: usize,
    c: &str,
) {
    for (name, differences) in growth {
        let written = |observation: &program::semantics::Observation| {
            let change = observation.changes.iter().rfind(|change| change.name == *name)?;
            change.value.parse::<i64>().ok()
        };
        let grows_at = |place: usize| {
            // The first iterations are those that may have been guessed from.
            let values: Option<Vec<i64>> = observations[place..].iter().step_by(period).skip(1).map(written).collect();
            let mut values = values.filter(|values| values.len() > differences.len() + 100)?;
            for _ in differences {
                values = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
            }
            Some(values.iter().all(|&value| Value::int(value) == differences[differences.len() - 1]))
        };
        let places: Vec<bool> = (start..start + period).filter_map(grows_at).collect();
        assert!(places.is_empty() || places.contains(&true), "{name} {differences:?}\n{c}");
    }
}

/// An accepted execution whose answers are changed is rejected, or is another violation with another word; never is one
/// accepted whose long run shows another word than the one that was told.
#[test]
fn changed_answers_are_rejected_where_they_do_not_show_a_violation() {
    let body = "x++; y = nondet_int(); __VERIFIER_assume(y >= 1 && y <= 3); z = z + y; if (z < x) a[0] = 1;
        if (y == 3) a[2] = z > 0; else a[2] = 0;";
    let c = looping("z = nondet_int(); __VERIFIER_assume(z > 4);", body);
    let task = ideal(&c, "F G \"a[2] == 0\" || F \"a[0] == 1\"");
    assert!(grown(&task, &inputs(&[5], &[3, 1])).is_ok());
    assert!(grown(&task, &inputs(&[6], &[3])).is_ok());
    for (stem, cycle) in [
        (&[5][..], &[1, 1][..]),
        (&[5], &[2]),
        (&[4], &[3, 1]),
        (&[5], &[3, 0]),
        (&[5], &[4, 1]),
        (&[], &[3, 1]),
        (&[5], &[]),
        (&[5, 3], &[1]),
        (&[1 << 40], &[3]),
    ] {
        let rejected = grown(&task, &inputs(stem, cycle));
        assert!(rejected.is_err(), "{stem:?} {cycle:?}");
    }
}
