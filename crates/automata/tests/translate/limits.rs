//! Formulas that are large, deep, or have very large automata end in a reason, in reasonable time, on a small stack.

use std::time::Duration;

use foundation::{Budget, Exhausted};
use semper_automata::ltl::{Formulas, Unary};
use semper_automata::translate::hierarchy::classes;
use semper_automata::translate::stutter::is_stutter_invariant;
use semper_automata::translate::{Failure, Options, Target, translate};

use crate::worlds::read;

#[test]
fn deep_formulas_are_translated_or_refused() {
    for (opening, most) in [("X ", 300), ("F (a && X ", 40), ("G (a || X ", 60), ("a U (b && X (", 40)] {
        for depth in [most, 100_000] {
            let closing = ")".repeat(opening.matches('(').count());
            let text = format!("{}b{}", opening.repeat(depth), closing.repeat(depth));
            let mut formulas = Formulas::new();
            let formula = read(&mut formulas, &text);
            let options = Options { target: Target::Tgba, ..Options::default() };
            let result = translate(&mut formulas, formula, &options).map(|translation| translation.size.states);
            match depth {
                100_000 => assert_eq!(result, Err(Failure::TooLarge)),
                _ => assert!(result.is_ok_and(|states| states >= depth.min(40)), "{opening}: {result:?}"),
            }
        }
    }
}

#[test]
fn large_formulas_end_with_the_budget() {
    let budget = || Budget::unlimited().with_time(Duration::from_millis(200));
    let long = |operator: &str| (0..900).map(|number| format!("p{number}")).collect::<Vec<_>>().join(operator);
    let deep = |opening: &str, times: usize| {
        let unclosed = opening.matches('(').count() - opening.matches(')').count();
        format!("{}b{}", opening.repeat(times), ")".repeat(times * unclosed))
    };
    for text in [
        long(" && "),
        long(" || "),
        long(" U "),
        format!("G (({}) -> F ({}))", long(" && "), long(" || ")),
        deep("X ", 2000),
        deep("F (a || X ", 1300),
        deep("G (a -> F (c U ", 1000),
        deep("(!(a W X a)) U (b && ", 1000),
        // A small function with exponentially many products.
        (1..200).fold("p0".to_owned(), |text, number| format!("({text} <-> p{number})")),
    ] {
        let mut formulas = Formulas::new();
        let formula = read(&mut formulas, &text);
        let options = Options { budget: budget(), ..Options::default() };
        // What comes of it is of no interest, as long as it comes.
        let _ = translate(&mut formulas, formula, &options);
        let _ = is_stutter_invariant(&mut formulas, formula, &budget());
    }
}

#[test]
fn many_eventualities_are_refused() {
    let mut formulas = Formulas::new();
    let text = (0..70).map(|number| format!("\"x == {number}\" U \"y == {number}\"")).collect::<Vec<_>>().join(" || ");
    let formula = read(&mut formulas, &text);
    let result = translate(&mut formulas, formula, &Options::default());
    assert_eq!(result.unwrap_err(), Failure::TooManyEventualities);
}

#[test]
fn what_explodes_ends_with_the_budget() {
    let mut formulas = Formulas::new();
    let text = (0..40).map(|number| format!("F (p{number} && X q{number})")).collect::<Vec<_>>().join(" && ");
    let formula = read(&mut formulas, &text);
    let budget = Budget::unlimited().with_time(Duration::from_millis(100));
    let options = Options { budget: budget.clone(), ..Options::default() };
    let exhausted = Failure::Exhausted(Exhausted::Time);
    assert_eq!(translate(&mut formulas, formula, &options).unwrap_err(), exhausted);
    assert_eq!(is_stutter_invariant(&mut formulas, formula, &budget), Err(exhausted));
    assert_eq!(classes(&mut formulas, formula, &budget), Err(exhausted));
}

#[test]
fn fairness_assumptions_over_many_atoms_are_fine() {
    let mut formulas = Formulas::new();
    let assumptions = (0..6).map(|number| format!("G F p{number}")).collect::<Vec<_>>().join(" && ");
    let formula = read(&mut formulas, &format!("({assumptions}) -> G (r -> F g)"));
    let negated = formulas.unary(Unary::Not, formula);
    let translation = translate(&mut formulas, negated, &Options::default()).unwrap();
    assert!(translation.generalised.states <= 2, "{:?}", translation.generalised);
    assert!(translation.size.states <= 8, "{:?}", translation.size);
}
