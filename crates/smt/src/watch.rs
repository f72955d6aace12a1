//! Interrupting Z3 when a budget ends, or when the processor has worked long enough on a query.
//!
//! One thread for the process looks at all solvers that are at work every few milliseconds, and interrupts those whose
//! budget has ended. It ends itself when there is no solver any more. A solver is told "at work" and "at rest" under a lock
//! that the interruption takes as well, so that an interruption never hits a later query with another budget.
//!
//! What counts for a query is the time of the processor and not that of the clock, which goes on while a busy machine does
//! nothing for us. Z3 knows the clock alone, and a solver that it has ended is not what it was before: asked again, it finds
//! other models. So solvers are never told a time; tactics, which have no state, are.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use foundation::Budget;
use rustix::thread::{Pid, gettid};
use z3::{Context, ContextHandle};

use crate::limits::processor_time;

/// How often the watching thread looks.
const INTERVAL: Duration = Duration::from_millis(5);

/// The watch over one solver, from its making to its drop.
#[derive(Clone)]
pub(crate) struct SolverWatch {
    watched: Arc<WatchedSolver>,
}

struct WatchedSolver {
    budget: Budget,
    context: ContextHandle<'static>,
    /// The query that it is at work on.
    query: Mutex<Option<WatchedQuery>>,
}

/// A query that a thread is at work on.
struct WatchedQuery {
    thread: Pid,
    begun: Instant,
    /// What the processor had worked for the thread when the query was begun.
    worked_before: Duration,
    /// How long it may work on the query.
    limit: Option<Duration>,
    /// Whether it has done so.
    is_out_of_time: bool,
}

impl WatchedQuery {
    fn new(limit: Option<Duration>) -> Self {
        Self { thread: gettid(), begun: Instant::now(), worked_before: processor_time(), limit, is_out_of_time: false }
    }

    /// Whether the processor has worked on it for long enough. It cannot have worked for longer than the clock says, so most
    /// often nothing has to be looked up.
    fn has_used_its_time(&self) -> bool {
        let elapsed = self.begun.elapsed();
        self.limit.is_some_and(|limit| {
            elapsed >= limit
                && worked_for(self.thread).map_or(elapsed, |now| now.saturating_sub(self.worked_before)) >= limit
        })
    }
}

/// The time that the processor has worked for a thread of this process, where the system says so.
fn worked_for(thread: Pid) -> Option<Duration> {
    let text = std::fs::read_to_string(format!("/proc/self/task/{thread}/schedstat")).ok()?;
    let worked = text.split(' ').next()?.parse().ok().map(Duration::from_nanos);
    // A system that does not count says zero.
    worked.filter(|worked| !worked.is_zero())
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
        let watched = Arc::new(WatchedSolver { budget: budget.clone(), context, query: Mutex::new(None) });
        let mut watchers = lock(&WATCHERS);
        watchers.list.push(Arc::downgrade(&watched));
        if !watchers.has_thread {
            watchers.has_thread = true;
            thread::spawn(watch);
        }
        Self { watched }
    }

    /// Runs a query under watch, and says whether the processor has worked on it for as long as it may.
    pub(crate) fn during<R>(&self, limit: Option<Duration>, query: impl FnOnce() -> R) -> (R, bool) {
        *lock(&self.watched.query) = Some(WatchedQuery::new(limit));
        let result = query();
        let query = lock(&self.watched.query).take();
        (result, query.is_some_and(|query| query.is_out_of_time))
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
            if let Some(query) = &mut *lock(&watched.query) {
                query.is_out_of_time |= query.has_used_its_time();
                if query.is_out_of_time || watched.budget.check().is_err() {
                    watched.context.interrupt();
                }
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(30);

    #[test]
    fn who_waits_has_not_worked_and_who_works_has() {
        let watch = SolverWatch::new(&Budget::unlimited());
        let is_counted = worked_for(gettid()).is_some();
        assert_eq!(watch.during(Some(SHORT), || thread::sleep(SHORT * 4)), ((), !is_counted));
        let work = || {
            let before = processor_time();
            while !lock(&watch.watched.query).as_ref().unwrap().is_out_of_time {}
            processor_time() - before
        };
        let (time, is_out_of_time) = watch.during(Some(SHORT), work);
        assert!(is_out_of_time && time >= SHORT);
        assert_eq!(watch.during(None, || 7), (7, false));
    }

    /// A product of two primes of 32 bits, whose factors no solver finds in a moment.
    fn hard() -> z3::Solver {
        let solver = z3::Solver::new();
        let [x, y] = ["x", "y"].map(|name| z3::ast::BV::new_const(name, 64));
        let product = z3::ast::BV::from_u64(4_294_967_279 * 4_294_967_291, 64);
        let [one, limit] = [1, 1 << 32].map(|number| z3::ast::BV::from_u64(number, 64));
        for factor in [&x, &y] {
            solver.assert(factor.bvugt(&one));
            solver.assert(factor.bvult(&limit));
        }
        solver.assert(x.bvmul(&y).eq(&product));
        solver
    }

    #[test]
    fn who_comes_after_an_interrupted_query_is_not_interrupted() {
        let watch = SolverWatch::new(&Budget::unlimited());
        let solver = hard();
        for _ in 0..3 {
            assert_eq!(watch.during(Some(SHORT), || solver.check()), (z3::SatResult::Unknown, true));
            let goal = z3::Goal::new(false, false, false);
            goal.assert(&z3::ast::Int::new_const("z").gt(z3::ast::Int::from_i64(7)));
            assert!(watch.during(None, || z3::Tactic::new("simplify").apply(&goal, None)).0.is_ok());
            let easy = z3::Solver::new();
            easy.assert(z3::ast::Int::new_const("z").gt(z3::ast::Int::from_i64(7)));
            assert_eq!(watch.during(None, || easy.check()), (z3::SatResult::Sat, false));
        }
    }
}
