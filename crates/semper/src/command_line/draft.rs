//! The answer of `semper check` as far as it is known, for the case that the watchdog ends the command: properties that
//! were decided keep their verdicts, the others have none.

use std::sync::{Arc, Mutex, PoisonError};

use foundation::{Diagnostics, Exhausted, SourceMap};
use host::LastWords;
use report::verdict::{Detail, PropertyVerdict, Verdicts};
use semper::{Settings, Subject};

use super::limits::{json, said};
use super::options::{CheckOptions, Format};

/// An answer that is not complete.
pub(super) struct Draft {
    properties: Arc<Mutex<Vec<DraftEntry>>>,
}

/// What is known of a property.
enum DraftEntry {
    /// It is decided.
    Decided(Box<PropertyVerdict>),
    /// It is not: what is said for each reason to stop.
    Open(Box<[(Exhausted, PropertyVerdict); 3]>),
}

impl DraftEntry {
    fn said(&self, why: Exhausted) -> &PropertyVerdict {
        match self {
            DraftEntry::Decided(verdict) => verdict,
            DraftEntry::Open(verdicts) => {
                let found = verdicts.iter().find(|(reason, _)| *reason == why);
                &found.unwrap_or(&verdicts[0]).1
            }
        }
    }
}

impl Draft {
    /// Nothing is decided yet.
    pub fn new(subject: &Subject, settings: &Settings, sources: &SourceMap, read: &Diagnostics) -> Self {
        let open = |property| {
            let said = [Exhausted::Cancelled, Exhausted::Time, Exhausted::Memory].map(|why| {
                let outcome = semper::check::undecided(settings, why);
                (why, semper::verdict(subject, property, &outcome, settings, sources, &mut read.clone()))
            });
            DraftEntry::Open(Box::new(said))
        };
        let properties = (0..subject.properties.len()).map(open).collect();
        Self { properties: Arc::new(Mutex::new(properties)) }
    }

    /// Notes a verdict, unless it is the last one: then the answer is complete.
    pub fn decided(&self, property: usize, verdict: &PropertyVerdict) {
        let mut properties = self.properties.lock().unwrap_or_else(PoisonError::into_inner);
        if property + 1 < properties.len() {
            properties[property] = DraftEntry::Decided(Box::new(verdict.clone()));
        }
    }

    /// What is said where the command is ended by force: the answer as far as it is known then.
    pub fn last_words(&self, options: &CheckOptions) -> impl Fn(Exhausted) -> LastWords + Send + 'static {
        let properties = Arc::clone(&self.properties);
        let (format, verbose) = (options.output.format, options.output.verbose);
        move |why| {
            let properties = properties.lock().unwrap_or_else(PoisonError::into_inner);
            let verdicts = Verdicts::new(properties.iter().map(|entry| entry.said(why).clone()).collect());
            said(match (format, &verdicts.properties[..]) {
                (Format::Text, _) => {
                    let detail = Detail { all_steps: verbose, trusted: verbose, width: host::terminal::width() };
                    report::verdict::render(&verdicts, detail)
                }
                (Format::Json, [only]) => json(only),
                (Format::Json, _) => json(&verdicts),
            })
        }
    }
}
