//! Back-translation: what the parts of a program are in the one that passes have made it of. Every pass adds to it or makes
//! one of its own, and two in a row are one: what was found in the last program is told in terms of the first.

use std::collections::BTreeMap;

use foundation::Arena;

use crate::cfa::{EdgeId, LocationId};
use crate::model::{Program, VariableId};

/// What locations, edges and variables of a new program are in the old one.
#[derive(Clone, Debug, Default)]
pub struct BackTranslation {
    locations: Arena<LocationId, Spot>,
    edges: Arena<EdgeId, EdgeId>,
    parts: BTreeMap<VariableId, (VariableId, u64)>,
}

/// Where a new location is.
#[derive(Clone, Copy, Debug)]
enum Spot {
    /// At an old location.
    At(LocationId),
    /// Inside of what was one edge, at this end of it.
    Inside(LocationId),
}

impl Spot {
    fn nearest(self) -> LocationId {
        match self {
            Spot::At(location) | Spot::Inside(location) => location,
        }
    }
}

impl BackTranslation {
    /// Nothing has changed yet.
    pub fn identity(program: &Program) -> Self {
        let locations = program.locations.ids().map(Spot::At).collect();
        Self { locations, edges: program.edges.ids().collect(), parts: BTreeMap::new() }
    }

    /// The old location that a location is; none for one inside of what was one edge.
    pub fn location(&self, location: LocationId) -> Option<LocationId> {
        match self.locations[location] {
            Spot::At(old) => Some(old),
            Spot::Inside(_) => None,
        }
    }

    /// The old location that a location is, or at whose side of an edge it lies.
    pub fn nearest(&self, location: LocationId) -> LocationId {
        self.locations[location].nearest()
    }

    /// The old edge that an edge is, or is a part of.
    pub fn edge(&self, edge: EdgeId) -> EdgeId {
        self.edges[edge]
    }

    /// The old variable that a variable is, or is a part of, and the offset of the part in bits.
    pub fn variable(&self, variable: VariableId) -> (VariableId, u64) {
        self.parts.get(&variable).copied().unwrap_or((variable, 0))
    }

    /// The variables that are parts of old ones, with what [`Self::variable`] says of them.
    pub fn parts(&self) -> impl Iterator<Item = (VariableId, (VariableId, u64))> {
        self.parts.iter().map(|(&part, &whole)| (part, whole))
    }

    /// From the newest program to the oldest, where this one leads to the program from which the earlier one leads on.
    #[must_use]
    pub fn then(&self, earlier: &Self) -> Self {
        let spot = |spot: &Spot| match *spot {
            Spot::At(location) => earlier.locations[location],
            Spot::Inside(location) => Spot::Inside(earlier.nearest(location)),
        };
        let mut parts = earlier.parts.clone();
        for (&part, &(whole, offset)) in &self.parts {
            let (oldest, before) = earlier.variable(whole);
            parts.insert(part, (oldest, before + offset));
        }
        let edges = self.edges.values().map(|&edge| earlier.edge(edge)).collect();
        Self { locations: self.locations.values().map(spot).collect(), edges, parts }
    }

    /// The next location of the new program is this one of the old.
    pub(super) fn push_location(&mut self, old: LocationId) {
        self.locations.push(Spot::At(old));
    }

    /// The next location of the new program lies inside of what was one edge, at this end of it.
    pub(super) fn push_inside(&mut self, old: LocationId) {
        self.locations.push(Spot::Inside(old));
    }

    /// The next edge of the new program is this one of the old, or a part of it.
    pub(super) fn push_edge(&mut self, old: EdgeId) {
        self.edges.push(old);
    }

    /// A new variable is a part of one that is there, at an offset in bits.
    pub(super) fn add_part(&mut self, part: VariableId, whole: VariableId, offset: u64) {
        let (oldest, before) = self.variable(whole);
        self.parts.insert(part, (oldest, before + offset));
    }
}

#[cfg(test)]
mod tests {
    use foundation::Id;

    use super::*;

    #[test]
    fn two_in_a_row_are_one() {
        let location = LocationId::from_index;
        let (edge, variable) = (EdgeId::from_index, VariableId::from_index);
        let mut earlier = BackTranslation::default();
        [4, 2].into_iter().for_each(|old| earlier.push_location(location(old)));
        earlier.push_inside(location(7));
        [5, 5, 3].into_iter().for_each(|old| earlier.push_edge(edge(old)));
        earlier.add_part(variable(8), variable(1), 32);
        let mut later = BackTranslation::default();
        [2, 1].into_iter().for_each(|old| later.push_location(location(old)));
        later.push_inside(location(0));
        later.push_inside(location(2));
        [2, 1].into_iter().for_each(|old| later.push_edge(edge(old)));
        later.add_part(variable(9), variable(8), 16);
        later.add_part(variable(10), variable(0), 8);
        let both = later.then(&earlier);
        let locations = [0, 1, 2, 3].map(|new| (both.location(location(new)), both.nearest(location(new))));
        assert_eq!(
            locations,
            [(None, 7), (Some(2), 2), (None, 4), (None, 7)].map(|(at, near)| (at.map(location), location(near)))
        );
        assert_eq!([0, 1].map(|new| both.edge(edge(new))), [3, 5].map(edge));
        let parts = [(1, (1, 0)), (8, (1, 32)), (9, (1, 48)), (10, (0, 8))];
        assert!(
            parts.iter().all(|&(part, (whole, offset))| both.variable(variable(part)) == (variable(whole), offset))
        );
    }
}
