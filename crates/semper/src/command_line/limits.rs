//! The user's limits on a command, and what it says where the watchdog has to end it.

use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use foundation::{Budget, Exhausted};
use host::LastWords;
use serde::Serialize;

use super::options::{Format, LimitOptions};
use super::{Status, output};

/// A budget with the user's limits, and what is said where it ends before there is anything else to say.
pub(super) struct Limited {
    /// What may be spent. Ctrl-C cancels it.
    pub budget: Budget,
    words: Arc<Mutex<LimitWords>>,
}

type LimitWords = Box<dyn Fn(Exhausted) -> LastWords + Send>;

impl Limited {
    /// Begins to spend within the limits. The words are for an end by force before the command has better ones.
    pub fn new(limits: &LimitOptions, words: impl Fn(Exhausted) -> LastWords + Send + 'static) -> Self {
        let mut budget = Budget::unlimited();
        if let Some(time) = limits.timeout {
            budget = budget.with_time(time);
        }
        if let Some(bytes) = limits.memory {
            budget = budget.with_memory(bytes);
        }
        let words: Arc<Mutex<LimitWords>> = Arc::new(Mutex::new(Box::new(words)));
        host::cancel_on_interrupt(&budget);
        host::guard(&budget, {
            let words = Arc::clone(&words);
            move |why| words.lock().unwrap_or_else(PoisonError::into_inner)(why)
        });
        Self { budget, words }
    }

    /// No limits but Ctrl-C.
    pub fn by_interrupt(words: impl Fn(Exhausted) -> LastWords + Send + 'static) -> Self {
        Self::new(&LimitOptions { timeout: None, memory: None }, words)
    }

    /// From now on, this is what is said.
    pub fn would_say(&self, words: impl Fn(Exhausted) -> LastWords + Send + 'static) {
        *self.words.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(words);
    }

    /// Says now what would be said where the command is ended by force.
    pub fn give_up(&self, why: Exhausted) -> Result<Status> {
        let words = self.words.lock().unwrap_or_else(PoisonError::into_inner)(why);
        output::complain(&words.message);
        output::print(&words.output)?;
        Ok(Status::Indefinite)
    }
}

/// The last words of a command that says them on standard output.
pub(super) fn said(output: String) -> LastWords {
    LastWords { output, message: String::new(), status: Status::Indefinite as u8 }
}

/// The last words of a command whose standard output holds what was asked for or nothing.
pub(super) fn complained(why: Exhausted) -> LastWords {
    let message = format!("semper: unknown ({why})\n");
    LastWords { output: String::new(), message, status: Status::Indefinite as u8 }
}

/// That there is no verdict, before it is known what the properties are.
pub(super) fn no_verdict(format: Format) -> impl Fn(Exhausted) -> LastWords + Send + 'static {
    #[derive(Serialize)]
    struct NoVerdict {
        verdict: &'static str,
        reason: String,
    }
    move |why| {
        said(match format {
            Format::Text => format!("verdict: unknown ({why})\n"),
            Format::Json => json(&NoVerdict { verdict: "unknown", reason: why.to_string() }),
        })
    }
}

/// A value as the text that [`output::print_json`] prints.
pub(super) fn json(value: &impl Serialize) -> String {
    let text = serde_json::to_string_pretty(value).unwrap_or_default();
    format!("{text}\n")
}
