//! The state space of any program, by the interpreter: threads, the heap, recursion, whatever the semantics covers.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `choices` | the answers that the interpreter is given, and the domains of inputs |
//! | `stepper` | one step: which edges it takes, what it shows |
//! | `observation` | what a configuration remembers besides the interpreter's state |
//! | `reduction` | partial-order reduction: where a thread may go on alone |
//! | `threads`, `accesses` | what the reduction knows of the program: roots of threads, what edges access |
//! | `encoding`, `contents`, `bytes`, `table` | configurations as byte strings, each kept once |
//!
//! A state is the number of a configuration in a table that all views of the space share. The steps of a configuration
//! are the leaves of the tree of questions that the interpreter asks, depth first. Nothing here knows what an edge
//! does: that is the interpreter's matter alone.

mod accesses;
mod bytes;
mod choices;
mod contents;
mod encoding;
mod observation;
mod reduction;
mod stepper;
mod table;
#[cfg(test)]
mod tests;
mod threads;

use std::cell::RefCell;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use foundation::collections::HashMap;
use foundation::{Budget, Exhausted};
use program::semantics::interpreter::Interpreter;
use program::semantics::observe::Attention;
use program::semantics::state::{State, Status};
use program::semantics::{Answer, Choices, Question, Stop};
use program::{Atom, EdgeId};
use task::{LetterBits, Negation, Reason, Scheduler, Task};

use self::accesses::Accesses;
use self::bytes::Bytes;
use self::choices::{Decisions, RepresentativeValues, Script};
use self::encoding::StateEncoding;
use self::observation::Remembered;
use self::reduction::{Ample, Reduction};
use self::stepper::{Configuration, StepEnd, Stepper, ThreadStep, count_running, stops};
use self::table::Table;
use super::space::{Advance, Next, Space};

/// The state space of a task, by the interpreter.
pub struct InterpretedSpace {
    shared: Arc<Shared>,
    /// The steps of some states that were looked at last, by the last digits of their numbers.
    expansions: Vec<Option<StepsOfState>>,
    /// The state that was read last.
    read: Option<(u32, Option<Configuration>)>,
    steps_taken: u32,
    /// How many steps the expansions have had since all were forgotten.
    steps_kept: usize,
    /// Why no more steps are taken.
    exhausted: Option<Exhausted>,
}

/// What all views of a space have in common.
struct Shared {
    stepper: Stepper,
    encoding: StateEncoding,
    domains: Box<RepresentativeValues>,
    budget: Budget,
    known: Mutex<SeenConfigurations>,
}

/// All configurations that were seen: a string of the numbers of their parts.
#[derive(Default)]
struct SeenConfigurations {
    configurations: Table,
    parts: Table,
    attentions: Vec<Attention>,
    attention_numbers: HashMap<Attention, u32>,
}

/// The steps of a state, as far as they were asked for.
struct StepsOfState {
    state: u32,
    steps: Vec<Recorded>,
    /// How to go on to the next one; none where there are no more.
    next: Option<StepCursor>,
}

/// Where the enumeration of a state's steps is.
struct StepCursor {
    /// The thread that goes on alone, if one does.
    ample: Option<u32>,
    decisions: Decisions,
}

/// A step's result.
struct Recorded {
    step: Advance,
    state: u32,
    letters: Box<[LetterBits]>,
    last: LetterBits,
    enabled: u64,
    ran: u64,
}

/// How many states' steps are kept: a power of two. A depth-first search comes back to the last ones first.
const KEPT_STATES: usize = 1 << 14;

/// After so many steps, all are forgotten: where states have thousands of steps, few states' steps are kept.
const MOST_STEPS_KEPT: usize = 1 << 17;

/// How often the budget is looked at. A step of a program with large arrays takes milliseconds.
const STEPS_PER_CHECK: u32 = 8;

/// How many units of work a step is, about.
const WORK_OF_A_STEP: u64 = 8;

/// The bits of a state that hold the number of its configuration.
const NUMBER_BITS: u32 = 32;

/// The configuration before the program has started.
const BEFORE_START: u32 = 0;

