//! Sets of states, each a box: what expressions can be in them, and what conditions leave of them.

use foundation::Id;
use num_traits::ToPrimitive;
use program::semantics::Integers;
use program::{
    BinaryOp, Callee, CompareOp, Constant, ExprId, ExprKind, Op, Operand, Place, Program, Root, Scalar, Selector, Type,
    UnaryOp,
};

use super::numbers::{Numbers, range};
use super::parts::Parts;

/// By part: what it can hold.
pub(super) type States = Vec<Numbers>;

/// Expressions with more operands than this are not looked into.
const LARGEST_TREE_OPERANDS: u32 = 20_000;

/// Evaluates expressions.
pub(super) struct Reader<'p> {
    pub program: &'p Program,
    pub integers: Integers,
    pub parts: Parts,
    /// By expression: how many operands it has, counted as a tree; and whether nothing in it can be undefined.
    sizes: Vec<u32>,
    total: Vec<bool>,
}

impl<'p> Reader<'p> {
    /// Of a program with these atoms.
    pub fn new(program: &'p Program, atoms: &[ExprId], integers: Integers) -> Self {
        let parts = Parts::new(program, atoms);
        let mut reader = Self { program, integers, parts, sizes: Vec::new(), total: Vec::new() };
        for index in 0..program.exprs.len() {
            let expr = ExprId::from_index(index);
            let operands = program.exprs.operands(expr);
            let size = operands.iter().fold(1_u32, |sum, it| sum.saturating_add(reader.sizes[it.index()]));
            let is_total = operands.iter().all(|it| reader.total[it.index()]) && reader.is_always_defined(expr);
            reader.sizes.push(size);
            reader.total.push(is_total);
        }
        reader
    }

    /// Whether an operation is defined whatever its operands are.
    fn is_always_defined(&self, expr: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let has_indices = |place: &Place| place.path.iter().any(|step| matches!(step, Selector::Index(_)));
        match &exprs.get(expr).kind {
            ExprKind::Constant(_) | ExprKind::Unary(..) | ExprKind::Not(_) => true,
            ExprKind::And(..) | ExprKind::Or(..) | ExprKind::If(..) => true,
            ExprKind::Load(place) => !has_indices(place) && self.parts.of_place(self.program, place).is_some(),
            ExprKind::Binary(op, _, right) => {
                let divides = matches!(op, BinaryOp::Divide | BinaryOp::Remainder);
                let shifts = matches!(op, BinaryOp::ShiftLeft | BinaryOp::ShiftRight);
                match self.constant(*right) {
                    Some(divisor) if divides => divisor > 0,
                    Some(count) if shifts => count >= 0 && bits(exprs.ty(expr)).is_some_and(|bits| count < bits),
                    _ => !divides && !shifts,
                }
            }
            ExprKind::Compare(_, left, _) => is_number(exprs.ty(*left)),
            ExprKind::Cast(operand) => is_number(exprs.ty(*operand)),
            _ => false,
        }
    }

    /// The number that an expression is written as.
    fn constant(&self, expr: ExprId) -> Option<i128> {
        match &self.program.exprs.get(expr).kind {
            ExprKind::Constant(Constant::Int(value)) => value.to_i128(),
            ExprKind::Constant(Constant::Bool(value)) => Some(i128::from(*value)),
            _ => None,
        }
    }

    /// Whether an expression is small enough to be gone through as a tree.
    pub fn is_looked_into(&self, expr: ExprId) -> bool {
        self.sizes[expr.index()] <= LARGEST_TREE_OPERANDS
    }

