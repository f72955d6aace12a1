//! Automata of formulas and of their negations: they share no word, and together they have all of them. Emptiness and
//! complements decide both, without any sampling of words.

use foundation::{Budget, SourceMap};
use semper_automata::algorithms::{Minterms, Product, Variant, complement, is_empty};
use semper_automata::buchi::{Automaton, Guard};
use semper_automata::ltl::{self, Formula, Formulas, Unary};
use semper_automata::translate::{Options, Target, translate};

const FORMULAS: &[&str] = &[
    "a U b",
    "a R b",
    "G (a -> F b)",
    "G F a && G F b",
    "F G a || G F b",
    "G F a -> G F b",
    "(a U b) U a",
    "G (a -> X (b U a))",
    "X X (a <-> b)",
    "F (a && X (b && X a))",
    "G F (a && X b)",
    "F G (a || X b)",
    "(a W b) W a",
    "G (a xor X a)",
    "a M (b || X a)",
    "F a && (G F b || F G !a)",
];

fn automaton(formulas: &mut Formulas, formula: Formula, target: Target) -> Automaton<Guard> {
    let options = Options { target, ..Options::default() };
    translate(formulas, formula, &options).expect("the formula is small").automaton
}

#[test]
fn a_formula_and_its_negation_partition_the_words() {
    let budget = Budget::unlimited();
    for (index, text) in FORMULAS.iter().enumerate() {
        let mut formulas = Formulas::new();
        let mut sources = SourceMap::new();
        let source = sources.add("formula", *text);
        let formula = ltl::parse(&sources, source, &mut formulas).expect("the formula is well-formed");
        let negation = formulas.unary(Unary::Not, formula);
        for target in [Target::Tgba, Target::StateBuchi] {
            let yes = automaton(&mut formulas, formula, target);
            let no = automaton(&mut formulas, negation, target);
            assert_eq!(is_empty(&Product::new(&yes, &no), &budget), Ok(true), "{text} and its negation");
            let mut letters = Minterms::of_automaton(Guard::constant(true), &yes);
            letters.refine(no.edges().map(|edge| &edge.label));
            let variant = Variant::ALL[index % 3];
            let (not_yes, not_no) = (complement(&yes, &letters, variant), complement(&no, &letters, variant));
            assert_eq!(is_empty(&Product::new(&not_yes, &not_no), &budget), Ok(true), "{text} or its negation");
            // What one accepts is found again in the complement of the other.
            assert_eq!(is_empty(&Product::new(&yes, &not_no), &budget), is_empty(&yes, &budget), "{text}");
        }
    }
}
