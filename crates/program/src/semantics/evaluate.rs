//! The value of an expression and the target of a place, given an environment that knows memory.
//!
//! Operands are evaluated from left to right. The evaluator is the same for steps of a program, for atoms and for
//! constants; they differ in their [`Environment`].

use num_bigint::BigInt;
use num_traits::{ToPrimitive, Zero};

use crate::expr::{CompareOp, Constant, ExprId, ExprKind, OpenEnd, Place, Root, Selector};
use crate::model::{Program, VariableId};
use crate::semantics::arithmetic::{self, Computed};
use crate::semantics::config::Integers;
use crate::semantics::light::{self, Light};
use crate::semantics::stop::{Stop, UndefinedBehaviour};
use crate::semantics::value::{ObjectId, Pointer, Value};
use crate::types::{IntType, Scalar, Type};

/// What evaluation needs to know of the state.
pub trait Environment<'p> {
    /// The program.
    fn program(&self) -> &'p Program;
    /// What integers are.
    fn integers(&self) -> Integers;
    /// The object that a variable names now.
    fn object_of(&mut self, variable: VariableId) -> Result<ObjectId, Stop>;
    /// The scalar in a target.
    fn load(&mut self, target: &TargetBits, ty: Scalar) -> Result<Value, Stop>;
    /// The same, for those who go on computing with it.
    fn load_light(&mut self, target: &TargetBits, ty: Scalar) -> Result<Light, Stop> {
        self.load(target, ty).map(Light::from)
    }
    /// The scalar in a place that is this whole variable.
    fn load_variable(&mut self, variable: VariableId, place: &Place, ty: Scalar) -> Result<Light, Stop>
    where
        Self: Sized,
    {
        debug_assert_eq!(place.as_variable(), Some(variable), "it is the whole variable");
        let target = resolve(self, place)?;
        self.load_light(&target, ty)
    }
    /// The number of an object's or function's address.
    fn number_of(&mut self, pointer: Pointer) -> Result<u64, Stop>;
    /// The address with this number, which is not 0.
    fn pointer_at(&mut self, number: u64) -> Result<Pointer, Stop>;
    /// Notes that a signed integer overflowed.
    fn overflowed(&mut self);
}

/// Where a place lies: so many bits from the byte that an address names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TargetBits {
    /// The address of the byte in which it begins.
    pub pointer: Pointer,
    /// In which bit of that byte; not 0 only for bit-fields.
    pub bit: u8,
    /// Its width, which is smaller than the type's for bit-fields.
    pub width_bits: u64,
    /// Whether an index on the way was outside its array, so that access is undefined.
    pub out_of_bounds: bool,
}

/// The value of an expression.
pub fn evaluate<'p, E: Environment<'p>>(environment: &mut E, expr: ExprId) -> Result<Value, Stop> {
    light(environment, expr, 0).map(Value::from)
}

/// The truth of an expression of type [`Scalar::Bool`].
pub fn evaluate_truth<'p, E: Environment<'p>>(environment: &mut E, expr: ExprId) -> Result<bool, Stop> {
    truth(environment, expr, 0)
}

/// The value of an expression of integer type.
pub fn evaluate_integer<'p, E: Environment<'p>>(environment: &mut E, expr: ExprId) -> Result<BigInt, Stop> {
    match evaluate(environment, expr)? {
        Value::Int(value) => Ok(value),
        Value::Bool(value) => Ok(BigInt::from(u8::from(value))),
        other => unreachable!("{other:?} is not an integer"),
    }
}

/// The value of an expression of pointer type.
pub fn evaluate_pointer<'p, E: Environment<'p>>(environment: &mut E, expr: ExprId) -> Result<Pointer, Stop> {
    Ok(evaluate(environment, expr)?.as_pointer().expect("an address"))
}

