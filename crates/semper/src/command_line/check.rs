//! `semper check`: reads both sides, asks an engine, and says what it found, with what supports it.

use anyhow::Result;
use foundation::{Budget, Diagnostic, Diagnostics, SourceMap};
use report::verdict::{Detail, PropertyVerdict, Verdicts};
use semper::certificates::{self, multipliers::with_arguments};
use semper::certify::Replayed;
use semper::replay;
use semper::saved::{Found, Inquiry, Saved};
use semper::task::{Attempt, Certificate, Entry, Scheduler, Verdict};
use semper::{CheckedOutcome, CheckedVerdict, RejectedEvidence, Request, Settings, Subject};
use validation::{ProvedProperty, of_proof, of_violation};

use super::draft::Draft;
use super::limits::{Limited, no_verdict};
use super::options::{CheckOptions, Format};
use super::watching::Watchers;
use super::{Ready, Status, load, output, refuse_because, show_diagnostics, solver};

/// The engine that knows nothing.
const NONE: &str = "none";

pub(super) fn run(options: &CheckOptions) -> Result<Status> {
    let engines = semper::engines::registry();
    let engine = engines.find(&options.engine).copied();
    if engine.is_none() && options.engine != NONE {
        let names: Vec<&str> = engines.iter().map(|entry| entry.name).chain([NONE]).collect();
        let diagnostic = Diagnostic::error("unknown-engine", format!("there is no engine `{}`", options.engine))
            .help(format!("the engines are: {}", names.join(", ")));
        return refuse_because(diagnostic, &options.output);
    }
    if options.dump_dir.is_some() && !engine.is_some_and(|engine| engine.shows) {
        let message = format!("the engine `{}` has nothing to write for `--dump-dir`", options.engine);
        let names: Vec<String> =
            engines.iter().filter(|entry| entry.shows).map(|entry| format!("`{}`", entry.name)).collect();
        let help = format!("choose the engine {}", names.join(" or "));
        let diagnostic = Diagnostic::error("nothing-to-dump", message).help(help);
        return refuse_because(diagnostic, &options.output);
    }
    let request = options.question.request();
    let limited = Limited::new(&options.limits, no_verdict(options.output.format));
    let ready = match load(&request, &limited, &options.output)? {
        Ok(ready) => ready,
        Err(status) => return Ok(status),
    };
    if ready.subject.properties.is_empty() {
        let diagnostic = Diagnostic::error("no-property", "there is no property to check")
            .help("give a formula with `--ltl`, for instance `--ltl 'F end'`, or a property file with `--spec`")
            .help("or write it into the program: `//@ ltl invariant NAME: FORMULA;`");
        return refuse_because(diagnostic, &options.output);
    }
    match engine {
        Some(engine) => decide(ready, &request, engine, options, &limited),
        None => tell_what_was_understood(&ready, options),
    }
}

