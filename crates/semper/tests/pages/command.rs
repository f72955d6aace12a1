//! Runs `semper` in a folder of its own.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::page::File;

/// A temporary folder with files.
pub struct Folder(PathBuf);

impl Folder {
    /// Writes the files into a new folder.
    pub fn with(files: &[File]) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = Self(std::env::temp_dir().join(format!("semper-pages-{}-{number}", std::process::id())));
        fs::create_dir_all(folder.path()).unwrap();
        for file in files {
            let path = folder.path().join(&file.name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, &file.text).unwrap();
        }
        folder
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// What a command prints, as a page shows it: standard error, standard output, and the exit status if it is not 0. The
/// first word is `semper`.
pub fn run(words: &[String], folder: &Path) -> Vec<String> {
    let mut command = Command::new(env!("CARGO_BIN_EXE_semper"));
    command.args(&words[1..]).current_dir(folder).env("COLUMNS", "100").env("NO_COLOR", "1").env_remove("CC");
    let output = command.output().unwrap();
    let text = [output.stderr, output.stdout].map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let mut lines: Vec<String> = text.iter().flat_map(|text| text.lines()).map(without_times).collect();
    match output.status.code() {
        Some(0) => {}
        Some(status) => lines.push(format!("[exit {status}]")),
        None => lines.push("[killed]".to_owned()),
    }
    lines
}

/// A line of `--verbose` without its times, which differ from run to run: `in … s`.
fn without_times(line: &str) -> String {
    if !line.starts_with("semper: ") {
        return line.to_owned();
    }
    let words: Vec<&str> = line.split(' ').collect();
    let is_time = |at: usize| {
        let unit = words.get(at + 1).is_some_and(|word| word.trim_end_matches([':', ',']) == "s");
        unit && words[at].contains('.') && words[at].parse::<f64>().is_ok()
    };
    let shown = (0..words.len()).map(|at| if is_time(at) { "…" } else { words[at] });
    shown.collect::<Vec<_>>().join(" ")
}
