//! Writing to standard output and standard error. A reader that goes away (`semper cfg big.c | head`) is no error. What is
//! on standard output is the answer: once it has begun, the watchdog gives no other.

use std::io::{self, ErrorKind, Write};

use anyhow::{Context, Result};
use serde::Serialize;

/// Prints a text.
pub(crate) fn print(text: &str) -> Result<()> {
    host::begin_answer();
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        result => result.context("cannot write to standard output"),
    }
}

/// Prints a value as JSON, indented, its fields in the order of their declaration.
pub(crate) fn print_json(value: &impl Serialize) -> Result<()> {
    let text = serde_json::to_string_pretty(value).context("cannot make JSON")?;
    print(&format!("{text}\n"))
}

/// Writes to standard error. Where that fails, there is nobody left to tell.
pub(crate) fn complain(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}
