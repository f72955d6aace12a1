//! Structures and arrays that are copied become assignments of their scalars, one after the other.
//!
//! What is copied is of one type, so source and target are the same or have nothing in common; and no index on the way to
//! them may read what is written. Only the last assignment is observed. A part that holds nothing yet is copied as such by
//! the interpreter, while reading it alone asks for a value: whoever explores this program must not ask for one there, nor
//! assume one.

use std::collections::BTreeSet;

use program::{ExprId, ExprKind, IntType, Op, Operand, Place, Program, Root, Scalar, Selector, Type, TypeId};

use super::Plain;
use crate::control::variables_in;

/// What has more scalars than this is not copied one by one.
const MOST_SCALARS: usize = 64;

impl Plain {
    /// Copies scalar by scalar.
    pub(super) fn expand_copies(&mut self) {
        for edge in self.program().edges.ids().collect::<Vec<_>>() {
            let Op::Assign { target, value: Operand::Aggregate(source) } = self.program().edges[edge].op.clone() else {
                continue;
            };
            let (Root::Variable(written), Root::Variable(_)) = (&target.root, &source.root) else { continue };
            let mut read = BTreeSet::new();
            for operand in target.operands().into_iter().chain(source.operands()) {
                variables_in(self.program(), operand, &mut read);
            }
            if read.contains(written) || target.ty != source.ty {
                continue;
            }
            let program = &mut self.prepared.program;
            let Some(scalars) = scalars(program, target.ty) else { continue };
            let ops = scalars.into_iter().map(|(path, ty, scalar)| {
                let inside = |place: &Place| {
                    let path = place.path.iter().cloned().chain(path.iter().cloned()).collect();
                    Place { root: place.root.clone(), path, ty }
                };
                let value = program.exprs.intern(ExprKind::Load(inside(&source)), scalar);
                Op::Assign { target: inside(&target), value: Operand::Scalar(value) }
            });
            let ops: Vec<Op> = ops.collect();
            if !ops.is_empty() {
                self.replace(edge, ops);
            }
        }
    }
}

/// The scalars of a type, and the ways to them; none if they are too many, or share bits.
fn scalars(program: &mut Program, ty: TypeId) -> Option<Vec<(Vec<Selector>, TypeId, Scalar)>> {
    match program.types.get(ty).clone() {
        Type::Scalar(scalar) => Some(vec![(Vec::new(), ty, scalar)]),
        Type::Opaque => None,
        Type::Array { element, length } => {
            let inner = scalars(program, element)?;
            let count = usize::try_from(length).ok().filter(|length| *length > 1)?.checked_mul(inner.len())?;
            if count > MOST_SCALARS {
                return None;
            }
            let indices: Vec<ExprId> = (0..length).map(|index| program.exprs.int(index, IntType::signed(64))).collect();
            let element = |index: ExprId| inner.iter().map(move |scalar| behind(Selector::Index(index), scalar));
            Some(indices.into_iter().flat_map(element).collect())
        }
        Type::Record(record) => {
            if record.is_union || record.fields.iter().any(|field| field.bit_width.is_some()) {
                return None;
            }
            let mut found = Vec::new();
            for (number, field) in (0..).zip(&record.fields) {
                let inner = scalars(program, field.ty)?;
                found.extend(inner.iter().map(|scalar| behind(Selector::Field(number), scalar)));
            }
            Some(found).filter(|found| found.len() <= MOST_SCALARS)
        }
    }
}

fn behind(step: Selector, (path, ty, scalar): &(Vec<Selector>, TypeId, Scalar)) -> (Vec<Selector>, TypeId, Scalar) {
    (std::iter::once(step).chain(path.iter().cloned()).collect(), *ty, *scalar)
}
