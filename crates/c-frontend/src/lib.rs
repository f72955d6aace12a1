//! C text to [`program`]: the front end for C11 with the GNU extensions that preprocessed system headers need.
//!
//! It takes text and gives a program or diagnostics; it does no input or output and knows nothing of formulas, solvers
//! or engines. [`translate`] turns translation units into one program; [`Translation::atom`] reads the C text of an
//! atomic proposition in that program's scope.
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`syntax`] | tokens, the grammar, the syntax tree |
//! | [`types`] | the types of C, their layout and conversions |
//! | `front_end` | C as one of the languages that are read |
//! | `lower` | names, types and side effects resolved: the tree becomes edges of the program model |
//!
//! # Example
//!
//! A program is translated and executed once. Neither needs a solver, a compiler or a file.
//!
//! ```
//! use semper_c_frontend::{Options, translate};
//! use foundation::{Budget, Diagnostics, SourceMap};
//! use program::EndKind;
//! use program::semantics::{RunEnd, RunLimits, SeededChoices, Semantics, run};
//!
//! let mut sources = SourceMap::new();
//! let unit = sources.add("three.c", "int x; int main(void) { while (x < 3) x++; return x; }");
//! let mut diagnostics = Diagnostics::new();
//! let translation = translate(&[unit], &mut sources, &Options::default(), &mut diagnostics);
//! let program = translation.expect("it is correct").program;
//! let mut choices = SeededChoices::new(0);
//! let run = run(&program, Semantics::default(), &[], &mut choices, RunLimits::default(), &Budget::unlimited());
//! assert_eq!(run.end, RunEnd::End(EndKind::Return));
//! ```

mod front_end;
mod lower;
#[doc(hidden)]
pub mod robustness;
pub mod syntax;
pub mod types;

use foundation::collections::HashMap;
use foundation::{Diagnostics, SourceId, SourceMap};
use program::{FunctionId, Program, VariableId};

pub use front_end::C;
pub use program::front_end::{Options, UndefinedFunctions};
use syntax::symbols::{Symbol, Symbols};
use types::{CTypes, Qual};

/// A translated program, with what is needed to read atomic propositions over it.
pub struct Translation {
    /// The program.
    pub program: Program,
    types: CTypes,
    symbols: Symbols,
    variable_types: HashMap<VariableId, Qual>,
    functions: HashMap<FunctionId, lower::FunctionInfo>,
    linked: HashMap<Symbol, lower::Linked>,
    scope: lower::ProgramScope,
}

/// Translates preprocessed C texts to one program. There is none if a diagnostic is an error.
pub fn translate(
    units: &[SourceId],
    sources: &mut SourceMap,
    options: &Options,
    diagnostics: &mut Diagnostics,
) -> Option<Translation> {
    let mut symbols = Symbols::default();
    let mut trees = Vec::new();
    for &unit in units {
        trees.push((unit, syntax::parse(unit, sources, &mut symbols, diagnostics)));
    }
    if diagnostics.has_errors() {
        return None;
    }
    let translation = lower::lower(trees, sources, &mut symbols, options, diagnostics);
    (!diagnostics.has_errors()).then_some(translation)
}

impl Translation {
    /// The C type of a variable, as a C programmer writes it.
    pub fn type_of(&self, variable: VariableId) -> Option<String> {
        self.variable_types.get(&variable).map(|ty| self.types.describe(*ty))
    }
}
