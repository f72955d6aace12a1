//! Scalar promotion of memory: variables of aggregate type become one variable per part.
//!
//! Which variables, and into which parts, is decided in the module `parts`. An access to a part becomes one to its
//! variable; what happens to a whole aggregate (copies, inputs, lifetimes) happens to its parts one after the other, in
//! the order of memory, so that questions are asked in the same order. In between nothing is observed, and nothing can
//! go wrong.
//!
//! A bit-field becomes an integer of its width: what is written is converted to it, what is read is converted back.

use foundation::Id;
use foundation::collections::HashMap;

use super::facts::Facts;
use super::fold::Folder;
use super::parts::{SplitPart, children, split_variables};
use super::prepared::Prepared;
use crate::cfa::{EdgeId, Observe, Op, Operand};
use crate::expr::{Expr, ExprId, ExprKind, Place, Root, Selector};
use crate::model::VariableId;
use crate::types::{Type, TypeId};
use crate::visit::Rewrite;

/// Splits variables into their parts.
pub fn promote(mut prepared: Prepared) -> Prepared {
    prepared.refresh_address_taken();
    if prepared.shows_all_writes() {
        return prepared;
    }
    let split = split_variables(&mut prepared);
    if split.is_empty() {
        return prepared;
    }
    let edges = std::mem::take(&mut prepared.program.edges);
    let folder = Folder::new(&mut prepared.program, prepared.semantics.integers, prepared.keep_overflow);
    let mut promotion = Promotion { folder, split, known: HashMap::default() };
    let ops: Vec<Vec<Op>> = edges.values().map(|edge| promotion.ops(&edge.op)).collect();
    prepared.atoms.rewrite(|expr| promotion.expr(expr));
    prepared.program.edges = edges;
    for (index, ops) in ops.into_iter().enumerate() {
        replace(&mut prepared, EdgeId::from_index(index), ops);
    }
    prepared
}

/// Makes an edge do these operations one after the other; the last one ends where it did and is observed as it was.
fn replace(prepared: &mut Prepared, edge: EdgeId, ops: Vec<Op>) {
    let crate::cfa::Edge { from, to, observe, .. } = prepared.program.edges[edge].clone();
    let mut ops = ops.into_iter();
    let mut last = edge;
    prepared.program.edges[edge].op = ops.next().unwrap_or(Op::Skip);
    for op in ops {
        let between = prepared.add_location_like(from);
        prepared.program.edges[last].to = between;
        prepared.program.edges[last].observe = Observe::No;
        last = prepared.add_edge_like(edge, between, to, op, observe);
    }
}

struct Promotion<'p> {
    folder: Folder<'p>,
    split: HashMap<VariableId, SplitPart>,
    /// Expressions that were rewritten before.
    known: HashMap<ExprId, ExprId>,
}

/// Where something lies now.
#[derive(Clone)]
enum Now {
    /// Here.
    Place(Place),
    /// In several parts.
    Parts(SplitPart),
}

impl From<SplitPart> for Now {
    fn from(part: SplitPart) -> Self {
        match part {
            SplitPart::Whole { variable, ty } => Now::Place(Place::variable(variable, ty)),
            split => Now::Parts(split),
        }
    }
}

