//! Which few values a variable can have, without regard to the order of edges.
//!
//! A variable that is only written what was computed from constants and from variables of few values has few values
//! too. They are found by computing until nothing is added; what has more than [`MOST_VALUES`] values is not followed. Values
//! that are not initialised, inputs, and whatever pointers may reach have those of their type, if these are few.

use std::collections::BTreeSet;

use foundation::Id;
use num_traits::ToPrimitive;
use program::semantics::Integers;
use program::{
    BinaryOp, Constant, ExprId, ExprKind, Initial, IntType, Op, Operand, Program, Root, Scalar, UnaryOp, VariableId,
    VariableKind,
};

use super::control::LiveVariables;
use super::data_classes::{element, range};

/// More values than this are too many.
const MOST_VALUES: usize = 256;

/// Larger programs are not looked at.
const MOST_EDGES: usize = 5_000;

/// So many pairs of values are computed with at most.
const MOST_PAIRS: usize = 1 << 14;

type FiniteValues = BTreeSet<i128>;

/// The values of a program's variables; none where they are too many.
pub(super) struct Finite<'p> {
    program: &'p Program,
    integers: Integers,
    of: Vec<Option<FiniteValues>>,
}

impl<'p> Finite<'p> {
    /// Computes them.
    pub fn of(program: &'p Program, integers: Integers) -> Self {
        let mut finite = Self { program, integers, of: vec![Some(FiniteValues::new()); program.variables.len()] };
        if program.edges.len() > MOST_EDGES {
            finite.of.fill(None);
            return finite;
        }
        let written = finite.beginnings();
        let mut open = true;
        while std::mem::take(&mut open) {
            for &(variable, value) in &written {
                let Some(before) = &finite.of[variable.index()] else { continue };
                let mut all = before.clone();
                let after = finite.expr(value).map(|values| {
                    all.extend(finite.stored(variable, &values));
                    all
                });
                let after = after.filter(|values| values.len() <= MOST_VALUES).or_else(|| finite.of_type(variable));
                open |= finite.of[variable.index()] != after;
                finite.of[variable.index()] = after;
            }
        }
        finite
    }

    /// The values that an expression can have; none where they are too many.
    pub fn expr(&self, expr: ExprId) -> Option<FiniteValues> {
        let program = self.program;
        let few = |values: FiniteValues| Some(values).filter(|values| values.len() <= MOST_VALUES);
        let ty = match program.exprs.ty(expr) {
            Scalar::Bool => return Some(FiniteValues::from([0, 1])),
            Scalar::Int(ty) if ty.bits <= 64 => ty,
            _ => return None,
        };
        match &program.exprs.get(expr).kind {
            ExprKind::Constant(Constant::Int(value)) => Some(FiniteValues::from([value.to_i128()?])),
            ExprKind::Load(place) => match place.root {
                Root::Variable(variable) if element(program, program.variables[variable].ty) == Some(ty) => {
                    self.of[variable.index()].clone()
                }
                _ => small(ty).filter(|_| self.integers == Integers::Machine),
            },
            ExprKind::Cast(operand) => match program.exprs.ty(*operand) {
                Scalar::Bool => Some(FiniteValues::from([0, 1])),
                Scalar::Int(_) => Some(self.expr(*operand)?.into_iter().map(|value| self.wrapped(value, ty)).collect()),
                _ => None,
            },
            ExprKind::If(_, then, otherwise) => {
                let mut values = self.expr(*then)?;
                values.extend(self.expr(*otherwise)?);
                few(values)
            }
            ExprKind::Unary(UnaryOp::Negate, operand) => {
                let negated = |value: i128| Some(self.wrapped(value.checked_neg()?, ty));
                self.expr(*operand)?.into_iter().map(negated).collect()
            }
            ExprKind::Binary(op, left, right) => {
                let (left, right) = (self.expr(*left)?, self.expr(*right)?);
                if left.len() * right.len() > MOST_PAIRS {
                    return None;
                }
                let mut values = FiniteValues::new();
                for &one in &left {
                    for &other in &right {
                        let value = match op {
                            BinaryOp::Add => one.checked_add(other)?,
                            BinaryOp::Subtract => one.checked_sub(other)?,
                            BinaryOp::Multiply => one.checked_mul(other)?,
                            BinaryOp::BitAnd => one & other,
                            BinaryOp::BitOr => one | other,
                            BinaryOp::BitXor => one ^ other,
                            // Undefined is no value.
                            BinaryOp::Divide | BinaryOp::Remainder if other == 0 => continue,
                            BinaryOp::ShiftLeft | BinaryOp::ShiftRight if !self.is_shift(other, ty) => continue,
                            BinaryOp::ShiftLeft | BinaryOp::ShiftRight if other > 63 => return None,
                            BinaryOp::Divide => one / other,
                            BinaryOp::Remainder => one % other,
                            BinaryOp::ShiftLeft => one.checked_mul(1 << other)?,
                            BinaryOp::ShiftRight => one >> other,
                        };
                        values.insert(self.wrapped(value, ty));
                    }
                }
                few(values)
            }
            _ => None,
        }
    }

