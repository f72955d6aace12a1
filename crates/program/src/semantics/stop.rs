//! Why an evaluation or a step cannot be completed.

use std::fmt;

/// The kinds of undefined behaviour that end a run in an error state. Signed overflow is none: it wraps.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UndefinedBehaviour {
    /// Division or remainder by zero.
    DivisionByZero,
    /// The smallest integer divided by −1.
    DivisionOverflow,
    /// A shift by a negative count, or by the width or more.
    ShiftCount,
    /// A floating-point number outside the range of the integer type it is converted to.
    FloatToInteger,
    /// Access through the null pointer.
    NullAccess,
    /// Access to an object whose lifetime has ended.
    DanglingAccess,
    /// Access through a number that is no object's address.
    InvalidAccess,
    /// Access to a function as if it were an object.
    FunctionAccess,
    /// Access outside an object or outside an array.
    OutOfBounds,
    /// Writing a string literal.
    LiteralWritten,
    /// Computing with a pointer to an object whose lifetime has ended.
    DanglingUsed,
    /// Ordering or subtracting pointers into different objects.
    UnrelatedPointers,
    /// Pointer arithmetic that leaves the address space.
    PointerOverflow,
    /// Freeing what is not the beginning of a live heap object.
    InvalidFree,
    /// Copying between ranges that overlap.
    OverlappingCopy,
    /// Calling through a pointer that is no function's address.
    CallOfNonFunction,
    /// Calling a function with arguments that do not fit its parameters.
    CallMismatch,
    /// Giving back a mutex that the thread does not hold.
    UnlockNotHeld,
    /// Waiting for a thread that does not exist or was waited for already.
    InvalidJoin,
    /// Ending an atomic section outside of one.
    AtomicEndOutside,
    /// Coming to where the programmer promised that control never comes.
    UnreachableReached,
}

impl fmt::Display for UndefinedBehaviour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            UndefinedBehaviour::DivisionByZero => "division by zero",
            UndefinedBehaviour::DivisionOverflow => "division of the smallest integer by -1",
            UndefinedBehaviour::ShiftCount => "shift count is negative or not less than the width",
            UndefinedBehaviour::FloatToInteger => "floating-point number is outside the range of the integer type",
            UndefinedBehaviour::NullAccess => "access through a null pointer",
            UndefinedBehaviour::DanglingAccess => "access to an object after its lifetime",
            UndefinedBehaviour::InvalidAccess => "access through an address where there is no object",
            UndefinedBehaviour::FunctionAccess => "access to a function as an object",
            UndefinedBehaviour::OutOfBounds => "access out of bounds",
            UndefinedBehaviour::LiteralWritten => "a string literal is written",
            UndefinedBehaviour::DanglingUsed => "use of a pointer to an object after its lifetime",
            UndefinedBehaviour::UnrelatedPointers => "pointers into different objects are ordered or subtracted",
            UndefinedBehaviour::PointerOverflow => "pointer arithmetic leaves the address space",
            UndefinedBehaviour::InvalidFree => "freed pointer is not the beginning of an allocated object",
            UndefinedBehaviour::OverlappingCopy => "source and target of the copy overlap",
            UndefinedBehaviour::CallOfNonFunction => "called pointer is not a function's address",
            UndefinedBehaviour::CallMismatch => "arguments do not fit the called function",
            UndefinedBehaviour::UnlockNotHeld => "unlocked mutex is not held by the thread",
            UndefinedBehaviour::InvalidJoin => "joined thread does not exist or was joined already",
            UndefinedBehaviour::AtomicEndOutside => "end of an atomic section outside of one",
            UndefinedBehaviour::UnreachableReached => "code that is said to be unreachable is reached",
        })
    }
}

/// Why an evaluation or a step cannot be completed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Stop {
    /// Its behaviour is undefined.
    Undefined(UndefinedBehaviour),
    /// The semantics does not cover it; the text says what.
    Unsupported(String),
    /// The source of choices has no answer left.
    NoMoreChoices,
    /// The source of choices gave an answer that does not fit; the text says why.
    UnfitChoice(String),
    /// It would have to read memory, and there is none: only constants can be evaluated.
    NotConstant,
}

impl Stop {
    /// Something that the semantics does not cover.
    pub fn unsupported(what: impl Into<String>) -> Self {
        Stop::Unsupported(what.into())
    }
}

impl From<UndefinedBehaviour> for Stop {
    fn from(kind: UndefinedBehaviour) -> Self {
        Stop::Undefined(kind)
    }
}
