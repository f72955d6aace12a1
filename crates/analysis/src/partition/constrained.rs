//! Assumptions that follow an input at once, and the values that they let pass.
//!
//! From where the value is there, the only path that control can take is followed: while a location has a single edge,
//! and that edge cannot stop the run. A run that an assumption on this path blocks is no execution, whatever is observed
//! before: its value need not be tried. Where threads run, the path may never be taken to its end; then a value is
//! dropped only while nothing but its own thread can see it, so that another value shows the same.

use num_bigint::BigInt;
use program::semantics::evaluate::{Environment, TargetBits, evaluate};
use program::semantics::{Integers, ObjectId, Pointer, Stop, Value};
use program::{EdgeId, ExprId, ExprKind, LocationId, Op, Operand, Program, Scalar, VariableId};

use crate::cells::{CellId, Cells};
use crate::expressions::{Expressions, variables_read};
use crate::numbers::Values;
use crate::numbers::arithmetic::type_range;
use crate::ranges::evaluate::{CellLookup, Evaluator, scalar_values};
use crate::variable_set::VariableSet;

/// At most so many edges are followed.
const MOST_EDGES: usize = 256;
/// At most so many values are tried one by one.
const MOST_TRIED_VALUES: u128 = 1 << 16;

/// Follows values from where they are chosen.
pub(super) struct Follower<'a> {
    pub program: &'a Program,
    pub integers: Integers,
    pub expressions: &'a Expressions,
    /// Scalars of all kinds: on the path nothing is written through a pointer.
    pub cells: &'a Cells,
    /// The variables that atoms read.
    pub observed: &'a VariableSet,
}

/// The conditions on a value that a run must pass, in order, each with the variables that hold the value then.
pub(super) struct Conditions<'a> {
    follower: &'a Follower<'a>,
    scalar: Scalar,
    list: Vec<(ExprId, VariableSet)>,
}

impl<'a> Follower<'a> {
    /// The conditions on the value of a scalar variable that was just chosen.
    pub fn conditions(&'a self, variable: VariableId, scalar: Scalar, start: LocationId) -> Conditions<'a> {
        let mut conditions = Conditions { follower: self, scalar, list: Vec::new() };
        let mut holders: VariableSet = [variable].into_iter().collect();
        let mut at = start;
        if self.program.has_threads() && !self.is_private(variable) {
            return conditions;
        }
        for _ in 0..MOST_EDGES {
            let [edge] = self.program.locations[at].out[..] else { break };
            if holders.is_empty() || !self.pass(edge, &mut holders, &mut conditions) {
                break;
            }
            at = self.program.edges[edge].to;
        }
        conditions
    }

    /// Passes an edge; whether all runs do that come to it and are not blocked by it.
    fn pass(&self, edge: EdgeId, holders: &mut VariableSet, conditions: &mut Conditions<'_>) -> bool {
        let op = &self.program.edges[edge].op;
        if let Op::Assume(condition) = op {
            return self.pass_condition(*condition, holders, &mut conditions.list);
        }
        if !self.expressions.is_total_op(self.program, op) {
            return false;
        }
        match op {
            Op::Assign { target, value } => {
                let seen_by_others = target.as_variable().is_none_or(|variable| !self.is_private(variable));
                if self.program.has_threads() && seen_by_others {
                    return false;
                }
                if let Some(variable) = target.as_variable() {
                    holders.remove(variable);
                    if let Operand::Scalar(value) = value
                        && self.is_copy(*value, conditions.scalar, holders)
                    {
                        holders.insert(variable);
                    }
                }
            }
            Op::Input { target, .. } => {
                if let Some(variable) = target.as_variable() {
                    holders.remove(variable);
                }
            }
            Op::Declare(variable) | Op::Discard(variable) => _ = holders.remove(*variable),
            _ => {}
        }
        true
    }

    /// Splits a condition at its conjunctions; those that speak of the value alone are noted.
    fn pass_condition(&self, condition: ExprId, holders: &VariableSet, list: &mut Vec<(ExprId, VariableSet)>) -> bool {
        if let ExprKind::And(left, right) = self.program.exprs.get(condition).kind {
            return stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
                self.pass_condition(left, holders, list) && self.pass_condition(right, holders, list)
            });
        }
        let (mut of_value, mut of_others) = (false, false);
        let through_pointer = variables_read(self.program, condition, &mut |variable| {
            let holds = holders.contains(variable);
            of_value |= holds;
            of_others |= !holds;
        });
        if of_value && !of_others && !through_pointer && self.expressions.is_small(condition) {
            list.push((condition, holders.clone()));
            return true;
        }
        self.expressions.is_total(condition)
    }

    /// Whether an expression is the value, unchanged.
    fn is_copy(&self, mut expr: ExprId, scalar: Scalar, holders: &VariableSet) -> bool {
        loop {
            match &self.program.exprs.get(expr).kind {
                ExprKind::Load(place) => {
                    return place.as_variable().is_some_and(|variable| holders.contains(variable));
                }
                ExprKind::Cast(operand) => match (scalar, self.program.exprs.ty(expr)) {
                    (Scalar::Int(from), Scalar::Int(to))
                        if self.integers == Integers::Ideal || type_range(from).is_inside(type_range(to)) =>
                    {
                        expr = *operand;
                    }
                    _ => return false,
                },
                _ => return false,
            }
        }
    }

    /// Whether only its own thread sees a variable.
    fn is_private(&self, variable: VariableId) -> bool {
        self.program.owner(variable).is_some()
            && !self.program.variables[variable].address_taken
            && !self.observed.contains(variable)
    }
}

