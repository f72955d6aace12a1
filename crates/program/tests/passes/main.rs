//! Tests of the passes that prepare a program for an engine: the traps, one by one. That they keep what random programs
//! do is tested by the crate `semper-hunt`, which has programs.

extern crate semper_program as program;

mod atoms;
#[allow(dead_code)]
#[path = "../semantics/builder.rs"]
mod builder;
mod constants;
mod promote;
mod shown;
mod slice;
