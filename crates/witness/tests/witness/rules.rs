//! Every rule has a text that breaks it, and is told at the line that does.

use std::collections::BTreeSet;

use foundation::{Severity, SourceMap};
use witness::{RULES, faults, read, write};

use crate::samples::{CYCLE, INVARIANTS, SAFETY};

/// What is said about a text: codes, each with the line that it points at.
fn told(text: &str) -> Vec<(&'static str, String)> {
    let mut sources = SourceMap::new();
    let source = sources.add("w.yml", text);
    let diagnostics = match read(&sources, source) {
        Ok(reading) => {
            assert!(!reading.warnings.has_errors());
            reading.warnings
        }
        Err(diagnostics) => diagnostics,
    };
    let line = |diagnostic: &foundation::Diagnostic| {
        let line = sources.locate(diagnostic.primary.as_ref().unwrap().span).line as usize;
        text.lines().nth(line - 1).unwrap_or_default().trim().to_owned()
    };
    diagnostics.iter().map(|diagnostic| (diagnostic.code, line(diagnostic))).collect()
}

#[test]
fn texts_without_faults_are_canonical() {
    for text in [SAFETY, CYCLE, INVARIANTS] {
        assert_eq!(told(text), []);
        let mut sources = SourceMap::new();
        let source = sources.add("w.yml", text);
        let reading = read(&sources, source).unwrap();
        assert_eq!(write(&reading.witness), text);
        assert_eq!(faults(&reading.witness), []);
    }
}

/// A change to a sample, and what is then said: codes, each with the beginning of the line that it points at.
type Case<'a> = (&'a str, &'a str, &'a str, &'a [(&'a str, &'a str)]);

