//! The program with the answers of a lasso, as a deterministic system that takes one step after the other.
//!
//! Every step may show states to the observer. What is kept of them is their letters, as a word; the full story (which
//! edge, what was written) is kept only where it is to be told, because it takes a hundred times the room.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::sync::Arc;

use automata::ltl::{AtomId, Letter};
use foundation::collections::HashMap;
use foundation::{Budget, Id};
use program::semantics::changes::changes;
use program::semantics::event::Event;
use program::semantics::interpreter::Interpreter;
use program::semantics::layout::leaves;
use program::semantics::memory::Extent;
use program::semantics::observe::{Attention, Observer, Sight};
use program::semantics::record::RunRecord;
use program::semantics::state::{State, object_in};
use program::semantics::{Change, Driver, Listener, ObserveMode, RunEnd, Stop};
use program::{Atom, EdgeId, VariableId};
use task::Task;

use crate::answers::{Answers, Log, ReplayedInput};
use crate::replay::{Rejected, STEPS_PER_CHECK};

/// A walk through the program.
pub(crate) struct Walk<'a> {
    driver: Driver<'a>,
    log: &'a RefCell<Log>,
    kept: KeptObservations,
    /// How many steps were begun.
    steps: u64,
    turn: ScheduledStep,
    /// The values that were asked for, each with the number of answers before it.
    inputs: Vec<(u64, ReplayedInput)>,
}

/// What is kept of what was observed.
struct KeptObservations {
    word: ObservedWord,
    story: Option<Story>,
    /// The parts of the last step, where somebody wants to know them.
    scenes: Option<Vec<Scene>>,
}

/// A part of a step: most steps have one, those that pause in the middle have two. It is the state after it, where the
/// observer looked at atoms there.
pub(crate) type Scene = Option<State>;

/// Who was able to run before a step, and who did; none where nobody could.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScheduledStep {
    pub able: Vec<u32>,
    pub runs: Option<u32>,
}

/// The letters of the observed states, in order; equal letters have equal numbers.
///
/// A formula without `X` cannot tell how often a letter is repeated (Lamport, "What good is temporal logic?", 1983), so
/// for such a formula each repeated letter is written once. Between two parts that are to be taken apart, the
/// repetition begins anew ([`ObservedWord::part`]): then every part on its own is the observed one up to repetitions.
#[derive(Clone, Debug)]
pub(crate) struct ObservedWord {
    /// The numbers.
    pub numbers: Vec<u32>,
    /// How many states were observed.
    pub observed: usize,
    counts_repetitions: bool,
    /// The number that need not be written again.
    repeated: Option<u32>,
    /// The truth of the atoms that was observed last, with its number.
    last: (Vec<bool>, u32),
    known: HashMap<Vec<bool>, u32>,
    letters: Vec<Letter>,
}

/// What is told of a walk.
#[derive(Default)]
pub(crate) struct Story {
    pub record: RunRecord,
    /// What the atoms' variables hold, for each observation.
    pub values: Vec<Arc<[Change]>>,
    /// The variables whose values are told.
    told: Vec<VariableId>,
}

impl ObservedWord {
    /// The empty word, in which repetitions count or do not.
    fn new(counts_repetitions: bool) -> Self {
        Self {
            numbers: Vec::new(),
            observed: 0,
            counts_repetitions,
            repeated: None,
            last: (Vec::new(), 0),
            known: HashMap::default(),
            letters: Vec::new(),
        }
    }

    /// The letters of some positions.
    pub(crate) fn letters(&self, numbers: &[u32]) -> Vec<Letter> {
        numbers.iter().map(|&number| self.letters[number as usize].clone()).collect()
    }

    /// A part of the word ends here.
    pub(crate) fn part(&mut self) {
        self.repeated = None;
    }

    fn push(&mut self, truth: &[bool]) {
        // Mostly nothing has changed. No letter is known before the first one was looked up.
        if self.letters.is_empty() || self.last.0 != truth {
            self.last = (truth.to_vec(), self.number(truth));
        }
        let number = self.last.1;
        self.observed += 1;
        if self.counts_repetitions || self.repeated != Some(number) {
            self.numbers.push(number);
            self.repeated = Some(number);
        }
    }

    fn number(&mut self, truth: &[bool]) -> u32 {
        if let Some(&number) = self.known.get(truth) {
            return number;
        }
        let number = self.letters.len() as u32;
        self.known.insert(truth.to_vec(), number);
        let holding = truth.iter().enumerate().filter(|&(_, &holds)| holds);
        self.letters.push(holding.map(|(index, _)| AtomId::from_index(index)).collect());
        number
    }
}

