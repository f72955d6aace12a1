//! Which threads a loop starves.
//!
//! A thread is able to run at a point if the scheduler could let it run there: it waits for nothing, no other thread is
//! in an atomic section, and none is inside a full expression that may not be interrupted. A loop that is repeated for
//! ever is weakly fair to a thread if the thread runs in it or is unable to at some point of it, and strongly fair if it
//! runs in it or is unable to at all points (Manna and Pnueli, *The Temporal Logic of Reactive and Concurrent Systems*,
//! section 2.5, where these are justice and compassion).

use program::semantics::state::{State, Status};
use task::Scheduler;

/// A thread that never runs in a loop although it is able to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Starved {
    /// The thread.
    pub thread: u32,
    /// Whether it is able to run at every point of the loop, and not only at some: then the schedule is not even weakly
    /// fair.
    pub always_able: bool,
}

/// What is known of the threads since some point.
#[derive(Clone, Debug, Default)]
pub(crate) struct ThreadHistory {
    threads: Vec<ThreadTurn>,
}

#[derive(Clone, Copy, Debug, Default)]
struct ThreadTurn {
    ran: bool,
    able: bool,
    unable: bool,
}

impl ThreadHistory {
    /// Notes a step: who was able to run before it, and who did. The state is any one of the loop: in all of them the
    /// same threads have ended.
    pub(crate) fn note(&mut self, state: &State, able: &[u32], runs: u32) {
        let count = state.threads.len().max(runs as usize + 1);
        self.threads.resize(self.threads.len().max(count), ThreadTurn::default());
        for (number, thread) in state.threads.iter().enumerate() {
            let turn = &mut self.threads[number];
            if able.contains(&(number as u32)) {
                turn.able = true;
            } else if thread.status == Status::Running {
                turn.unable = true;
            }
        }
        self.threads[runs as usize].ran = true;
    }

    /// The threads that were starved, if what was noted is repeated for ever.
    pub(crate) fn starved(&self) -> Vec<Starved> {
        let threads = self.threads.iter().enumerate();
        let starved = threads.filter(|(_, turn)| turn.able && !turn.ran);
        starved.map(|(thread, turn)| Starved { thread: thread as u32, always_able: !turn.unable }).collect()
    }
}

/// Whether a scheduler may starve a thread in this way.
pub(crate) fn allows(scheduler: Scheduler, starved: Starved) -> bool {
    match scheduler {
        Scheduler::Any => true,
        Scheduler::WeakFair => !starved.always_able,
        Scheduler::StrongFair => false,
    }
}
