//! From an execution of a lasso to a counterexample: the answers to what the program asks.

use logic::Terms;
use program::semantics::Answer;
use task::{Counterexample, Reason};

use super::answers::{AnswerTeller, OpenQuestions};
use super::certificate::names::SymbolNames;
use super::lasso::Lasso;
use super::letter::Letters;
use super::recurrence::recurrent_set;
use super::refine::Divergence;
use crate::encode::Vocabulary;

/// The counterexample of an execution.
pub(super) fn counterexample(
    terms: &Terms,
    vocabulary: &Vocabulary<'_>,
    letters: &Letters,
    divergence: &Divergence,
    names: Result<SymbolNames<'_, '_>, String>,
) -> Result<Counterexample, Reason> {
    let (stem_step, cycle_step) = (letters.step(divergence.stem), letters.step(divergence.cycle));
    let lasso = Lasso { stem: &stem_step, cycle: &cycle_step };
    let lost = || Reason::Incomplete("a violation could not be told".to_owned());
    let execution = &divergence.execution;
    let iterations =
        execution.iterations(terms, &lasso, execution.start.lead.len() + execution.period()).ok_or_else(lost)?;
    let open = OpenQuestions::default();
    let mut choices = &open;
    let mut teller = AnswerTeller::new(vocabulary.prepared, &open, &mut choices);
    let mut stem = teller.answers(&letters.path(divergence.stem), &execution.start.stem_inputs)?;
    let path = letters.path(divergence.cycle);
    let iterations: Vec<Vec<Answer>> =
        iterations.iter().map(|inputs| teller.answers(&path, inputs)).collect::<Result<_, Reason>>()?;
    let (lead, repeated) = iterations.split_at(execution.start.lead.len());
    stem.extend(lead.iter().flatten().cloned());
    let answers = task::Lasso { stem, cycle: repeated.concat() };
    let set = names.and_then(|names| recurrent_set(terms, names, vocabulary, letters, divergence));
    Ok(match set {
        Ok(set) => Counterexample::Recurrent { answers, set: Box::new(set) },
        Err(_) => Counterexample::Lasso(answers),
    })
}
