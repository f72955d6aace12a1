//! Recurrent sets are accepted exactly where no iteration leaves them and all iterations show the same: forged ones are
//! not.

#[path = "../../replay/tests/replay/worlds.rs"]
#[allow(dead_code)]
mod worlds;

use foundation::{Budget, Id};
use program::passes::prepare;
use program::semantics::{Integers, ObserveMode, Semantics, Value};
use program::{LocationId, Op, Scalar};
use recurrence::goes_on;
use replay::{Closing, Rejected, Replayed};
use task::certificate::refutation::{CellName, Declaration, ObjectName};
use task::certificate::sexp::Sexp;
use task::recurrent_set::{Counter, InputChoice};
use task::{Lasso, RecurrentSet, Task};

use worlds::task_under;

fn ideal(c: &str, formula: &str) -> Task {
    task_under(c, formula, Semantics { integers: Integers::Ideal, ..Semantics::default() })
}

const HEAD: &str = "extern int nondet_int(void); extern void __VERIFIER_assume(int); int x, y, z, r, a[3];
static int next(int value) { return value + 1; }
";

fn looping(before: &str, body: &str) -> String {
    format!("{HEAD}int main(void) {{ {before} while (1) {{ {body} }} }}")
}

/// An argument over the global variables, at the head of the first loop, with the input of the first edge that has one.
fn argument(task: &Task, counters: &[(i64, &str)], set: &[&str], input: Option<&str>) -> RecurrentSet {
    let prepared = prepare(&task.program, &task.atoms, task.semantics, 10_000).unwrap();
    let program = &prepared.program;
    let sexp = |text: &str| Sexp::parse(text).unwrap();
    let mut symbols = Vec::new();
    for (variable, data) in program.variables.iter() {
        if let Some(scalar @ Scalar::Int(_)) = program.types.as_scalar(data.ty)
            && program.owner(variable).is_none()
        {
            let cell = CellName::One { object: ObjectName::Variable(variable), offset: 0, scalar };
            symbols.push(Declaration { name: data.name.clone(), cell });
        }
    }
    // The head is entered by an edge that leads back.
    let head = head_of(program).expect("there is a loop");
    let counter = |(index, (start, next)): (usize, &(i64, &str))| Counter {
        name: format!("s{index}"),
        start: (*start).into(),
        next: sexp(next),
    };
    let asks = program.edges.iter().find(|(_, edge)| matches!(edge.op, Op::Input { .. }));
    let choice = |value: &str| {
        let (edge, _) = asks.expect("something is asked for");
        InputChoice { input: format!("?{}.0", edge.index()), value: sexp(value) }
    };
    RecurrentSet {
        head,
        symbols,
        addresses: Vec::new(),
        counters: counters.iter().enumerate().map(counter).collect(),
        set: set.iter().map(|text| sexp(text)).collect(),
        choices: input.into_iter().map(choice).collect(),
    }
}

/// The first location, on the way from the start, that can be reached again from itself.
fn head_of(program: &program::Program) -> Option<LocationId> {
    let reached_from = |start: LocationId| {
        let mut reached: Vec<LocationId> = Vec::new();
        let mut open = vec![start];
        while let Some(location) = open.pop() {
            for &edge in &program.locations[location].out {
                let to = program.edges[edge].to;
                if !reached.contains(&to) {
                    reached.push(to);
                    open.push(to);
                }
            }
        }
        reached
    };
    let mut location = program.functions[program.entry?].entry?;
    while !reached_from(location).contains(&location) {
        location = program.edges[*program.locations[location].out.first()?].to;
    }
    Some(location)
}

/// What comes before the loop, its body, a goal that is violated; counters, set and choice of the input.
type Case<'c> = (&'c str, &'c str, &'c str, &'c [(i64, &'c str)], &'c [&'c str], Option<&'c str>);

fn check(&(before, body, goal, counters, set, input): &Case<'_>) -> Result<Replayed, Rejected> {
    let task = ideal(&looping(before, body), goal);
    goes_on(&task, &Lasso::default(), &argument(&task, counters, set, input), &Budget::unlimited())
}

