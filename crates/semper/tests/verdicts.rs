//! The tables in the pages of the suite are tests: below each program stands which properties hold and which are
//! violated, with which integers. A verdict that differs fails, and so does `unknown` where the table does not allow it.
//! `suite/loops/README.md` describes the format. What is in [`OF_FAIRNESS`] is asked of the fairness engine, which was
//! made for it, the rest of all engines.
//!
//! `SEMPER_CASES=nested.md` decides only the cases whose page, line or heading contains the text (all where it is empty)
//! and prints a line for each, with the seconds and the work that it took, which is the same in every run;
//! `SEMPER_ENGINE=explicit` asks this engine. Both with `-- --nocapture`.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use semper::program::semantics::Integers;
use semper::{Budget, CheckedVerdict, Input, Properties, Request, Settings};
use task::Entry;

/// The folders whose cases the fairness engine decides alone.
const OF_FAIRNESS: [&str; 2] = ["loops", "temporal"];
/// The folders whose cases are decided as `semper check` decides them.
const OF_ALL_ENGINES: [&str; 2] = ["bits", "termination"];

/// How much work one case may be, on whatever machine: a minute's, about.
const MOST_WORK: u64 = 60_000_000;
/// How much work a case may be where no answer is expected.
const LITTLE_WORK: u64 = 400_000;
/// What all cases that are decided at the same time may hold.
const MEMORY: u64 = 3 << 30;

#[test]
fn every_verdict_is_the_one_in_the_table() {
    let (asked, prints) = std::env::var("SEMPER_CASES").map_or((String::new(), false), |asked| (asked, true));
    let engine = std::env::var("SEMPER_ENGINE")
        .ok()
        .map(|name| *engines::registry().find(&name).expect("an engine of this name"));
    let cases: Vec<Case> = cases().into_iter().filter(|case| case.to_string().contains(&asked)).collect();
    assert!(!cases.is_empty(), "no case contains `{asked}`");
    let left = Mutex::new(cases.iter());
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(case) = left.lock().unwrap().next() else { break };
                    let failure = failure_of(case, engine, prints);
                    failures.lock().unwrap().extend(failure);
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    assert!(failures.is_empty(), "{} of {} cases fail\n{}", failures.len(), cases.len(), failures.join("\n"));
}

/// Decides a case, and says where the verdict is not the expected one.
fn failure_of(case: &Case, engine: Option<Entry>, prints: bool) -> Option<String> {
    let start = Instant::now();
    let settings =
        engine.or(case.engine()).map_or_else(Settings::default, |engine| Settings { engine, ..Settings::default() });
    let found = catch_unwind(AssertUnwindSafe(|| decide(case, &settings)));
    let (found, work) = found.unwrap_or_else(|_| (Found::Fault("the engine panics".to_owned()), 0));
    let seconds = start.elapsed().as_secs_f64();
    if prints {
        println!("{seconds:6.2} s  {work:9}  {found:?}: {case}");
    }
    let expected = case.expected;
    (!expected.allows(&found))
        .then(|| format!("{case}\n    expected {expected:?}, found {found:?} ({seconds:.2} s, {work})"))
}

#[test]
fn every_program_can_be_read_and_what_holds_has_a_sibling_that_does_not() {
    let cases = cases();
    let programs = |folder: &str| {
        let mut programs: Vec<&str> =
            cases.iter().filter(|case| case.page.starts_with(folder)).map(|case| case.program.as_str()).collect();
        programs.sort_unstable();
        programs.dedup();
        programs.len()
    };
    for (folder, least) in [("loops/", 60), ("temporal/", 40), ("bits/", 80), ("termination/", 120)] {
        assert!(programs(folder) >= least, "cases of {folder} are missing");
    }
    for case in &cases {
        let loaded = semper::load(&case.request(), &Budget::unlimited());
        assert!(loaded.subject.is_some(), "{case}\n{:?}", loaded.diagnostics);
        let verdicts = || cases.iter().filter(|it| (&it.page, &it.heading) == (&case.page, &case.heading));
        let has = |verdict: Expected| verdicts().any(|it| it.expected.verdict() == verdict);
        assert!(has(Expected::Holds) && has(Expected::Violated), "{case}: no sibling with the other verdict");
    }
}

