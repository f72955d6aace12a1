//! Executions whose path through a loop changes: all cycles of the Büchi program at the honda of a lasso, together.
//!
//! The refinement looks at one lasso at a time. Where a path is taken 10⁸ times before another one is taken for ever,
//! the lasso of the second path has a stem of 10⁸ iterations, and no search along stems comes there. A recurrent set that
//! all paths keep needs no stem of that kind.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use automata::buchi::{Automaton, Marks, StateId};
use foundation::collections::HashMap;
use foundation::{Budget, Exhausted};
use logic::{Symbol, Term, Terms, Value};
use smt::Solver;

use super::lasso::{Divergent, Lasso, NonTermination, set_of_several, steady, wishes};
use super::letter::{LetterId, Letters, TakenEdge};
use super::module::Refuted;
use super::refine::{ChosenCycle, Divergence, Refinement, Refiner};
use crate::encode::Transition;

/// The most cycles that are looked at together.
const MOST_CYCLES: usize = 32;

/// The most edges of the Büchi program on a cycle.
const LONGEST_CYCLE_EDGES: usize = 32;

/// The most beginnings of cycles that are followed.
const MOST_BEGINNINGS: usize = 4_000;

/// For so many lassos that end, it is asked whether an execution goes on by other paths.
const MOST_ENDED_LASSOS: usize = 16;

/// So many lassos later: most executions are found along one path, and are easier to tell.
const PATIENCE_LASSOS: usize = 8;

/// Lassos whose cycles end, with their numbers, which are to be looked at again if no execution is found soon.
#[derive(Clone, Default)]
pub struct Ended {
    waiting: VecDeque<(usize, Vec<LetterId>, Vec<LetterId>)>,
    count: usize,
}

impl Ended {
    /// What became of a lasso with this number; or an execution by several paths, where one is found when it is time.
    pub fn or_diverges<'t>(
        &mut self,
        refinement: Refinement<'t>,
        number: usize,
        (stem, cycle): (&[LetterId], &[LetterId]),
        refiner: &Refiner<'t>,
        graph: &Automaton<LetterId>,
        budget: &Budget,
    ) -> Result<Refinement<'t>, Exhausted> {
        let patience = match &refinement {
            Refinement::Diverges(_) => return Ok(refinement),
            Refinement::Unknown(_) => {
                self.waiting.push_back((number, stem.to_vec(), cycle.to_vec()));
                0
            }
            Refinement::Refuted { module, .. } => {
                let is_ranked = matches!(**module, Refuted::Ranked(_) | Refuted::OneLasso(_));
                if is_ranked && self.count < MOST_ENDED_LASSOS {
                    self.count += 1;
                    self.waiting.push_back((number, stem.to_vec(), cycle.to_vec()));
                }
                PATIENCE_LASSOS
            }
        };
        while let Some((_, stem, cycle)) = self.waiting.pop_front_if(|(ended, ..)| *ended + patience <= number) {
            if let Some(divergence) = diverge(refiner, graph, &stem, &cycle, budget)? {
                return Ok(Refinement::Diverges(Box::new(divergence)));
            }
        }
        Ok(refinement)
    }
}

/// An input of a cycle: the edge that asks, how often it was taken by then, which of its questions it is.
type InputName = (program::EdgeId, usize, usize);

/// Looks for an execution that goes round the cycle of a lasso and other ones in any order.
fn diverge(
    refiner: &Refiner<'_>,
    graph: &Automaton<LetterId>,
    stem: &[LetterId],
    cycle: &[LetterId],
    budget: &Budget,
) -> Result<Option<Divergence>, Exhausted> {
    let (terms, letters) = (refiner.terms, &*refiner.letters);
    let Some(honda) = honda(graph, stem, cycle) else { return Ok(None) };
    let words = cycles(graph, honda);
    if words.len() < 2 {
        return Ok(None);
    }
    let (stem_letter, cycle_letter) = (refiner.composed(stem), refiner.composed(cycle));
    let (stem_step, cycle_step) = (letters.step(stem_letter), letters.step(cycle_letter));
    let composed: Vec<LetterId> = words.iter().map(|word| refiner.composed(word)).collect();
    let is_approximate = |letter: &LetterId| letters.step(*letter).is_approximate;
    if is_approximate(&stem_letter) || composed.iter().any(is_approximate) {
        return Ok(None);
    }
    let lasso = Lasso { stem: &stem_step, cycle: &cycle_step };
    let steps: Vec<Transition> = composed.iter().map(|letter| Transition::clone(&letters.step(*letter))).collect();
    let known = terms.and(steps.iter().map(|step| refiner.known_in(step)));
    refiner.triples.with_solver(|solver| {
        solver.set_kind("lasso");
        for wish in wishes(terms, &steps, known) {
            let Some(NonTermination { start, .. }) = steady(terms, solver, &lasso, wish, budget)? else { continue };
            let inputs = start.lead.first().cloned().unwrap_or_default();
            let names = named_inputs(&letters.path(cycle_letter));
            let chosen: HashMap<InputName, &Value> =
                names.iter().filter_map(|(name, symbol)| Some((*name, inputs.get(symbol)?))).collect();
            let others: Vec<ChosenCycle> =
                composed.iter().map(|&cycle| with_inputs(terms, letters, cycle, &chosen)).collect();
            let cycles: Vec<Transition> = others.iter().map(|other| fixed(terms, letters, other)).collect();
            if let Some(set) = set_of_several(terms, solver, &cycles, known, &start.state, budget)? {
                let choice: BTreeMap<Symbol, Term> =
                    inputs.iter().filter_map(|(&symbol, value)| Some((symbol, terms.of_value(value)?))).collect();
                let execution = NonTermination { start, argument: Divergent::RecurrentSet { set, choice } };
                return Ok(Some(Divergence { stem: stem_letter, cycle: cycle_letter, execution, others }));
            }
        }
        Ok(None)
    })
}

