//! Expressions and operations without pointers.

use num_bigint::BigInt;
use num_traits::ToPrimitive;

use super::super::prepared::Prepared;
use super::access::{AccessMeaning, VariablePart, meaning};
use super::numbering::Numbering;
use super::{Directions, Lead, LocationCondition, PointedVariables, initial_items, is_null};
use crate::cfa::{Callee, EdgeId, LocationId, Observe, Op};
use crate::expr::{BinaryOp, CompareOp, Constant, ExprId, ExprKind, Place, Root, Selector};
use crate::model::{Initial, Program, VariableId, VariableKind};
use crate::types::{IntType, Scalar, Type, TypeId};
use crate::visit::OpPart;

/// A pointer cannot be replaced.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unfit;

/// Replaces pointers.
pub(super) struct Replacement<'a> {
    /// The program with pointers.
    pub old: &'a Program,
    /// The program that is changed. Its expressions are those of the old one and more.
    pub prepared: &'a mut Prepared,
    pub numbering: &'a mut Numbering,
    pub directions: &'a dyn Directions,
    /// What has to be true; intervals are filled in when all are known.
    pub found: Vec<LocationCondition>,
    /// Where what is replaced is evaluated; none in atoms.
    pub at: Option<LocationId>,
}

/// A part that an access may mean: when it does, and what place it is then.
struct AccessedPart {
    when: ExprId,
    place: Place,
}

