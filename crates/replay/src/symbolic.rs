//! One iteration of a loop for all iterations at once: what memory holds as a function of the number `t` of the
//! iteration.
//!
//! The interpreter executes the iteration with `t = 0`. Beside it goes a *shadow*: those cells of memory that do not
//! hold the same in every iteration, each with a polynomial in `t`, or as unknown. All other cells hold in every
//! iteration what the interpreter's hold. For each step the expressions that it evaluates are evaluated over the
//! shadow; the step is refused unless it does the same for every `t ≥ 0`: the same guards are true, the same cells are
//! read and written, nothing is undefined, nothing else is asked, and the atoms have the same truth wherever they are
//! looked at.
//!
//! An unknown value is a number of its type. It may be copied and computed with as long as the operation is defined for
//! all numbers; nothing may be decided by it. Integers are ideal.

use std::collections::BTreeMap;

use num_traits::{Signed, ToPrimitive, Zero};
use program::semantics::arithmetic::{self, MOST_IDEAL_SHIFT_BITS};
use program::semantics::evaluate::{Environment, TargetBits, evaluate, resolve};
use program::semantics::memory::Extent;
use program::semantics::state::{State, object_in};
use program::semantics::{Integers, ObjectId, Pointer, Stop, UndefinedBehaviour, Value};
use program::{
    Atom, BinaryOp, Callee, CompareOp, EdgeId, ExprId, ExprKind, Op, Operand, Place, Program, Scalar, UnaryOp,
    VariableId,
};

use crate::polynomial::{Integer, Polynomial};

/// What an expression yields in iteration `t`.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Symbolic {
    /// The same in every iteration.
    Same(Value),
    /// An integer that is not the same in every iteration.
    Moving(Polynomial),
    /// Some number.
    Unknown,
}

/// Why an iteration is not known to be the same for all `t`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum NotUniform {
    /// It is undefined for `t = 0`.
    Undefined,
    /// For a reason that is to be told.
    Because(String),
}

impl NotUniform {
    pub(crate) fn because(reason: impl Into<String>) -> Self {
        NotUniform::Because(reason.into())
    }
}

/// The cells that do not hold the same in every iteration, with their widths. No two overlap.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Shadow {
    cells: BTreeMap<(ObjectId, u64), (u64, Symbolic)>,
}

impl Shadow {
    /// A cell does not hold the same in every iteration.
    pub(crate) fn insert(&mut self, extent: Extent, value: Symbolic) {
        if !matches!(value, Symbolic::Same(_)) {
            self.cells.insert((extent.object, extent.offset_bits), (extent.width_bits, value));
        }
    }

    pub(crate) fn cells(&self) -> impl Iterator<Item = (Extent, &Symbolic)> {
        self.cells.iter().map(|(&(object, offset_bits), (width_bits, value))| {
            (Extent { object, offset_bits, width_bits: *width_bits }, value)
        })
    }

    pub(crate) fn get(&self, extent: Extent) -> Option<&Symbolic> {
        let (width_bits, value) = self.cells.get(&(extent.object, extent.offset_bits))?;
        (*width_bits == extent.width_bits).then_some(value)
    }

    fn overlapping(&self, extent: Extent) -> impl Iterator<Item = (Extent, &Symbolic)> {
        // Cells do not overlap, so of those that begin before the extent only the last one may reach into it.
        let key = (extent.object, extent.offset_bits);
        let before = self.cells.range((extent.object, 0)..key).next_back();
        let inside = self.cells.range(key..(extent.object, extent.end().max(extent.offset_bits)));
        let all = before.into_iter().chain(inside).map(|(&(object, offset_bits), (width_bits, value))| {
            (Extent { object, offset_bits, width_bits: *width_bits }, value)
        });
        all.filter(move |(cell, _)| cell.end() > extent.offset_bits)
    }

    /// The cells of an extent, all of which must lie inside.
    fn inside(&self, extent: Extent) -> Result<Vec<(Extent, Symbolic)>, NotUniform> {
        let cells: Vec<_> = self.overlapping(extent).map(|(cell, value)| (cell, value.clone())).collect();
        let lies_inside = |cell: &Extent| extent.offset_bits <= cell.offset_bits && cell.end() <= extent.end();
        if cells.iter().all(|(cell, _)| lies_inside(cell)) {
            Ok(cells)
        } else {
            Err(NotUniform::because("part of a number that is not the same in every iteration is accessed"))
        }
    }

