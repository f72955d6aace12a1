//! The interpreted space against a plain exploration of all that the interpreter can do, edge by edge.

mod plain;
mod programs;
mod random;
mod replay;

use std::sync::Arc;

use automata::ltl::{self, Atom, Builtin, Formulas};
use foundation::{Budget, Diagnostics, SourceMap, Span};
use program::passes::interleave::interleave;
use program::semantics::{Answer, Atomicity, Question, Semantics, Value};
use program::{EdgeId, Program};
use task::{Negation, Reason, Scheduler, Task};

use super::super::product::{Product, tag_bits};
use super::super::search::{Emptiness, search};
use super::super::space::Space;
use super::super::strong::search_strongly_fair;
use super::InterpretedSpace;

/// What programs with threads declare.
pub const PTHREADS: &str = "\
typedef unsigned long pthread_t;
typedef struct { int held; } pthread_mutex_t;
int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);
int pthread_join(pthread_t, void **);
int pthread_mutex_lock(pthread_mutex_t *);
int pthread_mutex_unlock(pthread_mutex_t *);
int pthread_mutex_trylock(pthread_mutex_t *);
void __VERIFIER_atomic_begin(void);
void __VERIFIER_atomic_end(void);
void __VERIFIER_assume(int);
_Bool __VERIFIER_nondet_bool(void);
unsigned char __VERIFIER_nondet_uchar(void);
";

/// One task per formula, all over the same atoms.
pub fn tasks(text: &str, formulas: &[&str], semantics: Semantics, scheduler: Scheduler) -> Vec<Task> {
    let mut sources = SourceMap::new();
    let mut interned = Formulas::new();
    let goals: Vec<_> = formulas
        .iter()
        .map(|formula| {
            let source = sources.add("formula", *formula);
            ltl::parse(&sources, source, &mut interned).unwrap_or_else(|_| panic!("{formula}"))
        })
        .collect();
    let mut diagnostics = Diagnostics::new();
    let unit = sources.add("test.c", format!("{PTHREADS}{text}"));
    let translated = c_frontend::translate(&[unit], &mut sources, &c_frontend::Options::default(), &mut diagnostics);
    let mut translation = translated.unwrap_or_else(|| panic!("{diagnostics:?}\n{text}"));
    let ids: Vec<_> = interned.atoms().iter().map(|(id, _)| id).collect();
    let mut atoms = Vec::new();
    for id in ids {
        let atom = interned.atoms().get(id).clone();
        atoms.push(match atom.expression() {
            Some(expression) => {
                let source = sources.add("atom", expression);
                let span = Span { source, start: 0, end: expression.len() as u32 };
                translation.atom(span, &mut sources, &mut diagnostics).unwrap_or_else(|| panic!("{diagnostics:?}"))
            }
            None => builtin(&atom, &translation.program),
        });
    }
    let mut program = translation.program;
    if program.has_threads() && semantics.atomicity == Atomicity::Access {
        program = interleave(&program).program;
    }
    let (program, atoms): (_, Arc<[program::Atom]>) = (Arc::new(program), atoms.into());
    let task = |goal| Task {
        program: Arc::clone(&program),
        atoms: Arc::clone(&atoms),
        formulas: interned.clone(),
        goal: task::Goal::Linear(goal),
        semantics,
        scheduler,
    };
    goals.into_iter().map(task).collect()
}

fn builtin(atom: &Atom, program: &Program) -> program::Atom {
    match atom {
        Atom::Builtin(Builtin::Call(name)) => program::Atom::Call(program.function_named(name).unwrap()),
        Atom::Builtin(Builtin::Overflow) => program::Atom::Overflow,
        Atom::Builtin(Builtin::End) => program::Atom::End,
        Atom::Builtin(Builtin::Error) => program::Atom::Error,
        Atom::Builtin(Builtin::Deadlock) => program::Atom::Deadlock,
        Atom::Quoted(_) | Atom::Bare(_) => unreachable!("these have an expression"),
    }
}

pub fn negation(task: &Task) -> Negation {
    Negation::new(task, &Budget::unlimited()).unwrap()
}

/// What inputs are: numbers are 0 or 1.
pub fn domains(_: &Question, _: Option<EdgeId>) -> Result<Vec<Answer>, Reason> {
    Ok([0, 1].map(|value| Answer::Value(Value::int(value))).into())
}

pub fn space(task: &Task, negation: &Negation) -> InterpretedSpace {
    InterpretedSpace::new(task, negation, tag_bits(negation), domains, &Budget::unlimited()).unwrap()
}

/// Whether a goal holds, by the search over a space; the space is given back.
pub fn holds<S: Space>(space: S, task: &Task, negation: &Negation) -> (Result<bool, Reason>, S) {
    let mut product = Product::new(space, negation, task.scheduler);
    let found = match task.scheduler {
        Scheduler::StrongFair => search_strongly_fair(&mut product, &Budget::unlimited()).found,
        _ => search(&mut product, &Budget::unlimited()).found,
    };
    let verdict = match found {
        Emptiness::Nothing => Ok(true),
        Emptiness::Component { .. } | Emptiness::End { .. } => Ok(false),
        Emptiness::Unknown(reason) => Err(reason),
    };
    (verdict, product.space)
}
