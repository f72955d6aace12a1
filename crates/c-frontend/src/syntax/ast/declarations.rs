//! The syntax of declarations (6.7): specifiers, declarators, type names and initialisers.

use foundation::Span;

use super::ExprId;
use crate::syntax::symbols::Symbol;

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

/// What the attribute is called that stands for `asm("name")` behind a declarator.
pub const ASSEMBLER_NAME: &str = "asm";

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
