//! A whole run: from the start to an end, a loop, or a limit, with everything that was observed.
//!
//! A run that comes back to a state it was in, without a choice in between, repeats for ever what it did since. That is
//! found exactly, by comparing states with one that is kept, which is replaced after ever more steps (Brent, "An
//! improved Monte Carlo factorization algorithm", BIT 1980, section 2).

use std::collections::BTreeSet;

use foundation::{Budget, Exhausted, Span};

use crate::atom::Atom;
use crate::cfa::{EdgeId, EndKind, FunctionId};
use crate::model::Program;
use crate::semantics::changes::{Change, Earlier};
use crate::semantics::choices::Choices;
use crate::semantics::config::{Semantics, UndefinedMode};
use crate::semantics::event::Event;
use crate::semantics::interpreter::Interpreter;
use crate::semantics::memory::Extent;
use crate::semantics::observe::{Attention, Observer, Occasion, Sight};
use crate::semantics::race::{Race, RaceWatch};
use crate::semantics::state::State;
use crate::semantics::step::Stepped;
use crate::semantics::stop::{Stop, UndefinedBehaviour};
use crate::semantics::threads::Next;

/// A run.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// What was observed, in order.
    pub observations: Vec<Observation>,
    /// How it ended.
    pub end: RunEnd,
    /// What the user should know of it.
    pub warnings: Vec<Warning>,
    /// How many edges were taken.
    pub edges: u64,
}

/// An observed state.
#[derive(Clone, PartialEq, Debug)]
pub struct Observation {
    /// Why it was observed.
    pub occasion: Occasion,
    /// The edge that was taken last; none at the start.
    pub edge: Option<EdgeId>,
    /// Its source text.
    pub span: Option<Span>,
    /// The thread that took it.
    pub thread: u32,
    /// The function that it belongs to; at the start, the entry function.
    pub function: Option<FunctionId>,
    /// The truth of the atoms.
    pub truth: Vec<bool>,
    /// What was written since the last observation, be it another value or the same one.
    pub changes: Vec<Change>,
    /// Whether a signed integer overflowed since the last observation.
    pub overflow: bool,
}

/// How a run ended.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum RunEnd {
    /// The program ended; the last observation repeats for ever.
    End(EndKind),
    /// Behaviour was undefined; the last observation repeats for ever.
    Undefined {
        /// What was.
        kind: UndefinedBehaviour,
        /// Where.
        span: Option<Span>,
    },
    /// No thread can go on; the last observation repeats for ever.
    Deadlock,
    /// The observations from this index on repeat for ever.
    Lasso {
        /// The first observation of the loop, which goes on to the last one.
        start: usize,
    },
    /// It goes on for ever without another observation; the last one repeats for ever.
    Silent,
    /// It was cut by an assumption: it is no execution.
    Cut {
        /// Where.
        span: Option<Span>,
    },
    /// It entered the function at whose entry it was to end.
    StoppedAtCall(FunctionId),
    /// There were no more inputs; it could go on.
    NoMoreInputs,
    /// A limit was reached; it could go on.
    Limit,
    /// The budget was spent; it could go on.
    Exhausted(Exhausted),
    /// An input did not fit what was asked for.
    UnfitInput {
        /// Why.
        reason: String,
        /// Where it was asked for.
        span: Option<Span>,
        /// Where it was written, if it was written by somebody.
        written: Option<Span>,
    },
    /// It came to something that the semantics does not cover.
    Unsupported {
        /// What.
        reason: String,
        /// Where.
        span: Option<Span>,
    },
}

/// What the user should know of a run.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Warning {
    /// A signed integer overflowed here.
    Overflow(Span),
    /// Two accesses race.
    Race(Race),
}

/// How far a run may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Limits {
    /// How many states may be observed.
    pub observations: usize,
    /// How many edges may be taken.
    pub edges: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { observations: 10_000, edges: 10_000_000 }
    }
}

