//! An interpreter with the observer that follows it, driven from one step to the next.
//!
//! Whoever runs programs wants the same: start, let a thread be chosen, take its edge, show what happened to the observer
//! each time the step pauses, observe how the run ends. That is done here, once. A [`Listener`] is told what happened and
//! what was observed, and decides what to keep of it: a word, a trace for people, a letter in a search.

use foundation::Span;

use crate::cfa::{EdgeId, EndKind};
use crate::semantics::config::UndefinedMode;
use crate::semantics::event::Event;
use crate::semantics::interpreter::Interpreter;
use crate::semantics::observe::{Observer, Occasion, Sight};
use crate::semantics::run::RunEnd;
use crate::semantics::step::Stepped;
use crate::semantics::stop::Stop;
use crate::semantics::threads::NextEvent;

/// A run that is driven step by step. Its state may be replaced between steps.
pub struct Driver<'a> {
    /// Who takes the steps.
    pub interpreter: Interpreter<'a>,
    /// Who decides which states are observed.
    pub observer: Observer<'a>,
    /// The edge by which a user's function called the library, where the last step was in a library function.
    calling: Option<EdgeId>,
    /// Room for what is observed.
    sights: Vec<Sight>,
}

/// Who is told of a run.
pub trait Listener {
    /// Is told what happened in a part of a step, before the observer is. Most steps have one part.
    fn happened(&mut self, _driver: &mut Driver<'_>, _events: &[Event]) -> Result<(), Stop> {
        Ok(())
    }

    /// Is told what was observed in a part of a step, which is nothing in most of them, or at the end of the run.
    fn observed(&mut self, driver: &mut Driver<'_>, sights: &[Sight]) -> Result<(), Stop>;
}

impl<'a> Driver<'a> {
    /// Makes a driver of a run that has not begun.
    pub fn new(interpreter: Interpreter<'a>, observer: Observer<'a>) -> Self {
        Self { interpreter, observer, calling: None, sights: Vec::new() }
    }

    /// Starts the program; its start is observed.
    pub fn begin(&mut self, listener: &mut impl Listener) -> Result<(), RunEnd> {
        let begun = self.try_begin(listener);
        self.concluded(begun, listener)
    }

    fn try_begin(&mut self, listener: &mut impl Listener) -> Result<Result<(), RunEnd>, Stop> {
        let Some(entry) = self.interpreter.program.entry else {
            return Err(Stop::unsupported("the program has no entry function"));
        };
        self.interpreter.start(entry)?;
        let events = std::mem::take(&mut self.interpreter.events);
        self.observer.begin(&events);
        self.observe(Occasion::Start, listener)?;
        let stops = self.interpreter.semantics.stop_at_call == Some(entry);
        Ok(if stops { Err(RunEnd::StoppedAtCall(entry)) } else { Ok(()) })
    }

    /// Lets a thread be chosen and takes a step of it.
    pub fn step(&mut self, listener: &mut impl Listener) -> Result<(), RunEnd> {
        let thread = self.schedule(listener)?;
        self.step_of(thread, listener)
    }

    /// Lets a thread be chosen; where none can go on, that is observed.
    pub fn schedule(&mut self, listener: &mut impl Listener) -> Result<u32, RunEnd> {
        let chosen = self.interpreter.schedule();
        let chosen = chosen.and_then(|next| match next {
            NextEvent::Thread(thread) => Ok(Ok(thread)),
            NextEvent::AllEnded => self.finish(Occasion::End(EndKind::Return), RunEnd::End(EndKind::Return), listener),
            NextEvent::Deadlock => self.finish(Occasion::Deadlock, RunEnd::Deadlock, listener),
        });
        self.concluded(chosen, listener)
    }

    /// Takes a step of a thread.
    pub fn step_of(&mut self, thread: u32, listener: &mut impl Listener) -> Result<(), RunEnd> {
        let stepped = self.try_step_of(thread, listener);
        self.concluded(stepped, listener)
    }

