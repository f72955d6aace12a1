//! Lassos are accepted exactly if they show a violation.

mod chance;
mod dependence;
mod ends;
mod fairness;
mod growth;
mod oracle;
mod prefix;
mod random;
mod worlds;

use ::replay::{Rejected, ReplayLimits, Replayed, replay_within};
use foundation::Budget;
use task::{Lasso, Task};

/// Replays within a limit that is large for a test.
fn replayed(task: &Task, lasso: &Lasso) -> Result<Replayed, Rejected> {
    replay_within(task, lasso, ReplayLimits { steps: 100_000 }, &Budget::unlimited())
}
