//! Facts about expressions and operations that need no fixpoint: what they read, and whether evaluating them can stop a
//! run.
//!
//! Expressions are hash-consed and an operand's id is smaller than that of any expression over it, so one pass in the
//! order of ids finds the facts about all of them.

use std::collections::HashSet;

use foundation::Id;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use program::{
    Allocation, BinaryOp, Callee, Constant, ExprId, ExprKind, Op, Operand, Place, Program, Root, Scalar, Step, Type,
    UnaryOp, VariableId,
};

/// An expression with more operands than this, counted as a tree, is not evaluated by analyses.
const LARGEST_TREE: u32 = 20_000;

/// Facts about all expressions of a program.
#[derive(Clone, Debug)]
pub struct Expressions {
    total: Vec<bool>,
    silent: Vec<bool>,
    size: Vec<u32>,
}

impl Expressions {
    /// The facts about a program's expressions.
    pub fn new(program: &Program) -> Self {
        let count = program.exprs.len();
        let mut facts = Self { total: Vec::new(), silent: Vec::new(), size: Vec::new() };
        for index in 0..count {
            let id = ExprId::from_index(index);
            let operands = program.exprs.operands(id);
            let size = operands.iter().fold(1u32, |size, operand| size.saturating_add(facts.size[operand.index()]));
            let total = operands.iter().all(|operand| facts.is_total(*operand)) && own_total(program, id);
            let silent =
                total && operands.iter().all(|operand| facts.is_silent(*operand)) && !may_overflow(program, id);
            facts.size.push(size);
            facts.total.push(total);
            facts.silent.push(silent);
        }
        facts
    }

    /// Whether an expression can be evaluated in every state: nothing in it can be undefined.
    pub fn is_total(&self, expr: ExprId) -> bool {
        self.total[expr.index()]
    }

    /// Whether evaluating an expression shows nothing but its value: it is total and no signed integer can overflow.
    pub fn is_silent(&self, expr: ExprId) -> bool {
        self.silent[expr.index()]
    }

    /// Whether an expression is small enough to be walked through as a tree.
    pub fn is_small(&self, expr: ExprId) -> bool {
        self.size[expr.index()] <= LARGEST_TREE
    }

    /// Whether an edge with this operation is always taken to its end once it is begun, without ending the run, waiting,
    /// asking for anything but input, or entering a function.
    pub fn is_total_op(&self, program: &Program, op: &Op) -> bool {
        let place = |place: &Place| is_total_place(program, place);
        match op {
            Op::Skip | Op::Declare(_) | Op::Discard(_) => true,
            Op::Assume(condition) => self.is_total(*condition),
            Op::Assign { target, value } => {
                place(target)
                    && match value {
                        Operand::Scalar(value) => self.is_total(*value),
                        Operand::Aggregate(source) => place(source),
                    }
            }
            Op::Input { target, .. } => place(target),
            _ => false,
        }
    }
}

/// What an operation evaluates and reads.
#[derive(Clone, Debug, Default)]
pub struct Evaluated<'p> {
    /// The expressions, those inside of places included, in the order in which they are evaluated.
    pub expressions: Vec<ExprId>,
    /// The places of array or record type whose contents are read.
    pub aggregates: Vec<&'p Place>,
    /// Whether memory is read through a pointer beyond what the expressions do.
    pub through_pointer: bool,
}

/// What an operation evaluates and reads.
pub fn evaluated(op: &Op) -> Evaluated<'_> {
    let mut all = Evaluated::default();
    let operand = |all: &mut Evaluated<'_>, operand: &Operand| {
        if let Operand::Scalar(expr) = operand {
            all.expressions.push(*expr);
        }
    };
    match op {
        Op::Skip | Op::Declare(_) | Op::Discard(_) | Op::End(_) | Op::Unreachable | Op::AtomicBegin | Op::AtomicEnd => {
        }
        Op::Assume(expr)
        | Op::Free(expr)
        | Op::Join { thread: expr, .. }
        | Op::ExitThread(expr)
        | Op::InitLock(expr)
        | Op::Lock(expr)
        | Op::TryLock { mutex: expr, .. }
        | Op::Unlock(expr) => all.expressions.push(*expr),
        Op::Assign { target, value } => {
            all.expressions.extend(target.operands());
            operand(&mut all, value);
        }
        Op::Input { target, .. } => all.expressions.extend(target.operands()),
        Op::Call { callee, arguments, .. } => {
            arguments.iter().for_each(|argument| operand(&mut all, argument));
            all.expressions.extend(callee_address(callee));
        }
        Op::Return(value) => value.iter().for_each(|value| operand(&mut all, value)),
        Op::Allocate { size, contents, .. } => {
            all.expressions.push(*size);
            if let Allocation::Resized(old) = contents {
                all.expressions.push(*old);
                all.through_pointer = true;
            }
        }
        Op::CopyBytes { target, source, count, .. } => {
            all.expressions.extend([*target, *source, *count]);
            all.through_pointer = true;
        }
        Op::Havoc { address, .. } => {
            all.expressions.push(*address);
            all.through_pointer = true;
        }
        Op::SetBytes { target, byte, count } => all.expressions.extend([*target, *byte, *count]),
        Op::Spawn { function, argument, .. } => {
            all.expressions.extend(callee_address(function));
            all.expressions.push(*argument);
        }
    }
    for operand in operands(op) {
        if let Operand::Aggregate(place) = operand {
            all.expressions.extend(place.operands());
            all.aggregates.push(place);
        }
    }
    all
}

