//! The syntax tree of C11 with the GNU extensions that preprocessed system headers need, as the parser found it:
//! no types, no conversions, no meaning beyond what the grammar decides. Section numbers are those of ISO C11.
//!
//! Expressions and statements live in arenas and name each other by id, so that a deeply nested tree is freed without
//! recursion. Two chains that programs make very long are flat here: `else if` ladders and label sequences.

use foundation::{Arena, Span, define_id};

use super::symbols::Symbol;

define_id! {
    /// An expression of an [`Ast`].
    ExprId
}
define_id! {
    /// A statement of an [`Ast`].
    StmtId
}

/// The syntax of one translation unit.
#[derive(Clone, Debug, Default)]
pub struct Ast {
    /// All expressions.
    pub exprs: Arena<ExprId, Expr>,
    /// All statements.
    pub statements: Arena<StmtId, Stmt>,
    /// The external declarations in their order.
    pub items: Vec<ExternalDeclaration>,
    /// Where `#pragma pack` changes how members are aligned, in order.
    pub packings: Vec<Packing>,
}

/// From a byte offset on, members of structures are aligned to at most so many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Packing {
    /// In the text of the translation unit.
    pub offset: u32,
    /// The limit; none ends it.
    pub limit: Option<u64>,
}

/// A top-level part of a translation unit (6.9).
#[derive(Clone, Debug)]
pub enum ExternalDeclaration {
    /// A function with its body.
    Function(FunctionDefinition),
    /// Anything else that declares.
    Declaration(Declaration),
    /// `asm("…");` at file scope.
    Asm(Span),
}

/// A function with its body (6.9.1).
#[derive(Clone, Debug)]
pub struct FunctionDefinition {
    /// What stands before the declarator.
    pub specifiers: Specifiers,
    /// The function's declarator.
    pub declarator: Declarator,
    /// Parameter declarations of the old style, between declarator and body.
    pub old_style: Vec<Declaration>,
    /// A compound statement.
    pub body: StmtId,
    /// From the first specifier to the end of the declarator.
    pub span: Span,
}

/// A declaration (6.7).
#[derive(Clone, Debug)]
pub enum Declaration {
    /// Specifiers and declarators; the latter may be missing (`struct s { int x; };`).
    Declarators {
        /// What stands before the declarators.
        specifiers: Specifiers,
        /// The declared names.
        declarators: Vec<InitDeclarator>,
        /// The whole declaration.
        span: Span,
    },
    /// `_Static_assert(condition, "message");` (6.7.10)
    StaticAssert {
        /// The condition.
        condition: ExprId,
        /// The message, where there is one.
        message: Option<String>,
        /// The whole declaration.
        span: Span,
    },
}

/// A declarator with its initialiser.
#[derive(Clone, Debug)]
pub struct InitDeclarator {
    /// The declarator.
    pub declarator: Declarator,
    /// What stands behind `=`.
    pub initializer: Option<Initializer>,
}

/// Declaration specifiers (6.7), with the type specifiers already combined.
#[derive(Clone, Debug)]
pub struct Specifiers {
    /// `typedef`, `extern`, `static`, `auto` or `register`.
    pub storage: Option<Storage>,
    /// `_Thread_local` or `__thread`.
    pub thread_local: bool,
    /// `inline`.
    pub inline: bool,
    /// `_Noreturn`.
    pub noreturn: bool,
    /// `const`, `volatile` …
    pub qualifiers: Qualifiers,
    /// The type.
    pub ty: TypeSpecifier,
    /// `_Alignas` (6.7.5).
    pub alignment: Vec<Alignment>,
    /// GNU attributes among the specifiers.
    pub attributes: Vec<Attribute>,
    /// All of it.
    pub span: Span,
}

/// A storage class (6.7.1).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum Storage {
    Typedef,
    Extern,
    Static,
    Auto,
    Register,
}

/// An alignment specifier.
#[derive(Clone, Debug)]
#[allow(clippy::large_enum_variant)] // There is hardly ever one.
pub enum Alignment {
    /// `_Alignas(type)`
    Type(TypeName),
    /// `_Alignas(constant)`
    Constant(ExprId),
}

/// Type qualifiers (6.7.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Hash)]
#[allow(missing_docs)]
pub struct Qualifiers {
    pub is_const: bool,
    pub is_volatile: bool,
    pub is_restrict: bool,
    pub is_atomic: bool,
}

