//! Tests of the program model's semantics: arithmetic and memory exhaustively or against plain models, every operation
//! and every kind of undefined behaviour on small programs, observation, threads and passes.

extern crate semper_program as program;

mod arithmetic;
mod builder;
mod choices;
mod constants;
mod interleave;
mod memory;
mod observation;
mod operations;
mod print;
mod threads;
mod undefined;
