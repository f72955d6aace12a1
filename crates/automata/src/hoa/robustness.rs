//! What must be true of any bytes given as HOA: no panic, and every accepted automaton reads back from its own text.
//! A fuzz target and a test call the same check.

use foundation::SourceMap;
use foundation::robustness::check_fault;

use super::{HoaAutomaton, parse, write};
use crate::ltl::Formulas;

/// Reads the bytes as HOA, and checks all automata found.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut formulas = Formulas::new();
    let mut sources = SourceMap::new();
    let source = sources.add("input", text.as_ref());
    match parse(&sources, source, &mut formulas) {
        Ok(stream) => {
            for automaton in &stream.automata {
                check_automaton(automaton, &mut formulas);
            }
        }
        Err(diagnostics) => {
            assert!(diagnostics.has_errors());
            diagnostics.iter().for_each(|fault| check_fault(fault, &text));
        }
    }
}

fn check_automaton(read: &HoaAutomaton, formulas: &mut Formulas) {
    let automaton = &read.automaton;
    assert_eq!(read.state_names.len(), automaton.state_count());
    let text = write(automaton, formulas.atoms(), read.name.as_deref());
    let mut sources = SourceMap::new();
    let source = sources.add("written", text.as_str());
    match parse(&sources, source, formulas) {
        Ok(again) => {
            assert!(again.automata.len() == 1 && again.warnings.is_empty(), "{text}");
            assert_eq!(&again.automata[0].automaton, automaton, "{text}");
            assert_eq!(again.automata[0].name, read.name);
        }
        Err(diagnostics) => panic!("{text} does not read back: {diagnostics:?}"),
    }
}