impl InterpretedSpace {
    /// The state space of a task, of whose states the uppermost `tag_bits` bits are left free. The domains say which
    /// values stand for all others where the program asks for one.
    pub fn new(
        task: &Task,
        negation: &Negation,
        tag_bits: u32,
        domains: impl Fn(&Question, Option<EdgeId>) -> Result<Vec<Answer>, Reason> + Send + Sync + 'static,
        budget: &Budget,
    ) -> Result<Self, Reason> {
        if tag_bits > u64::BITS - NUMBER_BITS {
            return Err(Reason::Incomplete("the automaton of the property has too many states".to_owned()));
        }
        let accesses = Accesses::new(&task.program);
        let start = start_of(task)?;
        let goal: Vec<&Atom> = negation.atoms.iter().map(|&atom| &task.atoms[foundation::Id::index(atom)]).collect();
        let reduction = match negation.stutter_invariant {
            true => Reduction::new(&task.program, task.semantics, &task.atoms, &goal, &accesses),
            false => None,
        };
        let stepper = Stepper {
            task: task.clone(),
            negation: negation.clone(),
            remembered: Remembered::new(&task.program, task.semantics, &task.atoms, negation.stutter_invariant),
            reduction,
            stops: stops(task),
        };
        let encoding = StateEncoding::new(&task.program, task.semantics.integers, &task.atoms, &accesses, &start);
        let mut known = SeenConfigurations::default();
        let before_start = known.configurations.insert(&[]);
        debug_assert_eq!(before_start, Some(BEFORE_START));
        let shared =
            Shared { stepper, encoding, domains: Box::new(domains), budget: budget.clone(), known: Mutex::new(known) };
        Ok(Self::view(Arc::new(shared)))
    }

    /// The same space with every interleaving, for comparison.
    #[cfg(test)]
    fn without_reduction(mut self) -> Self {
        let shared = Arc::get_mut(&mut self.shared).expect("nobody else has a view yet");
        shared.stepper.reduction = None;
        self
    }

    /// How many configurations were seen.
    pub fn configurations(&self) -> usize {
        self.shared.known().configurations.len()
    }

    /// The bytes that they take.
    pub fn bytes(&self) -> usize {
        let known = self.shared.known();
        known.configurations.bytes() + known.parts.bytes()
    }

    fn view(shared: Arc<Shared>) -> Self {
        Self {
            shared,
            expansions: (0..KEPT_STATES).map(|_| None).collect(),
            read: None,
            steps_taken: 0,
            steps_kept: 0,
            exhausted: None,
        }
    }

    /// The step with this number, if the state has so many.
    fn recorded(&mut self, state: u32, number: u32) -> Option<&Recorded> {
        let slot = state as usize % KEPT_STATES;
        if self.expansions[slot].as_ref().is_none_or(|expansion| expansion.state != state) {
            if self.steps_kept > MOST_STEPS_KEPT {
                self.expansions.iter_mut().for_each(|expansion| *expansion = None);
                self.steps_kept = 0;
            }
            self.expansions[slot] = Some(StepsOfState::new(state));
        }
        let expansion = self.expansions[slot].as_mut().expect("just made");
        while expansion.steps.len() <= number as usize && expansion.next.is_some() {
            self.steps_taken = self.steps_taken.wrapping_add(1);
            if self.exhausted.is_none() && self.steps_taken.is_multiple_of(STEPS_PER_CHECK) {
                self.shared.budget.spend(u64::from(STEPS_PER_CHECK) * WORK_OF_A_STEP);
                self.exhausted = self.shared.exhausted();
            }
            if let Some(exhausted) = self.exhausted {
                expansion.refuse(exhausted.into());
                break;
            }
            if self.read.as_ref().is_none_or(|(number, _)| *number != state) {
                self.read = Some((state, self.shared.configuration(state)));
            }
            let from = self.read.as_ref().and_then(|(_, configuration)| configuration.as_ref());
            expansion.extend(&self.shared, from);
            self.steps_kept += 1;
        }
        expansion.steps.get(number as usize)
    }
}

impl Space for InterpretedSpace {
    fn words(&self) -> usize {
        1
    }

    fn tag_shift(&self) -> u32 {
        NUMBER_BITS
    }

    fn initial(&mut self, state: &mut [u64]) {
        state[0] = u64::from(BEFORE_START);
    }

