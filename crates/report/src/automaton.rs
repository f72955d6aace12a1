//! Büchi automata as text, state by state, as pictures, and as JSON.

use std::fmt::Write;

use automata::buchi::{Automaton, Guard, Marks, StateId};
use automata::ltl::{Atoms, Letter};
use automata::translate::strength::{Strength, Strengths};
use foundation::Id;
use serde::Serialize;

use crate::drawing::{self, Drawing, DrawnNode, NodeShape, Stroke};

/// An automaton with the names of its atoms and, where they have any, of its states.
#[derive(Clone, Copy, Debug)]
pub struct ShownAutomaton<'a> {
    /// The automaton.
    pub automaton: &'a Automaton<Guard>,
    /// The atoms of its labels.
    pub atoms: &'a Atoms,
    /// How its states are called.
    pub names: StateNames<'a>,
    /// A run that is accepted, if one is to be shown. Pictures mark its loop.
    pub run: Option<&'a AcceptedRun>,
}

/// A run that is accepted: the stem, and then the cycle for ever.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AcceptedRun {
    /// The states before the cycle; there may be none.
    pub stem: Vec<StateId>,
    /// The states of the cycle.
    pub cycle: Vec<StateId>,
    /// A letter that is read in each state of the stem.
    pub stem_letters: Vec<Letter>,
    /// A letter that is read in each state of the cycle.
    pub cycle_letters: Vec<Letter>,
}

/// How states are called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StateNames<'a> {
    /// By their numbers.
    Numbers,
    /// By names that tell them apart, one for each state.
    Unique(&'a [String]),
    /// By their numbers, and some have a name beside it, which need not be their own.
    Beside(&'a [Option<String>]),
}

/// An automaton. This is its JSON form; states are numbered from 0.
#[derive(Serialize, Clone, Debug)]
pub struct AutomatonJson {
    /// How many states there are.
    pub states: usize,
    /// How many acceptance sets there are: with none, every infinite run is accepted; with several, a run must take
    /// edges of each of them infinitely often.
    pub acceptance_sets: u32,
    /// Whether acceptance is a matter of states: all edges that leave a state have the same marks.
    pub state_based: bool,
    /// Whether no letter can be read in two ways.
    pub deterministic: bool,
    /// `rejecting`, `terminal`, `weak` or `strong`: the greatest strength of a component.
    pub strength: &'static str,
    /// The states where runs begin.
    pub initial: Vec<usize>,
    /// What the states are called; absent where they have no names.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub names: Vec<Option<String>>,
    /// The edges, state by state.
    pub edges: Vec<AutomatonEdgeJson>,
}

/// An automaton that was not made from a formula alone: read from a file, or a product.
#[derive(Serialize, Clone, Debug)]
pub struct AutomatonReport {
    /// What it is called, if it has a name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether no word is accepted.
    pub empty: bool,
    /// A run that is accepted; absent where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunJson>,
    /// The automaton.
    #[serde(flatten)]
    pub automaton: AutomatonJson,
}

/// A run with a word that it accepts.
#[derive(Serialize, Clone, Debug)]
pub struct RunJson {
    /// The states before the loop, each with the atoms that hold in the letter read there.
    pub stem: Vec<RunState>,
    /// The states of the loop.
    #[serde(rename = "loop")]
    pub cycle: Vec<RunState>,
}

/// A state on a run.
#[derive(Serialize, Clone, Debug)]
pub struct RunState {
    /// Its number.
    pub state: usize,
    /// The atoms that hold in the letter that is read there.
    pub reads: Vec<String>,
}

/// An edge.
#[derive(Serialize, Clone, Debug)]
pub struct AutomatonEdgeJson {
    /// The state that it leaves.
    pub from: usize,
    /// The state that it enters.
    pub to: usize,
    /// The letters that it reads, as a Boolean formula over atoms.
    pub label: String,
    /// The acceptance sets that it belongs to.
    pub marks: Vec<u32>,
}

/// The word for a strength.
pub fn strength_word(strength: Strength) -> &'static str {
    match strength {
        Strength::Rejecting => "rejecting",
        Strength::Terminal => "terminal",
        Strength::Weak => "weak",
        Strength::Strong => "strong",
    }
}

