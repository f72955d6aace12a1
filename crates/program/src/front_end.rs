//! What a front end is: texts in; a program, and the scope in which atomic propositions are read, out.
//!
//! Which states are observed is marked on the program's edges, and the text of a statement is what stands at the span of its
//! edge; so a front end that sets both has said everything that a report needs. Nothing here knows a language.

use std::fmt;

use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};

use crate::atom::Atom;
use crate::cfa::FunctionId;
use crate::model::{Program, VariableId};
use crate::semantics::ObserveMode;
use crate::types::DataModel;

/// Translates texts in one language to programs. It does no input or output.
pub trait FrontEnd: Sync + fmt::Debug {
    /// What people call the language.
    fn language(&self) -> &'static str;

    /// Whether a file is in this language, by its name.
    fn reads(&self, file: &str) -> bool;

    /// Whether files go through the preprocessor of C before they are translated.
    fn is_preprocessed(&self) -> bool {
        false
    }

    /// Translates texts to one program. There is none if a diagnostic is an error.
    fn translate(
        &self,
        units: &[SourceId],
        sources: &mut SourceMap,
        options: &Options,
        diagnostics: &mut Diagnostics,
    ) -> Option<Box<dyn Translated>>;
}

/// A translated program, with what is needed to read atomic propositions over it.
pub trait Translated {
    /// The program as it is now: atoms add expressions to it.
    fn program(&self) -> &Program;

    /// The program, when no more atoms are read.
    fn into_program(self: Box<Self>) -> Program;

    /// Reads the text in a span as an atomic proposition. There is none if a diagnostic is an error.
    fn atom(&mut self, span: Span, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<Atom>;

    /// The function that a property names; the place is that of the name.
    fn function(&self, name: &str, place: Option<Span>) -> Result<FunctionId, Box<Diagnostic>>;

    /// The type of a variable, as the language writes it.
    fn type_of(&self, variable: VariableId) -> Option<String>;

    /// Adds to what is wrong with an atom what its author may have meant. The texts are those that the user wrote.
    fn explain(&self, diagnostic: Diagnostic, _atom: &str, _written: &[SourceId], _sources: &SourceMap) -> Diagnostic {
        diagnostic
    }

    /// Which states are observed where the user does not say it.
    fn usual_observation(&self) -> ObserveMode {
        if self.program().has_steps() { ObserveMode::Step } else { ObserveMode::Statement }
    }
}

/// What a call of a function without a body does besides returning any value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum UndefinedFunctions {
    /// It writes any values to what its arguments reach, as far as their types say.
    #[default]
    Havoc,
    /// Nothing.
    Pure,
}

/// How a program is to be understood.
#[derive(Clone, Debug)]
pub struct Options {
    /// The sizes of the target machine.
    pub data_model: DataModel,
    /// Whether reading a volatile object yields input rather than what the program wrote.
    pub volatile_input: bool,
    /// What functions without a body do.
    pub undefined_functions: UndefinedFunctions,
    /// The function in which the program starts.
    pub entry: String,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            data_model: DataModel::default(),
            volatile_input: false,
            undefined_functions: UndefinedFunctions::Havoc,
            entry: "main".to_owned(),
        }
    }
}
