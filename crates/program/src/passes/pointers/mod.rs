//! Pointers become numbers: where it is known into which variables pointers lead, they are replaced by integers, and what
//! they reach is called by its name.
//!
//! Every variable that is pointed to gets an interval of numbers, one for each of its bytes and one for its end; null is 0,
//! and functions have a number each. An address is the number of its byte, so that moving a pointer is addition, and
//! comparing two is comparing numbers. An access through a pointer is a choice between the parts of variables that it may
//! mean, each at its number; what is none of them is undefined.
//!
//! That is right as long as pointers stay in their variables and are not used when these are gone. The caller must see
//! to that: [`Resolved::conditions`] says what has to be true where. If something does not fit (the heap, addresses that
//! are made numbers, a part of a variable that is read at another type), nothing is replaced.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `numbering` | the numbers of addresses, and types without pointers |
//! | `access` | which parts of variables a pointer may mean |
//! | `replace` | expressions and operations without pointers |

mod access;
mod numbering;
mod replace;

use super::prepared::Prepared;
use crate::cfa::{Callee, EdgeId, LocationId, Op};
use crate::expr::{ExprId, ExprKind, Place, Root};
use crate::model::{Initial, Program, VariableId, VariableKind};
use crate::types::Scalar;
use crate::visit::{OpPart, OpPartRef};
use numbering::Numbering;
use replace::{Replacement, Unfit};

/// Into which variables an address may lead.
#[derive(Clone, Debug, Default)]
pub struct PointedVariables {
    /// The variables with the offsets in them, in bytes.
    pub into: Vec<Lead>,
    /// Whether it may be anything else.
    pub elsewhere: bool,
}

/// Offsets in a variable: all that have a remainder, or a single one where the modulus is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Lead {
    /// The variable.
    pub variable: VariableId,
    /// What the offsets may differ by multiples of.
    pub modulus: u64,
    /// The remainder, or the single offset.
    pub remainder: i128,
}

/// What is known of pointers.
pub trait Directions {
    /// Where an expression of pointer type may lead.
    fn of(&self, address: ExprId) -> PointedVariables;
    /// The variables that may hold the address of one; none if something else may.
    fn holders(&self, variable: VariableId) -> Option<Vec<VariableId>>;
}

/// A program without pointers.
#[derive(Clone, Debug)]
pub struct Resolved {
    /// The program.
    pub prepared: Prepared,
    /// What has to be true for it to do what the program with pointers does.
    pub conditions: Vec<LocationCondition>,
}

/// Something that has to be true at a location, before its edges are taken.
#[derive(Clone, Debug)]
pub enum LocationCondition {
    /// All values of all these expressions lie in one of the intervals.
    Together {
        /// Where.
        at: LocationId,
        /// The expressions.
        values: Vec<ExprId>,
        /// The first and the last number of each.
        intervals: Vec<(i128, i128)>,
    },
    /// An expression has none of these values.
    Never {
        /// Where.
        at: LocationId,
        /// The expression.
        value: ExprId,
        /// The values.
        numbers: Vec<i128>,
    },
    /// What a variable holds is not read any more by the program in which pointers are not replaced yet.
    Dead {
        /// Where.
        at: LocationId,
        /// The variable.
        variable: VariableId,
    },
}

/// Whether a program has pointers, and nothing that is never replaced.
pub fn may_be_resolved(program: &Program) -> bool {
    let stays = |op: &Op| {
        let is_memory = |part: OpPartRef<'_>| matches!(part, OpPart::Address(..) | OpPart::Mutex(_));
        matches!(op, Op::Call { callee: Callee::Pointer(_), .. } | Op::Allocate { .. } | Op::Spawn { .. })
            || op.parts().into_iter().any(is_memory)
    };
    !program.edges.values().any(|edge| stays(&edge.op)) && has_pointers(program)
}

fn has_pointers(program: &Program) -> bool {
    let through = |place: &Place| matches!(place.root, Root::Pointer { .. });
    let mut open: Vec<ExprId> = Vec::new();
    for edge in program.edges.values() {
        if edge.op.places().any(through) {
            return true;
        }
        open.extend(edge.op.expressions());
    }
    program.exprs.below(open).any(|expr| program.exprs.ty(expr) == Scalar::Pointer)
}

/// Replaces all pointers; none if one of them cannot be.
pub fn resolve(prepared: &Prepared, directions: &dyn Directions) -> Option<Resolved> {
    replaced(prepared.clone(), directions).ok()
}

fn replaced(mut prepared: Prepared, directions: &dyn Directions) -> Result<Resolved, Unfit> {
    let old = prepared.program.clone();
    let mut numbering = Numbering::default();
    let edges: Vec<EdgeId> = prepared.program.edges.ids().collect();
    let mut replacement = Replacement {
        old: &old,
        prepared: &mut prepared,
        numbering: &mut numbering,
        directions,
        found: Vec::new(),
        at: None,
    };
    for edge in edges {
        replacement.edge(edge)?;
    }
    replacement.atoms()?;
    for variable in old.variables.ids() {
        replacement.variable(variable)?;
    }
    let conditions = replacement.conditions();
    prepared.refresh_address_taken();
    Ok(Resolved { prepared, conditions })
}

/// What a global holds at the start but for zeros.
fn initial_items(program: &Program, variable: VariableId) -> Option<&Vec<crate::model::InitialItem>> {
    match &program.variables[variable].kind {
        VariableKind::Global { initial: Initial::Values(items), .. }
        | VariableKind::Literal { initial: Initial::Values(items) } => Some(items),
        _ => None,
    }
}

/// Whether an expression is a constant that is null as an address.
fn is_null(program: &Program, expr: ExprId) -> bool {
    use crate::expr::Constant;
    match &program.exprs.get(expr).kind {
        ExprKind::Constant(Constant::Null) => true,
        ExprKind::Constant(Constant::Int(number)) => *number == num_bigint::BigInt::from(0),
        ExprKind::Cast(operand) => is_null(program, *operand),
        _ => false,
    }
}
