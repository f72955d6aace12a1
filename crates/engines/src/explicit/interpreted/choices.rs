//! The answers that the interpreter is given in one step: those that were decided before, then the first alternative of
//! every further question.
//!
//! The questions of a step form a tree, whose leaves are the step's results. [`Script`] walks through it depth first:
//! a run answers by the script and extends it, and [`Decisions::advance`] turns to the next leaf. Which thread runs is
//! a question like the others, unless somebody has decided it already.

use std::cell::RefCell;

use foundation::Span;
use program::semantics::{Answer, Choices, Question, Value};
use program::{EdgeId, Scalar};
use task::Reason;

/// The values that stand for all others: what an input, something uninitialised or a register is taken to be. The edge
/// is the one that is taken, where it is known.
pub(super) type RepresentativeValues = dyn Fn(&Question, Option<EdgeId>) -> Result<Vec<Answer>, Reason> + Send + Sync;

/// Who decides which thread runs next, where several can.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Scheduling {
    /// Each of them in turn: one more question of the script.
    Enumerated,
    /// The first of these that can; where none can, the step ends here.
    Preferred(Vec<u32>),
}

/// Why an answer was denied.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Denied {
    /// None of the preferred threads can run.
    Schedule,
    /// Nothing was to be asked.
    Question,
    /// The question has too many answers.
    Refused(Reason),
}

/// A question and the answers to it.
#[derive(Clone, Debug)]
struct StepDecision {
    alternatives: Vec<Answer>,
    taken: usize,
}

/// The decisions of a step, and what was answered in the current run.
pub(super) struct Script<'d> {
    domains: &'d RepresentativeValues,
    decisions: Decisions,
    /// How many of the decisions were used in the current run.
    used: usize,
    /// All answers of the current run, in the order of the questions.
    pub answers: Vec<Answer>,
    /// Who decides which thread runs.
    pub scheduling: Scheduling,
    /// Whether questions other than for the thread are denied.
    pub unquestioned: bool,
    /// The threads among which one was chosen last.
    pub enabled: Option<Vec<u32>>,
    /// Why the last answer was denied, if it was.
    pub denied: Option<Denied>,
    /// The edge that is taken, where it is known.
    pub edge: Option<EdgeId>,
}

/// A leaf of the tree of questions: what was decided on the way to it.
#[derive(Clone, Debug, Default)]
pub(super) struct Decisions(Vec<StepDecision>);

impl Decisions {
    /// Turns to the next leaf; whether there is one.
    pub fn advance(&mut self) -> bool {
        while let Some(last) = self.0.last_mut() {
            last.taken += 1;
            if last.taken < last.alternatives.len() {
                return true;
            }
            self.0.pop();
        }
        false
    }
}

impl<'d> Script<'d> {
    /// A script that follows these decisions first.
    pub fn new(domains: &'d RepresentativeValues, decisions: Decisions) -> Self {
        Self {
            domains,
            decisions,
            used: 0,
            answers: Vec::new(),
            scheduling: Scheduling::Enumerated,
            unquestioned: false,
            enabled: None,
            denied: None,
            edge: None,
        }
    }

    /// From the beginning again, with the same decisions.
    pub fn rewind(&mut self) {
        self.used = 0;
        self.answers.clear();
        self.scheduling = Scheduling::Enumerated;
        self.unquestioned = false;
        self.enabled = None;
        self.denied = None;
        self.edge = None;
    }

    /// What was decided.
    pub fn into_decisions(self) -> Decisions {
        self.decisions
    }

    fn answer(&mut self, question: &Question) -> Answer {
        if let Question::Schedule { enabled, .. } = question {
            self.enabled = Some(enabled.clone());
            if let Scheduling::Preferred(preferred) = &self.scheduling {
                let found = preferred.iter().find_map(|thread| enabled.iter().position(|other| other == thread));
                return match found {
                    Some(index) => self.give(Answer::Index(index)),
                    None => self.deny(Denied::Schedule),
                };
            }
        } else if self.unquestioned {
            return self.deny(Denied::Question);
        }
        if self.used == self.decisions.0.len() {
            match self.alternatives(question) {
                Ok(alternatives) => self.decisions.0.push(StepDecision { alternatives, taken: 0 }),
                Err(reason) => return self.deny(Denied::Refused(reason)),
            }
        }
        let StepDecision { alternatives, taken } = &self.decisions.0[self.used];
        let answer = alternatives[*taken].clone();
        self.used += 1;
        if let (Question::Branch { edges }, Answer::Index(index)) = (question, &answer) {
            self.edge = edges.get(*index).copied();
        }
        self.give(answer)
    }

    fn give(&mut self, answer: Answer) -> Answer {
        self.answers.push(answer.clone());
        answer
    }

    fn deny(&mut self, denied: Denied) -> Answer {
        self.denied = Some(denied);
        Answer::Exhausted
    }

    fn alternatives(&self, question: &Question) -> Result<Vec<Answer>, Reason> {
        let indices = |count: usize| Ok((0..count).map(Answer::Index).collect());
        let both = || Ok([false, true].map(|truth| Answer::Value(Value::Bool(truth))).into());
        match question {
            Question::Schedule { enabled, .. } => indices(enabled.len()),
            Question::Branch { edges } => indices(edges.len()),
            Question::AllocationFails => both(),
            Question::Input { ty: Scalar::Bool, .. }
            | Question::Uninitialised { ty: Scalar::Bool, .. }
            | Question::Register { ty: Scalar::Bool, .. } => both(),
            _ => match (self.domains)(question, self.edge)? {
                none if none.is_empty() => {
                    Err(Reason::Incomplete(format!("there is no value for `{}`", question.name())))
                }
                values => Ok(values),
            },
        }
    }
}

/// A script as the interpreter sees it. The script itself is shared with the one who drives the interpreter.
pub(super) struct Prompter<'s, 'd>(pub &'s RefCell<Script<'d>>);

impl Choices for Prompter<'_, '_> {
    fn choose(&mut self, question: &Question) -> Answer {
        self.0.borrow_mut().answer(question)
    }

    fn written(&self) -> Option<Span> {
        None
    }
}
