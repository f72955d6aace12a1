//! What a computation may spend: time, memory, and the user's patience (Ctrl-C).
//!
//! Long loops call [`Budget::check`] every so often and stop with the reason they are given. A budget is cheap to
//! clone; clones share the cancel flag.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
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

/// Limits on time and memory, and a flag that cancels.
#[derive(Clone, Debug, Default)]
pub struct Budget {
    deadline: Option<Instant>,
    /// The most bytes of memory a computation may hold, where there is a limit.
    pub memory: Option<u64>,
    cancelled: Arc<AtomicBool>,
}

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

    /// Ends when this many bytes are held.
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.memory = Some(bytes);
        self
    }

    /// Asks all holders of this budget's clones to stop.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Relaxed);
    }

    /// Whether the computation may go on; `held` is the memory it holds, as far as it knows.
    pub fn check(&self, held: u64) -> Result<(), Exhausted> {
        if self.cancelled.load(Ordering::Relaxed) {
            return Err(Exhausted::Cancelled);
        }
        if self.memory.is_some_and(|limit| held > limit) {
            return Err(Exhausted::Memory);
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
        assert_eq!(Budget::unlimited().check(u64::MAX), Ok(()));
        assert_eq!(Budget::unlimited().with_memory(10).check(11), Err(Exhausted::Memory));
        assert_eq!(Budget::unlimited().with_time(Duration::ZERO).check(0), Err(Exhausted::Time));
        let budget = Budget::unlimited();
        budget.clone().cancel();
        assert_eq!(budget.check(0), Err(Exhausted::Cancelled));
    }
}
