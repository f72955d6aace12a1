//! From files and formulas to a [`Subject`]: the order of the steps, and nothing of what they do.

use std::collections::BTreeMap;

use foundation::{Budget, Diagnostic, Diagnostics, Exhausted, SourceMap};
use host::{Preprocessor, Unit, WordSize};
use program::front_end::{FrontEnd, Options, Translated, UndefinedFunctions};
use program::semantics::Semantics;
use program::{DataModel, VariableId};

use crate::properties::{self, AsGiven, with_goals};
use crate::request::{Input, Properties, Request};
use crate::subject::Subject;

/// The result of [`load`].
#[derive(Clone, Debug)]
pub struct Loaded {
    /// All texts that were read, which the diagnostics and the subject's spans refer to.
    pub sources: SourceMap,
    /// What is wrong, and what the user should know.
    pub diagnostics: Diagnostics,
    /// The program and its properties; none where there was an error.
    pub subject: Option<Subject>,
    /// Why the files were not read to their end, where the budget ended first.
    pub stopped: Option<Exhausted>,
}

/// Reads a program and its properties. Errors on both sides are reported together.
pub fn load(request: &Request, budget: &Budget) -> Loaded {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let subject = load_into(request, budget, &mut sources, &mut diagnostics);
    let subject = subject.filter(|_| !diagnostics.has_errors());
    let stopped = subject.is_none().then(|| budget.check().err()).flatten();
    Loaded { sources, diagnostics, subject, stopped }
}

fn load_into(
    request: &Request,
    budget: &Budget,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Option<Subject> {
    let mut given = properties::read(request, sources, diagnostics);
    let front_end = request.front_end();
    let units = read_units(request, front_end, budget, sources, diagnostics);
    if request.properties == Properties::Annotations {
        for unit in &units {
            properties::read_annotations(unit.written, &mut given, sources, diagnostics);
        }
    }
    given.faulty = diagnostics.has_errors();
    if units.len() < request.files.len() {
        // A file is missing, and everything it declares would be reported as unknown.
        return None;
    }
    let texts: Vec<_> = units.iter().map(|unit| unit.text).collect();
    let options = Options {
        data_model: request.data_model,
        volatile_input: request.volatile_input,
        undefined_functions: match request.pure_undefined_functions {
            true => UndefinedFunctions::Pure,
            false => UndefinedFunctions::Havoc,
        },
        entry: request.entry.clone().or(given.entry.take()).unwrap_or_else(|| "main".to_owned()),
    };
    // Faults in a formula do not keep those in the program from being found.
    let mut said = Diagnostics::new();
    let translated = front_end.translate(&texts, sources, &options, &mut said);
    diagnostics.extend(said);
    let mut translated = translated?;
    let written: Vec<_> = units.iter().map(|unit| unit.written).collect();
    let atoms = properties::resolve_atoms(&given, &written, &mut *translated, sources, diagnostics)?;
    Some(assemble(request, given, translated, atoms))
}

fn read_units(
    request: &Request,
    front_end: &dyn FrontEnd,
    budget: &Budget,
    sources: &mut SourceMap,
    diagnostics: &mut Diagnostics,
) -> Vec<Unit> {
    let preprocessor = Preprocessor {
        include: request.include.clone(),
        define: request.define.clone(),
        word_size: match request.data_model {
            DataModel::Lp64 => WordSize::Bits64,
            DataModel::Ilp32 => WordSize::Bits32,
        },
        compiler: None,
    };
    host::check_folders(&request.include, diagnostics);
    let read = |(index, input): (usize, &Input)| match input {
        Input::File(path) if request.files[..index].contains(input) => {
            let message = format!("the file `{path}` is given twice");
            diagnostics.push(Diagnostic::error("file-given-twice", message).help("name each file of the program once"));
            None
        }
        Input::File(path) if path.ends_with(".prp") => {
            let message = format!("`{path}` is a property file, not a {} file", front_end.language());
            let help = format!("property files are given with `--spec {path}`");
            diagnostics.push(Diagnostic::error("property-file", message).help(help));
            None
        }
        Input::File(path) if front_end.is_preprocessed() => {
            host::load_unit(path, &preprocessor, sources, budget, diagnostics)
        }
        Input::File(path) => host::read_text(path, diagnostics).map(|text| {
            let text = sources.add(path.as_str(), text);
            Unit { text, written: text }
        }),
        Input::Text { name, text } => {
            let text = sources.add(name.as_str(), text.as_str());
            Some(Unit { text, written: text })
        }
    };
    request.files.iter().enumerate().filter_map(read).collect()
}

fn assemble(request: &Request, given: AsGiven, translated: Box<dyn Translated>, atoms: Vec<program::Atom>) -> Subject {
    let type_names = type_names(&*translated, &atoms);
    let usual_observation = translated.usual_observation();
    let program = translated.into_program();
    let AsGiven { mut formulas, properties, assumptions, .. } = given;
    let properties = with_goals(properties, &mut formulas, &assumptions);
    let semantics = Semantics {
        integers: request.integers,
        observe: request.observe.unwrap_or(usual_observation),
        undefined: request.undefined,
        malloc_may_fail: request.malloc_may_fail,
        atomicity: request.atomicity,
        ..Semantics::default()
    };
    Subject { program, formulas, properties, assumptions, atoms, type_names, semantics }
}

/// The types of all variables that atoms read, in the program's own words.
fn type_names(translated: &dyn Translated, atoms: &[program::Atom]) -> BTreeMap<VariableId, String> {
    let read = atoms.iter().flat_map(|atom| match atom {
        program::Atom::State { reads, .. } => reads.as_slice(),
        _ => &[],
    });
    read.filter_map(|&variable| Some((variable, translated.type_of(variable)?))).collect()
}