/// A row of a table, for one kind of integers.
struct Case {
    page: String,
    line: usize,
    heading: String,
    program: String,
    property: String,
    assumption: Option<String>,
    integers: Integers,
    expected: Expected,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Expected {
    Holds,
    Violated,
    HoldsOrUnknown,
    ViolatedOrUnknown,
}

#[derive(Debug)]
enum Found {
    Holds,
    Violated,
    Unknown(#[allow(dead_code, reason = "it is printed")] String),
    Fault(#[allow(dead_code, reason = "it is printed")] String),
}

impl Expected {
    fn read(text: &str) -> Option<Self> {
        Some(match text {
            "holds" => Expected::Holds,
            "violated" => Expected::Violated,
            "holds or unknown" => Expected::HoldsOrUnknown,
            "violated or unknown" => Expected::ViolatedOrUnknown,
            _ => return None,
        })
    }

    /// What is true, whether it can be found out or not.
    fn verdict(self) -> Expected {
        match self {
            Expected::Holds | Expected::HoldsOrUnknown => Expected::Holds,
            Expected::Violated | Expected::ViolatedOrUnknown => Expected::Violated,
        }
    }

    fn allows(self, found: &Found) -> bool {
        match found {
            Found::Holds => self.verdict() == Expected::Holds,
            Found::Violated => self.verdict() == Expected::Violated,
            Found::Unknown(_) => self != self.verdict(),
            Found::Fault(_) => false,
        }
    }
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Case { page, line, heading, property, integers, .. } = self;
        write!(f, "suite/{page}:{line}: {heading}: {property}, {integers:?} integers")?;
        self.assumption.as_ref().map_or(Ok(()), |assumption| write!(f, ", assuming {assumption}"))
    }
}

impl Case {
    /// The engine that decides it, if it is not all of them.
    fn engine(&self) -> Option<Entry> {
        let is_of = |folder: &&str| self.page.split('/').next() == Some(*folder);
        OF_FAIRNESS.iter().any(is_of).then_some(engines::fairness::ENTRY)
    }