/// The type that a list of type specifiers names (6.7.2).
#[derive(Clone, Debug)]
pub enum TypeSpecifier {
    /// `void`
    Void,
    /// `_Bool`
    Bool,
    /// An integer type. `signed` is `None` where the program wrote neither `signed` nor `unsigned`.
    Integer {
        /// Which one.
        size: IntegerSize,
        /// Its signedness, as written.
        signed: Option<bool>,
    },
    /// A floating type.
    Float(FloatSize),
    /// A structure or union.
    Record(RecordSpecifier),
    /// An enumeration.
    Enum(EnumSpecifier),
    /// A name declared by `typedef`.
    Name(Symbol),
    /// `typeof(expression)`
    TypeofExpr(ExprId),
    /// `typeof(type)`
    TypeofType(Box<TypeName>),
    /// `_Atomic(type)`
    Atomic(Box<TypeName>),
    /// `__builtin_va_list`
    VaList,
    /// `__auto_type`
    Auto,
    /// No type specifier at all: `int` by the rules of old.
    Missing,
}

/// The sizes that C has words for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum IntegerSize {
    Char,
    Short,
    Int,
    Long,
    LongLong,
    Int128,
}

/// The floating types, those of the headers included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[allow(missing_docs)]
pub enum FloatSize {
    Float,
    Double,
    LongDouble,
    /// `_Float128`, `__float128`
    Float128,
    /// Any `_Complex` type.
    Complex,
}

/// `struct` or `union`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[allow(missing_docs)]
pub enum RecordKind {
    Struct,
    Union,
}

/// `struct tag { … }`, either part optional (6.7.2.1).
#[derive(Clone, Debug)]
pub struct RecordSpecifier {
    /// Which kind.
    pub kind: RecordKind,
    /// The tag with its place.
    pub tag: Option<(Symbol, Span)>,
    /// The members, where the specifier defines the type.
    pub members: Option<Vec<MemberDeclaration>>,
    /// `packed`, `aligned` …
    pub attributes: Vec<Attribute>,
    /// The whole specifier up to the tag.
    pub span: Span,
}

/// One declaration inside a structure or union.
#[derive(Clone, Debug)]
pub enum MemberDeclaration {
    /// Members that share their specifiers; no declarator for an anonymous structure or union.
    Members {
        /// What stands before the declarators.
        specifiers: Specifiers,
        /// The members.
        declarators: Vec<MemberDeclarator>,
        /// The whole declaration.
        span: Span,
    },
    /// `_Static_assert` among the members.
    StaticAssert(Declaration),
}

/// A member's declarator with the width of a bit-field.
#[derive(Clone, Debug)]
pub struct MemberDeclarator {
    /// The declarator; without a name for an unnamed bit-field.
    pub declarator: Declarator,
    /// The width of a bit-field.
    pub width: Option<ExprId>,
}

/// `enum tag { … }`, either part optional (6.7.2.2).
#[derive(Clone, Debug)]
pub struct EnumSpecifier {
    /// The tag with its place.
    pub tag: Option<(Symbol, Span)>,
    /// The enumerators, where the specifier defines the type.
    pub enumerators: Option<Vec<Enumerator>>,
    /// `packed` …
    pub attributes: Vec<Attribute>,
    /// The whole specifier up to the tag.
    pub span: Span,
}

/// An enumeration constant.
#[derive(Clone, Debug)]
pub struct Enumerator {
    /// Its name.
    pub name: Symbol,
    /// Its value, where one is given.
    pub value: Option<ExprId>,
    /// The name's place.
    pub span: Span,
}

/// A declarator (6.7.6): a name and what is derived from the specified type, read from the name outwards. `int *a[3]`
/// has the list array of 3, pointer.
#[derive(Clone, Debug)]
pub struct Declarator {
    /// The declared name; none in an abstract declarator.
    pub name: Option<Symbol>,
    /// From the name outwards.
    pub derived: Vec<Derived>,
    /// GNU attributes behind the declarator.
    pub attributes: Vec<Attribute>,
    /// The name's place, or the whole abstract declarator.
    pub span: Span,
}

/// One derivation of a declarator.
#[derive(Clone, Debug)]
pub enum Derived {
    /// `*`
    Pointer(Qualifiers),
    /// `[…]`
    Array {
        /// The length.
        length: ArrayLength,
        /// The brackets.
        span: Span,
    },
    /// `(…)`
    Function(FunctionDerived),
}

/// The length in an array declarator.
#[derive(Clone, Debug)]
pub enum ArrayLength {
    /// `[]`
    Unknown,
    /// `[*]`
    Star,
    /// `[n]`, and `[static n]` in a parameter.
    Expr(ExprId),
}

/// The parameter list of a function declarator.
#[derive(Clone, Debug)]
pub struct FunctionDerived {
    /// Declared parameters; `(void)` has none.
    pub parameters: Vec<Parameter>,
    /// Whether `...` ends the list.
    pub variadic: bool,
    /// Whether the list says anything of the parameters' types: false for `()` and for a list of mere names.
    pub prototype: bool,
    /// The names of an old-style definition's list.
    pub identifiers: Vec<(Symbol, Span)>,
    /// The parentheses.
    pub span: Span,
}

