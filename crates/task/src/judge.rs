//! Who decides whether evidence counts. An engine that asks several others has each verdict judged, so that one whose
//! evidence does not pass ends nothing.

use foundation::Budget;

use crate::verdict::{Outcome, Reason, Verdict};

/// Checks the evidence of verdicts.
pub trait Judge {
    /// Whether the evidence of a definite verdict passes its check; why not, else.
    fn judge(&self, engine: &'static str, verdict: &Verdict, budget: &Budget) -> Result<(), Reason>;
}

/// Believes everything: for those who want to know what an engine says.
#[derive(Clone, Copy, Debug, Default)]
pub struct Believer;

impl Judge for Believer {
    fn judge(&self, _: &'static str, _: &Verdict, _: &Budget) -> Result<(), Reason> {
        Ok(())
    }
}

/// An outcome whose evidence has passed; one without an answer where it has not.
pub fn judged(outcome: Outcome, judge: &dyn Judge, budget: &Budget) -> Outcome {
    if let Verdict::Unknown(_) = outcome.verdict {
        return outcome;
    }
    match judge.judge(outcome.engine, &outcome.verdict, budget) {
        Ok(()) => outcome,
        Err(reason) => Outcome { verdict: Verdict::Unknown(reason), ..outcome },
    }
}
