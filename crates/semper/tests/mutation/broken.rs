//! Engines and translations that are broken on purpose. Each decides another task than it was asked, close to the one that
//! it was asked: a successor is dropped, an assignment is not seen, a part of the goal is lost. What it then says of a
//! violated goal is a wrong verdict.

use std::sync::Arc;

use semper::automata::ltl::{Formula, Formulas, Node};
use semper::program::{EdgeId, Op};
use semper::task::{Goal, Task};

/// The tasks of an engine that overlooks something in the program.
pub fn overlooking(task: &Task) -> Vec<(&'static str, Task)> {
    let program = &task.program;
    let mut found = Vec::new();
    for (id, edge) in program.edges.iter() {
        let is_branch = matches!(edge.op, Op::Assume(_));
        if is_branch || program.locations[edge.from].out.len() > 1 {
            found.push(("a successor dropped", changed(task, id, None)));
        }
        if is_branch {
            found.push(("a condition overlooked", changed(task, id, Some(Op::Skip))));
        }
        if matches!(edge.op, Op::Assign { .. } | Op::Input { .. }) {
            found.push(("an assignment overlooked", changed(task, id, Some(Op::Skip))));
        }
    }
    // What one edge does, another one is taken to do.
    let writes = |id: &EdgeId| matches!(program.edges[*id].op, Op::Assign { .. } | Op::Input { .. });
    let writing: Vec<EdgeId> = program.edges.ids().filter(writes).collect();
    for &id in &writing {
        for &other in writing.iter().filter(|&&other| other != id) {
            let op = program.edges[other].op.clone();
            found.push(("an assignment mistaken for another", changed(task, id, Some(op))));
        }
    }
    found
}

/// The task with another operation at an edge, or without the edge.
fn changed(task: &Task, id: EdgeId, op: Option<Op>) -> Task {
    let mut program = (*task.program).clone();
    match op {
        Some(op) => program.edges[id].op = op,
        None => {
            let from = program.edges[id].from;
            program.locations[from].out.retain(|other| *other != id);
        }
    }
    Task { program: Arc::new(program), ..task.clone() }
}

/// The tasks of a translation that loses a part of the goal: each of its subformulas becomes a constant.
pub fn mistranslating(task: &Task) -> Vec<Task> {
    let mut found = Vec::new();
    for part in task.formulas.subformulas(task.formula()) {
        if part == task.formula() {
            continue;
        }
        for value in [false, true] {
            let mut formulas = task.formulas.clone();
            let goal = replaced(&mut formulas, task.formula(), part, value);
            found.push(Task { formulas, goal: Goal::Linear(goal), ..task.clone() });
        }
    }
    found
}

fn replaced(formulas: &mut Formulas, formula: Formula, part: Formula, value: bool) -> Formula {
    if formula == part {
        return formulas.truth(value);
    }
    match formulas.node(formula) {
        Node::True | Node::False | Node::Atom(_) => formula,
        Node::Unary(operator, operand) => {
            let operand = replaced(formulas, operand, part, value);
            formulas.unary(operator, operand)
        }
        Node::Binary(operator, left, right) => {
            let (left, right) = (replaced(formulas, left, part, value), replaced(formulas, right, part, value));
            formulas.binary(operator, left, right)
        }
    }
}
