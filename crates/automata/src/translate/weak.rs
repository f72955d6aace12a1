//! Minimal weak deterministic automata for obligations.
//!
//! A property is an obligation if a weak deterministic Büchi automaton recognises it, and then there is a smallest
//! one. It is found by determinising as for finite words, deciding for each component of the result by
//! one of its cycles whether it accepts, choosing the acceptance of all states in the normal form of Löding (*Efficient
//! minimization of deterministic weak ω-automata*, IPL 2001), and minimising as for finite words (Dax, Eisinger and
//! Klaedtke, *Mechanizing the powerset construction for restricted classes of ω-automata*, ATVA 2007). If the
//! property is no obligation, the result is wrong, which is seen by comparing it with the automaton and that of
//! the negation.

use std::collections::{BTreeMap, VecDeque};

use foundation::collections::HashMap;
use foundation::{Budget, Id};

use super::Failure;
use super::product::are_disjoint;
use super::prune::trim;
use crate::buchi::{Automaton, Components, Guard, Marks, StateId, accepts};
use crate::ltl::Letter;

/// The most states that the determinised automaton may have, and the most of its edges.
const MOST_SUBSETS: usize = 1 << 10;
const MOST_EDGES: usize = 1 << 14;

/// What came of looking for a weak deterministic automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Weak {
    /// The smallest one. It has one acceptance set, on states.
    Minimal(Automaton<Guard>),
    /// There is none.
    NoObligation,
    /// Determinising would be too costly.
    TooCostly,
}

/// The smallest weak deterministic automaton for the language, if the language is an obligation. The automaton of the
/// complement is needed unless it is known beforehand that the language is an obligation.
pub fn minimal_weak(
    automaton: &Automaton<Guard>,
    complement: Option<&Automaton<Guard>>,
    budget: &Budget,
) -> Result<Weak, Failure> {
    let Some(subsets) = Subsets::of(automaton, budget)? else { return Ok(Weak::TooCostly) };
    let minimal = subsets.minimised(automaton);
    if let Some(complement) = complement {
        let opposite = minimal.map_edges(1, |edge| Some((edge.label.clone(), Marks::all(1).minus(edge.marks))));
        if !are_disjoint(&minimal, complement, budget)? || !are_disjoint(&opposite, automaton, budget)? {
            return Ok(Weak::NoObligation);
        }
    }
    Ok(Weak::Minimal(trim(&minimal)))
}

/// Whether every finite word can be read by a run that can go on: for a trimmed automaton, whether its language is a
/// liveness property. Nothing if determinising would be too costly.
pub fn never_gets_stuck(automaton: &Automaton<Guard>, budget: &Budget) -> Result<Option<bool>, Failure> {
    let can_go_on = |set: &Vec<StateId>| set.iter().any(|&state| !automaton.edges_from(state).is_empty());
    Ok(Subsets::of(automaton, budget)?.map(|subsets| subsets.sets.iter().all(can_go_on)))
}

/// The determinised automaton: complete, with one successor for each state and letter.
struct Subsets {
    sets: Vec<Vec<StateId>>,
    /// For each set, its successors with disjoint labels that are true together.
    successors: Vec<Vec<(Guard, usize)>>,
}

impl Subsets {
    fn of(automaton: &Automaton<Guard>, budget: &Budget) -> Result<Option<Subsets>, Failure> {
        let mut initial = automaton.initial().to_vec();
        initial.sort_unstable();
        let mut ids: HashMap<Vec<StateId>, usize> = HashMap::from_iter([(initial.clone(), 0)]);
        let mut sets = vec![initial];
        let mut successors: Vec<Vec<(Guard, usize)>> = Vec::new();
        let mut edges = 0;
        while successors.len() < sets.len() {
            budget.check()?;
            let leaving = sets[successors.len()].iter().flat_map(|&state| automaton.edges_from(state));
            // Which sets of states can be reached, and by which letters; refined edge by edge.
            let mut parts: BTreeMap<Vec<StateId>, Guard> = BTreeMap::from([(Vec::new(), Guard::constant(true))]);
            for edge in leaving {
                let mut refined: BTreeMap<Vec<StateId>, Guard> = BTreeMap::new();
                let mut add = |set: Vec<StateId>, label: Guard| {
                    if !label.is_false() {
                        let known = refined.entry(set).or_insert_with(|| Guard::constant(false));
                        *known = known.or(&label);
                    }
                };
                for (set, label) in parts {
                    let mut with_edge = set.clone();
                    if let Err(at) = with_edge.binary_search(&edge.to) {
                        with_edge.insert(at, edge.to);
                    }
                    add(with_edge, label.and(&edge.label));
                    add(set, label.and_not(&edge.label));
                }
                parts = refined;
                if edges + parts.len() > MOST_EDGES {
                    return Ok(None);
                }
            }
            edges += parts.len();
            let mut row = Vec::with_capacity(parts.len());
            for (set, label) in parts {
                let new = sets.len();
                let id = *ids.entry(set).or_insert_with_key(|set| {
                    sets.push(set.clone());
                    new
                });
                row.push((label, id));
            }
            successors.push(row);
            if sets.len() > MOST_SUBSETS {
                return Ok(None);
            }
        }
        Ok(Some(Subsets { sets, successors }))
    }

