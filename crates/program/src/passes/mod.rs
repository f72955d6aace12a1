//! Passes: each makes a new program from one, and returns the way back, so that what is found in the new program is
//! told in terms of the old one.

pub mod inline;
pub mod interleave;
pub mod rename;
