//! Strength, stutter-invariance and classes against brute force on small worlds.

use foundation::Budget;
use semper_automata::buchi::{Marks, accepts};
use semper_automata::ltl::{Formula, Formulas, Letter, PrefixTruth, evaluate_lasso, evaluate_prefix};
use semper_automata::translate::hierarchy::{Classes, classes, syntactic_classes};
use semper_automata::translate::simplify::{negation_normal_form, simplify};
use semper_automata::translate::strength::{Strength, Strengths};
use semper_automata::translate::stutter::is_stutter_invariant;
use semper_automata::translate::{Options, Target, translate};

use crate::worlds::{World, read};

/// The different results of rewriting all formulas up to a size.
fn simplified(world: &mut World) -> Vec<Formula> {
    let all: Vec<Formula> = world.all().collect();
    let mut simplified: Vec<Formula> = all.into_iter().map(|formula| simplify(&mut world.formulas, formula)).collect();
    simplified.sort_unstable();
    simplified.dedup();
    simplified
}

#[test]
fn components_are_as_strong_as_they_are_called() {
    let mut world = World::new(4);
    let lassos = world.lassos(3);
    let mut found = [0; 4];
    for formula in simplified(&mut world) {
        let options = Options { target: Target::Tgba, ..Options::default() };
        let automaton = translate(&mut world.formulas, formula, &options).unwrap().automaton;
        let strengths = Strengths::of(&automaton);
        // Where all cycles are accepted, all edges may be marked, and where none is, none need be.
        let all = automaton.all_marks();
        let changed = automaton.map_edges(automaton.acceptance_sets(), |edge| {
            let marks = match strengths.of_state(edge.from) {
                Some(Strength::Rejecting) => Marks::NONE,
                Some(Strength::Terminal | Strength::Weak) => all,
                _ => edge.marks,
            };
            Some((edge.label.clone(), marks))
        });
        for state in automaton.states() {
            let strength = strengths.of_state(state).unwrap();
            found[strength as usize] += 1;
            let mut from_here = automaton.clone();
            from_here.set_initial(vec![state]);
            let rejected = lassos.iter().filter(|(stem, repeated)| !accepts(&from_here, stem, repeated)).count();
            assert!(strength != Strength::Terminal || rejected == 0);
        }
        for (stem, repeated) in &lassos {
            assert_eq!(accepts(&changed, stem, repeated), accepts(&automaton, stem, repeated));
        }
    }
    assert!(found.iter().all(|&count| count > 10), "{found:?}");
    for (text, expected) in [
        ("F a", Strength::Terminal),
        ("a U b", Strength::Terminal),
        ("G a", Strength::Weak),
        ("F G a", Strength::Weak),
        ("G F a", Strength::Strong),
        ("false", Strength::Rejecting),
    ] {
        let mut formulas = Formulas::new();
        let formula = read(&mut formulas, text);
        let automaton = translate(&mut formulas, formula, &Options::default()).unwrap().automaton;
        assert_eq!(Strengths::of(&automaton).greatest(), expected, "{text}");
    }
}

/// The word with one letter written twice, in all ways; in the loop, the letter is doubled for ever or once.
fn stuttered(stem: &[Letter], repeated: &[Letter]) -> Vec<(Vec<Letter>, Vec<Letter>)> {
    let doubled = |word: &[Letter], at: usize| [&word[..=at], &word[at..]].concat();
    let once = [stem, repeated].concat();
    let in_loop = (0..repeated.len()).map(|at| (stem.to_vec(), doubled(repeated, at)));
    let in_stem = (0..once.len()).map(|at| (doubled(&once, at), repeated.to_vec()));
    in_loop.chain(in_stem).collect()
}

#[test]
fn stutter_invariance_is_found_out() {
    let mut world = World::new(4);
    let budget = Budget::unlimited();
    let lassos = world.lassos(3);
    let mut found = [0, 0];
    for formula in simplified(&mut world) {
        if !world.formulas.has_next(formula) {
            continue;
        }
        let truth = |stem: &[Letter], repeated: &[Letter]| evaluate_lasso(&world.formulas, formula, stem, repeated);
        let is_same = |(stem, repeated): &(Vec<Letter>, Vec<Letter>)| {
            let expected = truth(stem, repeated);
            stuttered(stem, repeated).iter().all(|(stem, repeated)| truth(stem, repeated) == expected)
        };
        let expected = lassos.iter().all(is_same);
        let result = is_stutter_invariant(&mut world.formulas, formula, &budget).unwrap();
        assert_eq!(result, expected, "{}", world.formulas.display(formula));
        found[usize::from(result)] += 1;
    }
    assert!(found[0] > 50, "{found:?}");
    // Formulas with `X` that do not need it.
    for (text, expected) in [
        ("F (a && X b)", false),
        ("a && X !a", false),
        ("F (a && X (!a && F b))", true),
        ("F (a && X (!a && b))", true),
        ("(a && X a) || (a && X !a)", true),
        ("a || F (!a && X a) || X G !a", true),
        ("(a && X (a U (!a && b))) || (a && X (!a && b))", true),
    ] {
        let mut formulas = Formulas::new();
        let formula = read(&mut formulas, text);
        assert_eq!(is_stutter_invariant(&mut formulas, formula, &budget), Ok(expected), "{text}");
    }
}

