//! Pointers that lead into few variables: they are replaced by numbers, where the analyses show that this is right.

use analysis::PointsTo;
use analysis::points_to::{Pointee, Targets};
use program::passes::pointers::{
    Directions, Lead, LocationCondition, PointedVariables, Resolved, may_be_resolved, resolve,
};
use program::passes::prepared::{Prepared, simplify};
use program::{ExprId, VariableId};

use super::facts::PreparedFacts;

/// Larger programs are not looked at.
const MOST_EDGES: usize = 50_000;

/// The program without pointers; as it was if it has none, or one that cannot be replaced.
pub fn without_pointers(prepared: Prepared) -> Prepared {
    if prepared.program.edges.len() > MOST_EDGES || !may_be_resolved(&prepared.program) {
        return prepared;
    }
    let facts = PreparedFacts::of_all_runs(&prepared);
    let is_definite = |variable: VariableId| !facts.may_be_read_uninitialised(variable);
    // Nothing wraps around as long as the conditions are true.
    let known = PointerFacts(PointsTo::new(&prepared.program, false, &is_definite));
    match resolve(&prepared, &known) {
        Some(resolved) if are_true(&resolved, &facts) => simplify(resolved.prepared),
        _ => prepared,
    }
}

/// Whether the conditions on which pointers are numbers are true. `before` is known of the program with pointers: where
/// a pointer leads to one variable alone, it is read there and no more in the resolved program.
fn are_true(resolved: &Resolved, before: &PreparedFacts) -> bool {
    let Resolved { prepared, conditions } = resolved;
    if conditions.is_empty() {
        return true;
    }
    let facts = PreparedFacts::of_all_runs(prepared);
    conditions.iter().all(|condition| match condition {
        LocationCondition::Together { at, values, intervals } => {
            let all: Vec<_> = values.iter().map(|value| facts.values_at(prepared, *at, *value)).collect();
            let fit = |low: i128, high: i128| {
                all.iter()
                    .all(|values| values.bounds().is_none_or(|bounds| low <= bounds.low() && bounds.high() <= high))
            };
            intervals.iter().any(|(low, high)| fit(*low, *high))
        }
        LocationCondition::Never { at, value, numbers } => {
            let values = facts.values_at(prepared, *at, *value);
            !numbers.iter().any(|number| values.contains(*number))
        }
        LocationCondition::Dead { at, variable } => !before.is_live(*at, *variable),
    })
}

/// What the analysis says.
struct PointerFacts(PointsTo);

impl Directions for PointerFacts {
    fn of(&self, address: ExprId) -> PointedVariables {
        let Targets { objects, numbers, others } = self.0.of(address);
        let mut leads = PointedVariables { into: Vec::new(), elsewhere: *numbers || *others };
        for (object, offsets) in objects {
            match object {
                Pointee::Variable(variable) => leads.into.extend(offsets.iter().map(|offsets| Lead {
                    variable: *variable,
                    modulus: offsets.modulus,
                    remainder: offsets.remainder,
                })),
                Pointee::Heap(_) => leads.elsewhere = true,
            }
        }
        leads
    }

    fn holders(&self, variable: VariableId) -> Option<Vec<VariableId>> {
        let holders = self.0.holders(Pointee::Variable(variable));
        holders
            .map(|holder| match holder {
                Pointee::Variable(holder) => Some(holder),
                Pointee::Heap(_) => None,
            })
            .collect()
    }
}
