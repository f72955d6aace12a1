//! A program with its properties, read and type-checked: what every later step works on.

use std::collections::BTreeMap;

use automata::ltl::{AtomId, Binary, Builtin, Formula, Formulas, Letter, Node, Unary};
use foundation::{Id, Span};
use program::semantics::Semantics;
use program::{FunctionId, Program, VariableId};

/// A program, properties over it, and the meaning of their atoms.
#[derive(Clone, Debug)]
pub struct Subject {
    /// The program.
    pub program: Program,
    /// All formulas.
    pub formulas: Formulas,
    /// The properties, in the order in which they were given.
    pub properties: Vec<Property>,
    /// What every execution of interest satisfies.
    pub assumptions: Vec<Formula>,
    /// The meaning of every atom of `formulas`, in the order of their ids.
    pub atoms: Vec<program::Atom>,
    /// The types of the variables that atoms read, as the source language writes them.
    pub type_names: BTreeMap<VariableId, String>,
    /// By which semantics the program is read; [`Subject::semantics_for`] adds what a property demands.
    pub semantics: Semantics,
}

/// A property.
#[derive(Clone, Debug)]
pub struct Property {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// The property itself.
    pub formula: Formula,
    /// What is to be checked: that the assumptions imply the property.
    pub goal: Formula,
    /// Where it was found, for people: `--ltl`, or a file and a line.
    pub origin: String,
    /// The text it was read from.
    pub span: Span,
}

impl Subject {
    /// The semantics for one property. The competition's property `G ! call(f())`, where it stands alone, ends an
    /// execution at the entry of `f`.
    pub fn semantics_for(&self, property: &Property) -> Semantics {
        Semantics { stop_at_call: self.competition_call(property.goal), ..self.semantics }
    }

    /// The function `f` of a formula `G ! call(f())`.
    fn competition_call(&self, formula: Formula) -> Option<FunctionId> {
        let Node::Unary(Unary::Globally, never) = self.formulas.node(formula) else { return None };
        let Node::Unary(Unary::Not, call) = self.formulas.node(never) else { return None };
        let Node::Atom(atom) = self.formulas.node(call) else { return None };
        match self.atoms[atom.index()] {
            program::Atom::Call(function) => Some(function),
            _ => None,
        }
    }

    /// The letter of an observed state, from the truth of each atom.
    pub fn letter(&self, truth: &[bool]) -> Letter {
        truth.iter().enumerate().filter(|&(_, &holds)| holds).map(|(index, _)| AtomId::from_index(index)).collect()
    }
}

/// `assumption1 && … -> property`.
pub fn goal(formulas: &mut Formulas, assumptions: &[Formula], property: Formula) -> Formula {
    let all = assumptions.iter().copied().reduce(|all, next| formulas.binary(Binary::And, all, next));
    all.map_or(property, |all| formulas.binary(Binary::Implies, all, property))
}

/// What a built-in atom stands for; none where it calls a function that is not found by its name.
pub fn builtin(builtin: &Builtin, function: impl FnOnce(&str) -> Option<FunctionId>) -> Option<program::Atom> {
    match builtin {
        Builtin::Call(name) => function(name).map(program::Atom::Call),
        Builtin::Overflow => Some(program::Atom::Overflow),
        Builtin::End => Some(program::Atom::End),
        Builtin::Error => Some(program::Atom::Error),
        Builtin::Deadlock => Some(program::Atom::Deadlock),
    }
}
