//! From an execution of a lasso to a counterexample: the answers to what the program asks.

use std::collections::HashMap;

use logic::{Terms, Value as Number};
use program::semantics::{Answer, Value};
use program::{EdgeId, ExprId, Op, Operand, Scalar, VariableId};
use task::{Counterexample, Reason};

use super::lasso::{Lasso, Valuation};
use super::letter::{Letters, Taken};
use super::refine::Divergence;
use crate::encode::Vocabulary;
use crate::encode::edge::Asked;

/// How many turns of the cycle are executed to find a rule for its inputs.
const TURNS: usize = 24;

/// The counterexample of an execution.
pub fn counterexample(
    terms: &Terms,
    vocabulary: &Vocabulary<'_>,
    letters: &Letters,
    divergence: &Divergence,
) -> Result<Counterexample, Reason> {
    let (stem_step, cycle_step) = (letters.step(divergence.stem), letters.step(divergence.cycle));
    let lasso = Lasso { stem: &stem_step, cycle: &cycle_step };
    let lost = || Reason::Incomplete("a violation could not be told".to_owned());
    let turns = divergence.execution.turns(terms, &lasso, TURNS).ok_or_else(lost)?;
    let mut teller = Teller { vocabulary, pending: HashMap::new() };
    let stem = teller.answers(&letters.way(divergence.stem), &divergence.execution.start.stem_inputs)?;
    let way = letters.way(divergence.cycle);
    let turns: Vec<Vec<Answer>> =
        turns.iter().map(|inputs| teller.answers(&way, inputs)).collect::<Result<_, Reason>>()?;
    Ok(rule(stem, &turns))
}

/// The shortest rule by which the turns go on: after some turns, the answers repeat after a period.
fn rule(stem: Vec<Answer>, turns: &[Vec<Answer>]) -> Counterexample {
    for period in 1..=turns.len() / 4 {
        for lead in 0..=turns.len() / 2 {
            let repeats = (lead..turns.len() - period).all(|turn| turns[turn] == turns[turn + period]);
            if repeats {
                let stem = stem.into_iter().chain(turns[..lead].iter().flatten().cloned()).collect();
                let cycle = turns[lead..lead + period].iter().flatten().cloned().collect();
                return Counterexample::Lasso(task::Lasso { stem, cycle });
            }
        }
    }
    let cycle = turns[0].clone();
    Counterexample::Lasso(task::Lasso { stem, cycle })
}

/// Tells answers in the order in which the interpreter asks.
struct Teller<'v, 'p> {
    vocabulary: &'v Vocabulary<'p>,
    /// Variables that hold arbitrary values which nobody has asked for yet.
    pending: HashMap<VariableId, Answer>,
}

impl Teller<'_, '_> {
    fn answers(&mut self, way: &[Taken], values: &Valuation) -> Result<Vec<Answer>, Reason> {
        let mut answers = Vec::new();
        for taken in way {
            if let Some(edge) = taken.edge {
                self.read_by(edge, &mut answers);
            }
            for asked in &taken.asked {
                let answer = answer(asked, values);
                match asked.uninitialised {
                    Some(variable) => {
                        self.pending.insert(variable, answer);
                    }
                    None => answers.push(answer),
                }
            }
            if let Some(edge) = taken.edge {
                self.written_by(edge);
                self.observed_after(edge, &mut answers);
            } else {
                self.read_at(self.vocabulary.prepared.start(), &mut answers);
            }
        }
        Ok(answers)
    }

    /// What an edge reads is asked for if it is not initialised.
    fn read_by(&mut self, edge: EdgeId, answers: &mut Vec<Answer>) {
        if self.pending.is_empty() {
            return;
        }
        let mut read: Vec<ExprId> = Vec::new();
        match &self.vocabulary.program().edges[edge].op {
            Op::Assume(condition) => read.push(*condition),
            Op::Assign { target, value } => {
                read.extend(target.operands());
                if let Operand::Scalar(value) = value {
                    read.push(*value);
                }
            }
            Op::Input { target, .. } => read.extend(target.operands()),
            Op::Call { arguments, .. } => read.extend(arguments.iter().filter_map(|argument| match argument {
                Operand::Scalar(value) => Some(*value),
                Operand::Aggregate(_) => None,
            })),
            Op::Return(Some(Operand::Scalar(value))) => read.push(*value),
            _ => {}
        }
        read.into_iter().for_each(|expr| self.read(expr, answers));
    }

    fn read(&mut self, expr: ExprId, answers: &mut Vec<Answer>) {
        let program = self.vocabulary.program();
        let mut variables = Vec::new();
        analysis::expressions::variables_read(program, expr, &mut |variable| variables.push(variable));
        for variable in variables {
            answers.extend(self.pending.remove(&variable));
        }
    }

    fn written_by(&mut self, edge: EdgeId) {
        let written = match &self.vocabulary.program().edges[edge].op {
            Op::Assign { target, .. } | Op::Input { target, .. } => target.as_variable(),
            Op::Call { result, .. } => *result,
            _ => None,
        };
        if let Some(variable) = written {
            self.pending.remove(&variable);
        }
    }

    fn observed_after(&mut self, edge: EdgeId, answers: &mut Vec<Answer>) {
        let edge = &self.vocabulary.program().edges[edge];
        if edge.observe != program::Observe::No {
            self.read_at(edge.to, answers);
        }
    }

    fn read_at(&mut self, location: program::LocationId, answers: &mut Vec<Answer>) {
        if self.pending.is_empty() {
            return;
        }
        let seen: Vec<ExprId> =
            self.vocabulary.prepared.atoms_at(location).iter().flatten().map(|atom| atom.value).collect();
        seen.into_iter().for_each(|expr| self.read(expr, answers));
    }
}

fn answer(asked: &Asked, values: &Valuation) -> Answer {
    Answer::Value(match (asked.scalar, values.get(&asked.symbol)) {
        (Scalar::Bool, Some(Number::Bool(value))) => Value::Bool(*value),
        (Scalar::Bool, _) => Value::Bool(false),
        (_, Some(Number::Int(value))) => Value::Int(value.clone()),
        _ => Value::int(0),
    })
}
