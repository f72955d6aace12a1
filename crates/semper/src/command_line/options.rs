//! Every option of the command line, defined once: its name, its values, its sentence of help.

use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use program::DataModel;
use program::semantics::{Integers, ObserveMode, UndefinedMode};
use semper::Atomicity;
use semper::task::Scheduler;

const EXAMPLES: &str = "\
Examples:
  semper check firmware.c --ltl 'G(\"pressed\" -> F \"charge > min\")'
  semper run counter.c --seed 7 --ltl 'F \"x == 3\"'
  semper cfg motor.c --format dot | dot -Tsvg > motor.svg
  semper ltl 'G(pressed -> F charged)'

Exit status:
  0  the property holds (for `run`: on this trace), or there was nothing to decide
  1  the property is violated (for `run`: on this trace)
  2  the input or the usage is wrong
  3  less than a definite answer";

/// Checks C programs against temporal properties.
#[derive(Parser, Debug)]
#[command(name = "semper", version, about, after_help = EXAMPLES, max_term_width = 110)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Decide whether all executions of a program satisfy a property.
    #[command(after_help = CHECK_EXAMPLES)]
    Check(CheckOptions),
    /// Execute a program once, and show what was observed and whether a property is true of it.
    #[command(after_help = RUN_EXAMPLES)]
    Run(RunOptions),
    /// Execute a saved counterexample again, and say whether it violates its property.
    #[command(after_help = REPLAY_EXAMPLES)]
    Replay(ReplayOptions),
    /// Say whether a witness that some tool wrote is right, in the exchange format of SV-COMP.
    #[command(after_help = VALIDATE_EXAMPLES)]
    Validate(ValidateOptions),
    /// Check a saved certificate of a property that holds.
    #[command(after_help = CERTIFY_EXAMPLES)]
    Certify(CertifyOptions),
    /// Show a program as control-flow automata, or a Kripke structure.
    #[command(after_help = CFG_EXAMPLES)]
    Cfg(CfgOptions),
    /// Show what a formula is: simplified, its class, its automaton, and its verdicts on finite traces.
    #[command(after_help = LTL_EXAMPLES)]
    Ltl(LtlOptions),
    /// Run many tasks, and compare the verdicts with those that are expected.
    #[command(after_help = super::suite::EXAMPLES)]
    Suite(super::suite::SuiteOptions),
    /// Print a script that completes Semper's options in a shell.
    #[command(after_help = "Example:\n  semper completions bash > ~/.local/share/bash-completion/completions/semper")]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
    /// Print the manual page, in the format of `man`.
    #[command(after_help = "Example:\n  semper man check > semper-check.1 && man ./semper-check.1")]
    Man {
        /// The subcommand to be described; without one, Semper as a whole.
        command: Option<String>,
    },
}

const CHECK_EXAMPLES: &str = "\
Properties are formulas of linear temporal logic over C expressions. Atoms are
written \"x > 0\", {x > 0} or AP(x > 0); `call(f())`, `overflow`, `end`, `error`
and `deadlock` are built in. Where neither --ltl nor --spec is given, the
comments `//@ ltl invariant NAME: FORMULA;` of the program count, and
`/*@ ltl invariant NAME: FORMULA; */`. `semper ltl --help` lists the operators.

Examples:
  semper check door.c --ltl 'G(\"open\" -> F \"closed\")'
  semper check door.c --spec safe.prp --integers ideal
  semper check door.c --assume 'GF \"tick == 1\"' --ltl 'GF \"idle\"'
  semper check mutex.kripke --ltl 'G !(c1 && c2)'";

const RUN_EXAMPLES: &str = "\
An inputs file holds one value per line, in the order in which the program asks
for them; `#` begins a comment. Without one, inputs are chosen at random, the
same ones for the same seed.

Examples:
  semper run counter.c
  semper run counter.c --inputs values.txt --ltl 'G \"x >= 0\"'
  semper run threads.c --seed 42 --steps 500 --format json";

const CERTIFY_EXAMPLES: &str = "\
The program is looked for where the certificate says, from here and from the
certificate's folder, and must be the same byte for byte; what is read from it
must have the fingerprint of the program that the proof is about. Nothing of
what the certificate says is believed: every step of the proof is checked.

Examples:
  semper check door.c --ltl 'G F \"open\"' --certificate door.proof
  semper certify door.proof";

