//! Tests of the transition formulas that certificates are checked with.

#[path = "../../../replay/tests/replay/chance.rs"]
#[allow(dead_code)]
mod chance;
mod declared;
mod differential;
mod follow;
mod generator;
mod worlds;
