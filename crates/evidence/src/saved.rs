//! A counterexample in a file: everything that is needed to execute it again, as JSON. `docs/replay.md` describes the
//! format.
//!
//! What the file says is never believed: who reads it executes the program with its answers, and says of that execution
//! alone whether it violates the property. So a file that somebody edited can show another violation, but never one that
//! is none. The story in it is for people and is not read.

mod answers;
mod read;
#[doc(hidden)]
pub mod robustness;
mod sv_comp;
#[cfg(test)]
mod tests;

use program::semantics::{Atomicity, Integers, ObserveMode, UndefinedMode};
use program::{DataModel, Program};
use serde::{Deserialize, Serialize};
use subject::{FrontEnds, Input, Properties, Request, Subject};
use task::certificate::sexp::Sexp;
use task::{Counterexample, Lasso, RecurrentSet, Scheduler};

pub use answers::SavedAnswer;
pub use read::read;
pub use sv_comp::as_sv_comp;
pub use sv_comp::{metadata, specification};
pub use witness::sha256;

/// What the files call themselves.
pub const FORMAT: &str = "semper-counterexample";

/// The version of the format that is written, and the only one that is read.
pub const VERSION: u64 = 1;

/// A counterexample with the question that it answers. The fields are those of the file.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Saved {
    /// [`FORMAT`].
    pub format: String,
    /// [`VERSION`].
    pub version: u64,
    /// What wrote the file.
    pub producer: String,
    /// The program.
    pub program: SavedProgram,
    /// The semantics by which the program is read.
    pub semantics: SavedSemantics,
    /// The property that is violated.
    pub property: SavedProperty,
    /// The answers before the cycle, as [`Lasso::stem`].
    pub stem: Vec<SavedAnswer>,
    /// The answers of the cycle, as [`Lasso::cycle`].
    pub cycle: Vec<SavedAnswer>,
    /// The set of states in which it goes on, where it need not come back to one, as [`RecurrentSet::write`] says it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recurrent_set: Option<String>,
    /// What happens in the execution, for people.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub story: Option<serde_json::Value>,
}

/// What evidence answers: does this program satisfy this property?
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct Inquiry {
    /// The program.
    pub program: SavedProgram,
    /// The semantics by which it is read.
    pub semantics: SavedSemantics,
    /// The property.
    pub property: SavedProperty,
}

/// The program of a saved counterexample.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct SavedProgram {
    /// Its files, in order.
    pub files: Vec<SavedFile>,
    /// Folders that are searched for headers.
    pub include: Vec<String>,
    /// Macros.
    pub define: Vec<String>,
    /// The function in which it starts.
    pub entry: String,
    /// `LP64` or `ILP32`.
    pub data_model: String,
    /// Whether reading a volatile object is input.
    pub volatile_input: bool,
    /// Whether functions without a body write nothing through their arguments. Left out where they may.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub pure_undefined_functions: bool,
}

/// A file of the program.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct SavedFile {
    /// Its path, as the user gave it.
    pub path: String,
    /// The SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
}

/// The semantics of a saved counterexample, in the words of the command line.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct SavedSemantics {
    /// `machine` or `ideal`.
    pub integers: String,
    /// `statement`, `change` or `step`.
    pub observe: String,
    /// `error` or `assume`.
    pub undefined: String,
    /// `access` or `statement`.
    pub atomic: String,
    /// `any`, `weak-fair` or `strong-fair`.
    pub scheduler: String,
    /// Whether an allocation may return the null pointer.
    pub malloc_may_fail: bool,
}

/// The property of a saved counterexample.
#[derive(Serialize, Deserialize, Clone, PartialEq, Debug)]
#[serde(deny_unknown_fields)]
pub struct SavedProperty {
    /// Its name, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The formula.
    pub formula: String,
    /// What every execution of interest satisfies.
    pub assumptions: Vec<String>,
}

/// Everything but the bytes of the program's files, of which only the hashes are kept.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    /// What was asked for.
    pub request: &'a Request,
    /// What was made of it.
    pub subject: &'a Subject,
    /// Which of its properties is violated.
    pub property: usize,
    /// Which schedules count.
    pub scheduler: Scheduler,
    /// What shows the violation.
    pub counterexample: &'a Counterexample,
}

