//! A few programs through the passes that prepare them for engines. More: `cargo run -p semper-hunt -- passes`.

use hunt::passes::{Compared, compare_randomly, translate};
use hunt::{Size, wild};

#[test]
fn passes_keep_what_wild_programs_do() {
    let mut states = 0;
    for seed in 0..300 {
        let generated = wild(seed, Size::Small);
        let program = translate(&generated.text).unwrap_or_else(|message| panic!("seed {seed}: {message}"));
        match compare_randomly(&program, seed, 4) {
            Ok(Compared::Agreement(seen)) => states += seen,
            Ok(Compared::NotPrepared(reason)) => panic!("seed {seed}: {reason:?}"),
            Err(difference) => panic!("seed {seed}: {difference}\n{}", generated.text),
        }
    }
    assert!(states > 1000, "only {states} states were compared");
}
