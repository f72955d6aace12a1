//! Running another program within a budget: its output is bounded, and it is ended when the budget is.

use std::io::{self, Read};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use foundation::{Budget, Exhausted};

use crate::leftovers::{Started, signal};

/// What a finished program left.
pub(crate) struct Finished {
    pub success: bool,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

/// Why there is no result.
pub(crate) enum Failed {
    /// It could not be started.
    Start(io::Error),
    /// The budget ended first.
    Budget(Exhausted),
    /// It wrote more than it may.
    TooMuchOutput,
}

/// Runs a command to its end. Its standard input is empty; at most `most_output` bytes of its output are kept.
pub(crate) fn run(command: &mut Command, most_output: u64, budget: &Budget) -> Result<Finished, Failed> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(command, 0);
    let mut child = command.spawn().map_err(Failed::Start)?;
    let _noted = Started::note(&child);
    let (sender, receiver) = mpsc::channel();
    let stdout = child.stdout.take().expect("standard output is piped");
    let stderr = child.stderr.take().expect("standard error is piped");
    let readers =
        [read_in_background(stdout, most_output, sender.clone()), read_in_background(stderr, most_output, sender)];
    let mut failure = None;
    loop {
        // Both readers drop their sender when they are done, which ends the loop at once.
        match receiver.recv_timeout(Duration::from_millis(20)) {
            Ok(TooMuch) => failure = failure.or(Some(Failed::TooMuchOutput)),
            Err(RecvTimeoutError::Timeout) => match budget.check() {
                Ok(()) => continue,
                Err(exhausted) => failure = Some(Failed::Budget(exhausted)),
            },
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if failure.is_some() {
            end(&mut child);
            break;
        }
    }
    let status = child.wait().map_err(Failed::Start)?;
    if let Some(failure) = failure {
        // The readers are left alone: processes that the child started may keep its output open.
        return Err(failure);
    }
    let [stdout, stderr] = readers.map(|reader| reader.join().unwrap_or_default());
    Ok(Finished { success: status.success(), stdout, stderr: String::from_utf8_lossy(&stderr).into_owned() })
}

/// A stream had more bytes than it may.
struct TooMuch;

fn read_in_background(
    stream: impl Read + Send + 'static,
    most: u64,
    report: mpsc::Sender<TooMuch>,
) -> thread::JoinHandle<Vec<u8>> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // A stream that breaks off gives what came before; the exit status tells the rest.
        let _ = stream.take(most + 1).read_to_end(&mut bytes);
        if bytes.len() as u64 > most {
            let _ = report.send(TooMuch);
        }
        bytes
    })
}

/// Ends the process and those that it started: a compiler's driver starts the compiler proper.
fn end(child: &mut Child) {
    // Where that is not possible, the process alone is ended below.
    signal("KILL", &[format!("-{}", child.id())]);
    // The only error is that it has ended already.
    let _ = child.kill();
}