/// Where a place lies. Nothing is accessed but what its address and indices read.
pub fn resolve<'p, E: Environment<'p>>(environment: &mut E, place: &Place) -> Result<TargetBits, Stop> {
    let (base, mut ty) = match place.root {
        Root::Variable(variable) => {
            let object = environment.object_of(variable)?;
            (Pointer::Object { object, offset: 0 }, environment.program().variables[variable].ty)
        }
        Root::Pointer { address, pointee } => (evaluate_pointer(environment, address)?, pointee),
    };
    if place.path.is_empty() {
        let width_bits = environment.program().types.size_bits(place.ty);
        return Ok(TargetBits { pointer: base, bit: 0, width_bits, out_of_bounds: false });
    }
    let mut position = BigInt::zero();
    let mut bit_width = None;
    let mut out_of_bounds = false;
    let mut open_end = OpenEnd::new(&place.root);
    for step in &place.path {
        bit_width = None;
        match step {
            Selector::Field(number) => {
                let Type::Record(record) = environment.program().types.get(ty) else {
                    unreachable!("only records have fields")
                };
                let field = &record.fields[*number as usize];
                open_end.field(record, *number);
                position += field.offset_bits;
                bit_width = field.bit_width;
                ty = field.ty;
            }
            Selector::Index(index) => {
                let index = evaluate_integer(environment, *index)?;
                let types = &environment.program().types;
                let &Type::Array { element, length } = types.get(ty) else { unreachable!("only arrays have elements") };
                out_of_bounds |= !open_end.index(length) && (index < BigInt::zero() || index >= BigInt::from(length));
                position += index * types.size_bits(element);
                ty = element;
            }
        }
    }
    let width_bits = bit_width.map_or_else(|| environment.program().types.size_bits(place.ty), u64::from);
    let bit = (&position & BigInt::from(7)).to_u8().expect("less than 8");
    let bytes: BigInt = position >> 3;
    let pointer = if bytes.is_zero() { base } else { displace(environment, base, bytes)? };
    Ok(TargetBits { pointer, bit, width_bits, out_of_bounds })
}

/// An address so many bytes further.
pub fn displace<'p, E: Environment<'p>>(environment: &mut E, base: Pointer, bytes: BigInt) -> Result<Pointer, Stop> {
    if base == Pointer::Dangling {
        return Err(UndefinedBehaviour::DanglingUsed.into());
    }
    if bytes.is_zero() {
        return Ok(base);
    }
    let (start, relative) = match base {
        Pointer::Object { offset, .. } => (BigInt::from(offset), true),
        other => (BigInt::from(number(environment, other)?), false),
    };
    let moved = into_address_space(environment, start + bytes, relative)?;
    Ok(match base {
        Pointer::Object { object, .. } => {
            Pointer::Object { object, offset: moved.to_i64().expect("of a pointer's width") }
        }
        Pointer::Register(_) => Pointer::Register(moved.to_u64().expect("of a pointer's width")),
        _ if moved.is_zero() => Pointer::Null,
        _ => Pointer::Invalid(moved.to_u64().expect("of a pointer's width")),
    })
}

/// The number of any address.
pub fn number<'p, E: Environment<'p>>(environment: &mut E, pointer: Pointer) -> Result<u64, Stop> {
    match pointer {
        Pointer::Null => Ok(0),
        Pointer::Register(number) | Pointer::Invalid(number) => Ok(number),
        Pointer::Dangling => Err(UndefinedBehaviour::DanglingUsed.into()),
        Pointer::Object { .. } | Pointer::Function(_) => environment.number_of(pointer),
    }
}

/// Converts a value to a type.
pub fn convert<'p, E: Environment<'p>>(environment: &mut E, value: Value, to: Scalar) -> Result<Value, Stop> {
    let integers = environment.integers();
    match (value, to) {
        (value @ Value::Pointer(_), Scalar::Pointer) => Ok(value),
        (Value::Pointer(pointer), Scalar::Bool) => match pointer {
            Pointer::Dangling => Err(UndefinedBehaviour::DanglingUsed.into()),
            pointer => Ok(Value::Bool(!matches!(pointer, Pointer::Null | Pointer::Register(0)))),
        },
        (Value::Pointer(pointer), to) => {
            let number = Value::int(number(environment, pointer)?);
            arithmetic::convert(integers, &number, to)
        }
        (value, Scalar::Pointer) => {
            let address = environment.program().types.pointer_int(false);
            let Value::Int(value) = arithmetic::convert(integers, &value, Scalar::Int(address))? else {
                unreachable!("converted to an integer")
            };
            // Also under ideal integers an address is a machine number.
            match arithmetic::wrap(&value, address).to_u64().expect("of a pointer's width") {
                0 => Ok(Value::Pointer(Pointer::Null)),
                number => environment.pointer_at(number).map(Value::Pointer),
            }
        }
        (value, to) => arithmetic::convert(integers, &value, to),
    }
}

/// Whether there is enough of the stack is asked on one of so many levels of an expression.
const LEVELS_PER_CHECK: u32 = 16;

/// Does something on a level of an expression, on more stack where it is needed.
#[inline]
fn on_level<T>(level: u32, what: impl FnOnce() -> T) -> T {
    if level.is_multiple_of(LEVELS_PER_CHECK) { stacker::maybe_grow(64 * 1024, 1024 * 1024, what) } else { what() }
}

