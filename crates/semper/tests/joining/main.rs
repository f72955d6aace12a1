//! A language and an engine that nobody else knows join by their own files alone: no enum, match or table names them.

mod counting;
mod one_run;

use semper::subject::FrontEnds;
use semper::{Budget, CheckedOutcome, CheckedVerdict, Input, Properties, Request, Settings, Subject};

fn subject(text: &str, formula: &str) -> Subject {
    let mut front_ends = FrontEnds::default();
    front_ends.0.push(&counting::Counting);
    let request = Request {
        files: vec![Input::Text { name: "six.count".into(), text: text.into() }],
        properties: Properties::Formulas(vec![formula.into()]),
        front_ends,
        ..Request::default()
    };
    let loaded = semper::load(&request, &Budget::unlimited());
    loaded.subject.unwrap_or_else(|| panic!("{:?}", loaded.diagnostics))
}

fn check(text: &str, formula: &str, settings: &Settings) -> CheckedOutcome {
    semper::check(&subject(text, formula), 0, settings, &Budget::unlimited())
}

/// 0, 2, 4, 0, …
const SIX: &str = "by 2 modulo 6";

#[test]
fn a_program_in_another_language_is_checked_like_any_other() {
    let settings = Settings::default();
    for (formula, holds) in
        [("G \"n < 6\"", true), ("G F \"n = 4\"", true), ("G !\"n = 2\"", false), ("F \"n = 1\"", false)]
    {
        let outcome = check(SIX, formula, &settings);
        match outcome.verdict {
            CheckedVerdict::Holds { .. } => assert!(holds, "{formula}"),
            CheckedVerdict::Violated { replayed: Some(_), .. } => assert!(!holds, "{formula}"),
            other => panic!("{formula}: {other:?}"),
        }
        assert!(outcome.rejected.is_empty());
    }
}

#[test]
fn what_is_wrong_is_told_at_its_place() {
    let mut front_ends = FrontEnds::default();
    front_ends.0.push(&counting::Counting);
    for (text, formula, code) in
        [("by two modulo 6", "G \"n < 6\"", "counting-syntax"), (SIX, "G \"m < 6\"", "counting-atom")]
    {
        let request = Request {
            files: vec![Input::Text { name: "six.count".into(), text: text.into() }],
            properties: Properties::Formulas(vec![formula.into()]),
            front_ends: front_ends.clone(),
            ..Request::default()
        };
        let loaded = semper::load(&request, &Budget::unlimited());
        assert!(loaded.subject.is_none());
        assert!(
            loaded.diagnostics.iter().any(|fault| fault.code == code && fault.primary.is_some()),
            "{text} {formula}"
        );
    }
}

#[test]
fn another_engine_is_asked_by_its_name_and_takes_its_turns() {
    let engines = semper::engines::registry().with(one_run::ENTRY);
    let alone = Settings { engine: one_run::ENTRY, engines: engines.clone(), ..Settings::default() };
    let all = Settings { engines, ..Settings::default() };
    for settings in [&alone, &all] {
        let outcome = check(SIX, "G !\"n = 2\"", settings);
        assert_eq!(outcome.engine, "one-run", "it comes first");
        assert!(matches!(outcome.verdict, CheckedVerdict::Violated { replayed: Some(_), .. }), "{:?}", outcome.verdict);
    }
    let outcome = check(SIX, "G \"n < 6\"", &alone);
    assert!(matches!(outcome.verdict, CheckedVerdict::Unknown(_)), "it proves nothing");
    let outcome = check(SIX, "G \"n < 6\"", &all);
    assert!(matches!(outcome.verdict, CheckedVerdict::Holds { .. }), "others go on");
    assert_eq!(outcome.tried[0].engine, "one-run");
}
