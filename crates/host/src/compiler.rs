//! From the source of a C program to what the program writes: compiled by the system's compiler in a folder of its own, run
//! within the limits of a budget, and taken away again. What the program is for is somebody else's matter.

use foundation::Budget;

use crate::compile::{NotCompiled, Workshop};
use crate::watched::{Allowance, Ending};

/// The most bytes that a program may write.
const MOST_OUTPUT_BYTES: usize = 1 << 20;

/// The first optimisations are worth their time, later ones are not: generated programs are long.
const FLAGS: [&str; 6] = ["-O1", "-w", "-std=gnu11", "-o", "program", "program.c"];

/// Compiles a program and runs it to its end. What it has written to standard output, or why there is nothing.
pub fn run_source(source: &str, budget: &Budget) -> Result<String, String> {
    let failed = |what: &str, error: std::io::Error| format!("{what}: {error}");
    let workshop = Workshop::new().map_err(|error| failed("no folder for a generated program", error))?;
    workshop.write("program.c", source).map_err(|error| failed("a generated program cannot be written", error))?;
    let flags = FLAGS.map(str::to_owned);
    workshop.compile(&flags, budget).map_err(|failure| match failure {
        NotCompiled::NoCompiler(tried) => format!("there is no C compiler (tried {})", tried.join(", ")),
        NotCompiled::Rejected { compiler, messages } => {
            let first = messages.lines().find(|line| line.contains("error")).or(messages.lines().next());
            format!("`{compiler}` rejects a generated program: {}", first.unwrap_or("without a message"))
        }
        NotCompiled::Exhausted(exhausted) => format!("the limit on {exhausted} ended the compiler"),
        NotCompiled::System(error) => failed("the C compiler cannot be run", error),
    })?;
    let allowance = Allowance { time: budget.remaining(), memory: budget.memory(), output: MOST_OUTPUT_BYTES };
    let watched = workshop.run("program", allowance, budget).map_err(|error| failed("it cannot be run", error))?;
    match watched.ending {
        Ending::Exited(0) => Ok(String::from_utf8_lossy(&watched.stdout).into_owned()),
        Ending::Exited(status) => Err(format!("a generated program ends with status {status}")),
        Ending::Signalled(signal) => Err(format!("a generated program is ended by signal {signal}")),
        Ending::Stopped(exhausted) => Err(format!("the limit on {exhausted} ended a generated program")),
        Ending::TooMuchOutput => Err("a generated program writes too much".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn what_a_program_writes_comes_back_and_what_fails_is_said() {
        let run = |source: &str, budget: &Budget| run_source(source, budget);
        let unlimited = Budget::unlimited();
        match run("#include <stdio.h>\nint main(void) { puts(\"said\"); return 0; }", &unlimited) {
            // Where there is no compiler, there is nothing to try.
            Err(reason) if reason.contains("no C compiler") => return,
            said => assert_eq!(said.as_deref(), Ok("said\n")),
        }
        assert!(run("int main(void) { return 3; }", &unlimited).unwrap_err().contains("status 3"));
        assert!(run("int main(void) { return }", &unlimited).unwrap_err().contains("rejects"));
        let short = Budget::unlimited().with_time(Duration::from_secs(2));
        assert!(run("int main(void) { for (;;) ; }", &short).unwrap_err().contains("limit on time"));
    }
}
