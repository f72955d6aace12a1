//! Pointers that lead into few variables: they are replaced by numbers, where the analyses show that this is right.

use program::passes::pointers::{
    Directions, Lead, LocationCondition, PointedVariables, Resolved, may_be_resolved, resolve,
};
use program::passes::prepared::Prepared;
use program::{ExprId, VariableId};

use crate::expressions::Expressions;
use crate::observed::ReadByAtoms;
use crate::points_to::{Pointee, PointsTo, Targets};
use crate::{Initialised, Liveness, Ranges};

/// Larger programs are not looked at.
const MOST_EDGES: usize = 50_000;

/// The program without pointers; none if it has none, or one that cannot be replaced.
pub fn without_pointers(prepared: &Prepared) -> Option<Prepared> {
    if prepared.program.edges.len() > MOST_EDGES || !may_be_resolved(&prepared.program) {
        return None;
    }
    let facts = FactsOfAllRuns::new(prepared);
    let is_definite = |variable: VariableId| facts.initialised.is_definite(variable);
    // Nothing wraps around as long as the conditions are true.
    let known = PointerFacts(PointsTo::new(&prepared.program, false, &is_definite));
    let resolved = resolve(prepared, &known)?;
    are_true(&resolved, &facts).then_some(resolved.prepared)
}

/// What is known of all runs, whatever inputs are.
struct FactsOfAllRuns {
    liveness: Liveness,
    initialised: Initialised,
    ranges: Ranges,
    expressions: Expressions,
}

impl FactsOfAllRuns {
    fn new(prepared: &Prepared) -> Self {
        let program = &prepared.program;
        let observed = ReadByAtoms::observed(prepared);
        let liveness = Liveness::new(program, &observed);
        let initialised = Initialised::new(program, &observed, &liveness);
        let ranges = Ranges::new(program, prepared.semantics.integers, &liveness, &initialised, None);
        Self { expressions: Expressions::new(program), liveness, initialised, ranges }
    }
}

/// Whether the conditions on which pointers are numbers are true. `before` is known of the program with pointers: where
/// a pointer leads to one variable alone, it is read there and no more in the resolved program.
fn are_true(resolved: &Resolved, before: &FactsOfAllRuns) -> bool {
    let Resolved { prepared, conditions } = resolved;
    if conditions.is_empty() {
        return true;
    }
    let facts = FactsOfAllRuns::new(prepared);
    let values_at = |at, value| {
        facts.ranges.of_expr_at(&prepared.program, prepared.semantics.integers, &facts.expressions, at, value)
    };
    conditions.iter().all(|condition| match condition {
        LocationCondition::Together { at, values, intervals } => {
            let all: Vec<_> = values.iter().map(|value| values_at(*at, *value)).collect();
            let fit = |low: i128, high: i128| {
                all.iter()
                    .all(|values| values.bounds().is_none_or(|bounds| low <= bounds.low() && bounds.high() <= high))
            };
            intervals.iter().any(|(low, high)| fit(*low, *high))
        }
        LocationCondition::Never { at, value, numbers } => {
            let values = values_at(*at, *value);
            !numbers.iter().any(|number| values.contains(*number))
        }
        LocationCondition::Dead { at, variable } => !before.liveness.at(*at).contains(*variable),
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
