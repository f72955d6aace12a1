//! One step of a configuration: the interpreter and the observer are set up there, driven as
//! [`run`](program::semantics::run()) drives them, and stopped at the next configuration.
//!
//! A step takes one edge of one thread, and then goes on as long as nothing is lost by it: while a single thread can
//! run, and, under partial-order reduction, while a thread may go on alone. It stops before an edge that asks for
//! something and at the heads of loops, so that configurations are the same ones however control came there.

use std::cell::RefCell;
use std::collections::BTreeMap;

use foundation::Arena;
use program::semantics::event::Event;
use program::semantics::interpreter::Interpreter;
use program::semantics::memory::Memory;
use program::semantics::observe::{Attention, Observer, Sight};
use program::semantics::state::{State, Status};
use program::semantics::threads::NextEvent as Scheduled;
use program::semantics::{Driver, Integers, Listener, Occasion, RunEnd, Stop};
use program::{Callee, DataModel, EdgeId, EndKind, LocationId, Op, Program};
use task::{LetterBits, Negation, Reason, Scheduler, Task};

use super::choices::{Denied, Prompter, Scheduling, Script};
use super::observation::{Remembered, fresh_attention};
use super::reduction::{Ample, Reduction};

/// Where a run stands between two steps.
#[derive(Clone, Debug)]
pub(super) struct Configuration {
    /// The interpreter's state.
    pub state: State,
    /// What the observer has in mind; none where it makes no difference.
    pub attention: Option<Attention>,
    /// The thread that ran last.
    pub running: u32,
    /// The last letter shown.
    pub letter: LetterBits,
}

/// What a step came to.
pub(super) enum StepEnd {
    /// Another configuration.
    Next(Box<Configuration>),
    /// The last letter is repeated for ever.
    Ended,
    /// It is part of no execution.
    Blocked,
    /// It cannot be taken.
    Refused(Reason),
    /// The thread that was to go on alone may not do so here.
    NotAlone,
}

/// A step.
pub(super) struct ThreadStep {
    /// What it came to.
    pub end: StepEnd,
    /// The letters shown.
    pub letters: Vec<LetterBits>,
    /// The last letter shown up to here.
    pub last: LetterBits,
    /// The threads that were able to run before it, as bits.
    pub enabled: u64,
    /// Those that ran, as bits.
    pub ran: u64,
}

/// What is known of a task for all its steps.
pub(super) struct Stepper {
    /// The task.
    pub task: Task,
    /// The negation of its goal.
    pub negation: Negation,
    /// What configurations remember.
    pub remembered: Remembered,
    /// Where threads may go on alone, if that is considered at all.
    pub reduction: Option<Reduction>,
    /// Where a step does not go on: loop heads, and where something is asked for.
    pub stops: Arena<LocationId, bool>,
}

/// A step takes at most so many edges.
const MOST_EDGES: usize = 2048;

/// More threads than this have no bits for them.
const MOST_THREADS: usize = 48;

impl Stepper {
    /// Takes a step from a configuration, or from before the start of the program if there is none. The thread is the
    /// one that is to go on alone.
    pub fn take(&self, from: Option<&Configuration>, ample: Option<u32>, script: &RefCell<Script<'_>>) -> ThreadStep {
        let mut most_edges = MOST_EDGES;
        loop {
            script.borrow_mut().rewind();
            let mut prompter = Prompter(script);
            let program = &*self.task.program;
            let interpreter = Interpreter::new(program, self.task.semantics, &mut prompter);
            let observer = Observer::new(self.task.semantics.observe, &self.task.atoms);
            let taken = ThreadStep { end: StepEnd::Blocked, letters: Vec::new(), last: 0, enabled: 1, ran: 1 };
            let shown = ShownLetters { negation: &self.negation, script, taken, is_first: true };
            let driver = Driver::new(interpreter, observer);
            let mut run = StepRun { stepper: self, driver, script, shown, edges: 0, threads_before: 0 };
            run.go(from, ample, most_edges);
            let (edges, taken) = (run.edges, run.shown.taken);
            // A later edge of the step turned out not to be one that the thread may take alone: stop before it.
            if matches!(taken.end, StepEnd::NotAlone) && edges > 0 {
                most_edges = edges;
                continue;
            }
            return taken;
        }
    }

