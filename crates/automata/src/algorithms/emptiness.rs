//! Whether an automaton accepts any word at all, on the fly.
//!
//! Couvreur's algorithm (*On-the-fly verification of linear temporal logic*, FM 1999) with Gabow's stack of roots: a
//! depth-first search keeps the strongly connected components of the part seen so far as a stack of roots, each with
//! the marks of the edges inside; an edge back merges the topmost components into one. As soon as one of them has an
//! edge inside and all marks, there is an accepting run, and the search ends. It does not build the run: that is
//! [`lasso`](super::lasso). Nothing recurses, and the budget is asked at every new state.

use std::collections::hash_map::Entry;
use std::vec::IntoIter;

use foundation::collections::HashMap;
use foundation::{Budget, Exhausted};

use crate::buchi::{Marks, Move, Successors};

use super::pruning::{NoPruning, Pruning};

/// How many units of work a state is, about: those of differences of automata are not cheap.
const WORK_OF_A_STATE: u64 = 10;

/// What a search for an accepting run has found.
#[derive(Clone, Debug)]
pub struct Search<S> {
    /// All states that were visited, in the order of their visits.
    pub visited: Vec<S>,
    /// The states of a component that has an edge inside and whose edges carry all marks, if there is one. They are
    /// strongly connected among themselves; there may be more states in the whole component that were not visited.
    pub accepting: Option<Vec<S>>,
    /// How many edges were followed.
    pub edges: usize,
    /// How many edges were not followed, because the state they enter was known to accept nothing.
    pub pruned: usize,
}

impl<S> Search<S> {
    /// Whether no word is accepted.
    pub fn is_empty(&self) -> bool {
        self.accepting.is_none()
    }
}

/// Searches for an accepting run.
pub fn search<A: Successors>(automaton: &A, budget: &Budget) -> Result<Search<A::State>, Exhausted> {
    search_with(automaton, &mut NoPruning, budget)
}

/// Whether the automaton accepts no word.
pub fn is_empty<A: Successors>(automaton: &A, budget: &Budget) -> Result<bool, Exhausted> {
    Ok(search(automaton, budget)?.is_empty())
}

/// Searches for an accepting run, and leaves out states that accept nothing because one that accepts more is already
/// known to accept nothing.
pub fn search_with<A: Successors>(
    automaton: &A,
    pruning: &mut impl Pruning<A::State>,
    budget: &Budget,
) -> Result<Search<A::State>, Exhausted> {
    let mut search = Couvreur {
        automaton,
        all: Marks::all(automaton.acceptance_sets()),
        numbers: HashMap::default(),
        visited: Vec::new(),
        closed: Vec::new(),
        open: Vec::new(),
        roots: Vec::new(),
        path: Vec::new(),
        edges: 0,
        pruned: 0,
    };
    let mut accepting = None;
    for state in automaton.initial() {
        budget.check()?;
        accepting = search.run(state, pruning, budget)?;
        if accepting.is_some() {
            break;
        }
    }
    let Couvreur { visited, edges, pruned, .. } = search;
    let accepting = accepting.map(|numbers| numbers.into_iter().map(|number: usize| visited[number].clone()).collect());
    Ok(Search { visited, accepting, edges, pruned })
}

/// A component of the part seen so far.
struct SeenComponent {
    /// The number of its state that was visited first.
    number: usize,
    /// The marks of the edges inside.
    inside: Marks,
    /// The marks of the edge by which the search came from the component below.
    entered_by: Marks,
}

/// Edges not followed yet.
type MovesOf<A> = IntoIter<Move<<A as Successors>::State, <A as Successors>::Label>>;

struct Couvreur<'a, A: Successors> {
    automaton: &'a A,
    all: Marks,
    numbers: HashMap<A::State, usize>,
    visited: Vec<A::State>,
    /// Whether the component of the state with this number is closed, so that it accepts nothing.
    closed: Vec<bool>,
    /// The states of components that are not closed, in the order of their visits.
    open: Vec<usize>,
    roots: Vec<SeenComponent>,
    /// The states from the root to the present one, with the edges not followed yet.
    path: Vec<(usize, MovesOf<A>)>,
    edges: usize,
    pruned: usize,
}

impl<A: Successors> Couvreur<'_, A> {
    /// Searches from an initial state; returns the states of an accepting component.
    fn run(
        &mut self,
        root: A::State,
        pruning: &mut impl Pruning<A::State>,
        budget: &Budget,
    ) -> Result<Option<Vec<usize>>, Exhausted> {
        if self.numbers.contains_key(&root) || pruning.is_covered(&root) {
            return Ok(None);
        }
        self.enter(root, Marks::NONE);
        while let Some((number, moves)) = self.path.last_mut() {
            let number = *number;
            let Some(Move { to, marks, .. }) = moves.next() else {
                self.path.pop();
                self.leave(number, pruning);
                continue;
            };
            self.edges += 1;
            match self.numbers.get(&to) {
                None if pruning.is_covered(&to) => self.pruned += 1,
                None => {
                    budget.spend(WORK_OF_A_STATE);
                    budget.check()?;
                    self.enter(to, marks);
                }
                Some(&seen) if self.closed[seen] => {}
                Some(&seen) => {
                    if self.merge(seen, marks) == self.all {
                        let first = self.roots.last().map_or(0, |root| root.number);
                        return Ok(Some(self.open.iter().copied().filter(|&state| state >= first).collect()));
                    }
                }
            }
        }
        Ok(None)
    }

    fn enter(&mut self, state: A::State, entered_by: Marks) {
        let number = self.visited.len();
        let moves = self.automaton.successors(&state);
        self.visited.push(state.clone());
        match self.numbers.entry(state) {
            Entry::Vacant(entry) => entry.insert(number),
            Entry::Occupied(_) => unreachable!("a state is entered once"),
        };
        self.closed.push(false);
        self.open.push(number);
        self.roots.push(SeenComponent { number, inside: Marks::NONE, entered_by });
        self.path.push((number, moves.into_iter()));
    }

    /// An edge leads back to an open state: everything above its component belongs to it. Returns the marks inside.
    fn merge(&mut self, target: usize, marks: Marks) -> Marks {
        let mut gathered = marks;
        while let Some(root) = self.roots.pop_if(|root| root.number > target) {
            gathered = gathered.union(root.inside).union(root.entered_by);
        }
        let root = self.roots.last_mut().expect("an open state belongs to a component");
        root.inside = root.inside.union(gathered);
        root.inside
    }

    /// All edges of a state are followed. If it is a root, its component is closed.
    fn leave(&mut self, number: usize, pruning: &mut impl Pruning<A::State>) {
        if self.roots.pop_if(|root| root.number == number).is_none() {
            return;
        }
        while let Some(state) = self.open.pop_if(|state| *state >= number) {
            self.closed[state] = true;
            pruning.accepts_nothing(&self.visited[state]);
        }
    }
}
