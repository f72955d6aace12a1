//! Shorter violations: what chance has found is long, and full of numbers that mean nothing.
//!
//! First executions are tried in the order of their length, with few values for each question, those of the violation
//! among them: what is found so is as short as any with these values. Where they are too many, parts of the violation's
//! answers are left out, large ones first, and what remains is replaced by small numbers, as long as it stays a
//! violation that is no longer than before (Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input",
//! IEEE TSE 2002).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use foundation::Exhausted;
use foundation::collections::HashSet;
use num_bigint::{BigInt, BigUint};
use num_traits::Signed;
use program::semantics::{Answer, Value};

use super::answers::{Habit, Manner, candidates};
use super::execution::{ExecutionEnd, SamplingReach};
use super::{Sampler, Violation};

/// So many edges are taken in the search for short executions, as many again to leave out parts, and to replace values.
const MOST_EDGES: u64 = 100_000;

/// Of the values of a violation, so many are tried for other questions.
const MOST_SEEN_VALUES: usize = 6;

/// The answers of longer violations are not replaced one by one.
const MOST_REPLACED_ANSWERS: usize = 400;

/// Numbers up to this are replaced by the next one.
const NEAR: u32 = 64;

/// A violation that is no longer than the given one, and mostly much shorter.
pub(super) fn shortened(sampler: &mut Sampler<'_>, violation: Violation) -> Result<Violation, Exhausted> {
    sampler.allow(MOST_EDGES);
    let shorter = match searched(sampler, &violation)? {
        Some(shortest) => shortest,
        None => {
            sampler.allow(MOST_EDGES);
            with_fewer_answers(sampler, violation)?
        }
    };
    sampler.allow(MOST_EDGES);
    with_smaller_answers(sampler, shorter)
}

/// What is found by trying executions in the order of their length; none where they are too many.
fn searched(sampler: &mut Sampler<'_>, violation: &Violation) -> Result<Option<Violation>, Exhausted> {
    let mut seen_values: Vec<Answer> = Vec::new();
    for answer in &violation.manner.script {
        if seen_values.len() < MOST_SEEN_VALUES && !seen_values.contains(answer) {
            seen_values.push(answer.clone());
        }
    }
    let habits: Vec<Habit> = violation.manner.habit.map_or_else(Vec::new, |habit| {
        let mut habits = vec![Habit::Zero, Habit::One, habit];
        habits.dedup();
        habits
    });
    let mut best: Option<Violation> = None;
    let mut visited: HashSet<u64> = HashSet::default();
    // By length, and among equally long ones in the order in which they were found.
    let mut open: BinaryHeap<Reverse<(usize, usize)>> = BinaryHeap::from([Reverse((0, 0))]);
    let mut scripts: Vec<Vec<Answer>> = vec![Vec::new()];
    while let Some(Reverse((length, index))) = open.pop() {
        let most = best.as_ref().map_or(violation.length, |best| best.length);
        if length >= most {
            break;
        }
        let reach = SamplingReach { observations: most, edges: sampler.edges_left(), until_lost: sampler.never_cut };
        let manner = Manner { script: std::mem::take(&mut scripts[index]), ..Manner::default() };
        for &habit in &habits {
            let manner = Manner { habit: Some(habit), ..manner.clone() };
            let execution = sampler.execute(&manner, reach)?;
            if let Some(found) = sampler.judge(&manner, execution, reach)?.filter(|found| found.length < most) {
                best = Some(found);
                break;
            }
        }
        let execution = sampler.execute(&manner, reach)?;
        if sampler.edges_left() == 0 {
            return Ok(best);
        }
        let ExecutionEnd::Asks(question, place) = &execution.end else {
            let found = sampler.judge(&manner, execution, reach)?;
            // Of equally long ones the first counts: small values are tried first.
            if let Some(found) = found.filter(|found| found.length < most || best.is_none() && found.length == most) {
                best = Some(found);
            }
            continue;
        };
        if !visited.insert(*place) {
            continue;
        }
        for answer in candidates(question, &seen_values) {
            let mut script = manner.script.clone();
            script.push(answer);
            open.push(Reverse((execution.word.len(), scripts.len())));
            scripts.push(script);
        }
    }
    Ok(best)
}

/// Leaves out answers.
fn with_fewer_answers(sampler: &mut Sampler<'_>, mut best: Violation) -> Result<Violation, Exhausted> {
    let mut size = best.manner.script.len().div_ceil(2);
    while size > 0 {
        let mut at = 0;
        while at < best.manner.script.len() && sampler.edges_left() > 0 {
            let mut script = best.manner.script.clone();
            script.drain(at..(at + size).min(script.len()));
            match tried(sampler, &best, script)?.filter(|found| found.is_better_than(&best)) {
                Some(found) => best = found,
                None => at += size,
            }
        }
        size /= 2;
    }
    Ok(best)
}

/// Replaces answers by small ones.
fn with_smaller_answers(sampler: &mut Sampler<'_>, mut best: Violation) -> Result<Violation, Exhausted> {
    if best.manner.script.len() > MOST_REPLACED_ANSWERS {
        return Ok(best);
    }
    for at in 0.. {
        let Some(mut answer) = best.manner.script.get(at).cloned() else { break };
        let mut candidates = smaller_than(&answer).into_iter();
        while let Some(smaller) = candidates.next() {
            if sampler.edges_left() == 0 {
                return Ok(best);
            }
            let mut script = best.manner.script.clone();
            // What was found last may do with fewer answers.
            let Some(replaced) = script.get_mut(at) else { break };
            *replaced = smaller.clone();
            if let Some(found) = tried(sampler, &best, script)?.filter(|found| found.length <= best.length) {
                best = found;
                answer = smaller;
                candidates = smaller_than(&answer).into_iter();
            }
        }
    }
    Ok(best)
}

/// Numbers that are nearer to zero: a few small ones, half of it, and the next one.
fn smaller_than(answer: &Answer) -> Vec<Answer> {
    let values = match answer {
        Answer::Value(Value::Int(number)) => {
            let next = if number.is_negative() { number + 1 } else { number - 1 };
            // Of large numbers the ends of ranges are easier to understand than any other.
            let next = (*number.magnitude() <= BigUint::from(NEAR)).then_some(next);
            let all = [0, 1, 2, 3].map(BigInt::from).into_iter().chain([number / 2]).chain(next);
            all.filter(|smaller| smaller.magnitude() < number.magnitude()).map(Value::Int).collect()
        }
        Answer::Value(Value::Bool(true)) => vec![Value::Bool(false)],
        Answer::Value(Value::Float(bits)) if *bits != 0 => vec![Value::float(0.0), Value::float(1.0)],
        Answer::Index(index) if *index > 0 => return vec![Answer::Index(0)],
        _ => Vec::new(),
    };
    values.into_iter().map(Answer::Value).collect()
}

/// The violation that these answers lead to, which must not be longer than the given one.
fn tried(sampler: &mut Sampler<'_>, best: &Violation, script: Vec<Answer>) -> Result<Option<Violation>, Exhausted> {
    let manner = Manner { script, chance: None, habit: best.manner.habit.or(Some(Habit::Zero)) };
    let observations = best.length.saturating_add(1);
    let reach = SamplingReach { observations, edges: sampler.edges_left(), until_lost: sampler.never_cut };
    let execution = sampler.execute(&manner, reach)?;
    sampler.judge(&manner, execution, reach)
}
