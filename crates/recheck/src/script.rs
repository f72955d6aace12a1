//! Answers by a script: those that are given, in order, and then the question that came after them.

use std::cell::RefCell;

use program::semantics::{Answer, Choices, Question};

/// Answers that are to be given, and what was asked beyond them.
#[derive(Default)]
pub(super) struct AnswerScript {
    pub answers: Vec<Answer>,
    pub given: usize,
    pub asked: Option<Question>,
    /// The threads that the last question about the schedule offered.
    pub enabled: Option<Vec<u32>>,
}

pub(super) struct Scripted<'s> {
    pub script: &'s RefCell<AnswerScript>,
}

impl Choices for Scripted<'_> {
    fn choose(&mut self, question: &Question) -> Answer {
        let mut script = self.script.borrow_mut();
        let Some(answer) = script.answers.get(script.given).cloned() else {
            script.asked = Some(question.clone());
            return Answer::Exhausted;
        };
        script.given += 1;
        if let Question::Schedule { enabled, .. } = question {
            script.enabled = Some(enabled.clone());
        }
        answer
    }
}
