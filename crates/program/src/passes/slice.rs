//! Slicing: assignments that nothing relevant reads become [`Op::Skip`].
//!
//! Relevant is what guards, addresses and indices read, what everything reads that can stop a run or ask a question,
//! what atoms read, and what assignments to relevant variables read (Weiser, "Program slicing", TSE 1984). Control flow
//! stays as it is, so that a loop that does not end stays one, and so do observations: only what an edge writes goes.
//! Inputs are never removed: the answers to them are the way back of a counterexample.
//!
//! An assignment can be left out only where evaluating its right side always comes to an end and asks nothing.

use std::collections::BTreeSet;

use foundation::Id;
use foundation::collections::HashMap;

use super::facts::Facts;
use super::flow::facts_at;
use super::fold::Folder;
use super::prepared::Prepared;
use super::uses::Uses;
use crate::cfa::{EdgeId, Op, Operand};
use crate::expr::Root;
use crate::model::{VariableId, VariableKind};
use crate::semantics::ObserveMode;

/// Leaves out what is not relevant.
pub fn slice(mut prepared: Prepared) -> Prepared {
    if prepared.shows_all_writes() {
        return prepared;
    }
    let removable = removable_assignments(&mut prepared);
    let relevant = relevant_variables(&prepared, &removable);
    let is_removed = |variable: VariableId| !relevant.contains(&variable);
    for &(edge, _) in removable.iter().filter(|(_, target)| is_removed(*target)) {
        prepared.program.edges[edge].op = Op::Skip;
    }
    for edge in prepared.program.edges.ids() {
        if let Op::Declare(variable) | Op::Discard(variable) = prepared.program.edges[edge].op
            && is_removed(variable)
            && !prepared.program.variables[variable].address_taken
        {
            prepared.program.edges[edge].op = Op::Skip;
        }
    }
    let used = prepared.used_variables();
    let root = prepared.root();
    prepared.program.functions[root].locals.retain(|variable| used.contains(variable));
    prepared.refresh_address_taken();
    prepared
}

/// The assignments to variables that could be left out, with those variables.
fn removable_assignments(prepared: &mut Prepared) -> Vec<(EdgeId, VariableId)> {
    let start = prepared.start();
    let locations = std::mem::take(&mut prepared.program.locations);
    let edges = std::mem::take(&mut prepared.program.edges);
    let mut folder = Folder::new(&mut prepared.program, prepared.semantics.integers, prepared.keep_overflow);
    let facts_at = facts_at(&mut folder, &locations, &edges, start);
    let mut removable = Vec::new();
    for (edge, contents) in edges.iter() {
        let Some(facts) = &facts_at[contents.from] else { continue };
        folder.turn_to_other_facts();
        if let Some(variable) = removable_target(&mut folder, &contents.op, facts) {
            removable.push((edge, variable));
        }
    }
    prepared.program.locations = locations;
    prepared.program.edges = edges;
    removable
}

/// The variable that an operation assigns to and does nothing else.
fn removable_target(folder: &mut Folder<'_>, op: &Op, facts: &Facts) -> Option<VariableId> {
    let Op::Assign { target, value } = op else { return None };
    let Root::Variable(variable) = target.root else { return None };
    let is_literal = matches!(folder.program.variables[variable].kind, VariableKind::Literal { .. });
    let is_quiet = match value {
        Operand::Scalar(value) => folder.is_quiet(*value, facts),
        Operand::Aggregate(source) => folder.reads_quietly(source, facts),
    };
    (is_quiet && !is_literal && folder.is_inside(target, facts)).then_some(variable)
}

/// The variables that something relevant reads.
fn relevant_variables(prepared: &Prepared, removable: &[(EdgeId, VariableId)]) -> BTreeSet<VariableId> {
    let mut assigned_by: HashMap<VariableId, Vec<EdgeId>> = HashMap::default();
    let mut is_removable = vec![false; prepared.program.edges.len()];
    for &(edge, variable) in removable {
        assigned_by.entry(variable).or_default().push(edge);
        is_removable[edge.index()] = true;
    }
    let mut uses = Uses::new(&prepared.program);
    for (edge, contents) in prepared.program.edges.iter() {
        if !is_removable[edge.index()] {
            uses.op(&contents.op);
        }
    }
    for expr in prepared.atoms.expressions() {
        uses.expr(expr);
    }
    if prepared.semantics.observe == ObserveMode::Change {
        // That such a variable is written can be seen, whatever it holds.
        uses.read.extend(prepared.atoms.named_variables());
    }
    let pointed_to: Vec<VariableId> =
        prepared.program.variables.iter().filter(|(_, variable)| variable.address_taken).map(|(id, _)| id).collect();
    let mut relevant = BTreeSet::new();
    loop {
        let memory = pointed_to.iter().filter(|_| uses.memory_read);
        let read = uses.read.iter().chain(memory).copied();
        let new: Vec<VariableId> = read.filter(|variable| relevant.insert(*variable)).collect();
        if new.is_empty() {
            return relevant;
        }
        for edge in new.iter().filter_map(|variable| assigned_by.get(variable)).flatten() {
            uses.op(&prepared.program.edges[*edge].op);
        }
    }
}
