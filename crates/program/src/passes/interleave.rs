//! Splits edges so that each makes at most one access to memory that threads may share.
//!
//! One step of the semantics is one edge, so that `x = x + y` on globals would happen at once. After this pass it is
//! `t1 := x; t2 := y; x := t1 + t2`, and other threads may run in between. Accesses happen from left to right. Where
//! only part of an expression is evaluated (`&&`, `||`, `? :`) and that part accesses shared memory, it becomes control
//! flow. The conditions of a branch are loaded before the branch, once for all its edges. Operations on mutexes and on
//! ranges of bytes stay one access.
//!
//! The pass is for programs with threads, and is left out where statements are to be atomic (`--atomic statement`).
//!
//! Shared are globals, locals whose address is taken, and whatever is reached through a pointer; literals are not.
//! Variables keep their ids, locations and expressions too; new ones come after them.

use foundation::collections::HashMap;
use foundation::{Arena, Id, Span};

use super::back::BackTranslation;
use crate::cfa::{Edge, EdgeId, FunctionId, LocationId, Observe, Op, Operand};
use crate::expr::{Expr, ExprId, ExprKind, Place, Root};
use crate::model::{Program, Variable, VariableId, VariableKind};
use crate::types::{Scalar, TypeId};
use crate::visit::{OpPart, OpPartRef};

/// A program whose edges make at most one access to shared memory, and the way back.
#[derive(Clone, Debug)]
pub struct Interleaved {
    /// The new program.
    pub program: Program,
    /// What its locations and edges are in the old program.
    pub back: BackTranslation,
}

/// Splits the edges of a program.
pub fn interleave(old: &Program) -> Interleaved {
    let mut program = old.clone();
    program.edges = Arena::new();
    for location in old.locations.ids() {
        program.locations[location].out.clear();
    }
    let mut splitter = Splitter {
        back: BackTranslation::identity(&program),
        program,
        accesses: HashMap::default(),
        at: LocationId::from_index(0),
        function: FunctionId::from_index(0),
        origin: EdgeId::from_index(0),
        span: None,
    };
    for (location, contents) in old.locations.iter() {
        splitter.function = contents.function;
        splitter.location(old, location, &contents.out);
    }
    Interleaved { program: splitter.program, back: splitter.back }
}

struct Splitter {
    program: Program,
    back: BackTranslation,
    /// How often an expression accesses shared memory: never, once, or (2) more often.
    accesses: HashMap<ExprId, u8>,
    /// Where the next edge begins.
    at: LocationId,
    function: FunctionId,
    /// The old edge that is being split.
    origin: EdgeId,
    span: Option<Span>,
}

/// Expressions that were evaluated already, by what replaces them.
type Evaluated = HashMap<ExprId, ExprId>;

impl Splitter {
    fn location(&mut self, old: &Program, location: LocationId, out: &[EdgeId]) {
        self.at = location;
        let conditions: Vec<(EdgeId, ExprId)> = out
            .iter()
            .filter_map(|&edge| match old.edges[edge].op {
                Op::Assume(condition) => Some((edge, condition)),
                _ => None,
            })
            .collect();
        let mut known = Evaluated::default();
        let most = conditions.iter().map(|&(_, condition)| self.count(condition)).max().unwrap_or(0);
        // A single edge may test and load at once; several must agree on what was loaded.
        if most > 1 || most == 1 && out.len() > 1 {
            for &(edge, condition) in &conditions {
                self.begin(old, edge);
                let mut found = Evaluated::default();
                let value = self.load_all(condition, &known, &mut found);
                found.insert(condition, value);
                known.extend(found);
            }
        }
        let branch = self.at;
        for &edge in out {
            self.begin(old, edge);
            self.at = branch;
            let Edge { op, to, observe, .. } = old.edges[edge].clone();
            match op {
                Op::Assume(condition) => {
                    let condition = known.get(&condition).copied().unwrap_or(condition);
                    self.last(Op::Assume(condition), to, observe);
                }
                op => self.operation(op, to, observe),
            }
        }
    }

    fn begin(&mut self, old: &Program, edge: EdgeId) {
        self.origin = edge;
        self.span = Some(old.edges[edge].span);
    }

    /// Splits an edge with an operation other than [`Op::Assume`].
    fn operation(&mut self, op: Op, to: LocationId, observe: Observe) {
        let (op, result) = self.with_own_result(op);
        let reads: u8 = op.expressions().into_iter().fold(0, |sum, expr| (sum + self.count(expr)).min(2));
        let own = self.own_accesses(&op);
        let op = if reads + own > 1 { self.split(op) } else { op };
        match result {
            None => self.last(op, to, observe),
            Some((variable, temporary)) => {
                self.emit(op);
                let target = Place::variable(variable, self.program.variables[variable].ty);
                let value = self.read_temporary(temporary);
                self.last(Op::Assign { target, value }, to, observe);
            }
        }
    }

