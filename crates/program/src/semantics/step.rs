//! One step: one edge of one thread.
//!
//! Every operation of [`Op`] has its meaning here, or in the modules that it delegates to. A step may pause in the
//! middle, where a state is to be seen that no edge ends in: before an activation ends, and before a function without a
//! body has yielded its result.

use num_traits::ToPrimitive;

use crate::cfa::{Allocation, EdgeId, EndKind, FunctionId, Observe, Op};
use crate::expr::{ExprId, ExprKind};
use crate::model::VariableId;
use crate::semantics::choices::Question;
use crate::semantics::config::Atomicity;
use crate::semantics::evaluate::{evaluate_integer, evaluate_pointer, evaluate_truth, resolve};
use crate::semantics::event::Event;
use crate::semantics::interpreter::{Contents, Interpreter};
use crate::semantics::memory::Extent;
use crate::semantics::object::{Content, Object, ObjectCell};
use crate::semantics::state::object_in;
use crate::semantics::stop::{Stop, UndefinedBehaviour};
use crate::semantics::value::{ObjectId, Pointer, Value};
use crate::types::{IntType, Scalar};

/// Setting more bytes than this to a value other than zero at once is not supported.
pub const MOST_BYTES_SET: u64 = 1 << 24;

/// What a step came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stepped {
    /// It is done.
    Done,
    /// It has a rest, to be done by [`Interpreter::resume`].
    Pause(Rest),
    /// The program has ended.
    End(EndKind),
    /// No edge may be taken: the run is no execution.
    Blocked,
    /// The function at whose entry the run is to end was entered.
    StoppedAtCall(FunctionId),
}

/// The rest of a step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Rest {
    /// The innermost activation ends with this result.
    Return(Option<Contents>),
    /// A function without a body yields its result.
    External {
        /// The edge that calls.
        edge: EdgeId,
        /// The function.
        function: FunctionId,
    },
}

