//! Only variables of which this is said are ever read before they are written.

use std::collections::BTreeSet;

use analysis::{Initialised, Liveness};
use program::semantics::ObserveMode;

use crate::driver::{Source, drive, seeded};
use crate::generator::Style;
use crate::subject::for_many;

fn check(style: Style, programs: u64) {
    let (mut asked, mut definite) = (0, 0);
    for_many(style, programs, 4, &mut |subject, integers, seeds| {
        let observed = subject.observed();
        let liveness = Liveness::new(&subject.program, &observed);
        let initialised = Initialised::new(&subject.program, &observed, &liveness);
        let read: BTreeSet<_> = initialised.reads().iter().map(|read| read.variable).collect();
        definite += subject.program.variables.ids().filter(|id| initialised.is_definite(*id)).count();
        for &seed in seeds {
            let (_, choices) = drive(subject, integers, ObserveMode::Statement, 150, &mut seeded(seed), &mut |_, _| {});
            for choice in choices {
                if let Source::Variable(variable) = choice.source {
                    asked += 1;
                    assert!(
                        !initialised.is_definite(variable) && read.contains(&variable),
                        "{:?} of a variable said to be initialised\n{}",
                        choice.question,
                        subject.text
                    );
                }
            }
        }
    });
    assert!(asked > 50 && definite > 100, "asked {asked}, definite {definite}");
}

#[test]
fn only_uncertain_variables_are_asked_for() {
    check(Style::Sequential, 30);
}

#[test]
fn also_with_threads() {
    check(Style::Threads, 15);
}
