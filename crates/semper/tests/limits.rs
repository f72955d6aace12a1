//! Numbers in pages are those in the sources: the tables of `docs/limits.md`, and the oldest compiler in the README.

use std::fs;
use std::path::{Path, PathBuf};

#[test]
fn the_page_of_limits_says_what_the_sources_say() {
    let root = root();
    let sources = sources(&root.join("crates"));
    let rows = rows(&fs::read_to_string(root.join("docs/limits.md")).unwrap());
    assert!(rows.len() > 40, "docs/limits.md has {} rows", rows.len());
    let faults: Vec<String> =
        rows.iter().filter_map(|row| Some(format!("{}: {}", row.limit, row.fault(&sources)?))).collect();
    assert!(faults.is_empty(), "docs/limits.md and the sources differ:\n  {}", faults.join("\n  "));
}

#[test]
fn the_readme_names_the_oldest_compiler() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let oldest = manifest.split("rust-version = \"").nth(1).and_then(|rest| rest.split('"').next()).unwrap();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains(&format!("Rust toolchain ({oldest} or newer")), "README.md does not name Rust {oldest}");
}

/// A row of a table whose heading is `| limit | value | unit | beyond it | constant | where |`.
struct Row {
    limit: String,
    value: String,
    unit: String,
    constant: String,
    /// The end of the path of the file. The crate may be left out, so that files can move.
    place: String,
}

impl Row {
    /// What is wrong with the row, if anything.
    fn fault(&self, sources: &[(PathBuf, String)]) -> Option<String> {
        let Ok(value) = self.value.replace(',', "").parse::<u128>() else {
            return Some(format!("`{}` is no number", self.value));
        };
        if self.unit.is_empty() {
            return Some("it has no unit".to_owned());
        }
        let here: Vec<&String> =
            sources.iter().filter(|(path, _)| path.ends_with(&self.place)).map(|it| &it.1).collect();
        if here.is_empty() {
            return Some(format!("there is no `{}`", self.place));
        }
        let found: Vec<&str> = here.iter().filter_map(|text| definition(text, &self.constant)).collect();
        if found.is_empty() {
            return Some(format!("`{}` does not define `{}`", self.place, self.constant));
        }
        let says_so = |text: &&str| evaluate(text, &self.unit) == Some(value);
        (!found.iter().any(says_so)).then(|| format!("`{}` is `{}`, not {}", self.constant, found[0], self.value))
    }
}

/// The value of a constant as it is written.
fn definition<'t>(text: &'t str, name: &str) -> Option<&'t str> {
    let after = text.split(&format!("const {name}: ")).nth(1)?;
    Some(after.split(';').next()?.split_once('=')?.1.trim())
}

/// What an expression comes to: numbers, `<<`, `-` and durations, which are told in the unit.
fn evaluate(text: &str, unit: &str) -> Option<u128> {
    if let Some((amount, factor)) = duration(text) {
        let milliseconds = evaluate(amount, "")? * factor;
        return match unit {
            "seconds" => Some(milliseconds / 1000).filter(|seconds| seconds * 1000 == milliseconds),
            "milliseconds" => Some(milliseconds),
            _ => None,
        };
    }
    if let Some((left, right)) = text.rsplit_once(" << ") {
        return Some(evaluate(left, "")? << evaluate(right, "")?);
    }
    if let Some((left, right)) = text.rsplit_once(" - ") {
        return evaluate(left, "")?.checked_sub(evaluate(right, "")?);
    }
    match text {
        "u32::MAX" => Some(u128::from(u32::MAX)),
        _ => text.replace('_', "").parse().ok(),
    }
}

/// The amount of a duration, and how many milliseconds one of it is.
fn duration(text: &str) -> Option<(&str, u128)> {
    let text = text.strip_suffix(')')?;
    let seconds = text.strip_prefix("Duration::from_secs(").map(|amount| (amount, 1000));
    seconds.or_else(|| text.strip_prefix("Duration::from_millis(").map(|amount| (amount, 1)))
}

/// The rows of all tables of limits on a page.
fn rows(page: &str) -> Vec<Row> {
    let is_row = |line: &&str| line.starts_with("| ") && !line.starts_with("| ---") && !line.starts_with("| limit |");
    let read = |line: &str| {
        let cells: Vec<String> = line.trim_matches('|').split(" | ").map(|cell| cell.trim().replace('`', "")).collect();
        let [limit, value, unit, _, constant, place] = &cells[..] else { panic!("six cells: {line}") };
        Row {
            limit: limit.clone(),
            value: value.clone(),
            unit: unit.clone(),
            constant: constant.clone(),
            place: place.clone(),
        }
    };
    page.lines().filter(is_row).map(read).collect()
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All Rust files in a folder, with their texts.
fn sources(folder: &Path) -> Vec<(PathBuf, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            found.push((path, text));
        }
    }
    found
}

#[test]
fn values_are_read_as_they_are_written() {
    for (text, unit, value) in [
        ("20_000", "edges", Some(20_000)),
        ("256 << 20", "bytes", Some(268_435_456)),
        ("u32::MAX - 1", "states", Some(4_294_967_294)),
        ("Duration::from_secs(5)", "seconds", Some(5)),
        ("Duration::from_millis(900)", "milliseconds", Some(900)),
        ("Duration::from_millis(900)", "seconds", None),
        ("Duration::from_secs(5)", "edges", None),
        ("OTHER", "edges", None),
    ] {
        assert_eq!(evaluate(text, unit), value, "{text} in {unit}");
    }
    let text = "const A: u64 = 1 << 3;\npub const B: Duration = Duration::from_secs(2);";
    assert_eq!(definition(text, "B"), Some("Duration::from_secs(2)"));
    let row = |value: &str| {
        format!("| limit | value | unit |\n| --- | --- | --- |\n| a | {value} | bytes | no | `B` | `x/y.rs` |\n")
    };
    let sources = [(PathBuf::from("crates/x/y.rs"), "const B: u64 = 1 << 3;".to_owned())];
    assert_eq!(rows(&row("8"))[0].fault(&sources), None);
    assert!(rows(&row("9"))[0].fault(&sources).unwrap().contains("not 9"));
    assert!(rows(&row("8"))[0].fault(&[]).unwrap().contains("there is no"));
}
