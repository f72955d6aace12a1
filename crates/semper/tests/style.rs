//! What every file of the repository keeps to, as far as a test can see it.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn every_source_file_says_what_it_is_for() {
    let faults = each_file("crates", "rs", |text, fault| {
        if !text.starts_with("//!") {
            fault(1, "does not begin with `//!`".to_owned());
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn nothing_is_left_for_later() {
    // Put together here, so that this file does not contain what it looks for.
    let words = ["todo", "unimplemented", "dbg"].map(|name| format!("{name}!("));
    let faults = each_file("crates", "rs", |text, fault| {
        for (number, line) in text.lines().enumerate() {
            for word in words.iter().filter(|word| line.contains(word.as_str())) {
                fault(number + 1, format!("contains `{word}`"));
            }
        }
    });
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn links_between_pages_lead_somewhere() {
    let mut faults = Vec::new();
    for path in files_under(&root(), "md") {
        let text = fs::read_to_string(&path).unwrap();
        for (number, target) in links(&text) {
            let file = target.split('#').next().unwrap();
            let outside = ["http://", "https://", "mailto:"].iter().any(|scheme| target.starts_with(scheme));
            if !outside && !file.is_empty() && !path.parent().unwrap().join(file).exists() {
                faults.push(format!("{}:{number}: there is no `{file}`", shown(&path)));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn shown(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}

/// Looks at all files of a kind; the faults found are returned with file and line.
fn each_file(folder: &str, ending: &str, look: impl Fn(&str, &mut dyn FnMut(usize, String))) -> Vec<String> {
    let mut faults = Vec::new();
    let files = files_under(&root().join(folder), ending);
    assert!(!files.is_empty());
    for path in files {
        let text = fs::read_to_string(&path).unwrap();
        look(&text, &mut |line, fault| faults.push(format!("{}:{line}: {fault}", shown(&path))));
    }
    faults
}

/// All files with an ending, without what is built or hidden.
fn files_under(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = entry.file_name().to_string_lossy().into_owned();
            if path.is_dir() && !name.starts_with('.') && name != "target" {
                open.push(path);
            } else if path.is_file() && path.extension().is_some_and(|found| found == ending) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The targets of all links `[text](target)` outside code, with their lines.
fn links(text: &str) -> Vec<(usize, String)> {
    let mut links = Vec::new();
    let mut in_block = false;
    for (number, line) in text.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            in_block = !in_block;
        }
        if in_block {
            continue;
        }
        // What stands between backquotes is code: every second part.
        let prose: String = line.split('`').step_by(2).collect::<Vec<_>>().join("`");
        for (at, _) in prose.match_indices("](") {
            let target = prose[at + 2..].split(')').next().unwrap_or("").split_whitespace().next().unwrap_or("");
            links.push((number + 1, target.to_owned()));
        }
    }
    links
}

#[test]
fn links_are_found_outside_code_only() {
    let text = "[a](b.md) and `[no](x)` [c](d.md#e \"title\")\n```\n[no](y)\n```\n[`code`](f.md)\n";
    let found: Vec<(usize, String)> = links(text);
    assert_eq!(found, [(1, "b.md".into()), (1, "d.md#e".into()), (5, "f.md".into())]);
}
