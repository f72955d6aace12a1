//! Tests of the HOA reader and writer: samples in the manner of other tools, faults, round trips, damaged texts.

#[path = "../damage/mod.rs"]
mod damage;
mod faults;
mod robustness;
mod round_trip;
mod samples;
