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

use std::collections::HashMap;

use foundation::{Arena, Id, Span};

use crate::cfa::{Allocation, Callee, Edge, EdgeId, FunctionId, LocationId, Observe, Op, Operand};
use crate::expr::{ExprId, ExprKind, Place, Root, Step};
use crate::model::{Program, Variable, VariableId, VariableKind};
use crate::types::{Scalar, TypeId};

/// A program whose edges make at most one access to shared memory, and the way back.
#[derive(Clone, Debug)]
pub struct Interleaved {
    /// The new program.
    pub program: Program,
    /// For each edge of the new program, the one of the old program that it is a part of.
    pub original_edge: Arena<EdgeId, EdgeId>,
    /// How many variables the old program has: those beyond are new temporaries.
    pub original_variables: usize,
    /// How many locations the old program has: those beyond lie inside an old edge.
    pub original_locations: usize,
}

impl Interleaved {
    /// Whether a variable is a temporary of this pass.
    pub fn is_new(&self, variable: VariableId) -> bool {
        variable.index() >= self.original_variables
    }

    /// The location of the old program that a location is; none for one inside an old edge.
    pub fn original_location(&self, location: LocationId) -> Option<LocationId> {
        (location.index() < self.original_locations).then_some(location)
    }
}

/// Splits the edges of a program.
pub fn interleave(old: &Program) -> Interleaved {
    let mut program = old.clone();
    program.edges = Arena::new();
    for location in old.locations.ids() {
        program.locations[location].out.clear();
    }
    let mut splitter = Splitter {
        program,
        original_edge: Arena::new(),
        accesses: HashMap::new(),
        at: LocationId::from_index(0),
        function: FunctionId::from_index(0),
        origin: EdgeId::from_index(0),
        span: None,
    };
    for (location, contents) in old.locations.iter() {
        splitter.function = contents.function;
        splitter.location(old, location, &contents.out);
    }
    Interleaved {
        program: splitter.program,
        original_edge: splitter.original_edge,
        original_variables: old.variables.len(),
        original_locations: old.locations.len(),
    }
}

