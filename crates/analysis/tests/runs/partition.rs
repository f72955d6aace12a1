//! A run in which every input is replaced by its representative takes the same edges, shows the same letters and ends in
//! the same way.

use std::collections::BTreeMap;

use analysis::Domains;
use analysis::partition::FoundBy;
use num_bigint::BigInt;
use program::semantics::choices::{Answer, Question};
use program::semantics::{ObserveMode, RunEnd, Value};

use crate::driver::{Source, drive, seeded};
use crate::generator::Style;
use crate::subject::{Subject, for_many};

fn check(style: Style, programs: u64) {
    let mut replaced: BTreeMap<FoundBy, usize> = BTreeMap::new();
    let (mut changed, mut refused, mut cut) = (0, 0, 0);
    for_many(style, programs, 12, &mut |subject: &Subject, integers, seeds| {
        let domains = Domains::new(&subject.program, &subject.expressions(), integers);
        for (number, &seed) in seeds.iter().enumerate() {
            let observe = [ObserveMode::Statement, ObserveMode::Change][number % 2];
            let (trace, choices) = drive(subject, integers, observe, 150, &mut seeded(seed), &mut |_, _| {});
            let mut rest = choices.iter();
            let mut dropped = false;
            let mut stand_in = |source: Source, question: &Question| {
                // Where something else is asked for, the traces differ.
                let before = rest.next().filter(|before| (before.source, &before.question) == (source, question));
                let Some(before) = before else { return Answer::Exhausted };
                let domain = match source {
                    Source::Edge(edge) => domains.domain(edge),
                    Source::Variable(variable) => domains.domain_of_uninitialised(variable),
                    Source::Other => return before.answer.clone(),
                };
                let Ok(domain) = domain else {
                    refused += 1;
                    return before.answer.clone();
                };
                let value = match &before.answer {
                    Answer::Value(Value::Int(value)) => value.clone(),
                    Answer::Value(Value::Bool(value)) => BigInt::from(u8::from(*value)),
                    // Floating-point numbers are replaced only where nothing reads them.
                    _ => BigInt::ZERO,
                };
                let Some(representative) = domain.representative_of(&value) else {
                    dropped = true;
                    return Answer::Exhausted;
                };
                assert!(domain.representatives().contains(representative));
                assert_eq!(domain.representative_of(representative), Some(representative), "it stands for itself");
                *replaced.entry(domain.rule()).or_default() += 1;
                changed += usize::from(*representative != value);
                Answer::Value(Value::Int(representative.clone()))
            };
            let (same, _) = drive(subject, integers, observe, 150, &mut stand_in, &mut |_, _| {});
            if dropped {
                cut += 1;
                let ended = match trace.end {
                    Some(RunEnd::Blocked { .. }) => true,
                    Some(_) => false,
                    None => trace.edges.len() == 150,
                };
                // Where threads run, the assumption may never be reached.
                assert!(
                    ended || style == Style::Threads,
                    "{:?}: a dropped value is not cut\n{}",
                    trace.end,
                    subject.text
                );
                continue;
            }
            assert_eq!(same, trace, "{integers} integers, seed {seed}\n{}", subject.text);
        }
    });
    assert!(changed > 100 && refused > 100 && cut > 20, "changed {changed}, refused {refused}, cut {cut}");
    for (rule, least) in
        [(FoundBy::Unread, 50), (FoundBy::Compared, 50), (FoundBy::SmallType, 50), (FoundBy::Constrained, 1)]
    {
        assert!(replaced.get(&rule).is_some_and(|count| *count >= least), "{replaced:?}");
    }
}

#[test]
fn representatives_stand_for_all_values() {
    check(Style::Sequential, 40);
}

#[test]
fn also_with_threads() {
    check(Style::Threads, 20);
}
