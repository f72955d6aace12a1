//! The product of two automata: it accepts what both accept.
//!
//! Acceptance is transition-based and generalised, so the sets of both are put side by side and no counter is needed
//! (unlike the three-part product of the lecture notes). States and edges appear when they are asked for.

use crate::buchi::{Label, Move, Successors};

/// The intersection of two lazy automata over the same alphabet.
#[derive(Clone, Debug)]
pub struct Product<A, B> {
    left: A,
    right: B,
}

impl<A: Successors, B: Successors<Label = A::Label>> Product<A, B> {
    /// The product. Both together have at most [`Marks::MOST`](crate::buchi::Marks::MOST) acceptance sets.
    pub fn new(left: A, right: B) -> Self {
        Self { left, right }
    }
}

impl<A: Successors, B: Successors<Label = A::Label>> Successors for Product<A, B> {
    type State = (A::State, B::State);
    type Label = A::Label;

    fn initial(&self) -> Vec<Self::State> {
        let right = self.right.initial();
        let pairs = |left: A::State| right.iter().map(move |right| (left.clone(), right.clone())).collect::<Vec<_>>();
        self.left.initial().into_iter().flat_map(pairs).collect()
    }

    fn successors(&self, (left, right): &Self::State) -> Vec<Move<Self::State, Self::Label>> {
        let offset = self.left.acceptance_sets();
        let right_moves = self.right.successors(right);
        let mut moves = Vec::new();
        for one in self.left.successors(left) {
            for other in &right_moves {
                if let Some(label) = one.label.meet(&other.label) {
                    let to = (one.to.clone(), other.to.clone());
                    moves.push(Move { label, to, marks: one.marks.union(other.marks.shifted(offset)) });
                }
            }
        }
        moves
    }

    fn acceptance_sets(&self) -> u32 {
        self.left.acceptance_sets() + self.right.acceptance_sets()
    }
}
