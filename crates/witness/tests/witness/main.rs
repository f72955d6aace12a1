//! Witnesses as texts: rules, round trips, damage, and the documentation.

mod documentation;
mod robustness;
mod round_trip;
mod rules;
mod samples;
