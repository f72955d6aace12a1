//! The syntax of expressions (6.5) and of the constants in them (6.4.4).

use foundation::Span;

use super::{Designator, ExprId, FloatSize, Initializer, StmtId, TypeName};
use crate::syntax::symbols::Symbol;

/// An expression with its place.
#[derive(Clone, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of expressions (6.5).
#[derive(Clone, Debug)]
pub enum ExprKind {
    /// A name.
    Identifier(Symbol),
    /// An integer constant.
    Integer(IntegerLiteral),
    /// A floating constant.
    Float(FloatLiteral),
    /// A character constant with its value as an `int`, or of a wide type.
    Character {
        /// The value; for a plain constant that of the `char` converted to `int`.
        value: i64,
        /// The prefix.
        encoding: CharPrefix,
    },
    /// Adjacent string literals joined, without the terminating zero: one element per code unit.
    String {
        /// The code units.
        units: Vec<u32>,
        /// The prefix.
        encoding: CharPrefix,
    },
    /// A binary operator without assignment; `&&` and `||` too.
    Binary(BinaryOp, ExprId, ExprId),
    /// `=`, or a compound assignment with its operator.
    Assign(Option<BinaryOp>, ExprId, ExprId),
    /// A unary operator.
    Unary(UnaryOp, ExprId),
    /// `++` and `--`.
    Increment {
        /// Whether it stands before its operand.
        prefix: bool,
        /// `++` rather than `--`.
        up: bool,
        /// The operand.
        operand: ExprId,
    },
    /// `condition ? then : otherwise`; the GNU form `condition ?: otherwise` leaves out the middle.
    Conditional {
        /// The condition.
        condition: ExprId,
        /// The middle operand.
        then: Option<ExprId>,
        /// The last operand.
        otherwise: ExprId,
    },
    /// `(type) operand`
    Cast(Box<TypeName>, ExprId),
    /// `(type) { … }` (6.5.2.5)
    CompoundLiteral(Box<TypeName>, Box<Initializer>),
    /// `function(arguments)`
    Call(ExprId, Vec<ExprId>),
    /// `array[index]`
    Index(ExprId, ExprId),
    /// `base.member` and `base->member`
    Member {
        /// The left operand.
        base: ExprId,
        /// Whether the operator is `->`.
        arrow: bool,
        /// The member.
        member: Symbol,
        /// The member's place.
        member_span: Span,
    },
    /// `sizeof expression`
    SizeofExpr(ExprId),
    /// `sizeof (type)`
    SizeofType(Box<TypeName>),
    /// `_Alignof (type)`
    AlignofType(Box<TypeName>),
    /// `__alignof__ expression`
    AlignofExpr(ExprId),
    /// `left, right`
    Comma(ExprId, ExprId),
    /// `_Generic(control, …)` (6.5.1.1); the association without a type is `default`.
    Generic(ExprId, Vec<(Option<TypeName>, ExprId)>),
    /// `({ … })`, a GNU extension; the statement is compound.
    Statement(StmtId),
    /// `&&label`, a GNU extension.
    LabelAddress(Symbol),
    /// `__builtin_va_arg(list, type)`
    VaArg(ExprId, Box<TypeName>),
    /// `__builtin_offsetof(type, member-designator)`; the designator begins with a member.
    Offsetof(Box<TypeName>, Vec<Designator>),
    /// `__builtin_types_compatible_p(type, type)`
    TypesCompatible(Box<TypeName>, Box<TypeName>),
    /// `__builtin_choose_expr(condition, then, otherwise)`
    Choose(ExprId, ExprId, ExprId),
}

