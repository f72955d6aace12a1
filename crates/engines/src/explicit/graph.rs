//! The product, or the part of it that is near its beginning, as a graph in memory.
//!
//! States are expanded breadth first, so that their numbers ascend with their distance from the beginning.

use automata::buchi::Marks;
use task::Reason;

use super::product::{Expanded, Product};
use super::space::Space;
use super::store::{Inserted, Store};

/// A part of a product.
pub struct ProductGraph {
    /// The states that were found.
    pub store: Store,
    /// The edges of all expanded states, state by state.
    edges: Vec<ProductTransition>,
    /// By expanded state, where its edges begin; and where those of the last one end.
    first: Vec<usize>,
    /// By expanded state, the threads that can run there.
    pub enabled: Vec<u64>,
}

/// A transition.
#[derive(Clone, Copy, Debug)]
pub struct ProductTransition {
    /// Where it leads.
    pub to: u32,
    /// What it visits.
    pub marks: Marks,
}

/// What expanding a state came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum StateExpansion {
    /// There was no state left.
    Complete,
    /// It is done.
    Done,
    /// A step leads to an end in which the automaton accepts.
    Accepted {
        /// From this state.
        state: u32,
        /// The step.
        step: u32,
    },
    /// Some step could not be taken; the others were.
    Refused(Reason),
}

impl ProductGraph {
    /// The initial states of a product, none of them expanded.
    pub fn new<S: Space>(product: &mut Product<'_, S>) -> Self {
        let mut graph =
            Self { store: Store::new(product.space.words()), edges: Vec::new(), first: vec![0], enabled: Vec::new() };
        for initial in product.initial() {
            graph.store.insert(&initial);
        }
        graph
    }

    /// How many states were expanded: those with the first numbers.
    pub fn expanded(&self) -> u32 {
        self.enabled.len() as u32
    }

    /// How many transitions there are.
    pub fn transitions(&self) -> u64 {
        self.edges.len() as u64
    }

    /// The bytes that the graph takes.
    pub fn bytes(&self) -> usize {
        self.store.bytes()
            + self.edges.capacity() * size_of::<ProductTransition>()
            + self.first.capacity() * size_of::<usize>()
            + self.enabled.capacity() * size_of::<u64>()
    }

    /// How many bytes more the graph will take at once where it is about to grow.
    pub fn growth(&self) -> u64 {
        let is_near = self.edges.len() * 8 > self.edges.capacity() * 7;
        let edges = if is_near { self.edges.capacity() * size_of::<ProductTransition>() } else { 0 };
        self.store.growth() + edges as u64
    }

    /// The transitions of an expanded state.
    pub fn edges_of(&self, state: u32) -> &[ProductTransition] {
        &self.edges[self.first[state as usize]..self.first[state as usize + 1]]
    }

    /// Expands the next state.
    pub fn expand_next<S: Space>(&mut self, product: &mut Product<'_, S>) -> StateExpansion {
        let state = self.expanded();
        if state == self.store.len() {
            return StateExpansion::Complete;
        }
        let mut result = StateExpansion::Done;
        let mut target = vec![0; product.space.words()];
        let mut enabled = 0;
        for step in 0.. {
            match product.expand(self.store.get(state), step) {
                Expanded::NoMore => break,
                Expanded::Accepted => result = StateExpansion::Accepted { state, step },
                Expanded::Refused(reason) if result == StateExpansion::Done => result = StateExpansion::Refused(reason),
                Expanded::Refused(_) => {}
                Expanded::Moves(count) => {
                    enabled |= product.next.enabled;
                    for index in 0..count {
                        let marks = product.target(index, &mut target);
                        match self.store.insert(&target) {
                            Inserted::New(to) | Inserted::Known(to) => self.edges.push(ProductTransition { to, marks }),
                            Inserted::Full => {
                                let why = "there are too many states to be numbered";
                                result = StateExpansion::Refused(Reason::Incomplete(why.to_owned()));
                            }
                        }
                    }
                }
            }
        }
        self.enabled.push(enabled);
        self.first.push(self.edges.len());
        result
    }