const REPLAY_EXAMPLES: &str = "\
The program is looked for where the counterexample says, from here and from the
counterexample's folder, and must be the same byte for byte. The interpreter
executes it; where there is a C compiler, the compiled program is executed too,
and what is observed in both is compared.

Examples:
  semper check door.c --ltl 'G F \"open\"' --witness door.json
  semper replay door.json
  semper replay door.json --program mended.c --no-compile";

const VALIDATE_EXAMPLES: &str = "\
A violation witness is confirmed (exit status 1) if an execution passes its
waypoints and violates the property, a correctness witness (exit status 0) if
its invariants hold and the property does. Without --spec and --ltl the property
is the one that the witness names; so is the data model, always.

Examples:
  semper validate witness.yml door.c
  semper validate witness.yml door.c --spec safe.prp --timeout 60s";

const CFG_EXAMPLES: &str = "\
Examples:
  semper cfg motor.c
  semper cfg motor.c --format dot | dot -Tsvg > motor.svg
  semper cfg mutex.kripke --format mermaid";

const LTL_EXAMPLES: &str = "\
Atoms are texts without a meaning here: `p`, \"x > 0\". Classes are those of Manna
and Pnueli; co-safety is also called guarantee. A finite trace is `true` or
`false` if all its infinite extensions agree; where they do not, it is
`presumably` what the extension that repeats its last letter for ever is. Of
each verdict that is possible, a shortest trace is shown: {p, q} is the letter
where p and q hold.

Operators, from tight to loose: `!`, `X`, `F`, `G`; `U`, `W`, `R`, `M`; `&&`; `xor`;
`||`; `->`, `<->`. Bounds count positions from the present one, 0: `X[3] p` is
`X X X p`, `F[0:3] p` and `F[<=3] p` are `p || X (p || X (p || X p))`, `G[2:5] p`
is p at positions 2 to 5, `F[2:] p` is `X X F p`. `X[!]` is `X`.

Examples:
  semper ltl 'G(request -> F grant)'
  semper ltl 'G(request -> F[1:3] grant)'
  semper ltl 'G(request -> F grant)' --negate --automaton tgba --format hoa
  semper ltl 'G !(c1 && c2)' --negate --product mutex.kripke --format dot
  semper ltl --hoa claim.hoa --automaton state-buchi";

/// Options of `semper check`.
#[derive(Args, Debug)]
pub(crate) struct CheckOptions {
    #[command(flatten)]
    pub question: QuestionOptions,
    // What the help says of it is made of the engines that there are.
    #[arg(long, value_name = "ENGINE", default_value = "auto", help = engine_help(), help_heading = "Engine")]
    pub engine: String,
    /// Which schedules of threads count: all of them, or only those that are weakly or strongly fair to every thread.
    #[arg(long, value_name = "any|weak-fair|strong-fair", default_value = "any", hide_possible_values = true)]
    #[arg(value_parser = words(Scheduler::ALL), help_heading = "Engine")]
    pub scheduler: Scheduler,
    /// Let the engine use so many threads.
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count, help_heading = "Engine")]
    pub threads: usize,
    /// Do not check the evidence for a verdict; a violation is then reported without its execution.
    #[arg(long, help_heading = "Engine")]
    pub no_check: bool,
    /// Have the steps of a proof checked by this program, which reads SMT-LIB 2.6 from its standard input, such as `cvc5`,
    /// instead of the solver in Semper (`embedded`).
    #[arg(long, value_name = "COMMAND", help_heading = "Engine")]
    pub solver: Option<String>,
    /// Do not look whether a property that holds does so for a trivial reason.
    #[arg(long, help_heading = "Engine")]
    pub no_vacuity: bool,
    /// Save the counterexample of a violated property to this file, for `semper replay`; a `.yml` file becomes a witness
    /// in the format of SV-COMP, also of a property that holds.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub witness: Option<String>,
    /// Write down why a property holds to this file, for `semper certify`.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub certificate: Option<String>,
    /// Write what the fairness engine makes into this folder: automata as DOT, lassos as text, formulas as SMT-LIB.
    #[arg(long, value_name = "FOLDER", help_heading = "Output")]
    pub dump_dir: Option<String>,
    #[command(flatten)]
    pub trace: TraceOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Options of `semper run`.
#[derive(Args, Debug)]
pub(crate) struct RunOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    #[command(flatten)]
    pub execution: ExecutionOptions,
    #[command(flatten)]
    pub property: PropertyOptions,
    #[command(flatten)]
    pub semantics: SemanticsOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Options of `semper certify`.