impl Listener for KeptObservations {
    fn happened(&mut self, driver: &mut Driver<'_>, events: &[Event]) -> Result<(), Stop> {
        self.story.as_mut().map_or(Ok(()), |story| story.record.happened(driver, events))
    }

    fn observed(&mut self, driver: &mut Driver<'_>, sights: &[Sight]) -> Result<(), Stop> {
        if let Some(scenes) = &mut self.scenes {
            // Where changes are observed, the observer looks in order to know what is read.
            let looked = !sights.is_empty() || driver.interpreter.semantics.observe == ObserveMode::Change;
            scenes.push(looked.then(|| driver.interpreter.state.clone()));
        }
        sights.iter().for_each(|sight| self.word.push(&sight.truth));
        let Some(story) = &mut self.story else { return Ok(()) };
        for _ in sights {
            let values = values_of(&driver.interpreter, &story.told);
            story.values.push(match story.values.last() {
                Some(last) if **last == values[..] => last.clone(),
                _ => values.into(),
            });
        }
        story.record.observed(driver, sights)
    }
}

impl<'a> Walk<'a> {
    /// A walk that has not begun.
    pub(crate) fn new(task: &'a Task, answers: &'a mut Answers<'_>, log: &'a RefCell<Log>, tells: bool) -> Self {
        let mut interpreter = Interpreter::new(&task.program, task.semantics, answers);
        // Data races are told, and the observer wants to know what atoms read where changes are observed.
        interpreter.notes_reads = tells || task.semantics.observe == ObserveMode::Change;
        let kept = KeptObservations {
            word: ObservedWord::new(task.formulas.has_next(task.formula())),
            story: tells.then(|| Story { told: variables_to_tell(task), ..Story::default() }),
            scenes: None,
        };
        let driver = Driver::new(interpreter, Observer::of_one_run(task.semantics.observe, &task.atoms));
        Self { driver, log, kept, steps: 0, turn: ScheduledStep::default(), inputs: Vec::new() }
    }

    /// Starts the program; an end where it does not come any further.
    pub(crate) fn begin(&mut self) -> Option<RunEnd> {
        let begun = self.driver.begin(&mut self.kept);
        self.note_inputs(0);
        begun.err()
    }

    /// Takes a step; an end where there is one.
    pub(crate) fn step(&mut self) -> Option<RunEnd> {
        self.steps += 1;
        self.turn.runs = None;
        let observed = self.kept.word.observed;
        let stepped = self.try_step();
        self.note_inputs(observed);
        stepped.err()
    }

    /// Looks at the budget once in a while.
    pub(crate) fn check(&self, budget: &Budget) -> Result<(), Rejected> {
        if self.steps.is_multiple_of(STEPS_PER_CHECK) {
            budget.check().map_err(Rejected::Exhausted)?;
        }
        Ok(())
    }

    pub(crate) fn state(&self) -> &State {
        &self.driver.interpreter.state
    }

    pub(crate) fn attention(&self) -> &Attention {
        &self.driver.observer.attention
    }

    /// The thread that ran last.
    pub(crate) fn running(&self) -> u32 {
        self.driver.interpreter.running
    }

    /// The edge that was taken last.
    pub(crate) fn taken(&self) -> Option<EdgeId> {
        self.driver.interpreter.edge
    }

    /// Who was able to run before the last step, and who did.
    pub(crate) fn turn(&self) -> &ScheduledStep {
        &self.turn
    }

    /// How many answers were given.
    pub(crate) fn answers_given(&self) -> u64 {
        self.driver.interpreter.choices_made
    }

    pub(crate) fn steps(&self) -> u64 {
        self.steps
    }

    pub(crate) fn word(&self) -> &ObservedWord {
        &self.kept.word
    }

    /// Takes a step and tells its parts; an end where there is one.
    pub(crate) fn step_in_scenes(&mut self) -> Result<Vec<Scene>, RunEnd> {
        self.kept.scenes = Some(Vec::new());
        let end = self.step();
        let scenes = self.kept.scenes.take().unwrap_or_default();
        end.map_or(Ok(scenes), Err)
    }

    /// A part of the word ends here.
    pub(crate) fn part_word(&mut self) {
        self.kept.word.part();
    }

    /// What was observed and asked for, and the story if it is to be told.
    pub(crate) fn into_parts(self) -> (ObservedWord, Vec<(u64, ReplayedInput)>, Option<Story>) {
        (self.kept.word, self.inputs, self.kept.story)
    }

