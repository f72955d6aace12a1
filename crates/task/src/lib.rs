//! The narrow waist between front ends and engines: a [`Task`] goes in, a [`Verdict`] with its evidence comes out.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`task`](mod@task) | a program, a property over it, and the semantics by which both are read |
//! | [`goal`] | what is to hold: of executions, or of their tree |
//! | [`negation`] | the automaton of the negated property, and how it reads words: the lazy product is a view of both |
//! | [`preparation`] | the program without calls |
//! | [`engine`] | what an engine is |
//! | [`board`] | what engines hand on to each other |
//! | [`registry`] | which engines there are, and how they are made |
//! | [`judge`] | who decides whether evidence counts |
//! | [`verdict`] | verdicts, reasons for having none, statistics |
//! | [`watch`] | what engines tell of their work while it goes on |
//! | [`counterexample`] | what shows a violation |
//! | [`recurrent_set`] | why an execution goes on without coming back to a state |
//! | [`certificate`] | what shows that a property holds, and its text |
//!
//! Nothing here knows how an engine works or how evidence is checked.

pub mod board;
pub mod certificate;
pub mod counterexample;
pub mod engine;
pub mod goal;
pub mod judge;
pub mod negation;
pub mod preparation;
pub mod recurrent_set;
pub mod registry;
pub mod task;
pub mod verdict;
pub mod watch;

pub use board::{Board, Fact};
pub use certificate::{Certificate, ClosedStateSpace, Cover, Unwritten};
pub use counterexample::{Branch, Counterexample, Lasso, Tree};
pub use engine::Engine;
pub use goal::{Goal, Universal};
pub use judge::{Believer, Judge};
pub use negation::{LetterBits, Negation, WordReader};
pub use preparation::Preparation;
pub use recurrent_set::RecurrentSet;
pub use registry::{Entry, Registry, Setup};
pub use task::{Scheduler, Task};
pub use verdict::{Attempt, Figure, Obstacle, Outcome, Reason, Statistics, Verdict};
