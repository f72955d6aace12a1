//! The text format: what is read, what is refused, and that what is written reads back.

use std::time::Duration;

use foundation::SourceMap;
use proptest::prelude::*;
use semper_automata::kripke::robustness::check;
use semper_automata::kripke::{Kripke, KripkeState, parse};

use crate::damage::Damage;

pub fn read(text: &str) -> Result<Kripke, Vec<(&'static str, String)>> {
    let mut sources = SourceMap::new();
    let source = sources.add("test.kripke", text);
    parse(&sources, source).map_err(|diagnostics| {
        let fault = |diagnostic: &foundation::Diagnostic| {
            let place = diagnostic.primary.as_ref().expect("every fault has a place").span;
            (diagnostic.code, sources.snippet_text(place).to_owned())
        };
        diagnostics.iter().map(fault).collect()
    })
}

const LIGHT: &str = "
    # A traffic light that may break down.
    atoms red, green, \"is amber\";
    initial stop;
    state stop {red} -> go, broken;          // the comments of C, too
    state go {green} -> slow;
    state slow {\"is amber\"} -> stop broken;  /* commas are optional */
    state broken;
";

#[test]
fn a_structure_is_read_as_it_is_written() {
    let kripke = read(LIGHT).expect("the structure is well-formed");
    let names = |states: Vec<KripkeState>| states.into_iter().map(|s| kripke.name(s).to_owned()).collect::<Vec<_>>();
    assert_eq!(names(kripke.states().collect()), ["stop", "go", "slow", "broken"]);
    assert_eq!(names(kripke.initial().to_vec()), ["stop"]);
    let [stop, _, slow, broken] = kripke.states().collect::<Vec<_>>()[..] else { panic!("there are four states") };
    assert_eq!(names(kripke.successors(stop)), ["go", "broken"]);
    assert_eq!(names(kripke.successors(broken)), ["broken"]);
    assert!(kripke.is_deadlock(broken) && !kripke.is_deadlock(stop));
    let amber = kripke.find_proposition("is amber").expect("it is declared");
    assert_eq!(kripke.holds(slow), [amber]);
    let dot = kripke.dot().to_string();
    assert!(dot.contains("3 -> 3 [style=dotted]") && dot.contains("label=\"slow\\n{is amber}\""), "{dot}");
}

#[test]
fn faults_are_found_at_their_places() {
    let cases: &[(&str, &[(&str, &str)])] = &[
        ("", &[("no-initial-state", "")]),
        ("state a;", &[("no-initial-state", "")]),
        ("initial a; state a -> b;", &[("unknown-state", "b")]),
        ("initial a, b; state c;", &[("unknown-state", "a"), ("unknown-state", "b")]),
        ("initial a; state a; state a -> a;", &[("repeated-state", "a")]),
        ("atoms p; initial a; state a {p, q};", &[("unknown-atom", "q")]),
        ("initial a; state a {p;", &[("unclosed-brace", "{")]),
        ("initial a state a;", &[("malformed-kripke", "state")]),
        ("initial ; state a; initial a;", &[("malformed-kripke", ";")]),
        ("initial a; state a -> ; state b", &[("malformed-kripke", ";"), ("malformed-kripke", "")]),
        ("initial a; a -> a; state a;", &[("malformed-kripke", "a")]),
        ("initial a; state \"a", &[("unclosed-text", "\"a"), ("malformed-kripke", "")]),
        ("initial a; state \" \" -> a; state a;", &[("empty-name", "\" \""), ("malformed-kripke", "->")]),
        ("initial a; state a; /* b", &[("unclosed-comment", "/*")]),
        ("initial a; state a & ;", &[("malformed-kripke", "&")]),
        ("initial a; state a € -> b;", &[("malformed-kripke", "€"), ("unknown-state", "b")]),
    ];
    for (text, expected) in cases {
        let expected: Vec<(&str, String)> =
            expected.iter().map(|(code, marked)| (*code, (*marked).to_owned())).collect();
        assert_eq!(read(text).expect_err(text), expected, "{text}");
        check(text.as_bytes());
    }
}

proptest! {
    #[test]
    fn what_is_written_reads_back(
        names in prop::collection::hash_set("[a-z][a-z0-9.]{0,3}|state|initial|[!-~]{1,4}|x [\"\\\\]y", 1..7),
        atoms in prop::collection::hash_set("[a-z]|x > [0-9]|atoms", 0..4),
        edges in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..20),
        labels in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..10),
        initial in prop::collection::vec(any::<prop::sample::Index>(), 1..4),
    ) {
        let mut kripke = Kripke::new();
        let atoms: Vec<_> = atoms.iter().map(|atom| kripke.add_proposition(atom)).collect();
        let states: Vec<KripkeState> = names.iter().map(|name| kripke.add_state(name).unwrap()).collect();
        for (from, to) in edges {
            kripke.add_transition(*from.get(&states), *to.get(&states));
        }
        for (state, atom) in labels.iter().filter(|_| !atoms.is_empty()) {
            kripke.label(*state.get(&states), *atom.get(&atoms));
        }
        for state in initial {
            kripke.add_initial(*state.get(&states));
        }
        let text = kripke.text().to_string();
        prop_assert_eq!(read(&text), Ok(kripke), "{}", text);
    }
}

#[test]
fn damaged_texts_never_panic() {
    let mut accepted = 0;
    let damage = Damage { texts: &[LIGHT], signs: b"\"{},;->\n/*#\\", edits: 8, seed: 5 };
    damage.for_each(Duration::from_millis(700), |bytes| {
        accepted += usize::from(read(&String::from_utf8_lossy(bytes)).is_ok());
        check(bytes);
    });
    assert!(accepted > 10, "some damage is harmless");
    check("state a -> ".repeat(20_000).as_bytes());
    check(format!("initial s0; {}", (0..5000).map(|s| format!("state s{s} -> s0;")).collect::<String>()).as_bytes());
}
