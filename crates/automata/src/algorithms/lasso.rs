//! Short accepting lassos: a stem to a state, the *honda*, and a cycle through it that takes an edge of every
//! acceptance set.
//!
//! The search for an accepting run leaves a strongly connected set of states behind. A breadth-first search from the
//! initial states meets them nearest first; for each of them a shortest cycle inside the set is a breadth-first search
//! over pairs of a state and the marks gathered so far. The best sum of both lengths wins, and ends the search when no
//! farther honda can do better. So the lasso is a shortest one among those whose cycle stays in the set, as long as
//! the set is small ([`MOST_EXACT_PAIRS`]) and the work bounded ([`MOST_HONDA_STEPS`], [`STEM_FACTOR`]); beyond that the
//! cycle goes to the nearest edge with a missing mark until none is missing, and then home.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use foundation::collections::{HashMap, HashSet};
use foundation::{Budget, Exhausted};

use crate::buchi::{Marks, Move, Successors};

use super::emptiness::{Search, search};

/// The most pairs of a state and marks for which shortest cycles are computed exactly.
pub const MOST_EXACT_PAIRS: usize = 1 << 14;
/// The most steps that are spent on better hondas than the first one.
pub const MOST_HONDA_STEPS: usize = 1 << 22;
/// The stem may be looked for in this many times the states that the search for a run has visited, and a thousand.
pub const STEM_FACTOR: usize = 2;

/// An edge on a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct RunEdge<S, L> {
    /// The state it leaves.
    pub from: S,
    /// The letters that it reads.
    pub label: L,
    /// The acceptance sets that it belongs to.
    pub marks: Marks,
}

/// A run that takes the stem once and then the cycle for ever.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Lasso<S, L> {
    /// The steps from an initial state to the honda; there may be none.
    pub stem: Vec<RunEdge<S, L>>,
    /// The steps from the honda back to it; there is one at least.
    pub cycle: Vec<RunEdge<S, L>>,
}

impl<S, L> Lasso<S, L> {
    /// The state where stem and cycle meet.
    pub fn honda(&self) -> &S {
        &self.cycle[0].from
    }

    /// How many steps stem and cycle have together.
    pub fn len(&self) -> usize {
        self.stem.len() + self.cycle.len()
    }

    /// Never: a cycle has a step.
    pub fn is_empty(&self) -> bool {
        self.cycle.is_empty()
    }

    /// The labels along the stem and along the cycle.
    pub fn word(&self) -> (Vec<L>, Vec<L>)
    where
        L: Clone,
    {
        let labels = |steps: &[RunEdge<S, L>]| steps.iter().map(|step| step.label.clone()).collect();
        (labels(&self.stem), labels(&self.cycle))
    }

    /// The same run seen through a function on states: the run of a product, say, as a run of one of its parts.
    pub fn map<T>(self, mut view: impl FnMut(S) -> T) -> Lasso<T, L> {
        let mut mapped = |steps: Vec<RunEdge<S, L>>| {
            steps
                .into_iter()
                .map(|step| RunEdge { from: view(step.from), label: step.label, marks: step.marks })
                .collect()
        };
        let stem = mapped(self.stem);
        Lasso { stem, cycle: mapped(self.cycle) }
    }
}

/// A lasso of a lazy automaton.
pub type LassoOf<A> = Lasso<<A as Successors>::State, <A as Successors>::Label>;

/// For each state met so far, the step by which it was met first; none for where the search began.
type Parents<S, L> = HashMap<S, Option<RunEdge<S, L>>>;

/// An accepting lasso, if any word is accepted.
pub fn find_lasso<A: Successors>(automaton: &A, budget: &Budget) -> Result<Option<LassoOf<A>>, Exhausted> {
    let found = search(automaton, budget)?;
    construct(automaton, &found, budget)
}

/// An accepting lasso through the component that a search has found, if it has found one.
pub fn construct<A: Successors>(
    automaton: &A,
    found: &Search<A::State>,
    budget: &Budget,
) -> Result<Option<LassoOf<A>>, Exhausted> {
    let Some(states) = &found.accepting else {
        return Ok(None);
    };
    let component = ComponentGraph::new(automaton, states);
    let mut best: Option<Best<A::State>> = None;
    let most = STEM_FACTOR * found.visited.len() + 1000;
    let mut parents = nearest(automaton, |_| true, most, &component, &mut best, budget)?;
    if best.is_none() {
        let visited: HashSet<&A::State> = found.visited.iter().collect();
        let known = |state: &A::State| visited.contains(state);
        parents = nearest(automaton, known, usize::MAX, &component, &mut best, budget)?;
    }
    let best = best.expect("a component that was found can be reached");
    let mut stem = Vec::new();
    let mut at = best.honda;
    while let Some(step) = parents.remove(&at).flatten() {
        at = step.from.clone();
        stem.push(step);
    }
    stem.reverse();
    let step = |&(from, edge): &(usize, usize)| {
        let (_, label, marks) = &component.edges[from][edge];
        RunEdge { from: component.states[from].clone(), label: label.clone(), marks: *marks }
    };
    Ok(Some(Lasso { stem, cycle: best.cycle.iter().map(step).collect() }))
}

struct Best<S> {
    honda: S,
    length: usize,
    cycle: Path,
}

