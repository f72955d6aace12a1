//! What a prepared program does, by the interpreter: the definition of what passes and engines must keep.
//!
//! It differs from the run of a program with calls only in how activations are known: not by frames, but by the
//! location at which control is. Taking an edge from one activation to another enters or leaves functions, which is
//! observed as a call or a return would be.

use std::collections::BTreeSet;

use foundation::Budget;
use foundation::collections::HashMap;

use super::inline::ContextId;
use super::prepared::Prepared;
use crate::atom::Atom;
use crate::cfa::{EdgeId, EndKind, FunctionId, Observe, Op};
use crate::model::VariableId;
use crate::semantics::evaluate::evaluate;
use crate::semantics::event::Event;
use crate::semantics::interpreter::Interpreter;
use crate::semantics::state::object_in;
use crate::semantics::step::Stepped;
use crate::semantics::threads::NextEvent;
use crate::semantics::{Choices, ObjectId, ObserveMode, RunEnd, RunLimits, Stop, UndefinedMode, Value};

/// A run.
#[derive(Clone, PartialEq, Debug)]
pub struct Trace {
    /// The truth of the atoms in each observed state.
    pub truth: Vec<Vec<bool>>,
    /// How it ended. Runs that repeat themselves are followed up to a limit.
    pub end: RunEnd,
    /// How many edges were taken.
    pub edges: u64,
}

/// Runs a prepared program.
pub fn run(prepared: &Prepared, choices: &mut dyn Choices, limits: RunLimits, budget: &Budget) -> Trace {
    let mut runner = TraceRunner::new(prepared, choices);
    let mut edges = 0;
    let end = match runner.go(limits, budget, &mut edges) {
        Ok(end) => end,
        Err(stop) => runner.stopped(stop),
    };
    Trace { truth: runner.truth, end, edges }
}

/// What a state is observed for, as far as built-in atoms depend on it.
#[derive(Clone, Copy)]
enum SightPurpose {
    Start,
    Entered(FunctionId),
    End,
    Error,
    Deadlock,
    Plain,
}

/// Takes one step after the other.
pub struct TraceRunner<'a> {
    prepared: &'a Prepared,
    /// The state is its.
    pub interpreter: Interpreter<'a>,
    /// By activation: the objects that were written since its full expression began.
    written: HashMap<ContextId, BTreeSet<ObjectId>>,
    /// Whether a signed integer overflowed since the last observation.
    overflow: bool,
    /// Whether the last observation showed an overflow.
    overflow_shown: bool,
    /// The truth of the atoms in each state that was observed so far.
    pub truth: Vec<Vec<bool>>,
}

impl<'a> TraceRunner<'a> {
    /// A run that has not begun.
    pub fn new(prepared: &'a Prepared, choices: &'a mut dyn Choices) -> Self {
        Self {
            prepared,
            interpreter: Interpreter::new(&prepared.program, prepared.semantics, choices),
            written: HashMap::default(),
            overflow: false,
            overflow_shown: false,
            truth: Vec::new(),
        }
    }

    /// Starts the program; an end where it is not to go any further.
    pub fn begin(&mut self) -> Result<Option<RunEnd>, Stop> {
        let root = self.prepared.root();
        self.interpreter.start(root)?;
        self.interpreter.events.clear();
        self.look(SightPurpose::Start)?;
        let stops = self.prepared.semantics.stop_at_call == Some(root);
        Ok(stops.then_some(RunEnd::StoppedAtCall(root)))
    }

    fn go(&mut self, limits: RunLimits, budget: &Budget, edges: &mut u64) -> Result<RunEnd, Stop> {
        if let Some(end) = self.begin()? {
            return Ok(end);
        }
        loop {
            if *edges >= limits.edges || self.truth.len() >= limits.observations {
                return Ok(RunEnd::Limit);
            }
            if edges.is_multiple_of(1024)
                && let Err(exhausted) = budget.check()
            {
                return Ok(RunEnd::Exhausted(exhausted));
            }
            *edges += 1;
            if let Some(end) = self.step()? {
                return Ok(end);
            }
        }
    }

