//! Commands that wait for ever for a file that nobody writes end all the same when their limit is reached or when they are
//! asked to: nothing but the watchdog can do that. What they say then is a proper answer.

#![cfg(unix)]

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A folder with files that nobody writes, each of which is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, pipes: &[&str]) -> Self {
        let folder = std::env::temp_dir().join(format!("semper-watchdog-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for pipe in pipes {
            assert!(Command::new("mkfifo").arg(folder.join(pipe)).status().unwrap().success());
        }
        Self(folder)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn start(folder: &Path, arguments: &[&str]) -> Child {
    let mut command = Command::new(env!("CARGO_BIN_EXE_semper"));
    command.current_dir(folder).args(arguments).env("TMPDIR", folder);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// The exit status, standard output and standard error.
fn end(child: Child) -> (Option<i32>, String, String) {
    let output = child.wait_with_output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The commands that read a file and accept a limit, and where what they say about it stands in JSON.
const COMMANDS: [(&[&str], &str); 7] = [
    (&["check", "pipe.c", "--ltl", "F end"], "verdict"),
    (&["check", "pipe.kripke", "--ltl", "F a"], "verdict"),
    (&["run", "pipe.c", "--ltl", "F end"], "verdict"),
    (&["certify", "pipe.c"], "verdict"),
    (&["replay", "pipe.c"], "verdict"),
    (&["validate", "pipe.c", "pipe.c", "--ltl", "F end"], "answer"),
    (&["ltl", "--hoa", "pipe.c"], "unknown"),
];

#[test]
fn every_command_ends_with_an_answer_when_its_time_is_over() {
    let folder = Folder::new("time", &["pipe.c", "pipe.kripke"]);
    let limited = |command: &[&str], format: &str| {
        let limits = ["--timeout", "100ms", "--format", format];
        start(&folder.0, &[command, &limits].concat())
    };
    let started: Vec<_> =
        COMMANDS.iter().map(|(command, _)| (limited(command, "text"), limited(command, "json"))).collect();
    for ((text, json), (command, word)) in started.into_iter().zip(COMMANDS) {
        let (status, said, complained) = end(text);
        assert_eq!(status, Some(3), "{command:?} {said} {complained}");
        match word {
            "verdict" => assert_eq!(said, "verdict: unknown (time)\n", "{command:?}"),
            "answer" => assert_eq!(said, "unknown: time\n"),
            _ => assert_eq!((said.as_str(), complained.as_str()), ("", "semper: unknown (time)\n")),
        }
        let (status, said, complained) = end(json);
        assert_eq!(status, Some(3), "{command:?} {said} {complained}");
        let document: serde_json::Value = serde_json::from_str(&said).unwrap();
        match word {
            "unknown" => assert_eq!(document["unknown"], "time"),
            _ => assert_eq!((&document[word], &document["reason"]), (&"unknown".into(), &"time".into())),
        }
    }
}

#[test]
fn a_command_that_is_asked_to_end_does() {
    let folder = Folder::new("signal", &["pipe.c"]);
    for signal in ["TERM", "INT"] {
        let mut child = start(&folder.0, &["check", "pipe.c", "--ltl", "F end"]);
        // Whoever opens the pipe waits until somebody reads it: by then the signals are watched.
        let pipe = folder.0.join("pipe.c");
        let opened = fs::OpenOptions::new().write(true).open(pipe).unwrap();
        let sent = Command::new("sh").args(["-c", &format!("kill -s {signal} {}", child.id())]).status().unwrap();
        assert!(sent.success());
        let mut said = String::new();
        child.stdout.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(3), "verdict: unknown (cancelled)\n"));
        drop(opened);
    }
}

#[test]
fn preprocessing_that_takes_too_long_is_no_bad_input() {
    let folder = Folder::new("preprocessing", &["pipe.h"]);
    fs::write(folder.0.join("a.c"), "#include \"pipe.h\"\nint main(void) { return 0; }\n").unwrap();
    fs::write(folder.0.join("b.c"), "#include <stddef.h>\nint main(void) { return 0; }\n").unwrap();
    let check = |formula: &str, format: &str| {
        let call = ["check", "a.c", "b.c", "--ltl", formula, "--timeout", "300ms", "--format", format];
        start(&folder.0, &call)
    };
    let (text, json, wrong) = (check("F end", "text"), check("F end", "json"), check("F (", "text"));
    let (status, said, complained) = end(text);
    if complained.contains("no-compiler") {
        return;
    }
    assert_eq!((status, said.as_str()), (Some(3), "verdict: unknown (time)\n"), "{complained}");
    let (status, said, complained) = end(json);
    assert_eq!(status, Some(3), "{complained}");
    let document: serde_json::Value = serde_json::from_str(&said).unwrap();
    assert_eq!((&document["verdict"], &document["reason"]), (&"unknown".into(), &"time".into()));
    // What is wrong whatever time there is stays wrong, unless the watchdog was faster than the end of the compiler.
    let (status, said, complained) = end(wrong);
    assert!(status == Some(2) && complained.contains("error") || said == "verdict: unknown (time)\n", "{complained}");
    let left: Vec<_> = fs::read_dir(&folder.0).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(left.len(), 3, "{left:?}");
}