#[derive(Args, Debug)]
pub(crate) struct CertifyOptions {
    /// A certificate that `semper check --certificate` wrote.
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Check it for this file instead of the program that the certificate names; may be given several times.
    #[arg(long, value_name = "FILE.c", help_heading = "Program")]
    pub program: Vec<String>,
    /// Who is asked for steps that the certificate does not show by arithmetic: `embedded` is the solver in Semper, `none`
    /// is nobody, and anything else is a program that reads SMT-LIB 2.6 from its standard input. Without this option it is
    /// `cvc5` where that is installed, and what it leaves open, or all of it, is asked of the one in Semper.
    #[arg(long, value_name = "embedded|none|COMMAND", help_heading = "Check")]
    pub solver: Option<String>,
    #[command(flatten)]
    pub limits: LimitOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Options of `semper replay`.
#[derive(Args, Debug)]
pub(crate) struct ReplayOptions {
    /// A counterexample that `semper check --witness` saved.
    #[arg(value_name = "FILE")]
    pub file: String,
    /// Execute this file instead of the program that the counterexample names; may be given several times.
    #[arg(long, value_name = "FILE.c", help_heading = "Execution")]
    pub program: Vec<String>,
    /// Do not compile the program: the interpreter alone executes it.
    #[arg(long, help_heading = "Execution")]
    pub no_compile: bool,
    /// Let the compiled program go round the loop so many times.
    #[arg(long, value_name = "N", default_value_t = 3, allow_negative_numbers = true, value_parser = number::<usize>)]
    #[arg(help_heading = "Execution")]
    pub turns: usize,
    #[command(flatten)]
    pub trace: TraceOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Options of `semper validate`.
#[derive(Args, Debug)]
pub(crate) struct ValidateOptions {
    /// A witness in version 2.0 or 2.1 of the format.
    #[arg(value_name = "WITNESS.yml")]
    pub witness: String,
    #[command(flatten)]
    pub question: QuestionOptions,
    #[command(flatten)]
    pub limits: LimitOptions,
    #[command(flatten)]
    pub output: OutputOptions,
}

/// Options of `semper cfg`.
#[derive(Args, Debug)]
pub(crate) struct CfgOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    /// How the automata are written.
    #[arg(long, value_name = "text|dot|mermaid|json", default_value = "text", hide_possible_values = true)]
    #[arg(help_heading = "Output")]
    pub format: CfgFormat,
    /// Say on standard error what is being done.
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

/// Options of `semper ltl`.
#[derive(Args, Debug)]
pub(crate) struct LtlOptions {
    /// A formula of linear temporal logic.
    #[arg(value_name = "FORMULA", required_unless_present = "hoa")]
    pub formula: Option<String>,
    /// Show the automaton in this file, in the HOA format, instead of that of a formula.
    #[arg(long, value_name = "FILE.hoa", conflicts_with_all = ["formula", "negate"], help_heading = "Automaton")]
    pub hoa: Option<String>,
    /// Make the automaton of the negation, with which a property is checked.
    #[arg(long, help_heading = "Automaton")]
    pub negate: bool,
    /// Acceptance by several sets of edges (tgba), one set of edges (buchi) or one set of states (state-buchi)
    /// [default: state-buchi for a formula, as it is for a file].
    #[arg(long, value_name = "tgba|buchi|state-buchi", hide_possible_values = true, help_heading = "Automaton")]
    pub automaton: Option<AutomatonKind>,
    /// Show the product of this Kripke structure with the automaton.
    #[arg(long, value_name = "FILE.kripke", help_heading = "Automaton")]
    pub product: Option<String>,
    #[command(flatten)]
    pub limits: LimitOptions,
    /// How the answer is written; hoa, dot and mermaid show the automaton alone.
    #[arg(long, value_name = "text|hoa|dot|mermaid|json", default_value = "text", hide_possible_values = true)]
    #[arg(help_heading = "Output")]
    pub format: LtlFormat,
    /// Say on standard error what is being done.
    #[arg(short, long, help_heading = "Output")]
    pub verbose: bool,
}

/// Kinds of automata.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum AutomatonKind {
    Tgba,
    Buchi,
    StateBuchi,
}

/// What is asked.
#[derive(Args, Debug)]
pub(crate) struct QuestionOptions {
    #[command(flatten)]
    pub program: ProgramOptions,
    #[command(flatten)]
    pub property: PropertyOptions,
    #[command(flatten)]
    pub semantics: SemanticsOptions,
}

/// Which program.
#[derive(Args, Debug)]
#[command(next_help_heading = "Program")]
pub(crate) struct ProgramOptions {
    /// The program's C files, `.i` files being taken as preprocessed, or one Kripke structure (`.kripke`).
    #[arg(required = true, value_name = "FILES", help_heading = None::<&str>)]
    pub files: Vec<String>,
    /// Search this folder for headers.
    #[arg(short = 'I', value_name = "FOLDER")]
    pub include: Vec<String>,
    /// Define a macro.
    #[arg(short = 'D', value_name = "NAME[=VALUE]", value_parser = definition)]
    pub define: Vec<String>,
    /// Start in this function [default: the one that the property file names, else main].
    #[arg(long, value_name = "FUNCTION")]
    pub entry: Option<String>,
    /// The width of `long` and of pointers: 64 bits (LP64) or 32 bits (ILP32).
    #[arg(long, value_name = "LP64|ILP32", default_value = "LP64", hide_possible_values = true)]
    #[arg(ignore_case = true, value_parser = data_models())]
    pub data_model: DataModel,
    /// Whether a `volatile` object is plain memory, or input that may differ at every read.
    #[arg(long, value_name = "plain|input", default_value = "plain", hide_possible_values = true)]
    pub volatile: Volatile,
    /// Whether a function without a body may write any values to what its arguments point to, unless that is `const`
    /// (havoc), or changes nothing (pure).
    #[arg(long, value_name = "havoc|pure", default_value = "havoc", hide_possible_values = true)]
    pub undefined_functions: UndefinedFunctions,
}

/// What functions without a body do.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UndefinedFunctions {
    Havoc,
    Pure,
}

