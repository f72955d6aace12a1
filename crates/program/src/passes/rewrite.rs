//! Operations over other expressions and places: what passes that change these have in common.

use crate::cfa::{Allocation, Callee, Op, Operand};
use crate::expr::{ExprId, ExprKind, Place, Root, Step};

/// A change of expressions and places.
pub(super) trait Rewrite {
    /// What stands for an expression.
    fn expr(&mut self, expr: ExprId) -> ExprId;
    /// What stands for a place that is written, or read as a whole.
    fn place(&mut self, place: &Place) -> Place;

    /// What stands for an operand.
    fn operand(&mut self, operand: &Operand) -> Operand {
        match operand {
            Operand::Scalar(value) => Operand::Scalar(self.expr(*value)),
            Operand::Aggregate(place) => Operand::Aggregate(self.place(place)),
        }
    }

    /// What stands for an operation. Variables that it names stay.
    fn op(&mut self, op: &Op) -> Op {
        let callee = |this: &mut Self, callee: &Callee| match callee {
            Callee::Function(function) => Callee::Function(*function),
            Callee::Pointer(address) => Callee::Pointer(this.expr(*address)),
        };
        match op {
            Op::Assume(condition) => Op::Assume(self.expr(*condition)),
            Op::Assign { target, value } => Op::Assign { target: self.place(target), value: self.operand(value) },
            Op::Input { target, source } => Op::Input { target: self.place(target), source: source.clone() },
            Op::Havoc { address, reach, source } => {
                Op::Havoc { address: self.expr(*address), reach: reach.clone(), source: source.clone() }
            }
            Op::Call { callee: called, arguments, result } => Op::Call {
                callee: callee(self, called),
                arguments: arguments.iter().map(|argument| self.operand(argument)).collect(),
                result: *result,
            },
            Op::Return(value) => Op::Return(value.as_ref().map(|value| self.operand(value))),
            Op::Allocate { target, size, contents } => Op::Allocate {
                target: *target,
                size: self.expr(*size),
                contents: match contents {
                    Allocation::Resized(old) => Allocation::Resized(self.expr(*old)),
                    other => other.clone(),
                },
            },
            Op::CopyBytes { target, source, count, may_overlap } => Op::CopyBytes {
                target: self.expr(*target),
                source: self.expr(*source),
                count: self.expr(*count),
                may_overlap: *may_overlap,
            },
            Op::SetBytes { target, byte, count } => {
                Op::SetBytes { target: self.expr(*target), byte: self.expr(*byte), count: self.expr(*count) }
            }
            Op::Spawn { handle, function, argument } => {
                Op::Spawn { handle: *handle, function: callee(self, function), argument: self.expr(*argument) }
            }
            Op::Free(address) => Op::Free(self.expr(*address)),
            Op::Join { thread, result } => Op::Join { thread: self.expr(*thread), result: *result },
            Op::ExitThread(value) => Op::ExitThread(self.expr(*value)),
            Op::InitLock(mutex) => Op::InitLock(self.expr(*mutex)),
            Op::Lock(mutex) => Op::Lock(self.expr(*mutex)),
            Op::TryLock { mutex, taken } => Op::TryLock { mutex: self.expr(*mutex), taken: *taken },
            Op::Unlock(mutex) => Op::Unlock(self.expr(*mutex)),
            op @ (Op::Skip
            | Op::Declare(_)
            | Op::Discard(_)
            | Op::End(_)
            | Op::Unreachable
            | Op::AtomicBegin
            | Op::AtomicEnd) => op.clone(),
        }
    }
}

/// An operation on other operands, in the order of [`crate::expr::Exprs::operands`].
pub(super) fn with_operands(kind: ExprKind, operands: &[ExprId]) -> ExprKind {
    match (kind, operands) {
        (ExprKind::Unary(op, _), &[operand]) => ExprKind::Unary(op, operand),
        (ExprKind::Not(_), &[operand]) => ExprKind::Not(operand),
        (ExprKind::Cast(_), &[operand]) => ExprKind::Cast(operand),
        (ExprKind::Binary(op, ..), &[left, right]) => ExprKind::Binary(op, left, right),
        (ExprKind::Compare(op, ..), &[left, right]) => ExprKind::Compare(op, left, right),
        (ExprKind::And(..), &[left, right]) => ExprKind::And(left, right),
        (ExprKind::Or(..), &[left, right]) => ExprKind::Or(left, right),
        (ExprKind::If(..), &[condition, then, otherwise]) => ExprKind::If(condition, then, otherwise),
        (ExprKind::PointerAdd { stride, .. }, &[base, index]) => ExprKind::PointerAdd { base, index, stride },
        (ExprKind::PointerDifference { stride, .. }, &[left, right]) => {
            ExprKind::PointerDifference { left, right, stride }
        }
        (ExprKind::Load(place), operands) => ExprKind::Load(place_with_operands(place, operands)),
        (ExprKind::AddressOf(place), operands) => ExprKind::AddressOf(place_with_operands(place, operands)),
        (kind, _) => kind,
    }
}

fn place_with_operands(place: Place, operands: &[ExprId]) -> Place {
    let mut operands = operands.iter().copied();
    let mut next = || operands.next().expect("as many operands as before");
    let root = match place.root {
        Root::Variable(variable) => Root::Variable(variable),
        Root::Pointer { pointee, .. } => Root::Pointer { address: next(), pointee },
    };
    let path = place
        .path
        .into_iter()
        .map(|step| match step {
            Step::Field(field) => Step::Field(field),
            Step::Index(_) => Step::Index(next()),
        })
        .collect();
    Place { root, path, ty: place.ty }
}
