//! Arbitrary and damaged texts: the check that a fuzz target runs, for about a second.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use semper_automata::hoa::robustness::check;

use crate::samples::SAMPLES;

#[test]
fn damaged_texts_never_panic() {
    let seeds: Vec<&str> = SAMPLES.iter().flat_map(|(_, automata)| automata.iter().copied()).collect();
    seeds.iter().for_each(|seed| check(seed.as_bytes()));
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, &[9; 16]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let edits =
        prop::collection::vec((0u8..5, any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 0..6);
    let strategy = (0..seeds.len(), 0..seeds.len(), edits);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(1) {
        let (seed, other, edits) = strategy.new_tree(&mut runner).expect("the strategy rejects nothing").current();
        let mut bytes = seeds[seed].as_bytes().to_vec();
        let other = seeds[other].as_bytes();
        for (kind, from, to, byte) in edits {
            if bytes.is_empty() {
                break;
            }
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let part = from.min(to)..from.max(to);
            match kind {
                0 => bytes[from] = byte,
                1 => bytes.insert(from, b"\"(){}[]&|!@0123 \ntf-:"[byte as usize % 21]),
                2 => drop(bytes.drain(part)),
                3 => {
                    let copy = bytes[part].to_vec();
                    bytes.splice(from..from, copy);
                }
                _ => drop(bytes.splice(from..from, other[..other.len().min(byte as usize)].iter().copied())),
            }
        }
        check(&bytes);
    }
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
