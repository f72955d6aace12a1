//! States of the interpreter as short byte strings, equal exactly if the program cannot tell the states apart.
//!
//! Three things make them short and, more important, few:
//! - globals are written only where they differ from what they hold at the start;
//! - of a local variable whose address is not taken and whose value is not read any more ([`analysis::liveness`]), only
//!   that it exists is written, so that left-over values of temporaries tell no two states apart;
//! - zeros are zeros: a zero that was assigned is the same as one that was there from the start, and neighbouring zeros
//!   are one. Under ideal integers, where memory has types, this is done for plain scalar variables only.
//!
//! The first and the third lose nothing, the second nothing that can be read. Measured on the bakery algorithm with three
//! threads, 225,000 configurations take 42 bytes each, the tables included; a clone of a state takes 16 kilobytes.

use std::collections::BTreeMap;
use std::iter::Peekable;
use std::sync::Arc;

use analysis::{Everywhere, Liveness, VariableSet};
use foundation::{Arena, Id};
use program::semantics::memory::Memory;
use program::semantics::object::Object;
use program::semantics::state::{Frame, State, Status, Thread};
use program::semantics::{Integers, ObjectId, Value};
use program::{Atom, FunctionId, Initial, LocationId, Op, Program, Scalar, VariableId, VariableKind};

use super::accesses::Accesses;
use super::bytes::{Bytes, put, put_object, put_scalar, put_signed, put_value};
use super::contents::{DEAD, UNCHOSEN, object_contents, put_object_contents};

/// A state in writing: what threads share, and each thread with its activations and their variables. Threads take up few
/// different forms, and so does what they share; each form is kept once.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct WrittenState {
    /// Globals, the heap, mutexes.
    pub shared: Vec<u8>,
    /// By thread.
    pub threads: Vec<Vec<u8>>,
}

impl WrittenState {
    /// All parts, to be read.
    pub fn bytes(&self) -> Vec<Bytes<'_>> {
        std::iter::once(&self.shared).chain(&self.threads).map(|part| Bytes::new(part)).collect()
    }
}

/// How the states of one program are written and read.
pub(super) struct StateEncoding {
    program: Arc<Program>,
    integers: Integers,
    variables: Arena<VariableId, Described>,
    /// The parameters and locals of each function, by ascending id.
    locals: Arena<FunctionId, Vec<VariableId>>,
    globals: Vec<VariableId>,
    liveness: Liveness,
}

/// What is known of a variable beforehand.
struct Described {
    size: u64,
    /// Its type, if that is scalar.
    scalar: Option<Scalar>,
    /// Whether its value can be forgotten where it is dead.
    forgettable: bool,
    /// What it holds at the start, as an object and as it is written; none for locals.
    start: Option<(Object, Vec<u8>)>,
    /// Whether it holds that for ever, so that only its address can be new.
    constant: bool,
}

impl StateEncoding {
    /// The encoding of a program's states, given the state at its start.
    pub fn new(program: &Arc<Program>, integers: Integers, atoms: &[Atom], accesses: &Accesses, start: &State) -> Self {
        let mut read_by_atoms = VariableSet::new();
        for atom in atoms {
            if let Atom::State { reads, .. } = atom {
                read_by_atoms.extend(reads.iter().copied());
            }
        }
        let sorted = |function: FunctionId| {
            let program::Function { parameters, locals, .. } = &program.functions[function];
            let mut all: Vec<VariableId> = parameters.iter().chain(locals).copied().collect();
            all.sort_unstable();
            all
        };
        let describe = |id: VariableId| {
            let variable = &program.variables[id];
            let is_global = program.owner(id).is_none();
            let is_determined = match &variable.kind {
                VariableKind::Global { initial, .. } | VariableKind::Literal { initial } => {
                    matches!(initial, Initial::Values(_))
                }
                _ => false,
            };
            Described {
                size: program.types.size_bits(variable.ty).div_ceil(8),
                scalar: program.types.as_scalar(variable.ty),
                forgettable: !is_global && !variable.address_taken && !read_by_atoms.contains(id),
                start: None,
                constant: is_determined && !accesses.may_be_written(id),
            }
        };
        let globals = program.variables.ids().filter(|&id| program.owner(id).is_none()).collect();
        let mut encoding = Self {
            program: Arc::clone(program),
            integers,
            variables: program.variables.ids().map(describe).collect(),
            locals: program.functions.ids().map(sorted).collect(),
            globals,
            liveness: Liveness::new(program, &Everywhere::of_atoms(program, atoms)),
        };
        for &id in &encoding.globals.clone() {
            let object = start.memory.object(ObjectId::Global(id)).expect("globals live for ever").clone();
            let mut written = Vec::new();
            encoding.put_contents(&mut written, &object, Some(id));
            encoding.variables[id].start = Some((object, written));
        }
        encoding
    }

