//! Tests of the property language from outside: its texts, its files, and its meaning on words.

#[path = "../damage/mod.rs"]
mod damage;
mod files;
mod lasso_words;
mod prefixes;
mod robustness;
mod syntax;
mod worlds;
