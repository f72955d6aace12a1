//! What Semper itself writes as witnesses: counterexamples as violation sequences, proofs as sets of invariants.
//!
//! A proof says what holds at places of an inlined program beside an automaton, which is not what a witness can say. So
//! its conditions are taken as candidates only, at the places of the proof and at the heads of loops, and its ranking
//! functions as candidates for transition invariants; those that hold are written. Like this nothing is written that is
//! not so.

use std::collections::BTreeSet;

use automata::ltl::{Builtin, Node, Unary};
use certify::Replayed;
use check::{CheckedVerdict, Settings, check, task_of};
use evidence::saved::{Found, as_sv_comp, metadata, specification};
use foundation::collections::HashMap;
use foundation::{Budget, Id, SourceMap, Span};
use program::passes::inline::{Activation, ContextId};
use program::passes::{Prepared, prepare};
use program::semantics::{Occasion, RunEnd};
use program::{Edge, EdgeId, LocationId, Observe, Op, Program, VariableId, VariableKind};
use subject::{Request, Subject};
use task::certificate::refutation::{CellName, Control, ObjectName, Refutation};
use task::certificate::sexp::Sexp;
use task::{Certificate, Task};
use witness::select::{Specified, kind};
use witness::{
    Action, Constraint, Content, Format, Invariant, InvariantType, Segment, SourcePlace, Waypoint, WaypointType,
    Witness, WitnessEntry,
};

use crate::c_text::{NamedSymbol, SymbolTexts, condition, expression};
use crate::invariants::that_hold;
use crate::patched::{Original, asked, load_patched, units};
use crate::places::ParsedUnit;

/// How much work it may be to look for candidates and to sort them out.
const MOST_WORK: u64 = 20_000_000;

/// More candidates than this are not tried.
const MOST_CANDIDATES: usize = 60;

/// More edges than this are not inlined.
const MOST_EDGES: usize = 100_000;

/// The witness of a counterexample that was replayed: [`as_sv_comp`], but that it ends where one of the competition's
/// safety properties is violated, and that a loop in which nothing is observed has a waypoint too.
pub fn of_violation(
    found: Found<'_>,
    hashes: &[String],
    replayed: &Replayed,
    sources: &SourceMap,
    created: String,
) -> Witness {
    let mut replayed = replayed.clone();
    let violated = first_violation(found, &replayed);
    if let Some(at) = violated {
        let run = &mut replayed.run;
        run.observations.truncate(at + 1);
        run.end = RunEnd::End(program::EndKind::Exit);
        replayed.values.truncate(at + 1);
        replayed.inputs.retain(|input| input.observed <= at);
    }
    let is_silent = replayed.run.end == RunEnd::Silent;
    let mut witness = as_sv_comp(found, hashes, &replayed, sources, created);
    let units = units(found.subject, found.request, sources);
    for entry in &mut witness.entries {
        if let Content::ViolationSequence(segments) = &mut entry.content {
            keep_order(segments, &units);
        }
    }
    witness.entries = witness.entries.into_iter().map(WitnessEntry::identified).collect();
    if is_silent && let Some(waypoint) = silent_loop(found, &replayed, sources) {
        for entry in &mut witness.entries {
            if let Content::ViolationSequence(segments) = &mut entry.content {
                segments.retain(|segment| segment.waypoints.iter().all(|it| it.action != Action::Cycle));
                segments.push(Segment { waypoints: vec![waypoint.clone()] });
            }
        }
        witness.entries = witness.entries.into_iter().map(WitnessEntry::identified).collect();
    }
    witness
}