impl Conditions<'_> {
    /// Whether there are any.
    pub fn are_none(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a run with this value may be an execution.
    pub fn admit(&self, value: i128) -> bool {
        for (condition, holders) in &self.list {
            let value = match self.scalar {
                Scalar::Bool => Value::Bool(value != 0),
                _ => Value::int(BigInt::from(value)),
            };
            let Follower { program, integers, .. } = *self.follower;
            match evaluate(&mut Holding { program, integers, holders, value }, *condition) {
                Ok(Value::Bool(true)) => {}
                Ok(_) => return false,
                // A run that stops here is an execution, whatever would come later.
                Err(_) => return true,
            }
        }
        true
    }

    /// All values that the conditions let pass, if they are at most so many; none where there are more, or too many to
    /// be tried.
    pub fn admitted(&self, most: usize) -> Option<Vec<i128>> {
        let Scalar::Int(ty) = self.scalar else { return None };
        let mut values = Values::interval(type_range(ty));
        if self.are_none() {
            return None;
        }
        let Follower { program, integers, expressions, cells, .. } = *self.follower;
        let evaluator = Evaluator { program, integers, cells, expressions };
        for (condition, holders) in &self.list {
            // Where evaluation may fail, a value may be left that no later condition ever sees.
            if !expressions.is_total(*condition) {
                break;
            }
            let Some(known) =
                evaluator.refine(*condition, true, &HeldValues { cells, integers, holders, values: &values })
            else {
                return Some(Vec::new());
            };
            for (cell, possible) in known {
                if holders.contains(cells.get(cell).variable) {
                    values = values.meet(&possible);
                }
            }
        }
        let tried: Vec<i128> = match &values {
            Values::Set(set) => set.to_vec(),
            Values::Range(range) if range.count().is_some_and(|count| count <= MOST_TRIED_VALUES) => {
                (range.low()..=range.high()).collect()
            }
            Values::Range(_) => return None,
        };
        let admitted: Vec<i128> = tried.into_iter().filter(|value| self.admit(*value)).collect();
        (admitted.len() <= most).then_some(admitted)
    }
}

/// The values of cells where some variables hold the value in question, and nothing is known of the others.
struct HeldValues<'a> {
    cells: &'a Cells,
    integers: Integers,
    holders: &'a VariableSet,
    values: &'a Values,
}

impl CellLookup for HeldValues<'_> {
    fn cell(&self, cell: CellId) -> Values {
        let cell = self.cells.get(cell);
        if self.holders.contains(cell.variable) {
            return self.values.clone();
        }
        scalar_values(self.integers, cell.scalar)
    }
}

/// A state of which only the value in question is known.
struct Holding<'a> {
    program: &'a Program,
    integers: Integers,
    holders: &'a VariableSet,
    value: Value,
}

impl<'a> Environment<'a> for Holding<'a> {
    fn program(&self) -> &'a Program {
        self.program
    }

    fn integers(&self) -> Integers {
        self.integers
    }

    fn object_of(&mut self, variable: VariableId) -> Result<ObjectId, Stop> {
        Ok(ObjectId::Global(variable))
    }

    fn load(&mut self, target: &TargetBits, _: Scalar) -> Result<Value, Stop> {
        match target.pointer {
            Pointer::Object { object: ObjectId::Global(variable), offset: 0 } if self.holders.contains(variable) => {
                Ok(self.value.clone())
            }
            _ => Err(Stop::NotConstant),
        }
    }

    fn number_of(&mut self, _: Pointer) -> Result<u64, Stop> {
        Err(Stop::NotConstant)
    }

    fn pointer_at(&mut self, _: u64) -> Result<Pointer, Stop> {
        Err(Stop::NotConstant)
    }

    fn overflowed(&mut self) {}
}
