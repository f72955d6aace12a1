//! From an accepting component to a short lasso.
//!
//! The search goes deep first, and so would its own path. Once a violation is known to exist, the neighbourhood of the
//! initial states is built breadth first, larger and larger, until it contains an accepting component or end. Where it
//! would become too large, the component that the search has found is used instead. In either, the stem is a shortest
//! one; the cycle collects one missing acceptance set after the other by shortest paths inside the component, and returns.

use std::collections::VecDeque;

use automata::buchi::Marks;
use foundation::collections::HashMap;
use foundation::{Budget, Exhausted};
use task::{Lasso, Scheduler};

use super::graph::{ProductGraph, StateExpansion};
use super::product::{Expanded, Product};
use super::search::Emptiness;
use super::space::Space;
use super::store::Store;

/// The neighbourhood of the initial states has so many states at least before it is given up, and at most.
const LEAST_NEIGHBOURHOOD_STATES: u32 = 1 << 16;
const MOST_NEIGHBOURHOOD_STATES: u32 = 1 << 21;

/// And so many transitions at most, for each of these states and altogether.
const TRANSITIONS_PER_STATE: u64 = 128;
const MOST_TRANSITIONS: u64 = 1 << 24;

/// A state and the number of the step that is taken there.
type TakenStep = (u32, u32);

/// The answers that lead the interpreter along an accepting run; none where nothing was found.
pub fn lasso<S: Space>(
    product: &mut Product<'_, S>,
    store: &Store,
    found: &Emptiness,
    budget: &Budget,
) -> Result<Option<Lasso>, Exhausted> {
    if matches!(found, Emptiness::Nothing | Emptiness::Unknown(_)) {
        return Ok(None);
    }
    let most = store.len().saturating_mul(4).clamp(LEAST_NEIGHBOURHOOD_STATES, MOST_NEIGHBOURHOOD_STATES);
    if let Some((graph, near)) = near_the_beginning(product, most, budget)? {
        return told(product, &graph.store, &near, budget);
    }
    told(product, store, found, budget)
}

/// An accepting component or end in the neighbourhood of the initial states, which has so many states at most.
pub fn near_the_beginning<S: Space>(
    product: &mut Product<'_, S>,
    most: u32,
    budget: &Budget,
) -> Result<Option<(ProductGraph, Emptiness)>, Exhausted> {
    let mut graph = ProductGraph::new(product);
    let mut look_at = 64;
    loop {
        let expansion = graph.expand_next(product);
        if let StateExpansion::Accepted { state, step } = expansion {
            return Ok(Some((graph, Emptiness::End { state, step })));
        }
        let complete = expansion == StateExpansion::Complete;
        budget.check().and_then(|()| budget.allows(graph.growth()))?;
        if graph.expanded() >= look_at || complete {
            budget.spend(graph.expanded() as u64);
            look_at = look_at.saturating_mul(2);
            let mark = |thread| product.thread_mark(thread);
            let thread_mark: Option<&dyn Fn(u32) -> Marks> = match product.scheduler() {
                Scheduler::StrongFair => Some(&mark),
                Scheduler::Any | Scheduler::WeakFair => None,
            };
            if let Some((states, marks)) = graph.accepting_component(product.all_marks(), thread_mark) {
                return Ok(Some((graph, Emptiness::Component { states, marks })));
            }
        }
        let many = u64::from(most).saturating_mul(TRANSITIONS_PER_STATE).min(MOST_TRANSITIONS);
        if complete || graph.expanded() >= most || graph.transitions() >= many {
            return Ok(None);
        }
    }
}

fn told<S: Space>(
    product: &mut Product<'_, S>,
    store: &Store,
    found: &Emptiness,
    budget: &Budget,
) -> Result<Option<Lasso>, Exhausted> {
    let mut paths = LassoPaths { product, store, budget };
    let (stem, cycle) = match found {
        Emptiness::Nothing | Emptiness::Unknown(_) => return Ok(None),
        Emptiness::End { state, step } => {
            let (mut stem, _) = paths.stem(|reached| reached == *state)?;
            stem.push((*state, *step));
            (stem, Vec::new())
        }
        Emptiness::Component { states, marks } => {
            let member = Members::new(states);
            let (stem, entry) = paths.stem(|reached| member.contains(reached))?;
            (stem, paths.cycle(entry, &member, *marks)?)
        }
    };
    let mut answers = |steps: &[TakenStep]| {
        let mut answers = Vec::new();
        for &(state, step) in steps {
            budget.check()?;
            answers.extend(paths.product.answers(store.get(state), step));
        }
        Ok(answers)
    };
    Ok(Some(Lasso { stem: answers(&stem)?, cycle: answers(&cycle)? }))
}

struct LassoPaths<'a, 'n, S> {
    product: &'a mut Product<'n, S>,
    store: &'a Store,
    budget: &'a Budget,
}

/// A transition between visited states.
struct VisitedTransition {
    step: u32,
    to: u32,
    marks: Marks,
}

