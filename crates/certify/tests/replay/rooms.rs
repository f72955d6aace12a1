//! What this crate must not use, in its own source: an error in the translation of formulas, in an engine or in an analysis
//! must not hide itself here. (On which crates it depends at all is what the table of rooms says.)

use std::fs;
use std::path::{Path, PathBuf};

/// Names of what finds verdicts, as they occur in code.
const FORBIDDEN: &[&str] = &["engines", "analysis", "translate"];

#[test]
fn what_finds_verdicts_is_not_used_to_check_them() {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut files);
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            assert!(!words.any(|word| FORBIDDEN.contains(&word)), "{}: {line}", path.display());
        }
    }
    let folders: std::collections::BTreeSet<_> = files.iter().filter_map(|path| path.parent()).collect();
    assert!(files.len() >= 20 && folders.len() >= 4, "{files:?}");
}

/// The Rust sources in a folder and in the folders in it.
fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}
