//! Tests of Kripke structures: their text, and the check of formulas on them.

mod checking;
#[path = "../damage/mod.rs"]
mod damage;
mod texts;
