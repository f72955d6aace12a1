//! When the objects of local variables live.
//!
//! All locals exist from the start of a prepared program; a lifetime ends where control discards the variable and begins
//! anew where it comes to the declaration. What may have happened before control is at a location is found by following
//! the edges, without looking at values.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use foundation::collections::HashMap;

use crate::passes::Prepared;
use crate::{
    Allocation, EdgeId, ExprId, ExprKind, LocationId, Op, OpPart, Operand, Place, Program, Root, Scalar, VariableId,
};
use foundation::Id;

/// What is known of an object at a location.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Life {
    /// It lives.
    Alive,
    /// It does not.
    Dead,
    /// Either.
    Unknown,
}

const MAY_LIVE: u8 = 1;
const MAY_BE_DEAD: u8 = 2;

/// The lifetimes of a program's local variables.
pub struct Lifetimes {
    discarded: BTreeSet<VariableId>,
    /// The allocations whose objects may be freed.
    freed: BTreeSet<EdgeId>,
    known: RefCell<HashMap<VariableId, Rc<Vec<u8>>>>,
}

impl Lifetimes {
    /// Of a program.
    pub fn new(prepared: &Prepared) -> Self {
        let discarded = prepared.program.edges.values().filter_map(|edge| match edge.op {
            Op::Discard(variable) => Some(variable),
            _ => None,
        });
        Self { discarded: discarded.collect(), freed: freed(&prepared.program), known: RefCell::default() }
    }

    /// Whether the object of an allocation may be freed. Where it is not, every pointer to it is valid: it got its address from
    /// the allocation, which began the object's only life, or from a number, and nothing was freed by a number.
    pub fn is_freed(&self, allocation: EdgeId) -> bool {
        self.freed.contains(&allocation)
    }

    /// Whether a variable's object ever dies.
    pub fn is_mortal(&self, variable: VariableId) -> bool {
        self.discarded.contains(&variable)
    }

    /// Whether a variable's object lives when control is at a location.
    pub fn at(&self, prepared: &Prepared, variable: VariableId, location: LocationId) -> Life {
        if !self.is_mortal(variable) {
            return Life::Alive;
        }
        match self.flags(prepared, variable)[location.index()] {
            MAY_BE_DEAD => Life::Dead,
            flags if flags & MAY_BE_DEAD == 0 => Life::Alive,
            _ => Life::Unknown,
        }
    }

    fn flags(&self, prepared: &Prepared, variable: VariableId) -> Rc<Vec<u8>> {
        if let Some(known) = self.known.borrow().get(&variable) {
            return known.clone();
        }
        let program = &prepared.program;
        let mut flags = vec![0u8; program.locations.len()];
        flags[prepared.start().index()] = MAY_LIVE;
        let mut open = vec![prepared.start()];
        while let Some(location) = open.pop() {
            let here = flags[location.index()];
            for &edge in &program.locations[location].out {
                let edge = &program.edges[edge];
                let after = match edge.op {
                    Op::Discard(other) if other == variable => MAY_BE_DEAD,
                    Op::Declare(other) if other == variable => MAY_LIVE,
                    _ => here,
                };
                let there = &mut flags[edge.to.index()];
                if after & !*there != 0 {
                    *there |= after;
                    open.push(edge.to);
                }
            }
        }
        let flags = Rc::new(flags);
        self.known.borrow_mut().insert(variable, flags.clone());
        flags
    }
}

