//! The task's program without calls, which engines have in common.

use std::sync::Arc;

use foundation::{Budget, Exhausted};
use program::passes::{NotPrepared, Prepared, prepare, simplify};

use crate::board::{Board, Fact};
use crate::task::Task;

/// Programs that inlining makes larger than this are not kept for others.
pub const MOST_EDGES: usize = 20_000;

/// A task's program without calls.
#[derive(Clone, Debug)]
pub struct Preparation {
    /// Right after inlining: what evidence speaks of.
    pub inlined: Prepared,
    /// After all passes.
    pub simplified: Prepared,
}

/// What came of it.
struct PreparationTried(Result<Arc<Preparation>, NotPrepared>);

impl Fact for PreparationTried {
    const NAME: &'static str = "program without calls";
}

impl Preparation {
    /// Prepares the task's program of at most [`MOST_EDGES`] edges for an engine, or finds it on the board.
    pub fn of(
        task: &Task,
        board: &Board,
        engine: &'static str,
        budget: &Budget,
    ) -> Result<Result<Arc<Self>, NotPrepared>, Exhausted> {
        let tried = board.once(engine, || {
            let inlined = match prepare(&task.program, &task.atoms, task.semantics, MOST_EDGES) {
                Ok(inlined) => inlined,
                Err(why) => return Ok(PreparationTried(Err(why))),
            };
            budget.check()?;
            let simplified = simplify(inlined.clone());
            Ok(PreparationTried(Ok(Arc::new(Self { inlined, simplified }))))
        })?;
        Ok(tried.0.clone())
    }
}
