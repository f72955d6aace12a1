//! `semper replay`: executes a saved counterexample again and says whether it violates its property.

use anyhow::Result;
use automata::ltl;
use compiled::{Compiled, compare_compiled};
use foundation::{Diagnostics, SourceMap};
use report::verdict::{Detail, PropertyVerdict, Verdicts};
use semper::saved::Saved;
use semper::{CheckedVerdict, Settings, replay, saved};
use serde::Serialize;

use super::limits::{Limited, no_verdict};
use super::options::{Format, ReplayOptions};
use super::{Ready, Status, load, output, refuse, show_diagnostics};

pub(super) fn run(options: &ReplayOptions) -> Result<Status> {
    let limited = Limited::new(&options.limits, no_verdict(options.output.format));
    let budget = &limited.budget;
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let Some(saved) = read(&options.file, &mut sources, &mut diagnostics) else {
        return refuse(&diagnostics, &sources, &options.output);
    };
    let Some((request, scheduler)) =
        replay::request_for(&saved.question(), &options.file, &options.program, &mut diagnostics)
    else {
        return refuse(&diagnostics, &sources, &options.output);
    };
    let Ready { mut subject, sources, diagnostics: read } = match load(&request, &limited, &options.output)? {
        Ok(ready) => ready,
        Err(status) => return Ok(status),
    };
    diagnostics.extend(read);
    let property = &mut subject.properties[0];
    property.name.clone_from(&saved.property.name);
    property.origin.clone_from(&options.file);
    let counterexample = saved.counterexample().map_err(anyhow::Error::msg)?;
    let lasso = counterexample.answers().clone();
    let outcome = replay::replay(&subject, 0, counterexample, scheduler, budget);
    let settings = Settings { scheduler, ..Settings::default() };
    let mut compiled = None;
    let mut verdict = semper::verdict(&subject, 0, &outcome, &settings, &sources, &mut diagnostics);
    if let CheckedVerdict::Violated { replayed: Some(replayed), .. } = &outcome.verdict
        && !options.no_compile
    {
        let task = semper::check::task_of(&subject, 0, scheduler);
        let found = compare_compiled(&subject, &task, &lasso, replayed, options.turns, &sources, budget);
        tell(&found, &mut verdict, options);
        compiled = Some(found);
    }
    let verdicts = Verdicts::new(vec![verdict]);
    match options.output.format {
        Format::Text => {
            show_diagnostics(&diagnostics, &sources);
            let (verbose, width) = (options.output.verbose, host::terminal::width());
            let detail = Detail { all_steps: verbose || options.trace.full_trace, trusted: verbose, width };
            output::print(&report::verdict::render(&verdicts, detail))?;
        }
        Format::Json => output::print_json(&ReplayAnswer { verdict: &verdicts.properties[0], compiled })?,
    }
    Ok(match verdicts.verdict.as_str() {
        "violated" => Status::Violated,
        _ => Status::Indefinite,
    })
}

/// The answer as JSON: that of `semper check`, and what became of the compiled program.
#[derive(Serialize)]
struct ReplayAnswer<'v> {
    #[serde(flatten)]
    verdict: &'v PropertyVerdict,
    #[serde(skip_serializing_if = "Option::is_none")]
    compiled: Option<Compiled>,
}

/// Adds what became of the compiled program.
fn tell(compiled: &Compiled, verdict: &mut PropertyVerdict, options: &ReplayOptions) {
    if let Some(compiler) = &compiled.compiler {
        options.output.tell(|| format!("compiled by `{compiler}`"));
    }
    verdict.notes.push(compiled.text.clone());
    verdict.notes.extend(compiled.limits.iter().cloned());
}

fn read(path: &str, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<Saved> {
    let text = host::read_text(path, diagnostics)?;
    let source = sources.add(path, text);
    let saved = saved::read(sources, source).map_err(|fault| diagnostics.push(*fault)).ok()?;
    // Read here first, so that a fault is told as one of this file.
    let property = std::iter::once(&saved.property.formula).chain(&saved.property.assumptions);
    for formula in property {
        let source = sources.add(format!("the property in {path}"), formula.as_str());
        if let Err(faults) = ltl::parse(sources, source, &mut ltl::Formulas::new()) {
            diagnostics.extend(faults);
        }
    }
    (!diagnostics.has_errors()).then_some(saved)
}
