//! Which solver is asked for the steps of a proof: `--solver`.

use std::env;
use std::path::Path;

use semper::certify::Decider;

/// Solvers that are known by name, with the arguments that make them read their standard input.
const KNOWN: [(&str, &[&str]); 2] = [("cvc5", &["--incremental"]), ("z3", &["-in"])];

/// The solver that somebody asks for: `embedded`, `none`, or a command.
pub(super) fn named(solver: &str) -> Decider {
    match solver {
        "embedded" => Decider::Embedded,
        "none" => Decider::Nobody,
        command => {
            let mut words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
            if let [only] = words.as_slice() {
                let file = Path::new(only).file_name().and_then(|name| name.to_str()).unwrap_or_default();
                let known = KNOWN.iter().find(|(name, _)| *name == file);
                words.extend(known.into_iter().flat_map(|(_, arguments)| *arguments).map(ToString::to_string));
            }
            Decider::Command(words)
        }
    }
}

/// Another solver than the one that engines use, where one is installed: cvc5.
pub(super) fn second() -> Decider {
    let folders = env::var_os("PATH").unwrap_or_default();
    let is_there = env::split_paths(&folders).any(|folder| folder.join("cvc5").is_file());
    match named("cvc5") {
        Decider::Command(command) if is_there => Decider::Preferred(command),
        _ => Decider::Embedded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_solvers_are_told_to_read_their_standard_input() {
        let words = |solver: &str| match named(solver) {
            Decider::Command(words) => words.join(" "),
            other => format!("{other:?}"),
        };
        let cases = [
            ("cvc5", "cvc5 --incremental"),
            ("/opt/bin/z3", "/opt/bin/z3 -in"),
            ("cvc5 --lang smt2 --incremental", "cvc5 --lang smt2 --incremental"),
            ("yices-smt2", "yices-smt2"),
            ("none", "Nobody"),
            ("embedded", "Embedded"),
        ];
        for (solver, expected) in cases {
            assert_eq!(words(solver), expected, "{solver}");
        }
    }
}
