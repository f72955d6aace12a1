//! Decides properties of a subject: a task is made of it, an engine is asked, and what it answers is checked before anybody
//! is told.

mod decide;
mod prepare;
mod shorten;

pub use decide::{
    Checked, CheckedOutcome, CheckedVerdict, RejectedEvidence, Settings, certify, check, check_watched, check_with,
    undecided,
};
pub use prepare::{PreparedTask, prepare, task_of};