    /// What a thread may do alone.
    pub fn ample(&self, state: &State, thread: u32) -> Ample {
        self.reduction.as_ref().map_or(Ample::No, |reduction| reduction.ample(state, thread))
    }
}

/// Where a step does not go on, by location: where a thread may go round in a circle, and before something is asked
/// for.
pub(super) fn stops(task: &Task) -> Arena<LocationId, bool> {
    let program = &*task.program;
    let flow = analysis::flow::Flow::new(program);
    let asks = |edge: EdgeId| match &program.edges[edge].op {
        Op::Input { .. } | Op::Havoc { .. } => true,
        Op::Call { callee: Callee::Function(function), result: Some(_), .. } => {
            program.functions[*function].entry.is_none()
        }
        Op::Allocate { .. } => task.semantics.malloc_may_fail,
        _ => false,
    };
    let stops = |location: LocationId| {
        let out = &program.locations[location].out;
        flow.is_head(location) || out.iter().any(|&edge| asks(edge)) || out.len() > 1 && !all_conditions(program, out)
    };
    program.locations.ids().map(stops).collect()
}

/// How many threads have not ended.
pub(super) fn count_running(state: &State) -> usize {
    state.threads.iter().filter(|thread| thread.status == Status::Running).count()
}

fn all_conditions(program: &Program, edges: &[EdgeId]) -> bool {
    edges.iter().all(|&edge| matches!(program.edges[edge].op, Op::Assume(_)))
}

/// One run of a step.
struct StepRun<'r, 'd> {
    stepper: &'r Stepper,
    driver: Driver<'r>,
    script: &'r RefCell<Script<'d>>,
    shown: ShownLetters<'r, 'd>,
    /// How many edges were taken.
    edges: usize,
    /// How many threads there were before the step.
    threads_before: usize,
}

/// What a step shows. Where letters may be repeated, one that is the same as the last is left out.
struct ShownLetters<'r, 'd> {
    negation: &'r Negation,
    script: &'r RefCell<Script<'d>>,
    taken: ThreadStep,
    /// Whether nothing was shown before, so that the next letter is shown in any case.
    is_first: bool,
}

impl Listener for ShownLetters<'_, '_> {
    fn happened(&mut self, _: &mut Driver<'_>, _: &[Event]) -> Result<(), Stop> {
        if self.script.borrow().denied.is_some() { Err(Stop::NoMoreChoices) } else { Ok(()) }
    }

    fn observed(&mut self, _: &mut Driver<'_>, sights: &[Sight]) -> Result<(), Stop> {
        for sight in sights {
            let letter = self.negation.letter(&sight.truth);
            if self.is_first || !self.negation.stutter_invariant || letter != self.taken.last {
                self.taken.letters.push(letter);
            }
            self.is_first = false;
            self.taken.last = letter;
        }
        Ok(())
    }
}

/// Why a thread takes an edge.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Because {
    /// It was chosen, or is the only one that can.
    Chosen,
    /// It may go on alone, as far as is known beforehand.
    Alone(Ample),
}

impl StepRun<'_, '_> {
    fn go(&mut self, from: Option<&Configuration>, ample: Option<u32>, most_edges: usize) {
        let end = self.go_on(from, ample, most_edges).unwrap_or_else(|end| self.ended(end));
        let taken = &mut self.shown.taken;
        if self.stepper.negation.stutter_invariant && taken.letters.is_empty() {
            taken.letters.push(taken.last);
        }
        taken.end = end;
    }

