//! `semper suite` on small suites in temporary folders. In most of them a shell script stands in for `semper`: it runs the
//! task's program as shell commands, so that a task can do what a checker should never do.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use foundation::Budget;
use report::suite::{Rating, TaskReport, Totals};
use semper::suite::{LabelledTask, SuitePlan, SuiteProgress};

/// A temporary folder with task definitions.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = Self(std::env::temp_dir().join(format!("semper-suite-{}-{number}", std::process::id())));
        fs::create_dir_all(&folder.0).unwrap();
        folder.write("p.prp", "CHECK( init(main()), LTL( F \"x == 1\" ) )\n");
        folder
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Adds a task with a program. The label may be empty.
    fn task(&self, name: &str, program: &str, label: &str) {
        self.write(&format!("{name}.c"), program);
        let label = if label.is_empty() { String::new() } else { format!("    expected_verdict: {label}\n") };
        let definition = format!(
            "format_version: '2.0'\ninput_files: {name}.c\nproperties:\n  - property_file: p.prp\n{label}\
             options: {{language: C, data_model: ILP32}}\n"
        );
        self.write(&format!("{name}.yml"), &definition);
    }

    /// A program that runs the last word of its command line as a shell script, and says nothing else.
    fn stand_in(&self) -> PathBuf {
        let path = self.0.join("stand-in");
        fs::write(&path, "#!/bin/sh\nall=\"$*\"\nfor last; do :; done\n. \"$last\"\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path
    }

    fn path(&self) -> String {
        self.0.display().to_string()
    }

    fn tasks(&self) -> Vec<LabelledTask> {
        let suite = semper::suite::read(&[self.path()], None);
        assert!(!suite.diagnostics.has_errors(), "{:?}", suite.diagnostics);
        suite.tasks
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn plan(executable: PathBuf, jobs: usize) -> SuitePlan {
    let (time, grace) = (Duration::from_secs(60), Duration::ZERO);
    SuitePlan { executable, options: Vec::new(), time, memory: 1 << 30, jobs, grace }
}

/// The JSON of a verdict, as a command.
fn says(verdict: &str, status: i32) -> String {
    let rest = r#""engine": "e", "evidence": {"checked": true, "by": "b"}"#;
    format!("echo '{{\"verdict\": \"{verdict}\", {rest}}}'; exit {status}")
}

#[test]
fn every_kind_of_end_has_its_outcome() {
    let (holds, violated) = (says("holds", 0), says("violated", 1));
    let cases = [
        ("a", holds.as_str(), "true", Rating::Correct, None),
        ("b", &violated, "false", Rating::Correct, None),
        ("c", &holds, "false", Rating::Wrong, None),
        ("d", &violated, "true", Rating::Wrong, None),
        ("e", &holds, "", Rating::Unlabelled, None),
        ("f", "echo '{\"verdict\": \"unknown\", \"reason\": \"time\"}'; exit 3", "true", Rating::Unknown, Some("time")),
        ("g", "kill -9 $$", "true", Rating::Error, Some("signal 9")),
        ("h", "kill -SEGV $$", "false", Rating::Error, Some("segmentation fault")),
        ("i", "echo '{\"verdict\": \"holds\"}'; exit 1", "true", Rating::Error, Some("does not go with")),
        ("j", "echo '{\"errors\": [{\"message\": \"no\"}]}'; exit 2", "true", Rating::Error, Some("no")),
        ("k", "echo 'semper: internal error: x' >&2; exit 3", "true", Rating::Error, Some("internal error: x")),
        ("l", "exit 0", "true", Rating::Error, Some("no answer")),
    ];
    let folder = Folder::new();
    for (name, program, label, ..) in &cases {
        folder.task(name, program, label);
    }
    let tasks = folder.tasks();
    let mut told = Vec::new();
    let results = semper::suite::run(&tasks, &plan(folder.stand_in(), 3), &Budget::unlimited(), |progress| {
        if let SuiteProgress::Finished(result) = progress {
            told.push(result.task.clone());
        }
    });
    let names = |results: &[TaskReport]| results.iter().map(|result| result.task.clone()).collect::<Vec<_>>();
    assert_eq!(names(&results), cases.map(|case| case.0));
    assert_eq!(told, names(&results));
    for (result, (name, _, _, outcome, reason)) in results.iter().zip(cases) {
        assert_eq!(result.outcome, outcome, "{name}: {:?}", result.reason);
        assert!(reason.is_none_or(|reason| result.reason.as_ref().unwrap().contains(reason)), "{:?}", result.reason);
        assert_eq!(result.evidence.as_ref().is_some_and(|it| it.checked), outcome.is_definite());
    }
    let totals = Totals::of(&results, tasks.len());
    let counted = [totals.correct, totals.wrong, totals.unlabelled, totals.unknown, totals.error, totals.not_run];
    assert_eq!(counted, [2, 2, 1, 1, 6, 0]);
}

#[test]
fn the_command_of_a_task_is_complete() {
    let folder = Folder::new();
    folder.task("a", "echo \"$all\" > \"$last.words\"", "true");
    let mut plan = plan(folder.stand_in(), 1);
    plan.options = vec!["--integers=ideal".into()];
    plan.time = Duration::from_millis(1500);
    let results = semper::suite::run(&folder.tasks(), &plan, &Budget::unlimited(), |_| {});
    let here = folder.path();
    let expected = format!(
        "check --integers=ideal --format json --timeout 1.5s --memory 1073741824 --data-model ILP32 \
         --spec {here}/p.prp -- {here}/a.c"
    );
    assert_eq!(fs::read_to_string(folder.0.join("a.c.words")).unwrap().trim_end(), expected);
    assert_eq!(results[0].command.join(" "), format!("semper {expected}"));
}

#[test]
fn a_task_that_does_not_end_is_ended_and_the_others_go_on() {
    let folder = Folder::new();
    folder.task("a", "exec sleep 60", "true");
    folder.task("b", "trap '' TERM; while :; do :; done", "true");
    folder.task("c", &says("holds", 0), "true");
    // Long enough for the third on a machine that is busy.
    let plan = SuitePlan { time: Duration::from_secs(4), ..plan(folder.stand_in(), 2) };
    let results = semper::suite::run(&folder.tasks(), &plan, &Budget::unlimited(), |_| {});
    let ends: Vec<(Rating, Option<&str>)> = results.iter().map(|it| (it.outcome, it.reason.as_deref())).collect();
    let stopped = (Rating::Unknown, Some("time (ended by force)"));
    assert_eq!(ends, [stopped, stopped, (Rating::Correct, None)]);
    assert!(results[0].wall_seconds >= 4.0);
}

#[test]
fn tasks_run_side_by_side_and_results_come_in_order() {
    // Each of the three waits until all have begun, which happens only if they run at the same time.
    let folder = Folder::new();
    let meet = |name: &str, delay: &str| {
        let wait = "while [ ! -e \"$d/x\" ] || [ ! -e \"$d/y\" ] || [ ! -e \"$d/z\" ]; do sleep 0.02; done";
        format!("d=$(dirname \"$last\"); : > \"$d/{name}\"; {wait}; sleep {delay}; {}", says("holds", 0))
    };
    for (name, delay) in [("x", "0.3"), ("y", "0"), ("z", "0.1")] {
        folder.task(name, &meet(name, delay), "true");
    }
    let (mut started, mut finished) = (0, Vec::new());
    let plan = SuitePlan { time: Duration::from_secs(300), ..plan(folder.stand_in(), 3) };
    semper::suite::run(&folder.tasks(), &plan, &Budget::unlimited(), |progress| match progress {
        SuiteProgress::Started(_) => started += 1,
        SuiteProgress::Finished(result) => finished.push((result.task.clone(), result.outcome)),
    });
    assert_eq!(started, 3);
    assert_eq!(finished, ["x", "y", "z"].map(|name| (name.to_owned(), Rating::Correct)));
}

#[test]
fn a_cancelled_suite_keeps_what_it_has() {
    let folder = Folder::new();
    folder.task("a", &says("holds", 0), "true");
    folder.task("b", "exec sleep 60", "true");
    folder.task("c", &says("holds", 0), "true");
    let tasks = folder.tasks();
    let budget = Budget::unlimited();
    let results = semper::suite::run(&tasks, &plan(folder.stand_in(), 1), &budget, |progress| {
        if matches!(progress, SuiteProgress::Started(task) if task.name == "b") {
            budget.cancel();
        }
    });
    assert_eq!(results.iter().map(|result| result.task.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(Totals::of(&results, tasks.len()).not_run, 2);
}

#[test]
fn an_executable_that_is_not_there_is_an_error_of_each_task() {
    let folder = Folder::new();
    folder.task("a", "", "true");
    let results = semper::suite::run(&folder.tasks(), &plan("/no/such/semper".into(), 1), &Budget::unlimited(), |_| {});
    assert!(results[0].outcome == Rating::Error && results[0].reason.as_ref().unwrap().contains("/no/such/semper"));
}

#[test]
fn names_are_as_short_as_they_can_be_and_filters_go_by_them() {
    let folder = Folder::new();
    folder.task("eca/one", "", "true");
    folder.task("eca/two", "", "");
    folder.task("toy/one", "", "false");
    fs::copy(folder.0.join("p.prp"), folder.0.join("eca/p.prp")).unwrap();
    fs::copy(folder.0.join("p.prp"), folder.0.join("toy/p.prp")).unwrap();
    for name in ["eca/one", "eca/two", "toy/one"] {
        let definition = fs::read_to_string(folder.0.join(format!("{name}.yml"))).unwrap();
        let file = name.split('/').next_back().unwrap();
        folder.write(&format!("{name}.yml"), &definition.replace(&format!("{name}.c"), &format!("{file}.c")));
    }
    folder.write("toy/.hidden.yml", "not: read");
    let two =
        "format_version: 2.0\ninput_files: [one.c]\nproperties: [{property_file: p.prp}, {property_file: ../p.prp}]\n";
    folder.write("toy/two.yml", two);
    folder.write("toy/three.yml", &two.replace("../p.prp", "q.prp, expected_verdict: False"));
    folder.write("toy/q.prp", "CHECK( init(main()), LTL( G \"x == 1\" ) )\n");
    let read = |paths: &[&str], filter: Option<&str>| -> Vec<String> {
        let paths: Vec<String> = paths.iter().map(|path| folder.0.join(path).display().to_string()).collect();
        let suite = semper::suite::read(&paths, filter);
        assert!(suite.diagnostics.is_empty(), "{:?}", suite.diagnostics);
        suite.tasks.into_iter().map(|task| task.name).collect()
    };
    let toy = ["one", "three (p)", "three (q)", "two (p.prp)", "two (../p.prp)"];
    assert_eq!(read(&["toy"], None), toy);
    let both: Vec<String> =
        ["eca/one", "eca/two"].map(str::to_owned).into_iter().chain(toy.map(|it| format!("toy/{it}"))).collect();
    assert_eq!(read(&[""], None), both);
    assert_eq!(read(&["eca", "toy/one.yml", "toy"], None), both);
    assert_eq!(read(&["toy/one.yml"], None), ["one"]);
    assert_eq!(read(&["", "eca"], Some("/one")), ["eca/one", "toy/one"]);
    assert_eq!(read(&[""], Some("(q)")), ["toy/three (q)"]);
}

#[test]
fn no_damaged_definition_is_run_or_panics() {
    let folder = Folder::new();
    folder.task("a", "", "true");
    let whole = fs::read_to_string(folder.0.join("a.yml")).unwrap();
    let intact = folder.tasks();
    let mut refused = 0;
    for at in 0..whole.len() {
        for damage in ["", ":", "[", "'", "\n", "\t", "- ", "{a: b}", "x"] {
            for cut in 0..2 {
                let text = format!("{}{damage}{}", &whole[..at], &whole[(at + cut).min(whole.len())..]);
                // A new file: some file systems wait for the disk when an old one is written over.
                fs::remove_file(folder.0.join("a.yml")).unwrap();
                fs::write(folder.0.join("a.yml"), text).unwrap();
                let suite = semper::suite::read(&[folder.path()], None);
                assert_eq!(suite.tasks.is_empty(), suite.diagnostics.has_errors());
                refused += usize::from(suite.tasks.is_empty());
            }
        }
    }
    assert!(refused > 500 && intact.len() == 1, "{refused}");
}

fn semper(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_semper"));
    command.arg("suite").args(arguments).current_dir(folder).env("COLUMNS", "100").env_remove("CC");
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn the_program_prints_a_table_and_writes_json_and_a_plot() {
    let folder = Folder::new();
    folder.task("one", "int x = 1; int main(void) { return 0; }\n", "true");
    folder.task("two", "int x; int main(void) { return y; }\n", "true");
    let arguments = [".", "--engine", "none", "--json", "r.json", "--plot", "r.svg", "-j", "2", "--timeout", "30s"];
    let Output { status, stdout, stderr } = semper(&folder.0, &arguments).output().unwrap();
    assert_eq!((status.code(), text(&stderr).as_str()), (Some(3), ""));
    let stdout = text(&stdout);
    let lines: Vec<&str> = stdout.lines().collect();
    assert!(
        lines[0].starts_with("task  expected  verdict") && lines[2].starts_with("one   holds     unknown"),
        "{stdout}"
    );
    assert!(lines[3].starts_with("two   holds     error"), "{stdout}");
    assert!(stdout.contains("\nunknown        1  (1 no engine)\nerror          1\ntasks          2\n"), "{stdout}");
    assert!(stdout.contains("\nerror: two: ./two.c:1: "), "{stdout}");
    let json: serde_json::Value = serde_json::from_str(&fs::read_to_string(folder.0.join("r.json")).unwrap()).unwrap();
    assert_eq!(json["totals"]["tasks"], 2);
    assert_eq!(json["results"][0]["outcome"], "unknown");
    assert_eq!(json["limits"]["seconds"], 30.0);
    assert!(json["machine"]["cores"].as_u64().unwrap() > 0 && json["date"].as_str().unwrap().ends_with('Z'));
    assert!(fs::read_to_string(folder.0.join("r.svg")).unwrap().starts_with("<svg"));
}

#[test]
fn verdicts_of_semper_itself_are_compared_with_the_labels() {
    let folder = Folder::new();
    let reaches = "int x; int main(void) { while (x < 1) { x = x + 1; } return 0; }\n";
    let does_not = "int x; int main(void) { while (x < 1) { } return 0; }\n";
    folder.task("a-holds", reaches, "true");
    folder.task("b-violated", does_not, "false");
    // A generator of full period: it takes up to four thousand million steps to come by.
    let step = "y = y * 1664525u + 1013904223u; if (y == 123456789u) { x = 1; }";
    folder.task("c-slow", &format!("unsigned x, y; int main(void) {{ while (1) {{ {step} }} }}\n"), "");
    let outcomes = || -> Vec<(String, String)> {
        let json = fs::read_to_string(folder.0.join("r.json")).unwrap();
        let json: serde_json::Value = serde_json::from_str(&json).unwrap();
        let word = |result: &serde_json::Value, key: &str| result[key].as_str().unwrap_or_default().to_owned();
        let results = json["results"].as_array().unwrap();
        results.iter().map(|result| (word(result, "outcome"), word(result, "reason"))).collect()
    };
    let pair = |outcome: &str, reason: &str| (outcome.to_owned(), reason.to_owned());
    let run = |arguments: &[&str]| {
        let output = semper(&folder.0, &[&["--json", "r.json"][..], arguments].concat()).output().unwrap();
        (output.status.code(), text(&output.stdout), outcomes())
    };
    let (status, said, found) = run(&["a-holds.yml", "b-violated.yml", "-j", "2"]);
    assert_eq!((status, found), (Some(0), vec![pair("correct", ""), pair("correct", "")]), "{said}");
    let (status, said, found) = run(&["c-slow.yml", "--timeout", "300ms", "--integers", "machine"]);
    assert_eq!((status, found), (Some(3), vec![pair("unknown", "time")]), "{said}");
    // The other way round all labels are wrong.
    folder.task("a-holds", reaches, "false");
    folder.task("b-violated", does_not, "true");
    let (status, said, found) = run(&["a-holds.yml", "b-violated.yml"]);
    assert_eq!((status, found), (Some(1), vec![pair("wrong", ""), pair("wrong", "")]), "{said}");
    let expected =
        "\nwrong: a-holds: expected violated, found holds\nwrong: b-violated: expected holds, found violated\n";
    assert!(said.ends_with(expected), "{said}");
}

/// A program whose reading takes as long as nobody writes to a pipe.
fn hanging(folder: &Folder) {
    assert!(Command::new("mkfifo").arg(folder.0.join("pipe.h")).status().unwrap().success());
    folder.task("hangs", "#include \"pipe.h\"\nint x; int main(void) { return 0; }\n", "true");
}

fn wait_at_most(child: &mut Child, time: Duration) -> Option<i32> {
    let end = Instant::now() + time;
    while Instant::now() < end {
        if let Some(status) = child.try_wait().unwrap() {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    panic!("it did not end within {time:?}");
}

#[test]
fn an_interrupt_ends_the_tasks_and_prints_the_totals() {
    let folder = Folder::new();
    folder.task("first", "int x; int main(void) { return 0; }\n", "true");
    hanging(&folder);
    folder.task("later", "int x; int main(void) { return 0; }\n", "true");
    let arguments = [".", "--engine", "none", "--verbose", "--json", "r.json"];
    let mut command = semper(&folder.0, &arguments);
    let out = fs::File::create(folder.0.join("out.txt")).unwrap();
    let err = fs::File::create(folder.0.join("err.txt")).unwrap();
    let mut child = command.stdout(out).stderr(err).stdin(Stdio::null()).spawn().unwrap();
    let read = |name: &str| fs::read_to_string(folder.0.join(name)).unwrap();
    let start = Instant::now();
    while !read("err.txt").contains("running hangs") {
        assert!(start.elapsed() < Duration::from_secs(600), "{}", read("err.txt"));
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(100));
    let interrupted = Command::new("sh").args(["-c", &format!("kill -s INT {}", child.id())]).status().unwrap();
    assert!(interrupted.success());
    assert_eq!(wait_at_most(&mut child, Duration::from_secs(300)), Some(3));
    let out = read("out.txt");
    assert!(out.contains("\nnot run        2\n") && out.contains("The run was interrupted."), "{out}");
    let json: serde_json::Value = serde_json::from_str(&read("r.json")).unwrap();
    assert_eq!(json["interrupted"], true);
    assert_eq!(json["results"].as_array().unwrap().len(), 1);
}
