//! Certificates in files: the question with its answer's proof, as `docs/certificate-format.md` describes it.
//!
//! What a file says is never believed: who reads it loads the program and the property anew and has every step of the proof
//! checked.

pub mod multipliers;
#[doc(hidden)]
pub mod robustness;
mod sharing;
#[cfg(test)]
mod tests;

use foundation::{Diagnostic, SourceId, SourceMap, Span};
use program::canonical;
use program::passes::{NotPrepared, prepare};
use serde_json::{Map, Value};
use task::certificate::sexp::Sexp;
use task::certificate::text;
use task::{Certificate, Task};

use crate::saved::{Inquiry, producer, sha256};

/// What the files call themselves.
const FORMAT: &str = "semper-certificate";

/// The version of the format that is written, and the only one that is read.
const VERSION: &str = "2";

/// The largest file that is read.
const LARGEST_BYTES: usize = 1 << 28;

/// Where the program has a fingerprint among what is said of it.
const FINGERPRINT: &str = "fingerprint";

/// Programs that inlining makes larger than this are named as they are.
const MOST_EDGES: usize = 100_000;

/// What a file says.
#[derive(Debug)]
pub struct ReadCertificate {
    /// What is claimed.
    pub question: Inquiry,
    /// The fingerprint of the program that it is claimed of.
    pub fingerprint: String,
    /// Why it is so.
    pub certificate: Certificate,
}

/// A hash of the program that a proof speaks of: without calls where it can be inlined, as it is where not.
pub fn fingerprint(task: &Task) -> String {
    let text = match prepare(&task.program, &task.atoms, task.semantics, MOST_EDGES) {
        Ok(prepared) => canonical::text(&prepared.program),
        Err(NotPrepared::Threads | NotPrepared::NotInlined(_)) => canonical::text(&task.program),
    };
    sha256(text.as_bytes())
}

/// The text of a certificate; none where the proof is not written down.
pub fn write(question: &Inquiry, fingerprint: &str, certificate: &Certificate) -> Option<String> {
    let proof = text::write(certificate)?;
    let mut question = serde_json::to_value(question).ok()?;
    question["program"][FINGERPRINT] = fingerprint.into();
    let fields = of_value(&question);
    let task = Sexp::tagged("task", fields.as_list()?.iter().skip(1).cloned());
    Some(format!("({FORMAT} {VERSION} {}\n{}\n{})\n", Sexp::Text(producer()), lines(&task), lines(&proof)))
}

/// A list with each of its parts on a line.
fn lines(list: &Sexp) -> String {
    let mut parts = list.as_list().unwrap_or_default().iter();
    let first = parts.next().map_or_else(String::new, Sexp::to_string);
    let rest: String = parts.map(|part| format!("\n    {part}")).collect();
    format!("  ({first}{rest})")
}