/// A finite word as text: `{a, b} {} {a}`. Each letter lists the atoms that hold.
pub fn word_text(letters: &[Letter], atoms: &Atoms) -> String {
    let letter = |letter: &Letter| {
        let names: Vec<String> = letter.iter().map(|atom| atoms.get(atom).to_string()).collect();
        format!("{{{}}}", names.join(", "))
    };
    letters.iter().map(letter).collect::<Vec<_>>().join(" ")
}

/// Labels that are sums of more products than this are not written out for people.
const MOST_PRODUCTS: usize = 1 << 10;

/// The letters of an edge as a Boolean formula.
fn label_text(label: &Guard, atoms: &Atoms) -> String {
    match label.cubes_within(MOST_PRODUCTS) {
        Some(_) => label.display(atoms).to_string(),
        None => format!("(too large to be shown, over {} atoms)", label.atoms().len()),
    }
}

/// `1 state`, `2 states`.
pub(crate) fn counted(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

impl<'a> ShownAutomaton<'a> {
    /// An automaton whose states have no names.
    pub fn new(automaton: &'a Automaton<Guard>, atoms: &'a Atoms) -> Self {
        Self { automaton, atoms, names: StateNames::Numbers, run: None }
    }

    /// `2 states, 3 edges, Büchi acceptance, deterministic`.
    pub fn summary(&self) -> String {
        let automaton = self.automaton;
        let acceptance = match automaton.acceptance_sets() {
            0 => "every infinite run is accepted".to_owned(),
            1 => "Büchi acceptance".to_owned(),
            sets => format!("generalised Büchi acceptance with {sets} sets"),
        };
        let (states, edges) = (counted(automaton.state_count(), "state"), counted(automaton.edge_count(), "edge"));
        let deterministic = if automaton.is_deterministic() { ", deterministic" } else { "" };
        format!("{states}, {edges}, {acceptance}{deterministic}")
    }

    /// The automaton state by state, with a line for each edge.
    pub fn text(&self) -> String {
        let mut text = String::new();
        let automaton = self.automaton;
        let place = Acceptance::of(automaton);
        for state in automaton.states() {
            let initial = if automaton.initial().contains(&state) { ", initial" } else { "" };
            let accepting = if place.shows_state(automaton, state) { ", accepting" } else { "" };
            let _ = writeln!(text, "state {}{initial}{accepting}", self.name(state));
            for edge in automaton.edges_from(state) {
                let marks = place.on_edge(edge.marks);
                let gap = if marks.is_empty() { "" } else { "  " };
                let _ =
                    writeln!(text, "  -> {}  {}{gap}{marks}", self.name(edge.to), label_text(&edge.label, self.atoms));
            }
        }
        text
    }

    /// The automaton with what it is and whether it accepts anything, as text.
    pub fn page(&self, title: &str) -> String {
        let accepts = match self.run {
            None => "nothing".to_owned(),
            Some(run) => {
                // Where states have names, the run says more than the word.
                let part = |states: &[StateId], letters: &[Letter]| match self.names {
                    StateNames::Unique(_) => states.iter().map(|&state| self.name(state)).collect::<Vec<_>>().join(" "),
                    _ => word_text(letters, self.atoms),
                };
                let stem = part(&run.stem, &run.stem_letters);
                let cycle = part(&run.cycle, &run.cycle_letters);
                let gap = if stem.is_empty() { "" } else { ", then " };
                format!("for instance {stem}{gap}{cycle} for ever")
            }
        };
        format!("{title}: {}\naccepts {accepts}\n{}", self.summary(), self.text())
    }

    /// The same as JSON.
    pub fn report(&self, name: Option<&str>) -> AutomatonReport {
        let part = |states: &[StateId], letters: &[Letter]| {
            let state = |(state, letter): (&StateId, &Letter)| RunState {
                state: state.index(),
                reads: letter.iter().map(|atom| self.atoms.get(atom).to_string()).collect(),
            };
            states.iter().zip(letters).map(state).collect()
        };
        let run = self.run.map(|run| RunJson {
            stem: part(&run.stem, &run.stem_letters),
            cycle: part(&run.cycle, &run.cycle_letters),
        });
        AutomatonReport { name: name.map(str::to_owned), empty: run.is_none(), run, automaton: self.json() }
    }

    /// The automaton as a picture.
    pub fn drawing(&self) -> Drawing {
        let automaton = self.automaton;
        let place = Acceptance::of(automaton);
        let node = |state: StateId| DrawnNode {
            lines: vec![self.name(state)],
            shape: match (self.names == StateNames::Numbers, place.shows_state(automaton, state)) {
                (true, false) => NodeShape::Circle,
                (true, true) => NodeShape::DoubleCircle,
                (false, false) => NodeShape::Box,
                (false, true) => NodeShape::DoubleBox,
            },
            is_initial: automaton.initial().contains(&state),
            is_highlighted: self.run.is_some_and(|run| run.cycle.contains(&state)),
        };
        let edge = |edge: &automata::buchi::Edge<Guard>| {
            let marks = place.on_edge(edge.marks);
            let stroke = if marks.is_empty() { Stroke::Plain } else { Stroke::Bold };
            let label = label_text(&edge.label, self.atoms);
            let lines = [label, marks].into_iter().filter(|line| !line.is_empty()).collect();
            drawing::DrawnEdge { from: edge.from.index(), to: edge.to.index(), lines, stroke }
        };
        Drawing { nodes: automaton.states().map(node).collect(), edges: automaton.edges().map(edge).collect() }
    }

    /// The JSON form.
    pub fn json(&self) -> AutomatonJson {
        let automaton = self.automaton;
        let edge = |edge: &automata::buchi::Edge<Guard>| AutomatonEdgeJson {
            from: edge.from.index(),
            to: edge.to.index(),
            label: label_text(&edge.label, self.atoms),
            marks: edge.marks.iter().collect(),
        };
        AutomatonJson {
            states: automaton.state_count(),
            acceptance_sets: automaton.acceptance_sets(),
            state_based: automaton.is_state_based(),
            deterministic: automaton.is_deterministic(),
            strength: strength_word(Strengths::of(automaton).greatest()),
            initial: automaton.initial().iter().map(|state| state.index()).collect(),
            names: match self.names {
                StateNames::Numbers => Vec::new(),
                StateNames::Unique(names) => names.iter().cloned().map(Some).collect(),
                StateNames::Beside(names) => names.to_vec(),
            },
            edges: automaton.edges().map(edge).collect(),
        }
    }

    fn name(&self, state: StateId) -> String {
        let number = state.index();
        match self.names {
            StateNames::Unique(names) => names[number].clone(),
            StateNames::Beside(names) => match names.get(number).and_then(Option::as_ref) {
                Some(name) => format!("{number} \"{name}\""),
                None => number.to_string(),
            },
            StateNames::Numbers => number.to_string(),
        }
    }
}

/// Where acceptance is to be seen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Acceptance {
    /// There are no sets: every state is accepting.
    Everywhere,
    /// One set, and it is a matter of states.
    States,
    /// At edges.
    Edges,
}

impl Acceptance {
    fn of(automaton: &Automaton<Guard>) -> Acceptance {
        match automaton.acceptance_sets() {
            0 => Acceptance::Everywhere,
            1 if automaton.is_state_based() => Acceptance::States,
            _ => Acceptance::Edges,
        }
    }

    fn shows_state(self, automaton: &Automaton<Guard>, state: StateId) -> bool {
        match self {
            Acceptance::Everywhere => true,
            Acceptance::States => automaton.is_accepting(state),
            Acceptance::Edges => false,
        }
    }

    fn on_edge(self, marks: Marks) -> String {
        if self == Acceptance::Edges && !marks.is_empty() { marks.to_string() } else { String::new() }
    }
}
