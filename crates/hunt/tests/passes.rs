//! A few programs through the passes that prepare them for engines. More: `cargo run -p semper-hunt -- passes`.

use hunt::differential::Outcome;
use hunt::{GeneratedProgram, Size, generate, passes, wild};

fn states_compared(programs: impl Iterator<Item = GeneratedProgram>) -> usize {
    let mut compared = 0;
    for program in programs {
        match passes::outcome(&program) {
            Outcome::Agreement { states } => compared += states,
            other => panic!("seed {}: {other}\n{}", program.seed, program.text),
        }
    }
    compared
}

#[test]
fn passes_keep_what_wild_programs_do() {
    let states = states_compared((0..40).map(|seed| wild(seed, Size::Medium)));
    assert!(states > 2000, "only {states} states were compared");
}

#[test]
fn passes_keep_what_other_programs_do() {
    let states = states_compared((0..8).map(|seed| generate(seed, Size::Medium)));
    assert!(states > 150, "only {states} states were compared");
}
