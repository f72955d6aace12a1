//! Interrupting Z3 when a budget ends, or when the processor has worked long enough on a query.
//!
//! A context of Z3 has a thread that looks at its solvers every few milliseconds while there are any, and interrupts those
//! whose budget has ended. A solver is told "at work" and "at rest" under a lock that the interruption takes as well, so
//! that an interruption never hits a later query with another budget.
//!
//! What a solver finds, and how fast, depends on what its context was asked before, down to the numbers of terms. So whoever
//! decides or checks something does it in a context of its own ([`in_own_context`]): a query that was ended by time then
//! changes nothing for the next property, nor for the check of the evidence.
//!
//! What counts for a query is the time of the processor and not that of the clock, which goes on while a busy machine does
//! nothing for us. Z3 knows the clock alone, and a solver that it has ended is not what it was before: asked again, it finds
//! other models. So solvers are never told a time; tactics, which have no state, are.

use std::cell::RefCell;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};
use std::thread::{self, Thread};
use std::time::{Duration, Instant};

use foundation::Budget;
use rustix::thread::{Pid, gettid};
use z3::{Context, ContextHandle};

use crate::limits::processor_time;

/// How often a watching thread looks.
const INTERVAL: Duration = Duration::from_millis(5);

/// The watch over one solver, from its making to its drop.
#[derive(Clone)]
pub(crate) struct SolverWatch {
    watched: Arc<WatchedSolver>,
}

struct WatchedSolver {
    budget: Budget,
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
    // A system that does not count says zero, of the process's first thread too. Of one that has only just begun, any may.
    static COUNTS: LazyLock<bool> =
        LazyLock::new(|| counted_in("/proc/self/schedstat").is_some_and(|time| !time.is_zero()));
    counted_in(&format!("/proc/self/task/{thread}/schedstat")).filter(|_| *COUNTS)
}

/// The time that a file of the system says a thread has worked.
fn counted_in(path: &str) -> Option<Duration> {
    let text = std::fs::read_to_string(path).ok()?;
    text.split(' ').next()?.parse().ok().map(Duration::from_nanos)
}

/// The solvers of one context.
#[derive(Default)]
struct WatchedSolvers {
    list: Mutex<Vec<Weak<WatchedSolver>>>,
    /// Whether nobody needs the watch any more.
    has_ended: AtomicBool,
}

impl WatchedSolvers {
    /// Watches until the end, and rests while there is no solver.
    fn watch(&self, context: &ContextHandle<'_>) {
        while !self.has_ended.load(Ordering::Acquire) {
            let mut list = lock(&self.list);
            list.retain(|watched| watched.strong_count() > 0);
            let watched: Vec<Arc<WatchedSolver>> = list.iter().filter_map(Weak::upgrade).collect();
            drop(list);
            for watched in &watched {
                if let Some(query) = &mut *lock(&watched.query) {
                    query.is_out_of_time |= query.has_used_its_time();
                    if query.is_out_of_time || watched.budget.check().is_err() {
                        context.interrupt();
                    }
                }
            }
            match watched.is_empty() {
                true => thread::park(),
                false => thread::park_timeout(INTERVAL),
            }
        }
    }
}

/// The watch over the context of a thread, which ends when this is dropped.
struct ContextWatch {
    solvers: Arc<WatchedSolvers>,
    watcher: Thread,
}

impl ContextWatch {
    /// The watch over the context that this thread has outside of [`in_own_context`]. That is never freed: the watching
    /// thread holds it without owning it.
    fn of_thread() -> Self {
        let context: &'static Context = Box::leak(Box::new(Context::thread_local()));
        let (handle, solvers) = (context.handle(), Arc::<WatchedSolvers>::default());
        let watched = Arc::clone(&solvers);
        let watcher = thread::spawn(move || watched.watch(&handle)).thread().clone();
        Self { solvers, watcher }
    }
}

impl Drop for ContextWatch {
    fn drop(&mut self) {
        self.solvers.has_ended.store(true, Ordering::Release);
        self.watcher.unpark();
    }
}

thread_local! {
    /// The watch over the context that the crate `z3` uses in this thread, once there was a solver.
    static WATCH: RefCell<Option<ContextWatch>> = const { RefCell::new(None) };
}

/// The work runs on a stack of this size, as large as that of the thread that it takes the place of.
const STACK_BYTES: usize = 256 << 20;

/// Does something with solvers whose context is new, and is freed afterwards.
///
/// # Panics
///
/// Where no thread can be had, or the work panics.
pub fn in_own_context<R: Send>(work: impl FnOnce() -> R + Send) -> R {
    thread::scope(|scope| {
        // The crate `z3` has one context for each thread.
        let worker = thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, || {
            let context = Context::thread_local();
            let (handle, solvers) = (context.handle(), Arc::<WatchedSolvers>::default());
            thread::scope(|scope| {
                let watcher = scope.spawn(|| solvers.watch(&handle)).thread().clone();
                // Also where the work panics: whoever watches must end.
                let watch = ContextWatch { solvers: Arc::clone(&solvers), watcher };
                WATCH.set(Some(watch));
                let _at_the_end = EndOfWatch;
                work()
            })
        });
        worker.expect("a thread").join().unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// Ends the watch of this thread when it is dropped.
struct EndOfWatch;

impl Drop for EndOfWatch {
    fn drop(&mut self) {
        WATCH.set(None);
    }
}

impl SolverWatch {
    /// Watches the solvers of this thread for a budget.
    pub(crate) fn new(budget: &Budget) -> Self {
        let watched = Arc::new(WatchedSolver { budget: budget.clone(), query: Mutex::new(None) });
        WATCH.with_borrow_mut(|watch| {
            let watch = watch.get_or_insert_with(ContextWatch::of_thread);
            lock(&watch.solvers.list).push(Arc::downgrade(&watched));
            watch.watcher.unpark();
        });
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::counted;

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
    /// The steps that the same query takes differ with the terms that the context had before.
    #[test]
    fn a_context_of_its_own_knows_nothing_of_what_was_asked_before() {
        let easy = || {
            let (solver, [x, y]) = (z3::Solver::new(), ["x", "y"].map(z3::ast::Int::new_const));
            solver.assert((&x * &y).gt(7) & (&x * 3 - &y * 5).eq(1) & x.gt(100));
            counted(&solver, || solver.check())
        };
        let ask_hard = || {
            let watch = SolverWatch::new(&Budget::unlimited());
            let solver = hard();
            assert_eq!(watch.during(Some(SHORT), || solver.check()), (z3::SatResult::Unknown, true));
        };
        let first = in_own_context(easy);
        in_own_context(ask_hard);
        ask_hard();
        assert_eq!(in_own_context(easy), first);
    }

    #[test]
    fn a_panic_in_a_context_of_its_own_is_passed_on() {
        let work = || {
            let _watch = SolverWatch::new(&Budget::unlimited());
            panic!("on purpose")
        };
        assert!(std::panic::catch_unwind(|| in_own_context::<()>(work)).is_err());
    }
}
