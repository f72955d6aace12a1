//! Guards against truth tables: every function of three atoms, and random larger ones.

use foundation::Id;
use foundation::collections::HashMap;
use semper_automata::buchi::{Guard, Label};
use semper_automata::ltl::{AtomId, Letter};

use crate::random::Random;

fn letters(atoms: usize) -> Vec<Letter> {
    let letter = |bits: usize| (0..atoms).filter(|bit| bits >> bit & 1 == 1).map(AtomId::from_index).collect();
    (0..1 << atoms).map(letter).collect()
}

/// The guard with this truth table, put together letter by letter.
fn guard_of(table: u64, atoms: usize) -> Guard {
    let names: Vec<AtomId> = (0..atoms).map(AtomId::from_index).collect();
    let chosen = letters(atoms).into_iter().enumerate().filter(|(row, _)| table >> row & 1 == 1);
    chosen.fold(Guard::constant(false), |all, (_, letter)| all.or(&Guard::letter(&letter, &names)))
}

fn table_of(guard: &Guard, atoms: usize) -> u64 {
    letters(atoms).iter().enumerate().map(|(row, letter)| u64::from(guard.holds(letter)) << row).sum()
}

#[test]
fn operations_are_those_of_truth_tables() {
    let guards: Vec<Guard> = (0..256).map(|table| guard_of(table, 3)).collect();
    for (one, left) in guards.iter().enumerate() {
        assert_eq!(table_of(left, 3), one as u64);
        assert_eq!(left.not(), guards[255 - one]);
        assert_eq!(left.example().is_some(), one != 0);
        assert!(left.example().is_none_or(|letter| left.holds(&letter)));
        for (other, right) in guards.iter().enumerate() {
            assert_eq!(left.and(right), guards[one & other]);
            assert_eq!(left.or(right), guards[one | other]);
            assert_eq!(left.and_not(right), guards[one & !other]);
            assert_eq!(left.implies(right), one & !other == 0);
            assert_eq!(left.meet(right).is_some(), one & other != 0);
        }
    }
}

#[test]
fn covers_are_the_function_and_irredundant() {
    let mut random = Random::new(4);
    for _ in 0..40 {
        let table = (random.below(1 << 32) as u64) << 32 | random.below(1 << 32) as u64;
        let guard = guard_of(table, 6);
        let cube_guard = |cube: &[(AtomId, bool)]| {
            cube.iter().fold(Guard::constant(true), |all, &(atom, value)| all.and(&Guard::literal(atom, value)))
        };
        let cubes = guard.cubes();
        assert_eq!(guard.cubes_within(cubes.len()).as_ref(), Some(&cubes));
        assert_eq!(guard.cubes_within(cubes.len() - 1), None, "one product too many");
        let sum = |without: Option<usize>| {
            let kept = cubes.iter().enumerate().filter(|&(number, _)| Some(number) != without);
            kept.fold(Guard::constant(false), |all, (_, cube)| all.or(&cube_guard(cube)))
        };
        assert_eq!(sum(None), guard);
        for (number, cube) in cubes.iter().enumerate() {
            assert_ne!(sum(Some(number)), guard, "no product can be left out");
            for literal in 0..cube.len() {
                let mut shorter = cube.clone();
                shorter.remove(literal);
                assert!(!cube_guard(&shorter).implies(&guard), "no literal can be left out");
            }
        }
    }
}

#[test]
fn covers_that_would_be_too_large_are_given_up_at_once() {
    let atom = |index: usize| Guard::atom(AtomId::from_index(index));
    let parity = |atoms: usize| {
        let differs = |all: Guard, next: Guard| all.and_not(&next).or(&next.and_not(&all));
        (0..atoms).map(atom).fold(Guard::constant(false), differs)
    };
    assert_eq!(parity(11).cubes_within(1 << 10).map(|cubes| cubes.len()), Some(1 << 10));
    for atoms in [12, 40, 64, 65, 200] {
        assert_eq!(parity(atoms).cubes_within(1 << 10), None, "{atoms}");
    }
    // Few products, although the diagram has a million paths.
    let pairs = (0..20).map(|pair| atom(2 * pair).and(&atom(2 * pair + 1)));
    assert_eq!(pairs.fold(Guard::constant(false), |all, pair| all.or(&pair)).cubes().len(), 20);
}

#[test]
fn equal_functions_are_equal_values_however_they_are_built() {
    let mut random = Random::new(5);
    let mut known: HashMap<u64, Guard> = HashMap::default();
    let mut pool: Vec<Guard> = (0..4).map(|atom| Guard::atom(AtomId::from_index(atom))).collect();
    for _ in 0..3000 {
        let (left, right) = (pool[random.below(pool.len())].clone(), pool[random.below(pool.len())].clone());
        let new = match random.below(3) {
            0 => left.and(&right),
            1 => left.or(&right),
            _ => left.and_not(&right),
        };
        assert_eq!(*known.entry(table_of(&new, 4)).or_insert_with(|| new.clone()), new);
        pool.push(new);
    }
}

#[test]
fn many_atoms_do_not_overflow_the_stack() {
    let all = |value: bool| {
        // From the last atom to the first, so that each step adds one node at the top.
        let literals = (0..2000).rev().map(|atom| Guard::literal(AtomId::from_index(atom), value));
        literals.fold(Guard::constant(true), |all, literal| literal.and(&all))
    };
    let both = all(true).or(&all(false));
    assert_eq!(both.atoms().len(), 2000);
    assert_eq!(both.cubes().len(), 2);
    assert!(both.holds(&Letter::new()));
}
