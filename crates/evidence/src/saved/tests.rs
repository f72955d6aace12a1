//! Files that are damaged or edited: never a panic, never a violation that is none.

use check::{CheckedVerdict, Settings, check};
use foundation::collections::HashSet;
use foundation::{Budget, SourceMap};
use program::semantics::{Answer, RunEnd, Value};
use serde_json::Value as Json;
use subject::{Loaded, load};
use task::{Counterexample, Lasso, Scheduler};

use super::*;
use crate::replay::replay;
use crate::saved;

/// Programs with properties that they violate: inputs, schedules, ends, loops, uninitialised memory, floats.
const WORLD: &[(&str, &str)] = &[
    ("int nondet_int(void); int x; int main(void) { x = nondet_int(); return 0; }", "G \"x != 77\""),
    (
        "int nondet_int(void); int x; int main(void) { while (1) { x = nondet_int(); if (x > 3) x = 3; } }",
        "G F \"x == 3\"",
    ),
    ("int x; int main(void) { int y; if (y > 5 && y < 9) { x = y; } while (1) { } }", "G \"x == 0\""),
    (
        "int x; void *f(void *p) { x = 2; return 0; } typedef unsigned long pthread_t; \
         int pthread_create(pthread_t *, const void *, void *(*)(void *), void *); \
         int main(void) { pthread_t t; pthread_create(&t, 0, f, 0); x = 1; while (1) { } }",
        "F G \"x == 2\"",
    ),
    ("_Bool nondet_bool(void); int x; int main(void) { while (nondet_bool()) { x = 1 - x; } return 0; }", "G !end"),
];

fn request_of(text: &str, formula: &str) -> Request {
    Request {
        files: vec![Input::Text { name: "a.c".into(), text: text.into() }],
        properties: Properties::Formulas(vec![formula.into()]),
        ..Request::default()
    }
}

/// A counterexample as it is saved.
fn saved_text(text: &str, formula: &str) -> String {
    let request = request_of(text, formula);
    let subject = load(&request, &Budget::unlimited()).subject.expect("correct");
    let outcome = check(&subject, 0, &Settings::default(), &Budget::unlimited());
    assert!(matches!(outcome.verdict, CheckedVerdict::Violated { .. }), "{formula}");
    let counterexample = outcome.counterexample.as_ref().expect("a violation has one");
    let found = Found { request: &request, subject: &subject, property: 0, scheduler: Scheduler::Any, counterexample };
    let saved = Saved::new(found, vec![sha256(text.as_bytes())], Some(serde_json::json!({"for": "people"})));
    saved.text()
}

fn read_text(text: &str) -> Result<Saved, Box<foundation::Diagnostic>> {
    saved::robustness::check(text.as_bytes());
    let mut sources = SourceMap::new();
    let source = sources.add("a.json", text);
    saved::read(&sources, source)
}

/// What becomes of a file whose program is this text, whatever the file says of it: whether a violation is confirmed.
fn replayed(saved: &Saved, program: &str) -> bool {
    let (mut request, scheduler) = saved.question().request().expect("the reader looks at that");
    request.files = vec![Input::Text { name: "a.c".into(), text: program.into() }];
    let budget = Budget::unlimited().part_with_work(500_000);
    let Some(subject) = load(&request, &budget).subject else { return false };
    let counterexample = saved.counterexample().expect("the reader looks at that");
    let outcome = replay(&subject, 0, counterexample, scheduler, &budget);
    matches!(outcome.verdict, CheckedVerdict::Violated { replayed: Some(_), .. })
}

#[test]
fn what_is_saved_reads_back_and_is_confirmed() {
    for (program, formula) in WORLD {
        let text = saved_text(program, formula);
        let saved = read_text(&text).unwrap_or_else(|fault| panic!("{fault:?} {text}"));
        assert_eq!(saved.text(), text);
        assert!(replayed(&saved, program), "{text}");
    }
}

