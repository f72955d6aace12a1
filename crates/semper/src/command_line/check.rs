//! `semper check`: reads both sides, asks an engine, and says what it found, with what supports it.

use anyhow::Result;
use foundation::{Budget, Diagnostic};
use report::verdict::{Detail, Verdicts};
use semper::task::Attempt;
use semper::{CheckedOutcome, EngineChoice, Settings};

use super::options::{CheckOptions, Format};
use super::watching::Watchers;
use super::{Ready, Status, budget, load, output, refuse_because, request, show_diagnostics};

/// The engine that knows nothing.
const NONE: &str = "none";

pub(super) fn run(options: &CheckOptions) -> Result<Status> {
    let engine = EngineChoice::ALL.iter().find(|(name, _)| *name == options.engine).map(|&(_, engine)| engine);
    if engine.is_none() && options.engine != NONE {
        let names: Vec<&str> = EngineChoice::ALL.iter().map(|(name, _)| *name).chain([NONE]).collect();
        let diagnostic = Diagnostic::error("unknown-engine", format!("there is no engine `{}`", options.engine))
            .help(format!("the engines are: {}", names.join(", ")));
        return refuse_because(diagnostic, &options.output);
    }
    if options.dump_dir.is_some() && !matches!(engine, Some(EngineChoice::Auto | EngineChoice::Fairness)) {
        let message = format!("the engine `{}` has nothing to write for `--dump-dir`", options.engine);
        let diagnostic = Diagnostic::error("nothing-to-dump", message).help("choose the engine `fairness` or `auto`");
        return refuse_because(diagnostic, &options.output);
    }
    let request = request(&options.program, Some(&options.property), Some(&options.semantics));
    let budget = budget(&options.limits);
    let Some(ready) = load(&request, &budget, &options.output)? else { return Ok(Status::BadInput) };
    if ready.subject.properties.is_empty() {
        let diagnostic = Diagnostic::error("no-property", "there is no property to check")
            .help("give a formula with `--ltl`, for instance `--ltl 'F end'`, or a property file with `--spec`")
            .help("or write it into the program: `//@ ltl invariant NAME: FORMULA;`");
        return refuse_because(diagnostic, &options.output);
    }
    match engine {
        Some(engine) => decide(ready, engine, options, &budget),
        None => tell_what_was_understood(&ready, options),
    }
}

/// Decides all properties, one after the other.
fn decide(ready: Ready, engine: EngineChoice, options: &CheckOptions, budget: &Budget) -> Result<Status> {
    let settings =
        Settings { engine, scheduler: options.scheduler, threads: options.threads, checks_evidence: !options.no_check };
    let Ready { subject, sources, diagnostics: read } = ready;
    let mut all = read.clone();
    let mut verdicts = Vec::new();
    for property in 0..subject.properties.len() {
        let watchers = match Watchers::new(options, &sources, property, subject.properties.len()) {
            Ok(watchers) => watchers,
            Err(fault) => return refuse_because(*fault, &options.output),
        };
        let outcome = semper::check_watched(&subject, property, &settings, &watchers, budget);
        let fault = watchers.end();
        for attempt in &outcome.tried {
            options.output.tell(|| gave_up(attempt));
        }
        options.output.tell(|| measured(&outcome));
        let mut diagnostics = read.clone();
        if let Some(fault) = fault {
            diagnostics.push(fault);
        }
        verdicts.push(semper::verdict(&subject, property, &outcome, &settings, &sources, &mut diagnostics));
        all.extend(diagnostics);
    }
    let verdicts = Verdicts::new(verdicts);
    match options.output.format {
        Format::Text => {
            show_diagnostics(&all, &sources);
            let detail = Detail { all_steps: options.output.verbose, width: host::terminal::width() };
            output::print(&report::verdict::render(&verdicts, detail))?;
        }
        Format::Json => match &verdicts.properties[..] {
            [only] => output::print_json(only)?,
            _ => output::print_json(&verdicts)?,
        },
    }
    Ok(match verdicts.verdict.as_str() {
        "holds" => Status::Holds,
        "violated" => Status::Violated,
        _ => Status::Indefinite,
    })
}

/// An engine that gave no answer, for those who want to know.
fn gave_up(attempt: &Attempt) -> String {
    let Attempt { engine, time, reason } = attempt;
    format!("tried the engine `{engine}` for {:.3} s: {reason}", time.as_secs_f64())
}

/// What an engine measured, for those who want to know.
fn measured(outcome: &CheckedOutcome) -> String {
    let figure = |(name, figure): &(&'static str, semper::task::Figure)| {
        let name = name.replace('_', " ");
        match figure {
            semper::task::Figure::Count(count) => format!("{name} {count}"),
            semper::task::Figure::Quantity(quantity) => format!("{name} {quantity:.3}"),
            semper::task::Figure::Word(word) => format!("{name} {word}"),
        }
    };
    let figures: Vec<String> = outcome.statistics.0.iter().map(figure).collect();
    let figures = if figures.is_empty() { String::new() } else { format!(": {}", figures.join(", ")) };
    format!("tried the engine `{}` for {:.3} s{figures}", outcome.engine, outcome.time.as_secs_f64())
}

fn tell_what_was_understood(ready: &Ready, options: &CheckOptions) -> Result<Status> {
    let Ready { subject, sources, diagnostics } = ready;
    let warnings = report::diagnostics::to_json(diagnostics, sources);
    let understood = semper::understood(subject, warnings);
    match options.output.format {
        Format::Text => {
            show_diagnostics(diagnostics, sources);
            output::print(&report::understood::render(&understood))?;
        }
        Format::Json => output::print_json(&understood)?,
    }
    Ok(Status::Indefinite)
}
