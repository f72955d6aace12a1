//! Decides properties of a subject: a task is made of it, an engine is asked, and what it answers is checked before anybody
//! is told.

mod decide;

pub use decide::*;
