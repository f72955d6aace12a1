//! Kripke structures with properties: reading them, deciding the properties, and checking what was decided.
//!
//! The decision is the textbook's (`automata::kripke`). A violation is a path, and before it is told, it is checked
//! that it is a path of the structure and that the property is false on it by the definition of LTL, with no automaton. A
//! proof is repeated by other means: the automaton without its reductions, the product written out, and its components by
//! Tarjan's algorithm instead of a search on the fly. What does not pass its check is no verdict.

use automata::algorithms::Product;
use automata::buchi::{Automaton, Components, Guard, StateId, explore};
use automata::kripke::{self, Failure, Kripke, KripkeState, Observed, Position, Run};
use automata::ltl::{AtomId, Atoms, Formula, Formulas, Letter, Unary, evaluate_lasso};
use automata::translate::{Effort, Options, Target, translate};
use foundation::{Budget, Diagnostics, Exhausted, Id, SourceId, SourceMap};
use report::diagnostics::DiagnosticJson;
use report::kripke::{EvidenceJson, PathJson, PropertyReport, StructureFigures, StructureReport};

use crate::ltl;
use crate::violation::violating_steps;
use subject::properties::{self, Given};
use subject::{Input, Properties, Property, Request, goal};

/// A structure, and properties over it.
#[derive(Clone, Debug)]
pub struct Structure {
    /// The structure.
    pub kripke: Kripke,
    /// All formulas.
    pub formulas: Formulas,
    /// The properties, in the order in which they were given.
    pub properties: Vec<Property>,
    /// What every path of interest satisfies.
    pub assumptions: Vec<Formula>,
}

/// The result of [`load_structure`].
#[derive(Clone, Debug)]
pub struct LoadedStructure {
    /// All texts that were read, which the diagnostics refer to.
    pub sources: SourceMap,
    /// What is wrong, and what the user should know.
    pub diagnostics: Diagnostics,
    /// The structure and its properties; none where there was an error.
    pub structure: Option<Structure>,
}

/// What was decided of a property.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Decided {
    /// Every path satisfies the property.
    Holds(Evidence),
    /// This path satisfies the assumptions and violates the property.
    Violated(Run, Evidence),
    /// Neither was found out, for a reason.
    Unknown(String),
}

/// How a verdict was checked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// Whether it was.
    pub checked: bool,
    /// By which means, or why not.
    pub by: String,
}

/// Reads the first file of a request as a Kripke structure, and the properties of the request. Of the request, only
/// what concerns properties matters apart from that. Errors on both sides are reported together.
pub fn load_structure(request: &Request) -> LoadedStructure {
    let (mut sources, mut diagnostics) = (SourceMap::new(), Diagnostics::new());
    let mut given = properties::read(request, &mut sources, &mut diagnostics);
    let text = request.files.first().and_then(|input| read(input, &mut sources, &mut diagnostics));
    let structure = text.and_then(|text| {
        if request.properties == Properties::Annotations {
            properties::read_annotations(text, &mut given, &sources, &mut diagnostics);
        }
        let kripke = kripke::parse(&sources, text).map_err(|errors| diagnostics.extend(errors)).ok()?;
        with_properties(kripke, given, &mut diagnostics)
    });
    let structure = structure.filter(|_| !diagnostics.has_errors());
    LoadedStructure { sources, diagnostics, structure }
}

fn read(input: &Input, sources: &mut SourceMap, diagnostics: &mut Diagnostics) -> Option<SourceId> {
    match input {
        Input::File(path) => host::read_text(path, diagnostics).map(|text| sources.add(path.as_str(), text)),
        Input::Text { name, text } => Some(sources.add(name.as_str(), text.as_str())),
    }
}

fn with_properties(kripke: Kripke, given: Given, diagnostics: &mut Diagnostics) -> Option<Structure> {
    let Given { mut formulas, properties, assumptions, .. } = given;
    let read = properties.iter().map(|property| property.formula).chain(assumptions.iter().copied());
    let used = atoms_of(&formulas, read);
    Observed::new(&kripke, formulas.atoms(), &used).map_err(|faults| diagnostics.extend(faults)).ok()?;
    let properties = properties
        .into_iter()
        .map(|read| Property {
            goal: goal(&mut formulas, &assumptions, read.formula),
            name: read.name,
            formula: read.formula,
            origin: read.origin,
            span: read.span,
        })
        .collect();
    Some(Structure { kripke, formulas, properties, assumptions })
}

/// The atoms of all these formulas, in ascending order.
fn atoms_of(formulas: &Formulas, these: impl Iterator<Item = Formula>) -> Vec<AtomId> {
    let mut atoms: Vec<AtomId> = these.flat_map(|formula| formulas.atoms_of(formula)).collect();
    atoms.sort_unstable();
    atoms.dedup();
    atoms
}

