//! Which states are observed, and the truth of atoms in them (section "Observation" of the semantics).
//!
//! The observer follows the events of each step. Full expressions of one activation are followed apart from those of
//! its callees, so that `(x = 5) + f()` has written `x` when it ends, whatever was observed inside `f`; what a library
//! function writes counts for the full expression that called it.

use std::collections::BTreeSet;

use crate::atom::Atom;
use crate::cfa::{EdgeId, EndKind, FunctionId, Observe};
use crate::semantics::config::ObserveMode;
use crate::semantics::evaluate::evaluate_truth;
use crate::semantics::event::Event;
use crate::semantics::interpreter::Interpreter;
use crate::semantics::state::object_in;
use crate::semantics::stop::{Stop, UndefinedBehaviour};
use crate::semantics::value::ObjectId;

/// Why a state is observed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Occasion {
    /// The program starts.
    Start,
    /// An edge was taken to its end.
    Edge(EdgeId),
    /// A function was entered that the property looks at.
    Entered(FunctionId),
    /// A function was left that the property looks at.
    Left(FunctionId),
    /// The program has ended.
    End(EndKind),
    /// Behaviour was undefined.
    Error(UndefinedBehaviour),
    /// No thread can go on.
    Deadlock,
}

/// What the observer must remember between steps. Together with the state it decides which states are observed next.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Attention {
    /// By thread and activation: the objects that were written since its full expression began.
    written: Vec<Vec<BTreeSet<ObjectId>>>,
    /// Whether a signed integer overflowed since the last observation.
    overflow: bool,
    /// Whether the last observation showed an overflow.
    overflow_shown: bool,
}

/// A state that is to be observed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sight {
    /// Why.
    pub occasion: Occasion,
    /// The truth of the atoms.
    pub truth: Vec<bool>,
    /// Whether a signed integer overflowed since the last observation.
    pub overflow: bool,
}

/// Decides which states are observed, for some atoms.
#[derive(Clone, Debug)]
pub struct Observer<'a> {
    /// What it remembers.
    pub attention: Attention,
    mode: ObserveMode,
    atoms: &'a [Atom],
    /// What it saw last, where it may rely on that.
    seen: Option<SeenAtoms>,
    /// Room for the truth of atoms.
    room: Vec<bool>,
}

/// What atoms over the state said when they were last looked at. They say the same as long as memory, the activations and
/// the running thread are the same, unless looking asked for something, as it does at device registers, or gave an
/// address its number.
#[derive(Clone, Debug, Default)]
struct SeenAtoms {
    truth: Vec<bool>,
    is_valid: bool,
    memory: u64,
    running: u32,
}

impl SeenAtoms {
    fn is_current(&self, interpreter: &Interpreter<'_>) -> bool {
        self.is_valid && (self.memory, self.running) == (interpreter.state.memory.changes(), interpreter.running)
    }
}

impl<'a> Observer<'a> {
    /// An observer for these atoms.
    pub fn new(mode: ObserveMode, atoms: &'a [Atom]) -> Self {
        Self { attention: Attention::default(), mode, atoms, seen: None, room: Vec::new() }
    }

    /// An observer that is shown every step of one run from its beginning, so that it need look at atoms only where
    /// something has changed. It must not be used where a state is put in the place of another.
    pub fn of_one_run(mode: ObserveMode, atoms: &'a [Atom]) -> Self {
        Self { seen: Some(SeenAtoms::default()), ..Self::new(mode, atoms) }
    }

    /// Follows the events of the start, which is observed in any case.
    pub fn begin(&mut self, events: &[Event]) {
        let entered = events.iter().filter(|event| matches!(event, Event::Entered { .. })).count();
        debug_assert_eq!(entered, 1, "one function is entered at the start");
        self.attention.written = vec![vec![BTreeSet::new()]];
    }