    fn step(&mut self, state: &[u64], number: u32, next: &mut Next) -> Advance {
        let Some(recorded) = self.recorded(state[0] as u32, number) else { return Advance::NoMore };
        next.state.clear();
        next.state.push(u64::from(recorded.state));
        next.letters.clear();
        next.letters.extend_from_slice(&recorded.letters);
        (next.last, next.word) = (recorded.last, None);
        (next.enabled, next.ran) = (recorded.enabled, recorded.ran);
        recorded.step.clone()
    }

    fn answers(&mut self, state: &[u64], number: u32) -> Vec<Answer> {
        self.shared.answers(state[0] as u32, number)
    }

    fn fork(&self) -> Self {
        Self::view(Arc::clone(&self.shared))
    }
}

impl StepsOfState {
    fn new(state: u32) -> Self {
        Self { state, steps: Vec::new(), next: Some(StepCursor { ample: None, decisions: Decisions::default() }) }
    }

    /// Takes one more step, if there is one.
    fn extend(&mut self, shared: &Shared, from: Option<&Configuration>) {
        let Some(cursor) = self.next.take() else { return };
        let (cursor, taken) = if self.steps.is_empty() { shared.first_step(from) } else { shared.take(from, cursor) };
        self.steps.push(shared.record(taken));
        self.next = cursor.advanced();
    }

    fn refuse(&mut self, reason: Reason) {
        self.steps.push(Recorded {
            step: Advance::Refused(reason),
            state: self.state,
            letters: Box::default(),
            last: 0,
            enabled: 0,
            ran: 0,
        });
        self.next = None;
    }
}

impl StepCursor {
    fn advanced(mut self) -> Option<Self> {
        self.decisions.advance().then_some(self)
    }
}

impl Shared {
    fn known(&self) -> MutexGuard<'_, SeenConfigurations> {
        // Whatever another thread was doing when it panicked, the table is only ever added to.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Why no more steps may be taken, if so: the budget has ended, or does not allow the tables to grow.
    fn exhausted(&self) -> Option<Exhausted> {
        let known = self.known();
        let growth = known.configurations.growth() + known.parts.growth();
        drop(known);
        self.budget.check().and_then(|()| self.budget.allows(growth)).err()
    }

    /// The first step of a configuration. If a thread may go on alone, only its steps count, unless schedules must be
    /// fair.
    fn first_step(&self, from: Option<&Configuration>) -> (StepCursor, ThreadStep) {
        for thread in from.into_iter().flat_map(|configuration| self.loners(&configuration.state)) {
            let cursor = StepCursor { ample: Some(thread), decisions: Decisions::default() };
            let (cursor, taken) = self.take(from, cursor);
            if !matches!(taken.end, StepEnd::NotAlone) {
                return (cursor, taken);
            }
        }
        self.take(from, StepCursor { ample: None, decisions: Decisions::default() })
    }

    /// The threads that may go on alone, as far as is known beforehand.
    fn loners(&self, state: &State) -> Vec<u32> {
        if self.stepper.task.scheduler != Scheduler::Any || count_running(state) < 2 {
            return Vec::new();
        }
        let running = (0..).zip(&state.threads).filter(|(_, thread)| thread.status == Status::Running);
        let ample = running.filter(|&(number, _)| self.stepper.ample(state, number) != Ample::No);
        ample.map(|(number, _)| number).collect()
    }

    fn take(&self, from: Option<&Configuration>, cursor: StepCursor) -> (StepCursor, ThreadStep) {
        let script = RefCell::new(Script::new(&*self.domains, cursor.decisions));
        let taken = self.stepper.take(from, cursor.ample, &script);
        (StepCursor { ample: cursor.ample, decisions: script.into_inner().into_decisions() }, taken)
    }

    /// The answers of a step: its run is repeated.
    fn answers(&self, state: u32, number: u32) -> Vec<Answer> {
        let from = self.configuration(state);
        let (mut cursor, _) = self.first_step(from.as_ref());
        for step in 0..number {
            if step % STEPS_PER_CHECK == 0 && self.budget.check().is_err() {
                // Whoever asks for all steps of a path looks at the budget before the next.
                return Vec::new();
            }
            cursor = match cursor.advanced() {
                Some(next) => self.take(from.as_ref(), next).0,
                None => return Vec::new(),
            };
        }
        let script = RefCell::new(Script::new(&*self.domains, cursor.decisions));
        self.stepper.take(from.as_ref(), cursor.ample, &script);
        script.into_inner().answers
    }

