//! One execution, followed by the interpreter: what it shows, and whether it repeats itself.
//!
//! An execution repeats itself if it comes back to a state without having been answered anything in between, or since its
//! answers depend on the questions alone. That is found by comparing states with one that is kept, which is replaced after
//! ever more steps (Brent, "An improved Monte Carlo factorization algorithm", BIT 1980, section 2).

use std::cell::RefCell;
use std::hash::{DefaultHasher, Hash, Hasher};

use automata::ltl::{AtomId, Letter};
use foundation::{Budget, Exhausted, Id};
use program::semantics::interpreter::Interpreter;
use program::semantics::observe::{Attention, Observer, Sight};
use program::semantics::state::State;
use program::semantics::{Answer, Choices, Driver, Listener, ObserveMode, Question, RunEnd, Stop};
use task::Task;

use super::answers::{Manner, Player};
use super::monitor::{Monitor, MonitorState};

/// An execution, or the beginning of one.
#[derive(Debug)]
pub(super) struct SampledExecution {
    /// What was observed.
    pub word: Vec<Letter>,
    /// The answers that were given.
    pub answers: Vec<Answer>,
    /// After how many observations and answers the goal was lost.
    pub lost: Option<(usize, usize)>,
    /// How it ended.
    pub end: ExecutionEnd,
    /// How many edges were taken.
    pub edges: u64,
}

/// How an execution ended.
#[derive(Debug)]
pub(super) enum ExecutionEnd {
    /// The last observation is repeated for ever.
    Ended,
    /// It goes round for ever since so many observations and answers.
    Loop {
        /// The observations before the loop.
        observations: usize,
        /// The answers before it.
        answers: usize,
    },
    /// It could go on: a limit was reached, or the goal is lost.
    Open,
    /// It could go on if this question were answered. The number stands for where it is asked.
    Asks(Question, u64),
    /// It is blocked, or comes to what the interpreter does not cover.
    None,
}

/// How far executions are followed.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplingReach {
    /// So many observations.
    pub observations: usize,
    /// So many edges.
    pub edges: u64,
    /// Not beyond the loss of the goal.
    pub until_lost: bool,
}

/// How often the budget is looked at.
const EDGES_PER_CHECK: u64 = 1024;

/// The first state is kept after so many steps.
const FIRST_KEPT: u64 = 8;

/// Follows the execution that is answered in a manner.
pub(super) fn execute(
    task: &Task,
    monitor: &mut Monitor,
    manner: &Manner,
    reach: SamplingReach,
    budget: &Budget,
) -> Result<SampledExecution, Exhausted> {
    let player = RefCell::new(Player::new(manner));
    let mut asked = AskedPlayer(&player);
    let mut interpreter = Interpreter::new(&task.program, task.semantics, &mut asked);
    interpreter.notes_reads = task.semantics.observe == ObserveMode::Change;
    let driver = Driver::new(interpreter, Observer::of_one_run(task.semantics.observe, &task.atoms));
    let seen = SampledWord { player: &player, monitor, state: Monitor::START, word: Vec::new(), lost: None };
    let mut walk = SampledWalk { driver, seen, kept: None };
    let mut edges = 0;
    let end = loop {
        let far = walk.seen.word.len() >= reach.observations || edges >= reach.edges;
        if far || reach.until_lost && walk.seen.lost.is_some() {
            break ExecutionEnd::Open;
        }
        if edges.is_multiple_of(EDGES_PER_CHECK) {
            budget.check()?;
        }
        let stepped = if edges == 0 { walk.driver.begin(&mut walk.seen) } else { walk.driver.step(&mut walk.seen) };
        edges += 1;
        if let Err(end) = stepped {
            break walk.ended(end);
        }
        if let Some(end) = walk.repeats() {
            break end;
        }
    };
    let SampledWord { word, lost, .. } = walk.seen;
    let answers = player.into_inner().answers;
    Ok(SampledExecution { word, answers, lost, end, edges })
}

