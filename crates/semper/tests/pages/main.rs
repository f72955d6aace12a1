//! The pages of `README.md`, `docs/` and `suite/` are tests: every command in them is run and must print what the page
//! says, twice. `suite/README.md` describes the format. `SEMPER_BLESS=1 cargo test -p semper --test pages` rewrites the pages
//! with what the commands print now, and `SEMPER_PAGES=suite/check` runs only the pages whose path contains that text.

mod command;
mod page;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use page::Page;

#[test]
fn every_command_prints_what_its_page_says() {
    let bless = std::env::var_os("SEMPER_BLESS").is_some_and(|value| !value.is_empty() && value != "0");
    let root = root();
    let pages = pages(&root);
    assert!(!pages.is_empty(), "there are no pages under {}", root.display());
    let queue = Mutex::new(pages.iter());
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let Some(path) = queue.lock().unwrap().next() else { break };
                    let found = check(path, &root, bless);
                    failures.lock().unwrap().extend(found);
                }
            });
        }
    });
    let mut failures = failures.into_inner().unwrap();
    failures.sort();
    assert!(
        failures.is_empty(),
        "{}\n\nif the new output is right: SEMPER_BLESS=1 cargo test -p semper --test pages",
        failures.join("\n")
    );
}

/// Runs a page twice, and says where what was printed differs from what is written, or from what was printed before.
fn check(path: &Path, root: &Path, bless: bool) -> Vec<String> {
    let text = fs::read_to_string(path).unwrap();
    let name = path.strip_prefix(root).unwrap_or(path).display().to_string();
    let mut page = match Page::parse(&text) {
        Ok(page) => page,
        Err(fault) => return vec![format!("{name}: {fault}")],
    };
    let (mut failures, mut differ) = (Vec::new(), Vec::new());
    for console in &mut page.consoles {
        let folder = command::Folder::with(&console.files);
        for call in &mut console.calls {
            let actual = command::run(&call.words, folder.path());
            if actual != call.expected {
                let difference = difference(&call.expected, &actual);
                failures.push(format!("{name}:{}: {}\n{difference}", call.line, call.command()));
                call.expected = actual;
            }
        }
        // Hash tables have other seeds in each process: no order of theirs may reach an output.
        let folder = command::Folder::with(&console.files);
        for call in &console.calls {
            let again = command::run(&call.words, folder.path());
            if again != call.expected {
                let difference = difference(&call.expected, &again);
                differ.push(format!("{name}:{}: {}, run twice\n{difference}", call.line, call.command()));
            }
        }
    }
    if bless && !failures.is_empty() {
        fs::write(path, page.to_text()).unwrap();
        failures.clear();
    }
    failures.append(&mut differ);
    failures
}

/// Both outputs, with the lines that they do not share at their beginning and end marked.
fn difference(expected: &[String], actual: &[String]) -> String {
    let same_start = expected.iter().zip(actual).take_while(|(left, right)| left == right).count();
    let rest = expected.len().min(actual.len()) - same_start;
    let same_end = expected.iter().rev().zip(actual.iter().rev()).take(rest).take_while(|(l, r)| l == r).count();
    let mut lines: Vec<String> = expected[..same_start].iter().map(|line| format!("    {line}")).collect();
    lines.extend(expected[same_start..expected.len() - same_end].iter().map(|line| format!("  - {line}")));
    lines.extend(actual[same_start..actual.len() - same_end].iter().map(|line| format!("  + {line}")));
    lines.extend(actual[actual.len() - same_end..].iter().map(|line| format!("    {line}")));
    lines.join("\n")
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// All pages, in a stable order.
fn pages(root: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    let mut open = vec![root.join("docs"), root.join("suite")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|ending| ending == "md") {
                pages.push(path);
            }
        }
    }
    pages.extend(Some(root.join("README.md")).filter(|readme| readme.exists()));
    if let Ok(part) = std::env::var("SEMPER_PAGES") {
        pages.retain(|page| page.strip_prefix(root).unwrap_or(page).to_string_lossy().contains(&part));
    }
    pages.sort();
    pages
}
