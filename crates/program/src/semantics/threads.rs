//! Threads: which can run, and the operations on threads, mutexes and atomic sections.
//!
//! One step is one edge of one thread, so where threads may interleave is decided by the automata (see
//! `passes::interleave`). Sequential consistency follows: a step sees all that earlier steps have written.

use num_traits::ToPrimitive;

use crate::cfa::{Callee, EdgeId, FunctionId, Op};
use crate::expr::ExprId;
use crate::model::VariableId;
use crate::semantics::choices::Question;
use crate::semantics::evaluate::{evaluate, evaluate_integer, evaluate_pointer};
use crate::semantics::event::{Event, LockId};
use crate::semantics::interpreter::{Contents, Interpreter};
use crate::semantics::state::Status;
use crate::semantics::stop::{Stop, UndefinedBehaviour};
use crate::semantics::value::{Pointer, Value};
use crate::types::Scalar;

/// What can happen next.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NextEvent {
    /// This thread runs.
    Thread(u32),
    /// All threads have ended.
    AllEnded,
    /// No thread can go on, though some have not ended.
    Deadlock,
}

impl Interpreter<'_> {
    /// Decides which thread takes the next step, by asking where several can.
    pub fn schedule(&mut self) -> Result<NextEvent, Stop> {
        if let [only] = self.state.threads.as_slice() {
            let is_running = only.status == Status::Running;
            return Ok(match is_running {
                true if self.is_able(0)? => NextEvent::Thread(0),
                true => NextEvent::Deadlock,
                false => NextEvent::AllEnded,
            });
        }
        let mut enabled = Vec::new();
        let mut alive = false;
        for thread in 0..self.state.threads.len() as u32 {
            if self.state.threads[thread as usize].status != Status::Running {
                continue;
            }
            alive = true;
            if self.is_able(thread)? {
                enabled.push(thread);
            }
        }
        match enabled.as_slice() {
            [] if alive => Ok(NextEvent::Deadlock),
            [] => Ok(NextEvent::AllEnded),
            [thread] => Ok(NextEvent::Thread(*thread)),
            _ if self.state.within_expression.is_some_and(|thread| enabled.contains(&thread)) => {
                Ok(NextEvent::Thread(self.state.within_expression.expect("just seen")))
            }
            _ => {
                let question = Question::Schedule { enabled: enabled.clone(), last: self.running };
                let index = self.ask_index(&question, enabled.len())?;
                Ok(NextEvent::Thread(enabled[index]))
            }
        }
    }

    /// The innermost activation of a function that atoms look at: one of the thread that runs or ran last, else of the
    /// first thread that has one.
    pub fn activation_for_atoms(&self, function: FunctionId) -> Option<(u32, u32)> {
        let threads = std::iter::once(self.running).chain(0..self.state.threads.len() as u32);
        threads.into_iter().find_map(|thread| Some((thread, self.state.activation(thread, function)?)))
    }

    /// Whether a running thread can take a step.
    fn is_able(&mut self, thread: u32) -> Result<bool, Stop> {
        let alone = self.state.atomic.is_none_or(|(holder, _)| holder == thread);
        Ok(alone && !self.blocked(thread)?)
    }

    /// Whether a running thread waits. What is undefined does not wait: its step says what is wrong.
    fn blocked(&mut self, thread: u32) -> Result<bool, Stop> {
        let program = self.program;
        let Some((_, frame)) = self.state.innermost(thread) else { return Ok(false) };
        let Some(&edge) = program.locations[frame.location].out.first() else { return Ok(false) };
        let last = std::mem::replace(&mut self.running, thread);
        let events = self.events.len();
        let blocked = match program.edges[edge].op {
            Op::Lock(mutex) => self.mutex(mutex).map(|lock| self.state.locks.contains_key(&lock)),
            Op::Join { thread, .. } => {
                self.thread_of(thread).map(|thread| self.state.threads[thread as usize].status == Status::Running)
            }
            _ => Ok(false),
        };
        self.running = last;
        self.events.truncate(events);
        match blocked {
            Err(Stop::Undefined(_) | Stop::Unsupported(_)) => Ok(false),
            other => other,
        }
    }

    /// Takes an edge that starts a thread. It is completed before the new thread's function is entered.
    pub(super) fn spawn(
        &mut self,
        edge: EdgeId,
        handle: VariableId,
        function: &Callee,
        argument: ExprId,
    ) -> Result<(), Stop> {
        let function = self.callee(function)?;
        let mut arguments = vec![Contents::Scalar(self.program.exprs.ty(argument), evaluate(self, argument)?)];
        // Many programs start functions without parameters (`void *f()`), which no calling convention minds.
        if self.program.functions[function].parameters.is_empty() {
            arguments.clear();
        }
        self.check_arguments(function, &mut arguments)?;
        self.store_variable(handle, Value::int(self.state.threads.len()))?;
        let thread = self.spawn_thread(function, arguments.pop())?;
        self.events.push(Event::Spawned(thread));
        self.go_to_end(edge);
        self.events.push(Event::Entered { function, thread });
        Ok(())
    }

    pub(super) fn join(&mut self, thread: ExprId, result: VariableId) -> Result<(), Stop> {
        let thread = self.thread_of(thread)?;
        let status = std::mem::replace(&mut self.state.threads[thread as usize].status, Status::Joined);
        let Status::Ended(value) = status else { unreachable!("a thread that waits is not scheduled") };
        self.events.push(Event::Joined(thread));
        match value {
            Some(value @ Value::Pointer(_)) => self.store_variable(result, value),
            _ => self.forget_variable(result),
        }
    }

    pub(super) fn exit_thread(&mut self, value: ExprId) -> Result<(), Stop> {
        let mut value = evaluate(self, value)?;
        while let Some((depth, frame)) = self.state.innermost(self.running) {
            let function = frame.function;
            let dead = self.pop_frame();
            super::memory::sweep_value(&mut value, &dead);
            self.events.push(Event::Left { function, depth });
        }
        self.end_thread(Some(value));
        Ok(())
    }

    pub(super) fn init_lock(&mut self, mutex: ExprId) -> Result<(), Stop> {
        let lock = self.mutex(mutex)?;
        self.state.locks.remove(&lock);
        Ok(())
    }

    pub(super) fn lock(&mut self, mutex: ExprId) -> Result<(), Stop> {
        let lock = self.mutex(mutex)?;
        self.acquire(lock);
        Ok(())
    }

    pub(super) fn try_lock(&mut self, mutex: ExprId, taken: VariableId) -> Result<(), Stop> {
        let lock = self.mutex(mutex)?;
        let free = !self.state.locks.contains_key(&lock);
        if free {
            self.acquire(lock);
        }
        self.store_variable(taken, Value::Bool(free))
    }

    fn acquire(&mut self, lock: LockId) {
        let holder = self.state.locks.insert(lock, self.running);
        debug_assert_eq!(holder, None, "a thread that waits is not scheduled");
        self.events.push(Event::Locked(lock));
    }

    pub(super) fn unlock(&mut self, mutex: ExprId) -> Result<(), Stop> {
        let lock = self.mutex(mutex)?;
        if self.state.locks.get(&lock) != Some(&self.running) {
            return Err(UndefinedBehaviour::UnlockNotHeld.into());
        }
        self.state.locks.remove(&lock);
        self.events.push(Event::Unlocked(lock));
        Ok(())
    }

    pub(super) fn begin_atomic(&mut self) -> Result<(), Stop> {
        match &mut self.state.atomic {
            Some((holder, depth)) if *holder == self.running => *depth += 1,
            Some(_) => return Err(Stop::unsupported("starts a thread in an atomic function inside an atomic section")),
            None => {
                self.state.atomic = Some((self.running, 1));
                self.events.push(Event::AtomicBegan);
            }
        }
        Ok(())
    }

    /// Ends an atomic section; whether there was one.
    pub(super) fn end_atomic(&mut self) -> bool {
        match &mut self.state.atomic {
            Some((_, depth)) if *depth > 1 => *depth -= 1,
            Some(_) => {
                self.state.atomic = None;
                self.events.push(Event::AtomicEnded);
            }
            None => return false,
        }
        true
    }

    /// The mutex at an address, which must lie in a live object.
    fn mutex(&mut self, address: ExprId) -> Result<LockId, Stop> {
        let pointer = evaluate_pointer(self, address)?;
        self.bytes_at(pointer, 1)?;
        match pointer {
            Pointer::Object { object, offset } => Ok((object, offset)),
            _ => Err(Stop::unsupported("a mutex at a constant address")),
        }
    }

    /// The thread with a handle.
    fn thread_of(&mut self, handle: ExprId) -> Result<u32, Stop> {
        let handle = match self.program.exprs.ty(handle) {
            Scalar::Pointer => return Err(UndefinedBehaviour::InvalidJoin.into()),
            _ => evaluate_integer(self, handle)?,
        };
        let thread = handle.to_u32().filter(|&thread| 0 < thread && (thread as usize) < self.state.threads.len());
        let thread = thread.ok_or(UndefinedBehaviour::InvalidJoin)?;
        match self.state.threads[thread as usize].status {
            Status::Joined => Err(UndefinedBehaviour::InvalidJoin.into()),
            _ => Ok(thread),
        }
    }
}
