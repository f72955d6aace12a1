//! Sets of invariants: does each of them hold wherever control is at its place, and does the property hold?
//!
//! An invariant is evaluated at its place, and a variable remembers the first one that was false (or whose evaluation was
//! undefined): that it never is, is a safety property of the new program. For a transition invariant, some visit of
//! the place is chosen by an input, the values of then are kept, and the invariant is evaluated at every later visit.
//!
//! The property is then decided in the program in which the invariants are assumed. They hold, so nothing is cut off.

use std::collections::BTreeMap;

use certify::Replayed;
use check::{CheckedVerdict, Settings, check};
use evidence::replay::replay;
use foundation::Budget;
use program::semantics::Integers;
use task::Counterexample;
use witness::{Invariant, InvariantType, SourcePlace};

use crate::patched::{Original, Patch, asked, check_expression, load_patched};
use crate::places::{PlaceForm, Site};
use crate::transition::{TransitionInvariant, is_well_founded};
use crate::{Finding, Validation};

/// The number of the first invariant that was false.
const GHOSTS: [&str; 2] = ["int semper_bad", "int semper_choice(void)"];

/// What the claim of an invariant is in the new program.
enum Claim<'w> {
    /// It holds at every visit.
    State(&'w str),
    /// It holds between any two visits.
    Transition(TransitionInvariant),
}

