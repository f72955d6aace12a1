//! The compiled side: a generated program is compiled together with a driver that defines the observation and input
//! functions, and run; what it prints is its trace. The flags are those of the design's compiled check.

use std::ffi::OsStr;
use std::fmt;
use std::fmt::Write as _;
use std::fs;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use crate::program::GeneratedProgram;

/// How long a compiled program may run; generated programs end within milliseconds.
const RUN_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a compiler may take, on a machine that is busy with something else.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(300);

/// A C compiler with the options that make one side of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Compiler {
    command: String,
    options: Vec<String>,
}

impl Compiler {
    /// A compiler called `command` with options of its own besides those of every compiled check.
    pub fn new(command: &str, options: &[&str]) -> Compiler {
        Compiler { command: command.to_string(), options: options.iter().map(ToString::to_string).collect() }
    }

    /// The system's compiler without optimisation: the reference.
    pub fn reference() -> Compiler {
        Compiler::new("cc", &["-O0", "-w"])
    }

    /// The reference with 32-bit `long` and pointers; the options keep floating-point arithmetic free of excess
    /// precision, and need the compiler's 32-bit libraries to be installed.
    pub fn reference_ilp32() -> Compiler {
        Compiler::new("cc", &["-O0", "-w", "-m32", "-msse2", "-mfpmath=sse"])
    }

    /// The reference with run-time checks for undefined behaviour, and errors for what the compiler itself can see of
    /// it. Signed overflow and shifts of negative numbers are left alone: `-fwrapv` defines them.
    pub fn checked() -> Compiler {
        Compiler::new(
            "cc",
            &[
                "-O0",
                "-fsanitize=address,undefined,float-cast-overflow,bounds-strict",
                "-fno-sanitize=signed-integer-overflow,shift-base",
                "-fno-sanitize-recover=all",
                "-Werror=sequence-point",
                "-Werror=uninitialized",
                "-Werror=return-local-addr",
                "-Werror=return-type",
                "-Werror=implicit",
                "-Werror=int-conversion",
                "-Werror=incompatible-pointer-types",
                "-Wno-overflow",
            ],
        )
    }

    /// The reference with the checks that see what the semantics calls an error, for programs that may have one. Library
    /// functions are called as they stand, so that the sanitiser sees the calls.
    pub fn sanitised() -> Compiler {
        Compiler::new(
            "cc",
            &[
                "-O0",
                "-w",
                "-fno-builtin",
                "-fsanitize=address,undefined,bounds-strict",
                "-fno-sanitize=signed-integer-overflow,shift-base",
                "-fno-sanitize-recover=all",
            ],
        )
    }

    /// Other compilers and levels of optimisation, which must agree with the reference on every program whose behaviour
    /// is defined. The caller finds out which of them are installed.
    pub fn witnesses() -> Vec<Compiler> {
        vec![
            Compiler::new("cc", &["-O2", "-w"]),
            Compiler::new("clang", &["-O0", "-w"]),
            Compiler::new("clang", &["-O2", "-w"]),
            Compiler::new(
                "clang",
                &["-O1", "-w", "-fsanitize=memory", "-fno-sanitize-recover=all", "-fsanitize-memory-use-after-dtor"],
            ),
        ]
    }

    /// Whether a trivial program can be compiled and run.
    pub fn is_available(&self) -> bool {
        let probe = GeneratedProgram {
            seed: 0,
            text: "int main(void) { return 0; }\n".to_string(),
            globals: Vec::new(),
            inputs: Vec::new(),
            step_limit: 1,
            features: crate::Features::new(),
        };
        trace(&probe, self).is_ok()
    }
}

impl fmt::Display for Compiler {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} {}", self.command, self.options.join(" "))
    }
}

/// Why there is no trace.
#[derive(Debug)]
pub enum CompiledError {
    /// A file could not be written or read, or a process not be started.
    System(io::Error),
    /// The compiler does not accept the program.
    Rejected(String),
    /// The program did not end by itself in the expected way; what it wrote on standard error.
    Crashed(String),
    /// The compiler or the program took too long.
    TimedOut,
}

impl fmt::Display for CompiledError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CompiledError::System(error) => write!(formatter, "the compiler or the program cannot be run: {error}"),
            CompiledError::Rejected(messages) => write!(formatter, "the compiler rejects the program:\n{messages}"),
            CompiledError::Crashed(messages) => write!(formatter, "the program crashed:\n{messages}"),
            CompiledError::TimedOut => write!(formatter, "the time ran out"),
        }
    }
}

impl std::error::Error for CompiledError {}

impl From<io::Error> for CompiledError {
    fn from(error: io::Error) -> CompiledError {
        CompiledError::System(error)
    }
}

/// The trace of a program, one line of `name=value` pairs for each observed state.
pub fn trace(program: &GeneratedProgram, compiler: &Compiler) -> Result<Vec<String>, CompiledError> {
    trace_within(program, compiler, RUN_TIMEOUT)
}

