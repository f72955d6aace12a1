//! Arbitrary and damaged inputs: the check that a fuzz target runs, for about a second.

use std::time::Duration;

use semper_automata::ltl::robustness::check;

use crate::damage::Damage;

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
    let signs = b"\"(){}[];\\'\n/@!FGXUW-=<>";
    let damage = Damage { texts: SEEDS, signs, edits: 6, seed: 7 };
    damage.for_each(Duration::from_secs(1), check);
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