    /// Takes a step of a thread. Where it cannot be completed, nothing is observed of that.
    pub fn try_step_of(&mut self, thread: u32, listener: &mut impl Listener) -> Result<Result<(), RunEnd>, Stop> {
        // Looked up before the step, which may leave the library.
        self.calling = self.calling_edge(thread);
        let mut stepped = self.interpreter.step(thread);
        loop {
            // Also what happened before the step failed is told.
            let last = self.follow(listener)?;
            match stepped? {
                Stepped::Done => return Ok(Ok(())),
                Stepped::Pause(rest) => stepped = self.interpreter.resume(rest),
                Stepped::End(kind) => return self.finish(Occasion::End(kind), RunEnd::End(kind), listener),
                Stepped::Blocked => return Ok(Err(RunEnd::Blocked { span: self.span() })),
                Stepped::StoppedAtCall(function) => {
                    if last != Some(Occasion::Entered(function)) {
                        self.observe(Occasion::Entered(function), listener)?;
                    }
                    return Ok(Err(RunEnd::StoppedAtCall(function)));
                }
            }
        }
    }

    /// Shows what happened since the last call to the listener and to the observer; why a state was observed last.
    fn follow(&mut self, listener: &mut impl Listener) -> Result<Option<Occasion>, Stop> {
        let mut events = std::mem::take(&mut self.interpreter.events);
        listener.happened(self, &events)?;
        let mut sights = std::mem::take(&mut self.sights);
        let followed = self.observer.follow_into(&mut self.interpreter, &events, &mut sights);
        let heard = listener.observed(self, &sights);
        let last = sights.last().map(|sight| sight.occasion);
        // The next step uses the same room for its sights and events.
        sights.drain(..).for_each(|sight| self.observer.reuse(sight.truth));
        self.sights = sights;
        if self.interpreter.events.is_empty() {
            events.clear();
            self.interpreter.events = events;
        }
        followed.and(heard).map(|()| last)
    }

    /// Observes the state that the run is in.
    pub fn observe(&mut self, occasion: Occasion, listener: &mut impl Listener) -> Result<(), Stop> {
        let sight = self.observer.look(&mut self.interpreter, occasion)?;
        let heard = listener.observed(self, std::slice::from_ref(&sight));
        self.observer.reuse(sight.truth);
        heard
    }

    fn finish<T>(
        &mut self,
        occasion: Occasion,
        end: RunEnd,
        listener: &mut impl Listener,
    ) -> Result<Result<T, RunEnd>, Stop> {
        self.observe(occasion, listener)?;
        Ok(Err(end))
    }

    /// Says how the run ends where a step could not be completed: undefined behaviour is observed.
    pub fn concluded<T>(
        &mut self,
        outcome: Result<Result<T, RunEnd>, Stop>,
        listener: &mut impl Listener,
    ) -> Result<T, RunEnd> {
        let mut stop = match outcome {
            Ok(outcome) => return outcome,
            Err(stop) => stop,
        };
        let span = self.span();
        if let Stop::Undefined(kind) = stop {
            if self.interpreter.semantics.undefined == UndefinedMode::Assume {
                return Err(RunEnd::Blocked { span });
            }
            match self.observe(Occasion::Error(kind), listener) {
                Ok(()) | Err(Stop::Undefined(_)) => return Err(RunEnd::Undefined { kind, span }),
                Err(other) => stop = other,
            }
        }
        Err(match stop {
            Stop::Unsupported(reason) => RunEnd::Unsupported { reason, span },
            Stop::NoMoreChoices => RunEnd::NoMoreInputs,
            Stop::UnfitChoice(reason) => {
                RunEnd::UnfitInput { reason, span, written: self.interpreter.answer_written() }
            }
            Stop::Undefined(_) | Stop::NotConstant => unreachable!("told above; only constants have no memory"),
        })
    }

    /// Returns the source text of [`Driver::edge`].
    pub fn span(&self) -> Option<Span> {
        self.edge().map(|edge| self.interpreter.program.edges[edge].span)
    }

    /// Returns the edge that is taken, or was taken last; in a library function, that of the user's call.
    pub fn edge(&self) -> Option<EdgeId> {
        let program = self.interpreter.program;
        let is_library = |edge: EdgeId| program.functions[program.locations[program.edges[edge].from].function].library;
        let edge = self.interpreter.edge;
        if edge.is_some_and(is_library) { self.calling.or(edge) } else { edge }
    }

    /// The edge by which a user's function called the library, where a thread is in a library function.
    fn calling_edge(&self, thread: u32) -> Option<EdgeId> {
        let program = self.interpreter.program;
        let frames = self.interpreter.state.threads[thread as usize].frames.iter().rev();
        frames.take_while(|frame| program.functions[frame.function].library).last()?.caller
    }
}
