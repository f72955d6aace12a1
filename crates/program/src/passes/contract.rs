//! Contraction: edges that do nothing and are not observed are left out, with the locations in which they begin.
//!
//! What is observed is seen from the location at which control then is, so that a location to which an observed edge
//! leads is left out only where the atoms look the same from the next one. Edges that enter or leave a function stay
//! where that can be seen. A circle of such edges is a silence that lasts for ever: one of them stays.

use foundation::{Arena, Id};

use super::prepared::Prepared;
use crate::cfa::{EdgeId, LocationId, Observe, Op};
use crate::semantics::ObserveMode;

/// Leaves out edges that do nothing.
pub fn contract(mut prepared: Prepared) -> Prepared {
    let next = skipped(&prepared);
    let end_of = ends(&next);
    for edge in prepared.program.edges.ids() {
        let to = prepared.program.edges[edge].to;
        prepared.program.edges[edge].to = end_of[to];
    }
    let (root, start) = (prepared.root(), prepared.start());
    prepared.program.functions[root].entry = Some(end_of[start]);
    let mut prepared = prepared.trim();
    prepared.refresh_address_taken();
    prepared
}

/// For each location that can be left out, the one that follows it.
fn skipped(prepared: &Prepared) -> Arena<LocationId, Option<LocationId>> {
    let seen_from = seen_from(prepared);
    let next = |location: LocationId, out: &[EdgeId]| {
        let &[edge] = out else { return None };
        let contents = &prepared.program.edges[edge];
        let does_nothing = contents.op == Op::Skip && contents.observe == Observe::No;
        if !does_nothing || is_watched(prepared, edge) {
            return None;
        }
        let view = |location| prepared.atoms.view(prepared.context_of(location));
        let looks_alike = !seen_from[location.index()] || view(location) == view(contents.to);
        looks_alike.then_some(contents.to)
    };
    prepared.program.locations.iter().map(|(id, location)| next(id, &location.out)).collect()
}

/// The locations from which something may be seen: the start, and where observed edges lead.
fn seen_from(prepared: &Prepared) -> Vec<bool> {
    let mut seen_from = vec![false; prepared.program.locations.len()];
    seen_from[prepared.start().index()] = true;
    for (edge, contents) in prepared.program.edges.iter() {
        if contents.observe != Observe::No || is_watched(prepared, edge) {
            seen_from[contents.to.index()] = true;
        }
    }
    seen_from
}

/// Whether it can be seen that an edge enters or leaves a function. Which expression has written something is told
/// apart by the activation that it is in.
fn is_watched(prepared: &Prepared, edge: EdgeId) -> bool {
    let (left, entered) = prepared.crossed(edge);
    let mut crossed = left.into_iter().chain(entered).peekable();
    if prepared.semantics.observe == ObserveMode::Change {
        return crossed.peek().is_some();
    }
    crossed.any(|context| prepared.watches(prepared.contexts[context].function))
}

/// The first location on the way from each one that is not left out; in a circle, one of them.
fn ends(next: &Arena<LocationId, Option<LocationId>>) -> Arena<LocationId, LocationId> {
    let mut end_of: Vec<Option<LocationId>> = vec![None; next.len()];
    for start in next.ids() {
        let mut path = Vec::new();
        let mut on_path_or_known = start;
        let end = loop {
            let at = on_path_or_known;
            if let Some(end) = end_of[at.index()] {
                break end;
            }
            // A location on the way is its own end until the way is known: that ends circles.
            end_of[at.index()] = Some(at);
            path.push(at);
            match next[at] {
                Some(further) => on_path_or_known = further,
                None => break at,
            }
        };
        for location in path {
            end_of[location.index()] = Some(end);
        }
    }
    end_of.into_iter().map(|end| end.expect("all were visited")).collect()
}