/// Checks every invariant, and the property.
pub(crate) fn validate(
    original: Original<'_>,
    invariants: &[&Invariant],
    settings: &Settings,
    budget: &Budget,
) -> Validation {
    if original.subject.program.has_threads() {
        // Another thread could look on while an invariant is evaluated.
        return Validation::unknown("the program has threads".to_owned());
    }
    let mut claims: BTreeMap<Site, Vec<(usize, Claim<'_>)>> = BTreeMap::new();
    for (index, invariant) in invariants.iter().enumerate() {
        match placed(original, invariant) {
            Ok((site, claim)) => claims.entry(site).or_default().push((index + 1, claim)),
            Err(why) => return Validation::unknown(format!("{}: {why}", name(invariant))),
        }
    }
    let checked = checked_by(original, &claims, settings, budget);
    match checked {
        Judged::Hold => {}
        Judged::Fails(number) => {
            let failing = invariants.get(number.wrapping_sub(1)).map_or("an invariant".to_owned(), |it| name(it));
            return Validation::new(Finding::Rejected, format!("{failing} does not hold"), None);
        }
        Judged::Unknown(why) => return Validation::unknown(why),
    }
    let mut validation = decide(original, &claims, settings, budget);
    let ideal = original.subject.semantics.integers == Integers::Ideal;
    for (index, claim) in claims.values().flatten() {
        if let Claim::Transition(transition) = claim
            && !is_well_founded(&transition.text, ideal)
        {
            let which = name(invariants[index - 1]);
            validation.notes.push(format!("{which} is not seen to be well-founded"));
        }
    }
    validation
}

/// Those of some invariants that are seen to hold.
pub(crate) fn that_hold(
    original: Original<'_>,
    mut candidates: Vec<Invariant>,
    settings: &Settings,
    budget: &Budget,
) -> Vec<Invariant> {
    if original.subject.program.has_threads() {
        return Vec::new();
    }
    candidates.retain(|candidate| is_readable(original, candidate, budget));
    loop {
        match checked_all(original, &candidates, settings, budget) {
            Judged::Hold => return candidates,
            Judged::Fails(number) if (1..=candidates.len()).contains(&number) => {
                candidates.remove(number - 1);
            }
            // Together they are too much to be decided: those that speak of two states go first.
            Judged::Fails(_) | Judged::Unknown(_) => {
                let (transitions, states): (Vec<_>, Vec<_>) =
                    candidates.into_iter().partition(|candidate| candidate.invariant_type.is_transition());
                if transitions.is_empty() {
                    return one_by_one(original, states, settings, budget);
                }
                let mut kept = that_hold(original, states, settings, budget);
                kept.extend(one_by_one(original, transitions, settings, budget));
                return kept;
            }
        }
    }
}

fn one_by_one(original: Original<'_>, all: Vec<Invariant>, settings: &Settings, budget: &Budget) -> Vec<Invariant> {
    let holds = |candidate: &Invariant| {
        let alone = std::slice::from_ref(candidate);
        budget.check().is_ok() && matches!(checked_all(original, alone, settings, budget), Judged::Hold)
    };
    all.into_iter().filter(holds).collect()
}

/// Whether an invariant means something at its place.
fn is_readable(original: Original<'_>, invariant: &Invariant, budget: &Budget) -> bool {
    let Ok((site, claim)) = placed(original, invariant) else { return false };
    let patches = [evaluation(&site, &[(1, claim)])];
    load_patched(original, &GHOSTS, &patches, "G \"semper_bad == 0\"".to_owned(), budget).is_ok()
}

fn checked_all(original: Original<'_>, invariants: &[Invariant], settings: &Settings, budget: &Budget) -> Judged {
    let mut claims: BTreeMap<Site, Vec<(usize, Claim<'_>)>> = BTreeMap::new();
    for (index, invariant) in invariants.iter().enumerate() {
        if let Ok((site, claim)) = placed(original, invariant) {
            claims.entry(site).or_default().push((index + 1, claim));
        }
    }
    checked_by(original, &claims, settings, budget)
}

/// Where an invariant is evaluated, and what it claims.
fn placed<'w>(original: Original<'_>, invariant: &'w Invariant) -> Result<(Site, Claim<'w>), String> {
    let units = original.units;
    let is_of_loop =
        matches!(invariant.invariant_type, InvariantType::LoopInvariant | InvariantType::LoopTransitionInvariant);
    let site = units.iter().find_map(|unit| match is_of_loop {
        true => unit.loop_head(&invariant.location),
        false => unit.statement(&invariant.location),
    });
    let Some(site) = site else {
        let what = if is_of_loop { "loop" } else { "statement" };
        return Err(format!("there is no {what} at its place"));
    };
    let readable = |text: &str| check_expression(text, units).map_err(|why| format!("it is no condition: {why}"));
    if invariant.invariant_type.is_transition() {
        let transition = TransitionInvariant::read(&invariant.value)?;
        readable(&transition.now)?;
        transition.kept.iter().try_for_each(|kept| readable(kept))?;
        return Ok((site, Claim::Transition(transition)));
    }
    readable(&invariant.value)?;
    Ok((site, Claim::State(&invariant.value)))
}

/// What is said of an invariant in messages.
fn name(invariant: &Invariant) -> String {
    let SourcePlace { file_name, line, .. } = &invariant.location;
    let what = invariant.invariant_type.word().replace('_', " ");
    format!("the {what} `{}` at {file_name}:{line}", invariant.value)
}

/// What became of all invariants.
enum Judged {
    Hold,
    Fails(usize),
    Unknown(String),
}

fn checked_by(
    original: Original<'_>,
    claims: &BTreeMap<Site, Vec<(usize, Claim<'_>)>>,
    settings: &Settings,
    budget: &Budget,
) -> Judged {
    if claims.is_empty() {
        return Judged::Hold;
    }
    let patches: Vec<Patch> = claims.iter().map(|(site, claims)| evaluation(site, claims)).collect();
    let goal = "G \"semper_bad == 0\"".to_owned();
    let patched = match load_patched(original, &GHOSTS, &patches, goal, budget) {
        Ok(patched) => patched,
        Err(why) => return Judged::Unknown(format!("an invariant does not fit its place: {why}")),
    };
    match check(&patched.subject, 0, settings, budget).verdict {
        CheckedVerdict::Holds { .. } => Judged::Hold,
        CheckedVerdict::Violated { replayed, .. } => match replayed.as_deref().and_then(first_failing) {
            Some(number) => Judged::Fails(number),
            None => Judged::Unknown("an invariant does not hold, but it was not found out which".to_owned()),
        },
        CheckedVerdict::Unknown(reason) => Judged::Unknown(format!("the invariants: {reason}")),
    }
}

/// The evaluation of all invariants of a place.
fn evaluation(site: &Site, claims: &[(usize, Claim<'_>)]) -> Patch {
    let each = claims.iter().map(|(number, claim)| match claim {
        Claim::State(value) => evaluated(*number, value),
        Claim::Transition(transition) => transition.evaluated(&evaluated(*number, &transition.now)),
    });
    inserted(*site, &each.collect::<Vec<_>>().join(", "))
}

/// The evaluation of an invariant: its number stays where it is false, and where evaluation does not come to an end.
fn evaluated(number: usize, value: &str) -> String {
    format!("(semper_bad == 0 ? (semper_bad = {number}, ({value}) ? (semper_bad = 0) : 0) : 0)")
}

/// The number of the invariant that was false first.
fn first_failing(replayed: &Replayed) -> Option<usize> {
    let values = replayed.values.iter().flat_map(|parts| parts.iter());
    let mut numbers = values.filter(|part| part.name == "semper_bad").filter_map(|part| part.value.parse().ok());
    numbers.rfind(|number| *number != 0)
}

/// Something that is evaluated at a place.
fn inserted(site: Site, what: &str) -> Patch {
    let Site { span, form } = site;
    let (before, after) = match form {
        PlaceForm::Missing => (format!(" ({what}, 1)"), String::new()),
        PlaceForm::Before => (format!("({what}, "), ")".to_owned()),
        PlaceForm::Declaration => (format!("{what}; "), String::new()),
        PlaceForm::Expression => (format!("{what}, "), String::new()),
        PlaceForm::Block => return Patch::at(span.source, span.start + 1, format!(" {what};")),
        _ => (format!("{{ {what}; "), " }".to_owned()),
    };
    Patch { span, before, after }
}

/// Decides the property with the help of the invariants.
fn decide(
    original: Original<'_>,
    claims: &BTreeMap<Site, Vec<(usize, Claim<'_>)>>,
    settings: &Settings,
    budget: &Budget,
) -> Validation {
    let subject = original.subject;
    let assumed = |(site, claims): (&Site, &Vec<(usize, Claim<'_>)>)| {
        let values = claims.iter().filter_map(|(_, claim)| match claim {
            Claim::State(value) => Some(format!("__CPROVER_assume({value})")),
            Claim::Transition(_) => None,
        });
        let all: Vec<String> = values.collect();
        (!all.is_empty()).then(|| inserted(*site, &all.join(", ")))
    };
    let asked = asked(original, "1");
    let patches: Vec<Patch> = claims.iter().filter_map(assumed).chain(asked.patches).collect();
    let patched = match load_patched(original, &asked.ghosts, &patches, asked.text, budget) {
        Ok(patched) => patched,
        Err(why) => return Validation::unknown(format!("an invariant does not fit its place: {why}")),
    };
    let outcome = check(&patched.subject, 0, settings, budget);
    match (&outcome.verdict, &outcome.counterexample) {
        (CheckedVerdict::Holds { .. }, _) => {
            let reason = "every invariant holds, and so does the property".to_owned();
            Validation::new(Finding::Confirmed, reason, Some(outcome.engine))
        }
        (CheckedVerdict::Violated { .. }, Some(counterexample)) => {
            let lasso = Counterexample::Lasso(counterexample.answers().clone());
            for property in 0..subject.properties.len() {
                let replayed = replay(subject, property, lasso.clone(), settings.scheduler, budget);
                if let CheckedVerdict::Violated { replayed: Some(replayed), .. } = &replayed.verdict {
                    let reason = "the property is violated".to_owned();
                    let mut validation = Validation::new(Finding::Rejected, reason, Some(outcome.engine));
                    validation.inputs = crate::told(subject, replayed);
                    return validation;
                }
            }
            Validation::unknown("the invariants hold, but the property was not decided".to_owned())
        }
        (CheckedVerdict::Unknown(reason), _) => {
            Validation::unknown(format!("the invariants hold; the property: {reason}"))
        }
        (CheckedVerdict::Violated { .. }, None) => Validation::unknown("no execution was told".to_owned()),
    }
}
