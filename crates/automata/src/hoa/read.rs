//! Gives the items of a HOA text their meaning: numbers are resolved, labels become guards, and the acceptance
//! condition becomes marks. All faults of a text are reported together.

use foundation::collections::{HashMap, HashSet};
use foundation::{Diagnostic, Diagnostics, SourceId, SourceMap, Span};

use super::acceptance::{AcceptanceCondition, AutomatonBody, GraphEdge};
use super::atoms::atom_of;
use super::syntax::{self, Description, EdgeItem, GuardExpression, Operation, StateItem};
use crate::buchi::{Automaton, Guard};
use crate::ltl::{AtomId, Formulas, Letter};

/// An automaton that was read.
#[derive(Clone, Debug)]
pub struct HoaAutomaton {
    /// The automaton, with acceptance brought into generalised Büchi form.
    pub automaton: Automaton<Guard>,
    /// The atoms of its alphabet, in the order of the text.
    pub atoms: Vec<AtomId>,
    /// Its name: the formula that it was made from, as a rule.
    pub name: Option<String>,
    /// The tool that wrote it, with its version.
    pub tool: Option<(String, Option<String>)>,
    /// The properties that the text claims; none of them was checked.
    pub properties: Vec<String>,
    /// The words after `acc-name:`.
    pub acceptance_name: Vec<String>,
    /// The names of states, in the order of the automaton's states.
    pub state_names: Vec<Option<String>>,
}

/// All automata of a text.
#[derive(Clone, Debug)]
pub struct Stream {
    /// The automata in the order of the text; those given up by `--ABORT--` are not among them.
    pub automata: Vec<HoaAutomaton>,
    /// What the user should know about how they were read.
    pub warnings: Diagnostics,
}

/// Labels with more decision nodes than this are refused, so that no text can fill the memory.
const MOST_NODES: usize = 1 << 11;
/// Labels that might be sums of more products than this are refused, so that they can be written again.
const MOST_PRODUCTS: u64 = 1 << 12;
/// Labels with more atoms than this are refused.
const MOST_ATOMS: usize = 64;

/// Reads all automata of a source text. Their atoms are added to those of the formulas.
pub fn parse(sources: &SourceMap, source: SourceId, formulas: &mut Formulas) -> Result<Stream, Diagnostics> {
    let mut diagnostics = Diagnostics::new();
    let descriptions = match syntax::read(sources.text(source), source) {
        Ok(descriptions) => descriptions,
        Err(fault) => {
            diagnostics.push(*fault);
            return Err(diagnostics);
        }
    };
    let mut automata = Vec::new();
    for description in &descriptions {
        let mut meaning = ReadAtom::new(description, &mut diagnostics);
        automata.extend(meaning.automaton(formulas));
    }
    if diagnostics.has_errors() { Err(diagnostics) } else { Ok(Stream { automata, warnings: diagnostics }) }
}

struct ReadAtom<'a> {
    description: &'a Description,
    diagnostics: &'a mut Diagnostics,
    atoms: Vec<AtomId>,
    aliases: HashMap<&'a str, GuardProducts>,
    sets: u32,
}

/// A guard, with bounds on how many products it and its negation may need.
#[derive(Clone, Debug)]
struct GuardProducts {
    guard: Guard,
    products: u64,
    negated_products: u64,
}

impl<'a> ReadAtom<'a> {
    fn new(description: &'a Description, diagnostics: &'a mut Diagnostics) -> Self {
        Self { description, diagnostics, atoms: Vec::new(), aliases: HashMap::default(), sets: 0 }
    }

    fn automaton(&mut self, formulas: &mut Formulas) -> Option<HoaAutomaton> {
        let description = self.description;
        let start = description.start_of_text?;
        for (name, place) in &description.unknown {
            let message = format!("the header `{name}:` is not known and was left out of account");
            let help = "its capital letter says that it may change what the automaton accepts";
            self.diagnostics.push(Diagnostic::warning("ignored-header", message).at(*place).help(help));
        }
        self.resolve_atoms(formulas);
        for (name, expression) in &description.aliases {
            if let Some(value) = self.evaluate(expression) {
                self.aliases.insert(name, value);
            }
        }
        let acceptance = match &description.acceptance {
            Some((sets, condition, _)) => {
                self.sets = *sets;
                match AcceptanceCondition::of(condition, *sets) {
                    Ok(acceptance) => Some(acceptance),
                    Err(fault) => {
                        self.diagnostics.push(*fault);
                        None
                    }
                }
            }
            None => {
                self.error(
                    start,
                    "missing-acceptance",
                    "the header `Acceptance:` is missing",
                    "add `Acceptance: 1 Inf(0)`",
                );
                None
            }
        };
        let graph = self.graph(start);
        let (acceptance, graph) = (acceptance?, graph?);
        if self.diagnostics.has_errors() {
            return None;
        }
        let (automaton, origins) = acceptance.apply(&graph);
        let mut names: Vec<Option<String>> = vec![None; graph.states as usize];
        for state in &description.body {
            names[state.number as usize].clone_from(&state.name);
        }
        Some(HoaAutomaton {
            automaton,
            atoms: self.atoms.clone(),
            name: description.name.clone(),
            tool: description.tool.clone(),
            properties: description.properties.clone(),
            acceptance_name: description.acceptance_name.clone().unwrap_or_default(),
            state_names: origins.into_iter().map(|origin| names[origin as usize].clone()).collect(),
        })
    }

