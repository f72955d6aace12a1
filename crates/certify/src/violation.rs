//! Counterexamples: executed, and where an execution need not come back to a state, with the argument why it goes on.

use foundation::Budget;
use replay::growth::FEW_STEPS;
use replay::{Rejected, ReplayLimits, Replayed, replay_within};
use task::{Counterexample, Task};

/// Checks what an engine says to be a violation.
///
/// An execution that need not come back to a state often does nevertheless, which needs no formulas. Where the formulas are
/// too coarse for its argument, it may still be seen to be a violation by executing it.
pub fn confirm(task: &Task, counterexample: &Counterexample, budget: &Budget) -> Result<Replayed, Rejected> {
    let Counterexample::Recurrent { answers, set } = counterexample else {
        return replay::confirm(task, counterexample, budget);
    };
    match replay_within(task, answers, ReplayLimits { steps: FEW_STEPS }, budget) {
        Err(Rejected::Exhausted(exhausted)) => Err(Rejected::Exhausted(exhausted)),
        Err(_) => recurrence::goes_on(task, answers, set, budget).or_else(|rejected| {
            budget.check().map_err(Rejected::Exhausted)?;
            replay::confirm(task, counterexample, budget).map_err(|_| rejected)
        }),
        closed => closed,
    }
}
