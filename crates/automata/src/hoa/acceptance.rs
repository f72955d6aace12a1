//! Acceptance conditions of HOA as generalised Büchi acceptance.
//!
//! A conjunction of `Inf` is generalised Büchi acceptance as it stands. Any other condition is brought into disjunctive
//! normal form: an automaton may guess which of the conjunctions will be satisfied, and when the edges that its `Fin`s
//! forbid have been taken for the last time; from then on it goes on in a copy of its own, without those edges.

use foundation::{Diagnostic, Id};

use super::syntax::{GuardExpression, Operation};
use crate::buchi::{Automaton, Guard, Marks, StateId};

/// Conditions with more conjunctions than this in their normal form are refused.
const MOST_CONJUNCTIONS: usize = 64;

/// Membership in an acceptance set, or in its complement.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Membership {
    set: u32,
    complement: bool,
}

impl Membership {
    fn is_met(self, sets: &[u32]) -> bool {
        sets.contains(&self.set) != self.complement
    }
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
struct Conjunction {
    infinitely: Vec<Membership>,
    finitely: Vec<Membership>,
}

impl Conjunction {
    fn and(&self, other: &Conjunction) -> Conjunction {
        let mut both = self.clone();
        both.infinitely.extend(&other.infinitely);
        both.finitely.extend(&other.finitely);
        for memberships in [&mut both.infinitely, &mut both.finitely] {
            memberships.sort_unstable();
            memberships.dedup();
        }
        both
    }

    fn is_too_large(&self) -> bool {
        self.infinitely.len().max(self.finitely.len()) > Marks::MOST as usize
    }
}

/// A condition in disjunctive normal form.
#[derive(Clone, Debug, Default)]
pub(super) struct AcceptanceCondition {
    conjunctions: Vec<Conjunction>,
}

impl AcceptanceCondition {
    /// The normal form of a condition, or a fault.
    pub(super) fn of(expression: &GuardExpression, sets: u32) -> Result<AcceptanceCondition, Box<Diagnostic>> {
        let mut stack: Vec<Vec<Conjunction>> = Vec::new();
        for operation in &expression.operations {
            let mut value = match operation {
                Operation::Constant(true) => vec![Conjunction::default()],
                Operation::Constant(false) => Vec::new(),
                Operation::Visits { infinitely, complement, set, span } => {
                    if *set >= sets {
                        let message = format!("there is no acceptance set {set}, since `Acceptance:` announces {sets}");
                        let fault = Diagnostic::error("unknown-set", message).at(*span);
                        return Err(Box::new(fault.help("sets are numbered from 0")));
                    }
                    let membership = vec![Membership { set: *set, complement: *complement }];
                    vec![match infinitely {
                        true => Conjunction { infinitely: membership, finitely: Vec::new() },
                        false => Conjunction { infinitely: Vec::new(), finitely: membership },
                    }]
                }
                Operation::And | Operation::Or => {
                    let right = stack.pop().expect("the notation is well-formed");
                    let mut left = stack.pop().expect("the notation is well-formed");
                    if matches!(operation, Operation::Or) {
                        left.extend(right);
                        left
                    } else {
                        left.iter().flat_map(|one| right.iter().map(|other| one.and(other))).collect()
                    }
                }
                Operation::Not | Operation::Atom(..) | Operation::Alias(..) => {
                    unreachable!("acceptance conditions have no such parts")
                }
            };
            if value.len() > 1 {
                value.sort_unstable();
                value.dedup();
            }
            // What is always satisfied makes all alternatives superfluous.
            if value.first().is_some_and(|first| *first == Conjunction::default()) {
                value.truncate(1);
            }
            if value.len() > MOST_CONJUNCTIONS || value.iter().any(Conjunction::is_too_large) {
                return Err(Box::new(too_complicated(expression)));
            }
            stack.push(value);
        }
        Ok(AcceptanceCondition { conjunctions: stack.pop().expect("an expression is not empty") })
    }

    /// The generalised Büchi automaton of a graph whose edges have acceptance sets, and for each of its states the
    /// state of the graph that it comes from.
    pub(super) fn apply(&self, graph: &AutomatonBody) -> (Automaton<Guard>, Vec<u32>) {
        match &self.conjunctions[..] {
            [only] if only.finitely.is_empty() => only.apply(graph),
            _ => self.apply_by_guessing(graph),
        }
    }

    fn apply_by_guessing(&self, graph: &AutomatonBody) -> (Automaton<Guard>, Vec<u32>) {
        // One set at least, so that runs that never guess are not accepted.
        let most = self.conjunctions.iter().map(|conjunction| conjunction.infinitely.len()).max();
        let mut automaton = Automaton::new(most.unwrap_or(0).max(1) as u32);
        let origins: Vec<u32> = (0..=self.conjunctions.len()).flat_map(|_| 0..graph.states).collect();
        for _ in &origins {
            automaton.add_state();
        }
        let state = |number: u32, copy: usize| StateId::from_index(number as usize + copy * graph.states as usize);
        for edge in &graph.edges {
            automaton.add_edge(state(edge.from, 0), edge.label.clone(), state(edge.to, 0), Marks::NONE);
            for (index, conjunction) in self.conjunctions.iter().enumerate() {
                let (copy, label) = (index + 1, &edge.label);
                automaton.add_edge(state(edge.from, 0), label.clone(), state(edge.to, copy), Marks::NONE);
                if !conjunction.finitely.iter().any(|membership| membership.is_met(&edge.sets)) {
                    let lacking = automaton.all_marks().minus(Marks::all(conjunction.infinitely.len() as u32));
                    let marks = conjunction.marks(&edge.sets).union(lacking);
                    automaton.add_edge(state(edge.from, copy), label.clone(), state(edge.to, copy), marks);
                }
            }
        }
        for &number in &graph.starts {
            automaton.add_initial(state(number, 0));
        }
        (automaton, origins)
    }
}

impl Conjunction {
    fn marks(&self, sets: &[u32]) -> Marks {
        let met = self.infinitely.iter().enumerate().filter(|(_, membership)| membership.is_met(sets));
        met.map(|(mark, _)| mark as u32).collect()
    }

    /// The automaton, where no `Fin` occurs.
    fn apply(&self, graph: &AutomatonBody) -> (Automaton<Guard>, Vec<u32>) {
        let mut automaton = Automaton::new(self.infinitely.len() as u32);
        let states: Vec<StateId> = (0..graph.states).map(|_| automaton.add_state()).collect();
        for edge in &graph.edges {
            let (from, to) = (states[edge.from as usize], states[edge.to as usize]);
            automaton.add_edge(from, edge.label.clone(), to, self.marks(&edge.sets));
        }
        for &number in &graph.starts {
            automaton.add_initial(states[number as usize]);
        }
        (automaton, (0..graph.states).collect())
    }
}

/// What the body of an automaton says.
#[derive(Clone, Debug, Default)]
pub(super) struct AutomatonBody {
    pub states: u32,
    pub starts: Vec<u32>,
    pub edges: Vec<GraphEdge>,
}

#[derive(Clone, Debug)]
pub(super) struct GraphEdge {
    pub from: u32,
    pub label: Guard,
    pub to: u32,
    pub sets: Vec<u32>,
}

fn too_complicated(expression: &GuardExpression) -> Diagnostic {
    Diagnostic::error("unsupported-acceptance", "this acceptance condition is too complicated")
        .at(expression.span)
        .help("convert the automaton to (generalised) Büchi acceptance first, as in `autfilt --gba` or `autfilt -B`")
}