    fn resolve_atoms(&mut self, formulas: &mut Formulas) {
        let mut known = HashSet::default();
        for (text, place) in self.description.atoms.iter().flat_map(|(atoms, _)| atoms) {
            let Some(atom) = atom_of(text) else {
                let message = format!("`{}` cannot be the text of an atomic proposition", text.escape_debug());
                self.error(
                    *place,
                    "malformed-atom",
                    message,
                    "use a text that is not empty and has no `\\` at its end",
                );
                continue;
            };
            formulas.atom(atom.clone());
            let id = formulas.atoms().find(&atom).expect("it was added just now");
            if !known.insert(id) {
                let message = format!("the atomic proposition `{atom}` is given twice");
                self.error(*place, "repeated-atom", message, "let all names after `AP:` differ");
            }
            self.atoms.push(id);
        }
    }

    /// The body as a graph, if all its numbers make sense.
    fn graph(&mut self, start: Span) -> Option<AutomatonBody> {
        let description = self.description;
        let (count, count_place) = description.states.unwrap_or((description.body.len() as u32, start));
        let mut seen: HashMap<u32, Span> = HashMap::default();
        for state in &description.body {
            self.known_state(state.number, state.span, count);
            if let Some(first) = seen.insert(state.number, state.span) {
                let message = format!("state {} is given twice", state.number);
                let fault = Diagnostic::error("repeated-state", message).at(state.span);
                self.diagnostics.push(fault.also(first, "first given here").help("put all its edges into one item"));
            }
        }
        if let Some(missing) = (0..count).take(seen.len() + 1).find(|number| !seen.contains_key(number)) {
            let place = description.states.map_or(description.end.unwrap_or(start), |_| count_place);
            let message = format!("state {missing} is not given");
            self.error(place, "missing-state", message, &format!("add `State: {missing}` to the body"));
        }
        for &(number, place) in &description.starts {
            self.known_state(number, place, count);
        }
        let mut graph = AutomatonBody { states: count, ..AutomatonBody::default() };
        graph.starts = description.starts.iter().map(|(number, _)| *number).collect();
        for state in &description.body {
            self.edges(state, count, &mut graph);
        }
        (!self.diagnostics.has_errors()).then_some(graph)
    }

    fn edges(&mut self, state: &StateItem, count: u32, graph: &mut AutomatonBody) {
        self.known_sets(&state.sets);
        let state_label = state.label.as_ref().map(|label| self.evaluate(label));
        let labelled = state.edges.iter().filter(|edge| edge.label.is_some()).count();
        if let Some(edge) = state.edges.iter().find(|edge| edge.label.is_some() && state_label.is_some()) {
            let message = format!("state {} and its edges are both labelled", state.number);
            self.error(edge.span, "mixed-labels", message, "label either the state or its edges");
            return;
        }
        let is_implicit = state_label.is_none() && labelled == 0 && !state.edges.is_empty();
        if !is_implicit && state_label.is_none() && labelled != state.edges.len() {
            let unlabelled = state.edges.iter().find(|edge| edge.label.is_none()).expect("some edge has no label");
            let message = format!("some edges of state {} have no label", state.number);
            self.error(unlabelled.span, "mixed-labels", message, "label all edges of a state or none");
            return;
        }
        let letters = u32::try_from(self.atoms.len()).ok().and_then(|atoms| 1_usize.checked_shl(atoms));
        if is_implicit && letters != Some(state.edges.len()) {
            let atoms = self.atoms.len();
            let message = format!("state {} has {} edges without labels", state.number, state.edges.len());
            let help = format!("give one for each of the 2^{atoms} letters, or label them");
            self.error(state.span, "wrong-count", message, &help);
            return;
        }
        for (index, edge) in state.edges.iter().enumerate() {
            self.known_state(edge.target, edge.span, count);
            self.known_sets(&edge.sets);
            let label = match (&edge.label, &state_label) {
                (Some(label), _) => self.evaluate(label),
                (None, Some(label)) => label.clone(),
                (None, None) => Some(self.letter(index)),
            };
            let Some(label) = label else { continue };
            if !label.guard.is_false() {
                graph.edges.push(graph_edge(state, edge, label.guard));
            }
        }
    }