/// The value of an expression on this level of another one.
fn light<'p, E: Environment<'p>>(environment: &mut E, expr: ExprId, level: u32) -> Result<Light, Stop> {
    let program = environment.program();
    match &program.exprs.get(expr).kind {
        ExprKind::Constant(constant) => Ok(match constant {
            Constant::Bool(value) => Light::Bool(*value),
            Constant::Int(value) => match value.to_i64() {
                Some(word) => Light::Int(word),
                None => Light::Other(Value::Int(value.clone())),
            },
            Constant::Float(bits) => Light::Other(Value::Float(*bits)),
            Constant::Null => Light::Other(Value::Pointer(Pointer::Null)),
            Constant::Address(address) => Light::Other(Value::Pointer(Pointer::Register(*address))),
        }),
        kind @ ExprKind::Load(place) => match place.as_variable() {
            Some(variable) => environment.load_variable(variable, place, program.exprs.ty(expr)),
            None => on_level(level, || light_of_kind(environment, expr, kind, level + 1)),
        },
        // Only what has operands needs more of the stack.
        kind => on_level(level, || light_of_kind(environment, expr, kind, level + 1)),
    }
}

/// The truth of an expression on this level of another one.
fn truth<'p, E: Environment<'p>>(environment: &mut E, expr: ExprId, level: u32) -> Result<bool, Stop> {
    match environment.program().exprs.get(expr).kind {
        ExprKind::Not(operand) => Ok(!on_level(level, || truth(environment, operand, level + 1))?),
        ExprKind::And(left, right) => {
            on_level(level, || Ok(truth(environment, left, level + 1)? && truth(environment, right, level + 1)?))
        }
        ExprKind::Or(left, right) => {
            on_level(level, || Ok(truth(environment, left, level + 1)? || truth(environment, right, level + 1)?))
        }
        ExprKind::Compare(op, left, right) => on_level(level, || {
            let left = light(environment, left, level + 1)?;
            let right = light(environment, right, level + 1)?;
            match (left, right) {
                (Light::Int(left), Light::Int(right)) => Ok(arithmetic::ordered(op, &left, &right)),
                (left, right) => compare(environment, op, left.into(), right.into()),
            }
        }),
        _ => match light(environment, expr, level)? {
            Light::Bool(value) => Ok(value),
            other => unreachable!("{other:?} is not a truth value"),
        },
    }
}

fn light_of_kind<'p, E: Environment<'p>>(
    environment: &mut E,
    expr: ExprId,
    kind: &'p ExprKind,
    level: u32,
) -> Result<Light, Stop> {
    let integers = environment.integers();
    let ty = environment.program().exprs.ty(expr);
    match *kind {
        ExprKind::Constant(_) => unreachable!("a constant has no operands"),
        ExprKind::Load(ref place) => {
            let target = resolve(environment, place)?;
            environment.load_light(&target, ty)
        }
        ExprKind::AddressOf(ref place) => Ok(Light::Other(Value::Pointer(resolve(environment, place)?.pointer))),
        ExprKind::FunctionAddress(function) => Ok(Light::Other(Value::Pointer(Pointer::Function(function)))),
        ExprKind::Unary(op, operand) => {
            let operand = light(environment, operand, level)?.into();
            let computed = arithmetic::unary(integers, op, ty, &operand)?;
            Ok(noted(environment, computed))
        }
        ExprKind::Binary(op, left, right) => {
            let left = light(environment, left, level)?;
            let right = light(environment, right, level)?;
            if let (Scalar::Int(ty), &Light::Int(left), &Light::Int(right)) = (ty, &left, &right)
                && let Some(value) = light::binary(integers, op, ty, left, right)
            {
                return Ok(Light::Int(value));
            }
            let computed = arithmetic::binary(integers, op, ty, &left.into(), &right.into())?;
            Ok(noted(environment, computed))
        }
        ExprKind::Compare(..) | ExprKind::Not(_) | ExprKind::And(..) | ExprKind::Or(..) => {
            truth(environment, expr, level).map(Light::Bool)
        }
        ExprKind::If(condition, then, otherwise) => {
            let chosen = if truth(environment, condition, level)? { then } else { otherwise };
            light(environment, chosen, level)
        }
        ExprKind::Cast(operand) => match (light(environment, operand, level)?, ty) {
            (Light::Bool(value), Scalar::Bool) => Ok(Light::Bool(value)),
            (Light::Int(value), Scalar::Bool) => Ok(Light::Bool(value != 0)),
            (Light::Int(value), Scalar::Int(ty)) if light::in_range(integers, value, ty) => Ok(Light::Int(value)),
            (operand, ty) => convert(environment, operand.into(), ty).map(Light::from),
        },
        ExprKind::PointerAdd { base, index, stride } => {
            let base = evaluate_pointer(environment, base)?;
            let index = evaluate_integer(environment, index)?;
            displace(environment, base, index * stride).map(|pointer| Light::Other(Value::Pointer(pointer)))
        }
        ExprKind::PointerDifference { left, right, stride } => {
            let left = evaluate_pointer(environment, left)?;
            let right = evaluate_pointer(environment, right)?;
            let Scalar::Int(ty) = ty else { unreachable!("a difference is an integer") };
            let computed = difference(integers, left, right, stride, ty)?;
            Ok(noted(environment, computed))
        }
    }
}