/// Decides all properties.
pub fn decide_all(structure: &mut Structure, warnings: Vec<DiagnosticJson>, budget: &Budget) -> StructureReport {
    let properties: Vec<PropertyReport> = structure
        .properties
        .clone()
        .iter()
        .map(|property| {
            let decided = decide(structure, property, budget);
            described(structure, property, decided)
        })
        .collect();
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
fn violating(structure: &Structure, property: &Property, run: &Run) -> Vec<usize> {
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

/// Decides whether all paths that satisfy the assumptions satisfy the property.
pub fn decide(structure: &mut Structure, property: &Property, budget: &Budget) -> Decided {
    let found = kripke::check_formula(&structure.kripke, &mut structure.formulas, property.goal, budget);
    match found {
        Ok(Some(run)) => match check_path(structure, property, &run) {
            Ok(()) => {
                let by = "the path is one of the structure, and the property is false on it by the definition of LTL";
                Decided::Violated(run, Evidence { checked: true, by: by.to_owned() })
            }
            Err(fault) => Decided::Unknown(format!("internal error: {fault}")),
        },
        Ok(None) => proved(structure, property, budget),
        Err(Failure::Translation(failure)) => Decided::Unknown(ltl::reason(failure)),
        Err(Failure::Atoms(_)) => Decided::Unknown("internal error: an atom has lost its meaning".to_owned()),
    }
}

/// Whether a path begins in an initial state, takes transitions alone, closes its loop, satisfies the assumptions and
/// violates the property; all of it by definition.
pub fn check_path(structure: &Structure, property: &Property, run: &Run) -> Result<(), String> {
    let Structure { kripke, formulas, assumptions, .. } = structure;
    let states: Vec<KripkeState> = run.stem.iter().chain(&run.cycle).copied().collect();
    let Some(&first_of_cycle) = run.cycle.first() else {
        return Err("the loop of the path is empty".to_owned());
    };
    if !kripke.initial().contains(&states[0]) {
        return Err(format!("the path begins in `{}`, which is not initial", kripke.name(states[0])));
    }
    let follow = states[1..].iter().chain([&first_of_cycle]);
    for (&from, &to) in states.iter().zip(follow) {
        if !kripke.successors(from).contains(&to) {
            return Err(format!("no transition leads from `{}` to `{}`", kripke.name(from), kripke.name(to)));
        }
    }
    let atoms = atoms_of(formulas, [property.formula].into_iter().chain(assumptions.iter().copied()));
    let observed = Observed::new(kripke, formulas.atoms(), &atoms).map_err(|_| "an atom has no meaning".to_owned())?;
    let letters = |states: &[KripkeState]| states.iter().map(|&state| observed.letter(state)).collect::<Vec<Letter>>();
    let (stem, cycle) = (letters(&run.stem), letters(&run.cycle));
    let holds = |formula: Formula| evaluate_lasso(formulas, formula, &stem, &cycle);
    if let Some(&assumption) = assumptions.iter().find(|&&assumption| !holds(assumption)) {
        return Err(format!("the path does not satisfy the assumption `{}`", formulas.display(assumption)));
    }
    match holds(property.formula) {
        true => Err("the path satisfies the property".to_owned()),
        false => Ok(()),
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
    let name = |&(position, state): &(Position, StateId)| match position {
        Position::Start => format!("(ι, {})", state.index()),
        Position::At(at) => format!("({}, {})", kripke.name(at), state.index()),
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

/// Products larger than this are not written out for a second look.
const LARGEST_SECOND_LOOK: usize = 1 << 20;

/// A property that was found to hold, looked at a second time.
fn proved(structure: &mut Structure, property: &Property, budget: &Budget) -> Decided {
    let not_checked = |why: String| Decided::Holds(Evidence { checked: false, by: why });
    let Structure { kripke, formulas, .. } = structure;
    let negation = formulas.unary(Unary::Not, property.goal);
    let options = Options { target: Target::Tgba, effort: Effort::Low, budget: budget.clone() };
    let automaton = match translate(formulas, negation, &options) {
        Ok(translation) => translation.automaton,
        Err(failure) => return not_checked(format!("no second look ({})", ltl::reason(failure))),
    };
    if kripke.states().len().saturating_mul(automaton.state_count()) > LARGEST_SECOND_LOOK {
        return not_checked("the product is too large for a second look".to_owned());
    }
    let Ok(observed) = Observed::new(kripke, formulas.atoms(), &formulas.atoms_of(property.goal)) else {
        return Decided::Unknown("internal error: an atom has lost its meaning".to_owned());
    };
    let product = match explore(&Product::new(&observed, &automaton), budget) {
        Ok(explored) => explored.automaton,
        Err(exhausted) => return not_checked(format!("no second look ({exhausted})")),
    };
    if Components::of(&product).iter().any(|(_, component)| component.is_accepting) {
        return Decided::Unknown("internal error: two searches for a path disagree".to_owned());
    }
    let count = product.state_count();
    let states = if count == 1 { "state" } else { "states" };
    let by = format!(
        "a second search, of the whole product with the automaton before its reductions ({count} {states}), finds no path"
    );
    Decided::Holds(Evidence { checked: true, by })
}

#[cfg(test)]
mod tests;
