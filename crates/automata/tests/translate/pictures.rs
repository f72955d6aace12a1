//! Automata as text and as pictures.

use semper_automata::buchi::render::{dot, text};
use semper_automata::ltl::Formulas;
use semper_automata::translate::{Options, Target, translate};

use crate::worlds::read;

fn rendered(formula: &str, target: Target) -> [String; 2] {
    let mut formulas = Formulas::new();
    let formula = read(&mut formulas, formula);
    let automaton = translate(&mut formulas, formula, &Options { target, ..Options::default() }).unwrap().automaton;
    [text(&automaton, formulas.atoms()), dot(&automaton, formulas.atoms())]
}

#[test]
fn states_show_acceptance_where_it_is_theirs() {
    let [text, dot] = rendered("F (\"x > 0\" && G !b)", Target::StateBuchi);
    let expected = "\
2 states, 3 edges, Büchi acceptance
state 0, initial
  -> 0  true
  -> 1  \"x > 0\" && !b
state 1, accepting
  -> 1  !b
";
    assert_eq!(text, expected);
    assert!(dot.contains("  1 [shape=doublecircle]\n"), "{dot}");
    assert!(dot.contains("  0 -> 1 [label=\"\\\"x > 0\\\" && !b\"]\n"), "{dot}");
}

#[test]
fn edges_show_acceptance_where_it_is_theirs() {
    let [text, dot] = rendered("G F a && G F b", Target::Tgba);
    assert!(text.starts_with("1 state, 4 edges, generalised Büchi acceptance with 2 sets\n"), "{text}");
    assert!(text.contains("  -> 0  a && b  {0, 1}\n") && text.contains("  -> 0  !a && !b\n"), "{text}");
    assert!(dot.contains("  0 -> 0 [label=\"a && b\\n{0, 1}\", style=bold]\n"), "{dot}");
    let [text, _] = rendered("G a", Target::Tgba);
    assert_eq!(text, "1 state, 1 edge, every infinite run is accepted\nstate 0, initial, accepting\n  -> 0  a\n");
}
