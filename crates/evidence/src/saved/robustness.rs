//! What must be true of any bytes given as a saved counterexample: no panic, and what is accepted reads back from its own
//! text. A fuzz target and a test call the same check.

use foundation::SourceMap;
use foundation::robustness::check_fault;

use super::{Saved, read};

/// Reads the bytes as a saved counterexample; what was accepted is returned.
///
/// # Panics
///
/// Where the reader breaks its promises.
pub fn check(bytes: &[u8]) -> Option<Saved> {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::new();
    let source = sources.add("input.json", text.as_ref());
    match read(&sources, source) {
        Ok(saved) => {
            let written = saved.text();
            let source = sources.add("written.json", written.as_str());
            match read(&sources, source) {
                Ok(again) => assert_eq!(again, saved, "{written}"),
                Err(fault) => panic!("{written} does not read back: {fault:?}"),
            }
            Some(saved)
        }
        Err(fault) => {
            check_fault(&fault, &text);
            None
        }
    }
}
