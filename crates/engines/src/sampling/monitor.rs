//! Says of every beginning of a word whether the goal is lost after it, whatever follows.
//!
//! The formula is progressed through the word. Executions have few different letters, so what is left of the formula
//! is remembered: the monitor is a deterministic automaton that is built as far as it is needed.

use automata::ltl::{Letter, PrefixTruth, Progression};
use foundation::collections::HashMap;
use task::Task;

/// A state of the monitor.
pub(super) type MonitorState = usize;

/// The monitor of a goal.
#[derive(Debug)]
pub(super) struct Monitor {
    states: Vec<Progression>,
    is_lost: Vec<Option<bool>>,
    numbers: HashMap<Vec<Vec<u32>>, MonitorState>,
    next: HashMap<(MonitorState, Letter), MonitorState>,
}

/// Goals with more remainders than this are not followed any further: they are never said to be lost.
const MOST_STATES: usize = 2_000;

impl Monitor {
    /// The state before the first letter.
    pub(super) const START: MonitorState = 0;

    /// The state of goals that are followed no further.
    const UNKNOWN: MonitorState = usize::MAX;

    /// The monitor of a task's goal.
    pub(super) fn new(task: &Task) -> Self {
        let start = Progression::new(&task.formulas, task.formula());
        let numbers = start.obligations().map(|key| (key.to_vec(), Self::START)).into_iter().collect();
        Self { states: vec![start], is_lost: vec![None], numbers, next: HashMap::default() }
    }

    /// The state after another letter.
    pub(super) fn step(&mut self, from: MonitorState, letter: &Letter) -> MonitorState {
        if from == Self::UNKNOWN {
            return Self::UNKNOWN;
        }
        if let Some(&known) = self.next.get(&(from, letter.clone())) {
            return known;
        }
        let mut after = self.states[from].clone();
        after.step(letter);
        let to = match after.obligations() {
            None => Self::UNKNOWN,
            Some(key) => match self.numbers.get(key) {
                Some(&known) => known,
                None if self.states.len() >= MOST_STATES => Self::UNKNOWN,
                None => {
                    let number = self.states.len();
                    self.numbers.insert(key.to_vec(), number);
                    self.states.push(after);
                    self.is_lost.push(None);
                    number
                }
            },
        };
        self.next.insert((from, letter.clone()), to);
        to
    }

    /// Whether no word that goes on from here satisfies the goal.
    pub(super) fn is_lost(&mut self, state: MonitorState) -> bool {
        if state == Self::UNKNOWN {
            return false;
        }
        let states = &self.states;
        *self.is_lost[state].get_or_insert_with(|| states[state].truth() == PrefixTruth::False)
    }
}
