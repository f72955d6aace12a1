//! Linear temporal logic, the property language of Semper.
//!
//! - [`Formulas`] interns formulas; [`Atoms`] interns what they speak of.
//! - [`parse`](parse::parse) reads all dialects, [`Formulas::display`] writes one of them; [`prp`] and [`annotations`]
//!   find formulas in property files and in source texts.
//! - [`lasso`] and [`prefix`] evaluate a formula on an infinite or a finite word by the definition of LTL. They are a
//!   reference for everything that goes through automata, so they share no code with a translation.
//!
//! Nothing here recurses over a formula: children are interned before their parents, so every algorithm is a loop
//! over ascending ids, and a formula of a hundred thousand nested operators is no special case.

pub mod annotations;
pub mod atom;
mod bounds;
pub mod formula;
pub mod lasso;
pub mod parse;
pub mod prefix;
mod print;
pub mod prp;
#[doc(hidden)]
pub mod robustness;
mod tableau;
mod token;
pub mod word;

pub use annotations::Annotation;
pub use atom::{Atom, AtomId, Atoms, Builtin};
pub use formula::{Binary, Formula, Formulas, Node, Unary};
pub use lasso::{TruthTable, evaluate_lasso, truth_table};
pub use parse::parse;
pub use prefix::{PrefixTruth, Progression, evaluate_prefix};
pub use print::PrintedFormula;
pub use prp::PropertyCheck;
pub use word::Letter;
