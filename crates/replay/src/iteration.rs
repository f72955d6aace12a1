//! Executes the stem and the first iteration of a loop of which others have shown that all iterations show the same.

use std::cell::RefCell;

use automata::ltl::{AtomId, Letter};
use foundation::{Budget, Id};
use program::semantics::RunEnd;
use task::{Lasso, Task};

use crate::answers::{Answers, Log};
use crate::closing::{ClosedLoop, Closing};
use crate::replay::{FoundLoop, MOST_TOLD_OBSERVATIONS, Rejected, Replayed, conclude, executed};
use crate::walk::Walk;

/// An iteration of a loop that is repeated for ever as far as it shows something.
#[derive(Clone, Debug)]
pub struct Iteration {
    /// All answers up to the end of the iteration, and some more.
    pub answers: Lasso,
    /// How many of them are given before the iteration.
    pub answers_before: u64,
    /// What is said to be observed up to the end of the iteration.
    pub truth: Vec<Vec<bool>>,
    /// How many of these states are observed before the iteration.
    pub begins: usize,
    /// Why it is repeated.
    pub closing: Closing,
}

/// Executes the program up to the end of an iteration: it must show what is said, and violate the goal if the iteration
/// is repeated.
pub fn repeated(task: &Task, iteration: Iteration, budget: &Budget) -> Result<Replayed, Rejected> {
    let Iteration { answers, answers_before, truth, begins, closing } = iteration;
    let wrong = |reason: &str| Err(Rejected::NotRecurrent { reason: reason.to_owned() });
    let log = RefCell::new(Log::default());
    let mut given = Answers::new(&answers, &log);
    let mut walk = Walk::new(task, &mut given, &log, false);
    let mut end = walk.begin();
    let mut letters_before = None;
    while end.is_none() && walk.word().observed < truth.len() {
        if walk.word().observed >= begins && letters_before.is_none() {
            walk.part_word();
            letters_before = Some(walk.word().numbers.len());
        }
        walk.check(budget)?;
        end = walk.step();
    }
    if let Some(end) = end {
        executed(end)?;
        return wrong("the execution ends");
    }
    let letters_before = letters_before.unwrap_or(walk.word().numbers.len());
    let steps = walk.steps();
    let (word, inputs, _) = walk.into_parts();
    let letter = |truth: &Vec<bool>| -> Letter {
        let holding = truth.iter().enumerate().filter(|(_, holds)| **holds);
        holding.map(|(index, _)| AtomId::from_index(index)).collect()
    };
    let mut expected: Vec<Letter> = truth.iter().map(letter).collect();
    let mut observed = word.letters(&word.numbers);
    if !task.formulas.has_next(task.formula()) {
        expected.dedup();
        observed.dedup();
    }
    if expected != observed {
        return wrong("the inlined program shows something else");
    }
    let end = if begins == truth.len() { RunEnd::Silent } else { RunEnd::Lasso { start: begins } };
    let closed = ClosedLoop { end, closing, starved: Vec::new(), answers_before, letters_before };
    conclude(task, &answers, FoundLoop { closed, steps, word, inputs }, MOST_TOLD_OBSERVATIONS, budget)
}
