//! The watchdog: a thread that looks at the clock, the memory and the interrupt, and ends the process whatever the others
//! are doing.
//!
//! Computations look at their budget and stop by themselves; that is the usual way, and they say what they found so far.
//! Where one does not come to look within `GRACE` after the budget has ended, or goes on to take memory, the watchdog
//! says the last words that the command has prepared and ends the process. Whoever is first to answer, the command or the
//! watchdog, is the only one: an answer that has begun to be printed is printed to its end.

use std::io::Write;
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use foundation::{Budget, Exhausted};

use crate::leftovers;

/// How long a computation may take to notice that its budget has ended.
const GRACE: Duration = Duration::from_millis(900);

/// What a process says when it is ended by force.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct LastWords {
    /// What is written to standard output.
    pub output: String,
    /// What is written to standard error.
    pub message: String,
    /// The exit status.
    pub status: u8,
}

/// Whether an answer has begun to be printed.
static ANSWERED: Mutex<bool> = Mutex::new(false);

/// To be called before an answer is printed. From then on the watchdog keeps silent; where it speaks already, this does
/// not return.
pub fn begin_answer() {
    *ANSWERED.lock().unwrap_or_else(PoisonError::into_inner) = true;
}

/// Watches over a budget for as long as the process lives: ends the budget when more memory is held than it allows, and
/// the process when the budget has ended and nothing happens. Memory is watched where the system tells (`/proc`);
/// elsewhere that limit has no effect.
pub fn guard(budget: &Budget, last_words: impl Fn(Exhausted) -> LastWords + Send + 'static) {
    let budget = budget.clone();
    thread::spawn(move || {
        let mut memory = ProcessMemory::new(budget.memory());
        let mut ended: Option<Instant> = None;
        loop {
            let pressure = memory.look(&budget);
            if let Err(why) = budget.check() {
                let since = *ended.get_or_insert_with(Instant::now);
                if since.elapsed() >= GRACE || pressure == Pressure::Beyond {
                    end(&last_words(why));
                    return;
                }
            }
            thread::sleep(pressure.interval());
        }
    });
}

/// Watches over the memory of a budget alone, until it ends: for those who use Semper as a library, whose process nobody
/// ends.
pub fn watch_memory(budget: &Budget) {
    let budget = budget.clone();
    thread::spawn(move || {
        let mut memory = ProcessMemory::new(budget.memory());
        while budget.check().is_ok() {
            let pressure = memory.look(&budget);
            thread::sleep(pressure.interval());
        }
    });
}

/// Limits below this are small.
const SMALL_LIMIT_BYTES: u64 = 128 << 20;

/// How near the memory that is held is to the limit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pressure {
    Far,
    Near,
    /// So far above it that there is no time to wait.
    Beyond,
}

impl Pressure {
    /// How long until the next look: memory can grow by megabytes within a millisecond.
    fn interval(self) -> Duration {
        Duration::from_millis(if self == Pressure::Far { 10 } else { 2 })
    }

    fn of(held: u64, limit: u64) -> Self {
        // The process itself takes some memory: where the limit is hardly more, engines get the time to say so.
        let margin = if limit < SMALL_LIMIT_BYTES { SMALL_LIMIT_BYTES / 8 } else { limit / 25 };
        match held {
            held if held > limit.saturating_add(margin) => Pressure::Beyond,
            held if held > limit / 2 => Pressure::Near,
            _ => Pressure::Far,
        }
    }
}

/// The memory of the process and of those that it started.
struct ProcessMemory {
    limit: Option<u64>,
    /// The processes below, when they were looked for last.
    below: Vec<u32>,
    looked: Instant,
}

impl ProcessMemory {
    fn new(limit: Option<u64>) -> Self {
        Self { limit: limit.filter(|_| resident().is_some()), below: Vec::new(), looked: Instant::now() }
    }

    /// Looks at the memory, tells the budget, and ends it where that is too much.
    fn look(&mut self, budget: &Budget) -> Pressure {
        /// Looking for processes of processes takes long, and compilers start few.
        const SEARCH: Duration = Duration::from_millis(150);
        let Some(limit) = self.limit else { return Pressure::Far };
        if self.looked.elapsed() >= SEARCH {
            self.below = leftovers::descendants();
            self.looked = Instant::now();
        }
        let started = leftovers::started();
        let others = self.below.iter().filter(|process| !started.contains(process));
        let below: u64 = started.iter().chain(others).map(|&process| leftovers::held_by(process)).sum();
        let held = resident().unwrap_or(0).saturating_add(below);
        budget.note_held(held);
        if held > limit {
            budget.exhaust(Exhausted::Memory);
        }
        Pressure::of(held, limit)
    }
}

/// How many bytes of memory the process holds.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    crate::watched::memory_line(&status, "VmRSS:")
}

/// Says the last words and ends the process, unless the answer has begun to be printed.
fn end(words: &LastWords) {
    let answered = ANSWERED.lock().unwrap_or_else(PoisonError::into_inner);
    if *answered {
        return;
    }
    leftovers::clear();
    // Where nobody reads what is printed, there is nobody to tell.
    let _ = std::io::stderr().write_all(words.message.as_bytes());
    let mut output = std::io::stdout();
    let _ = output.write_all(words.output.as_bytes()).and_then(|()| output.flush());
    leave(words.status);
}

/// Ends the process without running any destructor: other threads may be anywhere inside a library that exit(3) would take
/// away from under them. To become a program that ends at once does that, and needs no unsafe code.
fn leave(status: u8) -> ! {
    #[cfg(unix)]
    {
        let exit = format!("exit {status}");
        let _ = std::os::unix::process::CommandExt::exec(Command::new("/bin/sh").args(["-c", &exit]));
    }
    std::process::exit(status.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_is_a_margin_above_the_limit_but_less_than_a_tenth() {
        for (held, pressure) in [
            (0, Pressure::Far),
            (100, Pressure::Far),
            (101, Pressure::Near),
            (200, Pressure::Near),
            (208, Pressure::Near),
            (209, Pressure::Beyond),
        ] {
            assert_eq!(Pressure::of(held << 20, 200 << 20), pressure, "{held}");
        }
        assert_eq!(Pressure::of(30 << 20, 24 << 20), Pressure::Near);
        assert_eq!(Pressure::of(u64::MAX, u64::MAX), Pressure::Near);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn too_much_memory_ends_the_budget() {
        let plenty = Budget::unlimited().with_memory(1 << 50);
        assert_eq!(ProcessMemory::new(plenty.memory()).look(&plenty), Pressure::Far);
        assert_eq!(plenty.check(), Ok(()));
        assert_eq!(plenty.allows(1 << 51), Err(Exhausted::Memory));
        assert_eq!(plenty.allows(1 << 20), Ok(()));
        let little = Budget::unlimited().with_memory(1 << 10);
        assert_ne!(ProcessMemory::new(little.memory()).look(&little), Pressure::Far);
        assert_eq!(little.check(), Err(Exhausted::Memory));
    }
}