    fn try_step(&mut self) -> Result<(), RunEnd> {
        self.log.borrow_mut().enabled = None;
        let runs = self.driver.schedule(&mut self.kept)?;
        self.turn.runs = Some(runs);
        match self.log.borrow_mut().enabled.take() {
            Some(able) => self.turn.able = able,
            // Where nobody asked, there was no choice.
            None => {
                self.turn.able.clear();
                self.turn.able.push(runs);
            }
        }
        self.driver.step_of(runs, &mut self.kept)
    }

    /// Notes what was asked for in a step before which so many states had been observed.
    fn note_inputs(&mut self, observed: usize) {
        let mut log = self.log.borrow_mut();
        if log.inputs.is_empty() {
            return;
        }
        self.inputs.extend(log.inputs.drain(..).map(|(before, input)| (before, ReplayedInput { observed, ..input })));
    }
}

/// The variables that atoms name, those aside that have many parts.
fn variables_to_tell(task: &Task) -> Vec<VariableId> {
    const MOST_PARTS: usize = 16;
    let program = &task.program;
    let named = task.atoms.iter().flat_map(|atom| match atom {
        Atom::State { reads, .. } => reads.as_slice(),
        _ => &[],
    });
    let is_small = |variable: &VariableId| {
        let ty = program.variables[*variable].ty;
        // No type of so few bits has many parts, and larger ones are not worth a look.
        let bits = program.types.size_bits(ty);
        bits <= 64 * MOST_PARTS as u64 && leaves(&program.types, ty).is_ok_and(|parts| parts.len() <= MOST_PARTS)
    };
    named.copied().filter(is_small).collect::<BTreeSet<_>>().into_iter().collect()
}

/// What variables hold now; locals in the activation that atoms look at.
fn values_of(interpreter: &Interpreter<'_>, variables: &[VariableId]) -> Vec<Change> {
    let program = interpreter.program;
    let memory = &interpreter.state.memory;
    let whole = |&variable: &VariableId| {
        let activation = match program.owner(variable) {
            None => Some((0, 0)),
            Some(owner) => interpreter.activation_for_atoms(owner),
        };
        let (thread, depth) = activation?;
        let object = object_in(program, variable, thread, depth);
        let width_bits = memory.object(object)?.size * 8;
        Some(Extent { object, offset_bits: 0, width_bits })
    };
    changes(program, memory, &variables.iter().filter_map(whole).collect())
}

#[cfg(test)]
mod tests {
    use automata::ltl::{Formulas, evaluate_lasso, parse};
    use foundation::SourceMap;

    use super::*;

    #[test]
    fn repetitions_do_not_matter_to_formulas_without_next() {
        let (mut sources, mut formulas) = (SourceMap::new(), Formulas::new());
        let texts =
            ["G (a -> F b)", "a U b", "F G a", "G F a && G F b", "(a W b) R (F (b && !a))", "X a", "G (a -> X b)"];
        let parsed = texts.map(|text| {
            let source = sources.add("formula", text);
            parse(&sources, source, &mut formulas).unwrap()
        });
        let mut shorter = 0;
        // All words of six letters over two atoms, cut into a stem and a loop.
        for (code, start) in (0..4_usize.pow(6)).flat_map(|code| (0..6).map(move |start| (code, start))) {
            let truth = |at: u32| {
                let letter = code / 4_usize.pow(at) % 4;
                [letter & 1 == 1, letter & 2 == 2]
            };
            for &formula in &parsed {
                let evaluated = |counts_repetitions: bool| {
                    let mut word = ObservedWord::new(counts_repetitions);
                    (0..start).for_each(|at| word.push(&truth(at)));
                    word.part();
                    let (stem, before) = (word.numbers.len(), word.observed);
                    (start..6).for_each(|at| word.push(&truth(at)));
                    assert_eq!((before, word.observed), (start as usize, 6));
                    let (stem, repeated) = (&word.numbers[..stem], &word.numbers[stem..]);
                    let holds = evaluate_lasso(&formulas, formula, &word.letters(stem), &word.letters(repeated));
                    (holds, word.numbers.len())
                };
                let has_next = formulas.has_next(formula);
                let (expected, length) = evaluated(true);
                let (holds, shortened) = evaluated(has_next);
                assert_eq!((holds, length), (expected, 6), "{code} {start}");
                shorter += usize::from(shortened < length);
            }
        }
        assert!(shorter > 0);
    }
}
