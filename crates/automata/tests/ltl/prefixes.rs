//! Evaluation on finite prefixes against all small extensions, and on long prefixes.

use proptest::prelude::*;
use semper_automata::ltl::{Atom, Formula, Formulas, Letter, PrefixTruth, evaluate_lasso, evaluate_prefix};

use crate::worlds::{World, read};

/// Compares the claim on a prefix with the truth on all its extensions by the given lassos. A small formula has a
/// small witness, so an open answer must be shown by extensions of both kinds.
fn compare(world: &World, formula: Formula, prefix: &[Letter], lassos: &[(Vec<Letter>, Vec<Letter>)]) -> PrefixTruth {
    let claim = evaluate_prefix(&world.formulas, formula, prefix);
    let truth = |(stem, repeated): &(Vec<Letter>, Vec<Letter>)| {
        evaluate_lasso(&world.formulas, formula, &[prefix, stem].concat(), repeated)
    };
    let some_true = lassos.iter().any(truth);
    let some_false = lassos.iter().any(|lasso| !truth(lasso));
    let expected = match (some_true, some_false) {
        (true, true) => PrefixTruth::Open { exact: true },
        (true, false) => PrefixTruth::True,
        (false, _) => PrefixTruth::False,
    };
    assert_eq!(claim, expected, "{} on {prefix:?}", world.formulas.display(formula));
    claim
}

