//! Interrupting Z3 when a budget ends.
//!
//! One thread for the process looks at all solvers that are at work every few milliseconds, and interrupts those whose
//! budget has ended. It ends itself when there is no solver any more. A solver is told "at work" and "at rest" under a lock
//! that the interruption takes as well, so that an interruption never hits a later query with another budget.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use foundation::Budget;
use z3::{Context, ContextHandle};

/// How often the watching thread looks.
const INTERVAL: Duration = Duration::from_millis(5);

/// The watch over one solver, from its making to its drop.
pub(crate) struct SolverWatch {
    watched: Arc<WatchedSolver>,
}

struct WatchedSolver {
    budget: Budget,
    context: ContextHandle<'static>,
    is_at_work: Mutex<bool>,
}

struct SolverWatchers {
    list: Vec<Weak<WatchedSolver>>,
    has_thread: bool,
}

static WATCHERS: Mutex<SolverWatchers> = Mutex::new(SolverWatchers { list: Vec::new(), has_thread: false });

thread_local! {
    /// The context that the crate `z3` uses in this thread. It is never freed: the watching thread holds it without
    /// owning it. That is one context for each thread that ever asked, not one for each solver.
    static CONTEXT: &'static Context = Box::leak(Box::new(Context::thread_local()));
}

impl SolverWatch {
    /// Watches the solvers of this thread for a budget.
    pub(crate) fn new(budget: &Budget) -> Self {
        let context = CONTEXT.with(|context| context.handle());
        let watched = Arc::new(WatchedSolver { budget: budget.clone(), context, is_at_work: Mutex::new(false) });
        let mut watchers = lock(&WATCHERS);
        watchers.list.push(Arc::downgrade(&watched));
        if !watchers.has_thread {
            watchers.has_thread = true;
            thread::spawn(watch);
        }
        Self { watched }
    }

    /// Runs a query under watch.
    pub(crate) fn during<R>(&self, query: impl FnOnce() -> R) -> R {
        *lock(&self.watched.is_at_work) = true;
        let result = query();
        *lock(&self.watched.is_at_work) = false;
        result
    }
}

fn watch() {
    loop {
        thread::sleep(INTERVAL);
        let mut watchers = lock(&WATCHERS);
        watchers.list.retain(|watched| watched.strong_count() > 0);
        if watchers.list.is_empty() {
            watchers.has_thread = false;
            return;
        }
        for watched in watchers.list.iter().filter_map(Weak::upgrade) {
            let is_at_work = lock(&watched.is_at_work);
            if *is_at_work && watched.budget.check().is_err() {
                watched.context.interrupt();
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