    /// An operation that stores its result in a shared variable stores it in a temporary first.
    fn with_own_result(&mut self, mut op: Op) -> (Op, Option<(VariableId, VariableId)>) {
        let Some(variable) = op.result() else { return (op, None) };
        let place = Place::variable(variable, self.program.variables[variable].ty);
        if !self.shared(&place) {
            return (op, None);
        }
        let temporary = self.temporary(place.ty);
        for part in op.parts_mut() {
            if let OpPart::Result(result) = part {
                *result = temporary;
            }
        }
        (op, Some((variable, temporary)))
    }

    /// The accesses to shared memory that an operation makes beyond evaluating its expressions.
    fn own_accesses(&self, op: &Op) -> u8 {
        let is_shared = |place: &&Place| self.shared(place);
        let through_address = |part: OpPartRef<'_>| matches!(part, OpPart::Address(..) | OpPart::Mutex(_));
        let addressed = u8::from(op.parts().into_iter().any(through_address));
        addressed + op.places().filter(is_shared).take(2).count() as u8
    }

    /// An operation without reads of shared memory, after edges that have made them. An aggregate is copied first if the
    /// operation must not read it.
    fn split(&mut self, mut op: Op) -> Op {
        let copies_first = match &op {
            Op::Assign { target, .. } => self.shared(target),
            op => matches!(op, Op::Call { .. }),
        };
        for part in op.parts_mut() {
            match part {
                OpPart::Value(expr) | OpPart::Address(expr, _) | OpPart::Mutex(expr) => *expr = self.expr(*expr),
                OpPart::Written(place) => *place = self.place(place),
                OpPart::Read(place) => {
                    *place = self.place(place);
                    if copies_first && self.shared(place) {
                        let temporary = self.temporary(place.ty);
                        let target = Place::variable(temporary, place.ty);
                        let value = Operand::Aggregate(std::mem::replace(place, target.clone()));
                        self.emit(Op::Assign { target, value });
                    }
                }
                OpPart::Result(_) | OpPart::Lifetime(_) | OpPart::Called(_) => {}
            }
        }
        op
    }

    /// A place whose address and indices read nothing shared.
    fn place(&mut self, place: &Place) -> Place {
        self.place_knowing(place, &Evaluated::default(), &mut Evaluated::default())
    }

    fn expr(&mut self, expr: ExprId) -> ExprId {
        self.load_all(expr, &Evaluated::default(), &mut Evaluated::default())
    }

    fn place_knowing(&mut self, place: &Place, known: &Evaluated, found: &mut Evaluated) -> Place {
        let mut place = place.clone();
        for operand in place.operands_mut() {
            *operand = self.load_all(*operand, known, found);
        }
        place
    }

