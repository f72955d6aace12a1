//! Constant expressions: the evaluator without memory, for front ends that need the values of enumerators, array
//! sizes, case labels and static initialisers.

use crate::expr::ExprId;
use crate::model::{Program, VariableId};
use crate::semantics::config::Integers;
use crate::semantics::evaluate::{Environment, TargetBits, evaluate};
use crate::semantics::stop::{Stop, UndefinedBehaviour};
use crate::semantics::value::{ObjectId, Pointer, Value};
use crate::types::Scalar;

/// Why an expression is not constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NotConstant {
    /// Its value depends on memory: it reads an object, names a local, or needs the number of an object's address.
    Reads,
    /// Its behaviour is undefined.
    Undefined(UndefinedBehaviour),
}

/// The value of a constant expression, under machine integers. Addresses of globals and functions are constant; an
/// integer other than 0 that is converted to a pointer is the address of a device register.
pub fn evaluate_constant(program: &Program, expr: ExprId) -> Result<Value, NotConstant> {
    evaluate_constant_noting_overflow(program, expr).map(|(value, _)| value)
}

/// The same, and whether a signed integer overflowed on the way.
pub fn evaluate_constant_noting_overflow(program: &Program, expr: ExprId) -> Result<(Value, bool), NotConstant> {
    let mut environment = NoMemory { program, overflow: false };
    match evaluate(&mut environment, expr) {
        Ok(value) => Ok((value, environment.overflow)),
        Err(Stop::Undefined(kind)) => Err(NotConstant::Undefined(kind)),
        Err(_) => Err(NotConstant::Reads),
    }
}

struct NoMemory<'p> {
    program: &'p Program,
    overflow: bool,
}

impl<'p> Environment<'p> for NoMemory<'p> {
    fn program(&self) -> &'p Program {
        self.program
    }

    fn integers(&self) -> Integers {
        Integers::Machine
    }

    fn object_of(&mut self, variable: VariableId) -> Result<ObjectId, Stop> {
        match self.program.owner(variable) {
            None => Ok(ObjectId::Global(variable)),
            Some(_) => Err(Stop::NotConstant),
        }
    }

    fn load(&mut self, _: &TargetBits, _: Scalar) -> Result<Value, Stop> {
        Err(Stop::NotConstant)
    }

    fn number_of(&mut self, _: Pointer) -> Result<u64, Stop> {
        Err(Stop::NotConstant)
    }

    fn pointer_at(&mut self, number: u64) -> Result<Pointer, Stop> {
        Ok(Pointer::Register(number))
    }

    fn overflowed(&mut self) {
        self.overflow = true;
    }
}
