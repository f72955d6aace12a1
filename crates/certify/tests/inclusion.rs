//! The check that an automaton is not too small: the tableau against the definition of LTL, the translation's automata
//! against the tableau, and automata with planted faults against the enumeration of short words.

use automata::buchi::{Automaton, Components, Guard, Marks, StateId, accepts};
use automata::ltl::{Atom, AtomId, Binary, Formula, Formulas, Letter, Unary, evaluate_lasso};
use automata::translate::{Options, Target, translate};
use certify::Unproved;
use certify::inclusion::included;
use foundation::{Budget, Exhausted, Id};
use kernel::tableau::{Inclusion, Signed, elementary_tableau, simulates, tableau};
use recheck::complement::{AutomatonClass, PeriodicWord, by_complement};

/// SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % bound as u64) as usize
    }

    fn formula(&mut self, formulas: &mut Formulas, size: usize, atoms: usize) -> Formula {
        const NAMES: [&str; 4] = ["a", "b", "c", "d"];
        if size <= 1 {
            return match self.below(30) {
                0 => formulas.truth(self.0 & 1 == 0),
                _ => formulas.atom(Atom::named(NAMES[self.below(atoms)])),
            };
        }
        if size == 2 || self.below(5) < 2 {
            let operand = self.formula(formulas, size - 1, atoms);
            return formulas.unary(Unary::ALL[self.below(4)], operand);
        }
        let left_size = 1 + self.below(size - 2);
        let left = self.formula(formulas, left_size, atoms);
        let right = self.formula(formulas, size - 1 - left_size, atoms);
        formulas.binary(Binary::ALL[self.below(9)], left, right)
    }

    fn word(&mut self, atoms: usize) -> PeriodicWord {
        let (stem, repeated) = (self.below(4), 1 + self.below(4));
        let mut letters = |count: usize| -> Vec<Letter> {
            let mut letter = || (0..atoms).map(AtomId::from_index).filter(|_| self.below(2) == 0).collect();
            (0..count).map(|_| letter()).collect()
        };
        PeriodicWord { stem: letters(stem), repeated: letters(repeated) }
    }
}

/// All formulas over the first leaves with so many nodes, by their number of nodes.
fn all_formulas(formulas: &mut Formulas, leaves: Vec<Formula>, largest: usize) -> Vec<Vec<Formula>> {
    let mut by_size = vec![vec![], leaves];
    for size in 2..=largest {
        let mut found = Vec::new();
        for operator in Unary::ALL {
            found.extend(by_size[size - 1].iter().map(|&operand| formulas.unary(operator, operand)));
        }
        for left_size in 1..size - 1 {
            for operator in Binary::ALL {
                for &left in &by_size[left_size] {
                    for &right in &by_size[size - 1 - left_size] {
                        found.push(formulas.binary(operator, left, right));
                    }
                }
            }
        }
        by_size.push(found);
    }
    by_size
}

/// All words over two atoms with stems and loops of at most so many letters.
fn all_words(longest_stem: usize, longest_loop: usize) -> Vec<PeriodicWord> {
    let letters: Vec<Letter> =
        (0..4usize).map(|bits| (0..2).filter(|atom| bits >> atom & 1 == 1).map(AtomId::from_index).collect()).collect();
    let of_length = |length: usize| {
        (0..length).fold(vec![vec![]], |words: Vec<Vec<Letter>>, _| {
            let longer =
                |word: &Vec<Letter>| letters.iter().map(|l| [&word[..], std::slice::from_ref(l)].concat()).collect();
            words.iter().flat_map(|word| -> Vec<Vec<Letter>> { longer(word) }).collect()
        })
    };
    let stems: Vec<Vec<Letter>> = (0..=longest_stem).flat_map(of_length).collect();
    let loops: Vec<Vec<Letter>> = (1..=longest_loop).flat_map(of_length).collect();
    let words = stems.iter().flat_map(|stem| loops.iter().map(move |repeated| (stem, repeated)));
    words.map(|(stem, repeated)| PeriodicWord { stem: stem.clone(), repeated: repeated.clone() }).collect()
}

/// Formulas over the atoms `a` and `b`, which have the first two ids.
fn two_atoms() -> (Formulas, Vec<Formula>) {
    let mut formulas = Formulas::new();
    let atoms = ["a", "b"].map(|name| formulas.atom(Atom::named(name)));
    (formulas, atoms.to_vec())
}

