//! What the checks of evidence must not use, in their own sources: an error in the translation of formulas, in an engine or in
//! an analysis must not hide itself here. Nor do those use what the checks find out about programs. (On which crates a crate
//! depends at all is what the table of rooms says.)

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn what_finds_verdicts_is_not_used_to_check_them() {
    for checking in ["certify", "kernel", "replay", "recurrence", "recheck"] {
        names_none_of(checking, &["engines", "analysis", "translate"]);
    }
    for finding in ["engines", "analysis"] {
        names_none_of(finding, &["relevance", "lifetimes"]);
    }
}

/// Fails if one of these words occurs in the code of a crate.
fn names_none_of(crate_name: &str, forbidden: &[&str]) {
    let mut files = Vec::new();
    collect(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(crate_name).join("src"), &mut files);
    assert!(files.len() >= 2, "{files:?}");
    for path in &files {
        let text = fs::read_to_string(path).unwrap();
        for line in text.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let mut words = line.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
            assert!(!words.any(|word| forbidden.contains(&word)), "{}: {line}", path.display());
        }
    }
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
