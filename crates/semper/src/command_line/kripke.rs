//! `semper check` and `semper cfg` on a Kripke structure, which a file that ends in `.kripke` holds.

use std::time::Instant;

use anyhow::Result;
use clap::CommandFactory;
use clap::parser::ValueSource;
use foundation::{Diagnostic, Diagnostics, SourceMap};
use semper::Settings;
use semper::kripke::decide_all;
use subject::structure::{LoadedStructure, load_structure};

use super::limits::{Limited, no_verdict};
use super::options::{Arguments, CfgFormat, CfgOptions, CheckOptions, Format, OutputOptions};
use super::{Status, output, refuse, refuse_because, request, show_diagnostics};

/// Whether some of the files is a Kripke structure.
pub(super) fn is_structure(files: &[String]) -> bool {
    files.iter().any(|file| file.ends_with(".kripke"))
}

/// Decides the properties of a structure.
pub(super) fn check(options: &CheckOptions) -> Result<Status> {
    /// What a structure has in common with a program. How many threads there are changes nothing.
    const COMMON: [&str; 10] =
        ["files", "ltl", "spec", "assume", "timeout", "memory", "format", "verbose", "threads", "full_trace"];
    if let Some(faults) = misuse("check", &COMMON, &options.question.program.files) {
        return refuse(&faults, &SourceMap::new(), &options.output);
    }
    let Limited { budget, .. } = Limited::new(&options.limits, no_verdict(options.output.format));
    let request = request(&options.question.program, Some(&options.question.property), None);
    let LoadedStructure { sources, diagnostics, structure } = load_structure(&request);
    let Some(structure) = structure else {
        return refuse(&diagnostics, &sources, &options.output);
    };
    if structure.properties.is_empty() {
        let diagnostic = Diagnostic::error("no-property", "there is no property to check")
            .help("give a formula with `--ltl`, for instance `--ltl 'G !deadlock'`, or a property file with `--spec`")
            .help("or write it into the structure: `//@ ltl invariant NAME: FORMULA;`");
        return refuse_because(diagnostic, &options.output);
    }
    let start = Instant::now();
    let settings =
        Settings { engine: semper::engines::explicit::ENTRY, threads: options.threads, ..Settings::default() };
    let report = decide_all(&structure, &settings, report::diagnostics::to_json(&diagnostics, &sources), &budget);
    let (count, seconds) = (report.properties.len(), start.elapsed());
    options.output.tell(|| format!("looked at {count} properties in {:.3} s", seconds.as_secs_f64()));
    match options.output.format {
        Format::Text => {
            show_diagnostics(&diagnostics, &sources);
            let all_steps = options.output.verbose || options.trace.full_trace;
            output::print(&report::kripke::render(&report, all_steps, host::terminal::width()))?;
        }
        Format::Json => output::print_json(&report)?,
    }
    Ok(match report.verdict.as_str() {
        "holds" => Status::Holds,
        "violated" => Status::Violated,
        _ => Status::Indefinite,
    })
}

/// Shows a structure.
pub(super) fn draw(options: &CfgOptions) -> Result<Status> {
    let messages = OutputOptions { format: Format::Text, verbose: options.verbose };
    if let Some(faults) = misuse("cfg", &["files", "format", "verbose"], &options.program.files) {
        return refuse(&faults, &SourceMap::new(), &messages);
    }
    let request = request(&options.program, None, None);
    let LoadedStructure { sources, diagnostics, structure } = load_structure(&request);
    show_diagnostics(&diagnostics, &sources);
    let Some(structure) = structure else { return Ok(Status::BadInput) };
    let kripke = &structure.kripke;
    match options.format {
        CfgFormat::Text => output::print(&kripke.text().to_string())?,
        CfgFormat::Dot => output::print(&report::kripke::drawing(kripke).dot("kripke"))?,
        CfgFormat::Mermaid => output::print(&report::kripke::drawing(kripke).mermaid())?,
        CfgFormat::Json => output::print_json(&report::kripke::to_json(kripke))?,
    }
    Ok(Status::Holds)
}

/// Refuses commands that execute.
pub(super) fn cannot_run(output: &OutputOptions) -> Result<Status> {
    let diagnostic = Diagnostic::error("kripke-structure", "a Kripke structure is not executed")
        .help("its paths are checked with `semper check`, and it is drawn with `semper cfg`");
    refuse_because(diagnostic, output)
}

/// What is wrong with how a structure is asked about: other files beside it, and options that mean nothing to it.
fn misuse(command: &str, common: &[&str], files: &[String]) -> Option<Diagnostics> {
    let mut faults = Diagnostics::new();
    if files.len() > 1 {
        let fault = Diagnostic::error("several-files", "a Kripke structure stands alone");
        faults.push(fault.help("give one `.kripke` file and no other"));
    }
    for option in given_options(command, common) {
        let message = format!("`{option}` means nothing for a Kripke structure");
        faults.push(Diagnostic::error("option-for-programs", message).help("leave it out"));
    }
    faults.has_errors().then_some(faults)
}

/// The options of the subcommand that the user gave, apart from some. Where a value is the usual one, the options
/// themselves do not show whether it was given.
fn given_options(command: &str, but: &[&str]) -> Vec<String> {
    let semper = Arguments::command();
    let matches = semper.clone().try_get_matches_from(std::env::args_os());
    let known = semper.find_subcommand(command);
    let (Ok(matches), Some(known)) = (matches, known) else { return Vec::new() };
    let Some(given) = matches.subcommand_matches(command) else { return Vec::new() };
    // Whatever suits the task is what a structure is checked with.
    let is_automatic =
        |id: &str| id == "engine" && given.get_raw(id).is_some_and(|mut value| value.any(|it| it == "auto"));
    let is_given =
        |id: &str| given.value_source(id) == Some(ValueSource::CommandLine) && !but.contains(&id) && !is_automatic(id);
    let options = known.get_arguments().filter(|option| is_given(option.get_id().as_str()));
    let name = |option: &clap::Arg| match (option.get_long(), option.get_short()) {
        (Some(long), _) => format!("--{long}"),
        (None, Some(short)) => format!("-{short}"),
        (None, None) => option.get_id().to_string(),
    };
    options.map(name).collect()
}