fn is_true_of(formulas: &Formulas, signed: Signed, word: &PeriodicWord) -> bool {
    evaluate_lasso(formulas, signed.formula, &word.stem, &word.repeated) == signed.holds
}

fn translated(formulas: &mut Formulas, formula: Formula, target: Target) -> Option<Automaton<Guard>> {
    let options = Options { target, budget: Budget::unlimited(), ..Options::default() };
    translate(formulas, formula, &options).ok().map(|translation| translation.automaton)
}

/// A limit for questions that may be too hard. No count of what was left undecided by time is asserted, so that a slow
/// machine is no reason for a test to fail.
fn patience() -> Budget {
    Budget::unlimited().with_time(std::time::Duration::from_secs(1))
}

fn too_large_to_tell() -> Unproved {
    Unproved::NotCovered("the formula or its automaton is too large".to_owned())
}

#[test]
fn the_tableau_accepts_what_the_definition_says() {
    let (mut formulas, mut leaves) = two_atoms();
    leaves.extend([true, false].map(|value| formulas.truth(value)));
    let words = all_words(1, 2);
    for formula in all_formulas(&mut formulas, leaves, 3).concat() {
        for signed in [Signed::holds(formula), Signed::fails(formula)] {
            for tableau in [tableau, elementary_tableau] {
                let automaton = tableau(&formulas, signed, &Budget::unlimited()).unwrap();
                for word in &words {
                    let accepted = accepts(&automaton, &word.stem, &word.repeated);
                    assert_eq!(accepted, is_true_of(&formulas, signed, word), "{} {word:?}", formulas.display(formula));
                }
            }
        }
    }
}

#[test]
fn the_tableau_of_random_formulas_accepts_what_the_definition_says() {
    let mut random = Random(1);
    let mut both = 0;
    for round in 0..300 {
        let mut formulas = Formulas::new();
        let formula = random.formula(&mut formulas, 4 + round % 9, 3);
        let signed = Signed { formula, holds: round % 2 == 0 };
        let automaton = tableau(&formulas, signed, &Budget::unlimited()).unwrap();
        let elementary = elementary_tableau(&formulas, signed, &Budget::unlimited()).ok();
        both += usize::from(elementary.is_some());
        for _ in 0..30 {
            let word = random.word(3);
            for automaton in [Some(&automaton), elementary.as_ref()].into_iter().flatten() {
                let accepted = accepts(automaton, &word.stem, &word.repeated);
                assert_eq!(accepted, is_true_of(&formulas, signed, &word), "{} {word:?}", formulas.display(formula));
            }
        }
    }
    assert!(both > 150, "{both} elementary tableaux were small enough");
}

#[test]
fn all_small_formulas_are_translated_to_automata_that_are_large_enough() {
    let (mut formulas, leaves) = two_atoms();
    for formula in all_formulas(&mut formulas, leaves, 4).concat() {
        let negation = formulas.unary(Unary::Not, formula);
        for target in [Target::Tgba, Target::StateBuchi] {
            let automaton = translated(&mut formulas, negation, target).unwrap();
            let found = included(&formulas, Signed::fails(formula), &automaton, &Budget::unlimited());
            assert!(found.is_ok(), "{} {found:?}", formulas.display(formula));
            // And the other way round: what satisfies the formula is not accepted, so it is included in nothing but
            // the empty language.
            let found = included(&formulas, Signed::holds(formula), &automaton, &Budget::unlimited());
            assert!(
                matches!(found, Err(Unproved::Rejected(_)) | Ok(Inclusion::Unsatisfiable)),
                "{} {found:?}",
                formulas.display(formula)
            );
        }
    }
}

#[test]
fn random_formulas_are_translated_to_automata_that_are_large_enough() {
    let mut random = Random(2);
    let (mut simulated, mut complemented, mut too_large) = (0, 0, 0);
    for round in 0..400 {
        let mut formulas = Formulas::new();
        let formula = random.formula(&mut formulas, 6 + round % 7, 3);
        let Some(automaton) = translated(&mut formulas, formula, Target::Tgba) else { continue };
        let automaton = if round % 2 == 0 { automaton } else { marked_by_strength(&automaton) };
        match included(&formulas, Signed::holds(formula), &automaton, &patience()) {
            Ok(Inclusion::ShownElsewhere) => complemented += 1,
            Ok(_) => simulated += 1,
            Err(Unproved::Exhausted(_)) => {}
            Err(undecided) if undecided == too_large_to_tell() => too_large += 1,
            Err(wrong) => panic!("{} {wrong:?}", formulas.display(formula)),
        }
    }
    assert!(simulated > 250 && complemented > 5 && too_large < 10, "{simulated} {complemented} {too_large}");
}

