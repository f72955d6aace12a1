//! From one state that is kept to the next: steps of the interpreter with the answers that were chosen, and what is observed
//! on the way.

use foundation::Id;
use program::EndKind;
use program::semantics::observe::{Attention, Sight};
use program::semantics::state::State;
use program::semantics::step::Stepped;
use program::semantics::threads::Next;
use program::semantics::{Answer, Occasion, Stop, UndefinedMode};

use super::super::Unexplored;
use super::super::emptiness::Turn;
use super::super::script::Script;
use super::{After, Explorer, MOST_STEPS, MOST_THREADS, Node, STEPS_PER_CHECK, WORK_OF_A_STEP, Walked};

impl Explorer<'_> {
    /// Walks from a node to the next one with these answers.
    pub(super) fn walk(&mut self, node: Option<u32>, answers: Vec<Answer>) -> Result<Walked, Unexplored> {
        *self.script.borrow_mut() = Script { answers, ..Script::default() };
        self.word.clear();
        self.entered = None;
        self.interpreter.events.clear();
        self.interpreter.edge = None;
        let outcome = match node {
            None => {
                let program = self.interpreter.program;
                self.interpreter.state = State::before_initialisation(program, self.task.semantics.integers);
                self.interpreter.running = 0;
                self.observer.attention = Attention::default();
                self.last = None;
                self.begin()
            }
            Some(number) => {
                let Node { state, attention, running, last } = &self.nodes[number as usize];
                self.interpreter.state.clone_from(state);
                self.interpreter.running = *running;
                self.observer.attention.clone_from(attention);
                self.last = Some(*last);
                self.steps()?
            }
        };
        self.concluded(outcome)
    }

    /// How a walk ends where a step could not be completed.
    pub(super) fn concluded(&mut self, outcome: Result<Walked, Stop>) -> Result<Walked, Unexplored> {
        match outcome {
            Ok(walked) => Ok(walked),
            Err(Stop::Undefined(_)) if self.task.semantics.undefined == UndefinedMode::Assume => Ok(Walked::Cut),
            Err(Stop::Undefined(kind)) => {
                let observed = self.observe(Occasion::Error(kind));
                self.concluded(observed.map(|()| Walked::Ended))
            }
            Err(Stop::NoMoreChoices) => {
                let asked = self.script.borrow_mut().asked.take().expect("a question is why the answers ended");
                Ok(Walked::Asked(asked))
            }
            Err(Stop::Unsupported(reason)) => Err(Unexplored::not_covered(reason, self.span())),
            Err(Stop::UnfitChoice(reason)) => Err(Unexplored::not_covered(reason, self.span())),
            Err(Stop::NotConstant) => unreachable!("only the evaluation of constants has no memory"),
        }
    }

    pub(super) fn begin(&mut self) -> Result<Walked, Stop> {
        let Some(entry) = self.interpreter.program.entry else {
            return Err(Stop::unsupported("the program has no entry function"));
        };
        self.interpreter.start(entry)?;
        let events = std::mem::take(&mut self.interpreter.events);
        self.observer.begin(&events);
        self.observe(Occasion::Start)?;
        if self.task.semantics.stop_at_call == Some(entry) {
            return Ok(Walked::Ended);
        }
        Ok(Walked::Node(self.node(), Turn::default()))
    }

    /// Takes steps to the next node. The outer result is for what is not covered.
    pub(super) fn steps(&mut self) -> Result<Result<Walked, Stop>, Unexplored> {
        let mut turn: Option<Turn> = None;
        let mut goes_on = None;
        for _ in 0..MOST_STEPS {
            self.steps += 1;
            if self.steps.is_multiple_of(STEPS_PER_CHECK) {
                self.budget.spend(STEPS_PER_CHECK * WORK_OF_A_STEP);
                self.budget.check()?;
                // A node may have more ways than anybody can follow.
                if self.steps > self.most_steps {
                    return Err(Unexplored::TooLarge { states: self.limits.states });
                }
            }
            self.check_regions()?;
            match self.step(goes_on) {
                Ok(Ok(now)) => turn = Some(turn.map_or(now, |before| before.and(now))),
                Ok(Err(walked)) => return Ok(Ok(walked)),
                Err(stop) => return Ok(Err(stop)),
            }
            match self.after_step() {
                After::Kept => break,
                After::Step => goes_on = None,
                After::StepOf(thread) => goes_on = Some(thread),
            }
        }
        Ok(Ok(Walked::Node(self.node(), turn.unwrap_or_default())))
    }

    /// Takes one step: who was able to run and did, or how the walk ends.
    /// Where a thread is given, it is the one that runs.
    pub(super) fn step(&mut self, thread: Option<u32>) -> Result<Result<Turn, Walked>, Stop> {
        let finish = |explorer: &mut Self, occasion: Occasion| {
            explorer.observe(occasion)?;
            Ok(Err(Walked::Ended))
        };
        self.script.borrow_mut().enabled = None;
        let runs = match thread {
            Some(thread) => thread,
            None => match self.interpreter.schedule()? {
                Next::Thread(thread) => thread,
                Next::AllEnded => return finish(self, Occasion::End(EndKind::Return)),
                Next::Deadlock => return finish(self, Occasion::Deadlock),
            },
        };
        if self.interpreter.state.threads.len() > MOST_THREADS {
            return Err(Stop::unsupported(format!("more than {MOST_THREADS} threads")));
        }
        let ran = 1 << runs;
        let enabled = self.script.borrow_mut().enabled.take();
        let turn = match (thread, enabled) {
            // Who else was able to run is of no account: it is so before the step that is not taken at once, too.
            (Some(_), _) => Turn { able: ran, always_able: u64::MAX, ran },
            (None, Some(enabled)) => Turn::of_step(enabled.iter().fold(0, |able, thread| able | 1 << thread), ran),
            // Where nobody asked, there was no choice.
            (None, None) => Turn::of_step(ran, ran),
        };
        let mut stepped = self.interpreter.step(runs);
        loop {
            self.follow()?;
            match stepped? {
                Stepped::Done => return Ok(Ok(turn)),
                Stepped::Pause(rest) => stepped = self.interpreter.resume(rest),
                Stepped::End(kind) => return finish(self, Occasion::End(kind)),
                Stepped::Cut => return Ok(Err(Walked::Cut)),
                Stepped::StoppedAtCall(function) => {
                    if self.entered != Some(Occasion::Entered(function)) {
                        self.observe(Occasion::Entered(function))?;
                    }
                    return Ok(Err(Walked::Ended));
                }
            }
        }
    }

    /// Shows what happened to the observer.
    pub(super) fn follow(&mut self) -> Result<(), Stop> {
        let events = std::mem::take(&mut self.interpreter.events);
        let mut sights = std::mem::take(&mut self.sights);
        let followed = self.observer.follow_into(&mut self.interpreter, &events, &mut sights);
        sights.drain(..).for_each(|sight| self.record(sight));
        self.sights = sights;
        followed
    }

    pub(super) fn observe(&mut self, occasion: Occasion) -> Result<(), Stop> {
        let sight = self.observer.look(&mut self.interpreter, occasion)?;
        self.record(sight);
        Ok(())
    }

    pub(super) fn record(&mut self, sight: Sight) {
        let letter = self.reader.number(&sight.truth);
        // A formula without `X` cannot tell how often a letter is repeated.
        if self.counts_repetitions || self.last != Some(letter) {
            self.word.push(letter);
        }
        self.last = Some(letter);
        self.entered = Some(sight.occasion);
        self.observer.reuse(sight.truth);
    }

    pub(super) fn node(&self) -> Node {
        let mut state = self.interpreter.state.clone();
        self.alike.normalise(&mut state);
        Node {
            state,
            attention: self.observer.attention.clone(),
            // Only atoms over local variables look at who ran last.
            running: if self.looks_at_locals { self.interpreter.running } else { 0 },
            last: self.last.expect("the start is observed"),
        }
    }

    /// What comes after a step that is completed.
    pub(super) fn after_step(&self) -> After {
        let state = &self.interpreter.state;
        let running = self.interpreter.running;
        let Some((_, frame)) = state.innermost(running) else { return After::Kept };
        let location = frame.location.index();
        if self.keeps[location] {
            After::Kept
        } else if !self.has_threads || state.atomic.is_some_and(|(holder, _)| holder == running) {
            After::Step
        } else if self.unnoticed[location] {
            After::StepOf(running)
        } else {
            After::Kept
        }
    }
}
