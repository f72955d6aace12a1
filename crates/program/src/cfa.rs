//! Control-flow automata: locations, edges with operations, functions.
//!
//! Every function with a body has its own automaton; locations and edges are numbered over the whole program. A
//! location's edges are alternatives: those whose operation is [`Op::Assume`] may be taken only when their condition is
//! true. Where a location has edges and none may be taken, the run is blocked: it is no execution. A location without edges
//! is never left; front ends end every path of a function with [`Op::Return`] or [`Op::End`], whose target is that
//! location.

use foundation::{Span, define_id};

use crate::expr::{ExprId, Place};
use crate::model::VariableId;
use crate::types::TypeId;

define_id! {
    /// A function of a program.
    FunctionId
}
define_id! {
    /// A point of control, unique over the whole program.
    LocationId
}
define_id! {
    /// An edge between two locations of one function.
    EdgeId
}

/// A point of control.
#[derive(Clone, Debug)]
pub struct Location {
    /// The function it belongs to.
    pub function: FunctionId,
    /// The edges that leave it, in the order in which they were made.
    pub out: Vec<EdgeId>,
}

/// A step of control.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it begins.
    pub from: LocationId,
    /// Where it ends. For a call, where control goes on after the callee has returned.
    pub to: LocationId,
    /// What it does.
    pub op: Op,
    /// The source text that it comes from.
    pub span: Span,
    /// Whether the state after it is observed.
    pub observe: Observe,
}

/// Whether the state after an edge is an observation point. Which of the points count is the observation mode's matter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Observe {
    /// It is not.
    No,
    /// The edge ends a full expression, an initialised declaration or a `return` with a value.
    Statement,
    /// So it does, and it is an explicit step of the property's clock.
    Step,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// Its name, unique in the program.
    pub name: String,
    /// Its parameters, in order.
    pub parameters: Vec<VariableId>,
    /// What it returns, if anything.
    pub result: Option<TypeId>,
    /// Whether it takes further arguments, which it cannot read.
    pub variadic: bool,
    /// Where its automaton begins; none for a function that is only declared. Calling such a function yields any value
    /// of its type and changes nothing else: what else it may do is in edges after the call.
    pub entry: Option<LocationId>,
    /// Its local variables and temporaries, without the parameters.
    pub locals: Vec<VariableId>,
    /// Whether its body runs without interference by other threads.
    pub atomic: bool,
    /// Whether it stands for a library function: inside it nothing is observed.
    pub library: bool,
    /// Where it is declared.
    pub span: Span,
}

impl Function {
    /// A function without parameters, result and body, as yet.
    pub fn new(name: impl Into<String>, span: Span) -> Self {
        Self {
            name: name.into(),
            parameters: Vec::new(),
            result: None,
            variadic: false,
            entry: None,
            locals: Vec::new(),
            atomic: false,
            library: false,
            span,
        }
    }
}

/// What an edge does.
#[derive(Clone, Debug, PartialEq)]
pub enum Op {
    /// Nothing.
    Skip,
    /// May be taken only if the truth value is true.
    Assume(ExprId),
    /// Writes a value.
    Assign {
        /// Where to. Its address is computed before the value.
        target: Place,
        /// What.
        value: Operand,
    },
    /// Writes an arbitrary value of the place's type: input. An aggregate gets arbitrary parts.
    Input {
        /// Where to.
        target: Place,
        /// Where the value is said to come from.
        source: InputSource,
    },
    /// Writes arbitrary values to what can be reached from an address: what a function without a body may do with a
    /// pointer that it is given.
    Havoc {
        /// The address. Nothing is written through null, nor through what is the address of no object.
        address: ExprId,
        /// How far it reaches.
        reach: Reach,
        /// Where the values are said to come from.
        source: InputSource,
    },
    /// Control comes to the declaration of a local variable: its lifetime begins if it has ended, and what it holds is
    /// arbitrary. Pointers to it from before stay valid unless its lifetime has ended.
    Declare(VariableId),
    /// The lifetime of a local variable ends before its function returns.
    Discard(VariableId),
    /// Calls a function. Arguments are evaluated first, in order, and converted already.
    Call {
        /// Which.
        callee: Callee,
        /// One per parameter; more only for a variadic function, which cannot read them.
        arguments: Vec<Operand>,
        /// A variable of the caller or a global that receives the result.
        result: Option<VariableId>,
    },
    /// Leaves the function.
    Return(Option<Operand>),
    /// Makes a heap object and assigns its address.
    Allocate {
        /// A pointer variable.
        target: VariableId,
        /// The size in bytes, an unsigned integer.
        size: ExprId,
        /// What it holds.
        contents: Allocation,
    },
    /// Ends the lifetime of a heap object. The null pointer is allowed.
    Free(ExprId),
    /// Copies so many bytes from one address to another.
    CopyBytes {
        /// Where to.
        target: ExprId,
        /// Where from.
        source: ExprId,
        /// How many, an unsigned integer.
        count: ExprId,
        /// Whether the two ranges may overlap.
        may_overlap: bool,
    },
    /// Sets so many bytes to one value.
    SetBytes {
        /// Where.
        target: ExprId,
        /// To what: an unsigned 8-bit integer.
        byte: ExprId,
        /// How many, an unsigned integer.
        count: ExprId,
    },
    /// Ends the whole program.
    End(EndKind),
    /// Where the programmer promises that control never comes: behaviour is undefined here.
    Unreachable,
    /// Starts a thread.
    Spawn {
        /// An integer variable that receives the thread's handle.
        handle: VariableId,
        /// The function it runs.
        function: Callee,
        /// The function's only argument.
        argument: ExprId,
    },
    /// Waits until a thread has ended, and takes what it returned.
    Join {
        /// The handle.
        thread: ExprId,
        /// A pointer variable.
        result: VariableId,
    },
    /// Ends the running thread with a value.
    ExitThread(ExprId),
    /// Makes the mutex at an address free, whatever it was.
    InitLock(ExprId),
    /// Waits until the mutex at an address is free, and takes it.
    Lock(ExprId),
    /// Takes the mutex at an address if it is free.
    TryLock {
        /// The address.
        mutex: ExprId,
        /// A truth variable: whether it was taken.
        taken: VariableId,
    },
    /// Gives the mutex at an address back. Undefined unless the running thread holds it.
    Unlock(ExprId),
    /// From here no other thread runs.
    AtomicBegin,
    /// From here other threads run again.
    AtomicEnd,
}

