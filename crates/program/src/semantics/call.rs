//! Calls and returns.

use std::collections::BTreeSet;

use crate::cfa::{Callee, EdgeId, FunctionId, InputSource, Op, Operand};
use crate::expr::ExprId;
use crate::model::VariableId;
use crate::semantics::evaluate::{Environment, evaluate_pointer};
use crate::semantics::event::Event;
use crate::semantics::interpreter::{Contents, Interpreter};
use crate::semantics::memory::Extent;
use crate::semantics::object::Object;
use crate::semantics::state::{Frame, State, Status, Thread};
use crate::semantics::step::{Rest, Stepped};
use crate::semantics::stop::{Stop, UndefinedBehaviour};
use crate::semantics::value::{ObjectId, Pointer, Value};
use crate::types::Scalar;

/// More activations of one thread than this are not supported.
pub const MOST_FRAMES: usize = 100_000;

impl Interpreter<'_> {
    /// Initialises the globals and enters the entry function, whose parameters hold what is not chosen yet.
    pub fn start(&mut self, entry: FunctionId) -> Result<(), Stop> {
        self.initialise()?;
        let thread = self.spawn_thread(entry, None)?;
        self.events.push(Event::Entered { function: entry, thread });
        Ok(())
    }

    /// Adds a thread that runs a function. Without an argument its parameters hold what is not chosen yet.
    pub(super) fn spawn_thread(&mut self, function: FunctionId, argument: Option<Contents>) -> Result<u32, Stop> {
        let thread = self.state.threads.len() as u32;
        self.state.threads.push(Thread { frames: Vec::new(), status: Status::Running });
        let parent = std::mem::replace(&mut self.running, thread);
        let entered = self.enter(function, argument.into_iter().collect(), None);
        self.running = parent;
        entered.map(|()| thread)
    }

    /// Which function is called.
    pub(super) fn callee(&mut self, callee: &Callee) -> Result<FunctionId, Stop> {
        match callee {
            Callee::Function(function) => Ok(*function),
            Callee::Pointer(address) => match self.function_at(*address)? {
                Pointer::Function(function) => Ok(function),
                Pointer::Null => Err(UndefinedBehaviour::NullAccess.into()),
                Pointer::Dangling => Err(UndefinedBehaviour::DanglingAccess.into()),
                _ => Err(UndefinedBehaviour::CallOfNonFunction.into()),
            },
        }
    }

    /// Where a pointer to a function points. A number that is the same as a function's is its address, however it came about.
    fn function_at(&mut self, address: ExprId) -> Result<Pointer, Stop> {
        match evaluate_pointer(self, address)? {
            Pointer::Register(number) | Pointer::Invalid(number) => self.pointer_at(number),
            pointer => Ok(pointer),
        }
    }

    /// Takes a call's edge: enters the function, or pauses before one without a body yields its result.
    pub(super) fn call(
        &mut self,
        edge: EdgeId,
        callee: &Callee,
        arguments: &[Operand],
        result: Option<VariableId>,
    ) -> Result<Stepped, Stop> {
        let mut contents = Vec::with_capacity(arguments.len());
        for argument in arguments {
            contents.push(self.evaluate_operand(argument)?);
        }
        let function = self.callee(callee)?;
        if self.program.functions[function].entry.is_some() {
            self.check_arguments(function, &mut contents)?;
            self.check_result(function, result)?;
            self.enter(function, contents, Some(edge))?;
            self.events.push(Event::Entered { function, thread: self.running });
            return Ok(if self.semantics.stop_at_call == Some(function) {
                Stepped::StoppedAtCall(function)
            } else {
                Stepped::Done
            });
        }
        let depth = self.state.threads[self.running as usize].frames.len() as u32;
        self.events.push(Event::Entered { function, thread: self.running });
        self.events.push(Event::Left { function, depth });
        if self.semantics.stop_at_call == Some(function) {
            return Ok(Stepped::StoppedAtCall(function));
        }
        Ok(Stepped::Pause(Rest::External { edge, function }))
    }

    /// Stores the result of a function without a body: any value of its type.
    pub(super) fn finish_external(&mut self, edge: EdgeId, function: FunctionId) -> Result<Stepped, Stop> {
        let program = self.program;
        if let Op::Call { result: Some(result), .. } = &program.edges[edge].op {
            let target = self.whole(*result)?;
            if let Some(extent) = self.writable_bytes_at(target.pointer, target.width_bits / 8)? {
                let source = InputSource::External(program.functions[function].name.clone());
                self.input_extent(extent, program.variables[*result].ty, &source)?;
            }
        }
        self.go_to_end(edge);
        Ok(Stepped::Done)
    }

    /// Leaves the innermost activation with a result.
    pub(super) fn leave(&mut self, mut result: Option<Contents>) -> Result<Stepped, Stop> {
        let thread = self.running as usize;
        let frames = &self.state.threads[thread].frames;
        let depth = frames.len() as u32 - 1;
        if depth == 0 && thread == 0 {
            // The last state is repeated for ever, the locals of the entry function included.
            return Ok(Stepped::End(crate::cfa::EndKind::Return));
        }
        let Frame { function, caller, .. } = frames[depth as usize].clone();
        let dead = self.pop_frame();
        if let Some(result) = &mut result {
            result.sweep(&dead);
        }
        self.events.push(Event::Left { function, depth });
        let Some(edge) = caller else {
            let value = match result {
                Some(Contents::Scalar(_, value)) => Some(value),
                _ => None,
            };
            self.end_thread(value);
            return Ok(Stepped::Done);
        };
        let program = self.program;
        if let Op::Call { result: Some(variable), .. } = &program.edges[edge].op {
            match result {
                None => self.forget_variable(*variable)?,
                Some(Contents::Scalar(_, value)) => self.store_variable(*variable, value)?,
                Some(cells) => {
                    let target = self.whole(*variable)?;
                    self.store(&target, cells)?;
                }
            }
        }
        self.go_to_end(edge);
        Ok(Stepped::Done)
    }

    /// Ends the running thread, which has no activation any more.
    pub(super) fn end_thread(&mut self, value: Option<Value>) {
        self.state.threads[self.running as usize].status = Status::Ended(value);
        if self.state.atomic.is_some_and(|(holder, _)| holder == self.running) {
            self.state.atomic = None;
            self.events.push(Event::AtomicEnded);
        }
    }

    /// Ends the innermost activation; the objects of its variables die.
    pub(super) fn pop_frame(&mut self) -> BTreeSet<ObjectId> {
        let thread = self.running;
        let frame = self.state.threads[thread as usize].frames.pop().expect("an activation");
        let depth = self.state.threads[thread as usize].frames.len() as u32;
        let dead = State::locals(self.program, thread, depth, frame.function);
        self.state.destroy(self.program, &dead);
        self.events.extend(dead.iter().map(|&object| Event::Died(object)));
        if self.program.functions[frame.function].atomic {
            self.end_atomic();
        }
        dead
    }

    /// Begins an activation of a function with a body, in the running thread. Parameters beyond the arguments hold
    /// what is not chosen yet.
    fn enter(&mut self, function: FunctionId, arguments: Vec<Contents>, caller: Option<EdgeId>) -> Result<(), Stop> {
        let program = self.program;
        let Some(location) = program.functions[function].entry else {
            return Err(Stop::unsupported(format!("`{}` has no body", program.functions[function].name)));
        };
        let thread = self.running;
        let depth = self.state.threads[thread as usize].frames.len();
        if depth >= MOST_FRAMES {
            return Err(Stop::unsupported(format!("recursion deeper than {MOST_FRAMES} calls")));
        }
        self.state.threads[thread as usize].frames.push(Frame { function, location, caller });
        for object in State::locals(program, thread, depth as u32, function) {
            let ty = program.variables[object.variable().expect("a local")].ty;
            self.state.memory.create(object, Object::unchosen(program.types.size_bits(ty).div_ceil(8)));
        }
        for (&parameter, contents) in program.functions[function].parameters.iter().zip(arguments) {
            let target = self.whole(parameter)?;
            self.store(&target, contents)?;
        }
        if program.functions[function].atomic {
            self.begin_atomic()?;
        }
        Ok(())
    }

    /// Checks that arguments fit a function's parameters. Integers of one width may differ in signedness, as they may
    /// where functions are declared without a prototype (C11 6.5.2.2p6).
    pub(super) fn check_arguments(&mut self, function: FunctionId, arguments: &mut [Contents]) -> Result<(), Stop> {
        let program = self.program;
        let function = &program.functions[function];
        let enough = arguments.len() == function.parameters.len()
            || function.variadic && arguments.len() > function.parameters.len();
        if !enough {
            return Err(UndefinedBehaviour::CallMismatch.into());
        }
        for (&parameter, argument) in function.parameters.iter().zip(arguments) {
            let ty = program.variables[parameter].ty;
            match (program.types.as_scalar(ty), argument) {
                (Some(wanted), Contents::Scalar(given, value)) if fitting(*given, wanted) => {
                    *value = super::evaluate::convert(self, value.clone(), wanted)?;
                    *given = wanted;
                }
                (None, Contents::Cells(_, width)) if *width == program.types.size_bits(ty) => {}
                _ => return Err(UndefinedBehaviour::CallMismatch.into()),
            }
        }
        Ok(())
    }

    /// Checks that a function's result fits the variable that is to receive it.
    fn check_result(&self, function: FunctionId, result: Option<VariableId>) -> Result<(), Stop> {
        let types = &self.program.types;
        let (Some(variable), Some(ty)) = (result, self.program.functions[function].result) else { return Ok(()) };
        let wanted = self.program.variables[variable].ty;
        let fits = match (types.as_scalar(ty), types.as_scalar(wanted)) {
            (Some(given), Some(wanted)) => fitting(given, wanted),
            (None, None) => types.size_bits(ty) == types.size_bits(wanted),
            _ => false,
        };
        if fits { Ok(()) } else { Err(UndefinedBehaviour::CallMismatch.into()) }
    }

    /// Moves control to the end of an edge that is thereby completed.
    pub(super) fn go_to_end(&mut self, edge: EdgeId) {
        let frame = self.state.threads[self.running as usize].frames.last_mut().expect("an activation");
        frame.location = self.program.edges[edge].to;
        self.events.push(Event::Completed(edge));
    }

    /// The whole object of a variable.
    pub(super) fn extent_of(&self, object: ObjectId) -> Option<Extent> {
        let size = self.state.memory.object(object)?.size;
        Some(Extent { object, offset_bits: 0, width_bits: size * 8 })
    }
}

/// Whether a value of one type may be passed where another is expected.
fn fitting(given: Scalar, wanted: Scalar) -> bool {
    match (given, wanted) {
        (Scalar::Int(given), Scalar::Int(wanted)) => given.bits == wanted.bits,
        (given, wanted) => given == wanted,
    }
}
