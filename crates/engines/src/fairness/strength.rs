//! The property's automaton by the strength of its components: what must be refuted there.
//!
//! In a *terminal* component every rest of the word is accepted: one edge for all letters takes the place of its inner
//! edges, so that reaching it with any infinite execution behind is what has to be refuted. In a *weak* one every cycle is
//! accepted: all of its edges carry all marks, and no cycle has to be led past certain edges. Only in *strong* ones the
//! marks stay as they are. Where there is none of these, one acceptance set is enough.

use automata::buchi::{Automaton, Guard, Marks};
use automata::translate::strength::{Strength, Strengths};

/// An automaton for the same language with its marks where the strength of its components says.
pub fn by_strength(automaton: &Automaton<Guard>) -> Automaton<Guard> {
    let strengths = Strengths::of(automaton);
    let sets = if strengths.greatest() == Strength::Strong { automaton.acceptance_sets() } else { 1 };
    let all = Marks::all(sets);
    let strength_inside = |from, to| strengths.components.inside(from, to).map(|component| strengths.get(component));
    let mut marked = automaton.map_edges(sets, |edge| match strength_inside(edge.from, edge.to) {
        None | Some(Strength::Rejecting) => Some((edge.label.clone(), Marks::NONE)),
        Some(Strength::Terminal) => None,
        Some(Strength::Weak) => Some((edge.label.clone(), all)),
        Some(Strength::Strong) => Some((edge.label.clone(), edge.marks)),
    });
    for state in automaton.states() {
        if strengths.of_state(state) == Some(Strength::Terminal) {
            marked.add_edge(state, Guard::constant(true), state, all);
        }
    }
    marked
}

#[cfg(test)]
mod tests {
    use automata::ltl::{AtomId, Formulas, Letter, parse};
    use automata::translate::{Options, Target, translate};
    use foundation::{Id, SourceMap};

    use super::*;

    #[test]
    fn the_language_stays_the_same() {
        let texts = [
            "G a",
            "F a",
            "G F a",
            "F G a",
            "a U b",
            "F (a && X b)",
            "G (a -> F b)",
            "G F a -> G F b",
            "a W (b && G !a)",
            "F a || G F b",
            "(a U b) || G (a -> X b)",
            "G F a && G F b",
            "F G a || F b",
        ];
        for text in texts {
            let (mut sources, mut formulas) = (SourceMap::new(), Formulas::new());
            let source = sources.add("", text);
            let formula = parse(&sources, source, &mut formulas).unwrap();
            let options = Options { target: Target::Tgba, ..Options::default() };
            let automaton = translate(&mut formulas, formula, &options).unwrap().automaton;
            let marked = by_strength(&automaton);
            let letters: Vec<Letter> = (0..4usize)
                .map(|bits| (0..2).filter(|atom| bits >> atom & 1 == 1).map(AtomId::from_index).collect())
                .collect();
            // All words with stems and loops of up to two letters.
            let words: Vec<Vec<Letter>> = letters
                .iter()
                .map(|letter| vec![letter.clone()])
                .chain(letters.iter().flat_map(|one| letters.iter().map(|two| vec![one.clone(), two.clone()])))
                .collect();
            for stem in std::iter::once(Vec::new()).chain(words.iter().cloned()) {
                for repeated in &words {
                    let accepts = |automaton: &Automaton<Guard>| automata::buchi::accepts(automaton, &stem, repeated);
                    assert_eq!(accepts(&automaton), accepts(&marked), "{text} on {stem:?} {repeated:?}");
                }
            }
        }
    }
}
