//! From files and folders to tasks with names.
//!
//! Everything is read before anything runs, and one faulty definition refuses the whole suite: totals over the tasks that
//! happened to be readable would not mean what they say.

use std::path::{Component, Path, PathBuf};

use foundation::collections::HashSet;
use foundation::{Diagnostic, Diagnostics, SourceMap};

use crate::definition::{DefinedTask, DefinitionReader, LabelledTask, NamedFile};

/// The result of [`read`].
#[derive(Clone, Debug)]
pub struct ReadSuite {
    /// The texts of all definitions, which the diagnostics refer to.
    pub sources: SourceMap,
    /// What is wrong, and what the user should know.
    pub diagnostics: Diagnostics,
    /// The tasks in the order of the files; none where there was an error.
    pub tasks: Vec<LabelledTask>,
}

/// Reads the task definitions in files, and in all files `*.yml` below folders. Where there is a filter, only the tasks
/// whose names contain it are kept; the files of the others need not exist.
pub fn read(paths: &[String], filter: Option<&str>) -> ReadSuite {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let files = find(paths, &mut diagnostics);
    let mut reader =
        DefinitionReader { sources: &mut sources, diagnostics: &mut diagnostics, warned: HashSet::default() };
    let mut defined: Vec<DefinedTask> = files.iter().flat_map(|file| reader.read(file)).collect();
    name(&mut defined);
    if let Some(filter) = filter {
        select(&mut defined, filter, &mut diagnostics);
    }
    let mut known = HashSet::default();
    for file in defined.iter().flat_map(|defined| &defined.files) {
        check_file(file, &mut known, &mut diagnostics);
    }
    let tasks = defined.into_iter().map(|defined| defined.task).filter(|_| !diagnostics.has_errors()).collect();
    ReadSuite { sources, diagnostics, tasks }
}

/// The files that are named and those in folders, each once.
fn find(paths: &[String], diagnostics: &mut Diagnostics) -> Vec<String> {
    let mut files = Vec::new();
    for path in paths {
        if !Path::new(path).is_dir() {
            files.push(path.clone());
            continue;
        }
        match host::find_files(path, ".yml") {
            Ok(found) if found.is_empty() => diagnostics.push(
                Diagnostic::error("no-tasks", format!("there are no task definitions in the folder `{path}`"))
                    .help("a task is defined by a file whose name ends in `.yml`"),
            ),
            Ok(found) => files.extend(found),
            Err(diagnostic) => diagnostics.push(*diagnostic),
        }
    }
    let mut known = HashSet::default();
    files.retain(|file| known.insert(file.clone()));
    files
}

/// Names every task by the path of its definition, without the ending and the folders that all have in common.
fn name(defined: &mut [DefinedTask]) {
    let folder =
        |defined: &DefinedTask| Path::new(&defined.task.definition).parent().map(PathBuf::from).unwrap_or_default();
    let common = defined.iter().map(folder).reduce(|left, right| {
        let both = left.components().zip(right.components());
        both.take_while(|(left, right)| left == right).map(|(component, _)| component).collect::<PathBuf>()
    });
    let common = common.unwrap_or_default();
    for DefinedTask { task, .. } in defined {
        let path = Path::new(&task.definition).with_extension("");
        let path: PathBuf = path.components().skip(common.components().count()).filter(is_shown).collect();
        let property = if task.name.is_empty() { String::new() } else { format!(" ({})", task.name) };
        task.name = format!("{}{property}", path.display());
    }
}

fn is_shown(component: &Component<'_>) -> bool {
    !matches!(component, Component::CurDir)
}

fn select(defined: &mut Vec<DefinedTask>, filter: &str, diagnostics: &mut Diagnostics) {
    /// So many names show what names look like.
    const SHOWN_NAMES: usize = 3;
    let quoted = |defined: &DefinedTask| format!("`{}`", defined.task.name);
    let mut names: Vec<String> = defined.iter().take(SHOWN_NAMES).map(quoted).collect();
    if defined.len() > SHOWN_NAMES {
        names.push("…".to_owned());
    }
    defined.retain(|defined| defined.task.name.contains(filter));
    if defined.is_empty() && !names.is_empty() {
        let error = Diagnostic::error("no-tasks", format!("no task has `{filter}` in its name"));
        diagnostics.push(error.help(format!("the names are {}", names.join(", "))));
    }
}

/// A file that is not there is found before anything runs.
fn check_file(file: &NamedFile, known: &mut HashSet<String>, diagnostics: &mut Diagnostics) {
    if Path::new(&file.path).is_file() || !known.insert(file.path.clone()) {
        return;
    }
    let diagnostic = match Path::new(&file.path).exists() {
        true => Diagnostic::error("unreadable-file", format!("`{}` is a folder, not a file", file.path)),
        false => Diagnostic::error("file-not-found", format!("there is no file `{}`", file.path)),
    };
    let help = match file.path.contains(['*', '?']) {
        true => "patterns are not expanded: list the files that are meant",
        false => "names are relative to the folder of the task definition",
    };
    diagnostics.push(diagnostic.at(file.span).help(help));
}
