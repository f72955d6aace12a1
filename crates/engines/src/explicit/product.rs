//! The product of a state space and the automaton of the negated property, on the fly.
//!
//! A state of the product is a state of the space with the automaton's state in the bits that the space leaves free. An
//! accepting run of the product is a violation.
//!
//! Where the property is not stutter-invariant, steps without observation leave the automaton where it is, and two
//! things need care. A cycle of such steps alone is no run of the automaton: one more acceptance set, *progress*, is
//! visited by all other steps. And an execution that shows nothing any more repeats its last letter for ever: at a step
//! without observation the automaton may decide that this is so from here on, and is then in its *silent* half, where
//! it reads the last letter in every step and only steps without observation remain.

use automata::buchi::Marks;
use foundation::Id;
use program::semantics::Answer;
use task::watch::{Interest, Progress, Unwatched, Watch};
use task::{Negation, Reason, Scheduler, WordReader};

use super::space::{Advance, LeadsOn, Next, Space, StateSuccessors};
use super::store::append;

/// The most threads for which fairness is kept track of.
const MOST_FAIR_THREADS: u32 = 24;

/// A product.
pub struct Product<'n, S> {
    /// The state space.
    pub space: S,
    /// What the last step came to.
    pub next: Next,
    negation: &'n Negation,
    reader: WordReader<'n>,
    automaton_states: u32,
    fair_threads: u32,
    scheduler: Scheduler,
    moves: Vec<(u32, Marks)>,
    /// The state of the space in the state that is being expanded.
    bare: Vec<u64>,
    successors: StateSuccessors,
    /// The reader's numbers of the words that the space has given numbers.
    known_words: Vec<Option<u32>>,
    /// By the space's number of a word and state of the automaton: which of `moved` are the moves.
    known_moves: Vec<Option<(u32, u32)>>,
    moved: Vec<(u32, Marks)>,
    watch: &'n dyn Watch,
}

/// For more words and states of the automaton than this, moves are looked up anew each time.
const MOST_KNOWN_MOVES: usize = 1 << 20;

/// All transitions of a state of the product.
#[derive(Clone, Debug, Default)]
pub struct Transitions {
    /// The states they lead to, one after the other.
    pub targets: Vec<u64>,
    /// For each of them, what it visits.
    pub marks: Vec<Marks>,
    /// The number of a step that leads to an end in which the automaton accepts.
    pub accepted: Option<u32>,
    /// Why some step could not be taken.
    pub refusal: Option<Reason>,
}

/// What a step of the space means for the product.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Expanded {
    /// There is no step with this number, nor with a larger one.
    NoMore,
    /// It leads to the states that [`Product::target`] gives, as many as this.
    Moves(usize),
    /// It leads to an end in which the automaton accepts: a violation.
    Accepted,
    /// It cannot be taken.
    Refused(Reason),
}