#[test]
fn classes_are_what_prefixes_say() {
    let mut world = World::new(3);
    let budget = Budget::unlimited();
    let lassos = world.lassos(3);
    let mut counts = [0; 4];
    for formula in simplified(&mut world) {
        let found = classes(&mut world.formulas, formula, &budget).unwrap();
        let formulas = &world.formulas;
        // Whether all words with this truth have a prefix that decides it.
        let is_decided = |value: bool| {
            let decided = if value { PrefixTruth::True } else { PrefixTruth::False };
            let with_value =
                lassos.iter().filter(|(stem, repeated)| evaluate_lasso(formulas, formula, stem, repeated) == value);
            with_value.into_iter().all(|(stem, repeated)| {
                let prefix = [&stem[..], repeated, repeated, repeated].concat();
                evaluate_prefix(formulas, formula, &prefix) == decided
            })
        };
        let text = formulas.display(formula);
        assert_eq!(found.safety, is_decided(false), "{text}");
        assert_eq!(found.guarantee, is_decided(true), "{text}");
        let is_live = (0..=3)
            .flat_map(|length| world.words(length))
            .all(|prefix| evaluate_prefix(formulas, formula, &prefix) != PrefixTruth::False);
        assert_eq!(found.liveness, Some(is_live), "{text}");
        let members = [found.safety, found.guarantee, found.obligation == Some(true), is_live];
        for (count, is_member) in counts.iter_mut().zip(members) {
            *count += usize::from(is_member);
        }
    }
    assert!(counts.iter().all(|&count| count > 5), "{counts:?}");
}

#[test]
fn what_the_syntax_shows_is_so() {
    let mut world = World::new(4);
    let budget = Budget::unlimited();
    for formula in simplified(&mut world) {
        let syntactic = syntactic_classes(&world.formulas, formula);
        // Another formula for the same property, so that the answer does not come from the syntax.
        let negated = world.formulas.unary(semper_automata::ltl::Unary::Not, formula);
        let normal = negation_normal_form(&mut world.formulas, negated);
        let opposite = syntactic_classes(&world.formulas, normal);
        assert_eq!((syntactic.safety, syntactic.guarantee), (opposite.guarantee, opposite.safety));
        assert_eq!((syntactic.recurrence, syntactic.persistence), (opposite.persistence, opposite.recurrence));
        assert_eq!(syntactic.obligation, opposite.obligation);
        let found = classes(&mut world.formulas, formula, &budget).unwrap();
        assert!(found.obligation == Some(true) || !(syntactic.recurrence && syntactic.persistence));
        assert!(found.obligation == Some(true) || !(found.safety || found.guarantee));
    }
}

#[test]
fn well_known_formulas_have_their_classes() {
    let yes = Some(true);
    let no = Some(false);
    let known = [
        ("G a", true, false, yes, yes, yes, no),
        ("F a", false, true, yes, yes, yes, yes),
        ("a U b", false, true, yes, yes, yes, no),
        ("a W b", true, false, yes, yes, yes, no),
        ("G a || F b", false, false, yes, yes, yes, yes),
        ("G (a -> F b)", false, false, no, yes, no, yes),
        ("G F a", false, false, no, yes, no, yes),
        ("F G a", false, false, no, no, yes, yes),
        ("G F a -> G F b", false, false, no, None, None, yes),
        ("F (a && G b) || G (F a && X b)", false, false, no, None, None, yes),
        ("false", true, true, yes, yes, yes, no),
    ];
    for (text, safety, guarantee, obligation, recurrence, persistence, liveness) in known {
        let mut formulas = Formulas::new();
        let formula = read(&mut formulas, text);
        let expected = Classes { safety, guarantee, obligation, recurrence, persistence, liveness };
        assert_eq!(classes(&mut formulas, formula, &Budget::unlimited()), Ok(expected), "{text}");
    }
}
