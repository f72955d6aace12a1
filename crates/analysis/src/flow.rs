//! The graph that analyses work on: the automata of all functions side by side, in reverse post-order; or any other
//! [`Graph`].
//!
//! Calls of functions with a body are edges from the call to where control goes on; what happens inside is the
//! analyses' matter. A program is *flat* if there is no such call and no thread: then the graph shows all there is.

use foundation::Id;
use program::{Callee, EdgeId, LocationId, Op, Program};

/// A directed graph, as the fixpoint engine sees it.
pub trait Graph {
    /// Where facts hold.
    type Node: Id;
    /// What leads from one node to another.
    type Edge: Copy;

    /// How many nodes there are; they are numbered from zero.
    fn node_count(&self) -> usize;

    /// The edges that lead away from a node.
    fn out(&self, node: Self::Node) -> &[Self::Edge];

    /// Where an edge begins.
    fn source(&self, edge: Self::Edge) -> Self::Node;

    /// Where an edge ends.
    fn target(&self, edge: Self::Edge) -> Self::Node;
}

impl Graph for Program {
    type Node = LocationId;
    type Edge = EdgeId;

    fn node_count(&self) -> usize {
        self.locations.len()
    }

    fn out(&self, node: LocationId) -> &[EdgeId] {
        &self.locations[node].out
    }

    fn source(&self, edge: EdgeId) -> LocationId {
        self.edges[edge].from
    }

    fn target(&self, edge: EdgeId) -> LocationId {
        self.edges[edge].to
    }
}

/// A graph's nodes, the locations of a program for example, in an order in which most edges lead forwards.
#[derive(Clone, Debug)]
pub struct Flow<N = LocationId, E = EdgeId> {
    /// The nodes that some root (a function's entry) leads to, in reverse post-order.
    order: Vec<N>,
    /// The position of each node in `order`.
    position: Vec<Option<u32>>,
    /// The edges that lead to each node, from nodes in `order` only.
    into: Vec<Vec<E>>,
    /// Whether an edge leads back to a location: every cycle has such a location.
    head: Vec<bool>,
    flat: bool,
}

impl Flow {
    /// The graph of a program.
    pub fn new(program: &Program) -> Self {
        let first = program.entry.and_then(|entry| program.functions[entry].entry);
        let entries = program.functions.values().filter_map(|function| function.entry);
        Self { flat: is_flat(program), ..Self::of(program, first.into_iter().chain(entries)) }
    }

    /// Whether the program has neither threads nor calls of functions with a body.
    pub fn is_flat(&self) -> bool {
        self.flat
    }
}

impl<N: Id, E: Copy> Flow<N, E> {
    /// The part of a graph that some roots lead to.
    pub fn of<G: Graph<Node = N, Edge = E>>(graph: &G, roots: impl IntoIterator<Item = N>) -> Self {
        let count = graph.node_count();
        let mut search =
            DepthFirst { graph, color: vec![Color::New; count], head: vec![false; count], done: Vec::new() };
        for root in roots {
            search.visit(root);
        }
        let DepthFirst { head, done: mut order, .. } = search;
        order.reverse();
        let mut position = vec![None; count];
        let mut into = vec![Vec::new(); count];
        for (at, &node) in order.iter().enumerate() {
            position[node.index()] = Some(at as u32);
            for &edge in graph.out(node) {
                into[graph.target(edge).index()].push(edge);
            }
        }
        Self { order, position, into, head, flat: true }
    }

    /// The nodes that can be reached in the graph, in reverse post-order.
    pub fn order(&self) -> &[N] {
        &self.order
    }

    /// Where a node stands in [`Flow::order`]; none if no root leads to it.
    pub fn position(&self, node: N) -> Option<u32> {
        self.position[node.index()]
    }

    /// The edges that lead to a node.
    pub fn into(&self, node: N) -> &[E] {
        &self.into[node.index()]
    }

    /// Whether this is one of the nodes of which every cycle has one.
    pub fn is_head(&self, node: N) -> bool {
        self.head[node.index()]
    }
}

/// Whether a program has neither threads nor calls that may enter a body.
fn is_flat(program: &Program) -> bool {
    program.edges.values().all(|edge| match &edge.op {
        Op::Spawn { .. } => false,
        Op::Call { callee: Callee::Function(function), .. } => program.functions[*function].entry.is_none(),
        Op::Call { callee: Callee::Pointer(_), .. } => false,
        _ => true,
    })
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Color {
    New,
    Open,
    Done,
}

struct DepthFirst<'g, G: Graph> {
    graph: &'g G,
    color: Vec<Color>,
    head: Vec<bool>,
    done: Vec<G::Node>,
}

impl<G: Graph> DepthFirst<'_, G> {
    fn visit(&mut self, root: G::Node) {
        if self.color[root.index()] != Color::New {
            return;
        }
        self.color[root.index()] = Color::Open;
        let mut path = vec![(root, 0)];
        while let Some((node, next)) = path.last_mut() {
            let Some(&edge) = self.graph.out(*node).get(*next) else {
                self.color[node.index()] = Color::Done;
                self.done.push(*node);
                path.pop();
                continue;
            };
            *next += 1;
            let to = self.graph.target(edge);
            match self.color[to.index()] {
                Color::New => {
                    self.color[to.index()] = Color::Open;
                    path.push((to, 0));
                }
                Color::Open => self.head[to.index()] = true,
                Color::Done => {}
            }
        }
    }
}
