//! What must be true of the whole front end whatever the bytes, in one function that tests and fuzzers call: a text
//! gives diagnostics or a program; a program is well formed, can be printed, can be asked atomic propositions, and runs
//! under every kind of integers, finely interleaved or not, for both data models, without a panic.
//!
//! How long a check takes is for the caller to watch: nothing here looks at a clock.

mod well_formed;

use foundation::{Budget, Diagnostics, SourceId, SourceMap, Span};
use program::passes::interleave::interleave;
use program::semantics::{Atomicity, Integers, ObserveMode, RunLimits, SeededChoices, Semantics, run};
use program::{Atom, DataModel, Program, print};

use crate::{Options, Translation, translate};

/// What came of a text, for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TextOutcome {
    /// It was refused with diagnostics.
    Refused,
    /// A program came of it, which ran.
    Ran,
}

/// A run of the interpreter ends here at the latest.
const LIMITS: RunLimits = RunLimits { observations: 300, edges: 1_000 };

/// Takes any bytes for a C program and follows them as far as they lead. Form feeds divide the files of a program.
///
/// # Panics
///
/// Where the front end or the semantics breaks its promises.
pub fn check(bytes: &[u8]) -> TextOutcome {
    let text = String::from_utf8_lossy(bytes);
    let mut outcome = TextOutcome::Refused;
    for (data_model, volatile_input) in [(DataModel::Lp64, false), (DataModel::Ilp32, true)] {
        let mut sources = SourceMap::new();
        let mut diagnostics = Diagnostics::new();
        let units: Vec<SourceId> = text.split('\u{c}').map(|unit| sources.add("input.c", unit)).collect();
        let options = Options { data_model, volatile_input, ..Options::default() };
        let translation = translate(&units, &mut sources, &options, &mut diagnostics);
        assert_eq!(translation.is_none(), diagnostics.has_errors(), "a program comes of what has no error");
        check_diagnostics(&diagnostics, &sources);
        if let Some(translation) = translation {
            check_translation(translation, units[0], &mut sources);
            outcome = TextOutcome::Ran;
        }
    }
    outcome
}

fn check_diagnostics(diagnostics: &Diagnostics, sources: &SourceMap) {
    for diagnostic in diagnostics.iter() {
        // A message may quote a name, however long, but not unfold a type that is short to write.
        let quoted = diagnostic.primary.as_ref().map_or(0, |label| sources.text(label.span.source).len());
        assert!(diagnostic.message.len() < 10_000 + quoted, "`{}` says too much", diagnostic.code);
        for label in diagnostic.primary.iter().chain(&diagnostic.secondary) {
            let Span { source, start, end } = label.span;
            let inside = sources.text(source).get(start as usize..end as usize).is_some();
            assert!(inside, "{:?} lies in the text, between characters", label.span);
            sources.snippet(label.span);
        }
    }
}

fn check_translation(mut translation: Translation, source: SourceId, sources: &mut SourceMap) {
    well_formed::check(&translation.program);
    let atoms = atoms(&mut translation, source, sources);
    let program = &translation.program;
    well_formed::check(program);
    print_all(program, &atoms);
    let fine = interleave(program).program;
    well_formed::check(&fine);
    let machine = Semantics::default();
    let (observe, atomicity) = (ObserveMode::Change, Atomicity::Statement);
    let ideal = Semantics { integers: Integers::Ideal, observe, atomicity, malloc_may_fail: true, ..machine };
    for (program, semantics) in [(program, machine), (&fine, machine), (program, ideal)] {
        let mut choices = SeededChoices::new(program.edges.len() as u64);
        let run = run(program, semantics, &atoms, &mut choices, LIMITS, &Budget::unlimited());
        assert!(run.observations.iter().all(|observation| observation.truth.len() == atoms.len()));
    }
}

/// Reads atoms over the program: names of its variables, and pieces of its own text, most of which are none.
fn atoms(translation: &mut Translation, source: SourceId, sources: &mut SourceMap) -> Vec<Atom> {
    const MOST_TEXTS: usize = 8;
    let program = &translation.program;
    let mut texts: Vec<String> = Vec::new();
    for (id, variable) in program.variables.iter().take(200) {
        texts.push(match program.owner(id) {
            None => format!("{} > 0", variable.name),
            Some(function) => format!("{}::{} != 0", program.functions[function].name, variable.name),
        });
    }
    let text = sources.text(source);
    texts.extend(text.split([';', '{', '}', '\n']).map(str::trim).filter(|piece| !piece.is_empty()).map(str::to_owned));
    let step = texts.len().div_ceil(MOST_TEXTS).max(1);
    let mut atoms = Vec::new();
    for text in texts.into_iter().step_by(step) {
        let end = text.len() as u32;
        let source = sources.add("atom", text);
        let mut diagnostics = Diagnostics::new();
        let atom = translation.atom(Span { source, start: 0, end }, sources, &mut diagnostics);
        assert_eq!(atom.is_none(), diagnostics.has_errors(), "an atom comes of what has no error");
        check_diagnostics(&diagnostics, sources);
        atoms.extend(atom);
    }
    atoms
}

fn print_all(program: &Program, atoms: &[Atom]) {
    for function in program.functions.ids() {
        print::function_text(program, function);
    }
    for variable in program.variables.values() {
        print::type_text(&program.types, variable.ty);
    }
    for atom in atoms {
        if let Atom::State { value, .. } = atom {
            print::expr_text(program, *value);
        }
    }
}
