//! Executes a saved counterexample again: its program is found and compared with the one it was saved for, the
//! interpreter executes it, and where there is a C compiler, the compiled program does (`compiled`).
//!
//! The verdict is that of the interpreter, by the check that every violation passes ([`certify`]). What the compiled
//! program does is said beside it: it tests the semantics, not the property.

use std::path::Path;

use check::{CheckedOutcome, CheckedVerdict, Settings, check_with};
use foundation::{Budget, Diagnostic, Diagnostics};
use subject::{Input, Request, Subject};
use task::{Board, Counterexample, Engine, Outcome, Reason, Scheduler, Statistics, Task, Verdict};

use crate::saved::{Inquiry, SavedFile, sha256};

/// The name that stands where an engine's does.
pub const NAME: &str = "replay";

/// The hashes of a request's files, in order; nothing where one of them cannot be read, which is then among the
/// diagnostics.
pub fn hashes(request: &Request, diagnostics: &mut Diagnostics) -> Option<Vec<String>> {
    let hash = |input: &Input| match input {
        Input::Text { text, .. } => Some(sha256(text.as_bytes())),
        Input::File(path) => match host::read_bytes(path) {
            Ok(bytes) => Some(sha256(&bytes)),
            Err(fault) => {
                diagnostics.push(*fault);
                None
            }
        },
    };
    request.files.iter().map(hash).collect()
}

/// What is to be loaded for evidence that was read from the file at `path`: the program that it names, found from
/// here or from the file's folder, or the files that the user names instead. That the program is another one than it was
/// is an error where the evidence names it, and a warning where the user does.
pub fn request_for(
    question: &Inquiry,
    path: &str,
    instead: &[String],
    diagnostics: &mut Diagnostics,
) -> Option<(Request, Scheduler)> {
    // The reader of the file has made sure of that.
    let (mut request, scheduler) = question.request().ok()?;
    let folder = Path::new(path).parent().unwrap_or(Path::new(""));
    if instead.is_empty() {
        request.files = question.program.files.iter().map(|file| Input::File(find(file, folder))).collect();
    } else {
        request.files = instead.iter().cloned().map(Input::File).collect();
    }
    for include in &mut request.include {
        let beside = folder.join(&*include);
        if !Path::new(&*include).is_dir() && beside.is_dir() {
            *include = beside.display().to_string();
        }
    }
    let found = hashes(&request, diagnostics)?;
    let expected: Vec<&str> = question.program.files.iter().map(|file| file.sha256.as_str()).collect();
    for (index, (input, hash)) in request.files.iter().zip(&found).enumerate() {
        if expected.get(index).is_some_and(|expected| expected.eq_ignore_ascii_case(hash)) {
            continue;
        }
        let Input::File(file) = input else { continue };
        let message = format!("`{file}` is not the file that this evidence was saved for: its SHA-256 differs");
        diagnostics.push(match instead.is_empty() {
            true => Diagnostic::error("program-changed", message)
                .help(format!("check the program again, or try the evidence on it as it is with `--program {file}`")),
            false => Diagnostic::warning("program-changed", message)
                .help("what is in the file may be meant for another program"),
        });
    }
    if found.len() != expected.len() {
        let (given, saved) = (found.len(), expected.len());
        let message = format!("this evidence was saved for {saved} files, and the program has {given}");
        diagnostics.push(Diagnostic::warning("program-changed", message).help("name all files of the program"));
    }
    (!diagnostics.has_errors()).then_some((request, scheduler))
}

/// The path of a file as it is given, or in the folder of the counterexample: whichever has the right bytes, else
/// whichever exists.
fn find(file: &SavedFile, folder: &Path) -> String {
    let beside = folder.join(&file.path).display().to_string();
    let candidates = [file.path.clone(), beside];
    let is_right =
        |path: &&String| host::read_bytes(path).is_ok_and(|bytes| sha256(&bytes).eq_ignore_ascii_case(&file.sha256));
    let right = candidates.iter().find(is_right);
    let found = right.or_else(|| candidates.iter().find(|path| Path::new(path).is_file()));
    found.unwrap_or(&file.path).clone()
}

/// Checks a counterexample to a property of the subject.
pub fn replay(
    subject: &Subject,
    property: usize,
    counterexample: Counterexample,
    scheduler: Scheduler,
    budget: &Budget,
) -> CheckedOutcome {
    let settings = Settings { scheduler, ..Settings::default() };
    let claim = Claim(counterexample);
    let mut outcome = check_with(&claim, subject, property, &settings, budget);
    if let CheckedVerdict::Unknown(Reason::EvidenceRejected(why)) = &outcome.verdict {
        // Not a fault of an engine: the file may say what it likes.
        outcome.verdict = CheckedVerdict::Unknown(Reason::Incomplete(format!("not confirmed: {why}")));
        outcome.rejected.clear();
    }
    outcome
}

/// Claims a violation, as an engine does that has found one.
struct Claim(Counterexample);

impl Engine for Claim {
    fn name(&self) -> &'static str {
        NAME
    }

    fn check(&self, _: &Task, _: &Board, _: &Budget) -> Outcome {
        Outcome::of(NAME, Verdict::Violated(self.0.clone()), Statistics::default())
    }
}
