//! Evaluation on lasso words against a second, naive reading of the definition, and against laws of the logic.

use semper_automata::ltl::{AtomId, Binary, Formula, Formulas, Letter, Node, Unary, evaluate_lasso, truth_table};

use foundation::Id;
use proptest::prelude::*;

use crate::worlds::{World, read};

/// The definition with its quantifiers over positions written out. Every position that can be reached from `at` is
/// among the next `stem + loop` ones.
fn holds(formulas: &Formulas, formula: Formula, stem: &[Letter], repeated: &[Letter], at: usize) -> bool {
    let at = if at < stem.len() { at } else { stem.len() + (at - stem.len()) % repeated.len() };
    let here = |formula: Formula, at: usize| holds(formulas, formula, stem, repeated, at);
    let horizon = at..at + stem.len() + repeated.len();
    let some = |now: &dyn Fn(usize) -> bool, before: &dyn Fn(usize) -> bool| {
        horizon.clone().any(|there| now(there) && (at..there).all(before))
    };
    let always = |formula: Formula| horizon.clone().all(|there| here(formula, there));
    match formulas.node(formula) {
        Node::True => true,
        Node::False => false,
        Node::Atom(atom) => stem.get(at).unwrap_or_else(|| &repeated[at - stem.len()]).contains(atom),
        Node::Unary(Unary::Not, f) => !here(f, at),
        Node::Unary(Unary::Next, f) => here(f, at + 1),
        Node::Unary(Unary::Finally, f) => horizon.clone().any(|there| here(f, there)),
        Node::Unary(Unary::Globally, f) => always(f),
        Node::Binary(operator, f, g) => match operator {
            Binary::And => here(f, at) && here(g, at),
            Binary::Or => here(f, at) || here(g, at),
            Binary::Implies => !here(f, at) || here(g, at),
            Binary::Iff => here(f, at) == here(g, at),
            Binary::Xor => here(f, at) != here(g, at),
            Binary::Until => some(&|there| here(g, there), &|before| here(f, before)),
            Binary::WeakUntil => some(&|there| here(g, there), &|before| here(f, before)) || always(f),
            Binary::Release => some(&|there| here(f, there) && here(g, there), &|before| here(g, before)) || always(g),
            Binary::StrongRelease => some(&|there| here(f, there) && here(g, there), &|before| here(g, before)),
        },
    }
}

#[test]
fn every_small_formula_on_every_small_lasso_is_as_defined() {
    let world = World::new(4);
    let lassos = world.lassos(3);
    let mut both = [0, 0];
    for formula in world.all() {
        for (stem, repeated) in &lassos {
            let expected = holds(&world.formulas, formula, stem, repeated, 0);
            let found = evaluate_lasso(&world.formulas, formula, stem, repeated);
            assert_eq!(found, expected, "{} on {stem:?} {repeated:?}", world.formulas.display(formula));
            both[usize::from(found)] += 1;
        }
    }
    assert!(both.iter().all(|&count| count > 100_000), "the small world is not one-sided: {both:?}");
}

#[test]
fn the_table_is_right_at_every_position_and_beyond() {
    let world = World::new(3);
    for &formula in &world.by_size[3] {
        for (stem, repeated) in world.lassos(3).into_iter().filter(|(stem, _)| stem.len() == 1) {
            let table = truth_table(&world.formulas, formula, &stem, &repeated);
            for &subformula in table.subformulas() {
                for position in 0..7 {
                    let expected = holds(&world.formulas, subformula, &stem, &repeated, position);
                    assert_eq!(table.holds(subformula, position), expected);
                }
            }
        }
    }
}

