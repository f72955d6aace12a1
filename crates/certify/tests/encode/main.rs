//! Tests of the transition formulas that certificates are checked with.

mod declared;
mod differential;
mod follow;
mod generator;
mod worlds;
