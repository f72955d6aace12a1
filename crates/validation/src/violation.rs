//! Violation sequences: is there an execution that passes the waypoints and violates the property?
//!
//! A counter in the program says how many segments have been passed. A waypoint is passed the first time that control is
//! at its place, the counter is at its segment, and its condition holds; one that is to be kept away from makes the counter
//! useless. For a cycle, the counter goes back to the first segment of the cycle after the last, and a switch is turned
//! each time. The property becomes: no execution gets to the end of the counter (or turns the switch for ever) and
//! violates the property of the task.
//!
//! What an engine finds is executed again in the original program before it counts: the counter asks for no inputs, so the
//! same answers lead the same way there.

use std::collections::BTreeMap;

use check::{CheckedVerdict, Settings, check};
use evidence::replay::replay;
use foundation::Budget;
use task::Counterexample;
use witness::select::{Specified, kind, stem_and_cycle, target};
use witness::{Action, Segment, Waypoint, WaypointType};

use crate::patched::{AskedProperty, Original, Patch, asked, check_expression, load_patched};
use crate::places::{PlaceForm, Site};
use crate::{Finding, Validation, told};

/// The counter of passed segments, and what is turned when a cycle has been passed.
const GHOSTS: [&str; 2] = ["int semper_at", "int semper_turn"];

/// What the result of a call is called.
const RESULT: &str = "semper_r";

/// What says that no label of a `switch` but `default` has the value that it was given.
const TO_DEFAULT: &str = "semper_d";

/// What is inserted at a place does one of these things.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum InsertionRole {
    Statement,
    Branching,
    Enter,
    Return,
}

/// One waypoint at a place.
struct Probe {
    /// How many segments must have been passed.
    passed: usize,
    /// What must hold.
    condition: String,
    /// What is done then.
    effect: String,
    is_avoided: bool,
    is_target: bool,
    /// Of a branching, which way it goes.
    way: bool,
    /// Of a way to the `default` of a `switch`, the labels of all other ways.
    cases: Option<String>,
}

/// Searches for an execution that passes the waypoints and violates the property.
pub(crate) fn validate(
    original: Original<'_>,
    segments: &[Segment],
    specification: &str,
    settings: &Settings,
    budget: &Budget,
) -> Validation {
    let subject = original.subject;
    if subject.program.has_threads() {
        return Validation::unknown("the program has threads, whose schedule a witness does not tell".to_owned());
    }
    let mut patches = match patches(original, segments) {
        Ok(patches) => patches,
        Err(why) => return Validation::unknown(why),
    };
    let asked = asked(original, &format!("semper_at == {}", stem_and_cycle(segments).0.len()));
    let goal = goal(&asked, segments, specification);
    patches.extend(asked.patches);
    let ghosts: Vec<&str> = GHOSTS.into_iter().chain(asked.ghosts).collect();
    let patched = match load_patched(original, &ghosts, &patches, goal, budget) {
        Ok(patched) => patched,
        Err(why) => return Validation::unknown(format!("an expression does not fit its place: {why}")),
    };
    let outcome = check(&patched.subject, 0, settings, budget);
    match (&outcome.verdict, &outcome.counterexample) {
        (CheckedVerdict::Holds { .. }, _) => {
            let what = match target(segments) {
                Some(_) => "passes the waypoints and violates the property",
                None => "passes the waypoints, goes round the cycle for ever and violates the property",
            };
            Validation::new(Finding::Rejected, format!("no execution {what}"), Some(outcome.engine))
        }
        (CheckedVerdict::Violated { .. }, Some(counterexample)) => {
            let lasso = Counterexample::Lasso(counterexample.answers().clone());
            let mut why = String::new();
            for property in 0..subject.properties.len() {
                let replayed = replay(subject, property, lasso.clone(), settings.scheduler, budget);
                match &replayed.verdict {
                    CheckedVerdict::Violated { replayed: Some(replayed), .. } => {
                        let reason = "an execution passes the waypoints and violates the property".to_owned();
                        let mut validation = Validation::new(Finding::Confirmed, reason, Some(outcome.engine));
                        validation.inputs = told(subject, replayed);
                        return validation;
                    }
                    CheckedVerdict::Unknown(reason) => why = reason.to_string(),
                    _ => {}
                }
            }
            Validation::unknown(format!("an execution passes the waypoints, but it is no violation: {why}"))
        }
        (CheckedVerdict::Unknown(reason), _) => Validation::unknown(reason.to_string()),
        (CheckedVerdict::Violated { .. }, None) => Validation::unknown("no execution was told".to_owned()),
    }
}

