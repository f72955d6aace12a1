//! Where the runs of a program that has no execution are blocked.
//!
//! The program is changed, and the engine is asked whether it has an execution now: since there was none before, every
//! one that there is goes through the change. So two questions tell whether runs come to an assumption and none passes
//! it: whether there is an execution if the program ends there, and if it ends right behind.

use foundation::{Id, Span};
use program::semantics::UndefinedMode;
use program::{EdgeId, EndKind, LocationId, Observe, Op, Program};
use subject::Subject;

/// More assumptions than this are not looked at.
const MOST_ASSUMPTIONS: usize = 24;

/// What leaves a program without executions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Blocked {
    /// Runs come to each of these assumptions, and none passes it.
    Impassable(Vec<Span>),
    /// Without this assumption there would be executions. Some runs pass it, but sooner or later it blocks them.
    InTheEnd(Span),
    /// Runs come to undefined behaviour, which is assumed away.
    Undefined,
    /// That was not found out.
    Somewhere,
}

/// Whether a subject whose program was changed has an execution.
type Ask<'a> = dyn FnMut(&dyn Fn(&mut Program)) -> Option<bool> + 'a;

/// What leaves this subject without executions, which is known to have none. It is told whether a changed subject has
/// one; where that is not known, there is no answer.
pub(crate) fn find_blocked(subject: &Subject, mut has_execution: impl FnMut(&Subject) -> Option<bool>) -> Blocked {
    let assumptions = assumptions(&subject.program);
    let mut changed = subject.clone();
    let mut ask = |change: &dyn Fn(&mut Program)| {
        changed.program = subject.program.clone();
        change(&mut changed.program);
        has_execution(&changed)
    };
    let is_impassable = |edge: &EdgeId, ask: &mut Ask<'_>| {
        ask(&|program| end_behind(program, *edge)) == Some(false)
            && ask(&|program| end_instead(program, *edge)) == Some(true)
    };
    let span = |edge: EdgeId| subject.program.edges[edge].span;
    let impassable: Vec<Span> =
        assumptions.iter().filter(|edge| is_impassable(edge, &mut ask)).map(|edge| span(*edge)).collect();
    if !impassable.is_empty() {
        return Blocked::Impassable(impassable);
    }
    let decisive = |edge: &&EdgeId| ask(&|program| program.edges[**edge].op = Op::Skip) == Some(true);
    if let Some(edge) = assumptions.iter().find(decisive) {
        return Blocked::InTheEnd(span(*edge));
    }
    if subject.semantics.undefined == UndefinedMode::Assume {
        changed.program = subject.program.clone();
        changed.semantics.undefined = UndefinedMode::Error;
        if has_execution(&changed) == Some(true) {
            return Blocked::Undefined;
        }
    }
    Blocked::Somewhere
}

/// The edges that are taken on a condition and have no alternative, in the order of the source text.
fn assumptions(program: &Program) -> Vec<EdgeId> {
    let is_assumption = |edge: &EdgeId| {
        let location = &program.locations[program.edges[*edge].from];
        matches!(program.edges[*edge].op, Op::Assume(_))
            && location.out.len() == 1
            && !program.functions[location.function].library
    };
    let mut found: Vec<EdgeId> = program.edges.ids().filter(is_assumption).collect();
    found.sort_by_key(|edge| (program.edges[*edge].span, edge.index()));
    found.truncate(MOST_ASSUMPTIONS);
    found
}

/// Ends the program where this edge begins.
fn end_instead(program: &mut Program, edge: EdgeId) {
    let end = after_everything(program, edge);
    let edge = &mut program.edges[edge];
    (edge.op, edge.to) = (Op::End(EndKind::Exit), end);
}

/// Ends the program once this edge was taken.
fn end_behind(program: &mut Program, edge: EdgeId) {
    let end = after_everything(program, edge);
    let behind = program.add_location(program.locations[end].function);
    program.edges[edge].to = behind;
    let span = program.edges[edge].span;
    program.add_edge(behind, end, Op::End(EndKind::Exit), span, Observe::No);
}

/// A new location that is never left, in the function of this edge.
fn after_everything(program: &mut Program, edge: EdgeId) -> LocationId {
    let function = program.locations[program.edges[edge].from].function;
    program.add_location(function)
}