const CASES: &[Case<'static>] = &[
    // The form of the file.
    (SAFETY, "line: 4", "line: [4", &[("witness-yaml", "- segment:")]),
    (SAFETY, "name: \"Semper\"", "name: !!str \"Semper\"", &[("witness-tag", "name: !!str \"Semper\"")]),
    (SAFETY, "name: \"Semper\"", "name: &n \"Semper\"", &[]),
    (SAFETY, "name: \"Semper\"", "name: *n", &[("witness-yaml", "name: *n")]),
    (
        SAFETY,
        "name: \"Semper\"\n      version: \"0.1.0\"",
        "name: &n x\n      version: *n",
        &[("witness-alias", "version: *n")],
    ),
    (SAFETY, "line: 9\n", "line: 9\n---\n[]\n", &[("witness-several-documents", "---")]),
    (SAFETY, SAFETY, "", &[("witness-empty", "")]),
    (SAFETY, SAFETY, "# nothing\n", &[("witness-empty", "# nothing")]),
    (SAFETY, SAFETY, "[]\n", &[("witness-empty", "[]")]),
    (
        SAFETY,
        SAFETY,
        "entry_type: violation_sequence\n",
        &[("witness-expected-list", "entry_type: violation_sequence")],
    ),
    (SAFETY, SAFETY, "- a\n", &[("witness-expected-mapping", "- a")]),
    (SAFETY, "name: \"Semper\"", "name: {a: b}", &[("witness-expected-text", "name: {a: b}")]),
    (SAFETY, "name: \"Semper\"", "name:", &[("witness-expected-text", "name:")]),
    (SAFETY, "name: \"Semper\"", "name: ~", &[("witness-expected-text", "name: ~")]),
    (SAFETY, "name: \"Semper\"", "name: \"~\"", &[]),
    (
        SAFETY,
        "name: \"Semper\"",
        "? [a]\n      : b",
        &[("witness-expected-text", "? [a]"), ("witness-missing-key", "? [a]")],
    ),
    // Keys.
    (SAFETY, "      name: \"Semper\"\n", "", &[("witness-missing-key", "version: \"0.1.0\"")]),
    (SAFETY, "            action: avoid\n", "", &[("witness-missing-key", "type: branching")]),
    (SAFETY, "name: \"Semper\"", "name: \"Semper\"\n      name: x", &[("witness-duplicate-key", "name: x")]),
    (SAFETY, "name: \"Semper\"", "name: \"Semper\"\n      nme: x", &[("witness-unknown-key", "nme: x")]),
    (
        SAFETY,
        "name: \"Semper\"",
        "name: \"Semper\"\n      nme: x\n      nme: y",
        &[("witness-unknown-key", "nme: x"), ("witness-unknown-key", "nme: y"), ("witness-duplicate-key", "nme: y")],
    ),
    (
        SAFETY,
        "              line: 9",
        "              line: 9\n              file_hash: x",
        &[("witness-unknown-key", "file_hash: x")],
    ),
    // Metadata.
    (
        SAFETY,
        "violation_sequence",
        "ghost_instrumentation",
        &[("witness-entry-type", "- entry_type: ghost_instrumentation")],
    ),
    (SAFETY, "\"2.0\"", "\"2.2\"", &[("witness-version", "format_version: \"2.2\"")]),
    (SAFETY, "\"2.0\"", "2.0", &[("witness-unquoted-version", "format_version: 2.0")]),
    (SAFETY, "\"2.0\"", "'2.0'", &[]),
    (SAFETY, "5f0c0b5e-", "5f0c0b5e", &[("witness-uuid", "uuid: \"5f0c0b5e5f4e-4d0e-8a3b-2d3c1b0a9")]),
    (SAFETY, "5f0c0b5e-", "5g0c0b5e-", &[("witness-uuid", "uuid: \"5g0c0b5e-5f4e-4d0e-8a3b-2d3c1b0a")]),
    (SAFETY, "T12:00", " 12:00", &[("witness-creation-time", "creation_time: \"2026-01-31 12:00:00Z\"")]),
    (
        SAFETY,
        "        - \"a.c\"\n",
        "        []\n",
        &[
            ("witness-no-input-files", "[]"),
            ("witness-hash-extra", "\"a.c\": \"e3b0c44298fc1c149afbf4c8996fb"),
            ("witness-foreign-file", "file_name: \"a.c\""),
            ("witness-foreign-file", "file_name: \"a.c\""),
            ("witness-foreign-file", "file_name: \"a.c\""),
            ("witness-foreign-file", "file_name: \"a.c\""),
        ],
    ),
    (SAFETY, "e3b0c4", "e3b0c", &[("witness-hash", "\"a.c\": \"e3b0c4298fc1c149afbf4c8996fb9")]),
    (SAFETY, "e3b0c4", "x3b0c4", &[("witness-hash", "\"a.c\": \"x3b0c44298fc1c149afbf4c8996fb")]),
    (SAFETY, "e3b0c4", "E3B0C4", &[]),
    (
        SAFETY,
        "\"a.c\": ",
        "\"b.c\": ",
        &[
            ("witness-hash-extra", "\"b.c\": \"e3b0c44298fc1c149afbf4c8996fb"),
            ("witness-hash-missing", "\"b.c\": \"e3b0c44298fc1c149afbf4c8996fb"),
        ],
    ),
    (
        SAFETY,
        "        \"a.c\": \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"\n",
        "        {}\n",
        &[("witness-hash-missing", "{}")],
    ),
    (
        SAFETY,
        "\"a.c\": \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"\n",
        "\"a.c\": \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"\n        \
         \"a.c\": \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"\n",
        &[("witness-duplicate-key", "\"a.c\": \"e3b0c44298fc1c149afbf4c8996fb")],
    ),
    (
        SAFETY,
        "CHECK( init(main()), LTL(G ! call(reach_error())) )",
        "G x",
        &[("witness-specification", "specification: \"G x\"")],
    ),
    (SAFETY, "LP64", "ILP64", &[("witness-data-model", "data_model: ILP64")]),
    (SAFETY, "language: C", "language: Java", &[("witness-language", "language: Java")]),
    // Segments.
    (SAFETY, "line: 3", "line: 0", &[("witness-number", "line: 0")]),
    (SAFETY, "line: 3", "line: \"3\"", &[("witness-number", "line: \"3\"")]),
    (SAFETY, "line: 3", "line: 4294967296", &[("witness-number", "line: 4294967296")]),
    (SAFETY, "line: 3", "line: 03", &[("witness-number", "line: 03")]),
    (SAFETY, "line: 3", "line: +3", &[("witness-number", "line: +3")]),
    (SAFETY, "column: 5", "column: 0", &[("witness-number", "column: 0")]),
    (SAFETY, "column: 5", "column: -1", &[("witness-number", "column: -1")]),
    (SAFETY, "action: avoid", "action: follow", &[("witness-several-to-pass", "action: follow")]),
    (
        SAFETY,
        "type: assumption\n            action: follow",
        "type: assumption\n            action: avoid",
        &[("witness-nothing-to-pass", "- segment:")],
    ),
    (SAFETY, "type: target", "type: function_enter", &[("witness-no-end", "- segment:")]),
    (
        SAFETY,
        "type: target\n            action: follow",
        "type: target\n            action: avoid",
        &[("witness-nothing-to-pass", "- segment:"), ("witness-target-action", "action: avoid")],
    ),
    (
        SAFETY,
        "type: function_return\n            action: follow\n            constraint:\n              value: \"\\\\result == 5\"\n              format: acsl_expression\n",
        "type: target\n            action: follow\n",
        &[("witness-target-not-last", "type: target")],
    ),
    (
        SAFETY,
        "type: branching",
        "type: recurrence_condition",
        &[("witness-waypoint-type", "type: recurrence_condition")],
    ),
    (SAFETY, "action: avoid", "action: shun", &[("witness-action", "action: shun")]),
    (CYCLE, "LTL(F end)", "LTL(G ! overflow)", &[("witness-cycle-for-safety", "action: cycle")]),
    (CYCLE, "LTL(F end)", "LTL(G F \\\"x > 0\\\")", &[]),
    (CYCLE, "\"2.1\"", "\"2.0\"", &[("witness-cycle-needs-2-1", "action: cycle")]),
    (
        CYCLE,
        "type: assumption\n            action: cycle",
        "type: assumption\n            action: follow",
        &[("witness-cycle-interrupted", "action: follow")],
    ),
    (CYCLE, "type: function_enter", "type: target", &[("witness-target-with-cycle", "type: target")]),
    (
        CYCLE,
        "type: assumption\n            action: cycle\n            constraint:\n              value: \"x > 0\"\n              format: c_expression\n",
        "type: target\n            action: follow\n",
        &[("witness-target-with-cycle", "type: target")],
    ),
    (SAFETY, "LTL(G ! call(reach_error()))", "LTL(F end)", &[("witness-target-for-termination", "type: target")]),
    // Constraints.
    (
        SAFETY,
        "            constraint:\n              value: \"x == 1\"\n              format: c_expression\n",
        "",
        &[("witness-constraint-missing", "- waypoint:")],
    ),
    (
        SAFETY,
        "            constraint:\n              value: \"\\\\result == 5\"\n              format: acsl_expression\n",
        "",
        &[],
    ),
    (
        SAFETY,
        "type: target",
        "type: target\n            constraint: {value: \"1\", format: c_expression}",
        &[("witness-constraint-forbidden", "constraint: {value: \"1\", format: c_exp")],
    ),
    (CYCLE, "type: branching", "type: function_enter", &[("witness-constraint-forbidden", "value: \"true\"")]),
    (SAFETY, "value: \"false\"", "value: \"no\"", &[("witness-branching-value", "value: \"no\"")]),
    (SAFETY, "value: \"false\"", "value: \"\"", &[("witness-branching-value", "value: \"\"")]),
    (SAFETY, "value: \"false\"", "value: false", &[]),
    (SAFETY, "value: \"false\"", "value: -12", &[]),
    (SAFETY, "value: \"false\"", "value: default", &[]),
    (SAFETY, "\\\\result == 5", "x == 5", &[("witness-return-form", "value: \"x == 5\"")]),
    (SAFETY, "\\\\result == 5", "\\\\result = 5", &[("witness-return-form", "value: \"\\\\result = 5\"")]),
    (SAFETY, "\\\\result == 5", "\\\\result >", &[("witness-return-form", "value: \"\\\\result >\"")]),
    (SAFETY, "acsl_expression", "c_expression", &[("witness-return-format", "format: c_expression")]),
    (SAFETY, "acsl_expression", "ext_c_expression", &[("witness-return-format", "format: ext_c_expression")]),
    (SAFETY, "format: c_expression", "format: acsl_expression", &[("witness-acsl", "format: acsl_expression")]),
    (INVARIANTS, "format: c_expression", "format: acsl_expression", &[("witness-acsl", "format: acsl_expression")]),
    (
        CYCLE,
        "type: function_enter",
        "type: function_return\n            constraint: {value: \"1\", format: ext_c_expression}",
        &[],
    ),
    (
        CYCLE,
        "type: function_enter",
        "type: function_return\n            constraint: {value: \"\", format: ext_c_expression}",
        &[("witness-empty-expression", "constraint: {value: \"\"")],
    ),
    (
        CYCLE,
        "type: function_enter",
        "type: function_return\n            constraint: {value: \"1\", format: acsl_expression}",
        &[("witness-return-format", "constraint: {value")],
    ),
    (
        CYCLE,
        "type: function_enter",
        "type: function_return\n            constraint: {value: \"1\"}",
        &[("witness-format-missing", "constraint: {value")],
    ),
    (SAFETY, "format: c_expression", "format: acsl", &[("witness-format", "format: acsl")]),
    (SAFETY, "              format: c_expression\n", "", &[("witness-format-missing", "value: \"x == 1\"")]),
    (SAFETY, "\"x == 1\"", "\" \"", &[("witness-empty-expression", "value: \" \"")]),
    (SAFETY, "\"x == 1\"", "\"\\\\at(x, Pre) == 1\"", &[("witness-extension-in-c", "value: \"\\\\at(x, Pre) == 1\"")]),
    (SAFETY, "\"x == 1\"", "\"x == '\\\\n'\"", &[]),
    (
        SAFETY,
        "format: c_expression",
        "format: ext_c_expression",
        &[("witness-extended-needs-2-1", "format: ext_c_expression")],
    ),
    (
        SAFETY,
        "file_name: \"a.c\"\n              line: 4",
        "file_name: \"b.c\"\n              line: 4",
        &[("witness-foreign-file", "file_name: \"b.c\"")],
    ),
    (SAFETY, "file_name: \"a.c\"\n              line: 4", "file_name: \"./x/a.c\"\n              line: 4", &[]),
    // Invariants.
    (
        INVARIANTS,
        "type: loop_invariant",
        "type: flow_insensitive_invariant",
        &[("witness-invariant-type", "type: flow_insensitive_invariant")],
    ),
    (INVARIANTS, "type: loop_invariant", "type: location_invariant", &[]),
    (INVARIANTS, "type: loop_transition_invariant", "type: location_transition_invariant", &[]),
    (
        INVARIANTS,
        "\"2.1\"",
        "\"2.0\"",
        &[
            ("witness-labels-need-2-1", "- inductive"),
            ("witness-extended-needs-2-1", "format: ext_c_expression"),
            ("witness-transition-needs-2-1", "type: loop_transition_invariant"),
        ],
    ),
    (INVARIANTS, "- inductive", "- easy", &[("witness-unknown-label", "- easy")]),
    (
        INVARIANTS,
        "ext_c_expression",
        "c_expression",
        &[("witness-extension-in-c", "value: \"\\\\at(x, AnyPrev) > x\"")],
    ),
    (
        INVARIANTS,
        "    - invariant:\n        type: loop_invariant",
        "    - contract: {}\n    - invariant:\n        type: loop_invariant",
        &[("witness-contract", "- contract: {}")],
    ),
    (
        INVARIANTS,
        "    - invariant:\n        type: loop_invariant",
        "    - contract: {}\n      x: y\n    - invariant:\n        type: loop_invariant",
        &[
            ("witness-unknown-key", "- contract: {}"),
            ("witness-unknown-key", "x: y"),
            ("witness-missing-key", "- contract: {}"),
        ],
    ),
    // Whole entries.
    (
        SAFETY,
        "    - segment:",
        "    []\n  x:\n    - segment:",
        &[("witness-unknown-key", "x:"), ("witness-no-segments", "[]")],
    ),
    (
        INVARIANTS,
        "    - invariant:",
        "    []\n  x:\n    - invariant:",
        &[("witness-unknown-key", "x:"), ("witness-no-invariants", "[]")],
    ),
    (SAFETY, "    - segment:", "    - segment: []\n    - segment:", &[("witness-empty-segment", "- segment: []")]),
    (
        CYCLE,
        "        - waypoint:\n            type: branching\n            action: cycle",
        "        - waypoint: {type: function_enter, action: cycle, location: {file_name: a.c, line: 1}}\n        \
         - waypoint:\n            type: branching\n            action: avoid",
        &[("witness-pass-not-last", "- waypoint: {type: function_enter, action: cycle")],
    ),
    (CYCLE, "    - segment:", "    - segment: {}\n    - segment:", &[("witness-expected-list", "- segment: {}")]),
    (
        CYCLE,
        "    - segment:",
        "    - part: []\n    - segment:",
        &[("witness-unknown-key", "- part: []"), ("witness-missing-key", "- part: []")],
    ),
];

