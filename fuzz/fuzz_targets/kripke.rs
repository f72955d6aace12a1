//! Any bytes as a Kripke structure.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| automata::kripke::robustness::check(bytes));
