//! Whether a lasso shows a violation, found without looking for repeated states: the program is run for long, and
//! what was observed is taken to go on as the shortest period of its later part says. For the small programs of these tests
//! that is right: they have far fewer states than the run has steps.

use automata::ltl::{AtomId, Letter, evaluate_lasso};
use foundation::{Budget, Id};
use program::semantics::{Answer, Choices, Question, RunEnd, RunLimits, run};
use task::{Lasso, Task};

/// The answers of a lasso, one after the other.
pub struct Repeated<'a> {
    lasso: &'a Lasso,
    given: usize,
}

impl<'a> Repeated<'a> {
    /// Nothing answered yet.
    pub fn new(lasso: &'a Lasso) -> Self {
        Self { lasso, given: 0 }
    }
}

impl Choices for Repeated<'_> {
    fn choose(&mut self, _: &Question) -> Answer {
        let Lasso { stem, cycle } = self.lasso;
        let given = self.given;
        self.given += 1;
        match given.checked_sub(stem.len()) {
            None => stem[given].clone(),
            Some(_) if cycle.is_empty() => Answer::Exhausted,
            Some(beyond) => cycle[beyond % cycle.len()].clone(),
        }
    }
}

/// Whether the goal is false of the execution with these answers; false too where there is no such execution.
pub fn violates(task: &Task, lasso: &Lasso, length: usize) -> bool {
    let mut choices = Repeated::new(lasso);
    let limits = RunLimits { observations: length, edges: 20 * length as u64 };
    let run = run(&task.program, task.semantics, &task.atoms, &mut choices, limits, &Budget::unlimited());
    let letter = |truth: &Vec<bool>| -> Letter {
        (0..truth.len()).filter(|&index| truth[index]).map(AtomId::from_index).collect()
    };
    let letters: Vec<Letter> = run.observations.iter().map(|observation| letter(&observation.truth)).collect();
    let last = letters.len().wrapping_sub(1);
    let start = match run.end {
        RunEnd::Lasso { start } => start,
        RunEnd::End(_) | RunEnd::Undefined { .. } | RunEnd::Deadlock | RunEnd::Silent | RunEnd::StoppedAtCall(_) => {
            last
        }
        RunEnd::Limit if letters.len() == length => {
            let later = &letters[length / 2..];
            let has_period = |period: &usize| later[..later.len() - period] == later[*period..];
            let period = (1..later.len() / 2).find(has_period).expect("the run is long enough to be periodic");
            let end = length / 2 + period;
            return !evaluate_lasso(&task.formulas, task.formula(), &letters[..length / 2], &letters[length / 2..end]);
        }
        // Nothing is observed any more.
        RunEnd::Limit => last,
        RunEnd::Blocked { .. } | RunEnd::NoMoreInputs | RunEnd::UnfitInput { .. } => return false,
        RunEnd::Exhausted(_) | RunEnd::Unsupported { .. } => panic!("{:?}", run.end),
    };
    !evaluate_lasso(&task.formulas, task.formula(), &letters[..start], &letters[start..])
}
