//! The kernel can be read in a weekend: it is small, and a page says in which order.

use std::fs;
use std::path::{Path, PathBuf};

/// Lines of code: without comments, blank lines and tests.
const MOST_LINES: usize = 5_000;

#[test]
fn there_are_less_than_five_thousand_lines_of_code() {
    let mut counted: Vec<(usize, PathBuf)> =
        sources().into_iter().map(|path| (lines_of_code(&read(&path)), path)).collect();
    counted.sort();
    let all: usize = counted.iter().map(|(lines, _)| lines).sum();
    println!("{all} lines of code");
    assert!(all > 1_000 && all < MOST_LINES, "{all} lines of code: {counted:#?}");
}

/// Whoever follows the page has seen every file, once.
#[test]
fn the_page_names_every_file() {
    let page = read(&root().join("../../docs/design/kernel.md"));
    for path in sources() {
        let name = path.strip_prefix(root().join("src")).unwrap().display().to_string();
        let rows = page.lines().filter(|line| line.starts_with(&format!("| [{name}]("))).count();
        let is_root = name == "lib.rs";
        assert!(rows == usize::from(!is_root), "{name} is in {rows} rows");
    }
}

#[test]
fn lines_are_counted_as_said() {
    let text = "//! Head.\n\n#[cfg(test)]\nmod tests;\n\n/// Adds.\nfn add() {\n    // Why.\n    1 + 1 // two\n}\n\n#[cfg(test)]\nmod more {\n    fn f() {}\n}\n";
    assert_eq!(lines_of_code(text), 3);
}

fn lines_of_code(text: &str) -> usize {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("//"));
    let mut count = 0;
    while let Some(line) = lines.next() {
        assert!(!line.contains("/*"), "comments of this kind are not counted: {line}");
        if line != "#[cfg(test)]" {
            count += 1;
        } else if lines.next().is_none_or(|item| !item.ends_with(';')) {
            // Tests inside a file are at its end.
            break;
        }
    }
    count
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The sources of the kernel without files of tests.
fn sources() -> Vec<PathBuf> {
    let (mut files, mut open) = (Vec::new(), vec![root().join("src")]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.file_name().is_some_and(|name| name != "tests.rs") {
                files.push(path);
            }
        }
    }
    files
}
