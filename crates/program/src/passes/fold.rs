//! The value of expressions where some variables are known: folding, and what folding may not remove.
//!
//! There is one arithmetic: an operation whose operands are constant is evaluated by the interpreter's own evaluator,
//! without memory. An expression whose evaluation is undefined is never replaced; neither is one whose evaluation would
//! ask a question (what is not initialised, a device register) or overflow visibly; the module `quiet` says which
//! do not. Under ideal integers a value outside
//! the range of its type is not written as a constant, since constants lie in the range of theirs.
//!
//! Constants are canonical: equal values of one type are equal expressions.

use foundation::Id;
use foundation::collections::HashMap;
use num_traits::ToPrimitive;

use super::facts::{Fact, Facts};
use crate::expr::{Constant, ExprId, ExprKind, Place, Root, Selector};
use crate::model::{Initial, Program, VariableId, VariableKind};
use crate::semantics::arithmetic::fits;
use crate::semantics::evaluate::{Environment, TargetBits, evaluate};
use crate::semantics::{Integers, ObjectId, Pointer, Stop, Value};
use crate::types::{Scalar, Type, TypeId};

/// What is known of the value of an expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Folded {
    /// It is this constant, and evaluating it does nothing else.
    Constant(ExprId),
    /// Its evaluation never comes to an end: behaviour is undefined, or not supported.
    Stops,
    /// Nothing is.
    Nothing,
}

/// Folds expressions of a program.
pub(super) struct Folder<'p> {
    /// The program, to whose expressions new ones are added.
    pub program: &'p mut Program,
    pub(super) integers: Integers,
    pub(super) keep_overflow: bool,
    /// The variables that hold addresses and of which facts are kept.
    pub(super) pointers: Vec<VariableId>,
    /// Operations on constants that were evaluated before.
    evaluated: HashMap<ExprId, Folded>,
    /// What was found of expressions under the facts of now, by number of the expression.
    pub(super) now: u32,
    known: Vec<(u32, Folded)>,
    pub(super) quiet: Vec<(u32, bool)>,
    folded: Vec<(u32, ExprId)>,
}

impl<'p> Folder<'p> {
    /// A folder for the expressions of a program.
    pub(super) fn new(program: &'p mut Program, integers: Integers, keep_overflow: bool) -> Self {
        let (pointers, evaluated) = (Vec::new(), HashMap::default());
        let (known, quiet, folded) = (Vec::new(), Vec::new(), Vec::new());
        let mut folder = Self { program, integers, keep_overflow, pointers, evaluated, now: 1, known, quiet, folded };
        let all = folder.program.variables.ids();
        folder.pointers = all.filter(|&id| folder.is_tracked(id) && folder.is_pointer(id)).collect();
        folder
    }

    /// Other facts are asked about from here on.
    pub(super) fn turn_to_other_facts(&mut self) {
        self.now += 1;
    }

    /// Whether facts are kept of a variable: it is a scalar that only its name reaches.
    pub(super) fn is_tracked(&self, variable: VariableId) -> bool {
        let contents = &self.program.variables[variable];
        !contents.address_taken
            && !matches!(contents.kind, VariableKind::Literal { .. })
            && self.program.types.as_scalar(contents.ty).is_some()
    }

    fn is_pointer(&self, variable: VariableId) -> bool {
        self.program.types.as_scalar(self.program.variables[variable].ty) == Some(Scalar::Pointer)
    }