    /// An extent is written, and holds the same in every iteration.
    fn forget(&mut self, extent: Extent) -> Result<(), NotUniform> {
        for (cell, _) in self.inside(extent)? {
            self.cells.remove(&(cell.object, cell.offset_bits));
        }
        Ok(())
    }

    fn store(&mut self, extent: Extent, contents: ShadowedContents) -> Result<(), NotUniform> {
        self.forget(extent)?;
        match contents {
            ShadowedContents::Scalar(value) => self.insert(extent, value),
            ShadowedContents::Cells(cells) => {
                for (offset, width_bits, value) in cells {
                    let offset_bits = extent.offset_bits + offset;
                    self.insert(Extent { object: extent.object, offset_bits, width_bits }, value);
                }
            }
        }
        Ok(())
    }

    fn bury(&mut self, is_dead: impl Fn(ObjectId) -> bool) {
        self.cells.retain(|(object, _), _| !is_dead(*object));
    }
}

/// What is written, passed or returned: for aggregates, the cells that do not hold the same in every iteration.
enum ShadowedContents {
    Scalar(Symbolic),
    Cells(Vec<(u64, u64, Symbolic)>),
}

/// Follows a step that the interpreter took along an edge, from one state to another. The shadow of a state within the
/// step, before an activation ends or a function without a body yields its result, is the one before the step.
pub(crate) fn follow(
    program: &Program,
    shadow: &mut Shadow,
    before: &State,
    after: &State,
    edge: EdgeId,
) -> Result<(), NotUniform> {
    let (depth, frame) = before.innermost(0).ok_or_else(|| NotUniform::because("the program has ended"))?;
    let view = ShadowedState { program, state: before, shadow, for_atoms: false };
    for &out in &program.locations[frame.location].out {
        if let Op::Assume(condition) = program.edges[out].op {
            let Symbolic::Same(Value::Bool(truth)) = view.value(condition)? else {
                return Err(NotUniform::because("a condition does not have the same truth in every iteration"));
            };
            if out == edge && !truth {
                return Err(NotUniform::because("another edge is taken than the conditions say"));
            }
        }
    }
    if program.edges[edge].from != frame.location {
        return Err(NotUniform::because("the step is not one along an edge"));
    }
    match &program.edges[edge].op {
        Op::Skip | Op::Assume(_) | Op::AtomicBegin | Op::AtomicEnd => {}
        Op::Assign { target, value } => {
            let target = view.extent(target)?;
            let contents = view.contents(value)?;
            shadow.store(target, contents)?;
        }
        Op::Input { target, .. } => {
            let target = view.extent(target)?;
            shadow.forget(target)?;
        }
        Op::Declare(variable) | Op::Discard(variable) => {
            let object = object_in(program, *variable, 0, depth);
            shadow.bury(|dead| dead == object);
        }
        Op::Call { callee, arguments, result } => {
            let contents: Vec<ShadowedContents> =
                arguments.iter().map(|argument| view.contents(argument)).collect::<Result<_, _>>()?;
            if let Callee::Pointer(address) = callee {
                view.same(*address)?;
            }
            let (now, entered) = after.innermost(0).expect("it goes on after a call");
            if now == depth + 1 {
                let parameters = &program.functions[entered.function].parameters;
                for (&parameter, contents) in parameters.iter().zip(contents) {
                    shadow.store(whole(program, parameter, now), contents)?;
                }
            } else if let Some(result) = result {
                shadow.forget(whole(program, *result, depth))?;
            }
        }
        Op::Return(operand) => {
            let contents = operand.as_ref().map(|operand| view.contents(operand)).transpose()?;
            let caller = frame.caller.ok_or_else(|| NotUniform::because("a thread ends"))?;
            shadow.bury(|object| matches!(object, ObjectId::Local { depth: its, .. } if its == depth));
            if let Op::Call { result: Some(result), .. } = &program.edges[caller].op {
                let target = whole(program, *result, depth - 1);
                match contents {
                    Some(contents) => shadow.store(target, contents)?,
                    None => shadow.forget(target)?,
                }
            }
        }
        _ => return Err(NotUniform::because("an operation on the heap or on threads is part of the loop")),
    }
    Ok(())
}