impl Replacement<'_> {
    /// Replaces what an edge does.
    pub fn edge(&mut self, edge: EdgeId) -> Result<(), Unfit> {
        let contents = self.old.edges[edge].clone();
        self.at = Some(contents.from);
        match &contents.op {
            Op::Skip | Op::End(_) | Op::Unreachable | Op::AtomicBegin | Op::AtomicEnd | Op::Declare(_) => Ok(()),
            Op::Discard(variable) => {
                let holders = self.directions.holders(*variable).ok_or(Unfit)?;
                let dead = holders.into_iter().map(|variable| LocationCondition::Dead { at: contents.to, variable });
                self.found.extend(dead);
                Ok(())
            }
            Op::Assume(_) | Op::Assign { .. } | Op::Input { .. } | Op::Return(_) => {
                if matches!(&contents.op, Op::Input { target, .. } if self.holds_pointers(target.ty)) {
                    return Err(Unfit);
                }
                self.split(edge, &contents.op)
            }
            Op::Call { callee: Callee::Function(_), result, .. } => {
                let returns = |variable: VariableId| self.old.variables[variable].ty;
                if result.is_some_and(|result| self.holds_pointers(returns(result))) {
                    return Err(Unfit);
                }
                self.split(edge, &contents.op)
            }
            op if op.expressions().is_empty() => Ok(()),
            _ => Err(Unfit),
        }
    }

    /// Replaces the operation of an edge; where it accesses a place that may be one of several, one edge leads to each.
    fn split(&mut self, edge: EdgeId, op: &Op) -> Result<(), Unfit> {
        let through = op.places().find(|place| matches!(place.root, Root::Pointer { .. })).cloned();
        let Some(place) = through else {
            let op = self.op(op)?;
            self.prepared.program.edges[edge].op = op;
            return Ok(());
        };
        let writes = matches!(op, Op::Assign { target, .. } | Op::Input { target, .. } if *target == place);
        let (choices, is_certain) = self.choices(&place, writes)?;
        let from = self.prepared.program.edges[edge].from;
        if self.prepared.program.locations[from].out.len() != 1 {
            return Err(Unfit);
        }
        let crate::cfa::Edge { to, observe, .. } = self.prepared.program.edges[edge].clone();
        if let ([only], true) = (choices.as_slice(), is_certain) {
            return self.split(edge, &with_place(op, &place, &only.place));
        }
        let mut nothing: Option<ExprId> = None;
        let mut first = Some(edge);
        for choice in &choices {
            let exprs = &mut self.prepared.program.exprs;
            nothing = Some(match nothing {
                None => choice.when,
                Some(before) => exprs.intern(ExprKind::Or(before, choice.when), Scalar::Bool),
            });
            let chosen = self.prepared.add_location_like(from);
            self.guard(edge, first.take(), from, chosen, choice.when);
            let access = self.prepared.add_edge_like(edge, chosen, to, Op::Skip, observe);
            self.split(access, &with_place(op, &place, &choice.place))?;
        }
        let nowhere = self.prepared.add_location_like(from);
        let otherwise = match nothing {
            Some(some) => self.prepared.program.exprs.not(some),
            None => self.prepared.program.exprs.bool(true),
        };
        self.guard(edge, first, from, nowhere, otherwise);
        self.prepared.add_edge_like(edge, nowhere, to, Op::Unreachable, Observe::No);
        Ok(())
    }

    /// An edge that is taken on a condition: the first one takes the place of the edge that was there.
    fn guard(&mut self, like: EdgeId, first: Option<EdgeId>, from: LocationId, to: LocationId, condition: ExprId) {
        match first {
            Some(edge) => {
                let contents = &mut self.prepared.program.edges[edge];
                (contents.to, contents.op, contents.observe) = (to, Op::Assume(condition), Observe::No);
            }
            None => drop(self.prepared.add_edge_like(like, from, to, Op::Assume(condition), Observe::No)),
        }
    }

    fn op(&mut self, op: &Op) -> Result<Op, Unfit> {
        let mut op = op.clone();
        for part in op.parts_mut() {
            match part {
                OpPart::Value(expr) => *expr = self.expr(*expr)?,
                OpPart::Read(place) | OpPart::Written(place) => *place = self.place(place)?,
                OpPart::Address(..) | OpPart::Mutex(_) => return Err(Unfit),
                OpPart::Result(_) | OpPart::Lifetime(_) | OpPart::Called(_) => {}
            }
        }
        Ok(op)
    }

    /// A part of a variable by its name.
    fn place(&mut self, place: &Place) -> Result<Place, Unfit> {
        let Root::Variable(_) = place.root else { return Err(Unfit) };
        let mut place = place.clone();
        for operand in place.operands_mut() {
            *operand = self.expr(*operand)?;
        }
        place.ty = self.ty(place.ty)?;
        Ok(place)
    }

    /// What an expression is without pointers; an address becomes its number.
    pub fn expr(&mut self, expr: ExprId) -> Result<ExprId, Unfit> {
        stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.replaced(expr))
    }

    fn replaced(&mut self, expr: ExprId) -> Result<ExprId, Unfit> {
        let contents = self.prepared.program.exprs.get(expr);
        let (kind, ty) = (contents.kind.clone(), contents.ty);
        let is_pointer = |this: &Self, operand: ExprId| this.prepared.program.exprs.ty(operand) == Scalar::Pointer;
        match kind {
            ExprKind::Load(place) => self.load(&place, ty),
            ExprKind::Constant(Constant::Null) => Ok(self.number(0)),
            ExprKind::Constant(Constant::Address(_)) => Err(Unfit),
            ExprKind::FunctionAddress(function) => {
                let number = self.numbering.function(function);
                Ok(self.number(number))
            }
            ExprKind::AddressOf(place) => self.address_of(&place),
            ExprKind::PointerAdd { base, index, stride } => {
                let start = self.expr(base)?;
                let bytes = self.bytes(index, stride)?;
                self.moved(start, bytes)
            }
            ExprKind::PointerDifference { left, right, stride } => {
                let (one, other) = (self.directions.of(left), self.directions.of(right));
                if !is_multiple(&one, &other, stride) {
                    return Err(Unfit);
                }
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                self.together(vec![left, right])?;
                let bytes = self.binary(BinaryOp::Subtract, left, right);
                let elements = self.divided(bytes, stride);
                Ok(self.prepared.program.exprs.cast(elements, ty))
            }
            ExprKind::Compare(op, left, right) if is_pointer(self, left) => {
                let (left, right) = (self.expr(left)?, self.expr(right)?);
                if !matches!(op, CompareOp::Equal | CompareOp::NotEqual) {
                    self.together(vec![left, right])?;
                }
                Ok(self.prepared.program.exprs.intern(ExprKind::Compare(op, left, right), Scalar::Bool))
            }
            ExprKind::Cast(operand) => match (is_pointer(self, operand), ty) {
                (true, Scalar::Pointer) => self.expr(operand),
                (true, Scalar::Bool) => {
                    let (number, null) = (self.expr(operand)?, self.number(0));
                    let kind = ExprKind::Compare(CompareOp::NotEqual, number, null);
                    Ok(self.prepared.program.exprs.intern(kind, Scalar::Bool))
                }
                (false, Scalar::Pointer) if is_null(&self.prepared.program, operand) => Ok(self.number(0)),
                (true, _) | (_, Scalar::Pointer) => Err(Unfit),
                _ => {
                    let operand = self.expr(operand)?;
                    Ok(self.prepared.program.exprs.intern(ExprKind::Cast(operand), ty))
                }
            },
            mut kind => {
                for operand in kind.operands_mut() {
                    *operand = self.expr(*operand)?;
                }
                let ty = if ty == Scalar::Pointer { Scalar::Int(self.int()) } else { ty };
                Ok(self.prepared.program.exprs.intern(kind, ty))
            }
        }
    }

    fn load(&mut self, place: &Place, ty: Scalar) -> Result<ExprId, Unfit> {
        let ty = if ty == Scalar::Pointer { Scalar::Int(self.int()) } else { ty };
        if let Root::Variable(_) = place.root {
            let place = self.place(place)?;
            return Ok(self.prepared.program.exprs.intern(ExprKind::Load(place), ty));
        }
        let (choices, is_certain) = self.choices(place, false)?;
        let mut value = if is_certain { None } else { Some(self.undefined(ty)) };
        for choice in choices.into_iter().rev() {
            let place = self.place(&choice.place)?;
            let exprs = &mut self.prepared.program.exprs;
            let loaded = exprs.intern(ExprKind::Load(place), ty);
            value = Some(match value {
                None => loaded,
                Some(otherwise) => exprs.intern(ExprKind::If(choice.when, loaded, otherwise), ty),
            });
        }
        value.ok_or(Unfit)
    }

    /// The places that an access through a pointer may mean, and whether it always means one. Their types and indices are
    /// still those with pointers.
    fn choices(&mut self, place: &Place, writes: bool) -> Result<(Vec<AccessedPart>, bool), Unfit> {
        let Root::Pointer { address, pointee } = place.root else { return Err(Unfit) };
        let PointedVariables { into, elsewhere } = self.directions.of(address);
        let AccessMeaning { parts, is_certain, gaps } = meaning(self.old, &into, pointee).ok_or(Unfit)?;
        let number = self.expr(address)?;
        let is_constant =
            |variable: VariableId| matches!(self.old.variables[variable].kind, VariableKind::Literal { .. });
        if writes && parts.iter().any(|part| is_constant(part.variable)) {
            return Err(Unfit);
        }
        let mut numbers = Vec::new();
        for (variable, offset) in gaps {
            numbers.push(i128::from(self.first(variable)?) + i128::from(offset));
        }
        if !numbers.is_empty() {
            let at = self.at.ok_or(Unfit)?;
            self.found.push(LocationCondition::Never { at, value: number, numbers });
        }
        let mut choices = Vec::new();
        for part in &parts {
            choices.push(self.choice(part, number, &place.path, place.ty)?);
        }
        Ok((choices, is_certain && !elsewhere))
    }

    fn choice(
        &mut self,
        part: &VariablePart,
        number: ExprId,
        rest: &[Selector],
        ty: TypeId,
    ) -> Result<AccessedPart, Unfit> {
        let first = self.first(part.variable)? + part.offset as i64;
        let begin = self.number(first);
        let compare = |this: &mut Self, op, bound: ExprId| {
            this.prepared.program.exprs.intern(ExprKind::Compare(op, number, bound), Scalar::Bool)
        };
        let (when, index) = match part.elements {
            None => (compare(self, CompareOp::Equal, begin), None),
            Some(count) => {
                let end = self.number(first + (count * part.size) as i64);
                let (low, high) = (compare(self, CompareOp::GreaterEqual, begin), compare(self, CompareOp::Less, end));
                let bytes = self.binary(BinaryOp::Subtract, number, begin);
                let index = self.divided(bytes, part.size);
                let when = self.prepared.program.exprs.intern(ExprKind::And(low, high), Scalar::Bool);
                (when, Some(Selector::Index(index)))
            }
        };
        let int = self.int();
        let exprs = &mut self.prepared.program.exprs;
        let place = part.place(|number| Selector::Index(exprs.int(number, int)), index, rest, ty);
        Ok(AccessedPart { when, place })
    }

    fn address_of(&mut self, place: &Place) -> Result<ExprId, Unfit> {
        let (start, mut ty) = match place.root {
            Root::Variable(variable) => {
                let first = self.first(variable)?;
                (self.number(first), self.old.variables[variable].ty)
            }
            Root::Pointer { address, pointee } => (self.expr(address)?, pointee),
        };
        let mut bytes = self.number(0);
        for step in &place.path {
            let further = match (step, self.old.types.get(ty)) {
                (Selector::Field(number), Type::Record(record)) => {
                    let field = &record.fields[*number as usize];
                    ty = field.ty;
                    self.number((field.offset_bits / 8) as i64)
                }
                (Selector::Index(index), Type::Array { element, .. }) => {
                    ty = *element;
                    self.bytes(*index, self.old.types.size_bits(*element) / 8)?
                }
                _ => return Err(Unfit),
            };
            bytes = self.binary(BinaryOp::Add, bytes, further);
        }
        self.moved(start, bytes)
    }

    /// An address so many bytes further: it must stay in its variable.
    fn moved(&mut self, start: ExprId, bytes: ExprId) -> Result<ExprId, Unfit> {
        if self.known(bytes) == Some(0) {
            return Ok(start);
        }
        let end = self.binary(BinaryOp::Add, start, bytes);
        self.together(vec![start, end])?;
        Ok(end)
    }

    fn together(&mut self, values: Vec<ExprId>) -> Result<(), Unfit> {
        let known: Option<Vec<i64>> = values.iter().map(|value| self.known(*value)).collect();
        if let Some(known) = known {
            let inside = |number: i64, (low, high): (i128, i128)| (low..=high).contains(&i128::from(number));
            let intervals = self.numbering.intervals();
            let fits = intervals.into_iter().any(|interval| known.iter().all(|number| inside(*number, interval)));
            return if fits { Ok(()) } else { Err(Unfit) };
        }
        let at = self.at.ok_or(Unfit)?;
        self.found.push(LocationCondition::Together { at, values, intervals: Vec::new() });
        Ok(())
    }

    /// An index times a stride, as a number of bytes.
    fn bytes(&mut self, index: ExprId, stride: u64) -> Result<ExprId, Unfit> {
        let int = self.int();
        let index = self.expr(index)?;
        let index = match self.known(index) {
            Some(number) => self.number(number),
            None => self.prepared.program.exprs.cast(index, Scalar::Int(int)),
        };
        let stride = self.number(i64::try_from(stride).map_err(|_| Unfit)?);
        Ok(self.binary(BinaryOp::Multiply, index, stride))
    }

    fn divided(&mut self, bytes: ExprId, size: u64) -> ExprId {
        if size == 1 {
            return bytes;
        }
        let size = self.number(size as i64);
        self.binary(BinaryOp::Divide, bytes, size)
    }

    /// An operation on numbers of addresses; constants are put together at once.
    fn binary(&mut self, op: BinaryOp, left: ExprId, right: ExprId) -> ExprId {
        let known = (self.known(left), self.known(right));
        let both = match (op, known) {
            (BinaryOp::Add, (Some(left), Some(right))) => left.checked_add(right),
            (BinaryOp::Subtract, (Some(left), Some(right))) => left.checked_sub(right),
            (BinaryOp::Multiply, (Some(left), Some(right))) => left.checked_mul(right),
            (BinaryOp::Divide, (Some(left), Some(right))) => left.checked_div(right),
            _ => None,
        };
        match (op, known, both) {
            (_, _, Some(number)) => self.number(number),
            (BinaryOp::Add, (Some(0), _), _) => right,
            (BinaryOp::Add | BinaryOp::Subtract, (_, Some(0)), _) => left,
            (BinaryOp::Multiply | BinaryOp::Divide, (_, Some(1)), _) => left,
            _ => {
                let ty = Scalar::Int(self.int());
                self.prepared.program.exprs.intern(ExprKind::Binary(op, left, right), ty)
            }
        }
    }

    /// The value of a constant.
    fn known(&self, expr: ExprId) -> Option<i64> {
        match &self.prepared.program.exprs.get(expr).kind {
            ExprKind::Constant(Constant::Int(number)) => number.to_i64(),
            _ => None,
        }
    }

    fn number(&mut self, number: i64) -> ExprId {
        let int = self.int();
        self.prepared.program.exprs.int(number, int)
    }

    fn first(&mut self, variable: VariableId) -> Result<i64, Unfit> {
        self.numbering.variable(self.old, variable).ok_or(Unfit)
    }

    /// The type of the numbers of addresses.
    fn int(&self) -> IntType {
        self.old.types.pointer_int(true)
    }

    /// Something undefined, of a type.
    fn undefined(&mut self, ty: Scalar) -> ExprId {
        let exprs = &mut self.prepared.program.exprs;
        let int = IntType::signed(32);
        let (one, zero) = (exprs.int(BigInt::from(1), int), exprs.int(BigInt::from(0), int));
        let undefined = exprs.intern(ExprKind::Binary(BinaryOp::Divide, one, zero), Scalar::Int(int));
        exprs.cast(undefined, ty)
    }

    fn holds_pointers(&self, ty: TypeId) -> bool {
        match self.old.types.get(ty) {
            Type::Scalar(scalar) => *scalar == Scalar::Pointer,
            Type::Opaque => true,
            Type::Array { element, .. } => self.holds_pointers(*element),
            Type::Record(record) => record.fields.iter().any(|field| self.holds_pointers(field.ty)),
        }
    }

    fn ty(&mut self, ty: TypeId) -> Result<TypeId, Unfit> {
        self.numbering.without_pointers(&mut self.prepared.program.types, ty).ok_or(Unfit)
    }

    /// Replaces the expressions of atoms.
    pub fn atoms(&mut self) -> Result<(), Unfit> {
        self.at = None;
        let mut replaced = foundation::collections::HashMap::default();
        let all: Vec<ExprId> = self.prepared.atoms.expressions().collect();
        for expr in all {
            replaced.insert(expr, self.expr(expr)?);
        }
        self.prepared.atoms.rewrite(|expr| replaced[&expr]);
        Ok(())
    }

    /// Replaces the type of a variable and what it holds at the start.
    pub fn variable(&mut self, variable: VariableId) -> Result<(), Unfit> {
        if !self.holds_pointers(self.old.variables[variable].ty) {
            return Ok(());
        }
        self.at = None;
        let ty = self.ty(self.old.variables[variable].ty)?;
        let mut items = initial_items(self.old, variable).cloned();
        for item in items.iter_mut().flatten() {
            item.value = self.expr(item.value)?;
        }
        let contents = &mut self.prepared.program.variables[variable];
        contents.ty = ty;
        if let (
            VariableKind::Global { initial: Initial::Values(held), .. }
            | VariableKind::Literal { initial: Initial::Values(held) },
            Some(items),
        ) = (&mut contents.kind, items)
        {
            *held = items;
        }
        Ok(())
    }

    /// What has to be true.
    pub fn conditions(self) -> Vec<LocationCondition> {
        let all = self.numbering.intervals();
        let mut found = self.found;
        for condition in &mut found {
            if let LocationCondition::Together { intervals, .. } = condition {
                intervals.clone_from(&all);
            }
        }
        found
    }
}

/// The operation with another place.
fn with_place(op: &Op, old: &Place, new: &Place) -> Op {
    let mut op = op.clone();
    for part in op.parts_mut() {
        if let OpPart::Read(place) | OpPart::Written(place) = part
            && *place == *old
        {
            *place = new.clone();
        }
    }
    op
}

/// Whether the distance of two addresses is always a multiple of a stride.
fn is_multiple(one: &PointedVariables, other: &PointedVariables, stride: u64) -> bool {
    let stride_of = |lead: &Lead| i128::from(lead.modulus) % i128::from(stride) == 0;
    let same = |one: &Lead, other: &Lead| {
        one.variable != other.variable || (one.remainder - other.remainder) % i128::from(stride) == 0
    };
    one.into.iter().chain(&other.into).all(stride_of)
        && one.into.iter().all(|one| other.into.iter().all(|other| same(one, other)))
}
