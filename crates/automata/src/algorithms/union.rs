//! The union of two automata: it accepts what either accepts.
//!
//! The two are put beside each other without edges between them. Where one has fewer acceptance sets than the other,
//! all its edges belong to the sets that it lacks.

use crate::buchi::{Marks, Move, Successors};

/// The union of two lazy automata over the same alphabet.
#[derive(Clone, Debug)]
pub struct Union<A, B> {
    left: A,
    right: B,
}

/// A state of a [`Union`].
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Either<L, R> {
    /// A state of the first automaton.
    Left(L),
    /// A state of the second automaton.
    Right(R),
}

impl<A: Successors, B: Successors<Label = A::Label>> Union<A, B> {
    /// The union.
    pub fn new(left: A, right: B) -> Self {
        Self { left, right }
    }

    /// The marks that edges of an automaton with this many acceptance sets have besides their own.
    fn lacking(&self, sets: u32) -> Marks {
        Marks::all(self.acceptance_sets()).minus(Marks::all(sets))
    }
}

impl<A: Successors, B: Successors<Label = A::Label>> Successors for Union<A, B> {
    type State = Either<A::State, B::State>;
    type Label = A::Label;

    fn initial(&self) -> Vec<Self::State> {
        let left = self.left.initial().into_iter().map(Either::Left);
        left.chain(self.right.initial().into_iter().map(Either::Right)).collect()
    }

    fn successors(&self, state: &Self::State) -> Vec<Move<Self::State, Self::Label>> {
        match state {
            Either::Left(state) => {
                let more = self.lacking(self.left.acceptance_sets());
                moved(self.left.successors(state), more, Either::Left)
            }
            Either::Right(state) => {
                let more = self.lacking(self.right.acceptance_sets());
                moved(self.right.successors(state), more, Either::Right)
            }
        }
    }

    fn acceptance_sets(&self) -> u32 {
        self.left.acceptance_sets().max(self.right.acceptance_sets())
    }
}

fn moved<S, T, L>(moves: Vec<Move<S, L>>, more: Marks, side: impl Fn(S) -> T) -> Vec<Move<T, L>> {
    let step = |step: Move<S, L>| Move { label: step.label, to: side(step.to), marks: step.marks.union(more) };
    moves.into_iter().map(step).collect()
}
