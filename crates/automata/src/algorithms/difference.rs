//! What one automaton accepts and none of several others, on the fly.
//!
//! The minuend lists its edges; the complements of the subtrahends are asked only for the letters on them. This is
//! how a proof by refinement asks whether anything is left to refute: the minuend is the program with the negated
//! property, the subtrahends are the modules refuted so far (`docs/design/complementation.md`).

use crate::buchi::{Marks, Move, Successors};

use super::alphabet::Alphabet;
use super::complement::Reader;
use super::pruning::Subsumption;

/// A lazy automaton intersected with complements.
#[derive(Clone, Debug)]
pub struct Difference<A, R, T> {
    minuend: A,
    complements: Vec<R>,
    alphabet: T,
}

impl<A, R, T> Difference<A, R, T>
where
    A: Successors,
    R: Reader<Label = A::Label>,
    T: Alphabet<A::Label>,
{
    /// The difference, given the complements of what is subtracted. The alphabet cuts the labels of the minuend so
    /// fine that the complements read each piece as a whole. All together have at most
    /// [`Marks::MOST`](crate::buchi::Marks::MOST) acceptance sets.
    pub fn new(minuend: A, complements: Vec<R>, alphabet: T) -> Self {
        Self { minuend, complements, alphabet }
    }

    /// The complements, in the order of the parts of a state.
    pub fn complements(&self) -> &[R] {
        &self.complements
    }

    /// How many acceptance sets the minuend has: those come first.
    pub fn minuend_sets(&self) -> u32 {
        self.minuend.acceptance_sets()
    }

    /// How many more acceptance sets the complements of further subtrahends may have.
    pub fn room(&self) -> u32 {
        Marks::MOST - self.acceptance_sets()
    }

    /// Subtracts one more, given its complement, for which there must be [room](Self::room).
    pub fn subtract(&mut self, complement: R) {
        self.complements.push(complement);
    }
}

/// A state of a [`Difference`].
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Residue<S, C> {
    /// The state of the minuend.
    pub minuend: S,
    /// The states of the complements.
    pub complements: Vec<C>,
}

impl<A, R, T> Successors for Difference<A, R, T>
where
    A: Successors,
    R: Reader<Label = A::Label>,
    T: Alphabet<A::Label>,
{
    type State = Residue<A::State, R::State>;
    type Label = A::Label;

    fn initial(&self) -> Vec<Self::State> {
        let each = self.complements.iter().map(|part| part.initial().into_iter().map(|s| (s, Marks::NONE)).collect());
        let choices = combinations(each);
        let with = |minuend: A::State| {
            let state = move |(complements, _): &(Vec<R::State>, Marks)| Residue {
                minuend: minuend.clone(),
                complements: complements.clone(),
            };
            choices.iter().map(state).collect::<Vec<_>>()
        };
        self.minuend.initial().into_iter().flat_map(with).collect()
    }

    fn successors(&self, state: &Self::State) -> Vec<Move<Self::State, Self::Label>> {
        let mut moves = Vec::new();
        for step in self.minuend.successors(&state.minuend) {
            for letter in self.alphabet.split(&step.label) {
                let mut offset = self.minuend.acceptance_sets();
                let each = self.complements.iter().zip(&state.complements).map(|(part, state)| {
                    let own = offset;
                    offset += part.acceptance_sets();
                    part.read(state, &letter).into_iter().map(|(to, marks)| (to, marks.shifted(own))).collect()
                });
                for (complements, marks) in combinations(each) {
                    let to = Residue { minuend: step.to.clone(), complements };
                    moves.push(Move { label: letter.clone(), to, marks: step.marks.union(marks) });
                }
            }
        }
        moves
    }

    fn acceptance_sets(&self) -> u32 {
        self.minuend.acceptance_sets() + self.complements.iter().map(Reader::acceptance_sets).sum::<u32>()
    }
}

/// The remaining language of a state is the intersection of its parts' languages, so it shrinks with each of them.
impl<A, R, T> Subsumption<Residue<A::State, R::State>> for Difference<A, R, T>
where
    A: Successors,
    R: Reader<Label = A::Label>,
{
    type Key = A::State;

    fn key(&self, state: &Residue<A::State, R::State>) -> A::State {
        state.minuend.clone()
    }

    fn is_subsumed(&self, smaller: &Residue<A::State, R::State>, larger: &Residue<A::State, R::State>) -> bool {
        let pairs = smaller.complements.iter().zip(&larger.complements);
        self.complements.iter().zip(pairs).all(|(part, (smaller, larger))| part.is_subsumed(smaller, larger))
    }
}

/// One choice from each list, in every way, with the marks of all choices together.
fn combinations<S: Clone>(lists: impl Iterator<Item = Vec<(S, Marks)>>) -> Vec<(Vec<S>, Marks)> {
    let mut chosen = vec![(Vec::new(), Marks::NONE)];
    for list in lists {
        let longer = |(states, marks): &(Vec<S>, Marks)| {
            let with = |(state, more): &(S, Marks)| {
                let states = states.iter().cloned().chain([state.clone()]).collect();
                (states, marks.union(*more))
            };
            list.iter().map(with).collect::<Vec<_>>()
        };
        chosen = chosen.iter().flat_map(longer).collect();
        if chosen.is_empty() {
            break;
        }
    }
    chosen
}
