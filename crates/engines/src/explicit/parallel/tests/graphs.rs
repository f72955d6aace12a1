//! Graphs as state spaces: random ones, and shapes that are hard for one part or another of the search.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use automata::buchi::{Automaton, Guard, Marks};
use automata::ltl::AtomId;
use foundation::Id;
use program::semantics::Answer;
use task::{LetterBits, Negation, Reason};

use crate::explicit::space::{Advance, Next, Space};

/// A source of random numbers (splitmix).
#[derive(Clone)]
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }
}

/// A step of a graph's state.
#[derive(Clone, Debug)]
pub enum Edge {
    To(usize, Vec<LetterBits>),
    Blocked,
    Ended(LetterBits),
    Refused(u32),
}

/// A graph; runs begin in its first state.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    pub edges: Vec<Vec<Edge>>,
}

impl Graph {
    /// A graph with edges alone, each of which shows one letter.
    pub fn new(states: usize, edges: impl IntoIterator<Item = (usize, usize, LetterBits)>) -> Self {
        let mut graph = Self { edges: vec![Vec::new(); states] };
        for (from, to, letter) in edges {
            graph.edges[from].push(Edge::To(to, vec![letter]));
        }
        graph
    }
}

/// A graph as a state space.
pub struct GraphSpace {
    graph: Arc<Graph>,
    words: usize,
    /// Gives way to other threads now and then, by chance.
    hesitation: Option<Random>,
    /// How many threads have begun: they wait for each other, a little.
    begun: Arc<AtomicU32>,
    threads: u32,
}

impl GraphSpace {
    pub fn new(graph: Arc<Graph>, words: usize) -> Self {
        Self { graph, words, hesitation: None, begun: Arc::default(), threads: 0 }
    }

    /// The same for several threads, which are to meet as often as possible.
    pub fn for_threads(graph: Arc<Graph>, words: usize, threads: u32, seed: u64) -> Self {
        Self { hesitation: Some(Random(seed)), threads, ..Self::new(graph, words) }
    }
}

impl Space for GraphSpace {
    fn words(&self) -> usize {
        self.words
    }

    fn tag_shift(&self) -> u32 {
        32
    }

    fn initial(&mut self, state: &mut [u64]) {
        state.fill(0);
        let begun = self.begun.fetch_add(1, Ordering::Relaxed);
        let until = Instant::now() + Duration::from_micros(200);
        while begun < self.threads && self.begun.load(Ordering::Relaxed) < self.threads && Instant::now() < until {
            std::hint::spin_loop();
        }
    }

    fn step(&mut self, state: &[u64], number: u32, next: &mut Next) -> Advance {
        if self.hesitation.as_mut().is_some_and(|random| random.one_in(8)) {
            std::thread::yield_now();
        }
        // Two words that differ in few bits, so that the store has something to compare.
        let from = state[self.words - 1] as usize;
        debug_assert!(state[..self.words - 1].iter().all(|&word| word == state[self.words - 1] % 3));
        next.letters.clear();
        match self.graph.edges[from].get(number as usize) {
            None => Advance::NoMore,
            Some(Edge::Blocked) => Advance::Blocked,
            Some(Edge::Refused(why)) => Advance::Refused(Reason::unsupported(format!("step {why}"), None)),
            Some(Edge::Ended(letter)) => {
                next.letters.push(*letter);
                Advance::Ended
            }
            Some(Edge::To(to, letters)) => {
                next.state.fill(*to as u64 % 3);
                next.state[self.words - 1] = *to as u64;
                next.letters.extend_from_slice(letters);
                Advance::Next
            }
        }
    }

    fn answers(&mut self, _: &[u64], number: u32) -> Vec<Answer> {
        vec![Answer::Index(number as usize)]
    }

    fn fork(&self) -> Self {
        let hesitation = self.hesitation.clone().map(|mut random| {
            random.0 ^= Arc::strong_count(&self.begun) as u64;
            random
        });
        let begun = self.begun.clone();
        Self { graph: self.graph.clone(), words: self.words, hesitation, begun, threads: self.threads }
    }
}

/// One state; the atoms of a letter are the acceptance sets that are visited.
pub fn letters_are_marks(sets: u32) -> Negation {
    let mut automaton = Automaton::new(sets);
    let state = automaton.add_state();
    automaton.add_initial(state);
    let atoms: Vec<AtomId> = (0..sets as usize).map(Id::from_index).collect();
    for letter in 0..1_u32 << sets {
        let marks: Marks = (0..sets).filter(|set| letter >> set & 1 == 1).collect();
        let literal = |atom: &AtomId| Guard::literal(*atom, letter >> atom.index() & 1 == 1);
        let guard = atoms.iter().fold(Guard::constant(true), |guard, atom| guard.and(&literal(atom)));
        automaton.add_edge(state, guard, state, marks);
    }
    Negation { automaton, atoms, stutter_invariant: true }
}

