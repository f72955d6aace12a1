//! What an automaton does with the letters that a step of the program shows.

use automata::buchi::{Automaton, Guard, Marks};
use automata::ltl::{AtomId, Letter};
use foundation::Id;
use foundation::collections::HashMap;
use task::Scheduler;

use super::emptiness::{ExploredEdge, ExploredGraph, ReadyThreads};

/// Letters by their numbers, and where the automaton may go with them.
pub(super) struct AutomatonReader<'a> {
    automaton: &'a Automaton<Guard>,
    letters: Vec<Letter>,
    known: HashMap<Vec<bool>, u32>,
    moves: HashMap<(u32, u32), Vec<(u32, Marks)>>,
    for_ever: HashMap<u32, Vec<bool>>,
}

impl<'a> AutomatonReader<'a> {
    pub fn new(automaton: &'a Automaton<Guard>) -> Self {
        let (known, moves, for_ever) = (HashMap::default(), HashMap::default(), HashMap::default());
        Self { automaton, letters: Vec::new(), known, moves, for_ever }
    }

    /// The number of a letter, from the truth of all atoms.
    pub fn number(&mut self, truth: &[bool]) -> u32 {
        if let Some(&number) = self.known.get(truth) {
            return number;
        }
        let number = self.letters.len() as u32;
        let holding = truth.iter().enumerate().filter(|&(_, &holds)| holds);
        self.letters.push(holding.map(|(index, _)| AtomId::from_index(index)).collect());
        self.known.insert(truth.to_vec(), number);
        number
    }

    /// Where the automaton may be after a word, and the acceptance sets that it has visited meanwhile.
    pub fn read(&mut self, state: u32, word: &[u32]) -> Vec<(u32, Marks)> {
        let mut now = vec![(state, Marks::NONE)];
        for &letter in word {
            let mut next = Vec::new();
            for (state, marks) in now {
                let step = self.moves(state, letter).iter().map(|&(to, more)| (to, marks.union(more)));
                next.extend(step);
            }
            next.sort_unstable();
            next.dedup();
            now = next;
        }
        now
    }

    /// Whether the automaton accepts the word that repeats a letter for ever, from a state on.
    pub fn accepts_for_ever(&mut self, state: u32, letter: u32) -> bool {
        if !self.for_ever.contains_key(&letter) {
            let accepting = self.accepting_for_ever(letter);
            self.for_ever.insert(letter, accepting);
        }
        self.for_ever[&letter][state as usize]
    }

    fn moves(&mut self, state: u32, letter: u32) -> &[(u32, Marks)] {
        let (automaton, letters) = (self.automaton, &self.letters);
        self.moves.entry((state, letter)).or_insert_with(|| {
            let edges = automaton.edges_from(Id::from_index(state as usize)).iter();
            let open = edges.filter(|edge| edge.label.holds(&letters[letter as usize]));
            open.map(|edge| (edge.to.index() as u32, edge.marks)).collect()
        })
    }

    /// By state: whether it accepts a letter for ever. That is so if it can reach an accepting component of what is left of
    /// the automaton for this letter.
    fn accepting_for_ever(&mut self, letter: u32) -> Vec<bool> {
        let count = self.automaton.state_count();
        let mut edges: Vec<Vec<ExploredEdge>> = Vec::with_capacity(count);
        for state in 0..count as u32 {
            let edge = |&(to, marks): &(u32, Marks)| ExploredEdge { to, marks, turn: ReadyThreads::default() };
            edges.push(self.moves(state, letter).iter().map(edge).collect());
        }
        let whole = ExploredGraph { edges, all: self.automaton.all_marks(), scheduler: Scheduler::Any };
        (0..count).map(|state| whole.restricted_to(&whole.reachable(state)).accepting().is_some()).collect()
    }
}

impl ExploredGraph {
    fn reachable(&self, from: usize) -> Vec<bool> {
        let mut reached = vec![false; self.edges.len()];
        reached[from] = true;
        let mut open = vec![from];
        while let Some(node) = open.pop() {
            for edge in &self.edges[node] {
                if !std::mem::replace(&mut reached[edge.to as usize], true) {
                    open.push(edge.to as usize);
                }
            }
        }
        reached
    }

    /// The same graph without the edges of other nodes.
    fn restricted_to(&self, nodes: &[bool]) -> ExploredGraph {
        let edges = self.edges.iter().zip(nodes).map(|(edges, &kept)| if kept { edges.clone() } else { Vec::new() });
        ExploredGraph { edges: edges.collect(), all: self.all, scheduler: self.scheduler }
    }
}
