//! Any bytes as automata in the HOA format.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| automata::hoa::robustness::check(bytes));
