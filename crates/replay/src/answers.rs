//! The answers of a lasso, given one after the other: those of the stem, then those of the cycle again and again.

use std::cell::RefCell;

use program::semantics::{Answer, Choices, Pointer, Question, Value};
use task::Lasso;

/// A value that the program asked for.
#[derive(Clone, PartialEq, Debug)]
pub struct ReplayedInput {
    /// Where it is said to come from: the name of a function, a register's address, or the part of memory that was not
    /// initialised (`main::x`).
    pub name: String,
    /// Whether it is what a part of memory held that was not initialised.
    pub uninitialised: bool,
    /// The value.
    pub value: Value,
    /// How many states had been observed before.
    pub observed: usize,
    /// Whether it is asked for again in every round of the loop.
    pub repeated: bool,
}

/// What the source of choices notes for those who cannot ask it, because the interpreter holds it.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// The threads that the last question about the schedule offered; taken away by the reader.
    pub enabled: Option<Vec<u32>>,
    /// The values that were asked for, each with the number of answers before it; taken away by the reader.
    pub inputs: Vec<(u64, ReplayedInput)>,
}

/// Values beyond this many answers are not noted: nobody reads them.
const MOST_INPUTS: u64 = 1 << 20;

/// The answers of a lasso.
#[derive(Debug)]
pub(crate) struct Answers<'a> {
    lasso: &'a Lasso,
    given: u64,
    log: &'a RefCell<Log>,
}

impl<'a> Answers<'a> {
    pub(crate) fn new(lasso: &'a Lasso, log: &'a RefCell<Log>) -> Self {
        Self { lasso, given: 0, log }
    }
}

/// Where in a lasso the next answer stands after so many were given. Equal positions mean equal answers from there on.
pub(crate) fn position(lasso: &Lasso, given: u64) -> u64 {
    let (stem, cycle) = (lasso.stem.len() as u64, lasso.cycle.len() as u64);
    if given < stem || cycle == 0 { given } else { stem + (given - stem) % cycle }
}

impl Choices for Answers<'_> {
    fn choose(&mut self, question: &Question) -> Answer {
        let at = position(self.lasso, self.given) as usize;
        let Some(answer) = self.lasso.stem.iter().chain(&self.lasso.cycle).nth(at) else { return Answer::Exhausted };
        let before = self.given;
        self.given += 1;
        let mut log = self.log.borrow_mut();
        match (question, answer) {
            (Question::Schedule { enabled, .. }, _) => log.enabled = Some(enabled.clone()),
            (Question::Branch { .. }, _) => {}
            // The address of an object can be guessed only by its number: an object need not have been named to anybody.
            (_, Answer::Value(Value::Pointer(pointer))) if *pointer != Pointer::Null => {
                return Answer::Unfit(format!("the address for `{}` is not given by its number", question.name()));
            }
            (_, Answer::Value(value)) if before < MOST_INPUTS => {
                let uninitialised = matches!(question, Question::Uninitialised { .. });
                let (name, value) = (question.name(), value.clone());
                log.inputs.push((before, ReplayedInput { name, uninitialised, value, observed: 0, repeated: false }));
            }
            _ => {}
        }
        answer.clone()
    }
}