/// The same, of a program that may run for so long.
pub fn trace_within(
    program: &GeneratedProgram,
    compiler: &Compiler,
    timeout: Duration,
) -> Result<Vec<String>, CompiledError> {
    let folder = TemporaryFolder::new()?;
    fs::write(folder.path("program.c"), &program.text)?;
    fs::write(folder.path("driver.c"), driver(program))?;

    let mut command = Command::new(&compiler.command);
    command
        .args(&compiler.options)
        .args(["-std=gnu11", "-fwrapv", "-fno-strict-aliasing", "-D__noreturn__=", "-pipe", "-o"])
        .arg(folder.path("program"))
        .arg(folder.path("driver.c"));
    let (status, _, messages) = run(command, &folder, "compiler", COMPILE_TIMEOUT)?;
    if !status.success() {
        return Err(CompiledError::Rejected(messages));
    }

    let mut command = Command::new(folder.path("program"));
    command.env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1");
    let (status, output, messages) = run(command, &folder, "program", timeout)?;
    if !status.success() {
        return Err(CompiledError::Crashed(format!("{status}\n{messages}")));
    }
    Ok(output.lines().map(str::to_string).collect())
}

/// The C text that defines what a generated program leaves undefined. It includes the program itself, so that it sees
/// the types and the static variables.
pub fn driver(program: &GeneratedProgram) -> String {
    let mut text = String::from(
        "#define main hunt_main\n#define exit hunt_exit\n#define abort hunt_abort\n#include \"program.c\"\n\
         #undef main\n#undef exit\n#undef abort\n\
         extern int printf(const char *, ...);\nextern void exit(int);\n\
         static int hunt_ended;\nstatic unsigned long hunt_steps;\nstatic unsigned long hunt_position;\n",
    );
    text.push_str("static void hunt_print(void) {\n");
    for (index, global) in program.globals.iter().enumerate() {
        let separator = if index == 0 { "" } else { " " };
        let (format, ty) =
            if global.may_exceed_long_long { ("%llu", "unsigned long long") } else { ("%lld", "long long") };
        let name = &global.expression;
        let _ = writeln!(text, "    printf(\"{separator}{name}={format}\", ({ty})({name}));");
    }
    text.push_str("    printf(\"\\n\");\n}\n");
    text.push_str(
        "void hunt_exit(int status) {\n    if (!hunt_ended) hunt_print();\n    hunt_ended = 1;\n    exit(0);\n}\n",
    );
    text.push_str("void hunt_abort(void) { hunt_exit(0); }\n");
    let _ = writeln!(
        text,
        "void __VERIFIER_ltl_step(void) {{\n    hunt_print();\n    if (++hunt_steps >= {}) {{ hunt_ended = 1; hunt_exit(0); }}\n}}",
        program.step_limit
    );
    if !program.inputs.is_empty() {
        let values: Vec<String> = program.inputs.iter().map(|value| format!("{:#x}ULL", *value as u64)).collect();
        let count = program.inputs.len();
        let _ = writeln!(text, "static const unsigned long long hunt_inputs[] = {{{}}};", values.join(", "));
        for ty in crate::generate::IntegerType::ALL {
            if let Some(suffix) = ty.input_suffix() {
                let spelling = ty.spellings()[0];
                let _ = writeln!(
                    text,
                    "{spelling} __VERIFIER_nondet_{suffix}(void) {{ return ({spelling})hunt_inputs[hunt_position++ % {count}]; }}"
                );
            }
        }
    }
    text.push_str("int main(void) {\n    hunt_print();\n    hunt_main();\n    hunt_exit(0);\n    return 0;\n}\n");
    text
}

/// Runs a command to its end or to the timeout; its output goes through files, which cannot fill up as pipes can.
fn run(
    mut command: Command,
    folder: &TemporaryFolder,
    name: &str,
    timeout: Duration,
) -> Result<(ExitStatus, String, String), CompiledError> {
    let (output, messages) = (folder.path(format!("{name}.out")), folder.path(format!("{name}.err")));
    command
        .stdin(Stdio::null())
        .stdout(Stdio::from(File::create(&output)?))
        .stderr(Stdio::from(File::create(&messages)?));
    let mut child = command.spawn()?;
    let status = wait(&mut child, timeout)?.ok_or(CompiledError::TimedOut)?;
    let read = |path: &Path| fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    Ok((status, read(&output)?, read(&messages)?))
}

fn wait(child: &mut Child, timeout: Duration) -> io::Result<Option<ExitStatus>> {
    let start = Instant::now();
    let mut pause = Duration::from_micros(500);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if start.elapsed() > timeout {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(pause);
        pause = (pause * 2).min(Duration::from_millis(10));
    }
}

/// A folder that disappears with the value.
pub(crate) struct TemporaryFolder {
    path: PathBuf,
}

impl TemporaryFolder {
    pub(crate) fn new() -> io::Result<TemporaryFolder> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("semper-hunt-{}-{number}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(TemporaryFolder { path })
    }

    pub(crate) fn path(&self, name: impl AsRef<OsStr>) -> PathBuf {
        self.path.join(Path::new(name.as_ref()))
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        // A folder that cannot be removed does no harm beyond its few bytes.
        let _ = fs::remove_dir_all(&self.path);
    }
}
