//! Preprocessing with the C compiler of this machine; where there is none, nothing is tested.

use std::fs;
use std::path::PathBuf;

use foundation::{Budget, Diagnostics, Exhausted, SourceMap, Span};
use semper_host::{Preprocessor, WordSize, load_unit};

/// A folder of files that is removed at the end of a test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let folder = std::env::temp_dir().join(format!("semper-host-{}-{name}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            fs::write(folder.join(file), text).unwrap();
        }
        Self(folder)
    }

    fn path(&self, file: &str) -> String {
        self.0.join(file).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn compilers() -> Vec<Vec<String>> {
    let works =
        |name: &str| std::process::Command::new(name).arg("--version").output().is_ok_and(|o| o.status.success());
    ["gcc", "clang"].into_iter().filter(|name| works(name)).map(|name| vec![name.to_owned()]).collect()
}

fn load(path: &str, preprocessor: &Preprocessor) -> (SourceMap, Option<semper_host::Unit>, Diagnostics) {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let unit = load_unit(path, preprocessor, &mut sources, &Budget::unlimited(), &mut diagnostics);
    (sources, unit, diagnostics)
}

/// What types are to the program that includes the headers is on the page `suite/c/headers.md`: the same type has many
/// spellings, and a macro may leave line breaks in the middle of one.
#[test]
fn system_headers_are_read_for_both_word_sizes() {
    let headers = ["stdio", "stdlib", "string", "stdint", "stdbool", "stddef", "math", "assert", "limits", "pthread"];
    let mut text: String = headers.iter().map(|header| format!("#include <{header}.h>\n")).collect();
    text.push_str("size_t the_size; int64_t the_wide; long the_limit = LONG_MAX;\n");
    let folder = Folder::new("headers", &[("a.c", &text)]);
    for compiler in compilers() {
        for (word_size, longest) in [(WordSize::Bits64, i64::MAX), (WordSize::Bits32, i64::from(i32::MAX))] {
            let preprocessor = Preprocessor { word_size, compiler: Some(compiler.clone()), ..Default::default() };
            let (sources, unit, diagnostics) = load(&folder.path("a.c"), &preprocessor);
            let unit = unit.unwrap_or_else(|| panic!("{compiler:?} {word_size:?} {diagnostics:?}"));
            assert!(diagnostics.is_empty(), "{diagnostics:?}");
            let text = sources.text(unit.text);
            let (_, limit) = text.rsplit_once("the_limit = ").unwrap();
            let limit =
                limit.split(';').next().unwrap().trim_matches(|c: char| "()lL".contains(c) || c.is_whitespace());
            let value = match limit.strip_prefix("0x") {
                Some(digits) => i64::from_str_radix(digits, 16),
                None => limit.parse(),
            };
            assert_eq!(value, Ok(longest), "{compiler:?} {word_size:?} {limit}");
        }
    }
}

#[test]
fn macros_and_include_folders_reach_the_compiler() {
    let folder = Folder::new("flags", &[("a.c", "#include \"b.h\"\nint x = A + B;\n"), ("plain.c", "int x = A;\n")]);
    let inner = Folder::new("flags-inner", &[("b.h", "#define B 2\nint from_b;\n")]);
    if compilers().is_empty() {
        return;
    }
    let preprocessor =
        Preprocessor { include: vec![inner.path("")], define: vec!["A=41".to_owned()], ..Default::default() };
    let (sources, unit, _) = load(&folder.path("a.c"), &preprocessor);
    let text = sources.text(unit.unwrap().text);
    assert!(text.contains("int x = 41 + 2;") && text.contains("int from_b;"));
    assert!(sources.has_original(&folder.path("a.c")));
    let header = text.lines().find(|line| line.contains("b.h\"")).unwrap().split('"').nth(1).unwrap();
    assert!(sources.has_original(header), "{header}");
    let (sources, unit, _) = load(&folder.path("plain.c"), &preprocessor);
    assert!(sources.text(unit.unwrap().text).contains("int x = 41;"));
}

#[test]
fn complaints_stand_at_the_users_line() {
    let text = "int before;\n#include \"missing.h\"\n";
    let folder =
        Folder::new("missing", &[("a.c", text), ("b.c", "#error \"not today\"\n"), ("c.c", "#warning old\nint x;\n")]);
    for compiler in compilers() {
        let preprocessor = Preprocessor { compiler: Some(compiler), ..Default::default() };
        let (sources, unit, diagnostics) = load(&folder.path("a.c"), &preprocessor);
        assert!(unit.is_none());
        let [diagnostic] = Vec::from_iter(diagnostics.iter())[..] else { panic!("{diagnostics:?}") };
        assert_eq!(diagnostic.code, "missing-header");
        let span: Span = diagnostic.primary.as_ref().unwrap().span;
        assert_eq!(sources.snippet_text(span), "missing.h");
        assert_eq!(sources.locate(span).line, 2);

        let (_, unit, diagnostics) = load(&folder.path("b.c"), &preprocessor);
        assert!(unit.is_none() && diagnostics.iter().any(|d| d.message.contains("not today")), "{diagnostics:?}");
        let (_, unit, diagnostics) = load(&folder.path("c.c"), &preprocessor);
        assert!(unit.is_some() && !diagnostics.has_errors() && !diagnostics.is_empty());
    }
}

#[test]
fn preprocessed_files_and_files_without_directives_need_no_compiler() {
    let folder = Folder::new("plain", &[("a.c", "int x;\n"), ("b.i", "#define A\nint x;\n"), ("c.c", "#define A\n")]);
    let preprocessor = Preprocessor { compiler: Some(vec!["no-such-compiler".to_owned()]), ..Default::default() };
    for file in ["a.c", "b.i"] {
        let (_, unit, diagnostics) = load(&folder.path(file), &preprocessor);
        assert!(diagnostics.is_empty());
        let unit = unit.unwrap();
        assert_eq!(unit.text, unit.written);
    }
    let (_, unit, diagnostics) = load(&folder.path("c.c"), &preprocessor);
    assert!(unit.is_none());
    assert_eq!(diagnostics.iter().next().unwrap().code, "no-compiler");
}

#[test]
#[cfg(unix)]
fn a_compiler_that_never_ends_is_stopped_with_what_it_started() {
    let folder = Folder::new("endless", &[("a.c", "#define A\n")]);
    let script = format!("sleep 100 & echo $! > {}; wait", folder.path("started"));
    let compiler = Some(vec!["sh".to_owned(), "-c".to_owned(), script]);
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let budget = Budget::unlimited();
    let preprocessor = Preprocessor { compiler, ..Default::default() };
    let unit = std::thread::scope(|scope| {
        // However slow the machine is, the budget ends when there is something to be ended.
        scope.spawn(|| {
            while !fs::read_to_string(folder.path("started")).is_ok_and(|text| text.ends_with('\n')) {
                std::thread::sleep(std::time::Duration::from_millis(5));
            }
            budget.exhaust(Exhausted::Time);
        });
        load_unit(&folder.path("a.c"), &preprocessor, &mut sources, &budget, &mut diagnostics)
    });
    assert!(unit.is_none() && !diagnostics.has_errors(), "it is not the fault of the file");
    assert!(diagnostics.iter().next().unwrap().message.ends_with("was stopped: time"), "{diagnostics:?}");
    let started = fs::read_to_string(folder.path("started")).unwrap();
    let process = PathBuf::from("/proc").join(started.trim());
    for _ in 0..100 {
        let state = fs::read_to_string(process.join("stat")).unwrap_or_default();
        if state.is_empty() || state.contains(") Z ") {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("process {started} is still there");
}
