//! The hunt for disagreement: random C programs, run by the interpreter and by a real compiler, must show the same trace.
//!
//! [`generate()`] makes the programs, [`compiled`] runs them through a C compiler, [`interpreted`] through the front end
//! and the interpreter, [`differential`] compares, [`reduce`](mod@reduce) makes what disagrees small. [`engines`] compares
//! engines with each other and with executions, on the programs and formulas of [`reactive`](mod@reactive),
//! [`numeric`](mod@numeric) and [`device`](mod@device). [`sanitised`] compares errors with what a sanitiser sees, on the
//! programs of [`library_program`].
//!
//! As much of it as asked for, with a report, the exit status 1 and reduced programs where something disagrees:
//!
//! ```text
//! cargo run -p semper-hunt -- differential --count 1000 --seed 1 --size medium
//! ```
//!
//! This crate serves development only: nothing that users run depends on it, and
//! the generator knows nothing of the interpreter it tests.

pub mod compiled;
pub mod device;
pub mod differential;
pub mod engines;
mod generate;
pub mod interpreted;
mod library;
pub mod numeric;
pub mod passes;
mod program;
mod random;
pub mod reactive;
pub mod reduce;
pub mod sanitised;
mod wild;

pub use generate::generate;
pub use library::library_program;
pub use program::{Features, GeneratedProgram, ObservedGlobal, Size};
pub use random::Random;
pub use wild::wild;
