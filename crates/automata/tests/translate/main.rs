//! Formulas to automata: every stage against the definition of LTL on lasso words.

mod guards;
mod languages;
mod limits;
mod objects;
mod pictures;
mod properties;
mod random;
mod shapes;
mod simplify;
#[path = "../ltl/worlds.rs"]
mod worlds;
