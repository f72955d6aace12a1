//! Whether an automaton accepts a lasso word, by brute force.
//!
//! The product of the automaton with the positions of the word is written out, and searched for a component whose
//! edges carry all marks. It is a reference for tests and for the check of evidence: it uses no other algorithm on
//! automata, and no lazy product.

use foundation::Id;

use super::automaton::{Automaton, StateId};
use super::components::Components;
use super::guard::Guard;
use crate::ltl::Letter;

/// Whether the automaton accepts the word `stem · loop^ω`. The loop must not be empty.
pub fn accepts(automaton: &Automaton<Guard>, stem: &[Letter], repeated: &[Letter]) -> bool {
    accepts_word(automaton, stem, repeated, Guard::holds)
}

/// The same for any alphabet, given whether a label stands for a letter.
pub fn accepts_word<L, A>(
    automaton: &Automaton<L>,
    stem: &[A],
    repeated: &[A],
    reads: impl Fn(&L, &A) -> bool,
) -> bool {
    assert!(!repeated.is_empty(), "the loop of a lasso has at least one letter");
    let letters: Vec<&A> = stem.iter().chain(repeated).collect();
    let length = letters.len();
    let mut product: Automaton<()> = Automaton::new(automaton.acceptance_sets());
    for _ in 0..automaton.state_count() * length {
        product.add_state();
    }
    let at = |state: StateId, position: usize| StateId::from_index(state.index() * length + position);
    for edge in automaton.edges() {
        for position in (0..length).filter(|&position| reads(&edge.label, letters[position])) {
            let next = if position + 1 < length { position + 1 } else { stem.len() };
            product.add_edge(at(edge.from, position), (), at(edge.to, next), edge.marks);
        }
    }
    for &state in automaton.initial() {
        product.add_initial(at(state, 0));
    }
    Components::of(&product).iter().any(|(_, component)| component.is_accepting)
}
