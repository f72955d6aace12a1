//! The table of rooms in `ARCHITECTURE.md` and the `Cargo.toml` files say the same: every crate is listed and exists,
//! and uses no room that the table does not allow it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// Rooms that a room may use; `None` stands for all.
type Table = BTreeMap<String, Option<BTreeSet<String>>>;

#[test]
fn every_crate_uses_only_the_rooms_it_may() {
    let table = read_table(&fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap());
    assert!(!table.is_empty(), "ARCHITECTURE.md has no table that begins with `| room | may use |`");
    let mut faults = Vec::new();
    let crates = crates();
    for (name, manifest) in &crates {
        let Some(allowed) = allowed(&table, name) else {
            faults.push(format!("crates/{name} is not listed"));
            continue;
        };
        for used in used_rooms(manifest, &crates) {
            if used != "foundation" && allowed.as_ref().is_some_and(|allowed| !allowed.contains(&used)) {
                faults.push(format!("crates/{name} uses {used}, which the table does not allow"));
            }
        }
    }
    for room in table.keys().chain(table.values().flatten().flatten().filter(|used| used.contains('/'))) {
        let folder = room.split('/').next().unwrap();
        if !crates.contains_key(folder) {
            faults.push(format!("{room} is listed, but there is no crates/{folder}"));
        }
    }
    assert!(faults.is_empty(), "ARCHITECTURE.md and the Cargo.toml files differ:\n  {}", faults.join("\n  "));
}

/// What others may want by itself: temporal logic, the program model and its interpreter, C, and the replay of executions.
const LIGHT: [&str; 6] = ["automata", "program", "c-frontend", "logic", "subject", "replay"];

#[test]
fn models_and_front_ends_need_neither_a_solver_nor_a_code_generator() {
    let crates = crates();
    for light in LIGHT {
        let (mut all, mut open) = (BTreeSet::new(), vec![light.to_owned()]);
        while let Some(name) = open.pop() {
            if all.insert(name.clone()) {
                open.extend(used_rooms(&crates[&name], &crates));
            }
        }
        for name in all {
            let heavy = ["\nz3", "\ncranelift"].into_iter().find(|heavy| crates[&name].contains(heavy));
            assert_eq!(heavy, None, "{light} needs {name}");
        }
    }
}

/// Crates whose folders are rooms of their own (`engines/explicit`) are looked at in their source: every folder is listed,
/// and no room may name another one or a crate that the table does not allow it.
#[test]
fn rooms_inside_a_crate_keep_to_themselves() {
    let table = read_table(&fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap());
    let crates = crates();
    let inner = |crate_name: &str| -> BTreeSet<String> {
        let rooms = table.keys().filter_map(|room| room.split_once('/'));
        rooms.filter(|(outer, _)| *outer == crate_name).map(|(_, room)| room.to_owned()).collect()
    };
    let mut faults = Vec::new();
    let mut looked_at = 0;
    for crate_name in crates.keys().filter(|name| !inner(name).is_empty()) {
        let rooms = inner(crate_name);
        let folder = root().join("crates").join(crate_name).join("src");
        for found in folders(&folder).difference(&rooms) {
            faults.push(format!("{crate_name}/{found} is not listed"));
        }
        for room in &rooms {
            let name = format!("{crate_name}/{room}");
            let allowed = &table[&name];
            for (file, text) in sources_of(&folder, room) {
                looked_at += 1;
                let may_use = |other: &str| {
                    let other = format!("{crate_name}/{other}");
                    allowed.as_ref().is_none_or(|allowed| allowed.contains(&other))
                };
                let others = rooms.iter().filter(|other| *other != room && !may_use(other));
                for other in others.filter(|other| names_path(&text, &format!("crate::{other}"))) {
                    faults.push(format!("{file} uses {crate_name}/{other}"));
                }
                let is_forbidden = |used: &&String| {
                    *used != "foundation" && allowed.as_ref().is_some_and(|allowed| !allowed.contains(*used))
                };
                for used in crates.keys().filter(is_forbidden) {
                    if names_path(&text, &used.replace('-', "_")) {
                        faults.push(format!("{file} uses {used}, which the table does not allow"));
                    }
                }
            }
        }
    }
    assert!(looked_at > 0, "no crate has rooms inside");
    assert!(faults.is_empty(), "ARCHITECTURE.md and the source texts differ:\n  {}", faults.join("\n  "));
}

/// The folders and files of a crate's source, but for its root.
fn folders(source: &Path) -> BTreeSet<String> {
    let stems = fs::read_dir(source).unwrap().flatten().filter_map(|entry| {
        let stem = entry.path().file_stem()?.to_str()?.to_owned();
        (!["lib", "main", "tests"].contains(&stem.as_str())).then_some(stem)
    });
    stems.collect()
}

/// The source texts of a room inside a crate, `room.rs` and the folder `room`, with their names. Tests may use what they
/// like.
fn sources_of(folder: &Path, room: &str) -> Vec<(String, String)> {
    let mut texts = Vec::new();
    let mut open = vec![folder.join(room), folder.join(format!("{room}.rs"))];
    while let Some(path) = open.pop() {
        if path.file_stem().is_some_and(|stem| stem == "tests") {
            continue;
        }
        if path.is_dir() {
            open.extend(fs::read_dir(&path).unwrap().flatten().map(|entry| entry.path()));
        } else if let Ok(text) = fs::read_to_string(&path) {
            let code = text.split("#[cfg(test)]").next().unwrap_or_default().to_owned();
            texts.push((path.display().to_string(), code));
        }
    }
    texts
}

