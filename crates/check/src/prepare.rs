//! From a subject to the task that engines are asked, and the way back.

use std::sync::Arc;

use automata::ltl::{AtomId, Formula, Formulas, Node};
use foundation::Id;
use program::passes::BackTranslation;
use subject::execute::interleaved;
use subject::{Property, Subject};
use task::{Goal, Scheduler, Task};

/// The task that engines are asked for a property of the subject.
pub fn task_of(subject: &Subject, property: usize, scheduler: Scheduler) -> Task {
    prepare(subject, &subject.properties[property], scheduler).task
}

/// A task, and the way back from it to the subject.
pub struct PreparedTask {
    /// The task.
    pub task: Task,
    /// The atoms of the task, in order, by the subject's numbers.
    pub(crate) atoms: Vec<AtomId>,
    /// What the edges of the task's program are in the subject's; none where they are the same.
    pub(crate) back: Option<BackTranslation>,
}

/// The task of a property. It knows the atoms of this property alone, because the atoms decide what is observed.
pub fn prepare(subject: &Subject, property: &Property, scheduler: Scheduler) -> PreparedTask {
    let (formulas, goal, atoms) = alone(&subject.formulas, property.goal);
    let (program, back) = match interleaved(subject) {
        Some(fine) => (fine.program, Some(fine.back)),
        None => (subject.program.clone(), None),
    };
    let meanings: Vec<program::Atom> = atoms.iter().map(|atom| subject.atoms[atom.index()].clone()).collect();
    let task = Task {
        program: Arc::new(program),
        atoms: meanings.into(),
        formulas,
        goal: Goal::Linear(goal),
        semantics: subject.semantics_for(property),
        scheduler,
    };
    PreparedTask { task, atoms, back }
}

/// A formula with nothing beside it, and the old numbers of its atoms in the order of the new ones.
fn alone(formulas: &Formulas, formula: Formula) -> (Formulas, Formula, Vec<AtomId>) {
    let mut copy = Formulas::new();
    let subformulas = formulas.subformulas(formula);
    let mut copies: Vec<Formula> = Vec::with_capacity(subformulas.len());
    let mut atoms = Vec::new();
    for &subformula in &subformulas {
        let copied = |child: Formula| {
            let at = subformulas.binary_search(&child).expect("children come before their parents");
            copies[at]
        };
        let next = match formulas.node(subformula) {
            Node::True => copy.truth(true),
            Node::False => copy.truth(false),
            Node::Atom(atom) => {
                atoms.push(atom);
                copy.atom_at(formulas.atoms().get(atom).clone(), formulas.atoms().origin(atom).cloned())
            }
            Node::Unary(operator, operand) => {
                let operand = copied(operand);
                copy.unary(operator, operand)
            }
            Node::Binary(operator, left, right) => {
                let (left, right) = (copied(left), copied(right));
                copy.binary(operator, left, right)
            }
        };
        copies.push(next);
    }
    let goal = *copies.last().expect("a formula is one of its subformulas");
    (copy, goal, atoms)
}

#[cfg(test)]
mod tests {
    use automata::ltl::parse;
    use foundation::SourceMap;

    use super::*;

    #[test]
    fn a_formula_alone_is_the_same_formula_over_its_own_atoms() {
        let (mut sources, mut formulas) = (SourceMap::new(), Formulas::new());
        let texts =
            ["a && F b", "G (c -> F a)", "true U !(b || false)", "c", "X X (d W \"x > 0\") <-> d", "end R error"];
        let read: Vec<Formula> = texts
            .iter()
            .map(|text| {
                let source = sources.add("", *text);
                parse(&sources, source, &mut formulas).unwrap()
            })
            .collect();
        for formula in read {
            let (copy, goal, atoms) = alone(&formulas, formula);
            assert_eq!(copy.display(goal).to_string(), formulas.display(formula).to_string());
            let names = copy.atoms().iter().map(|(_, atom)| atom.clone());
            let olds = atoms.iter().map(|&atom| formulas.atoms().get(atom).clone());
            assert!(names.eq(olds), "the numbers lead back to the same atoms");
            assert_eq!(copy.atoms().len(), formulas.atoms_of(formula).len());
        }
    }
}