/// Any automaton with a few states over two atoms.
pub fn random_negation(random: &mut Random) -> Negation {
    let sets = random.below(4) as u32;
    let mut automaton = Automaton::new(sets);
    let states: Vec<_> = (0..1 + random.below(4)).map(|_| automaton.add_state()).collect();
    let atoms: Vec<AtomId> = (0..2).map(Id::from_index).collect();
    for _ in 0..1 + random.below(2) {
        automaton.add_initial(states[random.below(states.len())]);
    }
    for &from in &states {
        for _ in 0..1 + random.below(3) {
            let guard = match random.below(3) {
                0 => Guard::constant(true),
                1 => Guard::literal(atoms[random.below(2)], random.one_in(2)),
                _ => Guard::literal(atoms[0], random.one_in(2)).and(&Guard::literal(atoms[1], random.one_in(2))),
            };
            let marks = (0..sets).filter(|_| random.one_in(3)).collect();
            automaton.add_edge(from, guard, states[random.below(states.len())], marks);
        }
    }
    Negation { automaton, atoms, stutter_invariant: random.one_in(2) }
}

/// A graph whose edges are drawn by chance, with all kinds of steps.
pub fn random_graph(random: &mut Random, states: usize, negation: &Negation) -> Graph {
    let letters = 1 << negation.atoms.len();
    let degree = 1 + random.below(4);
    let mark_rarity = 1 + random.below(2 * states);
    let (refusals, ends) = ([0, 0, 1, 4][random.below(4)], usize::from(random.one_in(3)));
    let mut edges = vec![Vec::new(); states];
    for from in &mut edges {
        for _ in 0..random.below(degree + 1) {
            let count = if negation.stutter_invariant { 1 + random.below(2) } else { random.below(3) };
            let mut letter = || if random.one_in(mark_rarity) { random.below(letters) as LetterBits } else { 0 };
            let word = (0..count).map(|_| letter()).collect();
            let to = random.below(states);
            let chance = random.below(60);
            from.push(match chance {
                0 => Edge::Blocked,
                _ if chance <= refusals => Edge::Refused(random.below(9) as u32),
                _ if chance <= refusals + ends => Edge::Ended(random.below(letters) as LetterBits),
                _ => Edge::To(to, word),
            });
        }
    }
    Graph { edges }
}

/// Shapes with about so many states. Each edge shows what `letter` says.
pub fn shapes(size: usize, random: &mut Random, letter: &mut dyn FnMut() -> LetterBits) -> Vec<(&'static str, Graph)> {
    let n = size.max(4);
    let mut shape = |name, states, pairs: Vec<(usize, usize)>| {
        (name, Graph::new(states, pairs.into_iter().map(|(from, to)| (from, to, letter()))))
    };
    let chain = || (0..n - 1).map(|i| (i, i + 1));
    let back = |step: usize| (step..n).map(move |i| (i, i - step));
    let side = (n as f64).sqrt().ceil() as usize;
    let grid = |i: usize, j: usize| i % side * side + j % side;
    let cells = || (0..side).flat_map(|i| (0..side).map(move |j| (i, j)));
    vec![
        shape("chain", n, chain().collect()),
        shape("ring", n, chain().chain([(n - 1, 0)]).collect()),
        shape("nested cycles", n, chain().chain(back(1)).collect()),
        shape("overlapping cycles", n, chain().chain(back(3)).collect()),
        shape("cycles on a chain", n, chain().chain(back(2).filter(|(from, _)| from % 5 == 4)).collect()),
        shape("tree", n, (1..n).map(|i| ((i - 1) / 2, i)).collect()),
        shape("tree with ways back", n, (1..n).flat_map(|i| [((i - 1) / 2, i), (i, i / 3)]).collect()),
        shape("ladder", n, (0..n - 2).flat_map(|i| [(i, i + 1), (i, i + 2)]).collect()),
        shape("fan", n, (1..n).flat_map(|i| [(0, i), (i, 1 + i % (n - 1))]).collect()),
        shape("star", n, (1..n).flat_map(|i| [(0, i), (i, 0)]).collect()),
        shape(
            "grid",
            side * side,
            cells()
                .flat_map(|(i, j)| {
                    [(grid(i, j), grid(i.min(side - 2) + 1, j)), (grid(i, j), grid(i, j.min(side - 2) + 1))]
                })
                .collect(),
        ),
        shape(
            "torus",
            side * side,
            cells().flat_map(|(i, j)| [(grid(i, j), grid(i + 1, j)), (grid(i, j), grid(i, j + 1))]).collect(),
        ),
        shape(
            "sparse",
            n,
            (0..n * 3 / 2).map(|_| (random.below(n), random.below(n))).chain((1..n).map(|i| (i / 2, i))).collect(),
        ),
        shape("dense", n, (0..n * 4).map(|_| (random.below(n), random.below(n))).collect()),
        shape(
            "mostly forward",
            n,
            chain()
                .chain((0..n * 2).map(|_| {
                    let from = random.below(n);
                    let near = 1 + random.below(8);
                    if random.one_in(12) { (from, from.saturating_sub(near)) } else { (from, (from + near).min(n - 1)) }
                }))
                .collect(),
        ),
    ]
}
