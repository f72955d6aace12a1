//! Completion, trimming and the classes of automata.

use semper_automata::algorithms::{classify, complete, trim};
use semper_automata::buchi::{Automaton, Components, Marks, Symbol};

use crate::worlds::{Dice, alphabet, lassos, random, reads};

#[test]
fn completion_and_trimming_keep_the_language() {
    let mut dice = Dice::new(41);
    let words = lassos(2, 3);
    let (mut completed_already, mut smaller) = (0, 0);
    for round in 0..800 {
        let automaton = random(&mut dice, 1 + round % 4, 2, (round / 4 % 3) as u32, 15 + round % 50);
        let completed = complete(&automaton, &alphabet(2));
        let trimmed = trim(&automaton);
        assert!(classify::is_complete(&completed, &alphabet(2)), "{completed:?}");
        if classify::is_complete(&automaton, &alphabet(2)) {
            completed_already += 1;
        }
        assert_eq!(automaton.is_deterministic(), completed.is_deterministic() && automaton.initial().len() <= 1);
        for word in &words {
            let expected = reads(&automaton, word);
            assert_eq!(reads(&completed, word), expected);
            assert_eq!(reads(&trimmed, word), expected);
        }
        smaller += usize::from(trimmed.state_count() < automaton.state_count());
        assert_eq!(trim(&trimmed), trimmed);
        let components = Components::of(&trimmed);
        assert!(trimmed.states().all(|state| components.of_state(state).is_some()));
    }
    assert!(completed_already > 10 && smaller > 100, "{completed_already} complete, {smaller} trimmed");
}

#[test]
fn terminal_automata_look_at_prefixes_only() {
    let mut dice = Dice::new(42);
    let words = lassos(2, 3);
    let (mut terminal, mut weak) = (0, 0);
    for round in 0..3000 {
        let automaton = random(&mut dice, 1 + round % 3, 2, 1, 50);
        weak += usize::from(classify::has_weak_acceptance(&automaton));
        if !classify::is_terminal(&automaton, &alphabet(2)) {
            continue;
        }
        terminal += 1;
        assert!(classify::has_weak_acceptance(&automaton));
        // An accepted word has a prefix that every continuation of is accepted.
        for (stem, repeated) in words.iter().filter(|word| reads(&automaton, word)) {
            let prefix: Vec<Symbol> = stem.iter().chain(repeated.iter().cycle()).take(12).copied().collect();
            for (more, again) in &words {
                let continued = prefix.iter().chain(more).copied().collect();
                assert!(reads(&automaton, &(continued, again.clone())), "{automaton:?}");
            }
        }
    }
    assert!(terminal > 50 && weak > terminal, "{terminal} terminal, {weak} weak");
}

#[test]
fn classes_of_known_automata() {
    // F a: terminal. G F a: deterministic, neither weak nor terminal. F G a: weak, not terminal.
    let build = |edges: &[(usize, u32, usize, bool)]| {
        let mut automaton: Automaton<Symbol> = Automaton::new(1);
        let states = [automaton.add_state(), automaton.add_state()];
        automaton.add_initial(states[0]);
        for &(from, letter, to, marked) in edges {
            let marks = if marked { Marks::one(0) } else { Marks::NONE };
            automaton.add_edge(states[from], Symbol(letter), states[to], marks);
        }
        automaton
    };
    let letters = alphabet(2);
    let eventually = build(&[(0, 1, 0, false), (0, 0, 1, false), (1, 0, 1, true), (1, 1, 1, true)]);
    let infinitely = build(&[(0, 1, 0, false), (0, 0, 0, true)]);
    let finally = build(&[(0, 0, 0, false), (0, 1, 0, false), (0, 0, 1, false), (1, 0, 1, true)]);
    assert!(classify::is_terminal(&eventually, &letters) && classify::is_complete(&eventually, &letters));
    assert!(!classify::has_weak_acceptance(&infinitely) && !classify::is_terminal(&infinitely, &letters));
    assert!(classify::has_weak_acceptance(&finally) && !classify::is_terminal(&finally, &letters));
    assert!(!classify::is_complete(&finally, &letters));
}
