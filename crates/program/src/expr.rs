//! Expressions and places.
//!
//! An expression is typed, total up to undefined behaviour, and has no side effect; front ends turn calls, assignments
//! and inputs inside a source expression into edges of their own. Evaluation is lazy where the source language is:
//! [`ExprKind::And`], [`ExprKind::Or`] and [`ExprKind::If`] evaluate an operand only when it matters, so that
//! `p != 0 && *p > 0` never reads through null.
//!
//! A place selects a part of an object: a root and a path of fields and indices. Expressions are hash-consed in
//! [`Exprs`]: equal expressions have equal ids, and an operand's id is smaller than that of any expression over it.

use foundation::collections::HashMap;
use foundation::{Arena, define_id};
use num_bigint::BigInt;

use crate::cfa::FunctionId;
use crate::model::VariableId;
use crate::types::{IntType, Record, Scalar, TypeId};

define_id! {
    /// An expression in [`Exprs`].
    ExprId
}

/// An expression with the type of its value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Scalar,
}

/// The kinds of expressions.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum ExprKind {
    /// A constant.
    Constant(Constant),
    /// The value in a place of scalar type (or in a bit-field).
    Load(Place),
    /// The address of a place, which is no bit-field. The place need not exist: only access is checked.
    AddressOf(Place),
    /// The address of a function.
    FunctionAddress(FunctionId),
    /// A unary operation on a number.
    Unary(UnaryOp, ExprId),
    /// A binary operation on two numbers of the result's type (shifts: the right operand is any integer).
    Binary(BinaryOp, ExprId, ExprId),
    /// A comparison of two values of one type; a truth value.
    Compare(CompareOp, ExprId, ExprId),
    /// Negation of a truth value.
    Not(ExprId),
    /// Conjunction; the right operand is evaluated only if the left one is true.
    And(ExprId, ExprId),
    /// Disjunction; the right operand is evaluated only if the left one is false.
    Or(ExprId, ExprId),
    /// `condition ? then : otherwise`; only the chosen operand is evaluated.
    If(ExprId, ExprId, ExprId),
    /// Conversion to the expression's type from any other scalar type. To [`Scalar::Bool`]: whether it is not zero.
    Cast(ExprId),
    /// `base + index · stride`, the stride in bytes.
    PointerAdd {
        /// The address.
        base: ExprId,
        /// An integer.
        index: ExprId,
        /// In bytes.
        stride: u64,
    },
    /// `(left − right) / stride` of two addresses in one object; an integer of the expression's type.
    PointerDifference {
        /// The first address.
        left: ExprId,
        /// The second.
        right: ExprId,
        /// In bytes, not 0.
        stride: u64,
    },
}

/// A constant.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Constant {
    /// A truth value.
    Bool(bool),
    /// An integer in the range of its type.
    Int(BigInt),
    /// A floating-point number by its bits as a double; exact for single precision too.
    Float(u64),
    /// The null pointer.
    Null,
    /// A fixed address, of a device register.
    Address(u64),
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Negate,
    BitNot,
}

/// Binary operators. Division truncates towards zero; the remainder has the sign of the left operand.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    ShiftLeft,
    ShiftRight,
    BitAnd,
    BitOr,
    BitXor,
}

impl BinaryOp {
    /// All of them.
    pub const ALL: [BinaryOp; 10] = [
        BinaryOp::Add,
        BinaryOp::Subtract,
        BinaryOp::Multiply,
        BinaryOp::Divide,
        BinaryOp::Remainder,
        BinaryOp::ShiftLeft,
        BinaryOp::ShiftRight,
        BinaryOp::BitAnd,
        BinaryOp::BitOr,
        BinaryOp::BitXor,
    ];
}

/// Comparisons.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[allow(missing_docs)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

impl CompareOp {
    /// All of them.
    pub const ALL: [CompareOp; 6] = [
        CompareOp::Equal,
        CompareOp::NotEqual,
        CompareOp::Less,
        CompareOp::LessEqual,
        CompareOp::Greater,
        CompareOp::GreaterEqual,
    ];

    /// The comparison that is true where this one is false. Floating-point numbers that are none are neither.
    pub fn negated(self) -> CompareOp {
        match self {
            CompareOp::Equal => CompareOp::NotEqual,
            CompareOp::NotEqual => CompareOp::Equal,
            CompareOp::Less => CompareOp::GreaterEqual,
            CompareOp::LessEqual => CompareOp::Greater,
            CompareOp::Greater => CompareOp::LessEqual,
            CompareOp::GreaterEqual => CompareOp::Less,
        }
    }

    /// The comparison of `b` with `a` that is true where this one of `a` with `b` is.
    pub fn swapped(self) -> CompareOp {
        match self {
            CompareOp::Less => CompareOp::Greater,
            CompareOp::LessEqual => CompareOp::GreaterEqual,
            CompareOp::Greater => CompareOp::Less,
            CompareOp::GreaterEqual => CompareOp::LessEqual,
            CompareOp::Equal | CompareOp::NotEqual => self,
        }
    }
}