/// All edges inside weak accepting components carry all marks, those between components none.
fn marked_by_strength(automaton: &Automaton<Guard>) -> Automaton<Guard> {
    let components = Components::of(automaton);
    automaton.map_edges(automaton.acceptance_sets(), |edge| {
        let marks = match components.inside(edge.from, edge.to).map(|component| components.get(component)) {
            Some(component) if component.common_marks == automaton.all_marks() => automaton.all_marks(),
            Some(component) if component.is_accepting => edge.marks,
            _ => Marks::NONE,
        };
        Some((edge.label.clone(), marks))
    })
}

/// The automaton with one fault: an edge dropped, one of its marks dropped, one of its letters' atoms flipped, another
/// target, or an initial state dropped.
fn with_fault(automaton: &Automaton<Guard>, fault: usize, random: &mut Random) -> Automaton<Guard> {
    let chosen = random.below(automaton.edge_count().max(1));
    let elsewhere = StateId::from_index(random.below(automaton.state_count()));
    let mut faulty: Automaton<Guard> = Automaton::new(automaton.acceptance_sets());
    for _ in automaton.states() {
        faulty.add_state();
    }
    for (number, edge) in automaton.edges().enumerate() {
        let (mut label, mut to, mut marks) = (edge.label.clone(), edge.to, edge.marks);
        if number == chosen {
            match fault {
                0 => continue,
                1 => marks = Marks::from_iter(marks.iter().skip(1)),
                2 => label = flipped(&label, random),
                3 => to = elsewhere,
                _ => {}
            }
        }
        faulty.add_edge(edge.from, label, to, marks);
    }
    let initial = automaton.initial().to_vec();
    faulty.set_initial(if fault == 4 { initial[1..].to_vec() } else { initial });
    faulty
}

/// The guard with one literal of one of its products flipped.
fn flipped(guard: &Guard, random: &mut Random) -> Guard {
    let mut cubes = guard.cubes();
    let chosen = random.below(cubes.len().max(1));
    if let Some(cube) = cubes.get_mut(chosen).filter(|cube| !cube.is_empty()) {
        let place = random.below(cube.len());
        cube[place].1 = !cube[place].1;
    }
    let product = |cube: &Vec<(AtomId, bool)>| {
        let literals = cube.iter().map(|&(atom, value)| Guard::literal(atom, value));
        literals.fold(Guard::constant(true), |all, literal| all.and(&literal))
    };
    cubes.iter().map(product).fold(Guard::constant(false), |sum, product| sum.or(&product))
}

#[test]
fn planted_faults_are_caught() {
    let mut random = Random(3);
    let words = all_words(2, 3);
    let (mut caught, mut harmless, mut too_large) = ([0; 5], 0, 0);
    for round in 0..250 {
        let (mut formulas, _) = two_atoms();
        let formula = random.formula(&mut formulas, 4 + round % 6, 2);
        let signed = Signed::holds(formula);
        let target = if round % 2 == 0 { Target::Tgba } else { Target::StateBuchi };
        let Some(automaton) = translated(&mut formulas, formula, target) else { continue };
        let satisfying: Vec<&PeriodicWord> = words.iter().filter(|word| is_true_of(&formulas, signed, word)).collect();
        if automaton.initial().is_empty() {
            continue;
        }
        for (fault, caught) in caught.iter_mut().enumerate() {
            let faulty = with_fault(&automaton, fault, &mut random);
            let rejected = |word: &PeriodicWord| !accepts(&faulty, &word.stem, &word.repeated);
            let text = formulas.display(formula);
            match included(&formulas, signed, &faulty, &patience()) {
                Ok(inclusion) => {
                    let missed = satisfying.iter().find(|word| rejected(word));
                    assert!(missed.is_none(), "{text} fault {fault}: {inclusion:?} overlooks {missed:?}");
                    harmless += 1;
                }
                Err(Unproved::Rejected(_)) => *caught += 1,
                Err(Unproved::Exhausted(_)) => {}
                Err(undecided) if undecided == too_large_to_tell() => too_large += 1,
                Err(wrong) => panic!("{text} {wrong:?}"),
            }
        }
    }
    assert!(caught.iter().all(|&caught| caught > 25) && caught.iter().sum::<usize>() > 500, "{caught:?}");
    assert!(harmless > 50 && too_large < 15, "harmless {harmless}, too large {too_large}");
}

