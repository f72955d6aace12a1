//! The names that `docs/glossary.md` gives as ours exist, and the papers that it cites are listed.

use std::fs;
use std::path::{Path, PathBuf};

use foundation::collections::HashSet;

#[test]
fn names_in_the_glossary_exist() {
    let known = names(&root().join("crates"));
    let mut faults = Vec::new();
    let mut looked_at = 0;
    for row in rows(&glossary()) {
        // What stands between backquotes is every second part.
        for name in
            row[2].split('`').skip(1).step_by(2).filter(|name| !name.starts_with("--") && !name.starts_with("__"))
        {
            looked_at += 1;
            if let Some(part) = name.split("::").find(|part| !known.contains(&part.replace('-', "_"))) {
                faults.push(format!("{}: there is no `{part}`", row[0]));
            }
        }
    }
    assert!(looked_at > 100, "only {looked_at} names were found");
    assert!(faults.is_empty(), "docs/glossary.md names what is not there:\n  {}", faults.join("\n  "));
}

#[test]
fn cited_papers_are_listed() {
    let page = glossary();
    let listed: HashSet<&str> = page.lines().filter_map(|line| line.strip_prefix("- [")?.split(']').next()).collect();
    let rows = rows(&page);
    let cited: HashSet<&str> = rows.iter().flat_map(|row| keys(row[1])).collect();
    let missing: Vec<_> = cited.difference(&listed).collect();
    let superfluous: Vec<_> = listed.difference(&cited).collect();
    assert!(missing.is_empty() && superfluous.is_empty(), "not listed: {missing:?}, not cited: {superfluous:?}");
}

/// What stands in brackets.
fn keys(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('[').skip(1).filter_map(|rest| rest.split(']').next())
}

fn glossary() -> String {
    fs::read_to_string(root().join("docs/glossary.md")).unwrap()
}

/// The rows of all tables: concept, name in the literature, name here.
fn rows(page: &str) -> Vec<[&str; 3]> {
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| ---") && !line.starts_with("| concept |");
    let read = |line| {
        let cells: Vec<&str> = str::trim_matches(line, '|').split(" | ").collect();
        cells.try_into().unwrap_or_else(|_| panic!("three cells: {line}"))
    };
    page.lines().filter(is_row).map(read).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All words of the sources under a folder, with the names of files and folders.
fn names(folder: &Path) -> HashSet<String> {
    let mut found = HashSet::default();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        found.extend(path.file_stem().map(|name| name.to_string_lossy().replace('-', "_")));
        if path.is_dir() {
            found.extend(names(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
            let words = code.flat_map(|line| line.split(|letter: char| !letter.is_alphanumeric() && letter != '_'));
            found.extend(words.map(str::to_owned));
        }
    }
    found
}