impl<S: Space> LassoPaths<'_, '_, S> {
    /// A shortest path from an initial state to a goal, and the goal.
    fn stem(&mut self, is_goal: impl Fn(u32) -> bool) -> Result<(Vec<TakenStep>, u32), Exhausted> {
        let initial: Vec<u32> = self.product.initial().iter().filter_map(|state| self.store.find(state)).collect();
        if let Some(&goal) = initial.iter().find(|&&state| is_goal(state)) {
            return Ok((Vec::new(), goal));
        }
        let path = self.path(&initial, |_| true, |transition| is_goal(transition.to))?;
        path.ok_or_else(|| self.out_of_means())
    }

    /// A cycle through a state of a component that visits these acceptance sets.
    fn cycle(&mut self, start: u32, component: &Members, marks: Marks) -> Result<Vec<TakenStep>, Exhausted> {
        let mut cycle = Vec::new();
        let mut missing = marks;
        let mut at = start;
        while !missing.is_empty() {
            let inside = |state| component.contains(state);
            let found = self.path(&[at], inside, |transition| !transition.marks.intersection(missing).is_empty())?;
            let (part, end) = found.ok_or_else(|| self.out_of_means())?;
            missing = missing.minus(self.marks_along(&part, end)?);
            cycle.extend(part);
            at = end;
        }
        if at != start || cycle.is_empty() {
            let inside = |state| component.contains(state);
            let found = self.path(&[at], inside, |transition| transition.to == start)?;
            cycle.extend(found.ok_or_else(|| self.out_of_means())?.0);
        }
        Ok(cycle)
    }

    /// Why a path is not found that is there: a step that could be taken once is refused now, because a limit is reached.
    fn out_of_means(&self) -> Exhausted {
        self.budget.check().err().unwrap_or(Exhausted::Time)
    }

    /// What a path visits: on each of its steps, what the best transition to the next state does.
    fn marks_along(&mut self, path: &[TakenStep], end: u32) -> Result<Marks, Exhausted> {
        let ends = path.iter().skip(1).map(|&(state, _)| state).chain([end]);
        let mut marks = Marks::NONE;
        for (&(state, step), to) in path.iter().zip(ends) {
            for transition in self.transitions(state)? {
                if transition.step == step && transition.to == to {
                    marks = marks.union(transition.marks);
                    break;
                }
            }
        }
        Ok(marks)
    }

    /// A shortest path of one step at least, whose last transition is a goal, and where it ends.
    fn path(
        &mut self,
        from: &[u32],
        is_inside: impl Fn(u32) -> bool,
        is_goal: impl Fn(&VisitedTransition) -> bool,
    ) -> Result<Option<(Vec<TakenStep>, u32)>, Exhausted> {
        let mut before: HashMap<u32, Option<TakenStep>> = from.iter().map(|&state| (state, None)).collect();
        let mut queue: VecDeque<u32> = from.iter().copied().collect();
        while let Some(state) = queue.pop_front() {
            for transition in self.transitions(state)? {
                if !is_inside(transition.to) {
                    continue;
                }
                if is_goal(&transition) {
                    let mut path = vec![(state, transition.step)];
                    let mut at = state;
                    while let Some(Some(taken)) = before.get(&at) {
                        path.push(*taken);
                        at = taken.0;
                    }
                    path.reverse();
                    return Ok(Some((path, transition.to)));
                }
                before.entry(transition.to).or_insert_with(|| {
                    queue.push_back(transition.to);
                    Some((state, transition.step))
                });
            }
        }
        Ok(None)
    }

    /// The transitions from a state to visited states.
    fn transitions(&mut self, state: u32) -> Result<Vec<VisitedTransition>, Exhausted> {
        let mut transitions = Vec::new();
        let mut target = vec![0; self.product.space.words()];
        for step in 0_u32.. {
            if step.is_multiple_of(256) {
                self.budget.check()?;
            }
            match self.product.expand(self.store.get(state), step) {
                Expanded::NoMore => break,
                Expanded::Accepted | Expanded::Refused(_) => {}
                Expanded::Moves(count) => {
                    for index in 0..count {
                        let marks = self.product.target(index, &mut target);
                        transitions.extend(self.store.find(&target).map(|to| VisitedTransition { step, to, marks }));
                    }
                }
            }
        }
        Ok(transitions)
    }
}

/// The states of a component, as bits.
struct Members {
    bits: Vec<u64>,
}

impl Members {
    fn new(states: &[u32]) -> Self {
        let largest = states.iter().copied().max().unwrap_or(0);
        let mut bits = vec![0; largest as usize / 64 + 1];
        for &state in states {
            bits[state as usize / 64] |= 1 << (state % 64);
        }
        Self { bits }
    }

    fn contains(&self, state: u32) -> bool {
        self.bits.get(state as usize / 64).is_some_and(|word| word >> (state % 64) & 1 == 1)
    }
}