/// Leaves out what is said of statements that call functions of the program: they are observed when they have ended, behind
/// what happens in the functions, and waypoints stand before them. So is what held when the loop was entered.
fn keep_order(segments: &mut Vec<Segment>, units: &[ParsedUnit<'_>]) {
    let calls = |waypoint: &Waypoint| {
        let sites = units.iter().filter_map(|unit| Some((unit, unit.statement(&waypoint.location)?)));
        sites.take(1).any(|(unit, site)| {
            let mut called = unit.called_in(site.span);
            called.any(|name| units.iter().any(|unit| unit.body_of(name).is_some()))
        })
    };
    let is_misplaced = |segment: &Segment| {
        segment.waypoints.iter().any(|it| it.waypoint_type == WaypointType::Assumption && calls(it))
    };
    let is_cycle = |segment: &Segment| segment.waypoints.iter().any(|it| it.action == Action::Cycle);
    let has_cycle = segments.iter().any(is_cycle);
    // What held before the first statement of the loop may have been so in the first round only.
    let first = segments.iter().position(is_cycle);
    let is_from_stem = |(index, segment): (usize, &Segment)| {
        Some(index) == first && segment.waypoints.iter().any(|it| it.waypoint_type == WaypointType::Assumption)
    };
    let kept: Vec<Segment> = (segments.iter().enumerate())
        .filter(|&(index, segment)| !is_misplaced(segment) && !is_from_stem((index, segment)))
        .map(|(_, segment)| segment.clone())
        .collect();
    if !kept.is_empty() && has_cycle == kept.iter().any(is_cycle) {
        *segments = kept;
    }
}

/// Where one of the competition's safety properties is violated first.
fn first_violation(found: Found<'_>, replayed: &Replayed) -> Option<usize> {
    let Found { subject, property, .. } = found;
    let property = &subject.properties[property];
    let observations = &replayed.run.observations;
    if let Some(function) = subject.semantics_for(property).stop_at_call {
        return observations.iter().position(|it| it.occasion == Occasion::Entered(function));
    }
    let Node::Unary(Unary::Globally, never) = subject.formulas.node(property.goal) else { return None };
    let Node::Unary(Unary::Not, atom) = subject.formulas.node(never) else { return None };
    let Node::Atom(atom) = subject.formulas.node(atom) else { return None };
    match subject.formulas.atoms().get(atom) {
        automata::ltl::Atom::Builtin(Builtin::Overflow) => observations.iter().position(|it| it.overflow),
        _ => None,
    }
}

/// A waypoint in the loop in which nothing is observed.
fn silent_loop(found: Found<'_>, replayed: &Replayed, sources: &SourceMap) -> Option<Waypoint> {
    let edges = silent_edges(&found.subject.program, replayed.run.observations.last()?.edge)?;
    let units = units(found.subject, found.request, sources);
    edges.into_iter().find_map(|edge| {
        let unit = units.iter().find(|unit| unit.source == edge.span.source)?;
        let (waypoint_type, at) = unit.silent_waypoint(edge.span)?;
        let constraint = match waypoint_type {
            WaypointType::Branching => Constraint { value: "true".to_owned(), format: None },
            _ => Constraint { value: "1".to_owned(), format: Some(Format::CExpression) },
        };
        let location = location(unit, at);
        Some(Waypoint { waypoint_type, action: Action::Cycle, constraint: Some(constraint), location })
    })
}

/// The edges of the loop in which nothing is observed, and that is entered after the last edge that was. Where the way there
/// is not plain, it is the only such loop of the program.
fn silent_edges(program: &Program, last: Option<EdgeId>) -> Option<Vec<&Edge>> {
    let mut at = match last {
        Some(last) => program.edges[last].to,
        None => program.functions[program.entry?].entry?,
    };
    let mut path: Vec<&Edge> = Vec::new();
    let mut visited: HashMap<LocationId, usize> = HashMap::default();
    while let [edge] = program.locations[at].out[..]
        && program.edges[edge].observe == Observe::No
    {
        if let Some(first) = visited.insert(at, path.len()) {
            return Some(path.split_off(first));
        }
        path.push(&program.edges[edge]);
        at = program.edges[edge].to;
    }
    let is_loop = |edge: &&Edge| edge.from == edge.to && edge.op == Op::Skip && edge.observe == Observe::No;
    let mut loops = program.edges.values().filter(is_loop);
    let (only, None) = (loops.next()?, loops.next()) else { return None };
    Some(vec![only])
}

fn location(unit: &ParsedUnit<'_>, offset: u32) -> SourcePlace {
    let (file_name, line, column) = unit.location(offset);
    let function = unit.function_around(offset).map(str::to_owned);
    SourcePlace { file_name, line, column: Some(column), function }
}

/// A property that holds, and what shows it.
#[derive(Clone, Copy, Debug)]
pub struct ProvedProperty<'a> {
    /// What was asked for.
    pub request: &'a Request,
    /// What was made of it.
    pub subject: &'a Subject,
    /// Which of its properties holds.
    pub property: usize,
    /// What shows it.
    pub certificate: &'a Certificate,
}