    /// Sets what variables hold at the start and what comes from outside; yields all that is assigned.
    fn beginnings(&mut self) -> Vec<(VariableId, ExprId)> {
        let program = self.program;
        let is_plain = |variable: VariableId| {
            let contents = &program.variables[variable];
            !contents.address_taken && element(program, contents.ty).is_some()
        };
        let live = LiveVariables::of(program, |variable| program.owner(variable).is_some() && is_plain(variable));
        let mut written = Vec::new();
        let mut strange: BTreeSet<VariableId> = BTreeSet::new();
        for (variable, contents) in program.variables.iter() {
            match &contents.kind {
                _ if !is_plain(variable) => _ = strange.insert(variable),
                VariableKind::Global { initial: Initial::Values(items), .. }
                | VariableKind::Literal { initial: Initial::Values(items) } => {
                    written.extend(items.iter().map(|item| (variable, item.value)));
                    // What is not given is zero.
                    self.of[variable.index()].get_or_insert_default().insert(0);
                }
                VariableKind::Global { .. } | VariableKind::Literal { .. } | VariableKind::Parameter(_) => {
                    strange.insert(variable);
                }
                VariableKind::Local(function) | VariableKind::Temporary(function) => {
                    let entry = program.functions[*function].entry;
                    if entry.is_none_or(|entry| live.contains(entry, variable)) {
                        strange.insert(variable);
                    }
                }
            }
        }
        for edge in program.edges.values() {
            match &edge.op {
                Op::Assign { target, value } => match (target.root.variable(), value) {
                    (Some(variable), Operand::Scalar(value)) => written.push((variable, *value)),
                    (Some(variable), Operand::Aggregate(_)) => _ = strange.insert(variable),
                    (None, _) => {}
                },
                Op::Declare(variable) | Op::Discard(variable) if live.contains(edge.to, *variable) => {
                    strange.insert(*variable);
                }
                op => strange.extend(op.written_variable()),
            }
        }
        for variable in strange {
            self.of[variable.index()] = self.of_type(variable);
        }
        written.retain(|(variable, _)| self.of[variable.index()].is_some());
        written
    }

    /// All values of a variable's type, if they are few and nothing else can be in it.
    fn of_type(&self, variable: VariableId) -> Option<FiniteValues> {
        let ty = element(self.program, self.program.variables[variable].ty)?;
        small(ty).filter(|_| self.integers == Integers::Machine)
    }

    /// Values as they are in a variable after they were written to it.
    fn stored(&self, variable: VariableId, values: &FiniteValues) -> FiniteValues {
        match element(self.program, self.program.variables[variable].ty) {
            Some(ty) => values.iter().map(|value| self.wrapped(*value, ty)).collect(),
            None => values.clone(),
        }
    }

    /// Whether a number of a type can be shifted by so many bits.
    fn is_shift(&self, count: i128, ty: IntType) -> bool {
        count >= 0 && (count < ty.bits.into() || self.integers == Integers::Ideal)
    }

    fn wrapped(&self, value: i128, ty: IntType) -> i128 {
        let (low, high) = range(ty);
        match self.integers {
            Integers::Machine => (value - low).rem_euclid(high - low + 1) + low,
            Integers::Ideal => value,
        }
    }
}

/// All values of a type, if they are few.
fn small(ty: IntType) -> Option<FiniteValues> {
    let (low, high) = range(ty);
    (high - low < MOST_VALUES as i128).then(|| (low..=high).collect())
}
