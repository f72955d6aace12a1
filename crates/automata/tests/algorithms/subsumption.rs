//! Subsumption between states of complements: related states have included languages.

use foundation::{Budget, Id};
use semper_automata::algorithms::complement::{Complement, ComplementState, Macrostate, Ncsb};
use semper_automata::algorithms::{
    Difference, Exact, OverAlphabet, Reader, Residue, StateBased, Variant, classify, is_empty,
};
use semper_automata::buchi::{Automaton, StateId, Successors, Symbol};

use crate::worlds::{
    Dice, Word, alphabet, explored, lassos, random, random_semi_deterministic, random_state_based, reads,
};

/// The reachable states of a reader with the words that each of them accepts.
fn languages<R: Reader<Label = Symbol>>(reader: R, words: &[Word]) -> Vec<(R::State, Vec<bool>)> {
    let (automaton, states) = explored(&OverAlphabet::new(reader, &alphabet(2)));
    let from = |state: StateId| {
        let mut moved: Automaton<Symbol> = Automaton::new(automaton.acceptance_sets());
        for _ in automaton.states() {
            moved.add_state();
        }
        for edge in automaton.edges() {
            moved.add_edge(edge.from, edge.label, edge.to, edge.marks);
        }
        moved.add_initial(state);
        words.iter().map(|word| reads(&moved, word)).collect()
    };
    states.into_iter().zip(automaton.states()).map(|(state, id)| (state, from(id))).collect()
}

fn is_included(smaller: &[bool], larger: &[bool]) -> bool {
    smaller.iter().zip(larger).all(|(smaller, larger)| !smaller || *larger)
}

#[test]
fn macrostates_with_more_runs_accept_less() {
    let mut dice = Dice::new(31);
    let words = lassos(2, 3);
    let mut related = [0; 3];
    let mut lazy_without_breakpoint = 0;
    for round in 0..250 {
        let automaton = random_semi_deterministic(&mut dice, 1 + round % 2, 1 + round % 3, 2);
        let module = StateBased::with_accepting(
            &automaton,
            automaton.states().filter(|&state| automaton.is_accepting(state)).collect(),
        );
        let second = classify::semi_deterministic_part(&module).expect("it is made semi-deterministic");
        for (variant, related) in Variant::ALL.into_iter().zip(&mut related) {
            let ncsb = Ncsb::new(&module, second.clone(), variant);
            let states = languages(&ncsb, &words);
            let original = original(&module);
            for (smaller, smaller_words) in &states {
                for (larger, larger_words) in states.iter().filter(|(larger, _)| larger != smaller) {
                    let included = is_included(smaller_words, larger_words);
                    if ncsb.is_subsumed(smaller, larger) {
                        *related += 1;
                        assert!(included, "{variant:?}: {smaller:?} is not included in {larger:?}: {automaton:?}");
                    }
                    if variant == Variant::Lazy && original.is_subsumed(smaller, larger) && !included {
                        lazy_without_breakpoint += 1;
                    }
                }
            }
        }
    }
    println!("{related:?} related pairs, {lazy_without_breakpoint} wrong for the lazy rules without B");
    assert!(related.iter().all(|&count| count > 100), "{related:?}");
}

/// Whether a difference with folding is empty: an edge to a macrostate that contains one that is known already at the
/// same state of the minuend leads there instead.
fn folded_is_empty(
    minuend: &Automaton<Symbol>,
    ncsb: &Ncsb<&StateBased<Symbol>>,
    folds: impl Fn(&Macrostate, &Macrostate) -> bool,
) -> bool {
    let difference = Difference::new(minuend, vec![ncsb], Exact);
    let mut known: Vec<Residue<StateId, Macrostate>> = Vec::new();
    let mut graph: Automaton<Symbol> = Automaton::new(difference.acceptance_sets());
    let enter = |state: Residue<StateId, Macrostate>, known: &mut Vec<_>, graph: &mut Automaton<Symbol>| {
        let fits = |other: &Residue<StateId, Macrostate>| {
            other.minuend == state.minuend && (other == &state || folds(&state.complements[0], &other.complements[0]))
        };
        match known.iter().position(fits) {
            Some(position) => StateId::from_index(position),
            None => {
                known.push(state);
                graph.add_state()
            }
        }
    };
    for state in difference.initial() {
        let state = enter(state, &mut known, &mut graph);
        graph.add_initial(state);
    }
    let mut next = 0;
    while next < known.len() {
        for step in difference.successors(&known[next].clone()) {
            let to = enter(step.to, &mut known, &mut graph);
            graph.add_edge(StateId::from_index(next), step.label, to, step.marks);
        }
        next += 1;
    }
    is_empty(&graph, &Budget::unlimited()).expect("there is no limit")
}

