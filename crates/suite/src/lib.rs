//! Suites: many tasks, each a program with a property and the verdict that is expected, run one after the other or side by
//! side, and measured.
//!
//! Tasks are defined by files in the competition's format ([`read()`]). Each runs as a process of its own ([`run()`]),
//! so that a crash or a blow-up of one does not touch the others, and what is measured is what a user of `semper check`
//! would wait for. Nothing here knows an engine: a task's answer is what its process prints as JSON.

mod answer;
mod definition;
mod document;
mod read;
mod run;

pub use definition::LabelledTask;
pub use read::{ReadSuite, read};
pub use run::{SuitePlan, SuiteProgress, run};
