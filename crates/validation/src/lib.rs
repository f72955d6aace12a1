//! Witnesses of the software verification competition against a program: are they right?
//!
//! A violation witness is confirmed if an execution passes its waypoints and violates the property, and rejected if there
//! is none. A correctness witness is confirmed if every invariant in it holds and the property does, and rejected if one
//! of them does not. Both questions become temporal properties of a program with the witness in it, which the engines
//! decide and whose evidence is checked like that of any other; `docs/witness-format.md` has the format.
//!
//! | module | what it does |
//! | --- | --- |
//! | `places` | finds the places that a witness names, also by labels and jumps |
//! | `patched` | writes what the witness says into the program |
//! | `violation` | violation sequences |
//! | `invariants`, `transition` | sets of invariants; those between two states |
//! | `written`, `c_text` | what Semper writes itself; conditions of its proofs in C |

mod c_text;
mod invariants;
mod patched;
mod places;
#[cfg(test)]
mod tests;
mod transition;
mod violation;
mod written;

use automata::ltl::{Formulas, prp};
use certify::Replayed;
use check::Settings;
use evidence::replay::hashes;
use foundation::{Budget, Diagnostic, Diagnostics, SourceMap};
use program::semantics::describe::value_text;
use serde::Serialize;
use subject::{Input, Properties, Request, Subject};
use witness::{Invariant, Witness};

use patched::{Original, units};

pub use written::{ProvedProperty, of_proof, of_violation};

/// What is found out of a witness.
#[derive(Serialize, Clone, Copy, PartialEq, Eq, Debug)]
#[serde(rename_all = "lowercase")]
pub enum Finding {
    /// It is right.
    Confirmed,
    /// It is wrong.
    Rejected,
    /// Neither was found out.
    Unknown,
}

impl Finding {
    /// The word for it.
    pub fn word(self) -> &'static str {
        match self {
            Finding::Confirmed => "confirmed",
            Finding::Rejected => "rejected",
            Finding::Unknown => "unknown",
        }
    }
}

/// An answer with its reason. This is also the JSON form.
#[derive(Serialize, Clone, PartialEq, Eq, Debug)]
pub struct Validation {
    /// The answer.
    pub answer: Finding,
    /// Why, in words.
    pub reason: String,
    /// What decided.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engine: Option<&'static str>,
    /// The inputs of the execution that was found, as pairs of their source and their value.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub inputs: Vec<(String, String)>,
    /// What else is to be said.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Validation {
    fn new(answer: Finding, reason: String, engine: Option<&'static str>) -> Self {
        Self { answer, reason, engine, inputs: Vec::new(), notes: Vec::new() }
    }

    fn unknown(reason: String) -> Self {
        Self::new(Finding::Unknown, reason, None)
    }
}

/// What is to be loaded for a witness: the property is that of its specification unless the user names another, and the
/// sizes of types are those that it names. That the program is another one than it was, is a warning.
pub fn request_for(witness: &Witness, given: &Request, diagnostics: &mut Diagnostics) -> Option<Request> {
    let mut request = given.clone();
    let task = &witness.entries.first()?.metadata.task;
    request.data_model = match task.data_model {
        witness::DataModel::Lp64 => program::DataModel::Lp64,
        witness::DataModel::Ilp32 => program::DataModel::Ilp32,
    };
    if request.properties == Properties::Annotations {
        let (mut sources, mut formulas) = (SourceMap::new(), Formulas::new());
        let source = sources.add("the witness's specification", task.specification.as_str());
        match prp::parse(&sources, source, &mut formulas) {
            Ok(checks) => {
                request.entry = request.entry.or_else(|| checks.first().map(|check| check.entry.clone()));
                let texts = checks.iter().map(|check| formulas.display(check.formula).to_string());
                request.properties = Properties::Formulas(texts.collect());
            }
            Err(faults) => {
                let why = faults.iter().next().map_or("it cannot be read", |fault| fault.message.as_str());
                let message = format!("the witness's specification is not understood: {why}");
                let help = "name the property with `--spec` or `--ltl`";
                diagnostics.push(Diagnostic::error("witness-property", message).help(help));
                return None;
            }
        }
    }
    let found = hashes(&request, diagnostics)?;
    for (input, hash) in request.files.iter().zip(&found) {
        if !task.input_file_hashes.iter().any(|(_, expected)| expected.eq_ignore_ascii_case(hash)) {
            let (Input::File(name) | Input::Text { name, .. }) = input;
            let message = format!("`{name}` is not a file that this witness was made for: its SHA-256 differs");
            let help = "what the witness says of lines may be meant for others";
            diagnostics.push(Diagnostic::warning("program-changed", message).help(help));
        }
    }
    Some(request)
}

/// Finds out whether a witness is right about a program that was loaded by [`request_for`].
pub fn validate(
    witness: &Witness,
    request: &Request,
    subject: &Subject,
    sources: &SourceMap,
    settings: &Settings,
    budget: &Budget,
) -> Validation {
    let units = units(subject, request, sources);
    let original = Original { request, subject, units: &units };
    let Some(first) = witness.entries.first() else {
        return Validation::unknown("the witness has no entry".to_owned());
    };
    let specification = &first.metadata.task.specification;
    let mut answers: Vec<Validation> = Vec::new();
    for segments in witness.sequences() {
        let validation = violation::validate(original, segments, specification, settings, budget);
        if validation.answer == Finding::Confirmed {
            return validation;
        }
        answers.push(validation);
    }
    // Of several sequences, one that is right is enough; nothing is known where one of them is not decided.
    let undecided = answers.iter().position(|validation| validation.answer == Finding::Unknown).unwrap_or(0);
    if !answers.is_empty() {
        return answers.swap_remove(undecided);
    }
    let invariants: Vec<&Invariant> = witness.invariants().collect();
    invariants::validate(original, &invariants, settings, budget)
}

/// The inputs of an execution, for people.
fn told(subject: &Subject, replayed: &Replayed) -> Vec<(String, String)> {
    let inputs = replayed.inputs.iter().filter(|input| !input.uninitialised);
    inputs.map(|input| (input.name.clone(), value_text(&subject.program, &input.value))).collect()
}