struct SampledWalk<'a, 'm> {
    driver: Driver<'a>,
    seen: SampledWord<'a, 'm>,
    kept: Option<SampledPoint>,
}

/// What was observed, and what the monitor says of it.
struct SampledWord<'a, 'm> {
    player: &'a RefCell<Player<'m>>,
    monitor: &'a mut Monitor,
    state: MonitorState,
    word: Vec<Letter>,
    lost: Option<(usize, usize)>,
}

impl Listener for SampledWord<'_, '_> {
    fn observed(&mut self, _: &mut Driver<'_>, sights: &[Sight]) -> Result<(), Stop> {
        for sight in sights {
            let holding = sight.truth.iter().enumerate().filter(|(_, holds)| **holds);
            let letter: Letter = holding.map(|(index, _)| AtomId::from_index(index)).collect();
            self.state = self.monitor.step(self.state, &letter);
            self.word.push(letter);
            if self.lost.is_none() && self.monitor.is_lost(self.state) {
                self.lost = Some((self.word.len(), self.player.borrow().answers.len()));
            }
        }
        Ok(())
    }
}

/// A point that later ones are compared with.
struct SampledPoint {
    /// None until the first point is kept.
    point: Option<(State, Attention, u32)>,
    /// Whether answers may have been given since.
    is_settled: bool,
    observations: usize,
    answers: usize,
    steps: u64,
    keep_for: u64,
}

impl SampledWalk<'_, '_> {
    /// How the execution ends where it does not go on.
    fn ended(&mut self, end: RunEnd) -> ExecutionEnd {
        match end {
            RunEnd::End(_) | RunEnd::Undefined { .. } | RunEnd::Deadlock => ExecutionEnd::Ended,
            RunEnd::NoMoreInputs => {
                let Some(question) = self.seen.player.borrow_mut().open.take() else { return ExecutionEnd::None };
                let mut hasher = DefaultHasher::new();
                let Driver { interpreter, observer, .. } = &self.driver;
                (&interpreter.state, &observer.attention, self.seen.state).hash(&mut hasher);
                ExecutionEnd::Asks(question, hasher.finish())
            }
            _ => ExecutionEnd::None,
        }
    }

    /// Whether the execution has come back to a point from which it goes on as it did.
    fn repeats(&mut self) -> Option<ExecutionEnd> {
        let player = self.seen.player.borrow();
        let (given, is_settled) = (player.answers.len(), player.is_settled());
        let fresh = || SampledPoint::nothing(is_settled, given);
        let kept = self.kept.get_or_insert_with(fresh);
        if kept.answers != given && !kept.is_settled {
            *kept = fresh();
        }
        let Driver { interpreter, observer, .. } = &self.driver;
        if let Some((state, attention, running)) = &kept.point
            && *running == interpreter.running
            && *state == interpreter.state
            && *attention == observer.attention
        {
            return Some(ExecutionEnd::Loop { observations: kept.observations, answers: kept.answers });
        }
        kept.steps += 1;
        if kept.steps == kept.keep_for {
            kept.point = Some((interpreter.state.clone(), observer.attention.clone(), interpreter.running));
            (kept.observations, kept.answers, kept.is_settled) = (self.seen.word.len(), given, is_settled);
            kept.steps = 0;
            kept.keep_for *= 2;
        }
        None
    }
}

impl SampledPoint {
    fn nothing(is_settled: bool, answers: usize) -> Self {
        Self { point: None, is_settled, observations: 0, answers, steps: 0, keep_for: FIRST_KEPT }
    }
}

/// The player as the interpreter knows it.
struct AskedPlayer<'a, 'm>(&'a RefCell<Player<'m>>);

impl Choices for AskedPlayer<'_, '_> {
    fn choose(&mut self, question: &Question) -> Answer {
        self.0.borrow_mut().choose(question)
    }
}
