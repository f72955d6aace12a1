//! Small automata over exact letters, all of them or at random, and all small lasso words.

use foundation::collections::HashSet;
use foundation::{Budget, Id};
use semper_automata::algorithms::{Minterms, OverAlphabet, Reader, explore};
use semper_automata::buchi::accepts::accepts_word;
use semper_automata::buchi::{Automaton, Marks, StateId, Successors, Symbol};

pub type Word = (Vec<Symbol>, Vec<Symbol>);

/// A source of numbers that look random and are the same every time.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn roll(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % sides
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.roll(100) < percent
    }
}

pub fn alphabet(letters: u32) -> Minterms<Symbol> {
    Minterms::of_letters((0..letters).map(Symbol))
}

/// All lasso words up to a number of letters in stem and loop together, each infinite word once.
pub fn lassos(letters: u32, most: usize) -> Vec<Word> {
    let mut words: Vec<Vec<Symbol>> = vec![vec![]];
    let mut seen = HashSet::default();
    let mut lassos = Vec::new();
    for length in 1..=most {
        words = words
            .iter()
            .flat_map(|word| (0..letters).map(|letter| word.iter().copied().chain([Symbol(letter)]).collect()))
            .collect();
        for word in &words {
            for stem in 0..length {
                let (stem, repeated) = (word[..stem].to_vec(), word[stem..].to_vec());
                let infinite: Vec<Symbol> = stem.iter().chain(repeated.iter().cycle()).take(24).copied().collect();
                if seen.insert(infinite) {
                    lassos.push((stem, repeated));
                }
            }
        }
    }
    lassos
}

pub fn reads(automaton: &Automaton<Symbol>, (stem, repeated): &Word) -> bool {
    accepts_word(automaton, stem, repeated, |label, letter| label == letter)
}

/// An automaton of this many states, of which some are initial.
pub fn with_states(count: usize, initial: usize, sets: u32) -> Automaton<Symbol> {
    let mut automaton = Automaton::new(sets);
    let states: Vec<StateId> = (0..count).map(|_| automaton.add_state()).collect();
    for (index, &state) in states.iter().enumerate() {
        if initial >> index & 1 == 1 {
            automaton.add_initial(state);
        }
    }
    automaton
}

/// All Büchi automata with accepting states and with these numbers of states and letters.
pub fn all_state_based(states: usize, letters: usize) -> impl Iterator<Item = Automaton<Symbol>> {
    let edges = states * states * letters;
    (0..1_usize << (edges + 2 * states)).map(move |bits| {
        let (initial, accepting) = (bits >> edges & ((1 << states) - 1), bits >> (edges + states));
        let mut automaton = with_states(states, initial, 1);
        for edge in (0..edges).filter(|edge| bits >> edge & 1 == 1) {
            let (from, to, letter) = (edge % states, edge / states % states, edge / states / states);
            let marks = if accepting >> from & 1 == 1 { Marks::one(0) } else { Marks::NONE };
            automaton.add_edge(StateId::from_index(from), Symbol(letter as u32), StateId::from_index(to), marks);
        }
        automaton
    })
}

/// An automaton with accepting edges; `density` is the chance of an edge in percent.
pub fn random(dice: &mut Dice, states: usize, letters: usize, sets: u32, density: usize) -> Automaton<Symbol> {
    let mut automaton = with_states(states, 1 | dice.roll(1 << states) & dice.roll(1 << states), sets);
    for from in 0..states {
        for to in 0..states {
            for letter in 0..letters {
                if dice.chance(density) {
                    let marks = (0..sets).filter(|_| dice.chance(35)).collect();
                    automaton.add_edge(
                        StateId::from_index(from),
                        Symbol(letter as u32),
                        StateId::from_index(to),
                        marks,
                    );
                }
            }
        }
    }
    automaton
}

/// The same with accepting states instead of edges.
pub fn random_state_based(dice: &mut Dice, states: usize, letters: usize, density: usize) -> Automaton<Symbol> {
    let accepting = dice.roll(1 << states);
    random(dice, states, letters, 1, density).map_edges(1, |edge| {
        let marks = if accepting >> edge.from.index() & 1 == 1 { Marks::one(0) } else { Marks::NONE };
        Some((edge.label, marks))
    })
}

/// A semi-deterministic automaton with accepting states: the first states are arbitrary, the others deterministic.
pub fn random_semi_deterministic(dice: &mut Dice, first: usize, second: usize, letters: usize) -> Automaton<Symbol> {
    let states = first + second;
    let mut automaton = with_states(states, 1 | dice.roll(1 << states) & dice.roll(1 << states), 1);
    for from in 0..states {
        let marks = if from >= first && dice.chance(50) { Marks::one(0) } else { Marks::NONE };
        for letter in (0..letters).map(|letter| Symbol(letter as u32)) {
            let from = StateId::from_index(from);
            if from.index() < first {
                for to in (0..states).filter(|_| dice.chance(40)).collect::<Vec<_>>() {
                    automaton.add_edge(from, letter, StateId::from_index(to), marks);
                }
            } else if dice.chance(80) {
                automaton.add_edge(from, letter, StateId::from_index(first + dice.roll(second)), marks);
            }
        }
    }
    automaton
}

/// The reachable part of a lazy automaton.
pub fn explored<A: Successors>(lazy: &A) -> (Automaton<A::Label>, Vec<A::State>) {
    let found = explore(lazy, &Budget::unlimited()).expect("there is no limit");
    (found.automaton, found.states.values().cloned().collect())
}

/// The reachable part of a reader.
pub fn written_out<R: Reader<Label = Symbol>>(reader: R, letters: u32) -> Automaton<Symbol> {
    explored(&OverAlphabet::new(reader, &alphabet(letters))).0
}
