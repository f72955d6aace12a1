//! An inlined program in plainer words: pointers that only ever hold one address are replaced by what they point to,
//! structures are copied scalar by scalar, and each part of a structure is a variable of its own.
//!
//! After that the other analyses of this folder, which know whole variables only, tell the members of a structure apart,
//! and see through the pointers by which functions are given what they work on. Every change is one that the interpreter
//! could not notice; the argument for each is where it is made:
//!
//! | module | what it does |
//! | --- | --- |
//! | `rewrite` | other places and expressions in all operations |
//! | `pointers` | `*p` becomes `x` where `p` is always `&x` |
//! | `copies` | `a = b` for structures becomes an assignment for each scalar |
//! | `parts` | `s.x` becomes a variable |
//!
//! It is the check's own, and has nothing in common with the passes that engines use.

mod copies;
mod parts;
mod pointers;
mod rewrite;

use std::collections::BTreeSet;

use foundation::collections::HashMap;
use program::passes::Prepared;
use program::{
    Edge, EdgeId, ExprId, ExprKind, Initial, Observe, Op, Operand, Place, Program, Root, VariableId, VariableKind,
};

use super::control::variables_in;
use program::lifetimes::{Life, Lifetimes};

/// Pointers in structures are seen when these are taken apart, and so on; but not for ever.
const MOST_ROUNDS: usize = 4;

/// Programs with more edges stay as they are.
const MOST_EDGES: usize = 50_000;

/// A program in plainer words.
pub(super) struct Plain {
    /// The program. Its atoms are still those of before: see [`Plain::atom`].
    pub prepared: Prepared,
    atoms: HashMap<ExprId, ExprId>,
}

impl Plain {
    /// Puts an inlined program into plainer words.
    pub fn of(prepared: Prepared) -> Self {
        let mut plain = Self::new(prepared);
        for _ in 0..plain.most_rounds() {
            let before: Vec<Op> = plain.prepared.program.edges.values().map(|edge| edge.op.clone()).collect();
            plain.resolve_pointers();
            plain.expand_copies();
            plain.take_apart();
            if plain.prepared.program.edges.values().map(|edge| &edge.op).eq(&before) {
                break;
            }
        }
        plain
    }

    /// The same program, in which what pointers lead to is named where that is one part of a variable. Locations and
    /// variables are the ones that it had.
    pub fn with_names(prepared: Prepared) -> Self {
        let mut plain = Self::new(prepared);
        (0..plain.most_rounds()).for_each(|_| plain.resolve_pointers());
        plain
    }

    fn new(prepared: Prepared) -> Self {
        let atoms = prepared.atoms.expressions().map(|atom| (atom, atom)).collect();
        let mut plain = Self { prepared, atoms };
        plain.refresh();
        plain
    }

    fn most_rounds(&self) -> usize {
        let edges = &self.program().edges;
        // What functions without a body write through a pointer is not seen by the analyses below.
        let stays = edges.len() > MOST_EDGES || edges.values().any(|edge| matches!(edge.op, Op::Havoc { .. }));
        if stays { 0 } else { MOST_ROUNDS }
    }

    /// What an atom of the inlined program is now.
    pub fn atom(&self, atom: ExprId) -> ExprId {
        self.atoms[&atom]
    }

    /// All atoms.
    pub fn atoms(&self) -> Vec<ExprId> {
        self.prepared.atoms.expressions().map(|atom| self.atoms[&atom]).collect()
    }