/// The two arguments are asked apart, for formulas of which the first often implies the second.
#[test]
fn what_is_simulated_is_included() {
    let mut random = Random(4);
    let (mut both, mut neither, mut complement_alone) = (0, 0, 0);
    for round in 0..500 {
        let (mut formulas, _) = two_atoms();
        let one = random.formula(&mut formulas, 3 + round % 5, 2);
        let other = random.formula(&mut formulas, 3 + round % 4, 2);
        let weaker = match round % 4 {
            0 => other,
            1 => formulas.binary(Binary::Or, other, one),
            2 => formulas.unary(Unary::Finally, one),
            _ => one,
        };
        let construction = if round % 2 == 0 { tableau } else { elementary_tableau };
        let smaller = construction(&formulas, Signed::holds(one), &Budget::unlimited()).unwrap();
        let Some(larger) = translated(&mut formulas, weaker, Target::Tgba) else { continue };
        let implication = formulas.binary(Binary::Implies, one, weaker);
        let text = formulas.display(implication);
        let is_simulated = simulates(&smaller, &larger, &Budget::unlimited()).unwrap();
        match by_complement(&smaller, &larger, &patience()) {
            Ok(Ok(_)) if is_simulated => both += 1,
            Ok(Ok(_)) => complement_alone += 1,
            Ok(Err(word)) => {
                assert!(!is_simulated, "{text} {word:?}");
                assert!(!is_true_of(&formulas, Signed::holds(implication), &word), "{text} {word:?}");
                neither += 1;
            }
            Err(_) => {}
        }
        if is_simulated {
            let words = (0..40).map(|_| random.word(2));
            let differs = { words }.find(|word| !is_true_of(&formulas, Signed::holds(implication), word));
            assert_eq!(differs, None, "{text}");
        }
    }
    assert!(both > 200 && neither > 80 && complement_alone > 3, "{both} {neither} {complement_alone}");
}

#[test]
fn every_kind_of_complement_decides_something() {
    let mut random = Random(5);
    let mut seen = foundation::collections::HashSet::default();
    for round in 0..300 {
        let mut formulas = Formulas::new();
        let formula = random.formula(&mut formulas, 5 + round % 6, 2);
        let Some(automaton) = translated(&mut formulas, formula, Target::Tgba) else { continue };
        let obligations = tableau(&formulas, Signed::holds(formula), &Budget::unlimited()).unwrap();
        match by_complement(&obligations, &automaton, &patience()) {
            Ok(Ok(classes)) => seen.extend(classes),
            Ok(Err(word)) => panic!("{} {word:?}", formulas.display(formula)),
            Err(_) => {}
        }
    }
    for class in [
        AutomatonClass::Terminal,
        AutomatonClass::Deterministic,
        AutomatonClass::Weak,
        AutomatonClass::SemiDeterministic,
        AutomatonClass::General,
    ] {
        assert!(seen.contains(&class), "{class:?} is not in {seen:?}");
    }
}

#[test]
fn what_is_too_large_is_said_to_be() {
    let mut formulas = Formulas::new();
    let atoms: Vec<Formula> = (0..70).map(|number| formulas.atom(Atom::named(&format!("p{number}")))).collect();
    let mut many_eventualities = formulas.truth(true);
    let mut many_sets = formulas.truth(true);
    let mut deep = atoms[0];
    for (number, &atom) in atoms.iter().enumerate() {
        let finally = formulas.unary(Unary::Finally, atom);
        many_eventualities = formulas.binary(Binary::And, many_eventualities, finally);
        if number < 30 {
            many_sets = formulas.binary(Binary::And, many_sets, finally);
        }
    }
    for _ in 0..100_000 {
        deep = formulas.unary(Unary::Next, deep);
    }
    let mut negated = atoms[0];
    for _ in 0..100_000 {
        negated = formulas.unary(Unary::Not, negated);
    }
    let nothing = Automaton::new(0);
    for formula in [many_eventualities, many_sets, deep] {
        let found = included(&formulas, Signed::holds(formula), &nothing, &Budget::unlimited());
        assert_eq!(found, Err(too_large_to_tell()));
    }
    let found = included(&formulas, Signed::holds(negated), &nothing, &Budget::unlimited());
    assert!(matches!(found, Err(Unproved::Rejected(_))), "{found:?}");
    let spent = Budget::unlimited();
    spent.cancel();
    let found = included(&formulas, Signed::holds(negated), &nothing, &spent);
    assert_eq!(found, Err(Unproved::Exhausted(Exhausted::Cancelled)));
}