    /// The guard of the letter whose number has the bits of the atoms that hold.
    fn letter(&self, number: usize) -> GuardProducts {
        let holding = self.atoms.iter().enumerate().filter(|(bit, _)| number >> bit & 1 == 1).map(|(_, atom)| *atom);
        let guard = Guard::letter(&holding.collect::<Letter>(), &self.atoms);
        GuardProducts { guard, products: 1, negated_products: self.atoms.len() as u64 }
    }

    /// The value of a label, or nothing, with a diagnostic.
    fn evaluate(&mut self, label: &GuardExpression) -> Option<GuardProducts> {
        let mut stack: Vec<GuardProducts> = Vec::new();
        for operation in &label.operations {
            let value = match operation {
                Operation::Constant(value) => {
                    let products = u64::from(*value);
                    GuardProducts { guard: Guard::constant(*value), products, negated_products: 1 - products }
                }
                Operation::Atom(number, place) => {
                    let Some(&atom) = self.atoms.get(*number as usize) else {
                        let message = format!("there is no atomic proposition {number}");
                        let help = format!("`AP:` names {}, numbered from 0", self.atoms.len());
                        self.error(*place, "unknown-atom", message, &help);
                        return None;
                    };
                    GuardProducts { guard: Guard::atom(atom), products: 1, negated_products: 1 }
                }
                Operation::Alias(name, place) => {
                    let Some(value) = self.aliases.get(name.as_str()) else {
                        let message = format!("the alias `@{name}` is not defined before it is used");
                        self.error(*place, "unknown-alias", message, &format!("add `Alias: @{name} …` to the header"));
                        return None;
                    };
                    value.clone()
                }
                Operation::Not => stack.pop().expect("the notation is well-formed").negated(),
                Operation::And | Operation::Or => {
                    let right = stack.pop().expect("the notation is well-formed");
                    let left = stack.pop().expect("the notation is well-formed");
                    if matches!(operation, Operation::And) {
                        left.and(&right)
                    } else {
                        left.negated().and(&right.negated()).negated()
                    }
                }
                Operation::Visits { .. } => unreachable!("labels have no such parts"),
            };
            if value.is_too_large() {
                let fault = Diagnostic::error("label-too-large", "this label is too large").at(label.span);
                self.diagnostics.push(fault.help("split the edge into several with simpler labels"));
                return None;
            }
            stack.push(value);
        }
        stack.pop()
    }

    fn known_state(&mut self, number: u32, place: Span, count: u32) {
        if number >= count {
            let message = format!("there is no state {number}, since there are {count} states");
            self.error(place, "unknown-state", message, "states are numbered from 0");
        }
    }

    fn known_sets(&mut self, sets: &[(u32, Span)]) {
        let known = self.sets;
        for &(set, place) in sets.iter().filter(|(set, _)| *set >= known) {
            if self.description.acceptance.is_some() {
                let message = format!("there is no acceptance set {set}, since `Acceptance:` announces {known}");
                self.error(place, "unknown-set", message, "sets are numbered from 0");
            }
        }
    }

    fn error(&mut self, place: Span, code: &'static str, message: impl Into<String>, help: &str) {
        self.diagnostics.push(Diagnostic::error(code, message).at(place).help(help));
    }
}

fn graph_edge(state: &StateItem, edge: &EdgeItem, label: Guard) -> GraphEdge {
    let sets = state.sets.iter().chain(&edge.sets).map(|(set, _)| *set).collect();
    GraphEdge { from: state.number, label, to: edge.target, sets }
}

impl GuardProducts {
    fn negated(&self) -> GuardProducts {
        GuardProducts { guard: self.guard.not(), products: self.negated_products, negated_products: self.products }
    }

    fn and(&self, other: &GuardProducts) -> GuardProducts {
        GuardProducts {
            guard: self.guard.and(&other.guard),
            products: self.products.saturating_mul(other.products),
            negated_products: self.negated_products.saturating_add(other.negated_products),
        }
    }

    /// Whether it is too large to be handled. A guard over few atoms never is, however it is written.
    fn is_too_large(&self) -> bool {
        let atoms = self.guard.atoms().len();
        let has_many_products = self.products.min(self.negated_products) > MOST_PRODUCTS && atoms > 12;
        atoms > MOST_ATOMS || self.guard.size() > MOST_NODES || has_many_products
    }
}
