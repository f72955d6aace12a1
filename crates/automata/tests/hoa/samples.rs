//! Automata as Spot and the specification write them, against the formulas that they are said to be for.

use foundation::{Diagnostics, SourceMap};
use semper_automata::buchi::accepts;
use semper_automata::hoa::{HoaAutomaton, Stream, parse};
use semper_automata::ltl::{self, Atom, Formula, Formulas, Letter, evaluate_lasso};

/// A formula over `a` and `b`, and automata for it.
pub const SAMPLES: &[(&str, &[&str])] = &[
    (
        "G F a",
        &[
            // ltl2tgba: one state, transition-based.
            "HOA: v1\nname: \"GFa\"\nStates: 1\nStart: 0\nAP: 1 \"a\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
         properties: trans-labels explicit-labels trans-acc colored complete\nproperties: deterministic stutter-invariant\n\
         --BODY--\nState: 0\n[0] 0 {0}\n[!0] 0\n--END--\n",
            // ltl2tgba -B: two states, state-based.
            "HOA: v1\nname: \"GFa\"\nStates: 2\nStart: 0\nAP: 1 \"a\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
         properties: trans-labels explicit-labels state-acc complete\nproperties: deterministic stutter-invariant\n\
         --BODY--\nState: 0 {0}\n[0] 0\n[!0] 1\nState: 1\n[0] 0\n[!0] 1\n--END--\n",
            // State labels and two initial states, as Wring writes them.
            "HOA: v1 name: \"GFa\" States: 2 Start: 0 Start: 1 acc-name: Buchi Acceptance: 1 Inf(0) AP: 1 \"a\"\n\
         --BODY-- State: [0] 0 {0} 0 1 State: [!0] 1 0 1 --END--",
            // Implicit labels.
            "HOA: v1\nStates: 2\nStart: 0\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nAP: 1 \"a\"\n--BODY--\n\
         State: 0 /* not a */ 0 /* a */ 1\nState: 1 {0} 0 1\n--END--",
            // Version 1.1 with a negated property and a header of Spot's own.
            "HOA: v1.1\nname: \"GFa\"\nStates: 1\nStart: 0\nAP: 1 \"a\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
         properties: trans-labels explicit-labels trans-acc complete\nproperties: deterministic !terminal !weak\n\
         spot.highlight.states: 0 1\n--BODY--\nState: 0\n[0] 0 {0}\n[!0] 0\n--END--\n",
            // The complemented set.
            "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(!0) --BODY-- State: 0 [0] 0 [!0] 0 {0} --END--",
        ],
    ),
    (
        "G F a && G F b",
        &[
            "HOA: v1\nname: \"GFa & GFb\"\nStates: 1\nStart: 0\nAP: 2 \"a\" \"b\"\nacc-name: generalized-Buchi 2\n\
         Acceptance: 2 Inf(0)&Inf(1)\nproperties: trans-labels explicit-labels trans-acc complete\n\
         properties: deterministic stutter-invariant\n--BODY--\nState: 0\n[!0&!1] 0\n[0&!1] 0 {0}\n[!0&1] 0 {1}\n\
         [0&1] 0 {0 1}\n--END--\n",
            "HOA: v1\nStates: 1\nStart: 0\nacc-name: generalized-Buchi 2\nAcceptance: 2 (Inf(0) & Inf(1))\n\
         AP: 2 \"a\" \"b\"\n--BODY--\nState: 0\n  0       /* !a  & !b */\n  0 {0}   /*  a  & !b */\n\
         0 {1}   /* !a  &  b */\n  0 {0 1} /*  a  &  b */\n--END--",
            // Aliases, and sets of states mixed with sets of edges.
            "HOA: v1\nStates: 1\nStart: 0\nAP: 2 \"a\" \"b\"\nAlias: @a 0\nAlias: @b 1\nAlias: @none !(@a | @b)\n\
         Acceptance: 3 Inf(0) & t & Inf(1) & (Inf(2) | t)\n--BODY--\nState: 0 {2}\n[@none] 0\n[@a & !@b] 0 {0}\n\
         [!@a & @b] 0 {1}\n[@a&@b] 0 {1 0}\n--END--",
            // ltl2tgba -B: a counter over the two sets.
            "HOA: v1\nname: \"GFa & GFb\"\nStates: 3\nStart: 0\nAP: 2 \"a\" \"b\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
         properties: trans-labels explicit-labels state-acc complete\nproperties: deterministic stutter-invariant\n\
         --BODY--\nState: 0 {0}\n[0&1] 0\n[!1] 1\n[!0&1] 2\nState: 1\n[0&1] 0\n[!1] 1\n[!0&1] 2\nState: 2\n[0] 0\n\
         [!0] 2\n--END--\n",
        ],
    ),
    (
        "a U b",
        &[
            "HOA: v1\nname: \"a U b\"\nStates: 2\nStart: 1\nAP: 2 \"a\" \"b\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
         properties: trans-labels explicit-labels state-acc deterministic\nproperties: stutter-invariant terminal\n\
         --BODY--\nState: 0 {0}\n[t] 0\nState: 1\n[1] 0\n[0&!1] 1\n--END--\n",
            // A monitor's sink and the state's names.
            "HOA: v1\ntool: \"ltl2dstar\" \"0.5\"\nStates: 3\nStart: 0\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
         AP: 2 \"a\" \"b\"\n--BODY--\nState: 0 \"a U b\"\n2 0 1 1\nState: 1 \"true\" {0} 1 1 1 1\n\
         State: 2 \"sink \\\"state\\\"\" 2 2 2 2\n--END--",
        ],
    ),
    (
        "G a",
        &[
            "HOA: v1\nname: \"Ga\"\nStates: 1\nStart: 0\nAP: 1 \"a\"\nacc-name: all\nAcceptance: 0 t\n\
         properties: trans-labels explicit-labels state-acc deterministic\nproperties: stutter-invariant very-weak\n\
         --BODY--\nState: 0\n[0] 0\n--END--\n",
            "HOA: v1 States: 2 Start: 0 AP: 1 \"a\" acc-name: co-Buchi Acceptance: 1 Fin(0) --BODY--\n\
         State: 0 [0] 0 [!0] 1 State: 1 {0} [t] 1 --END--",
        ],
    ),
    (
        "F G a",
        &[
            "HOA: v1\nname: \"FGa\"\nStates: 2\nStart: 0\nAP: 1 \"a\"\nacc-name: Buchi\nAcceptance: 1 Inf(0)\n\
         properties: trans-labels explicit-labels state-acc\nproperties: stutter-invariant very-weak\n--BODY--\n\
         State: 0\n[t] 0\n[0] 1\nState: 1 {0}\n[0] 1\n--END--\n",
            // ltl2tgba -D -G: deterministic co-Büchi.
            "HOA: v1\nname: \"FGa\"\nStates: 1\nStart: 0\nAP: 1 \"a\"\nacc-name: co-Buchi\nAcceptance: 1 Fin(0)\n\
         properties: trans-labels explicit-labels trans-acc complete\nproperties: deterministic stutter-invariant\n\
         --BODY--\nState: 0\n[!0] 0 {0}\n[0] 0\n--END--\n",
        ],
    ),
    (
        "F G a && G F b",
        &[
            // One Rabin pair, written as a conjunction.
            "HOA: v1\nStates: 1\nStart: 0\nAP: 2 \"a\" \"b\"\nacc-name: Rabin 1\nAcceptance: 2 Fin(0) & Inf(1)\n\
         properties: trans-labels explicit-labels trans-acc complete\nproperties: deterministic\n--BODY--\nState: 0\n\
         [!0&!1] 0 {0}\n[!0&1] 0 {0 1}\n[0&!1] 0\n[0&1] 0 {1}\n--END--\n",
        ],
    ),
    (
        "G F a -> G F b",
        &[
            // One Streett pair: `a` infinitely often asks for `b` infinitely often.
            "HOA: v1 States: 1 Start: 0 AP: 2 \"a\" \"b\" acc-name: Streett 1 Acceptance: 2 Fin(0) | Inf(1)\n\
         --BODY-- State: 0 [!0&!1] 0 [0&!1] 0 {0} [!0&1] 0 {1} [0&1] 0 {0 1} --END--",
            // Parity, min even: 0 for `b`, 1 for `a` without it, 2 otherwise.
            "HOA: v1 States: 1 Start: 0 AP: 2 \"a\" \"b\" acc-name: parity min even 3\n\
         Acceptance: 3 Inf(0) | (Fin(1) & Inf(2)) properties: colored\n\
         --BODY-- State: 0 [1] 0 {0} [0&!1] 0 {1} [!0&!1] 0 {2} --END--",
        ],
    ),
    (
        "F G a || G F a && G F b",
        &[
            // Generalised Rabin, as Owl writes it: two pairs, with no and with two sets to be visited.
            "HOA: v1 tool: \"owl\" States: 1 Start: 0 acc-name: generalized-Rabin 2 1 2\n\
         Acceptance: 5 (Fin(0)&Inf(1)) | (Fin(2)&Inf(3)&Inf(4)) AP: 2 \"a\" \"b\"\n\
         --BODY-- State: 0 [!0 & !1] 0 {0} [!0 & 1] 0 {0 4} [0 & !1] 0 {1 3} [0 & 1] 0 {1 3 4} --END--",
        ],
    ),
    (
        "false",
        &[
            "HOA: v1\nname: \"0\"\nStates: 1\nStart: 0\nAP: 0\nacc-name: none\nAcceptance: 0 f\n\
         properties: trans-labels explicit-labels state-acc complete\nproperties: deterministic\n--BODY--\nState: 0\n\
         [t] 0\n--END--\n",
            "HOA: v1 Acceptance: 0 t --BODY-- --END--",
            "HOA: v1 States: 1 Start: 0 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- State: 0 [0 & !0] 0 {0} --END--",
        ],
    ),
    (
        "true",
        &["HOA: v1\nname: \"1\"\nStates: 1\nStart: 0\nAP: 0\nacc-name: all\nAcceptance: 0 t\n\
         properties: trans-labels explicit-labels state-acc complete\nproperties: deterministic stutter-invariant\n\
         --BODY--\nState: 0\n[t] 0\n--END--\n"],
    ),
    (
        "G F a || G (b <-> X a)",
        &[
            // The specification's example of mixed acceptance.
            "HOA: v1 name: \"GFa | G(b <-> Xa)\" Start: 0 acc-name: Buchi Acceptance: 1 Inf(0) AP: 2 \"a\" \"b\"\n\
         properties: explicit-labels trans-labels\n--BODY--\nState: 0\n [t] 1\n [1] 2\n [!1] 3\nState: 1 \"GFa\"\n\
         [0] 1 {0}\n [!0] 1\nState: 2 \"a & G(b <-> Xa)\" {0}\n [0&1] 2\n [0&!1] 3\n\
         State: 3 \"!a & G(b <-> Xa)\" {0}\n [!0&1] 2\n [!0&!1] 3\n--END--",
        ],
    ),
];

