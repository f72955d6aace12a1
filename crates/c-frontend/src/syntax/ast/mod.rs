//! The syntax tree of C11 with the GNU extensions that preprocessed system headers need, as the parser found it:
//! no types, no conversions, no meaning beyond what the grammar decides. Section numbers are those of ISO C11.
//!
//! Expressions and statements live in arenas and name each other by id, so that a deeply nested tree is freed without
//! recursion. Two chains that programs make very long are flat here: `else if` ladders and label sequences.
//!
//! | module | what it holds |
//! | --- | --- |
//! | `declarations` | declarations, specifiers, declarators, initialisers (6.7) |
//! | `expressions` | expressions and constants (6.4.4, 6.5) |
//! | `statements` | statements (6.8) |

mod declarations;
mod expressions;
mod statements;

use foundation::{Arena, Span, define_id};

pub use declarations::*;
pub use expressions::*;
pub use statements::*;

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
    pub packings: Vec<PackingPragma>,
}

/// From a byte offset on, members of structures are aligned to at most so many bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PackingPragma {
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
