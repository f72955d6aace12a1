//! What operations and expressions are made of, enumerated in one place.
//!
//! [`Op::parts`] names the operands of an operation with what is done to each of them, in the order in which they are
//! evaluated; [`Op::parts_mut`] gives the same parts to be changed, and [`Rewrite`] changes all of them alike. Whoever only
//! wants to know what is read, written or evaluated asks here, so that a new operation concerns this module, the front end,
//! the interpreter, printers and encoders, and nobody else.

use crate::cfa::{Allocation, Callee, FunctionId, Op, Operand};
use crate::expr::{ExprId, ExprKind, Exprs, Place, Root, Selector};
use crate::model::VariableId;
use foundation::collections::HashSet;

/// A part of an operation. The parameters say how it is referred to: see [`OpPartRef`] and [`OpPartMut`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum OpPart<E, P, V, F> {
    /// An expression whose value is used, be it the address of a function that is called.
    Value(E),
    /// The address of memory that is accessed, with what is done there.
    Address(E, Access),
    /// The address of a mutex. It is compared with others; no memory is accessed there.
    Mutex(E),
    /// A place whose contents are read as a whole.
    Read(P),
    /// A place that is written.
    Written(P),
    /// A variable that receives a result as a whole.
    Result(V),
    /// A local variable whose lifetime begins or ends: it holds something arbitrary, or nothing.
    Lifetime(V),
    /// A function that is called by its name, or in which a thread starts.
    Called(F),
}

/// A part that is looked at.
pub type OpPartRef<'a> = OpPart<&'a ExprId, &'a Place, &'a VariableId, &'a FunctionId>;

/// A part that may be changed.
pub type OpPartMut<'a> = OpPart<&'a mut ExprId, &'a mut Place, &'a mut VariableId, &'a mut FunctionId>;

/// What an operation does with the memory at an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Access {
    /// It is read.
    Read,
    /// It is written, or its lifetime ends.
    Write,
    /// Both.
    ReadAndWrite,
}

impl Access {
    /// Whether memory is read.
    pub fn reads(self) -> bool {
        self != Access::Write
    }

    /// Whether memory is written, or its lifetime ends.
    pub fn writes(self) -> bool {
        self != Access::Read
    }
}

/// The parts of an operation, by shared or by exclusive references: as the operation is given.
macro_rules! parts {
    ($op:expr) => {{
        let mut parts = Vec::new();
        macro_rules! operand {
            ($operand:expr) => {
                parts.push(match $operand {
                    Operand::Scalar(value) => OpPart::Value(value),
                    Operand::Aggregate(place) => OpPart::Read(place),
                })
            };
        }
        macro_rules! callee {
            ($callee:expr) => {
                parts.push(match $callee {
                    Callee::Function(function) => OpPart::Called(function),
                    Callee::Pointer(address) => OpPart::Value(address),
                })
            };
        }
        match $op {
            Op::Skip | Op::End(_) | Op::Unreachable | Op::AtomicBegin | Op::AtomicEnd => {}
            Op::Assume(value) | Op::ExitThread(value) => parts.push(OpPart::Value(value)),
            Op::Assign { target, value } => {
                parts.push(OpPart::Written(target));
                operand!(value);
            }
            Op::Input { target, .. } => parts.push(OpPart::Written(target)),
            Op::Havoc { address, reach, .. } => {
                // Pointers that are not listed are followed, too.
                let reads = !reach.pointers.is_empty() || !reach.again.is_empty() || reach.is_cut_short;
                let access = if reads { Access::ReadAndWrite } else { Access::Write };
                parts.push(OpPart::Address(address, access));
            }
            Op::Declare(variable) | Op::Discard(variable) => parts.push(OpPart::Lifetime(variable)),
            Op::Call { callee, arguments, result } => {
                for argument in arguments {
                    operand!(argument);
                }
                callee!(callee);
                parts.extend(result.into_iter().map(OpPart::Result));
            }
            Op::Return(value) => {
                if let Some(value) = value {
                    operand!(value);
                }
            }
            Op::Allocate { target, size, contents } => {
                parts.push(OpPart::Value(size));
                if let Allocation::Resized(old) = contents {
                    parts.push(OpPart::Address(old, Access::ReadAndWrite));
                }
                parts.push(OpPart::Result(target));
            }
            Op::Free(address) => parts.push(OpPart::Address(address, Access::Write)),
            Op::CopyBytes { target, source, count, .. } => parts.extend([
                OpPart::Address(target, Access::Write),
                OpPart::Address(source, Access::Read),
                OpPart::Value(count),
            ]),
            Op::SetBytes { target, byte, count } => {
                parts.extend([OpPart::Address(target, Access::Write), OpPart::Value(byte), OpPart::Value(count)]);
            }
            Op::Spawn { handle, function, argument } => {
                callee!(function);
                parts.extend([OpPart::Value(argument), OpPart::Result(handle)]);
            }
            Op::Join { thread, result } => parts.extend([OpPart::Value(thread), OpPart::Result(result)]),
            Op::InitLock(mutex) | Op::Lock(mutex) | Op::Unlock(mutex) => parts.push(OpPart::Mutex(mutex)),
            Op::TryLock { mutex, taken } => parts.extend([OpPart::Mutex(mutex), OpPart::Result(taken)]),
        }
        parts
    }};
}