impl Interpreter<'_> {
    /// Takes a step of a thread that can take one.
    pub fn step(&mut self, thread: u32) -> Result<Stepped, Stop> {
        self.running = thread;
        match self.choose_edge()? {
            ChosenEdge::Edge(edge) => {
                self.edge = Some(edge);
                if self.semantics.atomicity == Atomicity::Statement {
                    self.state.within_expression = self.is_within_expression(edge).then_some(thread);
                }
                self.take(edge)
            }
            ChosenEdge::None => Ok(Stepped::Blocked),
            // A location that is never left: nothing changes any more in this thread.
            ChosenEdge::Stay => Ok(Stepped::Done),
        }
    }

    /// Whether the full expression goes on after an edge. Edges that belong to no expression never count, so that a loop
    /// without expressions cannot keep other threads from running.
    fn is_within_expression(&self, edge: EdgeId) -> bool {
        let edge = &self.program.edges[edge];
        let no_expression = matches!(edge.op, Op::Skip | Op::Declare(_) | Op::Discard(_) | Op::Return(_));
        edge.observe == Observe::No && !no_expression
    }

    /// Does the rest of a step.
    pub fn resume(&mut self, rest: Rest) -> Result<Stepped, Stop> {
        match rest {
            Rest::Return(result) => self.leave(result),
            Rest::External { edge, function } => self.finish_external(edge, function),
        }
    }

    fn choose_edge(&mut self) -> Result<ChosenEdge, Stop> {
        let program = self.program;
        let (_, frame) = self.state.innermost(self.running).expect("a running thread has an activation");
        let out = &program.locations[frame.location].out;
        let mut taken = None;
        let mut others = Vec::new();
        let mut known = KnownConditions::default();
        for &edge in out {
            self.edge = Some(edge);
            let open = match program.edges[edge].op {
                Op::Assume(condition) => self.guard(condition, &mut known)?,
                _ => true,
            };
            match taken {
                _ if !open => {}
                None => taken = Some(edge),
                Some(_) => others.push(edge),
            }
        }
        Ok(match taken {
            None if out.is_empty() => ChosenEdge::Stay,
            None => ChosenEdge::None,
            Some(edge) if others.is_empty() => ChosenEdge::Edge(edge),
            Some(edge) => {
                others.insert(0, edge);
                let count = others.len();
                let question = Question::Branch { edges: others };
                let index = self.ask_index(&question, count)?;
                let Question::Branch { edges } = question else { unreachable!("it is one") };
                ChosenEdge::Edge(edges[index])
            }
        })
    }

    /// The truth of a condition at a branch. A condition and its negation are one expression of the source, so that it
    /// is evaluated once: it may read a device register, which need not hold the same value twice.
    fn guard(&mut self, condition: ExprId, known: &mut KnownConditions) -> Result<bool, Stop> {
        let (positive, negated) = match self.program.exprs.get(condition).kind {
            ExprKind::Not(operand) => (operand, true),
            _ => (condition, false),
        };
        let truth = match known.truth(positive) {
            Some(truth) => truth,
            None => {
                let truth = evaluate_truth(self, positive)?;
                known.note(positive, truth);
                truth
            }
        };
        Ok(truth != negated)
    }

    fn take(&mut self, edge: EdgeId) -> Result<Stepped, Stop> {
        let program = self.program;
        match &program.edges[edge].op {
            Op::Skip | Op::Assume(_) => {}
            Op::Assign { target, value } => {
                let target = resolve(self, target)?;
                let contents = self.evaluate_operand(value)?;
                self.store(&target, contents)?;
            }
            Op::Input { target, source } => self.input(target, source)?,
            Op::Havoc { address, reach, source } => self.havoc(*address, reach, source)?,
            Op::Declare(variable) => self.declare(*variable)?,
            Op::Discard(variable) => {
                let object = self.own_object(*variable);
                self.kill(object);
            }
            Op::Call { callee, arguments, result } => return self.call(edge, callee, arguments, *result),
            Op::Return(operand) => {
                let result = operand.as_ref().map(|operand| self.evaluate_operand(operand)).transpose()?;
                if program.edges[edge].observe == Observe::No {
                    return self.leave(result);
                }
                self.events.push(Event::Completed(edge));
                return Ok(Stepped::Pause(Rest::Return(result)));
            }
            Op::Allocate { target, size, contents } => self.allocate(*target, *size, contents)?,
            Op::Free(address) => {
                let pointer = evaluate_pointer(self, *address)?;
                if pointer != Pointer::Null {
                    let object = self.heap_object(pointer)?;
                    self.kill(object);
                }
            }
            Op::CopyBytes { target, source, count, may_overlap } => {
                self.copy_bytes(*target, *source, *count, *may_overlap)?;
            }
            Op::SetBytes { target, byte, count } => self.set_bytes(*target, *byte, *count)?,
            Op::End(kind) => return Ok(Stepped::End(*kind)),
            Op::Unreachable => return Err(UndefinedBehaviour::UnreachableReached.into()),
            Op::Spawn { handle, function, argument } => {
                self.spawn(edge, *handle, function, *argument)?;
                return Ok(Stepped::Done);
            }
            Op::Join { thread, result } => self.join(*thread, *result)?,
            Op::ExitThread(value) => {
                self.exit_thread(*value)?;
                return Ok(Stepped::Done);
            }
            Op::InitLock(mutex) => self.init_lock(*mutex)?,
            Op::Lock(mutex) => self.lock(*mutex)?,
            Op::TryLock { mutex, taken } => self.try_lock(*mutex, *taken)?,
            Op::Unlock(mutex) => self.unlock(*mutex)?,
            Op::AtomicBegin => self.begin_atomic()?,
            Op::AtomicEnd => {
                if !self.end_atomic() {
                    return Err(UndefinedBehaviour::AtomicEndOutside.into());
                }
            }
        }
        self.go_to_end(edge);
        Ok(Stepped::Done)
    }

    /// The object of a variable in the innermost activation.
    fn own_object(&self, variable: VariableId) -> ObjectId {
        let (depth, _) = self.state.innermost(self.running).expect("a running thread has an activation");
        object_in(self.program, variable, self.running, depth)
    }

    /// An object that lives, because control has jumped back inside its block, stays the same one: pointers to it remain
    /// valid, but what it held is gone (C11 6.2.4p6).
    fn declare(&mut self, variable: VariableId) -> Result<(), Stop> {
        let object = self.own_object(variable);
        if let Some(extent) = self.extent_of(object) {
            return self.state.memory.put(extent, Vec::new());
        }
        let size = self.program.types.size_bits(self.program.variables[variable].ty).div_ceil(8);
        self.state.memory.create(object, Object::unchosen(size));
        Ok(())
    }

    fn kill(&mut self, object: ObjectId) {
        self.state.destroy(self.program, &[object].into());
        self.events.push(Event::Died(object));
    }

    /// The live heap object that begins at an address.
    fn heap_object(&self, pointer: Pointer) -> Result<ObjectId, Stop> {
        match pointer {
            Pointer::Object { object: object @ ObjectId::Heap(_), offset: 0 } => Ok(object),
            _ => Err(UndefinedBehaviour::InvalidFree.into()),
        }
    }

    fn allocate(&mut self, target: VariableId, size: ExprId, contents: &Allocation) -> Result<(), Stop> {
        let size = evaluate_integer(self, size)?;
        let old = match contents {
            Allocation::Resized(address) => match evaluate_pointer(self, *address)? {
                Pointer::Null => None,
                pointer => Some(self.heap_object(pointer)?),
            },
            Allocation::Arbitrary | Allocation::Zeroed => None,
        };
        let most = self.program.types.data_model().most_bytes();
        let Some(size) = size.to_u64().filter(|&size| size <= most) else {
            return Err(Stop::unsupported(format!("allocates {size} bytes")));
        };
        if self.semantics.malloc_may_fail {
            let fails = self.ask_value(&Question::AllocationFails, Scalar::Bool)?;
            if fails == Value::Bool(true) {
                return self.store_variable(target, Value::Pointer(Pointer::Null));
            }
        }
        let object = self.state.memory.unused_heap();
        let zeroed = *contents == Allocation::Zeroed;
        self.state.memory.create(object, if zeroed { Object::zeroed(size) } else { Object::unchosen(size) });
        if let Some(old) = old {
            // What is not chosen yet needs no choice here: the old object cannot be read any more.
            let both = self.extent_of(old).expect("it lives").width_bits.min(size * 8);
            let cells = self.state.memory.take(Extent { object: old, offset_bits: 0, width_bits: both })?;
            self.state.memory.put(Extent { object, offset_bits: 0, width_bits: both }, cells)?;
            self.kill(old);
        }
        self.store_variable(target, Value::Pointer(Pointer::Object { object, offset: 0 }))
    }

    fn copy_bytes(&mut self, target: ExprId, source: ExprId, count: ExprId, may_overlap: bool) -> Result<(), Stop> {
        let target = evaluate_pointer(self, target)?;
        let source = evaluate_pointer(self, source)?;
        let count = self.byte_count(count)?;
        if count == 0 {
            return Ok(());
        }
        let Some(from) = self.bytes_at(source, count)? else {
            return Err(Stop::unsupported("copies bytes from a constant address"));
        };
        let Some(to) = self.writable_bytes_at(target, count)? else { return Ok(()) };
        let overlap = from.object == to.object && from.offset_bits < to.end() && to.offset_bits < from.end();
        if overlap && !may_overlap {
            return Err(UndefinedBehaviour::OverlappingCopy.into());
        }
        self.note_read(from);
        self.choose_extent(from)?;
        let cells = self.state.memory.take(from)?;
        self.events.push(Event::Write(to));
        self.state.memory.put(to, cells)
    }

    fn set_bytes(&mut self, target: ExprId, byte: ExprId, count: ExprId) -> Result<(), Stop> {
        let target = evaluate_pointer(self, target)?;
        let byte = evaluate_integer(self, byte)?;
        let count = self.byte_count(count)?;
        if count == 0 {
            return Ok(());
        }
        let Some(to) = self.writable_bytes_at(target, count)? else { return Ok(()) };
        let cells = if byte == 0.into() {
            vec![(0, ObjectCell { width: to.width_bits, content: Content::Zero })]
        } else if count > MOST_BYTES_SET {
            return Err(Stop::unsupported(format!("sets {count} bytes at once")));
        } else {
            let content = Content::Scalar(Scalar::Int(IntType::unsigned(8)), Value::Int(byte));
            (0..count).map(|at| (at * 8, ObjectCell { width: 8, content: content.clone() })).collect()
        };
        self.events.push(Event::Write(to));
        self.state.memory.put(to, cells)
    }

    /// A number of bytes. One that no object has is an access out of bounds.
    fn byte_count(&mut self, count: ExprId) -> Result<u64, Stop> {
        let count = evaluate_integer(self, count)?;
        Ok(count
            .to_u64()
            .filter(|&count| count <= self.program.types.data_model().most_bytes())
            .ok_or(UndefinedBehaviour::OutOfBounds)?)
    }
}

/// Which edge is taken.
enum ChosenEdge {
    Edge(EdgeId),
    /// There are edges, but none may be taken.
    None,
    /// There are no edges.
    Stay,
}

/// Conditions whose truth is known at a branch. Mostly there is one.
#[derive(Default)]
struct KnownConditions {
    last: Option<(ExprId, bool)>,
    others: Vec<(ExprId, bool)>,
}

impl KnownConditions {
    fn truth(&self, condition: ExprId) -> Option<bool> {
        let mut all = self.last.iter().chain(&self.others);
        all.find(|(known, _)| *known == condition).map(|&(_, truth)| truth)
    }

    fn note(&mut self, condition: ExprId, truth: bool) {
        if let Some(last) = self.last.replace((condition, truth)) {
            self.others.push(last);
        }
    }
}
