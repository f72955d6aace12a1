//! Definite assignment: which variables are written before they are read on every path, and which reads may find what
//! was never written (the analysis of the Java Language Specification, chapter 16, on automata).
//!
//! Looked at are locals, temporaries, the entry function's parameters, and globals that are defined elsewhere; all other
//! globals are initialised. Writing a part of a variable does not initialise it. What an observation reads counts as
//! read. The contents of the heap are not looked at: they may always be unwritten.

use foundation::collections::HashSet;
use program::{
    EdgeId, Initial, LocationId, Op, Operand, Program, Root, Scalar, Type, TypeId, VariableId, VariableKind,
};

use crate::assignments::Calls;
use crate::expressions::{Expressions, variables_read_by};
use crate::fixpoint::{Direction, Domain, Solution};
use crate::flow::Flow;
use crate::liveness::Liveness;
use crate::observed::Observations;
use crate::variable_set::VariableSet;

/// Which reads may find a variable that was never written.
#[derive(Clone, Debug)]
pub struct Initialised {
    reads: Vec<UnassignedRead>,
    uncertain: VariableSet,
}

/// A read of a variable that may not have been written.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct UnassignedRead {
    /// The edge that reads it, or after which an atom does.
    pub edge: EdgeId,
    /// The variable.
    pub variable: VariableId,
}

impl Initialised {
    /// Looks for such reads in a program under some observations; the live variables must be those under the same ones.
    pub fn new(program: &Program, observations: &dyn Observations, liveness: &Liveness) -> Self {
        Self::with(program, &Flow::new(program), &Expressions::new(program), observations, liveness)
    }

    /// The same, where the graph and the facts about expressions are at hand.
    pub fn with(
        program: &Program,
        flow: &Flow,
        expressions: &Expressions,
        observations: &dyn Observations,
        liveness: &Liveness,
    ) -> Self {
        let calls = Calls::new(program);
        let always = blurred(program, flow, &calls);
        let unassigned = Unassigned { program, liveness, calls, always };
        let solution = Solution::new(program, flow, &unassigned);
        let pointed_to: VariableSet =
            program.variables.iter().filter(|(_, variable)| variable.address_taken).map(|(id, _)| id).collect();
        let mut reads = Vec::new();
        let note = |edge: EdgeId, read: &VariableSet, facts: &VariableSet, reads: &mut Vec<UnassignedRead>| {
            let mut found = facts.clone();
            found.union_with(&unassigned.always);
            found.intersect_with(read);
            reads.extend(found.iter().map(|variable| UnassignedRead { edge, variable }));
        };
        for &location in flow.order() {
            let Some(before) = solution.at(location) else { continue };
            for &edge in &program.locations[location].out {
                let op = &program.edges[edge].op;
                let mut read = VariableSet::new();
                if variables_read_by(program, op, &mut |variable| _ = read.insert(variable)) {
                    read.union_with(&pointed_to);
                }
                if !expressions.is_total_op(program, op) {
                    read.extend(observations.stopped(location).iter().copied());
                }
                note(edge, &read, before, &mut reads);
                let after = observations.after(edge).iter().copied().collect();
                note(edge, &after, &unassigned.step(edge, before), &mut reads);
            }
        }
        reads.sort_unstable();
        reads.dedup();
        let mut uncertain: VariableSet = reads.iter().map(|read| read.variable).collect();
        // The state at the entry is observed as well, before any edge, and where changes are observed that at the entry
        // of every function.
        for entry in program.functions.values().filter_map(|function| function.entry) {
            let mut at_start = unassigned.begins(entry);
            at_start.intersect_with(&observations.stopped(entry).iter().copied().collect());
            uncertain.union_with(&at_start);
        }
        Self { reads, uncertain }
    }

    /// Whether every read of a variable finds what the program wrote.
    pub fn is_definite(&self, variable: VariableId) -> bool {
        !self.uncertain.contains(variable)
    }

    /// The variables of which some read may find what was never written.
    pub fn uncertain(&self) -> &VariableSet {
        &self.uncertain
    }

    /// The reads that may find what was never written, by edge.
    pub fn reads(&self) -> &[UnassignedRead] {
        &self.reads
    }
}

/// The forward analysis: the variables that may be unwritten, as far as they are live.
struct Unassigned<'a> {
    program: &'a Program,
    liveness: &'a Liveness,
    calls: Calls,
    /// Variables that may be unwritten at any time.
    always: VariableSet,
}