    /// Writes a state.
    pub fn write(&self, state: &State) -> WrittenState {
        let mut written =
            WrittenState { shared: Vec::with_capacity(64), threads: Vec::with_capacity(state.threads.len()) };
        let mut objects = state.memory.objects().peekable();
        let out = &mut written.shared;
        match state.atomic {
            None => out.push(0),
            Some((thread, depth)) => {
                put(out, thread + 1);
                put(out, depth);
            }
        }
        put(out, state.within_expression.map_or(0, |thread| thread + 1));
        put(out, state.locks.len() as u64);
        for (&(object, offset), &holder) in &state.locks {
            put_object(out, object);
            put_signed(out, offset);
            put(out, holder);
        }
        // Memory shows globals first, then the locals of each activation of each thread, then the heap.
        self.write_globals(&mut objects, out);
        for (number, thread) in (0..).zip(&state.threads) {
            let mut out = Vec::with_capacity(64);
            self.write_thread(thread, &mut out);
            self.write_locals(number, &thread.frames, &mut objects, &mut out);
            written.threads.push(out);
        }
        self.write_heap(objects, &mut written.shared);
        written
    }

    /// Reads a state from its parts: first what threads share, then the threads.
    pub fn read(&self, parts: &mut [Bytes<'_>]) -> State {
        let (shared, threads) = parts.split_first_mut().expect("there is something that threads share");
        let program = &*self.program;
        let mut memory = Memory::new(self.integers, program.types.data_model(), program.functions.len());
        let atomic = match shared.small() {
            0 => None,
            thread => Some((thread - 1, shared.small())),
        };
        let within_expression = shared.small().checked_sub(1);
        let mut locks = BTreeMap::new();
        for _ in 0..shared.number() {
            let lock = (shared.object(), shared.signed());
            locks.insert(lock, shared.small());
        }
        self.read_globals(shared, &mut memory);
        let read_thread = |(number, bytes): (u32, &mut Bytes<'_>)| {
            let thread = self.read_thread(bytes);
            self.read_locals(number, &thread.frames, bytes, &mut memory);
            thread
        };
        let threads = (0..).zip(threads).map(read_thread).collect();
        self.read_heap(shared, &mut memory);
        State { threads, atomic, within_expression, locks, memory }
    }

    /// Activations are written by their locations. A caller is one of the edges that leave the location below.
    fn write_thread(&self, thread: &Thread, out: &mut Vec<u8>) {
        match &thread.status {
            Status::Running => out.push(0),
            Status::Joined => out.push(1),
            Status::Ended(None) => out.push(2),
            Status::Ended(Some(value)) => {
                out.push(3);
                put_scalar(out, kind_of(value));
                put_value(out, value);
            }
        }
        put(out, thread.frames.len() as u64);
        let mut below = None;
        for frame in &thread.frames {
            put(out, frame.location.index() as u64);
            if let Some(location) = below {
                let edges = &self.program.locations[location].out;
                let caller = edges.iter().position(|&edge| Some(edge) == frame.caller);
                put(out, caller.expect("the calling edge begins where control is") as u64);
            }
            below = Some(frame.location);
        }
    }

    fn read_thread(&self, bytes: &mut Bytes<'_>) -> Thread {
        let status = match bytes.byte() {
            0 => Status::Running,
            1 => Status::Joined,
            2 => Status::Ended(None),
            _ => {
                let ty = bytes.scalar();
                Status::Ended(Some(bytes.value(ty)))
            }
        };
        let mut frames: Vec<Frame> = Vec::new();
        for _ in 0..bytes.number() {
            let location: LocationId = bytes.id();
            let caller = frames.last().map(|below| self.program.locations[below.location].out[bytes.number() as usize]);
            frames.push(Frame { function: self.program.locations[location].function, location, caller });
        }
        Thread { frames, status }
    }

    fn write_globals<'m>(&self, objects: &mut Peekable<impl Iterator<Item = NamedObject<'m>>>, out: &mut Vec<u8>) {
        let mut list = Exceptions::new(out);
        for (at, &id) in self.globals.iter().enumerate() {
            let (_, object) =
                objects.next_if(|&(next, _)| next == ObjectId::Global(id)).expect("globals live for ever");
            let (start, at_start) = self.variables[id].start.as_ref().expect("a global");
            if !self.variables[id].constant || object.number != start.number {
                list.add(at, at_start, |out| self.put_contents(out, object, Some(id)));
            }
        }
        list.end();
    }

    fn read_globals(&self, bytes: &mut Bytes<'_>, memory: &mut Memory) {
        let mut exception = bytes.number() as usize;
        for (at, &id) in self.globals.iter().enumerate() {
            let described = &self.variables[id];
            let object = if at + 1 == exception {
                let object = object_contents(bytes, described.size, described.scalar).expect("globals live for ever");
                exception = after(exception, bytes);
                object
            } else {
                described.start.as_ref().expect("a global").0.clone()
            };
            memory.create(ObjectId::Global(id), object);
        }
    }

