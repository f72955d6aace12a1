//! The values that can occur, against the definition on all short traces of all small formulas.

use foundation::SourceMap;

use super::*;
use crate::ltl::{Atom, AtomId, Binary, PrefixTruth, evaluate_lasso, evaluate_prefix, parse};

/// The value of a trace by the definition.
fn value(formulas: &Formulas, formula: Formula, trace: &[Letter]) -> BoundedVerdict {
    let (last, _) = trace.split_last().expect("traces are not empty");
    match evaluate_prefix(formulas, formula, trace) {
        PrefixTruth::True => BoundedVerdict::True,
        PrefixTruth::False => BoundedVerdict::False,
        PrefixTruth::Open { exact } => {
            assert!(exact, "the formulas here are small");
            match evaluate_lasso(formulas, formula, trace, std::slice::from_ref(last)) {
                true => BoundedVerdict::PresumablyTrue,
                false => BoundedVerdict::PresumablyFalse,
            }
        }
    }
}

/// All traces over this many atoms up to this length.
fn traces(atoms: usize, longest: usize) -> Vec<Vec<Letter>> {
    let letters: Vec<Letter> = (0..1_usize << atoms)
        .map(|bits| (0..atoms).filter(|atom| bits >> atom & 1 == 1).map(AtomId::from_index).collect())
        .collect();
    let mut all: Vec<Vec<Letter>> = letters.iter().map(|letter| vec![letter.clone()]).collect();
    let mut start = 0;
    for _ in 1..longest {
        let end = all.len();
        for index in start..end {
            let shorter = all[index].clone();
            all.extend(letters.iter().map(|letter| [&shorter[..], std::slice::from_ref(letter)].concat()));
        }
        start = end;
    }
    all
}

/// The values found are those of the traces found for them, no short trace has another value, and no shorter trace has
/// the same.
fn agrees(formulas: &mut Formulas, formula: Formula, traces: &[Vec<Letter>]) {
    let text = formulas.display(formula).to_string();
    let found =
        bounded_verdicts_of(formulas, formula, &Budget::unlimited()).expect("small formulas have small automata");
    for verdict in BoundedVerdict::ALL {
        assert!(found.is_possible(verdict).is_some(), "{text}: everything is found out");
        if let Some(example) = found.example(verdict) {
            assert_eq!(value(formulas, formula, example), verdict, "{text} on {example:?}");
        }
    }
    for trace in traces {
        let verdict = value(formulas, formula, trace);
        let example = found.example(verdict).unwrap_or_else(|| panic!("{text} is {verdict} on {trace:?}"));
        assert!(example.len() <= trace.len(), "{text}: {example:?} is longer than {trace:?}");
    }
}

#[test]
fn all_small_formulas_have_the_values_of_their_short_traces() {
    let mut formulas = Formulas::new();
    let atoms = ["a", "b"].map(|name| formulas.atom(Atom::named(name)));
    let mut by_size: Vec<Vec<Formula>> = vec![Vec::new(), atoms.to_vec()];
    for size in 2..=5 {
        let mut made = Vec::new();
        for operator in Unary::ALL {
            made.extend(by_size[size - 1].clone().into_iter().map(|operand| formulas.unary(operator, operand)));
        }
        for left in 1..size - 1 {
            for operator in Binary::ALL {
                for (one, other) in pairs(&by_size[left], &by_size[size - 1 - left]) {
                    made.push(formulas.binary(operator, one, other));
                }
            }
        }
        by_size.push(made);
    }
    // Of the largest, every seventh: their number has nothing to do with how they were put together.
    let largest: Vec<Formula> = by_size.pop().into_iter().flatten().step_by(7).collect();
    assert!(by_size.concat().len() > 600 && largest.len() > 600, "{} {}", by_size.concat().len(), largest.len());
    for (all, traces) in [(by_size.concat(), traces(2, 3)), (largest, traces(2, 2))] {
        for formula in all {
            agrees(&mut formulas, formula, &traces);
        }
    }
}

fn pairs(left: &[Formula], right: &[Formula]) -> Vec<(Formula, Formula)> {
    left.iter().flat_map(|&one| right.iter().map(move |&other| (one, other))).collect()
}

#[test]
fn larger_formulas_have_the_values_of_their_short_traces() {
    for text in [
        "G (a -> F b)",
        "G F a && G F b",
        "F G a || G F b",
        "G F a -> G F b",
        "G ((a -> F !a) && (!a -> F a))",
        "a U (b U c)",
        "(a W b) W c",
        "G (a -> X (b R !c))",
        "F (a && X (b && X c))",
        "(G a || F b) && (F c -> G (a || b))",
        "X X X a -> F G (b <-> X b)",
        "(a U b) xor (c M a)",
        "G (a xor X a) || c",
    ] {
        let mut formulas = Formulas::new();
        for name in ["a", "b", "c"] {
            formulas.atom(Atom::named(name));
        }
        let mut sources = SourceMap::new();
        let source = sources.add("formula", text);
        let formula = parse(&sources, source, &mut formulas).expect("it is a formula");
        agrees(&mut formulas, formula, &traces(3, 3));
    }
}

#[test]
fn the_examples_of_the_paper_have_the_values_that_it_names() {
    use BoundedVerdict::{False, PresumablyFalse, PresumablyTrue, True};
    for (text, expected) in [
        // Section 5.1: no finite execution makes a safety property true, unless it says when it ends.
        ("G (looking -> sum)", &[False, PresumablyTrue][..]),
        ("(looking -> sum) U done", &[False, PresumablyFalse, True]),
        // Section 5.2: what must happen some time is never false.
        ("F six", &[PresumablyFalse, True]),
        // Section 5.3: true liveness has no definite value, and a toggle is presumably false on all traces.
        ("G (even -> F third)", &[PresumablyFalse, PresumablyTrue]),
        ("G F p", &[PresumablyFalse, PresumablyTrue]),
        ("G ((p -> F !p) && (!p -> F p))", &[PresumablyFalse]),
        ("true", &[True]),
        ("p && !p", &[False]),
        ("p", &[False, True]),
    ] {
        let (mut formulas, mut sources) = (Formulas::new(), SourceMap::new());
        let source = sources.add("formula", text);
        let formula = parse(&sources, source, &mut formulas).expect("it is a formula");
        let found = bounded_verdicts_of(&mut formulas, formula, &Budget::unlimited()).expect("they are small");
        let possible: Vec<BoundedVerdict> =
            BoundedVerdict::ALL.into_iter().filter(|&verdict| found.is_possible(verdict) == Some(true)).collect();
        assert_eq!(possible, expected, "{text}");
    }
}
