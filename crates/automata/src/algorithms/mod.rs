//! Algorithms on automata, as free functions and lazy automata.
//!
//! - [`product`] and [`union`] combine lazy automata; [`difference`] subtracts.
//! - [`emptiness`] says whether anything is accepted, [`lasso`] then builds a short accepting run.
//! - [`mod@complement`] has one construction per class of automata; [`classify`] tells the classes apart.
//! - [`shape`] completes and trims.
//!
//! Everything is generic over the alphabet: letters can be valuations of atoms or edges of a program. Nothing here
//! knows formulas or files.

pub mod alphabet;
pub mod classify;
pub mod complement;
pub mod difference;
pub mod emptiness;
pub mod lasso;
pub mod module;
pub mod product;
pub mod pruning;
pub mod shape;
pub mod state_set;
pub mod union;

pub use crate::buchi::successors::explore;
pub use alphabet::{Alphabet, Exact, Minterms};
pub use complement::{Complement, OverAlphabet, Reader, Variant, complement};
pub use difference::{Difference, Residue};
pub use emptiness::{Search, is_empty, search, search_with};
pub use lasso::{Lasso, LassoOf, RunEdge, find_lasso};
pub use module::{Module, StateBased};
pub use product::Product;
pub use pruning::{Antichain, NoPruning, Pruning, Subsumption};
pub use shape::{complete, trim, trim_with};
pub use state_set::StateSet;
pub use union::{Either, Union};
