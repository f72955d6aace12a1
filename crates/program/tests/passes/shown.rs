//! What a prepared program shows, and the comparison of two.

use foundation::Budget;
use program::passes::run::run;
use program::passes::{Prepared, prepare};
use program::print::function_text;
use program::semantics::*;
use program::*;

use crate::builder::Builder;

/// Choices that are written down.
struct Log {
    choices: SeededChoices,
    questions: Vec<String>,
}

impl Choices for Log {
    fn choose(&mut self, question: &Question) -> Answer {
        self.questions.push(match question {
            Question::Uninitialised { ty, .. } => format!("uninitialised {ty:?}"),
            Question::Branch { edges } => format!("{} edges", edges.len()),
            other => format!("{other:?}"),
        });
        self.choices.choose(question)
    }
}

/// What a run shows: the truth of atoms, the end without its place, and the questions.
#[derive(Clone, PartialEq, Debug)]
pub struct Shown {
    pub truth: Vec<Vec<bool>>,
    pub end: RunEnd,
    pub questions: Vec<String>,
}

const LIMITS: RunLimits = RunLimits { observations: 30, edges: 2000 };

/// What a prepared program shows with the choices of a seed.
pub fn shown(prepared: &Prepared, seed: u64) -> Shown {
    let mut log = Log { choices: SeededChoices::new(seed), questions: Vec::new() };
    let trace = run(prepared, &mut log, LIMITS, &Budget::unlimited());
    Shown { truth: trace.truth, end: trace.end, questions: log.questions }
}

/// What the original program shows.
pub fn shown_by_original(b: &Builder, atoms: &[Atom], semantics: Semantics, seed: u64) -> Shown {
    let mut log = Log { choices: SeededChoices::new(seed), questions: Vec::new() };
    let whole = program::semantics::run(&b.program, semantics, atoms, &mut log, LIMITS, &Budget::unlimited());
    let end = match whole.end {
        RunEnd::Undefined { kind, .. } => RunEnd::Undefined { kind, span: None },
        RunEnd::Blocked { .. } => RunEnd::Blocked { span: None },
        RunEnd::Unsupported { reason, .. } => RunEnd::Unsupported { reason, span: None },
        other => other,
    };
    let truth = whole.observations.into_iter().map(|observation| observation.truth).collect();
    Shown { truth, end, questions: log.questions }
}

/// A program under a semantics, prepared.
pub fn prepared(b: &Builder, atoms: &[Atom], semantics: Semantics) -> Prepared {
    prepare(&b.program, atoms, semantics, 10_000).expect("it can be prepared")
}

/// Prepares a program and applies a pass, which must change nothing that can be seen, for some seeds. Programs that are
/// compared with the original end by themselves.
pub fn passed(b: &Builder, atoms: &[Atom], semantics: Semantics, pass: impl Fn(Prepared) -> Prepared) -> Prepared {
    let before = prepared(b, atoms, semantics);
    let after = pass(before.clone());
    for seed in 0..20 {
        let expected = shown(&before, seed);
        if !matches!(expected.end, RunEnd::Limit) {
            assert_eq!(shown_by_original(b, atoms, semantics, seed), expected, "preparing, seed {seed}");
        }
        assert_eq!(shown(&after, seed), expected, "seed {seed}:\n{}", text(&after));
    }
    after
}

/// The text of the edges of a prepared program, without their locations.
pub fn edges(prepared: &Prepared) -> Vec<String> {
    let edges = prepared.program.edges.values();
    edges
        .map(|edge| {
            let observed = if edge.observe == Observe::No { "" } else { " *" };
            program::print::op_text(&prepared.program, &edge.op) + observed
        })
        .collect()
}

pub fn text(prepared: &Prepared) -> String {
    function_text(&prepared.program, prepared.root())
}