impl Saved {
    /// What a file says of a counterexample. The hashes are those of the request's files, in order.
    pub fn new(found: Found<'_>, hashes: Vec<String>, story: Option<serde_json::Value>) -> Self {
        let Found { request, subject, property, scheduler, counterexample } = found;
        let lasso = counterexample.answers();
        let recurrent_set = match counterexample {
            Counterexample::Lasso(_) | Counterexample::Tree(_) => None,
            Counterexample::Recurrent { set, .. } => Some(set.write().to_string()),
        };
        let Inquiry { program, semantics, property } = Inquiry::new(request, subject, property, scheduler, hashes);
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            producer: producer(),
            program,
            semantics,
            property,
            stem: lasso.stem.iter().map(SavedAnswer::of).collect(),
            cycle: lasso.cycle.iter().map(SavedAnswer::of).collect(),
            recurrent_set,
            story,
        }
    }

    /// The question that the counterexample answers.
    pub fn question(&self) -> Inquiry {
        let Self { program, semantics, property, .. } = self.clone();
        Inquiry { program, semantics, property }
    }

    /// The text of the file: indented, but for the answers, each of which has a line of its own.
    pub fn text(&self) -> String {
        let outline = Self { stem: Vec::new(), cycle: Vec::new(), ..self.clone() };
        // Strings and numbers always have a text; only maps with other keys have none.
        let outline = serde_json::to_string_pretty(&outline).unwrap_or_default();
        let list = |name: &str, answers: &[SavedAnswer]| match answers {
            [] => format!("\n  \"{name}\": []"),
            _ => {
                let line =
                    |answer: &SavedAnswer| format!("\n    {}", serde_json::to_string(answer).unwrap_or_default());
                let lines: Vec<String> = answers.iter().map(line).collect();
                format!("\n  \"{name}\": [{}\n  ]", lines.join(","))
            }
        };
        // A line break inside a string is escaped, so these lines stand where the fields do; the first ones are ours,
        // because a story comes last.
        let with_stem = outline.replacen("\n  \"stem\": []", &list("stem", &self.stem), 1);
        let mut text = with_stem.replacen("\n  \"cycle\": []", &list("cycle", &self.cycle), 1);
        text.push('\n');
        text
    }

    /// The counterexample, where every answer is one and the set can be read.
    pub fn counterexample(&self) -> Result<Counterexample, String> {
        let answers = |list: &[SavedAnswer]| list.iter().map(SavedAnswer::answer).collect::<Result<_, String>>();
        let answers = Lasso { stem: answers(&self.stem)?, cycle: answers(&self.cycle)? };
        let Some(text) = &self.recurrent_set else { return Ok(Counterexample::Lasso(answers)) };
        let expression = Sexp::parse(text).map_err(|malformed| malformed.what)?;
        let set = Box::new(RecurrentSet::read(&expression)?);
        Ok(Counterexample::Recurrent { answers, set })
    }
}

impl Inquiry {
    /// The question whether a subject has one of its properties. The hashes are those of the request's files, in order.
    pub fn new(
        request: &Request,
        subject: &Subject,
        property: usize,
        scheduler: Scheduler,
        hashes: Vec<String>,
    ) -> Self {
        let display = |formula| subject.formulas.display(formula).to_string();
        let property = &subject.properties[property];
        let path = |input: &Input| match input {
            Input::File(path) => path.clone(),
            Input::Text { name, .. } => name.clone(),
        };
        let files = request.files.iter().zip(hashes).map(|(file, sha256)| SavedFile { path: path(file), sha256 });
        let semantics = subject.semantics;
        Self {
            program: SavedProgram {
                files: files.collect(),
                include: request.include.clone(),
                define: request.define.clone(),
                entry: entry_name(&subject.program),
                data_model: request.data_model.to_string(),
                volatile_input: request.volatile_input,
                pure_undefined_functions: request.pure_undefined_functions,
            },
            semantics: SavedSemantics {
                integers: semantics.integers.to_string(),
                observe: semantics.observe.to_string(),
                undefined: semantics.undefined.to_string(),
                atomic: semantics.atomicity.to_string(),
                scheduler: scheduler.to_string(),
                malloc_may_fail: semantics.malloc_may_fail,
            },
            property: SavedProperty {
                name: property.name.clone(),
                formula: display(property.formula),
                assumptions: subject.assumptions.iter().map(|&formula| display(formula)).collect(),
            },
        }
    }

    /// What is to be loaded so that it can be answered again, with the scheduler that counts. The error names
    /// a word that means nothing.
    pub fn request(&self) -> Result<(Request, Scheduler), String> {
        let SavedProgram { files, include, define, entry, data_model, volatile_input, pure_undefined_functions } =
            &self.program;
        let semantics = &self.semantics;
        let data_models = [DataModel::Lp64, DataModel::Ilp32];
        let found = data_models.into_iter().find(|model| model.to_string() == *data_model);
        let request = Request {
            files: files.iter().map(|file| Input::File(file.path.clone())).collect(),
            include: include.clone(),
            define: define.clone(),
            entry: Some(entry.clone()),
            data_model: found
                .ok_or_else(|| format!("`{data_model}` is not a data model: choose from `LP64`, `ILP32`"))?,
            volatile_input: *volatile_input,
            pure_undefined_functions: *pure_undefined_functions,
            properties: Properties::Formulas(vec![self.property.formula.clone()]),
            assumptions: self.property.assumptions.clone(),
            integers: semantics.integers.parse::<Integers>()?,
            observe: Some(semantics.observe.parse::<ObserveMode>()?),
            undefined: semantics.undefined.parse::<UndefinedMode>()?,
            malloc_may_fail: semantics.malloc_may_fail,
            atomicity: semantics.atomic.parse::<Atomicity>()?,
            front_ends: FrontEnds::default(),
        };
        Ok((request, semantics.scheduler.parse::<Scheduler>()?))
    }
}

/// What wrote a file.
pub fn producer() -> String {
    format!("semper {}", env!("CARGO_PKG_VERSION"))
}

fn entry_name(program: &Program) -> String {
    program.entry.map_or_else(|| "main".to_owned(), |entry| program.functions[entry].name.clone())
}
