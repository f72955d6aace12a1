//! The engines that there are, as data: whoever lists them, makes one by its name or lets several take turns looks here.
//!
//! A new engine is a new [`Entry`] in a [`Registry`]; nothing else names it.

use std::fmt;

use foundation::Budget;

use crate::board::Board;
use crate::engine::Engine;
use crate::judge::Judge;
use crate::task::Task;
use crate::verdict::{Outcome, Reason, Statistics, Verdict};
use crate::watch::{Unwatched, Watch};

/// An engine that can be chosen.
#[derive(Clone, Copy)]
pub struct Entry {
    /// The name by which users choose it.
    pub name: &'static str,
    /// What it does, in a line.
    pub about: &'static str,
    /// What it can find out.
    pub decides: Decides,
    /// Whether it tells of candidates and automata, and not of its progress alone.
    pub shows: bool,
    /// Whether its proofs are written down with their invariants.
    pub writes_proofs: bool,
    /// Refuses tasks that it does not cover. What only shows when it works is for the engine itself to say.
    pub takes: fn(&Task) -> Result<(), Reason>,
    /// How it is made; [`Entry::engine`] makes one.
    pub make: for<'w> fn(&Setup<'w>) -> Box<dyn Engine + Sync + 'w>,
    /// When a portfolio asks it, in ascending order of the rounds. One that has no turns is not asked.
    pub turns: &'static [Turn],
}

/// What an engine can find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Decides {
    /// Both verdicts.
    Both,
    /// Violations alone: that it finds none tells little.
    Violations,
}

/// One turn in a portfolio.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turn {
    /// Turns are taken in ascending order of these.
    pub round: u32,
    /// How much work it may be.
    pub work: u64,
    /// Which part of the time that is left it may take at most: one of so many.
    pub share: u32,
}

/// A second's work, about.
pub const SECOND: u64 = 1_000_000;

/// What engines are made with.
#[derive(Clone, Copy, Debug)]
pub struct Setup<'w> {
    /// How many threads an engine may use.
    pub threads: usize,
    /// Who is told what it does.
    pub watch: &'w dyn Watch,
    /// The engines that one which asks others may ask.
    pub registry: &'w Registry,
}

impl<'w> Setup<'w> {
    /// One thread, and nobody who watches.
    pub fn new(registry: &'w Registry) -> Self {
        Self { threads: 1, watch: &Unwatched, registry }
    }
}

impl Entry {
    /// Makes the engine. It refuses what the entry says that it does not take.
    pub fn engine<'w>(&self, setup: &Setup<'w>) -> Chosen<'w> {
        Chosen { entry: *self, engine: (self.make)(setup) }
    }
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Entry").field(&self.name).finish()
    }
}

/// Entries are told apart by their names.
impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Entry {}

/// An engine that was made by its entry.
pub struct Chosen<'w> {
    /// The entry.
    pub entry: Entry,
    engine: Box<dyn Engine + Sync + 'w>,
}

impl Chosen<'_> {
    fn asked(&self, task: &Task, ask: impl FnOnce(&dyn Engine) -> Outcome) -> Outcome {
        match (self.entry.takes)(task) {
            Ok(()) => ask(&*self.engine),
            Err(reason) => Outcome::of(self.name(), Verdict::Unknown(reason), Statistics::default()),
        }
    }
}

impl Engine for Chosen<'_> {
    fn name(&self) -> &'static str {
        self.entry.name
    }

    fn check(&self, task: &Task, board: &Board, budget: &Budget) -> Outcome {
        self.asked(task, |engine| engine.check(task, board, budget))
    }

    fn check_judged(&self, task: &Task, judge: &dyn Judge, budget: &Budget) -> Outcome {
        self.asked(task, |engine| engine.check_judged(task, judge, budget))
    }
}

/// Engines, each with a name of its own, in the order in which they are listed.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Registry(Vec<Entry>);

impl Registry {
    /// A registry of these engines. A later entry takes the place of an earlier one with its name.
    pub fn new(entries: impl IntoIterator<Item = Entry>) -> Self {
        entries.into_iter().fold(Self::default(), Self::with)
    }

    /// The same with one more engine.
    #[must_use]
    pub fn with(mut self, entry: Entry) -> Self {
        match self.0.iter_mut().find(|known| known.name == entry.name) {
            Some(known) => *known = entry,
            None => self.0.push(entry),
        }
        self
    }

    /// The engine with a name.
    pub fn find(&self, name: &str) -> Option<&Entry> {
        self.0.iter().find(|entry| entry.name == name)
    }

    /// All engines.
    pub fn iter(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter()
    }

    /// The engines that take turns in a portfolio, by their first turns.
    pub fn with_turns(&self) -> Vec<&Entry> {
        let mut entries: Vec<&Entry> = self.0.iter().filter(|entry| !entry.turns.is_empty()).collect();
        entries.sort_by_key(|entry| entry.turns[0].round);
        entries
    }
}