/// Folding may add runs, so that something seems to be left where nothing is; it must not lose any.
#[test]
fn folding_needs_all_four_parts() {
    let mut dice = Dice::new(33);
    let (mut empty, mut spurious, mut lost_without_breakpoint) = (0, 0, 0);
    for round in 0..6000 {
        let minuend = random(&mut dice, 1 + round % 3, 2, 1, 45);
        let automaton = random_semi_deterministic(&mut dice, 1, 2 + round % 2, 2);
        let module = StateBased::with_accepting(
            &automaton,
            automaton.states().filter(|&state| automaton.is_accepting(state)).collect(),
        );
        let second = classify::semi_deterministic_part(&module).expect("it is made semi-deterministic");
        let variant = Variant::ALL[round % 3];
        let ncsb = Ncsb::new(&module, second.clone(), variant);
        let is_empty = is_empty(&Difference::new(&minuend, vec![&ncsb], Exact), &Budget::unlimited()).unwrap();
        let folded = folded_is_empty(&minuend, &ncsb, Macrostate::contains);
        assert!(is_empty || !folded, "{variant:?}: {minuend:?} minus {automaton:?}");
        empty += usize::from(is_empty);
        spurious += usize::from(is_empty && !folded);
        let by_runs = folded_is_empty(&minuend, &ncsb, |one, other| original(&module).is_subsumed(one, other));
        lost_without_breakpoint += usize::from(by_runs && !is_empty);
    }
    println!("{empty} empty, {spurious} of them not seen, {lost_without_breakpoint} runs lost without B");
    assert!(empty > 1000 && spurious * 10 < empty, "{empty} empty, {spurious} of them not seen");
    assert!(lost_without_breakpoint > 0, "then the weaker relation would do");
}

/// The original rules, whose relation does not look at B.
fn original(module: &StateBased<Symbol>) -> Ncsb<&StateBased<Symbol>> {
    let second = classify::semi_deterministic_part(module).expect("it is made semi-deterministic");
    Ncsb::new(module, second, Variant::Original)
}

#[test]
fn subsumption_of_the_other_complements_implies_inclusion() {
    let mut dice = Dice::new(32);
    let words = lassos(2, 3);
    let mut related = [0; 5];
    for round in 0..500 {
        let automaton = random_state_based(&mut dice, 2 + round % 2, 2, 30);
        let module = StateBased::of(&automaton);
        let mut kinds = vec![classify::Kind::General];
        kinds.extend(classify::is_finite_trace(&module, &alphabet(2)).then_some(classify::Kind::FiniteTrace));
        kinds.extend(classify::is_deterministic(&module).then_some(classify::Kind::Deterministic));
        kinds.extend(classify::is_weak(&module).then_some(classify::Kind::Weak));
        for kind in kinds {
            let complement = Complement::new(&module, kind, Variant::Lazy);
            let states = languages(&complement, &words);
            for (smaller, smaller_words) in &states {
                for (larger, larger_words) in states.iter().filter(|(larger, _)| larger != smaller) {
                    if complement.is_subsumed(smaller, larger) {
                        related[place(smaller)] += 1;
                        assert!(is_included(smaller_words, larger_words), "{smaller:?} and {larger:?}: {automaton:?}");
                    }
                }
            }
        }
    }
    println!("{related:?} related pairs");
    assert!([0, 1, 2, 4].iter().all(|&kind| related[kind] > 10), "{related:?}");
}

fn place(state: &ComplementState) -> usize {
    match state {
        ComplementState::FiniteTrace(_) => 0,
        ComplementState::Deterministic(_) => 1,
        ComplementState::Weak(_) => 2,
        ComplementState::SemiDeterministic(_) => 3,
        ComplementState::General(_) => 4,
    }
}