/// A witness in the form of the competition breaks none of its rules, and names a loop or an end.
#[test]
fn witnesses_of_the_competition_keep_its_rules() {
    for (program, formula) in WORLD {
        let request = request_of(program, formula);
        let Loaded { sources, subject, .. } = load(&request, &Budget::unlimited());
        let subject = subject.expect("correct");
        let outcome = check(&subject, 0, &Settings::default(), &Budget::unlimited());
        let counterexample = outcome.counterexample.as_ref().expect("a violation has one");
        let CheckedVerdict::Violated { replayed: Some(replayed), .. } = &outcome.verdict else { panic!("{formula}") };
        let scheduler = Scheduler::Any;
        let found = Found { request: &request, subject: &subject, property: 0, scheduler, counterexample };
        let hashes = [sha256(program.as_bytes())];
        let witness = as_sv_comp(found, &hashes, replayed, &sources, "2026-01-31T12:00:00Z".to_owned());
        let faults = witness::faults(&witness);
        assert!(faults.is_empty(), "{formula}: {faults:?}");
        let text = witness::write(&witness);
        let mut sources = SourceMap::new();
        let source = sources.add("a.yml", text.as_str());
        assert_eq!(witness::read(&sources, source).expect("it keeps the rules").witness, witness);
        let is_lasso = matches!(replayed.run.end, RunEnd::Lasso { .. });
        assert_eq!(text.contains("action: cycle"), is_lasso, "{text}");
        assert_eq!(text.contains("type: target"), !is_lasso, "{text}");
    }
}

#[test]
fn every_answer_reads_back() {
    let large = "123456789012345678901234567890".parse::<num_bigint::BigInt>().unwrap();
    let numbers = [0, 1, -1, i64::MAX, i64::MIN, 1 << 53, (1 << 53) + 1].map(|it| Answer::Value(Value::int(it)));
    let floats = [0.0, -0.0, 1.5, f64::NAN, f64::INFINITY].map(|it| Answer::Value(Value::float(it)));
    let others = [
        Answer::Value(Value::Int(-large)),
        Answer::Value(Value::Bool(true)),
        Answer::Value(Value::Pointer(program::semantics::Pointer::Null)),
        Answer::Index(0),
        Answer::Index(7),
    ];
    for answer in numbers.into_iter().chain(floats).chain(others) {
        let text = serde_json::to_string(&SavedAnswer::of(&answer)).unwrap();
        let again: SavedAnswer = serde_json::from_str(&text).unwrap();
        assert_eq!(again.answer().as_ref(), Ok(&answer), "{text}");
    }
    assert!(SavedAnswer::of(&Answer::Exhausted).answer().is_err());
}

/// Every prefix of a file, every line left out or doubled, and every character replaced by some others.
#[test]
fn damaged_texts_are_refused_or_tell_the_truth() {
    let (program, formula) = WORLD[0];
    let text = saved_text(program, formula);
    let (mut accepted, mut known) = (0, HashSet::default());
    let mut look = |mutant: &str| {
        if let Ok(saved) = read_text(mutant) {
            accepted += 1;
            // What is for people, and which file the program is, changes nothing here.
            let Saved { semantics, property, stem, cycle, .. } = &saved;
            let SavedProgram { entry, define, data_model, .. } = &saved.program;
            if !known
                .insert(format!("{semantics:?} {property:?} {stem:?} {cycle:?} {entry:?} {define:?} {data_model:?}"))
            {
                return;
            }
            // The property may have been edited to one that is violated too; a confirmed one is, whatever it is. The
            // input that violates the first one is the only one that does.
            let is_first = saved.property.formula == "G \"x != 77\"" && saved.property.assumptions.is_empty();
            if is_first && replayed(&saved, program) {
                assert_eq!(
                    saved.counterexample().unwrap().answers().stem[0],
                    Answer::Value(Value::int(77)),
                    "{mutant}"
                );
            }
        }
    };
    for end in 0..text.trim_end().len() {
        assert!(read_text(&text[..end]).is_err(), "cut off at {end}");
    }
    let lines: Vec<&str> = text.lines().collect();
    for at in 0..lines.len() {
        let without = [&lines[..at], &lines[at + 1..]].concat().join("\n");
        let doubled = [&lines[..=at], &lines[at..]].concat().join("\n");
        look(&without);
        look(&doubled);
    }
    for (at, character) in text.char_indices().filter(|(_, character)| character.is_ascii()) {
        for other in ["", "7", "\"", "{", "-", "é", "x"] {
            look(&format!("{}{other}{}", &text[..at], &text[at + character.len_utf8()..]));
        }
    }
    assert!(accepted > 100, "the mutants are not all refused: {accepted}");
}

