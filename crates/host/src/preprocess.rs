//! The system's C compiler as a preprocessor (`cc -E`), for texts that contain directives.
//!
//! The compiler's own complaints become diagnostics at the user's lines. For 32-bit `long` and pointers the compiler is
//! asked with `-m32`; where the C library's headers for that are not installed, the 64-bit headers are read with the
//! predefined macros of a 32-bit machine instead.

use std::fs;
use std::process::Command;

use foundation::{Budget, Diagnostic, Diagnostics, SourceMap};

use crate::files::MOST_FILE_BYTES;
use crate::leftovers::TemporaryFolder;
use crate::process::{self, Failed, Finished};

mod complaints;
mod directives;
mod ilp32;

pub use directives::has_directives;

/// The width of `long` and of pointers, which system headers depend on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum WordSize {
    /// Both have 64 bits (LP64).
    #[default]
    Bits64,
    /// Both have 32 bits (ILP32).
    Bits32,
}

/// How files are preprocessed.
#[derive(Clone, Debug, Default)]
pub struct Preprocessor {
    /// Folders that are searched for headers, as with `-I`.
    pub include: Vec<String>,
    /// Macros, `NAME` or `NAME=VALUE`, as with `-D`.
    pub define: Vec<String>,
    /// The machine that the headers are to be read for.
    pub word_size: WordSize,
    /// The compiler and its first arguments; where there is none, `$CC`, `cc`, `gcc` and `clang` are tried.
    pub compiler: Option<Vec<String>>,
}

impl Preprocessor {
    /// What the compiler makes of the file at `path`, with line markers. Nothing where there is an error, which is then
    /// among the diagnostics.
    pub fn run(
        &self,
        path: &str,
        sources: &mut SourceMap,
        budget: &Budget,
        diagnostics: &mut Diagnostics,
    ) -> Option<String> {
        let finished = match self.attempt_all(path, budget) {
            Ok(finished) => finished,
            Err(diagnostic) => {
                diagnostics.push(*diagnostic);
                return None;
            }
        };
        let said = complaints::read(&finished.stderr, path, sources, diagnostics);
        if finished.success && !said.errors {
            return Some(String::from_utf8_lossy(&finished.stdout).into_owned());
        }
        if !said.errors {
            let first = finished.stderr.lines().next().unwrap_or("it ended without a message");
            diagnostics.push(Diagnostic::error(
                "preprocessor",
                format!("the system's C compiler could not preprocess `{path}`: {first}"),
            ));
        }
        None
    }

    /// Tries the compilers in order until one can be started, and the ways to get a 32-bit view of the headers.
    fn attempt_all(&self, path: &str, budget: &Budget) -> Result<Finished, Box<Diagnostic>> {
        let mut missing = Vec::new();
        for compiler in self.candidates() {
            match self.attempt_word_size(&compiler, path, budget) {
                Ok(finished) => return Ok(finished),
                Err(Failed::Start(error)) if error.kind() == std::io::ErrorKind::NotFound => {
                    missing.push(format!("`{}`", compiler.join(" ")));
                }
                Err(failure) => return Err(Box::new(describe(failure, &compiler, path))),
            }
        }
        Err(Box::new(
            Diagnostic::error("no-compiler", format!("`{path}` needs preprocessing, but there is no C compiler"))
                .help(format!("tried {}", missing.join(", ")))
                .help("install gcc or clang, or set `$CC`, or give a file that is preprocessed already (`.i`)"),
        ))
    }

    fn candidates(&self) -> Vec<Vec<String>> {
        if let Some(compiler) = &self.compiler {
            return vec![compiler.clone()];
        }
        let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
        let set = std::env::var("CC").ok().map(words).filter(|words| !words.is_empty());
        let usual = ["cc", "gcc", "clang"].map(|name| vec![name.to_owned()]);
        set.into_iter().chain(usual).collect()
    }

    fn attempt_word_size(&self, compiler: &[String], path: &str, budget: &Budget) -> Result<Finished, Failed> {
        if self.word_size == WordSize::Bits64 {
            return self.attempt(compiler, &[], path, budget);
        }
        let finished = self.attempt(compiler, &["-m32".to_owned()], path, budget)?;
        if finished.success {
            return Ok(finished);
        }
        let Ok(headers) = SupplementaryHeaders::new() else { return Ok(finished) };
        let mut flags = ilp32::flags();
        flags.extend(["-idirafter".to_owned(), headers.folder.path().display().to_string()]);
        let second = self.attempt(compiler, &flags, path, budget)?;
        // Where both fail, the fault is the user's, and `-m32` is the honest view of it.
        Ok(if second.success { second } else { finished })
    }

    fn attempt(&self, compiler: &[String], flags: &[String], path: &str, budget: &Budget) -> Result<Finished, Failed> {
        let (program, first_arguments) = compiler.split_first().expect("a compiler has a name");
        let mut command = Command::new(program);
        // The compiler's messages are read by `complaints`, so they must not be translated or coloured.
        command.args(first_arguments).env("LC_ALL", "C").env("GCC_COLORS", "").args(["-E", "-std=gnu11"]).args(flags);
        command.args(self.include.iter().map(|folder| format!("-I{folder}")));
        command.args(self.define.iter().map(|definition| format!("-D{definition}")));
        command.args(["-x", "c"]).arg(if path.starts_with('-') { format!("./{path}") } else { path.to_owned() });
        process::run(&mut command, MOST_FILE_BYTES, budget)
    }
}

fn describe(failure: Failed, compiler: &[String], path: &str) -> Diagnostic {
    let compiler = compiler.join(" ");
    match failure {
        Failed::Start(error) => Diagnostic::error("no-compiler", format!("`{compiler}` cannot be run: {error}"))
            .help("set `$CC` to a C compiler, or give a file that is preprocessed already (`.i`)"),
        Failed::Budget(exhausted) => {
            // Not the fault of the file: whoever has asked sees that there is no text, and the budget says why.
            Diagnostic::warning("preprocessor", format!("preprocessing `{path}` was stopped: {exhausted}"))
        }
        Failed::TooMuchOutput => {
            let most = MOST_FILE_BYTES >> 20;
            Diagnostic::error("file-too-large", format!("`{path}` is larger than {most} MiB when preprocessed"))
        }
    }
}

/// A folder with the header files that the C library installs only with its 32-bit variant; it lives as long as this.
struct SupplementaryHeaders {
    folder: TemporaryFolder,
}

impl SupplementaryHeaders {
    fn new() -> std::io::Result<Self> {
        let folder = TemporaryFolder::new("headers")?;
        fs::create_dir_all(folder.path().join("gnu"))?;
        // It lists functions of the library that always fail, for `configure` scripts: nothing that a program needs.
        fs::write(folder.path().join("gnu/stubs-32.h"), "")?;
        Ok(Self { folder })
    }
}
