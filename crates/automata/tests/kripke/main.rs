//! Tests of Kripke structures: their text.

#[path = "../damage/mod.rs"]
mod damage;
mod texts;