/// How far one reaches from an address, as far as types say: to the objects of a type that lie one after another from
/// there on, up to the end of the array that they are elements of, and from pointers inside of them further on.
///
/// In an object that has no type of its own, where another type lies than this one, and for bytes, the object itself is
/// the array. String literals are reached and never written.
#[derive(Clone, Debug, PartialEq)]
pub struct Reach {
    /// The type of what lies there; [`Opaque`](crate::types::Type::Opaque) for bytes.
    pub element: TypeId,
    /// Whether that is written. What lies behind a pointer to a constant is not.
    pub written: bool,
    /// The pointers inside that lead further, each with its offset in bits. They are followed before anything is
    /// written.
    pub pointers: Vec<(u64, Reach)>,
    /// The pointers inside that lead on as some reach around this one does, each with its offset in bits and how many
    /// levels up that one is; this one is 0 levels up. Lists and trees are followed to their ends in this way.
    pub again: Vec<(u64, usize)>,
    /// Whether there are more pointers inside than are listed.
    pub is_cut_short: bool,
}

impl Reach {
    /// Whether some pointer leads on as a reach further up does.
    pub fn is_recursive(&self) -> bool {
        !self.again.is_empty() || self.pointers.iter().any(|(_, further)| further.is_recursive())
    }

    /// Whether anything is written, as far as is known.
    pub fn writes(&self) -> bool {
        self.written || self.is_cut_short || self.pointers.iter().any(|(_, further)| further.writes())
    }
}

impl Op {
    /// Whether it begins or ends the lives of objects, so that what can be read changes without a write.
    pub fn is_of_lifetime(&self) -> bool {
        match self {
            Op::Declare(_) | Op::Discard(_) | Op::Free(_) => true,
            Op::Allocate { contents, .. } => matches!(contents, Allocation::Resized(_)),
            _ => false,
        }
    }
}

/// What is written, passed or returned.
#[derive(Clone, Debug, PartialEq)]
pub enum Operand {
    /// A scalar.
    Scalar(ExprId),
    /// The contents of a place of array or record type.
    Aggregate(Place),
}

/// Which function is called.
#[derive(Clone, Debug, PartialEq)]
pub enum Callee {
    /// This one.
    Function(FunctionId),
    /// The one at an address.
    Pointer(ExprId),
}

/// Where an input comes from, for people.
#[derive(Clone, Debug, PartialEq)]
pub enum InputSource {
    /// A verifier function such as `__VERIFIER_nondet_int`.
    Nondet(String),
    /// A function without a body.
    External(String),
    /// What a function without a body writes through a pointer that it is given.
    Argument {
        /// The function.
        function: String,
        /// Which of its arguments, the first one being 1.
        argument: u32,
    },
    /// A device register.
    Register(u64),
    /// A volatile object that the environment writes.
    Volatile(String),
    /// Inline assembly.
    Assembly,
    /// A function that ended without the value that its caller wants.
    MissingResult,
}

/// What a new heap object holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Allocation {
    /// Anything.
    Arbitrary,
    /// Zeros.
    Zeroed,
    /// What the heap object at this address held, as far as both reach; that object's lifetime ends.
    Resized(ExprId),
}

/// How a program ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EndKind {
    /// By returning from its entry function.
    Return,
    /// By `exit`.
    Exit,
    /// By `abort`.
    Abort,
    /// By a failed assertion.
    AssertionFailed,
}