/// Whether a source text names something inside a path, as in `use task::Task` or `task::Task::new()`, outside comments.
fn names_path(text: &str, path: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let names = |line: &str| {
        line.match_indices(path).any(|(at, _)| {
            let before = line[..at].chars().next_back();
            let is_whole = before.is_none_or(|character| !is_word(character) && character != ':');
            is_whole && line[at + path.len()..].starts_with("::")
        })
    };
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    code.map(|line| line.split(" // ").next().unwrap_or(line)).any(names)
}

#[test]
fn paths_are_found_as_written() {
    for (text, path, is_named) in [
        ("use task::Task;", "task", true),
        ("let x = task::Task::new();", "task", true),
        ("use super::task::Task;", "task", false),
        ("use multitask::Task;", "task", false),
        ("// use task::Task;", "task", false),
        ("let task = 1;", "task", false),
        ("use crate::fairness::Loop;", "crate::fairness", true),
        ("use crate::fairness_of;", "crate::fairness", false),
        ("f(x); // as task::Task does", "task", false),
    ] {
        assert_eq!(names_path(text, path), is_named, "{text}");
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The manifests of all crates, by the name of their folder.
fn crates() -> BTreeMap<String, String> {
    let folders = fs::read_dir(root().join("crates")).unwrap().flatten();
    let read = |entry: fs::DirEntry| {
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).ok()?;
        Some((entry.file_name().into_string().ok()?, manifest))
    };
    folders.filter_map(read).collect()
}

/// What a crate may use. A crate with inner rooms (`engines/encode`) may use what any of them may.
fn allowed(table: &Table, name: &str) -> Option<Option<BTreeSet<String>>> {
    let rooms = table.iter().filter(|(room, _)| room.split('/').next() == Some(name));
    let mut union: Option<Option<BTreeSet<String>>> = None;
    for (_, may_use) in rooms {
        union = Some(match (union.unwrap_or(Some(BTreeSet::new())), may_use) {
            (Some(all), Some(more)) => Some(&all | more),
            _ => None,
        });
    }
    union
}

/// Reads the table whose first two columns are `room` and `may use`. A cell lists rooms between commas; of each only the
/// first word counts, so that a remark may follow it. `everything` allows all rooms.
fn read_table(text: &str) -> Table {
    let cells =
        |line: &str| line.trim().trim_matches('|').split('|').map(|cell| cell.trim().to_owned()).collect::<Vec<_>>();
    let rooms_in = |cell: &str| {
        let first_word = |part: &str| {
            let part = part.replace('`', "");
            let word = part.split_whitespace().next().unwrap_or("").trim_end_matches("'s").to_owned();
            word.trim_end_matches([';', '.', ':']).to_owned()
        };
        cell.split(',').map(first_word).filter(|word| !word.is_empty()).collect::<BTreeSet<String>>()
    };
    let mut table = Table::new();
    let is_heading = |line: &&str| {
        let cells = cells(line);
        cells.len() >= 2 && cells[0] == "room" && cells[1] == "may use"
    };
    let mut lines = text.lines().skip_while(|line| !is_heading(line)).skip(2);
    for line in lines.by_ref().take_while(|line| line.trim_start().starts_with('|')) {
        let cells = cells(line);
        let may_use = cells.get(1).map(|cell| rooms_in(cell)).unwrap_or_default();
        let may_use = (!may_use.contains("everything")).then_some(may_use);
        for room in rooms_in(&cells[0]) {
            table.insert(room, may_use.clone());
        }
    }
    table
}

/// The crates of the workspace among the normal dependencies of a manifest.
fn used_rooms(manifest: &str, crates: &BTreeMap<String, String>) -> BTreeSet<String> {
    let mut section = String::new();
    let mut used = BTreeSet::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            section = line.trim_matches(['[', ']']).to_owned();
            if let Some(name) = section.strip_prefix("dependencies.") {
                used.insert(room_of(name));
            }
        } else if section == "dependencies" || section.ends_with(".dependencies") {
            let name = line.split(['.', '=', ' ']).next().unwrap_or("");
            used.insert(room_of(name));
        }
    }
    used.retain(|room| crates.contains_key(room));
    used
}

fn room_of(dependency: &str) -> String {
    dependency.trim_matches('"').trim_start_matches("semper-").to_owned()
}

#[test]
fn the_table_and_manifests_are_read_as_written() {
    let text = "\
Words.

| room | may use | may not |
| --- | --- | --- |
| program | foundation | C syntax |
| automata, `logic` | foundation | each other |
| certify | task, automata's types, smt | engines |
| engines/encode | logic | |
| engines/explicit | task | |
| semper | everything above | |

| other | table |
| --- | --- |
| x | y |
";
    let table = read_table(text);
    let set = |names: &[&str]| Some(names.iter().map(|name| (*name).to_owned()).collect::<BTreeSet<_>>());
    assert_eq!(table.len(), 7);
    assert_eq!(table["logic"], set(&["foundation"]));
    assert_eq!(table["certify"], set(&["task", "automata", "smt"]));
    assert_eq!(table["semper"], None);
    assert_eq!(allowed(&table, "engines"), Some(set(&["logic", "task"])));
    assert_eq!(allowed(&table, "nowhere"), None);
    let manifest = "\
[package]
name = \"semper-x\"
[dependencies]
foundation.workspace = true
semper-program = { path = \"../program\" }
serde = \"1\"
[dependencies.smt]
path = \"../smt\"
[dev-dependencies]
logic.workspace = true
";
    let crates = ["foundation", "program", "smt", "logic"].map(|name| (name.to_owned(), String::new())).into();
    let used = used_rooms(manifest, &crates);
    assert_eq!(Some(used), set(&["foundation", "program", "smt"]));
}