    fn go_on(
        &mut self,
        from: Option<&Configuration>,
        ample: Option<u32>,
        most_edges: usize,
    ) -> Result<StepEnd, RunEnd> {
        match from {
            Some(configuration) => self.enter(configuration),
            None => {
                self.driver.begin(&mut self.shown)?;
                self.edges = 1;
            }
        }
        loop {
            if self.edges >= most_edges {
                return Ok(self.arrive());
            }
            let Some((thread, because)) = self.schedule(ample)? else {
                return Ok(if self.edges == 0 { StepEnd::NotAlone } else { self.arrive() });
            };
            let thread = match thread {
                Scheduled::Thread(thread) => thread,
                Scheduled::AllEnded => return self.finish(Occasion::End(EndKind::Return)),
                Scheduled::Deadlock => return self.finish(Occasion::Deadlock),
            };
            if self.edges == 0 {
                let enabled = self.script.borrow().enabled.clone();
                let enabled = enabled.map_or(1 << thread, |all| all.iter().fold(0, |bits, one| bits | 1 << one));
                (self.shown.taken.enabled, self.shown.taken.ran) = (enabled, 0);
            } else if because == Because::Chosen && self.stops_at(thread) {
                return Ok(self.arrive());
            }
            self.shown.taken.ran |= 1 << thread;
            if let Because::Alone(ample) = because {
                if !self.goes_alone(thread, ample) {
                    return Ok(StepEnd::NotAlone);
                }
            } else {
                let taken = self.take(thread);
                self.driver.concluded(taken, &mut self.shown)?;
            }
            self.edges += 1;
            if self.driver.interpreter.state.threads.len() > MOST_THREADS {
                let what = format!("more than {MOST_THREADS} threads");
                return Ok(StepEnd::Refused(Reason::unsupported(what, self.driver.span())));
            }
        }
    }

    /// Sets everything up as it was in a configuration.
    fn enter(&mut self, configuration: &Configuration) {
        let Configuration { state, attention, running, letter } = configuration.clone();
        self.threads_before = state.threads.len();
        let Driver { interpreter, observer, .. } = &mut self.driver;
        interpreter.state = state;
        interpreter.running = running;
        observer.attention = attention.unwrap_or_else(|| fresh_attention(interpreter));
        (self.shown.taken.last, self.shown.is_first) = (letter, false);
    }

    /// Which thread takes the next edge, and why; none where the step ends here.
    fn schedule(&mut self, ample: Option<u32>) -> Result<Option<(Scheduled, Because)>, RunEnd> {
        let first = self.edges == 0;
        let (scheduling, because) = match ample {
            None if first => (Scheduling::Enumerated, Because::Chosen),
            Some(thread) if first => {
                let ample = self.stepper.ample(&self.driver.interpreter.state, thread);
                (Scheduling::Preferred(vec![thread]), Because::Alone(ample))
            }
            _ => (Scheduling::Preferred(self.quiet_threads()), Because::Alone(Ample::Quietly)),
        };
        let mut script = self.script.borrow_mut();
        script.scheduling = scheduling;
        script.enabled = None;
        drop(script);
        let scheduled = self.driver.interpreter.schedule();
        if self.script.borrow().denied == Some(Denied::Schedule) {
            return Ok(None);
        }
        let scheduled = self.driver.concluded(scheduled.map(Ok), &mut self.shown)?;
        if self.script.borrow().enabled.is_some() {
            return Ok(Some((scheduled, because)));
        }
        let goes_on = first || self.stepper.task.scheduler == Scheduler::Any || self.is_still_only(&scheduled);
        Ok(goes_on.then_some((scheduled, Because::Chosen)))
    }

    /// Under a fair scheduler it matters who was able to run. A step may go on with the only thread that is, if that
    /// was so all along.
    fn is_still_only(&self, scheduled: &Scheduled) -> bool {
        *scheduled == Scheduled::Thread(self.driver.interpreter.running) && self.shown.taken.enabled.count_ones() == 1
    }

    /// The threads of this step that may go on alone: the one that ran, and those that it has started. Under a fair
    /// scheduler nobody else may become able to run by that.
    fn quiet_threads(&self) -> Vec<u32> {
        let state = &self.driver.interpreter.state;
        let started = self.threads_before as u32..state.threads.len() as u32;
        let candidates = std::iter::once(self.driver.interpreter.running).chain(started);
        let is_fair = self.stepper.task.scheduler != Scheduler::Any;
        let is_quiet = |thread: &u32| match self.stepper.ample(state, *thread) {
            Ample::Quietly => true,
            Ample::Opening => !is_fair,
            Ample::Asking | Ample::No => false,
        };
        candidates.filter(is_quiet).collect()
    }

