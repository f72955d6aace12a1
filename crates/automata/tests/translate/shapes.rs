//! Sizes of automata for the properties of a collection of C programs.

use foundation::collections::HashSet;
use semper_automata::ltl::{Formulas, Unary};
use semper_automata::translate::{Options, Target, translate};

use crate::worlds::read;

/// The properties of the LTL benchmarks of the software verification community, up to the names of atoms.
const SHAPES: &[&str] = &[
    "(F a)",
    "(G (! (a && ! b) || (! c WU b)))",
    "(! (F a) || (! b U (c || a)))",
    "(G (! ((a && ! b) && (F b)) || (! c U b)))",
    "(G (! (a && ! b) || (! b WU (c && ! b))))",
    "(G ! a)",
    "((G ! a) || (F (a && (F b))))",
    "(! a WU (b && ! a))",
    "(G (! a || (F b)))",
    "(! a WU b)",
    "(G (! (a && ! b) || (! b U (c && ! b))))",
    "(! (F a) || ((! b && ! a) U (a || ((b && ! a) U (a || ((! b && ! a) U (a || ((b && ! a) U (a || (! b U a))))))))))",
    "(G (! a || (G ! b)))",
    "(! a WU (a WU (! a WU (a WU (G ! a)))))",
    "(a) U (G(b || FG c))",
    "a U (G(! b || FG c))",
    "GF a",
    "a U(! b || G(c))",
    "a U G(! b || F c)",
    "!(G a) || (GF b)",
    "a U (G((F b || F c) || d))",
    "FG a",
    "F a || F b",
    "a U (b && (c || F d))",
    "a U (! b|| F c)",
    "!G(! a || G a)",
    "G(! a || G a)",
    "!GF a",
    "G(! a || GF b)",
    "G(! a || (! b || FG c))",
    "!G(! a || (! b || FG c))",
    "!(a U((b U G c) || G b))",
    "a U((b U G c) || G b)",
    "G(!(a || b) || (! c || F d))",
    "G(a)",
    "G(F a && F b)",
];

#[test]
fn automata_of_negated_properties_are_small() {
    let mut all = Formulas::new();
    let different: HashSet<_> = SHAPES.iter().map(|text| read(&mut all, text)).collect();
    assert_eq!(different.len(), 36);
    let (mut states, mut edges) = (0, 0);
    for text in SHAPES {
        let mut formulas = Formulas::new();
        let shape = read(&mut formulas, text);
        let negated = formulas.unary(Unary::Not, shape);
        let options = Options { target: Target::StateBuchi, ..Options::default() };
        let translation = translate(&mut formulas, negated, &options).unwrap();
        states += translation.size.states;
        edges += translation.size.edges;
    }
    // Spot 2.12 has 119 states and 264 edges with `ltl2tgba -B`.
    assert!(states <= 117 && edges <= 254, "{states} states, {edges} edges");
}

#[test]
fn nested_weak_untils_do_not_explode() {
    let mut text = String::from("z");
    for (depth, atom) in ('a'..='l').rev().enumerate() {
        text = format!("{atom} W ({text})");
        let mut formulas = Formulas::new();
        let formula = read(&mut formulas, &text);
        let negated = formulas.unary(Unary::Not, formula);
        for formula in [formula, negated] {
            let translation = translate(&mut formulas, formula, &Options::default()).unwrap();
            assert!(translation.size.states <= depth + 3, "{text}: {:?}", translation.size);
        }
    }
}
