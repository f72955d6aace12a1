//! Certificates of refuted traces that are written by hand: what is read must be what is observed, and bytes that are copied must
//! have been chosen.
//!
//! Programs that are observed at their steps alone: a certificate may say that an edge reads which is not observed, or
//! the other way round; that is right only if no atom can have changed since the last observation.

#[path = "../../../replay/tests/replay/worlds.rs"]
#[allow(dead_code)]
mod worlds;

use foundation::{Budget, Id};
use kernel::refutation;
use kernel::tableau::{Signed, inclusion};
use program::EdgeId;
use program::passes::prepare;
use program::semantics::{ObserveMode, Semantics};
use smt::Decider;
use task::Task;
use task::certificate::refutation::Refutation;
use task::certificate::sexp::Sexp;
use task::certificate::{Certificate, text};
use worlds::task_under;

/// `G p`, and its negation: `p` for a while, and then once not.
const ONCE_NOT: &str = "(automaton (states 2) (initial 0) (sets 1) (edge 0 0 (marks) (or (and 0))) \
                        (edge 0 1 (marks) (or (and (not 0)))) (edge 1 1 (marks 0) (or (and))))";

/// `F p`, and its negation: `p` never.
const NEVER: &str = "(automaton (states 1) (initial 0) (sets 1) (edge 0 0 (marks 0) (or (and (not 0)))))";

fn observed_at_steps(c: &str, formula: &str) -> Task {
    let c = format!("extern void __VERIFIER_ltl_step(void); {c}");
    task_under(&c, formula, Semantics { observe: ObserveMode::Step, ..Semantics::default() })
}

fn certificate(automaton: &str, rest: &str) -> Refutation {
    let text = format!("(refutation {automaton} (finite 0) {rest})");
    match text::read(&Sexp::parse(&text).unwrap_or_else(|malformed| panic!("{text}: {malformed:?}"))) {
        Ok(Certificate::Refutation(refutation)) => *refutation,
        other => panic!("{text}: {other:?}"),
    }
}

fn is_proof(task: &Task, certificate: &Refutation) -> bool {
    let (budget, violated) = (Budget::unlimited(), Signed::fails(task.formula()));
    let inclusion = inclusion(&task.formulas, violated, &certificate.automaton, &budget);
    inclusion.is_ok_and(|inclusion| {
        let inclusion = inclusion.expect("the automaton simulates the tableau");
        refutation::check(task, certificate, inclusion, &Decider::default(), &budget).is_ok()
    })
}

/// How many edges and locations a task's program has.
fn size(task: &Task) -> (usize, usize) {
    let prepared = prepare(&task.program, &task.atoms, task.semantics, 1000).unwrap();
    (prepared.program.edges.len(), prepared.program.locations.len())
}

/// A letter that was never observed may be one for which the automaton has no edge: then nothing goes on, and a
/// certificate that knows the start alone has nothing to show.
#[test]
fn what_was_not_observed_excludes_nothing() {
    let blinks = "int a = 1; int main(void) { while (1) { a = 0; a = 1; __VERIFIER_ltl_step(); } }";
    let waits = "int a = 1; int main(void) { while (1) { a = 0; for (int i = 0; i < 2; i++) ; a = 1; __VERIFIER_ltl_step(); } }";
    let stays = "int a = 1; int main(void) { a = 0; for (;;) ; }";
    for c in [blinks, waits, stays] {
        let task = observed_at_steps(c, "F \"a == 0\"");
        let honest = certificate(
            NEVER,
            "(symbol a (one (variable 0) 0 (signed 32))) (unread) (reread) (state start 0) (node 0 0 (knows)) (missing edges)",
        );
        for edge in 0..size(&task).0 {
            let mut lie = honest.clone();
            lie.reread.push(EdgeId::from_index(edge));
            assert!(!is_proof(&task, &lie), "{c}: edge {edge}");
        }
        assert!(!is_proof(&task, &honest), "{c}");
    }
}