const ACCEPTED: &[Case<'static>] = &[
    // Doubling, with rates and without.
    ("", "x = 2 * x + 1; y = x < 0;", "F \"y == 1\"", &[(0, "(+ 1 (* 2 s0))")], &["(= x s0)", "(>= s0 0)"], None),
    ("", "x = 2 * x + 1; y = x < 0;", "F \"y == 1\"", &[], &["(>= x 0)"], None),
    // Tripling with an offset.
    ("x = 1;", "x = 3 * x - 1;", "F \"x < 0\"", &[(0, "(+ 1 (* 3 s0))")], &["(= x (+ 1 s0))", "(>= s0 0)"], None),
    // Two variables.
    ("y = 1;", "x = x + y; y = 2 * y; if (x > y) z = 1;", "F \"z == 1\"", &[], &["(= y (+ x 1))", "(>= x 0)"], None),
    // A sum: one rate feeds another one.
    (
        "x = 1;",
        "y = y + x; x++; if (y < 0) z = 1;",
        "F \"z == 1\"",
        &[(0, "(+ 1 s0)"), (0, "(+ 1 s1 s0)")],
        &["(= x (+ 1 s0))", "(= y s1)", "(>= s0 0)", "(>= s1 0)"],
        None,
    ),
    // An input that is chosen by what the state is.
    (
        "x = 1;",
        "x = 2 * x; y = 1 - y; r = nondet_int(); __VERIFIER_assume(r == y);",
        "F \"x < 0\"",
        &[],
        &["(>= x 1)", "(>= y 0)", "(<= y 1)"],
        Some("(- 1 y)"),
    ),
    // An input that does not matter.
    ("x = 1;", "x = 2 * x; r = nondet_int();", "F \"x < 0\"", &[], &["(>= x 1)"], None),
    // A path that changes after very many iterations, and calls.
    ("", "x = next(x); if (x > 100000000) y = 0;", "F \"y == 1\"", &[], &["(= y 0)"], None),
    // Nothing has to be said of what stays as it is.
    ("y = 7; a[1] = 3;", "x = 2 * x + y / 7; z = a[1];", "F \"y == 8\"", &[], &[], None),
];

#[test]
fn sets_that_no_iteration_leaves_are_accepted() {
    for case in ACCEPTED {
        let replayed = check(case).unwrap_or_else(|rejected| panic!("{}: {rejected}", case.1));
        assert!(matches!(replayed.closing, Closing::Recurrent { .. }), "{}: {:?}", case.1, replayed.closing);
        // The same set is no evidence against what is true of the execution.
        let negated = format!("!({})", case.2);
        let (before, body, _, counters, set, input) = *case;
        let outcome = check(&(before, body, &negated, counters, set, input)).map(|_| ());
        assert_eq!(outcome, Err(Rejected::NotViolated), "{body}");
    }
}

#[test]
fn rates_are_told() {
    let growth = |case: &Case<'_>| {
        let Closing::Recurrent { growth, .. } = check(case).unwrap().closing else { panic!("{}", case.1) };
        growth
    };
    let doubling = &growth(&ACCEPTED[0])[0];
    assert_eq!((doubling.differences.clone(), doubling.factor.clone()), (vec![Value::int(1)], Some(Value::int(2))));
    let sum = growth(&ACCEPTED[4]);
    let sum = sum.iter().find(|growth| growth.name == "y").unwrap();
    assert_eq!((sum.differences.clone(), sum.factor.clone()), (vec![Value::int(1), Value::int(1)], None));
}

