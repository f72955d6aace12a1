//! The Büchi program: the program and the automaton of the negated property, side by side (FMT, Definition 4).
//!
//! Its states are pairs of a place in the program and a state of the automaton; its edges carry what the program does
//! together with what the automaton demands of the state afterwards. The property is violated exactly if some fair trace
//! of the Büchi program is feasible. It begins with an edge that sets the variables to their initial values and reads
//! the first letter, so that the state at the start is observed too. Acceptance stays on the edges and generalised, as
//! the translation gives it, so that edges can be composed without losing fairness.
//!
//! Where an edge's condition is a disjunction, there is one edge per disjunct: refuting a conjunction is easier.

use automata::buchi::{Automaton, StateId};
use foundation::collections::HashMap;
use foundation::{Budget, Id};
use logic::Terms;
use program::{EdgeId, LocationId};
use task::{Negation, Reason};

use super::hoare::Triples;
use super::invariants;
use super::letter::{LetterId, Letters};
use super::observation::ObservedProgram;
use crate::encode::edge::encode;
use crate::encode::{Exit, Passage, Transition, Vocabulary, initial};

/// How many units of work a node of the product is, about.
const WORK_OF_A_NODE: u64 = 50;

/// The most disjuncts that an edge is split into.
const MOST_DISJUNCTS: usize = 24;

/// Where control is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Control {
    /// Before the first step.
    Start,
    /// At a location.
    At(LocationId),
    /// Nowhere any more: stopped by an edge.
    Stopped(EdgeId, Exit),
}

/// A program that runs beside the automaton of its negated property.
pub struct BuchiProgram {
    /// Its states and edges, those too from which no fair trace is left.
    pub graph: Automaton<LetterId>,
    /// For each state, the place and the state of the property's automaton.
    pub places: Vec<(Control, StateId)>,
    /// Its letters.
    pub letters: Letters,
    /// How large it was before anything was removed, and how large the program is.
    pub growth: ProductSizes,
}

/// Sizes: locations and edges.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct ProductSizes {
    /// Of the program.
    pub program: (usize, usize),
    /// Of the product.
    pub product: (usize, usize),
    /// Of what is left of it after pruning and composing.
    pub reduced: (usize, usize),
}

/// Builds the Büchi program.
pub struct Builder<'a, 't> {
    /// The terms.
    pub terms: &'t Terms,
    /// The program's symbols.
    pub vocabulary: &'t Vocabulary<'t>,
    /// The property's automaton.
    pub negation: &'a Negation,
    /// What is observed.
    pub observation: &'a ObservedProgram<'t>,
    /// Tells which edges can never be taken.
    pub triples: &'a Triples<'t>,
    /// What may be spent.
    pub budget: &'a Budget,
}

