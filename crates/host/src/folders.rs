//! Files in folders, and files that are written.

use std::fs::{self, OpenOptions};
use std::path::{Path, PathBuf};

use foundation::Diagnostic;

/// All files below a folder whose names have an ending (`.yml`), in the order of their paths. What is hidden and folders
/// behind links are passed over.
pub fn find_files(folder: &str, ending: &str) -> Result<Vec<String>, Box<Diagnostic>> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::from(folder)];
    while let Some(folder) = open.pop() {
        let unreadable = |error: std::io::Error| {
            let message = format!("cannot read the folder `{}`: {error}", folder.display());
            Box::new(Diagnostic::error("unreadable-folder", message))
        };
        for entry in fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name();
            let is_hidden = name.to_string_lossy().starts_with('.');
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            if is_folder && !is_hidden {
                open.push(entry.path());
            } else if !is_hidden && name.to_string_lossy().ends_with(ending) && entry.path().is_file() {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    let is_text = |path: PathBuf| {
        path.into_os_string().into_string().map_err(|path| {
            let message = format!("the name of `{}` is not UTF-8", Path::new(&path).display());
            Box::new(Diagnostic::error("unreadable-file", message).help("rename it"))
        })
    };
    found.into_iter().map(is_text).collect()
}

/// Checks that a file can be written, before much work is done for it. It is made where it does not exist.
pub fn check_writable(path: &str) -> Result<(), Box<Diagnostic>> {
    OpenOptions::new().append(true).create(true).open(path).map(drop).map_err(|error| unwritable(path, &error))
}

/// Makes a folder, with those above it, unless it exists.
pub fn make_folder(path: &str) -> Result<(), Box<Diagnostic>> {
    fs::create_dir_all(path).map_err(|error| {
        Box::new(Diagnostic::error("unwritable-folder", format!("cannot make the folder `{path}`: {error}")))
    })
}

/// Writes a file.
pub fn write_text(path: &str, text: &str) -> Result<(), Box<Diagnostic>> {
    fs::write(path, text).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &str, error: &std::io::Error) -> Box<Diagnostic> {
    let diagnostic = Diagnostic::error("unwritable-file", format!("cannot write `{path}`: {error}"));
    let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
    Box::new(match folder.filter(|folder| !folder.exists()) {
        Some(folder) => diagnostic.help(format!("there is no folder `{}`", folder.display())),
        None => diagnostic,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_by_their_ending_in_order() {
        let here = env!("CARGO_MANIFEST_DIR");
        let found = find_files(&format!("{here}/src"), "s.rs").unwrap();
        let names: Vec<&str> = found.iter().map(|path| path.strip_prefix(here).unwrap()).collect();
        assert!(names.iter().is_sorted_by_key(Path::new) && names.contains(&"/src/files.rs"));
        assert!(names.contains(&"/src/preprocess/directives.rs") && !names.contains(&"/src/unit.rs"));
        assert_eq!(find_files(&format!("{here}/nowhere"), "").unwrap_err().code, "unreadable-folder");
    }

    #[test]
    fn what_cannot_be_written_is_known_beforehand() {
        let folder = std::env::temp_dir().join(format!("semper-host-{}", std::process::id()));
        let path = folder.join("results.json").display().to_string();
        let refused = check_writable(&path).unwrap_err();
        assert!(refused.code == "unwritable-file" && refused.help[0].contains("there is no folder"));
        make_folder(&folder.display().to_string()).unwrap();
        write_text(&path, "old").unwrap();
        assert_eq!(make_folder(&path).unwrap_err().code, "unwritable-folder");
        check_writable(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        assert!(write_text(&folder.display().to_string(), "").is_err());
        fs::remove_dir_all(&folder).unwrap();
    }
}
