//! Applies the rules to one value after the other.

use foundation::collections::{HashMap, HashSet};
use foundation::{Id, Span};
use program::semantics::layout::type_of_width;
use program::{EdgeId, LocationId, Op, Place, Program, Root, Scalar, Selector, Type, VariableId};

use super::constrained::{Conditions, Follower};
use super::domain::{Class, FoundBy, InputDomain, classes};
use super::need::{ExactUse, Need};
use super::refused::{Cause, RefusedInput};
use super::{Domains, MOST_VALUES};
use crate::cells::{CellId, Cells};
use crate::liveness::Liveness;
use crate::numbers::Interval;
use crate::numbers::arithmetic::type_range;
use crate::observed::{Everywhere, Observations};

/// A type with at most this many values has all of them tried.
const SMALL_TYPE_VALUES: u128 = 256;

/// Where a value comes from, for people.
pub(super) struct ValueOrigin {
    pub subject: String,
    pub span: Span,
}

/// Applies the rules.
pub(super) struct Chooser<'a> {
    pub program: &'a Program,
    pub cells: &'a Cells,
    pub needs: &'a [Need],
    pub liveness: &'a Liveness,
    pub follower: &'a Follower<'a>,
    pub beginnings: &'a Beginnings,
    pub observations: &'a Everywhere,
    /// What an earlier pass found.
    pub known: Option<&'a Domains>,
}

/// Where variables are unwritten.
pub(super) struct Beginnings {
    declared: HashMap<VariableId, Vec<LocationId>>,
    /// The variables that may also be unwritten elsewhere.
    forgotten: HashSet<VariableId>,
}

impl Beginnings {
    pub fn new(program: &Program) -> Self {
        let mut declared: HashMap<VariableId, Vec<LocationId>> = HashMap::default();
        // A pointer may write there what was never written, and so may a function that ends without a result.
        let taken = program.variables.iter().filter(|(_, variable)| variable.address_taken);
        let mut forgotten: HashSet<VariableId> = taken.map(|(id, _)| id).collect();
        for edge in program.edges.values() {
            match &edge.op {
                Op::Declare(variable) => declared.entry(*variable).or_default().push(edge.to),
                Op::Call { result, .. } => forgotten.extend(result),
                Op::Join { result, .. } => _ = forgotten.insert(*result),
                _ => {}
            }
        }
        Self { declared, forgotten }
    }
}