/// A parameter declaration.
#[derive(Clone, Debug)]
pub struct Parameter {
    /// What stands before the declarator.
    pub specifiers: Specifiers,
    /// Its declarator, possibly abstract.
    pub declarator: Declarator,
    /// All of it.
    pub span: Span,
}

/// A type name (6.7.7), as in casts and `sizeof`.
#[derive(Clone, Debug)]
pub struct TypeName {
    /// Specifiers and qualifiers.
    pub specifiers: Specifiers,
    /// An abstract declarator.
    pub declarator: Declarator,
    /// All of it.
    pub span: Span,
}

/// A GNU attribute, its name without surrounding underscores (`__packed__` is `packed`). Arguments that are no
/// expressions are dropped.
#[derive(Clone, Debug)]
pub struct Attribute {
    /// Its name.
    pub name: String,
    /// Its arguments, as far as they are expressions.
    pub arguments: Vec<ExprId>,
    /// All of it.
    pub span: Span,
}

/// An initialiser (6.7.9).
#[derive(Clone, Debug)]
pub enum Initializer {
    /// An expression.
    Expr(ExprId),
    /// A list in braces.
    List {
        /// Each with its designators, outermost first.
        items: Vec<(Vec<Designator>, Initializer)>,
        /// The braces.
        span: Span,
    },
}

/// A designator in an initialiser list.
#[derive(Clone, Debug)]
pub enum Designator {
    /// `.name`, and the GNU form `name:`
    Member(Symbol, Span),
    /// `[index]`
    Index(ExprId),
    /// `[first ... last]`, a GNU extension
    Range(ExprId, ExprId),
}

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
        encoding: Encoding,
    },
    /// Adjacent string literals joined, without the terminating zero: one element per code unit.
    String {
        /// The code units.
        units: Vec<u32>,
        /// The prefix.
        encoding: Encoding,
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
pub enum Encoding {
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

/// A statement with its place.
#[derive(Clone, Debug)]
pub struct Stmt {
    /// What it is.
    pub kind: StmtKind,
    /// All of it.
    pub span: Span,
}

/// The kinds of statements (6.8).
#[derive(Clone, Debug)]
pub enum StmtKind {
    /// `{ … }`
    Compound(Vec<BlockItem>),
    /// `expression;` or `;`
    Expression(Option<ExprId>),
    /// `if (c) s else if (c) s … else s` as one ladder.
    If {
        /// Conditions with their statements.
        branches: Vec<(ExprId, StmtId)>,
        /// Behind the last `else`.
        otherwise: Option<StmtId>,
    },
    /// `switch (control) body`
    Switch(ExprId, StmtId),
    /// `while (condition) body`
    While(ExprId, StmtId),
    /// `do body while (condition);`
    DoWhile(StmtId, ExprId),
    /// `for (init; condition; step) body`
    For {
        /// The first clause.
        init: Option<ForInit>,
        /// The second.
        condition: Option<ExprId>,
        /// The third.
        step: Option<ExprId>,
        /// The body.
        body: StmtId,
    },
    /// `goto label;`
    Goto(Symbol, Span),
    /// `goto *expression;`, a GNU extension
    ComputedGoto(ExprId),
    /// `continue;`
    Continue,
    /// `break;`
    Break,
    /// `return expression;`
    Return(Option<ExprId>),
    /// One or more labels before a statement.
    Labeled(Vec<Label>, StmtId),
    /// `asm(…);`
    Asm(Asm),
}

/// The first clause of a `for`.
#[derive(Clone, Debug)]
pub enum ForInit {
    /// `int i = 0;`
    Declaration(Declaration),
    /// An expression.
    Expression(ExprId),
}

/// A part of a compound statement.
#[derive(Clone, Debug)]
pub enum BlockItem {
    /// A declaration.
    Declaration(Declaration),
    /// A statement.
    Statement(StmtId),
    /// A function defined inside a function, a GNU extension.
    NestedFunction(Span),
}

/// A label before a statement (6.8.1).
#[derive(Clone, Debug)]
pub enum Label {
    /// `name:`
    Name(Symbol, Span),
    /// `case value:`, or the GNU range `case first ... last:`
    Case(ExprId, Option<ExprId>, Span),
    /// `default:`
    Default(Span),
}

/// Inline assembly, a GNU extension.
#[derive(Clone, Debug)]
pub struct Asm {
    /// The instructions, not understood.
    pub instructions: String,
    /// Constraint and lvalue of each output.
    pub outputs: Vec<(String, ExprId)>,
    /// Constraint and value of each input.
    pub inputs: Vec<(String, ExprId)>,
    /// What else it changes: registers, `cc`, `memory`.
    pub clobbers: Vec<String>,
    /// The labels of an `asm goto`.
    pub labels: Vec<Symbol>,
}
