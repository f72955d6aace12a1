//! Malformed texts: the code of each fault and the text it points at.

use foundation::SourceMap;
use semper_automata::hoa::parse;
use semper_automata::ltl::Formulas;

fn faults(text: &str) -> Vec<(&'static str, String)> {
    let mut sources = SourceMap::new();
    let source = sources.add("bad.hoa", text);
    let diagnostics = parse(&sources, source, &mut Formulas::new()).expect_err(text);
    let fault = |diagnostic: &foundation::Diagnostic| {
        assert!(!diagnostic.help.is_empty(), "{diagnostic:?} gives no advice");
        let place = diagnostic.primary.as_ref().expect("every fault has a place").span;
        (diagnostic.code, sources.snippet_text(place).to_owned())
    };
    diagnostics.iter().map(fault).collect()
}

/// A whole automaton around a piece of a header or a body.
fn around(header: &str, body: &str) -> String {
    format!("HOA: v1 {header} AP: 2 \"a\" \"b\" Start: 0 --BODY-- {body} --END--")
}

#[test]
fn faults_are_found_at_their_places() {
    let buchi = "States: 2 Acceptance: 1 Inf(0)";
    let cases: &[(String, &[(&str, &str)])] = &[
        ("digraph {}".into(), &[("malformed-hoa", "digraph")]),
        ("States: 1".into(), &[("malformed-hoa", "States:")]),
        ("HOA:".into(), &[("malformed-hoa", "")]),
        ("HOA: v2 States: 1".into(), &[("unsupported-hoa-version", "v2")]),
        ("HOA: v1 States: 1".into(), &[("malformed-hoa", "")]),
        ("HOA: v1 States: x".into(), &[("malformed-hoa", "x")]),
        ("HOA: v1 States: 1 States: 2".into(), &[("repeated-header", "States:")]),
        ("HOA: v1 States: 01".into(), &[("malformed-hoa", "01")]),
        ("HOA: v1 States: 2147483648".into(), &[("number-too-large", "2147483648")]),
        ("HOA: v1 AP: 2 \"a\" States: 1".into(), &[("wrong-count", "2")]),
        ("HOA: v1 name: \"a".into(), &[("unclosed-text", "\"a")]),
        ("HOA: v1 /* a /* b */ name: \"a\"".into(), &[("unclosed-comment", "/*")]),
        ("HOA: v1 § ".into(), &[("malformed-hoa", "§")]),
        ("HOA: v1 Alias: @ 0".into(), &[("malformed-hoa", "@")]),
        ("HOA: v1 Alias: a 0".into(), &[("malformed-hoa", "a")]),
        ("HOA: v1 Alias: @a (0 | 1".into(), &[("unclosed-parenthesis", "(")]),
        ("HOA: v1 Alias: @a 0 Alias: @a 1".into(), &[("repeated-alias", "@a")]),
        ("HOA: v1 Start: 0&1 Acceptance: 0 t --BODY-- --END--".into(), &[("unsupported-alternation", "0&")]),
        ("HOA: v1 State: 0".into(), &[("malformed-hoa", "State:")]),
        ("HOA: v1 Acceptance: 1 Acc(0)".into(), &[("malformed-hoa", "Acc")]),
        ("HOA: v1 Acceptance: 1 Inf 0".into(), &[("malformed-hoa", "0")]),
        ("HOA: v1 States: 0 --BODY-- --END--".into(), &[("missing-acceptance", "HOA:")]),
        (around("States: 1 Acceptance: 1 Inf(0)&Inf(1)", "State: 0"), &[("unknown-set", "Inf(1)")]),
        (around(buchi, "State: 0 [0] 1 State: 1 [0] 2"), &[("unknown-state", "2")]),
        (around(buchi, "State: 0 [0] 1"), &[("missing-state", "2")]),
        (around(buchi, "State: 0 State: 0 State: 1"), &[("repeated-state", "0")]),
        (around(buchi, "State: 0 [0] 1&0 State: 1"), &[("unsupported-alternation", "1&")]),
        (around(buchi, "State: 0 [0 1 State: 1"), &[("malformed-hoa", "1")]),
        (around(buchi, "State: 0 [0 &] 1 State: 1"), &[("malformed-hoa", "]")]),
        (around(buchi, "State: 0 [2] 1 State: 1"), &[("unknown-atom", "2")]),
        (around(buchi, "State: 0 [@x] 1 State: 1"), &[("unknown-alias", "@x")]),
        (around(buchi, "State: 0 [0] 1 {1} State: 1 {7}"), &[("unknown-set", "1"), ("unknown-set", "7")]),
        (around(buchi, "State: 0 {0 State: 1"), &[("malformed-hoa", "State:")]),
        (around(buchi, "State: [0] 0 [1] 1 State: 1"), &[("mixed-labels", "1")]),
        (around(buchi, "State: 0 [1] 0 1 State: 1"), &[("mixed-labels", "1")]),
        (around(buchi, "State: 0 1 1 1 State: 1"), &[("wrong-count", "0")]),
        ("HOA: v1 AP: 2 \"a\" \" a\" Acceptance: 0 t --BODY-- --END--".into(), &[("repeated-atom", "\" a\"")]),
        ("HOA: v1 AP: 1 \"\" Acceptance: 0 t --BODY-- --END--".into(), &[("malformed-atom", "\"\"")]),
    ];
    for (text, expected) in cases {
        let expected: Vec<(&str, String)> =
            expected.iter().map(|(code, marked)| (*code, (*marked).to_owned())).collect();
        assert_eq!(faults(text), expected, "{text}");
    }
}

#[test]
fn conditions_that_would_fill_the_memory_are_refused() {
    let streett: Vec<String> = (0..30).map(|pair| format!("(Fin({})|Inf({}))", 2 * pair, 2 * pair + 1)).collect();
    let condition = streett.join("&");
    let text = around(&format!("States: 1 Acceptance: 60 {condition}"), "State: 0");
    assert_eq!(faults(&text), [("unsupported-acceptance", condition)]);
}

#[test]
fn labels_that_would_fill_the_memory_are_refused() {
    let pairs = |operator: &str, between: &str, count: usize| {
        let pair = |at: usize| format!("({at}{operator}{})", at + count);
        (0..count).map(pair).collect::<Vec<_>>().join(between)
    };
    let names: Vec<String> = (0..80).map(|atom| format!("\"p{atom}\"")).collect();
    let header = format!("HOA: v1 States: 1 Start: 0 Acceptance: 0 t AP: 80 {}", names.join(" "));
    let all: Vec<String> = (0..80).map(|atom| atom.to_string()).collect();
    let mut parity = String::from("Alias: @x0 0 ");
    for atom in 1..40 {
        parity += &format!("Alias: @x{atom} {atom}&!@x{} | !{atom}&@x{} ", atom - 1, atom - 1);
    }
    for label in [pairs("&", "|", 30), pairs("|", "&", 30), all.join("&")] {
        let text = format!("{header} --BODY-- State: 0 [{label}] 0 --END--");
        assert_eq!(faults(&text)[0].0, "label-too-large");
    }
    let text = format!("{header} {parity} --BODY-- State: 0 [@x39] 0 --END--");
    assert_eq!(faults(&text)[0].0, "label-too-large");
}
