//! Tests of the algorithms on automata: small worlds exhausted, and many random automata, against brute force on
//! lasso words.

mod complements;
mod differences;
mod emptiness;
mod formulas;
mod letters;
mod shapes;
mod subsumption;
mod worlds;