const FORGED: &[(&str, Case<'static>)] = &[
    ("wrong rate", ("", "x = 2 * x + 1;", "F \"x < 0\"", &[(0, "(+ 1 (* 3 s0))")], &["(= x s0)", "(>= s0 0)"], None)),
    ("wrong start", ("", "x = 2 * x + 1;", "F \"x < 0\"", &[(2, "(+ 1 (* 2 s0))")], &["(= x s0)", "(>= s0 0)"], None)),
    ("wrong relation", ("", "x = 2 * x + 1;", "F \"x < 0\"", &[(0, "(+ 1 (* 2 s0))")], &["(= x (+ s0 1))"], None)),
    ("not entered", ("", "x = 2 * x + 1;", "F \"x < 0\"", &[], &["(< x 0)"], None)),
    ("not closed", ("", "x = 2 * x + 1;", "F \"x < 0\"", &[], &["(>= x 0)", "(<= x 1000000)"], None)),
    ("not closed for all", ("x = 5;", "x = 2 * x - 7;", "F \"x < 0\"", &[], &["(>= x 0)"], None)),
    (
        "other letters",
        ("", "x = 2 * x + 1; y = x > 1000000;", "F \"z == 1\" || F \"y == 1\"", &[], &["(>= x 0)"], None),
    ),
    ("blocked", ("", "x = 2 * x + 1; __VERIFIER_assume(x < 1000000);", "F \"x < 0\"", &[], &["(>= x 0)"], None)),
    ("ends", ("", "x = 2 * x + 1; if (x > 1000000) break;", "F \"x < 0\"", &[], &["(>= x 0)"], None)),
    ("undefined", ("", "x = x + 2; y = 5 / (x - 1000000);", "F \"x < 0\"", &[], &["(>= x 0)"], None)),
    ("out of bounds", ("", "x = x + 1; a[x / 1000000] = 1;", "F \"x < 0\"", &[], &["(>= x 0)"], None)),
    ("other path", ("", "x = x + 1; if (x > 100000000) y = 1;", "F \"y == 1\"", &[], &["(= y 0)"], None)),
    ("input out of range", ("", "x = 2 * x + 1; r = nondet_int();", "F \"r < 0\"", &[], &["(>= x 0)"], Some("x"))),
    ("input left open", ("", "x = 2 * x + 1; r = nondet_int();", "F \"r < 0\"", &[], &["(>= x 0)"], None)),
    (
        "wrong input",
        (
            "",
            "x = 2 * x + 1; y = 1 - y; r = nondet_int(); __VERIFIER_assume(r == y);",
            "F \"x < 0\"",
            &[],
            &["(>= x 0)", "(>= y 0)", "(<= y 1)"],
            Some("y"),
        ),
    ),
    ("unknown name", ("", "x = 2 * x + 1;", "F \"x < 0\"", &[], &["(>= w 0)"], None)),
    ("no condition", ("", "x = 2 * x + 1;", "F \"x < 0\"", &[], &["(+ x 0)"], None)),
    ("false", ("", "x = 2 * x + 1;", "F \"x < 0\"", &[], &["false"], None)),
];

#[test]
fn forged_arguments_are_rejected() {
    for (what, case) in FORGED {
        let rejected = check(case).map(|_| ());
        assert!(matches!(rejected, Err(Rejected::NotRecurrent { .. })), "{what}: {rejected:?}");
    }
}

/// Which states are observed depends on what was written, of which the formulas say nothing.
#[test]
fn observed_changes_are_refused() {
    let semantics = Semantics { integers: Integers::Ideal, observe: ObserveMode::Change, ..Semantics::default() };
    for &(before, body, goal, counters, set, input) in ACCEPTED {
        let task = task_under(&looping(before, body), goal, semantics);
        let given = argument(&task, counters, set, input);
        let outcome = goes_on(&task, &Lasso::default(), &given, &Budget::unlimited()).map(|_| ());
        assert!(matches!(outcome, Err(Rejected::Unsupported { .. })), "{body}: {outcome:?}");
    }
}

/// No argument shows what no execution does, whatever numbers stand in it.
#[test]
fn numbers_of_an_argument_are_changed_one_by_one() {
    let mut accepted = 0;
    for &(before, body, goal, counters, set, input) in ACCEPTED {
        let task = ideal(&looping(before, body), goal);
        let given = argument(&task, counters, set, input);
        let text = given.write().to_string();
        assert_eq!(RecurrentSet::read(&Sexp::parse(&text).unwrap()), Ok(given));
        let negated = ideal(&looping(before, body), &format!("!({goal})"));
        for (at, digit) in text.char_indices().filter(|(_, letter)| letter.is_ascii_digit()) {
            let other = (digit.to_digit(10).unwrap() + 1) % 10;
            let mutant = format!("{}{other}{}", &text[..at], &text[at + 1..]);
            let Ok(mutant) = RecurrentSet::read(&Sexp::parse(&mutant).unwrap()) else { continue };
            let found = goes_on(&negated, &Lasso::default(), &mutant, &Budget::unlimited());
            assert!(found.is_err(), "{body}: {mutant:?}");
            accepted += usize::from(goes_on(&task, &Lasso::default(), &mutant, &Budget::unlimited()).is_ok());
        }
    }
    assert!(accepted > 0);
}
