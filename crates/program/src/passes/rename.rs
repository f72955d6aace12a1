//! Renames variables in expressions, places and operations.

use std::collections::HashMap;

use crate::cfa::{Allocation, Callee, Op, Operand};
use crate::expr::{ExprId, ExprKind, Exprs, Place, Root, Step};
use crate::model::VariableId;

/// A renaming of variables; those that are not in the map keep their names.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    variables: HashMap<VariableId, VariableId>,
    /// Expressions that were renamed before.
    known: HashMap<ExprId, ExprId>,
}

impl Renaming {
    /// A renaming.
    pub fn new(variables: HashMap<VariableId, VariableId>) -> Self {
        Self { variables, known: HashMap::new() }
    }

    /// The new name of a variable.
    pub fn variable(&self, variable: VariableId) -> VariableId {
        self.variables.get(&variable).copied().unwrap_or(variable)
    }

    /// An expression over the new names.
    pub fn expr(&mut self, exprs: &mut Exprs, expr: ExprId) -> ExprId {
        if self.variables.is_empty() {
            return expr;
        }
        if let Some(&renamed) = self.known.get(&expr) {
            return renamed;
        }
        let renamed = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.renamed(exprs, expr));
        self.known.insert(expr, renamed);
        renamed
    }

    fn renamed(&mut self, exprs: &mut Exprs, expr: ExprId) -> ExprId {
        let ty = exprs.ty(expr);
        let kind = match exprs.get(expr).kind.clone() {
            kind @ (ExprKind::Constant(_) | ExprKind::FunctionAddress(_)) => kind,
            ExprKind::Load(place) => ExprKind::Load(self.place(exprs, &place)),
            ExprKind::AddressOf(place) => ExprKind::AddressOf(self.place(exprs, &place)),
            ExprKind::Unary(op, a) => ExprKind::Unary(op, self.expr(exprs, a)),
            ExprKind::Binary(op, a, b) => ExprKind::Binary(op, self.expr(exprs, a), self.expr(exprs, b)),
            ExprKind::Compare(op, a, b) => ExprKind::Compare(op, self.expr(exprs, a), self.expr(exprs, b)),
            ExprKind::Not(a) => ExprKind::Not(self.expr(exprs, a)),
            ExprKind::And(a, b) => ExprKind::And(self.expr(exprs, a), self.expr(exprs, b)),
            ExprKind::Or(a, b) => ExprKind::Or(self.expr(exprs, a), self.expr(exprs, b)),
            ExprKind::If(c, a, b) => ExprKind::If(self.expr(exprs, c), self.expr(exprs, a), self.expr(exprs, b)),
            ExprKind::Cast(a) => ExprKind::Cast(self.expr(exprs, a)),
            ExprKind::PointerAdd { base, index, stride } => {
                ExprKind::PointerAdd { base: self.expr(exprs, base), index: self.expr(exprs, index), stride }
            }
            ExprKind::PointerDifference { left, right, stride } => {
                ExprKind::PointerDifference { left: self.expr(exprs, left), right: self.expr(exprs, right), stride }
            }
        };
        exprs.intern(kind, ty)
    }

    /// A place over the new names.
    pub fn place(&mut self, exprs: &mut Exprs, place: &Place) -> Place {
        let root = match place.root {
            Root::Variable(variable) => Root::Variable(self.variable(variable)),
            Root::Pointer { address, pointee } => Root::Pointer { address: self.expr(exprs, address), pointee },
        };
        let path = place
            .path
            .iter()
            .map(|step| match step {
                Step::Field(field) => Step::Field(*field),
                Step::Index(index) => Step::Index(self.expr(exprs, *index)),
            })
            .collect();
        Place { root, path, ty: place.ty }
    }

    /// What is written, passed or returned, over the new names.
    pub fn operand(&mut self, exprs: &mut Exprs, operand: &Operand) -> Operand {
        match operand {
            Operand::Scalar(value) => Operand::Scalar(self.expr(exprs, *value)),
            Operand::Aggregate(place) => Operand::Aggregate(self.place(exprs, place)),
        }
    }

    /// A callee over the new names.
    pub fn callee(&mut self, exprs: &mut Exprs, callee: &Callee) -> Callee {
        match callee {
            Callee::Function(function) => Callee::Function(*function),
            Callee::Pointer(address) => Callee::Pointer(self.expr(exprs, *address)),
        }
    }

    /// An operation over the new names.
    pub fn op(&mut self, exprs: &mut Exprs, op: &Op) -> Op {
        match op {
            Op::Skip => Op::Skip,
            Op::Assume(condition) => Op::Assume(self.expr(exprs, *condition)),
            Op::Assign { target, value } => {
                Op::Assign { target: self.place(exprs, target), value: self.operand(exprs, value) }
            }
            Op::Input { target, source } => Op::Input { target: self.place(exprs, target), source: source.clone() },
            Op::Havoc { address, reach, source } => {
                Op::Havoc { address: self.expr(exprs, *address), reach: reach.clone(), source: source.clone() }
            }
            Op::Declare(variable) => Op::Declare(self.variable(*variable)),
            Op::Discard(variable) => Op::Discard(self.variable(*variable)),
            Op::Call { callee, arguments, result } => Op::Call {
                callee: self.callee(exprs, callee),
                arguments: arguments.iter().map(|argument| self.operand(exprs, argument)).collect(),
                result: result.map(|variable| self.variable(variable)),
            },
            Op::Return(value) => Op::Return(value.as_ref().map(|value| self.operand(exprs, value))),
            Op::Allocate { target, size, contents } => Op::Allocate {
                target: self.variable(*target),
                size: self.expr(exprs, *size),
                contents: match contents {
                    Allocation::Resized(old) => Allocation::Resized(self.expr(exprs, *old)),
                    other => other.clone(),
                },
            },
            Op::Free(address) => Op::Free(self.expr(exprs, *address)),
            Op::CopyBytes { target, source, count, may_overlap } => Op::CopyBytes {
                target: self.expr(exprs, *target),
                source: self.expr(exprs, *source),
                count: self.expr(exprs, *count),
                may_overlap: *may_overlap,
            },
            Op::SetBytes { target, byte, count } => Op::SetBytes {
                target: self.expr(exprs, *target),
                byte: self.expr(exprs, *byte),
                count: self.expr(exprs, *count),
            },
            Op::End(kind) => Op::End(*kind),
            Op::Unreachable => Op::Unreachable,
            Op::Spawn { handle, function, argument } => Op::Spawn {
                handle: self.variable(*handle),
                function: self.callee(exprs, function),
                argument: self.expr(exprs, *argument),
            },
            Op::Join { thread, result } => {
                Op::Join { thread: self.expr(exprs, *thread), result: self.variable(*result) }
            }
            Op::ExitThread(value) => Op::ExitThread(self.expr(exprs, *value)),
            Op::InitLock(mutex) => Op::InitLock(self.expr(exprs, *mutex)),
            Op::Lock(mutex) => Op::Lock(self.expr(exprs, *mutex)),
            Op::TryLock { mutex, taken } => {
                Op::TryLock { mutex: self.expr(exprs, *mutex), taken: self.variable(*taken) }
            }
            Op::Unlock(mutex) => Op::Unlock(self.expr(exprs, *mutex)),
            Op::AtomicBegin => Op::AtomicBegin,
            Op::AtomicEnd => Op::AtomicEnd,
        }
    }
}
