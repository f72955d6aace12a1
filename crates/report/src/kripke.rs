//! Kripke structures, and what `semper check` says of them: for people, as a picture and as JSON.

use automata::kripke::{Kripke, KripkeState};
use foundation::Id;
use serde::Serialize;

use crate::automaton::counted;
use crate::diagnostics::DiagnosticJson;
use crate::drawing::{Drawing, DrawnEdge, DrawnNode, NodeShape, Stroke};
use crate::lasso::{self, Ends, LassoRow};
use crate::table::{self, Align, Column};

/// A structure. This is its JSON form.
#[derive(Serialize, Clone, Debug)]
pub struct StructureJson {
    /// The names of its atoms.
    pub atoms: Vec<String>,
    /// The names of the states where paths begin.
    pub initial: Vec<String>,
    /// Its states.
    pub states: Vec<StateJson>,
}

/// A state.
#[derive(Serialize, Clone, Debug)]
pub struct StateJson {
    /// Its name.
    pub name: String,
    /// The atoms that hold in it.
    pub holds: Vec<String>,
    /// The states that transitions lead to; none where it is a deadlock, which is followed by itself.
    pub successors: Vec<String>,
}

/// The verdicts on a structure. This is also the JSON form.
#[derive(Serialize, Clone, Debug)]
pub struct StructureReport {
    /// The worst of the properties' verdicts.
    pub verdict: String,
    /// The structure in figures.
    pub structure: StructureFigures,
    /// The assumptions in canonical form.
    pub assumptions: Vec<String>,
    /// The properties, in the order in which they were given.
    pub properties: Vec<PropertyReport>,
    /// What the user should know about how the input was read.
    pub warnings: Vec<DiagnosticJson>,
}

/// A structure in figures.
#[derive(Serialize, Clone, Debug)]
pub struct StructureFigures {
    /// How many states there are.
    pub states: usize,
    /// How many of them can be reached.
    pub reachable: usize,
    /// How many transitions there are.
    pub transitions: usize,
    /// How many states paths begin in.
    pub initial: usize,
    /// How many states no transition leaves.
    pub deadlocks: usize,
    /// How many atoms there are.
    pub atoms: usize,
}

/// A property and the verdict on it.
#[derive(Serialize, Clone, Debug)]
pub struct PropertyReport {
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Where it was found: `--ltl`, or a file and a line.
    pub origin: String,
    /// The property in canonical form.
    pub property: String,
    /// The verdict: `holds`, `violated` or `unknown`.
    pub verdict: &'static str,
    /// Why the verdict is not definite.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// What supports the verdict; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub evidence: Option<EvidenceJson>,
    /// A path that violates the property.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counterexample: Option<PathJson>,
}

/// What supports a verdict.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct EvidenceJson {
    /// Whether the verdict was checked by other means than those that found it.
    pub checked: bool,
    /// By which means, or why not.
    pub by: String,
}

/// A path: the stem, and then the loop for ever.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct PathJson {
    /// The states before the loop; there may be none.
    pub stem: Vec<PathState>,
    /// The states that are repeated for ever.
    #[serde(rename = "loop")]
    pub cycle: Vec<PathState>,
    /// The steps at which the property breaks, which are shown however long the path is.
    #[serde(skip)]
    pub violating: Vec<usize>,
}

/// A state on a path.
#[derive(Serialize, Clone, Debug, PartialEq, Eq)]
pub struct PathState {
    /// Its name.
    pub state: String,
    /// The atoms that hold in it.
    pub holds: Vec<String>,
    /// Whether no transition leaves it, so that it is followed by itself; absent where one does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub deadlock: bool,
}

/// The JSON form of a structure.
pub fn to_json(kripke: &Kripke) -> StructureJson {
    let name = |&state: &KripkeState| kripke.name(state).to_owned();
    StructureJson {
        atoms: kripke.propositions().map(|atom| kripke.proposition_name(atom).to_owned()).collect(),
        initial: kripke.initial().iter().map(name).collect(),
        states: kripke
            .states()
            .map(|state| StateJson {
                name: name(&state),
                holds: holds(kripke, state),
                successors: kripke.transitions(state).iter().map(name).collect(),
            })
            .collect(),
    }
}

/// The structure as a picture: states with the atoms that hold in them; the stutter step of a deadlock is dotted.
pub fn drawing(kripke: &Kripke) -> Drawing {
    let node = |state: KripkeState| DrawnNode {
        lines: vec![kripke.name(state).to_owned(), format!("{{{}}}", holds(kripke, state).join(", "))],
        shape: NodeShape::Box,
        is_initial: kripke.initial().contains(&state),
        is_highlighted: false,
    };
    let edges = |state: KripkeState| {
        let stroke = if kripke.is_deadlock(state) { Stroke::Dotted } else { Stroke::Plain };
        let edge =
            move |next: KripkeState| DrawnEdge { from: state.index(), to: next.index(), lines: Vec::new(), stroke };
        kripke.successors(state).into_iter().map(edge)
    };
    Drawing { nodes: kripke.states().map(node).collect(), edges: kripke.states().flat_map(edges).collect() }
}

