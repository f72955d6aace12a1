//! Guards as letters: minterms, and complements over them.

use foundation::Id;
use semper_automata::algorithms::complement::Complement;
use semper_automata::algorithms::{Alphabet, Difference, Minterms, StateBased, Variant, classify, complement};
use semper_automata::buchi::{Automaton, Guard, Label, Marks, StateId, accepts};
use semper_automata::ltl::{AtomId, Letter};

use crate::worlds::{Dice, explored};

fn letters() -> Vec<Letter> {
    let letter = |bits: usize| (0..2).filter(|bit| bits >> bit & 1 == 1).map(AtomId::from_index).collect();
    (0..4).map(letter).collect()
}

/// One of the fifteen guards over two atoms that hold somewhere.
fn guard(dice: &mut Dice) -> Guard {
    let table = 1 + dice.roll(15);
    let atoms = [AtomId::from_index(0), AtomId::from_index(1)];
    let parts = letters().into_iter().enumerate().filter(|(index, _)| table >> index & 1 == 1);
    parts.fold(Guard::constant(false), |sum, (_, letter)| sum.or(&Guard::letter(&letter, &atoms)))
}

#[test]
fn minterms_partition_the_letters_and_respect_the_guards() {
    let mut dice = Dice::new(51);
    for round in 0..300 {
        let guards: Vec<Guard> = (0..round % 5).map(|_| guard(&mut dice)).collect();
        let minterms = Minterms::of_labels(Guard::constant(true), &guards);
        for letter in letters() {
            assert_eq!(minterms.letters().iter().filter(|minterm| minterm.holds(&letter)).count(), 1);
        }
        for guard in &guards {
            for minterm in minterms.letters() {
                assert!(minterm.implies(guard) || minterm.meet(guard).is_none());
            }
            let union = minterms.split(guard).iter().fold(Guard::constant(false), |sum, part| sum.or(part));
            assert_eq!(&union, guard);
        }
        assert!(minterms.letters().len() <= 4 && (!guards.is_empty() || minterms.letters().len() == 1));
    }
}

fn words() -> Vec<(Vec<Letter>, Vec<Letter>)> {
    let mut words = Vec::new();
    for first in letters() {
        for second in letters() {
            words.push((vec![], vec![first.clone(), second.clone()]));
            words.push((vec![first.clone()], vec![second.clone()]));
        }
    }
    words
}

fn random(dice: &mut Dice, states: usize, sets: u32) -> Automaton<Guard> {
    let mut automaton: Automaton<Guard> = Automaton::new(sets);
    let states: Vec<StateId> = (0..states).map(|_| automaton.add_state()).collect();
    automaton.add_initial(states[0]);
    for &from in &states {
        for &to in &states {
            if dice.chance(60) {
                let marks: Marks = (0..sets).filter(|_| dice.chance(50)).collect();
                automaton.add_edge(from, guard(dice), to, marks);
            }
        }
    }
    automaton
}

#[test]
fn automata_over_guards_are_complemented() {
    let mut dice = Dice::new(52);
    let words = words();
    for round in 0..120 {
        let automaton = random(&mut dice, 1 + round % 3, (round % 3) as u32);
        let minterms = Minterms::of_automaton(Guard::constant(true), &automaton);
        let rejected = explored(&complement(&automaton, &minterms, Variant::ALL[round % 3])).0;
        for (stem, repeated) in &words {
            assert_ne!(accepts(&automaton, stem, repeated), accepts(&rejected, stem, repeated), "{automaton:?}");
        }
    }
}

#[test]
fn automata_over_guards_are_subtracted() {
    let mut dice = Dice::new(53);
    let words = words();
    for round in 0..80 {
        let minuend = random(&mut dice, 1 + round % 3, (round % 3) as u32);
        let subtrahend = random(&mut dice, 1 + round % 2, 1);
        let minterms = Minterms::of_automaton(Guard::constant(true), &subtrahend);
        let module = StateBased::of(&subtrahend);
        let kind = classify::kind(&module, &minterms);
        let complement = Complement::new(module, kind, Variant::Refined);
        let rest = explored(&Difference::new(&minuend, vec![complement], &minterms)).0;
        for (stem, repeated) in &words {
            let expected = accepts(&minuend, stem, repeated) && !accepts(&subtrahend, stem, repeated);
            assert_eq!(accepts(&rest, stem, repeated), expected, "{minuend:?} minus {subtrahend:?}");
        }
    }
}
