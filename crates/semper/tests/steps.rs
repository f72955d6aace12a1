//! The steps of certificates speak for themselves: `tools/check_steps.py`, which knows nothing but the page on the format, agrees
//! with the check on which of them are right.
//!
//! Where there is no Python, nothing is compared, and a line says so.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use semper::task::certificate::sexp::Sexp;

/// A program with a property that holds, and functions that its steps speak of.
struct Case {
    name: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
    functions: &'static [&'static str],
}

/// From `suite/certify`, with machine and ideal integers.
const CASES: [Case; 5] = [
    Case {
        name: "ranking",
        program: "extern int __VERIFIER_nondet_int(void); int x, y;
            int main(void) {
                x = __VERIFIER_nondet_int();
                while (x > 0) {
                    y = __VERIFIER_nondet_int();
                    if (y > 0) x = x - 1; else x = x / 2;
                }
            }",
        arguments: &["--ltl", "F end"],
        functions: &["div", "ite", "not"],
    },
    Case {
        name: "ideal",
        program: "extern int __VERIFIER_nondet_int(void); int x, y;
            int main(void) {
                x = __VERIFIER_nondet_int();
                y = 3;
                while (x != y) if (x > y) x = x - 1; else x = x + 1;
            }",
        arguments: &["--ltl", "F end", "--integers", "ideal"],
        functions: &["not"],
    },
    Case {
        name: "remainders",
        program: "unsigned i, t;
            int main(void) { while (1) { if (i % 2 == 0) t = 1; else t = 0; i++; } }",
        arguments: &["--ltl", "G (F \"t == 1\" && F \"t == 0\")", "--integers", "ideal"],
        functions: &["mod"],
    },
    Case {
        name: "arrays",
        program: "struct s { unsigned char a[4], i, j; } v;
            static void f(struct s *p) {
                p->a[p->i & 3] = p->j;
                p->i = (p->i + 1) & 3;
                p->j = p->j < 9 ? p->j + 1 : 0;
            }
            int main(void) { for (;;) f(&v); }",
        arguments: &["--ltl", "G \"v.i <= 3 && v.j <= 9\""],
        functions: &["select", "store", "mod", "ite"],
    },
    Case {
        name: "control",
        program: "extern short __VERIFIER_nondet_short(void); int sum; short out;
            int main(void) {
                for (;;) {
                    short e = __VERIFIER_nondet_short();
                    sum += e;
                    if (sum > 10000) sum = 10000;
                    if (sum < -10000) sum = -10000;
                    int u = sum / 8 + e;
                    if (u > 1000) u = 1000; else if (u < -1000) u = -1000;
                    out = (short)u;
                }
            }",
        arguments: &["--ltl", "G \"out <= 1000 && out >= -1000\""],
        functions: &["div", "ite"],
    },
];

/// So many mutants of a kind are looked at, for each certificate, until so many of them are refused.
const MOST_MUTANTS: usize = 20;
const MOST_REFUSED: usize = 3;

fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("steps");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn semper(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_semper")).current_dir(folder()).args(arguments).output().unwrap()
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Whether there is somebody who can follow the script.
fn has_python() -> bool {
    let has = Command::new("python3").arg("--version").output().is_ok_and(|output| output.status.success());
    if !has {
        println!("there is no python3 here: tools/check_steps.py is not run");
    }
    has
}

fn script(file: &str) -> Output {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tools/check_steps.py");
    Command::new("python3").current_dir(folder()).arg(script).arg(file).output().unwrap()
}

/// The certificate of a case, by its file name and as an expression.
fn certificate(case: &Case) -> (String, Sexp) {
    let (source, file) = (format!("{}.c", case.name), format!("{}.cert", case.name));
    std::fs::write(folder().join(&source), case.program).unwrap();
    let fixed = ["check", &source, "--engine", "fairness", "--no-vacuity", "--certificate", &file];
    let output = semper(&[&fixed, case.arguments].concat());
    assert_eq!(output.status.code(), Some(0), "{}: {}", case.name, text(&output));
    let written = std::fs::read_to_string(folder().join(&file)).unwrap();
    (file, Sexp::parse(&written).unwrap())
}

/// The parts of the proof with a tag, by their positions.
fn tagged(certificate: &Sexp, tag: &str) -> Vec<usize> {
    let proof = certificate.as_list().unwrap().last().unwrap().as_list().unwrap();
    let has_tag = |part: &Sexp| part.as_list().and_then(|items| items.first()?.as_word()) == Some(tag);
    proof.iter().enumerate().filter(|(_, part)| has_tag(part)).map(|(index, _)| index).collect()
}

/// What is written at the end of a path.
fn at<'s>(expression: &'s mut Sexp, path: &[usize]) -> &'s mut Sexp {
    path.iter().fold(expression, |expression, &index| match expression {
        Sexp::List(items) => &mut items[index],
        other => panic!("{other} is no list"),
    })
}

