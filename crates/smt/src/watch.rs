//! Interrupting Z3 when a budget ends.
//!
//! One thread for the process looks at all solvers that are at work every few milliseconds, and interrupts those whose
//! budget has ended. It ends itself when there is no solver any more. A solver is told "at work" and "at rest" under a lock
//! that the interruption takes as well, so that an interruption never hits a later query with another budget.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use foundation::Budget;
use z3::{Context, ContextHandle, Params, StatisticsValue};

/// How often the watching thread looks.
const INTERVAL: Duration = Duration::from_millis(5);

/// The watch over one solver, from its making to its drop.
pub(crate) struct Watch {
    watched: Arc<Watched>,
}

struct Watched {
    budget: Budget,
    context: ContextHandle<'static>,
    is_at_work: Mutex<bool>,
}

struct Watchers {
    list: Vec<Weak<Watched>>,
    has_thread: bool,
}

static WATCHERS: Mutex<Watchers> = Mutex::new(Watchers { list: Vec::new(), has_thread: false });

thread_local! {
    /// The context that the crate `z3` uses in this thread. It is never freed: the watching thread holds it without
    /// owning it. That is one context for each thread that ever asked, not one for each solver.
    static CONTEXT: &'static Context = Box::leak(Box::new(Context::thread_local()));
}

/// What a solver is told of interruption: how many steps each check may take, as it counts them itself, and that an
/// interrupt from the keyboard is none of its business. Without that it takes the signal for itself, and whoever waits for
/// it never hears of it.
pub(crate) fn parameters(steps: Option<u32>) -> Params {
    let mut parameters = Params::new();
    // Zero is no limit.
    parameters.set_u32("rlimit", steps.map_or(0, |steps| steps.max(1)));
    let milliseconds = |steps: u32| (u64::from(steps) / STEPS_PER_UNIT / 1000).max(250) * SLOW_MACHINE_FACTOR;
    let clock = steps.map(milliseconds).and_then(|limit| u32::try_from(limit).ok());
    parameters.set_u32("timeout", clock.unwrap_or(u32::MAX));
    parameters.set_bool("ctrl_c", false);
    parameters
}

/// Z3 does not count what it does inside of its arithmetic of polynomials. So the clock ends a check that takes so many times as
/// long as its steps should.
const SLOW_MACHINE_FACTOR: u64 = 4;

/// How many steps Z3 takes in a unit of work, about.
const STEPS_PER_UNIT: u64 = 4;

/// How many steps Z3 takes in about so long on a machine of our days. What it finds within them does not depend on the
/// machine.
pub(crate) fn steps_in(limit: Duration) -> u32 {
    let units = u64::try_from(limit.as_micros()).unwrap_or(u64::MAX);
    u32::try_from(units.saturating_mul(STEPS_PER_UNIT)).unwrap_or(u32::MAX)
}

/// The limit of a check: so many steps, and no more than the work that is left.
pub(crate) fn limit(steps: Option<u32>, budget: &Budget) -> Option<u32> {
    let left = budget.work_left().and_then(|units| u32::try_from(units.saturating_mul(STEPS_PER_UNIT)).ok());
    match (steps, left) {
        (Some(steps), Some(left)) => Some(steps.min(left)),
        (steps, left) => steps.or(left),
    }
}

/// Runs something that a solver of this thread does, notes its work, and returns the number of steps with the result.
pub(crate) fn counted<R>(solver: &z3::Solver, budget: &Budget, work: impl FnOnce() -> R) -> (R, u32) {
    let before = steps_taken(solver);
    let result = work();
    let steps = steps_taken(solver).wrapping_sub(before);
    budget.spend(u64::from(steps) / STEPS_PER_UNIT + 1);
    (result, steps)
}

/// How many steps all solvers of this thread have taken so far; after four billion it begins again.
fn steps_taken(solver: &z3::Solver) -> u32 {
    match solver.get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(steps)) => steps,
        Some(StatisticsValue::Double(steps)) => steps as u64 as u32,
        None => 0,
    }
}

impl Watch {
    /// Watches the solvers of this thread for a budget.
    pub(crate) fn new(budget: &Budget) -> Self {
        let context = CONTEXT.with(|context| context.handle());
        let watched = Arc::new(Watched { budget: budget.clone(), context, is_at_work: Mutex::new(false) });
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
