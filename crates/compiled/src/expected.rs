//! What the interpreter observes in a counterexample and what it asks for, as far as the compiled program is followed.
//!
//! Whatever the property's mode of observation, all full expressions are observed here: a compiled program does not know
//! which of its writes count. The modes only decide how far the execution is followed.

use std::cell::RefCell;

use foundation::{Budget, Span};
use program::semantics::event::Event;
use program::semantics::interpreter::Interpreter;
use program::semantics::observe::{Observer, Sight};
use program::semantics::state::Status;
use program::semantics::{
    Answer, Choices, Driver, Listener, ObjectId, ObserveMode, Occasion, Question, RunEnd, Stop, Value,
};
use task::{Lasso, Task};

/// An execution up to some point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expected {
    /// What is observed, in order.
    pub events: Vec<ExpectedEvent>,
    /// The values that are asked for, in order.
    pub asked: Vec<AskedInput>,
    /// The threads that end on the way, by number.
    pub ended_threads: Vec<bool>,
    /// Whether a thread is interrupted inside a full expression that has looked at shared memory.
    pub interrupts: bool,
    /// Whether a signed integer overflows.
    pub overflows: bool,
    /// Whether behaviour is undefined in the end.
    pub undefined: bool,
}

/// An observed state.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ExpectedEvent {
    pub occasion: Occasion,
    /// The source text of the edge that was taken to its end.
    pub span: Option<Span>,
    pub thread: u32,
    /// By atom.
    pub truth: Vec<bool>,
}

/// A value that the program asks for.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct AskedInput {
    pub question: Question,
    pub value: Value,
    /// How many states were observed before.
    pub after: usize,
}

/// How far an execution is followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FollowedReach {
    /// Up to this many states that the property observes.
    pub observations: usize,
    /// Up to this many states in all.
    pub events: usize,
}

/// Steps without an observation; a compiled program that does more is not waited for.
const MOST_STEPS: u64 = 20_000_000;

/// Follows the execution of a lasso, which is known to be one.
pub(crate) fn follow(task: &Task, lasso: &Lasso, reach: FollowedReach, budget: &Budget) -> Expected {
    let log = RefCell::new(Vec::new());
    let mut answers = GivenAnswers { lasso, given: 0, log: &log };
    let mut interpreter = Interpreter::new(&task.program, task.semantics, &mut answers);
    interpreter.notes_reads = task.program.has_threads() || task.semantics.observe == ObserveMode::Change;
    let mut driver = Driver::new(interpreter, Observer::new(ObserveMode::Statement, &task.atoms));
    let mut follower = ExpectationFollower {
        expected: Expected::default(),
        log: &log,
        counted: Observer::new(task.semantics.observe, &task.atoms),
        count: 1,
        open: Vec::new(),
        is_begun: false,
    };
    // An execution that cannot go on is followed as far as it goes.
    if let Err(RunEnd::Undefined { .. }) = follower.walk(&mut driver, reach, budget) {
        follower.expected.undefined = true;
    }
    follower.expected
}

/// Writes down what is expected.
struct ExpectationFollower<'a> {
    expected: Expected,
    log: &'a RefCell<Vec<(Question, Value)>>,
    /// Observes what the property observes.
    counted: Observer<'a>,
    count: usize,
    /// By thread: whether it has looked at shared memory in a full expression that has not ended.
    open: Vec<bool>,
    /// Whether a part of the present step was seen.
    is_begun: bool,
}

impl ExpectationFollower<'_> {
    fn walk(&mut self, driver: &mut Driver<'_>, reach: FollowedReach, budget: &Budget) -> Result<(), RunEnd> {
        driver.begin(self)?;
        let mut last_thread = 0;
        for steps in 1..=MOST_STEPS {
            let too_long = steps.is_multiple_of(1024) && budget.check().is_err();
            if self.count >= reach.observations || self.expected.events.len() >= reach.events || too_long {
                break;
            }
            let thread = driver.schedule(self)?;
            self.open.resize(self.open.len().max(thread as usize + 1), false);
            self.expected.interrupts |= thread != last_thread && self.open.get(last_thread as usize) == Some(&true);
            last_thread = thread;
            self.is_begun = false;
            driver.step_of(thread, self)?;
        }
        Ok(())
    }
}

impl Listener for ExpectationFollower<'_> {
    fn happened(&mut self, driver: &mut Driver<'_>, events: &[Event]) -> Result<(), Stop> {
        let interpreter = &mut driver.interpreter;
        if !std::mem::replace(&mut self.is_begun, true) {
            let threads = interpreter.state.threads.iter();
            self.expected.ended_threads = threads.map(|thread| thread.status != Status::Running).collect();
        }
        self.expected.overflows |= events.contains(&Event::Overflow);
        self.open[interpreter.running as usize] |= events.iter().any(touches_shared);
        self.count += self.counted.follow(interpreter, events)?.len();
        Ok(())
    }

    fn observed(&mut self, driver: &mut Driver<'_>, sights: &[Sight]) -> Result<(), Stop> {
        let (program, running) = (driver.interpreter.program, driver.interpreter.running);
        // What was asked for by the program, or by an atom that looks at it.
        let after = self.expected.events.len();
        let asked = self.log.take().into_iter().map(|(question, value)| AskedInput { question, value, after });
        self.expected.asked.extend(asked);
        for Sight { occasion, truth, .. } in sights {
            let span = match occasion {
                Occasion::Start => {
                    self.counted.attention.clone_from(&driver.observer.attention);
                    None
                }
                Occasion::Edge(edge) => Some(program.edges[*edge].span),
                _ => None,
            };
            let event = ExpectedEvent { occasion: *occasion, span, thread: running, truth: truth.clone() };
            self.expected.events.push(event);
        }
        if let Some(open) = self.open.get_mut(running as usize).filter(|_| !sights.is_empty()) {
            *open = false;
        }
        Ok(())
    }
}

/// Whether an event reads or writes what other threads can see.
fn touches_shared(event: &Event) -> bool {
    match event {
        Event::Read(extent) | Event::Write(extent) => !matches!(extent.object, ObjectId::Local { .. }),
        _ => false,
    }
}

/// The answers of a lasso, one after the other: those of the stem, then those of the cycle again and again. Values are
/// noted for somebody who cannot ask this, because the interpreter holds it.
struct GivenAnswers<'a> {
    lasso: &'a Lasso,
    given: usize,
    log: &'a RefCell<Vec<(Question, Value)>>,
}

impl Choices for GivenAnswers<'_> {
    fn choose(&mut self, question: &Question) -> Answer {
        let Lasso { stem, cycle } = self.lasso;
        let answer = match self.given.checked_sub(stem.len()) {
            None => &stem[self.given],
            Some(_) if cycle.is_empty() => return Answer::Exhausted,
            Some(beyond) => &cycle[beyond % cycle.len()],
        };
        self.given += 1;
        if let Answer::Value(value) = answer {
            self.log.borrow_mut().push((question.clone(), value.clone()));
        }
        answer.clone()
    }
}
