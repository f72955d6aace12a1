//! A program as a graph of packed states, successors on demand: what the search works on.
//!
//! A step leads from one packed state to the next and takes as many edges of the program as the space sees fit. What it
//! shows of them is the *word*: the letters of the observed states, in order. Two implementations exist: compiled code
//! for sequential programs over scalars and arrays, and the interpreter for everything else.

use program::semantics::Answer;
use task::{LetterBits, Reason};

/// A state space. The states are sequences of [`Space::words`] numbers, equal exactly if the states are.
pub trait Space: Send {
    /// How many 64-bit words a state takes.
    fn words(&self) -> usize;

    /// The bits of a state's last word from this one on are zero: the search keeps the automaton's state there. How many
    /// it needs is told to the space when it is made.
    fn tag_shift(&self) -> u32;

    /// Writes the state before the first step. The first step's word begins with the letter of the program's start.
    fn initial(&mut self, state: &mut [u64]);

    /// Takes the step with this number from a state. Numbers count from 0; the first one that is too large is answered
    /// with [`Advance::NoMore`]. The same step of the same state always has the same result.
    ///
    /// Where the property is stutter-invariant, the space may leave out of the word letters that repeat the one before,
    /// but shows one letter at least in every step: where nothing was observed, the last letter again. Otherwise a
    /// step in which nothing was observed has the empty word, and [`Next::last`] says what was observed last.
    fn step(&mut self, state: &[u64], number: u32, next: &mut Next) -> Advance;

    /// Takes all steps of a state, in the order of their numbers. Cuts are left out.
    fn successors(&mut self, state: &[u64], successors: &mut StateSuccessors) {
        successors.clear();
        let mut next = Next { state: vec![0; self.words()], ..Next::default() };
        for number in 0.. {
            match self.step(state, number, &mut next) {
                Advance::NoMore => break,
                Advance::Blocked => {}
                Advance::Next => successors.push(number, LeadsOn::On, &next),
                Advance::Ended => successors.push(number, LeadsOn::Nowhere, &next),
                Advance::Refused(reason) => successors.refusal = Some(successors.refusal.take().unwrap_or(reason)),
            }
        }
    }

    /// What the interpreter must be answered to take this step, in order.
    fn answers(&mut self, state: &[u64], number: u32) -> Vec<Answer>;

    /// Another view of the same space, for another thread of the search.
    fn fork(&self) -> Self
    where
        Self: Sized;
}

/// What a step came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Advance {
    /// The state has no step with this number, nor with a larger one.
    NoMore,
    /// The step is blocked by an assumption: it is part of no execution.
    Blocked,
    /// It leads to [`Next::state`].
    Next,
    /// It leads to where the last letter of the word is repeated for ever.
    Ended,
    /// It cannot be taken.
    Refused(Reason),
}

/// The result of a step.
#[derive(Clone, Debug, Default)]
pub struct Next {
    /// The next state.
    pub state: Vec<u64>,
    /// The letters shown, in order.
    pub letters: Vec<LetterBits>,
    /// The last letter shown up to here; only looked at where `letters` is empty.
    pub last: LetterBits,
    /// A number that stands for `letters` in this space, where the space gives words numbers.
    pub word: Option<u32>,
    /// The threads that were able to run before the step, as bits.
    pub enabled: u64,
    /// The threads that ran in the step, as bits.
    pub ran: u64,
}

/// All steps of a state.
#[derive(Clone, Debug, Default)]
pub struct StateSuccessors {
    /// The steps that are not blocked.
    pub steps: Vec<Successor>,
    /// The states they lead to, one after the other; for a step that leads nowhere, anything.
    pub states: Vec<u64>,
    /// The letters of all steps, one word after the other.
    pub letters: Vec<LetterBits>,
    /// Why some step could not be taken.
    pub refusal: Option<Reason>,
}

/// A step of a state.
#[derive(Clone, Copy, Debug)]
pub struct Successor {
    /// Its number.
    pub number: u32,
    /// Whether it leads to another state.
    pub leads: LeadsOn,
    /// A number that stands for its word in this space, where the space gives words numbers.
    pub word: Option<u32>,
    /// Where its letters begin and end.
    pub letters: (u32, u32),
    /// The last letter shown up to here.
    pub last: LetterBits,
    /// The threads that were able to run before the step, as bits.
    pub enabled: u64,
    /// The threads that ran in the step, as bits.
    pub ran: u64,
}

/// Whether a step leads to another state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LeadsOn {
    /// It does.
    On,
    /// It leads to where the last letter of its word is repeated for ever.
    Nowhere,
}

impl StateSuccessors {
    /// Forgets all steps.
    pub fn clear(&mut self) {
        self.steps.clear();
        self.states.clear();
        self.letters.clear();
        self.refusal = None;
    }

    /// Adds a step.
    pub fn push(&mut self, number: u32, leads: LeadsOn, next: &Next) {
        let start = self.letters.len() as u32;
        self.letters.extend_from_slice(&next.letters);
        self.states.extend_from_slice(&next.state);
        self.steps.push(Successor {
            number,
            leads,
            word: next.word,
            letters: (start, self.letters.len() as u32),
            last: next.last,
            enabled: next.enabled,
            ran: next.ran,
        });
    }
}
