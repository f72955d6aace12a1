//! Live variables: whose value may be read before it is overwritten (Aho, Lam, Sethi and Ullman, section 9.2.5).
//!
//! A variable that is dead at a location may be given any value there without a change of what follows: the same edges,
//! the same letters, the same end. Reads are those of guards, operands and addresses, and those of atoms wherever a state
//! may be observed, be it that an edge is completed or that the run stops on it. A location's set holds *after* the
//! state that was reached there has been observed: an engine that resets dead variables reads the letter first.
//!
//! Whole variables are looked at. An array or record is dead only where nothing reads any part of it before all of it is
//! overwritten. A variable whose address is taken is read by every read through a pointer. Where functions are called or
//! threads run, everything that they can see counts as read by them; only the other locals stay precise.

use foundation::Id;
use program::{EdgeId, LocationId, Op, Program, VariableId};

use crate::expressions::{Expressions, variables_read_by};
use crate::fixpoint::{Direction, Domain, Solution};
use crate::flow::Flow;
use crate::observed::Observations;
use crate::variable_set::VariableSet;

/// The live variables at every location.
#[derive(Clone, Debug)]
pub struct Liveness {
    live: Solution<VariableSet>,
    none: VariableSet,
}

impl Liveness {
    /// The live variables of a program under some observations.
    pub fn new(program: &Program, observations: &dyn Observations) -> Self {
        Self::with(program, &Flow::new(program), &Expressions::new(program), observations)
    }

    /// The same, where the graph and the facts about expressions are at hand.
    pub fn with(program: &Program, flow: &Flow, expressions: &Expressions, observations: &dyn Observations) -> Self {
        let live = Live::new(program, flow, expressions, observations);
        Self { live: Solution::new(program, flow, &live), none: VariableSet::new() }
    }

    /// The variables that are live at a location; none where control never comes.
    pub fn at(&self, location: LocationId) -> &VariableSet {
        self.live.at(location).unwrap_or(&self.none)
    }
}

/// The backward analysis. What an edge reads and overwrites is found once for each edge.
struct Live {
    edges: Vec<Effect>,
    /// What other threads may read at any time.
    always: VariableSet,
}

struct Effect {
    overwritten: Option<VariableId>,
    read: VariableSet,
}

impl Live {
    fn new(program: &Program, flow: &Flow, expressions: &Expressions, observations: &dyn Observations) -> Self {
        // What a callee, or code that runs after a return, may read of the variables that are not its own.
        let mut reachable: VariableSet =
            program.variables.iter().filter(|(_, variable)| variable.address_taken).map(|(id, _)| id).collect();
        let pointed_to = reachable.clone();
        reachable.extend(program.variables.ids().filter(|id| program.owner(*id).is_none()));
        let mut observed_anywhere = VariableSet::new();
        if !flow.is_flat() {
            for edge in program.edges.ids() {
                observed_anywhere.extend(observations.after(edge).iter().copied());
            }
            for location in program.locations.ids() {
                observed_anywhere.extend(observations.stopped(location).iter().copied());
            }
        }
        reachable.union_with(&observed_anywhere);
        let always = if program.has_threads() { reachable.clone() } else { VariableSet::new() };
        let effect = |edge: EdgeId| {
            let program::Edge { from, ref op, .. } = program.edges[edge];
            let mut read = VariableSet::new();
            if variables_read_by(program, op, &mut |variable| _ = read.insert(variable)) {
                read.union_with(&pointed_to);
            }
            if !expressions.is_total_op(program, op) {
                read.extend(observations.stopped(from).iter().copied());
            }
            let enters_or_leaves = matches!(op, Op::Call { .. } | Op::Return(_) | Op::ExitThread(_));
            if enters_or_leaves && !flow.is_flat() {
                read.union_with(&reachable);
            }
            let overwritten = match op {
                Op::Declare(variable) | Op::Discard(variable) => Some(*variable),
                op => op.written_as_a_whole(),
            };
            // A pointer may lead to the variable of another activation.
            let overwritten = overwritten.filter(|id| flow.is_flat() || !pointed_to.contains(*id));
            let overwritten = overwritten.filter(|id| !always.contains(*id));
            // What an observation after the edge reads is read unless the edge overwrites it.
            let after = observations.after(edge).iter().copied().filter(|id| Some(*id) != overwritten);
            read.extend(after);
            Effect { overwritten, read }
        };
        Self { edges: program.edges.ids().map(effect).collect(), always }
    }
}

impl Domain for Live {
    type Fact = VariableSet;

    const DIRECTION: Direction = Direction::Backward;

    fn boundary(&self, _: LocationId) -> Option<VariableSet> {
        Some(self.always.clone())
    }

    fn transfer(&self, edge: EdgeId, live: &VariableSet) -> Option<VariableSet> {
        let Effect { overwritten, read } = &self.edges[edge.index()];
        let mut before = live.clone();
        if let Some(variable) = overwritten {
            before.remove(*variable);
        }
        before.union_with(read);
        Some(before)
    }

    fn join(&self, into: &mut VariableSet, other: &VariableSet) -> bool {
        into.union_with(other)
    }
}
