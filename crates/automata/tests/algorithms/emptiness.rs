//! Emptiness against components written out, and lassos against the shortest there are.

use std::time::Duration;

use foundation::collections::HashMap;
use foundation::{Budget, Exhausted, Id};
use semper_automata::algorithms::{Lasso, Product, Union, find_lasso, is_empty, lasso, search};
use semper_automata::buchi::{Automaton, Components, Marks, Move, StateId, Successors, Symbol};

use crate::worlds::{Dice, explored, lassos, random, reads};

fn has_accepting_component(automaton: &Automaton<Symbol>) -> bool {
    Components::of(automaton).iter().any(|(_, component)| component.is_accepting)
}

/// Whether the steps are edges that follow each other from an initial state and round the cycle with all marks.
fn assert_accepting(automaton: &Automaton<Symbol>, lasso: &Lasso<StateId, Symbol>) {
    let steps: Vec<_> = lasso.stem.iter().chain(&lasso.cycle).collect();
    let targets = steps[1..].iter().map(|step| step.from).chain([*lasso.honda()]);
    for (step, to) in steps.iter().zip(targets) {
        let is_edge = automaton
            .edges_from(step.from)
            .iter()
            .any(|edge| edge.to == to && edge.label == step.label && edge.marks == step.marks);
        assert!(is_edge, "{step:?} is not an edge to {to:?}");
    }
    assert!(automaton.initial().contains(&steps[0].from));
    let marks = lasso.cycle.iter().fold(Marks::NONE, |marks, step| marks.union(step.marks));
    assert_eq!(marks, automaton.all_marks());
}

/// The length of a shortest lasso whose cycle stays in a set of states, by relaxation until nothing changes.
fn shortest(automaton: &Automaton<Symbol>, inside: &[StateId]) -> usize {
    let mut stems: HashMap<StateId, usize> = automaton.initial().iter().map(|&state| (state, 0)).collect();
    for _ in automaton.states() {
        for edge in automaton.edges() {
            if let Some(&length) = stems.get(&edge.from) {
                let known = stems.entry(edge.to).or_insert(usize::MAX);
                *known = (*known).min(length + 1);
            }
        }
    }
    let mut best = usize::MAX;
    for honda in inside {
        let mut lengths: HashMap<(StateId, Marks), usize> = HashMap::default();
        let mut changed = true;
        while changed {
            changed = false;
            for edge in automaton.edges().filter(|edge| inside.contains(&edge.from) && inside.contains(&edge.to)) {
                let mut offers: Vec<(Marks, usize)> = lengths
                    .iter()
                    .filter(|((at, _), _)| *at == edge.from)
                    .map(|((_, marks), &n)| (*marks, n))
                    .collect();
                if edge.from == *honda {
                    offers.push((Marks::NONE, 0));
                }
                for (marks, length) in offers {
                    let known = lengths.entry((edge.to, marks.union(edge.marks))).or_insert(usize::MAX);
                    if length + 1 < *known {
                        *known = length + 1;
                        changed = true;
                    }
                }
            }
        }
        if let (Some(stem), Some(cycle)) = (stems.get(honda), lengths.get(&(*honda, automaton.all_marks()))) {
            best = best.min(stem + cycle);
        }
    }
    best
}

#[test]
fn emptiness_and_lassos_agree_with_brute_force_on_random_automata() {
    let budget = Budget::unlimited();
    let mut dice = Dice::new(11);
    let (mut empty, mut accepting) = (0, 0);
    for round in 0..6000_usize {
        let (states, sets) = (1 + round % 6, (round / 6 % 4) as u32);
        let automaton = random(&mut dice, states, 1 + round % 2, sets, 12 + round % 20);
        let found = search(&automaton, &budget).unwrap();
        assert_eq!(found.is_empty(), !has_accepting_component(&automaton), "{automaton:?}");
        assert_eq!(is_empty(&automaton, &budget), Ok(found.is_empty()));
        let lasso = lasso::construct(&automaton, &found, &budget).unwrap();
        assert_eq!(lasso.is_some(), !found.is_empty());
        let Some(lasso) = lasso else {
            empty += 1;
            continue;
        };
        accepting += 1;
        assert_accepting(&automaton, &lasso);
        assert!(reads(&automaton, &lasso.word()));
        assert_eq!(lasso.len(), shortest(&automaton, found.accepting.as_ref().unwrap()), "{automaton:?}");
    }
    assert!(empty > 1000 && accepting > 1000, "{empty} empty, {accepting} not");
}