/// What `volatile` means.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Volatile {
    Plain,
    Input,
}

/// Which property.
#[derive(Args, Debug)]
#[command(next_help_heading = "Property")]
pub(crate) struct PropertyOptions {
    /// A property as a formula; may be given several times.
    #[arg(long, value_name = "FORMULA", conflicts_with = "spec")]
    pub ltl: Vec<String>,
    /// A property file with lines `CHECK( init(main()), LTL( … ) )`.
    #[arg(long, value_name = "FILE.prp")]
    pub spec: Option<String>,
    /// Consider only executions that satisfy this formula; may be given several times.
    #[arg(long, value_name = "FORMULA")]
    pub assume: Vec<String>,
}

/// By which semantics.
#[derive(Args, Debug)]
#[command(next_help_heading = "Semantics")]
pub(crate) struct SemanticsOptions {
    /// Integers have the width of their type and wrap around (machine), or are unbounded (ideal).
    #[arg(long, value_name = "machine|ideal", default_value = "machine", hide_possible_values = true)]
    #[arg(value_parser = words(Integers::ALL))]
    pub integers: Integers,
    /// States are observed after every statement, after a change of what the property reads, or at calls of
    /// `__VERIFIER_ltl_step()` [default: step where the program calls it, else statement].
    #[arg(long, value_name = "statement|change|step", hide_possible_values = true)]
    #[arg(value_parser = words(ObserveMode::ALL))]
    pub observe: Option<ObserveMode>,
    /// Undefined behaviour ends the execution in a state where `error` holds (error), or never happens (assume).
    #[arg(long, value_name = "error|assume", default_value = "error", hide_possible_values = true)]
    #[arg(value_parser = words(UndefinedMode::ALL))]
    pub ub: UndefinedMode,
    /// A thread may be interrupted between any two accesses to shared memory, or between statements only.
    #[arg(long, value_name = "access|statement", default_value = "access", hide_possible_values = true)]
    #[arg(value_parser = atomicities())]
    pub atomic: Atomicity,
    /// Let `malloc` return the null pointer too.
    #[arg(long)]
    pub malloc_may_fail: bool,
}

/// Which execution.
#[derive(Args, Debug)]
#[command(next_help_heading = "Execution")]
pub(crate) struct ExecutionOptions {
    /// Take inputs, and the schedule of threads, from this file.
    #[arg(long, value_name = "FILE", conflicts_with = "seed")]
    pub inputs: Option<String>,
    /// Choose inputs and the schedule at random from this seed.
    #[arg(long, value_name = "N", default_value_t = 1, allow_negative_numbers = true, value_parser = number::<u64>)]
    pub seed: u64,
    /// Stop after this many observed states.
    #[arg(long, value_name = "N", default_value_t = 100, allow_negative_numbers = true, value_parser = number::<usize>)]
    pub steps: usize,
}