/// Decides all properties, one after the other.
fn decide(ready: Ready, request: &Request, engine: Entry, options: &CheckOptions, limited: &Limited) -> Result<Status> {
    let budget = &limited.budget;
    let settings = Settings {
        engine,
        engines: semper::engines::registry(),
        scheduler: options.scheduler,
        threads: options.threads,
        checks_evidence: !options.no_check,
        decider: options.solver.as_deref().map(solver::named).unwrap_or_default(),
    };
    let Ready { subject, sources, diagnostics: read } = ready;
    let mut all = read.clone();
    let mut verdicts = Vec::new();
    let draft = Draft::new(&subject, &settings, &sources, &read);
    limited.would_say(draft.last_words(options));
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
        if !options.no_vacuity {
            diagnostics.extend(semper::vacuity(&subject, property, &outcome, &settings, &sources, budget));
        }
        let verdict = semper::verdict(&subject, property, &outcome, &settings, &sources, &mut diagnostics);
        for rejected in &outcome.rejected {
            let asked = (request, &subject, property, settings.scheduler);
            keep_rejected(asked, rejected, &mut diagnostics);
        }
        if let (Some(path), CheckedVerdict::Holds { certificate, .. }) = (&options.certificate, &outcome.verdict) {
            let is_first = verdicts.iter().all(|earlier: &PropertyVerdict| earlier.verdict != "holds");
            let asked = (request, &subject, property, settings.scheduler);
            write_certificate(path, is_first, asked, certificate, budget, &mut diagnostics);
        }
        if let (Some(path), CheckedVerdict::Holds { certificate, .. }) = (&options.witness, &outcome.verdict)
            && is_competition(path)
            && verdicts.is_empty()
            && let Some(hashes) = replay::hashes(request, &mut diagnostics)
        {
            let proved = ProvedProperty { request, subject: &subject, property, certificate };
            let witness = of_proof(proved, &hashes, &sources, &settings, budget, host::utc_now());
            if let Err(fault) = host::write_text(path, &witness::write(&witness)) {
                diagnostics.push(*fault);
            }
        }
        if let (Some(path), Some(counterexample)) = (&options.witness, &outcome.counterexample)
            && verdict.verdict == "violated"
        {
            let scheduler = settings.scheduler;
            let found = Found { request, subject: &subject, property, scheduler, counterexample };
            let is_first = verdicts.iter().all(|earlier: &PropertyVerdict| earlier.verdict != "violated");
            let replayed = match &outcome.verdict {
                CheckedVerdict::Violated { replayed, .. } => replayed.as_deref(),
                _ => None,
            };
            save(path, is_first, found, (&verdict, replayed), &sources, &mut diagnostics);
        }
        draft.decided(property, &verdict);
        verdicts.push(verdict);
        all.extend(diagnostics);
    }
    let verdicts = Verdicts::new(verdicts);
    match options.output.format {
        Format::Text => {
            show_diagnostics(&all, &sources);
            let (verbose, width) = (options.output.verbose, host::terminal::width());
            let detail = Detail { all_steps: verbose || options.trace.full_trace, trusted: verbose, width };
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

/// Keeps evidence that did not pass its check in a file that can be sent with a report.
fn keep_rejected(
    (request, subject, property, scheduler): (&Request, &Subject, usize, Scheduler),
    RejectedEvidence { engine, why, verdict }: &RejectedEvidence,
    diagnostics: &mut Diagnostics,
) {
    let Some(hashes) = replay::hashes(request, diagnostics) else { return };
    let evidence = match verdict {
        Verdict::Holds(certificate) => {
            let fingerprint = certificates::fingerprint(&semper::check::task_of(subject, property, scheduler));
            let question = Inquiry::new(request, subject, property, scheduler, hashes);
            certificates::write(&question, &fingerprint, certificate)
        }
        Verdict::Violated(counterexample) => {
            Some(Saved::new(Found { request, subject, property, scheduler, counterexample }, hashes, None).text())
        }
        Verdict::Unknown(_) => None,
    };
    let Some(evidence) = evidence else { return };
    let path = std::env::temp_dir().join(format!("semper-rejected-{}-{property}-{engine}.txt", std::process::id()));
    let path = path.display().to_string();
    let arguments: Vec<String> = std::env::args().collect();
    let text = format!("; {}\n; engine {engine}: {why}\n{evidence}", arguments.join(" "));
    match host::write_text(&path, &text) {
        Ok(()) => {
            let message = format!("the evidence that was rejected is kept in `{path}`");
            diagnostics
                .push(Diagnostic::warning("rejected-evidence-kept", message).help("please send it with your report"));
        }
        Err(fault) => diagnostics.push(*fault),
    }
}

/// Writes down the proof of a property that holds, where it is the first; what cannot be done is said.
fn write_certificate(
    path: &str,
    is_first: bool,
    (request, subject, property, scheduler): (&Request, &Subject, usize, Scheduler),
    certificate: &Certificate,
    budget: &Budget,
    diagnostics: &mut Diagnostics,
) {
    if !is_first {
        let message = format!("only the first certificate is written to `{path}`, and this property has another");
        diagnostics.push(Diagnostic::warning("several-certificates", message).help("check one property at a time"));
        return;
    }
    let Some(hashes) = replay::hashes(request, diagnostics) else { return };
    let question = Inquiry::new(request, subject, property, scheduler, hashes);
    let task = semper::check::task_of(subject, property, scheduler);
    let certificate = with_arguments(&task, certificate, budget);
    match certificates::write(&question, &certificates::fingerprint(&task), &certificate) {
        Some(text) => {
            if let Err(fault) = host::write_text(path, &text) {
                diagnostics.push(*fault);
            }
        }
        None => {
            let message =
                format!("the proof cannot be written to `{path}`: the engine does not write such proofs down yet");
            diagnostics.push(Diagnostic::warning("nothing-to-save", message));
        }
    }
}

/// Saves the counterexample of a violated property, where it is the first; what cannot be done is said.
fn save(
    path: &str,
    is_first: bool,
    found: Found<'_>,
    (verdict, replayed): (&PropertyVerdict, Option<&Replayed>),
    sources: &SourceMap,
    diagnostics: &mut Diagnostics,
) {
    if !is_first {
        let message = format!("only the first counterexample is saved to `{path}`, and this property has another");
        diagnostics.push(Diagnostic::warning("several-counterexamples", message).help("check one property at a time"));
        return;
    }
    let Some(hashes) = replay::hashes(found.request, diagnostics) else { return };
    let text = match (is_competition(path), replayed) {
        (true, Some(replayed)) => witness::write(&of_violation(found, &hashes, replayed, sources, host::utc_now())),
        (true, None) => {
            let message = format!("a counterexample that was not replayed cannot be written to `{path}`");
            diagnostics.push(Diagnostic::warning("nothing-to-save", message).help("leave out `--no-check`"));
            return;
        }
        (false, _) => {
            let story = verdict.counterexample.as_ref().and_then(|story| serde_json::to_value(story).ok());
            Saved::new(found, hashes, story).text()
        }
    };
    if let Err(fault) = host::write_text(path, &text) {
        diagnostics.push(*fault);
    }
}

/// Whether a file is to have the exchange format of SV-COMP.
fn is_competition(path: &str) -> bool {
    path.ends_with(".yml") || path.ends_with(".yaml")
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
            semper::task::Figure::Quantity(seconds) if name == "checking seconds" => {
                format!("evidence checked in {seconds:.3} s")
            }
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