    /// Follows the events of a step, all of which led to the state that the interpreter is in, and returns what is
    /// observed of it. More than one observation is made only where a function is entered that `call` atoms name.
    pub fn follow(&mut self, interpreter: &mut Interpreter<'_>, events: &[Event]) -> Result<Vec<Sight>, Stop> {
        let mut sights = Vec::new();
        self.follow_into(interpreter, events, &mut sights)?;
        Ok(sights)
    }

    /// The same, where what is observed is added to others.
    pub fn follow_into(
        &mut self,
        interpreter: &mut Interpreter<'_>,
        events: &[Event],
        sights: &mut Vec<Sight>,
    ) -> Result<(), Stop> {
        let mut due = None;
        for event in events {
            match event {
                Event::Write(extent) => {
                    if let Some(written) = self.expression(interpreter.running) {
                        written.insert(extent.object);
                    }
                }
                Event::Overflow => self.attention.overflow = true,
                Event::Completed(edge) if self.completes_observed(interpreter, *edge)? => {
                    due = Some(Occasion::Edge(*edge));
                }
                Event::Entered { function, thread } => {
                    self.forget();
                    let threads = &mut self.attention.written;
                    threads.resize(threads.len().max(*thread as usize + 1), Vec::new());
                    threads[*thread as usize].push(BTreeSet::new());
                    if self.atoms.contains(&Atom::Call(*function)) {
                        if let Some(occasion) = due.take() {
                            sights.push(self.look(interpreter, occasion)?);
                        }
                        sights.push(self.look(interpreter, Occasion::Entered(*function))?);
                    } else if self.watches(*function) {
                        due = due.or(Some(Occasion::Entered(*function)));
                    }
                }
                Event::Left { function, depth } => {
                    self.forget();
                    self.leave(interpreter.running, *depth);
                    if self.watches(*function) {
                        due = Some(Occasion::Left(*function));
                    }
                }
                _ => {}
            }
        }
        if let Some(occasion) = due {
            sights.push(self.look(interpreter, occasion)?);
        }
        Ok(())
    }

    /// Takes back what nobody needs any more of something observed, to be used again.
    pub fn reuse(&mut self, truth: Vec<bool>) {
        self.room = truth;
    }

    /// Observes the state that the interpreter is in.
    pub fn look(&mut self, interpreter: &mut Interpreter<'_>, occasion: Occasion) -> Result<Sight, Stop> {
        let overflow = std::mem::take(&mut self.attention.overflow);
        let current = self.seen.as_ref().filter(|seen| seen.is_current(interpreter));
        let mut truth = std::mem::take(&mut self.room);
        truth.clear();
        match current {
            Some(seen) => truth.extend_from_slice(&seen.truth),
            None => self.examine_all(interpreter, &mut truth)?,
        }
        for (atom, truth) in self.atoms.iter().zip(&mut truth) {
            *truth = match (atom, occasion) {
                (Atom::State { .. }, _) => continue,
                (Atom::Call(function), Occasion::Entered(entered)) => *function == entered,
                (Atom::Call(function), Occasion::Start) => interpreter.program.entry == Some(*function),
                (Atom::Overflow, _) => overflow,
                (Atom::End, Occasion::End(_)) => true,
                (Atom::Error, Occasion::Error(_)) => true,
                (Atom::Deadlock, Occasion::Deadlock) => true,
                (Atom::Call(_) | Atom::End | Atom::Error | Atom::Deadlock, _) => false,
            };
        }
        self.attention.overflow_shown = overflow;
        Ok(Sight { occasion, truth, overflow })
    }

    /// The truth of the atoms over the state; false for others.
    fn examine_all(&mut self, interpreter: &mut Interpreter<'_>, truth: &mut Vec<bool>) -> Result<(), Stop> {
        let before = (interpreter.choices_made, interpreter.state.memory.changes());
        for atom in self.atoms {
            truth.push(match atom {
                Atom::State { value, active, .. } => examine(interpreter, *value, active, |_| {})?.unwrap_or(false),
                _ => false,
            });
        }
        if let Some(seen) = &mut self.seen {
            seen.truth.clone_from(truth);
            seen.is_valid = before == (interpreter.choices_made, interpreter.state.memory.changes());
            (seen.memory, seen.running) = (before.1, interpreter.running);
        }
        Ok(())
    }

