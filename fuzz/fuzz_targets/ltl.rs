//! Any bytes as a formula, as a property file, and as a source text with annotations.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| automata::ltl::robustness::check(bytes));
