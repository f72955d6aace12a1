//! Accepting cycles in an explicit graph.
//!
//! Components are found by Tarjan's algorithm (*Depth-first search and linear graph algorithms*, 1972), without recursion.
//! A component with edges of all acceptance sets contains an accepting cycle. Where schedules must be fair, the cycle must
//! be, too: weak fairness to a thread is one more acceptance set (the thread runs, or is unable to), strong fairness is a
//! Streett condition, for which the edges are left out at which a thread is able to run that never does, and what is left
//! is taken apart anew (Emerson and Lei, *Modalities for model checking*, 1987).

use automata::buchi::Marks;
use task::Scheduler;

/// An edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct ExploredEdge {
    /// Where it leads.
    pub to: u32,
    /// The acceptance sets that it belongs to.
    pub marks: Marks,
    /// Who was able to run, and who did.
    pub turn: ReadyThreads,
}

/// Sets of threads by their numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct ReadyThreads {
    /// Those that were able to run, at some step of the edge.
    pub able: u64,
    /// Those that were able to run at all its steps.
    pub always_able: u64,
    /// Those that did.
    pub ran: u64,
}

impl ReadyThreads {
    /// Of a single step.
    pub fn of_step(able: u64, ran: u64) -> Self {
        Self { able, always_able: able, ran }
    }

    /// Of these steps and those.
    pub fn and(self, other: Self) -> Self {
        let (able, always_able) = (self.able | other.able, self.always_able & other.always_able);
        Self { able, always_able, ran: self.ran | other.ran }
    }
}

/// A graph: for each node, the edges that leave it.
pub(super) struct ExploredGraph {
    pub edges: Vec<Vec<ExploredEdge>>,
    /// The marks that an accepting cycle must have.
    pub all: Marks,
    pub scheduler: Scheduler,
}

impl ExploredGraph {
    /// The nodes of a component that contains a fair accepting cycle, if there is one. All nodes count as reachable.
    pub fn accepting(&self) -> Option<Vec<u32>> {
        let mut open: Vec<(Vec<u32>, u64)> = vec![((0..self.edges.len() as u32).collect(), 0)];
        let mut scope = vec![0; self.edges.len()];
        let mut stamp = 0;
        while let Some((nodes, banned)) = open.pop() {
            stamp += 1;
            nodes.iter().for_each(|&node| scope[node as usize] = stamp);
            for component in self.components(&nodes, &scope, stamp, banned) {
                stamp += 1;
                component.iter().for_each(|&node| scope[node as usize] = stamp);
                let inside = |edge: &&ExploredEdge| scope[edge.to as usize] == stamp && edge.turn.able & banned == 0;
                let edges = component.iter().flat_map(|&node| self.edges[node as usize].iter().filter(inside));
                let (mut count, mut marks, mut able, mut always_able, mut ran) = (0, Marks::NONE, 0, u64::MAX, 0);
                for edge in edges {
                    count += 1;
                    marks = marks.union(edge.marks);
                    able |= edge.turn.able;
                    always_able &= edge.turn.always_able;
                    ran |= edge.turn.ran;
                }
                if count == 0 || !self.all.is_subset(marks) {
                    continue;
                }
                let starved = match self.scheduler {
                    Scheduler::Any => 0,
                    Scheduler::WeakFair => always_able & !ran,
                    Scheduler::StrongFair => able & !ran,
                };
                match self.scheduler {
                    _ if starved == 0 => return Some(component),
                    Scheduler::StrongFair => open.push((component, banned | starved)),
                    _ => {}
                }
            }
        }
        None
    }

