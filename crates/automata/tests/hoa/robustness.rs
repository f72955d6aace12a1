//! Arbitrary and damaged texts: the check that a fuzz target runs, for about a second.

use std::time::Duration;

use semper_automata::hoa::robustness::check;

use crate::damage::Damage;
use crate::samples::SAMPLES;

#[test]
fn damaged_texts_never_panic() {
    let seeds: Vec<&str> = SAMPLES.iter().flat_map(|(_, automata)| automata.iter().copied()).collect();
    seeds.iter().for_each(|seed| check(seed.as_bytes()));
    let signs = b"\"(){}[]&|!@0123 \ntf-:";
    let damage = Damage { texts: &seeds, signs, edits: 6, seed: 9 };
    damage.for_each(Duration::from_secs(1), check);
}

#[test]
fn deep_and_long_texts_are_read_in_linear_time() {
    let times = 50_000;
    let nested = format!("{}0{}", "(".repeat(times), ")".repeat(times));
    let negated = format!("{}0", "!".repeat(times));
    let long = format!("0{}", "&0".repeat(times));
    let conditions = format!("Inf(0){}", "&Inf(0)".repeat(times));
    let states: String = (0..times / 10).map(|state| format!("State: {state} [0] {state} ")).collect();
    let header = "HOA: v1 Start: 0 AP: 1 \"a\"";
    let label = |label: &str| format!("{header} Acceptance: 0 t --BODY-- State: 0 [{label}] 0 --END--");
    let inputs = [
        label(&nested),
        label(&negated),
        label(&long),
        label(&"(".repeat(times)),
        format!("{header} Acceptance: 1 {conditions} --BODY-- State: 0 --END--"),
        format!("{header} Acceptance: 1 Inf(0) --BODY-- {states} --END--"),
        format!("{header} Acceptance: 2000000000 t --BODY-- State: 0 --END--"),
        "HOA: v1 States: 2000000000 Acceptance: 0 t --BODY-- State: 1999999999 --END--".to_owned(),
        "/*".repeat(times),
        format!("HOA: v1 properties: {}", "a ".repeat(times)),
        format!("HOA: v1 {}", "a-b: 1 ".repeat(1000)),
    ];
    for input in inputs {
        check(input.as_bytes());
    }
}
