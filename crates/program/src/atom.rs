//! Atomic propositions over a program: what a property may look at in an observed state.

use crate::cfa::FunctionId;
use crate::expr::ExprId;
use crate::model::VariableId;

/// An atomic proposition.
#[derive(Clone, Debug, PartialEq)]
pub enum Atom {
    /// A truth value over the state. It is false while a function in `active` has no activation, and where its
    /// evaluation would be undefined; the innermost activation of a function gives its locals' values.
    State {
        /// The expression.
        value: ExprId,
        /// The functions whose locals it reads.
        active: Vec<FunctionId>,
        /// All variables that it names.
        reads: Vec<VariableId>,
    },
    /// True in an extra observation at the entry of a function.
    Call(FunctionId),
    /// True in the one observed state after a signed overflow.
    Overflow,
    /// True for ever once the program has ended.
    End,
    /// True for ever once behaviour was undefined.
    Error,
    /// True for ever once no thread can go on.
    Deadlock,
}