/// No execution passes the waypoints and violates the property.
fn goal(asked: &AskedProperty, segments: &[Segment], specification: &str) -> String {
    let (stem, cycle) = stem_and_cycle(segments);
    let property = &asked.text;
    if !cycle.is_empty() {
        return format!("((G F \"semper_turn == 1\") && (G F \"semper_turn == 0\")) -> ({property})");
    }
    let end = format!("\"semper_at == {}\"", stem.len());
    match &asked.states {
        // That the function was called at the end is in the variable already.
        Some(_) if !asked.ghosts.is_empty() => property.clone(),
        // A state that violates one of the competition's safety properties is a state at the target.
        Some(states) if kind(specification) == Specified::Safety => {
            let states: Vec<String> = states.iter().map(|state| format!("(G (!{end} || {state}))")).collect();
            states.join(" && ")
        }
        _ => format!("(F {end}) -> ({property})"),
    }
}

/// Everything that is to be inserted; or which waypoint has no place.
fn patches(original: Original<'_>, segments: &[Segment]) -> Result<Vec<Patch>, String> {
    let mut sites: BTreeMap<(Site, InsertionRole), Vec<Probe>> = BTreeMap::new();
    let (stem, cycle) = stem_and_cycle(segments);
    for (index, segment) in segments.iter().enumerate() {
        for waypoint in &segment.waypoints {
            let site = original.units.iter().find_map(|unit| unit.waypoint(waypoint.waypoint_type, &waypoint.location));
            let site = site.ok_or_else(|| no_place(waypoint))?;
            let effect = match waypoint.action {
                Action::Avoid => "semper_at = -1".to_owned(),
                _ if index + 1 == segments.len() && !cycle.is_empty() => {
                    format!("semper_at = {}, semper_turn = !semper_turn", stem.len())
                }
                _ => format!("semper_at = {}", index + 1),
            };
            let (condition, way) = condition(waypoint, site)?;
            let cases = match condition == TO_DEFAULT {
                true => Some(cases(original, site).map_err(|why| not_followed("default", &format!(": {why}")))?),
                false => None,
            };
            check_expression(&condition, original.units)
                .map_err(|why| format!("`{condition}` is no condition: {why}"))?;
            let role = match waypoint.waypoint_type {
                WaypointType::Assumption | WaypointType::Target => InsertionRole::Statement,
                WaypointType::Branching => InsertionRole::Branching,
                WaypointType::FunctionEnter => InsertionRole::Enter,
                WaypointType::FunctionReturn => InsertionRole::Return,
            };
            let is_avoided = waypoint.action == Action::Avoid;
            let is_target = waypoint.waypoint_type == WaypointType::Target;
            let probe = Probe { passed: index, condition, effect, is_avoided, is_target, way, cases };
            sites.entry((site, role)).or_default().push(probe);
        }
    }
    Ok(sites.iter().flat_map(|((site, role), probes)| inserted(*site, *role, probes)).collect())
}

fn no_place(waypoint: &Waypoint) -> String {
    let location = &waypoint.location;
    let column = location.column.map(|column| format!(":{column}")).unwrap_or_default();
    let (what, file, line) = (waypoint.waypoint_type, &location.file_name, location.line);
    format!("nothing at {file}:{line}{column} can be a waypoint of type `{what}`")
}

/// The condition of a waypoint in the words of the new program, and which way a branching goes.
fn condition(waypoint: &Waypoint, site: Site) -> Result<(String, bool), String> {
    let value = waypoint.constraint.as_ref().map_or("1", |constraint| constraint.value.trim());
    Ok(match waypoint.waypoint_type {
        WaypointType::Assumption => (value.to_owned(), true),
        WaypointType::FunctionReturn => (value.replace("\\result", RESULT), true),
        WaypointType::FunctionEnter | WaypointType::Target => ("1".to_owned(), true),
        WaypointType::Branching => match (value, site.form) {
            ("true", PlaceForm::Condition | PlaceForm::Missing) => ("1".to_owned(), true),
            ("false", PlaceForm::Condition) => ("1".to_owned(), false),
            ("default", PlaceForm::Switch) => (TO_DEFAULT.to_owned(), true),
            (number, PlaceForm::Switch) => (format!("semper_v == {number}"), true),
            _ => return Err(not_followed(value, "")),
        },
    })
}