impl Op {
    /// Lists what the operation is made of, in the order of evaluation.
    pub fn parts(&self) -> Vec<OpPartRef<'_>> {
        parts!(self)
    }

    /// Lists the same parts to be changed.
    pub fn parts_mut(&mut self) -> Vec<OpPartMut<'_>> {
        parts!(self)
    }

    /// Lists the expressions that are evaluated, those that places are computed from included, in the order of evaluation.
    /// Their operands are not listed.
    pub fn expressions(&self) -> Vec<ExprId> {
        let mut found = Vec::new();
        for part in self.parts() {
            match part {
                OpPart::Value(expr) | OpPart::Address(expr, _) | OpPart::Mutex(expr) => found.push(*expr),
                OpPart::Read(place) | OpPart::Written(place) => found.extend(place.operands()),
                OpPart::Result(_) | OpPart::Lifetime(_) | OpPart::Called(_) => {}
            }
        }
        found
    }

    /// Lists the places that are written, or read as a whole.
    pub fn places(&self) -> impl Iterator<Item = &Place> {
        self.parts().into_iter().filter_map(|part| match part {
            OpPart::Read(place) | OpPart::Written(place) => Some(place),
            _ => None,
        })
    }

    /// Lists the places whose contents are read as a whole.
    pub fn places_read(&self) -> impl Iterator<Item = &Place> {
        self.parts().into_iter().filter_map(|part| match part {
            OpPart::Read(place) => Some(place),
            _ => None,
        })
    }

    /// Returns the place that is written.
    pub fn target(&self) -> Option<&Place> {
        self.parts().into_iter().find_map(|part| match part {
            OpPart::Written(place) => Some(place),
            _ => None,
        })
    }

    /// Returns the variable that receives a result.
    pub fn result(&self) -> Option<VariableId> {
        self.parts().into_iter().find_map(|part| match part {
            OpPart::Result(variable) => Some(*variable),
            _ => None,
        })
    }

    /// Returns the variable that is written by its name, whole or in part.
    pub fn written_variable(&self) -> Option<VariableId> {
        self.result().or_else(|| self.target()?.root.variable())
    }

    /// Returns the variable that is written as a whole.
    pub fn written_as_a_whole(&self) -> Option<VariableId> {
        self.result().or_else(|| self.target()?.as_variable())
    }

    /// Whether memory is accessed at an address like this, beyond what expressions and places do.
    pub fn accesses_memory(&self, like: impl Fn(Access) -> bool) -> bool {
        self.parts().into_iter().any(|part| matches!(part, OpPart::Address(_, access) if like(access)))
    }
}

/// A change of expressions and places.
pub trait Rewrite {
    /// Makes what stands for an expression.
    fn expr(&mut self, expr: ExprId) -> ExprId;

    /// Makes what stands for a place that is written, or read as a whole.
    fn place(&mut self, place: &Place) -> Place;

    /// Makes what stands for a variable that an operation names.
    fn variable(&mut self, variable: VariableId) -> VariableId {
        variable
    }

