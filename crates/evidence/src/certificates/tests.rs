//! Certificates as files: what is written reads back, and what is not one is refused.

use std::time::{Duration, Instant};

use certify::Decider;
use check::{CheckedVerdict, Settings, check};
use engines::{explicit, fairness};
use foundation::{Budget, SourceMap, SplitMix64};
use subject::{Input, Properties, Request, load};
use task::{Entry, Scheduler};

use super::{ReadCertificate, fingerprint, read, robustness, write};

use crate::saved::Inquiry;

const WORLD: [(&str, &str, Entry); 4] = [
    ("int x; int main(void) { while (1) x = 1; }", "F \"x == 1\"", fairness::ENTRY),
    ("int x; int main(void) { while (x < 9) x = x + 1; }", "F \"x == 9\"", explicit::ENTRY),
    ("int x; int n(void); int main(void) { x = n(); while (x > 0) x = x - 1; }", "F end", fairness::ENTRY),
    (
        "int x, y, *p; int n(void); int main(void) { p = n() ? &x : &y; *p = n(); while (1) if (*p > 0) *p = *p - 1; }",
        "F G \"x <= 0\" && F G \"y <= 0\"",
        fairness::ENTRY,
    ),
];

fn request(program: &str, formula: &str) -> Request {
    Request {
        files: vec![Input::Text { name: "a.c".into(), text: program.into() }],
        properties: Properties::Formulas(vec![formula.into()]),
        ..Request::default()
    }
}

fn certificate(program: &str, formula: &str, engine: Entry) -> String {
    let request = request(program, formula);
    let subject = load(&request, &Budget::unlimited()).subject.expect("correct");
    let settings = Settings { engine, ..Settings::default() };
    let outcome = check(&subject, 0, &settings, &Budget::unlimited());
    let CheckedVerdict::Holds { certificate, .. } = outcome.verdict else { panic!("{formula}: {:?}", outcome.verdict) };
    let question = Inquiry::new(&request, &subject, 0, Scheduler::Any, vec!["0".repeat(64)]);
    let fingerprint = fingerprint(&check::task_of(&subject, 0, Scheduler::Any));
    write(&question, &fingerprint, &certificate).expect("it is written down")
}

/// Whether a certificate's text proves the formula that it names of a program, whatever it says of the program's bytes.
fn is_proof(text: &str, program: &str) -> bool {
    let mut sources = SourceMap::new();
    let source = sources.add("a.cert", text);
    let Ok(ReadCertificate { question, certificate, .. }) = read(&sources, source) else { return false };
    let (mut request, scheduler) = question.request().expect("the reader looks at that");
    request.files = vec![Input::Text { name: "a.c".into(), text: program.into() }];
    let budget = Budget::unlimited().part_with_work(2_000_000);
    let Some(subject) = load(&request, &budget).subject else { return false };
    matches!(
        check::certify(&subject, 0, certificate, scheduler, &Decider::Embedded, &budget).verdict,
        CheckedVerdict::Holds { .. }
    )
}

#[test]
fn what_is_written_reads_back_and_passes() {
    for (program, formula, engine) in WORLD {
        let text = certificate(program, formula, engine);
        assert!(robustness::check(text.as_bytes()).is_some(), "{text}");
        assert!(is_proof(&text, program), "{text}");
    }
}

#[test]
fn fingerprints_tell_programs_apart() {
    let of = |program: &str, formulas: &[&str]| {
        let formulas: Vec<String> = formulas.iter().map(|&formula| formula.into()).collect();
        let request = Request { properties: Properties::Formulas(formulas), ..request(program, "F end") };
        let subject = load(&request, &Budget::unlimited()).subject.expect("correct");
        fingerprint(&check::task_of(&subject, 0, Scheduler::Any))
    };
    let program = "int x; static int f(int y) { return y + 1; } int main(void) { while (x < 9) x = f(x); }";
    let known = of(program, &["F \"x == 9\""]);
    assert!(known.len() == 64 && known.bytes().all(|byte| byte.is_ascii_hexdigit()), "{known}");
    // Neither how it is written nor what else is asked matters.
    let moved = program.replace("; ", ";\n\n  /* here */ ").replace("while (", "while ( ");
    assert_eq!(of(&moved, &["F \"x == 9\""]), known);
    assert_eq!(of(program, &["F \"x == 9\"", "G \"x + 7 < 3\"", "F end"]), known);
    let changes = [
        ("9", "8"),
        ("y + 1", "y + 2"),
        ("y + 1", "1 + y"),
        ("int x", "long x"),
        ("int x", "int x = 1"),
        ("x = f(x)", "x = f(f(x))"),
        ("<", "<="),
        ("(int y)", "(short y)"),
        ("x = f(x)", "{ x = f(x); x = x; }"),
    ];
    for (from, to) in changes {
        assert_ne!(of(&program.replacen(from, to, 1), &["F \"x == 9\""]), known, "{from} is {to}");
    }
}

