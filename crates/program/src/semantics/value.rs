//! Values: what an expression yields and what a scalar in memory holds.
//!
//! Objects are named canonically (by variable and activation, or by the smallest free number on the heap), never by a
//! serial number, so that two states which cannot be told apart are equal. That a stale pointer never names a new
//! object is the memory's matter: it turns pointers to an object into [`Pointer::Dangling`] when its lifetime ends.

use num_bigint::BigInt;
use num_traits::Zero;

use crate::cfa::FunctionId;
use crate::model::{Program, VariableId};
use crate::types::Scalar;

/// The value of an expression or of a scalar in memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer; under machine integers it lies in the range of its type.
    Int(BigInt),
    /// A floating-point number by its bits as a double; exact for single precision too.
    Float(u64),
    /// An address.
    Pointer(Pointer),
}

/// An address.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Pointer {
    /// The null pointer.
    Null,
    /// So many bytes from the beginning of an object; it need not lie inside.
    Object {
        /// The object.
        object: ObjectId,
        /// In bytes.
        offset: i64,
    },
    /// A function.
    Function(FunctionId),
    /// A device register at a fixed address.
    Register(u64),
    /// A number that is no address of an object or function.
    Invalid(u64),
    /// What a pointer becomes when the lifetime of its object ends (C11 6.2.4p2).
    Dangling,
}

/// The name of an object in memory.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ObjectId {
    /// A global or a literal.
    Global(VariableId),
    /// A variable of an activation.
    Local {
        /// The thread's number.
        thread: u32,
        /// How many activations of the thread lie below.
        depth: u32,
        /// The variable.
        variable: VariableId,
    },
    /// A heap object.
    Heap(u32),
}

impl ObjectId {
    /// The object of a variable in a program without calls, where there is one activation only.
    pub fn of_variable(program: &Program, variable: VariableId) -> Self {
        match program.owner(variable) {
            None => ObjectId::Global(variable),
            Some(_) => ObjectId::Local { thread: 0, depth: 0, variable },
        }
    }

    /// The variable whose object this is, if it is one's.
    pub fn variable(self) -> Option<VariableId> {
        match self {
            ObjectId::Global(variable) | ObjectId::Local { variable, .. } => Some(variable),
            ObjectId::Heap(_) => None,
        }
    }
}

impl Value {
    /// An integer.
    pub fn int(value: impl Into<BigInt>) -> Self {
        Value::Int(value.into())
    }

    /// A floating-point number.
    pub fn float(value: f64) -> Self {
        Value::Float(value.to_bits())
    }

    /// Zero, null or false.
    pub fn zero(ty: Scalar) -> Self {
        match ty {
            Scalar::Bool => Value::Bool(false),
            Scalar::Int(_) => Value::Int(BigInt::zero()),
            Scalar::Float(_) => Value::float(0.0),
            Scalar::Pointer => Value::Pointer(Pointer::Null),
        }
    }

    /// The truth value that this is, if it is one.
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// The integer that this is, if it is one.
    pub fn as_int(&self) -> Option<&BigInt> {
        match self {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The floating-point number that this is, if it is one.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Value::Float(bits) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    /// The address that this is, if it is one.
    pub fn as_pointer(&self) -> Option<Pointer> {
        match self {
            Value::Pointer(pointer) => Some(*pointer),
            _ => None,
        }
    }
}