/// The allocations whose addresses may come to where something is freed. An address is followed from variable to variable,
/// without regard to the order of edges; one that is written to memory may come to anywhere.
fn freed(program: &Program) -> BTreeSet<EdgeId> {
    let is_freeing = |op: &Op| match *op {
        Op::Free(address) | Op::Allocate { contents: Allocation::Resized(address), .. } => Some(address),
        _ => None,
    };
    let addresses: Vec<ExprId> = program.edges.values().filter_map(|edge| is_freeing(&edge.op)).collect();
    let mut freed = BTreeSet::new();
    let is_guessed = numbers_may_be_freed(program, &addresses);
    for (id, edge) in program.edges.iter().filter(|_| !addresses.is_empty()) {
        let Op::Allocate { target, .. } = edge.op else { continue };
        let may_be_freed = match holders(program, target).filter(|_| !is_guessed) {
            None => true,
            Some(holders) => addresses.iter().any(|address| !named(program, *address).is_disjoint(&holders)),
        };
        if may_be_freed {
            freed.insert(id);
        }
    }
    freed
}

/// Whether a number may come to where something is freed, and be the address of an object there: numbers are made pointers, or
/// what is freed is read from where numbers may have been written.
fn numbers_may_be_freed(program: &Program, freed: &[ExprId]) -> bool {
    let is_made = |expr: ExprId| match program.exprs.get(expr).kind {
        ExprKind::Cast(operand) => {
            program.exprs.ty(expr) == Scalar::Pointer && program.exprs.ty(operand) != Scalar::Pointer
        }
        _ => false,
    };
    let is_read_from_memory = |expr: ExprId| match &program.exprs.get(expr).kind {
        ExprKind::Load(Place { root: Root::Variable(variable), .. }) => {
            let variable = &program.variables[*variable];
            variable.address_taken || program.types.as_scalar(variable.ty).is_none()
        }
        ExprKind::Load(_) => true,
        _ => false,
    };
    let is_number = |place: &Place| {
        let is_in_memory = place.as_variable().is_none();
        is_in_memory && program.types.as_scalar(place.ty).is_none_or(|scalar| scalar != Scalar::Pointer)
    };
    let writes_numbers = |op: &Op| match op {
        Op::CopyBytes { .. } | Op::SetBytes { .. } => true,
        op => op.parts().into_iter().any(|part| matches!(part, OpPart::Written(place) if is_number(place))),
    };
    let exprs = program.edges.values().flat_map(|edge| edge.op.expressions());
    program.exprs.below(exprs).any(is_made)
        || program.exprs.below(freed.iter().copied()).any(is_read_from_memory)
            && program.edges.values().any(|edge| writes_numbers(&edge.op))
}

/// All variables that may hold an address which one variable is given; none if it may be elsewhere.
fn holders(program: &Program, first: VariableId) -> Option<BTreeSet<VariableId>> {
    let mut holders = BTreeSet::from([first]);
    let mut grows = true;
    while std::mem::take(&mut grows) {
        if holders.iter().any(|holder| program.variables[*holder].address_taken) {
            return None;
        }
        for edge in program.edges.values() {
            let (target, read) = match &edge.op {
                Op::Assign { target, value: Operand::Scalar(value) } => (target, named(program, *value)),
                Op::Assign { target, value: Operand::Aggregate(source) } => {
                    let root = match source.root {
                        Root::Variable(variable) => Some(variable),
                        Root::Pointer { .. } => None,
                    };
                    (target, root.into_iter().collect())
                }
                _ => continue,
            };
            if read.is_disjoint(&holders) {
                continue;
            }
            match target.root {
                Root::Variable(variable) => grows |= holders.insert(variable),
                Root::Pointer { .. } => return None,
            }
        }
    }
    Some(holders)
}

/// The variables that the value of an expression may be computed from.
fn named(program: &Program, expr: ExprId) -> BTreeSet<VariableId> {
    let (mut named, mut seen, mut open) = (BTreeSet::new(), BTreeSet::from([expr]), vec![expr]);
    while let Some(expr) = open.pop() {
        match &program.exprs.get(expr).kind {
            // What is in memory is none of the addresses that are followed, and an index is no part of a value.
            ExprKind::Load(place) => match place.root {
                Root::Variable(variable) => _ = named.insert(variable),
                Root::Pointer { .. } => {}
            },
            _ => open.extend(program.exprs.operands(expr).into_iter().filter(|operand| seen.insert(*operand))),
        }
    }
    named
}
