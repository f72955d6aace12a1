//! `semper run`: executes once, shows the trace, and says whether the properties are true of it.

use std::time::Instant;

use anyhow::Result;
use foundation::{Budget, Diagnostics, SourceMap};
use program::semantics::{Choices, ListedChoices, RunEnd, RunLimits, SeededChoices};
use report::trace::{PropertyOnTrace, TraceReport};
use semper::{Execution, Subject, TraceTruth};

use super::limits::{Limited, no_verdict};
use super::options::{ExecutionOptions, Format, RunOptions};
use super::{Ready, Status, load, output, refuse, request, show_diagnostics};

pub(super) fn run(options: &RunOptions) -> Result<Status> {
    let request = request(&options.program, Some(&options.property), Some(&options.semantics));
    let limited = Limited::new(&options.limits, no_verdict(options.output.format));
    let budget = &limited.budget;
    let Ready { subject, mut sources, mut diagnostics } = match load(&request, &limited, &options.output)? {
        Ok(ready) => ready,
        Err(status) => return Ok(status),
    };
    let execution = match &options.execution.inputs {
        None => execute(&subject, &mut SeededChoices::new(options.execution.seed), options, budget),
        Some(path) => {
            let Some(mut choices) = listed_choices(path, &mut sources, &mut diagnostics) else {
                return refuse(&diagnostics, &sources, &options.output);
            };
            let execution = execute(&subject, &mut choices, options, budget);
            let run_ended = semper::is_complete(&execution.run.end);
            choices.left_over(run_ended, subject.program.has_threads(), &mut diagnostics);
            execution
        }
    };
    report::trace::diagnose(&execution.run, &mut diagnostics);
    let trace = trace(&subject, &execution, &sources, &diagnostics, &options.execution);
    match options.output.format {
        Format::Text => {
            show_diagnostics(&diagnostics, &sources);
            output::print(&report::trace::render(&trace, host::terminal::width()))?;
        }
        Format::Json if diagnostics.has_errors() => {
            refuse(&diagnostics, &sources, &options.output)?;
        }
        Format::Json => output::print_json(&trace)?,
    }
    Ok(status(&execution))
}

fn execute(subject: &Subject, choices: &mut dyn Choices, options: &RunOptions, budget: &Budget) -> Execution {
    /// A program may do much between two observations, but not for ever.
    const EDGES_PER_OBSERVATION: u64 = 10_000;
    let observations = options.execution.steps.max(1);
    let edges = (observations as u64).saturating_mul(EDGES_PER_OBSERVATION).max(RunLimits::default().edges);
    let start = Instant::now();
    let execution = semper::execute(subject, choices, RunLimits { observations, edges }, budget);
    let run = &execution.run;
    options.output.tell(|| {
        let (states, seconds) = (run.observations.len(), start.elapsed().as_secs_f64());
        format!("took {} edges and observed {states} states in {seconds:.3} s", run.edges)
    });
    execution
}

/// The choices of an inputs file; nothing where there is an error in it.
fn listed_choices(path: &str, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<ListedChoices> {
    let text = host::read_text(path, diagnostics)?;
    let source = sources.add(path, text);
    ListedChoices::parse(sources, source).map_err(|errors| diagnostics.extend(errors)).ok()
}

fn trace(
    subject: &Subject,
    execution: &Execution,
    sources: &SourceMap,
    diagnostics: &Diagnostics,
    options: &ExecutionOptions,
) -> TraceReport {
    let display = |formula| subject.formulas.display(formula).to_string();
    let on_trace = |(property, truth): (&semper::Property, &TraceTruth)| PropertyOnTrace {
        name: property.name.clone(),
        property: display(property.formula),
        truth: match truth.value {
            Some(true) => "true",
            Some(false) => "false",
            None => "open",
        },
        decided_at: truth.decided_at,
        note: (!truth.exact)
            .then(|| "the formula is too large for its truth on a finite trace to be decided".to_owned()),
    };
    let run = &execution.run;
    TraceReport {
        integers: subject.semantics.integers.to_string(),
        observe: subject.semantics.observe.to_string(),
        data_model: subject.program.types.data_model().to_string(),
        atomic: subject.program.has_threads().then(|| subject.semantics.atomicity.to_string()),
        choices: options.inputs.clone().unwrap_or_else(|| format!("seed {}", options.seed)),
        atoms: subject.formulas.atoms().iter().map(|(_, atom)| atom.to_string()).collect(),
        assumptions: subject.assumptions.iter().map(|&formula| display(formula)).collect(),
        steps: report::trace::steps(run, &subject.program, sources),
        end: report::trace::end(run, &subject.program, sources),
        properties: subject.properties.iter().zip(&execution.truths).map(on_trace).collect(),
        warnings: report::diagnostics::to_json(diagnostics, sources),
    }
}

/// 2 where an input did not fit; else the worst of the properties: 1 for false, 3 for open, 0 for true. Without a
/// property the status is 0.
fn status(execution: &Execution) -> Status {
    if matches!(execution.run.end, RunEnd::UnfitInput { .. }) {
        return Status::BadInput;
    }
    let is = |value: Option<bool>| execution.truths.iter().any(|truth| truth.value == value);
    match (is(Some(false)), is(None)) {
        (true, _) => Status::Violated,
        (false, true) => Status::Indefinite,
        (false, false) => Status::Holds,
    }
}