/// Runs a program.
pub fn run(
    program: &Program,
    semantics: Semantics,
    atoms: &[Atom],
    choices: &mut dyn Choices,
    limits: Limits,
    budget: &Budget,
) -> Run {
    let mut runner = Runner {
        interpreter: Interpreter::new(program, semantics, choices),
        observer: Observer::new(semantics.observe, atoms),
        races: RaceWatch::default(),
        kept: None,
        calling: None,
        observations: Vec::new(),
        overflows: BTreeSet::new(),
        written: BTreeSet::new(),
        earlier: Earlier::default(),
        limits,
    };
    let mut edges = 0;
    let end = match runner.go(budget, &mut edges) {
        Ok(end) => end,
        Err(stop) => runner.stopped(stop),
    };
    let overflows = runner.overflows.into_iter().map(Warning::Overflow);
    let warnings = overflows.chain(runner.races.races().into_iter().map(Warning::Race)).collect();
    Run { observations: runner.observations, end, warnings, edges }
}

struct Runner<'a> {
    interpreter: Interpreter<'a>,
    observer: Observer<'a>,
    races: RaceWatch,
    kept: Option<Kept>,
    calling: Option<EdgeId>,
    observations: Vec<Observation>,
    overflows: BTreeSet<Span>,
    written: BTreeSet<Extent>,
    /// What memory held at the last observation.
    earlier: Earlier,
    limits: Limits,
}

/// A point of the run that later points are compared with.
struct Kept {
    /// None until the first point is kept.
    point: Option<(State, Attention, u32)>,
    observations: usize,
    choices_made: u64,
    steps: u64,
    keep_for: u64,
}

/// The first point is kept after so many steps: fewer would be kept too often where there are many inputs.
const FIRST_KEPT: u64 = 16;

/// How often the budget is looked at.
const STEPS_PER_CHECK: u64 = 1024;