fn not_followed(value: &str, why: &str) -> String {
    format!("the way `{value}` of a branching is not followed here{why}")
}

/// The labels of a `switch` but for `default`.
fn cases(original: Original<'_>, switch: Site) -> Result<String, String> {
    let unit = original.units.iter().find(|unit| unit.source == switch.span.source);
    unit.ok_or_else(|| "there is no `switch`".to_owned())?.cases_besides_default(switch.span)
}

/// What the first of some waypoints that is passed does; no two of them are passed at once.
fn chain<'p>(probes: impl Iterator<Item = &'p Probe>) -> String {
    let mut probes: Vec<&Probe> = probes.collect();
    probes.sort_by_key(|probe| !probe.is_avoided);
    probes.iter().rev().fold("0".to_owned(), |rest, Probe { passed, condition, effect, .. }| {
        format!("(semper_at == {passed} && ({condition}) ? ({effect}, 0) : {rest})")
    })
}

fn inserted(site: Site, role: InsertionRole, probes: &[Probe]) -> Vec<Patch> {
    let Site { span, form } = site;
    let around = |before: String, after: String| vec![Patch { span, before, after }];
    let all = chain(probes.iter());
    let ways = |way: bool| chain(probes.iter().filter(|probe| probe.way == way));
    let uses_result = probes.iter().any(|probe| probe.condition.contains(RESULT));
    match (role, form) {
        (InsertionRole::Branching, PlaceForm::Switch) => {
            // Another `switch` with the same labels compares as this one does.
            let cases = probes.iter().find_map(|probe| probe.cases.as_deref());
            let compared = cases.map_or_else(String::new, |cases| match cases {
                "" => format!(" int {TO_DEFAULT} = 1;"),
                _ => format!(" int {TO_DEFAULT} = 1; switch (semper_v) {{ {cases}{TO_DEFAULT} = 0; }}"),
            });
            around("({ __auto_type semper_v = +(".to_owned(), format!(");{compared} {all}; semper_v; }})"))
        }
        (InsertionRole::Branching, PlaceForm::Missing) => around(format!(" ({}, 1)", ways(true)), String::new()),
        (InsertionRole::Branching, _) => {
            around("((".to_owned(), format!(") ? ({}, 1) : ({}, 0))", ways(true), ways(false)))
        }
        (InsertionRole::Enter, _) => around(format!("({all}, "), ")".to_owned()),
        (InsertionRole::Return, PlaceForm::CallStatement) if !uses_result => around(String::new(), format!(", {all}")),
        (InsertionRole::Return, _) => around(format!("({{ __auto_type {RESULT} = "), format!("; {all}; {RESULT}; }})")),
        (InsertionRole::Statement, _) => match probes.iter().find(|probe| probe.is_target) {
            Some(target) => {
                let before = chain(probes.iter().filter(|probe| !probe.is_target));
                let at = chain(std::iter::once(target));
                let (passed, reached) = (target.passed, target.passed + 1);
                let reset = format!("semper_at == {reached} ? semper_at = {passed} : 0;");
                match form {
                    PlaceForm::Declaration => around(format!("{before}; {at}; "), format!(" {reset}")),
                    PlaceForm::Block => vec![
                        Patch::at(span.source, span.start + 1, format!(" {before}; {at};")),
                        Patch::at(span.source, span.end - 1, format!(" {reset} ")),
                    ],
                    PlaceForm::Before => around(format!("({before}, {at}, "), ")".to_owned()),
                    _ => around(format!("{{ {before}; {at}; "), format!(" {reset} }}")),
                }
            }
            None => match form {
                PlaceForm::Declaration => around(format!("{all}; "), String::new()),
                PlaceForm::Block => vec![Patch::at(span.source, span.start + 1, format!(" {all};"))],
                PlaceForm::Before => around(format!("({all}, "), ")".to_owned()),
                PlaceForm::Expression => around(format!("{all}, "), String::new()),
                _ => around(format!("{{ {all}; "), " }".to_owned()),
            },
        },
    }
}
