//! A translation unit: a C file as its author wrote it, and as the front end reads it.

use foundation::{Budget, Diagnostics, SourceId, SourceMap};

use crate::files::read_text;
use crate::preprocess::{Preprocessor, has_directives};

/// The texts of one C file in a [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unit {
    /// What the front end reads: the preprocessed text, or the file itself where it has no directives.
    pub text: SourceId,
    /// The file as it was written, with its comments. Annotations are found here. Equal to `text` where nothing was
    /// preprocessed.
    pub written: SourceId,
}

/// Reads a C file, preprocesses it where that is needed, and keeps the users' files that it was made from, so that
/// diagnostics show their lines. Files with the ending `.i` are never preprocessed.
pub fn load_unit(
    path: &str,
    preprocessor: &Preprocessor,
    sources: &mut SourceMap,
    budget: &Budget,
    diagnostics: &mut Diagnostics,
) -> Option<Unit> {
    let written = read_text(path, diagnostics)?;
    let preprocessed_already = path.ends_with(".i");
    // A macro of the command line may be used in a file without any directive.
    let needed = !preprocessed_already && (has_directives(&written) || !preprocessor.define.is_empty());
    if !needed {
        add_originals(&written, path, sources);
        let text = sources.add(path, written);
        return Some(Unit { text, written: text });
    }
    let text = preprocessor.run(path, sources, budget, diagnostics)?;
    add_originals(&text, path, sources);
    sources.add_original(path, &written);
    Some(Unit { text: sources.add(path, text), written: sources.add(path, written) })
}

/// Keeps the lines of all files that line markers name, but for system headers and what is not a file.
fn add_originals(preprocessed: &str, path: &str, sources: &mut SourceMap) {
    let mut files: Vec<&str> = preprocessed.lines().filter_map(marked_file).collect();
    files.sort_unstable();
    files.dedup();
    for file in files {
        if file == path || sources.has_original(file) || !std::path::Path::new(file).is_file() {
            continue;
        }
        // What cannot be read is shown as the preprocessor left it.
        if let Some(text) = read_text(file, &mut Diagnostics::new()) {
            sources.add_original(file, &text);
        }
    }
}

/// The file that a line marker (`# 12 "file.c" 2`) names, unless it is the system's (flag 3, or a folder of the
/// system) or no file at all (`<built-in>`).
fn marked_file(line: &str) -> Option<&str> {
    let rest = line.strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start();
    let (file, flags) = rest.strip_prefix('"')?.rsplit_once('"')?;
    let system = flags.split_whitespace().any(|flag| flag == "3")
        || ["/usr/", "/opt/", "/lib/"].iter().any(|folder| file.starts_with(folder));
    (!system && !file.starts_with('<') && !file.contains('\\')).then_some(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_markers_name_the_users_files_only() {
        for (line, file) in [
            ("# 1 \"a.c\"", Some("a.c")),
            ("# 1 \"dir/b c.h\" 1", Some("dir/b c.h")),
            ("#line 3 \"x.h\"", Some("x.h")),
            ("# 1 \"/usr/include/stdio.h\" 1 3 4", None),
            ("# 1 \"/usr/lib/gcc/x.h\" 1", None),
            ("# 1 \"local/sys.h\" 1 3", None),
            ("# 0 \"<built-in>\"", None),
            ("#pragma x", None),
            ("int x;", None),
        ] {
            assert_eq!(marked_file(line), file, "{line}");
        }
    }
}