/// Nothing is observed in the loop. Whether it may read what was observed last depends on what comes before.
#[test]
fn what_cannot_happen_changes_nothing() {
    let program = |condition: &str, first: &str| {
        format!(
            "int mode = 1, alarm, in; int main(void) {{ {first} __VERIFIER_ltl_step(); if ({condition}) alarm = 1; \
             while (1) in = 1 - in; }}"
        )
    };
    let asks = "extern int __VERIFIER_nondet_int(void);";
    for (c, expected) in [
        (program("mode == 2", ""), true),
        (program("mode == 1", ""), false),
        (program("mode == 2", "mode = 2;"), false),
        (program("mode == 2", "mode = 3;"), true),
        (format!("{asks} {}", program("mode == 2", "mode = __VERIFIER_nondet_int();")), false),
    ] {
        let task = observed_at_steps(&c, "G \"alarm == 0\"");
        let (edges, locations) = size(&task);
        let accepted = (0..edges).flat_map(|edge| (0..locations).map(move |place| (edge, place))).filter(|(edge, place)| {
            let certificate = certificate(
                ONCE_NOT,
                &format!(
                    "(symbol mode (one (variable 0) 0 (signed 32))) (symbol alarm (one (variable 1) 0 (signed 32))) \
                     (unread) (reread {edge}) (state start 0) (state (at {place}) 0 (= alarm 0)) \
                     (node 0 0 (knows)) (node 0 1 (knows)) (missing (mark 0))"
                ),
            );
            is_proof(&task, &certificate)
        });
        assert_eq!(accepted.count() > 0, expected, "{c}");
    }
}

/// Bytes between the members of a structure are not chosen when it is copied, and each copy chooses its own: they may differ.
#[test]
fn what_is_not_chosen_is_not_copied() {
    const STRUCTURE: &str = "struct S { char c; int i; }; union U { char c[8]; struct S s; }; int bad; \
                             extern void *malloc(unsigned long); extern void *memcpy(void *, const void *, unsigned long);";
    let set = |bytes: &str| [0, 4, 5, 6, 7].map(|at| format!("{bytes}[{at}] = 0;")).concat();
    let buffers = format!(
        "int main(void) {{ char a[8], b[8]; {} struct S *p = (struct S *)a, *q = (struct S *)b; *q = *p; \
         if (a[1] != b[1]) bad = 1; while (1) ; }}",
        set("a")
    );
    let union = format!(
        "int main(void) {{ union U u, v; {} v.s = u.s; if (u.c[1] != v.c[1]) bad = 1; while (1) ; }}",
        set("u.c")
    );
    let bytes = "int main(void) { struct S u, v; u.c = 0; u.i = 0; memcpy(&v, &u, sizeof u); \
                 if (((char *)&u)[1] != ((char *)&v)[1]) bad = 1; while (1) ; }";
    let all_bytes = format!(
        "int main(void) {{ char a[8], b[8]; {} memcpy(b, a, 8); if (a[1] != b[1]) bad = 1; while (1) ; }}",
        set("a")
    );
    const ADDRESSES: &str = "(address (variable 1) 73786976294838206464) (address (variable 2) 147573952589676412928)";
    let cells = [
        (
            "(symbol A (many (variable 1) (signed 8) 1)) (symbol B (many (variable 2) (signed 8) 1))",
            "(= (select A 1) (select B 1))",
        ),
        ("(symbol a (one (variable 1) 8 (signed 8))) (symbol b (one (variable 2) 8 (signed 8)))", "(= a b)"),
    ];
    let pointers = "(symbol p (one (variable 3) 0 pointer)) (symbol q (one (variable 4) 0 pointer))";
    let lead = "(= p 73786976294838206464) (= q 147573952589676412928)";
    let mut accepted = 0;
    for (main, (pointers, lead), addresses, is_true) in [
        (&*buffers, (pointers, lead), ADDRESSES, false),
        (&*union, ("", ""), "", false),
        (bytes, ("", ""), ADDRESSES, false),
        (&*all_bytes, ("", ""), ADDRESSES, true),
    ] {
        let c = format!("{STRUCTURE} {main}");
        let task = task_under(&c, "G \"bad == 0\"", Semantics::default());
        let places = size(&task).1;
        for (cells, same) in cells {
            let state = |place: usize| format!("(state (at {place}) 0 false (= bad 0) {lead} {same})");
            let states: String = (0..places).map(state).collect();
            let nodes: String = (0..=places).map(|state| format!("(node 0 {state} (knows))")).collect();
            let certificate = certificate(
                ONCE_NOT,
                &format!(
                    "(symbol bad (one (variable 0) 0 (signed 32))) {cells} {pointers} {addresses} (unread) (reread) \
                     (state start 0) {states} {nodes} (missing (mark 0))"
                ),
            );
            let is_proof = is_proof(&task, &certificate);
            assert!(is_true || !is_proof, "{c}: {cells}");
            accepted += u32::from(is_proof);
        }
    }
    assert!(accepted > 0, "what is copied byte by byte is the same");
}