impl Unassigned<'_> {
    /// What is unwritten at the entry of a function.
    fn begins(&self, location: LocationId) -> VariableSet {
        let function = self.program.locations[location].function;
        let mut unwritten: VariableSet = self.program.functions[function].locals.iter().copied().collect();
        if self.program.entry == Some(function) {
            unwritten.extend(self.program.functions[function].parameters.iter().copied());
            unwritten.extend(self.program.variables.ids().filter(|id| is_defined_elsewhere(self.program, *id)));
        }
        unwritten
    }

    /// What is unwritten after an edge.
    fn step(&self, edge: EdgeId, before: &VariableSet) -> VariableSet {
        let op = &self.program.edges[edge].op;
        let mut after = before.clone();
        match op {
            Op::Declare(variable) => _ = after.insert(*variable),
            Op::Join { result, .. } => _ = after.insert(*result),
            Op::Call { callee, result: Some(result), .. } if self.calls.may_return_nothing(callee) => {
                after.insert(*result);
            }
            op => {
                if let Some(variable) = op.written_as_a_whole() {
                    after.remove(variable);
                }
            }
        }
        after
    }
}

impl Domain for Unassigned<'_> {
    type Fact = VariableSet;

    const DIRECTION: Direction = Direction::Forward;

    fn boundary(&self, location: LocationId) -> Option<VariableSet> {
        let function = self.program.locations[location].function;
        if self.program.functions[function].entry != Some(location) {
            return None;
        }
        let mut unwritten = self.begins(location);
        unwritten.intersect_with(self.liveness.at(location));
        Some(unwritten)
    }

    fn transfer(&self, edge: EdgeId, before: &VariableSet) -> Option<VariableSet> {
        let mut after = self.step(edge, before);
        after.intersect_with(self.liveness.at(self.program.edges[edge].to));
        Some(after)
    }

    fn join(&self, into: &mut VariableSet, other: &VariableSet) -> bool {
        into.union_with(other)
    }
}

fn is_defined_elsewhere(program: &Program, variable: VariableId) -> bool {
    matches!(&program.variables[variable].kind, VariableKind::Global { initial: Initial::Arbitrary, .. })
}

/// The variables that may hold unwritten parts at any time, because writes through pointers can put them there: copies
/// of structures carry their padding, which nobody ever wrote, wherever they go.
fn blurred(program: &Program, flow: &Flow, calls: &Calls) -> VariableSet {
    let through_pointer = |op: &Op| match op {
        Op::Assign { target, .. } | Op::Input { target, .. } => match target.root {
            Root::Pointer { .. } => Some(program.types.as_scalar(target.ty)),
            Root::Variable(_) => None,
        },
        Op::CopyBytes { .. } | Op::Havoc { .. } => Some(None),
        Op::SetBytes { .. } => Some(Some(Scalar::Bool)),
        _ => None,
    };
    let writes: Vec<Option<Scalar>> = program.edges.values().filter_map(|edge| through_pointer(&edge.op)).collect();
    let copies = writes.contains(&None)
        || program.edges.values().any(|edge| matches!(edge.op, Op::Assign { value: Operand::Aggregate(_), .. }));
    let pieces = writes.iter().any(|scalar| *scalar != Some(Scalar::Pointer));
    let may_be = |(id, variable): (VariableId, &program::Variable)| {
        let literal = matches!(variable.kind, VariableKind::Literal { .. });
        let taken = variable.address_taken && !literal;
        let blurred = taken && (writes.contains(&None) || copies && has_part(program, variable.ty, &is_record));
        // Of a pointer whose object is gone only whole copies mean anything.
        let cut = taken && pieces && has_part(program, variable.ty, &is_pointer);
        // A callee may read it before its owner writes it, and the other way round.
        let own = program.owner(id).is_some() || is_defined_elsewhere(program, id);
        let shared = !flow.is_flat() && own && (variable.address_taken || program.owner(id).is_none()) && !literal;
        (blurred || cut || shared).then_some(id)
    };
    let mut found: VariableSet = program.variables.iter().filter_map(may_be).collect();
    // Others may read what a function without a result leaves unwritten.
    for edge in program.edges.values() {
        let forgotten = match &edge.op {
            Op::Call { callee, result: Some(result), .. } if calls.may_return_nothing(callee) => *result,
            Op::Join { result, .. } => *result,
            _ => continue,
        };
        if program.owner(forgotten).is_none() || program.variables[forgotten].address_taken {
            found.insert(forgotten);
        }
    }
    found
}

fn is_record(ty: &Type) -> bool {
    matches!(ty, Type::Record(_))
}

fn is_pointer(ty: &Type) -> bool {
    matches!(ty, Type::Scalar(Scalar::Pointer))
}

/// Whether a type or one of its parts is of some kind.
fn has_part(program: &Program, ty: TypeId, wanted: &dyn Fn(&Type) -> bool) -> bool {
    let mut open = vec![ty];
    let mut seen = HashSet::default();
    while let Some(ty) = open.pop() {
        if !seen.insert(ty) {
            continue;
        }
        let ty = program.types.get(ty);
        if wanted(ty) {
            return true;
        }
        match ty {
            Type::Array { element, .. } => open.push(*element),
            Type::Record(record) => open.extend(record.fields.iter().map(|field| field.ty)),
            Type::Scalar(_) | Type::Opaque => {}
        }
    }
    false
}
