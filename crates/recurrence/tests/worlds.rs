//! Tasks from C texts and formulas.

use std::sync::Arc;

use automata::ltl::{self, Formulas};
use c_frontend::Options;
use foundation::{Diagnostics, SourceMap, Span};
use program::passes::interleave::interleave;
use program::semantics::{Atomicity, Semantics};
use task::{Scheduler, Task};

/// A task: all executions of a C program satisfy a formula over atoms in quotes and built-in ones.
pub fn task_under(c: &str, formula: &str, semantics: Semantics) -> Task {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let unit = sources.add("test.c", c);
    let translation = c_frontend::translate(&[unit], &mut sources, &Options::default(), &mut diagnostics);
    let mut translation = translation.unwrap_or_else(|| panic!("{c}\n{:?}", diagnostics.iter().collect::<Vec<_>>()));
    let mut formulas = Formulas::new();
    let source = sources.add("formula", formula);
    let goal = ltl::parse(&sources, source, &mut formulas).unwrap_or_else(|errors| panic!("{formula}: {errors:?}"));
    let mut atoms = Vec::new();
    for (_, atom) in formulas.atoms().iter() {
        atoms.push(match atom {
            ltl::Atom::Builtin(ltl::Builtin::End) => program::Atom::End,
            ltl::Atom::Builtin(ltl::Builtin::Error) => program::Atom::Error,
            ltl::Atom::Builtin(ltl::Builtin::Deadlock) => program::Atom::Deadlock,
            ltl::Atom::Builtin(ltl::Builtin::Overflow) => program::Atom::Overflow,
            ltl::Atom::Builtin(ltl::Builtin::Call(name)) => {
                program::Atom::Call(translation.program.function_named(name).unwrap())
            }
            ltl::Atom::Quoted(text) | ltl::Atom::Bare(text) => {
                let source = sources.add("atom", text.as_str());
                let span = Span { source, start: 0, end: text.len() as u32 };
                translation.atom(span, &mut sources, &mut diagnostics).unwrap_or_else(|| panic!("{text}"))
            }
        });
    }
    let program = translation.program;
    let split = program.has_threads() && semantics.atomicity == Atomicity::Access;
    let program = if split { interleave(&program).program } else { program };
    let scheduler = Scheduler::Any;
    Task {
        program: Arc::new(program),
        atoms: atoms.into(),
        formulas,
        goal: task::Goal::Linear(goal),
        semantics,
        scheduler,
    }
}