/// The witness of a property that holds. The hashes are those of the request's files, in order.
pub fn of_proof(
    proved: ProvedProperty<'_>,
    hashes: &[String],
    sources: &SourceMap,
    settings: &Settings,
    budget: &Budget,
    created: String,
) -> Witness {
    let ProvedProperty { request, subject, property, .. } = proved;
    let mut alone = subject.clone();
    alone.properties = vec![subject.properties[property].clone()];
    let units = units(&alone, request, sources);
    let original = Original { request, subject: &alone, units: &units };
    let invariants = invariants(original, proved.certificate, settings, &budget.part_with_work(MOST_WORK));
    let metadata = metadata(request, subject, property, hashes, created);
    Witness { entries: vec![WitnessEntry { metadata, content: Content::InvariantSet(invariants) }.identified()] }
}

/// The invariants of a proof. Where the engine has none to offer, another is asked for a proof.
fn invariants(
    original: Original<'_>,
    certificate: &Certificate,
    settings: &Settings,
    budget: &Budget,
) -> Vec<Invariant> {
    let task_of = |subject: &Subject| task_of(subject, 0, settings.scheduler);
    let candidates = match certificate {
        Certificate::Refutation(refutation) => {
            let lead_back = |span: Span| Some(span);
            candidates(original, &About { task: &task_of(original.subject), refutation, lead_back: &lead_back })
        }
        _ => {
            let asked = asked(original, "1");
            let Ok(patched) = load_patched(original, &asked.ghosts, &asked.patches, asked.text, budget) else {
                return Vec::new();
            };
            let lead_back = |span: Span| patched.lead_back(span, original.units, &asked.patches);
            let Some(&engine) = settings.engines.iter().find(|engine| engine.writes_proofs) else { return Vec::new() };
            let settings = Settings { engine, checks_evidence: false, ..settings.clone() };
            match check(&patched.subject, 0, &settings, budget).verdict {
                CheckedVerdict::Holds { certificate: Certificate::Refutation(refutation), .. } => {
                    let (task, refutation) = (&task_of(&patched.subject), &*refutation);
                    candidates(original, &About { task, refutation, lead_back: &lead_back })
                }
                _ => Vec::new(),
            }
        }
    };
    joined(that_hold(original, candidates, settings, budget))
}

/// A proof, with what it is about.
struct About<'a> {
    task: &'a Task,
    refutation: &'a Refutation,
    /// Where something stands in the original program.
    lead_back: &'a dyn Fn(Span) -> Option<Span>,
}

/// Invariants of one place, as one; of two bounds of the same, the closer one.
fn joined(invariants: Vec<Invariant>) -> Vec<Invariant> {
    let mut places: Vec<(Invariant, Vec<String>)> = Vec::new();
    for invariant in invariants {
        let same = |(other, _): &&mut (Invariant, Vec<String>)| {
            let is_transition = invariant.invariant_type.is_transition();
            !is_transition && other.invariant_type == invariant.invariant_type && other.location == invariant.location
        };
        match places.iter_mut().find(same) {
            Some((_, values)) => add_bound(values, &invariant.value),
            None => {
                let values = vec![invariant.value.clone()];
                places.push((invariant, values));
            }
        }
    }
    let bracketed = |value: &String| if value.contains("||") { format!("({value})") } else { value.clone() };
    let join = |(invariant, values): (Invariant, Vec<String>)| {
        let value = match &values[..] {
            [only] => only.clone(),
            several => several.iter().map(bracketed).collect::<Vec<_>>().join(" && "),
        };
        Invariant { value, ..invariant }
    };
    places.into_iter().map(join).collect()
}

