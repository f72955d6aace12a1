//! Automata that are asked letter by letter, and their view as automata that list their edges.

use std::hash::Hash;

use crate::algorithms::alphabet::Minterms;
use crate::buchi::{Label, Marks, Move, Successors};

/// A transition-based generalised Büchi automaton that is asked for one letter at a time. Complements are such: they
/// have an answer for every letter, and list none.
pub trait Reader {
    /// What tells states apart.
    type State: Clone + Eq + Hash;
    /// The letters.
    type Label: Label;

    /// The states where runs begin.
    fn initial(&self) -> Vec<Self::State>;

    /// The states that follow a state on a letter, with the acceptance sets of the edges.
    fn read(&self, state: &Self::State, letter: &Self::Label) -> Vec<(Self::State, Marks)>;

    /// How many acceptance sets there are.
    fn acceptance_sets(&self) -> u32;

    /// Whether everything that `smaller` accepts is accepted by `larger`, for a reason that is cheap to see.
    fn is_subsumed(&self, smaller: &Self::State, larger: &Self::State) -> bool {
        smaller == larger
    }
}

impl<R: Reader> Reader for &R {
    type State = R::State;
    type Label = R::Label;

    fn initial(&self) -> Vec<Self::State> {
        R::initial(self)
    }

    fn read(&self, state: &Self::State, letter: &Self::Label) -> Vec<(Self::State, Marks)> {
        R::read(self, state, letter)
    }

    fn acceptance_sets(&self) -> u32 {
        R::acceptance_sets(self)
    }

    fn is_subsumed(&self, smaller: &Self::State, larger: &Self::State) -> bool {
        R::is_subsumed(self, smaller, larger)
    }
}

/// A reader as an automaton: every letter of a finite alphabet is asked for.
#[derive(Clone, Debug)]
pub struct OverAlphabet<R: Reader> {
    reader: R,
    letters: Vec<R::Label>,
}

impl<R: Reader> OverAlphabet<R> {
    /// The automaton over these letters.
    pub fn new(reader: R, alphabet: &Minterms<R::Label>) -> Self {
        Self { reader, letters: alphabet.letters().to_vec() }
    }

    /// Gives the reader back, which can compare macrostates.
    pub fn reader(&self) -> &R {
        &self.reader
    }
}

impl<R: Reader> Successors for OverAlphabet<R> {
    type State = R::State;
    type Label = R::Label;

    fn initial(&self) -> Vec<Self::State> {
        self.reader.initial()
    }

    fn successors(&self, state: &Self::State) -> Vec<Move<Self::State, Self::Label>> {
        let moves = |letter: &R::Label| {
            let step = |(to, marks)| Move { label: letter.clone(), to, marks };
            self.reader.read(state, letter).into_iter().map(step).collect::<Vec<_>>()
        };
        self.letters.iter().flat_map(moves).collect()
    }

    fn acceptance_sets(&self) -> u32 {
        self.reader.acceptance_sets()
    }
}
