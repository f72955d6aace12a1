//! The state of a running program: its threads with their activations, who holds what, and memory.
//!
//! Two states are equal exactly if nothing that the program does next can tell them apart by name. Threads come first,
//! so that comparing two states at different points of control ends early.

use std::collections::{BTreeMap, BTreeSet};

use crate::cfa::{EdgeId, FunctionId, LocationId};
use crate::model::{Initial, Program, VariableId, VariableKind};
use crate::semantics::config::Integers;
use crate::semantics::event::LockId;
use crate::semantics::memory::{Memory, sweep_value};
use crate::semantics::object::Object;
use crate::semantics::value::{ObjectId, Value};

/// A state.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct State {
    /// The threads by their numbers; the first one is that of the entry function.
    pub threads: Vec<Thread>,
    /// The thread that runs alone, and how many atomic sections it is in.
    pub atomic: Option<(u32, u32)>,
    /// The thread that is inside a full expression, where only whole ones may be interrupted.
    pub within_expression: Option<u32>,
    /// The threads that hold mutexes.
    pub locks: BTreeMap<LockId, u32>,
    /// The objects.
    pub memory: Memory,
}

/// A thread.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Thread {
    /// Its activations, the innermost last.
    pub frames: Vec<Frame>,
    /// Whether it runs.
    pub status: Status,
}

/// Whether a thread runs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Status {
    /// It does, or waits.
    Running,
    /// It has ended, with a value where it returned one, and was not waited for yet.
    Ended(Option<Value>),
    /// It has ended and was waited for.
    Joined,
}

/// An activation of a function.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// The function.
    pub function: FunctionId,
    /// Where control is. In an activation that is not the innermost one, the beginning of the calling edge.
    pub location: LocationId,
    /// The edge that called; none in the first activation of a thread.
    pub caller: Option<EdgeId>,
}

impl State {
    /// The state before static initialisation: no thread, and globals that are zero where they are not arbitrary.
    pub fn before_initialisation(program: &Program, integers: Integers) -> Self {
        let mut memory = Memory::new(integers, program.types.data_model(), program.functions.len());
        for (id, variable) in program.variables.iter() {
            if let VariableKind::Global { initial, .. } | VariableKind::Literal { initial } = &variable.kind {
                let size = program.types.size_bits(variable.ty).div_ceil(8);
                let object = match initial {
                    Initial::Values(_) => Object::zeroed(size),
                    Initial::Arbitrary => Object::unchosen(size),
                };
                memory.create(ObjectId::Global(id), object);
            }
        }
        Self { threads: Vec::new(), atomic: None, within_expression: None, locks: BTreeMap::new(), memory }
    }

    /// The innermost activation of a thread, with the number of those below it.
    pub fn innermost(&self, thread: u32) -> Option<(u32, &Frame)> {
        let frames = &self.threads[thread as usize].frames;
        frames.last().map(|frame| (frames.len() as u32 - 1, frame))
    }

    /// The innermost activation of a function in a thread, as the number of activations below it.
    pub fn activation(&self, thread: u32, function: FunctionId) -> Option<u32> {
        let frames = &self.threads.get(thread as usize)?.frames;
        frames.iter().rposition(|frame| frame.function == function).map(|depth| depth as u32)
    }

    /// Ends the lifetimes of objects: pointers to them become dangling everywhere, and mutexes in them are gone.
    pub fn destroy(&mut self, program: &Program, dead: &BTreeSet<ObjectId>) {
        self.memory.remove(dead);
        let reachable = |object: &ObjectId| object.variable().is_none_or(|id| program.variables[id].address_taken);
        if !dead.iter().any(reachable) {
            return;
        }
        self.memory.sweep(dead);
        self.locks.retain(|(object, _), _| !dead.contains(object));
        for thread in &mut self.threads {
            if let Status::Ended(Some(value)) = &mut thread.status {
                sweep_value(value, dead);
            }
        }
    }

    /// The objects of the variables of an activation.
    pub fn locals(program: &Program, thread: u32, depth: u32, function: FunctionId) -> BTreeSet<ObjectId> {
        let function = &program.functions[function];
        let variables = function.parameters.iter().chain(&function.locals);
        variables.map(|&variable| ObjectId::Local { thread, depth, variable }).collect()
    }
}

/// The object of a variable that is global, or local to this activation.
pub fn object_in(program: &Program, variable: VariableId, thread: u32, depth: u32) -> ObjectId {
    match program.owner(variable) {
        None => ObjectId::Global(variable),
        Some(_) => ObjectId::Local { thread, depth, variable },
    }
}