    /// Whether a step that has taken an edge stops before the next one of a thread.
    fn stops_at(&self, thread: u32) -> bool {
        let innermost = self.driver.interpreter.state.innermost(thread);
        innermost.is_some_and(|(_, frame)| self.stepper.stops[frame.location])
    }

    /// Takes an edge of a thread that is to go on alone; whether it could. Whatever the edge does must be as it would
    /// be later, so that it must not end the run, and ask nothing but what is known to be asked.
    fn goes_alone(&mut self, thread: u32, ample: Ample) -> bool {
        if ample == Ample::No {
            return false;
        }
        self.script.borrow_mut().unquestioned = ample != Ample::Asking;
        let shown = self.shown.taken.last;
        let taken = self.take(thread);
        self.script.borrow_mut().unquestioned = false;
        let is_done = taken == Ok(Ok(()));
        debug_assert!(!is_done || self.shown.taken.last == shown, "going on alone is not seen");
        is_done && self.driver.interpreter.state.within_expression.is_none()
    }

    /// Takes an edge of a thread; the end, if it leads to one.
    fn take(&mut self, thread: u32) -> Result<Result<(), RunEnd>, Stop> {
        self.script.borrow_mut().edge = self.next_edge(thread);
        self.driver.try_step_of(thread, &mut self.shown)
    }

    fn finish(&mut self, occasion: Occasion) -> Result<StepEnd, RunEnd> {
        let observed = self.driver.observe(occasion, &mut self.shown);
        self.driver.concluded(observed.map(|()| Ok(StepEnd::Ended)), &mut self.shown)
    }

    /// The configuration that the step has come to.
    fn arrive(&mut self) -> StepEnd {
        let Remembered { attention, running, letter } = self.stepper.remembered;
        let nothing = State {
            threads: Vec::new(),
            atomic: None,
            within_expression: None,
            locks: BTreeMap::new(),
            memory: Memory::new(Integers::default(), DataModel::default(), 0),
        };
        StepEnd::Next(Box::new(Configuration {
            state: std::mem::replace(&mut self.driver.interpreter.state, nothing),
            attention: attention.then(|| self.driver.observer.attention.clone()),
            running: if running { self.driver.interpreter.running } else { 0 },
            letter: if letter { self.shown.taken.last } else { 0 },
        }))
    }

    /// How the step ends where it comes to no configuration.
    fn ended(&mut self, end: RunEnd) -> StepEnd {
        match end {
            RunEnd::End(_) | RunEnd::Undefined { .. } | RunEnd::Deadlock | RunEnd::StoppedAtCall(_) => StepEnd::Ended,
            RunEnd::Blocked { .. } => StepEnd::Blocked,
            RunEnd::Unsupported { reason, span } => StepEnd::Refused(Reason::unsupported(reason, span)),
            RunEnd::UnfitInput { reason, .. } => StepEnd::Refused(Reason::Incomplete(reason)),
            RunEnd::NoMoreInputs => match self.script.borrow_mut().denied.take() {
                Some(Denied::Refused(Reason::Unsupported { obstacle, what, span })) => {
                    StepEnd::Refused(Reason::Unsupported { obstacle, what, span: span.or_else(|| self.driver.span()) })
                }
                Some(Denied::Refused(reason)) => StepEnd::Refused(reason),
                Some(Denied::Question | Denied::Schedule) | None => StepEnd::NotAlone,
            },
            RunEnd::Lasso { .. } | RunEnd::Silent | RunEnd::Limit | RunEnd::Exhausted(_) => {
                unreachable!("no single step ends so")
            }
        }
    }

    /// The edge that a thread takes next, if there is one that is no condition.
    fn next_edge(&self, thread: u32) -> Option<EdgeId> {
        let Interpreter { program, state, .. } = &self.driver.interpreter;
        let (_, frame) = state.innermost(thread)?;
        let out = &program.locations[frame.location].out;
        let plain = out.iter().find(|&&edge| !matches!(program.edges[edge].op, Op::Assume(_)));
        plain.or(out.first()).copied()
    }
}
