//! Whether an automaton has lost a word, found out by looking at all short ones: by the definition of LTL on one side, by
//! brute force on the other.

use semper::automata::buchi::{Automaton, Guard, accepts};
use semper::automata::ltl::{AtomId, Letter, evaluate_lasso};
use semper::task::Task;

/// The longest stems and loops.
const LONGEST: usize = 2;

/// Whether a short word violates the goal and is not accepted.
pub fn is_lost(task: &Task, automaton: &Automaton<Guard>) -> bool {
    let words = words(&task.goal_atoms());
    let loops: Vec<&Vec<Letter>> = words.iter().filter(|word| !word.is_empty()).collect();
    words.iter().any(|stem| {
        loops.iter().any(|repeated| {
            !evaluate_lasso(&task.formulas, task.formula(), stem, repeated) && !accepts(automaton, stem, repeated)
        })
    })
}

fn words(atoms: &[AtomId]) -> Vec<Vec<Letter>> {
    let letters: Vec<Letter> = (0..1u32 << atoms.len())
        .map(|choice| {
            atoms.iter().enumerate().filter(|(bit, _)| choice >> bit & 1 == 1).map(|(_, atom)| *atom).collect()
        })
        .collect();
    let mut words: Vec<Vec<Letter>> = vec![Vec::new()];
    let mut last = words.clone();
    for _ in 0..LONGEST {
        let longer = |word: &Vec<Letter>| {
            letters.iter().map(|letter| word.iter().cloned().chain([letter.clone()]).collect()).collect::<Vec<_>>()
        };
        last = last.iter().flat_map(longer).collect();
        words.extend(last.clone());
    }
    words
}
