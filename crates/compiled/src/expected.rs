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
use program::semantics::step::Stepped;
use program::semantics::threads::Next;
use program::semantics::{Answer, Choices, ObjectId, ObserveMode, Occasion, Question, Stop, Value};
use task::{Lasso, Task};

/// An execution up to some point.
#[derive(Clone, Debug, Default)]
pub(crate) struct Expected {
    /// What is observed, in order.
    pub events: Vec<ExpectedEvent>,
    /// The values that are asked for, in order.
    pub asked: Vec<Asked>,
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
pub(crate) struct Asked {
    pub question: Question,
    pub value: Value,
    /// How many states were observed before.
    pub after: usize,
}

/// How far an execution is followed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Up to this many states that the property observes.
    pub observations: usize,
    /// Up to this many states in all.
    pub events: usize,
}

/// Steps without an observation; a compiled program that does more is not waited for.
const MOST_STEPS: u64 = 20_000_000;

/// Follows the execution of a lasso, which is known to be one.
pub(crate) fn follow(task: &Task, lasso: &Lasso, reach: Reach, budget: &Budget) -> Expected {
    let mut expected = Expected::default();
    // An execution that cannot go on is followed as far as it goes.
    let _ = walk(task, lasso, reach, budget, &mut expected);
    expected
}

fn walk(task: &Task, lasso: &Lasso, reach: Reach, budget: &Budget, expected: &mut Expected) -> Result<(), Stop> {
    let program = &*task.program;
    let Some(entry) = program.entry else { return Ok(()) };
    let log = RefCell::new(Vec::new());
    let mut answers = Given { lasso, given: 0, log: &log };
    let mut interpreter = Interpreter::new(program, task.semantics, &mut answers);
    interpreter.notes_reads = program.has_threads() || task.semantics.observe == ObserveMode::Change;
    let mut all = Observer::new(ObserveMode::Statement, &task.atoms);
    let mut counted = Observer::new(task.semantics.observe, &task.atoms);
    let mut count = 1;
    let mut open: Vec<bool> = Vec::new();
    interpreter.start(entry)?;
    let events = std::mem::take(&mut interpreter.events);
    all.begin(&events);
    counted.begin(&events);
    let sight = all.look(&mut interpreter, Occasion::Start)?;
    note(expected, &log, 0);
    record(expected, &interpreter, vec![sight]);
    if task.semantics.stop_at_call == Some(entry) {
        return Ok(());
    }
    let mut steps = 0u64;
    let mut last_thread = 0;
    loop {
        steps += 1;
        let too_long = steps > MOST_STEPS || (steps.is_multiple_of(1024) && budget.check().is_err());
        if count >= reach.observations || expected.events.len() >= reach.events || too_long {
            return Ok(());
        }
        let finish = |expected: &mut Expected, interpreter: &mut Interpreter<'_>, all: &mut Observer<'_>, occasion| {
            all.look(interpreter, occasion).map(|sight| record(expected, interpreter, vec![sight]))
        };
        let thread = match interpreter.schedule()? {
            Next::Thread(thread) => thread,
            Next::AllEnded => {
                let occasion = Occasion::End(program::EndKind::Return);
                return finish(expected, &mut interpreter, &mut all, occasion);
            }
            Next::Deadlock => return finish(expected, &mut interpreter, &mut all, Occasion::Deadlock),
        };
        open.resize(open.len().max(thread as usize + 1), false);
        expected.interrupts |= thread != last_thread && open.get(last_thread as usize) == Some(&true);
        last_thread = thread;
        let mut stepped = interpreter.step(thread);
        let threads = interpreter.state.threads.iter();
        expected.ended_threads = threads.map(|thread| thread.status != Status::Running).collect();
        loop {
            let events = std::mem::take(&mut interpreter.events);
            expected.overflows |= events.contains(&Event::Overflow);
            open[thread as usize] |= events.iter().any(touches_shared);
            let before = expected.events.len();
            let sights = all.follow(&mut interpreter, &events)?;
            note(expected, &log, before);
            let seen = !sights.is_empty();
            record(expected, &interpreter, sights);
            count += counted.follow(&mut interpreter, &events)?.len();
            if seen {
                open[thread as usize] = false;
            }
            match stepped {
                Ok(Stepped::Done) => break,
                Ok(Stepped::Pause(rest)) => stepped = interpreter.resume(rest),
                Ok(Stepped::End(kind)) => return finish(expected, &mut interpreter, &mut all, Occasion::End(kind)),
                Ok(Stepped::Cut) => return Ok(()),
                Ok(Stepped::StoppedAtCall(function)) => {
                    let entered = expected.events.last().map(|last| last.occasion);
                    if entered == Some(Occasion::Entered(function)) {
                        return Ok(());
                    }
                    return finish(expected, &mut interpreter, &mut all, Occasion::Entered(function));
                }
                Err(Stop::Undefined(kind)) => {
                    expected.undefined = true;
                    return finish(expected, &mut interpreter, &mut all, Occasion::Error(kind));
                }
                Err(other) => return Err(other),
            }
        }
    }
}

/// Takes the values that were asked for after so many observations, by the program or by an atom that looks at it.
fn note(expected: &mut Expected, log: &RefCell<Vec<(Question, Value)>>, after: usize) {
    let asked =
        log.borrow_mut().drain(..).map(|(question, value)| Asked { question, value, after }).collect::<Vec<_>>();
    expected.asked.extend(asked);
}

fn record(expected: &mut Expected, interpreter: &Interpreter<'_>, sights: Vec<Sight>) {
    for Sight { occasion, truth, .. } in sights {
        let span = match occasion {
            Occasion::Edge(edge) => Some(interpreter.program.edges[edge].span),
            _ => None,
        };
        expected.events.push(ExpectedEvent { occasion, span, thread: interpreter.running, truth });
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
struct Given<'a> {
    lasso: &'a Lasso,
    given: usize,
    log: &'a RefCell<Vec<(Question, Value)>>,
}

impl Choices for Given<'_> {
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