struct Splitter {
    program: Program,
    original_edge: Arena<EdgeId, EdgeId>,
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
type Known = HashMap<ExprId, ExprId>;

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
        let mut known = Known::new();
        let most = conditions.iter().map(|&(_, condition)| self.count(condition)).max().unwrap_or(0);
        // A single edge may test and load at once; several must agree on what was loaded.
        if most > 1 || most == 1 && out.len() > 1 {
            for &(edge, condition) in &conditions {
                self.begin(old, edge);
                let mut found = Known::new();
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
        let reads: u8 = op_expressions(&op).iter().fold(0, |sum, &expr| (sum + self.count(expr)).min(2));
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
        let Some(variable) = result_of(&mut op).copied() else { return (op, None) };
        let place = Place::variable(variable, self.program.variables[variable].ty);
        if !self.shared(&place) {
            return (op, None);
        }
        let temporary = self.temporary(place.ty);
        *result_of(&mut op).expect("it has a result") = temporary;
        (op, Some((variable, temporary)))
    }

    /// The accesses to shared memory that an operation makes beyond evaluating its expressions.
    fn own_accesses(&self, op: &Op) -> u8 {
        let aggregate = |operand: &Operand| match operand {
            Operand::Aggregate(place) => u8::from(self.shared(place)),
            Operand::Scalar(_) => 0,
        };
        match op {
            Op::Assign { target, value } => u8::from(self.shared(target)) + aggregate(value),
            Op::Input { target, .. } => u8::from(self.shared(target)),
            Op::Return(Some(value)) => aggregate(value),
            Op::Call { arguments, .. } => arguments.iter().map(aggregate).fold(0, |sum, one| (sum + one).min(2)),
            Op::Free(_) | Op::CopyBytes { .. } | Op::SetBytes { .. } | Op::Havoc { .. } => 1,
            Op::InitLock(_) | Op::Lock(_) | Op::TryLock { .. } | Op::Unlock(_) => 1,
            Op::Allocate { contents: Allocation::Resized(_), .. } => 1,
            _ => 0,
        }
    }

    /// An operation without reads of shared memory, after edges that have made them.
    fn split(&mut self, op: Op) -> Op {
        match op {
            Op::Assign { target, value } => {
                let writes_shared = self.shared(&target);
                let target = self.place(&target);
                let value = self.operand(value, writes_shared);
                Op::Assign { target, value }
            }
            Op::Input { target, source } => Op::Input { target: self.place(&target), source },
            Op::Havoc { address, reach, source } => Op::Havoc { address: self.expr(address), reach, source },
            Op::Call { callee, arguments, result } => {
                let arguments = arguments.into_iter().map(|argument| self.operand(argument, true)).collect();
                Op::Call { callee: self.callee(callee), arguments, result }
            }
            Op::Return(value) => Op::Return(value.map(|value| self.operand(value, false))),
            Op::Allocate { target, size, contents } => {
                let size = self.expr(size);
                let contents = match contents {
                    Allocation::Resized(old) => Allocation::Resized(self.expr(old)),
                    other => other,
                };
                Op::Allocate { target, size, contents }
            }
            Op::Free(address) => Op::Free(self.expr(address)),
            Op::CopyBytes { target, source, count, may_overlap } => {
                let (target, source, count) = (self.expr(target), self.expr(source), self.expr(count));
                Op::CopyBytes { target, source, count, may_overlap }
            }
            Op::SetBytes { target, byte, count } => {
                Op::SetBytes { target: self.expr(target), byte: self.expr(byte), count: self.expr(count) }
            }
            Op::Spawn { handle, function, argument } => {
                let function = self.callee(function);
                Op::Spawn { handle, function, argument: self.expr(argument) }
            }
            Op::Join { thread, result } => Op::Join { thread: self.expr(thread), result },
            Op::ExitThread(value) => Op::ExitThread(self.expr(value)),
            Op::InitLock(mutex) => Op::InitLock(self.expr(mutex)),
            Op::Lock(mutex) => Op::Lock(self.expr(mutex)),
            Op::TryLock { mutex, taken } => Op::TryLock { mutex: self.expr(mutex), taken },
            Op::Unlock(mutex) => Op::Unlock(self.expr(mutex)),
            op @ (Op::Skip
            | Op::Assume(_)
            | Op::Declare(_)
            | Op::Discard(_)
            | Op::End(_)
            | Op::Unreachable
            | Op::AtomicBegin
            | Op::AtomicEnd) => op,
        }
    }

    fn callee(&mut self, callee: Callee) -> Callee {
        match callee {
            Callee::Function(function) => Callee::Function(function),
            Callee::Pointer(address) => Callee::Pointer(self.expr(address)),
        }
    }

    /// An operand whose expressions read nothing shared; an aggregate is copied first if the operation must not read it.
    fn operand(&mut self, operand: Operand, copied: bool) -> Operand {
        match operand {
            Operand::Scalar(expr) => Operand::Scalar(self.expr(expr)),
            Operand::Aggregate(place) => {
                let place = self.place(&place);
                if !copied || !self.shared(&place) {
                    return Operand::Aggregate(place);
                }
                let temporary = self.temporary(place.ty);
                let target = Place::variable(temporary, place.ty);
                self.emit(Op::Assign { target: target.clone(), value: Operand::Aggregate(place) });
                Operand::Aggregate(target)
            }
        }
    }

    /// A place whose address and indices read nothing shared.
    fn place(&mut self, place: &Place) -> Place {
        self.place_knowing(place, &Known::new(), &mut Known::new())
    }

    fn expr(&mut self, expr: ExprId) -> ExprId {
        self.load_all(expr, &Known::new(), &mut Known::new())
    }

    fn place_knowing(&mut self, place: &Place, known: &Known, found: &mut Known) -> Place {
        let root = match place.root {
            Root::Variable(variable) => Root::Variable(variable),
            Root::Pointer { address, pointee } => {
                Root::Pointer { address: self.load_all(address, known, found), pointee }
            }
        };
        let mut path = Vec::with_capacity(place.path.len());
        for step in &place.path {
            path.push(match step {
                Step::Field(field) => Step::Field(*field),
                Step::Index(index) => Step::Index(self.load_all(*index, known, found)),
            });
        }
        Place { root, path, ty: place.ty }
    }

    /// An expression that reads nothing shared, after edges that load what it needs. Each occurrence of a load is one
    /// of its own, as in the source, but what is `known` from before is not loaded again.
    fn load_all(&mut self, expr: ExprId, known: &Known, found: &mut Known) -> ExprId {
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

    fn load_kind(&mut self, expr: ExprId, known: &Known, found: &mut Known) -> ExprId {
        let ty = self.program.exprs.ty(expr);
        let kind = match self.program.exprs.get(expr).kind.clone() {
            ExprKind::Constant(_) | ExprKind::FunctionAddress(_) => return expr,
            ExprKind::Load(place) => {
                let shared = self.shared(&place);
                let place = self.place_knowing(&place, known, found);
                let load = self.program.exprs.intern(ExprKind::Load(place), ty);
                return if shared { self.loaded_apart(load) } else { load };
            }
            ExprKind::AddressOf(place) => ExprKind::AddressOf(self.place_knowing(&place, known, found)),
            ExprKind::Unary(op, operand) => ExprKind::Unary(op, self.load_all(operand, known, found)),
            ExprKind::Not(operand) => ExprKind::Not(self.load_all(operand, known, found)),
            ExprKind::Cast(operand) => ExprKind::Cast(self.load_all(operand, known, found)),
            ExprKind::Binary(op, left, right) => {
                let left = self.load_all(left, known, found);
                ExprKind::Binary(op, left, self.load_all(right, known, found))
            }
            ExprKind::Compare(op, left, right) => {
                let left = self.load_all(left, known, found);
                ExprKind::Compare(op, left, self.load_all(right, known, found))
            }
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
            ExprKind::PointerAdd { base, index, stride } => {
                let base = self.load_all(base, known, found);
                ExprKind::PointerAdd { base, index: self.load_all(index, known, found), stride }
            }
            ExprKind::PointerDifference { left, right, stride } => {
                let left = self.load_all(left, known, found);
                ExprKind::PointerDifference { left, right: self.load_all(right, known, found), stride }
            }
        };
        self.program.exprs.intern(kind, ty)
    }

    /// `condition ? then : otherwise`, as control flow if one of the two reads what is shared and not known.
    fn lazy(
        &mut self,
        condition: ExprId,
        then: ExprId,
        otherwise: ExprId,
        ty: Scalar,
        known: &Known,
        found: &mut Known,
    ) -> ExprId {
        let condition = self.load_all(condition, known, found);
        if self.reads_unknown(then, known) || self.reads_unknown(otherwise, known) {
            let type_id = self.program.types.scalar(ty);
            let temporary = self.temporary(type_id);
            let target = Place::variable(temporary, type_id);
            let (begin, join) = (self.at, self.program.add_location(self.function));
            let negation = self.program.exprs.not(condition);
            for (guard, value) in [(condition, then), (negation, otherwise)] {
                self.at = begin;
                self.emit(Op::Assume(guard));
                // What one branch loads is not known in the other, nor after both.
                let value = self.load_all(value, known, &mut Known::new());
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
    fn reads_unknown(&mut self, expr: ExprId, known: &Known) -> bool {
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
        let to = self.program.add_location(self.function);
        self.last(op, to, Observe::No);
        self.at = to;
    }

    fn last(&mut self, op: Op, to: LocationId, observe: Observe) {
        let span = self.span.expect("an old edge is being split");
        self.program.add_edge(self.at, to, op, span, observe);
        self.original_edge.push(self.origin);
    }
}

/// The variable that an operation stores its result in.
fn result_of(op: &mut Op) -> Option<&mut VariableId> {
    match op {
        Op::Call { result, .. } => result.as_mut(),
        Op::Allocate { target: result, .. }
        | Op::Spawn { handle: result, .. }
        | Op::Join { result, .. }
        | Op::TryLock { taken: result, .. } => Some(result),
        _ => None,
    }
}

/// The expressions that an operation evaluates.
pub fn op_expressions(op: &Op) -> Vec<ExprId> {
    let operand = |operand: &Operand| match operand {
        Operand::Scalar(expr) => vec![*expr],
        Operand::Aggregate(place) => place.operands(),
    };
    let callee = |callee: &Callee| match callee {
        Callee::Function(_) => None,
        Callee::Pointer(address) => Some(*address),
    };
    match op {
        Op::Assume(condition) => vec![*condition],
        Op::Assign { target, value } => [target.operands(), operand(value)].concat(),
        Op::Input { target, .. } => target.operands(),
        Op::Call { callee: called, arguments, .. } => {
            arguments.iter().flat_map(operand).chain(callee(called)).collect()
        }
        Op::Return(value) => value.iter().flat_map(operand).collect(),
        Op::Allocate { size, contents, .. } => match contents {
            Allocation::Resized(old) => vec![*size, *old],
            _ => vec![*size],
        },
        Op::CopyBytes { target, source, count, .. } => vec![*target, *source, *count],
        Op::SetBytes { target, byte, count } => vec![*target, *byte, *count],
        Op::Spawn { function, argument, .. } => callee(function).into_iter().chain([*argument]).collect(),
        Op::Free(expr)
        | Op::Havoc { address: expr, .. }
        | Op::Join { thread: expr, .. }
        | Op::ExitThread(expr)
        | Op::InitLock(expr)
        | Op::Lock(expr)
        | Op::TryLock { mutex: expr, .. }
        | Op::Unlock(expr) => vec![*expr],
        Op::Skip | Op::Declare(_) | Op::Discard(_) | Op::End(_) | Op::Unreachable | Op::AtomicBegin | Op::AtomicEnd => {
            Vec::new()
        }
    }
}