/// Limits on what is spent.
#[derive(Args, Debug)]
#[command(next_help_heading = "Limits")]
pub(crate) struct LimitOptions {
    /// Give up after this time, such as 60s, 5m or 500ms; at the latest one second later the command ends.
    #[arg(long, value_name = "TIME", value_parser = host::parse_duration)]
    pub timeout: Option<Duration>,
    /// Give up when this much memory is held, such as 4GiB or 500MB, by semper and what it starts (compilers, solvers).
    #[arg(long, value_name = "SIZE", value_parser = host::parse_memory)]
    pub memory: Option<u64>,
}

/// How much of an execution is printed.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct TraceOptions {
    /// Show all steps of a counterexample, and all its inputs, however many there are; `semper run` always does.
    #[arg(long)]
    pub full_trace: bool,
}

/// What is printed.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
pub(crate) struct OutputOptions {
    /// Print for people (text) or for programs (json).
    #[arg(long, value_name = "text|json", default_value = "text", hide_possible_values = true)]
    pub format: Format,
    /// Say on standard error what is being done.
    #[arg(short, long)]
    pub verbose: bool,
}

impl OutputOptions {
    /// Says what is being done, where the user wants to know.
    pub fn tell(&self, what: impl FnOnce() -> String) {
        if self.verbose {
            super::output::complain(&format!("semper: {}\n", what()));
        }
    }
}

/// Formats of most commands.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Text,
    Json,
}

/// Formats of `semper cfg`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CfgFormat {
    Text,
    Dot,
    Mermaid,
    Json,
}

/// Formats of `semper ltl`.
#[derive(ValueEnum, Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum LtlFormat {
    Text,
    Hoa,
    Dot,
    Mermaid,
    Json,
}

/// Reads one of the words of a table.
fn words<T>(table: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = String> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::new(table.iter().map(|(word, _)| *word)).try_map(|word| word.parse::<T>())
}

/// Lists the engines for the help of `--engine`.
fn engine_help() -> String {
    let engines = semper::engines::registry();
    let entries: Vec<String> = engines.iter().map(|entry| format!("`{}` {}", entry.name, entry.about)).collect();
    format!("What decides the question: {}, `none` only says what was understood", entries.join(", "))
}

/// Reads a number that is not negative.
fn number<T: FromStr>(text: &str) -> Result<T, String> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let too_large = |_| "this number is too large".to_owned();
    if is_number { text.parse().map_err(too_large) } else { Err("a number from 0 on is needed".to_owned()) }
}

/// Reads a number of threads.
fn thread_count(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|threads| (1..=1024).contains(threads))
        .ok_or("a number from 1 to 1024 is needed".to_owned())
}

/// Checks that a macro has a name.
fn definition(text: &str) -> Result<String, String> {
    let name = text.split(['=', '(']).next().unwrap_or_default();
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_' || c == '$' || !c.is_ascii();
    if name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit()) {
        return Ok(text.to_owned());
    }
    Err(format!("`{name}` cannot be the name of a macro: letters, digits and `_`, and no digit first"))
}

fn atomicities() -> impl TypedValueParser<Value = Atomicity> {
    let words = PossibleValuesParser::new(Atomicity::ALL.iter().map(|(word, _)| *word));
    words.map(|word| Atomicity::ALL.iter().find(|(name, _)| *name == word).map_or_else(Default::default, |it| it.1))
}

fn data_models() -> impl TypedValueParser<Value = DataModel> {
    PossibleValuesParser::new(["LP64", "ILP32"]).map(|word| match word.to_ascii_uppercase().as_str() {
        "ILP32" => DataModel::Ilp32,
        _ => DataModel::Lp64,
    })
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_options_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_option_has_one_sentence_of_help() {
        for command in Arguments::command().get_subcommands() {
            for option in command.get_arguments() {
                let help = option.get_help().map(ToString::to_string).unwrap_or_default();
                let name = format!("{} {}", command.get_name(), option.get_id());
                assert!(help.len() > 8, "{name} has no help");
                assert!(help.starts_with(char::is_uppercase), "{name}: {help}");
                assert!(option.get_long_help().is_none(), "{name} has more than one paragraph");
            }
        }
    }
}
