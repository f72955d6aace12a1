//! What is known of variables at every location: conditional constant propagation (Wegman and Zadeck, "Constant
//! propagation with conditional branches", TOPLAS 1991) together with definite initialisation.
//!
//! Globals begin with their initial values, everything else begins unknown. Conditions count twice: an edge whose
//! condition is false is not followed, and behind `x == 5` the variable is 5. Facts are kept of scalars that only their
//! name reaches; calls that remain are of functions without a body, which change nothing but their result.

use std::collections::BTreeSet;

use foundation::{Arena, Id};
use num_bigint::BigInt;

use super::facts::{Fact, Facts};
use super::fold::{Folded, Folder};
use crate::cfa::{Edge, EdgeId, Location, LocationId, Op, Operand};
use crate::expr::{CompareOp, Constant, ExprId, ExprKind};
use crate::model::VariableId;
use crate::semantics::arithmetic::fits;
use crate::types::Scalar;

/// What is known at each location; nothing at all where control never comes.
pub(super) type FactsAt = Arena<LocationId, Option<Facts>>;

/// Finds what is known at the locations of a program, whose locations and edges were taken out of the folder's.
pub(super) fn facts_at(
    folder: &mut Folder<'_>,
    locations: &Arena<LocationId, Location>,
    edges: &Arena<EdgeId, Edge>,
    start: LocationId,
) -> FactsAt {
    let order = reverse_postorder(locations, edges, start);
    let mut position = vec![usize::MAX; locations.len()];
    for (index, location) in order.iter().enumerate() {
        position[location.index()] = index;
    }
    let mut found: FactsAt = locations.ids().map(|_| None).collect();
    found[start] = Some(at_the_start(folder));
    let mut open = BTreeSet::from([position[start.index()]]);
    while let Some(next) = open.pop_first() {
        let location = order[next];
        let facts = found[location].clone().expect("control comes to what is open");
        for &edge in &locations[location].out {
            folder.turn_to_other_facts();
            let edge = &edges[edge];
            let Some(after) = after(folder, &edge.op, &facts) else { continue };
            let joined = match &found[edge.to] {
                None => after,
                Some(known) => known.join(&after),
            };
            if found[edge.to].as_ref().is_none_or(|known| !joined.is(known)) {
                found[edge.to] = Some(joined);
                open.insert(position[edge.to.index()]);
            }
        }
    }
    found
}

/// What is known after an operation; nothing at all where it does not come to an end, or ends the program.
pub(super) fn after(folder: &mut Folder<'_>, op: &Op, before: &Facts) -> Option<Facts> {
    let mut facts = before.clone();
    if op.expressions().into_iter().any(|expr| folder.value(expr, before) == Folded::Stops) {
        return None;
    }
    match op {
        Op::Assume(condition) => {
            if let Some(constant) = folder.constant(*condition, before)
                && folder.truth(constant) == Some(false)
            {
                return None;
            }
            learn(folder, *condition, true, before, &mut facts);
        }
        Op::Assign { target, value } => {
            if let (Some(variable), Operand::Scalar(value)) = (target.as_variable(), value) {
                let constant = folder.constant(*value, before);
                assign(folder, variable, constant, &mut facts);
            }
        }
        // A thread that returned nothing leaves its result open.
        Op::Join { result: variable, .. } | Op::Declare(variable) => facts.forget(*variable),
        Op::Discard(variable) => {
            facts.forget(*variable);
            if folder.program.variables[*variable].address_taken {
                dangle(folder, *variable, &mut facts);
            }
        }
        Op::Return(_) | Op::End(_) | Op::Unreachable | Op::ExitThread(_) => return None,
        Op::Spawn { .. } => unreachable!("programs with threads are not prepared"),
        op => {
            if let Some(variable) = op.written_as_a_whole() {
                assign(folder, variable, None, &mut facts);
            }
        }
    }
    Some(facts)
}

fn at_the_start(folder: &mut Folder<'_>) -> Facts {
    let mut facts = Facts::default();
    for variable in folder.program.variables.ids() {
        if folder.is_tracked(variable)
            && let Some(fact) = folder.initial(variable)
        {
            facts.set(variable, fact);
        }
    }
    facts
}

fn assign(folder: &Folder<'_>, variable: VariableId, value: Option<ExprId>, facts: &mut Facts) {
    if !folder.is_tracked(variable) {
        return;
    }
    let program = &folder.program;
    let ty = program.types.as_scalar(program.variables[variable].ty);
    let constant = value.filter(|&value| Some(program.exprs.ty(value)) == ty);
    facts.set(variable, constant.map_or(Fact::Initialised, Fact::Constant));
}

/// The lifetime of a variable ends: addresses of it are constant no more.
fn dangle(folder: &Folder<'_>, dead: VariableId, facts: &mut Facts) {
    for &variable in &folder.pointers {
        if let Some(Fact::Constant(constant)) = facts.get(variable)
            && folder.pointee(constant).is_some_and(|(pointee, _)| pointee == dead)
        {
            facts.set(variable, Fact::Initialised);
        }
    }
}

