//! Data races of a program whose threads were checked: C leaves them undefined, while a verdict speaks of accesses that
//! come one after the other, in every order. So whoever is told a verdict is told of races as well.
//!
//! Two ways are gone. Some executions are looked at for accesses that nothing orders, which is certain where one is
//! found. And the text of the program is looked at for pairs of which it cannot be excluded (`analysis::races`).

use std::collections::BTreeSet;

use analysis::races::{RacingPair, possible_races};
use foundation::{Budget, Diagnostic, Diagnostics};
use program::semantics::{RunLimits, SeededChoices, Warning};
use subject::Subject;
use subject::execute::interpret;

/// How many executions are looked at.
const EXECUTIONS: u64 = 24;

/// How far each of them goes.
const LIMITS: RunLimits = RunLimits { observations: 300, edges: 3_000 };

/// How many pairs of accesses are told.
const MOST_TOLD_PAIRS: usize = 4;

/// What is assumed wherever there may be a race.
pub(crate) const ASSUMED: &str =
    "accesses of several threads that race come one after the other, in some order, though C leaves that undefined";

/// Tells of data races; whether there may be one. The diagnostics may hold some that were found already.
pub(crate) fn tell(subject: &Subject, diagnostics: &mut Diagnostics) -> bool {
    let program = &subject.program;
    if !program.has_threads() {
        return false;
    }
    if diagnostics.iter().any(|known| known.code == "data-race") {
        return true;
    }
    let mut found = BTreeSet::new();
    for seed in 0..EXECUTIONS {
        let run = interpret(subject, &mut SeededChoices::new(seed), LIMITS, &Budget::unlimited());
        found.extend(run.warnings.into_iter().filter(|warning| matches!(warning, Warning::Race(_))));
        if found.len() >= MOST_TOLD_PAIRS {
            break;
        }
    }
    if !found.is_empty() {
        // One pair of accesses may come in both orders.
        let mut told = BTreeSet::new();
        let is_new = |warning: &&Warning| match warning {
            Warning::Race(race) => told.insert((race.first.min(race.second), race.first.max(race.second))),
            Warning::Overflow(_) => false,
        };
        for warning in found.iter().filter(is_new).take(MOST_TOLD_PAIRS) {
            report::trace::diagnose_warning(warning, diagnostics);
        }
        return true;
    }
    let possible = possible_races(program);
    // One pair is enough to show what should be looked at.
    let mut told = BTreeSet::new();
    let first_of_each = possible.iter().filter(|pair| told.insert(&pair.what));
    for RacingPair { what, first, second } in first_of_each.take(MOST_TOLD_PAIRS) {
        let text = format!("two threads may access {what} in no fixed order: a data race cannot be excluded");
        let diagnostic = Diagnostic::warning("possible-data-race", text).at(*first);
        let diagnostic = if first == second { diagnostic } else { diagnostic.also(*second, "and this one") };
        diagnostics.push(diagnostic.help("protect both by the same mutex, if they can come at the same time"));
    }
    !possible.is_empty()
}
