//! What the subcommands have in common: parsing the options, loading, diagnostics, limits.

mod certify;
mod cfg;
mod check;
mod documents;
mod draft;
mod execution;
mod kripke;
mod limits;
mod ltl;
mod options;
pub(crate) mod output;
mod replay;
mod solver;
mod suite;
mod validate;
mod watching;

use std::time::Instant;

use anyhow::Result;
use clap::Parser;
use foundation::{Diagnostic, Diagnostics, Severity, SourceMap};
use semper::{Input, Loaded, Properties, Request, Subject};

use limits::Limited;
use options::{
    Arguments, Command, Format, OutputOptions, ProgramOptions, PropertyOptions, QuestionOptions, SemanticsOptions,
};

/// The exit status.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Status {
    /// Every property holds, or there was nothing to decide.
    Holds = 0,
    /// Some property is violated.
    Violated = 1,
    /// The input or the usage is wrong.
    BadInput = 2,
    /// Less than a definite answer.
    Indefinite = 3,
}

/// Runs the command that the process was started with.
pub(crate) fn run() -> Status {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(refused) => {
            // Help and version are "errors" too, for standard output and with status 0.
            let status = if refused.use_stderr() { Status::BadInput } else { Status::Holds };
            // Where nobody reads what we print, there is nobody to tell.
            let _ = refused.print();
            return status;
        }
    };
    let result = match arguments.command {
        Command::Check(options) if kripke::is_structure(&options.question.program.files) => kripke::check(&options),
        Command::Run(options) if kripke::is_structure(&options.program.files) => kripke::cannot_run(&options.output),
        Command::Cfg(options) if kripke::is_structure(&options.program.files) => kripke::draw(&options),
        Command::Check(options) => check::run(&options),
        Command::Run(options) => execution::run(&options),
        Command::Cfg(options) => cfg::run(&options),
        Command::Ltl(options) => ltl::run(&options),
        Command::Replay(options) => replay::run(&options),
        Command::Certify(options) => certify::run(&options),
        Command::Suite(options) => suite::run(&options),
        Command::Validate(options) => validate::run(&options),
        Command::Completions { shell } => documents::completions(shell),
        Command::Man { command } => documents::manual(command.as_deref()),
    };
    result.unwrap_or_else(|error| {
        output::complain(&format!("semper: {error:#}\n"));
        Status::Indefinite
    })
}

/// The request of the options.
fn request(
    program: &ProgramOptions,
    property: Option<&PropertyOptions>,
    semantics: Option<&SemanticsOptions>,
) -> Request {
    let mut request = Request {
        files: program.files.iter().cloned().map(Input::File).collect(),
        include: program.include.clone(),
        define: program.define.clone(),
        entry: program.entry.clone(),
        data_model: program.data_model,
        volatile_input: program.volatile == options::Volatile::Input,
        pure_undefined_functions: program.undefined_functions == options::UndefinedFunctions::Pure,
        properties: Properties::Formulas(Vec::new()),
        ..Request::default()
    };
    if let Some(property) = property {
        request.properties = match &property.spec {
            Some(path) => Properties::File(path.clone()),
            None if property.ltl.is_empty() => Properties::Annotations,
            None => Properties::Formulas(property.ltl.clone()),
        };
        request.assumptions.clone_from(&property.assume);
    }
    if let Some(semantics) = semantics {
        request.integers = semantics.integers;
        request.observe = semantics.observe;
        request.undefined = semantics.ub;
        request.malloc_may_fail = semantics.malloc_may_fail;
        request.atomicity = semantics.atomic;
    }
    request
}

impl QuestionOptions {
    fn request(&self) -> Request {
        request(&self.program, Some(&self.property), Some(&self.semantics))
    }
}

/// What was loaded without error.
struct Ready {
    subject: Subject,
    sources: SourceMap,
    /// Warnings only.
    diagnostics: Diagnostics,
}

/// Loads; where there is an error or no time left, the user is told, and the status is the result. Warnings are left to
/// the command.
fn load(request: &Request, limited: &Limited, output: &OutputOptions) -> Result<Result<Ready, Status>> {
    let start = Instant::now();
    let Loaded { sources, diagnostics, subject, stopped } = semper::load(request, &limited.budget);
    output.tell(|| format!("read {} file(s) in {:.3} s", request.files.len(), start.elapsed().as_secs_f64()));
    match (subject, stopped) {
        (Some(subject), _) => Ok(Ok(Ready { subject, sources, diagnostics })),
        // An error that was found before is one whatever time there is.
        (None, Some(why)) if !diagnostics.has_errors() => {
            show_diagnostics(&diagnostics, &sources);
            limited.give_up(why).map(Err)
        }
        (None, _) => refuse(&diagnostics, &sources, output).map(Err),
    }
}

/// Says why the input is refused: as text to standard error, or as a JSON object to standard output.
fn refuse(diagnostics: &Diagnostics, sources: &SourceMap, output: &OutputOptions) -> Result<Status> {
    match output.format {
        Format::Text => show_diagnostics(diagnostics, sources),
        Format::Json => output::print_json(&report::diagnostics::Refusal::new(diagnostics, sources))?,
    }
    Ok(Status::BadInput)
}

/// Refuses for one reason that stands in no source text.
fn refuse_because(diagnostic: Diagnostic, output: &OutputOptions) -> Result<Status> {
    debug_assert_eq!(diagnostic.severity, Severity::Error);
    let mut diagnostics = Diagnostics::new();
    diagnostics.push(diagnostic);
    refuse(&diagnostics, &SourceMap::new(), output)
}

fn show_diagnostics(diagnostics: &Diagnostics, sources: &SourceMap) {
    let style =
        report::Style { colours: host::terminal::wants_colours(&std::io::stderr()), width: host::terminal::width() };
    output::complain(&report::diagnostics::render(diagnostics, sources, style));
}
