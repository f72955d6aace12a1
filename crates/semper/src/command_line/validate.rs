//! `semper validate`: says whether a witness that some tool wrote is right.

use anyhow::Result;
use foundation::{Diagnostics, Exhausted, SourceMap};
use host::LastWords;
use semper::Settings;
use serde::Serialize;
use validation::{Finding, Validation, request_for, validate};
use witness::{Content, ReadWitness};

use super::limits::{Limited, json, said};
use super::options::{Format, ValidateOptions};
use super::{Ready, Status, load, output, refuse, show_diagnostics};

/// Of more inputs in a row than this, the first are printed.
const MOST_INPUTS: usize = 20;

pub(super) fn run(options: &ValidateOptions) -> Result<Status> {
    let limited = Limited::new(&options.limits, last_words(options.output.format));
    let mut sources = SourceMap::new();
    let mut diagnostics = Diagnostics::new();
    let Some(ReadWitness { witness, warnings, .. }) = read(&options.witness, &mut sources, &mut diagnostics) else {
        return refuse(&diagnostics, &sources, &options.output);
    };
    if options.output.format == Format::Text {
        show_diagnostics(&warnings, &sources);
    }
    let given = options.question.request();
    let Some(request) = request_for(&witness, &given, &mut diagnostics) else {
        return refuse(&diagnostics, &sources, &options.output);
    };
    let Ready { subject, sources, diagnostics: read } = match load(&request, &limited, &options.output)? {
        Ok(ready) => ready,
        Err(status) => return Ok(status),
    };
    diagnostics.extend(read);
    let validation = validate(&witness, &request, &subject, &sources, &Settings::default(), &limited.budget);
    let is_violation = witness.entries.iter().any(|entry| matches!(entry.content, Content::ViolationSequence(_)));
    let producer = witness.entries.first().map(|entry| &entry.metadata.producer);
    let display = |formula| subject.formulas.display(formula).to_string();
    let told = Told {
        witness: if is_violation { "violation" } else { "correctness" },
        producer: producer.map(|producer| format!("{} {}", producer.name, producer.version)).unwrap_or_default(),
        properties: subject.properties.iter().map(|property| display(property.formula)).collect(),
        validation: &validation,
    };
    match options.output.format {
        Format::Text => {
            show_diagnostics(&diagnostics, &sources);
            output::print(&told.text())?;
        }
        Format::Json => output::print_json(&told)?,
    }
    Ok(match (validation.answer, is_violation) {
        (Finding::Confirmed, true) => Status::Violated,
        (Finding::Confirmed, false) => Status::Holds,
        (Finding::Rejected | Finding::Unknown, _) => Status::Indefinite,
    })
}

/// What is said where the watchdog ends the command.
fn last_words(format: Format) -> impl Fn(Exhausted) -> LastWords + Send + 'static {
    #[derive(Serialize)]
    struct NoAnswer {
        answer: Finding,
        reason: String,
    }
    move |why| {
        said(match format {
            Format::Text => format!("{}: {why}\n", Finding::Unknown.word()),
            Format::Json => json(&NoAnswer { answer: Finding::Unknown, reason: why.to_string() }),
        })
    }
}

fn read(path: &str, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<ReadWitness> {
    let text = host::read_text(path, diagnostics)?;
    let source = sources.add(path, text);
    witness::read(sources, source).map_err(|faults| diagnostics.extend(faults)).ok()
}

/// The answer as it is printed.
#[derive(Serialize)]
struct Told<'v> {
    witness: &'static str,
    producer: String,
    properties: Vec<String>,
    #[serde(flatten)]
    validation: &'v Validation,
}

impl Told<'_> {
    fn text(&self) -> String {
        let Validation { answer, reason, engine, inputs, notes } = self.validation;
        let mut text = format!("witness: {}, by {}\n", self.witness, self.producer);
        for property in &self.properties {
            text.push_str(&format!("property: {property}\n"));
        }
        if let Some(engine) = engine {
            text.push_str(&format!("engine: {engine}\n"));
        }
        text.push_str(&format!("\n{}: {reason}\n", answer.word()));
        for group in inputs.chunk_by(|one, other| one.0 == other.0) {
            let values: Vec<&str> = group.iter().take(MOST_INPUTS).map(|(_, value)| value.as_str()).collect();
            let more = if group.len() > MOST_INPUTS { " …" } else { "" };
            text.push_str(&format!("inputs of {}: {}{more}\n", group[0].0, values.join(" ")));
        }
        for note in notes {
            text.push_str(&format!("note: {note}\n"));
        }
        text
    }
}
