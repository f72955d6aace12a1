//! A whole run: from the start to an end, a loop, or a limit, with everything that was observed.
//!
//! A run that comes back to a state it was in, without a choice in between, repeats for ever what it did since. That is
//! found exactly, by comparing states with one that is kept, which is replaced after ever more steps (Brent, "An
//! improved Monte Carlo factorization algorithm", BIT 1980, section 2).

use foundation::{Budget, Exhausted, Span};

use crate::atom::Atom;
use crate::cfa::{EdgeId, EndKind, FunctionId};
use crate::model::Program;
use crate::semantics::changes::Change;
use crate::semantics::choices::Choices;
use crate::semantics::config::Semantics;
use crate::semantics::drive::Driver;
use crate::semantics::interpreter::Interpreter;
use crate::semantics::observe::{Attention, Observer, Occasion};
use crate::semantics::race::Race;
use crate::semantics::record::RunRecord;
use crate::semantics::state::State;
use crate::semantics::stop::UndefinedBehaviour;

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
    /// It was blocked by an assumption: it is no execution.
    Blocked {
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
pub struct RunLimits {
    /// How many states may be observed.
    pub observations: usize,
    /// How many edges may be taken.
    pub edges: u64,
}

impl Default for RunLimits {
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
    limits: RunLimits,
    budget: &Budget,
) -> Run {
    let interpreter = Interpreter::new(program, semantics, choices);
    let driver = Driver::new(interpreter, Observer::new(semantics.observe, atoms));
    let mut runner = Runner { driver, record: RunRecord::default(), kept: None, limits };
    let mut edges = 0;
    let end = runner.go(budget, &mut edges);
    let warnings = runner.record.warnings();
    Run { observations: runner.record.observations, end, warnings, edges }
}

struct Runner<'a> {
    driver: Driver<'a>,
    record: RunRecord,
    kept: Option<ComparedPoint>,
    limits: RunLimits,
}

/// A point of the run that later points are compared with.
struct ComparedPoint {
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
    fn go(&mut self, budget: &Budget, edges: &mut u64) -> RunEnd {
        if let Err(end) = self.driver.begin(&mut self.record) {
            return end;
        }
        loop {
            if *edges >= self.limits.edges || self.record.observations.len() >= self.limits.observations {
                return RunEnd::Limit;
            }
            if edges.is_multiple_of(STEPS_PER_CHECK)
                && let Err(exhausted) = budget.check()
            {
                return RunEnd::Exhausted(exhausted);
            }
            *edges += 1;
            let stepped = self.driver.step(&mut self.record);
            if let Some(end) = stepped.err().or_else(|| self.repeats()) {
                return end;
            }
        }
    }

    /// Whether the run has come back to a point where it was, without a choice in between.
    fn repeats(&mut self) -> Option<RunEnd> {
        let Driver { interpreter, observer, .. } = &self.driver;
        let choices_made = interpreter.choices_made;
        let kept = self.kept.get_or_insert_with(|| ComparedPoint::nothing(choices_made));
        if kept.choices_made != choices_made {
            *kept = ComparedPoint::nothing(choices_made);
        }
        if let Some((state, attention, running)) = &kept.point
            && *running == interpreter.running
            && *state == interpreter.state
            && *attention == observer.attention
        {
            let start = kept.observations;
            return Some(if start == self.record.observations.len() {
                RunEnd::Silent
            } else {
                RunEnd::Lasso { start }
            });
        }
        kept.steps += 1;
        if kept.steps == kept.keep_for {
            kept.point = Some((interpreter.state.clone(), observer.attention.clone(), interpreter.running));
            kept.observations = self.record.observations.len();
            kept.steps = 0;
            kept.keep_for *= 2;
        }
        None
    }
}

impl ComparedPoint {
    fn nothing(choices_made: u64) -> Self {
        Self { point: None, observations: 0, choices_made, steps: 0, keep_for: FIRST_KEPT }
    }
}
