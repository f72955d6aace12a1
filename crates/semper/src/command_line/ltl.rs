//! `semper ltl`: what a formula is, its automaton, automata from HOA files, and products with Kripke structures.

use std::time::Instant;

use anyhow::Result;
use automata::buchi::{Automaton, Guard};
use automata::ltl::Formulas;
use automata::translate::{Failure, Target};
use automata::{hoa, kripke, ltl};
use foundation::{Budget, Diagnostic, Diagnostics, Exhausted, SourceMap};
use host::LastWords;
use report::automaton::{AutomatonReport, ShownAutomaton, StateNames};
use semper::automata::{self, translate::converted};
use semper::kripke::NoProduct;
use semper::ltl::{Wanted, accepted_run, automaton_of, can_be_written, examine, reason, shown};
use serde::Serialize;

use super::limits::{Limited, complained, json, said};
use super::options::{AutomatonKind, Format, LtlFormat, LtlOptions, OutputOptions};
use super::{Status, output, refuse, show_diagnostics};

pub(super) fn run(options: &LtlOptions) -> Result<Status> {
    let Limited { budget, .. } = Limited::new(&options.limits, last_words(options.format));
    let mut reader = AutomatonInput::default();
    let start = Instant::now();
    let status = match &options.hoa {
        Some(path) => automata_of_file(path, options, &budget, &mut reader),
        None => formula(options, &budget, &mut reader),
    };
    options.messages().tell(|| format!("it took {:.3} s", start.elapsed().as_secs_f64()));
    status
}

/// What was read, and what is to be said of it.
#[derive(Default)]
struct AutomatonInput {
    sources: SourceMap,
    diagnostics: Diagnostics,
    formulas: Formulas,
}

impl AutomatonInput {
    /// Adds the diagnostics of what could not be read.
    fn accept<T>(&mut self, result: Result<T, Diagnostics>) -> Option<T> {
        result.map_err(|errors| self.diagnostics.extend(errors)).ok()
    }

    fn file(&mut self, path: &str) -> Option<foundation::SourceId> {
        let text = host::read_text(path, &mut self.diagnostics)?;
        Some(self.sources.add(path, text))
    }

    fn refuse(&self, options: &LtlOptions) -> Result<Status> {
        refuse(&self.diagnostics, &self.sources, &options.messages())
    }
}

fn formula(options: &LtlOptions, budget: &Budget, reader: &mut AutomatonInput) -> Result<Status> {
    let text = options.formula.as_deref().unwrap_or_default();
    let source = reader.sources.add("FORMULA", text);
    let read = ltl::parse(&reader.sources, source, &mut reader.formulas);
    let formula = reader.accept(read);
    let structure = structure(options, reader);
    let (Some(formula), Some(structure)) = (formula, structure) else { return reader.refuse(options) };
    let wanted = Wanted { negation: options.negate, target: options.target().unwrap_or_default() };
    let shows_formula = matches!(options.format, LtlFormat::Text | LtlFormat::Json) && structure.is_none();
    if shows_formula {
        let report = examine(&mut reader.formulas, formula, wanted, budget);
        match options.format {
            LtlFormat::Json => output::print_json(&report)?,
            _ => output::print(&report::formula::render(&report))?,
        }
        return Ok(if report.unknown.is_empty() { Status::Holds } else { Status::Indefinite });
    }
    let translation = match automaton_of(&mut reader.formulas, formula, wanted, budget) {
        Ok(translation) => translation,
        Err(failure) => return not_known(failure, options),
    };
    let name = shown(&reader.formulas, translation.simplified);
    let of_formula = NamedAutomaton { name: Some(name), automaton: translation.automaton, states: Vec::new() };
    show(vec![of_formula], structure.as_ref(), options, budget, reader)
}

fn automata_of_file(path: &str, options: &LtlOptions, budget: &Budget, reader: &mut AutomatonInput) -> Result<Status> {
    let stream = reader.file(path).and_then(|source| {
        let read = hoa::parse(&reader.sources, source, &mut reader.formulas);
        reader.accept(read)
    });
    let structure = structure(options, reader);
    let (Some(stream), Some(structure)) = (stream, structure) else { return reader.refuse(options) };
    if stream.automata.is_empty() {
        let fault = Diagnostic::error("no-automaton", format!("there is no automaton in `{path}`"));
        reader.diagnostics.push(fault.help("an automaton begins with `HOA: v1` and ends with `--END--`"));
        return reader.refuse(options);
    }
    reader.diagnostics.extend(stream.warnings);
    show_diagnostics(&reader.diagnostics, &reader.sources);
    let mut named = Vec::new();
    for read in stream.automata {
        let (automaton, states) = match options.target() {
            None => (read.automaton, read.state_names),
            Some(target) => match converted(&read.automaton, target, budget) {
                // Where nothing is converted, the states keep their names.
                Ok(automaton) if target == Target::Tgba => (automaton, read.state_names),
                Ok(automaton) => (automaton, Vec::new()),
                Err(failure) => return not_known(failure, options),
            },
        };
        named.push(NamedAutomaton { name: read.name, automaton, states });
    }
    show(named, structure.as_ref(), options, budget, reader)
}

