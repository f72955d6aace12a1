//! Reading files, with errors that say what to do.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

use foundation::{Diagnostic, Diagnostics};

/// The most bytes of one file that are read: 256 MiB. A program of that size is a mistake.
pub const MOST_FILE_BYTES: u64 = 256 << 20;

/// The text of a file. Bytes that are no UTF-8 are replaced, with a warning.
pub fn read_text(path: &str, diagnostics: &mut Diagnostics) -> Option<String> {
    let bytes = match read_bytes(path) {
        Ok(bytes) => bytes,
        Err(diagnostic) => {
            diagnostics.push(*diagnostic);
            return None;
        }
    };
    Some(String::from_utf8(bytes).unwrap_or_else(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        diagnostics.push(
            Diagnostic::warning("not-utf8", format!("`{path}` is not UTF-8 text, first at line {line}")).help(
                "the bytes that are not UTF-8 are read as `\u{fffd}`; convert the file with `iconv` to avoid this",
            ),
        );
        String::from_utf8_lossy(error.as_bytes()).into_owned()
    }))
}

/// Warns of folders for headers that are none: the compiler passes over them in silence.
pub fn check_folders(folders: &[String], diagnostics: &mut Diagnostics) {
    for folder in folders.iter().filter(|folder| !Path::new(folder).is_dir()) {
        let message = match Path::new(folder).exists() {
            true => format!("`{folder}` is a file, not a folder of headers"),
            false => format!("there is no folder `{folder}`"),
        };
        diagnostics.push(Diagnostic::warning("no-folder", message).help("`-I` names a folder that is searched"));
    }
}

/// The bytes of a file.
pub fn read_bytes(path: &str) -> Result<Vec<u8>, Box<Diagnostic>> {
    let unreadable = |error: std::io::Error| {
        Box::new(match error.kind() {
            ErrorKind::NotFound => not_found(path),
            ErrorKind::PermissionDenied => {
                Diagnostic::error("unreadable-file", format!("cannot read `{path}`: permission denied"))
            }
            _ => Diagnostic::error("unreadable-file", format!("cannot read `{path}`: {error}")),
        })
    };
    if Path::new(path).is_dir() {
        let diagnostic = Diagnostic::error("unreadable-file", format!("`{path}` is a folder, not a file"));
        return Err(Box::new(diagnostic.help("name the files in it, for example with `*.c`")));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(unreadable)?;
    file.take(MOST_FILE_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MOST_FILE_BYTES {
        let most = MOST_FILE_BYTES >> 20;
        let message = format!("`{path}` is larger than {most} MiB");
        return Err(Box::new(Diagnostic::error("file-too-large", message)));
    }
    Ok(bytes)
}

fn not_found(path: &str) -> Diagnostic {
    let diagnostic = Diagnostic::error("file-not-found", format!("there is no file `{path}`"));
    if let Some(similar) = similar_file(path) {
        return diagnostic.help(format!("did you mean `{similar}`?"));
    }
    let folder = Path::new(path).parent().filter(|folder| !folder.as_os_str().is_empty());
    match folder.filter(|folder| !folder.exists()) {
        Some(folder) => diagnostic.help(format!("there is no folder `{}` either", folder.display())),
        None => diagnostic.help("check the spelling, and the folder you are in"),
    }
}

/// A file in the same folder whose name differs by case or by at most two letters, or pairs of letters that are swapped.
fn similar_file(path: &str) -> Option<String> {
    let path = Path::new(path);
    let wanted = path.file_name()?.to_str()?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?;
    let names = entries.flatten().take(10_000).filter_map(|entry| entry.file_name().into_string().ok());
    let lowercase = wanted.to_lowercase();
    let (distance, name) = names.map(|name| (strsim::osa_distance(&lowercase, &name.to_lowercase()), name)).min()?;
    let near = distance <= 2 && distance * 3 <= wanted.chars().count();
    near.then(|| folder.map_or(name.clone(), |folder| folder.join(&name).display().to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_read_is_said_with_its_reason() {
        let here = env!("CARGO_MANIFEST_DIR");
        for (path, code, help) in [
            (format!("{here}/src"), "unreadable-file", "name the files"),
            (format!("{here}/src/flies.rs"), "file-not-found", "files.rs`?"),
            (format!("{here}/nowhere/a.c"), "file-not-found", "no folder"),
            (format!("{here}/src/entirely-different.c"), "file-not-found", "spelling"),
        ] {
            let mut diagnostics = Diagnostics::new();
            assert_eq!(read_text(&path, &mut diagnostics), None);
            let diagnostic = diagnostics.iter().next().unwrap();
            assert_eq!(diagnostic.code, code, "{path}");
            assert!(diagnostic.help.iter().any(|line| line.contains(help)), "{diagnostic:?}");
        }
    }
}
