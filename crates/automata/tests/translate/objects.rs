//! The data types of automata: marks, components, lazy automata written out, and words over other alphabets.

use std::collections::BTreeSet;

use foundation::{Budget, Id};
use semper_automata::buchi::accepts::accepts_word;
use semper_automata::buchi::{Automaton, Components, Marks, StateId, Symbol, explore};

use crate::random::Random;

#[test]
fn marks_are_sets_of_numbers() {
    let mut random = Random::new(6);
    for _ in 0..500 {
        let mut draw = || -> BTreeSet<u32> { (0..random.below(8)).map(|_| random.below(64) as u32).collect() };
        let (one, other) = (draw(), draw());
        let [left, right]: [Marks; 2] = [&one, &other].map(|set| set.iter().copied().collect());
        let numbers = |marks: Marks| marks.iter().collect::<BTreeSet<u32>>();
        assert_eq!(numbers(left), one);
        assert_eq!(left.len() as usize, one.len());
        assert_eq!(numbers(left.union(right)), &one | &other);
        assert_eq!(numbers(left.intersection(right)), &one & &other);
        assert_eq!(numbers(left.minus(right)), &one - &other);
        assert_eq!(left.is_subset(right), one.is_subset(&other));
        let low: BTreeSet<u32> = one.iter().map(|number| number % 32).collect();
        let shifted = low.iter().copied().collect::<Marks>().shifted(32);
        assert_eq!(numbers(shifted), low.iter().map(|number| number + 32).collect());
    }
    assert_eq!(Marks::all(64).len(), 64);
}

/// A random automaton over two letters.
fn automaton(random: &mut Random) -> Automaton<Symbol> {
    let mut automaton = Automaton::new(random.below(3) as u32);
    let count = 1 + random.below(6);
    for _ in 0..count {
        automaton.add_state();
    }
    for _ in 0..random.below(2 * count + 1) {
        let [from, to] = [random.below(count), random.below(count)].map(StateId::from_index);
        let marks = automaton.all_marks().iter().filter(|_| random.below(3) == 0).collect();
        automaton.add_edge(from, Symbol(random.below(2) as u32), to, marks);
    }
    automaton.add_initial(StateId::from_index(random.below(count)));
    automaton
}

#[test]
fn components_are_mutual_reachability() {
    let mut random = Random::new(7);
    for _ in 0..300 {
        let automaton = automaton(&mut random);
        let count = automaton.state_count();
        // Whether one state can be reached from another by at least one edge.
        let mut reaches = vec![vec![false; count]; count];
        for edge in automaton.edges() {
            reaches[edge.from.index()][edge.to.index()] = true;
        }
        for middle in 0..count {
            for from in 0..count {
                for to in 0..count {
                    reaches[from][to] |= reaches[from][middle] && reaches[middle][to];
                }
            }
        }
        let components = Components::of(&automaton);
        let root = automaton.initial()[0];
        let is_reachable = |state: StateId| state == root || reaches[root.index()][state.index()];
        for one in automaton.states() {
            assert_eq!(components.of_state(one).is_some(), is_reachable(one));
            let Some(component) = components.of_state(one) else { continue };
            assert_eq!(components.get(component).is_trivial, !reaches[one.index()][one.index()]);
            for other in automaton.states().filter(|&other| is_reachable(other)) {
                let is_mutual = reaches[one.index()][other.index()] && reaches[other.index()][one.index()];
                assert_eq!(components.inside(one, other).is_some(), one == other || is_mutual);
                let is_before = reaches[one.index()][other.index()] && !is_mutual && one != other;
                assert!(!is_before || components.of_state(other) < components.of_state(one));
            }
        }
    }
}

#[test]
fn writing_out_keeps_the_language() {
    let mut random = Random::new(8);
    let mut accepted = 0;
    for _ in 0..300 {
        let automaton = automaton(&mut random);
        let explored = explore(&automaton, &Budget::unlimited()).unwrap().automaton;
        for _ in 0..10 {
            let mut word = |length: usize| (0..length).map(|_| Symbol(random.below(2) as u32)).collect::<Vec<_>>();
            let (stem, repeated) = (word(2), word(2));
            let [before, after] = [&automaton, &explored].map(|it| accepts_word(it, &stem, &repeated, |l, a| l == a));
            assert_eq!(before, after);
            accepted += usize::from(before);
        }
    }
    assert!(accepted > 100, "{accepted}");
}
