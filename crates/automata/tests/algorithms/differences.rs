//! Differences on the fly, with and without pruning, against words.

use foundation::{Budget, Id};
use semper_automata::algorithms::classify;
use semper_automata::algorithms::complement::Complement;
use semper_automata::algorithms::{Antichain, Difference, Exact, StateBased, Variant, lasso, search, search_with};
use semper_automata::buchi::{Automaton, StateId, Symbol};

use crate::worlds::{Dice, alphabet, explored, lassos, random, random_semi_deterministic, random_state_based, reads};

fn complemented(automaton: &Automaton<Symbol>, variant: Variant) -> Complement<StateBased<Symbol>> {
    let module = StateBased::of(automaton);
    let kind = classify::kind(&module, &alphabet(2));
    Complement::new(module, kind, variant)
}

#[test]
fn what_is_left_is_accepted_by_the_minuend_alone_and_pruning_changes_nothing() {
    let budget = Budget::unlimited();
    let mut dice = Dice::new(21);
    let words = lassos(2, 3);
    let (mut empty, mut pruned, mut saved) = (0, 0, 0_isize);
    for round in 0..700 {
        let minuend = random(&mut dice, 3, 2, (round % 3) as u32, 30);
        let modules: Vec<Automaton<Symbol>> = (0..1 + round % 2)
            .map(|which| match (round + which) % 3 {
                0 => random_state_based(&mut dice, 2, 2, 45),
                _ => random_semi_deterministic(&mut dice, 1 + round % 2, 2, 2),
            })
            .collect();
        let variant = Variant::ALL[round % 3];
        let complements = modules.iter().map(|module| complemented(module, variant)).collect();
        let difference = Difference::new(&minuend, complements, Exact);
        let written_out = explored(&difference).0;
        for word in &words {
            let expected = reads(&minuend, word) && !modules.iter().any(|module| reads(module, word));
            assert_eq!(reads(&written_out, word), expected, "{word:?}");
        }
        let plain = search(&difference, &budget).unwrap();
        let mut known = Antichain::new(&difference);
        let found = search_with(&difference, &mut known, &budget).unwrap();
        assert_eq!(found.is_empty(), plain.is_empty(), "{minuend:?} minus {modules:?}");
        if found.is_empty() {
            empty += 1;
        }
        pruned += found.pruned;
        saved += plain.visited.len() as isize - found.visited.len() as isize;
        if let Some(lasso) = lasso::construct(&difference, &found, &budget).unwrap() {
            let word = lasso.word();
            assert!(reads(&minuend, &word));
            assert!(!modules.iter().any(|module| reads(module, &word)), "{word:?}");
            let run = lasso.map(|state| state.minuend);
            assert!(run.stem.iter().chain(&run.cycle).all(|step| step.from.index() < 3));
        }
    }
    println!("{empty} empty, {pruned} edges pruned, {saved} states saved");
    assert!(empty > 50 && pruned > 50 && saved > 50, "{empty} empty, {pruned} edges pruned, {saved} states saved");
}

/// The example of the notes: Q₁ = {0} loops on both letters, 0 –a→ 1 ∈ F, 1 –a→ 1.
#[test]
fn the_example_of_the_design_page() {
    let (a, b) = (Symbol(0), Symbol(1));
    let mut module: Automaton<Symbol> = Automaton::new(1);
    let (zero, one): (StateId, StateId) = (module.add_state(), module.add_state());
    module.add_initial(zero);
    for letter in [a, b] {
        module.add_edge(zero, letter, zero, Default::default());
    }
    module.add_edge(zero, a, one, Default::default());
    module.add_edge(one, a, one, module.all_marks());
    let mut everything: Automaton<Symbol> = Automaton::new(0);
    let only = everything.add_state();
    everything.add_initial(only);
    for letter in [a, b] {
        everything.add_edge(only, letter, only, Default::default());
    }
    let second: semper_automata::algorithms::StateSet = [one].into_iter().collect();
    for variant in Variant::ALL {
        let state_based = StateBased::with_accepting(&module, second.clone());
        let kind = classify::Kind::SemiDeterministic { second_part: second.clone() };
        let complement = Complement::new(state_based, kind, variant);
        let rest = explored(&Difference::new(&everything, vec![complement], Exact)).0;
        assert!(reads(&rest, &(vec![], vec![a, b])));
        assert!(!reads(&rest, &(vec![], vec![a])));
        assert!(!reads(&rest, &(vec![b, b], vec![a])));
    }
}
