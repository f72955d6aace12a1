//! What a computation may spend: time, memory, work, and the user's patience (Ctrl-C).
//!
//! Long loops call [`Budget::check`] every so often and stop with the reason they are given. A budget is cheap to
//! clone; clones share what ends it. How much memory the process holds is for the host to see: it tells through
//! [`Budget::note_held`], and ends the budget through [`Budget::exhaust`]. Who is about to ask for much memory at once
//! asks [`Budget::allows`] first.
//!
//! Work is what a computation counts of its own steps, in units of about a microsecond on a machine of our days. Where
//! something is to be tried for a while and then something else, it is limited by work and not by the clock: then the
//! same is tried, and found, on every machine, however busy it is.

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Why a computation had to stop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exhausted {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// The work that was allowed to a part is done.
    Work,
    /// The user or another thread asked to stop.
    Cancelled,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Exhausted::Time => "time",
            Exhausted::Memory => "memory",
            Exhausted::Work => "work",
            Exhausted::Cancelled => "cancelled",
        })
    }
}

/// Limits on time and memory, and what ended them.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    memory: Option<u64>,
    /// The bytes of memory that were held when somebody looked last.
    held: Arc<AtomicU64>,
    ended: Arc<AtomicU8>,
    /// What ends the budgets that this one is a part of.
    within: Vec<Arc<AtomicU8>>,
    /// The work that is left to this budget and to those that it is a part of, as far as it is limited.
    work: Vec<Arc<AtomicU64>>,
}

/// What [`Budget::ended`] holds.
const OPEN: u8 = 0;
const CANCELLED: u8 = 1;
const OUT_OF_MEMORY: u8 = 2;
const OUT_OF_TIME: u8 = 3;
const OUT_OF_WORK: u8 = 4;

impl Budget {
    /// No limit; it can still be cancelled.
    pub fn unlimited() -> Self {
        Self::default()
    }

    /// Ends after this time from now.
    pub fn with_time(mut self, limit: Duration) -> Self {
        self.deadline = Instant::now().checked_add(limit);
        self
    }

    /// A part of this budget: it ends when this one does, and can be ended alone.
    #[must_use]
    pub fn part(&self) -> Self {
        let mut within = self.within.clone();
        within.push(Arc::clone(&self.ended));
        let (held, work) = (Arc::clone(&self.held), self.work.clone());
        Self { deadline: self.deadline, memory: self.memory, held, ended: Arc::default(), within, work }
    }

    /// A part of this budget that ends after so much work, if not before. What it spends, this one has spent.
    #[must_use]
    pub fn part_with_work(&self, units: u64) -> Self {
        let mut part = self.part();
        part.work.push(Arc::new(AtomicU64::new(units)));
        part
    }