impl Promotion<'_> {
    /// The operations that do what one did.
    fn ops(&mut self, op: &Op) -> Vec<Op> {
        match op {
            Op::Assign { target, value: Operand::Scalar(value) } => {
                let (target, value) = (self.place(target), self.expr(*value));
                vec![self.store(target, value)]
            }
            Op::Assign { target, value: Operand::Aggregate(source) } => {
                let ((into, ty), (from, _)) = (self.now(target), self.now(source));
                let mut ops = Vec::new();
                self.copy(into, from, ty, &mut ops);
                ops
            }
            Op::Input { target, source } => {
                let input = |target| Op::Input { target, source: source.clone() };
                match self.now(target).0 {
                    Now::Place(target) => vec![input(target)],
                    Now::Parts(part) => {
                        part.wholes().into_iter().map(|(part, ty)| input(Place::variable(part, ty))).collect()
                    }
                }
            }
            Op::Declare(variable) if let Some(part) = self.split.get(variable) => {
                part.wholes().into_iter().map(|(part, _)| Op::Declare(part)).collect()
            }
            Op::Discard(variable) if let Some(part) = self.split.get(variable) => {
                part.wholes().into_iter().map(|(part, _)| Op::Discard(part)).collect()
            }
            op => vec![self.op(op)],
        }
    }

    /// Where a place lies now, and its type by the path that leads to it.
    fn now(&mut self, place: &Place) -> (Now, TypeId) {
        let mut path = place.path.iter();
        let (mut part, mut ty) = match place.root {
            Root::Pointer { address, pointee } => {
                let root = Root::Pointer { address: self.expr(address), pointee };
                let path = path.map(|step| self.step(step)).collect();
                return (Now::Place(Place { root, path, ty: place.ty }), place.ty);
            }
            Root::Variable(variable) => match self.split.get(&variable) {
                Some(part) => (part.clone(), self.folder.program.variables[variable].ty),
                None => {
                    let path = path.map(|step| self.step(step)).collect();
                    return (Now::Place(Place { root: place.root.clone(), path, ty: place.ty }), place.ty);
                }
            },
        };
        while let SplitPart::Split(_) = part {
            let Some(step) = path.next() else { return (Now::Parts(part), ty) };
            let number = match step {
                Selector::Field(number) => *number,
                Selector::Index(index) => {
                    self.folder.turn_to_other_facts();
                    let index = self.folder.index_of(*index, &Facts::default());
                    index.expect("only arrays without computed indices are split") as u32
                }
            };
            ty = match self.folder.program.types.get(ty) {
                Type::Record(record) => record.fields[number as usize].ty,
                Type::Array { element, .. } => *element,
                Type::Scalar(_) | Type::Opaque => unreachable!("only aggregates are split"),
            };
            part = part.child(number).expect("a path leads to parts").clone();
        }
        let SplitPart::Whole { variable, ty: own } = part else { unreachable!("it is not split") };
        let path: Vec<Selector> = path.map(|step| self.step(step)).collect();
        // A bit-field has another type than before.
        let new = if path.is_empty() { own } else { place.ty };
        (Now::Place(Place { root: Root::Variable(variable), path, ty: new }), place.ty)
    }

    fn step(&mut self, step: &Selector) -> Selector {
        match step {
            Selector::Field(number) => Selector::Field(*number),
            Selector::Index(index) => Selector::Index(self.expr(*index)),
        }
    }

    /// A scalar is written, converted to the type of where it goes.
    fn store(&mut self, target: Place, value: ExprId) -> Op {
        let ty = self.folder.program.types.as_scalar(target.ty).expect("a scalar goes to a scalar");
        Op::Assign { target, value: Operand::Scalar(self.folder.program.exprs.cast(value, ty)) }
    }

    /// An aggregate of a type is copied, by parts where one of the two sides lies in parts.
    fn copy(&mut self, into: Now, from: Now, ty: TypeId, ops: &mut Vec<Op>) {
        if let (Now::Place(target), Now::Place(source)) = (&into, &from) {
            let (target, source) = (target.clone(), source.clone());
            ops.push(match self.folder.program.types.as_scalar(source.ty) {
                Some(scalar) => {
                    let value = self.folder.program.exprs.intern(ExprKind::Load(source), scalar);
                    self.store(target, value)
                }
                None => Op::Assign { target, value: Operand::Aggregate(source) },
            });
            return;
        }
        for (number, child) in children(&self.folder.program.types, ty) {
            let (into, from) = (self.child(&into, ty, number, child), self.child(&from, ty, number, child));
            self.copy(into, from, child, ops);
        }
    }

    /// The member or element of something.
    fn child(&mut self, of: &Now, ty: TypeId, number: u32, child: TypeId) -> Now {
        match of {
            Now::Parts(part) => part.child(number).expect("it has all children").clone().into(),
            Now::Place(place) => {
                let step = match self.folder.program.types.get(ty) {
                    Type::Record(_) => Selector::Field(number),
                    _ => {
                        let index = self.folder.program.types.pointer_int(false);
                        Selector::Index(self.folder.program.exprs.int(number, index))
                    }
                };
                let path = place.path.iter().cloned().chain([step]).collect();
                Now::Place(Place { root: place.root.clone(), path, ty: child })
            }
        }
    }
}

impl Rewrite for Promotion<'_> {
    fn expr(&mut self, expr: ExprId) -> ExprId {
        if let Some(&known) = self.known.get(&expr) {
            return known;
        }
        let new = stacker::maybe_grow(64 * 1024, 1024 * 1024, || {
            let Expr { mut kind, ty } = self.folder.program.exprs.get(expr).clone();
            if let ExprKind::Load(place) = kind {
                let place = self.place(&place);
                let own = self.folder.program.types.as_scalar(place.ty).expect("a scalar is loaded");
                let loaded = self.folder.program.exprs.intern(ExprKind::Load(place), own);
                return self.folder.program.exprs.cast(loaded, ty);
            }
            kind.operands_mut().into_iter().for_each(|operand| *operand = self.expr(*operand));
            self.folder.program.exprs.intern(kind, ty)
        });
        self.known.insert(expr, new);
        new
    }

    fn place(&mut self, place: &Place) -> Place {
        match self.now(place).0 {
            Now::Place(place) => place,
            Now::Parts(_) => unreachable!("what is used as a whole is not split"),
        }
    }
}