    fn write_locals<'m>(
        &self,
        thread: u32,
        frames: &[Frame],
        objects: &mut Peekable<impl Iterator<Item = NamedObject<'m>>>,
        out: &mut Vec<u8>,
    ) {
        for (depth, frame) in (0..).zip(frames) {
            let forgotten = self.forgotten(frames, depth as usize);
            let mut list = Exceptions::new(out);
            for (at, &variable) in self.locals[frame.function].iter().enumerate() {
                let id = ObjectId::Local { thread, depth, variable };
                match objects.next_if(|&(next, _)| next == id) {
                    None => list.add(at, &[], |out| out.push(DEAD)),
                    Some(_) if forgotten(variable) => {}
                    Some((_, object)) => {
                        list.add(at, &[UNCHOSEN], |out| self.put_contents(out, object, Some(variable)));
                    }
                }
            }
            list.end();
        }
    }

    fn read_locals(&self, thread: u32, frames: &[Frame], bytes: &mut Bytes<'_>, memory: &mut Memory) {
        for (depth, frame) in (0..).zip(frames) {
            let mut exception = bytes.number() as usize;
            for (at, &variable) in self.locals[frame.function].iter().enumerate() {
                let described = &self.variables[variable];
                let mut living = Some(Object::unchosen(described.size));
                if at + 1 == exception {
                    living = object_contents(bytes, described.size, described.scalar);
                    exception = after(exception, bytes);
                }
                if let Some(object) = living {
                    memory.create(ObjectId::Local { thread, depth, variable }, object);
                }
            }
        }
    }

    fn write_heap<'m>(&self, objects: impl Iterator<Item = NamedObject<'m>>, out: &mut Vec<u8>) {
        let mut next = 0;
        for (id, object) in objects {
            let ObjectId::Heap(number) = id else { unreachable!("{id:?} belongs to no activation") };
            put(out, number + 1 - next);
            next = number + 1;
            put(out, object.size);
            self.put_contents(out, object, None);
        }
        out.push(0);
    }

    fn read_heap(&self, bytes: &mut Bytes<'_>, memory: &mut Memory) {
        let mut next = 0;
        loop {
            match bytes.small() {
                0 => return,
                distance => {
                    let size = bytes.number();
                    let object = object_contents(bytes, size, None).expect("what is written lives");
                    memory.create(ObjectId::Heap(next + distance - 1), object);
                    next += distance;
                }
            }
        }
    }

    /// The variables of an activation whose values nobody will read. In one that waits for a call, that is so of the
    /// variable that receives the result.
    fn forgotten(&self, frames: &[Frame], depth: usize) -> impl Fn(VariableId) -> bool {
        let calling = frames.get(depth + 1).and_then(|above| above.caller).map(|caller| &self.program.edges[caller]);
        let live = self.liveness.at(calling.map_or(frames[depth].location, |edge| edge.to));
        let awaited = match calling.map(|edge| &edge.op) {
            Some(Op::Call { result, .. }) => *result,
            _ => None,
        };
        move |variable| self.variables[variable].forgettable && (awaited == Some(variable) || !live.contains(variable))
    }

    fn put_contents(&self, out: &mut Vec<u8>, object: &Object, variable: Option<VariableId>) {
        let plain = variable.and_then(|id| self.variables[id].scalar);
        let typeless = match self.integers {
            Integers::Machine => true,
            Integers::Ideal => plain.is_some() && variable.is_some_and(|id| !self.program.variables[id].address_taken),
        };
        put_object_contents(out, object, plain, typeless);
    }
}

/// An object with its name, as memory shows it.
type NamedObject<'m> = (ObjectId, &'m Object);

/// A list of those elements of a sequence that are not as expected, each with the distance to the one before; the
/// distance 0 ends the list.
struct Exceptions<'o> {
    out: &'o mut Vec<u8>,
    last: usize,
}

impl<'o> Exceptions<'o> {
    fn new(out: &'o mut Vec<u8>) -> Self {
        Self { out, last: 0 }
    }

    /// Adds what is written of an element, unless it is what was expected.
    fn add(&mut self, at: usize, expected: &[u8], write: impl FnOnce(&mut Vec<u8>)) {
        let before = self.out.len();
        put(self.out, (at + 1 - self.last) as u64);
        let contents = self.out.len();
        write(self.out);
        if self.out[contents..] == *expected {
            self.out.truncate(before);
        } else {
            self.last = at + 1;
        }
    }

    fn end(self) {
        self.out.push(0);
    }
}

/// The place of the next exception after one, or 0 where it was the last.
fn after(exception: usize, bytes: &mut Bytes<'_>) -> usize {
    match bytes.number() as usize {
        0 => 0,
        distance => exception + distance,
    }
}

/// A type whose values are written as this one is.
fn kind_of(value: &Value) -> Scalar {
    match value {
        Value::Bool(_) => Scalar::Bool,
        Value::Int(_) => Scalar::Int(program::IntType::signed(64)),
        Value::Float(_) => Scalar::Float(program::FloatType::F64),
        Value::Pointer(_) => Scalar::Pointer,
    }
}
