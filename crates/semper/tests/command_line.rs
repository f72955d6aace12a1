//! What the pages cannot show: streams that break, files that are not there, help, generated documents.

use std::io::Read;
use std::process::{Command, Output, Stdio};

fn semper(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_semper")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const SUBCOMMANDS: [&str; 7] = ["check", "run", "cfg", "ltl", "suite", "completions", "man"];

#[test]
fn help_and_version_go_to_standard_output_with_status_0() {
    let mut calls = vec![vec!["--help"], vec!["--version"], vec!["help", "check"]];
    calls.extend(SUBCOMMANDS.map(|command| vec![command, "--help"]));
    for call in calls {
        let output = semper(&call);
        assert_eq!(output.status.code(), Some(0), "{call:?}");
        assert!(output.stderr.is_empty() && !output.stdout.is_empty(), "{call:?}");
    }
}

#[test]
fn wrong_usage_has_status_2_and_leaves_standard_output_empty() {
    for call in [
        &[][..],
        &["fly"],
        &["check"],
        &["run", "--steps", "many", "a.c"],
        &["check", "a.c", "--ltl", "F end", "--spec", "b.prp"],
        &["check", "a.c", "--timeout", "soon"],
        &["check", "a.c", "--memory", "lots"],
        &["check", "a.c", "--integers", "roman"],
        &["check", "no-such-file.c", "--ltl", "F end"],
        &["run", "."],
        &["cfg", "no-such-file.c", "--format", "json"],
        &["man", "fly"],
        &["ltl"],
        &["ltl", "F ("],
        &["ltl", "F a", "--format", "paper"],
        &["ltl", "F a", "--automaton", "rabin"],
        &["ltl", "--hoa", "no-such-file.hoa"],
        &["ltl", "F a", "--product", "no-such-file.kripke", "--format", "dot"],
        &["cfg", "no-such-file.kripke"],
        &["check", "no-such-file.kripke", "--ltl", "F end"],
        &["suite"],
        &["suite", "no-such-folder"],
        &["suite", "a.yml", "--integers", "roman"],
        &["suite", "a.yml", "--ltl", "F end"],
        &["check", "a.c", "--engine", "magic", "--ltl", "F end"],
    ] {
        let output = semper(call);
        assert_eq!(output.status.code(), Some(2), "{call:?} {}", text(&output.stderr));
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{call:?}");
    }
}

#[test]
fn refused_input_is_json_where_json_is_asked_for() {
    let output = semper(&["check", "no-such-file.c", "--ltl", "F (", "--format", "json"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let codes: Vec<&str> = json["errors"].as_array().unwrap().iter().map(|it| it["code"].as_str().unwrap()).collect();
    assert_eq!(codes.len(), 2, "both the formula and the file are wrong: {codes:?}");
    assert!(codes.contains(&"file-not-found"));
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_semper"))
        .args(["completions", "bash"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let mut said = String::new();
    child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(said, "");
}

#[test]
fn completions_and_manual_pages_know_every_subcommand() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = semper(&["completions", shell]);
        let script = text(&output.stdout);
        assert!(SUBCOMMANDS.iter().all(|command| script.contains(command)), "{shell}");
    }
    let whole = text(&semper(&["man"]).stdout);
    assert!(whole.contains(".TH semper 1"), "{whole}");
    for command in SUBCOMMANDS {
        let page = text(&semper(&["man", command]).stdout);
        assert!(page.contains(&format!("semper\\-{command}")), "{page}");
        assert!(page.contains(".SH SYNOPSIS"), "{page}");
    }
}