    /// Makes what stands for an operation.
    fn op(&mut self, op: &Op) -> Op {
        let mut op = op.clone();
        for part in op.parts_mut() {
            match part {
                OpPart::Value(expr) | OpPart::Address(expr, _) | OpPart::Mutex(expr) => *expr = self.expr(*expr),
                OpPart::Read(place) | OpPart::Written(place) => *place = self.place(place),
                OpPart::Result(variable) | OpPart::Lifetime(variable) => *variable = self.variable(*variable),
                OpPart::Called(_) => {}
            }
        }
        op
    }
}

/// The expressions that a place is computed from, in the order of evaluation; each is taken as `$take` says.
macro_rules! place_operands {
    ($place:expr, $take:expr) => {{
        let Place { root, path, .. } = $place;
        let address = match root {
            Root::Variable(_) => None,
            Root::Pointer { address, .. } => Some(address),
        };
        let indices = path.into_iter().filter_map(|step| match step {
            Selector::Field(_) => None,
            Selector::Index(index) => Some(index),
        });
        address.into_iter().chain(indices).map($take).collect()
    }};
}

/// The direct operands of an expression, in the order of evaluation.
macro_rules! operands {
    ($kind:expr, $take:expr) => {
        match $kind {
            ExprKind::Constant(_) | ExprKind::FunctionAddress(_) => Vec::new(),
            ExprKind::Load(place) | ExprKind::AddressOf(place) => place_operands!(place, $take),
            ExprKind::Unary(_, a) | ExprKind::Not(a) | ExprKind::Cast(a) => vec![$take(a)],
            ExprKind::Binary(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::And(a, b)
            | ExprKind::Or(a, b)
            | ExprKind::PointerAdd { base: a, index: b, .. }
            | ExprKind::PointerDifference { left: a, right: b, .. } => vec![$take(a), $take(b)],
            ExprKind::If(condition, then, otherwise) => vec![$take(condition), $take(then), $take(otherwise)],
        }
    };
}

impl ExprKind {
    /// Lists the direct operands, those inside a place included.
    pub fn operands(&self) -> Vec<ExprId> {
        operands!(self, |operand: &ExprId| *operand)
    }

    /// Lists the same operands to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut ExprId> {
        operands!(self, std::convert::identity)
    }

    /// Returns the place that is read or whose address is taken.
    pub fn place(&self) -> Option<&Place> {
        match self {
            ExprKind::Load(place) | ExprKind::AddressOf(place) => Some(place),
            _ => None,
        }
    }

    /// Returns the same place to be changed.
    pub fn place_mut(&mut self) -> Option<&mut Place> {
        match self {
            ExprKind::Load(place) | ExprKind::AddressOf(place) => Some(place),
            _ => None,
        }
    }
}

impl Place {
    /// Lists the expressions that this place is computed from.
    pub fn operands(&self) -> Vec<ExprId> {
        place_operands!(self, |operand: &ExprId| *operand)
    }

    /// Lists the same expressions to be changed.
    pub fn operands_mut(&mut self) -> Vec<&mut ExprId> {
        place_operands!(self, std::convert::identity)
    }
}

impl Exprs {
    /// Lists the direct operands of an expression, those inside its places included.
    pub fn operands(&self, id: ExprId) -> Vec<ExprId> {
        self.get(id).kind.operands()
    }

    /// Visits expressions with all that is below them, each one once.
    pub fn below(&self, roots: impl IntoIterator<Item = ExprId>) -> Below<'_> {
        Below { exprs: self, open: roots.into_iter().collect(), seen: HashSet::default() }
    }
}

/// Expressions with all that is below them: see [`Exprs::below`].
#[derive(Clone, Debug)]
pub struct Below<'e> {
    exprs: &'e Exprs,
    open: Vec<ExprId>,
    seen: HashSet<ExprId>,
}

impl Iterator for Below<'_> {
    type Item = ExprId;

    fn next(&mut self) -> Option<ExprId> {
        loop {
            let expr = self.open.pop()?;
            if self.seen.insert(expr) {
                self.open.extend(self.exprs.operands(expr));
                return Some(expr);
            }
        }
    }
}
