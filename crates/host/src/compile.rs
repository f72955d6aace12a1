//! The system's C compiler as a compiler: texts go into a folder of their own, become a program, and the program is run
//! within limits. What the texts say is somebody else's matter.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;

use foundation::{Budget, Exhausted};

use crate::leftovers::TemporaryFolder;
use crate::process::{self, Failed};
use crate::watched::{Allowance, Watched, watch};

/// A folder in which a program is compiled and run. It disappears with the value.
#[derive(Debug)]
pub struct Workshop {
    folder: TemporaryFolder,
}

/// Why there is no program.
#[derive(Debug)]
pub enum NotCompiled {
    /// There is no compiler; these were tried.
    NoCompiler(Vec<String>),
    /// The compiler does not accept the texts, and says this.
    Rejected {
        /// The command that was tried.
        compiler: String,
        /// What it printed on standard error, up to a limit.
        messages: String,
    },
    /// The budget ended first.
    Exhausted(Exhausted),
    /// The compiler could not be run.
    System(io::Error),
}

/// The most bytes of a compiler's messages that are read.
const MOST_MESSAGE_BYTES: u64 = 1 << 20;

/// The most bytes of a file that a program has written which are read.
const MOST_READ_BYTES: u64 = 64 << 20;

impl Workshop {
    /// A new folder.
    pub fn new() -> io::Result<Self> {
        Ok(Self { folder: TemporaryFolder::new("replay")? })
    }

    /// Where a file of this folder is.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) -> io::Result<()> {
        fs::write(self.path(name), text)
    }

    /// What a file holds. Bytes that are no UTF-8 are replaced.
    pub fn read(&self, name: &str) -> io::Result<String> {
        use std::io::Read;
        let mut bytes = Vec::new();
        fs::File::open(self.path(name))?.take(MOST_READ_BYTES).read_to_end(&mut bytes)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Calls the first compiler that can be started, in this folder: `$CC`, `cc`, `gcc` or `clang`. Returns its name.
    pub fn compile(&self, arguments: &[String], budget: &Budget) -> Result<String, NotCompiled> {
        let mut missing = Vec::new();
        for compiler in compilers() {
            let (program, first_arguments) = compiler.split_first().expect("a compiler has a name");
            let mut command = Command::new(program);
            command.current_dir(self.folder.path()).env("LC_ALL", "C").args(first_arguments).args(arguments);
            match process::run(&mut command, MOST_MESSAGE_BYTES, budget) {
                Ok(finished) if finished.success => return Ok(compiler.join(" ")),
                Ok(finished) => {
                    return Err(NotCompiled::Rejected { compiler: compiler.join(" "), messages: finished.stderr });
                }
                Err(Failed::Start(error)) if error.kind() == io::ErrorKind::NotFound => {
                    missing.push(compiler.join(" "));
                }
                Err(Failed::Start(error)) => return Err(NotCompiled::System(error)),
                Err(Failed::Budget(exhausted)) => return Err(NotCompiled::Exhausted(exhausted)),
                Err(Failed::TooMuchOutput) => {
                    let messages = "more messages than are read".to_owned();
                    return Err(NotCompiled::Rejected { compiler: compiler.join(" "), messages });
                }
            }
        }
        Err(NotCompiled::NoCompiler(missing))
    }

    /// Runs a program of this folder.
    pub fn run(&self, program: &str, allowance: Allowance, budget: &Budget) -> io::Result<Watched> {
        let arguments: [OsString; 0] = [];
        watch(Path::new(&self.path(program)), &arguments, allowance, budget)
    }
}

/// The compilers that are tried, each with its first arguments.
fn compilers() -> Vec<Vec<String>> {
    let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let set = std::env::var("CC").ok().map(words).filter(|words| !words.is_empty());
    let usual = ["cc", "gcc", "clang"].map(|name| vec![name.to_owned()]);
    set.into_iter().chain(usual).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::watched::Ending;

    const SOME: Allowance = Allowance { time: Some(Duration::from_secs(20)), memory: None, output: 1 << 16 };

    #[test]
    fn a_program_is_compiled_run_and_taken_away() {
        let workshop = Workshop::new().unwrap();
        let arguments = ["-o", "program", "program.c"].map(str::to_owned);
        workshop.write("program.c", "int main(void) { return 7 }\n").unwrap();
        match workshop.compile(&arguments, &Budget::unlimited()) {
            // Where there is no compiler, there is nothing to try.
            Err(NotCompiled::NoCompiler(tried)) => return assert!(tried.contains(&"cc".to_owned())),
            Err(NotCompiled::Rejected { messages, .. }) => assert!(messages.contains("program.c:1")),
            other => panic!("{other:?}"),
        }
        workshop.write("program.c", "int main(void) { return 7; }\n").unwrap();
        workshop.compile(&arguments, &Budget::unlimited()).unwrap();
        let ended = workshop.run("program", SOME, &Budget::unlimited()).unwrap();
        assert_eq!(ended.ending, Ending::Exited(7));
        assert!(workshop.read("program.c").unwrap().contains("return 7;"));
        assert!(workshop.read("nothing").is_err());
        let folder = workshop.path("");
        drop(workshop);
        assert!(!folder.exists());
    }
}
