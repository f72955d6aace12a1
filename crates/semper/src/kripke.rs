//! Kripke structures with properties: what is decided of them, for the report.
//!
//! A structure is a subject like all others (`subject::structure`), so its properties are decided by the engines and
//! with the evidence of all others. What is told of a violation are the states that its execution enters.

use automata::algorithms::Product;
use automata::buchi::{Automaton, Guard, StateId, explore};
use automata::kripke::{Kripke, KripkePath, KripkePosition, KripkeState, Observed};
use automata::ltl::{AtomId, Atoms, Formula, Letter};
use certify::{Closing, Replayed};
use check::{CheckedVerdict, Settings};
use foundation::{Budget, Diagnostics, Exhausted, Id};
use program::semantics::RunEnd;
use report::diagnostics::DiagnosticJson;
use report::kripke::{EvidenceJson, PathJson, PropertyReport, StructureFigures, StructureReport};
use report::verdict::Evidence;
use subject::Property;
use subject::execute::shortest_lasso;
use subject::structure::{Structure, StructureSubject, atoms_of};

use crate::verdicts::evidence;
use crate::violation::violating_steps;

/// What was decided of a property.
#[derive(Clone, Debug)]
pub enum Decided {
    /// Every path satisfies the property.
    Holds(Evidence),
    /// This path satisfies the assumptions and violates the property.
    Violated(KripkePath, Evidence),
    /// Neither was found out, for a reason.
    Unknown(String),
}

/// Decides all properties.
pub fn decide_all(
    structure: &Structure,
    settings: &Settings,
    warnings: Vec<DiagnosticJson>,
    budget: &Budget,
) -> StructureReport {
    let subject = StructureSubject::new(structure);
    let decided = |(number, property): (usize, &Property)| {
        described(structure, property, decide(structure, &subject, number, settings, budget))
    };
    let properties: Vec<PropertyReport> = structure.properties.iter().enumerate().map(decided).collect();
    let has = |verdict: &str| properties.iter().any(|property| property.verdict == verdict);
    let worst = ["violated", "unknown"].into_iter().find(|verdict| has(verdict)).unwrap_or("holds");
    let display = |&formula: &Formula| structure.formulas.display(formula).to_string();
    StructureReport {
        verdict: worst.to_owned(),
        structure: figures(&structure.kripke),
        assumptions: structure.assumptions.iter().map(display).collect(),
        properties,
        warnings,
    }
}

fn described(structure: &Structure, property: &Property, decided: Decided) -> PropertyReport {
    let (verdict, reason, evidence, run) = match decided {
        Decided::Holds(evidence) => ("holds", None, Some(evidence), None),
        Decided::Violated(run, evidence) => ("violated", None, Some(evidence), Some(run)),
        Decided::Unknown(reason) => ("unknown", Some(reason), None, None),
    };
    PropertyReport {
        name: property.name.clone(),
        origin: property.origin.clone(),
        property: structure.formulas.display(property.formula).to_string(),
        verdict,
        reason,
        evidence: evidence.map(|evidence| EvidenceJson { checked: evidence.checked, by: evidence.by }),
        counterexample: run.map(|run| {
            let path = report::kripke::path(&structure.kripke, &run.stem, &run.cycle);
            PathJson { violating: violating(structure, property, &run), ..path }
        }),
    }
}

/// The steps of a path at which the property breaks.
fn violating(structure: &Structure, property: &Property, run: &KripkePath) -> Vec<usize> {
    let Structure { kripke, formulas, .. } = structure;
    let atoms = atoms_of(formulas, [property.formula].into_iter());
    let Ok(observed) = Observed::new(kripke, formulas.atoms(), &atoms) else { return Vec::new() };
    let letters = |states: &[KripkeState]| states.iter().map(|&state| observed.letter(state)).collect::<Vec<Letter>>();
    violating_steps(formulas, property.formula, &letters(&run.stem), &letters(&run.cycle))
}

