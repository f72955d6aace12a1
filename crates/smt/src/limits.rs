//! How much a query may take: steps that Z3 counts itself, so that what it finds does not depend on the machine; and,
//! since it does not count everything, the time that the processor works on it ([`SolverWatch`]).

use std::time::{Duration, Instant};

use foundation::Budget;
use rustix::time::{ClockId, clock_gettime};
use z3::{Params, StatisticsValue};

use crate::watch::SolverWatch;

/// What a solver is told of interruption: how many steps each check may take, as it counts them itself, and that an
/// interrupt from the keyboard is none of its business. Without that it takes the signal for itself, and whoever waits
/// for it never hears of it.
pub(crate) fn parameters(steps: Option<u32>) -> Params {
    let mut parameters = Params::new();
    // Zero is no limit.
    parameters.set_u32("rlimit", steps.map_or(0, |steps| steps.max(1)));
    parameters.set_bool("ctrl_c", false);
    parameters
}

/// Z3 does not count what it does inside of its arithmetic of polynomials. So a check is ended that takes so many times
/// as long as its steps should. Checks whose steps are counted end before that: on the suite, the slowest took five times
/// as long.
const PATIENCE_FACTOR: u32 = 16;

/// The least that a check may take before its steps are doubted.
const LEAST_EXPECTED: Duration = Duration::from_millis(250);

/// How long a check of so many steps is waited for.
pub(crate) fn patience(steps: u32) -> Duration {
    Duration::from_micros(u64::from(steps) / STEPS_PER_UNIT).max(LEAST_EXPECTED) * PATIENCE_FACTOR
}

/// Asks something that may take so many steps and so much of the processor's time, spends its steps, and returns their
/// number with the answer. `ask` returns no answer where Z3 gave up.
///
/// What gave up for want of time has used all its steps, however many were counted: so the work that is left does not depend
/// on the machine.
pub(crate) fn patiently<R>(
    steps: u32,
    patience: Duration,
    budget: &Budget,
    watch: &SolverWatch,
    ask: impl FnOnce() -> (Option<R>, u32),
) -> (Option<R>, u32) {
    let ((answer, taken), is_out_of_time) = watch.during(Some(patience), ask);
    let taken = if answer.is_none() && is_out_of_time { steps } else { taken };
    spend(budget, taken);
    (answer, taken)
}

/// The same for what has no state, such as a tactic: an interruption from outside would also hit those that come after
/// it, so `ask` is told a time by the clock, and what the clock has ended too early, on a machine that is busy with
/// others, is asked again for longer.
pub(crate) fn repeatedly<R>(
    steps: u32,
    patience: Duration,
    budget: &Budget,
    mut ask: impl FnMut(Duration) -> (Option<R>, u32),
) -> (Option<R>, u32) {
    let mut clock = patience;
    loop {
        let (start, before) = (Instant::now(), processor_time());
        let (answer, taken) = ask(clock);
        let (elapsed, worked) = (start.elapsed(), processor_time().saturating_sub(before));
        let is_out_of_time = answer.is_none() && elapsed >= clock;
        if is_out_of_time && worked < patience * 3 / 4 && budget.check().is_ok() {
            let slowness = elapsed.as_secs_f64() / worked.as_secs_f64().max(1e-3);
            clock = clock.max(patience.mul_f64(slowness.min(MOST_SLOWNESS))) * 2;
            continue;
        }
        let taken = if is_out_of_time { steps } else { taken };
        spend(budget, taken);
        return (answer, taken);
    }
}

/// No machine is taken to be slower than by this factor because it is busy.
const MOST_SLOWNESS: f64 = 1000.0;

/// The time that the processor has worked for this thread.
pub(crate) fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::try_from(time).unwrap_or_default()
}

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

/// Runs something that a solver of this thread does, and returns the number of steps with the result.
pub(crate) fn counted<R>(solver: &z3::Solver, work: impl FnOnce() -> R) -> (R, u32) {
    let before = steps_taken(solver);
    let result = work();
    (result, steps_taken(solver).wrapping_sub(before))
}

/// Notes the work of so many steps.
pub(crate) fn spend(budget: &Budget, steps: u32) {
    budget.spend(u64::from(steps) / STEPS_PER_UNIT + 1);
}

/// How many steps all solvers of this thread have taken so far; after four billion it begins again.
fn steps_taken(solver: &z3::Solver) -> u32 {
    match solver.get_statistics().value("rlimit count") {
        Some(StatisticsValue::UInt(steps)) => steps,
        Some(StatisticsValue::Double(steps)) => steps as u64 as u32,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHORT: Duration = Duration::from_millis(20);

    /// What waits does not work, so that the clock alone is no reason to give up.
    #[test]
    fn what_the_clock_ends_is_asked_again_for_longer() {
        let budget = Budget::unlimited();
        let mut clocks = Vec::new();
        let (answer, taken) = repeatedly(100, SHORT, &budget, |clock| {
            clocks.push(clock);
            if clocks.len() < 3 {
                std::thread::sleep(clock);
                return (None, 7);
            }
            (Some("an answer"), 9)
        });
        assert_eq!((answer, taken), (Some("an answer"), 9));
        assert!(clocks.is_sorted_by(|one, other| *one * 2 <= *other), "{clocks:?}");
    }

    #[test]
    fn what_gives_up_for_want_of_time_has_used_all_its_steps_and_what_gives_up_by_itself_has_not() {
        let budget = Budget::unlimited();
        let watch = SolverWatch::new(&budget);
        let give_up = || (None::<()>, 7);
        let works = || {
            let before = processor_time();
            while processor_time() - before < SHORT * 50 {}
            give_up()
        };
        assert_eq!(patiently(100, SHORT, &budget, &watch, works), (None, 100));
        assert_eq!(patiently(100, SHORT * 1000, &budget, &watch, give_up), (None, 7));
    }
}