/// Adds a condition to others unless one of them says as much; those that say less go.
fn add_bound(values: &mut Vec<String>, added: &str) {
    for value in values.iter_mut() {
        let (Some((start, bound)), Some((other_start, other))) = (bound_of(value), bound_of(added)) else { continue };
        if start == other_start {
            let is_closer = if start.contains('<') { other < bound } else { other > bound };
            if is_closer {
                *value = added.to_owned();
            }
            return;
        }
    }
    values.push(added.to_owned());
}

/// An inequality as what stands before the constant at its end, and that.
fn bound_of(value: &str) -> Option<(&str, i128)> {
    let (start, constant) = value.rsplit_once(' ')?;
    let is_inequality = !value.contains(['!', '|', '&']) && start.contains(['<', '>']);
    let constant: i128 = constant.strip_suffix("LL").unwrap_or(constant).parse().ok().filter(|_| is_inequality)?;
    match start.strip_suffix(" -") {
        Some(start) => Some((start, -constant)),
        None => Some((start.strip_suffix(" +").unwrap_or(start), constant)),
    }
}

/// What a proof suggests: its conditions at the heads of loops of the function that they are about and at the statements
/// at which they hold; its functions at the heads of loops.
fn candidates(original: Original<'_>, about: &About<'_>) -> Vec<Invariant> {
    let About { task, refutation, .. } = about;
    let Ok(prepared) = prepare(&task.program, &task.atoms, task.semantics, MOST_EDGES) else { return Vec::new() };
    let loops: Vec<SourcePlace> = (original.units.iter())
        .flat_map(|unit| unit.loops().into_iter().map(|(offset, _)| location(unit, offset)))
        .collect();
    let mut found: Vec<Invariant> = Vec::new();
    let mut known = BTreeSet::new();
    let mut add = |invariant_type: InvariantType, location: &SourcePlace, value: &str| {
        let key = (invariant_type, location.file_name.clone(), location.line, location.column, value.to_owned());
        if found.len() < MOST_CANDIDATES && known.insert(key) {
            let format = if invariant_type.is_transition() { Format::ExtCExpression } else { Format::CExpression };
            let (location, value) = (location.clone(), value.to_owned());
            found.push(Invariant { invariant_type, location, value, format, inductive: false });
        }
    };
    let loops_of = |function: &str| {
        let function = function.to_owned();
        loops.iter().filter(move |it| it.function.as_deref() == Some(function.as_str()))
    };
    // First what is known at a head, then what is known elsewhere.
    let mut places: Vec<LocationId> = Vec::new();
    for state in &refutation.states {
        let Control::At(at) = state.place else { continue };
        if !places.contains(&at) {
            places.push(at);
        }
    }
    let mut functions: Vec<(String, SymbolTexts)> = Vec::new();
    for &at in &places {
        let context = prepared.context_of(at);
        let names = names(&prepared, refutation, context, task);
        let function = task.program.functions[prepared.contexts[context].function].name.clone();
        let there: Vec<&[Sexp]> = (refutation.states.iter())
            .filter(|state| state.place == Control::At(at))
            .map(|state| state.invariant.as_slice())
            .collect();
        // What holds whatever the automaton does.
        let shared = there[0].iter().filter(|each| there.iter().all(|other| other.contains(each)));
        let place = statement_at(original, about, &prepared, at);
        for each in shared {
            // A step of the loop may lead just beyond what holds inside of it.
            for value in [condition(each, &names, 0), condition(each, &names, 1)].into_iter().flatten() {
                loops_of(&function).for_each(|head| add(InvariantType::LoopInvariant, head, &value));
            }
            if let (Some(place), Some(value)) = (&place, condition(each, &names, 0)) {
                add(InvariantType::LocationInvariant, place, &value);
            }
        }
        if !functions.iter().any(|(known, _)| *known == function) {
            functions.push((function, names));
        }
    }
    for (function, names) in &functions {
        for value in refutation.predicates.iter().filter_map(|each| condition(each, names, 0)) {
            for head in loops_of(function) {
                add(InvariantType::LoopInvariant, head, &value);
            }
        }
        let ends = kind(&specification(original.subject, 0)) == Specified::Termination;
        let modules = refutation.modules.iter().filter(|_| ends);
        let relations: Vec<String> = modules.filter_map(|module| relation(&module.function, names)).collect();
        let all = relations.iter().map(|relation| format!("({relation})")).collect::<Vec<_>>().join(" || ");
        for head in loops_of(function) {
            for value in relations.iter().chain(Some(&all).filter(|_| relations.len() > 1)) {
                add(InvariantType::LoopTransitionInvariant, head, value);
            }
        }
    }
    found
}

