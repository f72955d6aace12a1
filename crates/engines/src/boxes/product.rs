//! The graph of boxes beside the automaton of the negated goal.

use std::cell::RefCell;

use automata::buchi::label::Symbol;
use automata::buchi::{Marks, Move, Successors};
use foundation::Id;
use task::WordReader;

use super::graph::{BoxGraph, BoxPassage};

/// A state of the product.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ProductState {
    /// A box, or the start where there is none, and a state of the automaton.
    At(Option<u32>, u32),
    /// The last letter is repeated for ever, and the automaton accepts that.
    Accepted,
}

/// The product. Its labels say which passage of a box was taken.
pub struct BoxProduct<'g> {
    graph: &'g BoxGraph<'g>,
    reader: RefCell<WordReader<'g>>,
    initial: Vec<u32>,
    sets: u32,
}

impl<'g> BoxProduct<'g> {
    /// The product of a graph.
    pub fn new(graph: &'g BoxGraph<'g>) -> Self {
        let negation = graph.negation();
        let initial = negation.automaton.initial().iter().map(|state| state.index() as u32).collect();
        let sets = negation.automaton.acceptance_sets();
        Self { graph, reader: RefCell::new(WordReader::new(negation)), initial, sets }
    }

    fn passages(&self, node: Option<u32>) -> &[BoxPassage] {
        node.map_or(&self.graph.start, |node| &self.graph.nodes[node as usize].passages)
    }
}

impl Successors for BoxProduct<'_> {
    type State = ProductState;
    type Label = Symbol;

    fn initial(&self) -> Vec<ProductState> {
        self.initial.iter().map(|&state| ProductState::At(None, state)).collect()
    }

    fn successors(&self, state: &ProductState) -> Vec<Move<ProductState, Symbol>> {
        let &ProductState::At(node, automaton_state) = state else {
            return vec![Move { label: Symbol(0), to: ProductState::Accepted, marks: Marks::all(self.sets) }];
        };
        let mut reader = self.reader.borrow_mut();
        let mut moves = Vec::new();
        for (number, passage) in self.passages(node).iter().enumerate() {
            let label = Symbol(number as u32);
            let word = reader.word(&passage.word);
            let after = reader.moves(word, &passage.word, automaton_state).to_vec();
            for (state, marks) in after {
                let to = match passage.to {
                    Some(node) => ProductState::At(Some(node), state),
                    None if reader.accepts_for_ever(state, passage.last) => ProductState::Accepted,
                    None => continue,
                };
                moves.push(Move { label, to, marks });
            }
        }
        moves
    }

    fn acceptance_sets(&self) -> u32 {
        self.sets
    }
}
