//! What an engine is: one input, one method, one result.

use foundation::Budget;

use crate::board::Board;
use crate::judge::{Judge, judged};
use crate::task::Task;
use crate::verdict::Outcome;

/// A decision procedure, complete or not, for tasks.
///
/// An engine never guesses: what it does not cover is [`Verdict::Unknown`](crate::Verdict::Unknown) with the reason.
/// The same task gives the same verdict every time, up to the limits of the budget.
pub trait Engine {
    /// The name by which users choose it.
    fn name(&self) -> &'static str;

    /// Answers a task within a budget. On the board is what was found out about this task before, by whomever, and what is
    /// found out now may be posted there.
    fn check(&self, task: &Task, board: &Board, budget: &Budget) -> Outcome;

    /// Answers a task with a verdict whose evidence passes, or with none. An engine that knows others goes on where
    /// evidence does not pass.
    fn check_judged(&self, task: &Task, judge: &dyn Judge, budget: &Budget) -> Outcome {
        judged(self.check(task, &Board::default(), budget), judge, budget)
    }
}