    fn record(&self, taken: ThreadStep) -> Recorded {
        let ThreadStep { end, letters, last, enabled, ran } = taken;
        let (step, state) = match end {
            StepEnd::Next(configuration) => match self.number(&configuration) {
                Some(number) => (Advance::Next, number),
                None => (Advance::Refused(Reason::Incomplete("there are more than 2^32 configurations".to_owned())), 0),
            },
            StepEnd::Ended => (Advance::Ended, 0),
            StepEnd::Blocked => (Advance::Blocked, 0),
            StepEnd::Refused(reason) => (Advance::Refused(reason), 0),
            StepEnd::NotAlone => {
                let why = "a thread may go on alone for some inputs only".to_owned();
                (Advance::Refused(Reason::Incomplete(why)), 0)
            }
        };
        Recorded { step, state, letters: letters.into(), last, enabled, ran }
    }

    /// The number of a configuration.
    fn number(&self, configuration: &Configuration) -> Option<u32> {
        let Configuration { state, attention, running, letter } = configuration;
        let mut written = self.encoding.write(state);
        debug_assert_eq!(self.encoding.write(&self.encoding.read(&mut written.bytes())), written);
        bytes::put(&mut written.shared, *letter);
        if self.stepper.remembered.running {
            bytes::put(&mut written.shared, *running);
        }
        let mut known = self.known();
        if let Some(attention) = attention {
            let number = known.attention_number(attention);
            bytes::put(&mut written.shared, number);
        }
        let mut parts = Vec::with_capacity(16);
        for part in std::iter::once(&written.shared).chain(&written.threads) {
            bytes::put(&mut parts, known.parts.insert(part)?);
        }
        known.configurations.insert(&parts)
    }

    /// The configuration with a number; none for the one before the start.
    fn configuration(&self, number: u32) -> Option<Configuration> {
        if number == BEFORE_START {
            return None;
        }
        let known = self.known();
        let mut numbers = Bytes::new(known.configurations.get(number));
        let mut parts = Vec::new();
        while !numbers.is_empty() {
            parts.push(known.parts.get(numbers.small()).to_vec());
        }
        drop(known);
        let mut parts: Vec<Bytes<'_>> = parts.iter().map(|part| Bytes::new(part)).collect();
        let state = self.encoding.read(&mut parts);
        let shared = &mut parts[0];
        let letter = shared.number();
        let running = if self.stepper.remembered.running { shared.small() } else { 0 };
        let attention = self.stepper.remembered.attention.then(|| {
            let number = shared.number() as usize;
            self.known().attentions[number].clone()
        });
        Some(Configuration { state, attention, running, letter })
    }
}

impl SeenConfigurations {
    fn attention_number(&mut self, attention: &Attention) -> u32 {
        if let Some(&number) = self.attention_numbers.get(attention) {
            return number;
        }
        let number = self.attentions.len() as u32;
        self.attentions.push(attention.clone());
        self.attention_numbers.insert(attention.clone(), number);
        number
    }
}

/// The state at the start, which everything is compared with.
fn start_of(task: &Task) -> Result<State, Reason> {
    let Some(entry) = task.program.entry else {
        return Err(Reason::unsupported("the program has no entry function", None));
    };
    let mut nobody = Nobody;
    let mut interpreter = Interpreter::new(&task.program, task.semantics, &mut nobody);
    match interpreter.start(entry) {
        Ok(()) => Ok(interpreter.state),
        Err(Stop::Unsupported(what)) => Err(Reason::unsupported(what, None)),
        Err(other) => Err(Reason::Incomplete(format!("the program cannot be started: {other:?}"))),
    }
}

/// Has no answer to anything.
struct Nobody;

impl Choices for Nobody {
    fn choose(&mut self, _: &Question) -> Answer {
        Answer::Exhausted
    }
}
