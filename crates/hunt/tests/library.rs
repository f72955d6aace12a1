//! A few programs that call the library directly and through pointers, against sanitisers. More: `cargo run -p semper-hunt
//! -- library --count 5000`. Where the compiler has no sanitisers there is nothing to compare with.

use std::collections::BTreeSet;

use hunt::compiled::Compiler;
use hunt::differential::Outcome;
use hunt::library_program;
use hunt::sanitised::{Tally, compare};

#[test]
fn a_seed_determines_its_program() {
    let texts: BTreeSet<String> = (0..50).map(|seed| library_program(seed).text).collect();
    assert_eq!(texts.len(), 50, "different seeds gave the same program");
    assert_eq!(library_program(7).text, library_program(7).text);
}

#[test]
fn errors_are_what_sanitisers_see() {
    let compiler = Compiler::sanitised();
    if !compiler.is_available() {
        println!("{compiler}: not available, skipped");
        return;
    }
    let tally = Tally::default();
    for seed in 0..16 {
        let program = library_program(seed);
        let outcome = compare(&program, &compiler, &tally);
        assert!(matches!(outcome, Outcome::Agreement { .. }), "seed {seed}: {outcome}\n{}", program.text);
    }
}