/// Looks at atoms in a state: each must have the same truth in every iteration.
pub(crate) fn look(program: &Program, shadow: &Shadow, state: &State, atoms: &[Atom]) -> Result<(), NotUniform> {
    let view = ShadowedState { program, state, shadow, for_atoms: true };
    for atom in atoms {
        let Atom::State { value, active, .. } = atom else { continue };
        if active.iter().any(|&function| state.activation(0, function).is_none()) {
            continue;
        }
        match view.value(*value) {
            // Where an atom is undefined for reasons that are the same in every iteration, it is false in every
            // iteration.
            Ok(Symbolic::Same(_)) | Err(NotUniform::Undefined) => {}
            Ok(_) => return Err(NotUniform::because("an atom does not have the same truth in every iteration")),
            Err(refused) => return Err(refused),
        }
    }
    Ok(())
}

/// The whole object of a variable that is global, or local to this activation of the only thread.
fn whole(program: &Program, variable: VariableId, depth: u32) -> Extent {
    let width_bits = program.types.size_bits(program.variables[variable].ty);
    Extent { object: object_in(program, variable, 0, depth), offset_bits: 0, width_bits }
}

/// A state with its shadow.
struct ShadowedState<'a> {
    program: &'a Program,
    state: &'a State,
    shadow: &'a Shadow,
    for_atoms: bool,
}

/// Expressions that are nested deeper than this are refused.
const MOST_LEVELS: u32 = 256;

impl ShadowedState<'_> {
    fn value(&self, expr: ExprId) -> Result<Symbolic, NotUniform> {
        self.value_within(expr, MOST_LEVELS)
    }

    /// A value that must be the same in every iteration.
    fn same(&self, expr: ExprId) -> Result<Value, NotUniform> {
        match self.value(expr)? {
            Symbolic::Same(value) => Ok(value),
            _ => Err(NotUniform::because("an address or an index is not the same in every iteration")),
        }
    }

    fn contents(&self, operand: &Operand) -> Result<ShadowedContents, NotUniform> {
        Ok(match operand {
            Operand::Scalar(expr) => ShadowedContents::Scalar(self.value(*expr)?),
            Operand::Aggregate(place) => {
                let extent = self.extent(place)?;
                let cells = self.shadow.inside(extent)?.into_iter();
                let relative =
                    cells.map(|(cell, value)| (cell.offset_bits - extent.offset_bits, cell.width_bits, value));
                ShadowedContents::Cells(relative.collect())
            }
        })
    }

    /// Where a place lies, which must be the same in every iteration.
    fn extent(&self, place: &Place) -> Result<Extent, NotUniform> {
        for operand in place.operands() {
            self.same(operand)?;
        }
        let target = resolve(&mut SameInAllIterations(self), place).map_err(refused)?;
        self.reached(&target).map_err(refused)
    }

    fn reached(&self, target: &TargetBits) -> Result<Extent, Stop> {
        let (object, offset) = match target.pointer {
            Pointer::Object { object, offset } => (object, offset),
            Pointer::Register(_) => return Err(Stop::unsupported("a register is accessed in the loop")),
            _ => return Err(UndefinedBehaviour::InvalidAccess.into()),
        };
        let size = self.state.memory.object(object).ok_or(UndefinedBehaviour::DanglingAccess)?.size;
        let start = i128::from(offset) * 8 + i128::from(target.bit);
        if target.out_of_bounds || start < 0 || start + i128::from(target.width_bits) > i128::from(size) * 8 {
            return Err(UndefinedBehaviour::OutOfBounds.into());
        }
        Ok(Extent { object, offset_bits: start as u64, width_bits: target.width_bits })
    }

    fn value_within(&self, expr: ExprId, depth: u32) -> Result<Symbolic, NotUniform> {
        match evaluate(&mut SameInAllIterations(self), expr) {
            Ok(value) => return Ok(Symbolic::Same(value)),
            // Something is read that is not the same in every iteration.
            Err(Stop::NotConstant) => {}
            Err(stop) => return Err(refused(stop)),
        }
        let Some(depth) = depth.checked_sub(1) else {
            return Err(NotUniform::because("an expression is nested too deeply"));
        };
        let exprs = &self.program.exprs;
        let ty = exprs.ty(expr);
        let of = |operand: ExprId| self.value_within(operand, depth);
        match &exprs.get(expr).kind {
            ExprKind::Load(place) => {
                let extent = self.extent(place)?;
                match self.shadow.get(extent) {
                    Some(value) if is_number(ty) => Ok(value.clone()),
                    _ => {
                        Err(NotUniform::because("part of a number that is not the same in every iteration is accessed"))
                    }
                }
            }
            ExprKind::Unary(op, operand) => unary(*op, ty, of(*operand)?),
            ExprKind::Binary(op, left, right) => binary(*op, ty, of(*left)?, of(*right)?),
            ExprKind::Compare(op, left, right) => compare(*op, of(*left)?, of(*right)?),
            ExprKind::Not(operand) => Ok(match of(*operand)? {
                Symbolic::Same(Value::Bool(truth)) => Symbolic::Same(Value::Bool(!truth)),
                _ => Symbolic::Unknown,
            }),
            // Which operands are evaluated must be the same in every iteration.
            ExprKind::And(left, right) => match decided(of(*left)?)? {
                true => of(*right),
                false => Ok(Symbolic::Same(Value::Bool(false))),
            },
            ExprKind::Or(left, right) => match decided(of(*left)?)? {
                true => Ok(Symbolic::Same(Value::Bool(true))),
                false => of(*right),
            },
            ExprKind::If(condition, then, otherwise) => match decided(of(*condition)?)? {
                true => of(*then),
                false => of(*otherwise),
            },
            ExprKind::Cast(operand) => cast(exprs.ty(*operand), ty, of(*operand)?),
            ExprKind::Constant(_)
            | ExprKind::AddressOf(_)
            | ExprKind::FunctionAddress(_)
            | ExprKind::PointerAdd { .. }
            | ExprKind::PointerDifference { .. } => {
                Err(NotUniform::because("an address is computed from what is not the same in every iteration"))
            }
        }
    }
}

