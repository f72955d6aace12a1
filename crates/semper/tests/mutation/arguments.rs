//! Every way in which an argument of arithmetic can be corrupted in one place.

use semper::task::certificate::refutation::Refutation;
use semper::task::certificate::sexp::Sexp;
use semper::task::certificate::steps::Argument;

use crate::conditions::changed_condition;
use crate::mutants::Changes;

/// The way from a step's argument to a part of it, case by case.
type Path = (usize, Vec<usize>);

pub fn of_steps(changes: &mut Changes<'_>) {
    let original = changes.original;
    let steps = || 0..original.steps.len();
    let parts: Vec<Path> = steps().flat_map(|step| parts(&original.steps[step].argument, step)).collect();
    let (sums, choices): (Vec<Path>, Vec<Path>) =
        parts.into_iter().partition(|path| matches!(looked_up(original, path), Argument::Sum(_)));
    changes.each("a larger multiplier", sums.clone(), |copy, path| {
        on_sum(copy, path, |multipliers| multipliers.iter_mut().take(1).for_each(|(_, multiplier)| *multiplier += 1));
    });
    changes.each("a multiplier of the other sign", sums.clone(), |copy, path| {
        on_sum(copy, path, |multipliers| {
            multipliers.iter_mut().take(1).for_each(|(_, multiplier)| *multiplier = -multiplier.clone());
        });
    });
    changes.each("a summand of another fact", sums.clone(), |copy, path| {
        on_sum(copy, path, |multipliers| multipliers.iter_mut().take(1).for_each(|(fact, _)| *fact += 1));
    });
    changes.each("a summand dropped", sums.clone(), |copy, path| {
        on_sum(copy, path, |multipliers| {
            multipliers.pop();
        });
    });
    changes.fatal("a sum of nothing", sums, |copy, path| on_sum(copy, path, Vec::clear));
    changes.fatal("a case dropped", choices.clone(), |copy, path| {
        on_cases(copy, path, |_, arguments| {
            arguments.pop();
        });
    });
    changes.fatal("a case too many", choices.clone(), |copy, path| {
        on_cases(copy, path, |_, arguments| arguments.push(Argument::Sum(Vec::new())));
    });
    changes.each("cases in another order", choices.clone(), |copy, path| {
        on_cases(copy, path, |_, arguments| arguments.rotate_left(1));
    });
    changes.each("cases of another fact", choices, |copy, path| on_cases(copy, path, |fact, _| *fact += 1));
    changes.each("a step dropped", steps(), |copy, &step| {
        copy.steps.remove(step);
    });
    let conditions = steps().flat_map(|step| {
        changed_condition(&original.steps[step].condition).into_iter().map(move |changed| (step, changed))
    });
    changes.each("another condition of a step", conditions, |copy, (step, changed)| {
        copy.steps[*step].condition = changed.clone();
    });
    changes
        .fatal("a step for what is possible", steps(), |copy, &step| copy.steps[step].condition = Sexp::word("true"));
    let definitions = (0..original.definitions.len()).flat_map(|index| {
        changed_condition(&original.definitions[index]).into_iter().map(move |changed| (index, changed))
    });
    changes.each("another definition", definitions, |copy, (index, changed)| {
        copy.definitions[*index] = changed.clone();
    });
    changes.each("a definition dropped", 0..original.definitions.len(), |copy, &index| {
        copy.definitions.remove(index);
    });
    changes.each("an argument for another condition", steps().skip(1), |copy, &step| {
        let other = copy.steps[step - 1].argument.clone();
        copy.steps[step].argument = other;
    });
}

/// The ways to all parts of an argument.
fn parts(argument: &Argument, step: usize) -> Vec<Path> {
    let mut found = vec![(step, Vec::new())];
    if let Argument::Cases(_, arguments) = argument {
        for (case, argument) in arguments.iter().enumerate() {
            found.extend(parts(argument, step).into_iter().map(|(step, mut path)| {
                path.insert(0, case);
                (step, path)
            }));
        }
    }
    found
}

fn looked_up<'r>(refutation: &'r Refutation, (step, path): &Path) -> &'r Argument {
    path.iter().fold(&refutation.steps[*step].argument, |argument, &case| match argument {
        Argument::Cases(_, arguments) => &arguments[case],
        Argument::Sum(_) => unreachable!("the way was found"),
    })
}

fn looked_up_mut<'r>(refutation: &'r mut Refutation, (step, path): &Path) -> &'r mut Argument {
    path.iter().fold(&mut refutation.steps[*step].argument, |argument, &case| match argument {
        Argument::Cases(_, arguments) => &mut arguments[case],
        Argument::Sum(_) => unreachable!("the way was found"),
    })
}

fn on_sum(refutation: &mut Refutation, path: &Path, change: impl Fn(&mut Vec<(u32, num_bigint::BigInt)>)) {
    if let Argument::Sum(multipliers) = looked_up_mut(refutation, path) {
        change(multipliers);
    }
}

fn on_cases(refutation: &mut Refutation, path: &Path, change: impl Fn(&mut u32, &mut Vec<Argument>)) {
    if let Argument::Cases(fact, arguments) = looked_up_mut(refutation, path) {
        change(fact, arguments);
    }
}