    /// The strongly connected components of the expanded states that belong to a part (Tarjan 1972, without recursion).
    pub fn components(&self, own: u32, states: &[u32], part: &[u32]) -> Vec<Vec<u32>> {
        const UNSEEN: u32 = u32::MAX;
        let mut order = vec![UNSEEN; self.enabled.len()];
        let mut lowest: Vec<u32> = Vec::new();
        let mut done: Vec<bool> = Vec::new();
        let mut live: Vec<u32> = Vec::new();
        let mut components = Vec::new();
        let is_inside = |state: u32| part.get(state as usize) == Some(&own);
        for &root in states {
            if order[root as usize] != UNSEEN {
                continue;
            }
            let mut path: Vec<(u32, usize)> = Vec::new();
            let mut next = Some(root);
            loop {
                if let Some(state) = next.take() {
                    order[state as usize] = lowest.len() as u32;
                    lowest.push(lowest.len() as u32);
                    done.push(false);
                    live.push(state);
                    path.push((state, 0));
                }
                let Some((state, edge)) = path.last_mut() else { break };
                let (state, number) = (*state, order[*state as usize]);
                let found = self.edges_of(state).get(*edge).map(|edge| edge.to);
                *edge += 1;
                match found {
                    Some(to) if !is_inside(to) => {}
                    Some(to) => match order[to as usize] {
                        UNSEEN => next = Some(to),
                        other if done[other as usize] => {}
                        other => lowest[number as usize] = lowest[number as usize].min(lowest[other as usize]),
                    },
                    None => {
                        path.pop();
                        let low = lowest[number as usize];
                        if let Some((before, _)) = path.last() {
                            let before = order[*before as usize] as usize;
                            lowest[before] = lowest[before].min(low);
                        }
                        if low == number {
                            let start = live.iter().rposition(|&other| other == state).expect("it is live");
                            let component = live.split_off(start);
                            for &member in &component {
                                done[order[member as usize] as usize] = true;
                            }
                            components.push(component);
                        }
                    }
                }
            }
        }
        components
    }

    /// A component in which a cycle is a violation, with what the cycle must visit. Part 0 is left out; a state that is
    /// not expanded belongs to no part.
    pub fn accepting_component(
        &self,
        all: Marks,
        thread_mark: Option<&dyn Fn(u32) -> Marks>,
    ) -> Option<(Vec<u32>, Marks)> {
        let mut part = vec![1_u32; self.enabled.len()];
        let mut parts = 1;
        let mut open: Vec<(u32, Vec<u32>)> = vec![(1, (0..self.expanded()).collect())];
        let mut best: Option<(Vec<u32>, Marks)> = None;
        while let Some((own, states)) = open.pop() {
            for component in self.components(own, &states, &part) {
                parts += 1;
                for &state in &component {
                    part[state as usize] = parts;
                }
                let (mut inside, mut visited, mut enabled) = (false, Marks::NONE, 0);
                for &state in &component {
                    enabled |= self.enabled[state as usize];
                    for edge in self.edges_of(state).iter().filter(|edge| part.get(edge.to as usize) == Some(&parts)) {
                        inside = true;
                        visited = visited.union(edge.marks);
                    }
                }
                if !inside || !all.is_subset(visited) {
                    continue;
                }
                let (mut required, mut starved) = (all, 0_u64);
                if let Some(mark) = thread_mark {
                    for thread in (0..u64::BITS).filter(|thread| enabled >> thread & 1 == 1) {
                        required = required.union(mark(thread));
                        if !mark(thread).is_subset(visited) {
                            starved |= 1 << thread;
                        }
                    }
                }
                if starved == 0 {
                    let nearest = |states: &[u32]| states.iter().copied().min();
                    if best.as_ref().is_none_or(|(states, _)| nearest(&component) < nearest(states)) {
                        best = Some((component, required));
                    }
                    continue;
                }
                let (remaining, lost): (Vec<u32>, Vec<u32>) =
                    component.into_iter().partition(|&state| self.enabled[state as usize] & starved == 0);
                for state in lost {
                    part[state as usize] = 0;
                }
                open.push((parts, remaining));
            }
        }
        best
    }
}