pub fn read(text: &str, formulas: &mut Formulas) -> Result<Stream, Diagnostics> {
    let mut sources = SourceMap::new();
    let source = sources.add("sample.hoa", text);
    parse(&sources, source, formulas)
}

fn formula(text: &str, formulas: &mut Formulas) -> Formula {
    let mut sources = SourceMap::new();
    let source = sources.add("formula", text);
    ltl::parse(&sources, source, formulas).expect("the formula is well-formed")
}

/// All lasso words over two atoms up to this many letters.
fn lassos(formulas: &mut Formulas, most: usize) -> Vec<(Vec<Letter>, Vec<Letter>)> {
    let atoms = ["a", "b"].map(|name| {
        formulas.atom(Atom::named(name));
        formulas.atoms().find(&Atom::named(name)).expect("it was added just now")
    });
    let letters: Vec<Letter> =
        (0..4).map(|bits| (0..2).filter(|bit| bits >> bit & 1 == 1).map(|bit| atoms[bit]).collect()).collect();
    let mut words = vec![vec![]];
    let mut lassos = Vec::new();
    for length in 1..=most {
        let longer = |word: &Vec<Letter>| {
            letters.iter().map(|letter| word.iter().cloned().chain([letter.clone()]).collect()).collect::<Vec<_>>()
        };
        words = words.iter().flat_map(longer).collect();
        for word in &words {
            lassos.extend((0..length).map(|stem| (word[..stem].to_vec(), word[stem..].to_vec())));
        }
    }
    lassos
}

