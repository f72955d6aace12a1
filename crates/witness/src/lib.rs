//! Witnesses in the exchange format of the software verification competition (SV-COMP), versions 2.0 and 2.1: what one
//! tool found out about a program, in a YAML file that another tool can check.
//!
//! A *violation witness* is a sequence of waypoints that a violating execution passes; from version 2.1 on it may end in
//! a cycle that is passed for ever. A *correctness witness* is a set of invariants. The format is that of P. Ayaziová,
//! D. Beyer, M. Lingsch-Rosenfeld, M. Spiessl, J. Strejček: Software Verification Witnesses 2.0 (SPIN 2024), with the
//! additions of version 2.1; `docs/witness-format.md` has it rule by rule.
//!
//! [`read`] and [`write()`] are inverse to each other, and [`faults`] says which rules a witness breaks. This crate knows the
//! form of witnesses only: expressions are texts to it, and it knows neither programs nor what a witness says of one. Its
//! reader of YAML ([`yaml`]) serves other formats as well.

mod forms;
mod hash;
mod model;
mod read;
pub mod robustness;
mod rules;
pub mod select;
mod write;
pub mod yaml;

pub use hash::sha256;
pub use model::{
    Action, Constraint, Content, DataModel, Format, Invariant, InvariantType, Language, Metadata, Producer, Segment,
    SourcePlace, Version, Waypoint, WaypointType, Witness, WitnessEntry, WitnessTask,
};
pub use read::{ReadWitness, read};
pub use rules::{At, BrokenRule, FormatRule, RULES, faults};
pub use write::write;
