//! What must stay of a value for bisimilar runs: its position among cuts and points, fields of its bits, or all of it.

use std::collections::BTreeSet;

use program::EdgeId;

use super::MOST_VALUES;
use super::fields::{ByMask, FieldBits};
use super::refused::Cause;

/// What must stay of a cell's value.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Need {
    /// The cuts; none if the value must stay as it is.
    pub cuts: BTreeSet<i128>,
    /// The points; none if the value must stay as it is.
    pub points: BTreeSet<i128>,
    /// What is told apart of fields of its bits; nothing if the value must stay as it is.
    pub fields: ByMask,
    /// Where a field was first looked at.
    pub looked_at: Option<EdgeId>,
    /// Why the value must stay as it is, if it must.
    pub exact: Option<ExactUse>,
}

/// A use that needs a value exactly.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ExactUse {
    /// What is done.
    pub cause: Cause,
    /// The edge that does it; none for an atom.
    pub edge: Option<EdgeId>,
}

impl Need {
    /// What is told apart of a field.
    pub fn of_field(mask: u64, field: FieldBits) -> Self {
        Self { fields: ByMask::from([(mask, field)]), ..Self::default() }
    }

    /// Whether nothing of the value matters.
    pub fn is_nothing(&self) -> bool {
        self.cuts.is_empty() && self.points.is_empty() && self.fields.is_empty() && self.exact.is_none()
    }

    /// Adds another need; whether it is new. With too many classes a value might as well be kept as it is.
    pub fn add(&mut self, other: &Need, edge: Option<EdgeId>) -> bool {
        let before = self.size();
        self.exact = self.exact.or(other.exact);
        if self.exact.is_none() {
            self.cuts.extend(&other.cuts);
            self.points.extend(&other.points);
            for (mask, field) in &other.fields {
                self.fields.entry(*mask).or_default().add(field);
            }
            if !other.fields.is_empty() {
                self.looked_at = self.looked_at.or(edge);
            }
            let told: usize = self.fields.values().map(|field| 1 + field.cuts.len() + field.points.len()).sum();
            if self.cuts.len() + self.points.len() + told > MOST_VALUES {
                self.exact = Some(ExactUse { cause: Cause::ManyConstants, edge });
            }
        }
        if self.exact.is_some() {
            self.cuts.clear();
            self.points.clear();
            self.fields.clear();
        }
        before != self.size()
    }

    /// How much is needed, to see whether there is more.
    fn size(&self) -> impl PartialEq + use<> {
        let fields: Vec<_> = self.fields.values().map(FieldBits::size).collect();
        (self.cuts.len(), self.points.len(), fields, self.exact)
    }
}