/// Edits of the tree: fields missing, of another type, added; answers dropped, doubled, swapped, changed.
#[test]
fn edited_files_show_a_violation_only_where_there_is_one() {
    let (mut mutants, mut confirmed) = (0, 0);
    for (program, formula) in WORLD {
        let text = saved_text(program, formula);
        let tree: Json = serde_json::from_str(&text).unwrap();
        for mutant in mutants_of(&tree) {
            mutants += 1;
            let Ok(saved) = read_text(&mutant.to_string()) else { continue };
            if !replayed(&saved, program) {
                continue;
            }
            confirmed += 1;
            // Confirmed again by a task of our own, with the question that the file asks.
            let (mut request, scheduler) = saved.question().request().unwrap();
            request.files = vec![Input::Text { name: "a.c".into(), text: (*program).into() }];
            let subject = load(&request, &Budget::unlimited()).subject.unwrap();
            let task = check::task_of(&subject, 0, scheduler);
            let counterexample = saved.counterexample().unwrap();
            assert!(certify::confirm(&task, &counterexample, &Budget::unlimited()).is_ok(), "{mutant}");
        }
    }
    assert!(mutants > 500 && confirmed > 10 && confirmed < mutants / 2, "{confirmed} of {mutants}");
}

/// The tree with one change each.
fn mutants_of(tree: &Json) -> Vec<Json> {
    let mut mutants = Vec::new();
    for path in paths(tree) {
        let odd = [
            Json::Null,
            Json::from(-3),
            Json::from("strange"),
            Json::from(true),
            serde_json::json!([]),
            serde_json::json!({}),
        ];
        for value in odd {
            let mut mutant = tree.clone();
            if let Some(place) = mutant.pointer_mut(&path) {
                *place = value;
                mutants.push(mutant);
            }
        }
        let mut numbers = tree.clone();
        if let Some(place) = numbers.pointer_mut(&path)
            && let Some(number) = place.as_i64()
        {
            *place = Json::from(number.wrapping_add(1));
            mutants.push(numbers);
        }
        let Some((parent, key)) = path.rsplit_once('/') else { continue };
        let mut mutant = tree.clone();
        match mutant.pointer_mut(parent) {
            Some(Json::Object(fields)) => {
                fields.remove(key);
            }
            Some(Json::Array(elements)) => {
                let at: usize = key.parse().unwrap();
                let mut doubled = tree.clone();
                if let Some(Json::Array(elements)) = doubled.pointer_mut(parent) {
                    elements.insert(at, elements[at].clone());
                }
                mutants.push(doubled);
                elements.remove(at);
            }
            _ => continue,
        }
        mutants.push(mutant);
    }
    let mut swapped = tree.clone();
    swapped["stem"] = tree["cycle"].clone();
    swapped["cycle"] = tree["stem"].clone();
    mutants.push(swapped);
    mutants
}

/// The paths of all parts of a tree but the story.
fn paths(tree: &Json) -> Vec<String> {
    let mut found = Vec::new();
    let mut open = vec![(String::new(), tree)];
    while let Some((path, part)) = open.pop() {
        if path == "/story" {
            continue;
        }
        match part {
            Json::Object(fields) => open.extend(fields.iter().map(|(key, part)| (format!("{path}/{key}"), part))),
            Json::Array(elements) => {
                open.extend(elements.iter().enumerate().map(|(at, part)| (format!("{path}/{at}"), part)));
            }
            _ => {}
        }
        if !path.is_empty() {
            found.push(path);
        }
    }
    found.sort();
    found
}

#[test]
fn foreign_files_are_told_apart() {
    let deep = "[".repeat(100_000);
    for (text, code) in [
        ("", "truncated-file"),
        ("  \n", "truncated-file"),
        ("{\"format\": \"semper-counterexample\"", "truncated-file"),
        ("int main(void) { }", "not-json"),
        ("- entry_type: violation_sequence\n  metadata:\n", "not-json"),
        ("{}", "foreign-file"),
        ("[1, 2]", "foreign-file"),
        ("{\"format\": \"other\", \"version\": 1}", "foreign-file"),
        ("{\"format\": \"semper-counterexample\"}", "saved-version"),
        ("{\"format\": \"semper-counterexample\", \"version\": 2}", "saved-version"),
        ("{\"format\": \"semper-counterexample\", \"version\": 1}", "damaged-file"),
        (deep.as_str(), "not-json"),
    ] {
        let fault = read_text(text).unwrap_err();
        assert_eq!(fault.code, code, "{}", &text[..text.len().min(60)]);
    }
    let lasso = Counterexample::Lasso(Lasso::default());
    let (program, formula) = WORLD[0];
    let subject = load(&request_of(program, formula), &Budget::unlimited()).subject.unwrap();
    let outcome = replay(&subject, 0, lasso, Scheduler::Any, &Budget::unlimited());
    assert!(matches!(outcome.verdict, CheckedVerdict::Unknown(_)), "a lasso without answers shows nothing");
}