#[test]
fn laws_of_the_logic_hold() {
    let laws = [
        ("F a", "true U a"),
        ("G a", "! F ! a"),
        ("G a", "false R a"),
        ("a U b", "b || (a && X (a U b))"),
        ("a W b", "b || (a && X (a W b))"),
        ("a R b", "b && (a || X (a R b))"),
        ("a M b", "b && (a || X (a M b))"),
        ("F a", "a || X F a"),
        ("G a", "a && X G a"),
        ("a W b", "(a U b) || G a"),
        ("a W b", "b R (a || b)"),
        ("a R b", "! (! a U ! b)"),
        ("a M b", "! (! a W ! b)"),
        ("a M b", "(a R b) && F a"),
        ("a M b", "b U (a && b)"),
        ("! X a", "X ! a"),
        ("X (a U b)", "X a U X b"),
        ("G (a && b)", "G a && G b"),
        ("F (a || b)", "F a || F b"),
        ("F G (a && b)", "F G a && F G b"),
        ("G F (a || b)", "G F a || G F b"),
        ("F G F a", "G F a"),
        ("G F G a", "F G a"),
        ("a U (a U b)", "a U b"),
        ("a xor b", "! (a <-> b)"),
        ("a <-> b", "(a -> b) && (b -> a)"),
    ];
    // Each law is also taken with formulas in place of the atoms.
    let instances = [("a", "b"), ("b", "X a"), ("F b", "a U b"), ("G a", "b R X a")];
    let world = World::new(1);
    let lassos = world.lassos(4);
    let mut formulas = world.formulas.clone();
    for (left, right) in laws {
        for (a, b) in instances {
            let instance = |law: &str| {
                let replaced = |c: char| match c {
                    'a' => format!("({a})"),
                    'b' => format!("({b})"),
                    _ => c.to_string(),
                };
                // The constants contain the letters of the atoms.
                law.replace("true", "1").replace("false", "0").chars().map(replaced).collect::<String>()
            };
            let sides = [left, right].map(|law| read(&mut formulas, &instance(law)));
            for (stem, repeated) in &lassos {
                let [left, right] = sides.map(|side| evaluate_lasso(&formulas, side, stem, repeated));
                assert_eq!(left, right, "{} on {stem:?} {repeated:?}", formulas.display(sides[0]));
            }
        }
    }
}

#[test]
fn writing_a_lasso_in_another_way_changes_nothing() {
    let world = World::new(3);
    for formula in world.all() {
        for (stem, repeated) in world.lassos(2) {
            let truth = |stem: &[Letter], repeated: &[Letter]| evaluate_lasso(&world.formulas, formula, stem, repeated);
            let expected = truth(&stem, &repeated);
            assert_eq!(truth(&stem, &[&repeated[..], &repeated].concat()), expected);
            assert_eq!(truth(&[&stem[..], &repeated].concat(), &repeated), expected);
            let mut turned = repeated.clone();
            turned.rotate_left(1);
            assert_eq!(truth(&[&stem[..], &repeated[..1]].concat(), &turned), expected);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_letter_is_the_set_of_its_atoms(
        edits in prop::collection::vec((any::<bool>(), 0usize..200), 0..20),
        other in prop::collection::btree_set(0usize..200, 0..100),
    ) {
        let letter_of = |atoms: &std::collections::BTreeSet<usize>| -> Letter {
            atoms.iter().map(|&atom| AtomId::from_index(atom)).collect()
        };
        let mut letter = Letter::new();
        let mut model = std::collections::BTreeSet::new();
        for (is_inserted, atom) in edits {
            if is_inserted {
                letter.insert(AtomId::from_index(atom));
                model.insert(atom);
            } else {
                letter.remove(AtomId::from_index(atom));
                model.remove(&atom);
            }
            prop_assert_eq!(&letter, &letter_of(&model));
            prop_assert_eq!(letter.iter().map(Id::index).collect::<Vec<_>>(), Vec::from_iter(model.iter().copied()));
        }
        let common = model.intersection(&other).copied().collect();
        prop_assert_eq!(letter.intersection(&letter_of(&other)), letter_of(&common));
    }
}
