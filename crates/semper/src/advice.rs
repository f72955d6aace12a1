//! One thing to try where no engine has decided a property.
//!
//! Advice follows from what each engine gave up for. It promises nothing, and it never suggests to ask another question
//! without saying so.

use check::Settings;
use foundation::{Exhausted, SourceMap, Span};
use program::semantics::{Integers, ObserveMode};
use subject::Subject;
use task::registry::Decides;
use task::{Obstacle, Reason};

/// What to try after all these engines have given up, each for its reason.
pub(crate) fn advice(
    subject: &Subject,
    given_up: &[(&str, &Reason)],
    settings: &Settings,
    sources: &SourceMap,
) -> Option<String> {
    let any = |is: &dyn Fn(&Reason) -> bool| given_up.iter().any(|(_, reason)| is(reason));
    let place_of = |obstacle| given_up.iter().find_map(|(_, reason)| reason.place_of(obstacle));
    let at = |span: Option<Span>| span.map(|span| sources.snippet(span).location);
    let untried = untried(given_up, settings);
    if any(&|reason| matches!(reason, Reason::Exhausted(Exhausted::Cancelled))) {
        return None;
    }
    if any(&|reason| matches!(reason, Reason::EvidenceRejected(_))) {
        let other = untried.first()?;
        return Some(format!("`--engine {other}`, which does not rest on the evidence that was rejected"));
    }
    if let Some(span) = place_of(Obstacle::UnboundedInput) {
        let place = at(span).map(|place| format!(" that is used at {}:{}", place.file, place.line)).unwrap_or_default();
        let bounds = format!(
            "bounds on the input{place}, such as `__VERIFIER_assume(x<100)`, if the program is used with such values only"
        );
        let mut others: Vec<String> = untried.iter().map(|engine| format!("`--engine {engine}`")).collect();
        if let Some(span) = place_of(Obstacle::Recursion) {
            let place = at(span).map(|place| format!(" at {}:{}", place.file, place.line)).unwrap_or_default();
            others.push(format!("a loop instead of the recursion{place}"));
        }
        return Some([vec![bounds], others].concat().join(", or "));
    }
    if let Some(engine) = untried.first() {
        let is_refused = any(&|reason| !matches!(reason, Reason::Exhausted(_)));
        return is_refused
            .then(|| format!("`--engine {engine}`, or `--engine auto` for all of them"))
            .or_else(|| limit(subject, given_up));
    }
    let is_incomplete = given_up.iter().any(|(engine, reason)| {
        let decides_both = settings.engines.find(engine).is_some_and(|entry| entry.decides == Decides::Both);
        decides_both && matches!(reason, Reason::Incomplete(_))
    });
    if is_incomplete && subject.semantics.integers == Integers::Machine {
        return Some(
            "`--integers ideal`, if the program relies on no wrap-around: the verdict is then one on unbounded integers"
                .to_owned(),
        );
    }
    limit(subject, given_up)
}

/// The engines that could decide both ways and were not asked, because one was asked alone.
fn untried(given_up: &[(&str, &Reason)], settings: &Settings) -> Vec<&'static str> {
    let is_alone = given_up.iter().any(|(engine, _)| *engine == settings.engine.name);
    let entries = settings.engines.with_turns().into_iter().filter(|entry| is_alone && entry.decides == Decides::Both);
    let is_tried = |name: &str| given_up.iter().any(|(engine, _)| *engine == name);
    entries.map(|entry| entry.name).filter(|name| !is_tried(name)).collect()
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
