//! Other places and expressions in all operations of a program.

use std::collections::HashMap;

use foundation::Id;
use program::{Allocation, Callee, ExprId, ExprKind, Initial, Op, Operand, Place, Program, Root, Step, VariableKind};

use super::Plain;

/// What stands for a place or an expression whose operands were changed already.
pub(super) trait Change {
    /// The place that stands for one.
    fn place(&self, program: &mut Program, place: Place) -> Place;

    /// The expression that stands for one; none if it stays.
    fn expr(&self, _program: &mut Program, _kind: &ExprKind) -> Option<ExprId> {
        None
    }
}

impl Plain {
    /// Changes all places and expressions.
    pub(super) fn change(&mut self, change: &dyn Change) {
        let program = &mut self.prepared.program;
        // Operands come before the expressions over them.
        let mut new: Vec<ExprId> = Vec::with_capacity(program.exprs.len());
        for index in 0..program.exprs.len() {
            let old = program.exprs.get(ExprId::from_index(index)).clone();
            let to = |expr: ExprId| new[expr.index()];
            let kind = match old.kind {
                ExprKind::Load(place) => ExprKind::Load(changed_place(program, change, &place, &to)),
                ExprKind::AddressOf(place) => ExprKind::AddressOf(changed_place(program, change, &place, &to)),
                ExprKind::Unary(op, operand) => ExprKind::Unary(op, to(operand)),
                ExprKind::Binary(op, left, right) => ExprKind::Binary(op, to(left), to(right)),
                ExprKind::Compare(op, left, right) => ExprKind::Compare(op, to(left), to(right)),
                ExprKind::Not(operand) => ExprKind::Not(to(operand)),
                ExprKind::And(left, right) => ExprKind::And(to(left), to(right)),
                ExprKind::Or(left, right) => ExprKind::Or(to(left), to(right)),
                ExprKind::If(condition, then, otherwise) => ExprKind::If(to(condition), to(then), to(otherwise)),
                ExprKind::Cast(operand) => ExprKind::Cast(to(operand)),
                ExprKind::PointerAdd { base, index, stride } => {
                    ExprKind::PointerAdd { base: to(base), index: to(index), stride }
                }
                ExprKind::PointerDifference { left, right, stride } => {
                    ExprKind::PointerDifference { left: to(left), right: to(right), stride }
                }
                kind @ (ExprKind::Constant(_) | ExprKind::FunctionAddress(_)) => kind,
            };
            let expr = change.expr(program, &kind);
            new.push(expr.unwrap_or_else(|| program.exprs.intern(kind, old.ty)));
        }
        let to = |expr: ExprId| new[expr.index()];
        for edge in program.edges.ids().collect::<Vec<_>>() {
            let op = program.edges[edge].op.clone();
            program.edges[edge].op = changed_op(program, change, &op, &to);
        }
        for variable in program.variables.ids().collect::<Vec<_>>() {
            if let VariableKind::Global { initial: Initial::Values(items), .. }
            | VariableKind::Literal { initial: Initial::Values(items) } = &mut program.variables[variable].kind
            {
                items.iter_mut().for_each(|item| item.value = to(item.value));
            }
        }
        let changed: HashMap<ExprId, ExprId> = self.atoms.iter().map(|(&atom, &now)| (atom, to(now))).collect();
        self.atoms = changed;
    }
}

fn changed_place(program: &mut Program, change: &dyn Change, place: &Place, to: &dyn Fn(ExprId) -> ExprId) -> Place {
    let root = match place.root {
        Root::Variable(variable) => Root::Variable(variable),
        Root::Pointer { address, pointee } => Root::Pointer { address: to(address), pointee },
    };
    let step = |step: &Step| match step {
        Step::Field(number) => Step::Field(*number),
        Step::Index(index) => Step::Index(to(*index)),
    };
    let path = place.path.iter().map(step).collect();
    change.place(program, Place { root, path, ty: place.ty })
}