impl<'n, S: Space> Product<'n, S> {
    /// The automaton that runs beside the space.
    pub fn negation(&self) -> &'n Negation {
        self.negation
    }

    /// The product of a space that was made to leave [`tag_bits`] free.
    pub fn new(space: S, negation: &'n Negation, scheduler: Scheduler) -> Self {
        let next = Next { state: vec![0; space.words()], ..Next::default() };
        let fair_threads = match scheduler {
            Scheduler::Any => 0,
            Scheduler::WeakFair | Scheduler::StrongFair => {
                MOST_FAIR_THREADS.min(Marks::MOST - 1 - negation.automaton.acceptance_sets())
            }
        };
        Self {
            space,
            next,
            negation,
            reader: WordReader::new(negation),
            automaton_states: negation.automaton.state_count() as u32,
            fair_threads,
            scheduler,
            moves: Vec::new(),
            bare: Vec::new(),
            successors: StateSuccessors::default(),
            known_words: Vec::new(),
            known_moves: Vec::new(),
            moved: Vec::new(),
            watch: &Unwatched,
        }
    }

    /// The same under the eyes of somebody.
    pub fn watched_by(self, watch: &'n dyn Watch) -> Self {
        Self { watch, ..self }
    }

    /// Says how far the search is.
    pub fn tell(&self, states: u64, transitions: u64) {
        if self.watch.interest() >= Interest::Progress {
            let counts = vec![("states", states), ("transitions", transitions)];
            self.watch.progress(&Progress { engine: super::ENTRY.name, counts });
        }
    }

    /// The same product for another thread of the search.
    pub fn fork(&self) -> Self {
        Self::new(self.space.fork(), self.negation, self.scheduler)
    }

    /// Which schedules count.
    pub fn scheduler(&self) -> Scheduler {
        self.scheduler
    }

    /// The acceptance sets that an accepting cycle visits. Under strong fairness it must also visit the sets of the
    /// threads ([`Product::thread_mark`]) that can run in it.
    pub fn all_marks(&self) -> Marks {
        let fair = if self.scheduler == Scheduler::WeakFair { self.fair_threads } else { 0 };
        Marks::all(self.first_thread_mark() + fair)
    }

    /// The acceptance set that is visited where a thread runs; under weak fairness, also where it cannot.
    pub fn thread_mark(&self, thread: u32) -> Marks {
        Marks::one(self.first_thread_mark() + thread)
    }

    fn first_thread_mark(&self) -> u32 {
        self.negation.automaton.acceptance_sets() + u32::from(!self.negation.stutter_invariant)
    }

    /// The states where runs of the product begin.
    pub fn initial(&mut self) -> Vec<Box<[u64]>> {
        let mut state = vec![0; self.space.words()];
        self.space.initial(&mut state);
        let automaton = self.negation.automaton.initial().iter().map(|state| state.index() as u64);
        let shift = self.space.tag_shift();
        automaton
            .map(|tag| {
                let mut tagged = state.clone();
                *tagged.last_mut().expect("a state has words") |= tag << shift;
                tagged.into_boxed_slice()
            })
            .collect()
    }

    /// Takes a step of the space from a state of the product.
    pub fn expand(&mut self, state: &[u64], number: u32) -> Expanded {
        let automaton_state = self.split(state);
        let step = self.space.step(&self.bare, number, &mut self.next);
        match step {
            Advance::NoMore => Expanded::NoMore,
            Advance::Refused(reason) => Expanded::Refused(reason),
            Advance::Blocked => Expanded::Moves(0),
            Advance::Ended => {
                if self.ends_accepting(automaton_state) {
                    Expanded::Accepted
                } else {
                    Expanded::Moves(0)
                }
            }
            Advance::Next => match self.fairness() {
                Ok(fair) => {
                    self.read(automaton_state, fair);
                    Expanded::Moves(self.moves.len())
                }
                Err(reason) => Expanded::Refused(reason),
            },
        }
    }

    /// Takes all steps of the space from a state of the product.
    pub fn transitions(&mut self, state: &[u64], transitions: &mut Transitions) {
        let automaton_state = self.split(state);
        self.space.successors(&self.bare, &mut self.successors);
        transitions.targets.clear();
        transitions.marks.clear();
        transitions.accepted = None;
        transitions.refusal = self.successors.refusal.take();
        let (words, shift) = (self.space.words(), self.space.tag_shift());
        for index in 0..self.successors.steps.len() {
            let step = self.successors.steps[index];
            let target = &self.successors.states[index * words..(index + 1) * words];
            let place = self.known_place(step.leads, step.word, automaton_state);
            if let Some(&Some((start, end))) = place.and_then(|place| self.known_moves.get(place)) {
                push_moves(transitions, target, &self.moved[start as usize..end as usize], shift);
                continue;
            }
            let (start, end) = step.letters;
            self.next.letters.clear();
            self.next.letters.extend_from_slice(&self.successors.letters[start as usize..end as usize]);
            (self.next.last, self.next.word) = (step.last, step.word);
            (self.next.enabled, self.next.ran) = (step.enabled, step.ran);
            if step.leads == LeadsOn::Nowhere {
                if self.ends_accepting(automaton_state) {
                    transitions.accepted = transitions.accepted.or(Some(step.number));
                }
                continue;
            }
            match self.fairness() {
                Ok(fair) => self.read(automaton_state, fair),
                Err(reason) => {
                    transitions.refusal = Some(reason);
                    continue;
                }
            }
            let target = &self.successors.states[index * words..(index + 1) * words];
            push_moves(transitions, target, &self.moves, shift);
            if let Some(place) = place {
                self.known_moves.resize(self.known_moves.len().max(place + 1), None);
                let start = self.moved.len();
                self.moved.extend_from_slice(&self.moves);
                self.known_moves[place] = Some((start as u32, self.moved.len() as u32));
            }
        }
    }

    /// Where the moves of a step are remembered, if they depend on nothing but its word and the automaton's state.
    #[inline]
    fn known_place(&self, leads: LeadsOn, word: Option<u32>, automaton_state: u32) -> Option<usize> {
        let is_simple = self.negation.stutter_invariant && self.fair_threads == 0 && leads == LeadsOn::On;
        let word = word.filter(|_| is_simple)?;
        let place = word as usize * self.automaton_states as usize + automaton_state as usize;
        (place < MOST_KNOWN_MOVES).then_some(place)
    }

    /// One of the states that the last step leads to, with what is visited on the way. The state is written to
    /// `target`.
    pub fn target(&self, index: usize, target: &mut [u64]) -> Marks {
        let (tag, marks) = self.moves[index];
        target.copy_from_slice(&self.next.state);
        *target.last_mut().expect("a state has words") |= u64::from(tag) << self.space.tag_shift();
        marks
    }

    /// What the interpreter must be answered to take a step from a state of the product.
    pub fn answers(&mut self, state: &[u64], number: u32) -> Vec<Answer> {
        self.split(state);
        self.space.answers(&self.bare, number)
    }

    /// Takes a state apart: the automaton's state, and what remains in `bare`.
    fn split(&mut self, state: &[u64]) -> u32 {
        let shift = self.space.tag_shift();
        self.bare.clear();
        append(&mut self.bare, state);
        let last = self.bare.last_mut().expect("a state has words");
        let tag = (*last >> shift) as u32;
        *last &= (1 << shift) - 1;
        tag
    }

    fn ends_accepting(&mut self, automaton_state: u32) -> bool {
        let letters = &self.next.letters;
        let &last = letters.last().unwrap_or(&self.next.last);
        if automaton_state >= self.automaton_states {
            return letters.is_empty() && self.reader.accepts_for_ever(automaton_state - self.automaton_states, last);
        }
        let word = self.reader.word(letters);
        let ends = self.reader.moves(word, letters, automaton_state).to_vec();
        ends.iter().any(|&(state, _)| self.reader.accepts_for_ever(state, last))
    }

    /// What is visited because of the threads that ran or could not.
    fn fairness(&self) -> Result<Marks, Reason> {
        if self.fair_threads == 0 {
            return Ok(Marks::NONE);
        }
        let Next { enabled, ran, .. } = self.next;
        if enabled >> self.fair_threads != 0 {
            let most = self.fair_threads;
            return Err(Reason::unsupported(format!("more than {most} threads under a fair scheduler"), None));
        }
        let idle_counts = self.scheduler == Scheduler::WeakFair;
        let visits = |thread: &u32| ran >> thread & 1 == 1 || idle_counts && enabled >> thread & 1 == 0;
        let threads = (0..self.fair_threads).filter(visits);
        Ok(threads.fold(Marks::NONE, |marks, thread| marks.union(self.thread_mark(thread))))
    }

    fn read(&mut self, automaton_state: u32, fair: Marks) {
        self.moves.clear();
        let letters = &self.next.letters;
        if self.negation.stutter_invariant {
            debug_assert!(!letters.is_empty(), "every step shows a letter where letters may be repeated");
            let word = number(&mut self.reader, &mut self.known_words, &self.next);
            let moves = self.reader.moves(word, letters, automaton_state);
            self.moves.extend(moves.iter().map(|&(state, marks)| (state, marks.union(fair))));
            return;
        }
        let progress = Marks::one(self.negation.automaton.acceptance_sets()).union(fair);
        let silent_half = self.automaton_states;
        if !letters.is_empty() {
            if automaton_state < silent_half {
                let word = self.reader.word(letters);
                let moves = self.reader.moves(word, letters, automaton_state);
                self.moves.extend(moves.iter().map(|&(state, marks)| (state, marks.union(progress))));
            }
            return;
        }
        let mut from = automaton_state;
        if automaton_state < silent_half {
            self.moves.push((automaton_state, fair));
        } else {
            from -= silent_half;
        }
        let last = [self.next.last];
        let word = self.reader.word(&last);
        let moves = self.reader.moves(word, &last, from);
        self.moves.extend(moves.iter().map(|&(state, marks)| (state + silent_half, marks.union(progress))));
    }
}

/// Adds the transitions to a state of the space by these moves of the automaton.
#[inline]
fn push_moves(transitions: &mut Transitions, state: &[u64], moves: &[(u32, Marks)], shift: u32) {
    for &(tag, marks) in moves {
        append(&mut transitions.targets, state);
        *transitions.targets.last_mut().expect("a state has words") |= u64::from(tag) << shift;
        transitions.marks.push(marks);
    }
}

/// The reader's number of the word that a step has shown.
fn number(reader: &mut WordReader<'_>, known: &mut Vec<Option<u32>>, next: &Next) -> u32 {
    let Some(given) = next.word else { return reader.word(&next.letters) };
    if known.len() <= given as usize {
        known.resize(given as usize + 1, None);
    }
    *known[given as usize].get_or_insert_with(|| reader.word(&next.letters))
}

/// How many bits a space must leave free for the automaton's state.
pub fn tag_bits(negation: &Negation) -> u32 {
    let halves = if negation.stutter_invariant { 1 } else { 2 };
    let states = negation.automaton.state_count() as u32 * halves;
    u32::BITS - states.saturating_sub(1).leading_zeros()
}
