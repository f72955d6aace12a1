//! Every step of the interpreter is a step of a passage, on random programs; and formulas with a mistake are found out.

use std::ops::Range;

use foundation::collections::HashMap;
use kernel::encode::{Exit, Passage};
use logic::{Linear, Node, Sort, Term, Terms};
use program::DataModel;
use program::semantics::{Integers, Semantics};

use crate::chance::Random;
use crate::declared::declare;
use crate::follow::{Count, Fault, Following, follow};
use crate::generator::{Size, program};
use crate::worlds::prepared;

/// Compares programs of a size; the formulas may be made for other integers than those that the interpreter has.
fn compare(
    cases: Range<u64>,
    size: Size,
    (integers, formulas): (Integers, Integers),
    data_model: DataModel,
    fault: Fault<'_>,
) -> Result<Count, String> {
    let mut total = Count::default();
    for case in cases {
        let mut random = Random(case * 1_000 + size as u64);
        let (text, atoms) = program(&mut random, size);
        let semantics = Semantics { integers, ..Semantics::default() };
        let interpreted = prepared(&text, &atoms, semantics, data_model);
        let mut encoded = interpreted.clone();
        encoded.semantics.integers = formulas;
        for seed in 0..3 {
            let everything = seed == 0;
            let declared = declare(&interpreted, &mut random, everything);
            let is_exact = everything && size == Size::Scalars;
            let following = Following { interpreted: &interpreted, encoded: &encoded, declared: &declared, is_exact };
            let count = follow(&following, case * 7 + seed, 60, fault);
            total += count.map_err(|error| format!("case {case}, seed {seed}: {error}\n{text}"))?;
        }
    }
    Ok(total)
}

fn agrees(cases: Range<u64>, size: Size) {
    for integers in [Integers::Machine, Integers::Ideal] {
        for data_model in [DataModel::Lp64, DataModel::Ilp32] {
            let count = compare(cases.clone(), size, (integers, integers), data_model, &|_, passages| passages)
                .unwrap_or_else(|error| panic!("{integers} {data_model}: {error}"));
            assert!(count.steps > 300 && count.atoms > 400 && count.undefined > 0, "{count:?}");
            // What is not approximated has one outcome, mostly.
            assert!(2 * count.unique > count.steps && count.undecided == 0, "{count:?}");
        }
    }
}

#[test]
fn steps_over_scalars_agree() {
    agrees(0..5, Size::Scalars);
}

#[test]
fn steps_over_aggregates_agree() {
    agrees(0..5, Size::Aggregates);
}

#[test]
fn steps_through_pointers_agree() {
    agrees(0..5, Size::Pointers);
}

/// The guards and updates of passages with a change.
fn changed(terms: &Terms, mut passages: Vec<Passage>, change: &dyn Fn(Term) -> Term) -> Vec<Passage> {
    let whole = |term: Term| {
        let mut replaced = HashMap::default();
        for part in terms.subterms(&[term]) {
            let new = change(part);
            if new != part {
                replaced.insert(part, new);
            }
        }
        terms.replace(term, &replaced)
    };
    for Passage { step, .. } in &mut passages {
        step.guard = whole(step.guard);
        step.updates.values_mut().for_each(|update| *update = whole(*update));
    }
    passages
}

/// A mistake with its name.
type Named = (&'static str, Box<dyn Fn(&Terms, Vec<Passage>) -> Vec<Passage>>);

/// Mistakes that must be found out.
fn faults() -> Vec<Named> {
    vec![
        (
            "nothing is undefined",
            Box::new(|_, passages| passages.into_iter().filter(|passage| passage.exit != Exit::Undefined).collect()),
        ),
        (
            "the end is no end",
            Box::new(|_, mut passages| {
                for passage in passages.iter_mut().filter(|passage| passage.exit == Exit::Ends) {
                    passage.exit = Exit::Passes;
                }
                passages
            }),
        ),
        (
            "a write is lost",
            Box::new(|_, mut passages| {
                passages.iter_mut().for_each(|passage| _ = passage.step.updates.pop_last());
                passages
            }),
        ),
        (
            "the first write is lost",
            Box::new(|_, mut passages| {
                passages.iter_mut().for_each(|passage| _ = passage.step.updates.pop_first());
                passages
            }),
        ),
        (
            "inputs are small",
            Box::new(|terms, mut passages| {
                for Passage { step, .. } in &mut passages {
                    let numbers = step.asked.iter().filter(|&&symbol| terms.sort_of_symbol(symbol) == Sort::Int);
                    let small = numbers.map(|&symbol| terms.less(terms.variable(symbol), terms.integer(4)));
                    step.guard = terms.and(small.chain([step.guard]).collect::<Vec<_>>());
                }
                passages
            }),
        ),
        (
            "comparisons are off by one",
            Box::new(|terms, passages| {
                changed(terms, passages, &|term| match terms.node(term) {
                    Node::AtMostZero(linear) => terms.at_most_zero(&linear.add(&Linear::constant_of(1))),
                    _ => term,
                })
            }),
        ),
        (
            "branches are swapped",
            Box::new(|terms, passages| {
                changed(terms, passages, &|term| match terms.node(term) {
                    Node::Ite(condition, left, right) => terms.ite(condition, right, left),
                    _ => term,
                })
            }),
        ),
        (
            "quotients are off by one",
            Box::new(|terms, passages| {
                changed(terms, passages, &|term| match terms.node(term) {
                    Node::Div(..) => terms.add([term, terms.integer(1)]),
                    _ => term,
                })
            }),
        ),
        (
            "remainders are not taken",
            Box::new(|terms, passages| {
                changed(terms, passages, &|term| match terms.node(term) {
                    Node::Modulo(left, _) => left,
                    _ => term,
                })
            }),
        ),
    ]
}

#[test]
fn mistakes_are_found_out() {
    for (name, fault) in faults() {
        let found = [Size::Scalars, Size::Aggregates, Size::Pointers].into_iter().any(|size| {
            compare(0..40, size, (Integers::Machine, Integers::Machine), DataModel::Lp64, &*fault).is_err()
        });
        assert!(found, "{name}");
    }
    for pair in [(Integers::Machine, Integers::Ideal), (Integers::Ideal, Integers::Machine)] {
        let found = compare(0..40, Size::Scalars, pair, DataModel::Lp64, &|_, passages| passages);
        assert!(found.is_err(), "{pair:?}");
    }
}