/// The variable that an operation writes as a whole, if it writes one.
pub fn written_variable(op: &Op) -> Option<VariableId> {
    match op {
        Op::Assign { target, .. } | Op::Input { target, .. } => target.as_variable(),
        Op::Call { result, .. } => *result,
        Op::Allocate { target: variable, .. }
        | Op::Spawn { handle: variable, .. }
        | Op::Join { result: variable, .. }
        | Op::TryLock { taken: variable, .. } => Some(*variable),
        _ => None,
    }
}

/// Shows all variables that an expression reads directly; whether it also reads through a pointer.
pub fn variables_read(program: &Program, expr: ExprId, show: &mut dyn FnMut(VariableId)) -> bool {
    let mut through_pointer = false;
    let mut open = vec![expr];
    let mut seen = HashSet::new();
    while let Some(expr) = open.pop() {
        if !seen.insert(expr) {
            continue;
        }
        if let ExprKind::Load(place) = &program.exprs.get(expr).kind {
            match place.root {
                Root::Variable(variable) => show(variable),
                Root::Pointer { .. } => through_pointer = true,
            }
        }
        open.extend(program.exprs.operands(expr));
    }
    through_pointer
}

/// Shows all variables that an operation reads directly; whether it also reads through a pointer.
pub fn variables_read_by(program: &Program, op: &Op, show: &mut dyn FnMut(VariableId)) -> bool {
    let Evaluated { expressions, aggregates, mut through_pointer } = evaluated(op);
    for expr in expressions {
        through_pointer |= variables_read(program, expr, show);
    }
    for place in aggregates {
        match place.root {
            Root::Variable(variable) => show(variable),
            Root::Pointer { .. } => through_pointer = true,
        }
    }
    through_pointer
}

/// The operands of an assignment, a call or a return.
fn operands(op: &Op) -> Vec<&Operand> {
    match op {
        Op::Assign { value, .. } => vec![value],
        Op::Call { arguments, .. } => arguments.iter().collect(),
        Op::Return(value) => value.iter().collect(),
        _ => Vec::new(),
    }
}

fn callee_address(callee: &Callee) -> Option<ExprId> {
    match callee {
        Callee::Function(_) => None,
        Callee::Pointer(address) => Some(*address),
    }
}

/// Whether an expression whose operands can be evaluated can be evaluated itself.
fn own_total(program: &Program, id: ExprId) -> bool {
    let exprs = &program.exprs;
    let expr = exprs.get(id);
    let constant = |operand: ExprId| match &exprs.get(operand).kind {
        ExprKind::Constant(Constant::Int(value)) => Some(value),
        _ => None,
    };
    match &expr.kind {
        ExprKind::Constant(_)
        | ExprKind::FunctionAddress(_)
        | ExprKind::Unary(..)
        | ExprKind::Not(_)
        | ExprKind::And(..)
        | ExprKind::Or(..)
        | ExprKind::If(..) => true,
        ExprKind::Load(place) | ExprKind::AddressOf(place) => is_total_place(program, place),
        ExprKind::Binary(op, _, right) => match (op, expr.ty) {
            (BinaryOp::Divide | BinaryOp::Remainder, Scalar::Int(_)) => {
                constant(*right).is_some_and(|divisor| !divisor.is_zero() && *divisor != -BigInt::one())
            }
            (BinaryOp::ShiftLeft | BinaryOp::ShiftRight, Scalar::Int(ty)) => {
                constant(*right).is_some_and(|count| *count >= BigInt::zero() && *count < BigInt::from(ty.bits))
            }
            _ => true,
        },
        // A pointer to an object whose lifetime has ended may be copied, nothing else.
        ExprKind::Compare(_, left, _) => exprs.ty(*left) != Scalar::Pointer,
        ExprKind::Cast(operand) => match (exprs.ty(*operand), expr.ty) {
            (Scalar::Float(_), Scalar::Int(_)) => false,
            (Scalar::Pointer, to) => to == Scalar::Pointer,
            _ => true,
        },
        ExprKind::PointerAdd { .. } | ExprKind::PointerDifference { .. } => false,
    }
}

/// Whether an operation may overflow a signed type, its operands aside.
fn may_overflow(program: &Program, id: ExprId) -> bool {
    let expr = program.exprs.get(id);
    let signed = matches!(expr.ty, Scalar::Int(ty) if ty.signed);
    signed
        && match expr.kind {
            ExprKind::Unary(op, _) => op == UnaryOp::Negate,
            ExprKind::Binary(op, ..) => {
                matches!(op, BinaryOp::Add | BinaryOp::Subtract | BinaryOp::Multiply | BinaryOp::ShiftLeft)
            }
            ExprKind::PointerDifference { .. } => true,
            _ => false,
        }
}

/// Whether a place can be accessed in every state in which its operands can be evaluated: it is a part of a variable
/// that no index can miss, and no member of a union, which ideal integers cannot always read.
fn is_total_place(program: &Program, place: &Place) -> bool {
    let Root::Variable(variable) = place.root else { return false };
    let mut ty = program.variables[variable].ty;
    for step in &place.path {
        match (step, program.types.get(ty)) {
            (Step::Field(number), Type::Record(record)) if !record.is_union => ty = record.fields[*number as usize].ty,
            (Step::Index(index), Type::Array { element, length }) => {
                let inside = match &program.exprs.get(*index).kind {
                    ExprKind::Constant(Constant::Int(index)) => {
                        *index >= BigInt::zero() && *index < BigInt::from(*length)
                    }
                    _ => false,
                };
                if !inside {
                    return false;
                }
                ty = *element;
            }
            _ => return false,
        }
    }
    true
}