/// The structure that the product is asked with, if any. Nothing at all where it could not be read.
fn structure(options: &LtlOptions, reader: &mut AutomatonInput) -> Option<Option<kripke::Kripke>> {
    let Some(path) = &options.product else { return Some(None) };
    let source = reader.file(path)?;
    let read = kripke::parse(&reader.sources, source);
    reader.accept(read).map(Some)
}

/// An automaton to be shown.
struct NamedAutomaton {
    name: Option<String>,
    automaton: Automaton<Guard>,
    /// The names of its states, where some have one.
    states: Vec<Option<String>>,
}

/// All automata as JSON.
#[derive(Serialize)]
struct Shelf {
    automata: Vec<AutomatonReport>,
}

/// Shows automata, or their products with a structure.
fn show(
    automata: Vec<NamedAutomaton>,
    structure: Option<&kripke::Kripke>,
    options: &LtlOptions,
    budget: &Budget,
    reader: &mut AutomatonInput,
) -> Result<Status> {
    let (mut texts, mut shelf) = (Vec::new(), Shelf { automata: Vec::new() });
    for named in automata {
        let NamedAutomaton { name, automaton, states } = named;
        let product =
            structure.map(|structure| semper::kripke::product(structure, &automaton, reader.formulas.atoms(), budget));
        let (automaton, products) = match product {
            None => (automaton, Vec::new()),
            Some(Ok((product, names))) => (product, names),
            Some(Err(NoProduct::Exhausted(exhausted))) => return not_known(exhausted.into(), options),
            Some(Err(NoProduct::Atoms(faults))) => {
                reader.diagnostics.extend(faults);
                return reader.refuse(options);
            }
        };
        let run = match accepted_run(&automaton, budget) {
            Ok(run) => run,
            Err(exhausted) => return not_known(exhausted.into(), options),
        };
        let names = match (products.is_empty(), states.iter().any(Option::is_some)) {
            (false, _) => StateNames::Unique(&products),
            (true, true) => StateNames::Beside(&states),
            (true, false) => StateNames::Numbers,
        };
        // In the picture of an automaton by itself, one of many accepted runs means little.
        let is_picture = matches!(options.format, LtlFormat::Dot | LtlFormat::Mermaid);
        let run = run.as_ref().filter(|_| structure.is_some() || !is_picture);
        let page = ShownAutomaton { automaton: &automaton, atoms: reader.formulas.atoms(), names, run };
        match options.format {
            LtlFormat::Text => texts.push(page.page(&title(options, name.as_deref()))),
            LtlFormat::Hoa if !can_be_written(&automaton) => return not_known(Failure::TooLarge, options),
            LtlFormat::Hoa => texts.push(hoa::write(&automaton, reader.formulas.atoms(), name.as_deref())),
            LtlFormat::Dot => texts.push(page.drawing().dot("automaton")),
            LtlFormat::Mermaid => texts.push(page.drawing().mermaid()),
            LtlFormat::Json => shelf.automata.push(page.report(name.as_deref())),
        }
    }
    match options.format {
        LtlFormat::Json => output::print_json(&shelf)?,
        LtlFormat::Hoa => output::print(&texts.concat())?,
        _ => output::print(&texts.join("\n"))?,
    }
    Ok(Status::Holds)
}

/// What is shown, in words.
fn title(options: &LtlOptions, name: Option<&str>) -> String {
    let automaton = match (name, options.formula.is_some()) {
        (None, _) => "an automaton".to_owned(),
        (Some(formula), true) => format!("the automaton of {formula}"),
        (Some(name), false) => format!("the automaton \"{name}\""),
    };
    match &options.product {
        Some(structure) => format!("product of {structure} with {automaton}"),
        None => automaton,
    }
}

/// There is no automaton, as JSON.
#[derive(Serialize)]
struct Unknown {
    unknown: String,
}

/// What is said where the watchdog ends the command.
fn last_words(format: LtlFormat) -> impl Fn(Exhausted) -> LastWords + Send + 'static {
    move |why| match format {
        LtlFormat::Json => said(json(&Unknown { unknown: why.to_string() })),
        _ => complained(why),
    }
}

/// Says that there is no automaton, and why.
fn not_known(failure: Failure, options: &LtlOptions) -> Result<Status> {
    let reason = reason(failure);
    match options.format {
        LtlFormat::Json => output::print_json(&Unknown { unknown: reason })?,
        _ => output::complain(&format!("semper: unknown ({reason})\n")),
    }
    Ok(Status::Indefinite)
}

impl LtlOptions {
    /// How messages are written. Where a picture or an automaton is asked for, standard output holds that or nothing.
    fn messages(&self) -> OutputOptions {
        let format = if self.format == LtlFormat::Json { Format::Json } else { Format::Text };
        OutputOptions { format, verbose: self.verbose }
    }

    fn target(&self) -> Option<Target> {
        self.automaton.map(|kind| match kind {
            AutomatonKind::Tgba => Target::Tgba,
            AutomatonKind::Buchi => Target::Buchi,
            AutomatonKind::StateBuchi => Target::StateBuchi,
        })
    }
}