/// The state in which a lasso's cycle begins.
fn honda(graph: &Automaton<LetterId>, stem: &[LetterId], cycle: &[LetterId]) -> Option<StateId> {
    let after = |from: BTreeSet<StateId>, word: &[LetterId]| {
        word.iter().fold(from, |states, letter| {
            let edges = states.into_iter().flat_map(|state| graph.edges_from(state));
            edges.filter(|edge| edge.label == *letter).map(|edge| edge.to).collect()
        })
    };
    let entered = after(graph.initial().iter().copied().collect(), stem);
    entered.into_iter().find(|&state| after(BTreeSet::from([state]), cycle).contains(&state))
}

/// The fair cycles at a state that pass no state twice, as words; not more than a few.
fn cycles(graph: &Automaton<LetterId>, honda: StateId) -> Vec<Vec<LetterId>> {
    let mut found = Vec::new();
    let mut open: Vec<(Vec<StateId>, Vec<LetterId>, Marks)> = vec![(vec![honda], Vec::new(), Marks::NONE)];
    let mut followed = 0;
    while let Some((states, word, marks)) = open.pop() {
        followed += 1;
        if followed > MOST_BEGINNINGS || found.len() > MOST_CYCLES {
            return Vec::new();
        }
        for edge in graph.edges_from(*states.last().expect("a cycle begins somewhere")) {
            let marks = marks.union(edge.marks);
            let longer = || word.iter().copied().chain([edge.label]).collect::<Vec<_>>();
            if edge.to == honda {
                if graph.all_marks().is_subset(marks) {
                    found.push(longer());
                }
            } else if !states.contains(&edge.to) && states.len() < LONGEST_CYCLE_EDGES {
                open.push((states.iter().copied().chain([edge.to]).collect(), longer(), marks));
            }
        }
    }
    found
}

/// The inputs on a path by their names.
fn named_inputs(path: &[TakenEdge]) -> Vec<(InputName, Symbol)> {
    let mut times: HashMap<program::EdgeId, usize> = HashMap::default();
    let mut found = Vec::new();
    for taken in path {
        let Some(edge) = taken.edge else { continue };
        let time = times.entry(edge).or_default();
        *time += 1;
        found.extend(taken.asked.iter().enumerate().map(|(index, asked)| ((edge, *time, index), asked.symbol)));
    }
    found
}

/// A cycle with the values that were chosen for inputs, and some value for the others.
fn with_inputs(terms: &Terms, letters: &Letters, cycle: LetterId, chosen: &HashMap<InputName, &Value>) -> ChosenCycle {
    let any = |&input: &Symbol| Some((input, terms.of_value(&Value::default_of(&terms.sort_of_symbol(input)))?));
    let mut inputs: BTreeMap<Symbol, Term> = letters.step(cycle).inputs.iter().filter_map(any).collect();
    let named = named_inputs(&letters.path(cycle)).into_iter();
    inputs.extend(named.filter_map(|(name, symbol)| Some((symbol, terms.of_value(chosen.get(&name)?)?))));
    ChosenCycle { cycle, inputs }
}

/// The step of a cycle whose inputs are chosen.
fn fixed(terms: &Terms, letters: &Letters, ChosenCycle { cycle, inputs }: &ChosenCycle) -> Transition {
    let step = letters.step(*cycle);
    let values: HashMap<Symbol, Term> = inputs.iter().map(|(&symbol, &value)| (symbol, value)).collect();
    Transition {
        guard: terms.substitute(step.guard, &values),
        updates: step.updates.iter().map(|(&symbol, &value)| (symbol, terms.substitute(value, &values))).collect(),
        inputs: step.inputs.iter().filter(|input| !values.contains_key(input)).copied().collect(),
        known: step.known,
        is_approximate: step.is_approximate,
    }
}