#[test]
fn every_small_formula_on_every_small_prefix_agrees_with_all_small_extensions() {
    let world = World::new(4);
    let lassos = world.lassos(3);
    let mut seen = [0; 3];
    for size in 1..=4 {
        for &formula in &world.by_size[size] {
            for prefix in (0..=if size < 4 { 2 } else { 1 }).flat_map(|length| world.words(length)) {
                match compare(&world, formula, &prefix, &lassos) {
                    PrefixTruth::True => seen[0] += 1,
                    PrefixTruth::False => seen[1] += 1,
                    PrefixTruth::Open { .. } => seen[2] += 1,
                }
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 1000), "all three answers occur: {seen:?}");
}

#[test]
fn small_formulas_of_size_five_agree_on_the_empty_prefix() {
    let world = World::new(5);
    let lassos = world.lassos(3);
    // Every seventh, to keep the test short; seven is prime to the numbers of operators and atoms.
    for &formula in world.by_size[5].iter().step_by(7) {
        compare(&world, formula, &[], &lassos);
    }
}

/// A random formula over `a` and `b`, as a list of choices for building it bottom-up.
fn build(formulas: &mut Formulas, recipe: &[(u8, u8, u8)]) -> Formula {
    use semper_automata::ltl::{Binary, Unary};
    let mut built = vec![formulas.atom(Atom::named("a")), formulas.atom(Atom::named("b"))];
    for &(operator, left, right) in recipe {
        let pick = |choice: u8| built[built.len() - 1 - choice as usize % built.len().min(3)];
        let (left, right) = (pick(left), pick(right));
        let operator = operator as usize % (Unary::ALL.len() + Binary::ALL.len());
        built.push(match Unary::ALL.get(operator) {
            Some(&unary) => formulas.unary(unary, left),
            None => formulas.binary(Binary::ALL[operator - Unary::ALL.len()], left, right),
        });
    }
    built[built.len() - 1]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// On larger formulas small extensions no longer decide, but they must not contradict a claim, and a claim once
    /// made stays.
    #[test]
    fn claims_on_larger_formulas_are_never_contradicted(
        recipe in prop::collection::vec(any::<(u8, u8, u8)>(), 4..9),
        word in prop::collection::vec(0usize..4, 0..6),
    ) {
        let world = World::new(1);
        let mut formulas = world.formulas.clone();
        let formula = build(&mut formulas, &recipe);
        let letters = world.letters();
        let word: Vec<Letter> = word.into_iter().map(|letter| letters[letter].clone()).collect();
        let mut earlier = None;
        for length in 0..=word.len() {
            let claim = evaluate_prefix(&formulas, formula, &word[..length]);
            if let Some(earlier) = earlier {
                prop_assert_eq!(claim, earlier);
            }
            let decided = match claim {
                PrefixTruth::True => true,
                PrefixTruth::False => false,
                PrefixTruth::Open { .. } => continue,
            };
            earlier = Some(claim);
            for (stem, repeated) in world.lassos(2) {
                let stem = [&word[..length], &stem].concat();
                prop_assert_eq!(evaluate_lasso(&formulas, formula, &stem, &repeated), decided);
            }
        }
    }
}

/// Formulas that no small extension decides, or whose tableau has a shape that small formulas do not reach.
#[test]
fn satisfiability_of_the_remainder_is_exact() {
    let open = PrefixTruth::Open { exact: true };
    let cases = [
        ("a && X ! a && G (F X b && X F X b)", open),
        ("a && X ! a && X X ! a && G (a <-> X X X a)", open),
        ("a && X ! a && X X ! a && G (a <-> X X X a) && G F b && G (b -> a)", open),
        ("a && X ! a && X X ! a && G (a <-> X X X a) && G F b && G (b -> a) && G F ! (a && b)", open),
        ("a && X ! a && X X ! a && G (a <-> X X X a) && G F b && G ! (a && b) && G (b -> X ! a)", open),
        (
            "a && X ! a && X X ! a && G (a <-> X X X a) && G F b && G ! (a && b) && G (b -> X a && X X a)",
            PrefixTruth::False,
        ),
        ("a && X ! a && G (a <-> X X X a) && G (a <-> X X a)", PrefixTruth::False),
        ("a && G (a -> X b) && G (b -> X a) && G ! (a && b) && F G a", PrefixTruth::False),
        ("G (a -> X b) && G (b -> X a) && G F a && F G ! (a && b)", open),
        ("G (a -> X F b) && G (b -> X F a) && F a && F G ! b", PrefixTruth::False),
        ("G F a && G F b && G ! (a && b) && G (a -> X a)", PrefixTruth::False),
        ("G F a -> F G F a", PrefixTruth::True),
        ("(G F a -> G F b) -> (F G a -> F b)", PrefixTruth::True),
        ("G F a || F G ! a", PrefixTruth::True),
        ("(a U b) -> ! (! b W (! a && ! b))", PrefixTruth::True),
        ("(a U (b U a)) <-> (a U (b U a) || a)", PrefixTruth::True),
        ("G (a || X a) -> G F a", PrefixTruth::True),
        ("G (a || X a) -> F G a", open),
    ];
    for (text, expected) in cases {
        let mut formulas = Formulas::new();
        let formula = read(&mut formulas, text);
        assert_eq!(evaluate_prefix(&formulas, formula, &[]), expected, "{text}");
        let negation = read(&mut formulas, &format!("! ({text})"));
        let opposite = match expected {
            PrefixTruth::True => PrefixTruth::False,
            PrefixTruth::False => PrefixTruth::True,
            PrefixTruth::Open { .. } => expected,
        };
        assert_eq!(evaluate_prefix(&formulas, negation, &[]), opposite, "! ({text})");
    }
}

#[test]
fn long_prefixes_are_no_burden() {
    let texts = [
        (r#"G ("p" -> F "q")"#, PrefixTruth::Open { exact: true }),
        (r#"(F "p") U (G "q")"#, PrefixTruth::Open { exact: true }),
        (r#"F ("p" && G ("q" || F "r"))"#, PrefixTruth::Open { exact: true }),
        (r#"G ("p" -> X X X X "q") || G F "r""#, PrefixTruth::Open { exact: true }),
        (r#"F "s""#, PrefixTruth::True),
        (r#"G ! "s""#, PrefixTruth::False),
    ];
    for (text, expected) in texts {
        let mut formulas = Formulas::new();
        let formula = read(&mut formulas, text);
        let atom = |name: &str| formulas.atoms().find(&Atom::quoted(name));
        let mut prefix: Vec<Letter> = (0..100_000)
            .map(|step: usize| {
                let names = ["p", "q", "r"].into_iter().enumerate();
                names
                    .filter(|(index, _)| (step * 7 + index * 3).is_multiple_of(index + 3))
                    .filter_map(|(_, name)| atom(name))
                    .collect()
            })
            .collect();
        prefix[99_990].extend(atom("s"));
        assert_eq!(evaluate_prefix(&formulas, formula, &prefix), expected, "{text}");
    }
}

#[test]
fn a_formula_beyond_the_limit_is_said_to_be_so() {
    // Two writings of the parity of thirty atoms, which has 2^29 ways to be true, contradict each other.
    let atoms: Vec<String> = (0..30).map(|index| format!("p{index}")).collect();
    let backwards: Vec<String> = atoms.iter().rev().cloned().collect();
    let text = format!("X ({}) && X ! ({})", atoms.join(" xor "), backwards.join(" xor "));
    let mut formulas = Formulas::new();
    let formula = read(&mut formulas, &text);
    assert_eq!(evaluate_prefix(&formulas, formula, &[]), PrefixTruth::Open { exact: false });
    // With the letters given, there is nothing left to search.
    let word = [Letter::new(), Letter::new()];
    assert_eq!(evaluate_prefix(&formulas, formula, &word), PrefixTruth::False);
}

#[test]
fn many_requests_and_responses_are_decided_exactly() {
    let pairs: Vec<String> = (0..20).map(|index| format!("G (p{index} -> F q{index})")).collect();
    let mut formulas = Formulas::new();
    let formula = read(&mut formulas, &pairs.join(" && "));
    let requests: Letter =
        (0..20).filter_map(|index| formulas.atoms().find(&Atom::named(&format!("p{index}")))).collect();
    for prefix in [vec![], vec![requests.clone()], vec![requests, Letter::new(), Letter::new()]] {
        assert_eq!(evaluate_prefix(&formulas, formula, &prefix), PrefixTruth::Open { exact: true });
    }
}