    fn request(&self) -> Request {
        Request {
            files: vec![Input::Text { name: "example.c".to_owned(), text: self.program.clone() }],
            properties: Properties::Formulas(vec![self.property.clone()]),
            assumptions: self.assumption.iter().cloned().collect(),
            integers: self.integers,
            ..Request::default()
        }
    }
}

/// What is found, and how much work that was.
fn decide(case: &Case, settings: &Settings) -> (Found, u64) {
    let open = case.expected.allows(&Found::Unknown(String::new()));
    let budget = Budget::unlimited().with_memory(MEMORY);
    semper::host::watch_memory(&budget);
    let most = if open { LITTLE_WORK } else { MOST_WORK };
    let limited = budget.part_with_work(most);
    let Some(subject) = semper::load(&case.request(), &budget).subject else {
        return (Found::Fault("the program or the property cannot be read".to_owned()), 0);
    };
    let outcome = semper::check(&subject, 0, settings, &limited);
    // What watches the memory ends with the budget.
    budget.cancel();
    let found = match outcome.verdict {
        CheckedVerdict::Holds { .. } => Found::Holds,
        CheckedVerdict::Violated { .. } => Found::Violated,
        CheckedVerdict::Unknown(reason) => Found::Unknown(reason.to_string()),
    };
    (found, most - limited.work_left().unwrap_or(most))
}

/// All cases, page by page.
fn cases() -> Vec<Case> {
    let suite = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../suite");
    let mut pages = Vec::new();
    for folder in OF_FAIRNESS.into_iter().chain(OF_ALL_ENGINES) {
        for entry in fs::read_dir(suite.join(folder)).unwrap() {
            pages.push(format!("{folder}/{}", entry.unwrap().file_name().to_string_lossy()));
        }
    }
    pages.sort();
    pages.iter().flat_map(|page| read(page, &fs::read_to_string(suite.join(page)).unwrap())).collect()
}

/// The cases of a page. A table of properties belongs to the last program above it; others are prose.
fn read(page: &str, text: &str) -> Vec<Case> {
    let (mut cases, mut heading, mut program) = (Vec::new(), "", None);
    let mut columns: Vec<String> = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        if let Some(fence) = line.strip_suffix(line.trim_start_matches('`')).filter(|fence| fence.len() >= 3) {
            let body: Vec<&str> = lines.by_ref().map(|(_, line)| line).take_while(|line| *line != fence).collect();
            if line == "```c" {
                program = Some(body.join("\n") + "\n");
            }
        } else if line.starts_with('#') {
            (heading, program) = (line.trim_matches(['#', ' ']), None);
            columns.clear();
        } else if line.starts_with("| ---") {
            // The line between the names of the columns and the rows.
        } else if line.starts_with("| property ") {
            columns = cells(line);
        } else if !line.starts_with('|') {
            columns.clear();
        } else if !columns.is_empty() {
            let place = format!("suite/{page}:{}", number + 1);
            let row = cells(line);
            assert_eq!(row.len(), columns.len(), "{place}: as many cells as columns");
            let cell = |name: &str| columns.iter().position(|column| column == name).map(|at| row[at].as_str());
            let expected = cell("verdict").and_then(Expected::read).unwrap_or_else(|| panic!("{place}: no verdict"));
            let integers: &[Integers] = match cell("integers") {
                Some("ideal") => &[Integers::Ideal],
                Some("machine") => &[Integers::Machine],
                Some("both") => &[Integers::Ideal, Integers::Machine],
                _ => panic!("{place}: `ideal`, `machine` or `both` integers"),
            };
            cases.extend(integers.iter().map(|&integers| Case {
                page: page.to_owned(),
                line: number + 1,
                heading: heading.to_owned(),
                program: program.clone().unwrap_or_else(|| panic!("{place}: there is no program above")),
                property: row[0].clone(),
                assumption: cell("assume").filter(|text| !text.is_empty()).map(str::to_owned),
                integers,
                expected,
            }));
        }
    }
    cases
}

/// The cells of a line of a table, without backquotes. `\|` does not end a cell.
fn cells(line: &str) -> Vec<String> {
    let line = line.replace("\\|", "\u{0}");
    let cells = line.trim().trim_matches('|').split('|');
    cells.map(|cell| cell.trim().trim_matches('`').replace('\u{0}', "|")).collect()
}

#[test]
fn a_page_is_read_as_it_is_meant() {
    let page = "# P\n\n````markdown\n```c\nint no;\n```\n| `F no` | both | holds |\n````\n## H\n\n```c\nint x;\n```\n\n| page | about |\n| --- | --- |\n| p | q |\n\n\
                | property | assume | integers | verdict |\n| --- | --- | --- | --- |\n\
                | `F \"a\" \\|\\| \"b\"` | `G c` | both | holds |\n| `end` |  | machine | violated or unknown |\n";
    let cases = read("p.md", page);
    let seen: Vec<String> = cases.iter().map(|case| format!("{case}: {:?}", case.expected)).collect();
    assert_eq!(
        seen,
        [
            "suite/p.md:21: H: F \"a\" || \"b\", Ideal integers, assuming G c: Holds",
            "suite/p.md:21: H: F \"a\" || \"b\", Machine integers, assuming G c: Holds",
            "suite/p.md:22: H: end, Machine integers: ViolatedOrUnknown",
        ]
    );
    assert!(cases.iter().all(|case| case.program == "int x;\n"));
}