    /// The smallest automaton, complete and with state-based acceptance by one set.
    fn minimised(&self, automaton: &Automaton<Guard>) -> Automaton<Guard> {
        let is_accepting = self.normal_acceptance(automaton);
        // Classes of states, refined until equal states have equal successors.
        let mut class: Vec<usize> = is_accepting.iter().map(|&accepting| usize::from(accepting)).collect();
        let mut count = 0;
        loop {
            let mut ids: HashMap<(usize, BTreeMap<usize, Guard>), usize> = HashMap::default();
            let refined: Vec<usize> = (0..class.len())
                .map(|state| {
                    let new = ids.len();
                    *ids.entry((class[state], self.labels_by_class(state, &class))).or_insert(new)
                })
                .collect();
            class = refined;
            if ids.len() == count {
                break;
            }
            count = ids.len();
        }
        let mut minimal = Automaton::new(1);
        for _ in 0..count {
            minimal.add_state();
        }
        minimal.add_initial(StateId::from_index(class[0]));
        let mut is_done = vec![false; count];
        for state in 0..class.len() {
            if std::mem::replace(&mut is_done[class[state]], true) {
                continue;
            }
            let marks = if is_accepting[state] { Marks::all(1) } else { Marks::NONE };
            for (to, label) in self.labels_by_class(state, &class) {
                minimal.add_edge(StateId::from_index(class[state]), label, StateId::from_index(to), marks);
            }
        }
        minimal
    }

    /// By which letters a state leads to which class.
    fn labels_by_class(&self, state: usize, class: &[usize]) -> BTreeMap<usize, Guard> {
        let mut labels: BTreeMap<usize, Guard> = BTreeMap::new();
        for (label, successor) in &self.successors[state] {
            labels
                .entry(class[*successor])
                .and_modify(|known| *known = known.or(label))
                .or_insert_with(|| label.clone());
        }
        labels
    }

    /// Which states accept: components with cycles as their cycles say, and all others so that as many states as
    /// possible can be merged. A state gets the number of changes between accepting and rejecting that are still
    /// possible, counted downwards from a large number; even numbers accept.
    fn normal_acceptance(&self, automaton: &Automaton<Guard>) -> Vec<bool> {
        let mut graph: Automaton<()> = Automaton::new(0);
        for _ in &self.sets {
            graph.add_state();
        }
        graph.add_initial(StateId::from_index(0));
        for (state, row) in self.successors.iter().enumerate() {
            for (_, successor) in row {
                graph.add_edge(StateId::from_index(state), (), StateId::from_index(*successor), Marks::NONE);
            }
        }
        let components = Components::of(&graph);
        let largest = 2 * components.len() + 2;
        let mut number = vec![0; components.len()];
        for (id, component) in components.iter() {
            let successors = component.states.iter().flat_map(|state| &self.successors[state.index()]);
            let after = successors
                .filter_map(|&(_, successor)| components.of_state(StateId::from_index(successor)))
                .filter(|&other| other != id)
                .map(|other| number[other.index()])
                .min();
            number[id.index()] = if component.is_trivial {
                after.expect("every state of a complete automaton has successors")
            } else {
                let parity = usize::from(!self.accepts_cycle(automaton, component.states[0].index(), &components));
                let after = after.unwrap_or(largest + parity);
                if after % 2 == parity { after } else { after - 1 }
            };
        }
        let of_state = |state: usize| components.of_state(StateId::from_index(state)).map(|id| number[id.index()]);
        (0..self.sets.len()).map(|state| of_state(state).is_some_and(|number| number % 2 == 0)).collect()
    }

    /// Whether the automaton accepts a word that leads from this state back to it for ever.
    fn accepts_cycle(&self, automaton: &Automaton<Guard>, state: usize, components: &Components) -> bool {
        let home = StateId::from_index(state);
        let mut came_from: HashMap<usize, (usize, &Guard)> = HashMap::default();
        let mut open = VecDeque::from([state]);
        while let Some(next) = open.pop_front() {
            if came_from.contains_key(&state) {
                break;
            }
            for &(ref label, successor) in &self.successors[next] {
                let is_inside = components.inside(home, StateId::from_index(successor)).is_some();
                if is_inside && !came_from.contains_key(&successor) {
                    came_from.insert(successor, (next, label));
                    open.push_back(successor);
                }
            }
        }
        let mut cycle: Vec<Letter> = Vec::new();
        let mut at = state;
        loop {
            let (before, label) = came_from[&at];
            cycle.push(label.example().expect("no label is false"));
            at = before;
            if at == state {
                break;
            }
        }
        cycle.reverse();
        let mut from_here =
            automaton.map_edges(automaton.acceptance_sets(), |edge| Some((edge.label.clone(), edge.marks)));
        from_here.set_initial(self.sets[state].clone());
        accepts(&from_here, &[], &cycle)
    }
}