/// Evaluates what is the same in every iteration; where something else is read, the evaluation ends with
/// [`Stop::NotConstant`].
struct SameInAllIterations<'v, 'a>(&'v ShadowedState<'a>);

impl<'a> Environment<'a> for SameInAllIterations<'_, 'a> {
    fn program(&self) -> &'a Program {
        self.0.program
    }

    fn integers(&self) -> Integers {
        Integers::Ideal
    }

    fn object_of(&mut self, variable: VariableId) -> Result<ObjectId, Stop> {
        let ShadowedState { program, state, for_atoms, .. } = self.0;
        let depth = match program.owner(variable) {
            None => return Ok(ObjectId::Global(variable)),
            Some(owner) if *for_atoms => state.activation(0, owner),
            Some(_) => state.innermost(0).map(|(depth, _)| depth),
        };
        Ok(object_in(program, variable, 0, depth.ok_or(UndefinedBehaviour::DanglingAccess)?))
    }

    fn load(&mut self, target: &TargetBits, ty: Scalar) -> Result<Value, Stop> {
        let extent = self.0.reached(target)?;
        if self.0.shadow.overlapping(extent).next().is_some() {
            return Err(Stop::NotConstant);
        }
        let value = self.0.state.memory.peek(extent, ty);
        value.ok_or_else(|| Stop::unsupported("what is read in the loop is not initialised there"))
    }

    fn number_of(&mut self, _: Pointer) -> Result<u64, Stop> {
        Err(Stop::unsupported("an address is used as a number in the loop"))
    }

    fn pointer_at(&mut self, _: u64) -> Result<Pointer, Stop> {
        Err(Stop::unsupported("a number is used as an address in the loop"))
    }

    fn overflowed(&mut self) {}
}

fn refused(stop: Stop) -> NotUniform {
    match stop {
        Stop::Undefined(_) => NotUniform::Undefined,
        Stop::Unsupported(reason) => NotUniform::Because(reason),
        Stop::NotConstant => NotUniform::because("an address or an index is not the same in every iteration"),
        Stop::NoMoreChoices | Stop::UnfitChoice(_) => unreachable!("nothing is asked here"),
    }
}

fn is_number(ty: Scalar) -> bool {
    ty != Scalar::Pointer
}

fn decided(truth: Symbolic) -> Result<bool, NotUniform> {
    match truth {
        Symbolic::Same(Value::Bool(truth)) => Ok(truth),
        _ => Err(NotUniform::because("a condition does not have the same truth in every iteration")),
    }
}

/// The polynomial of an integer that is known.
fn polynomial(value: &Symbolic) -> Option<Polynomial> {
    match value {
        Symbolic::Same(value) => Integer::of(value).map(Polynomial::constant),
        Symbolic::Moving(polynomial) => Some(polynomial.clone()),
        Symbolic::Unknown => None,
    }
}

pub(crate) fn moving(polynomial: Polynomial) -> Symbolic {
    match polynomial.as_constant() {
        Some(value) => Symbolic::Same(value.value().clone()),
        None => Symbolic::Moving(polynomial),
    }
}