/// A ring of states with one mark on each of `sets` edges spread over it, and a tail that leads to it.
struct Ring {
    tail: usize,
    ring: usize,
    sets: u32,
}

impl Successors for Ring {
    type State = usize;
    type Label = Symbol;

    fn initial(&self) -> Vec<usize> {
        vec![0]
    }

    fn successors(&self, state: &usize) -> Vec<Move<usize, Symbol>> {
        let to = if state + 1 < self.tail + self.ring { state + 1 } else { self.tail };
        let place = state.checked_sub(self.tail).filter(|place| place % (self.ring / 20) == 0);
        let set = place.map(|place| (place / (self.ring / 20)) as u32).filter(|&set| set < self.sets);
        vec![Move { label: Symbol(0), to, marks: set.map_or(Marks::NONE, Marks::one) }]
    }

    fn acceptance_sets(&self) -> u32 {
        self.sets
    }
}

#[test]
fn long_paths_and_many_sets_need_no_recursion_and_no_exponential_work() {
    let ring = Ring { tail: 20_000, ring: 20_000, sets: 20 };
    let lasso = find_lasso(&ring, &Budget::unlimited()).unwrap().expect("the ring is accepted");
    assert_eq!((lasso.stem.len(), lasso.cycle.len()), (20_000, 20_000));
    let too_many = Ring { tail: 10, ring: 2000, sets: 21 };
    assert_eq!(is_empty(&too_many, &Budget::unlimited()), Ok(true));
}

#[test]
fn a_budget_ends_the_search() {
    let ring = Ring { tail: 20_000, ring: 20_000, sets: 1 };
    assert_eq!(is_empty(&ring, &Budget::unlimited().with_time(Duration::ZERO)), Err(Exhausted::Time));
}

#[test]
fn the_nearest_way_in_is_taken() {
    // A long way to a short cycle is found first, but the initial state itself lies on a cycle that is shorter in all.
    let mut automaton: Automaton<Symbol> = Automaton::new(1);
    let states: Vec<StateId> = (0..6).map(|_| automaton.add_state()).collect();
    automaton.add_initial(states[0]);
    for (from, to) in [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 0), (2, 0)] {
        let marks = if (from, to) == (0, 1) { Marks::one(0) } else { Marks::NONE };
        automaton.add_edge(states[from], Symbol(to as u32), states[to], marks);
    }
    let lasso = find_lasso(&automaton, &Budget::unlimited()).unwrap().expect("there is an accepting run");
    assert_eq!((lasso.stem.len(), lasso.cycle.len()), (0, 3));
    assert_eq!(lasso.honda().index(), 0);
}

/// `docs/design/emptiness.md`: A → B →{0} C → B, C → D →{1} D → B, and the same without the last edge.
#[test]
fn the_example_of_the_design_page() {
    let edges = [(0, 1, None), (1, 2, Some(0)), (2, 1, None), (2, 3, None), (3, 3, Some(1)), (3, 1, None)];
    for (count, expected) in [(6, Some((1, 4))), (5, None)] {
        let mut automaton: Automaton<Symbol> = Automaton::new(2);
        let states: Vec<StateId> = (0..4).map(|_| automaton.add_state()).collect();
        automaton.add_initial(states[0]);
        for &(from, to, set) in &edges[..count] {
            automaton.add_edge(states[from], Symbol(0), states[to], set.map_or(Marks::NONE, Marks::one));
        }
        let lasso = find_lasso(&automaton, &Budget::unlimited()).unwrap();
        assert_eq!(lasso.map(|lasso| (lasso.stem.len(), lasso.cycle.len())), expected);
    }
}

#[test]
fn products_and_unions_accept_what_both_or_either_accept() {
    let mut dice = Dice::new(12);
    let words = lassos(2, 3);
    for round in 0..300 {
        let left = random(&mut dice, 1 + round % 3, 2, (round % 3) as u32, 40);
        let right = random(&mut dice, 1 + round % 2, 2, (round / 3 % 3) as u32, 40);
        let product = explored(&Product::new(&left, &right)).0;
        let union = explored(&Union::new(&left, &right)).0;
        for word in &words {
            let (one, other) = (reads(&left, word), reads(&right, word));
            assert_eq!(reads(&product, word), one && other);
            assert_eq!(reads(&union, word), one || other);
        }
    }
}