/// Texts that are certificates but for some words, and pieces of them.
#[test]
fn any_text_is_read_or_refused() {
    let texts: Vec<String> =
        WORLD.iter().map(|(program, formula, engine)| certificate(program, formula, *engine)).collect();
    let words: Vec<&str> = texts.iter().flat_map(|text| text.split_inclusive([' ', '(', ')'])).collect();
    let mut random = SplitMix64::new(7);
    let end = Instant::now() + Duration::from_secs(1);
    let (mut read, mut refused) = (0, 0);
    while Instant::now() < end {
        let text = &texts[random.below(texts.len())];
        let mut pieces: Vec<&str> = text.split_inclusive([' ', '(', ')']).collect();
        for _ in 0..=random.below(3) {
            let (at, other) = (random.below(pieces.len()), random.below(pieces.len()));
            match random.below(6) {
                0 => drop(pieces.remove(at)),
                1 => pieces.insert(at, words[random.below(words.len())]),
                2 => pieces[at] = words[random.below(words.len())],
                3 => pieces.swap(at, other),
                4 => pieces.truncate(at + 1),
                _ => pieces[at] = ["99999999999 ", "-1 ", "\"", "|", "; ", "((((", "é"][random.below(7)],
            }
        }
        match robustness::check(pieces.concat().as_bytes()) {
            Some(_) => read += 1,
            None => refused += 1,
        }
    }
    assert!(read > 0 && refused > 0, "{read} are read, {refused} are refused");
}

/// Numbers that would fill the memory are refused, however they are written.
#[test]
fn no_number_is_too_large_to_be_refused() {
    let (program, formula, engine) = WORLD[0];
    let text = certificate(program, formula, engine);
    let nodes = text.find("(node ").expect("a proof has nodes");
    let with = |condition: &str| format!("{}(predicate {condition}) {}", &text[..nodes], &text[nodes..]);
    let mut squares = "(let ((a0 (* x@0 10000000000)))".to_owned();
    for step in 1..60 {
        squares += &format!("(let ((a{step} (* a{} a{})))", step - 1, step - 1);
    }
    squares += &format!("(> a59 0){}", ")".repeat(60));
    let digits = format!("(> x@0 {})", "9".repeat(100_000));
    for condition in [squares.as_str(), digits.as_str(), "(= (bv2nat (_ bv-5 32)) 3)"] {
        let text = with(condition);
        robustness::check(text.as_bytes());
        assert!(!is_proof(&text, program), "{condition}");
    }
    assert!(is_proof(&with("(> x@0 0)"), program), "no node knows it, so that it does no harm");
}

/// What once was accepted for a program that violates the property, or that the check did not cover.
#[test]
fn wrong_verdicts_of_the_past() {
    let task = |formula: &str| {
        format!(
            "(task (program (record (data_model \"LP64\") (define (list)) (entry \"main\") (files (list (record (path \
             \"a.c\") (sha256 \"{}\")))) (fingerprint \"\") (include (list)) (volatile_input false))) (property (record (assumptions \
             (list)) (formula \"{}\"))) (semantics (record (atomic \"access\") (integers \"machine\") \
             (malloc_may_fail false) (observe \"statement\") (scheduler \"any\") (undefined \"error\"))))",
            "0".repeat(64),
            formula.replace('"', "\\\"")
        )
    };
    let closed = |states: u64| {
        format!(
            "(closed-state-space (automaton (states 2) (initial 0) (sets 1) (edge 0 0 (marks) (or (and 0))) (edge 0 1 \
             (marks) (or (and (not 0)))) (edge 1 1 (marks 0) (or (and)))) (states {states}) (transitions {states}))"
        )
    };
    let certificate = |formula: &str, proof: &str| format!("(semper-certificate 2 \"hand\" {} {proof})", task(formula));
    // Wide inputs were not covered, and that was no reason against `holds`.
    let wide =
        "int __VERIFIER_nondet_int(void); int x; int main(void) { x = __VERIFIER_nondet_int(); x = x * 3; return 0; }";
    assert!(!is_proof(&certificate("G \"x == 0\"", &closed(3)), wide));
    // Nor were state spaces larger than the certificate says.
    let large = "unsigned x; int main(void) { while (x < 100000) x = x + 1; return 0; }";
    assert!(!is_proof(&certificate("G \"x < 90000\"", &closed(0)), large));
    // Nor formulas whose inclusion in the automaton is too hard to decide.
    let hard: Vec<String> = (0..40).map(|i| format!("(F G \"x == {i}\" || G F \"x == {}\")", i + 50)).collect();
    let empty = "(closed-state-space (automaton (states 1) (initial 0) (sets 1)) (states 1) (transitions 1))";
    assert!(!is_proof(&certificate(&hard.join(" && "), empty), wide));
    // A node waited for a run that it did not have, so that nobody looked at the run's moves.
    let waits = "(refutation (automaton (states 1) (initial 0) (sets 1) (edge 0 0 (marks 0) (or (and (not 0))))) (finite 0) \
                 (unread) (reread) (state start 0) (state (at 0) 0) (state (at 1) 0) \
                 (edge 0 1 0 (way) (reads 0)) (edge 0 2 0 (way) (reads 0)) (edge 1 1 0 (way) (reads 0)) \
                 (edge 1 2 0 (way) (reads 0)) (edge 2 1 0 (way) (reads 0)) (edge 2 2 0 (way) (reads 0)) \
                 (edge 1 2 0 (way) (reads)) (edge 2 1 0 (way) (reads)) (edge 1 1 0 (way) (reads)) (edge 2 2 0 (way) (reads)) \
                 (module (function) (state stem) (state accepting) (move 0 0 0 1) (move 1 0 1)) \
                 (node 1 0 (knows) (runs (n 0) (c) (s) (b))) (node 0 1 (knows) (runs (n 0) (c) (s) (b 1))) \
                 (node 0 2 (knows) (runs (n 0) (c) (s) (b 1))) (missing (breakpoint 0)) (missing edges))";
    let round = "int x; int main(void) { while (1) x = 0; }";
    assert!(robustness::check(certificate("F \"x == 1\"", waits).as_bytes()).is_some());
    assert!(!is_proof(&certificate("F \"x == 1\"", waits), round));
}