/// The question and the proof in a file.
pub fn read(sources: &SourceMap, source: SourceId) -> Result<ReadCertificate, Box<Diagnostic>> {
    let text = sources.text(source);
    let start = Span { source, start: 0, end: text.lines().next().unwrap_or_default().len() as u32 };
    let refuse = |message: String| Box::new(Diagnostic::error("certificate", message).at(start).help(WRITE));
    if text.len() > LARGEST_BYTES {
        return Err(refuse("the file is too large to be a certificate".to_owned()));
    }
    let other = || refuse(format!("this is no certificate: it does not begin with `({FORMAT} {VERSION}`"));
    let parsed = Sexp::parse(text).map_err(|malformed| {
        if !text.contains(FORMAT) {
            return other();
        }
        let offset = malformed.offset.min(text.len()) as u32;
        let span = Span { source, start: offset, end: offset };
        Box::new(Diagnostic::error("certificate-syntax", malformed.what).at(span).help(WRITE))
    })?;
    let items = parsed.as_list().unwrap_or_default();
    let [format, version, rest @ ..] = items else { return Err(other()) };
    if format.as_word() != Some(FORMAT) {
        return Err(other());
    }
    if version.as_word() != Some(VERSION) {
        let message = format!("the version of the format is {version}, and only {VERSION} is read");
        return Err(Box::new(Diagnostic::error("certificate", message).at(start).help(AGAIN)));
    }
    let [_, task, proof] = rest else {
        return Err(refuse("a certificate has who wrote it, a task and a proof".to_owned()));
    };
    let question = match task.as_list() {
        Some([tag, fields @ ..]) if tag.as_word() == Some("task") => record(fields),
        _ => Err("the task of a certificate begins with `(task`".to_owned()),
    };
    let mut question = question.map_err(refuse)?;
    let fingerprint =
        question.get_mut("program").and_then(Value::as_object_mut).and_then(|map| map.remove(FINGERPRINT));
    let question: Inquiry = serde_json::from_value(question).map_err(|error| refuse(in_words(&error.to_string())))?;
    question.request().map_err(refuse)?;
    let Some(Value::String(fingerprint)) = fingerprint else {
        return Err(refuse("the program of a certificate has a fingerprint, which is a text".to_owned()));
    };
    let certificate = text::read(proof).map_err(refuse)?;
    Ok(ReadCertificate { question, fingerprint, certificate })
}

/// What is wrong with a task, without the names that its parts have in here.
fn in_words(error: &str) -> String {
    let parts = ["Question", "SavedProgram", "SavedFile", "SavedSemantics", "SavedProperty"];
    let named = |text: String, part: &&str| text.replace(&format!("struct {part}"), "a record");
    format!("the task cannot be read: {}", parts.iter().fold(error.to_owned(), named))
}

const WRITE: &str = "certificates are written by `semper check … --certificate FILE`";

const AGAIN: &str = "have it written anew, by `semper check … --certificate FILE` of this version of Semper";

/// Deeper questions are none.
const MOST_LEVELS: usize = 32;

fn of_value(value: &Value) -> Sexp {
    match value {
        Value::Null => Sexp::word("null"),
        Value::Bool(value) => Sexp::word(value),
        Value::Number(number) => Sexp::word(number),
        Value::String(text) => Sexp::Text(text.clone()),
        Value::Array(items) => Sexp::tagged("list", items.iter().map(of_value)),
        Value::Object(fields) => {
            let field = |(name, value): (&String, &Value)| Sexp::List(vec![Sexp::word(name), of_value(value)]);
            Sexp::tagged("record", fields.iter().map(field))
        }
    }
}

fn record(fields: &[Sexp]) -> Result<Value, String> {
    record_at(fields, 0)
}

fn record_at(fields: &[Sexp], depth: usize) -> Result<Value, String> {
    let mut found = Map::new();
    for field in fields {
        let Some([Sexp::Word(name), value]) = field.as_list() else {
            return Err("a task has fields `(name value)`".to_owned());
        };
        found.insert(name.clone(), to_value(value, depth + 1)?);
    }
    Ok(Value::Object(found))
}

fn to_value(expression: &Sexp, depth: usize) -> Result<Value, String> {
    if depth > MOST_LEVELS {
        return Err("a task is nested too deeply".to_owned());
    }
    match expression {
        Sexp::Text(text) => Ok(Value::String(text.clone())),
        Sexp::Word(word) => serde_json::from_str(word).map_err(|_| format!("`{word}` is no value of a task")),
        Sexp::List(items) => match items.split_first() {
            Some((Sexp::Word(tag), items)) if tag == "list" => {
                Ok(Value::Array(items.iter().map(|item| to_value(item, depth + 1)).collect::<Result<_, String>>()?))
            }
            Some((Sexp::Word(tag), fields)) if tag == "record" => record_at(fields, depth),
            _ => Err("a value of a task is a text, a word, `(list …)` or `(record …)`".to_owned()),
        },
    }
}