    fn forget(&mut self) {
        if let Some(seen) = &mut self.seen {
            seen.is_valid = false;
        }
    }

    /// Whether the state is observed now that an edge is completed; its activation's next full expression begins.
    fn completes_observed(&mut self, interpreter: &mut Interpreter<'_>, edge: EdgeId) -> Result<bool, Stop> {
        let edge = &interpreter.program.edges[edge];
        let function = interpreter.program.locations[edge.from].function;
        if edge.observe == Observe::No || interpreter.program.functions[function].library {
            return Ok(false);
        }
        let written = self.expression(interpreter.running).map(std::mem::take).unwrap_or_default();
        match self.mode {
            ObserveMode::Statement => Ok(true),
            ObserveMode::Step => Ok(edge.observe == Observe::Step),
            ObserveMode::Change => {
                let overflow =
                    self.atoms.contains(&Atom::Overflow) && (self.attention.overflow || self.attention.overflow_shown);
                Ok(overflow || (!written.is_empty() && !self.objects_read(interpreter)?.is_disjoint(&written)))
            }
        }
    }

    /// The objects that the atoms read now.
    fn objects_read(&self, interpreter: &mut Interpreter<'_>) -> Result<BTreeSet<ObjectId>, Stop> {
        let mut objects = BTreeSet::new();
        for atom in self.atoms {
            let Atom::State { value, active, reads } = atom else { continue };
            let mut read = |event: Event| {
                if let Event::Read(extent) = event {
                    objects.insert(extent.object);
                }
            };
            if examine(interpreter, *value, active, &mut read)?.is_none() {
                continue;
            }
            for &variable in reads {
                let activation = match interpreter.program.owner(variable) {
                    None => Some((0, 0)),
                    Some(owner) => interpreter.activation_for_atoms(owner),
                };
                objects
                    .extend(activation.map(|(thread, depth)| object_in(interpreter.program, variable, thread, depth)));
            }
        }
        Ok(objects)
    }

    /// What the full expression of a thread's innermost activation has written.
    fn expression(&mut self, thread: u32) -> Option<&mut BTreeSet<ObjectId>> {
        self.attention.written.get_mut(thread as usize)?.last_mut()
    }

    /// What was written in an activation and not looked at counts for the full expression that called it.
    fn leave(&mut self, thread: u32, depth: u32) {
        let mut unseen = self.attention.written[thread as usize].pop().unwrap_or_default();
        let dead = |object: &ObjectId| matches!(object, ObjectId::Local { thread: t, depth: d, .. } if *t == thread && *d == depth);
        if let Some(calling) = self.expression(thread) {
            calling.append(&mut unseen);
            calling.retain(|object| !dead(object));
        }
    }

    /// Whether entering and leaving a function is observed because atoms look at its locals.
    fn watches(&self, function: FunctionId) -> bool {
        self.mode == ObserveMode::Change
            && self.atoms.iter().any(|atom| matches!(atom, Atom::State { active, .. } if active.contains(&function)))
    }
}

/// The truth of an expression over the state; none while a function is not active whose locals it reads. It is false
/// where it is undefined. What happens during its evaluation is shown to somebody and then forgotten.
fn examine(
    interpreter: &mut Interpreter<'_>,
    value: crate::expr::ExprId,
    active: &[FunctionId],
    show: impl FnMut(Event),
) -> Result<Option<bool>, Stop> {
    if active.iter().any(|&function| interpreter.activation_for_atoms(function).is_none()) {
        return Ok(None);
    }
    let before = interpreter.events.len();
    interpreter.for_atoms = true;
    let result = evaluate_truth(interpreter, value);
    interpreter.for_atoms = false;
    interpreter.events.drain(before..).for_each(show);
    match result {
        Ok(truth) => Ok(Some(truth)),
        Err(Stop::Undefined(_)) => Ok(Some(false)),
        Err(other) => Err(other),
    }
}
