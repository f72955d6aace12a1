//! A run, step by step: a hook looks at every state before the next step, and all choices are recorded together with
//! where they were asked for.

use std::cell::Cell;
use std::rc::Rc;

use program::semantics::choices::{Answer, Choices, Question};
use program::semantics::interpreter::Interpreter;
use program::semantics::observe::{Observer, Occasion, Sight};
use program::semantics::{Driver, Integers, Listener, ObserveMode, RunEnd, Semantics, Stop};
use program::{EdgeId, LocationId, Op, Program, VariableId};

use crate::subject::Subject;

/// What is seen of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Trace {
    /// The thread and the edge of each step.
    pub edges: Vec<(u32, Option<EdgeId>)>,
    /// The occasions, truth values and overflows that were observed.
    pub letters: Vec<(Occasion, Vec<bool>, bool)>,
    /// How the run ended; none where it could go on.
    pub end: Option<RunEnd>,
}

/// Where a choice is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// On this edge.
    Edge(EdgeId),
    /// Because this variable was not written.
    Variable(VariableId),
    /// Somewhere else.
    Other,
}

/// A choice that was made.
#[derive(Clone, PartialEq, Debug)]
pub struct Choice {
    /// Where it was asked for.
    pub source: Source,
    /// The question.
    pub question: Question,
    /// The answer.
    pub answer: Answer,
}

/// Runs a program for so many steps. `answer` makes the choices; `look` sees the state before each step of a thread that
/// is at a location.
pub fn drive(
    subject: &Subject,
    integers: Integers,
    observe: ObserveMode,
    steps: usize,
    answer: &mut dyn FnMut(Source, &Question) -> Answer,
    look: &mut dyn FnMut(&mut Interpreter<'_>, LocationId),
) -> (Trace, Vec<Choice>) {
    let program = &subject.program;
    let semantics = Semantics { integers, observe, ..Semantics::default() };
    let at = Rc::new(Cell::new(None));
    let mut recorder = Recorder { program, at: at.clone(), answer, choices: Vec::new() };
    let mut trace = Trace::default();
    let interpreter = Interpreter::new(program, semantics, &mut recorder);
    let mut driver = Driver::new(interpreter, Observer::new(observe, &subject.atoms));
    let mut run = || -> Result<(), RunEnd> {
        driver.begin(&mut trace)?;
        for _ in 0..steps {
            let thread = driver.schedule(&mut trace)?;
            let interpreter = &mut driver.interpreter;
            let (_, frame) = interpreter.state.innermost(thread).expect("an activation");
            let location = frame.location;
            interpreter.running = thread;
            at.set(Some(location));
            look(interpreter, location);
            interpreter.edge = None;
            let stepped = driver.step_of(thread, &mut trace);
            trace.edges.push((thread, driver.interpreter.edge));
            stepped?;
        }
        Ok(())
    };
    trace.end = run().err();
    (trace, recorder.choices)
}

impl Listener for Trace {
    fn observed(&mut self, _: &mut Driver<'_>, sights: &[Sight]) -> Result<(), Stop> {
        self.letters.extend(sights.iter().map(|sight| (sight.occasion, sight.truth.clone(), sight.overflow)));
        Ok(())
    }
}

/// Answers from a seed, as users get them.
pub fn seeded(seed: u64) -> impl FnMut(Source, &Question) -> Answer {
    let mut choices = program::semantics::SeededChoices::new(seed);
    move |_, question| choices.choose(question)
}

struct Recorder<'a> {
    program: &'a Program,
    at: Rc<Cell<Option<LocationId>>>,
    answer: &'a mut dyn FnMut(Source, &Question) -> Answer,
    choices: Vec<Choice>,
}

impl Choices for Recorder<'_> {
    fn choose(&mut self, question: &Question) -> Answer {
        let asks = |edge: &&EdgeId| matches!(self.program.edges[**edge].op, Op::Input { .. } | Op::Call { .. });
        let source = match question {
            Question::Input { .. } => {
                let location = self.at.get().expect("inputs are asked for in steps");
                Source::Edge(*self.program.locations[location].out.iter().find(asks).expect("an edge that asks"))
            }
            Question::Uninitialised { part, .. } => part.object.variable().map_or(Source::Other, Source::Variable),
            _ => Source::Other,
        };
        let answer = (self.answer)(source, question);
        self.choices.push(Choice { source, question: question.clone(), answer: answer.clone() });
        answer
    }
}