fn changed_op(program: &mut Program, change: &dyn Change, op: &Op, to: &dyn Fn(ExprId) -> ExprId) -> Op {
    let mut op = op.clone();
    let mut place = |place: &mut Place| *place = changed_place(program, change, place, to);
    let mut operand = |operand: &mut Operand| match operand {
        Operand::Scalar(value) => *value = to(*value),
        Operand::Aggregate(of) => place(of),
    };
    let callee = |callee: &mut Callee| {
        if let Callee::Pointer(address) = callee {
            *address = to(*address);
        }
    };
    match &mut op {
        Op::Skip
        | Op::Declare(_)
        | Op::Discard(_)
        | Op::Return(None)
        | Op::AtomicBegin
        | Op::AtomicEnd
        | Op::End(_)
        | Op::Unreachable => {}
        Op::Assume(expr)
        | Op::Free(expr)
        | Op::Join { thread: expr, .. }
        | Op::ExitThread(expr)
        | Op::InitLock(expr)
        | Op::Lock(expr)
        | Op::TryLock { mutex: expr, .. }
        | Op::Unlock(expr)
        | Op::Havoc { address: expr, .. } => *expr = to(*expr),
        Op::Assign { target, value } => {
            operand(value);
            place(target);
        }
        Op::Input { target, .. } => place(target),
        Op::Call { callee: called, arguments, .. } => {
            callee(called);
            arguments.iter_mut().for_each(operand);
        }
        Op::Return(Some(value)) => operand(value),
        Op::Allocate { size, contents, .. } => {
            *size = to(*size);
            if let Allocation::Resized(old) = contents {
                *old = to(*old);
            }
        }
        Op::CopyBytes { target, source, count, .. } => {
            [target, source, count].into_iter().for_each(|expr| *expr = to(*expr));
        }
        Op::SetBytes { target, byte, count } => {
            [target, byte, count].into_iter().for_each(|expr| *expr = to(*expr));
        }
        Op::Spawn { function, argument, .. } => {
            callee(function);
            *argument = to(*argument);
        }
    }
    op
}

/// The places that an operation writes, or copies as a whole.
pub(super) fn places_of(op: &Op) -> Vec<&Place> {
    let of_operand = |operand| match operand {
        &Operand::Scalar(_) => None,
        Operand::Aggregate(place) => Some(place),
    };
    match op {
        Op::Assign { target, value } => [target].into_iter().chain(of_operand(value)).collect(),
        Op::Input { target, .. } => vec![target],
        Op::Call { arguments, .. } => arguments.iter().filter_map(of_operand).collect(),
        Op::Return(Some(value)) => of_operand(value).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The expressions that an operation evaluates itself, without their operands.
pub(super) fn expressions_of(op: &Op) -> Vec<ExprId> {
    let mut found: Vec<ExprId> = places_of(op).into_iter().flat_map(Place::operands).collect();
    let mut operand = |operand: &Operand| {
        if let Operand::Scalar(value) = operand {
            found.push(*value);
        }
    };
    match op {
        Op::Skip
        | Op::Declare(_)
        | Op::Discard(_)
        | Op::Return(None)
        | Op::AtomicBegin
        | Op::AtomicEnd
        | Op::End(_)
        | Op::Unreachable
        | Op::Input { .. } => {}
        Op::Assume(expr)
        | Op::Free(expr)
        | Op::Join { thread: expr, .. }
        | Op::ExitThread(expr)
        | Op::InitLock(expr)
        | Op::Lock(expr)
        | Op::TryLock { mutex: expr, .. }
        | Op::Unlock(expr)
        | Op::Havoc { address: expr, .. } => found.push(*expr),
        Op::Assign { value, .. } | Op::Return(Some(value)) => operand(value),
        Op::Call { callee, arguments, .. } => {
            arguments.iter().for_each(operand);
            found.extend(address(callee));
        }
        Op::Allocate { size, contents, .. } => {
            found.push(*size);
            if let Allocation::Resized(old) = contents {
                found.push(*old);
            }
        }
        Op::CopyBytes { target, source, count, .. } => found.extend([*target, *source, *count]),
        Op::SetBytes { target, byte, count } => found.extend([*target, *byte, *count]),
        Op::Spawn { function, argument, .. } => {
            found.push(*argument);
            found.extend(address(function));
        }
    }
    found
}

fn address(callee: &Callee) -> Option<ExprId> {
    match callee {
        Callee::Function(_) => None,
        Callee::Pointer(address) => Some(*address),
    }
}