impl Builder<'_, '_> {
    /// The Büchi program.
    pub fn build(&self) -> Result<BuchiProgram, Reason> {
        let program = self.vocabulary.program();
        let letters = Letters::default();
        let mut passages: Vec<Option<Vec<Passage>>> = vec![None; program.edges.len()];
        // All symbols must be known before the state at the start is described.
        for edge in program.edges.ids() {
            self.budget.check()?;
            passages[edge.index()] = Some(encode(self.vocabulary, edge)?);
        }
        for location in program.locations.ids() {
            self.budget.check()?;
            for step in self.negation.automaton.edges() {
                self.observation.conditions(self.terms, &step.label, location, Exit::Passes)?;
            }
        }
        let start = initial::encode(self.vocabulary)?;
        self.triples.know(invariants::known(self.vocabulary));
        // The automaton's edges are numbered in the order of their sources.
        let mut first_edge: Vec<u32> = vec![0];
        for state in self.negation.automaton.states() {
            first_edge.push(first_edge[state.index()] + self.negation.automaton.edges_from(state).len() as u32);
        }
        let mut places: Vec<(Control, StateId)> = Vec::new();
        let mut graph = Automaton::new(self.negation.automaton.acceptance_sets());
        let mut numbers: HashMap<(Control, StateId), StateId> = HashMap::default();
        let mut open: Vec<(Control, StateId)> = Vec::new();
        let mut number = |node: (Control, StateId), graph: &mut Automaton<LetterId>, open: &mut Vec<_>| {
            *numbers.entry(node).or_insert_with(|| {
                open.push(node);
                places.push(node);
                graph.add_state()
            })
        };
        for &state in self.negation.automaton.initial() {
            let id = number((Control::Start, state), &mut graph, &mut open);
            graph.add_initial(id);
        }
        while let Some(node) = open.pop() {
            self.budget.spend(WORK_OF_A_NODE);
            self.budget.check()?;
            let from = number(node, &mut graph, &mut open);
            let (place, state) = node;
            let mut follow =
                |edge: Option<EdgeId>, passage: &Passage, to: Control, reads: Option<(LocationId, Exit)>| {
                    let Some((seen_from, exit)) = reads else {
                        let letter = letters.of_passage(self.terms, edge, passage, None);
                        for letter in self.split(&letters, letter, self.terms.truth(true), false) {
                            let to = number((to, state), &mut graph, &mut open);
                            graph.add_edge(from, letter, to, automata::buchi::Marks::NONE);
                        }
                        return Ok(());
                    };
                    for (index, step) in self.negation.automaton.edges_from(state).iter().enumerate() {
                        let read = first_edge[state.index()] + index as u32;
                        let letter = letters.of_passage(self.terms, edge, passage, Some(read));
                        let conditions = self.observation.conditions(self.terms, &step.label, seen_from, exit)?;
                        let is_part = conditions.len() > 1;
                        for condition in conditions {
                            for letter in self.split(&letters, letter, condition, is_part) {
                                let to = number((to, step.to), &mut graph, &mut open);
                                graph.add_edge(from, letter, to, step.marks);
                            }
                        }
                    }
                    Ok::<(), Reason>(())
                };
            match place {
                Control::Start => {
                    let first = self.vocabulary.prepared.start();
                    follow(None, &start, Control::At(first), Some((first, Exit::Passes)))?;
                }
                Control::At(location) if program.locations[location].out.is_empty() => {
                    // Control stays here, and what was observed last is observed for ever.
                    if self.observation.is_stale(location) {
                        return Err(Reason::unsupported("a place that is never left and was not observed", None));
                    }
                    let stay = Passage {
                        step: Transition::skip(self.terms),
                        exit: Exit::Passes,
                        asked: Vec::new(),
                        contents: Vec::new(),
                    };
                    follow(None, &stay, place, Some((location, Exit::Passes)))?;
                }
                Control::At(location) => {
                    for &edge in &program.locations[location].out {
                        let to = program.edges[edge].to;
                        for passage in passages[edge.index()].as_ref().expect("all edges are encoded") {
                            let reads = self.observation.reads(edge).then_some((to, Exit::Passes));
                            match passage.exit {
                                Exit::Passes => follow(Some(edge), passage, Control::At(to), reads)?,
                                Exit::Returns => {
                                    follow(Some(edge), passage, Control::Stopped(edge, Exit::Returns), reads)?;
                                }
                                Exit::Undefined if self.cuts_undefined() => {}
                                exit => follow(Some(edge), passage, Control::Stopped(edge, exit), None)?,
                            }
                        }
                    }
                }
                Control::Stopped(edge, exit) => {
                    let stay =
                        Passage { step: Transition::skip(self.terms), exit, asked: Vec::new(), contents: Vec::new() };
                    follow(None, &stay, place, Some((program.edges[edge].from, exit)))?;
                }
            }
        }
        let growth = ProductSizes {
            program: (program.locations.len(), program.edges.len()),
            product: (graph.state_count(), graph.edge_count()),
            reduced: (graph.state_count(), graph.edge_count()),
        };
        Ok(BuchiProgram { graph, places, letters, growth })
    }

    fn cuts_undefined(&self) -> bool {
        self.vocabulary.prepared.semantics.undefined == program::semantics::UndefinedMode::Assume
    }

    /// The letter with a condition that holds afterwards, split into letters with conjunctive guards, without those that
    /// can never be taken.
    fn split(&self, letters: &Letters, letter: LetterId, condition: logic::Term, is_part: bool) -> Vec<LetterId> {
        let step = letters.step(letter);
        let guard = self.terms.and([step.guard, step.after(self.terms, condition)]);
        if guard == self.terms.truth(false) {
            return Vec::new();
        }
        let disjuncts = match self.terms.disjunctive_normal_form(guard, MOST_DISJUNCTS) {
            Some(disjuncts) => disjuncts.into_iter().map(|literals| self.terms.and(literals)).collect(),
            None => vec![guard],
        };
        let is_part = is_part || disjuncts.len() > 1;
        let possible = disjuncts.into_iter().filter(|&guard| !self.triples.is_impossible(guard));
        possible.map(|guard| letters.guarded(letter, guard, is_part)).collect()
    }
}
