//! Output for people and for other programs: diagnostics, traces, automata, what was understood.
//!
//! Everything here turns a value into text or JSON and returns it; nothing here reads files, decides a question or
//! knows an engine's insides. The same value gives the same text every time.
//!
//! The fields of all JSON output are described in the documentation of the types that are serialised; their order is
//! the order of the declarations, and fields are only ever added.

pub mod automaton;
pub mod cfg;
pub mod counterexample;
pub mod diagnostics;
pub mod drawing;
pub mod formula;
pub mod kripke;
mod lasso;
pub mod semantics;
pub mod suite;
pub mod table;
pub mod trace;
pub mod understood;
pub mod verdict;

/// How text is written for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Style {
    /// Whether colours are written, as escape sequences of a terminal.
    pub colours: bool,
    /// How many columns a line may have.
    pub width: usize,
}

impl Style {
    /// Without colours, 120 columns wide.
    pub const PLAIN: Style = Style { colours: false, width: 120 };
}
