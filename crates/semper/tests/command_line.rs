//! What the pages cannot show: streams that break, files that are not there, help, generated documents.

use std::io::Read;
use std::process::{Command, Output, Stdio};

fn semper(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_semper")).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const SUBCOMMANDS: [&str; 8] = ["check", "run", "cfg", "ltl", "replay", "suite", "completions", "man"];

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
        &["check", "a.c", "--threads", "0"],
        &["check", "a.c", "--scheduler", "unfair"],
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
        &["replay"],
        &["replay", "no-such-file.json"],
        &["replay", "a.json", "--turns", "many"],
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

/// Writes a C file to a folder of its own and returns its path.
fn c_file(name: &str, text: &str) -> String {
    let folder = std::env::temp_dir().join(format!("semper-command-line-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

#[test]
fn verdicts_as_json_carry_what_supports_them() {
    let file = c_file("light.c", "int x; int main(void) { while (1) { x = 1; x = 0; } }\n");
    let check = |arguments: &[&str]| -> (Option<i32>, serde_json::Value) {
        let output = semper(&[&["check", &file, "--format", "json"], arguments].concat());
        assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
        (output.status.code(), serde_json::from_slice(&output.stdout).unwrap())
    };
    let (status, holds) = check(&["--ltl", r#"G F "x == 1""#]);
    assert_eq!((status, holds["verdict"].as_str()), (Some(0), Some("holds")));
    assert_eq!(holds["evidence"]["checked"], true);
    assert!(holds["evidence"]["by"].as_str().unwrap().starts_with("closed state space of"));
    assert!(holds["counterexample"].is_null());
    let (status, violated) = check(&["--ltl", r#"F G "x == 1""#]);
    assert_eq!((status, violated["verdict"].as_str()), (Some(1), Some("violated")));
    for (name, value) in
        [("engine", "explicit"), ("integers", "machine"), ("observe", "statement"), ("data_model", "LP64")]
    {
        assert_eq!(violated[name], value);
    }
    assert!(violated["seconds"].as_f64().unwrap() >= 0.0);
    assert!(violated["statistics"]["states"].as_u64().unwrap() > 0);
    assert_eq!(violated["evidence"]["checked"], true);
    assert!(violated["warnings"].as_array().unwrap().is_empty());
    let steps = |part: &str| violated["counterexample"][part].as_array().unwrap().clone();
    assert!(!steps("stem").is_empty());
    let values: Vec<String> =
        steps("loop").iter().map(|step| step["values"]["x"].as_str().unwrap().to_owned()).collect();
    assert!(values.contains(&"0".to_owned()) && values.contains(&"1".to_owned()), "{values:?}");
    for step in steps("stem").iter().chain(&steps("loop")) {
        assert!(step["file"].as_str().unwrap().ends_with("light.c"));
        assert!(step["line"] == 1 && step["function"] == "main" && step["thread"] == 0);
        assert!(!step["statement"].as_str().unwrap().is_empty());
    }
    let (status, both) = check(&["--ltl", "F end", "--ltl", "G !error"]);
    assert_eq!((status, both["verdict"].as_str()), (Some(1), Some("violated")));
    let verdicts: Vec<&str> =
        both["properties"].as_array().unwrap().iter().map(|it| it["verdict"].as_str().unwrap()).collect();
    assert_eq!(verdicts, ["violated", "holds"]);
}

#[test]
fn the_same_command_gives_the_same_answer() {
    let file = c_file("same.c", "int nondet_int(void); int x; int main(void) { while (1) x = nondet_int() != 0; }\n");
    // Two threads may find different executions, but not different verdicts.
    for (threads, compared) in [("1", usize::MAX), ("2", 1)] {
        let call = ["check", &file, "--ltl", r#"F G "x == 0""#, "--threads", threads];
        let last_lines = || {
            let output = semper(&call);
            assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
            text(&output.stdout).lines().rev().take(compared).map(str::to_owned).collect::<Vec<_>>()
        };
        assert_eq!(last_lines(), last_lines());
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_check_says_so_and_has_status_3() {
    let steps = "int nondet_int(void); long x; int main(void) { while (1) if (nondet_int()) x++; else x--; }\n";
    let steps = c_file("endless.c", steps);
    assert_says_that_it_was_interrupted(&[&steps, "--ltl", r#"G "x != 0x7fffffffffff""#], "read 1 file");
}

/// The solver must not take the interrupt for itself.
#[cfg(unix)]
#[test]
fn an_interrupt_is_heard_while_the_solver_works() {
    // Whether 114 is a sum of three cubes is an open question.
    let cubes = "int nondet_int(void); int x, y, z, bad; int main(void) { while (1) { \
                 x = nondet_int(); y = nondet_int(); z = nondet_int(); \
                 if (x * x * x + y * y * y + z * z * z == 114) bad = 1; } }\n";
    let cubes = c_file("cubes.c", cubes);
    let call = [cubes.as_str(), "--ltl", "G !\"bad\"", "--integers", "ideal", "--engine", "fairness"];
    assert_says_that_it_was_interrupted(&call, "read 1 file");
}

/// Interrupts a check after it has said something.
#[cfg(unix)]
fn assert_says_that_it_was_interrupted(call: &[&str], after: &str) {
    use std::io::BufRead;
    let mut child = Command::new(env!("CARGO_BIN_EXE_semper"))
        .arg("check")
        .args(call)
        .args(["-v", "--timeout", "60s"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The interrupt key is watched before anything is read.
    let mut said = std::io::BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    while said.read_line(&mut line).unwrap() > 0 && !line.contains(after) {}
    // It is most likely at work by then; if it is not, the interrupt is heard all the same.
    std::thread::sleep(std::time::Duration::from_millis(300));
    let sent = Command::new("sh").args(["-c", &format!("kill -s INT {}", child.id())]).status().unwrap();
    assert!(sent.success());
    std::io::copy(&mut said, &mut std::io::sink()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stdout).ends_with("verdict: unknown (cancelled)\n"), "{}", text(&output.stdout));
}

#[test]
fn what_a_verdict_assumes_is_in_json() {
    let folder = std::env::temp_dir().join(format!("semper-assumed-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("a.c");
    std::fs::write(&path, "extern void log_level(int); int main(void) { log_level(3); }").unwrap();
    let output = semper(&["check", path.to_str().unwrap(), "--ltl", "F end", "--format", "json"]);
    std::fs::remove_dir_all(&folder).unwrap();
    let json = text(&output.stdout);
    assert!(json.contains(r#""verdict": "holds""#) || json.contains(r#""verdict":"holds""#), "{json}");
    let assumed = "`log_level`, which has no body, does nothing";
    assert!(json.contains("\"assumed\"") && json.contains(assumed), "{json}");
}