    /// The value of an expression.
    pub(super) fn value(&mut self, expr: ExprId, facts: &Facts) -> Folded {
        if let Some(&(when, known)) = self.known.get(expr.index())
            && when == self.now
        {
            return known;
        }
        let known = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.value_of(expr, facts));
        remember(&mut self.known, expr, (self.now, known), (0, Folded::Nothing));
        known
    }

    /// The constant that an expression is, if it is one.
    pub(super) fn constant(&mut self, expr: ExprId, facts: &Facts) -> Option<ExprId> {
        match self.value(expr, facts) {
            Folded::Constant(constant) => Some(constant),
            _ => None,
        }
    }

    /// The constant that an expression is whatever variables hold.
    pub(super) fn always(&mut self, expr: ExprId) -> Option<ExprId> {
        self.turn_to_other_facts();
        self.constant(expr, &Facts::default())
    }

    /// The value of an index that is constant and not negative.
    pub(super) fn index_of(&mut self, index: ExprId, facts: &Facts) -> Option<u64> {
        let constant = self.constant(index, facts)?;
        match &self.program.exprs.get(constant).kind {
            ExprKind::Constant(Constant::Int(index)) => index.to_u64(),
            ExprKind::Constant(Constant::Bool(index)) => Some(u64::from(*index)),
            _ => None,
        }
    }

    /// The truth that a constant is.
    pub(super) fn truth(&self, constant: ExprId) -> Option<bool> {
        match self.program.exprs.get(constant).kind {
            ExprKind::Constant(Constant::Bool(truth)) => Some(truth),
            _ => None,
        }
    }

    /// The variable that a constant address points to, and the offset in bytes.
    pub(super) fn pointee(&self, constant: ExprId) -> Option<(VariableId, i64)> {
        let address_of = |expr: ExprId| match &self.program.exprs.get(expr).kind {
            ExprKind::AddressOf(place) => place.as_variable(),
            _ => None,
        };
        match &self.program.exprs.get(constant).kind {
            ExprKind::PointerAdd { base, index, stride: 1 } => match &self.program.exprs.get(*index).kind {
                ExprKind::Constant(Constant::Int(offset)) => Some((address_of(*base)?, offset.to_i64()?)),
                _ => None,
            },
            _ => Some((address_of(constant)?, 0)),
        }
    }

    /// What a global that is a scalar holds at the start.
    pub(super) fn initial(&mut self, variable: VariableId) -> Option<Fact> {
        let contents = &self.program.variables[variable];
        let scalar = self.program.types.as_scalar(contents.ty)?;
        let VariableKind::Global { initial: Initial::Values(items), .. } = &contents.kind else { return None };
        let value = match items.as_slice() {
            [] => self.written(Value::zero(scalar), scalar),
            [item] if self.program.exprs.ty(item.value) == scalar => self.always(item.value),
            _ => None,
        };
        Some(value.map_or(Fact::Initialised, Fact::Constant))
    }

    fn value_of(&mut self, expr: ExprId, facts: &Facts) -> Folded {
        let contents = self.program.exprs.get(expr);
        let (kind, ty) = (contents.kind.clone(), contents.ty);
        match kind {
            ExprKind::Constant(_) | ExprKind::FunctionAddress(_) => Folded::Constant(expr),
            ExprKind::Load(place) => match place.as_variable().and_then(|variable| facts.get(variable)) {
                Some(Fact::Constant(constant)) if self.program.exprs.ty(constant) == ty => Folded::Constant(constant),
                _ if self.stops_in(&place.operands(), facts) => Folded::Stops,
                _ => Folded::Nothing,
            },
            ExprKind::Not(operand) => match self.value(operand, facts) {
                Folded::Constant(constant) => match self.truth(constant) {
                    Some(truth) => Folded::Constant(self.program.exprs.bool(!truth)),
                    None => Folded::Nothing,
                },
                other => other,
            },
            ExprKind::And(left, right) => self.lazy(left, facts, |_| right, |folder| folder.program.exprs.bool(false)),
            ExprKind::Or(left, right) => self.lazy(left, facts, |folder| folder.program.exprs.bool(true), |_| right),
            ExprKind::If(condition, then, otherwise) => self.lazy(condition, facts, |_| then, |_| otherwise),
            mut kind => {
                let operands = kind.operands();
                if self.stops_in(&operands, facts) {
                    return Folded::Stops;
                }
                for operand in kind.operands_mut() {
                    match self.constant(*operand, facts) {
                        Some(constant) => *operand = constant,
                        None => return Folded::Nothing,
                    }
                }
                let node = self.program.exprs.intern(kind, ty);
                self.evaluated(node)
            }
        }
    }

    /// The value of one operand, chosen by a condition that is evaluated first.
    fn lazy(
        &mut self,
        condition: ExprId,
        facts: &Facts,
        then: impl FnOnce(&mut Self) -> ExprId,
        otherwise: impl FnOnce(&mut Self) -> ExprId,
    ) -> Folded {
        let constant = match self.value(condition, facts) {
            Folded::Constant(constant) => constant,
            other => return other,
        };
        let Some(truth) = self.truth(constant) else { return Folded::Nothing };
        let chosen = if truth { then(self) } else { otherwise(self) };
        self.value(chosen, facts)
    }

    fn stops_in(&mut self, operands: &[ExprId], facts: &Facts) -> bool {
        operands.iter().any(|&operand| self.value(operand, facts) == Folded::Stops)
    }

    /// The value of an operation on constants.
    fn evaluated(&mut self, node: ExprId) -> Folded {
        if let Some(&known) = self.evaluated.get(&node) {
            return known;
        }
        let mut environment = NoMemory { program: self.program, integers: self.integers, overflow: false };
        let result = evaluate(&mut environment, node);
        let overflow = environment.overflow;
        let known = match result {
            Ok(_) if overflow && self.keep_overflow => Folded::Nothing,
            Ok(value) => {
                let ty = self.program.exprs.ty(node);
                self.written(value, ty).map_or(Folded::Nothing, Folded::Constant)
            }
            Err(Stop::Undefined(_) | Stop::Unsupported(_)) => Folded::Stops,
            Err(_) => Folded::Nothing,
        };
        self.evaluated.insert(node, known);
        known
    }

    /// A value as a constant expression, if it can be one.
    fn written(&mut self, value: Value, ty: Scalar) -> Option<ExprId> {
        let kind = match value {
            Value::Bool(truth) => ExprKind::Constant(Constant::Bool(truth)),
            Value::Int(number) => match ty {
                Scalar::Int(int) if fits(&number, int) => ExprKind::Constant(Constant::Int(number)),
                _ => return None,
            },
            Value::Float(bits) => ExprKind::Constant(Constant::Float(bits)),
            Value::Pointer(Pointer::Null) => ExprKind::Constant(Constant::Null),
            Value::Pointer(Pointer::Register(address)) => ExprKind::Constant(Constant::Address(address)),
            Value::Pointer(Pointer::Function(function)) => ExprKind::FunctionAddress(function),
            Value::Pointer(Pointer::Object { object, offset }) => {
                let variable = object.variable()?;
                let place = Place::variable(variable, self.program.variables[variable].ty);
                if offset == 0 {
                    ExprKind::AddressOf(place)
                } else {
                    let base = self.program.exprs.intern(ExprKind::AddressOf(place), ty);
                    let index = self.program.exprs.int(offset, self.program.types.pointer_int(true));
                    ExprKind::PointerAdd { base, index, stride: 1 }
                }
            }
            Value::Pointer(Pointer::Invalid(_) | Pointer::Dangling) => return None,
        };
        Some(self.program.exprs.intern(kind, ty))
    }

    /// An expression that has the same value, asks the same and stops in the same cases, with what is known put in.
    pub(super) fn fold(&mut self, expr: ExprId, facts: &Facts) -> ExprId {
        if let Some(constant) = self.constant(expr, facts) {
            return constant;
        }
        if let Some(&(when, folded)) = self.folded.get(expr.index())
            && when == self.now
        {
            return folded;
        }
        let folded = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.fold_inside(expr, facts));
        remember(&mut self.folded, expr, (self.now, folded), (0, expr));
        folded
    }

    fn fold_inside(&mut self, expr: ExprId, facts: &Facts) -> ExprId {
        let contents = self.program.exprs.get(expr);
        let (kind, ty) = (contents.kind.clone(), contents.ty);
        let kind = match kind {
            ExprKind::Constant(_) | ExprKind::FunctionAddress(_) => return expr,
            ExprKind::Load(place) => ExprKind::Load(self.fold_place(&place, facts)),
            ExprKind::AddressOf(place) => ExprKind::AddressOf(self.fold_place(&place, facts)),
            ExprKind::Not(operand) => {
                let operand = self.fold(operand, facts);
                return self.program.exprs.not(operand);
            }
            ExprKind::And(left, right) => return self.fold_lazy(left, right, true, facts),
            ExprKind::Or(left, right) => return self.fold_lazy(left, right, false, facts),
            ExprKind::If(condition, then, otherwise) => {
                let condition = self.fold(condition, facts);
                match self.truth(condition) {
                    Some(truth) => return self.fold(if truth { then } else { otherwise }, facts),
                    None => ExprKind::If(condition, self.fold(then, facts), self.fold(otherwise, facts)),
                }
            }
            mut kind => {
                kind.operands_mut().into_iter().for_each(|operand| *operand = self.fold(*operand, facts));
                kind
            }
        };
        self.program.exprs.intern(kind, ty)
    }

    /// A conjunction, or a disjunction: the right operand is evaluated where the left one has the value `neutral`.
    fn fold_lazy(&mut self, left: ExprId, right: ExprId, neutral: bool, facts: &Facts) -> ExprId {
        let quiet = self.is_quiet(left, facts);
        let (left, right) = (self.fold(left, facts), self.fold(right, facts));
        match (self.truth(left), self.truth(right)) {
            (Some(truth), _) if truth == neutral => right,
            (Some(_), _) => left,
            (None, Some(truth)) if truth == neutral => left,
            (None, Some(_)) if quiet => right,
            _ if neutral => self.program.exprs.intern(ExprKind::And(left, right), Scalar::Bool),
            _ => self.program.exprs.intern(ExprKind::Or(left, right), Scalar::Bool),
        }
    }

    /// A place with what is known put in; what a constant address points to is called by its name.
    pub(super) fn fold_place(&mut self, place: &Place, facts: &Facts) -> Place {
        let path = place
            .path
            .iter()
            .map(|step| match step {
                Selector::Field(field) => Selector::Field(*field),
                Selector::Index(index) => Selector::Index(self.fold(*index, facts)),
            })
            .collect();
        match place.root {
            Root::Variable(variable) => Place { root: Root::Variable(variable), path, ty: place.ty },
            Root::Pointer { address, pointee } => {
                let address = self.fold(address, facts);
                let place = Place { root: Root::Pointer { address, pointee }, path, ty: place.ty };
                self.named(&place, address, pointee).unwrap_or(place)
            }
        }
    }

    /// A place behind a constant address, by the name of the variable that it is a part of.
    fn named(&mut self, place: &Place, address: ExprId, pointee: TypeId) -> Option<Place> {
        let (variable, offset) = self.pointee(address)?;
        let mut path = Vec::new();
        let mut rest = u64::try_from(offset).ok()?.checked_mul(8)?;
        let mut ty = self.program.variables[variable].ty;
        while rest != 0 || ty != pointee {
            match self.program.types.get(ty) {
                Type::Record(record) if !record.is_union => {
                    let inside = |field: &crate::types::Field| {
                        let end = field.offset_bits + self.program.types.size_bits(field.ty);
                        field.bit_width.is_none() && field.offset_bits <= rest && rest < end
                    };
                    let number = record.fields.iter().position(inside)?;
                    path.push(Selector::Field(number as u32));
                    rest -= record.fields[number].offset_bits;
                    ty = record.fields[number].ty;
                }
                &Type::Array { element, length } => {
                    let stride = self.program.types.size_bits(element);
                    let index = rest.checked_div(stride).filter(|&index| index < length)?;
                    let index_type = self.program.types.pointer_int(false);
                    path.push(Selector::Index(self.program.exprs.int(index, index_type)));
                    rest -= index * stride;
                    ty = element;
                }
                _ => return None,
            }
        }
        if self.goes_on_behind_its_end(ty, &place.path) {
            return None;
        }
        path.extend(place.path.iter().cloned());
        Some(Place { root: Root::Variable(variable), path, ty: place.ty })
    }

    /// Whether a path leads through an array that may go on behind its end: which ones do depends on where the path
    /// begins.
    fn goes_on_behind_its_end(&self, mut ty: TypeId, path: &[Selector]) -> bool {
        for step in path {
            ty = match (step, self.program.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) => record.fields[*number as usize].ty,
                (Selector::Index(_), &Type::Array { element, length }) if length > 1 => element,
                _ => return true,
            };
        }
        false
    }
}