    /// An expression that reads nothing shared, after edges that load what it needs. Each occurrence of a load is one
    /// of its own, as in the source, but what is `known` from before is not loaded again.
    fn load_all(&mut self, expr: ExprId, known: &Evaluated, found: &mut Evaluated) -> ExprId {
        if let Some(&value) = known.get(&expr) {
            return value;
        }
        if self.count(expr) == 0 {
            return expr;
        }
        let value = stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.load_kind(expr, known, found));
        found.insert(expr, value);
        value
    }

    fn load_kind(&mut self, expr: ExprId, known: &Evaluated, found: &mut Evaluated) -> ExprId {
        let Expr { mut kind, ty } = self.program.exprs.get(expr).clone();
        match kind {
            ExprKind::And(left, right) => {
                let no = self.program.exprs.bool(false);
                return self.lazy(left, right, no, ty, known, found);
            }
            ExprKind::Or(left, right) => {
                let yes = self.program.exprs.bool(true);
                return self.lazy(left, yes, right, ty, known, found);
            }
            ExprKind::If(condition, then, otherwise) => {
                return self.lazy(condition, then, otherwise, ty, known, found);
            }
            _ => {}
        }
        for operand in kind.operands_mut() {
            *operand = self.load_all(*operand, known, found);
        }
        if matches!(&kind, ExprKind::Load(place) if self.shared(place)) {
            let load = self.program.exprs.intern(kind, ty);
            return self.loaded_apart(load);
        }
        self.program.exprs.intern(kind, ty)
    }

    /// `condition ? then : otherwise`, as control flow if one of the two reads what is shared and not known.
    fn lazy(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        ty: Scalar,
        known: &Evaluated,
        found: &mut Evaluated,
    ) -> ExprId {
        let condition = self.load_all(condition, known, found);
        if self.reads_unknown(then, known) || self.reads_unknown(otherwise, known) {
            let type_id = self.program.types.scalar(ty);
            let temporary = self.temporary(type_id);
            let target = Place::variable(temporary, type_id);
            let (begin, join) = (self.at, self.inside());
            let negation = self.program.exprs.not(condition);
            for (guard, value) in [(condition, then), (negation, otherwise)] {
                self.at = begin;
                self.emit(Op::Assume(guard));
                // What one branch loads is not known in the other, nor after both.
                let value = self.load_all(value, known, &mut Evaluated::default());
                let op = Op::Assign { target: target.clone(), value: Operand::Scalar(value) };
                self.last(op, join, Observe::No);
            }
            self.at = join;
            return self.program.exprs.intern(ExprKind::Load(target), ty);
        }
        // Nothing is loaded here: what is read is known.
        let then = self.load_all(then, known, found);
        let otherwise = self.load_all(otherwise, known, found);
        self.program.exprs.intern(ExprKind::If(condition, then, otherwise), ty)
    }

    /// Whether an expression reads what is shared and not known.
    fn reads_unknown(&mut self, expr: ExprId, known: &Evaluated) -> bool {
        if known.contains_key(&expr) || self.count(expr) == 0 {
            return false;
        }
        if let ExprKind::Load(place) = &self.program.exprs.get(expr).kind
            && self.shared(place)
        {
            return true;
        }
        let operands = self.program.exprs.operands(expr);
        operands
            .into_iter()
            .any(|operand| stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.reads_unknown(operand, known)))
    }

    /// How often an expression accesses shared memory, up to 2.
    fn count(&mut self, expr: ExprId) -> u8 {
        if let Some(&count) = self.accesses.get(&expr) {
            return count;
        }
        let own = match &self.program.exprs.get(expr).kind {
            ExprKind::Load(place) => u8::from(self.shared(place)),
            _ => 0,
        };
        let operands = self.program.exprs.operands(expr);
        let inside = operands.into_iter().fold(0, |sum: u8, operand| {
            (sum + stacker::maybe_grow(64 * 1024, 1024 * 1024, || self.count(operand))).min(2)
        });
        let count = (own + inside).min(2);
        self.accesses.insert(expr, count);
        count
    }

    fn shared(&self, place: &Place) -> bool {
        let Root::Variable(variable) = place.root else { return true };
        let variable = &self.program.variables[variable];
        match variable.kind {
            VariableKind::Global { .. } => true,
            VariableKind::Literal { .. } | VariableKind::Temporary(_) => false,
            VariableKind::Parameter(_) | VariableKind::Local(_) => variable.address_taken,
        }
    }

    fn temporary(&mut self, ty: TypeId) -> VariableId {
        let function = &mut self.program.functions[self.function];
        let variable = self.program.variables.push(Variable {
            name: format!("%i{}", function.locals.len()),
            kind: VariableKind::Temporary(self.function),
            ty,
            address_taken: false,
            span: self.span.unwrap_or(function.span),
        });
        function.locals.push(variable);
        variable
    }

    /// A temporary that holds the value of an expression, as an expression.
    fn loaded_apart(&mut self, expr: ExprId) -> ExprId {
        let ty = self.program.exprs.ty(expr);
        let type_id = self.program.types.scalar(ty);
        let temporary = self.temporary(type_id);
        let target = Place::variable(temporary, type_id);
        self.emit(Op::Assign { target: target.clone(), value: Operand::Scalar(expr) });
        self.program.exprs.intern(ExprKind::Load(target), ty)
    }

    fn read_temporary(&mut self, temporary: VariableId) -> Operand {
        let place = Place::variable(temporary, self.program.variables[temporary].ty);
        match self.program.types.as_scalar(place.ty) {
            Some(ty) => Operand::Scalar(self.program.exprs.intern(ExprKind::Load(place), ty)),
            None => Operand::Aggregate(place),
        }
    }

    /// An edge to a new location, from which the next edge goes on.
    fn emit(&mut self, op: Op) {
        let to = self.inside();
        self.last(op, to, Observe::No);
        self.at = to;
    }

    fn last(&mut self, op: Op, to: LocationId, observe: Observe) {
        let span = self.span.expect("an old edge is being split");
        self.program.add_edge(self.at, to, op, span, observe);
        self.back.push_edge(self.origin);
    }

    /// A new location inside of what was one edge.
    fn inside(&mut self) -> LocationId {
        self.back.push_inside(self.at);
        self.program.add_location(self.function)
    }
}