/// That a function, a tuple, descends: its first part that changes gets smaller, and was not negative.
fn relation(function: &[Sexp], names: &SymbolTexts) -> Option<String> {
    let old = |name: &str| format!("\\at({name}, AnyPrev)");
    let mut cases = Vec::new();
    let mut same = String::new();
    for part in function {
        let (before, now) = expression(part, names, &old)?;
        cases.push(format!("{same}{before} > {now} && {before} >= 0"));
        same.push_str(&format!("{before} == {now} && "));
    }
    match &cases[..] {
        [] => None,
        [only] => Some(only.clone()),
        _ => Some(cases.iter().map(|case| format!("({case})")).collect::<Vec<_>>().join(" || ")),
    }
}

/// What the symbols of a proof are called in an activation.
fn names(prepared: &Prepared, refutation: &Refutation, context: ContextId, task: &Task) -> SymbolTexts {
    let Activation { variables, function, .. } = &prepared.contexts[context];
    let old = |variable: VariableId| {
        let local = variables.iter().find(|(_, new)| **new == variable).map(|(old, _)| *old);
        // The other variables have kept their numbers.
        let kept = local.or_else(|| (variable.index() < task.program.variables.len()).then_some(variable))?;
        let is_visible = match task.program.variables[kept].kind {
            VariableKind::Global { declared_in, .. } => declared_in.is_none_or(|it| it == *function),
            VariableKind::Parameter(owner) | VariableKind::Local(owner) => owner == *function,
            VariableKind::Literal { .. } | VariableKind::Temporary(_) => false,
        };
        is_visible.then_some(kept)
    };
    let named = |declaration: &task::certificate::refutation::Declaration| {
        let CellName::One { object: ObjectName::Variable(variable), offset: 0, scalar } = declaration.cell else {
            return None;
        };
        let variable = &task.program.variables[old(variable)?];
        let is_whole = task.program.types.as_scalar(variable.ty) == Some(scalar);
        let is_written = !variable.name.starts_with('%') && !variable.name.starts_with("semper_");
        let name = variable.name.rsplit("::").next().unwrap_or(&variable.name).to_owned();
        (is_whole && is_written).then(|| (declaration.name.clone(), NamedSymbol { name, scalar }))
    };
    refutation.symbols.iter().filter_map(named).collect()
}

/// The statement that begins at a location of the inlined program.
fn statement_at(original: Original<'_>, about: &About<'_>, prepared: &Prepared, at: LocationId) -> Option<SourcePlace> {
    let edge = prepared.program.locations[at].out.first()?;
    let span = (about.lead_back)(about.task.program.edges[prepared.origin(*edge).edge].span)?;
    let unit = original.units.iter().find(|unit| unit.source == span.source)?;
    unit.is_statement(span.start).then(|| location(unit, span.start))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_bounds_the_closer_one_is_kept() {
        for (values, expected) in [
            (&["x >= 0", "x >= -1", "x <= 10", "x <= 11"][..], &["x >= 0", "x <= 10"][..]),
            (&["x > -1", "x > 3", "y > 2"], &["x > 3", "y > 2"]),
            (
                &["(long long)(s) <= (long long)(i) - 2LL", "(long long)(s) <= (long long)(i) + 1LL"],
                &["(long long)(s) <= (long long)(i) - 2LL"],
            ),
            (&["x == 1", "!(x == 2)", "!(x == 3)"], &["x == 1", "!(x == 2)", "!(x == 3)"]),
        ] {
            let mut kept = Vec::new();
            values.iter().for_each(|value| add_bound(&mut kept, value));
            assert_eq!(kept, expected);
        }
    }
}
