//! Quotients by direct simulation, forwards and backwards.
//!
//! A state simulates another if for every letter it can follow every edge of the other by one that carries at least
//! the same marks, into a state that again simulates. States that simulate each other are merged, and an edge is left
//! out where another edge of the same state leads higher (Somenzi and Bloem, CAV 2000; Etessami and Holzmann, CONCUR
//! 2000; for labels that are functions and marks on edges, Babiak, Badie, Duret-Lutz, Křetínský and Strejček,
//! *Compositional approach to suspension and other improvements to LTL translation*, SPIN 2013). Backwards, the same is
//! asked of the edges that enter a state, and initial states are simulated by initial states only.

use std::collections::BTreeMap;

use foundation::{Budget, Exhausted, Id};

use super::minterms::{LetterSet, MintermSets};
use super::prune::restricted;
use crate::buchi::{Automaton, Guard, Marks, StateId};

/// Automata for which more comparisons of edges than this would have to be made in one pass are left as they are:
/// if labels are machine words, and if they are not.
const MOST_COMPARISONS: [usize; 2] = [1 << 26, 1 << 20];

/// Whether edges are compared where they leave states or where they enter them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Direction {
    /// The futures of states are compared.
    Forwards,
    /// The pasts of states are compared.
    Backwards,
}

/// The quotient of the automaton by simulation in one direction. If acceptance is state-based, it stays so. An
/// automaton that is too large for it is returned as it is.
pub fn simulation_quotient(
    automaton: &Automaton<Guard>,
    direction: Direction,
    budget: &Budget,
) -> Result<Automaton<Guard>, Exhausted> {
    let comparisons = automaton.edge_count().saturating_mul(automaton.edge_count());
    if comparisons > MOST_COMPARISONS[0] {
        return Ok(automaton.clone());
    }
    match MintermSets::of(automaton.edges().map(|edge| &edge.label)) {
        Some(minterms) => {
            let simulation = Simulation::compute(automaton, |label| minterms.set(label), direction, budget)?;
            Ok(simulation.quotient(automaton, |&letters| minterms.guard(letters)))
        }
        None if comparisons <= MOST_COMPARISONS[1] => {
            let simulation = Simulation::compute(automaton, Guard::clone, direction, budget)?;
            Ok(simulation.quotient(automaton, Guard::clone))
        }
        None => Ok(automaton.clone()),
    }
}

/// An edge as it is seen from one of its ends.
struct HalfEdge<S> {
    letters: S,
    marks: Marks,
    /// The state at the other end.
    other: usize,
}

struct Simulation<S> {
    direction: Direction,
    steps: Vec<Vec<HalfEdge<S>>>,
    /// `is_below[p][q]` if `q` simulates `p`.
    is_below: Vec<Vec<bool>>,
}

impl<S: LetterSet> Simulation<S> {
    /// The greatest simulation: starting from all pairs, those that break the condition are taken out.
    fn compute(
        automaton: &Automaton<Guard>,
        letters: impl Fn(&Guard) -> S,
        direction: Direction,
        budget: &Budget,
    ) -> Result<Simulation<S>, Exhausted> {
        let count = automaton.state_count();
        let mut steps: Vec<Vec<HalfEdge<S>>> = (0..count).map(|_| Vec::new()).collect();
        for edge in automaton.edges() {
            let (here, other) = match direction {
                Direction::Forwards => (edge.from.index(), edge.to.index()),
                Direction::Backwards => (edge.to.index(), edge.from.index()),
            };
            steps[here].push(HalfEdge { letters: letters(&edge.label), marks: edge.marks, other });
        }
        // Merging by pasts joins the edges that leave; they must agree on marks if acceptance is to stay with states.
        let keeps_states = direction == Direction::Backwards && automaton.is_state_based();
        let is_candidate = |below: usize, above: usize| {
            let [below, above] = [below, above].map(StateId::from_index);
            direction == Direction::Forwards
                || ((!automaton.initial().contains(&below) || automaton.initial().contains(&above))
                    && (!keeps_states || automaton.marks_of(below) == automaton.marks_of(above)))
        };
        let is_below = (0..count).map(|below| (0..count).map(|above| is_candidate(below, above)).collect()).collect();
        let mut simulation = Simulation { direction, steps, is_below };
        let mut is_stable = false;
        while !is_stable {
            is_stable = true;
            for below in 0..count {
                budget.check()?;
                for above in 0..count {
                    if below != above && simulation.is_below[below][above] && !simulation.can_follow(below, above) {
                        simulation.is_below[below][above] = false;
                        is_stable = false;
                    }
                }
            }
        }
        Ok(simulation)
    }

    fn can_follow(&self, below: usize, above: usize) -> bool {
        self.steps[below].iter().all(|step| {
            let mut left = step.letters.clone();
            for answer in &self.steps[above] {
                if step.marks.is_subset(answer.marks) && self.is_below[step.other][answer.other] {
                    left.remove_all(&answer.letters);
                    if left.is_empty() {
                        return true;
                    }
                }
            }
            left.is_empty()
        })
    }

    fn quotient(&self, automaton: &Automaton<Guard>, guard: impl Fn(&S) -> Guard) -> Automaton<Guard> {
        let count = self.steps.len();
        let is_equal = |one: usize, other: usize| self.is_below[one][other] && self.is_below[other][one];
        let representative: Vec<usize> =
            (0..count).map(|state| (0..=state).find(|&first| is_equal(first, state)).unwrap_or(state)).collect();
        let mut merged = Automaton::new(automaton.acceptance_sets());
        for _ in 0..count {
            merged.add_state();
        }
        for (state, &first) in representative.iter().enumerate().filter(|&(state, &first)| first == state) {
            // Steps of the class: equal states have steps that answer each other, so those of one state are enough.
            let mut steps: BTreeMap<(usize, Marks), S> = BTreeMap::new();
            for step in &self.steps[state] {
                steps
                    .entry((representative[step.other], step.marks))
                    .and_modify(|known| known.insert_all(&step.letters))
                    .or_insert_with(|| step.letters.clone());
            }
            let steps = Vec::from_iter(steps);
            for (number, ((other, marks), letters)) in steps.iter().enumerate() {
                let mut left = letters.clone();
                for (answer_number, ((higher, more), taken)) in steps.iter().enumerate() {
                    // Of two steps that answer each other there is but one after merging.
                    if answer_number != number && marks.is_subset(*more) && self.is_below[*other][*higher] {
                        left.remove_all(taken);
                    }
                }
                if !left.is_empty() {
                    let [here, there] = [first, *other].map(StateId::from_index);
                    let (from, to) = match self.direction {
                        Direction::Forwards => (here, there),
                        Direction::Backwards => (there, here),
                    };
                    merged.add_edge(from, guard(&left), to, *marks);
                }
            }
        }
        // Of initial states that are simulated by others, the highest are enough.
        let initial: Vec<usize> = automaton.initial().iter().map(|state| representative[state.index()]).collect();
        for &state in &initial {
            let is_lower = |&other: &usize| other != state && self.is_below[state][other];
            if self.direction == Direction::Backwards || !initial.iter().any(is_lower) {
                merged.add_initial(StateId::from_index(state));
            }
        }
        restricted(&merged, |_| true)
    }
}
