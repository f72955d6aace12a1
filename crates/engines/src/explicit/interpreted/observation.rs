//! What must be remembered besides the interpreter's state: what the observer has in mind, who ran last, and the last
//! letter shown. Each is part of a configuration only where it can make a difference.

use foundation::Id;
use foundation::collections::HashSet;
use program::semantics::event::Event;
use program::semantics::interpreter::Interpreter;
use program::semantics::observe::{Attention, Observer};
use program::semantics::{ObserveMode, Semantics};
use program::{Atom, EdgeId, LocationId, Observe, Op, Program};

/// Which memories make a difference.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Remembered {
    /// What the observer has in mind: what was written since an observation, whether something overflowed.
    pub attention: bool,
    /// The thread that ran last, since atoms look at its locals first.
    pub running: bool,
    /// The last letter shown, which is shown again where nothing is observed.
    pub letter: bool,
}

impl Remembered {
    /// What makes a difference for a program and its atoms.
    pub fn new(program: &Program, semantics: Semantics, atoms: &[Atom], stutter_invariant: bool) -> Self {
        let looks_at_locals = |atom: &Atom| matches!(atom, Atom::State { active, .. } if !active.is_empty());
        Self {
            attention: semantics.observe == ObserveMode::Change || atoms.contains(&Atom::Overflow),
            running: program.has_threads() && atoms.iter().any(looks_at_locals),
            letter: stutter_invariant || may_be_silent(program, semantics),
        }
    }
}

/// What an observer has in mind that has just observed everything there is: right where nothing of it matters.
pub(super) fn fresh_attention(interpreter: &mut Interpreter<'_>) -> Attention {
    let mut observer = Observer::new(ObserveMode::Statement, &[]);
    let mut entered = Vec::new();
    for (thread, contents) in (0..).zip(&interpreter.state.threads) {
        entered.extend(contents.frames.iter().map(|frame| Event::Entered { function: frame.function, thread }));
    }
    // A thread that has ended has a place, too, so that those after it keep theirs.
    let sights = observer.follow(interpreter, &entered);
    debug_assert_eq!(sights, Ok(Vec::new()), "without atoms nothing is observed on entry");
    observer.attention
}

/// Whether a run may go on for ever without an observation: along a cycle of edges that show nothing, or by staying
/// where no edge leaves.
fn may_be_silent(program: &Program, semantics: Semantics) -> bool {
    let shows = |edge: EdgeId| {
        let edge = &program.edges[edge];
        let is_library = program.functions[program.locations[edge.from].function].library;
        !is_library
            && match semantics.observe {
                ObserveMode::Statement => edge.observe != Observe::No,
                ObserveMode::Step => edge.observe == Observe::Step,
                ObserveMode::Change => false,
            }
    };
    let leaves = |op: &Op| matches!(op, Op::Return(_) | Op::End(_) | Op::ExitThread(_) | Op::Unreachable);
    let stays = program.edges.values().any(|edge| !leaves(&edge.op) && program.locations[edge.to].out.is_empty());
    stays || has_cycle(program, |edge| !shows(edge) && !leaves(&program.edges[edge].op))
}

/// Whether some of the edges form a cycle.
fn has_cycle(program: &Program, counts: impl Fn(EdgeId) -> bool) -> bool {
    let mut done = HashSet::default();
    for start in program.locations.ids() {
        let mut path: Vec<(LocationId, usize)> = vec![(start, 0)];
        let mut on_path = HashSet::from_iter([start]);
        if done.contains(&start.index()) {
            continue;
        }
        while let Some((location, next)) = path.last_mut() {
            let Some(&edge) = program.locations[*location].out.get(*next) else {
                done.insert(location.index());
                on_path.remove(location);
                path.pop();
                continue;
            };
            *next += 1;
            let to = program.edges[edge].to;
            if !counts(edge) || done.contains(&to.index()) {
                continue;
            }
            if !on_path.insert(to) {
                return true;
            }
            path.push((to, 0));
        }
    }
    false
}