    /// Notes that some work was done.
    pub fn spend(&self, units: u64) {
        for left in &self.work {
            let spent = |left: u64| Some(left.saturating_sub(units));
            let _ = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, spent);
        }
    }

    /// The work that is left, where it is limited.
    pub fn work_left(&self) -> Option<u64> {
        self.work.iter().map(|left| left.load(Ordering::Relaxed)).min()
    }

    /// A part of this budget that ends after this time from now, if not before.
    #[must_use]
    pub fn part_of(&self, limit: Duration) -> Self {
        let mut part = self.part();
        let deadline = Instant::now().checked_add(limit);
        part.deadline = match (self.deadline, deadline) {
            (Some(outer), Some(inner)) => Some(outer.min(inner)),
            (outer, inner) => outer.or(inner),
        };
        part
    }

    /// Allows the process so many bytes of memory.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// The memory limit in bytes, where there is one.
    pub fn memory(&self) -> Option<u64> {
        self.memory
    }

    /// Notes how many bytes of memory are held now.
    pub fn note_held(&self, bytes: u64) {
        self.held.store(bytes, Ordering::Relaxed);
    }

    /// Whether so many more bytes of memory can be asked for at once. Tables that double ask before they do: when the
    /// memory is seen to be held, it is too late.
    pub fn allows(&self, bytes: u64) -> Result<(), Exhausted> {
        let held = self.held.load(Ordering::Relaxed);
        match self.memory {
            Some(limit) if held.saturating_add(bytes) > limit => Err(Exhausted::Memory),
            _ => Ok(()),
        }
    }

    /// Asks all holders of this budget's clones to stop.
    pub fn cancel(&self) {
        self.exhaust(Exhausted::Cancelled);
    }

    /// Makes all holders of this budget's clones stop, for a reason. The first reason counts.
    pub fn exhaust(&self, reason: Exhausted) {
        let reason = match reason {
            Exhausted::Cancelled => CANCELLED,
            Exhausted::Memory => OUT_OF_MEMORY,
            Exhausted::Time => OUT_OF_TIME,
            Exhausted::Work => OUT_OF_WORK,
        };
        let _ = self.ended.compare_exchange(OPEN, reason, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the computation may go on.
    pub fn check(&self) -> Result<(), Exhausted> {
        for ended in self.within.iter().chain([&self.ended]) {
            match ended.load(Ordering::Relaxed) {
                OPEN => {}
                OUT_OF_MEMORY => return Err(Exhausted::Memory),
                OUT_OF_TIME => return Err(Exhausted::Time),
                OUT_OF_WORK => return Err(Exhausted::Work),
                _ => return Err(Exhausted::Cancelled),
            }
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Exhausted::Time);
        }
        if self.work_left() == Some(0) {
            return Err(Exhausted::Work);
        }
        Ok(())
    }

    /// The time that is left, where there is a limit.
    pub fn remaining(&self) -> Option<Duration> {
        self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_ends_with_its_own_reason() {
        assert_eq!(Budget::unlimited().check(), Ok(()));
        assert_eq!(Budget::unlimited().with_time(Duration::ZERO).check(), Err(Exhausted::Time));
        assert_eq!(Budget::unlimited().part_with_work(0).check(), Err(Exhausted::Work));
        for reason in [Exhausted::Time, Exhausted::Memory, Exhausted::Work, Exhausted::Cancelled] {
            let budget = Budget::unlimited();
            budget.clone().exhaust(reason);
            budget.cancel();
            assert_eq!(budget.check(), Err(reason));
        }
    }

    #[test]
    fn what_would_be_too_much_memory_is_known_beforehand() {
        let budget = Budget::unlimited().with_memory(1000);
        budget.part().note_held(600);
        assert_eq!((budget.allows(400), budget.part().allows(401)), (Ok(()), Err(Exhausted::Memory)));
        assert_eq!((budget.allows(u64::MAX), budget.check()), (Err(Exhausted::Memory), Ok(())));
        assert_eq!(Budget::unlimited().allows(u64::MAX), Ok(()));
    }

    #[test]
    fn a_part_ends_with_the_whole_and_alone() {
        let whole = Budget::unlimited();
        let (part, other) = (whole.part(), whole.part().part());
        part.cancel();
        assert_eq!((whole.check(), part.check()), (Ok(()), Err(Exhausted::Cancelled)));
        assert_eq!(other.check(), Ok(()));
        whole.exhaust(Exhausted::Memory);
        assert_eq!(other.check(), Err(Exhausted::Memory));
        assert_eq!(Budget::unlimited().part_of(Duration::ZERO).check(), Err(Exhausted::Time));
        let short = Budget::unlimited().with_time(Duration::ZERO);
        assert_eq!(short.part_of(Duration::from_secs(60)).check(), Err(Exhausted::Time));
    }
    #[test]
    fn work_is_spent_by_parts_and_their_clones_together() {
        let whole = Budget::unlimited().part_with_work(10);
        let (part, other) = (whole.part_with_work(4), whole.part());
        part.clone().spend(3);
        assert_eq!((part.work_left(), other.work_left()), (Some(1), Some(7)));
        part.spend(3);
        assert_eq!((part.check(), other.check(), whole.work_left()), (Err(Exhausted::Work), Ok(()), Some(4)));
        other.spend(5);
        assert_eq!((other.check(), whole.check()), (Err(Exhausted::Work), Err(Exhausted::Work)));
        assert_eq!(Budget::unlimited().work_left(), None);
        let late = Budget::unlimited().part_with_work(0).with_time(Duration::ZERO);
        assert_eq!(late.check(), Err(Exhausted::Time), "what the user has asked for is told first");
    }
}
