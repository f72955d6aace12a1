//! The one concrete semantics: an interpreter that every engine is judged by. Clarity comes before speed here.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`config`] | the settings: kind of integers, mode of observation, treatment of undefined behaviour |
//! | [`value`], [`stop`] | values and pointers; why something cannot be completed |
//! | [`arithmetic`], [`light`] | operations on numbers; values on their way through an expression |
//! | [`object`], [`memory`], [`layout`] | objects as typed cells; lifetimes, reading and writing at a type |
//! | [`evaluate`], [`constant`] | expressions and places, in a state and without one |
//! | [`choices`], [`listed`] | where inputs, arbitrary values and schedules come from |
//! | [`state`], [`interpreter`] | the state of a program; accesses by a running program |
//! | [`step`], [`call`], `havoc`, [`threads`] | what each operation does |
//! | [`event`] | what happened in a step, for those who watch |
//! | [`observe`], [`race`] | which states are observed; data races |
//! | [`drive`], [`record`] | interpreter and observer together, step by step; what people are told of that |
//! | [`run`](mod@run), [`changes`](mod@changes), [`describe`] | a whole run; what was written in it; names and text for people |
//!
//! Nothing here knows temporal logic: a run yields the truth of atoms in its observed states.

pub mod arithmetic;
pub mod call;
pub mod changes;
pub mod choices;
pub mod config;
pub mod constant;
pub mod describe;
pub mod drive;
pub mod evaluate;
pub mod event;
mod havoc;
pub mod interpreter;
pub mod layout;
pub mod light;
pub mod listed;
pub mod memory;
pub mod object;
pub mod observe;
pub mod race;
pub mod record;
pub mod run;
pub mod state;
pub mod step;
pub mod stop;
pub mod threads;
pub mod value;

pub use changes::Change;
pub use choices::{Answer, Choices, Question, SeededChoices};
pub use config::{Atomicity, Integers, ObserveMode, Semantics, UndefinedMode};
pub use constant::{NotConstant, evaluate_constant, evaluate_constant_noting_overflow};
pub use drive::{Driver, Listener};
pub use listed::ListedChoices;
pub use observe::Occasion;
pub use race::Race;
pub use run::{Observation, Run, RunEnd, RunLimits, Warning, run};
pub use stop::{Stop, UndefinedBehaviour};
pub use value::{ObjectId, Pointer, Value};