fn unary(op: UnaryOp, ty: Scalar, operand: Symbolic) -> Result<Symbolic, NotUniform> {
    if let Symbolic::Same(value) = &operand {
        return arithmetic::unary(Integers::Ideal, op, ty, value).map(|it| Symbolic::Same(it.value)).map_err(refused);
    }
    let Some(operand) = polynomial(&operand) else { return Ok(Symbolic::Unknown) };
    let negated = Polynomial::default().minus(&operand);
    Ok(moving(match op {
        UnaryOp::Negate => negated,
        UnaryOp::BitNot => negated.minus(&Polynomial::constant(Integer::small(1))),
    }))
}

fn binary(op: BinaryOp, ty: Scalar, left: Symbolic, right: Symbolic) -> Result<Symbolic, NotUniform> {
    if let (Symbolic::Same(left), Symbolic::Same(right)) = (&left, &right) {
        let computed = arithmetic::binary(Integers::Ideal, op, ty, left, right);
        return computed.map(|it| Symbolic::Same(it.value)).map_err(refused);
    }
    if let Scalar::Float(_) = ty {
        return Ok(Symbolic::Unknown);
    }
    let both = polynomial(&left).zip(polynomial(&right));
    match op {
        BinaryOp::Add => Ok(both.map_or(Symbolic::Unknown, |(left, right)| moving(left.plus(&right)))),
        BinaryOp::Subtract => Ok(both.map_or(Symbolic::Unknown, |(left, right)| moving(left.minus(&right)))),
        // A product of unknown numbers may come to have more digits than there is room for.
        BinaryOp::Multiply => match both.and_then(|(left, right)| left.times(&right)) {
            Some(product) => Ok(moving(product)),
            None => Err(NotUniform::because("a product has no known growth")),
        },
        BinaryOp::Divide | BinaryOp::Remainder => match right {
            Symbolic::Same(Value::Int(divisor)) if !divisor.is_zero() => Ok(Symbolic::Unknown),
            _ => Err(NotUniform::because("a divisor is not the same in every iteration")),
        },
        BinaryOp::ShiftRight => match right {
            Symbolic::Same(Value::Int(count))
                if !count.is_negative() && count.to_u32().is_some_and(|count| count <= MOST_IDEAL_SHIFT_BITS) =>
            {
                Ok(Symbolic::Unknown)
            }
            _ => Err(NotUniform::because("a shift count is not the same in every iteration")),
        },
        BinaryOp::ShiftLeft => Err(NotUniform::because("a shift to the left has no known growth")),
        BinaryOp::BitAnd | BinaryOp::BitOr | BinaryOp::BitXor => Ok(Symbolic::Unknown),
    }
}

fn compare(op: CompareOp, left: Symbolic, right: Symbolic) -> Result<Symbolic, NotUniform> {
    let truth = match (&left, &right) {
        (Symbolic::Same(Value::Pointer(_)), _) | (_, Symbolic::Same(Value::Pointer(_))) => {
            return Err(NotUniform::because("an address is computed from what is not the same in every iteration"));
        }
        (Symbolic::Same(left), Symbolic::Same(right)) => Some(arithmetic::compare(op, left, right)),
        _ => polynomial(&left).zip(polynomial(&right)).and_then(|(left, right)| left.compared(op, &right)),
    };
    Ok(truth.map_or(Symbolic::Unknown, |truth| Symbolic::Same(Value::Bool(truth))))
}

fn cast(from: Scalar, to: Scalar, operand: Symbolic) -> Result<Symbolic, NotUniform> {
    let address = || Err(NotUniform::because("an address is computed from what is not the same in every iteration"));
    if from == Scalar::Pointer || to == Scalar::Pointer {
        return address();
    }
    match (operand, to) {
        (Symbolic::Same(value), _) => {
            arithmetic::convert(Integers::Ideal, &value, to).map(Symbolic::Same).map_err(refused)
        }
        (Symbolic::Moving(polynomial), Scalar::Int(_)) => Ok(Symbolic::Moving(polynomial)),
        (Symbolic::Moving(polynomial), Scalar::Bool) => {
            compare(CompareOp::NotEqual, Symbolic::Moving(polynomial), Symbolic::Same(Value::int(0)))
        }
        (Symbolic::Unknown, Scalar::Int(_)) if matches!(from, Scalar::Float(_)) => Err(NotUniform::because(
            "a floating-point number that is not the same in every iteration becomes an integer",
        )),
        _ => Ok(Symbolic::Unknown),
    }
}
