//! Which values an input is tried with where the interpreter takes the steps.

use std::sync::Arc;

use analysis::{Domains, RefusedInput};
use num_bigint::BigInt;
use program::semantics::memory::Extent;
use program::semantics::{Answer, Question, Value};
use program::{Atom, EdgeId, IntType, Program, Scalar, VariableId};
use task::{Fact, Reason, Task};

/// The answers that stand for all others, for every question of a program.
pub struct Inputs {
    program: Arc<Program>,
    domains: Domains,
}

impl Fact for Inputs {
    const NAME: &'static str = "partition of inputs into classes";
}

/// All values of integer types of at most this many bits are tried where nothing better is known.
const FEW_BITS: u16 = 8;

impl Inputs {
    /// Analyses the program of a task.
    pub fn new(task: &Task) -> Self {
        let program = Arc::clone(&task.program);
        let state = |atom: &Atom| match atom {
            Atom::State { value, .. } => Some(*value),
            _ => None,
        };
        let atoms: Vec<_> = task.atoms.iter().filter_map(state).collect();
        let domains = Domains::new(&program, &atoms, task.semantics.integers);
        Self { program, domains }
    }

    /// The answers to try for a question that the interpreter asks while it takes an edge.
    pub fn answers(&self, question: &Question, edge: Option<EdgeId>) -> Result<Vec<Answer>, Reason> {
        let span = edge.map(|edge| self.program.edges[edge].span);
        match question {
            Question::Schedule { enabled, .. } => Ok((0..enabled.len()).map(Answer::Index).collect()),
            Question::Branch { edges } => Ok((0..edges.len()).map(Answer::Index).collect()),
            Question::AllocationFails => Ok([false, true].map(|fails| Answer::Value(Value::Bool(fails))).to_vec()),
            Question::Input { ty, .. } => match edge.map(|edge| self.domains.of(edge)) {
                Some(Ok(values)) => Ok(answers(values, *ty)),
                Some(Err(refused)) => all_of(*ty).ok_or_else(|| reason(refused)),
                None => all_of(*ty).ok_or_else(|| unbounded(question, span)),
            },
            Question::Uninitialised { part, ty, .. } => {
                match self.whole_scalar(*part).map(|variable| self.domains.of_uninitialised(variable)) {
                    Some(Ok(values)) if !values.is_empty() => Ok(answers(values, *ty)),
                    Some(Err(refused)) => all_of(*ty).ok_or_else(|| reason(refused)),
                    _ => all_of(*ty).ok_or_else(|| unbounded(question, span)),
                }
            }
            Question::Register { ty, .. } => all_of(*ty).ok_or_else(|| unbounded(question, span)),
        }
    }

    /// The variable that is read as the one scalar that it is.
    fn whole_scalar(&self, part: Extent) -> Option<VariableId> {
        let types = &self.program.types;
        part.object.variable().filter(|variable| {
            let ty = self.program.variables[*variable].ty;
            types.as_scalar(ty).is_some() && part.width_bits == types.size_bits(ty)
        })
    }
}

fn answers(values: &[BigInt], ty: Scalar) -> Vec<Answer> {
    let value = |value: &BigInt| match ty {
        Scalar::Bool => Value::Bool(*value != BigInt::ZERO),
        _ => Value::Int(value.clone()),
    };
    values.iter().map(|number| Answer::Value(value(number))).collect()
}

/// All values of a type that has few.
fn all_of(ty: Scalar) -> Option<Vec<Answer>> {
    let values: Vec<BigInt> = match ty {
        Scalar::Bool => (0..2).map(BigInt::from).collect(),
        Scalar::Int(IntType { bits, signed }) if bits <= FEW_BITS => {
            let count = 1_i32 << bits;
            let first = if signed { -count / 2 } else { 0 };
            (first..first + count).map(BigInt::from).collect()
        }
        _ => return None,
    };
    Some(answers(&values, ty))
}

fn reason(refused: &RefusedInput) -> Reason {
    Reason::of_unbounded_input(refused.reason(), refused.at.or(Some(refused.origin)))
}

fn unbounded(question: &Question, span: Option<foundation::Span>) -> Reason {
    Reason::of_unbounded_input(format_args!("`{}` may have any value of its type", question.name()), span)
}
