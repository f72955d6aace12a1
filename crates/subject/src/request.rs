//! What a user asks for: which texts are read, which properties are meant, and by which semantics.

use c_frontend::C;
use program::DataModel;
use program::front_end::FrontEnd;
use program::semantics::{Atomicity, Integers, ObserveMode, UndefinedMode};

/// What is to be loaded, and how it is to be read. The default values are those of the command line.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// The program's files.
    pub files: Vec<Input>,
    /// Folders that are searched for headers.
    pub include: Vec<String>,
    /// Macros, `NAME` or `NAME=VALUE`.
    pub define: Vec<String>,
    /// The function where the program starts; else the one that the property file names, else `main`.
    pub entry: Option<String>,
    /// The sizes of types.
    pub data_model: DataModel,
    /// Whether reading a volatile object is input.
    pub volatile_input: bool,
    /// Whether functions without a body write nothing through their arguments.
    pub pure_undefined_functions: bool,
    /// Where the properties are found.
    pub properties: Properties,
    /// Formulas that every execution of interest satisfies.
    pub assumptions: Vec<String>,
    /// What integers are.
    pub integers: Integers,
    /// Which states are observed; else those at explicit steps where the program has any, and after every statement
    /// where it has none.
    pub observe: Option<ObserveMode>,
    /// What undefined behaviour does.
    pub undefined: UndefinedMode,
    /// Whether an allocation may return the null pointer.
    pub malloc_may_fail: bool,
    /// Between what threads may be interrupted.
    pub atomicity: Atomicity,
    /// The languages that are read.
    pub front_ends: FrontEnds,
}

/// Front ends, the usual one first.
#[derive(Clone, Debug)]
pub struct FrontEnds(pub Vec<&'static dyn FrontEnd>);

impl Default for FrontEnds {
    fn default() -> Self {
        Self(vec![&C])
    }
}

impl Request {
    /// The front end for the program's files: the one that reads the first of them, else the usual one.
    pub fn front_end(&self) -> &'static dyn FrontEnd {
        let first = self.files.first().map_or("", |(Input::File(name) | Input::Text { name, .. })| name);
        let FrontEnds(all) = &self.front_ends;
        let reader = all.iter().find(|front_end| front_end.reads(first)).or(all.first());
        reader.copied().unwrap_or(&C)
    }
}

/// A text of the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Input {
    /// The file at a path. It is preprocessed where it is in C and contains directives.
    File(String),
    /// A text that needs no preprocessing.
    Text {
        /// The name by which diagnostics refer to it.
        name: String,
        /// The text itself.
        text: String,
    },
}

/// Where properties are found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Properties {
    /// In the program's files, written as `//@ ltl` annotations.
    #[default]
    Annotations,
    /// Here, as formulas.
    Formulas(Vec<String>),
    /// In the property file (`.prp`) at a path.
    File(String),
}
