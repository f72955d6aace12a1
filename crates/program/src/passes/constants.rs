//! Constant propagation: puts the known values of variables into expressions, and drops edges that are never taken.
//!
//! The facts come from the module `flow`; `fold` says what may be folded. What a constant address points to is called
//! by its name from then on, so that [`promote`](super::promote::promote) can do more. Where no edge of a location can
//! be taken, one of them stays, with a condition that is false: the run is blocked there. Edges that never come to their
//! end stay too, since they say how the run ends.

use foundation::Arena;
use num_bigint::BigInt;

use super::facts::{Fact, Facts};
use super::flow::facts_at;
use super::fold::Folder;
use super::prepared::Prepared;
use crate::cfa::{LocationId, Op};
use crate::expr::{Constant, ExprId, ExprKind, Place};
use crate::model::VariableId;
use crate::visit::Rewrite;

/// A value that is known.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum KnownValue {
    /// Of an integer.
    Int(BigInt),
    /// A truth value.
    Bool(bool),
    /// The null pointer.
    Null,
    /// The address of a byte of a variable, counted from its beginning.
    Address(VariableId, BigInt),
}

/// The variables whose value is known at a location, for each location; none where control never comes.
pub fn known_values(prepared: &Prepared) -> Arena<LocationId, Option<Vec<(VariableId, KnownValue)>>> {
    let mut copy = prepared.clone();
    let (locations, edges) = (std::mem::take(&mut copy.program.locations), std::mem::take(&mut copy.program.edges));
    let start = prepared.start();
    let mut folder = Folder::new(&mut copy.program, prepared.semantics.integers, prepared.keep_overflow);
    let facts_at = facts_at(&mut folder, &locations, &edges, start);
    let exprs = &copy.program.exprs;
    let value = |(variable, fact): (VariableId, Fact)| {
        let Fact::Constant(expr) = fact else { return None };
        let value = match &exprs.get(expr).kind {
            ExprKind::Constant(Constant::Int(value)) => KnownValue::Int(value.clone()),
            ExprKind::Constant(Constant::Bool(value)) => KnownValue::Bool(*value),
            ExprKind::Constant(Constant::Null) => KnownValue::Null,
            ExprKind::AddressOf(place) => KnownValue::Address(place.as_variable()?, BigInt::from(0)),
            ExprKind::PointerAdd { base, index, stride } => {
                let ExprKind::AddressOf(place) = &exprs.get(*base).kind else { return None };
                let ExprKind::Constant(Constant::Int(index)) = &exprs.get(*index).kind else { return None };
                KnownValue::Address(place.as_variable()?, index * *stride)
            }
            _ => return None,
        };
        Some((variable, value))
    };
    let known = |facts: &Option<Facts>| facts.as_ref().map(|facts| facts.iter().filter_map(value).collect());
    facts_at.values().map(known).collect()
}

/// Puts in what is known.
pub fn constants(mut prepared: Prepared) -> Prepared {
    let start = prepared.start();
    let mut locations = std::mem::take(&mut prepared.program.locations);
    let mut edges = std::mem::take(&mut prepared.program.edges);
    let mut folder = Folder::new(&mut prepared.program, prepared.semantics.integers, prepared.keep_overflow);
    let facts_at = facts_at(&mut folder, &locations, &edges, start);
    for (location, facts) in facts_at.iter() {
        let Some(facts) = facts else { continue };
        folder.turn_to_other_facts();
        let out = std::mem::take(&mut locations[location].out);
        let mut kept = Vec::with_capacity(out.len());
        for &edge in &out {
            let op = Folding { folder: &mut folder, facts }.op(&edges[edge].op);
            let truth = match op {
                Op::Assume(condition) => folder.truth(condition),
                _ => None,
            };
            edges[edge].op = if truth == Some(true) { Op::Skip } else { op };
            if truth != Some(false) {
                kept.push(edge);
            }
        }
        if kept.is_empty() {
            kept.extend(out.first());
        }
        locations[location].out = kept;
    }
    prepared.program.locations = locations;
    prepared.program.edges = edges;
    // Behind an edge that never comes to its end there is nothing.
    for (location, _) in facts_at.iter().filter(|(_, facts)| facts.is_some()) {
        for index in 0..prepared.program.locations[location].out.len() {
            let edge = prepared.program.locations[location].out[index];
            let to = prepared.program.edges[edge].to;
            if facts_at[to].is_none() {
                prepared.program.edges[edge].to = prepared.add_location_like(to);
            }
        }
    }
    let mut prepared = prepared.trim();
    prepared.refresh_address_taken();
    prepared
}

/// Puts in what is known at one location.
struct Folding<'a, 'p> {
    folder: &'a mut Folder<'p>,
    facts: &'a Facts,
}

impl Rewrite for Folding<'_, '_> {
    fn expr(&mut self, expr: ExprId) -> ExprId {
        self.folder.fold(expr, self.facts)
    }

    fn place(&mut self, place: &Place) -> Place {
        self.folder.fold_place(place, self.facts)
    }
}
