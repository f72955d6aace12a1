//! A toy engine: programs that ask nothing have one run, and what is false on it is violated.

use semper::automata::ltl::{AtomId, Letter, evaluate_lasso};
use semper::foundation::{Budget, Id};
use semper::program::semantics::{RunEnd, RunLimits, SeededChoices, run};
use semper::program::{Op, Program};
use semper::task::registry::{Decides, Turn};
use semper::task::{Board, Counterexample, Engine, Entry, Lasso, Outcome, Reason, Statistics, Task, Verdict};

/// How it is chosen.
pub const ENTRY: Entry = Entry {
    name: "one-run",
    about: "looks at the only run",
    decides: Decides::Violations,
    shows: false,
    writes_proofs: false,
    takes: |task| match asks(&task.program) {
        true => Err(Reason::unsupported("inputs", None)),
        false => Ok(()),
    },
    make: |_| Box::new(OneRun),
    turns: &[Turn { round: 0, work: 1_000, share: 100 }],
};

struct OneRun;

impl Engine for OneRun {
    fn name(&self) -> &'static str {
        ENTRY.name
    }

    fn check(&self, task: &Task, _: &Board, budget: &Budget) -> Outcome {
        let mut choices = SeededChoices::new(0);
        let run = run(&task.program, task.semantics, &task.atoms, &mut choices, RunLimits::default(), budget);
        let letter = |truth: &Vec<bool>| -> Letter {
            truth.iter().enumerate().filter(|(_, holds)| **holds).map(|(atom, _)| AtomId::from_index(atom)).collect()
        };
        let letters: Vec<Letter> = run.observations.iter().map(|observation| letter(&observation.truth)).collect();
        let verdict = match run.end {
            RunEnd::Lasso { start }
                if !evaluate_lasso(&task.formulas, task.formula(), &letters[..start], &letters[start..]) =>
            {
                Verdict::Violated(Counterexample::Lasso(Lasso::default()))
            }
            _ => Verdict::Unknown(Reason::Incomplete("the only run violates nothing, or goes on".to_owned())),
        };
        Outcome::of(ENTRY.name, verdict, Statistics::default())
    }
}

fn asks(program: &Program) -> bool {
    program.edges.values().any(|edge| matches!(edge.op, Op::Input { .. } | Op::Havoc { .. } | Op::Spawn { .. }))
}
