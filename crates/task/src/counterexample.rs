//! What shows that a program violates its property.

use program::semantics::Answer;

use crate::recurrent_set::RecurrentSet;

/// What shows a violation.
#[derive(Clone, PartialEq, Debug)]
pub enum Counterexample {
    /// An execution that goes round for ever with the same answers and comes back to a state, as far as states matter.
    Lasso(Lasso),
    /// An execution that goes on for ever and need not come back to a state, with the reason why it goes on.
    Recurrent {
        /// The answers of the stem, which leads into the set, and those of the first iteration from there, which the
        /// check does not need: it goes by the set's choices.
        answers: Lasso,
        /// The set that no iteration leaves.
        set: Box<RecurrentSet>,
    },
    /// Executions that leave each other, for goals that speak of all executions from a state on.
    Tree(Tree),
}

impl Counterexample {
    /// The answers of the stem and of the first iteration after it; of the trunk, where it is a tree.
    pub fn answers(&self) -> &Lasso {
        match self {
            Counterexample::Lasso(lasso) | Counterexample::Recurrent { answers: lasso, .. } => lasso,
            Counterexample::Tree(tree) => &tree.trunk,
        }
    }
}

/// An execution, by the answers to everything that the program does not determine: inputs, what is not initialised,
/// schedules. They are in the order in which the interpreter asks while it executes [`Task::program`](crate::Task).
///
/// The answers of the cycle are given again and again. Where the program ends, or goes round without asking anything,
/// the cycle has no answers.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Lasso {
    /// The answers before the cycle.
    pub stem: Vec<Answer>,
    /// The answers of the cycle.
    pub cycle: Vec<Answer>,
}

/// An execution and those that leave it: what shows that a branching goal is violated (Clarke, Jha, Lu, Veith,
/// "Tree-like counterexamples in model checking", LICS 2002). No engine makes one yet, and no check accepts one.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Tree {
    /// The execution that violates the outermost operator.
    pub trunk: Lasso,
    /// Where operators inside of it are violated, each by an execution that leaves the trunk.
    pub branches: Vec<Branch>,
}

/// Where an execution is left by others.
#[derive(Clone, PartialEq, Debug)]
pub struct Branch {
    /// The number of the observed state in which it is left.
    pub observation: usize,
    /// What leaves it there.
    pub tree: Tree,
}
