//! What must be true of any bytes given as a witness: no panic, what is accepted reads back from its own text, and every
//! fault has a place and advice. A fuzz target and tests call the same check.

use foundation::robustness::check_fault;
use foundation::{Diagnostics, SourceMap};

use crate::{faults, read, write};

/// Reads the bytes as a witness. Returns whether they are one.
pub fn check(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::new();
    let source = sources.add("input", text.as_ref());
    match read(&sources, source) {
        Ok(reading) => {
            check_places(&text, &reading.warnings);
            let written = write(&reading.witness);
            let source = sources.add("written", written.as_str());
            match read(&sources, source) {
                Ok(again) => assert_eq!(again.witness, reading.witness, "{written}"),
                Err(diagnostics) => panic!("{written} does not read back: {diagnostics:?}"),
            }
            for fault in faults(&reading.witness) {
                let span = reading.place(fault.at);
                assert!(text.get(span.start as usize..span.end as usize).is_some(), "{fault:?}");
            }
            true
        }
        Err(diagnostics) => {
            assert!(diagnostics.has_errors());
            check_places(&text, &diagnostics);
            false
        }
    }
}

fn check_places(text: &str, diagnostics: &Diagnostics) {
    for diagnostic in diagnostics.iter() {
        check_fault(diagnostic, text);
        assert!(!diagnostic.message.is_empty() && !diagnostic.message.contains('\n'), "{diagnostic:?}");
    }
}