    /// What an expression can be; truth values are 0 and 1.
    pub fn values(&self, expr: ExprId, states: &States) -> Numbers {
        let exprs = &self.program.exprs;
        let contents = exprs.get(expr);
        let anything = || Numbers::of_type(contents.ty, self.integers);
        if !self.is_looked_into(expr) {
            return anything();
        }
        let values = |operand: ExprId| stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.values(operand, states));
        match (&contents.kind, contents.ty) {
            (ExprKind::Constant(_), Scalar::Int(_) | Scalar::Bool) => {
                self.constant(expr).map_or(Numbers::ALL, |value| Numbers::between(value, value))
            }
            (ExprKind::Load(place), Scalar::Int(_) | Scalar::Bool) => {
                let part = self.parts.of_scalar(self.program, place);
                part.map_or_else(anything, |part| states[part].clone())
            }
            (ExprKind::Unary(op, operand), Scalar::Int(ty)) => {
                let from = Numbers::One(if *op == UnaryOp::Negate { 0 } else { -1 });
                Numbers::operation(BinaryOp::Subtract, ty, self.integers, &from, &values(*operand))
            }
            (ExprKind::Binary(op, left, right), Scalar::Int(ty)) => {
                Numbers::operation(*op, ty, self.integers, &values(*left), &values(*right))
            }
            (ExprKind::Compare(..) | ExprKind::Not(_) | ExprKind::And(..) | ExprKind::Or(..), _) => {
                let (may_be_false, may_be_true) = self.truth(expr, states);
                Numbers::truth(may_be_false, may_be_true)
            }
            (ExprKind::If(condition, then, otherwise), _) => match self.truth(*condition, states) {
                (true, true) => values(*then).join(&values(*otherwise)),
                (false, true) => values(*then),
                (true, false) => values(*otherwise),
                (false, false) => Numbers::NONE,
            },
            (ExprKind::Cast(operand), Scalar::Bool) if is_number(exprs.ty(*operand)) => {
                let (may_be_false, may_be_true) =
                    Numbers::compared(CompareOp::NotEqual, &values(*operand), &Numbers::One(0));
                Numbers::truth(may_be_false, may_be_true)
            }
            (ExprKind::Cast(operand), Scalar::Int(ty)) if is_number(exprs.ty(*operand)) => {
                values(*operand).converted(ty, self.integers)
            }
            _ => anything(),
        }
    }

    /// Whether a condition may be false, and whether it may be true.
    pub fn truth(&self, condition: ExprId, states: &States) -> (bool, bool) {
        let exprs = &self.program.exprs;
        if !self.is_looked_into(condition) {
            return (true, true);
        }
        let truth = |operand: ExprId| stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.truth(operand, states));
        match exprs.get(condition).kind {
            ExprKind::Not(operand) => {
                let (may_be_false, may_be_true) = truth(operand);
                (may_be_true, may_be_false)
            }
            ExprKind::And(left, right) => {
                let left = truth(left);
                if !left.1 {
                    return left;
                }
                let right = truth(right);
                (left.0 || right.0, right.1)
            }
            ExprKind::Or(left, right) => {
                let left = truth(left);
                if !left.0 {
                    return left;
                }
                let right = truth(right);
                (right.0, left.1 || right.1)
            }
            ExprKind::Compare(op, left, right) if is_number(exprs.ty(left)) => {
                if let (Some(part), Some(constant)) = (self.loaded(left), self.constant(right)) {
                    return Numbers::compared(op, &states[part], &Numbers::One(constant));
                }
                Numbers::compared(op, &self.values(left, states), &self.values(right, states))
            }
            ExprKind::Compare(..) => (true, true),
            _ => {
                let values = self.values(condition, states);
                (values.contains(0), values.contains(1))
            }
        }
    }

    /// The part that an expression loads.
    fn loaded(&self, expr: ExprId) -> Option<usize> {
        match &self.program.exprs.get(expr).kind {
            ExprKind::Load(place) => self.parts.of_scalar(self.program, place),
            _ => None,
        }
    }

    /// Takes states away in which a condition does not have this truth value. Whether there may be some left.
    pub fn constrain(&self, condition: ExprId, wanted: bool, states: &mut States) -> bool {
        if !self.is_looked_into(condition) {
            return true;
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.constrain_parts(condition, wanted, states))
    }

    fn constrain_parts(&self, condition: ExprId, wanted: bool, states: &mut States) -> bool {
        let exprs = &self.program.exprs;
        match exprs.get(condition).kind {
            ExprKind::Not(operand) => self.constrain(operand, !wanted, states),
            ExprKind::And(left, right) if wanted => {
                self.constrain(left, true, states) && self.constrain(right, true, states)
            }
            ExprKind::Or(left, right) if !wanted => {
                self.constrain(left, false, states) && self.constrain(right, false, states)
            }
            ExprKind::And(left, right) | ExprKind::Or(left, right) => {
                let mut others = states.clone();
                match (self.constrain(left, wanted, states), self.constrain(right, wanted, &mut others)) {
                    (true, true) => {
                        states.iter_mut().zip(&others).for_each(|(one, other)| *one = one.join(other));
                        true
                    }
                    (false, true) => {
                        *states = others;
                        true
                    }
                    (decided, false) => decided,
                }
            }
            ExprKind::Compare(op, left, right) if is_number(exprs.ty(left)) => {
                let op = if wanted { op } else { op.negated() };
                let (lefts, rights) = (self.values(left, states), self.values(right, states));
                self.narrow(left, &lefts.where_compared(op, &rights), states)
                    && self.narrow(right, &rights.where_compared(op.swapped(), &lefts), states)
            }
            ExprKind::Cast(operand) if is_number(exprs.ty(operand)) => {
                let op = if wanted { CompareOp::NotEqual } else { CompareOp::Equal };
                let allowed = self.values(operand, states).where_compared(op, &Numbers::One(0));
                self.narrow(operand, &allowed, states)
            }
            _ => {
                let allowed = self.values(condition, states).meet(&Numbers::truth(!wanted, wanted));
                self.narrow(condition, &allowed, states)
            }
        }
    }

    /// Takes states away in which an expression is none of these numbers. Whether there may be some left.
    fn narrow(&self, expr: ExprId, allowed: &Numbers, states: &mut States) -> bool {
        if allowed.is_empty() {
            return false;
        }
        let exprs = &self.program.exprs;
        match &exprs.get(expr).kind {
            ExprKind::Load(place) => {
                let part = self.parts.of_scalar(self.program, place).filter(|part| !self.parts.get(*part).many);
                let Some(part) = part else { return true };
                states[part] = states[part].meet(allowed);
                !states[part].is_empty()
            }
            ExprKind::Cast(operand) => match (exprs.ty(*operand), exprs.ty(expr)) {
                (Scalar::Bool, Scalar::Int(_)) => match (allowed.contains(0), allowed.contains(1)) {
                    (true, true) => true,
                    (false, false) => false,
                    (_, wanted) => self.constrain(*operand, wanted, states),
                },
                (Scalar::Int(_), Scalar::Int(to)) if self.keeps_values(*operand, to, states) => {
                    self.narrow(*operand, allowed, states)
                }
                _ => true,
            },
            _ => true,
        }
    }

    fn keeps_values(&self, operand: ExprId, to: program::IntType, states: &States) -> bool {
        let (least, most) = range(to);
        let bounds = self.values(operand, states).bounds();
        self.integers == Integers::Ideal || bounds.is_none_or(|(low, high)| least <= low && high <= most)
    }

    /// Whether evaluating an expression may be undefined in one of the states.
    pub fn fails(&self, expr: ExprId, states: &States) -> bool {
        if self.total[expr.index()] {
            return false;
        }
        if !self.is_looked_into(expr) {
            return true;
        }
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.partial_fails(expr, states))
    }

    fn partial_fails(&self, expr: ExprId, states: &States) -> bool {
        let exprs = &self.program.exprs;
        let contents = exprs.get(expr);
        let behind = |condition: ExprId, wanted: bool, operand: ExprId| {
            let mut inside = states.clone();
            self.fails(operand, states)
                && self.constrain(condition, wanted, &mut inside)
                && self.fails(operand, &inside)
        };
        match &contents.kind {
            ExprKind::Constant(_) => false,
            ExprKind::And(left, right) => self.fails(*left, states) || behind(*left, true, *right),
            ExprKind::Or(left, right) => self.fails(*left, states) || behind(*left, false, *right),
            ExprKind::If(condition, then, otherwise) => {
                self.fails(*condition, states)
                    || behind(*condition, true, *then)
                    || behind(*condition, false, *otherwise)
            }
            ExprKind::Load(place) => self.misses(place, states),
            ExprKind::Unary(_, operand) | ExprKind::Not(operand) => self.fails(*operand, states),
            ExprKind::Binary(op, left, right) => {
                self.fails(*left, states)
                    || self.fails(*right, states)
                    || match contents.ty {
                        Scalar::Int(ty) => {
                            let (lefts, rights) = (self.values(*left, states), self.values(*right, states));
                            is_undefined(*op, ty, &lefts, &rights)
                        }
                        _ => false,
                    }
            }
            ExprKind::Compare(_, left, right) => {
                !is_number(exprs.ty(*left)) || self.fails(*left, states) || self.fails(*right, states)
            }
            ExprKind::Cast(operand) => !is_number(exprs.ty(*operand)) || self.fails(*operand, states),
            _ => true,
        }
    }

    /// Whether a place may not be there in one of the states.
    fn misses(&self, place: &Place, states: &States) -> bool {
        let Root::Variable(variable) = place.root else { return true };
        let mut ty = self.program.variables[variable].ty;
        for selector in &place.path {
            ty = match (selector, self.program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) if !record.is_union => {
                    record.fields[*number as usize].ty
                }
                (Selector::Index(index), Type::Array { element, length }) => {
                    if self.fails(*index, states) {
                        return true;
                    }
                    let inside = |(low, high): (i128, i128)| low >= 0 && high < i128::from(*length);
                    if !self.values(*index, states).bounds().is_none_or(inside) {
                        return true;
                    }
                    *element
                }
                _ => return true,
            };
        }
        false
    }

    /// Whether an operation of an edge may be undefined in one of the states.
    pub fn op_fails(&self, op: &Op, states: &States) -> bool {
        match op {
            Op::Skip | Op::Declare(_) | Op::Discard(_) | Op::AtomicBegin | Op::AtomicEnd | Op::End(_) => false,
            Op::Return(None) => false,
            Op::Assume(value) | Op::Return(Some(Operand::Scalar(value))) => self.fails(*value, states),
            Op::Assign { target, value: Operand::Scalar(value) } => {
                self.misses(target, states) || self.fails(*value, states)
            }
            Op::Assign { target, value: Operand::Aggregate(source) } => {
                self.misses(target, states) || self.misses(source, states)
            }
            Op::Input { target, .. } => self.misses(target, states),
            // It has no body: nothing happens but that it is given values.
            Op::Call { callee: Callee::Function(_), arguments, .. } => {
                arguments.iter().any(|argument| match argument {
                    Operand::Scalar(value) => self.fails(*value, states),
                    Operand::Aggregate(source) => self.misses(source, states),
                })
            }
            _ => true,
        }
    }
}

/// Whether an operation is undefined for some of its operands.
fn is_undefined(op: BinaryOp, ty: program::IntType, left: &Numbers, right: &Numbers) -> bool {
    match op {
        BinaryOp::Divide | BinaryOp::Remainder => {
            right.contains(0) || ty.signed && right.contains(-1) && left.contains(range(ty).0)
        }
        BinaryOp::ShiftLeft | BinaryOp::ShiftRight => {
            right.bounds().is_some_and(|(low, high)| low < 0 || high >= i128::from(ty.bits))
        }
        _ => false,
    }
}

fn is_number(ty: Scalar) -> bool {
    matches!(ty, Scalar::Int(_) | Scalar::Bool)
}

fn bits(ty: Scalar) -> Option<i128> {
    match ty {
        Scalar::Int(ty) => Some(i128::from(ty.bits)),
        _ => None,
    }
}