#[test]
fn every_rule_is_told_where_it_is_broken() {
    let mut failures = Vec::new();
    for (text, from, to, expected) in CASES {
        assert!(text.contains(from), "{from}");
        let told = told(&text.replacen(from, to, 1));
        let agree = |(told, expected): (&(&str, String), &(&str, &str))| {
            told.0 == expected.0 && told.1.starts_with(expected.1) && told.1.is_empty() == expected.1.is_empty()
        };
        if told.len() != expected.len() || !told.iter().zip(*expected).all(agree) {
            failures.push(format!("{from:?} -> {to:?}\n  told     {told:?}\n  expected {expected:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn entries_belong_together() {
    let both = |first: &str, second: &str| told(&format!("{first}{second}"));
    let line = |text: &str| format!("- entry_type: {text}");
    assert_eq!(both(INVARIANTS, INVARIANTS), []);
    assert_eq!(both(SAFETY, CYCLE), [("witness-several-sequences", line("violation_sequence"))]);
    assert_eq!(both(SAFETY, INVARIANTS), [("witness-mixed-entries", line("invariant_set"))]);
    assert_eq!(both(INVARIANTS, SAFETY), [("witness-mixed-entries", line("violation_sequence"))]);
}

#[test]
fn there_are_limits() {
    let wide = format!("[{}]", "a,".repeat(1 << 20));
    for (text, expected) in [
        (" ".repeat((8 << 20) + 1), "witness-too-large"),
        (wide, "witness-too-large"),
        ("[".repeat(100), "witness-too-deep"),
        ("[".repeat(100_000), "witness-yaml"),
        ("- ".repeat(100_000), "witness-too-deep"),
        ("{a: ".repeat(100), "witness-too-deep"),
        ("? ".repeat(100_000), "witness-too-deep"),
    ] {
        let codes: Vec<&str> = told(&text).into_iter().map(|(code, _)| code).collect();
        assert_eq!(codes, [expected], "{}", &text[..20]);
    }
}

/// No rule is without a text that breaks it, and what breaks rules only softly is read.
#[test]
fn every_rule_is_tested() {
    let elsewhere = ["witness-mixed-entries", "witness-several-sequences", "witness-too-large", "witness-too-deep"];
    let in_table = CASES.iter().flat_map(|(.., expected)| expected.iter().map(|(code, _)| *code));
    let tested: BTreeSet<&str> = in_table.chain(elsewhere).collect();
    let rules: BTreeSet<&str> = RULES.iter().map(|rule| rule.code).collect();
    assert_eq!(tested, rules);
    assert_eq!(rules.len(), RULES.len(), "a code is listed twice");
    for (text, from, to, expected) in CASES {
        let is_error = |code: &str| RULES.iter().any(|rule| rule.code == code && rule.severity == Severity::Error);
        let mut sources = SourceMap::new();
        let source = sources.add("w.yml", text.replacen(from, to, 1));
        assert_eq!(read(&sources, source).is_err(), expected.iter().any(|(code, _)| is_error(code)), "{to}");
    }
}
