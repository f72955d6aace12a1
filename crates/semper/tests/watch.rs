//! What the fairness engine tells of its work is what it did, and the files of `--dump-dir` are there.

use std::fs;
use std::process::Command;
use std::sync::Mutex;

use semper::task::watch::{CandidateLasso, Fate, Interest, Made, Picture, Progress, Watch};
use semper::{Budget, CheckedVerdict, Input, Properties, Request, Settings};

/// Every ticket is an adult's or a child's, which no interval and no octagon says.
const TICKETS: &str = "int nondet_int(void); int adults, children, tickets, alarm, queue;
int main(void) {
    queue = nondet_int();
    while (queue > 0) {
        if (nondet_int()) adults = adults + 1; else children = children + 1;
        tickets = tickets + 1;
        queue = queue - 1;
        if (tickets != adults + children) alarm = 1;
    }
    return 0;
}
";

/// Writes everything down.
#[derive(Debug)]
struct Notes {
    interest: Interest,
    events: Mutex<Vec<Event>>,
}

#[derive(Debug)]
enum Event {
    Progress(Progress),
    Candidate(usize, Option<CandidateLasso>),
    Decided(usize, Fate),
    Picture(String, Picture),
}

impl Notes {
    fn note(&self, event: Event) {
        self.events.lock().unwrap().push(event);
    }
}

impl Watch for Notes {
    fn interest(&self) -> Interest {
        self.interest
    }

    fn progress(&self, progress: &Progress) {
        self.note(Event::Progress(progress.clone()));
    }

    fn candidate(&self, number: usize, trace: Option<&CandidateLasso>) {
        self.note(Event::Candidate(number, trace.cloned()));
    }

    fn decided(&self, number: usize, fate: &Fate) {
        self.note(Event::Decided(number, fate.clone()));
    }

    fn made(&self, automaton: &Made<'_>, picture: Option<&Picture>) {
        if let Some(picture) = picture {
            self.note(Event::Picture(automaton.name.to_owned(), picture.clone()));
        }
    }
}

fn events(formula: &str, interest: Interest) -> (CheckedVerdict, Vec<Event>) {
    let request = Request {
        files: vec![Input::Text { name: "tickets.c".into(), text: TICKETS.into() }],
        properties: Properties::Formulas(vec![formula.into()]),
        integers: semper::program::semantics::Integers::Ideal,
        ..Request::default()
    };
    let subject = semper::load(&request, &Budget::unlimited()).subject.expect("the program is correct");
    let settings = Settings { engine: semper::engines::fairness::ENTRY, ..Settings::default() };
    let notes = Notes { interest, events: Mutex::default() };
    let outcome = semper::check_watched(&subject, 0, &settings, &notes, &Budget::unlimited());
    (outcome.verdict, notes.events.into_inner().unwrap())
}

#[test]
fn what_is_told_is_in_order_and_as_much_as_is_of_interest() {
    for formula in ["G !\"alarm\"", "F end", "F \"alarm\""] {
        for interest in [Interest::Progress, Interest::Traces, Interest::Everything] {
            let (verdict, events) = events(formula, interest);
            let with_pictures = interest == Interest::Everything;
            let (mut finite, mut ranked, mut last, mut pictures) = (0, 0, 0, Vec::new());
            let mut done = None;
            for event in events {
                match event {
                    Event::Candidate(number, trace) => {
                        assert_eq!(number, last + 1);
                        last = number;
                        assert_eq!(trace.is_some(), interest >= Interest::Traces);
                        let Some(trace) = trace else { continue };
                        assert!(!trace.stem.is_empty() && !trace.cycle.is_empty());
                        assert!(trace.cycle.iter().all(|block| !block.statements.is_empty()));
                        assert_eq!(trace.formula.is_some(), with_pictures);
                    }
                    Event::Decided(number, Fate::Refuted { why, .. }) => {
                        assert_eq!(number, last);
                        if why.contains("decreases") { ranked += 1 } else { finite += 1 }
                    }
                    Event::Decided(_, Fate::Diverges { .. }) => {
                        assert!(matches!(verdict, CheckedVerdict::Violated { .. }))
                    }
                    Event::Decided(_, Fate::Open { why }) => panic!("{why}"),
                    Event::Picture(name, picture) => {
                        let nodes = picture.nodes.len();
                        assert!(picture.edges.iter().all(|edge| edge.from < nodes && edge.to < nodes));
                        assert!(picture.nodes.iter().any(|node| node.is_initial));
                        pictures.push(name);
                    }
                    Event::Progress(progress) => done = Some(progress),
                }
            }
            let done = done.expect("the end is told");
            let count = |name: &str| done.counts.iter().find(|(known, _)| *known == name).map(|(_, count)| *count);
            let counted = ["lasso", "refuted by prefixes", "by ranking functions"].map(count);
            assert_eq!(counted, [last as u64, finite, ranked].map(Some), "{formula}");
            assert_eq!(pictures.len() as u64, if with_pictures { 1 + finite + ranked } else { 0 });
            assert!(!with_pictures || pictures[0] == "product");
            let violated = formula.contains('F') && formula.contains("alarm");
            assert_eq!(matches!(verdict, CheckedVerdict::Violated { .. }), violated, "{formula}");
            assert_eq!(matches!(verdict, CheckedVerdict::Holds { .. }), !violated, "{formula}");
        }
    }
}

#[test]
fn the_files_of_a_dump_are_written() {
    let folder = std::env::temp_dir().join(format!("semper-dump-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("tickets.c"), TICKETS).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_semper"))
        .args(["check", "tickets.c", "--ltl", "G !\"alarm\"", "--ltl", "F end", "--integers", "ideal"])
        .args(["--engine", "fairness", "--dump-dir", "a/b"])
        .current_dir(&folder)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    for property in ["property-1", "property-2"] {
        let read = |name: &str| {
            let path = folder.join("a/b").join(property).join(name);
            fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
        };
        assert!(read("product.dot").contains("digraph product {"));
        assert!(read("module-1.dot").contains("digraph module {"));
        assert!(read("lasso-1.txt").contains("\n  refuted: "));
        let script = read("lasso-1.smt2");
        assert!(script.contains("\n(assert ") && script.ends_with("(check-sat)\n"));
        assert_eq!(script.matches('(').count(), script.matches(')').count());
    }
    fs::remove_dir_all(&folder).unwrap();
}
