//! From one state that is kept to the next: steps of the interpreter with the answers that were chosen, and what is
//! observed on the path.

use foundation::Id;
use program::semantics::observe::{Attention, Sight};
use program::semantics::state::State;
use program::semantics::{Answer, Driver, Listener, RunEnd, Stop};

use super::super::Unexplored;
use super::super::emptiness::ReadyThreads;
use super::super::script::AnswerScript;
use super::{
    After, ExploredNode, Explorer, MOST_STEPS, MOST_THREADS, STEPS_PER_CHECK, SeenOnPath, WORK_OF_A_STEP, Walked,
};

impl Explorer<'_> {
    /// Walks from a node to the next one with these answers.
    pub(super) fn walk(&mut self, node: Option<u32>, answers: Vec<Answer>) -> Result<Walked, Unexplored> {
        *self.script.borrow_mut() = AnswerScript { answers, ..AnswerScript::default() };
        self.seen.word.clear();
        let Driver { interpreter, observer, .. } = &mut self.driver;
        interpreter.events.clear();
        interpreter.edge = None;
        let outcome = match node {
            None => {
                let program = interpreter.program;
                interpreter.state = State::before_initialisation(program, self.task.semantics.integers);
                interpreter.running = 0;
                observer.attention = Attention::default();
                self.seen.last = None;
                self.driver.begin(&mut self.seen).map(|()| Walked::Node(self.node(), ReadyThreads::default()))
            }
            Some(number) => {
                let ExploredNode { state, attention, running, last } = &self.nodes[number as usize];
                interpreter.state.clone_from(state);
                interpreter.running = *running;
                observer.attention.clone_from(attention);
                self.seen.last = Some(*last);
                self.steps()?
            }
        };
        outcome.or_else(|end| self.concluded(end))
    }

    /// How a walk that does not come to a node ends.
    fn concluded(&mut self, end: RunEnd) -> Result<Walked, Unexplored> {
        match end {
            RunEnd::End(_) | RunEnd::Undefined { .. } | RunEnd::Deadlock | RunEnd::StoppedAtCall(_) => {
                Ok(Walked::Ended)
            }
            RunEnd::Blocked { .. } => Ok(Walked::Blocked),
            RunEnd::NoMoreInputs => {
                let asked = self.script.borrow_mut().asked.take().expect("a question is why the answers ended");
                Ok(Walked::Asked(asked))
            }
            RunEnd::Unsupported { reason, .. } | RunEnd::UnfitInput { reason, .. } => {
                Err(Unexplored::not_covered(reason, self.span()))
            }
            RunEnd::Lasso { .. } | RunEnd::Silent | RunEnd::Limit | RunEnd::Exhausted(_) => {
                unreachable!("no single step ends so")
            }
        }
    }

    /// Takes steps to the next node. The outer result is for what is not covered.
    fn steps(&mut self) -> Result<Result<Walked, RunEnd>, Unexplored> {
        let mut turn: Option<ReadyThreads> = None;
        let mut goes_on = None;
        for _ in 0..MOST_STEPS {
            self.steps += 1;
            if self.steps.is_multiple_of(STEPS_PER_CHECK) {
                self.budget.spend(STEPS_PER_CHECK * WORK_OF_A_STEP);
                self.budget.check()?;
                // A node may have more paths than anybody can follow.
                if self.steps > self.most_steps {
                    return Err(Unexplored::TooLarge { states: self.limits.states });
                }
            }
            self.check_regions()?;
            match self.step(goes_on) {
                Ok(now) => turn = Some(turn.map_or(now, |before| before.and(now))),
                Err(end) => return Ok(Err(end)),
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
    fn step(&mut self, thread: Option<u32>) -> Result<ReadyThreads, RunEnd> {
        self.script.borrow_mut().enabled = None;
        let runs = match thread {
            Some(thread) => thread,
            None => self.driver.schedule(&mut self.seen)?,
        };
        if self.driver.interpreter.state.threads.len() > MOST_THREADS {
            let reason = format!("more than {MOST_THREADS} threads");
            return Err(RunEnd::Unsupported { reason, span: None });
        }
        let ran = 1 << runs;
        let enabled = self.script.borrow_mut().enabled.take();
        let turn = match (thread, enabled) {
            // Who else was able to run is of no account: it is so before the step that is not taken at once, too.
            (Some(_), _) => ReadyThreads { able: ran, always_able: u64::MAX, ran },
            (None, Some(enabled)) => {
                ReadyThreads::of_step(enabled.iter().fold(0, |able, thread| able | 1 << thread), ran)
            }
            // Where nobody asked, there was no choice.
            (None, None) => ReadyThreads::of_step(ran, ran),
        };
        self.driver.step_of(runs, &mut self.seen).map(|()| turn)
    }

    pub(super) fn node(&self) -> ExploredNode {
        let Driver { interpreter, observer, .. } = &self.driver;
        let mut state = interpreter.state.clone();
        self.bisimilar.normalise(&mut state);
        ExploredNode {
            state,
            attention: observer.attention.clone(),
            // Only atoms over local variables look at who ran last.
            running: if self.looks_at_locals { interpreter.running } else { 0 },
            last: self.seen.last.expect("the start is observed"),
        }
    }

    /// What comes after a step that is completed.
    pub(super) fn after_step(&self) -> After {
        let state = &self.driver.interpreter.state;
        let running = self.driver.interpreter.running;
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

impl Listener for SeenOnPath<'_> {
    fn observed(&mut self, _: &mut Driver<'_>, sights: &[Sight]) -> Result<(), Stop> {
        for sight in sights {
            let letter = self.reader.number(&sight.truth);
            // A formula without `X` cannot tell how often a letter is repeated.
            if self.counts_repetitions || self.last != Some(letter) {
                self.word.push(letter);
            }
            self.last = Some(letter);
        }
        Ok(())
    }
}