    /// Takes a step; an end where there is one.
    pub fn step(&mut self) -> Result<Option<RunEnd>, Stop> {
        let (sight, end) = match self.interpreter.schedule()? {
            NextEvent::Thread(thread) => {
                let mut stepped = self.interpreter.step(thread);
                loop {
                    if let Some(stopped) = self.follow()? {
                        return Ok(Some(RunEnd::StoppedAtCall(stopped)));
                    }
                    match stepped? {
                        Stepped::Done => return Ok(None),
                        Stepped::Pause(rest) => stepped = self.interpreter.resume(rest),
                        Stepped::End(kind) => break (SightPurpose::End, RunEnd::End(kind)),
                        Stepped::Blocked => return Ok(Some(RunEnd::Blocked { span: None })),
                        Stepped::StoppedAtCall(function) => return Ok(Some(RunEnd::StoppedAtCall(function))),
                    }
                }
            }
            NextEvent::AllEnded => (SightPurpose::End, RunEnd::End(EndKind::Return)),
            NextEvent::Deadlock => (SightPurpose::Deadlock, RunEnd::Deadlock),
        };
        self.look(sight)?;
        Ok(Some(end))
    }

    /// How a run ends that a step has stopped.
    pub fn stopped(&mut self, stop: Stop) -> RunEnd {
        match stop {
            Stop::Undefined(_) if self.prepared.semantics.undefined == UndefinedMode::Assume => {
                RunEnd::Blocked { span: None }
            }
            Stop::Undefined(kind) => match self.look(SightPurpose::Error) {
                Ok(()) | Err(Stop::Undefined(_)) => RunEnd::Undefined { kind, span: None },
                Err(other) => self.stopped(other),
            },
            Stop::Unsupported(reason) => RunEnd::Unsupported { reason, span: None },
            Stop::NoMoreChoices => RunEnd::NoMoreInputs,
            Stop::UnfitChoice(reason) => RunEnd::UnfitInput { reason, span: None, written: None },
            Stop::NotConstant => unreachable!("there is memory"),
        }
    }

    /// The activation that control is in; none when the last thread has ended itself.
    fn context(&self) -> Option<ContextId> {
        let (_, frame) = self.interpreter.state.innermost(0)?;
        Some(self.prepared.context_of(frame.location))
    }

    /// Follows what happened in a step, and observes what is to be observed. Returns the function at whose entry the run
    /// is to end, if it was entered.
    fn follow(&mut self) -> Result<Option<FunctionId>, Stop> {
        let events = std::mem::take(&mut self.interpreter.events);
        // Where the step began: that is where what it wrote counts, until it leaves or enters something.
        let began = self.interpreter.edge.map(|edge| self.prepared.program.edges[edge].from);
        let began = began.map(|location| self.prepared.context_of(location));
        let mut due = false;
        for event in events {
            match event {
                Event::Write(extent) => {
                    if let Some(context) = began {
                        self.written.entry(context).or_default().insert(extent.object);
                    }
                }
                Event::Overflow => self.overflow = true,
                Event::Completed(edge) => {
                    let (left, entered) = self.prepared.crossed(edge);
                    for context in left {
                        due |= self.leave(context);
                    }
                    due |= self.completes_observed(edge)?;
                    for context in entered {
                        let function = self.prepared.contexts[context].function;
                        if let Some(stopped) = self.enter(function, &mut due)? {
                            return Ok(Some(stopped));
                        }
                    }
                }
                // A function without a body is entered and left at once; the entry function is not left by returning.
                Event::Entered { function, .. } => {
                    if let Some(stopped) = self.enter(function, &mut due)? {
                        return Ok(Some(stopped));
                    }
                }
                Event::Left { function, .. } => {
                    if self.interpreter.state.innermost(0).is_none() {
                        due |= self.leave_all();
                    } else {
                        due |= self.looks_into(function);
                    }
                }
                _ => {}
            }
        }
        if due {
            self.look(SightPurpose::Plain)?;
        }
        Ok(None)
    }

    /// Follows the entry of a function; returns it if the run is to end there.
    fn enter(&mut self, function: FunctionId, due: &mut bool) -> Result<Option<FunctionId>, Stop> {
        let stops = self.prepared.semantics.stop_at_call == Some(function);
        if self.prepared.atoms.has_call(function) || stops {
            if std::mem::take(due) {
                self.look(SightPurpose::Plain)?;
            }
            self.look(SightPurpose::Entered(function))?;
        } else {
            *due |= self.looks_into(function);
        }
        Ok(stops.then_some(function))
    }

    /// Follows that an activation ends; what it wrote and nobody looked at counts for the expression that called.
    fn leave(&mut self, context: ContextId) -> bool {
        let unseen = self.written.remove(&context).unwrap_or_default();
        let activation = &self.prepared.contexts[context];
        let dead: BTreeSet<VariableId> = activation.variables.values().copied().collect();
        if let Some((caller, _)) = activation.caller {
            let calling = self.written.entry(caller).or_default();
            calling.extend(unseen);
            calling.retain(|object| object.variable().is_none_or(|variable| !dead.contains(&variable)));
        }
        self.looks_into(activation.function)
    }