    /// The strongly connected components of the nodes that carry a stamp, without the edges at which a banned thread is
    /// able to run.
    fn components(&self, nodes: &[u32], scope: &[u32], stamp: u32, banned: u64) -> Vec<Vec<u32>> {
        const UNSEEN: u32 = u32::MAX;
        /// Of nodes whose component is known.
        const DONE: u32 = u32::MAX - 1;
        let mut lowest = vec![UNSEEN; self.edges.len()];
        let mut visited: Vec<u32> = Vec::new();
        let mut path: Vec<(u32, usize, u32)> = Vec::new();
        let mut found = Vec::new();
        let mut clock = 0;
        for &root in nodes {
            if lowest[root as usize] != UNSEEN {
                continue;
            }
            lowest[root as usize] = clock;
            path.push((root, 0, clock));
            visited.push(root);
            clock += 1;
            while let Some((node, followed, number)) = path.last_mut() {
                let (node, number) = (*node as usize, *number);
                if let Some(edge) = self.edges[node].get(*followed) {
                    *followed += 1;
                    let to = edge.to as usize;
                    if scope[to] != stamp || edge.turn.able & banned != 0 {
                        continue;
                    }
                    match lowest[to] {
                        UNSEEN => {
                            lowest[to] = clock;
                            path.push((edge.to, 0, clock));
                            visited.push(edge.to);
                            clock += 1;
                        }
                        DONE => {}
                        seen => lowest[node] = lowest[node].min(seen),
                    }
                    continue;
                }
                path.pop();
                let low = lowest[node];
                if let Some((parent, ..)) = path.last() {
                    let parent = *parent as usize;
                    lowest[parent] = lowest[parent].min(low);
                }
                if low == number {
                    let start = visited.iter().rposition(|&other| other as usize == node).expect("it was visited");
                    let component = visited.split_off(start);
                    component.iter().for_each(|&member| lowest[member as usize] = DONE);
                    found.push(component);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use foundation::SplitMix64;

    use super::*;

    /// Whether some closed walk is accepting and fair: a set of edges that is strongly connected, tried one by one.
    fn by_brute_force(graph: &ExploredGraph) -> bool {
        let edges: Vec<(u32, ExploredEdge)> = (graph.edges.iter().enumerate())
            .flat_map(|(from, edges)| edges.iter().map(move |edge| (from as u32, *edge)))
            .collect();
        (1_u32..1 << edges.len()).any(|set| {
            let chosen: Vec<&(u32, ExploredEdge)> =
                edges.iter().enumerate().filter(|(index, _)| set >> index & 1 == 1).map(|(_, edge)| edge).collect();
            let reach = |from: u32| {
                let mut reached = 1_u32 << from;
                for _ in 0..chosen.len() {
                    for (from, edge) in &chosen {
                        reached |= u32::from(reached >> from & 1 == 1) << edge.to;
                    }
                }
                reached
            };
            let nodes = chosen.iter().fold(0_u32, |nodes, (from, edge)| nodes | 1 << from | 1 << edge.to);
            let connected = (0..32).filter(|node| nodes >> node & 1 == 1).all(|node| reach(node) & nodes == nodes);
            let marks = chosen.iter().fold(Marks::NONE, |marks, (_, edge)| marks.union(edge.marks));
            let ran = chosen.iter().fold(0, |ran, (_, edge)| ran | edge.turn.ran);
            let able = chosen.iter().fold(0, |able, (_, edge)| able | edge.turn.able);
            let always = chosen.iter().fold(u64::MAX, |able, (_, edge)| able & edge.turn.able);
            let fair = match graph.scheduler {
                Scheduler::Any => true,
                Scheduler::WeakFair => always & !ran == 0,
                Scheduler::StrongFair => able & !ran == 0,
            };
            connected && graph.all.is_subset(marks) && fair
        })
    }

    #[test]
    fn an_accepting_component_is_found_exactly_if_a_fair_accepting_walk_exists() {
        let mut random = SplitMix64::new(5);
        let mut counts = [[0; 2]; 3];
        for case in 0..3000 {
            let nodes = 1 + random.below(4);
            let mut edges = vec![Vec::new(); nodes];
            for _ in 0..random.below(8) {
                let able = random.below(4) as u64;
                let ran = if able == 0 { 0 } else { able & (1 << random.below(2)) };
                let marks = (0..2).filter(|_| random.below(2) == 0).collect();
                let edge =
                    ExploredEdge { to: random.below(nodes) as u32, marks, turn: ReadyThreads::of_step(able, ran) };
                edges[random.below(nodes)].push(edge);
            }
            let number = case % 3;
            let scheduler = [Scheduler::Any, Scheduler::WeakFair, Scheduler::StrongFair][number];
            let graph = ExploredGraph { edges, all: Marks::all(random.below(3) as u32), scheduler };
            let expected = by_brute_force(&graph);
            assert_eq!(graph.accepting().is_some(), expected, "{:?} {:?} {scheduler:?}", graph.edges, graph.all);
            counts[number][usize::from(expected)] += 1;
        }
        assert!(counts.iter().flatten().all(|&count| count > 50), "{counts:?}");
    }
}