    /// The variables whose lifetime ends somewhere and which live wherever an edge names them, so that nothing is noticed of
    /// their lifetimes but that they are not read from one to the next.
    pub fn forgotten(&self) -> BTreeSet<VariableId> {
        let program = self.program();
        let discarded = program.edges.values().filter_map(|edge| match edge.op {
            Op::Discard(variable) => Some(variable),
            _ => None,
        });
        let mut forgotten: BTreeSet<VariableId> = discarded.collect();
        forgotten.retain(|variable| !program.variables[*variable].address_taken);
        for atom in self.atoms.values() {
            let mut observed = BTreeSet::new();
            variables_in(program, *atom, &mut observed);
            forgotten.retain(|variable| !observed.contains(variable));
        }
        let lifetimes = Lifetimes::new(&self.prepared);
        for edge in program.edges.values() {
            if forgotten.is_empty() {
                break;
            }
            let mut named: BTreeSet<VariableId> = edge.op.result().into_iter().collect();
            named.extend(edge.op.places().filter_map(|place| place.root.variable()));
            edge.op.expressions().into_iter().for_each(|expr| variables_in(program, expr, &mut named));
            let lives = |variable| lifetimes.at(&self.prepared, variable, edge.from) == Life::Alive;
            forgotten.retain(|variable| !named.contains(variable) || lives(*variable));
        }
        forgotten
    }

    fn program(&self) -> &Program {
        &self.prepared.program
    }

    /// Everything that is evaluated anywhere, with all operands.
    fn evaluated(&self) -> BTreeSet<ExprId> {
        let program = self.program();
        let mut open: Vec<ExprId> = self.atoms.values().copied().collect();
        for edge in program.edges.values() {
            open.extend(edge.op.expressions());
        }
        for variable in program.variables.values() {
            open.extend(initial_values(&variable.kind));
        }
        program.exprs.below(open).collect()
    }

    /// All places that are read, written or pointed to.
    fn places(&self) -> Vec<Place> {
        let program = self.program();
        let mut places: Vec<Place> = program.edges.values().flat_map(|edge| edge.op.places()).cloned().collect();
        for expr in self.evaluated() {
            if let ExprKind::Load(place) | ExprKind::AddressOf(place) = &program.exprs.get(expr).kind {
                places.push(place.clone());
            }
        }
        places
    }

    /// Finds out anew which variables are pointed to.
    fn refresh(&mut self) {
        let mut pointed_to = BTreeSet::new();
        for expr in self.evaluated() {
            if let ExprKind::AddressOf(Place { root: Root::Variable(variable), .. }) =
                self.program().exprs.get(expr).kind
            {
                pointed_to.insert(variable);
            }
        }
        for variable in self.program().variables.ids().collect::<Vec<_>>() {
            self.prepared.program.variables[variable].address_taken = pointed_to.contains(&variable);
        }
    }

    /// Lets an edge do several things one after the other. They are observed where it was, after the last one.
    fn replace(&mut self, edge: EdgeId, ops: Vec<Op>) {
        let Edge { from, to, observe, .. } = self.prepared.program.edges[edge];
        let count = ops.len();
        let mut here = from;
        for (number, op) in ops.into_iter().enumerate() {
            let is_last = number + 1 == count;
            let next = if is_last { to } else { self.prepared.add_location_like(from) };
            let seen = if is_last { observe } else { Observe::No };
            if number == 0 {
                let contents = &mut self.prepared.program.edges[edge];
                (contents.op, contents.to, contents.observe) = (op, next, seen);
            } else {
                self.prepared.add_edge_like(edge, here, next, op, seen);
            }
            here = next;
        }
    }
}

/// The values with which a variable starts.
fn initial_values(kind: &VariableKind) -> Vec<ExprId> {
    match kind {
        VariableKind::Global { initial: Initial::Values(items), .. }
        | VariableKind::Literal { initial: Initial::Values(items) } => items.iter().map(|item| item.value).collect(),
        _ => Vec::new(),
    }
}

/// The number that an index always is.
fn fixed_index(program: &Program, index: ExprId) -> Option<u64> {
    use num_traits::ToPrimitive;
    match &program.exprs.get(index).kind {
        ExprKind::Constant(program::Constant::Int(value)) => value.to_u64(),
        ExprKind::Cast(operand) => fixed_index(program, *operand).filter(|value| i8::try_from(*value).is_ok()),
        _ => None,
    }
}

/// Whether a value is a structure, an array or a union.
fn is_aggregate(operand: &Operand) -> bool {
    matches!(operand, Operand::Aggregate(_))
}
