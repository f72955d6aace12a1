//! Any bytes as a saved counterexample.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    semper::saved::robustness::check(bytes);
});
