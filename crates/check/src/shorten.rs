//! The shortest execution that tells the same as one that was replayed.

use std::borrow::Cow;

use certify::{Closing, Replayed};
use program::Program;
use program::semantics::{Change, Observation, RunEnd};
use subject::execute::shortest_lasso;

/// The shortest stem and loop that tell the same execution, inputs included.
pub(crate) fn shorten(replayed: &mut Replayed, program: &Program) {
    let Replayed { run, values, inputs, closing, .. } = replayed;
    if let Closing::Growing { .. } | Closing::Recurrent { .. } = closing {
        // What is said of a turn is said of this one.
        return;
    }
    let RunEnd::Lasso { start } = &mut run.end else {
        shorten_inputs(inputs);
        return;
    };
    let observations = comparable(&run.observations, closing, program);
    let asked = |at: usize| {
        let first = inputs.partition_point(|input| input.observed < at);
        inputs[first..].iter().take_while(move |input| input.observed == at).map(|input| &input.value)
    };
    let same = |at: usize, other: usize| {
        observations[at] == observations[other] && values[at] == values[other] && asked(at).eq(asked(other))
    };
    let (begin, end) = shortest_lasso(*start, observations.len(), same);
    drop(observations);
    *start = begin;
    run.observations.truncate(end);
    values.truncate(end);
    inputs.retain(|input| input.observed < end);
    for input in inputs {
        input.repeated = input.observed >= begin;
    }
}

/// The observations without the changes of variables on which nothing depends: those do not keep two rounds apart.
fn comparable<'r>(observations: &'r [Observation], closing: &Closing, program: &Program) -> Cow<'r, [Observation]> {
    let Closing::Without(variables) = closing else { return Cow::Borrowed(observations) };
    let names: Vec<&str> = variables.iter().map(|&variable| program.told_variable(variable)).collect();
    let is_part = |change: &Change| {
        let rests = names.iter().filter_map(|name| change.name.strip_prefix(name));
        rests.into_iter().any(|rest| rest.is_empty() || rest.starts_with(['[', '.', '+']))
    };
    let without = |observation: &Observation| {
        let mut observation = Observation { overflow: false, ..observation.clone() };
        observation.changes.retain(|change| !is_part(change));
        observation
    };
    observations.iter().map(without).collect()
}

/// The same for the inputs of a loop in which nothing is observed.
fn shorten_inputs(inputs: &mut Vec<certify::ReplayedInput>) {
    let start = inputs.partition_point(|input| !input.repeated);
    if start == inputs.len() {
        return;
    }
    let last = inputs[start].observed;
    let same = |at: usize, other: usize| {
        let (input, other) = (&inputs[at], &inputs[other]);
        input.observed == last && (&input.name, &input.value) == (&other.name, &other.value)
    };
    let (begin, end) = shortest_lasso(start, inputs.len(), same);
    inputs.truncate(end);
    inputs[begin..].iter_mut().for_each(|input| input.repeated = true);
}