    /// The thread ends itself, and all activations end.
    fn leave_all(&mut self) -> bool {
        let mut context = self.interpreter.edge.map(|edge| {
            let from = self.prepared.program.edges[edge].from;
            self.prepared.context_of(from)
        });
        let mut due = false;
        while let Some(at) = context {
            due |= self.leave(at);
            context = self.prepared.contexts[at].caller.map(|(caller, _)| caller);
        }
        due
    }

    fn looks_into(&self, function: FunctionId) -> bool {
        self.prepared.semantics.observe == ObserveMode::Change && self.prepared.atoms.looks_into(function)
    }

    /// Whether the state is observed now that an edge is completed; its activation's next full expression begins.
    fn completes_observed(&mut self, edge: EdgeId) -> Result<bool, Stop> {
        let edge = &self.prepared.program.edges[edge];
        if edge.observe == Observe::No {
            return Ok(false);
        }
        let context = match edge.op {
            // The activation that returns is still there.
            Op::Return(_) => self.prepared.context_of(edge.from),
            _ => self.prepared.context_of(edge.to),
        };
        let written = self.written.remove(&context).unwrap_or_default();
        match self.prepared.semantics.observe {
            ObserveMode::Statement => Ok(true),
            ObserveMode::Step => Ok(edge.observe == Observe::Step),
            ObserveMode::Change => {
                let shows_overflow = self.prepared.atoms.atoms().contains(&Atom::Overflow);
                let overflow = shows_overflow && (self.overflow || self.overflow_shown);
                Ok(overflow || (!written.is_empty() && !self.objects_read()?.is_disjoint(&written)))
            }
        }
    }

    /// The objects that the atoms read now.
    fn objects_read(&mut self) -> Result<BTreeSet<ObjectId>, Stop> {
        let mut objects = BTreeSet::new();
        for index in 0..self.prepared.atoms.atoms().len() {
            let Some((_, read)) = self.examine(index)? else { continue };
            objects.extend(read);
        }
        Ok(objects)
    }

    /// The truth of a state atom and the objects that it names and reads; none where it is false because a function is
    /// not active.
    fn examine(&mut self, index: usize) -> Result<Option<(bool, BTreeSet<ObjectId>)>, Stop> {
        let prepared = self.prepared;
        let Atom::State { active, .. } = &prepared.atoms.atoms()[index] else { return Ok(None) };
        let context = match self.context() {
            Some(context) => context,
            None if active.is_empty() => prepared.context_of(prepared.start()),
            None => return Ok(None),
        };
        let Some(atom) = &prepared.atoms.state_atoms(prepared.atoms.view(context))[index] else { return Ok(None) };
        let events = std::mem::take(&mut self.interpreter.events);
        let result = evaluate(&mut self.interpreter, atom.value);
        let read = std::mem::replace(&mut self.interpreter.events, events);
        let truth = match result {
            Ok(value) => value == Value::Bool(true),
            Err(Stop::Undefined(_)) => false,
            Err(other) => return Err(other),
        };
        let read = read.into_iter().filter_map(|event| match event {
            Event::Read(extent) => Some(extent.object),
            _ => None,
        });
        let named = atom.reads.iter().map(|&variable| object_in(&prepared.program, variable, 0, 0));
        Ok(Some((truth, read.chain(named).collect())))
    }

    /// Observes the state.
    fn look(&mut self, sight: SightPurpose) -> Result<(), Stop> {
        let overflow = std::mem::take(&mut self.overflow);
        let mut truth = Vec::new();
        for (index, atom) in self.prepared.atoms.atoms().iter().enumerate() {
            truth.push(match (atom, sight) {
                (Atom::State { .. }, _) => self.examine(index)?.is_some_and(|(truth, _)| truth),
                (Atom::Call(function), SightPurpose::Entered(entered)) => *function == entered,
                (Atom::Call(function), SightPurpose::Start) => *function == self.prepared.root(),
                (Atom::Overflow, _) => overflow,
                (Atom::End, SightPurpose::End) => true,
                (Atom::Error, SightPurpose::Error) => true,
                (Atom::Deadlock, SightPurpose::Deadlock) => true,
                (Atom::Call(_) | Atom::End | Atom::Error | Atom::Deadlock, _) => false,
            });
        }
        self.overflow_shown = overflow;
        self.truth.push(truth);
        Ok(())
    }
}