#[test]
fn samples_accept_what_their_formulas_say() {
    let mut formulas = Formulas::new();
    let words = lassos(&mut formulas, 4);
    for (text, automata) in SAMPLES {
        let formula = formula(text, &mut formulas);
        for sample in *automata {
            let stream = match read(sample, &mut formulas) {
                Ok(stream) => stream,
                Err(diagnostics) => panic!("{sample}\nis refused: {diagnostics:?}"),
            };
            let [HoaAutomaton { automaton, .. }] = &stream.automata[..] else {
                panic!("{sample}\nis one automaton");
            };
            for (stem, repeated) in &words {
                let expected = evaluate_lasso(&formulas, formula, stem, repeated);
                assert_eq!(accepts(automaton, stem, repeated), expected, "{text} on {stem:?} {repeated:?}\n{sample}");
            }
        }
    }
}

#[test]
fn what_is_said_beside_the_automaton_is_kept() {
    let mut formulas = Formulas::new();
    let (_, [_, named]) = SAMPLES[2] else { panic!("the third sample has two automata") };
    let stream = read(named, &mut formulas).expect("the sample is accepted");
    let automaton = &stream.automata[0];
    assert_eq!(automaton.tool, Some(("ltl2dstar".to_owned(), Some("0.5".to_owned()))));
    let names = ["a U b", "true", "sink \"state\""].map(|name| Some(name.to_owned()));
    assert_eq!(automaton.state_names, names);
    let (_, [first, ..]) = SAMPLES[0] else { panic!("the first sample has several automata") };
    let stream = read(first, &mut formulas).expect("the sample is accepted");
    assert_eq!(stream.automata[0].name.as_deref(), Some("GFa"));
    assert_eq!(stream.automata[0].acceptance_name, ["Buchi"]);
    assert!(stream.automata[0].properties.contains(&"stutter-invariant".to_owned()));
    assert!(stream.warnings.is_empty());
}

