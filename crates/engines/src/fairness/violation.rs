//! From an execution of a lasso to a counterexample: the answers to what the program asks.

use logic::Terms;
use program::semantics::{Answer, Value};
use task::counterexample::{ChangingAnswer, Growing};
use task::{Counterexample, Reason};

use super::answers::{Open, Teller, with_numbered_variables};
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
    let program = with_numbered_variables(vocabulary.program());
    let open = Open::default();
    let mut choices = &open;
    let mut teller = Teller::new(vocabulary.prepared, &program, &open, &mut choices);
    let stem = teller.answers(&letters.way(divergence.stem), &divergence.execution.start.stem_inputs)?;
    let way = letters.way(divergence.cycle);
    let turns: Vec<Vec<Answer>> =
        turns.iter().map(|inputs| teller.answers(&way, inputs)).collect::<Result<_, Reason>>()?;
    Ok(rule(stem, &turns))
}

/// The shortest rule by which the turns go on: after some turns, the answers repeat after a period; else, they change by
/// the same from turn to turn.
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
    for lead in 0..=turns.len() / 2 {
        if let Some(cycle) = steady_change(&turns[lead..]) {
            let stem = stem.into_iter().chain(turns[..lead].iter().flatten().cloned()).collect();
            return Counterexample::Growing(Growing { stem, cycle });
        }
    }
    let cycle = turns[0].clone();
    Counterexample::Lasso(task::Lasso { stem, cycle })
}

/// The answers of the first turn, with what is added to each from turn to turn, if that is the same in all turns.
fn steady_change(turns: &[Vec<Answer>]) -> Option<Vec<ChangingAnswer>> {
    let [first, second, ..] = turns else { return None };
    let changing = |(first, second): (&Answer, &Answer)| {
        let change = change(first, second)?;
        Some(ChangingAnswer { first: first.clone(), change })
    };
    let same_length = turns.iter().all(|turn| turn.len() == first.len());
    let cycle: Vec<ChangingAnswer> =
        first.iter().zip(second).map(changing).collect::<Option<_>>().filter(|_| same_length)?;
    let goes_on = |pair: &[Vec<Answer>]| {
        let changes = pair[0].iter().zip(&pair[1]).map(|(answer, next)| change(answer, next));
        changes.zip(&cycle).all(|(change, expected)| change.as_ref() == Some(&expected.change))
    };
    turns.windows(2).all(goes_on).then_some(cycle)
}

fn change(answer: &Answer, next: &Answer) -> Option<Value> {
    match (answer, next) {
        (Answer::Value(Value::Int(answer)), Answer::Value(Value::Int(next))) => Some(Value::Int(next - answer)),
        (answer, next) => (answer == next).then(|| Value::int(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turns(answers: impl Fn(i64) -> Vec<i64>) -> Vec<Vec<Answer>> {
        let turn = |turn: i64| answers(turn).into_iter().map(|value| Answer::Value(Value::int(value))).collect();
        (0..TURNS as i64).map(turn).collect()
    }

    #[test]
    fn the_rule_gives_the_answers_of_all_turns() {
        let told = |turns: &[Vec<Answer>]| -> Vec<Answer> {
            let total: usize = turns.iter().map(Vec::len).sum();
            let (stem, cycle) = match rule(Vec::new(), turns) {
                Counterexample::Lasso(task::Lasso { stem, cycle }) => {
                    let same = |first: Answer| ChangingAnswer { first, change: Value::int(0) };
                    (stem, cycle.into_iter().map(same).collect())
                }
                Counterexample::Growing(Growing { stem, cycle }) => (stem, cycle),
            };
            let later = |beyond: usize| {
                let (turn, ChangingAnswer { first, change }) = (beyond / cycle.len(), &cycle[beyond % cycle.len()]);
                match (first, change) {
                    (Answer::Value(Value::Int(first)), Value::Int(change)) => {
                        Answer::Value(Value::Int(first + change * turn))
                    }
                    (first, _) => first.clone(),
                }
            };
            let answer = |at: usize| stem.get(at).cloned().unwrap_or_else(|| later(at - stem.len()));
            (0..total).map(answer).collect()
        };
        let cases: [fn(i64) -> Vec<i64>; 5] = [
            |_| vec![3, 4],
            |turn| vec![turn % 3],
            |turn| vec![turn, 7, -2 * turn],
            |turn| vec![(turn - 5).max(0)],
            |turn| vec![(5 - turn).max(0), 1],
        ];
        for (case, answers) in cases.into_iter().enumerate() {
            let turns = turns(answers);
            assert_eq!(told(&turns), turns.concat(), "case {case}");
        }
    }
}
