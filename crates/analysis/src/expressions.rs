//! Facts about expressions and operations that need no fixpoint: what they read, and whether evaluating them can stop a
//! run.
//!
//! Expressions are hash-consed and an operand's id is smaller than that of any expression over it, so one pass in the
//! order of ids finds the facts about all of them.

use foundation::Id;
use num_bigint::BigInt;
use num_traits::{One, Zero};
use program::{
    Access, BinaryOp, Constant, ExprId, ExprKind, Op, Operand, Place, Program, Root, Scalar, Selector, Type, UnaryOp,
    VariableId,
};

/// An expression with more operands than this, counted as a tree, is not evaluated by analyses.
const LARGEST_TREE_OPERANDS: u32 = 20_000;

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
        self.size[expr.index()] <= LARGEST_TREE_OPERANDS
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

/// Shows all variables that an expression reads directly; whether it also reads through a pointer.
pub fn variables_read(program: &Program, expr: ExprId, show: &mut dyn FnMut(VariableId)) -> bool {
    let mut through_pointer = false;
    for expr in program.exprs.below([expr]) {
        if let ExprKind::Load(place) = &program.exprs.get(expr).kind {
            through_pointer |= is_through_pointer(place, show);
        }
    }
    through_pointer
}

/// Shows all variables that an operation reads directly; whether it also reads through a pointer.
pub fn variables_read_by(program: &Program, op: &Op, show: &mut dyn FnMut(VariableId)) -> bool {
    // How much is chosen where a pointer leads depends on what was chosen there before.
    let mut through_pointer = op.accesses_memory(Access::reads) || matches!(op, Op::Havoc { .. });
    for expr in op.expressions() {
        through_pointer |= variables_read(program, expr, show);
    }
    for place in op.places_read() {
        through_pointer |= is_through_pointer(place, show);
    }
    through_pointer
}

/// Shows the variable that a place is a part of; whether it lies behind a pointer instead.
fn is_through_pointer(place: &Place, show: &mut dyn FnMut(VariableId)) -> bool {
    match place.root {
        Root::Variable(variable) => show(variable),
        Root::Pointer { .. } => return true,
    }
    false
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
            (Selector::Field(number), Type::Record(record)) if !record.is_union => {
                ty = record.fields[*number as usize].ty
            }
            (Selector::Index(index), Type::Array { element, length }) => {
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
