//! `semper check`: reads both sides, and asks an engine. There is no engine yet but `none`, which knows nothing.

use anyhow::Result;
use foundation::Diagnostic;

use super::options::{CheckOptions, Format};
use super::{Ready, Status, budget, load, output, refuse_because, request, show_diagnostics};

/// The engines that exist.
const ENGINES: &[&str] = &["none"];

pub(super) fn run(options: &CheckOptions) -> Result<Status> {
    if !ENGINES.contains(&options.engine.as_str()) {
        let diagnostic = Diagnostic::error("unknown-engine", format!("there is no engine `{}`", options.engine))
            .help(format!("the engines are: {}", ENGINES.join(", ")));
        return refuse_because(diagnostic, &options.output);
    }
    let request = request(&options.program, Some(&options.property), Some(&options.semantics));
    let Some(Ready { subject, sources, diagnostics }) = load(&request, &budget(&options.limits), &options.output)?
    else {
        return Ok(Status::BadInput);
    };
    if subject.properties.is_empty() {
        let diagnostic = Diagnostic::error("no-property", "there is no property to check")
            .help("give a formula with `--ltl`, for instance `--ltl 'F end'`, or a property file with `--spec`")
            .help("or write it into the program: `//@ ltl invariant NAME: FORMULA;`");
        return refuse_because(diagnostic, &options.output);
    }
    let warnings = report::diagnostics::to_json(&diagnostics, &sources);
    let understood = semper::understood(&subject, warnings);
    match options.output.format {
        Format::Text => {
            show_diagnostics(&diagnostics, &sources);
            output::print(&report::understood::render(&understood))?;
        }
        Format::Json => output::print_json(&understood)?,
    }
    Ok(Status::Indefinite)
}