impl Chooser<'_> {
    /// Whether nothing reads what an edge writes to a place.
    pub fn is_dead(&self, edge: EdgeId, target: &Place, observations: &dyn Observations) -> bool {
        target.as_variable().is_some_and(|variable| {
            let to = self.program.edges[edge].to;
            !self.liveness.at(to).contains(variable) && !observations.after(edge).contains(&variable)
        })
    }

    /// Where a variable is unwritten, if there is only one such location.
    pub fn begin_of(&self, variable: VariableId) -> Option<LocationId> {
        if self.beginnings.forgotten.contains(&variable) {
            return None;
        }
        let entry = self.program.functions[self.program.owner(variable)?].entry?;
        match self.beginnings.declared.get(&variable).map_or(&[][..], Vec::as_slice) {
            [] => Some(entry),
            // The state at the entry is observed before any edge.
            [begin] => {
                let read_at_entry =
                    self.liveness.at(entry).contains(variable) || self.observations.stopped(entry).contains(&variable);
                (!read_at_entry).then_some(*begin)
            }
            _ => None,
        }
    }

    /// The values to be tried for all parts of a place, which are there from some location on, and of which an earlier
    /// pass may have found out which can occur.
    pub fn domain(
        &self,
        place: &Place,
        start: Option<LocationId>,
        known: Option<&InputDomain>,
        origin: &ValueOrigin,
    ) -> Result<InputDomain, RefusedInput> {
        let possible = known.map_or(Interval::ALL, InputDomain::hull);
        let refused = |cause: Cause, at: Option<Span>| RefusedInput {
            subject: origin.subject.clone(),
            origin: origin.span,
            cause,
            at,
        };
        let scalar = self.scalar_of(place);
        let conditions = match (place.as_variable(), scalar, start) {
            (Some(variable), Some(scalar), Some(start)) => Some(self.follower.conditions(variable, scalar, start)),
            _ => None,
        };
        let Some(cells) = self.cells.of_place(self.program, place) else {
            let scalar = scalar.ok_or_else(|| refused(Cause::Aggregate, Some(origin.span)))?;
            let kept = Need { exact: Some(ExactUse { cause: Cause::Stored, edge: None }), ..Need::default() };
            return shortest(scalar, possible, &kept, conditions.as_ref()).ok_or_else(|| {
                let integer = matches!(scalar, Scalar::Int(_));
                refused(if integer { Cause::Stored } else { Cause::NoInteger }, Some(origin.span))
            });
        };
        let mut common: Option<InputDomain> = None;
        for cell in cells {
            let scalar = self.cells.get(CellId::from_index(cell)).scalar;
            let need = &self.needs[cell];
            let domain = shortest(scalar, possible, need, conditions.as_ref()).ok_or_else(|| match need.exact {
                _ if !matches!(scalar, Scalar::Int(_)) => refused(Cause::NoInteger, Some(origin.span)),
                None if !need.fields.is_empty() => {
                    refused(Cause::Arithmetic, need.looked_at.map(|edge| self.program.edges[edge].span))
                }
                None | Some(ExactUse { cause: Cause::ManyConstants, .. }) => {
                    refused(Cause::ManyConstants, Some(origin.span))
                }
                Some(witness) => refused(witness.cause, witness.edge.map(|edge| self.program.edges[edge].span)),
            })?;
            if common.as_ref().is_some_and(|common| !common.is_like(&domain)) {
                return Err(refused(Cause::Aggregate, Some(origin.span)));
            }
            common = Some(domain);
        }
        Ok(common.unwrap_or_else(InputDomain::unread))
    }

    /// The type of a scalar place; for a bit-field, an integer of its width.
    fn scalar_of(&self, place: &Place) -> Option<Scalar> {
        let scalar = self.program.types.as_scalar(place.ty)?;
        let mut ty = match place.root {
            Root::Variable(variable) => self.program.variables[variable].ty,
            Root::Pointer { pointee, .. } => pointee,
        };
        let mut width = None;
        for step in &place.path {
            match (step, self.program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) => {
                    let field = &record.fields[*number as usize];
                    (ty, width) = (field.ty, field.bit_width);
                }
                (Selector::Index(_), Type::Array { element, .. }) => (ty, width) = (*element, None),
                _ => return None,
            }
        }
        Some(width.map_or(scalar, |width| type_of_width(scalar, u64::from(width))))
    }
}

/// The shortest list that some rule yields for a value of a type that lies in an interval.
fn shortest(
    scalar: Scalar,
    possible: Interval,
    need: &Need,
    conditions: Option<&Conditions<'_>>,
) -> Option<InputDomain> {
    // What is not possible may be what assumptions block.
    if need.is_nothing() && possible == Interval::ALL {
        return Some(InputDomain::unread());
    }
    let range = match scalar {
        Scalar::Bool => Interval::new(0, 1)?,
        Scalar::Int(ty) => type_range(ty),
        Scalar::Float(_) | Scalar::Pointer => return None,
    };
    let small = range.count().is_some_and(|count| count <= SMALL_TYPE_VALUES);
    let (all, range) = (range, range.meet(possible)?);
    let one_by_one = |values: Vec<i128>| values.into_iter().map(Class::single).collect();
    let mut lists: Vec<(FoundBy, Vec<Class>)> = Vec::new();
    if need.exact.is_none() {
        lists.extend(classes(all, range, need).map(|classes| (FoundBy::Compared, classes)));
    }
    if small {
        lists.push((FoundBy::SmallType, one_by_one((range.low()..=range.high()).collect())));
    }
    for (_, list) in &mut lists {
        if let Some(conditions) = conditions {
            let first = list.iter().min_by_key(|class| class.representative().map(i128::unsigned_abs)).cloned();
            list.retain(|class| class.representative().is_some_and(|value| conditions.admit(value)));
            // If every run is blocked, one value shows that.
            if list.is_empty() {
                list.extend(first);
            }
        }
    }
    if let Some(admitted) = conditions.and_then(|conditions| conditions.admitted(MOST_VALUES)) {
        let list = if admitted.is_empty() { vec![range.nearest_to_zero()] } else { admitted };
        lists.push((FoundBy::Constrained, one_by_one(list)));
    }
    let (rule, list) = lists.into_iter().min_by_key(|(_, list)| list.len())?;
    (list.len() <= MOST_VALUES).then(|| InputDomain::new(rule, list))
}