impl ExprKind {
    /// The expressions directly below this one, in the order in which they stand; those inside types, initializers and
    /// statements are left out.
    pub fn operands(&self) -> Vec<ExprId> {
        match self {
            ExprKind::Identifier(_)
            | ExprKind::Integer(_)
            | ExprKind::Float(_)
            | ExprKind::Character { .. }
            | ExprKind::String { .. }
            | ExprKind::CompoundLiteral(..)
            | ExprKind::SizeofType(_)
            | ExprKind::AlignofType(_)
            | ExprKind::Statement(_)
            | ExprKind::LabelAddress(_)
            | ExprKind::TypesCompatible(..) => Vec::new(),
            ExprKind::Binary(_, left, right)
            | ExprKind::Assign(_, left, right)
            | ExprKind::Index(left, right)
            | ExprKind::Comma(left, right) => vec![*left, *right],
            ExprKind::Unary(_, operand)
            | ExprKind::Increment { operand, .. }
            | ExprKind::Cast(_, operand)
            | ExprKind::Member { base: operand, .. }
            | ExprKind::SizeofExpr(operand)
            | ExprKind::AlignofExpr(operand)
            | ExprKind::VaArg(operand, _) => vec![*operand],
            ExprKind::Conditional { condition, then, otherwise } => {
                std::iter::once(*condition).chain(*then).chain([*otherwise]).collect()
            }
            ExprKind::Call(function, arguments) => {
                std::iter::once(*function).chain(arguments.iter().copied()).collect()
            }
            ExprKind::Generic(control, associations) => {
                std::iter::once(*control).chain(associations.iter().map(|(_, value)| *value)).collect()
            }
            ExprKind::Choose(condition, then, otherwise) => vec![*condition, *then, *otherwise],
            ExprKind::Offsetof(_, path) => {
                let index = |designator: &Designator| match designator {
                    Designator::Index(index) => Some(*index),
                    Designator::Member(..) | Designator::Range(..) => None,
                };
                path.iter().filter_map(index).collect()
            }
        }
    }
}

/// An integer constant as written (6.4.4.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IntegerLiteral {
    /// Its value.
    pub value: u128,
    /// Whether it is written in base ten, which keeps it from becoming unsigned on its own.
    pub decimal: bool,
    /// Whether it has the suffix `u`.
    pub unsigned: bool,
    /// How many `l` its suffix has: 0, 1 or 2.
    pub longs: u8,
}

/// A floating constant as written (6.4.4.2).
#[derive(Clone, Debug, PartialEq)]
pub struct FloatLiteral {
    /// Its value, correctly rounded to a `double`; for `float` constants rounded to a `float` and widened.
    pub value: f64,
    /// By its suffix.
    pub size: FloatSize,
}

/// The prefix of a character constant or string literal.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum CharPrefix {
    /// None, and `u8`: elements are `char`.
    Plain,
    /// `L`: `wchar_t`, a 32-bit signed integer.
    Wide,
    /// `u`: `char16_t`.
    Utf16,
    /// `U`: `char32_t`.
    Utf32,
}

/// Binary operators (6.5.5 to 6.5.14).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum BinaryOp {
    Multiply,
    Divide,
    Remainder,
    Add,
    Subtract,
    ShiftLeft,
    ShiftRight,
    Less,
    Greater,
    LessEqual,
    GreaterEqual,
    Equal,
    NotEqual,
    BitAnd,
    BitXor,
    BitOr,
    LogicalAnd,
    LogicalOr,
}

impl BinaryOp {
    /// How the operator is written.
    pub fn text(self) -> &'static str {
        match self {
            BinaryOp::Multiply => "*",
            BinaryOp::Divide => "/",
            BinaryOp::Remainder => "%",
            BinaryOp::Add => "+",
            BinaryOp::Subtract => "-",
            BinaryOp::ShiftLeft => "<<",
            BinaryOp::ShiftRight => ">>",
            BinaryOp::Less => "<",
            BinaryOp::Greater => ">",
            BinaryOp::LessEqual => "<=",
            BinaryOp::GreaterEqual => ">=",
            BinaryOp::Equal => "==",
            BinaryOp::NotEqual => "!=",
            BinaryOp::BitAnd => "&",
            BinaryOp::BitXor => "^",
            BinaryOp::BitOr => "|",
            BinaryOp::LogicalAnd => "&&",
            BinaryOp::LogicalOr => "||",
        }
    }
}

/// Unary operators (6.5.3), and the GNU ones for the parts of complex numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum UnaryOp {
    Plus,
    Minus,
    BitNot,
    LogicalNot,
    Dereference,
    AddressOf,
    Real,
    Imaginary,
}
