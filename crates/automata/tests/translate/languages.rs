//! Every stage keeps the language: automata against the definition of LTL.

use std::collections::BTreeSet;

use foundation::Budget;
use semper_automata::buchi::{Automaton, Guard, accepts};
use semper_automata::ltl::{Formula, Formulas, Letter, Unary, evaluate_lasso};
use semper_automata::translate::degeneralise::{Placement, degeneralise};
use semper_automata::translate::product::are_disjoint;
use semper_automata::translate::prune::{Transient, simplify_acceptance, simplify_state_acceptance, trim};
use semper_automata::translate::simplify::{negation_normal_form, simplify};
use semper_automata::translate::simulation::{Direction, simulation_quotient};
use semper_automata::translate::tableau::tableau;
use semper_automata::translate::weak::{Weak, minimal_weak};
use semper_automata::translate::{Effort, Options, Target, translate};

use crate::random::{Random, effort};
use crate::worlds::World;

type Lasso = (Vec<Letter>, Vec<Letter>);

/// The automata after every stage, each by its name.
fn stages(formulas: &mut Formulas, formula: Formula) -> Vec<(&'static str, Automaton<Guard>)> {
    let budget = Budget::unlimited();
    let negated = formulas.unary(Unary::Not, formula);
    let [normal, negation] = [formula, negated].map(|formula| negation_normal_form(formulas, formula));
    let complement = tableau(formulas, negation, &budget).unwrap();
    let built = tableau(formulas, normal, &budget).unwrap();
    let trimmed = trim(&built);
    let mut stages = vec![("tableau", built), ("trimmed", trimmed.clone())];
    for transient in [Transient::Unmarked, Transient::Marked] {
        let pruned = simplify_acceptance(&trimmed, transient);
        for direction in [Direction::Forwards, Direction::Backwards] {
            let quotient = simulation_quotient(&pruned, direction, &budget).unwrap();
            stages.push(("quotient", quotient));
        }
        for (name, placement) in [("Büchi", Placement::Edges), ("Büchi on states", Placement::States)] {
            let degeneralised = degeneralise(&pruned, placement, &budget).unwrap();
            if placement == Placement::States {
                assert!(degeneralised.is_state_based());
                let pruned = simplify_state_acceptance(&trim(&degeneralised), transient);
                for direction in [Direction::Forwards, Direction::Backwards] {
                    let quotient = simulation_quotient(&pruned, direction, &budget).unwrap();
                    assert!(quotient.is_state_based());
                    stages.push(("Büchi quotient", quotient));
                }
                stages.push(("Büchi pruned", pruned));
            }
            stages.push((name, degeneralised));
        }
        stages.push(("pruned", pruned));
    }
    if let Weak::Minimal(weak) = minimal_weak(&trimmed, Some(&complement), &budget).unwrap() {
        assert!(weak.is_deterministic() && weak.is_state_based());
        stages.push(("weak", weak));
    }
    stages
}

/// The automata of whole translations.
fn translations(formulas: &mut Formulas, formula: Formula) -> Vec<(&'static str, Automaton<Guard>)> {
    let mut automata = Vec::new();
    for (name, target) in [("Tgba", Target::Tgba), ("Buchi", Target::Buchi), ("StateBuchi", Target::StateBuchi)] {
        for effort in [Effort::Low, Effort::High] {
            let options = Options { target, effort, ..Options::default() };
            let automaton = translate(formulas, formula, &options).unwrap().automaton;
            assert!(target == Target::Tgba || automaton.acceptance_sets() == 1);
            assert!(target != Target::StateBuchi || automaton.is_state_based());
            automata.push((name, automaton));
        }
    }
    automata
}

fn check(formulas: &Formulas, formula: Formula, automata: &[(&str, Automaton<Guard>)], lassos: &[Lasso]) {
    for (stem, repeated) in lassos {
        let expected = evaluate_lasso(formulas, formula, stem, repeated);
        for (name, automaton) in automata {
            let found = accepts(automaton, stem, repeated);
            let text = formulas.display(formula);
            assert_eq!(found, expected, "{name} of `{text}` on {stem:?} {repeated:?}: {automaton:#?}");
        }
    }
}

#[test]
fn every_stage_keeps_the_language_of_every_small_formula() {
    let mut world = World::new(3);
    let lassos = world.lassos(3);
    for formula in world.all().collect::<Vec<_>>() {
        let stages = stages(&mut world.formulas, formula);
        check(&world.formulas, formula, &stages, &lassos);
    }
}

#[test]
fn every_small_formula_is_translated_to_an_automaton_for_it() {
    let mut world = World::new(if effort() > 1 { 5 } else { 4 });
    let lassos = world.lassos(3);
    let all: Vec<Formula> = world.all().collect();
    // Rewriting has its own test, so each result needs to be looked at but once.
    let simplified: BTreeSet<Formula> = all.into_iter().map(|formula| simplify(&mut world.formulas, formula)).collect();
    assert!(simplified.len() > 100, "{}", simplified.len());
    for formula in simplified {
        let automata = translations(&mut world.formulas, formula);
        check(&world.formulas, formula, &automata, &lassos);
    }
}

#[test]
fn random_formulas_and_their_negations_share_the_words_among_them() {
    let mut random = Random::new(2);
    let budget = Budget::unlimited();
    for round in 0..400 * effort() {
        let mut formulas = Formulas::new();
        let formula = random.formula(&mut formulas, 5 + round % 14, 3);
        let negation = formulas.unary(Unary::Not, formula);
        let atoms = formulas.atoms_of(formula);
        let lassos: Vec<Lasso> = (0..20).map(|_| random.lasso(&atoms)).collect();
        let [positive, negative] = [formula, negation].map(|formula| translations(&mut formulas, formula));
        check(&formulas, formula, &positive, &lassos);
        check(&formulas, negation, &negative, &lassos);
        let text = formulas.display(formula);
        for ((name, one), (_, other)) in positive.iter().zip(&negative) {
            assert!(are_disjoint(one, other, &budget).unwrap(), "{name} of `{text}`");
        }
    }
}

#[test]
fn every_stage_keeps_the_language_of_random_formulas() {
    let mut random = Random::new(3);
    for round in 0..250 * effort() {
        let mut formulas = Formulas::new();
        let formula = random.formula(&mut formulas, 5 + round % 8, 3);
        let atoms = formulas.atoms_of(formula);
        let lassos: Vec<Lasso> = (0..16).map(|_| random.lasso(&atoms)).collect();
        let stages = stages(&mut formulas, formula);
        check(&formulas, formula, &stages, &lassos);
    }
}
