//! What the user asks about, ready to be decided: [`load()`] reads a program and its properties and gives a [`Subject`],
//! and [`execute()`] runs it once.
//! Kripke structures are read by [`structure`], and are subjects like all others.

pub mod execute;
pub mod load;
pub mod properties;
pub mod request;
pub mod structure;
pub mod subject;

pub use execute::{Execution, TraceTruth, execute, is_complete};
pub use load::{Loaded, load};
pub use request::{FrontEnds, Input, Properties, Request};
pub use subject::{Property, Subject, goal};
