//! One line on a terminal that says how far the engine is, written anew several times a second.

use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use task::watch::Progress;

use super::output;

/// Answers that come sooner need no line.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often the line is written.
const INTERVAL: Duration = Duration::from_millis(100);

/// Back to the beginning of the line, and everything behind it deleted.
const CLEAR: &str = "\r\x1b[K";

/// The line. It goes when this value goes.
#[derive(Debug)]
pub(super) struct LiveLine {
    progress: Arc<Mutex<Option<Progress>>>,
    /// Dropped to end the thread.
    end: Option<Sender<()>>,
    writer: Option<JoinHandle<()>>,
}

impl LiveLine {
    /// Begins to write the line, after a moment of patience.
    pub fn start() -> Self {
        let progress: Arc<Mutex<Option<Progress>>> = Arc::default();
        let shown = Arc::clone(&progress);
        let (end, ended) = mpsc::channel::<()>();
        let start = Instant::now();
        let writer = std::thread::spawn(move || {
            let mut wait = PATIENCE;
            let mut is_written = false;
            while ended.recv_timeout(wait) == Err(RecvTimeoutError::Timeout) {
                let progress = shown.lock().ok().and_then(|progress| progress.clone());
                let line = line(progress, start.elapsed(), host::terminal::width());
                output::complain(&format!("{CLEAR}{line}"));
                (wait, is_written) = (INTERVAL, true);
            }
            if is_written {
                output::complain(CLEAR);
            }
        });
        Self { progress, end: Some(end), writer: Some(writer) }
    }

    /// Says how far the engine is.
    pub fn show(&self, progress: &Progress) {
        if let Ok(mut shown) = self.progress.lock() {
            *shown = Some(progress.clone());
        }
    }
}

impl Drop for LiveLine {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(writer) = self.writer.take() {
            // A line that could not be written is no loss.
            let _ = writer.join();
        }
    }
}

/// The line, cut off where the terminal ends.
fn line(progress: Option<Progress>, time: Duration, width: usize) -> String {
    let seconds = time.as_secs_f64();
    let line = match progress {
        None => format!("semper: at work, {seconds:.1} s"),
        Some(progress) => format!("semper: {seconds:.1} s, {progress}"),
    };
    line.chars().take(width.saturating_sub(1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_tells_how_far_the_engine_is_and_fits_the_terminal() {
        let second = Duration::from_millis(1250);
        assert_eq!(line(None, second, 80), "semper: at work, 1.2 s");
        let progress = Progress { engine: "explicit", counts: vec![("states", 700), ("transitions", 90000)] };
        let whole = "semper: 1.2 s, explicit: states 700, transitions 90000";
        assert_eq!(line(Some(progress.clone()), second, 200), whole);
        for width in 20..70 {
            let shown = line(Some(progress.clone()), second, width);
            assert!(shown.chars().count() < width && whole.starts_with(&shown));
        }
    }
}