/// The paths to all expressions in one that satisfy a predicate.
fn paths(expression: &Sexp, wanted: &dyn Fn(&Sexp) -> bool) -> Vec<Vec<usize>> {
    let mut found = if wanted(expression) { vec![Vec::new()] } else { Vec::new() };
    for (index, item) in expression.as_list().unwrap_or_default().iter().enumerate() {
        found.extend(paths(item, wanted).into_iter().map(|mut path| {
            path.insert(0, index);
            path
        }));
    }
    found
}

fn is_number(expression: &Sexp) -> bool {
    expression.as_word().is_some_and(|word| word.bytes().all(|byte| byte.is_ascii_digit()))
}

fn begins(expression: &Sexp, tag: &str, more_than: usize) -> bool {
    expression.as_list().is_some_and(|items| items.len() > more_than && items[0].as_word() == Some(tag))
}

/// Changes in the arithmetic of a certificate: what was changed, and the result.
fn mutants(certificate: &Sexp) -> Vec<(&'static str, Sexp)> {
    let last = certificate.as_list().unwrap().len() - 1;
    let part = |index: usize| certificate.as_list().unwrap()[last].as_list().unwrap()[index].clone();
    let mut found = Vec::new();
    let mut change = |kind, places: Vec<Vec<usize>>, change: &dyn Fn(&mut Sexp)| {
        let step = places.len().div_ceil(MOST_MUTANTS).max(1);
        for path in places.into_iter().step_by(step) {
            let mut copy = certificate.clone();
            change(at(&mut copy, &path));
            found.push((kind, copy));
        }
    };
    let within = |tag: &str, position: usize, wanted: &dyn Fn(&Sexp) -> bool| -> Vec<Vec<usize>> {
        let parts = tagged(certificate, tag).into_iter();
        parts
            .flat_map(|index| {
                let inside = paths(&part(index).as_list().unwrap()[position], wanted).into_iter();
                inside.map(move |path| [vec![last, index, position], path].concat()).collect::<Vec<_>>()
            })
            .collect()
    };
    change("multiplier", within("step", 2, &|item| begins(item, "sum", 2)), &|sum| {
        let multiplier = at(sum, &[1, 1]);
        let value: i64 = multiplier.as_word().unwrap().parse().unwrap();
        *multiplier = Sexp::word(value + 1);
    });
    change("case", within("step", 2, &|item| begins(item, "cases", 1)), &|cases| {
        if let Sexp::List(items) = cases {
            items.pop();
        }
    });
    let far = |number: &mut Sexp| {
        let value: u128 = number.as_word().unwrap().parse().unwrap();
        *number = Sexp::word(value + 1_000_000_000_000);
    };
    change("constant", within("step", 1, &is_number), &far);
    change("definition", within("term", 1, &is_number), &far);
    found
}

