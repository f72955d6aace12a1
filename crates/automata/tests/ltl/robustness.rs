//! Arbitrary and damaged inputs: the check that a fuzz target runs, for about a second.

use std::time::{Duration, Instant};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use semper_automata::ltl::robustness::check;

const SEEDS: &[&str] = &[
    r#"G ("p" -> F "q")"#,
    r#"FG"x==1" && GF"y" || ! ("init == 0" U ("init == 1" U G "init == 3"))"#,
    "[]<>p -> <>[](q \\/ ~r) /\\ () s <==> t V u",
    "□(AP(x > 0) → ◇{c == '}'}) ⊕ ○¬\"s == \\\"a\\\"\"",
    "X[3] F0 WU aUb M (c xor d) R 1 W TRUE",
    "G ! call(reach_error()) && F end || G ! overflow -> deadlock & error",
    "CHECK( init(main()), LTL( G(!\"a != 0\" || F \"r!= 0\") ) )\n// more\nCHECK(init(f),LTL(F end))\n",
    "int x; /* \" */ char c = '\"';\n//@ ltl invariant positive: ([]AP(x > 0)\n //@ && <>\"y; z\");\nint main() {}\n",
    "//@ ltl invariant : G p; // really\r\n//@ assert x;\n",
    "CHECK( init(main()), LTL(G valid-memcleanup) )",
    "F[0:3] p && G[<=2] (q U X[2!] r) -> <>[1,4][]X[!] F[2:$] F[0..1] p || G[>3] q",
    "/*@ ltl invariant a:\n * G (\"x\n * y\"\n @ -> F[0 to 3] p);\n ltl invariant: {z};\n */ int x; /* @ */\n",
];

#[test]
fn damaged_inputs_never_panic() {
    let rng = TestRng::from_seed(RngAlgorithm::XorShift, &[7; 16]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let edits =
        prop::collection::vec((0u8..5, any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 0..6);
    let strategy = (0..SEEDS.len(), 0..SEEDS.len(), edits);
    let start = Instant::now();
    while start.elapsed() < Duration::from_secs(1) {
        let (seed, other, edits) = strategy.new_tree(&mut runner).expect("the strategy rejects nothing").current();
        let mut bytes = SEEDS[seed].as_bytes().to_vec();
        let other = SEEDS[other].as_bytes();
        for (kind, from, to, byte) in edits {
            if bytes.is_empty() {
                break;
            }
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let part = from.min(to)..from.max(to);
            match kind {
                0 => bytes[from] = byte,
                1 => bytes.insert(from, b"\"(){}[];\\'\n/@!FGXUW-=<>"[byte as usize % 23]),
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
fn deep_and_long_inputs_are_read_in_linear_time() {
    let times = 100_000;
    let nested = |open: &str, inner: &str, close: &str| open.repeat(times) + inner + &close.repeat(times);
    let inputs = [
        nested("(", "p", ")"),
        nested("(", "p", ""),
        nested("", "p", ")"),
        nested("!", "p", ""),
        nested("! (", "p", ")"),
        nested("FG", "p", ""),
        nested("X", "p", ""),
        nested("[]<>", "p", ""),
        nested("p U ", "q", ""),
        nested("p && ", "q", ""),
        nested("(p -> ", "q", ")"),
        nested("((p || q) && ", "q", ")"),
        nested("{", "p", "}"),
        nested("{'\\'", "p", "}"),
        format!("{{{}}}", "\\'".repeat(times)),
        format!("AP{}", nested("(", "p", ")")),
        nested("\"\\\"", "p", "\""),
        "X[1000] ".repeat(100) + "p",
        "F[0:1] ".repeat(times / 10) + "p",
        "F[0:1000] G[1:1000] ".repeat(20) + "p",
        nested("p || X (", "p", ")"),
        nested("p || X (", "q", ")"),
        nested("F[0:1] (p && ", "q", ")"),
        "F[".repeat(times),
        format!("/*@ ltl invariant: (\n{}", " * (\n".repeat(times / 10)),
        format!("/*@ {}*/", "ltl invariant: p;\n".repeat(times / 10)),
        "/*@ ltl invariant: (".repeat(times / 10),
        "\n".repeat(times),
        "//@ ltl invariant: (\n".repeat(times / 10),
        format!("//@ ltl invariant: (\n{}", "//@ (\n".repeat(times / 10)),
        "CHECK( init(main()), LTL( F end ) ) ".repeat(times / 100),
        "CHECK(\n".repeat(times / 10),
        "'\n".repeat(times),
    ];
    for input in inputs {
        // Anything quadratic would take for ever.
        check(input.as_bytes());
    }
}
