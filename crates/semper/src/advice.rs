//! One thing to try where no engine has decided a property.
//!
//! Advice follows from what each engine gave up for. It promises nothing, and it never suggests to ask another question
//! without saying so.

use foundation::{Exhausted, SourceMap};
use program::semantics::{Integers, ObserveMode};
use task::Reason;

use check::{EngineChoice, Settings};
use subject::Subject;

/// What to try after all these engines have given up, each for its reason.
pub(crate) fn advice(
    subject: &Subject,
    given_up: &[(&str, &Reason)],
    settings: &Settings,
    sources: &SourceMap,
) -> Option<String> {
    let reason_of = |engine: &str| given_up.iter().find(|(name, _)| *name == engine).map(|(_, reason)| *reason);
    let any = |is: &dyn Fn(&Reason) -> bool| given_up.iter().any(|(_, reason)| is(reason));
    let is_untried = |engine: &str| settings.engine != EngineChoice::Auto && reason_of(engine).is_none();
    let unbounded = given_up.iter().find_map(|(_, reason)| reason.unbounded_input());
    if any(&|reason| matches!(reason, Reason::Exhausted(Exhausted::Cancelled))) {
        return None;
    }
    if any(&|reason| matches!(reason, Reason::EvidenceRejected(_))) {
        let other = ["explicit", "fairness"].into_iter().find(|engine| is_untried(engine))?;
        return Some(format!("`--engine {other}`, which does not rest on the evidence that was rejected"));
    }
    if let Some(span) = unbounded {
        let place = span.map(|span| sources.snippet(span).location);
        let place = place.map(|place| format!(" that is used at {}:{}", place.file, place.line)).unwrap_or_default();
        let other = if is_untried("fairness") { ", or `--engine fairness`" } else { "" };
        return Some(format!(
            "bounds on the input{place}, such as `__VERIFIER_assume(x<100)`, if the program is used with such \
             values only{other}"
        ));
    }
    if let Some(engine) = ["explicit", "fairness"].into_iter().find(|engine| is_untried(engine)) {
        let is_refused = any(&|reason| !matches!(reason, Reason::Exhausted(_)));
        return is_refused
            .then(|| format!("`--engine {engine}`, or `--engine auto` for all of them"))
            .or_else(|| limit(subject, given_up));
    }
    let is_incomplete = matches!(reason_of("fairness"), Some(Reason::Incomplete(_)));
    if is_incomplete && subject.semantics.integers == Integers::Machine {
        return Some(
            "`--integers ideal`, if the program relies on no wrap-around: the verdict is then one on unbounded integers"
                .to_owned(),
        );
    }
    limit(subject, given_up)
}

/// A larger limit, where one was reached.
fn limit(subject: &Subject, given_up: &[(&str, &Reason)]) -> Option<String> {
    let reached = |limit: Exhausted| given_up.iter().any(|(_, reason)| **reason == Reason::Exhausted(limit));
    let larger = if reached(Exhausted::Memory) {
        "a larger `--memory`"
    } else if reached(Exhausted::Time) {
        "a longer `--timeout`"
    } else {
        return None;
    };
    // Fewer states are observed then, and fewer have to be told apart.
    let steps = match subject.semantics.observe {
        ObserveMode::Step => "",
        _ => ", or `__VERIFIER_ltl_step()` once per iteration of the main loop, if the property speaks of iterations",
    };
    Some(format!("{larger}{steps}"))
}
