//! The syntax of statements (6.8).

use foundation::Span;

use super::{Declaration, ExprId, StmtId};
use crate::syntax::symbols::Symbol;

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
    Labeled(Vec<JumpLabel>, StmtId),
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
pub enum JumpLabel {
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