/// A path with what holds on it.
pub fn path(kripke: &Kripke, stem: &[KripkeState], cycle: &[KripkeState]) -> PathJson {
    let shown = |&state: &KripkeState| PathState {
        state: kripke.name(state).to_owned(),
        holds: holds(kripke, state),
        deadlock: kripke.is_deadlock(state),
    };
    let [stem, cycle] = [stem, cycle].map(|states| states.iter().map(shown).collect());
    PathJson { stem, cycle, violating: Vec::new() }
}

fn holds(kripke: &Kripke, state: KripkeState) -> Vec<String> {
    kripke.holds(state).iter().map(|&atom| kripke.proposition_name(atom).to_owned()).collect()
}

/// The verdicts as text, `width` columns wide; the last line is the worst of them. Of long paths, some steps are left
/// out unless all are wanted.
pub fn render(report: &StructureReport, all_steps: bool, width: usize) -> String {
    let figures = &report.structure;
    let mut text = String::new();
    let mut line = |line: String| {
        text.push_str(line.trim_end());
        text.push('\n');
    };
    let reachable = match figures.reachable == figures.states {
        true => String::new(),
        false => format!(" ({} can be reached)", figures.reachable),
    };
    let deadlocks = match figures.deadlocks {
        0 => String::new(),
        number => format!(", {}", counted(number, "deadlock")),
    };
    line(format!(
        "structure:   {}{reachable}, {}, {}{deadlocks}",
        counted(figures.states, "state"),
        counted(figures.transitions, "transition"),
        counted(figures.initial, "initial state"),
    ));
    for assumption in &report.assumptions {
        line(format!("assumption:  {assumption}"));
    }
    for property in &report.properties {
        line(String::new());
        let name = property.name.as_ref().map(|name| format!(" {name}")).unwrap_or_default();
        line(format!("property{name}: {}", property.property));
        line(format!("  from {}", property.origin));
        if let Some(path) = &property.counterexample {
            line(String::new());
            line(path_text(path, all_steps, width));
            line(String::new());
        }
        if let Some(evidence) = &property.evidence {
            let not = if evidence.checked { "" } else { "not checked: " };
            line(format!("evidence: {not}{}", evidence.by));
        }
        let reason = property.reason.as_ref().map(|reason| format!(" ({reason})")).unwrap_or_default();
        line(format!("verdict: {}{reason}", property.verdict));
    }
    if report.properties.len() > 1 {
        let count = |verdict: &str| report.properties.iter().filter(|property| property.verdict == verdict).count();
        let counts = ["holds", "violated", "unknown"].map(|verdict| (verdict, count(verdict)));
        let counts = counts.iter().filter(|(_, count)| *count > 0).map(|(verdict, count)| format!("{count} {verdict}"));
        line(String::new());
        line(format!("{} properties: {}", report.properties.len(), counts.collect::<Vec<_>>().join(", ")));
        line(format!("verdict: {}", report.verdict));
    }
    text
}

/// Of a part that is shortened, so many states are shown.
const ENDS: Ends = Ends { first: 14, last: 14 };

/// The path as a table, with the loop drawn beside it.
fn path_text(path: &PathJson, all_steps: bool, width: usize) -> String {
    let columns = [
        Column::fixed("step", Align::Right),
        Column::fixed("", Align::Left),
        Column::text("state"),
        Column::text("what holds"),
    ];
    let (first, length) = (path.stem.len(), path.cycle.len());
    let last = first + length - 1;
    let [before, inside] = lasso::rows(first, length, all_steps, ENDS, &path.violating);
    let row = |part: &[PathState], start: usize, shown: LassoRow, mark: &str| match shown {
        LassoRow::Step(index) => {
            let at = &part[index];
            vec![(start + index).to_string(), mark.to_owned(), at.state.clone(), at.holds.join(", ")]
        }
        LassoRow::LeftOut(count) => {
            vec!["⋮".to_owned(), mark.to_owned(), format!("({count} steps left out)"), String::new()]
        }
    };
    let mut rows: Vec<Vec<String>> = before.iter().map(|&shown| row(&path.stem, 0, shown, "")).collect();
    let marks = lasso::bracket(inside.len());
    rows.extend(inside.iter().zip(marks).map(|(&shown, mark)| row(&path.cycle, first, shown, mark)));
    let repeated = match length {
        1 if path.cycle[0].deadlock => {
            format!("step {first} is repeated for ever: no transition leaves `{}`", path.cycle[0].state)
        }
        1 => format!("step {first} is repeated for ever"),
        2 => format!("steps {first} and {last} are repeated for ever"),
        _ => format!("steps {first} to {last} are repeated for ever"),
    };
    format!("{}{repeated}", table::render(&columns, &rows, width))
}