/// Learns from the truth of an expression, of which only what was evaluated for sure counts.
fn learn(folder: &mut Folder<'_>, expr: ExprId, truth: bool, before: &Facts, facts: &mut Facts) {
    stacker::maybe_grow(64 * 1024, 1024 * 1024, || match folder.program.exprs.get(expr).kind.clone() {
        ExprKind::Not(operand) => learn(folder, operand, !truth, before, facts),
        ExprKind::And(left, right) if truth => {
            learn(folder, left, true, before, facts);
            learn(folder, right, true, before, facts);
        }
        ExprKind::Or(left, right) if !truth => {
            learn(folder, left, false, before, facts);
            learn(folder, right, false, before, facts);
        }
        ExprKind::Compare(CompareOp::Equal, left, right) if truth => {
            learn_equal(folder, left, right, before, facts);
        }
        ExprKind::Compare(CompareOp::NotEqual, left, right) if !truth => {
            learn_equal(folder, left, right, before, facts);
        }
        // Not equal to one of two values.
        ExprKind::Compare(CompareOp::Equal, left, right) | ExprKind::Compare(CompareOp::NotEqual, left, right) => {
            learn_other_truth(folder, left, right, before, facts);
        }
        ExprKind::Load(_) => {
            let truth = folder.program.exprs.bool(truth);
            learn_value(folder, expr, truth, facts);
        }
        ExprKind::Cast(operand) if !truth => learn_zero(folder, operand, before, facts),
        ExprKind::Cast(operand) if folder.program.exprs.ty(operand) == Scalar::Bool => {
            learn(folder, operand, true, before, facts);
        }
        _ => {}
    });
}

fn learn_equal(folder: &mut Folder<'_>, left: ExprId, right: ExprId, before: &Facts, facts: &mut Facts) {
    if let Some(constant) = folder.constant(right, before) {
        learn_value(folder, left, constant, facts);
    } else if let Some(constant) = folder.constant(left, before) {
        learn_value(folder, right, constant, facts);
    }
}

/// Behind `b != 0`, where `b` is a converted truth value, `b` is true.
fn learn_other_truth(folder: &mut Folder<'_>, left: ExprId, right: ExprId, before: &Facts, facts: &mut Facts) {
    let ExprKind::Cast(truth) = folder.program.exprs.get(left).kind else { return };
    if folder.program.exprs.ty(truth) != Scalar::Bool {
        return;
    }
    let Some(constant) = folder.constant(right, before) else { return };
    let ExprKind::Constant(Constant::Int(number)) = &folder.program.exprs.get(constant).kind else { return };
    if *number == BigInt::from(0) {
        learn(folder, truth, true, before, facts);
    } else if *number == BigInt::from(1) {
        learn(folder, truth, false, before, facts);
    }
}

/// A number that is false as a truth value is 0.
fn learn_zero(folder: &mut Folder<'_>, operand: ExprId, before: &Facts, facts: &mut Facts) {
    match folder.program.exprs.ty(operand) {
        Scalar::Bool => learn(folder, operand, false, before, facts),
        Scalar::Int(ty) => {
            let zero = folder.program.exprs.int(0, ty);
            learn_value(folder, operand, zero, facts);
        }
        Scalar::Float(_) | Scalar::Pointer => {}
    }
}

/// Learns that an expression equals a constant. Equal floating-point numbers and equal addresses need not be the same:
/// zero has two signs, and the null pointer equals a device register at 0.
fn learn_value(folder: &mut Folder<'_>, expr: ExprId, constant: ExprId, facts: &mut Facts) {
    let ty = folder.program.exprs.ty(expr);
    if !matches!(ty, Scalar::Int(_) | Scalar::Bool) || folder.program.exprs.ty(constant) != ty {
        return;
    }
    match folder.program.exprs.get(expr).kind.clone() {
        ExprKind::Load(place) => {
            if let Some(variable) = place.as_variable() {
                assign(folder, variable, Some(constant), facts);
            }
        }
        ExprKind::Cast(operand) => {
            let ExprKind::Constant(Constant::Int(number)) = folder.program.exprs.get(constant).kind.clone() else {
                return;
            };
            match (folder.program.exprs.ty(operand), ty) {
                (Scalar::Bool, _) if number == BigInt::from(0) || number == BigInt::from(1) => {
                    let truth = folder.program.exprs.bool(number == BigInt::from(1));
                    learn_value(folder, operand, truth, facts);
                }
                // A wider type that has all values of the narrower one.
                (Scalar::Int(from), Scalar::Int(to))
                    if fits(&number, from)
                        && (from.signed == to.signed && from.bits <= to.bits
                            || !from.signed && to.signed && from.bits < to.bits) =>
                {
                    let narrow = folder.program.exprs.int(number, from);
                    learn_value(folder, operand, narrow, facts);
                }
                _ => {}
            }
        }
        _ => {}
    }
}

/// The locations that can be reached, each before those that follow it as far as loops allow.
fn reverse_postorder(
    locations: &Arena<LocationId, Location>,
    edges: &Arena<EdgeId, Edge>,
    start: LocationId,
) -> Vec<LocationId> {
    let mut order = Vec::with_capacity(locations.len());
    let mut seen = vec![false; locations.len()];
    seen[start.index()] = true;
    let mut path = vec![(start, 0)];
    while let Some((location, next)) = path.last_mut() {
        match locations[*location].out.get(*next) {
            Some(&edge) => {
                *next += 1;
                let to = edges[edge].to;
                if !std::mem::replace(&mut seen[to.index()], true) {
                    path.push((to, 0));
                }
            }
            None => {
                order.push(*location);
                path.pop();
            }
        }
    }
    order.reverse();
    order
}
