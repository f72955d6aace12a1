//! Sets of integers, as analyses compute with them: explicit ones of few elements, and intervals.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`interval`] | intervals, possibly unbounded |
//! | [`values`] | a few values, or an interval: with one value, the domain of constants |
//! | [`arithmetic`] | the operations of programs on such sets, in both kinds of integers |
//!
//! Bounds are 128-bit integers; what lies beyond [`interval::LIMIT`] is as good as unbounded, which is never wrong. That
//! the operations agree with the interpreter's is tested against it exhaustively at small widths.

pub mod arithmetic;
pub mod interval;
pub mod values;

pub use interval::Interval;
pub use values::Values;
