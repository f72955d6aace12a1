//! What a computation may spend: time, memory, and the user's patience (Ctrl-C).
//!
//! Long loops call [`Budget::check`] every so often and stop with the reason they are given. A budget is cheap to
//! clone; clones share what ends it. How much memory the process holds is for the host to see: it ends the budget
//! through [`Budget::exhaust`].

use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// Why a computation had to stop.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Exhausted {
    /// The time limit was reached.
    Time,
    /// The memory limit was reached.
    Memory,
    /// The user or another thread asked to stop.
    Cancelled,
}

impl std::fmt::Display for Exhausted {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Exhausted::Time => "time",
            Exhausted::Memory => "memory",
            Exhausted::Cancelled => "cancelled",
        })
    }
}

/// Limits on time and memory, and what ended them.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    memory: Option<u64>,
    ended: Arc<AtomicU8>,
}

/// What [`Budget::ended`] holds.
const OPEN: u8 = 0;
const CANCELLED: u8 = 1;
const OUT_OF_MEMORY: u8 = 2;
const OUT_OF_TIME: u8 = 3;

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

    /// Allows the process so many bytes of memory.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// The memory limit in bytes, where there is one.
    pub fn memory(&self) -> Option<u64> {
        self.memory
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
        };
        let _ = self.ended.compare_exchange(OPEN, reason, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Whether the computation may go on.
    pub fn check(&self) -> Result<(), Exhausted> {
        match self.ended.load(Ordering::Relaxed) {
            OPEN => {}
            OUT_OF_MEMORY => return Err(Exhausted::Memory),
            OUT_OF_TIME => return Err(Exhausted::Time),
            _ => return Err(Exhausted::Cancelled),
        }
        if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Exhausted::Time);
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
        for reason in [Exhausted::Time, Exhausted::Memory, Exhausted::Cancelled] {
            let budget = Budget::unlimited();
            budget.clone().exhaust(reason);
            budget.cancel();
            assert_eq!(budget.check(), Err(reason));
        }
    }
}