impl Runner<'_> {
    fn go(&mut self, budget: &Budget, edges: &mut u64) -> Result<RunEnd, Stop> {
        let Some(entry) = self.interpreter.program.entry else {
            return Err(Stop::unsupported("the program has no entry function"));
        };
        self.interpreter.start(entry)?;
        let events = std::mem::take(&mut self.interpreter.events);
        self.observer.begin(&events);
        self.observe(Occasion::Start)?;
        if self.interpreter.semantics.stop_at_call == Some(entry) {
            return Ok(RunEnd::StoppedAtCall(entry));
        }
        loop {
            if *edges >= self.limits.edges || self.observations.len() >= self.limits.observations {
                return Ok(RunEnd::Limit);
            }
            if edges.is_multiple_of(STEPS_PER_CHECK)
                && let Err(exhausted) = budget.check()
            {
                return Ok(RunEnd::Exhausted(exhausted));
            }
            *edges += 1;
            if let Some(end) = self.step()? {
                return Ok(end);
            }
            if let Some(end) = self.repeats() {
                return Ok(end);
            }
        }
    }

    fn step(&mut self) -> Result<Option<RunEnd>, Stop> {
        let thread = match self.interpreter.schedule()? {
            Next::Thread(thread) => thread,
            Next::AllEnded => return self.finish(Occasion::End(EndKind::Return), RunEnd::End(EndKind::Return)),
            Next::Deadlock => return self.finish(Occasion::Deadlock, RunEnd::Deadlock),
        };
        // Looked up before the step, which may leave the library.
        self.calling = self.calling_edge(thread);
        let mut stepped = self.interpreter.step(thread);
        loop {
            // Also what happened before the step failed is told.
            let sights = self.follow()?;
            self.record(sights);
            match stepped? {
                Stepped::Done => return Ok(None),
                Stepped::Pause(rest) => stepped = self.interpreter.resume(rest),
                Stepped::End(kind) => return self.finish(Occasion::End(kind), RunEnd::End(kind)),
                Stepped::Cut => return Ok(Some(RunEnd::Cut { span: self.span() })),
                Stepped::StoppedAtCall(function) => {
                    let entered = self.observations.last().map(|last| last.occasion);
                    if entered != Some(Occasion::Entered(function)) {
                        self.observe(Occasion::Entered(function))?;
                    }
                    return Ok(Some(RunEnd::StoppedAtCall(function)));
                }
            }
        }
    }

    /// Shows the events since the last call to all who follow them; returns what is observed now.
    fn follow(&mut self) -> Result<Vec<Sight>, Stop> {
        let events = std::mem::take(&mut self.interpreter.events);
        if let Some(span) = self.span() {
            self.races.follow(self.interpreter.program, self.interpreter.running, span, &events);
            if events.contains(&Event::Overflow) {
                self.overflows.insert(span);
            }
        }
        self.written.extend(events.iter().filter_map(|event| match event {
            Event::Write(extent) => Some(*extent),
            _ => None,
        }));
        self.observer.follow(&mut self.interpreter, &events)
    }

    fn finish(&mut self, occasion: Occasion, end: RunEnd) -> Result<Option<RunEnd>, Stop> {
        self.observe(occasion)?;
        Ok(Some(end))
    }

    fn observe(&mut self, occasion: Occasion) -> Result<(), Stop> {
        let sight = self.observer.look(&mut self.interpreter, occasion)?;
        self.record(vec![sight]);
        Ok(())
    }

    fn record(&mut self, sights: Vec<Sight>) {
        for Sight { occasion, truth, overflow } in sights {
            let program = self.interpreter.program;
            let edge = match occasion {
                Occasion::Start => None,
                Occasion::Edge(edge) => Some(edge),
                _ => self.edge(),
            };
            let function = match (edge, occasion) {
                (_, Occasion::Entered(function)) => Some(function),
                (Some(edge), _) => Some(program.locations[program.edges[edge].from].function),
                (None, _) => program.entry,
            };
            let written = std::mem::take(&mut self.written);
            let changes = self.earlier.look(program, &self.interpreter.state.memory, &written);
            self.observations.push(Observation {
                occasion,
                edge,
                span: edge.map(|edge| program.edges[edge].span),
                thread: self.interpreter.running,
                function,
                truth,
                changes,
                overflow,
            });
        }
    }

    /// Whether the run has come back to a point where it was, without a choice in between.
    fn repeats(&mut self) -> Option<RunEnd> {
        let interpreter = &self.interpreter;
        let choices_made = interpreter.choices_made;
        let kept = self.kept.get_or_insert_with(|| Kept::nothing(choices_made));
        if kept.choices_made != choices_made {
            *kept = Kept::nothing(choices_made);
        }
        if let Some((state, attention, running)) = &kept.point
            && *running == interpreter.running
            && *state == interpreter.state
            && *attention == self.observer.attention
        {
            let start = kept.observations;
            return Some(if start == self.observations.len() { RunEnd::Silent } else { RunEnd::Lasso { start } });
        }
        kept.steps += 1;
        if kept.steps == kept.keep_for {
            kept.point = Some((interpreter.state.clone(), self.observer.attention.clone(), interpreter.running));
            kept.observations = self.observations.len();
            kept.steps = 0;
            kept.keep_for *= 2;
        }
        None
    }

    /// How the run ends when a step cannot be completed.
    fn stopped(&mut self, stop: Stop) -> RunEnd {
        let span = self.span();
        match stop {
            Stop::Undefined(_) if self.interpreter.semantics.undefined == UndefinedMode::Assume => RunEnd::Cut { span },
            Stop::Undefined(kind) => match self.observe(Occasion::Error(kind)) {
                Ok(()) | Err(Stop::Undefined(_)) => RunEnd::Undefined { kind, span },
                Err(other) => self.stopped(other),
            },
            Stop::Unsupported(reason) => RunEnd::Unsupported { reason, span },
            Stop::NoMoreChoices => RunEnd::NoMoreInputs,
            Stop::UnfitChoice(reason) => {
                RunEnd::UnfitInput { reason, span, written: self.interpreter.answer_written() }
            }
            Stop::NotConstant => unreachable!("only the evaluation of constants has no memory"),
        }
    }

    fn span(&self) -> Option<Span> {
        self.edge().map(|edge| self.interpreter.program.edges[edge].span)
    }

    /// The edge that is taken, or was taken last; in a library function, that of the user's call.
    fn edge(&self) -> Option<EdgeId> {
        let program = self.interpreter.program;
        let is_library = |edge| program.functions[program.locations[program.edges[edge].from].function].library;
        let edge = self.interpreter.edge;
        if edge.is_some_and(is_library) { self.calling.or(edge) } else { edge }
    }

    /// The edge by which a user's function called the library, where a thread is in a library function.
    fn calling_edge(&self, thread: u32) -> Option<EdgeId> {
        let program = self.interpreter.program;
        let frames = self.interpreter.state.threads[thread as usize].frames.iter().rev();
        frames.take_while(|frame| program.functions[frame.function].library).last()?.caller
    }
}

impl Kept {
    fn nothing(choices_made: u64) -> Self {
        Self { point: None, observations: 0, choices_made, steps: 0, keep_for: FIRST_KEPT }
    }
}