fn noted<'p, E: Environment<'p>>(environment: &mut E, computed: Computed) -> Light {
    if computed.overflow {
        environment.overflowed();
    }
    computed.value.into()
}

fn compare<'p, E: Environment<'p>>(
    environment: &mut E,
    op: CompareOp,
    left: Value,
    right: Value,
) -> Result<bool, Stop> {
    let (&Value::Pointer(left), &Value::Pointer(right)) = (&left, &right) else {
        return Ok(arithmetic::compare(op, &left, &right));
    };
    if left == Pointer::Dangling || right == Pointer::Dangling {
        return Err(UndefinedBehaviour::DanglingUsed.into());
    }
    if matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
        let equal = same_address(environment, left, right)?;
        return Ok(equal == (op == CompareOp::Equal));
    }
    let (left, right) = related(left, right)?;
    Ok(arithmetic::ordered(op, &left, &right))
}

/// Whether two addresses are the same. Different objects and functions have different addresses, and none has that of
/// the null pointer; with other numbers, the numbers decide.
fn same_address<'p, E: Environment<'p>>(environment: &mut E, left: Pointer, right: Pointer) -> Result<bool, Stop> {
    let named = |pointer| matches!(pointer, Pointer::Object { .. } | Pointer::Function(_));
    let null = |pointer| matches!(pointer, Pointer::Null | Pointer::Register(0));
    if (named(left) && named(right)) || left == right {
        return Ok(left == right);
    }
    if named(left) && null(right) || null(left) && named(right) {
        return Ok(false);
    }
    Ok(number(environment, left)? == number(environment, right)?)
}

/// The positions of two addresses in one object, or among the numbers.
fn related(left: Pointer, right: Pointer) -> Result<(i128, i128), Stop> {
    let position = |pointer| match pointer {
        Pointer::Object { object, offset } => Some((Some(object), i128::from(offset))),
        Pointer::Null => Some((None, 0)),
        Pointer::Register(number) | Pointer::Invalid(number) => Some((None, i128::from(number))),
        Pointer::Function(_) | Pointer::Dangling => None,
    };
    match (position(left), position(right)) {
        (Some((left_object, left)), Some((right_object, right))) if left_object == right_object => Ok((left, right)),
        _ if left == Pointer::Dangling || right == Pointer::Dangling => Err(UndefinedBehaviour::DanglingUsed.into()),
        _ => Err(UndefinedBehaviour::UnrelatedPointers.into()),
    }
}

/// `(left − right) / stride`. Bytes that are no multiple of the stride are not two elements of one array.
fn difference(integers: Integers, left: Pointer, right: Pointer, stride: u64, ty: IntType) -> Result<Computed, Stop> {
    let (left, right) = related(left, right)?;
    let (bytes, stride) = (left - right, i128::from(stride));
    if bytes % stride != 0 {
        return Err(UndefinedBehaviour::UnrelatedPointers.into());
    }
    let value = BigInt::from(bytes / stride);
    let overflow = integers == Integers::Machine && !arithmetic::fits(&value, ty);
    let value = if overflow { arithmetic::wrap(&value, ty) } else { value };
    Ok(Computed { value: Value::Int(value), overflow: overflow && ty.signed })
}

/// Machine addresses wrap; where integers are ideal, nothing does, and a position that no machine has is undefined.
fn into_address_space<'p, E: Environment<'p>>(
    environment: &mut E,
    position: BigInt,
    relative: bool,
) -> Result<BigInt, Stop> {
    let ty = environment.program().types.pointer_int(relative);
    match environment.integers() {
        Integers::Machine => Ok(arithmetic::wrap(&position, ty)),
        Integers::Ideal if arithmetic::fits(&position, ty) => Ok(position),
        Integers::Ideal => Err(UndefinedBehaviour::PointerOverflow.into()),
    }
}