fn figures(kripke: &Kripke) -> StructureFigures {
    let mut is_reached = vec![false; kripke.states().len()];
    let mut open = kripke.initial().to_vec();
    while let Some(state) = open.pop() {
        if !std::mem::replace(&mut is_reached[state.index()], true) {
            open.extend(kripke.transitions(state));
        }
    }
    StructureFigures {
        states: kripke.states().len(),
        reachable: is_reached.iter().filter(|&&is_reached| is_reached).count(),
        transitions: kripke.states().map(|state| kripke.transitions(state).len()).sum(),
        initial: kripke.initial().len(),
        deadlocks: kripke.states().filter(|&state| kripke.is_deadlock(state)).count(),
        atoms: kripke.propositions().len(),
    }
}

/// Decides whether all paths that satisfy the assumptions satisfy the property with this number.
pub fn decide(
    structure: &Structure,
    subject: &StructureSubject,
    property: usize,
    settings: &Settings,
    budget: &Budget,
) -> Decided {
    let verdict = check::check(&subject.subject, property, settings, budget).verdict;
    let evidence = evidence(&verdict);
    match (verdict, evidence) {
        (CheckedVerdict::Holds { .. }, Some(evidence)) => Decided::Holds(evidence),
        (CheckedVerdict::Violated { replayed: Some(replayed), .. }, Some(evidence)) => {
            Decided::Violated(path(structure, subject, &replayed), evidence)
        }
        (CheckedVerdict::Unknown(reason), _) => Decided::Unknown(reason.to_string()),
        _ => Decided::Unknown("the evidence was not checked".to_owned()),
    }
}

/// The path of an execution: the states that it enters. Where only its beginning is known, because no continuation satisfies
/// the property, it goes on by first transitions.
fn path(structure: &Structure, subject: &StructureSubject, replayed: &Replayed) -> KripkePath {
    let observed = replayed.run.observations.iter();
    let mut states: Vec<KripkeState> = observed
        .filter_map(|observation| observation.edge.map_or(subject.start, |edge| subject.entered_by(edge)))
        .collect();
    let is_whole = replayed.closing != Closing::BadPrefix && replayed.abridged.is_none();
    if let (RunEnd::Lasso { start }, true) = (&replayed.run.end, is_whole) {
        // What is observed before all initial states is none of them.
        let before = usize::from(subject.start.is_none());
        let start = start.saturating_sub(before).min(states.len());
        // Two observations of one state may differ in what has changed.
        let (start, end) = shortest_lasso(start, states.len(), |one, other| states[one] == states[other]);
        states.truncate(end);
        let cycle = states.split_off(start);
        return KripkePath { stem: states, cycle };
    }
    if states.is_empty() {
        states.extend(structure.kripke.initial().first());
    }
    let known = states.len() - 1;
    loop {
        let next = structure.kripke.successors(states[states.len() - 1])[0];
        if let Some(start) = states[known..].iter().position(|&state| state == next) {
            let cycle = states.split_off(known + start);
            return KripkePath { stem: states, cycle };
        }
        states.push(next);
    }
}

/// The product of a structure with an automaton, written out, and what its states are called: a state of the structure
/// with one of the automaton. It starts before the first state of the structure (Theorem 7 of the lecture notes).
pub fn product(
    kripke: &Kripke,
    automaton: &Automaton<Guard>,
    atoms: &Atoms,
    budget: &Budget,
) -> Result<(Automaton<Guard>, Vec<String>), NoProduct> {
    let mut used: Vec<AtomId> = automaton.edges().flat_map(|edge| edge.label.atoms()).collect();
    used.sort_unstable();
    used.dedup();
    let observed = Observed::new(kripke, atoms, &used).map_err(NoProduct::Atoms)?;
    let explored = explore(&Product::new(&observed, automaton), budget).map_err(NoProduct::Exhausted)?;
    let name = |&(position, state): &(KripkePosition, StateId)| match position {
        KripkePosition::Start => format!("(ι, {})", state.index()),
        KripkePosition::At(at) => format!("({}, {})", kripke.name(at), state.index()),
    };
    let names = explored.states.values().map(name).collect();
    Ok((explored.automaton, names))
}

/// Why there is no product.
#[derive(Clone, Debug)]
pub enum NoProduct {
    /// Some atoms of the automaton have no meaning in the structure.
    Atoms(Diagnostics),
    /// The budget was exhausted.
    Exhausted(Exhausted),
}

#[cfg(test)]
mod tests;