#[test]
fn the_script_and_the_check_agree_on_steps() {
    let has_python = has_python();
    for case in &CASES {
        let (file, original) = certificate(case);
        let count = tagged(&original, "step").len();
        assert!(count > 0, "{}: no step has multipliers", case.name);
        let proof = original.to_string();
        for function in case.functions {
            let steps = proof.split_once("(missing").unwrap().1;
            assert!(steps.contains(&format!("({function} ")), "{}: no step speaks of {function}", case.name);
        }
        if has_python {
            let output = script(&file);
            assert_eq!(output.status.code(), Some(0), "{}: {}", case.name, text(&output));
            assert!(text(&output).contains(&format!(": {count} steps are right")), "{}", text(&output));
        }
        let mut refused: Vec<&str> = Vec::new();
        for (kind, mutant) in mutants(&original) {
            if refused.iter().filter(|&&other| other == kind).count() == MOST_REFUSED {
                continue;
            }
            let file = format!("{}-{kind}.cert", case.name);
            std::fs::write(folder().join(&file), mutant.to_string()).unwrap();
            let checked = semper(&["certify", &file, "--solver", "embedded"]);
            let is_refused = text(&checked).contains("do not add up to a contradiction");
            assert_eq!(checked.status.code(), Some(if is_refused { 3 } else { 0 }), "{kind}: {}", text(&checked));
            if has_python {
                let followed = script(&file);
                let expected = if is_refused { Some(1) } else { Some(0) };
                assert_eq!(followed.status.code(), expected, "{}, {kind}: {}", text(&followed), text(&checked));
            }
            let is_fatal = matches!(kind, "multiplier" | "case");
            assert!(is_refused || !is_fatal, "{}: a changed {kind} passes\n{mutant}", case.name);
            if is_refused {
                refused.push(kind);
            }
        }
        println!("{}: {count} steps, {} mutants are refused", case.name, refused.len());
        let has_constant = refused.contains(&"constant") || refused.contains(&"definition");
        assert!(refused.contains(&"multiplier") && has_constant, "{}: {refused:?}", case.name);
        let has_cases = original.to_string().contains("(cases ");
        assert!(refused.contains(&"case") || !has_cases, "{}: {refused:?}", case.name);
    }
}

#[test]
fn the_script_says_what_it_cannot_read() {
    if !has_python() {
        return;
    }
    let refutation = |parts: &str| format!("(semper-certificate 2 \"hand\" (task) (refutation {parts}))");
    let right = "(step (and (<= x 0) (<= (- x) (- 1))) (sum (0 1) (1 1)))";
    let cases = [
        ("right", refutation(right), 0),
        ("defined", refutation("(term (<= x 0)) (step (and #0 (<= (- x) (- 1))) (sum (0 1) (1 1)))"), 0),
        ("quoted", refutation("(step (and (<= |a b| 0) (<= (- |a b|) (- 1))) (sum (0 1) (1 1)))"), 0),
        ("wrong", refutation("(step (and (<= x 0) (<= (- x) 1)) (sum (0 1) (1 1)))"), 1),
        ("negative", refutation("(step (<= x 0) (sum (0 -1)))"), 1),
        ("no fact", refutation("(step (<= 1 0) (sum (7 1)))"), 1),
        ("nothing", refutation("(step (<= 1 0) (sum))"), 1),
        ("undefined", refutation("(step (and #0) (sum (0 1)))"), 2),
        ("no argument", refutation("(step (<= 1 0))"), 2),
        ("short", right.to_owned() + " (", 2),
        ("old", "(semper-certificate 1 \"hand\" (task) (refutation))".to_owned(), 2),
        ("something else", "int main(void) { return 0; }".to_owned(), 2),
        ("empty", String::new(), 2),
        ("states", "(semper-certificate 2 \"hand\" (task) (closed-state-space))".to_owned(), 0),
    ];
    for (name, contents, status) in cases {
        std::fs::write(folder().join("by-hand.cert"), contents).unwrap();
        let output = script("by-hand.cert");
        assert_eq!(output.status.code(), Some(status), "{name}: {}", text(&output));
        assert_eq!(output.stderr.is_empty(), status == 0, "{name}: {}", text(&output));
        assert!(!text(&output).contains("Traceback"), "{name}: {}", text(&output));
    }
    assert_eq!(script("no-such-file.cert").status.code(), Some(2));
}
