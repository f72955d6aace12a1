//! From an execution of a lasso to a counterexample: the answers to what the program asks.

use logic::Terms;
use program::semantics::Answer;
use task::{Counterexample, Reason};

use super::answers::{Open, Teller};
use super::lasso::Lasso;
use super::letter::Letters;
use super::refine::Divergence;
use crate::encode::Vocabulary;

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
    let open = Open::default();
    let mut choices = &open;
    let mut teller = Teller::new(vocabulary.prepared, &open, &mut choices);
    let stem = teller.answers(&letters.way(divergence.stem), &divergence.execution.start.stem_inputs)?;
    let way = letters.way(divergence.cycle);
    let turns: Vec<Vec<Answer>> =
        turns.iter().map(|inputs| teller.answers(&way, inputs)).collect::<Result<_, Reason>>()?;
    Ok(rule(stem, &turns))
}

/// The shortest rule by which the turns go on: after some turns, the answers repeat after a period. Where none is seen,
/// the first turn stands for all; whether that is a violation is for the check of the evidence to say.
fn rule(stem: Vec<Answer>, turns: &[Vec<Answer>]) -> Counterexample {
    let repeats =
        |lead: usize, period: usize| (lead..turns.len() - period).all(|turn| turns[turn] == turns[turn + period]);
    let candidates = (1..=turns.len() / 4).flat_map(|period| (0..=turns.len() / 2).map(move |lead| (lead, period)));
    let (lead, period) = candidates.into_iter().find(|&(lead, period)| repeats(lead, period)).unwrap_or((0, 1));
    let stem = stem.into_iter().chain(turns[..lead].iter().flatten().cloned()).collect();
    let cycle = turns[lead..lead + period].iter().flatten().cloned().collect();
    Counterexample::Lasso(task::Lasso { stem, cycle })
}

#[cfg(test)]
mod tests {
    use program::semantics::Value;

    use super::*;

    #[test]
    fn the_rule_gives_the_answers_of_all_turns() {
        let cases: [fn(i64) -> Vec<i64>; 4] =
            [|_| vec![3, 4], |turn| vec![turn % 3], |turn| vec![(turn - 5).min(0)], |turn| vec![(5 - turn).max(0), 1]];
        for (case, answers) in cases.into_iter().enumerate() {
            let turn = |turn: i64| answers(turn).into_iter().map(|value| Answer::Value(Value::int(value))).collect();
            let turns: Vec<Vec<Answer>> = (0..TURNS as i64).map(turn).collect();
            let Counterexample::Lasso(task::Lasso { stem, cycle }) = rule(Vec::new(), &turns);
            let given = turns.concat();
            let told: Vec<Answer> = stem.into_iter().chain(cycle.into_iter().cycle()).take(given.len()).collect();
            assert_eq!(told, given, "case {case}");
        }
    }
}