/// Puts an entry into a table by the number of an expression.
pub(super) fn remember<T: Copy>(table: &mut Vec<T>, expr: ExprId, entry: T, nothing: T) {
    if table.len() <= expr.index() {
        table.resize(expr.index() + 1, nothing);
    }
    table[expr.index()] = entry;
}

/// The evaluator's view of constants: variables have addresses, but no contents.
struct NoMemory<'p> {
    program: &'p Program,
    integers: Integers,
    overflow: bool,
}

impl<'p> Environment<'p> for NoMemory<'p> {
    fn program(&self) -> &'p Program {
        self.program
    }

    fn integers(&self) -> Integers {
        self.integers
    }

    fn object_of(&mut self, variable: VariableId) -> Result<ObjectId, Stop> {
        Ok(ObjectId::of_variable(self.program, variable))
    }

    fn load(&mut self, _: &TargetBits, _: Scalar) -> Result<Value, Stop> {
        Err(Stop::NotConstant)
    }

    fn number_of(&mut self, _: Pointer) -> Result<u64, Stop> {
        Err(Stop::NotConstant)
    }

    fn pointer_at(&mut self, _: u64) -> Result<Pointer, Stop> {
        Err(Stop::NotConstant)
    }

    fn overflowed(&mut self) {
        self.overflow = true;
    }
}
