//! Rewriting keeps the meaning, reaches a normal form, and is worth its while.

use semper_automata::ltl::{Binary, Formula, Formulas, Node, Unary, evaluate_lasso};
use semper_automata::translate::simplify::{Simplifier, negation_normal_form, simplify};

use crate::random::{Random, effort};
use crate::worlds::{World, read};

fn is_normal(formulas: &Formulas, formula: Formula) -> bool {
    formulas.subformulas(formula).into_iter().all(|subformula| match formulas.node(subformula) {
        Node::Unary(Unary::Not, operand) => matches!(formulas.node(operand), Node::Atom(_)),
        Node::Binary(operator, ..) => !matches!(operator, Binary::Implies | Binary::Iff | Binary::Xor),
        _ => true,
    })
}

#[test]
fn every_small_formula_keeps_its_meaning() {
    let mut world = World::new(4);
    let lassos = world.lassos(3);
    for formula in world.all().collect::<Vec<_>>() {
        let simplified = simplify(&mut world.formulas, formula);
        let plain = negation_normal_form(&mut world.formulas, formula);
        assert!(is_normal(&world.formulas, simplified) && is_normal(&world.formulas, plain));
        for (stem, repeated) in &lassos {
            let expected = evaluate_lasso(&world.formulas, formula, stem, repeated);
            for changed in [simplified, plain] {
                let found = evaluate_lasso(&world.formulas, changed, stem, repeated);
                let (before, after) = (world.formulas.display(formula), world.formulas.display(changed));
                assert_eq!(found, expected, "`{before}` became `{after}`, on {stem:?} {repeated:?}");
            }
        }
    }
}

#[test]
fn random_formulas_keep_their_meaning() {
    let mut random = Random::new(1);
    for round in 0..2000 * effort() {
        let mut formulas = Formulas::new();
        let formula = random.formula(&mut formulas, 4 + round % 16, 3);
        let simplified = simplify(&mut formulas, formula);
        assert!(is_normal(&formulas, simplified));
        let atoms = formulas.atoms_of(formula);
        for _ in 0..30 {
            let (stem, repeated) = random.lasso(&atoms);
            let expected = evaluate_lasso(&formulas, formula, &stem, &repeated);
            let found = evaluate_lasso(&formulas, simplified, &stem, &repeated);
            let (before, after) = (formulas.display(formula), formulas.display(simplified));
            assert_eq!(found, expected, "`{before}` became `{after}`, on {stem:?} {repeated:?}");
        }
    }
}

#[test]
fn what_is_seen_to_be_implied_is_implied() {
    let mut world = World::new(3);
    let lassos = world.lassos(3);
    let mut normal: Vec<Formula> = Vec::new();
    for formula in world.all().collect::<Vec<_>>() {
        normal.push(negation_normal_form(&mut world.formulas, formula));
    }
    normal.sort_unstable();
    normal.dedup();
    let rows: Vec<Vec<bool>> = normal
        .iter()
        .map(|&f| lassos.iter().map(|(stem, repeated)| evaluate_lasso(&world.formulas, f, stem, repeated)).collect())
        .collect();
    let mut formulas = world.formulas.clone();
    let mut simplifier = Simplifier::new(&mut formulas);
    let (mut seen, mut true_ones) = (0, 0);
    for (f, f_row) in normal.iter().zip(&rows) {
        for (g, g_row) in normal.iter().zip(&rows) {
            let is_implied = f_row.iter().zip(g_row).all(|(f, g)| !f || *g);
            let is_seen = simplifier.implies(*f, *g);
            assert!(!is_seen || is_implied, "{f:?} {g:?}");
            true_ones += usize::from(is_implied);
            seen += usize::from(is_seen);
        }
    }
    assert!(seen * 100 > true_ones * 95, "most implications are seen: {seen} of {true_ones}");
}

#[test]
fn pure_eventualities_and_universal_formulas_are_what_they_are_called() {
    let mut world = World::new(4);
    let lassos = world.lassos(3);
    let letters = world.letters();
    let mut found = [0, 0];
    for formula in world.all().collect::<Vec<_>>() {
        let formula = negation_normal_form(&mut world.formulas, formula);
        let kinds = Simplifier::new(&mut world.formulas).kinds(formula);
        found[0] += usize::from(kinds.is_eventual);
        found[1] += usize::from(kinds.is_universal);
        if !kinds.is_eventual && !kinds.is_universal {
            continue;
        }
        for (stem, repeated) in lassos.iter().filter(|(stem, repeated)| stem.len() + repeated.len() < 3) {
            let short = evaluate_lasso(&world.formulas, formula, stem, repeated);
            for letter in &letters {
                let longer = [std::slice::from_ref(letter), stem].concat();
                let long = evaluate_lasso(&world.formulas, formula, &longer, repeated);
                let text = world.formulas.display(formula);
                assert!(!kinds.is_eventual || !short || long, "`{text}` is no pure eventuality");
                assert!(!kinds.is_universal || !long || short, "`{text}` is not purely universal");
            }
        }
    }
    assert!(found.iter().all(|&count| count > 300), "{found:?}");
}

/// Formulas and what becomes of them.
const EXAMPLES: &[(&str, &str)] = &[
    ("!(a U b)", "!a R !b"),
    ("F F a", "F a"),
    ("G F G F a", "G F a"),
    ("G F X a", "G F a"),
    ("F (a && G F b)", "G F b && F a"),
    ("G F a || G F b", "G F (a || b)"),
    ("F G a && F G b", "F G (a && b)"),
    ("G F (a && G b)", "F G b && G F a"),
    ("a U (a U b)", "a U b"),
    ("(a W b) && F b", "a U b"),
    ("(a U b) || G a", "a W b"),
    ("a U (b && a)", "b M a"),
    ("a && X G a", "G a"),
    ("!a U a", "F a"),
    ("a R (a && b)", "a && b"),
    ("(a U b) && F b", "a U b"),
    ("G (a U b)", "G (a || b) && G F b"),
    ("(a && b) || (a && !b)", "a"),
];

#[test]
fn well_known_formulas_become_short() {
    for (before, after) in EXAMPLES {
        let mut formulas = Formulas::new();
        let formula = read(&mut formulas, before);
        let simplified = simplify(&mut formulas, formula);
        assert_eq!(formulas.display(simplified).to_string(), *after, "from `{before}`");
    }
}