/// A part of an object in memory.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Place {
    /// Where the path begins.
    pub root: Root,
    /// From the root inwards.
    pub path: Vec<Selector>,
    /// The type of what is selected. For a bit-field, the declared type of the field.
    pub ty: TypeId,
}

/// Where a place begins.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Root {
    /// At a variable.
    Variable(VariableId),
    /// At an address, seen as an object of a type.
    Pointer {
        /// The address.
        address: ExprId,
        /// The type of what lies there.
        pointee: TypeId,
    },
}

impl Root {
    /// Returns the variable at which the place begins, if it begins at one.
    pub fn variable(&self) -> Option<VariableId> {
        match self {
            Root::Variable(variable) => Some(*variable),
            Root::Pointer { .. } => None,
        }
    }
}

/// One step into an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Selector {
    /// To a field of a record, by its number.
    Field(u32),
    /// To an element of an array. An index outside the array's length is an out-of-bounds access when the place is
    /// read or written, unless the length is 0 or 1 (which programs use for arrays that go on to the object's end).
    Index(ExprId),
}

impl Place {
    /// A whole variable.
    pub fn variable(variable: VariableId, ty: TypeId) -> Self {
        Self { root: Root::Variable(variable), path: Vec::new(), ty }
    }

    /// The whole object of type `pointee` at an address.
    pub fn pointer(address: ExprId, pointee: TypeId) -> Self {
        Self { root: Root::Pointer { address, pointee }, path: Vec::new(), ty: pointee }
    }

    /// The variable that is this whole place, if it is one.
    pub fn as_variable(&self) -> Option<VariableId> {
        match self.root {
            Root::Variable(variable) if self.path.is_empty() => Some(variable),
            _ => None,
        }
    }

    /// Whether it is there whenever its variable is: neither a pointer nor an index leads to it.
    pub fn is_certain(&self) -> bool {
        self.root.variable().is_some() && self.path.iter().all(|selector| matches!(selector, Selector::Field(_)))
    }
}

/// Follows a path inwards and tells which index may lie behind the end of its array: programs use an array of length 0 or 1 at the
/// end of a structure, or of a member of a union, for what lies behind it. Where a variable ends is known, unless a union is
/// on the path.
#[derive(Clone, Copy, Debug)]
pub struct OpenEnd {
    /// Whether there may be something behind the end.
    is_larger: bool,
    /// Whether nothing follows in the structures so far.
    is_last: bool,
}

impl OpenEnd {
    /// At the beginning of a path.
    pub fn new(root: &Root) -> Self {
        Self { is_larger: matches!(root, Root::Pointer { .. }), is_last: true }
    }

    /// Goes into a member of a structure or a union.
    pub fn field(&mut self, record: &Record, number: u32) {
        match record.is_union {
            true => *self = Self { is_larger: true, is_last: true },
            false => self.is_last &= number as usize + 1 == record.fields.len(),
        }
    }

    /// Goes into an element of an array of a length, and returns whether any index may be meant.
    pub fn index(&mut self, length: u64) -> bool {
        let is_last = std::mem::replace(&mut self.is_last, false);
        is_last && self.is_larger && length <= 1
    }
}

/// All expressions of a program.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    arena: Arena<ExprId, Expr>,
    known: HashMap<Expr, ExprId>,
}

impl Exprs {
    /// The id of an expression.
    pub fn intern(&mut self, kind: ExprKind, ty: Scalar) -> ExprId {
        let expr = Expr { kind, ty };
        if let Some(&id) = self.known.get(&expr) {
            return id;
        }
        let id = self.arena.push(expr.clone());
        self.known.insert(expr, id);
        id
    }

    /// The expression with this id.
    pub fn get(&self, id: ExprId) -> &Expr {
        &self.arena[id]
    }

    /// The type of an expression's value.
    pub fn ty(&self, id: ExprId) -> Scalar {
        self.arena[id].ty
    }

    /// The number of different expressions.
    pub fn len(&self) -> usize {
        self.arena.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.arena.is_empty()
    }

    /// An integer constant of a type; its value must lie in the type's range.
    pub fn int(&mut self, value: impl Into<BigInt>, ty: IntType) -> ExprId {
        self.intern(ExprKind::Constant(Constant::Int(value.into())), Scalar::Int(ty))
    }

    /// A truth constant.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.intern(ExprKind::Constant(Constant::Bool(value)), Scalar::Bool)
    }

    /// The negation of a truth value, without double negations.
    pub fn not(&mut self, operand: ExprId) -> ExprId {
        match self.get(operand).kind {
            ExprKind::Not(inner) => inner,
            ExprKind::Constant(Constant::Bool(value)) => self.bool(!value),
            _ => self.intern(ExprKind::Not(operand), Scalar::Bool),
        }
    }

    /// A conversion; none where the type is already the wanted one.
    pub fn cast(&mut self, operand: ExprId, to: Scalar) -> ExprId {
        if self.ty(operand) == to { operand } else { self.intern(ExprKind::Cast(operand), to) }
    }
}
