//! What is to hold of a program: of each of its executions, or of the tree of all of them.
//!
//! Everything that looks at words (the automaton of the negation, the tableau, evaluation on lassos, vacuity) serves linear
//! goals. Who takes which goals is said in the entries of engines; behind them, [`Task::formula`](crate::Task::formula)
//! is the formula of a linear one.

use automata::ltl::{AtomId, Formula, Formulas};

use crate::verdict::Reason;

/// What is to hold; assumptions are part of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Every execution satisfies a formula of linear temporal logic.
    Linear(Formula),
    /// The tree of executions satisfies a formula of universal computation tree logic.
    Branching(Universal),
}

/// A formula of universal computation tree logic (ACTL) in negation normal form: every temporal operator speaks of all
/// executions from a state on. `AF p` is `true AU p`, and `AG p` is `false AR p`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Universal {
    /// A constant.
    Constant(bool),
    /// An atom, or its negation where it is to be false.
    Literal(AtomId, bool),
    /// Both hold.
    And(Box<Universal>, Box<Universal>),
    /// One of them holds.
    Or(Box<Universal>, Box<Universal>),
    /// It holds in all next observed states.
    Next(Box<Universal>),
    /// On every execution the second one holds at some time, and the first one until then.
    Until(Box<Universal>, Box<Universal>),
    /// On every execution the second one holds up to and including the time when the first one does, for ever if it never
    /// does.
    Release(Box<Universal>, Box<Universal>),
}

impl Goal {
    /// The formula of a linear goal; why there is none, else.
    pub fn linear(&self) -> Result<Formula, Reason> {
        match self {
            Goal::Linear(formula) => Ok(*formula),
            Goal::Branching(_) => Err(Reason::unsupported("a branching goal", None)),
        }
    }

    /// The atoms that it looks at, in ascending order.
    pub fn atoms(&self, formulas: &Formulas) -> Vec<AtomId> {
        let mut atoms = match self {
            Goal::Linear(formula) => formulas.atoms_of(*formula),
            Goal::Branching(formula) => formula.atoms(),
        };
        atoms.sort_unstable();
        atoms.dedup();
        atoms
    }
}

impl Universal {
    fn atoms(&self) -> Vec<AtomId> {
        let (mut atoms, mut open) = (Vec::new(), vec![self]);
        while let Some(formula) = open.pop() {
            match formula {
                Universal::Constant(_) => {}
                Universal::Literal(atom, _) => atoms.push(*atom),
                Universal::Next(operand) => open.push(operand),
                Universal::And(left, right)
                | Universal::Or(left, right)
                | Universal::Until(left, right)
                | Universal::Release(left, right) => open.extend([&**left, right]),
            }
        }
        atoms
    }
}

#[cfg(test)]
mod tests {
    use foundation::Id;

    use super::*;

    #[test]
    fn a_goal_is_linear_or_says_what_it_is() {
        let mut formulas = Formulas::new();
        let truth = formulas.truth(true);
        assert_eq!(Goal::Linear(truth).linear(), Ok(truth));
        let atom = |number| Box::new(Universal::Literal(AtomId::from_index(number), true));
        let branching = Goal::Branching(Universal::Until(atom(3), Box::new(Universal::And(atom(1), atom(3)))));
        assert!(matches!(branching.linear(), Err(Reason::Unsupported { .. })));
        assert_eq!(branching.atoms(&formulas), [1, 3].map(AtomId::from_index));
    }
}
