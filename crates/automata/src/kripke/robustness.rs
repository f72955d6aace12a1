//! What must be true of any bytes given as a Kripke structure: no panic, and what is accepted reads back from its own
//! text. A fuzz target and a test call the same check.

use foundation::SourceMap;
use foundation::robustness::check_fault;

use super::parse;

/// Reads the bytes as a Kripke structure.
pub fn check(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = SourceMap::new();
    let source = sources.add("input", text.as_ref());
    match parse(&sources, source) {
        Ok(kripke) => {
            let written = kripke.text().to_string();
            let source = sources.add("written", written.as_str());
            match parse(&sources, source) {
                Ok(again) => assert_eq!(again, kripke, "{written}"),
                Err(diagnostics) => panic!("{written} does not read back: {diagnostics:?}"),
            }
            assert!(kripke.dot().to_string().ends_with("}\n"));
        }
        Err(diagnostics) => {
            assert!(diagnostics.has_errors());
            diagnostics.iter().for_each(|fault| check_fault(fault, &text));
        }
    }
}