#[test]
fn several_automata_in_one_text_and_those_given_up() {
    let mut formulas = Formulas::new();
    let one = "HOA: v1 name: \"NAME\" States: 1 Start: 0 Acceptance: 0 t --BODY-- State: 0 [t] 0 --END-- ";
    let text = [
        &one.replace("NAME", "first"),
        "HOA: v1 States: 4 Start: 0 --ABORT-- ",
        "HOA: v1 AP: 2 \"a\" --ABORT-- ",
        "HOA: v1 Acceptance: 0 t --BODY-- State: 0 [(0 --ABORT-- --ABORT-- ",
        &one.replace("NAME", "second"),
        "/* nothing /* more */ follows */",
        &one.replace("NAME", "third"),
    ]
    .concat();
    let stream = read(&text, &mut formulas).expect("the stream is accepted");
    let names: Vec<&str> = stream.automata.iter().filter_map(|automaton| automaton.name.as_deref()).collect();
    assert_eq!(names, ["first", "second", "third"]);
    assert!(read("", &mut formulas).expect("nothing is a stream, too").automata.is_empty());
}

#[test]
fn headers_that_may_matter_are_warned_of() {
    let mut formulas = Formulas::new();
    let text = "HOA: v1 States: 0 Weights: 3 \"x\" t colour: 1 Acceptance: 0 t --BODY-- --END--";
    let stream = read(text, &mut formulas).expect("unknown headers are left out of account");
    let codes: Vec<&str> = stream.warnings.iter().map(|warning| warning.code).collect();
    assert_eq!(codes, ["ignored-header"]);
}