/// Searches breadth first from the initial states and tries the states of the component as hondas, nearest first,
/// until no farther one can make the lasso shorter.
fn nearest<A: Successors>(
    automaton: &A,
    may_visit: impl Fn(&A::State) -> bool,
    most: usize,
    component: &ComponentGraph<A::State, A::Label>,
    best: &mut Option<Best<A::State>>,
    budget: &Budget,
) -> Result<Parents<A::State, A::Label>, Exhausted> {
    let mut parents: Parents<A::State, A::Label> = HashMap::default();
    let mut queue: VecDeque<(A::State, usize)> = VecDeque::new();
    let mut work = 0;
    for state in automaton.initial() {
        if !parents.contains_key(&state) && may_visit(&state) {
            parents.insert(state.clone(), None);
            queue.push_back((state, 0));
        }
    }
    while let Some((state, depth)) = queue.pop_front() {
        budget.spend(1);
        budget.check()?;
        if best.as_ref().is_some_and(|best| depth + 1 >= best.length || work > MOST_HONDA_STEPS) {
            break;
        }
        if let Some(&honda) = component.numbers.get(&state) {
            let below = best.as_ref().map_or(usize::MAX, |best| best.length - depth);
            if let Some(cycle) = component.cycle(honda, below, &mut work, budget)? {
                *best = Some(Best { honda: state.clone(), length: depth + cycle.len(), cycle });
            }
        }
        if parents.len() > most {
            break;
        }
        for Move { label, to, marks } in automaton.successors(&state) {
            if !parents.contains_key(&to) && may_visit(&to) {
                parents.insert(to.clone(), Some(RunEdge { from: state.clone(), label, marks }));
                queue.push_back((to, depth + 1));
            }
        }
    }
    Ok(parents)
}

/// A state of the component by its number, and the marks gathered on the path to it.
type MarkedState = (usize, Marks);

/// Edges by the number of the state they leave and their position there.
type Path = Vec<(usize, usize)>;

/// The graph of the component: edges between its states only.
struct ComponentGraph<S, L> {
    states: Vec<S>,
    numbers: HashMap<S, usize>,
    edges: Vec<Vec<(usize, L, Marks)>>,
    all: Marks,
}

impl<S: Clone + Eq + std::hash::Hash, L> ComponentGraph<S, L> {
    fn new<A: Successors<State = S, Label = L>>(automaton: &A, states: &[S]) -> Self {
        let numbers: HashMap<S, usize> = states.iter().cloned().enumerate().map(|(number, s)| (s, number)).collect();
        let inside = |step: Move<S, L>| numbers.get(&step.to).map(|&to| (to, step.label, step.marks));
        let edges = states.iter().map(|state| automaton.successors(state).into_iter().filter_map(inside).collect());
        let edges = edges.collect();
        ComponentGraph { states: states.to_vec(), numbers, edges, all: Marks::all(automaton.acceptance_sets()) }
    }

    /// A cycle from the honda with all marks, shorter than `below`, as edges by state and position.
    fn cycle(&self, honda: usize, below: usize, work: &mut usize, budget: &Budget) -> Result<Option<Path>, Exhausted> {
        let is_small = self.states.len().checked_shl(self.all.len()).is_some_and(|pairs| pairs <= MOST_EXACT_PAIRS);
        if is_small {
            return self.path(honda, below, work, budget, self.all, |marks, to| marks == self.all && to == honda);
        }
        let mut cycle = Vec::new();
        let mut missing = self.all;
        let mut at = honda;
        while !missing.is_empty() {
            let Some(part) = self.path(at, usize::MAX, work, budget, missing, |marks, _| !marks.is_empty())? else {
                return Ok(None);
            };
            for &(from, edge) in &part {
                let (to, _, marks) = self.edges[from][edge];
                missing = missing.minus(marks);
                at = to;
            }
            cycle.extend(part);
        }
        if at != honda || cycle.is_empty() {
            match self.path(at, usize::MAX, work, budget, Marks::NONE, |_, to| to == honda)? {
                Some(part) => cycle.extend(part),
                None => return Ok(None),
            }
        }
        Ok((cycle.len() < below).then_some(cycle))
    }

    /// A shortest path of one step at least to where the marks gathered and the state are a goal. Only the marks in
    /// `minded` are gathered.
    fn path(
        &self,
        from: usize,
        below: usize,
        work: &mut usize,
        budget: &Budget,
        minded: Marks,
        is_goal: impl Fn(Marks, usize) -> bool,
    ) -> Result<Option<Path>, Exhausted> {
        // For each pair met so far, the pair and the edge by which it was met first.
        let mut parents: HashMap<MarkedState, Option<(MarkedState, usize)>> =
            HashMap::from_iter([((from, Marks::NONE), None)]);
        let mut queue = VecDeque::from([((from, Marks::NONE), 0_usize)]);
        while let Some(((state, gathered), depth)) = queue.pop_front() {
            budget.spend(1);
            budget.check()?;
            if depth + 1 >= below {
                return Ok(None);
            }
            for (position, (to, _, marks)) in self.edges[state].iter().enumerate() {
                *work += 1;
                let next = (*to, gathered.union(marks.intersection(minded)));
                if is_goal(next.1, *to) {
                    let mut path = vec![(state, position)];
                    let mut at = (state, gathered);
                    while let Some(Some((before, edge))) = parents.get(&at) {
                        path.push((before.0, *edge));
                        at = *before;
                    }
                    path.reverse();
                    return Ok(Some(path));
                }
                if let Entry::Vacant(entry) = parents.entry(next) {
                    entry.insert(Some(((state, gathered), position)));
                    queue.push_back((next, depth + 1));
                }
            }
        }
        Ok(None)
    }
}
