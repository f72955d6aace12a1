//! Any bytes as a witness.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    witness::robustness::check(bytes);
});
