//! Complements: on every word exactly one of an automaton and its complement accepts.

use semper_automata::algorithms::classify::{self, Kind};
use semper_automata::algorithms::complement::{BreakpointComplement, FlagComplement, Ncsb, Powerset, RankComplement};
use semper_automata::algorithms::{Module, StateBased, Variant, complement};
use semper_automata::buchi::{Automaton, Symbol};

use crate::worlds::{
    Dice, Word, all_state_based, alphabet, explored, lassos, random, random_semi_deterministic, random_state_based,
    reads, written_out,
};

/// How many automata were complemented by each construction.
#[derive(Default, Debug)]
struct Tally {
    finite_trace: usize,
    deterministic: usize,
    weak: usize,
    semi_deterministic: usize,
    general: usize,
}

/// Complements by every construction that fits, and compares on all words. Returns the accepted words' number.
fn compare(automaton: &Automaton<Symbol>, letters: u32, words: &[Word], tally: &mut Tally) -> usize {
    let module = StateBased::of(automaton);
    let expected: Vec<bool> = words.iter().map(|word| reads(automaton, word)).collect();
    let check = |complement: Automaton<Symbol>, most: usize, by: &str| {
        assert!(
            complement.state_count() <= most,
            "{by}: {} states, bound {most}: {automaton:?}",
            complement.state_count()
        );
        for (word, &accepted) in words.iter().zip(&expected) {
            assert_ne!(reads(&complement, word), accepted, "{by} on {word:?}: {automaton:?}");
        }
    };
    let states = module.state_count() as u32;
    assert_eq!(module.initial().len(), automaton.initial().len());
    let same: Vec<bool> = words.iter().map(|word| reads(&module.to_automaton(), word)).collect();
    assert_eq!(same, expected, "with accepting states: {automaton:?}");
    if classify::is_finite_trace(&module, &alphabet(letters)) {
        check(written_out(Powerset::new(&module), letters), 1 << states, "powerset");
        tally.finite_trace += 1;
    }
    if classify::is_deterministic(&module) {
        check(written_out(FlagComplement::new(&module), letters), 2 * states as usize + 1, "flag");
        tally.deterministic += 1;
    }
    if classify::is_weak(&module) {
        check(written_out(BreakpointComplement::new(&module), letters), 3_usize.pow(states), "breakpoint");
        tally.weak += 1;
    }
    if let Some(second) = classify::semi_deterministic_part(&module) {
        let accepting = module.accepting_states().len() as u32;
        let (first, other) = (states - second.len() as u32, second.len() as u32 - accepting);
        let bound = 2_usize.pow(first) * 4_usize.pow(other) * 3_usize.pow(accepting);
        for variant in Variant::ALL {
            // The refined rules keep states of the second part in N, too.
            let bound = if variant == Variant::Original {
                bound
            } else {
                2_usize.pow(first) * 5_usize.pow(other) * 3_usize.pow(accepting)
            };
            check(
                written_out(Ncsb::new(&module, second.clone(), variant), letters),
                bound,
                &format!("{variant:?} NCSB"),
            );
        }
        tally.semi_deterministic += 1;
    }
    check(written_out(RankComplement::new(&module), letters), usize::MAX, "ranks");
    tally.general += 1;
    check(explored(&complement(automaton, &alphabet(letters), Variant::Lazy)).0, usize::MAX, "the chosen construction");
    expected.into_iter().filter(|&accepted| accepted).count()
}

#[test]
fn every_small_automaton_is_complemented_by_every_construction_that_fits() {
    let mut tally = Tally::default();
    let mut accepted = 0;
    for (states, letters) in [(1, 1), (1, 2), (2, 1), (2, 2)] {
        let words = lassos(letters, 3);
        for automaton in all_state_based(states, letters as usize) {
            accepted += compare(&automaton, letters, &words, &mut tally);
        }
    }
    println!("{tally:?}, {accepted} words accepted");
    assert_eq!(tally.general, 8 + 16 + 256 + 4096);
    assert!(tally.finite_trace > 500 && tally.deterministic > 500 && tally.weak > 1000, "{tally:?}");
    assert!(tally.semi_deterministic > 1000 && accepted > 5000, "{tally:?}, {accepted}");
}

#[test]
fn random_automata_with_accepting_states_are_complemented() {
    let mut dice = Dice::new(1);
    let mut tally = Tally::default();
    let words = lassos(2, 4);
    for round in 0..1200 {
        let automaton = random_state_based(&mut dice, 3 + round % 2, 2, 25);
        compare(&automaton, 2, &words, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.semi_deterministic < 1000, "{tally:?}");
}

#[test]
fn larger_automata_are_complemented_by_ranks() {
    let mut dice = Dice::new(5);
    let words = lassos(2, 4);
    let mut largest = 0;
    for _ in 0..60 {
        let automaton = random_state_based(&mut dice, 5, 2, 20);
        let complement = written_out(RankComplement::new(StateBased::of(&automaton)), 2);
        largest = largest.max(complement.state_count());
        for word in &words {
            assert_ne!(reads(&complement, word), reads(&automaton, word), "{word:?}: {automaton:?}");
        }
    }
    println!("at most {largest} states");
}

#[test]
fn random_automata_with_accepting_edges_and_several_sets_are_complemented() {
    let mut dice = Dice::new(2);
    let mut tally = Tally::default();
    let words = lassos(2, 4);
    for round in 0..500 {
        let automaton = random(&mut dice, 2, 2, round % 3, 40);
        compare(&automaton, 2, &words, &mut tally);
    }
    println!("{tally:?}");
    assert!(tally.general == 500 && tally.weak > 50, "{tally:?}");
}

#[test]
fn random_semi_deterministic_automata_are_complemented_by_all_variants() {
    let mut dice = Dice::new(3);
    let words = lassos(2, 4);
    let mut sizes = [0; 3];
    for round in 0..800 {
        let automaton = random_semi_deterministic(&mut dice, 1 + round % 3, 1 + round % 4, 2);
        let module = StateBased::with_accepting(
            &automaton,
            automaton.states().filter(|&state| automaton.is_accepting(state)).collect(),
        );
        let second = classify::semi_deterministic_part(&module).expect("it is made semi-deterministic");
        let expected: Vec<bool> = words.iter().map(|word| reads(&automaton, word)).collect();
        for (variant, size) in Variant::ALL.into_iter().zip(&mut sizes) {
            let complement = written_out(Ncsb::new(&module, second.clone(), variant), 2);
            *size += complement.state_count();
            for (word, &accepted) in words.iter().zip(&expected) {
                assert_ne!(reads(&complement, word), accepted, "{variant:?} on {word:?}: {automaton:?}");
            }
        }
    }
    println!("states in all: {sizes:?}");
}

#[test]
fn the_front_chooses_the_narrowest_kind() {
    let mut dice = Dice::new(4);
    let mut seen = [0; 5];
    for _ in 0..3000 {
        let automaton = random_state_based(&mut dice, 3, 2, 20);
        let module = StateBased::of(&automaton);
        match classify::kind(&module, &alphabet(2)) {
            Kind::FiniteTrace => seen[0] += 1,
            Kind::Deterministic => {
                assert!(automaton.is_deterministic());
                seen[1] += 1;
            }
            Kind::Weak => seen[2] += 1,
            Kind::SemiDeterministic { second_part } => {
                assert!(module.accepting_states().is_subset(&second_part));
                seen[3] += 1;
            }
            Kind::General => seen[4] += 1,
        }
    }
    assert!(seen.iter().all(|&count| count > 20), "{seen:?}");
}
