//! Any bytes as a C program, all the way to runs of the interpreter.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    c_frontend::robustness::check(bytes);
});
